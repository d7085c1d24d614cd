//! The search fields of the index, computed from the mainline (docs/formats/scid.md, section 6).

use chessdb_core::board::Facts;
use chessdb_core::{Board, Color, PackedMove, PieceType, Square, Start};

use crate::opening_lines::{OpeningCursor, OpeningLines};
use crate::raw::IndexFlags;

/// The search fields of a game's index entry, derived from its mainline.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct MainlineFields {
    pub(crate) plies: u32,
    pub(crate) promotion: bool,
    pub(crate) under_promotion: bool,
    pub(crate) line_code: u8,
    pub(crate) final_material: u32,
    pub(crate) home_pawn_count: u8,
    pub(crate) home_pawns: [u8; 8],
}

impl MainlineFields {
    /// Returns the flags of the index entry that follow from the moves and the start position.
    pub(crate) fn flags(&self, start: &Start) -> IndexFlags {
        let mut flags = IndexFlags::empty();
        flags.set(IndexFlags::START, matches!(start, Start::Setup(_)));
        flags.set(IndexFlags::PROMOTION, self.promotion);
        flags.set(IndexFlags::UNDER_PROMOTION, self.under_promotion);
        flags
    }
}

/// Computes [`MainlineFields`] move by move along the mainline.
#[derive(Clone, Debug)]
pub(crate) struct MainlineTracker {
    derived: MainlineFields,
    /// Squares of pawns that have not left home; bit = square index.
    at_home: u64,
    cursor: OpeningCursor,
}

/// The second and the seventh rank.
const HOME: u64 = 0x4242_4242_4242_4242;

impl MainlineTracker {
    /// Starts at a start position. Home pawns and opening lines are tracked only from the standard
    /// one.
    pub(crate) fn new(start: &Start) -> MainlineTracker {
        let standard = matches!(start, Start::Standard);
        MainlineTracker {
            derived: MainlineFields::default(),
            at_home: if standard { HOME } else { 0 },
            cursor: if standard { OpeningCursor::default() } else { OpeningCursor::LEFT },
        }
    }

    /// Plays the next move of the mainline.
    #[inline]
    pub(crate) fn play(&mut self, lines: &OpeningLines, mv: PackedMove) {
        self.derived.plies += 1;
        if !mv.is_normal()
            && let Some(piece) = mv.promotion()
        {
            self.derived.promotion = true;
            self.derived.under_promotion |= piece != PieceType::Queen;
        }
        self.touch(lines, mv);
    }

    /// Like [`MainlineTracker::play`], for a move that only goes from one square to another.
    #[inline(always)]
    pub(crate) fn play_plain(&mut self, lines: &OpeningLines, mv: PackedMove) {
        self.derived.plies += 1;
        self.touch(lines, mv);
    }

    #[inline(always)]
    fn touch(&mut self, lines: &OpeningLines, mv: PackedMove) {
        if !self.cursor.has_left() {
            lines.play(&mut self.cursor, mv);
        }
        // A pawn also leaves its home when it is captured there (section 6.2).
        let touched = self.at_home & (1 << mv.from().index() | 1 << mv.to().index());
        if touched != 0 && !mv.is_null() {
            self.leave_home(touched);
        }
    }

    /// Records that the pawn of a touched home square has left. If the move touched two home
    /// squares, which no legal move does, only one is recorded.
    #[inline(never)]
    fn leave_home(&mut self, touched: u64) {
        self.at_home &= !touched;
        let square = Square::new_masked(touched.trailing_zeros() as u8);
        // The pawns a2 to h2 have the numbers 15 to 8, a7 to h7 have 7 to 0 (section 6.2).
        let number = 7 - square.file() + if square.rank() == 1 { 8 } else { 0 };
        let count = self.derived.home_pawn_count;
        if let Some(byte) = self.derived.home_pawns.get_mut(usize::from(count / 2)) {
            // Two numbers share a byte, the earlier one in its high half.
            *byte |= if count.is_multiple_of(2) { number << 4 } else { number };
            self.derived.home_pawn_count += 1;
        }
    }

    /// Returns the fields, given the material at the end of the mainline.
    pub(crate) fn finish(self, final_material: u32) -> MainlineFields {
        MainlineFields {
            line_code: self.cursor.code(),
            final_material,
            ..self.derived
        }
    }
}

/// The material code of the standard start position.
pub(crate) const START_MATERIAL: u32 = 0x6A_86A8;

/// Returns the material code (section 6.1): per side two bits each for queens, rooks, bishops and
/// knights, and four bits for pawns.
pub(crate) fn material(board: &Board) -> u32 {
    Material::from_board(board).code()
}

/// The number of pieces of each kind per side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Material([[u8; 8]; 2]);

impl Material {
    pub(crate) fn from_board(board: &Board) -> Material {
        Material(Color::ALL.map(|color| {
            let mut counts = [0; 8];
            for (count, kind) in counts.iter_mut().zip(PieceType::ALL) {
                *count = board.pieces(color, kind).len() as u8;
            }
            counts
        }))
    }

    /// Updates the counts for a legal move by `color`.
    #[inline]
    pub(crate) fn play(&mut self, color: Color, mv: PackedMove, facts: Facts) {
        let mut change = |color: Color, kind: usize, by: u8| {
            let side = self.0.get_mut(color as usize);
            if let Some(count) = side.and_then(|side| side.get_mut(kind)) {
                *count = count.wrapping_add(by);
            }
        };
        // Adding 255 to a byte subtracts 1.
        if let Some(taken) = usize::from(facts.taken()).checked_sub(1) {
            change(color.other(), taken, u8::MAX);
        }
        if !mv.is_normal()
            && let Some(kind) = mv.promotion()
        {
            change(color, PieceType::Pawn as usize, u8::MAX);
            change(color, kind as usize, 1);
        }
    }

    /// Removes the captured piece, if any, from the counts of `color`.
    #[inline]
    pub(crate) fn take(&mut self, color: Color, facts: Facts) {
        if let Some(kind) = usize::from(facts.taken()).checked_sub(1)
            && let Some(side) = self.0.get_mut(color as usize)
            && let Some(count) = side.get_mut(kind)
        {
            *count = count.wrapping_sub(1);
        }
    }

    pub(crate) fn code(self) -> u32 {
        self.0.into_iter().fold(0, |all, counts| {
            let [pawns, knights, bishops, rooks, queens, ..] = counts.map(u32::from);
            // A field of two bits clips higher counts to 3 (section 6.1).
            let pieces = [queens, rooks, bishops, knights];
            let side = pieces
                .into_iter()
                .fold(0, |side, count| side << 2 | count.min(3));
            all << 12 | side << 4 | pawns.min(15)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_material_of_the_start_position() {
        assert_eq!(material(&Board::standard()), START_MATERIAL);
    }
}
