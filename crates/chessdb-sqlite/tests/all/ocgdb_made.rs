//! OCGDB: databases made for these tests, with everything that may be in them.

use chessdb_core::MemorySet;
use chessdb_sqlite::OCGDB;
use chessdb_sqlite::ocgdb::{OCGDB_FILE, WAL};
use rusqlite::types::Value as Sql;
use rusqlite::{Connection, params};

use crate::made;

/// The tables of version 0.6, with the columns of moves that were asked for.
fn schema(moves: &str) -> String {
    format!(
        "PRAGMA foreign_keys = OFF;
         CREATE TABLE Info (Name TEXT UNIQUE NOT NULL, Value TEXT);
         CREATE TABLE Events (ID INTEGER PRIMARY KEY AUTOINCREMENT, Name TEXT UNIQUE);
         CREATE TABLE Sites (ID INTEGER PRIMARY KEY AUTOINCREMENT, Name TEXT UNIQUE);
         CREATE TABLE Players (ID INTEGER PRIMARY KEY, Name TEXT UNIQUE, Elo INTEGER);
         CREATE TABLE Games (ID INTEGER PRIMARY KEY AUTOINCREMENT, EventID INTEGER, SiteID INTEGER,
             Date TEXT, Round TEXT, WhiteID INTEGER, WhiteElo INTEGER, BlackID INTEGER,
             BlackElo INTEGER, Result TEXT, TimeControl TEXT, ECO TEXT, PlyCount INTEGER, FEN TEXT,
             {moves}, FOREIGN KEY(EventID) REFERENCES Events);
         CREATE TABLE Comments (ID INTEGER PRIMARY KEY AUTOINCREMENT, GameID INTEGER, Ply INTEGER,
             Comment TEXT);
         INSERT INTO Events VALUES (1, ''), (2, 'Open'); INSERT INTO Sites VALUES (1, '');
         INSERT INTO Players VALUES (1, '', NULL), (2, 'O\\\"Hara', 2000), (3, NULL, NULL)"
    )
}

fn database(moves: &str) -> Connection {
    let connection = Connection::open_in_memory().unwrap();
    connection.execute_batch(&schema(moves)).unwrap();
    connection
}

fn bytes(bytes: &[u8]) -> Sql {
    Sql::Blob(bytes.to_vec())
}

/// The moves of the worked example, and of an underpromotion.
const NARROW: &[u8] = &[0x34, 0x3c, 0xfb, 0x01, 0x84, 0xcb, 0x01];
const WIDE: &[u8] = &[0x0c, 0x07, 0x34, 0x09, 0xc3, 0x09, 0x3c, 0x0d, 0x27, 0x09];
const EXAMPLE: &str = "1. e4 e5 2. Qh5 Ke7 3. Qxe5# *";

#[test]
fn moves_of_all_kinds() {
    let cut_wide = &WIDE[..9];
    let illegal = [&NARROW[..2], &[0x34]].concat();
    let queen_cut = &NARROW[..3];
    for (column, rows) in [
        (
            "Moves1 BLOB DEFAULT NULL",
            vec![
                (bytes(NARROW), EXAMPLE, vec![]),
                (Sql::Null, "*", vec![]),
                (bytes(b""), "*", vec![]),
                (bytes(&illegal), "1. e4 e5 *", vec!["ply 2"]),
                (bytes(queen_cut), "1. e4 e5 *", vec!["ply 2"]),
                (Sql::Integer(5), "*", vec!["moves that are no bytes"]),
                (Sql::Text("4<".into()), "1. e4 e5 *", vec![]),
            ],
        ),
        (
            "Moves2 BLOB DEFAULT NULL",
            vec![
                (bytes(WIDE), EXAMPLE, vec![]),
                (bytes(cut_wide), "1. e4 e5 2. Qh5 Ke7 *", vec!["ply 4"]),
                (bytes(&[0x0c, 0x07, 0x0c, 0x07]), "1. e4 *", vec!["ply 1"]),
                (bytes(&[0x0c, 0xf7]), "*", vec!["ply 0"]),
            ],
        ),
        (
            "Moves TEXT",
            vec![
                (
                    Sql::Text("1. e4! {x} (1. d4) 1-0\r\n".into()),
                    "1. e4 $1 {x} (1. d4) 1-0",
                    vec![],
                ),
                (Sql::Text("e4 e5 Qh5".into()), "1. e4 e5 2. Qh5 *", vec![]),
                (Sql::Text("1. e5 e5".into()), "*", vec!["e5"]),
                (Sql::Null, "*", vec![]),
                (bytes(b"1. e4 {b} *"), "1. e4 {b} *", vec![]),
            ],
        ),
    ] {
        let mut connection = database(column);
        let name = column.split(' ').next().unwrap();
        for (moves, ..) in &rows {
            let sql = format!("INSERT INTO Games({name}) VALUES (?1)");
            connection.execute(&sql, [moves]).unwrap();
        }
        let files = made::file(OCGDB_FILE, &mut connection);
        if name == "Moves" {
            // An illegal move is kept as text, too.
            let (moves, findings) = made::moves(&OCGDB, &files, 2);
            assert!(
                moves.contains("e5") && findings.len() == 1,
                "{moves} {findings:?}"
            );
            made::expect(
                &OCGDB,
                &files,
                &[(rows[0].1, &rows[0].2), (rows[1].1, &rows[1].2)],
            );
            continue;
        }
        let rows: Vec<_> = rows.iter().map(|row| (row.1, row.2.as_slice())).collect();
        made::expect(&OCGDB, &files, &rows);
    }
}

#[test]
fn the_first_column_with_moves_counts() {
    let mut connection = database("Moves TEXT, Moves1 BLOB, Moves2 BLOB");
    let sql = "INSERT INTO Games(ID, Moves, Moves1, Moves2, PlyCount) VALUES (?1, ?2, ?3, ?4, ?5)";
    let text = Sql::Text("1. d4 {own}".into());
    connection
        .execute(sql, params![1, text, NARROW, WIDE, 1])
        .unwrap();
    connection
        .execute(sql, params![2, Sql::Null, NARROW, WIDE, 5])
        .unwrap();
    connection
        .execute(sql, params![3, Sql::Null, NARROW, Sql::Null, 4])
        .unwrap();
    connection
        .execute(sql, params![4, Sql::Null, Sql::Null, Sql::Null, Sql::Null])
        .unwrap();
    // In the order in which the program adds them; also at places that the game does not have.
    connection
        .execute_batch(
            "INSERT INTO Comments(GameID, Ply, Comment) VALUES (2, 4, 'mate'), (2, -1, 'start'),
             (3, 99, 'late'), (3, 0, 'one'), (4, -1, 'no moves'), (3, 0, 'two'), (9, 0, 'none'),
             (2, NULL, 'no place'), (3, 1, NULL)",
        )
        .unwrap();
    let files = made::file(OCGDB_FILE, &mut connection);
    made::expect(
        &OCGDB,
        &files,
        &[
            ("1. d4 {own} *", &[]),
            (
                "{start} 1. e4 e5 2. Qh5 Ke7 3. Qxe5# {mate} {no place} *",
                &["does not have"],
            ),
            (
                "1. e4 {one} {two} 1... e5 2. Qh5 Ke7 3. Qxe5# {late} *",
                &["does not have", "the half-moves"],
            ),
            ("{no moves} *", &[]),
        ],
    );
    let mut findings = Vec::new();
    (OCGDB.check)(&files, &Default::default(), &mut |finding| {
        findings.push(finding.kind.to_string());
    });
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert!(findings[0].contains("GameID") && findings[0].contains('9'));
}

#[test]
fn headers() {
    let mut connection = database("Moves1 BLOB, EventDate TEXT, \"Odd Name\" TEXT");
    connection
        .execute_batch(
            "INSERT INTO Games(EventID, SiteID, Date, Round, WhiteID, WhiteElo, BlackID, Result, FEN)
                 VALUES (2, 1, '1960-11-11', '1.10', 2, 0, 1, '1-0', '');
             INSERT INTO Games(EventID, WhiteID, BlackID, Date, EventDate, WhiteElo)
                 VALUES ('2', 99, 3, '1960.??.??', '1960-01-02', '2000');
             INSERT INTO Games(EventID, \"Odd Name\", Date) VALUES ('text', 'value', 1960)",
        )
        .unwrap();
    let files = made::file(OCGDB_FILE, &mut connection);
    chessdb_testkit::readings::check(&OCGDB, &files, &Default::default());
    let (pgn, findings) = made::game(&OCGDB, &files, 0);
    for tag in [
        "Event \"Open\"",
        "Date \"1960.11.11\"",
        "Round \"1.10\"",
        "White \"O\\\"Hara\"",
        "Result \"1-0\"",
    ] {
        assert!(pgn.contains(&format!("[{tag}]\n")), "{pgn}");
    }
    assert!(!pgn.contains("Elo") && !pgn.contains("FEN"), "{pgn}");
    assert_eq!(findings, [""; 0]);
    let (pgn, findings) = made::game(&OCGDB, &files, 1);
    for tag in [
        "Event \"Open\"",
        "Date \"1960.??.??\"",
        "EventDate \"1960.01.02\"",
        "WhiteElo \"2000\"",
    ] {
        assert!(pgn.contains(&format!("[{tag}]\n")), "{pgn}");
    }
    assert!(findings[0].contains("99"), "{findings:?}");
    let (_, findings) = made::game(&OCGDB, &files, 2);
    assert!(
        findings[0].contains("number of a name") && findings[1].contains("Odd Name"),
        "{findings:?}"
    );
}

#[test]
fn names_of_the_first_versions() {
    let mut connection = Connection::open_in_memory().unwrap();
    connection
        .execute_batch(
            "CREATE TABLE info (name TEXT UNIQUE NOT NULL, value TEXT);
             CREATE TABLE event (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE);
             CREATE TABLE player (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, elo INTEGER);
             CREATE TABLE game(id INTEGER PRIMARY KEY AUTOINCREMENT, event_id INTEGER, white_id INTEGER,
                 white_elo INTEGER, black_id INTEGER, black_elo INTEGER, timer TEXT, date TEXT, eco TEXT,
                 result INTEGER, length INTEGER, fen TEXT, moves TEXT);
             INSERT INTO event VALUES (1, ''), (2, 'Open'); INSERT INTO player VALUES (1, 'Ann', 1);
             INSERT INTO game VALUES (1, 2, 1, 2400, 1, NULL, '', '2001.??.05', 'D12', '1-0', 3, '', 'd4 Nf6 Nf3')",
        )
        .unwrap();
    let files = made::file(OCGDB_FILE, &mut connection);
    made::expect(&OCGDB, &files, &[("1. d4 Nf6 2. Nf3 1-0", &[])]);
    let (pgn, _) = made::game(&OCGDB, &files, 0);
    for tag in [
        "Event \"Open\"",
        "Date \"2001.??.05\"",
        "White \"Ann\"",
        "WhiteElo \"2400\"",
        "ECO \"D12\"",
    ] {
        assert!(pgn.contains(&format!("[{tag}]\n")), "{pgn}");
    }
}

#[test]
fn newest_games_are_in_the_log() {
    let folder = std::env::temp_dir().join(format!("chessdb-ocgdb-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("a.db3");
    let connection = Connection::open(&path).unwrap();
    connection
        .execute_batch(&format!(
            "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; {};
             PRAGMA wal_checkpoint(TRUNCATE); INSERT INTO Games(Moves1) VALUES (x'343c')",
            schema("Moves1 BLOB")
        ))
        .unwrap();
    let mut files = MemorySet::new();
    files.insert(OCGDB_FILE, std::fs::read(&path).unwrap());
    files.insert(WAL, std::fs::read(folder.join("a.db3-wal")).unwrap());
    drop(connection);
    std::fs::remove_dir_all(folder).unwrap();
    made::expect(&OCGDB, &files, &[("1. e4 e5 *", &[])]);
}

#[test]
fn damaged_databases_end() {
    let mut connection = database("Moves1 BLOB");
    let sql = "INSERT INTO Games(ID, EventID, WhiteID, Moves1) VALUES (?1, 2, 2, ?2)";
    for id in 1..9 {
        connection.execute(sql, params![id, NARROW]).unwrap();
    }
    connection
        .execute_batch("INSERT INTO Comments(GameID, Ply, Comment) VALUES (2, 4, 'mate')")
        .unwrap();
    made::survive(&OCGDB, &made::file(OCGDB_FILE, &mut connection));
}
