//! The start position of a game (docs/formats/chess-assistant.md, section 10).

use bitflags::bitflags;

/// The square and kind of the piece in a slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SlotEntry {
    /// Rank in the upper, file in the lower four bits; 8 if the slot is empty.
    pub place: u8,
    /// 1 pawn, 2 knight, 3 bishop, 4 rook, 5 queen, 6 king; 0 if the slot is empty.
    pub kind: u8,
}

impl SlotEntry {
    /// An empty slot.
    pub const ABSENT: SlotEntry = SlotEntry { place: 8, kind: 0 };
}

bitflags! {
    /// The castling rights of a start position.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
    pub struct CastlingRights: u8 {
        /// White may castle short.
        const WHITE_SHORT = 1 << 0;
        /// White may castle long.
        const WHITE_LONG = 1 << 1;
        /// Black may castle short.
        const BLACK_SHORT = 1 << 2;
        /// Black may castle long.
        const BLACK_LONG = 1 << 3;
    }
}

/// The 76 bytes after code 230.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StartPosition {
    /// White's pieces by slot, then Black's.
    pub sides: [[SlotEntry; 18]; 2],
    /// Number of half-moves played before; Black moves if odd.
    pub plies: u16,
    /// The castling rights.
    pub castling: CastlingRights,
    /// The en passant target square, like [`SlotEntry::place`]; 0 if none.
    pub en_passant: u8,
}

impl StartPosition {
    /// Size in bytes.
    pub const SIZE: usize = 76;

    /// Reads a start position.
    pub fn parse(bytes: &[u8; StartPosition::SIZE]) -> StartPosition {
        let (pairs, _) = bytes.as_chunks::<2>();
        let mut entries = pairs.iter().map(|&[place, kind]| SlotEntry { place, kind });
        let mut sides = [[SlotEntry::ABSENT; 18]; 2];
        // The slots are fewer than the pairs: the last two are the four fields below.
        for (slot, entry) in sides.as_flattened_mut().iter_mut().zip(&mut entries) {
            *slot = entry;
        }
        let &[.., p0, p1, castling, en_passant] = bytes;
        StartPosition {
            sides,
            plies: u16::from_le_bytes([p0, p1]),
            castling: CastlingRights::from_bits_retain(castling),
            en_passant,
        }
    }

    /// Returns the bytes of the start position.
    pub fn to_bytes(&self) -> [u8; StartPosition::SIZE] {
        let mut bytes = [0; StartPosition::SIZE];
        let [p0, p1] = self.plies.to_le_bytes();
        let pieces = self
            .sides
            .iter()
            .flatten()
            .flat_map(|entry| [entry.place, entry.kind]);
        let all = pieces.chain([p0, p1, self.castling.bits(), self.en_passant]);
        for (byte, value) in bytes.iter_mut().zip(all) {
            *byte = value;
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_position_comes_back(bytes in prop::collection::vec(any::<u8>(), 76)) {
            let bytes: [u8; 76] = bytes.try_into().unwrap();
            let start = StartPosition::parse(&bytes);
            prop_assert_eq!(start.to_bytes(), bytes);
            prop_assert_eq!(start.sides[1][17].kind, bytes[71]);
        }
    }
}
