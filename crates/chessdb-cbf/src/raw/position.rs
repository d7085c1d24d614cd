//! The start position of a game: 33 bytes at the end of its record (docs/formats/cbf.md, section
//! 9). Side to move, castling rights and en passant are stored in the header.

/// A start position. Each square keeps its four-bit number, so that invalid numbers are preserved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Position {
    /// The squares a1, b1, … h1, a2, … h8: 0 empty, 1 to 6 king, queen, knight, bishop, rook and
    /// pawn of White, and 8 more for Black.
    pub squares: [u8; 64],
    /// The number of the first move, minus 1.
    pub moves_before: u8,
}

impl Position {
    /// The size of a position in bytes.
    pub const SIZE: usize = 33;

    /// Parses a position. Any bytes are valid.
    pub fn parse(bytes: &[u8; Position::SIZE]) -> Position {
        let [pieces @ .., moves_before] = bytes;
        let mut squares = [0; 64];
        for (pair, byte) in squares.as_chunks_mut::<2>().0.iter_mut().zip(pieces) {
            *pair = [byte >> 4, byte & 15];
        }
        Position {
            squares,
            moves_before: *moves_before,
        }
    }

    /// Returns the bytes of the position, using the low four bits of each square.
    pub fn to_bytes(&self) -> [u8; Position::SIZE] {
        let mut bytes = [self.moves_before; Position::SIZE];
        for (byte, [left, right]) in bytes.iter_mut().zip(self.squares.as_chunks::<2>().0) {
            *byte = left << 4 | right & 15;
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_byte_comes_back(bytes in prop::array::uniform32(any::<u8>()), last in any::<u8>()) {
            let mut all = [last; Position::SIZE];
            all[..32].copy_from_slice(&bytes);
            prop_assert_eq!(Position::parse(&all).to_bytes(), all);
        }
    }
}
