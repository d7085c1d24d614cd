//! The start position of a game (docs/formats/chess-assistant.md, section 10).

/// What stands in a slot: where, and what.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SlotEntry {
    /// Rank in the upper, file in the lower four bits; 8 for nobody.
    pub place: u8,
    /// 1 pawn, 2 knight, 3 bishop, 4 rook, 5 queen, 6 king; 0 for nobody.
    pub kind: u8,
}

impl SlotEntry {
    /// Nobody.
    pub const ABSENT: SlotEntry = SlotEntry { place: 8, kind: 0 };
}

/// The 76 bytes behind code 230.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StartPosition {
    /// White's pieces by slot, then Black's.
    pub sides: [[SlotEntry; 18]; 2],
    /// Half-moves played before; Black moves if odd.
    pub plies: u16,
    /// 1 White short, 2 White long, 4 Black short, 8 Black long.
    pub castling: u8,
    /// The square that can be taken en passant, like [`SlotEntry::place`]; 0 none.
    pub en_passant: u8,
}

impl StartPosition {
    /// Bytes of it.
    pub const SIZE: usize = 76;

    /// Reads a start position.
    pub fn parse(bytes: &[u8; StartPosition::SIZE]) -> StartPosition {
        let (pairs, _) = bytes.as_chunks::<2>();
        let mut entries = pairs.iter().map(|&[place, kind]| SlotEntry { place, kind });
        let mut sides = [[SlotEntry::ABSENT; 18]; 2];
        for (slot, entry) in sides.as_flattened_mut().iter_mut().zip(&mut entries) {
            *slot = entry;
        }
        let &[.., p0, p1, castling, en_passant] = bytes;
        StartPosition {
            sides,
            plies: u16::from_le_bytes([p0, p1]),
            castling,
            en_passant,
        }
    }

    /// The bytes of it.
    pub fn to_bytes(&self) -> [u8; StartPosition::SIZE] {
        let mut bytes = [0; StartPosition::SIZE];
        let [p0, p1] = self.plies.to_le_bytes();
        let pieces = self
            .sides
            .iter()
            .flatten()
            .flat_map(|entry| [entry.place, entry.kind]);
        let all = pieces.chain([p0, p1, self.castling, self.en_passant]);
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
