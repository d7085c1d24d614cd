//! The index file (docs/formats/cbf.md, section 2), which consists of big-endian longwords.

/// An index file: one longword for the number of games, one per game, and one for the end of the
/// games file. Each entry is stored with its own number, counted from 1, and another 1 added.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Index {
    /// The longwords.
    pub words: Vec<u32>,
    /// Up to three bytes after the last complete longword.
    pub tail: Vec<u8>,
}

impl Index {
    /// Parses an index. Any bytes are valid.
    pub fn parse(bytes: &[u8]) -> Index {
        let (words, tail) = Index::split(bytes);
        Index {
            words: words.iter().map(|word| u32::from_be_bytes(*word)).collect(),
            tail: tail.to_vec(),
        }
    }

    /// Returns the bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let bytes = self.words.iter().flat_map(|word| word.to_be_bytes());
        bytes.chain(self.tail.iter().copied()).collect()
    }

    /// Splits a file into the raw longwords and the remaining bytes.
    pub fn split(bytes: &[u8]) -> (&[[u8; 4]], &[u8]) {
        bytes.as_chunks()
    }

    /// Creates the index of records at these offsets in a games file of `end` bytes. `None` if an
    /// offset exceeds the range of a longword.
    pub fn new(offsets: &[u64], end: u64) -> Option<Index> {
        let count = u32::try_from(offsets.len()).ok()?.checked_add(1)?;
        let mut words = vec![count];
        for (place, &offset) in (1..).zip(offsets.iter().chain([&end])) {
            words.push(Index::word(place, offset)?);
        }
        Some(Index {
            words,
            tail: Vec::new(),
        })
    }

    /// Returns the offset in the file of the longword at index `place`.
    pub const fn byte(place: u32) -> u64 {
        4 * place as u64
    }

    /// Returns the longword that stores `offset` at index `place`, counted from 1. `None` on
    /// overflow.
    pub fn word(place: u32, offset: u64) -> Option<u32> {
        u32::try_from(offset.checked_add(u64::from(place))?.checked_add(1)?).ok()
    }

    /// Returns the offset stored as `word` at index `place`, counted from 1. `None` if it would be
    /// negative.
    pub fn offset(place: u32, word: u32) -> Option<u64> {
        let more = u64::from(place) + 1;
        u64::from(word).checked_sub(more)
    }
}

#[cfg(test)]
mod tests {
    use hex_literal::hex;
    use proptest::prelude::*;

    use super::*;

    /// Section 13.
    #[test]
    fn the_page_agrees() {
        let stored = hex!("00000005 00000002 0000004C 0000008B 000000A6 000000C9");
        let index = Index::new(&[0, 73, 73 + 62, 73 + 62 + 26], 195).unwrap();
        assert_eq!(index.to_bytes(), stored);
        assert_eq!(Index::parse(&stored), index);
        assert_eq!(Index::new(&[], 0).unwrap().words, [1, 2]);
        assert_eq!(
            Index::new(&[0, 48, 87], 122).unwrap().words,
            [4, 2, 51, 91, 127]
        );
    }

    proptest! {
        #[test]
        fn every_file_comes_back(bytes in prop::collection::vec(any::<u8>(), 0..99)) {
            prop_assert_eq!(Index::parse(&bytes).to_bytes(), bytes);
        }

        #[test]
        fn offsets_come_back(place in 1u32.., offset in any::<u64>()) {
            if let Some(word) = Index::word(place, offset) {
                prop_assert_eq!(Index::offset(place, word), Some(offset));
            }
        }
    }
}
