//! Table-based parsing of the most frequent forms of SAN from bytes in a register.

use super::{PlainMove, Referee};
use crate::rules::attacks::{
    BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK, between, hits, pawn, reach, sole,
};
use crate::{Color, PieceType};

impl Referee {
    /// Parses SAN in its most frequent forms: `e4`, `exd5`, `Nf3`, `Nxf3`, `Nbd2`, `R1xd2`, without
    /// trailing signs. The first of the `length` characters is the lowest byte of `word`; the bytes
    /// above the last one are ignored.
    ///
    /// [`crate::rules::read_san`] returns the same result. Returns `None` for everything else, to
    /// be read by that function: other notations, other kinds of moves, illegal moves, and doubtful
    /// cases.
    #[inline]
    pub fn read_plain_move(&mut self, word: u64, length: usize) -> Option<PlainMove> {
        self.update_checks();
        // Two to five characters; smaller lengths wrap around.
        if !self.ordinary || length.wrapping_sub(2) > 3 {
            return None;
        }
        let byte = |index: usize| (word >> ((index * 8) & 63)) as u8;
        let file = byte(length - 2).wrapping_sub(b'a');
        let rank = byte(length - 1).wrapping_sub(b'1');
        // Anything but a to h and 1 to 8 sets a higher bit in one of them.
        if (file | rank) > 7 {
            return None;
        }
        let to = file << 3 | rank;
        let kind = kind_of(byte(0));
        let us = self.board.turn();
        let own = self.board.by_color(us).0;
        if kind > PAWN {
            let origin = match length {
                3 => u64::MAX,
                4 => origin(byte(1)),
                // The mask rejects a second capture sign.
                5 if byte(2) == b'x' => {
                    origin(byte(1)) & (u64::from(byte(1) == b'x')).wrapping_sub(1)
                }
                _ => 0,
            };
            let all = own & self.board.type_set(kind) & reach(kind, to);
            let occupied = self.board.occupied().0;
            let mut from = all & origin;
            if from & from.wrapping_sub(1) != 0 {
                // There are several pieces; possibly only one of them is not blocked.
                from = unblocked(kind, from, to, occupied);
            }
            let from = sole(from)?;
            if own >> to & 1 != 0 || between(from, to) & occupied != 0 {
                return None;
            }
            let others = all & !(1 << from);
            return self.safe(us, kind, from, to).then_some(PlainMove {
                from,
                to,
                kind,
                others,
            });
        }
        if kind != PAWN {
            return None;
        }
        let last = to & 7 == us.rank(7);
        let from = match length {
            2 => self.step_to(us, to)?,
            4 if byte(1) == b'x' => {
                let pawns = own & self.board.type_set(PAWN);
                let taken = self.board.by_color(us.other()).0 >> to & 1 != 0;
                let from = sole(pawn(us.other(), to) & pawns & origin(byte(0)))?;
                if !taken {
                    return None;
                }
                from
            }
            _ => return None,
        };
        let plain_move = PlainMove {
            from,
            to,
            kind,
            others: 0,
        };
        (!last && self.safe(us, kind, from, to)).then_some(plain_move)
    }

    /// Returns the square of the pawn that can step to a square.
    #[inline(always)]
    fn step_to(&self, us: Color, to: u8) -> Option<u8> {
        let pawns = self.board.pieces(us, PieceType::Pawn).0;
        let occupied = self.board.occupied().0;
        let back = |square: u8| us.pick(square.wrapping_sub(1), square.wrapping_add(1)) & 63;
        if occupied >> to & 1 != 0 || to & 7 == us.rank(0) {
            return None;
        }
        let one = back(to);
        let two = back(one);
        let from = if to & 7 == us.rank(3) && occupied >> one & 1 == 0 { two } else { one };
        (pawns >> from & 1 != 0).then_some(from)
    }
}

/// Returns the pieces of a type in a set that have a free path to a square.
#[inline(never)]
fn unblocked(kind: u8, mut set: u64, to: u8, occupied: u64) -> u64 {
    let mut clear = 0;
    while set != 0 {
        let from = set.trailing_zeros() as u8;
        set &= set - 1;
        if hits(kind, from, to, occupied) {
            clear |= 1 << from;
        }
    }
    clear
}

/// Returns the type of piece for the first letter of a move: a pawn for a file, 0 for none.
#[inline(always)]
#[expect(
    clippy::indexing_slicing,
    reason = "a table of 256 entries, indexed by bytes"
)]
fn kind_of(letter: u8) -> u8 {
    const KINDS: [u8; 256] = {
        let mut kinds = [0; 256];
        let mut file = b'a';
        while file <= b'h' {
            kinds[file as usize] = PAWN;
            file += 1;
        }
        kinds[b'N' as usize] = KNIGHT;
        kinds[b'B' as usize] = BISHOP;
        kinds[b'R' as usize] = ROOK;
        kinds[b'Q' as usize] = QUEEN;
        kinds[b'K' as usize] = KING;
        kinds
    };
    KINDS[letter as usize]
}

/// Returns the squares that a piece may come from if this character follows its letter: the squares
/// of a file or rank, or all for the capture sign.
#[inline(always)]
#[expect(
    clippy::indexing_slicing,
    reason = "a table of 256 entries, indexed by bytes"
)]
fn origin(sign: u8) -> u64 {
    static ORIGINS: [u64; 256] = {
        let mut origins = [0; 256];
        let mut n = 0;
        while n < 8 {
            origins[b'a' as usize + n] = 0xFF << (n * 8);
            origins[b'1' as usize + n] = 0x0101_0101_0101_0101 << n;
            n += 1;
        }
        origins[b'x' as usize] = u64::MAX;
        origins
    };
    ORIGINS[sign as usize]
}
