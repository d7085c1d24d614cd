//! Searches that use header columns find the same games as searches that read everything.
#![cfg(feature = "all-formats")]

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use chessdb::query::Query;
use chessdb::{Converter, Database};
use chessdb_testkit::{fixtures, rng::Rng};

use crate::index::suffixes_of_games;

/// Returns queries about the games of a database, for every header column, alone and combined.
fn questions(db: &Database) -> Vec<String> {
    let mut questions: Vec<String> = [
        "result:1-0",
        "result:1/2 or eco:B20..B99",
        "-eco:A00..E99",
        "date:..1960",
        "date:2000..2005",
        "-year:1900..2010",
        "elo:2000..",
        "-elo:1..",
        "whiteelo:..2400",
        "minelo:2300..",
        "elodiff:-100..100",
        "round:1,2",
        "-player:a",
        "(player:a or event:e) -site:o",
        "deleted:yes or white:a",
        "annotator:a or black:b",
        "plies:10.. white:s",
    ]
    .map(str::to_owned)
    .into();
    for game in db.headers().filter_map(Result::ok).step_by(7).take(12) {
        let header = &game.header;
        let quoted = |id| {
            let text = game.text(id).decode();
            let word = text.split([',', '"']).next().unwrap_or_default().trim();
            (!word.is_empty()).then(|| format!("\"{word}\""))
        };
        let names = [
            ("white", header.white.name.text),
            ("player", header.black.name.text),
            ("event", header.event.text),
            ("site", header.site.text),
            ("round", header.round.text),
        ];
        for (key, id) in names {
            if let Some(word) = quoted(id) {
                questions.push(format!("{key}:{word}"));
                questions.push(format!("-{key}:{word} year:1950..2012"));
                questions.push(format!("player:{word} or date:{}", header.date.year));
            }
        }
    }
    questions
}

/// Runs all queries on a database; returns the number of games found.
fn ask(db: &Database) -> usize {
    let games: Vec<_> = db.games().collect();
    let mut found = 0;
    for text in questions(db) {
        let Ok(query) = text.parse::<Query>() else {
            continue;
        };
        let fits = |game: &&chessdb::Game| query.matches(game);
        let read = games.iter().filter_map(|game| game.as_ref().ok());
        let expected: Vec<u32> = read.filter(fits).map(|game| game.number()).collect();
        for (jobs, numbers_only) in [(1, false), (3, false), (1, true), (3, true)] {
            let mut headers = Vec::new();
            let scan = db.scan().headers().filter(query.clone()).jobs(jobs);
            let scan = if numbers_only { scan.numbers() } else { scan };
            scan.for_each(|game, read| {
                if read.is_ok() {
                    headers.push(game.number());
                }
                ControlFlow::Continue(())
            })
            .unwrap();
            assert_eq!(headers, expected, "{:?}: {text}", db.path());
        }
        found += expected.len();
    }
    found
}

fn files_of(base: &Path) -> Vec<(String, Vec<u8>)> {
    let stem = base.file_stem();
    let files = fs::read_dir(base.parent().unwrap()).unwrap();
    let files = files.map(|file| file.unwrap().path());
    let own = files.filter(|file| file.is_file() && file.file_stem() == stem);
    let name = |file: &Path| file.file_name().unwrap().to_str().unwrap().to_owned();
    own.map(|file| (name(&file), fs::read(&file).unwrap()))
        .collect()
}

fn is_index(file: &Path) -> bool {
    let suffix = file.extension().and_then(|suffix| suffix.to_str());
    matches!(suffix, Some("si3" | "si4" | "si5" | "dci" | "cbf" | "cbh"))
}

#[test]
fn an_index_answers_as_the_heads_do() {
    let mut found = 0;
    for format in ["scid", "dcx", "cbf", "cbh"] {
        for base in fixtures::files(&fixtures::path(format)) {
            if is_index(&base)
                && let Ok(db) = Database::open(&base)
            {
                found += ask(&db);
            }
        }
    }
    assert!(found > 1_000, "{found}");
}

#[test]
fn an_index_answers_as_the_heads_do_in_damaged_bases() {
    let mut rng = Rng::new(16);
    for base in fixtures::files(&fixtures::path("scid")) {
        let files = files_of(&base);
        if !is_index(&base) || files.iter().any(|(_, bytes)| bytes.len() > 100_000) {
            continue;
        }
        for _ in 0..6 {
            let mut damaged = files.clone();
            for (_, bytes) in &mut damaged {
                for _ in 0..rng.below(4) {
                    let at = rng.below(bytes.len().max(1));
                    if let Some(byte) = bytes.get_mut(at) {
                        *byte = rng.below(256) as u8;
                    }
                }
            }
            if let Ok(db) = Database::options().open_files(damaged) {
                ask(&db);
            }
        }
    }
}

/// Values that do not fit into an index entry are stored in tags and are searched there.
#[test]
fn tags_say_more_than_an_index() {
    let pgn = "[White \"A\"]\n[Date \"2100/01/02\"]\n[WhiteElo \"5000\"]\n\n1. e4 *\n\n\
               [White \"A\"]\n[Date \"2000.01.02\"]\n[BlackElo \"2500?\"]\n[ECO \"odd\"]\n\n1. e4 *\n\n\
               [White \"A\"]\n[Date \"2000.17.??\"]\n[Annotator \"Tal\"]\n\n1. e4 *\n\n\
               [White \"?\"]\n[WhiteTitle \"GM\"]\n[BlackElo \"2500\"]\n\n1. e4 *\n\n";
    let source = Database::options().open_files([("a.pgn", pgn.as_bytes())]);
    let source = source.unwrap();
    let folder = tempfile::tempdir().unwrap();
    for suffix in suffixes_of_games() {
        let path = folder.path().join(format!("a.{suffix}"));
        let done = Converter::to(&path)
            .add_database(&source)
            .allow(chessdb::LossKind::ALL.iter().copied())
            .run();
        done.unwrap();
        let db = Database::open(&path).unwrap();
        assert!(ask(&db) > 0);
        for text in [
            "year:2100",
            "elo:5000",
            "elo:2500",
            "-elo:1..",
            "date:2000.12",
            "-date:2000",
        ] {
            let query: Query = text.parse().unwrap();
            let plain = db
                .games()
                .filter(|game| query.matches(game.as_ref().unwrap()))
                .count();
            let found = db
                .scan()
                .headers()
                .filter(query.clone())
                .into_iter()
                .count();
            assert_eq!(found, plain, "{suffix}: {text}");
            // Such headers exist, so that the tags are searched.
            let is_odd = matches!(text, "year:2100" | "elo:5000");
            assert!(
                !is_odd || !suffix.starts_with("si") || found > 0,
                "{suffix}: {text}"
            );
        }
    }
}
