//! Databases in SQLite files that other programs have open, change or have left half changed.
#![cfg(all(feature = "all-formats", feature = "sqlite-write"))]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use chessdb::convert::Editor;
use chessdb::core::MemorySet;
use chessdb::{Converter, Database, LossKind, Problem};
use rusqlite::Connection;

/// The suffixes of the formats, each with the table of games and the statement that sets the date of
/// every game to this day.
const FORMATS: [(&str, &str, &str); 4] = [
    ("db3", "Games", "UPDATE Games SET Date = '2000.01.'"),
    ("lcdb", "Games", "UPDATE Games SET DATE = '2000.01.'"),
    ("ocgdb", "Games", "UPDATE Games SET Date = '2000-01-'"),
    (
        "sqlite",
        "Game",
        "UPDATE Game SET DateFlags = 0, GameDate = '2000-01-'",
    ),
];

/// Creates a database of `games` games that all have one date.
fn create(folder: &Path, suffix: &str, games: usize) -> PathBuf {
    let path = folder.join(format!("b.{suffix}"));
    let game = |n| {
        format!(
            "[White \"Player {n}\"]\n[Date \"2000.01.01\"]\n\n1. e4 e5 2. Nf3 Nc6 {{{}}} *\n\n",
            "a long comment ".repeat(n % 7)
        )
    };
    let pgn: String = (0..games).map(game).collect();
    let db = Database::options()
        .open_files([("a.pgn", pgn.into_bytes())])
        .unwrap();
    Converter::to(&path).add_database(&db).run().unwrap();
    path
}

fn set_day(connection: &Connection, statement: &str, day: usize) -> rusqlite::Result<usize> {
    connection.execute(&format!("{statement} || '{:02}'", day % 28 + 1), [])
}

/// Returns the dates of the games after a strict conversion; `None` if it is refused.
fn dates(path: &Path) -> Option<BTreeSet<String>> {
    let db = Database::open(path).ok()?;
    let mut made = MemorySet::new();
    Converter::to_sink(&mut made)
        .format("pgn")
        .add_database(&db)
        .games_only(true)
        .strict(true)
        .run()
        .ok()?;
    let made = Database::options().open_set(made).unwrap();
    let dates = made.games().map(|game| game.unwrap().date().to_string());
    Some(dates.collect())
}

#[test]
fn all_games_are_of_one_state_while_another_program_commits() {
    for mode in ["DELETE", "WAL"] {
        for (suffix, _, statement) in FORMATS {
            let folder = tempfile::tempdir().unwrap();
            let path = create(folder.path(), suffix, 400);
            let writer = Connection::open(&path).unwrap();
            writer
                .execute_batch(&format!("PRAGMA journal_mode = {mode}"))
                .unwrap();
            writer.busy_timeout(Duration::from_secs(60)).unwrap();
            let done = &AtomicBool::new(false);
            let (mut whole, mut refused) = (0, 0);
            thread::scope(|scope| {
                scope.spawn(move || {
                    for day in 0..75 {
                        set_day(&writer, statement, day).unwrap();
                        thread::sleep(Duration::from_millis(2));
                    }
                    done.store(true, Ordering::Relaxed);
                });
                while !done.load(Ordering::Relaxed) {
                    match dates(&path) {
                        Some(dates) => {
                            assert_eq!(dates.len(), 1, "{suffix} {mode}: {dates:?}");
                            whole += 1;
                        }
                        None => refused += 1,
                    }
                }
            });
            println!("{suffix} {mode}: {whole} conversions, {refused} refused");
            assert!(whole > 0, "{suffix} {mode}: {refused} refused");
            assert!(dates(&path).is_some(), "{suffix} {mode}");
        }
    }
}

/// While a database is open, SQLite does not let another program change it.
#[test]
fn an_open_database_stays_as_it_is() {
    for (suffix, _, statement) in FORMATS {
        let folder = tempfile::tempdir().unwrap();
        let path = create(folder.path(), suffix, 3);
        let other = Connection::open(&path).unwrap();
        other.busy_timeout(Duration::ZERO).unwrap();
        let db = Database::open(&path).unwrap();
        assert!(set_day(&other, statement, 5).is_err(), "{suffix}");
        assert_eq!(db.game(2).unwrap().date().to_string(), "2000.01.01");
        drop(db);
        set_day(&other, statement, 5).unwrap();
        let db = Database::open(&path).unwrap();
        assert_eq!(db.game(2).unwrap().date().to_string(), "2000.01.06");
    }
}

/// The system has the lock until the database is dropped, whatever the file is called and whatever is
/// done meanwhile. Other connections of this process do not ask the system.
#[cfg(target_os = "linux")]
#[test]
fn the_lock_for_reading_is_held() {
    use std::os::unix::fs::MetadataExt;

    let is_locked = |path: &Path| {
        let file = format!(":{} ", fs::metadata(path).unwrap().ino());
        let process = format!(" {} ", std::process::id());
        let locks = fs::read_to_string("/proc/locks").unwrap();
        let mut locks = locks.lines().filter(|lock| lock.contains(" READ "));
        locks.any(|lock| lock.contains(&file) && lock.contains(&process))
    };
    for (suffix, _, _) in FORMATS {
        for other in ["db3", "lcdb", "ocgdb.db3", "sqlite"] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join(format!("c.{other}"));
            fs::rename(create(folder.path(), suffix, 3), &path).unwrap();
            let db = Database::open(&path).unwrap();
            assert!(is_locked(&path), "{suffix} as {other}");
            let mut findings = Vec::new();
            db.files()
                .unwrap()
                .check(db.reading(), &mut |finding| findings.push(finding));
            assert!(findings.is_empty(), "{suffix}: {findings:?}");
            let target = folder.path().join("d.pgn");
            Converter::to(&target).add_database(&db).run().unwrap();
            assert!(is_locked(&path), "{suffix} as {other}");
            drop(db);
            assert!(!is_locked(&path), "{suffix} as {other}");
        }
    }
}

#[test]
fn a_file_locked_for_writing_is_neither_read_nor_replaced() {
    for (suffix, table, statement) in FORMATS {
        let folder = tempfile::tempdir().unwrap();
        let path = create(folder.path(), suffix, 3);
        let before = fs::read(&path).unwrap();
        let other = Connection::open(&path).unwrap();
        other.execute_batch("BEGIN EXCLUSIVE").unwrap();
        let is_locked = |error: &chessdb::Error| matches!(error.problem(), Problem::Locked);
        let error = Editor::open(&path, Database::options()).unwrap_err();
        assert!(is_locked(&error), "{suffix}: {error}");
        let games = Database::options()
            .open_files([("a.pgn", "1. d4 *")])
            .unwrap();
        let replacing = Converter::to(&path).add_database(&games).replace(true);
        let error = replacing.run().unwrap_err();
        assert!(is_locked(&error), "{suffix}: {error}");
        assert!(fs::read(&path).unwrap() == before, "{suffix}");
        // The transaction of the other program is not disturbed.
        set_day(&other, statement, 8).unwrap();
        other.execute_batch("COMMIT").unwrap();
        // Without a journal, changed pages are in the file before the transaction ends.
        other
            .execute_batch(&format!(
                "PRAGMA journal_mode = OFF; PRAGMA cache_size = 1; BEGIN; DELETE FROM {table}; \
                 CREATE TABLE Large(x); INSERT INTO Large VALUES (zeroblob(300000));"
            ))
            .unwrap();
        let error = Database::open(&path).unwrap_err();
        assert!(is_locked(&error), "{suffix}: {error}");
    }
}

/// A journal of a killed program: SQLite undoes the change, then the database is read. After a loss of
/// power even the first bytes of the file may be lost, which the journal has.
#[test]
fn a_half_done_change_is_undone() {
    let losses: [fn(&mut [u8]); 5] = [
        |_| {},
        |file| file[..512].fill(0),
        |file| file[..16].copy_from_slice(b"[Event \"Other\"]\n"),
        |file| file[..512].fill(0xFF),
        |file| file[..4096].fill(0),
    ];
    for (suffix, _, statement) in FORMATS {
        let folder = tempfile::tempdir().unwrap();
        let path = create(folder.path(), suffix, 400);
        let other = Connection::open(&path).unwrap();
        other
            .execute_batch(
                "PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN; CREATE TABLE Large(x)",
            )
            .unwrap();
        // These flush the journal, which has the first page by then. Only after that may SQLite write
        // the page, so only then can it be torn.
        set_day(&other, statement, 9).unwrap();
        other
            .execute_batch("INSERT INTO Large VALUES (zeroblob(300000));")
            .unwrap();
        let journal = |path: &Path| PathBuf::from(format!("{}-journal", path.display()));
        for (n, lose) in losses.iter().enumerate() {
            // The files as they would be if the program was killed now.
            let killed = tempfile::tempdir().unwrap();
            let copy = killed.path().join(format!("b.{suffix}"));
            let mut bytes = fs::read(&path).unwrap();
            lose(&mut bytes);
            fs::write(&copy, &bytes).unwrap();
            fs::copy(journal(&path), journal(&copy)).unwrap();
            let dates = dates(&copy).unwrap();
            assert_eq!(dates.len(), 1, "{suffix} {n}: {dates:?}");
            assert_eq!(dates.first().unwrap(), "2000.01.01", "{suffix} {n}");
            assert!(!journal(&copy).exists(), "{suffix} {n}");
        }
    }
}

/// SQLite ignores everything after a damaged page of a log, without a word.
#[test]
fn a_damaged_log_is_reported() {
    for (suffix, _, statement) in FORMATS {
        let folder = tempfile::tempdir().unwrap();
        let path = create(folder.path(), suffix, 40);
        let other = Connection::open(&path).unwrap();
        other
            .execute_batch("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0")
            .unwrap();
        for day in 0..4 {
            set_day(&other, statement, day).unwrap();
        }
        // The files of a killed program.
        let killed = tempfile::tempdir().unwrap();
        let copy = killed.path().join(format!("b.{suffix}"));
        let log = |path: &Path| PathBuf::from(format!("{}-wal", path.display()));
        fs::copy(&path, &copy).unwrap();
        let bytes = fs::read(log(&path)).unwrap();
        fs::write(log(&copy), &bytes).unwrap();
        assert_eq!(dates(&copy).unwrap().first().unwrap(), "2000.01.04");
        let names = |folder: &Path| fs::read_dir(folder).unwrap().count();
        for part in 1..8 {
            let mut damaged = bytes.clone();
            damaged[bytes.len() * part / 8] ^= 4;
            fs::write(log(&copy), &damaged).unwrap();
            let db = Database::open(&copy).unwrap();
            let is_told =
                |found: &chessdb::Diagnostic| found.to_string().contains("log is damaged");
            assert!(db.diagnostics().iter().any(is_told), "{suffix} {part}");
            assert!(dates(&copy).is_none(), "{suffix} {part}");
            // Reading leaves the log, and no new files.
            assert_eq!(fs::read(log(&copy)).unwrap(), damaged);
            assert_eq!(names(killed.path()), 2);
        }
    }
}

#[test]
fn settings_are_kept() {
    let info = "INSERT INTO Info VALUES ('Mine', 'x'); UPDATE Info SET Value = 'y' WHERE Name = \
                'License'";
    let config = "INSERT INTO Config VALUES ('Mine', x'00ff'); \
                  UPDATE Config SET VALUE = x'80048900' WHERE KEY = 'ALLOWS_DUPLICATES'";
    for (suffix, change, kept) in [
        (
            "db3",
            info,
            "SELECT Value = 'x' FROM Info WHERE Name = 'Mine'",
        ),
        (
            "ocgdb",
            info,
            "SELECT min(Value IN ('x', 'y')) FROM Info WHERE Name IN ('Mine', 'License')",
        ),
        (
            "lcdb",
            config,
            "SELECT sum(VALUE IN (x'00ff', x'80048900')) = 2 FROM Config \
             WHERE KEY IN ('Mine', 'ALLOWS_DUPLICATES')",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = create(folder.path(), suffix, 3);
        let connection = || Connection::open(&path).unwrap();
        connection().execute_batch(change).unwrap();
        let edit = || {
            let mut editor = Editor::open(&path, Database::options()).unwrap();
            editor.converter().run()
        };
        edit().unwrap();
        let is_kept = |sql: &str| connection().query_row(sql, [], |row| row.get::<_, bool>(0));
        assert!(is_kept(kept).unwrap(), "{suffix}");
        // In another format, a setting of an unknown program is lost.
        let db = Database::open(&path).unwrap();
        let mut made = MemorySet::new();
        let report = Converter::to_sink(&mut made)
            .format("pgn")
            .add_database(&db)
            .run()
            .unwrap();
        assert_eq!(
            report.base_losses().count(LossKind::BaseExtra),
            1,
            "{suffix}"
        );
    }
}

/// Text that is not UTF-8 is reported with its field, in every SQLite format.
#[test]
fn text_that_is_not_utf_8_is_reported() {
    for (suffix, change, field) in [
        (
            "db3",
            "UPDATE Players SET Name = CAST(x'41ff' AS TEXT) WHERE ID = 1",
            "White",
        ),
        (
            "ocgdb",
            "UPDATE Players SET Name = CAST(x'41ff' AS TEXT) WHERE ID = 2",
            "White",
        ),
        (
            "lcdb",
            "UPDATE Games SET WHITE = CAST(x'41ff' AS TEXT)",
            "White",
        ),
        (
            "sqlite",
            "UPDATE Player SET Name = CAST(x'41ff' AS TEXT)",
            "Player.Name",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = create(folder.path(), suffix, 3);
        Connection::open(&path)
            .unwrap()
            .execute_batch(change)
            .unwrap();
        let mut found = Vec::new();
        let files = chessdb::fs::find(&path).unwrap().read().unwrap();
        Database::options()
            .check(&files, &mut |finding| found.push(finding.kind.to_string()))
            .unwrap();
        let is_told = |text: &String| text.contains(field) && text.contains("not UTF-8");
        assert!(found.iter().any(is_told), "{suffix}: {found:?}");
    }
}
