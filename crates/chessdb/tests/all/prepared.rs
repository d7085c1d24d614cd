//! Preparation by reader threads changes neither the bytes written nor the losses reported.
#![cfg(feature = "all-formats")]

use std::fs;
use std::path::Path;

use chessdb::convert::{GameRef, Observer};
use chessdb::core::loss::Loss;
use chessdb::{Converter, Database, FORMATS, Game, LossKind};
use chessdb_testkit::fixtures;

/// An observer that records losses and states whether games may change. If they may, no preparation
/// is done.
struct Listening {
    edits: bool,
    losses: Vec<String>,
}

impl Observer for Listening {
    fn edits(&self) -> bool {
        self.edits
    }

    fn edit(&mut self, game: &mut Game) {
        assert!(game.number() > 0);
    }

    fn loss(&mut self, at: GameRef, loss: &Loss) {
        self.losses.push(format!("{at:?} {loss:?}"));
    }
}

/// Returns the files of a conversion, ordered by name, and its losses.
fn converted(source: &Path, target: &str, jobs: usize, edits: bool) -> (Vec<Vec<u8>>, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let db = Database::open(source).unwrap();
    let losses = Vec::new();
    let mut listening = Listening { edits, losses };
    let converter = Converter::to(folder.path().join(target)).add_database(&db);
    let converter = converter.allow(LossKind::ALL.iter().copied()).jobs(jobs);
    let _ = converter.observer(&mut listening).run();
    let files = fs::read_dir(folder.path()).unwrap();
    let mut files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    files.sort();
    let bytes = files.iter().map(|file| fs::read(file).unwrap());
    (bytes.collect(), listening.losses)
}

#[test]
fn games_that_other_threads_encoded_are_the_same_bytes() {
    let (mut written, mut lost) = (0, 0);
    for format in ["pgn", "scid", "cbf"] {
        for source in fixtures::files(&fixtures::path(format)) {
            let suffix = source.extension().and_then(|suffix| suffix.to_str());
            let is_base = matches!(suffix, Some("pgn" | "si4" | "si5" | "cbf"));
            if !is_base || Database::open(&source).is_err() {
                continue;
            }
            for target in FORMATS.iter().filter(|format| format.create.is_some()) {
                let target = &format!("a.{}", target.roles[0]);
                let alone = converted(&source, target, 1, true);
                for (jobs, edits) in [(1, false), (3, true), (3, false)] {
                    let together = converted(&source, target, jobs, edits);
                    assert!(together == alone, "{source:?} to {target}, {jobs} threads");
                }
                written += alone.0.len();
                lost += alone.1.len();
            }
        }
    }
    assert!(
        written > 100 && lost > 100,
        "{written} files, {lost} losses"
    );
}
