//! Databases that En Croissant made, against the PGN files that it imported.

use std::path::Path;

use chessdb_core::legacy::Numbering as _;
use chessdb_core::legacy::encroissant::EnCroissantNumbering;
use chessdb_core::options::Mode;
use chessdb_core::rules::{Position, legal_moves};
use chessdb_core::{Game, GameStore, MemorySet, ReadOptions, Scratch};
use chessdb_pgn::{Layout, Store as Pgn, write_game};
use chessdb_sqlite::encroissant::{DB3, EN_CROISSANT, Store};
use chessdb_testkit::identity;
use chessdb_testkit::strategy::{GameOptions, games};
use proptest::prelude::*;
use rusqlite::Connection;

/// The movetext of a game, and the tags that the format holds.
pub(crate) fn content(game: &Game) -> (String, Vec<Option<String>>) {
    let tags = [
        "Event",
        "Site",
        "Date",
        "White",
        "Black",
        "Result",
        "WhiteElo",
        "BlackElo",
        "TimeControl",
        "ECO",
        "FEN",
    ];
    let tags = tags.map(|tag| game.tag(tag).map(Into::into));
    let mut bare = game.clone();
    let start = bare.header.start.clone();
    bare.header.clear();
    bare.header.start = start;
    let mut text = Vec::new();
    write_game(&bare, &Layout::default(), &mut text);
    let text = String::from_utf8_lossy(&text).into_owned();
    let moves = text.rsplit_once("]\n").map_or(&*text, |(_, moves)| moves);
    (moves.trim().to_owned(), tags.to_vec())
}

pub(crate) fn sample(name: &str) -> Option<MemorySet> {
    let folder = chessdb_testkit::fixtures::testdata("fixtures-real/other/encroissant")?;
    let mut files = MemorySet::new();
    files.insert(DB3, std::fs::read(folder.join(name)).unwrap());
    Some(files)
}

/// The games (row numbers) that the program read from PGN in another way than this project does.
pub(crate) const DIFFERING: &[(u32, &str)] = &[
    (
        3,
        "a comment that overflows the program's reader of PGN; the tags are lost with it",
    ),
    (4, "the same"),
    (5, "the same"),
    (6, "the same"),
    (465, "castling as OO, where the game ends for the program"),
    (
        467,
        "comments to the end of the line, which the program reads as moves and drops",
    ),
    (
        468,
        "signs such as += and ~, which the program does not know as NAGs",
    ),
    (
        471,
        "an empty line among the moves, where a new game begins for the program",
    ),
    (
        483,
        "a FEN tag with the standard position, which the program drops",
    ),
];

/// The PGN files that the sample was imported from, by name.
pub(crate) fn clean_pgn() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/pgn/clean");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read(path).unwrap())
        })
        .collect();
    files.sort();
    files
}

#[test]
fn the_programs_own_databases_equal_what_it_imported() {
    let Some(files) = sample("made-fixtures.db3") else {
        return;
    };
    let store = Store::open(&files, ReadOptions::default()).unwrap();
    assert!(store.diagnostics().is_empty());
    let found: Vec<_> = identity::read_all(&store).iter().map(content).collect();
    let mut wanted = Vec::new();
    for (_, pgn) in clean_pgn() {
        let pgn = Pgn::open(&pgn, ReadOptions::default()).unwrap();
        wanted.extend(identity::read_all(&pgn).iter().map(content));
    }
    let mut differing = Vec::new();
    for (id, game) in (1..).zip(&found) {
        if !wanted.contains(game) {
            differing.push(id);
        }
    }
    let listed = DIFFERING.iter().map(|&(id, _)| id);
    assert_eq!(differing, listed.collect::<Vec<u32>>());
    assert_eq!(found.len(), 772);
}

/// The tables of the current version with row 0.
const TABLES: &str = "
    CREATE TABLE Info (Name TEXT UNIQUE NOT NULL, Value TEXT);
    CREATE TABLE Events (ID INTEGER PRIMARY KEY AUTOINCREMENT, Name TEXT UNIQUE);
    CREATE TABLE Sites (ID INTEGER PRIMARY KEY AUTOINCREMENT, Name TEXT UNIQUE);
    CREATE TABLE Players (ID INTEGER PRIMARY KEY, Name TEXT UNIQUE, Elo INTEGER);
    CREATE TABLE Games (ID INTEGER PRIMARY KEY AUTOINCREMENT, EventID INTEGER, SiteID INTEGER,
        Date TEXT, UTCTime TEXT, Round INTEGER, WhiteID INTEGER, WhiteElo INTEGER, BlackID INTEGER,
        BlackElo INTEGER, WhiteMaterial INTEGER, BlackMaterial INTEGER, Result INTEGER,
        TimeControl TEXT, ECO TEXT, PlyCount INTEGER, FEN TEXT, Moves BLOB, PawnHome BLOB);
    INSERT INTO Events VALUES (0, 'Unknown'), (1, ''), (2, 'Open');
    INSERT INTO Sites VALUES (0, 'Unknown');
    INSERT INTO Players VALUES (0, 'Unknown', NULL), (1, 'A', NULL), (-3, 'B', NULL);";

fn made(sql: &str) -> MemorySet {
    let mut connection = Connection::open_in_memory().unwrap();
    connection.execute_batch(sql).unwrap();
    let mut files = MemorySet::new();
    files.insert(DB3, connection.serialize("main").unwrap().to_vec());
    files
}

/// Reads the only game of a database, and what was reported.
fn read_made(sql: &str) -> (Game, Vec<String>) {
    let files = made(sql);
    let store = Store::open(&files, ReadOptions::default()).unwrap();
    assert_eq!(store.len(), 1, "{sql}");
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    store.game_into(0, &mut game, &mut scratch).unwrap();
    for found in &scratch.diagnostics {
        assert_eq!((found.at.file, found.at.game), (Some(DB3), Some(1)));
    }
    let found = scratch.diagnostics.iter();
    (game, found.map(|found| found.to_string()).collect())
}

#[test]
fn odd_values_are_read_or_reported() {
    for (columns, values, shown, reports) in [
        ("WhiteID", "NULL", "White=? Event=? Result=*", ""),
        ("WhiteID", "0", "White=? Event=? Result=*", ""),
        ("WhiteID", "'1'", "White=A Event=? Result=*", ""),
        ("WhiteID", "1.0", "White=A Event=? Result=*", ""),
        ("WhiteID", "-3", "White=B Event=? Result=*", ""),
        (
            "WhiteID",
            "9",
            "White=? Event=? Result=*",
            "number of a name",
        ),
        (
            "WhiteID",
            "x'00'",
            "White=? Event=? Result=*",
            "number of a name",
        ),
        ("EventID", "1", "White=? Event= Result=*", ""),
        (
            "EventID, Result",
            "2, '1-0'",
            "White=? Event=Open Result=1-0",
            "",
        ),
        (
            "EventID, Result",
            "2, 'x'",
            "White=? Event=Open Result=x",
            "",
        ),
        ("EventID, Result", "2, 1", "White=? Event=Open Result=1", ""),
        (
            "PlyCount",
            "7",
            "White=? Event=? Result=*",
            "half-moves of the mainline",
        ),
    ] {
        let sql = format!("{TABLES} INSERT INTO Games ({columns}) VALUES ({values})");
        let (game, found) = read_made(&sql);
        let tags = ["White", "Event", "Result"];
        let tags = tags.map(|tag| format!("{tag}={}", game.tag(tag).unwrap_or("?".into())));
        assert_eq!(tags.join(" "), shown, "{columns} {values}");
        assert_eq!(
            found.len(),
            usize::from(!reports.is_empty()),
            "{columns} {values} {found:?}"
        );
        assert!(
            found.iter().all(|found| found.contains(reports)),
            "{found:?}"
        );
    }
}

#[test]
fn moves_with_faults_keep_what_comes_before() {
    for (blob, line, reports) in [
        ("0c0a", "e2e4 c7c5", ""),
        // The worked example.
        (
            "fd0500 5374617274 0c fc0200 2431 0c ff 0a fd0800 536963696c69616e 12 fe 1b 19 1e fd0400 4d617465",
            "{Start} e2e4 $1 e7e5 ( c7c5 {Sicilian} g1f3 ) d1h5 e8e7 h5e5 {Mate}",
            "",
        ),
        ("0c fb", "e2e4", "251"),
        ("0c ff fb 12 fe 0c", "e2e4 ( ) e7e5", "251"),
        ("0c fd", "e2e4", "a comment or NAG"),
        ("0c fd05", "e2e4", "a comment or NAG"),
        ("0c fd0500 41", "e2e4", "a comment or NAG"),
        ("0c fe 0c", "e2e4 e7e5", "never opened"),
        ("0c ff 0b", "e2e4 ( d2d4 )", "ends inside a variation"),
        ("ff 0b fe 0c", "( d2d4 ) e2e4", ""),
        ("0c fc0200 2431 fc0300 243134", "e2e4 $1 $14", ""),
        ("0c fc0200 213f", "e2e4 $5", ""),
        ("0c fc0300 616263", "e2e4", "a NAG such as $1"),
        ("0c fc0200 247a", "e2e4", "a NAG such as $1"),
        ("0c fd0000", "e2e4 {}", ""),
    ] {
        let blob = blob.replace(' ', "");
        let sql = format!("{TABLES} INSERT INTO Games (Moves) VALUES (x'{blob}')");
        let (game, found) = read_made(&sql);
        assert_eq!(identity::line(&game), line, "{blob}");
        assert_eq!(
            found.len(),
            usize::from(!reports.is_empty()),
            "{blob} {found:?}"
        );
        assert!(
            found.iter().all(|found| found.contains(reports)),
            "{blob} {found:?}"
        );
    }
}

#[test]
fn old_versions_are_read() {
    // 0.1: moves of two bytes, and an empty name for an absent tag.
    let word = |from: u16, to: u16, promotion: u16| {
        let word = from | to << 6 | promotion << 12;
        let [low, high] = word.to_le_bytes();
        format!("{low:02x}{high:02x}")
    };
    let moves = [(12, 28, 0), (52, 36, 0), (6, 21, 0)];
    let blob = moves
        .map(|(from, to, promotion)| word(from, to, promotion))
        .concat();
    let old = TABLES
        .replace("Moves BLOB", "Moves2 BLOB")
        .replace("FEN TEXT, ", "")
        .replace("(0, 'Unknown'), ", "")
        .replace("(0, 'Unknown', NULL), ", "")
        .replace("INSERT INTO Sites VALUES (0, 'Unknown');", "");
    let sql =
        format!("{old} INSERT INTO Games (EventID, WhiteID, Moves2) VALUES (1, 1, x'{blob}')");
    assert_eq!(
        (EN_CROISSANT.probe)(&made(&sql)),
        chessdb_core::format::Score::Certain
    );
    let (game, found) = read_made(&sql);
    assert_eq!(found, [""; 0]);
    assert_eq!((game.tag("Event"), &*game.white()), (None, "A"));
    assert_eq!(identity::line(&game), "e2e4 e7e5 g1f3");
}

#[test]
fn move_codes_follow_the_order_of_the_program() {
    for (fen, san, code) in [
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "a3",
            0,
        ),
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "e4",
            12,
        ),
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "Nf3",
            18,
        ),
        (
            "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
            "exf6",
            0,
        ),
        ("8/P7/8/8/8/8/8/k1K5 w - - 0 1", "a8=Q+", 0),
        ("8/P7/8/8/8/8/8/k1K5 w - - 0 1", "a8=N", 3),
        ("8/P7/8/8/8/8/8/k1K5 w - - 0 1", "Kd2", 6),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "Rb1", 0),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "Kf2", 23),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "O-O", 24),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "O-O-O", 25),
        ("4k3/8/8/8/4r3/8/3P1P2/R2BK2R w KQ - 0 1", "Kf1", 0),
        ("4k3/8/8/8/4r3/8/3P1P2/R2BK2R w KQ - 0 1", "Be2", 1),
    ] {
        let game = Game::builder().fen(fen).unwrap().san(san).unwrap().build();
        let mv = game.mainline().next().unwrap();
        let mut out = Vec::new();
        EnCroissantNumbering
            .encode(&(), &game.start_board(), mv, &mut out)
            .unwrap();
        assert_eq!(out, [code], "{fen} {san}");
    }
}

proptest! {
    #[test]
    fn every_legal_move_has_its_own_code(game in games(GameOptions { setups: true, ..GameOptions::plain() })) {
        for board in game.positions() {
            let mut legal = Vec::new();
            legal_moves(&board, &mut legal);
            let mut codes = Vec::new();
            for mv in &legal {
                let at = codes.len();
                EnCroissantNumbering.encode(&(), &board, *mv, &mut codes).unwrap();
                let back = EnCroissantNumbering.decode(&(), &board, &codes[at..]).unwrap();
                prop_assert_eq!(back, (*mv, 1));
            }
            codes.sort_unstable();
            prop_assert!(codes.iter().copied().eq(0..legal.len() as u8));
            // The order is that of the library that the program uses.
            if let Ok(position) = Position::from_board(&board) {
                let ordered = position.legal_moves().into_iter();
                for (n, mv) in ordered.enumerate() {
                    let (found, _) = EnCroissantNumbering.decode(&(), &board, &[n as u8]).unwrap();
                    prop_assert_eq!(found, mv);
                }
            }
        }
    }

    #[test]
    fn any_bytes_as_moves_end(blob in prop::collection::vec(prop_oneof![0_u8..40, 0xfb_u8.., any::<u8>()], 0..200)) {
        let blob: String = blob.iter().map(|byte| format!("{byte:02x}")).collect();
        let files = made(&format!("{TABLES} INSERT INTO Games (Moves) VALUES (x'{blob}')"));
        for options in [ReadOptions::default(), ReadOptions::default().with_mode(Mode::Strict)] {
            let store = Store::open(&files, options).unwrap();
            let (mut game, mut scratch) = (Game::new(), Scratch::new());
            let read = store.game_into(0, &mut game, &mut scratch);
            for found in &scratch.diagnostics {
                prop_assert!(found.at.ply.is_some(), "{}", found);
            }
            if let Err(error) = read {
                prop_assert!(error.location().ply.is_some(), "{}", error);
            }
        }
    }
}
