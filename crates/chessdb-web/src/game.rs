//! A game for the page: its header and its moves, with the position after each.

use std::fmt;

use chessdb::Problem;
use chessdb::core::board::UciNotation;
use chessdb::core::commands::{ClockKind, EvalValue, Shape};
use chessdb::core::line::Walk;
use chessdb::core::model::Place;
use chessdb::core::rules::write_san;
use chessdb::core::{Board, Color, ErrorKind, Event, PackedMove, Setup, Severity};
use chessdb::query::opening;
use serde_json::{Value, json};

use crate::failure::{Failure, Result};
use crate::open_database::OpenDatabase;
use crate::rows;

/// Longer games are truncated; no game that was actually played comes close.
const MOST_TOKENS: usize = 60_000;

/// Returns the game as an object. `tokens` contains arrays that begin with a letter:
///
/// | token | meaning |
/// |---|---|
/// | `m`, number, is Black's, SAN, UCI, FEN | a move and the position after it |
/// | `n`, number | a NAG of the last move |
/// | `c`, text, is before the move | a comment |
/// | `o`, `x` | start, end of a variation |
/// | `k`, milliseconds, was spent | a clock |
/// | `e`, centipawns or null, mate or null | an evaluation, from White's point of view |
/// | `s`, `[[colour, from, to]]` | arrows and squares |
/// | `f`, text | text that could not be read as a move |
pub(crate) fn game(base: &mut OpenDatabase, index: u32) -> Result<Value> {
    let hit = base.hits.get(&index).copied();
    let mut game = std::mem::take(&mut base.game);
    let read = base.db().game_into(index, &mut game);
    let (fault, kinds) = match read {
        Ok(()) => (game.fault(), fault_kinds(&game)),
        Err(error) if error.game().is_some() => {
            base.db().header_into(index, &mut game)?;
            let kinds = match error.problem() {
                Problem::Format(inner) => json!([kind_ids(inner.kind())]),
                _ => json!([]),
            };
            (Some(error.to_string()), kinds)
        }
        Err(error) => return Err(error.into()),
    };
    let (tokens, is_cut) = tokens(&game, MOST_TOKENS, |tokens, board, mv, uci| {
        let (number, black) = (board.fullmove_number(), board.turn() == Color::Black);
        let (san, after) = (san(board, mv), fen_after(board, mv));
        tokens.push(json!(["m", number, black, san, uci.to_string(), after]));
    })?;
    let tags: Vec<Value> = game
        .tags()
        .map(|(name, value)| json!([name, value]))
        .collect();
    let setup = game.start();
    let mut flags = Vec::new();
    game.header.flags.write_letters(&mut flags);
    let flags: String = flags.into_iter().map(char::from).collect();
    let value = json!({
        "game": index,
        "white": game.white(),
        "black": game.black(),
        "whiteElo": game.elo(Color::White),
        "blackElo": game.elo(Color::Black),
        "event": rows::short(&game.event()),
        "site": rows::short(&game.site()),
        "round": rows::short(&game.round()),
        "date": game.date().to_string(),
        "eco": game.eco().map(|eco| eco.to_string()),
        "opening": opening(&game).map(|opening| opening.name),
        "result": rows::result(game.result()),
        "annotator": game.annotator(),
        "moves": game.plies().div_ceil(2),
        "start": fen(&setup.board),
        "isSetup": !setup.is_standard(),
        "tags": tags,
        "fault": fault,
        "faultKinds": kinds,
        "isCut": is_cut,
        "hit": hit,
        "flags": flags,
        "isUnsaved": base.is_unsaved(index),
        "tokens": tokens,
    });
    base.game = game;
    Ok(value)
}

/// Returns the ids of a kind of error, for which the page has words.
fn kind_ids(kind: &ErrorKind) -> Value {
    json!([kind.code(), kind.detail()])
}

/// Returns the ids of what is missing in a game, without repetition.
fn fault_kinds(game: &chessdb::Game) -> Value {
    let lost = game.diagnostics().iter();
    let lost = lost.filter(|found| found.severity == Severity::Lost);
    let mut kinds: Vec<Value> = lost.map(|found| kind_ids(&found.kind)).collect();
    kinds.dedup();
    Value::Array(kinds)
}

/// Returns a move in SAN.
pub(crate) fn san(board: &Board, mv: PackedMove) -> String {
    let mut san = Vec::new();
    write_san(board, mv, &mut san);
    san.into_iter().map(char::from).collect()
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
/// of a move, from the position before it, the move, and its UCI.
pub(crate) fn tokens(
    game: &chessdb::core::Game,
    most: usize,
    mut of_move: impl FnMut(&mut Vec<Value>, &Board, PackedMove, &dyn fmt::Display),
) -> Result<(Vec<Value>, bool)> {
    let failed = |error: chessdb::core::Error| Failure::new("broken", error.to_string());
    let mut walk = Walk::plain(game).map_err(failed)?;
    let notation = UciNotation::of(game);
    let mut tokens = Vec::new();
    while let Some(event) = walk.step() {
        if tokens.len() >= most {
            return Ok((tokens, true));
        }
        let board = walk.lines().board();
        match event {
            Event::Move(mv) => {
                of_move(&mut tokens, board, mv, &notation.show(mv));
            }
            Event::Nag(nag) => tokens.push(json!(["n", nag])),
            Event::Comment(place, text) if !text.is_empty() => {
                tokens.push(json!(["c", text.decode(), place == Place::Before]));
            }
            Event::Open(_) => tokens.push(json!(["o"])),
            Event::Close => tokens.push(json!(["x"])),
            Event::Clock(clock) => {
                let spent = clock.kind == ClockKind::Elapsed;
                tokens.push(json!(["k", clock.milliseconds, spent]));
            }
            Event::Eval(eval) => tokens.push(match eval.value {
                EvalValue::Centipawns(points) => json!(["e", points, null]),
                EvalValue::Mate(moves) => json!(["e", null, moves]),
                EvalValue::WinDraw { win, draw } => {
                    json!(["e", centipawns_of_shares(win, draw), null])
                }
            }),
            Event::Shapes(shapes) => {
                let shapes: Vec<Value> = shapes.iter().map(shape).collect();
                tokens.push(json!(["s", shapes]));
            }
            Event::Fault(_, text) => tokens.push(json!(["f", text.decode()])),
            Event::Comment(..) | Event::Outcome(_) | Event::Extra(_) => {}
        }
    }
    Ok((tokens, false))
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
