//! The raw structure of a book: two bytes per move.

use chessdb_core::Square;

/// A move of a book.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The square that the piece leaves.
    pub from: Square,
    /// The square that the piece moves to.
    pub to: Square,
    /// Bit 6 of the first byte is clear: an alternative to this move follows after the lines that
    /// continue it.
    pub has_alternative: bool,
    /// Bit 7 of the first byte: no move follows this one.
    pub ends_line: bool,
    /// Bit 6 of the second byte, with unknown meaning.
    pub unused: bool,
    /// Bit 7 of the second byte: the move should not be played.
    pub weak: bool,
}

impl Entry {
    /// Parses a move. Any two bytes are valid.
    pub fn parse(bytes: &[u8; 2]) -> Entry {
        let [first, second] = *bytes;
        Entry {
            from: square(first),
            to: square(second),
            has_alternative: first & 0x40 == 0,
            ends_line: first & 0x80 != 0,
            unused: second & 0x40 != 0,
            weak: second & 0x80 != 0,
        }
    }

    /// Returns the two bytes of the move.
    pub fn to_bytes(&self) -> [u8; 2] {
        let bit = |set: bool, bit: u8| if set { bit } else { 0 };
        [
            number(self.from) | bit(!self.has_alternative, 0x40) | bit(self.ends_line, 0x80),
            number(self.to) | bit(self.unused, 0x40) | bit(self.weak, 0x80),
        ]
    }
}

/// Returns the square with a number that counts rank by rank: a1, b1, … h8.
fn square(byte: u8) -> Square {
    Square::new_masked((byte & 7) << 3 | byte >> 3 & 7)
}

fn number(square: Square) -> u8 {
    square.rank() << 3 | square.file()
}

/// The content of a book file.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Book {
    /// The moves in the order of the file.
    pub entries: Vec<Entry>,
    /// The byte after the last move, if the file has an odd number of bytes.
    pub tail: Vec<u8>,
}

impl Book {
    /// Parses a book. Any bytes are valid.
    pub fn parse(bytes: &[u8]) -> Book {
        let (entries, tail) = Book::split(bytes);
        Book {
            entries: entries.iter().map(Entry::parse).collect(),
            tail: tail.to_vec(),
        }
    }

    /// Returns the bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let entries = self.entries.iter().flat_map(Entry::to_bytes);
        entries.chain(self.tail.iter().copied()).collect()
    }

    /// Splits a file into the raw moves and the remaining byte, if any.
    pub fn split(bytes: &[u8]) -> (&[[u8; 2]], &[u8]) {
        bytes.as_chunks()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn bits_are_those_of_the_page() {
        let entry = Entry::parse(&[12 | 0x40, 28 | 0x80]);
        assert_eq!(
            (entry.from.to_string(), entry.to.to_string()),
            ("e2".into(), "e4".into())
        );
        assert!(!entry.has_alternative && !entry.ends_line && entry.weak && !entry.unused);
    }

    proptest! {
        #[test]
        fn every_book_comes_back(bytes in prop::collection::vec(any::<u8>(), 0..99)) {
            prop_assert_eq!(Book::parse(&bytes).to_bytes(), bytes);
        }
    }
}
