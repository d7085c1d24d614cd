//! Pseudo-legal and legal moves.

use super::attacks::{KING, PAWN, attacked, attacks, between, hits, pawn, reach, sole};
use crate::board::{MoveKind, Side};
use crate::{Board, Color, PackedMove, PieceType, Square};

/// Returns whether the piece could make the move if attacks on kings did not matter.
///
/// Castling needs the right, king and rook on their squares, and a free path. En passant needs the
/// board's en passant square. A pawn that reaches the last rank must promote. The null move is
/// always pseudo-legal, ghost en passant never. Capturing a king is a capture like any other.
pub fn is_pseudo_legal(board: &Board, mv: PackedMove) -> bool {
    let (from, to) = (mv.from().index(), mv.to().index());
    let us = board.turn();
    let piece = board.code_at(from);
    let own_piece = piece != 0 && piece >> 3 == us as u8;
    let to_own = board.by_color(us).has(mv.to());
    let last_rank = mv.to().rank() == us.rank(7);
    let is_pawn = piece & 7 == PAWN;
    match mv.kind() {
        MoveKind::Null => true,
        MoveKind::GhostEnPassant => false,
        MoveKind::CastleShort => castling_is_free(board, Side::Short, mv),
        MoveKind::CastleLong => castling_is_free(board, Side::Long, mv),
        _ if !own_piece || to_own => false,
        MoveKind::EnPassant => {
            is_pawn && ep_takers(board) >> from & 1 != 0 && board.ep_square() == Some(mv.to())
        }
        MoveKind::Promotion(_) => is_pawn && last_rank && pawn_reaches(board, us, from, to),
        MoveKind::Normal if is_pawn => !last_rank && pawn_reaches(board, us, from, to),
        MoveKind::Normal => hits(piece & 7, from, to, board.occupied().0),
    }
}

/// Returns whether the rules of chess allow the move.
///
/// A legal move is a pseudo-legal one that does not leave the own king attacked; castling may not
/// start in check or pass an attacked square. The null move counts as legal even in check, because
/// databases use it to show threats. If the side to move has no king or several, every pseudo-legal
/// move is legal.
pub fn is_legal(board: &Board, mv: PackedMove) -> bool {
    is_pseudo_legal(board, mv) && leaves_king_safe(board, mv)
}

/// Returns whether a pseudo-legal move is legal.
pub(super) fn leaves_king_safe(board: &Board, mv: PackedMove) -> bool {
    let us = board.turn();
    let (from, to) = (mv.from().index(), mv.to().index());
    let side = match mv.kind() {
        MoveKind::Null => return true,
        MoveKind::CastleShort => Side::Short,
        MoveKind::CastleLong => Side::Long,
        kind => {
            let mover = board.code_at(from) & 7;
            let captured = match kind {
                // The captured pawn is on the file of the target and the rank of the origin.
                MoveKind::EnPassant => 1 << (to & 0x38 | from & 7),
                _ => 0,
            };
            return king_safe_after(board, us, mover, from, to, captured);
        }
    };
    // Without exactly one king, no rule about check applies.
    if sole(board.pieces(us, PieceType::King).0) != Some(from) {
        return true;
    }
    let Some(rook) = board.castling_rook(us, side) else {
        return false;
    };
    let them = us.other();
    let occupied = board.occupied().0;
    let rook_to = side.rook_file() << 3 | mv.to().rank();
    // In Chess960 the rook may have shielded the target, so that is checked after both have moved;
    // the path is checked with the rook still in its place.
    let after = (occupied & !(1 << from) & !(1 << rook.index())) | 1 << rook_to;
    if attacked(board, to, them, after, 0) {
        return false;
    }
    let mut path = between(from, to) | 1 << from;
    while path != 0 {
        if attacked(
            board,
            path.trailing_zeros() as u8,
            them,
            occupied & !(1 << from),
            0,
        ) {
            return false;
        }
        path &= path - 1;
    }
    true
}

/// Returns whether the king of `us` is not attacked after a piece of type `mover` has gone from
/// `from` to `to`, and a pawn has disappeared from `captured` (a set).
#[inline]
pub(super) fn king_safe_after(
    board: &Board,
    us: Color,
    mover: u8,
    from: u8,
    to: u8,
    captured: u64,
) -> bool {
    let (from_bit, to_bit) = (1u64 << (from & 63), 1u64 << (to & 63));
    let kings = board.pieces(us, PieceType::King).0;
    // A king that moves is safe or not on its new square.
    let kings = if mover == KING { (kings & !from_bit) | to_bit } else { kings };
    let Some(king) = sole(kings) else { return true };
    let occupied = (board.occupied().0 & !from_bit & !captured) | to_bit;
    !attacked(board, king, us.other(), occupied, to_bit | captured)
}

/// Appends all legal moves except the null move.
pub fn legal_moves(board: &Board, moves: &mut Vec<PackedMove>) {
    each_pseudo_legal(board, &mut |mv| {
        if leaves_king_safe(board, mv) {
            moves.push(mv);
        }
        false
    });
}

/// Returns whether the side to move has a legal move, except the null move. If not, it is mate or
/// stalemate.
pub fn has_legal_move(board: &Board) -> bool {
    king_can_move(board) || each_pseudo_legal(board, &mut |mv| leaves_king_safe(board, mv))
}

/// Returns whether the only king of the side to move can go to another square, the most frequent
/// way out of check.
fn king_can_move(board: &Board) -> bool {
    let us = board.turn();
    let own = board.by_color(us).0;
    let Some(king) = sole(own & board.type_set(KING)) else {
        return false;
    };
    let mut targets = reach(KING, king) & !own;
    while targets != 0 {
        let to = targets.trailing_zeros() as u8;
        let to_bit = targets & targets.wrapping_neg();
        targets ^= to_bit;
        // The king does not protect the squares behind it from a slider that attacks it.
        let occupied = (board.occupied().0 & !(1 << king)) | to_bit;
        if !attacked(board, to, us.other(), occupied, to_bit) {
            return true;
        }
    }
    false
}

/// Returns whether a pawn of the side to move could capture en passant, ignoring pins.
pub fn has_ep_capture(board: &Board) -> bool {
    ep_takers(board) != 0
}

/// Returns the pawns of the side to move that can capture en passant, ignoring pins.
pub(super) fn ep_takers(board: &Board) -> u64 {
    let Some(ep) = board.ep_square() else {
        return 0;
    };
    let us = board.turn();
    let them = us.other();
    let pawn_square = ep.offset(0, us.pick(-1, 1));
    // Files may state an en passant square without the pawn that it needs.
    let takable = ep.rank() == us.rank(5)
        && !board.occupied().has(ep)
        && pawn_square.is_some_and(|pawn| board.pieces(them, PieceType::Pawn).has(pawn));
    if takable {
        pawn(them, ep.index()) & board.pieces(us, PieceType::Pawn).0
    } else {
        0
    }
}

/// Returns whether a pawn can go from one square to another, en passant excluded.
fn pawn_reaches(board: &Board, us: Color, from: u8, to: u8) -> bool {
    let occupied = board.occupied().0;
    if pawn(us, from) >> to & 1 != 0 {
        return occupied >> to & 1 != 0;
    }
    pawn_steps(us, from, occupied) >> to & 1 != 0
}

/// Returns the squares that a pawn can step to.
pub(super) fn pawn_steps(us: Color, from: u8, occupied: u64) -> u64 {
    let rank = from & 7;
    // A step beyond the last rank would be on the next file.
    if rank == us.rank(7) {
        return 0;
    }
    let step = |set: u64| us.pick(set << 1, set >> 1) & !occupied;
    let one = step(1 << from);
    if rank == us.rank(1) { one | step(one) } else { one }
}

/// Returns whether king and rook are on the squares that the right requires, and the path is free.
fn castling_is_free(board: &Board, side: Side, mv: PackedMove) -> bool {
    castling_move(board, side) == Some(mv)
}

/// Returns the castling move of the side to move, ignoring attacked squares.
pub(super) fn castling_move(board: &Board, side: Side) -> Option<PackedMove> {
    let us = board.turn();
    let rook = board.castling_rook(us, side)?;
    let rank = us.rank(0);
    let first_rank = |set: u64| set & (0x0101_0101_0101_0101 << rank);
    let rook_bit = first_rank(rook.bit().0 & board.pieces(us, PieceType::Rook).0);
    let below = rook.bit().0.wrapping_sub(1);
    let kings = first_rank(board.pieces(us, PieceType::King).0);
    // If there are several kings, the one next to the rook.
    let (king, kind) = match side {
        Side::Short => (
            Square::new(63u8.checked_sub((kings & below).leading_zeros() as u8)?)?,
            MoveKind::CastleShort,
        ),
        Side::Long => (
            Square::new((kings & !below).trailing_zeros() as u8)?,
            MoveKind::CastleLong,
        ),
    };
    if rook_bit == 0 {
        return None;
    }
    let to = Square::new_masked(side.king_file() << 3 | rank);
    let rook_to = Square::new_masked(side.rook_file() << 3 | rank);
    let path = between(king.index(), to.index())
        | between(rook.index(), rook_to.index())
        | to.bit().0
        | rook_to.bit().0;
    // King and rook do not block each other, which matters in Chess960.
    (path & board.occupied().0 & !king.bit().0 & !rook_bit == 0)
        .then(|| PackedMove::new(king, to, kind))
}

/// Calls `visit` with every pseudo-legal move except the null move, king moves first, until it
/// returns true. Returns whether it did.
fn each_pseudo_legal(board: &Board, visit: &mut impl FnMut(PackedMove) -> bool) -> bool {
    let us = board.turn();
    let own = board.by_color(us).0;
    let occupied = board.occupied().0;
    for kind in (PAWN + 1..=KING).rev() {
        let mut pieces = own & board.type_set(kind);
        while pieces != 0 {
            let from = pieces.trailing_zeros() as u8;
            pieces &= pieces - 1;
            let mut targets = attacks(kind, from, occupied) & !own;
            while targets != 0 {
                let to = targets.trailing_zeros() as u8;
                targets &= targets - 1;
                if visit(PackedMove::normal(
                    Square::new_masked(from),
                    Square::new_masked(to),
                )) {
                    return true;
                }
            }
        }
    }
    each_pawn_move(board, us, visit)
        || Side::ALL
            .into_iter()
            .filter_map(|side| castling_move(board, side))
            .any(visit)
}

fn each_pawn_move(board: &Board, us: Color, visit: &mut impl FnMut(PackedMove) -> bool) -> bool {
    const PROMOTIONS: [PieceType; 4] = [
        PieceType::Queen,
        PieceType::Rook,
        PieceType::Bishop,
        PieceType::Knight,
    ];
    let occupied = board.occupied().0;
    let them = board.by_color(us.other()).0;
    let takers = ep_takers(board);
    for from in board.pieces(us, PieceType::Pawn) {
        let index = from.index();
        let targets = pawn_steps(us, index, occupied) | (pawn(us, index) & them);
        for to in crate::board::Bitboard(targets) {
            let stop = if to.rank() == us.rank(7) {
                PROMOTIONS
                    .into_iter()
                    .any(|kind| visit(PackedMove::new(from, to, MoveKind::Promotion(kind))))
            } else {
                visit(PackedMove::normal(from, to))
            };
            if stop {
                return true;
            }
        }
        if let Some(ep) = board.ep_square().filter(|_| takers >> index & 1 != 0)
            && visit(PackedMove::new(from, ep, MoveKind::EnPassant))
        {
            return true;
        }
    }
    false
}
