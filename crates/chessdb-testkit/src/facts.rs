//! Games with facts about their moves on the tape, as produced by a reader that plays the moves. A
//! writer must produce the same output with and without these facts.

use chessdb_core::board::Facts;
use chessdb_core::limits::{Limits, OverLimit};
use chessdb_core::model::{Builder, Movetext, Token};
use chessdb_core::options::Allow;
use chessdb_core::rules::Referee;
use chessdb_core::{Format, Game, MemorySet, ReadOptions, WriteOptions};

use crate::identity;

/// Asserts that a writer produces the same output and losses from games with and without facts.
///
/// # Panics
///
/// Panics if it does not, or rejects the games.
pub fn check(format: &Format, games: &[Game]) {
    let write = |game: fn(&Game) -> Game| {
        let games: Vec<Game> = games.iter().map(game).collect();
        let options = WriteOptions::default().with_allowed(Allow::Everything);
        identity::write_all(format, &games, options).expect("all losses are allowed")
    };
    let (played, lost) = write(without_facts);
    let (with_facts, also_lost) = write(told);
    assert_eq!(identity::first_difference(&played, &with_facts), None);
    assert_eq!(lost, also_lost);
}

/// Asserts that a reader returns the same moves with and without facts, and that its facts follow
/// from the rules.
///
/// # Panics
///
/// Panics if it does not, or if the database cannot be opened.
pub fn check_reading(format: &Format, files: &MemorySet) {
    let read = |facts| {
        let mut options = ReadOptions::default();
        options.facts = facts;
        identity::read_all(&*(format.open)(files, options).expect("a base"))
    };
    for (plain, with_facts) in read(false).iter().zip(&read(true)) {
        assert_eq!(plain.moves, with_facts.moves);
        assert_eq!(facts_of(with_facts), facts_of(&told(plain)));
    }
}

/// Returns the facts about each move on the tape.
fn facts_of(game: &Game) -> Vec<Facts> {
    let mut tokens = game.moves.tokens();
    let mut facts = Vec::new();
    loop {
        while let Some((_, fact)) = tokens.next_move() {
            facts.push(fact);
        }
        if tokens.next().is_none() {
            return facts;
        }
    }
}

/// Returns the game without facts.
fn without_facts(game: &Game) -> Game {
    let mut game = game.clone();
    game.moves.forget_facts();
    game
}

/// Returns the game with the facts about every legal move on its tape.
pub fn told(game: &Game) -> Game {
    let mut moves = Movetext::default();
    let limits = Limits::default()
        .with_plies(u32::MAX >> 4)
        .with_depth(u32::MAX >> 4);
    let mut tape = moves.builder(&limits);
    let mut line = (Referee::at(&game.start_board()), None);
    let mut open = Vec::new();
    for token in game.moves.tokens() {
        match token {
            Token::Move(mv) => {
                // A variation begins before the last move.
                line.1 = Some(line.0.clone());
                let facts = line.0.judge(mv).unwrap_or_default();
                line.0.play(mv, facts);
                tape.known(mv, facts).expect("room");
            }
            Token::Open(_) => {
                let (now, before) = line.clone();
                open.push(line);
                line = (before.unwrap_or(now), None);
                tape.open().expect("room");
            }
            Token::Close => {
                line = open.pop().expect("an open variation");
                assert!(tape.close());
            }
            other => copy(other, &mut tape).expect("room"),
        }
    }
    tape.finish();
    let told = Game {
        moves,
        ..game.clone()
    };
    assert_eq!(told.moves, game.moves);
    told
}

fn copy(token: Token<'_>, tape: &mut Builder<'_>) -> Result<(), OverLimit> {
    match token {
        Token::Nag(nag) => tape.nag(nag),
        Token::Comment(place, text) => tape.comment(place, text),
        Token::Clock(clock) => tape.clock(clock),
        Token::Eval(eval) => tape.eval(eval),
        Token::Shapes(shapes) => tape.shapes(shapes),
        Token::Outcome(outcome) => tape.outcome(outcome),
        Token::Fault(kind, text) => tape.fault(kind, text),
        Token::Extra(extra) => tape.extra(extra.clone()),
        Token::Move(_) | Token::Open(_) | Token::Close => Ok(()),
    }
}
