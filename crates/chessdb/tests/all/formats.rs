//! Formats, features and the tables of the READMEs agree.
#![cfg(feature = "all-formats")]

use std::fs;
use std::path::Path;

use chessdb::core::format::Score;
use chessdb::core::{FileSet, MemorySet};
use chessdb::formats::{by_id, probe};
use chessdb::{FORMATS, Format};
use chessdb_testkit::golden;

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

/// Returns the features that enable a feature of the same name of chessdb-formats, with formats.
fn features() -> Vec<&'static str> {
    let lines = include_str!("../../Cargo.toml").lines();
    let named = lines.filter_map(|line| line.split_once(" = ["));
    named
        .filter(|(name, enables)| enables.contains(&format!("\"chessdb-formats/{name}\"")))
        .map(|(name, _)| name)
        // These add no format that can be read.
        .filter(|name| !["book", "dump", "html", "tables", "sqlite-write", "write"].contains(name))
        .collect()
}

/// Returns a README with the rows of its table as the formats are, each with its features.
fn updated(readme: &str) -> String {
    let lines = readme.split_inclusive('\n').map(|line| {
        let cells: Vec<&str> = line.trim_end().split(" | ").collect();
        let [id, _, _, features, _, _] = cells[..] else {
            return line.to_owned();
        };
        let is = |format: &&&Format| id == format!("| `{}`", format.id);
        let Some(format) = FORMATS.iter().find(is) else {
            return line.to_owned();
        };
        let files: Vec<_> = format.roles.iter().map(|role| role.pattern()).collect();
        let (name, files) = (format.name, files.join("` `"));
        let writes = match (format.create, format.export) {
            (Some(_), _) => "yes",
            (None, Some(_)) => "export",
            (None, None) => "no",
        };
        format!("{id} | {name} | `{files}` | {features} | yes | {writes} |\n")
    });
    lines.collect()
}

fn is_enabled(feature: &str) -> bool {
    let optional = [
        ("archives", cfg!(feature = "archives")),
        ("parquet", cfg!(feature = "parquet")),
        ("sqlite", cfg!(feature = "sqlite")),
    ];
    let found = optional.iter().find(|(name, _)| *name == feature);
    found.is_none_or(|(_, is_enabled)| *is_enabled)
}

/// Returns whether the formats of this build are written as with all features.
fn has_writers() -> bool {
    let has_sqlite = cfg!(feature = "sqlite-write") || !cfg!(feature = "sqlite");
    cfg!(feature = "tables") && has_sqlite
}

#[test]
fn tables_features_and_formats_agree() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    for path in ["README.md", "../../README.md"] {
        let path = own.join(path);
        let Ok(readme) = fs::read_to_string(&path) else {
            println!("not run for the repository's README: this is the packaged crate");
            continue;
        };
        if has_writers() {
            golden::check(&path, &updated(&readme));
        }
        let rows = rows(&readme);
        let built: Vec<_> = rows
            .iter()
            .filter(|row| row[3].split(' ').all(is_enabled))
            .collect();
        assert_eq!(built.len(), FORMATS.len());
        for (row, format) in built.iter().zip(FORMATS) {
            assert_eq!(row[0], format.id);
        }
        let mut named: Vec<&str> = rows.iter().flat_map(|row| row[3].split(' ')).collect();
        let mut features = features();
        // It adds a container to a format crate.
        features.push("archives");
        named.sort_unstable();
        named.dedup();
        features.sort_unstable();
        assert_eq!(named, features);
    }
    let manifest = include_str!("../../Cargo.toml");
    let all = manifest
        .lines()
        .find(|line| line.starts_with("all-formats = "));
    // These have too many dependencies for `all-formats`.
    let others = ["parquet", "sqlite"];
    for feature in features().into_iter().filter(|name| !others.contains(name)) {
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
            format.writer().is_none(),
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
