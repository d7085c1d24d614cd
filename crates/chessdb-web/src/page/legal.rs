//! The legal moves of a position, for a board on which one can move.

use chessdb::core::board::{MoveKind, Side, UciNotation};
use chessdb::core::rules::{legal_moves, read_san, san};
use chessdb::core::{Board, PackedMove, Setup};
use chessdb::query::openings::opening_at;
use serde_json::{Value, json};

use crate::failure::{Failure, RequestFields, Result};
use crate::tokens::fen;

/// Returns `{ moves: [{ san, uci, fen, name, from, to, promotion }] }`, where `to` lists the squares
/// to which the piece can be dragged: for castling those of king and rook. With `text`, a move in
/// SAN or coordinates, the answer contains only that.
pub(crate) fn moves(request: &Value) -> Result<Value> {
    let setup = request.text("fen").parse::<Setup>();
    let setup = setup.map_err(|fault| Failure::new("request", fault.to_string()))?;
    let board = &setup.board;
    let mut moves = Vec::new();
    match request.text("text") {
        "" => legal_moves(board, &mut moves),
        text => {
            let mv = read_san(board, text.as_bytes());
            moves.push(mv.map_err(|fault| {
                Failure::with("move", format!("{text}: {fault}"), json!({ "text": text }))
            })?);
        }
    }
    let notation = UciNotation::of_setup(&setup);
    let shown = moves.iter().map(|&mv| {
        let mut after = board.clone();
        after.play(mv);
        json!({
            "san": san(board, mv),
            "uci": notation.show(mv).to_string(),
            "fen": fen(&after),
            "name": opening_at(&after).map(|opening| opening.name),
            "from": mv.from().to_string(),
            "to": targets(board, mv, &moves),
            "promotion": mv.promotion().map(|kind| char::from(kind.letter()).to_string()),
        })
    });
    Ok(json!({ "moves": shown.collect::<Vec<Value>>() }))
}

/// Returns the squares that name a move together with its origin.
fn targets(board: &Board, mv: PackedMove, moves: &[PackedMove]) -> Vec<String> {
    let side = match mv.kind() {
        MoveKind::CastleShort => Side::Short,
        MoveKind::CastleLong => Side::Long,
        _ => return vec![mv.to().to_string()],
    };
    // In Chess960 the king's target may also be that of a plain move, or its own square.
    let is_plain = |other: &PackedMove| {
        other.is_normal() && (other.from(), other.to()) == (mv.from(), mv.to())
    };
    let is_unclear = mv.to() == mv.from() || moves.iter().any(is_plain);
    let own = (!is_unclear).then_some(mv.to());
    let rook = board.castling_rook(board.turn(), side);
    own.into_iter()
        .chain(rook.filter(|&rook| Some(rook) != own))
        .map(|square| square.to_string())
        .collect()
}
