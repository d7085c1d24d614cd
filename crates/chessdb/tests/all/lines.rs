//! Losses in lines are counted in the same way in every format.

use chessdb::core::{Game, MemorySet, WriteOptions};
use chessdb::{Allow, FORMATS, Format, LossKind, Losses};
use chessdb_core::limits::Limits;
use chessdb_core::model::Place;
use chessdb_core::text::TextId;
use chessdb_core::{Charset, Outcome, PackedMove, Square, annotation};
use chessdb_testkit::identity::{open_all, write_all};

/// Builds a game from moves in coordinates, `(`, `)`, `$` and a number, `{` and a comment without
/// blanks, `-` for an absent comment, and `0` for a null move.
fn game(moves: &str) -> Game {
    let mut game = Game::new();
    let Game {
        moves: tape, texts, ..
    } = &mut game;
    let mut tape = tape.builder(&Limits::default());
    for word in moves.split_whitespace() {
        match word.split_at(1) {
            ("(", _) => tape.open().unwrap(),
            (")", _) => assert!(tape.close()),
            ("$", nag) => tape.nag(nag.parse().unwrap()).unwrap(),
            ("=", _) => tape.outcome(Outcome::Draw).unwrap(),
            ("0", _) => tape.mv(PackedMove::NULL).unwrap(),
            ("-", _) => tape.comment(Place::After, TextId::NONE).unwrap(),
            ("{", text) => {
                let text = text.replace('_', " ");
                let (charset, place) = (Charset::UTF_8, Place::After);
                annotation::read_comment(text.as_bytes(), charset, place, texts, &mut tape)
                    .unwrap();
            }
            _ => {
                let square = |at: &[u8]| Square::from_ascii(at).unwrap();
                let (from, to) = word.as_bytes().split_at(2);
                tape.mv(PackedMove::normal(square(from), square(to)))
                    .unwrap();
            }
        }
    }
    tape.finish();
    game
}

fn written(format: &Format, moves: &str) -> (MemorySet, Losses) {
    let mut options = WriteOptions::default();
    options.allow = Allow::Everything;
    write_all(format, [&game(moves)], options).unwrap()
}

fn writable() -> impl Iterator<Item = &'static &'static Format> {
    FORMATS.iter().filter(|format| format.create.is_some())
}

/// Everything that depends on an illegal move is left out and counted.
#[test]
fn what_is_left_out_counts_whole() {
    let rest = "{b $5 {[%clk_0:01:00]_c = ( g8f6 {d ( d7d5 ) )";
    for format in writable() {
        let (_, losses) = written(format, &format!("e2e4 e7e5 ( a7a4 {rest} a6a5 ) g1f3"));
        for (kind, count) in [
            (LossKind::IllegalMove, 1),
            (LossKind::VariationMoves, 3),
            (LossKind::MovesCut, 0),
            (LossKind::Variation, 2),
            (LossKind::Comment, 3),
            (LossKind::Nag, 1),
            (LossKind::Clock, 1),
            (LossKind::MoveResult, 1),
        ] {
            let mut expected = count;
            if ["fbk", "cbh"].contains(&format.id) && kind == LossKind::Variation {
                expected += 1; // The one that begins with the illegal move is empty.
            }
            assert_eq!(losses.count(kind), expected, "{}: {kind}", format.id);
        }
    }
}

/// The same holds for a variation that must be left out. PGN, tables and SQLite files can store it.
#[test]
fn a_variation_that_is_left_out_counts_whole() {
    let can_store = ["encroissant", "lucaschess", "ocgdb", "parquet", "pgn"];
    for format in writable().filter(|format| !can_store.contains(&format.id)) {
        let (_, losses) = written(format, "e2e4 ( ( d2d4 $5 {a ) c2c4 ) e7e5");
        for kind in [LossKind::VariationMoves, LossKind::Nag, LossKind::Comment] {
            assert_eq!(losses.count(kind), 1, "{}: {kind}", format.id);
        }
        assert_eq!(
            losses.count(LossKind::VariationBeforeMove),
            1,
            "{}",
            format.id
        );
    }
}

/// A game is cut if and only if its mainline has fewer moves, whatever the first lost move is, and
/// whatever variations lose.
#[test]
fn a_game_that_loses_its_last_moves_is_cut() {
    for format in writable() {
        for moves in [
            "e2e4 e7e5 a7a4",
            "e2e4 e7e5 a7a4 g1f3",
            "e2e4 e7e5 0",
            "e2e4 0 d2d4",
            "e2e4 0 d2d4 a7a4 d7d5",
            "e2e4 e7e5 ( a7a4 a6a5 ) g1f3",
            "e2e4 e7e5 ( c7c5 0 ) ( c7c6 a2a5 ) g1f3",
            "e2e4 ( ( d2d4 ) c2c4 ) e7e5",
        ] {
            let (set, losses) = written(format, moves);
            let Some(back) = open_all(format, &set).into_iter().next() else {
                assert!(losses.count(LossKind::Game) > 0, "{}: {moves}", format.id);
                continue;
            };
            let is_shorter = back.plies() < game(moves).plies();
            assert_eq!(losses.is_cut(), is_shorter, "{}: {moves}", format.id);
            if !moves.contains('(') {
                let kinds = [
                    LossKind::IllegalMove,
                    LossKind::NullMove,
                    LossKind::MovesCut,
                ];
                let lost: u32 = kinds.iter().map(|&kind| losses.count(kind)).sum();
                let missing = game(moves).plies() - back.plies();
                assert_eq!(lost, missing, "{}: {moves}", format.id);
            }
        }
    }
}

/// An absent comment is ignored, unless it ends commands.
#[test]
fn absent_comments_are_nothing() {
    for format in writable() {
        let (with, lost) = written(format, "e2e4 - $1 - e7e5 ( - c7c5 - ) - g1f3 -");
        let (without, expected) = written(format, "e2e4 $1 e7e5 ( c7c5 ) g1f3");
        assert!(with == without, "{}", format.id);
        assert_eq!(lost, expected, "{}", format.id);
    }
}
