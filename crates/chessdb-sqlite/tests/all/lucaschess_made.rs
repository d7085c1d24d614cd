//! Lucas Chess: databases made for these tests, with everything that may be in them.

use chessdb_core::{FileSet, MemorySet};
use chessdb_sqlite::LUCAS_CHESS;
use chessdb_sqlite::lucaschess::{LCDB, WAL};
use rusqlite::types::Value as Sql;
use rusqlite::{Connection, params};

use crate::made;
use crate::pickles::{Py, line, mv, zlib};

const SCHEMA: &str = "CREATE TABLE Games(XPV VARCHAR,_DATA_ BLOB,PLYCOUNT INT);
     CREATE INDEX XPV_INDEX ON Games (XPV);
     CREATE TABLE Config( KEY TEXT PRIMARY KEY, VALUE BLOB )";

fn database(rows: &[(Sql, Sql)]) -> MemorySet {
    let mut connection = Connection::open_in_memory().unwrap();
    connection.execute_batch(SCHEMA).unwrap();
    for (moves, data) in rows {
        let sql = "INSERT INTO Games(XPV, _DATA_) VALUES (?1, ?2)";
        connection.execute(sql, params![moves, data]).unwrap();
    }
    made::file(LCDB, &mut connection)
}

fn text(text: &str) -> Sql {
    Sql::Text(text.into())
}

fn bytes(bytes: &[u8]) -> Sql {
    Sql::Blob(bytes.to_vec())
}

/// A row with its movetext and its findings.
type Row<'e> = (Sql, Sql, &'e str, &'e [&'e str]);

/// Returns a row with two moves and this body.
fn row<'e>(body: &[u8], moves: &'e str, findings: &'e [&'e str]) -> Row<'e> {
    (text("FVn^"), bytes(body), moves, findings)
}

fn expect(rows: &[Row<'_>]) {
    let stored: Vec<_> = rows
        .iter()
        .map(|row| (row.0.clone(), row.1.clone()))
        .collect();
    let wanted: Vec<_> = rows.iter().map(|row| (row.2, row.3)).collect();
    made::expect(&LUCAS_CHESS, &database(&stored), &wanted);
}

#[test]
fn mainlines() {
    let rook = "|4k3/8/8/8/8/8/4P3/R3K3 w Q - 0 1|><";
    expect(&[
        (
            text("FVn^=avna^"),
            Sql::Null,
            "1. e4 e5 2. Qh5 Ke7 3. Qxe5# *",
            &[],
        ),
        (bytes(b"FVn^"), Sql::Null, "1. e4 e5 *", &[]),
        (text(""), Sql::Null, "*", &[]),
        (Sql::Null, Sql::Null, "*", &[]),
        (text(rook), Sql::Null, "1. O-O-O *", &[]),
        (
            text("|4k3/8/8/8/8/8/4P3/R3K3 w Q - 0 1"),
            Sql::Null,
            "*",
            &[],
        ),
        (
            text("|8/P6k/8/8/8/8/8/K7 w - - 0 1|jr5"),
            Sql::Null,
            "1. a8=N *",
            &[],
        ),
        (
            text("|8/P6k/8/8/8/8/8/K7 w - - 0 1|jr6"),
            Sql::Null,
            "*",
            &["jr6"],
        ),
        (
            text("|8/P6k/8/8/8/8/8/K7 w - - 0 1|jr"),
            Sql::Null,
            "*",
            &["no legal move"],
        ),
        (text("FVFVn^"), Sql::Null, "1. e4 *", &["ply 1: "]),
        (text("FV2"), Sql::Null, "*", &["FV2"]),
        (
            text("FVn"),
            Sql::Null,
            "1. e4 *",
            &["needs 2 bytes, but only 1"],
        ),
        (text("FVÿÿ"), Sql::Null, "1. e4 *", &["no legal move"]),
        (Sql::Integer(12), Sql::Null, "*", &["no legal move"]),
    ]);
}

#[test]
fn movetext_and_whole_games() {
    let pgn = "[Event \"Old\"]\n[White \"A\"]\n\n1. e4 {text} e5 1-0\n\n";
    expect(&[
        (
            text("FV"),
            bytes(b"BODY 1.e4! {x} (1.d4) 1-0\n\n"),
            "1. e4 $1 {x} (1. d4) 1-0",
            &[],
        ),
        (
            text("FV"),
            text("BODY 1.e4! {x} 1-0"),
            "1. e4 $1 {x} 1-0",
            &[],
        ),
        (
            text("FV"),
            bytes(b"BODY 1.e4 {no result}"),
            "1. e4 {no result} *",
            &[],
        ),
        (
            text("FV"),
            bytes(b"BODY 1.e4 {caf\xe9} *"),
            "1. e4 {café} *",
            &["is not UTF-8"],
        ),
        (text("FV"), bytes(b"BODY "), "*", &[]),
        (
            text("FV"),
            bytes(b"BODY 1.e4 * 1.d4 *"),
            "1. e4 *",
            &["several games"],
        ),
        (
            text("|4k3/8/8/8/8/8/4P3/4K3 w - - 0 1|"),
            bytes(b"BODY 1.e4 *"),
            "1. e4 *",
            &[],
        ),
        (text("FVn^"), text(pgn), "1. e4 {text} 1... e5 1-0", &[]),
        (
            text("FVn^"),
            bytes(pgn.as_bytes()),
            "1. e4 {text} 1... e5 1-0",
            &[],
        ),
        (
            text("FVn^"),
            bytes(&zlib(&Py::Text("1. e4 {old} e5 *").pickle())),
            "1. e4 {old} 1... e5 *",
            &[],
        ),
        (text("FVn^"), text(""), "1. e4 e5 *", &[]),
        (
            text("FVn^"),
            Sql::Integer(5),
            "1. e4 e5 *",
            &["BODY, a PGN game"],
        ),
        (
            text("FVn^"),
            bytes(&[0, 1, 2]),
            "1. e4 e5 *",
            &["BODY, a PGN game"],
        ),
        (
            text("FVn^"),
            bytes(b"x rest"),
            "1. e4 e5 *",
            &["is damaged"],
        ),
    ]);
}

#[test]
fn trees() {
    let variation = line(
        "instead",
        vec![mv("d2d4", vec![("comment", Py::Text("quiet"))])],
    );
    let e4 = || {
        let nags = Py::List(vec![Py::Int(1), Py::Int(14)]);
        let variations = Py::List(vec![Py::Bytes(variation.clone())]);
        mv(
            "e2e4",
            vec![
                ("comment", Py::Text("best")),
                ("li_nags", nags),
                ("variations", variations),
            ],
        )
    };
    let timed = mv(
        "e2e4",
        vec![
            ("time_ms", Py::Int(1500)),
            ("clock_ms", Py::Int(3_723_000)),
            (
                "li_themes",
                Py::List(vec![Py::Text("fork"), Py::Text("pin")]),
            ),
            ("comment", Py::None),
        ],
    );
    let analysed = mv("e2e4", vec![("analysis", Py::List(vec![]))]);
    let odd = mv(
        "e2e4",
        vec![
            ("comment", Py::Int(5)),
            ("li_nags", Py::List(vec![Py::Text("!"), Py::Int(-1)])),
        ],
    );
    let e5 = || mv("e7e5", vec![]);
    let class = zlib(b"\x80\x04cos\nsystem\n.");
    let broken = Py::Bytes(b"x broken".to_vec());
    let bad_variation = mv(
        "e2e4",
        vec![(
            "variations",
            Py::List(vec![broken.clone(), Py::Bytes(variation.clone())]),
        )],
    );
    let bad_in_variation = line("", vec![mv("e2e5", vec![]), e5()]);
    let bad_in_variation = mv(
        "e2e4",
        vec![("variations", Py::List(vec![Py::Bytes(bad_in_variation)]))],
    );
    expect(&[
        row(
            &line("start", vec![e4(), e5()]),
            "{start} 1. e4 $1 $14 {best} ({instead} 1. d4 {quiet}) 1... e5 *",
            &[],
        ),
        row(
            &line("", vec![timed]),
            "1. e4 {[%emt 0:00:01.5][%clk 1:02:03]} {fork, pin} *",
            &[],
        ),
        row(
            &line("", vec![analysed]),
            "1. e4 *",
            &["an engine's analysis"],
        ),
        row(
            &line("", vec![odd]),
            "1. e4 *",
            &["a NAG", "a NAG", "a comment"],
        ),
        // Where a move of the mainline cannot be read, the column of the mainline has it.
        row(
            &line("", vec![broken.clone(), e5()]),
            "1. e4 e5 *",
            &["is damaged"],
        ),
        row(
            &line("", vec![mv("e2e5", vec![("comment", Py::Text("a"))]), e5()]),
            "1. e4 {a} 1... e5 *",
            &["e2e5"],
        ),
        row(
            &line("", vec![mv("e2e4", vec![]), e5(), broken.clone()]),
            "1. e4 e5 *",
            &["is damaged"],
        ),
        row(
            &line("", vec![bad_variation, e5()]),
            "1. e4 () ({instead} 1. d4 {quiet}) 1... e5 *",
            &["is damaged"],
        ),
        row(
            &line("", vec![bad_in_variation, e5()]),
            "1. e4 () 1... e5 *",
            &["e2e5"],
        ),
        // A class is named with its place, and the mainline is left.
        row(
            &class,
            "1. e4 e5 *",
            &["instruction 0x63 at byte 0x2 of the pickle"],
        ),
        row(
            &zlib(b"\x80\x04}\x94("),
            "1. e4 e5 *",
            &["cut at its byte 0x5"],
        ),
        row(
            &Py::Int(3).packed(),
            "1. e4 e5 *",
            &["a pickle without a game"],
        ),
        row(
            &zlib(b"\x80\x04."),
            "1. e4 e5 *",
            &["instruction 0x2e at byte 0x2"],
        ),
    ]);
}

#[test]
fn bombs_end() {
    // Two million values in a few bytes.
    let many = zlib(&[b"\x80\x04".as_slice(), &vec![b'N'; 2 << 20], b"."].concat());
    // More text than the pickles of a game may have.
    let mut long = b"\x80\x04X\xff\xff\xff\x05".to_vec();
    long.resize(65 << 20, b'a');
    let long = zlib(&long);
    // A variation that is half a million variations by reference.
    let mut repeated =
        b"\x80\x04}(X\x04\x00\x00\x00moveX\x04\x00\x00\x00e2e4X\x0a\x00\x00\x00variations]B"
            .to_vec();
    let variation = line("", vec![mv("d2d4", vec![])]);
    repeated.extend((variation.len() as u32).to_le_bytes());
    repeated.extend(&variation);
    repeated.extend(b"q\x00a(");
    repeated.extend(b"h\x00".repeat(1 << 19));
    repeated.extend(b"eu.");
    let repeated = line("", vec![Py::Bytes(zlib(&repeated))]);
    // Lines within lines.
    let mut deep = line("", vec![mv("e2e4", vec![])]);
    for _ in 0..3000 {
        let inner = Py::List(vec![Py::Bytes(deep)]);
        deep = line("", vec![mv("e2e4", vec![("variations", inner)])]);
        if deep.len() > 1 << 16 {
            break;
        }
    }
    let files = database(&[
        (text("FV"), bytes(&many)),
        (text("FV"), bytes(&long)),
        (text("FV"), bytes(&repeated)),
        (text("FV"), bytes(&deep)),
    ]);
    for (n, limits) in [
        (0, ["instructions in a pickle", ""]),
        (1, ["bytes in the unpacked parts", ""]),
        (2, ["bytes in the unpacked parts", "plies"]),
        (3, ["bytes in the unpacked parts", "depth"]),
    ] {
        for finding in made::moves(&LUCAS_CHESS, &files, n).1 {
            let is_limit = limits
                .iter()
                .any(|limit| !limit.is_empty() && finding.contains(limit));
            assert!(is_limit, "{finding}");
        }
    }
}

#[test]
fn columns_of_tags() {
    let mut connection = Connection::open_in_memory().unwrap();
    connection
        .execute_batch(
            "CREATE TABLE Games(XPV VARCHAR, _DATA_ BLOB, PLYCOUNT INT, \"WHITE\" VARCHAR, white_elo,
                 \"WHITEELO\" VARCHAR, \"ODDTAG\" VARCHAR, \"TWO WORDS\" VARCHAR, 'FEN' VARCHAR, SETUP VARCHAR);
             CREATE TABLE Config(KEY TEXT PRIMARY KEY, VALUE BLOB)",
        )
        .unwrap();
    let dcabs = Py::Dict(vec![
        ("ODDTAG", Py::Text("oddTag")),
        ("WHITE", Py::Text("wHITE")),
    ]);
    connection
        .execute("INSERT INTO Config VALUES ('dcabs', ?1)", [dcabs.pickle()])
        .unwrap();
    connection
        .execute_batch(
            "INSERT INTO Games VALUES ('FV', NULL, 1, 'O\\\"Hara', 7, 2700, 'x', NULL, NULL, '1');
             INSERT INTO Games VALUES ('FV', NULL, 3, 'C:\\chess', NULL, 2700.5, '', 'lost', NULL, NULL);
             INSERT INTO Games VALUES ('|4k3/8/8/8/8/8/4P3/4K3 w - - 0 1|FV', NULL, 1, x'416e6e', NULL, NULL, NULL, NULL, 'other', '0')",
        )
        .unwrap();
    let files = made::file(LCDB, &mut connection);
    chessdb_testkit::readings::check(&LUCAS_CHESS, &files, &Default::default());
    let (pgn, findings) = made::game(&LUCAS_CHESS, &files, 0);
    assert!(pgn.contains("[White \"O\\\"Hara\"]\n"), "{pgn}");
    assert!(pgn.contains("[WhiteElo \"2700\"]\n"), "{pgn}");
    assert!(pgn.contains("[oddTag \"x\"]\n"), "{pgn}");
    assert!(pgn.contains("[White_elo \"7\"]\n"), "{pgn}");
    assert!(!pgn.contains("SetUp") && pgn.contains("1. e4"), "{pgn}");
    assert_eq!(findings, [""; 0]);
    let (pgn, findings) = made::game(&LUCAS_CHESS, &files, 1);
    assert!(pgn.contains("[White \"C:\\\\chess\"]\n"), "{pgn}");
    assert!(pgn.contains("[WhiteElo \"2700.5\"]\n"), "{pgn}");
    let [name, plies] = findings.as_slice() else {
        panic!("{findings:?}")
    };
    assert!(
        name.contains("lost: ") && name.contains("Two words"),
        "{name}"
    );
    assert!(
        plies.contains("note: ") && plies.contains("half-moves"),
        "{plies}"
    );
    let (pgn, _) = made::game(&LUCAS_CHESS, &files, 2);
    assert!(pgn.contains("[White \"Ann\"]\n"), "{pgn}");
    assert!(
        pgn.contains("[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n") && pgn.contains("1. e4"),
        "{pgn}"
    );
}

#[test]
fn databases_before_2020() {
    let mut connection = Connection::open_in_memory().unwrap();
    let sql = "CREATE TABLE games(XPV VARCHAR, EVENT VARCHAR, WHITE VARCHAR, RESULT VARCHAR, PGN BLOB, PLIES INT)";
    connection.execute_batch(sql).unwrap();
    let full = Py::Dict(vec![
        ("RTAGS", Py::List(vec![])),
        ("FULLGAME", Py::Text("a|b")),
    ])
    .packed();
    let sql = "INSERT INTO games VALUES ('FVn^', 'Open', 'Ann', '1-0', ?1, 2)";
    connection.execute(sql, [Sql::Null]).unwrap();
    connection.execute(sql, [full]).unwrap();
    let files = made::file(LCDB, &mut connection);
    made::expect(
        &LUCAS_CHESS,
        &files,
        &[
            ("1. e4 e5 1-0", &[]),
            ("1. e4 e5 1-0", &["a pickle without a game"]),
        ],
    );
    assert!(
        made::game(&LUCAS_CHESS, &files, 0)
            .0
            .contains("[White \"Ann\"]")
    );
}

#[test]
fn newest_games_are_in_the_log() {
    let folder = std::env::temp_dir().join(format!("chessdb-lucas-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("a.lcdb");
    let connection = Connection::open(&path).unwrap();
    connection
        .execute_batch(&format!(
            "PRAGMA encoding = 'UTF-16le'; PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; {SCHEMA};
             INSERT INTO Games(XPV) VALUES ('FV'); PRAGMA wal_checkpoint(TRUNCATE);
             INSERT INTO Games(XPV, _DATA_) VALUES ('FVn^', 'BODY 1.e4 {{ä}} e5 *')"
        ))
        .unwrap();
    let mut files = MemorySet::new();
    files.insert(LCDB, std::fs::read(&path).unwrap());
    assert_eq!(
        (LUCAS_CHESS.open)(&files, Default::default())
            .unwrap()
            .len(),
        1
    );
    files.insert(WAL, std::fs::read(folder.join("a.lcdb-wal")).unwrap());
    drop(connection);
    std::fs::remove_dir_all(folder).unwrap();
    made::expect(
        &LUCAS_CHESS,
        &files,
        &[("1. e4 *", &[]), ("1. e4 {ä} 1... e5 *", &[])],
    );
}

#[test]
fn damaged_databases_end() {
    let variation = Py::List(vec![Py::Bytes(line("", vec![mv("d2d4", vec![])]))]);
    let tree = line("start", vec![mv("e2e4", vec![("variations", variation)])]);
    let files = database(&[
        (text("FVn^"), Sql::Null),
        (text("FV"), bytes(&tree)),
        (text("FV"), bytes(b"BODY 1.e4 {x} *")),
    ]);
    assert!(files.get(LCDB).is_some());
    made::survive(&LUCAS_CHESS, &files);
}
