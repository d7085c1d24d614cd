//! Start positions (docs/formats/cbh.md, sections 5.1 to 5.3).

use super::bytes::{array, be16};

/// A start position as stored before the moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StartPosition {
    /// 1.
    pub mark: u8,
    /// The en passant file 1 to 8 in bits 0 to 3; bit 4: Black moves.
    pub turn: u8,
    /// Castling rights from bit 0: White O-O-O, O-O, Black O-O-O, O-O.
    pub castling: u8,
    /// The number of the first move; 0 means 1.
    pub number: u8,
    /// The board, bit by bit.
    pub board: [u8; 24],
}

impl StartPosition {
    /// The size of a position in bytes.
    pub const SIZE: usize = 28;

    /// Parses a position. Any bytes are valid.
    pub fn parse(bytes: &[u8; StartPosition::SIZE]) -> StartPosition {
        let [mark, turn, castling, number] = array(bytes, 0);
        StartPosition {
            mark,
            turn,
            castling,
            number,
            board: array(bytes, 4),
        }
    }

    /// Returns the bytes of the position.
    pub fn to_bytes(&self) -> [u8; StartPosition::SIZE] {
        let mut bytes = [0; StartPosition::SIZE];
        let fields = [self.mark, self.turn, self.castling, self.number];
        for (byte, field) in bytes.iter_mut().zip(fields.into_iter().chain(self.board)) {
            *byte = field;
        }
        bytes
    }
}

/// The block after the position in Chess960 games: the squares of the White and the Black king, of
/// White's rooks on the king's and the queen's side, and of Black's rooks, and the number of the
/// position. Some games have only the first four bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Chess960Block {
    /// The squares.
    pub squares: [u8; 6],
    /// The number of the position, which is sometimes wrong.
    pub number: u16,
}

impl Chess960Block {
    /// The size of a complete block in bytes.
    pub const SIZE: usize = 8;
    /// The size of a short block in bytes.
    pub const SHORT: usize = 4;

    /// Parses a block. Any bytes are valid.
    pub fn parse(bytes: &[u8; Chess960Block::SIZE]) -> Chess960Block {
        Chess960Block {
            squares: array(bytes, 0),
            number: be16(bytes, 6),
        }
    }

    /// Returns the bytes of the block.
    pub fn to_bytes(&self) -> [u8; Chess960Block::SIZE] {
        let [a, b, c, d, e, f] = self.squares;
        let [high, low] = self.number.to_be_bytes();
        [a, b, c, d, e, f, high, low]
    }

    /// Returns true if Black's rooks are on the files of White's, as in every complete block of
    /// genuine files.
    pub fn is_whole(&self) -> bool {
        let [_, _, short, long, black_short, black_long] = self.squares;
        black_short == short.wrapping_add(7) && black_long == long.wrapping_add(7)
    }
}

#[cfg(test)]
mod tests {
    use hex_literal::hex;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn blocks_of_the_page() {
        let whole = Chess960Block::parse(&hex!("28 2F 30 00 37 07 01D4"));
        assert!(whole.is_whole() && whole.number == 468);
        assert!(!Chess960Block::parse(&hex!("20 27 30 18 73 AD 9C 7D")).is_whole());
    }

    proptest! {
        #[test]
        fn any_bytes_come_back(bytes in any::<[u8; 28]>()) {
            prop_assert_eq!(StartPosition::parse(&bytes).to_bytes(), bytes);
            let block = bytes.first_chunk().unwrap();
            prop_assert_eq!(Chess960Block::parse(block).to_bytes(), *block);
        }
    }
}
