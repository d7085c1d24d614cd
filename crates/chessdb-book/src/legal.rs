//! The legal move with given squares, for formats without kinds of moves.

use chessdb_core::board::{MoveKind, Side};
use chessdb_core::rules::is_legal;
use chessdb_core::{Board, PackedMove, PieceType, Square};

/// Returns the legal move from one square to another.
///
/// Castling may be written as the king's move or as the king taking its own rook. `promotion` must
/// be present exactly if a pawn reaches the last rank.
pub(crate) fn legal_move(
    board: &Board,
    from: Square,
    to: Square,
    promotion: Option<PieceType>,
) -> Option<PackedMove> {
    let us = board.turn();
    let piece = board.piece_at(from).filter(|piece| piece.color == us)?;
    let candidate = match promotion {
        Some(kind) => PackedMove::new(from, to, MoveKind::Promotion(kind)),
        None if piece.kind == PieceType::King => return king_move(board, from, to),
        None if piece.kind == PieceType::Pawn
            && from.file() != to.file()
            && board.piece_at(to).is_none() =>
        {
            PackedMove::new(from, to, MoveKind::EnPassant)
        }
        None => PackedMove::normal(from, to),
    };
    is_legal(board, candidate).then_some(candidate)
}

fn king_move(board: &Board, from: Square, to: Square) -> Option<PackedMove> {
    let us = board.turn();
    let normal = PackedMove::normal(from, to);
    if is_legal(board, normal) {
        return Some(normal);
    }
    Side::ALL.into_iter().find_map(|side| {
        let rook = board.castling_rook(us, side)?;
        let target = Square::from_coords(side.king_file(), us.rank(0))?;
        let castling = PackedMove::new(from, target, side.castling());
        ((to == rook || to == target) && is_legal(board, castling)).then_some(castling)
    })
}
