//! PGN, SCID and DC* to and from each other: the reference writer's bytes, the same games, nothing
//! lost that was not announced.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic
)]
#![allow(missing_docs)]
#![cfg(all(feature = "dcx", feature = "pgn", feature = "scid"))]

use std::path::{Path, PathBuf};

use chessdb::dcx::DCX;
use chessdb::pgn::PGN;
use chessdb::{Allow, Format, Game, Losses, MemorySet, Role, WriteOptions};
use chessdb_testkit::{fixtures, identity};

fn write(format: &Format, games: &[Game]) -> (MemorySet, Losses) {
    let mut options = WriteOptions::default();
    options.allow = Allow::Everything;
    identity::write_all(format, games, options).unwrap()
}

fn pgn(path: &Path) -> MemorySet {
    let mut set = MemorySet::new();
    set.insert(Role("pgn"), fixtures::read(path));
    set
}

fn from_pgn(path: &Path) -> Vec<Game> {
    let set = pgn(path);
    let mut options = chessdb::ReadOptions::default();
    options.keep_layout = true;
    let store = (PGN.open)(&set, options).unwrap();
    let mut scratch = chessdb::Scratch::new();
    (0..store.len())
        .map(|n| {
            let mut game = Game::new();
            store.game_into(n, &mut game, &mut scratch).unwrap();
            game
        })
        .collect()
}

#[test]
fn probe_identity() {
    let Some(real) = fixtures::testdata("fixtures-real/dcx") else {
        return;
    };
    let made = fixtures::testdata("fixtures-made/dcx").unwrap();
    let mut stems: Vec<PathBuf> = fixtures::bases(made, Role("dci"));
    for folder in [
        "jerry-data",
        "lichess-sample",
        "own-features",
        "python-chess-data",
        "scid-gtest",
    ] {
        stems.extend(fixtures::bases(real.join(folder), Role("dci")));
    }
    for stem in stems {
        let source = stem.with_extension("pgn");
        if !source.exists() {
            continue;
        }
        let theirs = fixtures::load_set(&stem, DCX.roles);
        let games = from_pgn(&source);
        let (ours, losses) = write(&DCX, &games);
        let l: Vec<_> = losses.iter().map(|l| (l.kind.code(), l.count)).collect();
        let same: Vec<_> = DCX
            .roles
            .iter()
            .filter(|r| chessdb::FileSet::get(&ours, **r) == chessdb::FileSet::get(&theirs, **r))
            .map(|r| r.0)
            .collect();
        println!(
            "{}: {} games, same {same:?} {:?} {l:?}",
            stem.file_name().unwrap().display(),
            games.len(),
            identity::first_difference(&ours, &theirs).map(|d| d.to_string())
        );
    }
}
