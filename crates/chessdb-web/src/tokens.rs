//! The moves of a game and everything between them, as JSON.

use std::fmt;

use chessdb::core::annotation::MoveValues;
use chessdb::core::board::UciNotation;
use chessdb::core::commands::{ClockKind, Command, EvalValue, Shape, without_commands};
use chessdb::core::line::Walk;
use chessdb::core::model::Place;
use chessdb::core::{Board, Event, Outcome, PackedMove, Setup};
use serde_json::{Value, json};

use crate::failure::{Failure, Result};

/// Returns the result as in PGN.
pub(crate) fn result(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Unknown => "*",
        Outcome::WhiteWins => "1-0",
        Outcome::BlackWins => "0-1",
        Outcome::Draw => "1/2-1/2",
    }
}

/// Returns a position as FEN.
pub(crate) fn fen(board: &Board) -> String {
    let mut fen = Vec::new();
    Setup::from_board(board.clone()).write_fen(&mut fen);
    fen.into_iter().map(char::from).collect()
}

/// Returns the position after a move as FEN.
pub(crate) fn fen_after(board: &Board, mv: PackedMove) -> String {
    let mut after = board.clone();
    after.play(mv);
    fen(&after)
}

/// Returns at most about `most` tokens of a game, and whether there are more. `of_move` adds the token
/// of a move, from the position before it, the move, and its UCI. The other tokens are arrays that
/// begin with a letter:
///
/// | token | meaning |
/// |---|---|
/// | `n`, number | a NAG of the last move |
/// | `c`, text, is before the move | a comment, without the commands that other tokens show |
/// | `o`, `x` | start, end of a variation |
/// | `k`, milliseconds, was spent | the clock of the last move |
/// | `e`, centipawns or null, mate or null, depth or null | the evaluation, White's view |
/// | `s`, `[[colour, from, to]]` | arrows and squares |
/// | `f`, text | text that could not be read as a move |
pub(crate) fn tokens(
    game: &chessdb::core::Game,
    limit: usize,
    mut of_move: impl FnMut(&mut Vec<Value>, &Board, PackedMove, &dyn fmt::Display),
) -> Result<(Vec<Value>, bool)> {
    let failed = |error: chessdb::core::Error| Failure::new("broken", error.to_string());
    let mut walk = Walk::plain(game).map_err(failed)?;
    let notation = UciNotation::from_game(game);
    let mut values = MoveValues::new(game.start_board().turn());
    let mut tokens = Vec::new();
    while let Some(event) = walk.step() {
        if tokens.len() >= limit {
            return Ok((tokens, true));
        }
        values.read(&event, &mut |command| tokens.extend(value_token(command)));
        let board = walk.lines().board();
        match event {
            Event::Move(mv) => {
                of_move(&mut tokens, board, mv, &notation.show(mv));
            }
            Event::Nag(nag) => tokens.push(json!(["n", nag])),
            Event::Comment(place, text) if !text.is_empty() => {
                let text = text.decode();
                let text = without_commands(&text);
                if !text.is_empty() {
                    tokens.push(json!(["c", text, place == Place::Before]));
                }
            }
            Event::Open(_) => tokens.push(json!(["o"])),
            Event::Close => tokens.push(json!(["x"])),
            Event::Fault(_, text) => tokens.push(json!(["f", text.decode()])),
            Event::Comment(..)
            | Event::Clock(_)
            | Event::Eval(_)
            | Event::Shapes(_)
            | Event::Outcome(_)
            | Event::Extra(_) => {}
        }
    }
    Ok((tokens, false))
}

/// Returns the token of a value of the last move.
fn value_token(command: Command<'_>) -> Option<Value> {
    Some(match command {
        Command::Clock(clock) => {
            let is_spent = clock.kind == ClockKind::Elapsed;
            json!(["k", clock.milliseconds, is_spent])
        }
        Command::Eval(eval) => match eval.value {
            EvalValue::Centipawns(points) => json!(["e", points, null, eval.depth]),
            EvalValue::Mate(moves) => json!(["e", null, moves, eval.depth]),
            EvalValue::WinDraw { win, draw } => {
                json!(["e", centipawns_of_shares(win, draw), null, eval.depth])
            }
        },
        Command::Shapes(shapes) => {
            let shapes: Vec<Value> = shapes.iter().map(shape).collect();
            json!(["s", shapes])
        }
        Command::Extra { .. } => return None,
    })
}

fn shape(shape: &Shape) -> Value {
    json!([
        char::from(shape.color.letter()).to_string(),
        shape.from.to_string(),
        shape.to.map(|to| to.to_string()),
    ])
}

/// Converts win and draw shares to the approximate centipawns of an engine.
fn centipawns_of_shares(win: u16, draw: u16) -> i32 {
    let share = (f64::from(win) + f64::from(draw) / 2.0) / 32767.0;
    let share = share.clamp(0.001, 0.999);
    (-400.0 * (1.0 / share - 1.0).log10()) as i32
}
