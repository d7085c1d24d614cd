//! The numbers of entries of a whole list at once.

use super::List;
use crate::{Bitboard, Color, PackedMove, PieceType, Square};

/// How many entries the men have: of each file together, and of each man but the pawns.
pub(super) struct Counts {
    /// A byte for each file: the entries of its men and of those on the files before.
    upto: u64,
    /// By square, where a man other than a pawn stands.
    men: [u8; 64],
    pawns: PawnSets,
}

const ONES: u64 = 0x0101_0101_0101_0101;

impl Counts {
    /// Counts every man, kind by kind, which processors foresee better than square by square;
    /// none if a byte cannot hold the number of all entries.
    #[inline(always)]
    pub(super) fn new(list: &List<'_>) -> Option<Counts> {
        let ours = list.ours.0;
        let of_kind = |kind: PieceType| list.board.by_type(kind).0 & ours;
        let pawns = PawnSets::new(list, of_kind(PieceType::Pawn));
        let mut files = pawns.per_file();
        let mut all = (files.wrapping_mul(ONES) >> 56) as u32;
        let mut men = [0; 64];
        let mut add = |square: u8, count: u32| {
            if let Some(known) = men.get_mut(usize::from(square & 63)) {
                *known = count as u8;
            }
            files = files.wrapping_add(u64::from(count) << (square & 0x38));
            all += count;
        };
        for kind in [
            PieceType::Knight,
            PieceType::Bishop,
            PieceType::Rook,
            PieceType::Queen,
        ] {
            for square in Bitboard(of_kind(kind)) {
                add(square.index(), list.targets(square, kind).count_ones());
            }
        }
        for square in Bitboard(of_kind(PieceType::King)) {
            let steps = list.targets(square, PieceType::King).count_ones();
            add(square.index(), steps + list.castlings(square).count_ones());
        }
        let upto = files.wrapping_mul(ONES);
        (all <= 255).then_some(Counts { upto, men, pawns })
    }

    /// The entry with this number, from 0 to 126; none if there are not so many.
    #[inline(always)]
    pub(super) fn nth(&self, list: &List<'_>, left: u32) -> Option<PackedMove> {
        const HIGH: u64 = ONES << 7;
        // The first byte that is greater than `left`: bit 7 says so, of the byte itself or of the
        // difference, into which no byte borrows.
        let wanted = u64::from(left + 1) * ONES;
        let reached = (((self.upto | HIGH).wrapping_sub(wanted)) | self.upto) & HIGH;
        if reached == 0 {
            return None;
        }
        let shift = reached.trailing_zeros() & 0x38;
        let before = (self.upto << 8) >> shift & 0xFF;
        let mut left = left.wrapping_sub(before as u32);
        for square in Bitboard(list.ours.0 & 0xFF << shift) {
            let entries = self.of(square);
            if left < entries {
                return list.nth_of(square, left);
            }
            left -= entries;
        }
        None
    }

    /// The number of entries of the men before a square.
    pub(super) fn before(&self, list: &List<'_>, square: Square) -> u32 {
        let shift = u32::from(square.index() & 0x38);
        let before = (self.upto << 8) >> shift & 0xFF;
        let file = 0xFF << shift & (square.bit().0 - 1);
        let beside = Bitboard(list.ours.0 & file).map(|square| self.of(square));
        before as u32 + beside.sum::<u32>()
    }

    /// The entries of one own man.
    #[inline(always)]
    fn of(&self, square: Square) -> u32 {
        let bit = square.bit().0;
        if self.pawns.all & bit != 0 {
            return self.pawns.of(square.index());
        }
        let count = self.men.get(usize::from(square.index()));
        u32::from(count.copied().unwrap_or(0))
    }
}

/// The pawns that have each kind of entry.
struct PawnSets {
    all: u64,
    single: u64,
    to_a: u64,
    to_h: u64,
    /// Those with one entry more: a double step, or what the register gives them.
    more: u64,
    /// Those whose steps and captures promote.
    promoting: u64,
}

impl PawnSets {
    #[inline(always)]
    fn new(list: &List<'_>, all: u64) -> PawnSets {
        let (empty, theirs) = (!list.occupied.0, list.theirs.0);
        let rank = |rank: u8| ONES << list.us.rank(rank);
        // On its last rank a pawn has no move at all.
        let able = all & !rank(7);
        let (step, two, to_a, to_h) = match list.us {
            Color::White => (empty >> 1, empty >> 2, theirs << 7, theirs >> 9),
            Color::Black => (empty << 1, empty << 2, theirs << 9, theirs >> 7),
        };
        let single = able & step;
        let double = single & two & rank(1);
        let file = |file: u32| if file < 8 { 0xFF << (8 * file) } else { 0 };
        let register = u32::from(list.register);
        let ep = file(register) | file(register.wrapping_sub(2));
        PawnSets {
            all,
            single,
            to_a: able & to_a,
            to_h: able & to_h,
            more: double | (all & rank(4) & ep),
            promoting: all & rank(6),
        }
    }

    /// A byte for each file.
    #[inline(always)]
    fn per_file(&self) -> u64 {
        // Of every four squares: at most four entries of three kinds, and one more.
        let nibbles = |set: u64| {
            let pairs = set - (set >> 1 & 0x5555_5555_5555_5555);
            (pairs & 0x3333_3333_3333_3333) + (pairs >> 2 & 0x3333_3333_3333_3333)
        };
        let bytes = |nibbles: u64| {
            (nibbles & 0x0F0F_0F0F_0F0F_0F0F) + (nibbles >> 4 & 0x0F0F_0F0F_0F0F_0F0F)
        };
        let steps =
            |of: u64| nibbles(self.single & of) + nibbles(self.to_a & of) + nibbles(self.to_h & of);
        let mut files = bytes(steps(u64::MAX) + nibbles(self.more));
        if self.promoting != 0 {
            files += 3 * bytes(steps(self.promoting));
        }
        files
    }

    #[inline(always)]
    fn of(&self, square: u8) -> u32 {
        let has = |set: u64| (set >> (square & 63) & 1) as u32;
        let steps = has(self.single) + has(self.to_a) + has(self.to_h);
        steps * (1 + 3 * has(self.promoting)) + has(self.more)
    }
}
