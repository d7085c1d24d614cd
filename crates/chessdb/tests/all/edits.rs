//! Tests of changes to the moves of a game.
#![cfg(feature = "all-formats")]

use chessdb::core::commands::{ClockKind, Eval, EvalValue, Shape, ShapeColor};
use chessdb::core::model::Place;
use chessdb::core::tree::MovesEdit;
use chessdb::core::{Game, Square, Start};

/// A change in a table: what it is, and the move it plays.
#[derive(Clone, Copy)]
enum Change {
    Play(&'static str),
    Edit(MovesEdit<'static>),
}

fn applied(before: &str, at: u32, change: Change) -> Result<(String, u32), String> {
    let mut game = chessdb::Game::from_movetext(before, &Start::Standard).unwrap();
    let edit = match change {
        Change::Edit(edit) => edit,
        Change::Play(san) => {
            let board = game.position_after(at).ok_or("no such move")?;
            let mv = chessdb::core::rules::read_san(&board, san.as_bytes());
            MovesEdit::Play(mv.map_err(|fault| fault.to_string())?)
        }
    };
    let done = game.edit_moves(at, edit).map_err(|error| error.to_string());
    let text = game.movetext();
    match done {
        Ok(at) => Ok((text, at)),
        Err(error) => {
            assert_eq!(
                text,
                chessdb::Game::from_movetext(before, &Start::Standard)
                    .unwrap()
                    .movetext()
            );
            Err(error)
        }
    }
}

#[test]
fn changes_to_the_moves() {
    use Change::{Edit, Play};
    use MovesEdit::{
        Comment, DeleteFrom, DeleteVariation, MakeMainline, Nags, PromoteVariation, Shapes, Time,
        Variations,
    };
    const SPENT: ClockKind = ClockKind::Elapsed;
    const HALF_A_PAWN: MovesEdit<'_> = MovesEdit::Eval(Some(Eval {
        value: EvalValue::Centipawns(50),
        depth: Some(12),
    }));
    const E4: Shape = Shape {
        color: ShapeColor::GREEN,
        from: Square::new_masked(35),
        to: None,
    };
    let nested = "1. e4 (1. d4 d5 (1... Nf6 2. c4) 2. c4) (1. c4) 1... e5 2. Nf3 *";
    let cases: &[(&str, u32, Change, &str, u32)] = &[
        ("*", 0, Play("e4"), "1. e4 *", 1),
        ("1. e4 e5 *", 0, Play("e4"), "1. e4 e5 *", 1),
        ("1. e4 e5 *", 2, Play("Nf3"), "1. e4 e5 2. Nf3 *", 3),
        ("1. e4 e5 *", 2, Play("--"), "1. e4 e5 2. -- *", 3),
        ("1. e4 e5 *", 1, Play("c5"), "1. e4 e5 (1... c5) *", 3),
        (
            "1. e4 e5 {x} 2. Nf3 *",
            1,
            Play("c5"),
            "1. e4 e5 {x} (1... c5) 2. Nf3 *",
            3,
        ),
        (
            "1. e4 e5 (1... c5) *",
            1,
            Play("c5"),
            "1. e4 e5 (1... c5) *",
            3,
        ),
        (nested, 2, Play("Nf6"), nested, 4),
        (nested, 0, Play("c4"), nested, 7),
        (
            nested,
            8,
            Play("Nc3"),
            "1. e4 (1. d4 d5 (1... Nf6 2. c4) 2. c4) (1. c4) 1... e5 2. Nf3 (2. Nc3) *",
            10,
        ),
        // The alternatives of a deleted move remain.
        (
            nested,
            1,
            Edit(DeleteFrom),
            "1. d4 (1. c4) 1... d5 (1... Nf6 2. c4) 2. c4 *",
            0,
        ),
        (
            nested,
            3,
            Edit(DeleteFrom),
            "1. e4 (1. d4 Nf6 2. c4) (1. c4) 1... e5 2. Nf3 *",
            2,
        ),
        (
            nested,
            2,
            Edit(DeleteFrom),
            "1. e4 (1. c4) 1... e5 2. Nf3 *",
            0,
        ),
        (
            nested,
            6,
            Edit(DeleteFrom),
            "1. e4 (1. d4 d5 (1... Nf6 2. c4)) (1. c4) 1... e5 2. Nf3 *",
            3,
        ),
        (
            nested,
            9,
            Edit(DeleteFrom),
            "1. e4 (1. d4 d5 (1... Nf6 2. c4) 2. c4) (1. c4) 1... e5 *",
            8,
        ),
        (
            nested,
            4,
            Edit(DeleteVariation),
            "1. e4 (1. d4 d5 2. c4) (1. c4) 1... e5 2. Nf3 *",
            2,
        ),
        (
            nested,
            6,
            Edit(DeleteVariation),
            "1. e4 (1. c4) 1... e5 2. Nf3 *",
            0,
        ),
        (
            nested,
            7,
            Edit(PromoteVariation),
            "1. c4 (1. e4 e5 2. Nf3) (1. d4 d5 (1... Nf6 2. c4) 2. c4) *",
            1,
        ),
        (
            nested,
            5,
            Edit(PromoteVariation),
            "1. e4 (1. d4 Nf6 (1... d5 2. c4) 2. c4) (1. c4) 1... e5 2. Nf3 *",
            6,
        ),
        (
            nested,
            5,
            Edit(MakeMainline),
            "1. d4 (1. e4 e5 2. Nf3) (1. c4) 1... Nf6 (1... d5 2. c4) 2. c4 *",
            9,
        ),
        (
            "1. e4 $1 {a} (1. d4 $2 {b}) *",
            2,
            Edit(PromoteVariation),
            "1. d4 $2 {b} (1. e4 $1 {a}) *",
            1,
        ),
        (
            "1. e4 *",
            1,
            Edit(Comment(Place::After, "best")),
            "1. e4 {best} *",
            1,
        ),
        (
            "1. e4 {[%clk 1:00:00] old} (1. d4) *",
            1,
            Edit(Comment(Place::After, "new")),
            "1. e4 {[%clk 1:00:00] new} (1. d4) *",
            1,
        ),
        (
            "1. e4 {[%clk 1:00:00]} (1. d4) *",
            1,
            Edit(Comment(Place::After, "new")),
            "1. e4 {[%clk 1:00:00] new} (1. d4) *",
            1,
        ),
        (
            "1. e4 {[%clk 1:00:00] old} *",
            1,
            Edit(Comment(Place::After, "")),
            "1. e4 {[%clk 1:00:00]} *",
            1,
        ),
        (
            "1. e4 {a} (1. d4) {b} *",
            1,
            Edit(Comment(Place::After, "a b")),
            "1. e4 {a b} (1. d4) *",
            1,
        ),
        (
            "1. e4 $1 (1. d4) *",
            1,
            Edit(Comment(Place::After, "x")),
            "1. e4 $1 {x} (1. d4) *",
            1,
        ),
        (
            "{start} 1. e4 *",
            0,
            Edit(Comment(Place::After, "begin")),
            "{begin} 1. e4 *",
            0,
        ),
        (
            "{start} *",
            0,
            Edit(Comment(Place::After, "begin")),
            "{begin} *",
            0,
        ),
        (
            "1. e4 (1. d4) *",
            2,
            Edit(Comment(Place::Before, "or")),
            "1. e4 ({or} 1. d4) *",
            2,
        ),
        ("1. e4 $1 $16 *", 1, Edit(Nags(&[3])), "1. e4 $3 *", 1),
        ("1. e4 {x} *", 1, Edit(Nags(&[1])), "1. e4 $1 {x} *", 1),
        (
            "1. e4 {x} *",
            1,
            Edit(Shapes(&[E4])),
            "1. e4 {[%csl Ge4] x} *",
            1,
        ),
        (
            "1. e4 {[%clk 1:00:00]} *",
            1,
            Edit(Shapes(&[E4])),
            "1. e4 {[%clk 1:00:00] [%csl Ge4]} *",
            1,
        ),
        ("1. e4 {[%csl Rd4]} *", 1, Edit(Shapes(&[])), "1. e4 *", 1),
        (
            "1. e4 {[%csl Rd4] x} *",
            1,
            Edit(Shapes(&[E4])),
            "1. e4 {[%csl Ge4] x} *",
            1,
        ),
        ("1. e4 *", 0, Edit(Shapes(&[E4])), "{[%csl Ge4]} 1. e4 *", 0),
        // Values in the text of a comment are replaced, too.
        (
            "1. e4 {see [%csl Rd4]} *",
            1,
            Edit(Shapes(&[])),
            "1. e4 {see} *",
            1,
        ),
        (
            "1. e4 {a} (1. d4) {[%csl Rd4]} *",
            1,
            Edit(Shapes(&[E4])),
            "1. e4 {[%csl Ge4] a} (1. d4) *",
            1,
        ),
        (
            "1. e4 {x [%emt 5]} (1. d4 {[%emt 6]}) *",
            1,
            Edit(Time(SPENT, Some(2_500))),
            "1. e4 {[%emt 0:00:02.5] x} (1. d4 {[%emt 6]}) *",
            1,
        ),
        (
            "1. e4 {[%clk 1:00:00] [%emt 0:00:05]} *",
            1,
            Edit(Time(SPENT, None)),
            "1. e4 {[%clk 1:00:00]} *",
            1,
        ),
        (
            "1. e4 e5 {+0.20/20 0.5s, so} *",
            2,
            Edit(Time(SPENT, None)),
            "1. e4 e5 {[%eval -0.20,20] so} *",
            2,
        ),
        (
            "1. e4 e5 {+0.20/20 0.5s} *",
            2,
            Edit(MovesEdit::Eval(None)),
            "1. e4 e5 {[%emt 0:00:00.5]} *",
            2,
        ),
        (
            "1. e4 {[%clk 00:03:00] [%eval x] good} *",
            1,
            Edit(HALF_A_PAWN),
            "1. e4 {[%eval 0.50,12] [%clk 00:03:00] good} *",
            1,
        ),
        (
            "1. e4 (1. d4) 1... e5 (1... c5) *",
            2,
            Edit(HALF_A_PAWN),
            "1. e4 (1. d4 {[%eval 0.50,12]}) 1... e5 (1... c5) *",
            2,
        ),
        (
            "{[%eval 0.1]} 1. e4 *",
            0,
            Edit(HALF_A_PAWN),
            "{[%eval 0.50,12]} 1. e4 *",
            0,
        ),
        (
            nested,
            0,
            Edit(Variations(&[7, 1, 2])),
            "1. c4 (1. e4 e5 2. Nf3) (1. d4 d5 (1... Nf6 2. c4) 2. c4) *",
            0,
        ),
        (
            nested,
            2,
            Edit(Variations(&[4, 3])),
            "1. e4 (1. d4 Nf6 (1... d5 2. c4) 2. c4) (1. c4) 1... e5 2. Nf3 *",
            2,
        ),
        (nested, 0, Edit(Variations(&[])), "*", 0),
        (
            "1. e4 (1. d4 (1. c4 $1 (1. b3))) *",
            0,
            Edit(Variations(&[4, 1, 3])),
            "1. b3 (1. e4) (1. c4 $1) *",
            0,
        ),
        (
            "{start} 1. e4 {a} (1. d4) {b} ({or} 1. c4) *",
            0,
            Edit(Variations(&[1, 3])),
            "{start} 1. e4 {a} {b} ({or} 1. c4) *",
            0,
        ),
    ];
    for &(before, at, change, after, current) in cases {
        let found = applied(before, at, change);
        assert_eq!(found, Ok((after.to_owned(), current)), "{before} at {at}");
    }
    for (before, at, change) in [
        ("1. e4 *", 2, Edit(DeleteFrom)),
        ("1. e4 *", 0, Edit(DeleteFrom)),
        ("1. e4 *", 1, Edit(DeleteVariation)),
        ("1. e4 *", 1, Edit(PromoteVariation)),
        ("1. e4 *", 1, Edit(MakeMainline)),
        ("1. e4 *", 0, Edit(MakeMainline)),
        ("1. e4 *", 9, Edit(Nags(&[1]))),
        ("1. e4 *", 2, Edit(HALF_A_PAWN)),
        ("1. e4 e5 *", 0, Edit(Variations(&[2]))),
        ("1. e4 e5 *", 0, Edit(Variations(&[1, 1]))),
        ("1. e4 e5 *", 0, Edit(Variations(&[0]))),
        ("1. e4 *", 1, Play("Ke7")),
    ] {
        assert!(applied(before, at, change).is_err(), "{before} at {at}");
    }
}

pub(crate) fn pgn(game: &Game) -> String {
    let mut text = Vec::new();
    chessdb::pgn::write_game(game, &chessdb::pgn::Layout::default(), &mut text);
    String::from_utf8(text).unwrap()
}
