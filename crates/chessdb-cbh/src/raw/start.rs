//! Start positions (docs/formats/cbh.md, sections 5.1 to 5.3).

use chessdb_core::record;
use chessdb_core::record::Big;

record! {
    /// A start position as stored before the moves.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct StartPosition: Big, 28 {
        /// 1.
        0..1 mark: u8 = "start position: {mark}",
        /// The en passant file 1 to 8 in bits 0 to 3; bit 4: Black moves.
        1..2 turn: u8 = "side to move, en passant: {turn:#04x}",
        /// Castling rights from bit 0: White O-O-O, O-O, Black O-O-O, O-O.
        2..3 castling: u8 = "castling: {castling:#04x}",
        /// The number of the first move; 0 means 1.
        3..4 number: u8 = "number of the first move: {number}",
        /// The board, bit by bit.
        4..28 board: [u8; 24] = "board",
    }
}

record! {
    /// The block after the position in Chess960 games: the squares of the White and the Black king,
    /// of White's rooks on the king's and the queen's side, and of Black's rooks, and the number of
    /// the position. Some games have only the first four bytes.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct Chess960Block: Big, 8 {
        /// The squares.
        0..6 squares: [u8; 6] = "squares of kings and rooks",
        /// The number of the position, which is sometimes wrong.
        6..8 number: u16 = "Chess960 position {number}",
    }
}

impl Chess960Block {
    /// The size of a short block in bytes.
    pub const SHORT: usize = 4;

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
