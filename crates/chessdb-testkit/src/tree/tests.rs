use chessdb_core::board::MoveKind;
use chessdb_core::commands::{Clock, ClockKind};
use chessdb_core::limits::Limits;
use chessdb_core::model::{Place, Rating, RatingKind, Tag};
use chessdb_core::text::TextId;
use chessdb_core::{Date, Event, Outcome, PackedMove, Square};

use super::*;
use crate::expected::from_json;
use crate::strategy::{self, GameOptions};

fn mv(text: &str) -> PackedMove {
    let square = |start: usize| Square::from_ascii(&text.as_bytes()[start..start + 2]).unwrap();
    PackedMove::new(square(0), square(2), MoveKind::Normal)
}

/// Compares the comment before the first move, and the lines.
fn assert_moves(game: &Game, expected: &str) {
    let expected = from_json(&format!(r#"{{"tags":{{}},"pre":{expected}}}"#));
    let actual = Tree::from_game(game);
    assert_eq!((actual.pre, actual.lines), (expected.pre, expected.lines));
}

#[test]
fn tags_keep_order_and_spelling() {
    let mut game = Game::new();
    game.header.white.name = game.add_text("A").into();
    game.header.white.rating = Some(Rating {
        value: 1900,
        kind: RatingKind::Iccf,
    });
    game.header.outcome = Outcome::BlackWins;
    game.header.date = Date::new(1985, 11, 0);
    game.header.flags = GameFlags::DELETED | GameFlags::USER;
    let odd = game.add_text("1985/11");
    let (name, value) = (game.add_text("Mode"), game.add_text("OTB"));
    game.header.tags = vec![Tag::Other { name, value }, Tag::Verbatim(Field::Date, odd)];
    let tree = Tree::from_game(&game);
    let tags: Vec<_> = tree
        .tags
        .iter()
        .map(|(n, v)| (n.as_str(), v.as_str()))
        .collect();
    assert_eq!(
        tags,
        [
            ("Event", "?"),
            ("Site", "?"),
            ("Date", "1985/11"),
            ("Round", "?"),
            ("White", "A"),
            ("Black", "?"),
            ("Result", "0-1"),
            ("WhiteICCF", "1900"),
            ("ScidFlags", "U"),
            ("Mode", "OTB"),
        ]
    );
    assert!(tree.deleted);
}

/// `{a} 1. e4 $1 {[%clk 0:00:09] b} ({c} 1. d4 ({d}) ) {e} 1... e5`
#[test]
fn annotations_attach_to_their_moves() {
    let mut game = Game::new();
    let texts: Vec<TextId> = ["a", "b", "c", "d", "e"]
        .iter()
        .map(|t| game.add_text(t))
        .collect();
    let mut tape = game.moves.builder(&Limits::default());
    tape.comment(Place::Before, texts[0]).unwrap();
    tape.mv(mv("e2e4")).unwrap();
    tape.nag(1).unwrap();
    tape.clock(Clock {
        kind: ClockKind::Clock,
        milliseconds: 9000,
    })
    .unwrap();
    tape.comment(Place::After, texts[1]).unwrap();
    tape.open().unwrap();
    tape.comment(Place::Before, texts[2]).unwrap();
    tape.mv(mv("d2d4")).unwrap();
    tape.open().unwrap();
    tape.comment(Place::Before, texts[3]).unwrap();
    tape.close();
    tape.close();
    tape.comment(Place::After, texts[4]).unwrap();
    tape.mv(mv("e7e5")).unwrap();
    tape.finish();
    assert_moves(
        &game,
        r#""a","line":[["e2e4",[1],"[%clk 0:00:09] b e",
           [[["d2d4",[],"",[[["",[],"d",[]]]],"c"]]]],"e7e5"]"#,
    );
}

#[test]
fn annotations_before_the_first_move_are_retained() {
    let mut game = Game::new();
    let text = game.add_text("only");
    let mut tape = game.moves.builder(&Limits::default());
    tape.comment(Place::After, text).unwrap();
    tape.finish();
    assert_moves(&game, r#""only","line":[]"#);
    let mut tape = game.moves.builder(&Limits::default());
    tape.nag(5).unwrap();
    tape.comment(Place::Before, text).unwrap();
    tape.mv(mv("e2e4")).unwrap();
    tape.finish();
    assert_moves(&game, r#""only","line":[["",[5],"",[]],"e2e4"]"#);
}

#[test]
fn deep_nesting_does_not_recurse() {
    let mut game = Game::new();
    let mut limits = Limits::default();
    limits.depth = 50_000;
    let mut tape = game.moves.builder(&limits);
    for _ in 0..50_000 {
        tape.mv(mv("e2e4")).unwrap();
        tape.open().unwrap();
    }
    tape.finish();
    let tree = Tree::from_game(&game);
    assert_eq!(tree.lines.len(), 50_001);
}

/// Every annotation of random games is in the tree.
#[test]
fn random_trees_are_complete() {
    for seed in 0..300 {
        let game = strategy::game(seed, &GameOptions::all());
        let tree = Tree::from_game(&game);
        let plies = || tree.lines.iter().flatten();
        let count = |wanted: fn(&Event<'_>) -> bool| game.events().filter(wanted).count();
        let moves = plies().filter(|ply| !ply.uci.is_empty()).count();
        assert_eq!(moves, count(|event| matches!(event, Event::Move(_))));
        let nags: usize = plies().map(|ply| ply.nags.len()).sum();
        assert_eq!(nags, count(|event| matches!(event, Event::Nag(_))));
        assert_eq!(
            tree.lines.len() - 1,
            count(|event| matches!(event, Event::Open(_)))
        );
        let mut all = tree.pre.clone();
        plies().for_each(|ply| all.extend([ply.comment.as_str(), ply.before.as_str()]));
        for event in game.events() {
            if let Event::Comment(_, text) = event {
                assert!(all.contains(&*text.decode()), "{text:?} in game {seed}");
            }
        }
    }
}
