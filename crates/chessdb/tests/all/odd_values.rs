//! Values that a file can hold but that its program may not accept: what each format does with each
//! of them. The tables in the pages of the formats are generated here.
#![cfg(all(feature = "all-formats", feature = "parquet", feature = "sqlite-write"))]

use std::fs;

use chessdb::FORMATS;
use chessdb::core::limits::Limits;
use chessdb::core::model::{Builder, Place};
use chessdb::core::options::Allow;
use chessdb::core::{
    Format, Game, LossKind, MemorySet, PackedMove, ReadOptions, Setup, Square, Start, WriteOptions,
    compare,
};
use chessdb_testkit::judge::{Excused, judge};
use chessdb_testkit::{golden, identity};

/// The pages, each with its formats.
const PAGES: [(&str, &[&str]); 11] = [
    ("bytecode", &["jose", "jose-sql"]),
    ("cbf", &["cbf", "fbk"]),
    ("cbh", &["cbh"]),
    ("chess-assistant", &["ca"]),
    ("dcx", &["dcx"]),
    ("encroissant", &["encroissant"]),
    ("lucaschess", &["lucaschess"]),
    ("ocgdb", &["ocgdb"]),
    ("pgn", &["pgn"]),
    ("scid", &["si3", "si4", "si5"]),
    ("scidb", &["scidb"]),
];

/// The beginning of a table.
const HEAD: &str = "| odd value | ";

fn named() -> chessdb::core::model::GameBuilder {
    Game::builder().white("Doe, John").black("Roe, Jane")
}

fn from_fen(fen: &str, moves: &[&str]) -> Game {
    named().fen(fen).unwrap().sans(moves).unwrap().build()
}

fn with_moves(fill: impl FnOnce(&mut Builder<'_>)) -> Game {
    let mut game = named().build();
    let mut tape = game.moves.builder(&Limits::default());
    fill(&mut tape);
    tape.finish();
    game
}

fn mv(squares: &str) -> PackedMove {
    let square = |name: &str| Square::from_ascii(name.as_bytes()).unwrap();
    PackedMove::normal(square(&squares[..2]), square(&squares[2..]))
}

fn play(tape: &mut Builder<'_>, moves: impl IntoIterator<Item = PackedMove>) {
    moves.into_iter().for_each(|mv| tape.mv(mv).unwrap());
}

/// Returns a game in which two knights go out and home.
fn knight_moves(count: usize) -> Game {
    let moves = ["g1f3", "g8f6", "f3g1", "f6g8"].map(mv).into_iter().cycle();
    with_moves(|tape| play(tape, moves.take(count)))
}

fn values() -> Vec<(&'static str, Game)> {
    let e4 = || named().sans(["e4"]).unwrap();
    let long = |letter: &str| letter.repeat(300);
    let mut standard960 = named().sans(["e4", "e5"]).unwrap().build();
    let setup = Setup {
        chess960: true,
        ..Setup::standard()
    };
    standard960.header.start = Start::Setup(Box::new(setup));
    let names = Game::builder().white(&long("w")).black(&long("b"));
    let names = names.event(&long("e")).site(&long("s"));
    let castling = "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w KQkq - 0 1";
    vec![
        (
            "start where White can take the king",
            from_fen("4k3/8/8/8/8/8/8/4R1K1 w - - 0 1", &[]),
        ),
        (
            "start without kings",
            from_fen("8/pppp4/8/8/8/8/PPPP4/8 w - - 0 1", &[]),
        ),
        (
            "start with a pawn on the last rank",
            from_fen("P3k3/8/8/8/8/8/8/4K3 w - - 0 1", &[]),
        ),
        (
            "Chess960 with castling",
            from_fen(castling, &["O-O-O", "Ke7"]),
        ),
        ("Chess960 from the standard start", standard960),
        (
            "null move",
            with_moves(|tape| {
                play(tape, [mv("e2e4"), PackedMove::NULL, mv("d2d4")]);
            }),
        ),
        (
            "null move in a variation",
            with_moves(|tape| {
                tape.mv(mv("e2e4")).unwrap();
                tape.open().unwrap();
                tape.mv(PackedMove::NULL).unwrap();
                tape.close();
            }),
        ),
        (
            "illegal move",
            with_moves(|tape| {
                play(tape, [mv("e2e4"), mv("a8a5"), mv("d2d4")]);
            }),
        ),
        ("no move", named().build()),
        ("empty game", Game::new()),
        ("names of 300 letters", names.sans(["e4"]).unwrap().build()),
        (
            "own tag of 300 letters",
            e4().tag("Own", &long("t")).build(),
        ),
        ("date 2999.12.31", e4().date("2999.12.31").build()),
        ("Elo 5000", e4().tag("WhiteElo", "5000").build()),
        ("1,000 half-moves", knight_moves(1000)),
        ("5,000 half-moves", knight_moves(5000)),
        (
            "variations 100 deep",
            with_moves(|tape| {
                tape.mv(mv("e2e4")).unwrap();
                for name in ["d2d4", "e2e4"].into_iter().cycle().take(100) {
                    tape.open().unwrap();
                    tape.mv(mv(name)).unwrap();
                }
                for _ in 0..100 {
                    tape.close();
                }
            }),
        ),
        (
            "ten NAGs of a move",
            with_moves(|tape| {
                tape.mv(mv("e2e4")).unwrap();
                for nag in [1, 10, 13, 14, 16, 22, 32, 36, 40, 132] {
                    tape.nag(nag).unwrap();
                }
            }),
        ),
        ("comment of ten megabytes", {
            let mut game = named().build();
            let text = game.add_text(&"word ".repeat(2_000_000));
            let mut tape = game.moves.builder(&Limits::default());
            tape.mv(mv("e2e4")).unwrap();
            tape.comment(Place::After, text).unwrap();
            tape.finish();
            game
        }),
    ]
}

/// Returns what a format does with a game. Adds wrong announcements to `problems`.
fn outcome(format: &Format, game: &Game, problems: &mut Vec<String>) -> String {
    let mut files = MemorySet::new();
    let options = WriteOptions::default().with_allowed(Allow::Everything);
    let mut writer = format.create.unwrap()(&mut files, options).unwrap();
    let losses = match writer.write(game) {
        Ok(losses) => losses,
        Err(error) => return format!("refused: {error}"),
    };
    let mut limits: Vec<_> = writer.exceeded().iter().map(|it| it.limit.of).collect();
    limits.dedup();
    writer.finish().unwrap();
    let limits_of_reading = Limits::default()
        .with_text_bytes(1 << 30)
        .with_game_bytes(1 << 30);
    let options = ReadOptions::default().with_limits(limits_of_reading);
    let stored = identity::read_all(&*(format.open)(&files, options).unwrap());
    let is_stored = losses.count(LossKind::Game) == 0;
    assert_eq!(stored.len(), usize::from(is_stored), "{}", format.id);
    for stored in &stored {
        let wrong = judge(&compare::games(game, stored), &losses, &mut Excused::new());
        problems.extend(
            wrong
                .iter()
                .map(|it| format!("{}: {it}, {losses:?}", format.id)),
        );
    }
    let kinds = losses.iter().map(|loss| loss.kind);
    let lost: Vec<_> = kinds.map(|kind| format!("`{}`", kind.code())).collect();
    let mut text = if lost.is_empty() {
        "stored".to_owned()
    } else {
        format!("lost: {}", lost.join(", "))
    };
    for limit in limits {
        text += &format!("; limit of {limit}");
    }
    text
}

fn table(formats: &[&str], values: &[(&str, Game)], problems: &mut Vec<String>) -> String {
    let by_id = |id: &&str| *FORMATS.iter().find(|format| format.id == *id).unwrap();
    let formats: Vec<&Format> = formats.iter().map(by_id).collect();
    let ids: Vec<_> = formats
        .iter()
        .map(|format| format!("`{}`", format.id))
        .collect();
    let mut text = format!(
        "{HEAD}{} |\n|{}\n",
        ids.join(" | "),
        "---|".repeat(ids.len() + 1)
    );
    for (value, game) in values {
        let cells: Vec<_> = formats
            .iter()
            .map(|format| outcome(format, game, problems))
            .collect();
        text += &format!("| {value} | {} |\n", cells.join(" | "));
    }
    text
}

#[test]
fn pages_have_the_tables_of_odd_values() {
    let (values, mut problems) = (values(), Vec::new());
    for (page, formats) in PAGES {
        let path = format!(
            "{}/../../docs/formats/{page}.md",
            env!("CARGO_MANIFEST_DIR")
        );
        let text = fs::read_to_string(&path).unwrap();
        let start = text
            .find(HEAD)
            .unwrap_or_else(|| panic!("{page}: no table"));
        let rows = text[start..]
            .split_inclusive('\n')
            .take_while(|row| row.starts_with('|'));
        let end = start + rows.map(str::len).sum::<usize>();
        let table = table(formats, &values, &mut problems);
        golden::check(&path, &[&text[..start], &table, &text[end..]].concat());
    }
    assert!(problems.is_empty(), "{problems:#?}");
}

/// Tables of games have the values of PGN.
#[test]
fn every_format_that_is_written_has_a_table() {
    for format in FORMATS.iter().filter(|format| format.create.is_some()) {
        let mut ids = PAGES.iter().flat_map(|(_, formats)| *formats);
        let has_table = ids.any(|id| *id == format.id);
        assert!(has_table || format.id == "parquet", "{}", format.id);
    }
}
