//! A fast scan of all bytes of a game for properties of its texts.

/// The classes of unusual bytes that occur in a game, as a bit set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ByteClasses(u8);

impl ByteClasses {
    const WIDE: u8 = 1 << 7;
    const CONTROL: u8 = 1;

    /// Scans the bytes of a game.
    pub(crate) fn of_game(bytes: &[u8]) -> ByteClasses {
        let (chunks, rest) = bytes.as_chunks::<32>();
        let mut seen = [0; 32];
        for chunk in chunks {
            for (seen, &byte) in seen.iter_mut().zip(chunk) {
                *seen |= ByteClasses::class_of(byte);
            }
        }
        let seen = seen.iter().fold(0, |all, seen| all | seen);
        ByteClasses(
            rest.iter()
                .fold(seen, |all, &byte| all | ByteClasses::class_of(byte)),
        )
    }

    /// Returns the class of a byte. Free of branches, so that the scan is vectorized.
    #[inline(always)]
    const fn class_of(byte: u8) -> u8 {
        let control = (byte < b' ') & (byte != b'\n') & (byte != b'\r');
        byte & ByteClasses::WIDE | control as u8
    }

    /// Returns whether all bytes are ASCII.
    pub(crate) const fn is_ascii(self) -> bool {
        self.0 & ByteClasses::WIDE == 0
    }

    /// Returns whether any text of the game may be overwritten
    /// ([`chessdb_core::text::is_overwritten`]).
    pub(crate) const fn may_be_overwritten(self) -> bool {
        self.0 & (ByteClasses::WIDE | ByteClasses::CONTROL) != 0
    }
}

#[cfg(test)]
mod tests {
    use chessdb_core::text::is_overwritten;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn byte_classes_are_found_at_any_offset() {
        for byte in 0..=u8::MAX {
            for at in [0, 31, 32, 63, 64, 69] {
                let mut bytes = [b'a'; 70];
                bytes[at] = byte;
                let seen = ByteClasses::of_game(&bytes);
                assert_eq!(seen.is_ascii(), byte.is_ascii());
                let odd = byte < b' ' && !matches!(byte, b'\n' | b'\r') || !byte.is_ascii();
                assert_eq!(seen.may_be_overwritten(), odd, "{byte:02x}");
            }
        }
    }

    proptest! {
        #[test]
        fn what_is_overwritten_may_be(bytes in "[\\x00-\\x1fa]{0,80}", filled in 0..20_usize) {
            let bytes = [bytes.as_bytes(), &[0xFF; 20][..filled]].concat();
            prop_assert!(!is_overwritten(&bytes) || ByteClasses::of_game(&bytes).may_be_overwritten());
        }
    }
}
