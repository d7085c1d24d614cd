//! The line of an engine: its moves in SAN, and whether it may be asked about a position at all.

use chessdb::core::board::UciNotation;
use chessdb::core::rules::{has_legal_move, is_valid_position, legal_moves, san};
use chessdb::core::{Board, Color, PackedMove, Setup};
use serde_json::{Value, json};

use crate::failure::{Failure, Result};
use crate::tokens::fen;

/// No line of an engine is longer; the rest is left out.
const MOST_MOVES: usize = 256;

/// Plays moves in the coordinates of the UCI protocol, separated by spaces, from a position.
///
/// The answer has the `moves` up to the first that is not legal, each with `san`, `uci`, `number`,
/// `black` and the `fen` after it. Engines are made for positions that chess allows, so the answer
/// also states whether this one `isValid`, `hasMove` and `isChess960`, and its `fen` as it is
/// written here.
pub(crate) fn line(text: &str, moves: &str) -> Result<Value> {
    let setup = text.parse::<Setup>();
    let setup = setup.map_err(|fault| Failure::new("request", fault.to_string()))?;
    let notation = UciNotation::of_setup(&setup);
    let mut board = setup.board.clone();
    let mut played = Vec::new();
    let mut legal = Vec::new();
    for uci in moves.split_ascii_whitespace().take(MOST_MOVES) {
        let Some(mv) = find(&board, notation, uci, &mut legal) else {
            break;
        };
        let san = san(&board, mv);
        let (number, black) = (board.fullmove_number(), board.turn() == Color::Black);
        board.play(mv);
        played.push(json!({
            "san": san,
            "uci": uci,
            "number": number,
            "black": black,
            "fen": fen(&board),
        }));
    }
    Ok(json!({
        "isValid": is_valid_position(&setup.board),
        "hasMove": has_legal_move(&setup.board),
        "isChess960": setup.chess960,
        "fen": fen(&setup.board),
        "moves": played,
    }))
}

/// Returns the legal move with these coordinates. `legal` is a buffer.
fn find(
    board: &Board,
    notation: UciNotation,
    uci: &str,
    legal: &mut Vec<PackedMove>,
) -> Option<PackedMove> {
    legal.clear();
    legal_moves(board, legal);
    legal
        .iter()
        .find(|&&mv| notation.show(mv).to_string() == uci)
        .copied()
}
