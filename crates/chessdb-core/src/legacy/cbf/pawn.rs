//! The entries of one pawn.

use super::{List, PROMOTIONS, nth_bit};
use crate::{MoveKind, PackedMove, Square};

/// The entries of one pawn: double step, single step, captures towards the a-file and the h-file,
/// en passant likewise.
pub(super) struct Pawn<'l> {
    pub(super) list: &'l List<'l>,
    pub(super) from: Square,
    pub(super) single: u64,
    pub(super) double: u64,
    pub(super) captures: u64,
    /// Entries per move: four if they promote.
    pub(super) each: u32,
    /// The entries of the register, towards the a-file and the h-file.
    pub(super) ep: [bool; 2],
}

impl Pawn<'_> {
    #[inline(always)]
    pub(super) fn count(&self) -> u32 {
        let [to_a, to_h] = self.ep;
        self.plain() * self.each + u32::from(self.double != 0) + u32::from(to_a) + u32::from(to_h)
    }

    /// Single step and captures. Compared, not counted: half of the men are pawns, and processors
    /// are not assumed to count bits.
    #[inline(always)]
    fn plain(&self) -> u32 {
        let many = self.captures & self.captures.wrapping_sub(1);
        u32::from(self.single != 0) + u32::from(self.captures != 0) + u32::from(many != 0)
    }

    /// The entry with this number, from 0; none if it is the phantom, which is counted but points
    /// off the board (QUIRK Q1).
    pub(super) fn nth(&self, mut left: u32) -> Option<PackedMove> {
        let doubles = u32::from(self.double != 0);
        if left < doubles {
            let to = nth_bit(self.double, 0);
            return Some(PackedMove::normal(self.from, Square::new_masked(to)));
        }
        left -= doubles;
        let singles = u32::from(self.single != 0);
        let plain = self.plain() * self.each;
        if left < plain {
            let step = left / self.each;
            let to = match step.checked_sub(singles) {
                None => nth_bit(self.single, 0),
                Some(capture) => nth_bit(self.captures, capture),
            };
            let kind = match self.each {
                4 => MoveKind::Promotion(*PROMOTIONS.get((left % 4) as usize)?),
                _ => MoveKind::Normal,
            };
            return Some(PackedMove::new(self.from, Square::new_masked(to), kind));
        }
        left -= plain;
        let files = match (self.ep, left) {
            ([true, _], 0) => -1,
            ([false, true], 0) | ([true, true], 1) => 1,
            _ => return None,
        };
        let to = self.from.offset(files, self.list.us.pick(1, -1))?;
        let kind = match self.list.is_genuine(self.from, to) {
            true => MoveKind::EnPassant,
            false => MoveKind::GhostEnPassant,
        };
        Some(PackedMove::new(self.from, to, kind))
    }
}
