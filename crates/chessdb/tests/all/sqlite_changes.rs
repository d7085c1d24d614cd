//! Changes of SQLite files by transactions on the file itself, and undoing them.
#![cfg(all(feature = "all-formats", feature = "sqlite-write"))]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use chessdb::convert::Editor;
use chessdb::{Allow, Converter, Database, Game, Problem};
use chessdb_testkit::rng::Rng;
use rusqlite::Connection;
use rusqlite::types::Value;

const FORMATS: [&str; 3] = ["db3", "lcdb", "ocgdb"];

/// Settings of a file in which changes differ.
const SETTINGS: [&str; 4] = [
    "",
    "PRAGMA journal_mode = WAL",
    "PRAGMA page_size = 512; VACUUM",
    "CREATE TABLE Notes (t); INSERT INTO Notes SELECT zeroblob(3000) FROM Games; \
     DELETE FROM Notes WHERE rowid > 2",
];

/// Returns games in which names occur several times.
fn games(first: usize, count: usize) -> Database {
    let game = |n: usize| {
        format!(
            "[Event \"Cup {}\"]\n[Site \"Oslo\"]\n[Date \"2000.01.{:02}\"]\n[White \"Player {}\"]\n\
             [Black \"Player {}\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 {{{}}} Nc6 1-0\n\n",
            n / 7,
            n % 28 + 1,
            n % 10,
            n % 13,
            "a comment ".repeat(n % 300)
        )
    };
    let pgn: String = (first..first + count).map(game).collect();
    let files = [("a.pgn", pgn.into_bytes())];
    Database::options().open_files(files).unwrap()
}

fn create(folder: &Path, suffix: &str, settings: &str, count: usize) -> PathBuf {
    let path = folder.join(format!("b.{suffix}"));
    let games = games(0, count);
    Converter::to(&path).add_database(&games).run().unwrap();
    let connection = Connection::open(&path).unwrap();
    connection.execute_batch(settings).unwrap();
    path
}

/// Changes games in place; panics if the file would have to be rewritten.
fn change(path: &Path, numbers: &[u32], mut edit: impl FnMut(&mut Game)) {
    let mut editor = Editor::open(path, Database::options()).unwrap();
    editor.record("a change", numbers.len() as u64);
    let changed = editor.change(numbers, Allow::Nothing, &mut edit);
    assert!(changed.unwrap(), "{}", path.display());
}

fn append(path: &Path, first: usize, count: usize) {
    let games = games(first, count);
    let converter = Converter::to(path).append(true).add_database(&games);
    let report = converter.run().unwrap();
    assert!(!report.is_rewritten(), "{}", path.display());
}

fn undo(path: &Path) -> chessdb::Result<chessdb::fs::LastChange> {
    let found = chessdb::fs::find(path)?;
    let mut sink = chessdb::fs::create(path, found.format(), true)?;
    drop(found);
    chessdb::fs::undo(&mut sink)
}

/// Returns the rows of all tables.
fn dump(path: &Path) -> BTreeMap<String, Vec<Vec<Value>>> {
    let connection = Connection::open(path).unwrap();
    let select = |sql: &str| {
        let mut statement = connection.prepare(sql).unwrap();
        let width = statement.column_count();
        let rows = statement.query_map([], |row| (0..width).map(|n| row.get(n)).collect());
        rows.unwrap()
            .collect::<Result<Vec<Vec<Value>>, _>>()
            .unwrap()
    };
    let fault = select("PRAGMA integrity_check");
    assert_eq!(fault, [[Value::Text("ok".into())]], "{}", path.display());
    let names = select("SELECT name FROM sqlite_schema WHERE type = 'table'");
    let tables = names.into_iter().map(|name| match &name[..] {
        [Value::Text(name)] => (
            name.clone(),
            select(&format!("SELECT rowid, * FROM {name}")),
        ),
        other => panic!("{other:?}"),
    });
    tables.collect()
}

/// Returns the bytes of a file without its counters of changes.
fn bytes(path: &Path) -> Vec<u8> {
    let mut bytes = fs::read(path).unwrap();
    bytes[24..28].fill(0);
    bytes[92..96].fill(0);
    bytes
}

/// Returns the names in a folder that are not hidden.
fn visible(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| !name.starts_with('.')).collect()
}

#[test]
fn random_changes_leave_all_other_rows() {
    for suffix in FORMATS {
        for settings in SETTINGS {
            let folder = tempfile::tempdir().unwrap();
            let path = create(folder.path(), suffix, settings, 60);
            let mut rng = Rng::new(1987);
            for round in 0..100 {
                let before = dump(&path);
                let count = before["Games"].len();
                let number = rng.below(count) as u32 + 1;
                let new_name = format!("Player {}", rng.below(40));
                let mut changed = vec![number as usize - 1];
                match rng.below(5) {
                    0 => change(&path, &[number], |game| game.set_tag("White", &new_name)),
                    1 => change(&path, &[number], |game| game.set_tag("Event", &new_name)),
                    2 => change(&path, &[number], |game| {
                        game.set_tag("Round", &format!("{round}"));
                    }),
                    3 => {
                        append(&path, 1000 + round, 2);
                        changed.clear();
                    }
                    _ => {
                        let last = undo(&path);
                        if !matches!(&last, Err(error) if round == 0
                            && matches!(error.problem(), Problem::NothingToUndo))
                        {
                            last.unwrap();
                        }
                        continue;
                    }
                }
                let after = dump(&path);
                for (table, rows) in &before {
                    let now = &after[table];
                    match table.as_str() {
                        "Games" => {
                            for (n, row) in rows.iter().enumerate() {
                                // A new tag is a new column.
                                let same = now[n].starts_with(row);
                                assert!(same || changed.contains(&n), "{suffix} {round} {n}");
                            }
                        }
                        "Info" | "Config" | "sqlite_sequence" => {}
                        "Players" | "Events" | "Sites" => check_names(&after, table),
                        _ => assert_eq!(rows, now, "{suffix} {table}"),
                    }
                }
                if suffix != "lcdb" {
                    check_counts(&after);
                }
            }
            assert_eq!(visible(folder.path()), [format!("b.{suffix}")]);
            let mode: String = Connection::open(&path)
                .unwrap()
                .query_row("PRAGMA journal_mode", [], |row| row.get(0))
                .unwrap();
            assert_eq!(mode == "wal", settings.contains("WAL"));
        }
    }
}

/// Every name is used by a game or is the absent one; every game has its names.
fn check_names(tables: &BTreeMap<String, Vec<Vec<Value>>>, table: &str) {
    let columns: &[usize] = match table {
        "Events" => &[2],
        "Sites" => &[3],
        // The columns differ between the formats, and both have the absent name.
        _ => return,
    };
    let mut used: Vec<&Value> = tables["Games"].iter().map(|row| &row[columns[0]]).collect();
    used.dedup();
    for number in tables[table].iter().map(|row| &row[0]) {
        let is_absent = matches!(number, Value::Integer(0 | 1));
        // Tables of other programs may refer to a name.
        let stays = tables.contains_key("Notes");
        assert!(
            is_absent || stays || used.contains(&number),
            "{table} {number:?}"
        );
    }
}

/// The numbers of rows in `Info` are those of the tables.
fn check_counts(tables: &BTreeMap<String, Vec<Vec<Value>>>) {
    for (name, table) in [
        ("GameCount", "Games"),
        ("PlayerCount", "Players"),
        ("EventCount", "Events"),
        ("SiteCount", "Sites"),
    ] {
        let is_own = |row: &&Vec<Value>| row.contains(&Value::Text(name.into()));
        let row = tables["Info"].iter().find(is_own).unwrap();
        let count = Value::Text(tables[table].len().to_string());
        assert_eq!(row.last(), Some(&count), "{name}");
    }
}

#[test]
fn undo_restores_the_pages_and_counts_on() {
    for suffix in FORMATS {
        for settings in SETTINGS {
            let folder = tempfile::tempdir().unwrap();
            let path = create(folder.path(), suffix, settings, 60);
            let counter = || fs::read(&path).unwrap()[24..28].to_vec();
            let mut counters = vec![counter()];
            let old = bytes(&path);
            append(&path, 500, 40);
            let new = bytes(&path);
            assert_ne!(old, new);
            for wanted in [&old, &new, &old, &new, &old] {
                counters.push(counter());
                undo(&path).unwrap();
                let restored = bytes(&path);
                // Pages that were free before the change may keep its content.
                let has_free_pages = settings.contains("DELETE");
                assert!(has_free_pages || restored == *wanted, "{suffix} {settings}");
                assert_eq!(restored.len(), wanted.len());
                dump(&path);
            }
            counters.push(counter());
            // No two states have one counter, or a program that has the file open would not see that
            // it changed.
            let distinct: std::collections::BTreeSet<_> = counters.iter().collect();
            assert_eq!(distinct.len(), counters.len(), "{suffix} {settings}");
            let db = Database::open(&path).unwrap();
            assert_eq!(db.len().unwrap(), 60);
        }
    }
}

#[test]
fn changes_of_other_programs_are_not_undone() {
    for suffix in FORMATS {
        let folder = tempfile::tempdir().unwrap();
        let path = create(folder.path(), suffix, "", 20);
        change(&path, &[3], |game| game.set_tag("Site", "Riga"));
        let connection = Connection::open(&path).unwrap();
        connection
            .execute_batch("UPDATE Games SET Date = '1999.01.01' WHERE rowid = 9")
            .unwrap();
        drop(connection);
        let before = fs::read(&path).unwrap();
        let error = undo(&path).unwrap_err();
        assert!(matches!(error.problem(), Problem::ChangedSince), "{error}");
        assert_eq!(fs::read(&path).unwrap(), before);
    }
}

/// While another program reads the file, a transaction cannot end. The file is then replaced.
#[test]
fn a_file_that_is_read_is_replaced() {
    for suffix in FORMATS {
        let folder = tempfile::tempdir().unwrap();
        let path = create(folder.path(), suffix, "", 20);
        let reader = Connection::open(&path).unwrap();
        reader.execute_batch("BEGIN; SELECT * FROM Games").unwrap();
        let count = "SELECT count(*) FROM Games";
        let counted: i64 = reader.query_row(count, [], |row| row.get(0)).unwrap();
        let mut editor = Editor::open(&path, Database::options()).unwrap();
        let mut edit = |game: &mut Game| game.set_tag("Site", "Riga");
        let changed = editor.change(&[3], Allow::Nothing, &mut edit);
        assert!(!changed.unwrap());
        assert_eq!(counted, 20);
    }
}
