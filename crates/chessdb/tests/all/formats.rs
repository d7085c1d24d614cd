//! Formats, features and the tables of the READMEs agree.
#![cfg(feature = "all-formats")]

use std::fs;
use std::path::Path;

use chessdb::FORMATS;
use chessdb::core::format::Score;
use chessdb::core::{FileSet, MemorySet};
use chessdb::formats::{by_id, probe};

/// Returns the rows of the format table, without backquotes.
fn rows(readme: &str) -> Vec<Vec<String>> {
    let table = readme
        .lines()
        .skip_while(|line| !line.starts_with("| id | format |"));
    table
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .map(|line| {
            line.trim_matches('|')
                .split('|')
                .map(|cell| cell.trim().replace('`', ""))
        })
        .map(Iterator::collect)
        .collect()
}

/// Features for crates that are not formats of the table: columns of games, queries, and tables
/// that can only be written.
const TOOLS: [&str; 3] = ["arrow", "query", "tables"];

/// Returns the features that enable a format crate.
fn features() -> Vec<String> {
    let manifest = include_str!("../../Cargo.toml");
    let lines = manifest
        .lines()
        .filter(|line| line.contains("\"dep:chessdb-"));
    lines
        .map(|line| line.split(' ').next().unwrap().to_owned())
        .filter(|feature| !TOOLS.contains(&feature.as_str()))
        .collect()
}

/// Features that add containers to a format crate.
const CONTAINERS: [&str; 2] = ["archives", "sqlite"];

fn is_enabled(feature: &str) -> bool {
    let optional = [
        ("archives", cfg!(feature = "archives")),
        ("parquet", cfg!(feature = "parquet")),
        ("sqlite", cfg!(feature = "sqlite")),
    ];
    let found = optional.iter().find(|(name, _)| *name == feature);
    found.is_none_or(|(_, is_enabled)| *is_enabled)
}

#[test]
fn tables_features_and_formats_agree() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md"));
    let mut readmes = vec![include_str!("../../README.md").to_owned()];
    match fs::read_to_string(root) {
        Ok(text) => readmes.push(text),
        Err(_) => println!("not run for the repository's README: this is the packaged crate"),
    }
    for readme in readmes {
        let rows = rows(&readme);
        let built: Vec<_> = rows
            .iter()
            .filter(|row| row[3].split(' ').all(is_enabled))
            .collect();
        assert_eq!(built.len(), FORMATS.len());
        for (row, format) in built.iter().zip(FORMATS) {
            let files: Vec<String> = format.roles.iter().map(|role| role.pattern()).collect();
            let writes = if format.create.is_some() { "yes" } else { "no" };
            assert_eq!(row[..3], [format.id, format.name, &files.join(" ")]);
            assert_eq!(row[4..], ["yes", writes]);
        }
        let mut named: Vec<&str> = rows.iter().flat_map(|row| row[3].split(' ')).collect();
        let mut features = features();
        features.extend(CONTAINERS.map(str::to_owned));
        named.sort_unstable();
        named.dedup();
        features.sort();
        assert_eq!(named, features);
    }
    let manifest = include_str!("../../Cargo.toml");
    let all = manifest
        .lines()
        .find(|line| line.starts_with("all-formats = "));
    // Parquet has too many dependencies for `all-formats`.
    for feature in features()
        .into_iter()
        .filter(|feature| feature != "parquet")
    {
        assert!(
            all.unwrap().contains(&format!("\"{feature}\"")),
            "{feature}"
        );
    }
}

#[test]
fn descriptions_are_complete() {
    for format in FORMATS {
        assert!(!format.roles.is_empty(), "{}", format.id);
        // A format that is never written has no losses of games; a format that can be written does.
        assert_eq!(
            format.losses.iter().next().is_none(),
            format.create.is_none(),
            "{}",
            format.id
        );
        assert!(
            format
                .required
                .iter()
                .all(|role| format.roles.contains(role)),
            "{}",
            format.id
        );
    }
    let mut ids: Vec<&str> = FORMATS.iter().map(|format| format.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), FORMATS.len());
}

#[test]
fn an_empty_base_is_a_base() {
    for format in FORMATS {
        let Some(create) = format.create else {
            continue;
        };
        let mut files = MemorySet::new();
        let writer = create(&mut files, Default::default()).unwrap();
        writer.finish().unwrap();
        let store = (format.open)(&files, Default::default()).unwrap();
        assert_eq!(store.len(), 0, "{}", format.id);
    }
}

#[test]
fn content_is_recognised() {
    let mut pgn = MemorySet::new();
    pgn.insert(by_id("pgn").unwrap().roles[0], "[Event \"?\"]\n\n1. e4 *\n");
    assert_eq!(probe(&pgn).unwrap().id, "pgn");
    let si4 = by_id("si4").unwrap();
    let mut scid = MemorySet::new();
    let mut sink = MemorySet::new();
    si4.create.unwrap()(&mut sink, Default::default())
        .unwrap()
        .finish()
        .unwrap();
    for role in si4.roles {
        scid.insert(*role, sink.get(*role).unwrap());
    }
    assert_eq!(probe(&scid).unwrap().id, "si4");
    assert_eq!((si4.probe)(&pgn), Score::No);
    assert!(probe(&MemorySet::new()).is_none());
}
