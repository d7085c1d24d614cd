//! The start position of a game: 33 bytes at the end of its record (docs/formats/cbf.md,
//! section 9). Side to move, castling rights and en passant stand in the header.

/// A start position. Every square is a number of four bits, so that nothing gets lost.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Position {
    /// a1, b1, … h1, a2, … h8: 0 empty, 1 to 6 king, queen, knight, bishop, rook and pawn of
    /// White, 8 more of Black.
    pub squares: [u8; 64],
    /// The number of the first move, minus 1.
    pub moves_before: u8,
}

impl Position {
    /// Bytes of a position.
    pub const SIZE: usize = 33;

    /// Takes any bytes.
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

    /// The bytes; of each square the low four bits.
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
