//! The place of a move in the list of legal moves that shakmaty 0.23 to 0.27 makes, which is part of
//! a file format (docs/formats/encroissant.md, section 3). It does not depend on shakmaty.
//!
//! The list contains the legal moves except the null move, in this order:
//!
//! 1. en passant captures by from;
//! 2. in check: king moves by to;
//! 3. pawn captures towards the a-file by to: first those without promotion, then promotions, each
//!    to queen, rook, bishop, knight; then pawn captures towards the h-file, then steps, likewise;
//!    double steps by to;
//! 4. moves of knights, bishops, rooks and queens, in this order, by from, then by to;
//! 5. not in check: king moves by to, castling kingside, castling queenside.
//!
//! Squares ascend a1, b1, … h8. Whole groups of moves are counted as sets of squares, most types of
//! pieces at once, so that only the group of the move itself is put in order.

use super::attacks::{
    BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK, aligned_sliders, attacks, between, reach, sole,
    step_attackers,
};
use super::legal::{castling_move, ep_takers, king_safe_after, leaves_king_safe};
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

/// Returns the legal move at a place in the list, counted from 0.
///
/// # Errors
///
/// Returns the number of legal moves if there are no more than `place`.
pub fn move_at_place(board: &Board, place: u32) -> Result<PackedMove, u32> {
    let mut search = ByPlace {
        rest: place,
        mv: None,
    };
    each_group(board, &mut search);
    search.mv.ok_or(place - search.rest)
}

/// Returns the place of a move in the list, counted from 0; `None` if the move is not legal.
pub fn place_of_move(board: &Board, mv: PackedMove) -> Option<u32> {
    let mut search = ByMove {
        mv,
        piece: board.code_at(mv.from().index()) & 7,
        place: 0,
    };
    each_group(board, &mut search).then_some(search.place)
}

/// A search for a move in the list, which passes from group to group.
trait Search {
    /// Passes all moves of a type of piece, `len` of them. Returns false, and passes nothing, if the
    /// move can be one of them.
    fn skip(&mut self, piece: u8, len: u32) -> bool;

    /// Passes a group. Returns whether it contains the move.
    fn visit(&mut self, group: Group) -> bool;
}

struct ByPlace {
    /// The place among the moves that were not passed.
    rest: u32,
    mv: Option<PackedMove>,
}

impl Search for ByPlace {
    #[inline]
    fn skip(&mut self, _: u8, len: u32) -> bool {
        let is_later = len <= self.rest;
        if is_later {
            self.rest -= len;
        }
        is_later
    }

    #[inline(always)]
    fn visit(&mut self, group: Group) -> bool {
        if self.skip(0, group.len()) {
            return false;
        }
        self.mv = group.nth(self.rest);
        true
    }
}

struct ByMove {
    mv: PackedMove,
    /// The type of the piece that moves.
    piece: u8,
    /// The number of moves that were passed.
    place: u32,
}

impl Search for ByMove {
    #[inline]
    fn skip(&mut self, piece: u8, len: u32) -> bool {
        let is_other = piece != self.piece;
        if is_other {
            self.place += len;
        }
        is_other
    }

    #[inline]
    fn visit(&mut self, group: Group) -> bool {
        let within = group.place_of(self.mv);
        self.place += within.unwrap_or_else(|| group.len());
        within.is_some()
    }
}

/// Legal moves that follow each other in the list, by to.
#[derive(Clone, Copy)]
struct Group {
    origin: Origin,
    /// The kind of every move. A promotion stands for all four [`PROMOTIONS`].
    kind: MoveKind,
    targets: u64,
}

/// The squares from which the moves of a group start.
#[derive(Clone, Copy)]
enum Origin {
    Square(u8),
    /// As many squares before the target.
    Before(i8),
}

impl Origin {
    #[inline]
    fn square(self, to: u8) -> u8 {
        match self {
            Origin::Square(from) => from,
            Origin::Before(distance) => to.wrapping_add_signed(-distance),
        }
    }
}

impl Group {
    #[inline]
    fn is_promotion(self) -> bool {
        matches!(self.kind, MoveKind::Promotion(_))
    }

    #[inline]
    fn len(self) -> u32 {
        self.targets.count_ones() << (2 * u32::from(self.is_promotion()))
    }

    /// Returns a move by its place in the group.
    #[inline(never)]
    fn nth(self, n: u32) -> Option<PackedMove> {
        let (nth_target, kind) = if self.is_promotion() {
            let piece = *PROMOTIONS.get(n as usize & 3)?;
            (n >> 2, MoveKind::Promotion(piece))
        } else {
            (n, self.kind)
        };
        let to = in_order(self.targets).nth(nth_target as usize)?;
        let from = Square::new_masked(self.origin.square(to));
        Some(PackedMove::new(from, Square::new_masked(to), kind))
    }

    /// Returns the place of a move in the group.
    #[inline]
    fn place_of(self, mv: PackedMove) -> Option<u32> {
        let to = mv.to();
        if self.targets >> to.index() & 1 == 0
            || self.origin.square(to.index()) != mv.from().index()
        {
            return None;
        }
        let before = (self.targets & squares_before(to)).count_ones();
        match mv.kind() {
            MoveKind::Promotion(piece) if self.is_promotion() => {
                let place = PROMOTIONS.iter().position(|&other| other == piece)?;
                Some(before << 2 | place as u32)
            }
            kind => (kind == self.kind).then_some(before),
        }
    }
}

/// Passes the groups of the list, some of them empty, until the move is found. Returns whether it
/// was.
#[inline]
fn each_group(board: &Board, search: &mut impl Search) -> bool {
    let us = board.turn();
    let threats = Threats::new(board, us);
    let single = |mv: PackedMove| Group {
        origin: Origin::Square(mv.from().index()),
        kind: mv.kind(),
        targets: if leaves_king_safe(board, mv) { mv.to().bit().0 } else { 0 },
    };
    if let Some(ep) = board.ep_square()
        && in_order(ep_takers(board)).any(|from| {
            let from = Square::new_masked(from);
            search.visit(single(PackedMove::new(from, ep, MoveKind::EnPassant)))
        })
    {
        return true;
    }
    let own = board.by_color(us).0;
    let kings = own & board.type_set(KING);
    let king = |from| {
        let is_safe = |to| king_safe_after(board, us, KING, from, to, 0);
        normal(from, filter(reach(KING, from) & !own, is_safe))
    };
    if threats.is_check && in_order(kings).any(|from| search.visit(king(from))) {
        return true;
    }
    if each_pawn_group(board, us, &threats, search) {
        return true;
    }
    each_piece_group(board, us, &threats, KNIGHT, search)
        || each_piece_group(board, us, &threats, BISHOP, search)
        || each_piece_group(board, us, &threats, ROOK, search)
        || each_piece_group(board, us, &threats, QUEEN, search)
        || !threats.is_check
            && (in_order(kings).any(|from| search.visit(king(from)))
                || Side::ALL
                    .into_iter()
                    .filter_map(|side| castling_move(board, side))
                    .any(|mv| search.visit(single(mv))))
}

/// Passes the moves of all pieces of a type that is neither pawn nor king.
#[inline(always)]
fn each_piece_group(
    board: &Board,
    us: Color,
    threats: &Threats,
    kind: u8,
    search: &mut impl Search,
) -> bool {
    let own = board.by_color(us).0;
    let occupied = board.occupied().0;
    let group = |from| {
        let targets = attacks(kind, from, occupied) & !own & threats.answers;
        normal(
            from,
            if threats.pinned >> (from & 63) & 1 == 0 {
                targets
            } else {
                filter(targets, |to| king_safe_after(board, us, kind, from, to, 0))
            },
        )
    };
    let pieces = own & board.type_set(kind);
    // Most often there are two.
    let Some(second) = sole(pieces & pieces.wrapping_sub(1)) else {
        return in_order(pieces).any(|from| search.visit(group(from)));
    };
    let first = pieces.trailing_zeros() as u8;
    let [mut first, mut second] = [first, second].map(|from| (mirrored(from), group(from)));
    if search.skip(kind, count_both(first.1.targets, second.1.targets)) {
        return false;
    }
    // The list goes by ranks, our squares go by files.
    if second.0 < first.0 {
        std::mem::swap(&mut first, &mut second);
    }
    search.visit(first.1) || search.visit(second.1)
}

/// Returns the moves without special effects from a square.
#[inline]
fn normal(from: u8, targets: u64) -> Group {
    Group {
        origin: Origin::Square(from),
        kind: MoveKind::Normal,
        targets,
    }
}

#[inline]
fn each_pawn_group(board: &Board, us: Color, threats: &Threats, search: &mut impl Search) -> bool {
    let pawns = board.pieces(us, PieceType::Pawn).0;
    let them = board.by_color(us.other()).0;
    let free = !board.occupied().0;
    let last = FIRST_RANK << us.rank(7);
    // One rank on, but not from the last rank to the first one of the next file.
    let forward = |set: u64| match us {
        Color::White => (set & !LAST_RANK) << 1,
        Color::Black => (set & !FIRST_RANK) >> 1,
    };
    let step = us.pick(1, -1);
    let legal = |targets: u64, distance| {
        let origin = Origin::Before(distance);
        let targets = targets & threats.answers;
        // Few positions have a pinned pawn; in all others no target needs a closer look.
        match threats.pinned & pawns {
            0 => targets,
            pinned => filter(targets, |to| {
                let from = origin.square(to);
                pinned >> (from & 63) & 1 == 0 || king_safe_after(board, us, PAWN, from, to, 0)
            }),
        }
    };
    let lower = legal(forward(pawns >> 8) & them, step - 8);
    let upper = legal(forward(pawns << 8) & them, step + 8);
    let steps = forward(pawns) & free;
    let double = forward(steps & FIRST_RANK << us.rank(2)) & free;
    let (steps, double) = (legal(steps, step), legal(double, 2 * step));
    // Only captures have common targets.
    let promotes = (lower | upper | steps) & last != 0;
    if !promotes && search.skip(PAWN, count_both(lower | steps | double, upper)) {
        return false;
    }
    let mut each = |targets: u64, distance| {
        let mut each_of_kind = |targets, kind| {
            let origin = Origin::Before(distance);
            targets != 0
                && search.visit(Group {
                    origin,
                    kind,
                    targets,
                })
        };
        each_of_kind(targets & !last, MoveKind::Normal)
            || each_of_kind(targets & last, MoveKind::Promotion(PieceType::Queen))
    };
    each(lower, step - 8) || each(upper, step + 8) || each(steps, step) || each(double, 2 * step)
}

/// The pieces that attack the king of the side to move, or would without one of its pieces.
struct Threats {
    is_check: bool,
    /// Where a piece other than the king may go: in check, to the piece that gives it, or between
    /// this and the king. En passant captures are not considered.
    answers: u64,
    /// The pieces of the side to move that may not leave their line with the king.
    pinned: u64,
}

impl Threats {
    fn new(board: &Board, us: Color) -> Threats {
        let mut threats = Threats {
            is_check: false,
            answers: !0,
            pinned: 0,
        };
        let Some(king) = sole(board.pieces(us, PieceType::King).0) else {
            return threats;
        };
        let (own, them) = (board.by_color(us).0, board.by_color(us.other()).0);
        let occupied = board.occupied().0;
        let mut checkers = step_attackers(board, king, us.other()) & them;
        let mut between_them = 0;
        let mut sliders = aligned_sliders(board, king) & them;
        while sliders != 0 {
            let slider = sliders & sliders.wrapping_neg();
            sliders ^= slider;
            let path = between(slider.trailing_zeros() as u8, king);
            let blockers = path & occupied;
            if blockers == 0 {
                checkers |= slider;
                between_them |= path;
            // With two pieces in between, neither is pinned.
            } else if sole(blockers).is_some() {
                threats.pinned |= blockers & own;
            }
        }
        if checkers != 0 {
            threats.is_check = true;
            // Only the king can answer a double check.
            threats.answers = match sole(checkers) {
                Some(_) => checkers | between_them,
                None => 0,
            };
        }
        threats
    }
}

/// Returns the squares of a set for which `predicate` is true.
fn filter(set: u64, predicate: impl Fn(u8) -> bool) -> u64 {
    let mut rest = set;
    let mut passing = 0;
    while rest != 0 {
        let bit = rest & rest.wrapping_neg();
        rest ^= bit;
        if predicate(bit.trailing_zeros() as u8) {
            passing |= bit;
        }
    }
    passing
}

/// Returns the sum of the sizes of two sets. Without an instruction that counts bits, this takes
/// fewer steps than to count each.
#[inline]
fn count_both(a: u64, b: u64) -> u32 {
    let of_four_squares = |set: u64| {
        let of_two = set - (set >> 1 & 0x5555_5555_5555_5555);
        (of_two & 0x3333_3333_3333_3333) + (of_two >> 2 & 0x3333_3333_3333_3333)
    };
    // Four squares count at most eight in both sets, which four bits hold.
    let both = of_four_squares(a) + of_four_squares(b);
    let by_file = (both & 0x0f0f_0f0f_0f0f_0f0f) + (both >> 4 & 0x0f0f_0f0f_0f0f_0f0f);
    (by_file.wrapping_mul(FIRST_RANK) >> 56) as u32
}

/// Returns the squares of a set in the order a1, b1, … h8.
#[inline]
fn in_order(set: u64) -> impl Iterator<Item = u8> {
    // Most sets have one square, which needs no transposition.
    let mut rest = match sole(set) {
        Some(square) => 1 << mirrored(square),
        None if set == 0 => 0,
        None => transposed(set),
    };
    std::iter::from_fn(move || {
        let next = (rest != 0).then(|| mirrored(rest.trailing_zeros() as u8));
        rest &= rest.wrapping_sub(1);
        next
    })
}

/// Returns the squares before a square in the order a1, b1, … h8.
#[inline]
fn squares_before(square: Square) -> u64 {
    let rank = square.rank();
    let lower_ranks = FIRST_RANK * ((1 << rank) - 1);
    lower_ranks | FIRST_RANK << rank & (square.bit().0 - 1)
}

/// Returns the square with file and rank exchanged: between our order (a1, a2, …) and the list's.
#[inline]
fn mirrored(square: u8) -> u8 {
    square >> 3 | (square & 7) << 3
}

/// Mirrors a set on the a1-h8 diagonal.
#[inline]
fn transposed(set: u64) -> u64 {
    let swap = |set: u64, mask: u64, shift: u32| {
        let moved = mask & (set ^ set << shift);
        set ^ moved ^ moved >> shift
    };
    // Blocks of 4, 2 and 1 squares are exchanged in turn, which transposes the board.
    let set = swap(set, 0x0f0f_0f0f_0000_0000, 28);
    let set = swap(set, 0x3333_0000_3333_0000, 14);
    swap(set, 0x5500_5500_5500_5500, 7)
}

#[cfg(test)]
mod tests;
