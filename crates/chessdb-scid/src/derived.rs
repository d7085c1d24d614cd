//! The search fields of the index, computed from the main line (docs/formats/scid.md, section 6).

use chessdb_core::{Board, Color, PackedMove, PieceType, Square, Start};

use crate::lines::{Cursor, Lines};
use crate::raw::IndexFlags;

/// What the index says about a game's main line.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Derived {
    pub(crate) plies: u32,
    pub(crate) promotion: bool,
    pub(crate) under_promotion: bool,
    pub(crate) line_code: u8,
    pub(crate) final_material: u32,
    pub(crate) home_pawn_count: u8,
    pub(crate) home_pawns: [u8; 8],
}

impl Derived {
    /// The flags of the index entry that follow from the moves and the start position.
    pub(crate) fn flags(&self, start: &Start) -> IndexFlags {
        let mut flags = IndexFlags::empty();
        flags.set(IndexFlags::START, matches!(start, Start::Setup(_)));
        flags.set(IndexFlags::PROMOTION, self.promotion);
        flags.set(IndexFlags::UNDER_PROMOTION, self.under_promotion);
        flags
    }
}

/// Follows a main line.
#[derive(Clone, Debug)]
pub(crate) struct Tracker {
    derived: Derived,
    /// Squares with a pawn that has not left home; bit = square index.
    at_home: u64,
    cursor: Cursor,
    standard: bool,
}

/// Second and seventh rank.
const HOME: u64 = 0x4242_4242_4242_4242;

impl Tracker {
    /// Begins at a start position. Home pawns and opening lines are known from the usual one only.
    pub(crate) fn new(start: &Start) -> Tracker {
        let standard = matches!(start, Start::Standard);
        Tracker {
            derived: Derived::default(),
            at_home: if standard { HOME } else { 0 },
            cursor: Cursor::default(),
            standard,
        }
    }

    /// Takes the next move of the main line.
    #[inline]
    pub(crate) fn play(&mut self, lines: &Lines, mv: PackedMove) {
        self.derived.plies += 1;
        if let Some(piece) = mv.promotion() {
            self.derived.promotion = true;
            self.derived.under_promotion |= piece != PieceType::Queen;
        }
        if self.standard {
            lines.play(&mut self.cursor, mv);
            let touched = self.at_home & (1 << mv.from().index() | 1 << mv.to().index());
            if touched != 0 && !mv.is_null() {
                self.leave_home(touched);
            }
        }
    }

    /// Notes the pawn whose home square the move touched; of two, which no legal move touches,
    /// one.
    fn leave_home(&mut self, touched: u64) {
        self.at_home &= !touched;
        let square = Square::new_masked(touched.trailing_zeros() as u8);
        let number = 7 - square.file() + if square.rank() == 1 { 8 } else { 0 };
        let count = self.derived.home_pawn_count;
        if let Some(byte) = self.derived.home_pawns.get_mut(usize::from(count / 2)) {
            *byte |= if count.is_multiple_of(2) {
                number << 4
            } else {
                number
            };
            self.derived.home_pawn_count += 1;
        }
    }

    /// The fields, given the position at the end of the main line.
    pub(crate) fn finish(self, last: &Board) -> Derived {
        Derived {
            line_code: self.cursor.code(),
            final_material: material(last),
            ..self.derived
        }
    }
}

/// That of the usual start position.
pub(crate) const START_MATERIAL: u32 = 0x6A_86A8;

/// Section 6.1: per side queens, rooks, bishops and knights in two bits, pawns in four.
pub(crate) fn material(board: &Board) -> u32 {
    Color::ALL.into_iter().fold(0, |all, color| {
        let count = |kind, most: u32| board.pieces(color, kind).0.count_ones().min(most);
        let pieces = [
            PieceType::Queen,
            PieceType::Rook,
            PieceType::Bishop,
            PieceType::Knight,
        ];
        let side = pieces
            .into_iter()
            .fold(0, |side, kind| side << 2 | count(kind, 3));
        all << 12 | side << 4 | count(PieceType::Pawn, 15)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_material_of_the_start_position() {
        assert_eq!(material(&Board::standard()), START_MATERIAL);
    }
}
