//! Opening books: every line of a game is in the book, and books are restored exactly.

use std::collections::BTreeSet;

use chessdb_cbf::{FBK, FBK_FILE};
use chessdb_core::board::MoveKind;
use chessdb_core::model::Token;
use chessdb_core::options::Allow;
use chessdb_core::{Event, FileSet, Game, LossKind, Losses, PieceType, WriteOptions};
use chessdb_testkit::identity::{self, write_all};
use chessdb_testkit::strategy::{self, GameOptions};

/// Returns the move sequences that lead to each position of a game. Weak moves are marked.
fn paths(game: &Game) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    let (mut path, mut before) = (String::new(), String::new());
    let mut open = Vec::new();
    let mut events = game.events().peekable();
    while let Some(event) = events.next() {
        match event {
            Event::Move(mv) => {
                before.clone_from(&path);
                path.push_str(&format!(" {mv}"));
                let weak = matches!(events.peek(), Some(Event::Nag(6)));
                all.insert(format!("{path}{}", if weak { "?!" } else { "" }));
            }
            Event::Open(_) => {
                open.push((path.clone(), before.clone()));
                path.clone_from(&before);
            }
            Event::Close => (path, before) = open.pop().unwrap(),
            _ => {}
        }
    }
    all
}

fn options() -> GameOptions {
    GameOptions {
        depth: 4,
        first_alternatives: true,
        ..GameOptions::plain()
    }
}

fn everything() -> WriteOptions {
    let mut options = WriteOptions::default();
    options.allow = Allow::Everything;
    options
}

/// Returns a game without names and result, so that only moves can be lost.
fn bare(seed: u64) -> Game {
    let mut game = strategy::game(seed, &options());
    game.header.clear();
    game
}

fn promotes_to_less(game: &Game) -> bool {
    game.moves.tokens().any(|token| match token {
        Token::Move(mv) => {
            matches!(mv.kind(), MoveKind::Promotion(kind) if kind != PieceType::Queen)
        }
        _ => false,
    })
}

/// Returns true if every line is preserved, even if not at its original place.
fn only_moves_lines(losses: &Losses) -> bool {
    losses
        .iter()
        .all(|loss| loss.kind == LossKind::VariationMoved)
}

#[test]
fn every_line_is_in_the_book() {
    let mut compared = 0;
    for seed in 0..600 {
        let mut game = bare(seed);
        // Every third game has a weak move.
        if seed % 3 == 0 {
            mark_last_as_weak(&mut game);
        }
        let (set, losses) = write_all(&FBK, [&game], everything()).unwrap();
        if only_moves_lines(&losses) && game.moves.plies() > 0 {
            let read = identity::open_all(&FBK, &set).remove(0);
            assert_eq!(paths(&game), paths(&read), "seed {seed}");
            compared += 1;
        } else {
            assert!(
                promotes_to_less(&game) || game.moves.plies() == 0,
                "{seed}: {losses:?}"
            );
        }
        let again = identity::rewrite(&FBK, &set, &Allow::Nothing).unwrap();
        assert_eq!(identity::first_difference(&set, &again.set), None);
        assert!(again.diagnostics.is_empty(), "{:?}", again.diagnostics);
    }
    assert!(compared > 300, "{compared}");
}

fn mark_last_as_weak(game: &mut Game) {
    let source = game.clone();
    let mut tape = game.moves.builder(&chessdb_core::limits::Limits::default());
    for token in source.moves.tokens() {
        match token {
            Token::Move(mv) => tape.mv(mv).unwrap(),
            Token::Open(_) => tape.open().unwrap(),
            Token::Close => assert!(tape.close()),
            other => panic!("{other:?}"),
        }
    }
    if source
        .moves
        .tokens()
        .last()
        .is_some_and(|token| matches!(token, Token::Move(_)))
    {
        tape.nag(6).unwrap();
    }
    tape.finish();
}

/// Several games become one tree without duplicate moves.
#[test]
fn games_are_joined() {
    let games: Vec<_> = (0..40)
        .map(bare)
        .filter(|game| !promotes_to_less(game) && game.moves.plies() > 0)
        .collect();
    let (set, losses) = write_all(&FBK, &games, everything()).unwrap();
    assert!(only_moves_lines(&losses), "{losses:?}");
    let read = identity::open_all(&FBK, &set);
    let expected: BTreeSet<_> = games.iter().flat_map(paths).collect();
    assert_eq!(paths(&read[0]), expected);
    assert_eq!(set.get(FBK_FILE).unwrap().len(), 2 * expected.len());
}

#[test]
fn what_a_book_cannot_hold_is_counted() {
    for seed in 0..300 {
        let game = strategy::game(seed, &GameOptions::all());
        let (set, losses) = write_all(&FBK, [&game], everything()).unwrap();
        let again = identity::rewrite(&FBK, &set, &Allow::Nothing).unwrap();
        assert_eq!(
            identity::first_difference(&set, &again.set),
            None,
            "seed {seed}"
        );
        if game.header.start != chessdb_core::Start::Standard && losses.count(LossKind::Game) == 1 {
            assert_eq!(set.get(FBK_FILE), Some(&b""[..]));
        }
    }
}
