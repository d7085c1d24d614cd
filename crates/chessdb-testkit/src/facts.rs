//! Games whose tapes say what the rules say of their moves, as those have that were read by a reader
//! who plays them: what a writer makes of such a game, it makes without.

use chessdb_core::rules::Referee;
use chessdb_core::{
    Allow, Builder, Facts, Format, Game, Limits, MemorySet, Movetext, OverLimit, ReadOptions,
    Token, WriteOptions,
};

use crate::identity;

/// Asserts that a writer makes the same of games with facts as of the same without, losses included.
///
/// # Panics
///
/// If it does not, or refuses the games.
pub fn check(format: &Format, games: &[Game]) {
    let write = |game: fn(&Game) -> Game| {
        let games: Vec<Game> = games.iter().map(game).collect();
        let options = WriteOptions::default().with_allowed(Allow::Everything);
        identity::write_all(format, &games, options).expect("all losses are allowed")
    };
    let (played, lost) = write(forgotten);
    let (known, also_lost) = write(told);
    assert_eq!(identity::first_difference(&played, &known), None);
    assert_eq!(lost, also_lost);
}

/// Asserts that a reader that is asked for facts reads what it reads without, and tells of the moves what the
/// rules say.
///
/// # Panics
///
/// If it does not, or if the base cannot be opened.
pub fn check_reading(format: &Format, files: &MemorySet) {
    let read = |facts| {
        let mut options = ReadOptions::default();
        options.facts = facts;
        identity::read_all(&*(format.open)(files, options).expect("a base"))
    };
    for (plain, known) in read(false).iter().zip(&read(true)) {
        assert_eq!(plain.moves, known.moves);
        assert_eq!(of(known), of(&told(plain)));
    }
}

/// What the tape says of each move.
fn of(game: &Game) -> Vec<Facts> {
    let mut tokens = game.moves.tokens();
    let mut facts = Vec::new();
    loop {
        while let Some((_, said)) = tokens.next_move() {
            facts.push(said);
        }
        if tokens.next().is_none() {
            return facts;
        }
    }
}

/// The game without any facts.
fn forgotten(game: &Game) -> Game {
    let mut game = game.clone();
    game.moves.forget_facts();
    game
}

/// The game with the facts of every legal move on its tape.
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
