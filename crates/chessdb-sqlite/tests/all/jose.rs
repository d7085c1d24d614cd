//! jose's tables as other programs write them.

use chessdb_core::{FileSet, Game, MemorySet, ReadOptions, Scratch};
use chessdb_sqlite::JOSE;
use chessdb_sqlite::jose::{SQLITE_FILE, SQLITE_LOG};
use rusqlite::Connection;

const GAME: &str = "Game (Id integer primary key, CId int, Idx int, WhiteId int, BlackId int, \
                    PlyCount int, GameDate date, ECO char(3))";
const MORE: &str = "MoreGame (GId integer primary key, Round varchar(32), Bin mediumblob, \
                    Comments mediumtext)";
const PLAYER: &str = "Player (Id integer primary key, Name varchar(255))";

/// Makes a file with three games, the tables defined like this, and further statements.
fn file(tables: [&str; 3], before: &str, after: &str) -> MemorySet {
    let mut connection = Connection::open_in_memory().unwrap();
    let tables = tables.map(|table| format!("CREATE TABLE {table};"));
    let rows = "INSERT INTO Player (Id, Name) VALUES (0, '-'), (1, 'Tal'), (2, 'Bött');
        INSERT INTO Game (Id, CId, Idx, WhiteId, BlackId, GameDate, ECO)
            VALUES (1, 1, 1, 1, 2, '1960-03-15', 'C45'), (2, 1, 2, 2, 1, NULL, NULL), (5, 1, 3, 0, 2, NULL, 'B90');
        INSERT INTO MoreGame (GId, Round, Bin) VALUES (1, '1', x'1313FF'), (2, '2', x'13FF'), (5, 'x', x'FF');";
    let script = format!("{before};{}{rows}{after}", tables.concat());
    connection.execute_batch(&script).unwrap();
    let mut set = MemorySet::new();
    set.insert(SQLITE_FILE, connection.serialize("main").unwrap().to_vec());
    set
}

/// Returns a line for each game, and what is reported.
fn read(set: &MemorySet) -> (Vec<String>, Vec<String>) {
    let store = (JOSE.open)(set, ReadOptions::default()).unwrap();
    let mut said: Vec<String> = store
        .diagnostics()
        .iter()
        .map(ToString::to_string)
        .collect();
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    let games = (0..store.len()).map(|n| {
        if let Err(error) = store.game_into(n, &mut game, &mut scratch) {
            return error.to_string();
        }
        let tag = |name| game.tag(name).unwrap_or_default().into_owned();
        let plies = game.moves.plies();
        let (round, date, eco) = (tag("Round"), tag("Date"), tag("ECO"));
        format!(
            "{}-{} {round} {date} {eco} {plies}",
            tag("White"),
            tag("Black")
        )
    });
    let games = games.collect();
    said.extend(scratch.diagnostics.iter().map(ToString::to_string));
    (games, said)
}

const GAMES: [&str; 3] = [
    "Tal-Bött 1 1960.03.15 C45 2",
    "Bött-Tal 2   1",
    "-Bött x  B90 0",
];

#[test]
fn definitions_of_other_programs_are_read() {
    let without_key = |table: &str| table.replace("integer primary key", "int primary key");
    for before in [
        "",
        "PRAGMA encoding = 'UTF-16le'",
        "PRAGMA encoding = 'UTF-16be'",
        "PRAGMA page_size = 512",
        "PRAGMA page_size = 65536",
        "PRAGMA auto_vacuum = FULL",
    ] {
        let (game, more) = (without_key(GAME), without_key(MORE));
        let quoted = MORE.replace("MoreGame (GId", "\"moregame\" ([gid]");
        for tables in [
            [GAME, MORE, PLAYER],
            [&game, &more, PLAYER],
            [GAME, &quoted, PLAYER],
            [GAME, &more, PLAYER],
        ] {
            let set = file(tables, before, "");
            assert_eq!((JOSE.probe)(&set), chessdb_core::format::Score::Certain);
            let (games, said) = read(&set);
            assert_eq!(games, GAMES, "{before} {tables:?}");
            assert_eq!(said, [""; 0], "{before} {tables:?}");
        }
    }
}

#[test]
fn everything_else_is_reported() {
    for (after, named) in [
        ("CREATE VIEW Best AS SELECT * FROM Game", "view Best"),
        ("CREATE INDEX Player_Name ON Player(Name)", ""),
        ("CREATE INDEX Game_CId ON Player(Name)", "index Game_CId"),
        ("CREATE TABLE Notes(a)", "table Notes"),
        (
            "CREATE TABLE Notes(a PRIMARY KEY) WITHOUT ROWID",
            "table Notes",
        ),
        (
            "CREATE TABLE Site(Id integer PRIMARY KEY, Name) WITHOUT ROWID",
            "table Site cannot be read",
        ),
        (
            "ALTER TABLE Game ADD COLUMN Twice AS (PlyCount * 2)",
            "column Game.Twice",
        ),
        (
            "ALTER TABLE Game ADD COLUMN Mine text DEFAULT 'x'",
            "column Game.Mine",
        ),
        (
            "CREATE TABLE IO_Game(WhiteId int, BlackId int, Bin blob)",
            "table IO_Game",
        ),
        ("ANALYZE", ""),
    ] {
        let (games, said) = read(&file([GAME, MORE, PLAYER], "", after));
        assert_eq!(games, GAMES, "{after}");
        let is_named = said.iter().any(|said| said.contains(named));
        assert_eq!(
            (is_named, said.is_empty()),
            (!named.is_empty(), named.is_empty()),
            "{after}: {said:?}"
        );
    }
}

#[test]
fn columns_added_later_have_their_default() {
    let game = GAME.replace(", ECO char(3)", "");
    for (default, round) in [
        ("'x''y'", "x'y"),
        ("NULL", ""),
        ("7", "7"),
        ("-7", "-7"),
        ("(+7)", "7"),
        ("1.5", "1.5"),
        ("x'6162'", "ab"),
        ("TRUE", "1"),
        ("\"x y\" NOT NULL", "x y"),
    ] {
        for encoding in ["UTF-8", "UTF-16le"] {
            let mut connection = Connection::open_in_memory().unwrap();
            let more = MORE.replace("Round varchar(32), ", "");
            let script = format!(
                "PRAGMA encoding = '{encoding}'; CREATE TABLE {game}; CREATE TABLE {more};
                 INSERT INTO Game (Id) VALUES (1); INSERT INTO MoreGame (GId, Bin) VALUES (1, x'FF');
                 ALTER TABLE MoreGame ADD COLUMN Board; ALTER TABLE MoreGame ADD COLUMN Round DEFAULT {default};"
            );
            connection.execute_batch(&script).unwrap();
            let mut set = MemorySet::new();
            set.insert(SQLITE_FILE, connection.serialize("main").unwrap().to_vec());
            let (games, _) = read(&set);
            assert_eq!(games, [format!("- {round}   0")], "{default} {encoding}");
        }
    }
}

/// Rows that are updated, deleted and added again are out of order.
#[test]
fn rows_in_any_order_are_sorted_by_collection_and_place() {
    let after = "UPDATE Game SET Idx = 7 WHERE Id = 1; UPDATE Game SET CId = 0 WHERE Id = 5;
        INSERT INTO MoreGame (GId, Bin) VALUES (9, x'13FF');";
    let (games, said) = read(&file([GAME, MORE, PLAYER], "", after));
    assert_eq!(games[..3], [GAMES[2], GAMES[1], GAMES[0]]);
    // Without a row of headers.
    assert_eq!(games[3], "-    1");
    assert_eq!(said.len(), 2, "{said:?}");
}

/// A page whose cells all are one long row claims more than it holds.
#[test]
fn overlapping_rows_are_damaged() {
    let set = file(
        [GAME, MORE, PLAYER],
        "PRAGMA page_size = 4096",
        "DELETE FROM MoreGame WHERE GId > 1; UPDATE MoreGame SET Bin = zeroblob(3000)",
    );
    let bytes = set.get(SQLITE_FILE).unwrap();
    let page = bytes
        .chunks(4096)
        .position(|page| page[0] == 13 && page.ends_with(&[0; 3000]))
        .unwrap();
    let mut bytes = bytes.to_vec();
    let page = &mut bytes[page * 4096..][..4096];
    let place = [page[8], page[9]];
    page[3..5].copy_from_slice(&500_u16.to_be_bytes());
    for n in 0..500 {
        page[8 + 2 * n..][..2].copy_from_slice(&place);
    }
    let mut set = MemorySet::new();
    set.insert(SQLITE_FILE, bytes);
    let store = (JOSE.open)(&set, ReadOptions::default()).unwrap();
    let said: Vec<String> = store
        .diagnostics()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert!(
        said.iter()
            .any(|said| said.contains("a page of the table MoreGame is damaged")),
        "{said:?}"
    );
    assert!(store.len() < 10, "{}", store.len());
}

/// The newest games are in the write-ahead log of a program that was not closed.
#[test]
fn newest_games_are_in_the_log() {
    let folder = std::env::temp_dir().join(format!("chessdb-jose-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("a.sqlite");
    let complete = file([GAME, MORE, PLAYER], "", "");
    std::fs::write(&path, complete.get(SQLITE_FILE).unwrap()).unwrap();
    let connection = Connection::open(&path).unwrap();
    connection
        .execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; DELETE FROM Game;
             DELETE FROM MoreGame; PRAGMA wal_checkpoint(TRUNCATE);
             INSERT INTO Game (Id, CId, Idx, WhiteId, BlackId) VALUES (8, 1, 1, 2, 1);
             INSERT INTO MoreGame (GId, Round, Bin) VALUES (8, '4', x'13FF')",
        )
        .unwrap();
    let mut files = MemorySet::new();
    files.insert(SQLITE_FILE, std::fs::read(&path).unwrap());
    assert_eq!(read(&files).0, [""; 0]);
    let log = std::fs::read(folder.join("a.sqlite-wal")).unwrap();
    files.insert(SQLITE_LOG, log);
    drop(connection);
    std::fs::remove_dir_all(folder).unwrap();
    assert_eq!(read(&files).0, ["Bött-Tal 4   1"]);
}
