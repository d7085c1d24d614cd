//! Tables in folders: every game is in one table, the folder appears at the end, and few are open
//! at once.

use std::collections::BTreeSet;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use chessdb::convert::{Observer, PartitionBy, Report};
use chessdb::{Converter, Database};

/// Returns games of `years` years in rotation; every tenth has no date.
fn games(years: usize, times: usize) -> Database {
    let mut text = String::new();
    for n in 0..years * times {
        let date = match n % 10 {
            9 => "????.??.??".to_owned(),
            _ => format!("{}.01.02", 1900 + n % years),
        };
        let eco = char::from(b'A' + (n % 5) as u8);
        text += &format!(
            "[Date \"{date}\"]\n[White \"{n}\"]\n[ECO \"{eco}4{}\"]\n\n1. e4 {{x}} *\n\n",
            n % 10
        );
    }
    let db = Database::options().open_files([("games.pgn", text.into_bytes())]);
    db.unwrap()
}

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

/// Returns the games of all tables below a folder, sorted, as text.
fn all(folder: &Path) -> Vec<String> {
    let bases = chessdb::fs::survey(folder, None).unwrap().bases;
    let mut games: Vec<String> = Vec::new();
    for base in bases {
        let db = Database::open(base).unwrap();
        games.extend(db.games().map(|game| game.unwrap().to_pgn()));
    }
    games.sort();
    games
}

#[test]
fn every_game_is_in_one_table() {
    let db = games(50, 8);
    let mut expected: Vec<String> = db.games().map(|game| game.unwrap().to_pgn()).collect();
    expected.sort();
    let folder = tempfile::tempdir().unwrap();
    for (by, folders, one) in [
        (PartitionBy::Year, 46, "year=1915"),
        (PartitionBy::Decade, 6, "decade=1940"),
        (PartitionBy::Eco, 10, "code=A40"),
        (PartitionBy::Base, 1, "base=games.pgn"),
    ] {
        let target = folder.path().join(format!("{by:?}"));
        let report = Converter::to_folders(&target, by)
            .add_database(&db)
            .run()
            .unwrap();
        assert_eq!(
            (report.written(), report.target()),
            (400, Some(target.as_path()))
        );
        let found = names(&target);
        assert_eq!(found.len(), folders, "{found:?}");
        assert!(found.contains(one), "{found:?}");
        assert_eq!(all(&target), expected, "{by:?}");
        // 46 years exceed the 32 open tables, and their games alternate.
        let parts = names(&target.join(one)).len();
        assert_eq!(parts > 1, by == PartitionBy::Year, "{by:?}: {parts}");
    }
    assert_eq!(names(folder.path()).len(), 4, "nothing is left behind");
}

#[test]
fn a_folder_is_replaced_as_a_whole_and_only_if_asked() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("tables");
    let write = |db: &Database, replace| {
        let converter = Converter::to_folders(&target, PartitionBy::Year).add_database(db);
        converter.replace(replace).run()
    };
    write(&games(3, 2), false).unwrap();
    assert!(write(&games(2, 1), false).is_err_and(|error| error.is_already_there()));
    write(&games(2, 1), true).unwrap();
    assert_eq!(names(&target).len(), 2);
    // Other files were not written by chessdb and are not removed.
    fs::write(target.join("notes.txt"), "mine").unwrap();
    assert!(write(&games(3, 1), true).is_err());
    assert_eq!(names(&target).len(), 3);
    assert_eq!(names(folder.path()).len(), 1);
}

/// After a conversion killed between its two renames, the next one starts with the old folder.
#[test]
fn a_folder_comes_back_that_was_being_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("tables");
    let write = |years| {
        let db = games(years, 1);
        Converter::to_folders(&target, PartitionBy::Year)
            .add_database(&db)
            .run()
    };
    write(3).unwrap();
    fs::rename(&target, folder.path().join(".tables.chessdb-old")).unwrap();
    assert!(write(2).is_err_and(|error| error.is_already_there()));
    assert_eq!(names(&target).len(), 3);
    assert_eq!(names(folder.path()).len(), 1);
}

#[test]
fn what_is_broken_off_leaves_nothing() {
    struct Stop;
    impl Observer for Stop {
        fn game(&mut self, report: &Report) -> ControlFlow<()> {
            match report.read() {
                0..100 => ControlFlow::Continue(()),
                _ => ControlFlow::Break(()),
            }
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("tables");
    // Leftovers of a killed conversion.
    fs::create_dir_all(folder.path().join(".tables.chessdb-new/year=1900")).unwrap();
    let db = games(20, 20);
    let converter = Converter::to_folders(&target, PartitionBy::Year).add_database(&db);
    let result = converter.observer(&mut Stop).run();
    assert!(result.is_err_and(|error| error.is_interrupted()));
    assert_eq!(names(folder.path()).len(), 0);
}
