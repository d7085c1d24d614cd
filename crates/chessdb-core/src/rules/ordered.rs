//! The legal moves in the order of the list that shakmaty 0.23 to 0.27 makes, which is part of a
//! file format (docs/formats/encroissant.md, section 3). It does not depend on shakmaty.

use super::attacks::{BISHOP, KING, KNIGHT, QUEEN, ROOK, attacks, in_check, reach, sole};
use super::legal::{castling_move, ep_takers, leaves_king_safe};
use crate::board::{MoveKind, Side};
use crate::{Board, Color, PackedMove, PieceType, Square};

/// The ranks 1 and 8, as sets.
const FIRST_RANK: u64 = 0x0101_0101_0101_0101;
const LAST_RANK: u64 = FIRST_RANK << 7;

/// Promotions in the order of the list.
const PROMOTIONS: [PieceType; 4] = [
    PieceType::Queen,
    PieceType::Rook,
    PieceType::Bishop,
    PieceType::Knight,
];

/// Calls `visit` with the legal moves, except the null move, in the order of that list, until it
/// returns true:
///
/// 1. en passant captures by from;
/// 2. in check: king moves by to;
/// 3. pawn captures towards the a-file by to: first those without promotion, then promotions, each
///    to queen, rook, bishop, knight; then pawn captures towards the h-file, then steps, likewise;
///    double steps by to;
/// 4. moves of knights, bishops, rooks and queens, in this order, by from, then by to;
/// 5. not in check: king moves by to, castling kingside, castling queenside.
///
/// Squares ascend a1, b1, … h8. Returns whether `visit` returned true.
pub fn visit_legal_in_order(board: &Board, mut visit: impl FnMut(PackedMove) -> bool) -> bool {
    let us = board.turn();
    let king = sole(board.pieces(us, PieceType::King).0);
    let is_check = in_check(board, us);
    // Out of check, only the king, en passant captures and pieces in line with the king can leave
    // it attacked.
    let in_line = king.map_or(0, |king| reach(QUEEN, king));
    let mut moves = Moves {
        board,
        needs_test: if is_check { !0 } else { in_line },
        visit: &mut visit,
    };
    if let Some(ep) = board.ep_square()
        && moves.each(ep_takers(board), |moves, from| {
            moves.tested(PackedMove::new(from, ep, MoveKind::EnPassant))
        })
    {
        return true;
    }
    if is_check && moves.king() {
        return true;
    }
    if moves.pawns(us) || moves.pieces() {
        return true;
    }
    !is_check
        && (moves.king()
            || Side::ALL
                .into_iter()
                .filter_map(|side| castling_move(board, side))
                .any(|mv| moves.tested(mv)))
}

struct Moves<'b, V> {
    board: &'b Board,
    /// The squares from which a move may leave the king attacked.
    needs_test: u64,
    visit: &'b mut V,
}

impl<V: FnMut(PackedMove) -> bool> Moves<'_, V> {
    /// Calls `act` with the squares of a set in the order a1, b1, … h8, until it returns true.
    fn each(&mut self, set: u64, mut act: impl FnMut(&mut Self, Square) -> bool) -> bool {
        let mut rest = transposed(set);
        while rest != 0 {
            let square = Square::new_masked(mirrored(rest.trailing_zeros() as u8));
            rest &= rest - 1;
            if act(self, square) {
                return true;
            }
        }
        false
    }

    fn tested(&mut self, mv: PackedMove) -> bool {
        leaves_king_safe(self.board, mv) && (self.visit)(mv)
    }

    fn put(&mut self, mv: PackedMove) -> bool {
        let needs_test = self.needs_test >> mv.from().index() & 1 != 0;
        (!needs_test || leaves_king_safe(self.board, mv)) && (self.visit)(mv)
    }

    fn king(&mut self) -> bool {
        let own = self.board.by_color(self.board.turn()).0;
        let kings = own & self.board.type_set(KING);
        self.each(kings, |moves, from| {
            moves.each(reach(KING, from.index()) & !own, |moves, to| {
                moves.tested(PackedMove::normal(from, to))
            })
        })
    }

    fn pieces(&mut self) -> bool {
        let own = self.board.by_color(self.board.turn()).0;
        let occupied = self.board.occupied().0;
        [KNIGHT, BISHOP, ROOK, QUEEN].into_iter().any(|kind| {
            self.each(own & self.board.type_set(kind), |moves, from| {
                moves.each(attacks(kind, from.index(), occupied) & !own, |moves, to| {
                    moves.put(PackedMove::normal(from, to))
                })
            })
        })
    }

    fn pawns(&mut self, us: Color) -> bool {
        let pawns = self.board.pieces(us, PieceType::Pawn).0;
        let them = self.board.by_color(us.other()).0;
        let free = !self.board.occupied().0;
        // One rank on, but not from the last rank to the first one of the next file.
        let forward = |set: u64| match us {
            Color::White => (set & !LAST_RANK) << 1,
            Color::Black => (set & !FIRST_RANK) >> 1,
        };
        let steps = forward(pawns) & free;
        let third = FIRST_RANK << us.rank(2);
        self.group(us, forward(pawns >> 8) & them, 1, 1)
            || self.group(us, forward(pawns << 8) & them, -1, 1)
            || self.group(us, steps, 0, 1)
            || self.group(us, forward(steps & third) & free, 0, 2)
    }

    /// Visits pawn moves to these squares. Their origin is so many files away and so many ranks
    /// back.
    fn group(&mut self, us: Color, targets: u64, files: i8, ranks: i8) -> bool {
        let last = FIRST_RANK << us.rank(7);
        let origin = |to: Square| to.offset(files, us.pick(-ranks, ranks));
        self.each(targets & !last, |moves, to| {
            origin(to).is_some_and(|from| moves.put(PackedMove::normal(from, to)))
        }) || self.each(targets & last, |moves, to| {
            origin(to).is_some_and(|from| {
                let promotion = |kind| PackedMove::new(from, to, MoveKind::Promotion(kind));
                PROMOTIONS
                    .into_iter()
                    .any(|kind| moves.put(promotion(kind)))
            })
        })
    }
}

/// Returns the square with file and rank exchanged: between our order (a1, a2, …) and the list's.
fn mirrored(square: u8) -> u8 {
    square >> 3 | (square & 7) << 3
}

/// Mirrors a set on the a1-h8 diagonal.
fn transposed(set: u64) -> u64 {
    let swap = |set: u64, mask: u64, shift: u32| {
        let moved = mask & (set ^ set << shift);
        set ^ moved ^ moved >> shift
    };
    let set = swap(set, 0x0f0f_0f0f_0000_0000, 28);
    let set = swap(set, 0x3333_0000_3333_0000, 14);
    swap(set, 0x5500_5500_5500_5500, 7)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Position, legal_moves};
    use proptest::prelude::*;

    /// The moves of a position, by this module and by shakmaty.
    fn both(board: &Board) -> Option<(Vec<PackedMove>, Vec<PackedMove>)> {
        let position = Position::from_board(board).ok()?;
        let mut ours = Vec::new();
        visit_legal_in_order(board, |mv| {
            ours.push(mv);
            false
        });
        Some((ours, position.legal_moves()))
    }

    #[test]
    fn sets_are_mirrored() {
        for square in 0..64 {
            assert_eq!(transposed(1 << square), 1 << mirrored(square));
        }
    }

    proptest! {
        #[test]
        fn the_order_is_shakmatys(choices in prop::collection::vec(any::<u16>(), 0..160), start in 0_usize..6) {
            let fens = [
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
                "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
                "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
                "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
                "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
                "bnrbkrqn/pppppppp/8/8/8/8/PPPPPPPP/BNRBKRQN w FCfc - 0 1",
            ];
            let mut board = fens[start].parse::<crate::Setup>().unwrap().board;
            for choice in choices {
                let Some((ours, theirs)) = both(&board) else { break };
                prop_assert_eq!(&ours, &theirs, "{:?}", board);
                let mut all = Vec::new();
                legal_moves(&board, &mut all);
                prop_assert_eq!(all.len(), ours.len());
                if all.is_empty() {
                    break;
                }
                board.play(all[usize::from(choice) % all.len()]);
            }
        }
    }
}
