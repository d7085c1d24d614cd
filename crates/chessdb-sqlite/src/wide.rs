//! Moves of two bytes: origin, destination and promotion (docs/formats/ocgdb.md, section 3.2).

use chessdb_core::board::MoveKind;
use chessdb_core::legacy::MoveFault;
use chessdb_core::rules::legal_moves;
use chessdb_core::{Board, PackedMove, PieceType, Square};

use crate::file::Value;

/// Decodes the move at the start of `bytes`. Returns the move and its length in bytes.
pub(crate) fn decode(board: &Board, bytes: &[u8]) -> Result<(PackedMove, usize), MoveFault> {
    let &code = bytes.first_chunk().ok_or(MoveFault::Truncated)?;
    let mut legal = Vec::new();
    legal_moves(board, &mut legal);
    let wanted = u16::from_le_bytes(code);
    legal
        .into_iter()
        .find(|mv| self::code(*mv) == Some(wanted))
        .map(|mv| (mv, 2))
        .ok_or(MoveFault::NoCode)
}

/// Returns the two bytes of a move.
fn code(mv: PackedMove) -> Option<u16> {
    let square = |square: Square| u16::from(square.rank_major());
    let promotion = match mv.kind() {
        MoveKind::Promotion(PieceType::Knight) => 2,
        MoveKind::Promotion(PieceType::Bishop) => 3,
        MoveKind::Promotion(PieceType::Rook) => 4,
        MoveKind::Promotion(PieceType::Queen) => 5,
        MoveKind::Promotion(_) => return None,
        _ => 0,
    };
    Some(square(mv.from()) | square(mv.to()) << 6 | promotion << 12)
}

/// Returns whether a column of moves has two bytes for each of this number of half-moves.
pub(crate) fn are_moves(plies: Option<&Value<'_>>, moves: Option<&Value<'_>>) -> bool {
    match (plies, moves) {
        (Some(Value::Int(plies @ 1..)), Some(Value::Blob(moves))) => {
            i64::try_from(moves.len()).ok() == plies.checked_mul(2)
        }
        _ => false,
    }
}
