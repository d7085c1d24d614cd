//! Tests of the tape: well-formed for all calls, bounded, skippable.

use chessdb_core::limits::Limits;
use chessdb_core::line::Walk;
use chessdb_core::model::{Branch, Movetext, Place, Token};
use chessdb_core::{Event, Game, PackedMove, Square};
use proptest::prelude::*;

fn mv(from: &str, to: &str) -> PackedMove {
    let square = |name: &str| Square::from_ascii(name.as_bytes()).unwrap();
    PackedMove::normal(square(from), square(to))
}

#[test]
fn a_variation_replaces_the_last_move_and_can_be_skipped() {
    let mut game = Game::new();
    let text = game.add_text("why not");
    let mut tape = game.moves.builder(&Limits::default());
    tape.mv(mv("e2", "e4")).unwrap();
    tape.open().unwrap();
    assert!(tape.at_line_start());
    tape.comment(Place::Before, text).unwrap();
    tape.mv(mv("d2", "d4")).unwrap();
    tape.open().unwrap();
    tape.mv(mv("c2", "c4")).unwrap();
    assert!(tape.close());
    tape.mv(mv("d7", "d5")).unwrap();
    assert!(tape.close());
    assert!(!tape.close());
    tape.mv(mv("e7", "e5")).unwrap();
    assert_eq!(tape.finish(), 0);

    assert_eq!(game.moves.plies(), 5);
    assert!(game.moves.has_variations());
    assert!(!Game::new().moves.has_variations());
    let mainline: Vec<_> = game.moves.mainline().collect();
    assert_eq!(mainline, [mv("e2", "e4"), mv("e7", "e5")]);

    let mut walk = Walk::plain(&game).unwrap();
    let mut seen = Vec::new();
    while let Some(event) = walk.step() {
        if let Event::Move(mv) = event {
            let turn = walk.lines().board().turn();
            seen.push(format!("{:?} {} {mv}", turn, walk.lines().ply()));
        }
    }
    assert_eq!(
        seen,
        [
            "White 0 e2e4",
            "White 0 d2d4",
            "White 0 c2c4",
            "Black 1 d7d5",
            "Black 1 e7e5"
        ]
    );
}

#[test]
fn limits_hold_and_open_variations_are_closed() {
    let mut tape = Movetext::default();
    let mut limits = Limits::default();
    limits.plies = 3;
    limits.depth = 2;
    let mut builder = tape.builder(&limits);
    builder.mv(PackedMove::NULL).unwrap();
    builder.open().unwrap();
    builder.mv(PackedMove::NULL).unwrap();
    builder.open().unwrap();
    assert!(builder.open().is_err());
    builder.mv(PackedMove::NULL).unwrap();
    assert!(builder.mv(PackedMove::NULL).is_err());
    for nag in 0..100 {
        let _ = builder.nag(nag);
    }
    assert_eq!(builder.finish(), 2);
    assert!(tape.len() < 40);
    assert_eq!(
        tape.tokens()
            .filter(|token| matches!(token, Token::Close))
            .count(),
        2
    );
}

proptest! {
    /// Any sequence of calls gives a balanced tape with branches that point after their ends.
    #[test]
    fn any_pushes_give_a_balanced_tape(steps in prop::collection::vec(0u8..6, 0..200)) {
        let mut tape = Movetext::default();
        let mut builder = tape.builder(&Limits::small());
        for step in steps {
            match step {
                0 | 1 => drop(builder.mv(PackedMove::NULL)),
                2 => drop(builder.open()),
                3 => drop(builder.close()),
                4 => drop(builder.nag(1)),
                _ => drop(builder.comment(Place::After, chessdb_core::text::TextId::NONE)),
            }
        }
        builder.finish();
        let tokens: Vec<_> = tape.tokens().collect();
        prop_assert_eq!(tokens.len(), tape.len());
        let mut open = Vec::new();
        for (n, token) in tokens.iter().enumerate() {
            match token {
                Token::Open(Branch { end }) => open.push(*end as usize),
                Token::Close => prop_assert_eq!(open.pop(), Some(n + 1)),
                _ => {}
            }
        }
        prop_assert!(open.is_empty());
    }
}
