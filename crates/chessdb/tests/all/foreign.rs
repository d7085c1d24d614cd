//! Other content of a container is not lost silently.
#![cfg(feature = "all-formats")]

use std::fs;

#[cfg(any(feature = "archives", feature = "parquet", feature = "sqlite-write"))]
use chessdb::Converter;
use chessdb::Database;
#[cfg(any(feature = "archives", feature = "sqlite-write"))]
use chessdb::LossKind;
use chessdb::convert::Editor;

use crate::common::GAMES;

fn games() -> Database {
    Database::options().open_files([("a.pgn", GAMES)]).unwrap()
}

#[cfg(feature = "sqlite-write")]
#[test]
fn other_content_of_a_sqlite_file_counts_as_lost() {
    let cases = [
        (
            "CREATE TABLE Notes(id integer, note text); INSERT INTO Notes VALUES (1, 'x')",
            "table Notes",
        ),
        (
            "ALTER TABLE Player ADD COLUMN Birth text",
            "column Player.Birth",
        ),
        ("ALTER TABLE Game ADD COLUMN Mine text", "column Game.Mine"),
        (
            "ALTER TABLE MoreGame ADD COLUMN Mine text",
            "column MoreGame.Mine",
        ),
        (
            "CREATE TRIGGER t AFTER INSERT ON Game BEGIN DELETE FROM Player; END",
            "trigger t",
        ),
        ("CREATE VIEW Best AS SELECT * FROM Game", "view Best"),
        ("CREATE INDEX ByResult ON Game(Result)", "index ByResult"),
        ("CREATE VIRTUAL TABLE Words USING fts5(word)", "table Words"),
        ("", ""),
    ];
    for (change, named) in cases {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        chessdb::Converter::to(at("b.sqlite"))
            .add_database(&games())
            .run()
            .unwrap();
        let connection = rusqlite::Connection::open(at("b.sqlite")).unwrap();
        if connection.execute_batch(change).is_err() {
            // This build of SQLite has no such tables.
            continue;
        }
        drop(connection);
        let before = fs::read(at("b.sqlite")).unwrap();
        let db = Database::open(at("b.sqlite")).unwrap();
        let said: Vec<String> = db.diagnostics().iter().map(ToString::to_string).collect();
        let is_named = said.iter().any(|said| said.contains(named));
        assert!(is_named || named.is_empty(), "{change}: {said:?}");
        assert_eq!(said.is_empty(), named.is_empty(), "{said:?}");
        for target in [
            "o.sqlite", "o.sql", "o.pgn", "o.si4", "o.cbh", "o.cbf", "o.cdp", "o.dci",
        ] {
            let converter = Converter::to(at(target)).add_database(&db).strict(true);
            let result = converter.run();
            assert!(named.is_empty() || result.is_err(), "{change} {target}");
            let report = result.or_else(chessdb::Error::into_report).unwrap();
            let lost = report.base_losses().count(LossKind::BaseExtra);
            assert_eq!(lost > 0, !named.is_empty(), "{change} {target}");
            assert!(
                named.is_empty() || !at(target).exists(),
                "{change} {target}"
            );
        }
        let mut editor = Editor::open(at("b.sqlite"), Database::options()).unwrap();
        assert_eq!(
            editor.converter().run().is_ok(),
            named.is_empty(),
            "{change}"
        );
        let is_kept = fs::read(at("b.sqlite")).unwrap() == before;
        assert!(is_kept || named.is_empty(), "{change}");
    }
}

/// A jose script with additional content.
#[test]
fn other_content_of_a_script_counts_as_lost() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    chessdb::Converter::to(at("b.sql"))
        .add_database(&games())
        .run()
        .unwrap();
    let script = fs::read_to_string(at("b.sql")).unwrap();
    for (statement, named) in [
        ("CREATE TABLE `Notes` (`id` int);", "table Notes"),
        ("CREATE TABLE IF NOT EXISTS Notes (id int);", "table Notes"),
        ("CREATE VIEW Best AS SELECT 1;", "view Best"),
        ("CREATE OR REPLACE VIEW `Best` AS SELECT 1;", "view Best"),
        ("CREATE UNIQUE INDEX i ON Game (Result);", "index i"),
        (
            "CREATE DEFINER=`root`@`%` TRIGGER t BEFORE INSERT ON Game FOR EACH ROW SET @a=1;",
            "trigger t",
        ),
        ("CREATE DATABASE jose;", ""),
    ] {
        let path = at("c.sql");
        fs::write(&path, format!("{statement}\n{script}")).unwrap();
        let db = Database::open(&path).unwrap();
        let said: Vec<String> = db.diagnostics().iter().map(ToString::to_string).collect();
        match named {
            "" => assert!(said.is_empty(), "{statement}: {said:?}"),
            named => assert!(
                said.iter().any(|said| said.contains(named)),
                "{statement}: {said:?}"
            ),
        }
        let mut editor = Editor::open(&path, Database::options()).unwrap();
        let edited = editor.converter().run();
        assert_eq!(edited.is_ok(), named.is_empty(), "{statement}");
    }
}

/// Other files in an archive that is replaced by itself.
#[cfg(feature = "archives")]
#[test]
fn other_files_of_an_archive_count_as_lost() {
    use chessdb::cbh::archive::{Packing, pack};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.cbv");
    let page = (&b"page.html"[..], &b"page"[..]);
    let files = [(&b"a.pgn"[..], GAMES.as_bytes()), page];
    let archive = pack(files, Packing::Smallest).unwrap();
    fs::write(&path, &archive).unwrap();
    let db = Database::open(&path).unwrap();
    let convert = |strict: bool| {
        let converter = Converter::to(&path).format("pgn").replace(true);
        converter.add_database(&db).strict(strict).run()
    };
    let error = convert(true).unwrap_err();
    let report = error.report().unwrap();
    assert_eq!(report.base_losses().count(LossKind::BaseExtra), 1);
    assert!(fs::read(&path).unwrap() == archive);
    let report = convert(false).unwrap();
    assert_eq!(report.base_losses().count(LossKind::BaseExtra), 1);
}

/// A folder of tables with anything else in it is not replaced.
#[cfg(feature = "parquet")]
#[test]
fn other_files_in_a_folder_of_tables_stay() {
    use chessdb::Problem;
    use chessdb::convert::PartitionBy;
    for other in [
        "notes.txt",
        "year=1959/notes.txt",
        "year=1959/own.parquet",
        "mine=1/part-00000.parquet",
        "year=1959/part-00009.parquet/x",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let tables = folder.path().join("tables");
        let write = || {
            let db = games();
            let converter = Converter::to_folders(&tables, PartitionBy::Year).replace(true);
            converter.add_database(&db).run().map(drop)
        };
        write().unwrap();
        write().unwrap();
        let file = tables.join(other);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "mine").unwrap();
        let error = write().expect_err(other);
        assert!(
            matches!(error.problem(), Problem::NotReplaceable(_)),
            "{other}: {error}"
        );
        assert_eq!(fs::read(&file).unwrap(), b"mine");
    }
}
