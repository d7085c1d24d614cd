//! The differences in SCID 3: an index entry of 46 bytes (docs/formats/scid.md, section 9), and a
//! header like in SCID 4, but without the names of custom flags. Games and names are identical.

use std::ops::Range;

use chessdb_core::record::{narrow, widen};

use super::index::Entry;

/// The byte of a SCID 4 entry that SCID 3 lacks: the highest bit of the length and the custom
/// flags.
const MISSING: usize = 6;

impl Entry {
    /// The size of an entry in SCID 3, in bytes.
    pub const SI3_SIZE: usize = Entry::SIZE - 1;
    /// The bytes of an entry that SCID 3 lacks.
    pub const NOT_IN_SI3: Range<u64> = MISSING as u64..MISSING as u64 + 1;

    /// Reads an entry of SCID 3. Any bytes are valid.
    pub fn parse_si3(b: &[u8; Entry::SI3_SIZE]) -> Entry {
        Entry::parse(&widen(b, MISSING))
    }

    /// Returns the bytes of the entry in SCID 3, without what it cannot hold: custom flags, the
    /// spare bit, lengths above 65,535.
    pub fn to_si3_bytes(&self) -> [u8; Entry::SI3_SIZE] {
        narrow(&self.to_bytes(), MISSING)
    }
}

#[cfg(test)]
mod tests {
    use hex_literal::hex;
    use proptest::prelude::*;

    use super::*;
    use crate::raw::IndexFlags;

    proptest! {
        #[test]
        fn every_entry_comes_back(bytes in prop::array::uniform32(any::<u8>()),
                                  more in prop::array::uniform14(any::<u8>())) {
            let bytes: [u8; 46] = [&bytes[..], &more].concat().try_into().unwrap();
            let entry = Entry::parse_si3(&bytes);
            prop_assert_eq!(entry.to_si3_bytes(), bytes);
            prop_assert!(entry.length <= 65_535 && !entry.spare);
        }
    }

    /// Tests the first entry of a genuine database, as far as section 11.4 shows it.
    #[test]
    fn the_example_of_the_page() {
        let mut bytes = [0; 46];
        bytes[..8].copy_from_slice(&hex!("00002EC4 002C 0001"));
        let entry = Entry::parse_si3(&bytes);
        assert_eq!((entry.offset, entry.length), (0x2EC4, 44));
        assert_eq!(entry.flags, IndexFlags::START);
    }
}
