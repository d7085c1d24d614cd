//! Bytes among the moves that may end a game, found many at once.

/// Whether a byte among the moves can say anything about where the game ends. Without a table and
/// without branches, so that many bytes are looked at together.
#[inline(always)]
pub(super) const fn matters(byte: u8) -> bool {
    matches!(byte, b'(' | b')' | b'*')
        | matches!(byte, b'-' | b'/' | b'%')
        | matches!(byte, b':' | b';')
        | matches!(byte, b'[' | b'{')
        | matches!(byte, b'\n' | b'\r')
        | matches!(byte, 0xE2 | 0x96 | 0x97)
}

/// Up to 32 bytes of which some matter.
pub(super) struct Block {
    /// Where it stands.
    pub(super) start: usize,
    pub(super) length: usize,
    /// Which of its bytes matter, the first one by the lowest bit.
    pub(super) signs: u32,
}

impl Block {
    /// The next one in these bytes.
    #[inline]
    pub(super) fn next(bytes: &[u8]) -> Option<Block> {
        let (chunks, rest) = bytes.as_chunks::<32>();
        for (n, chunk) in chunks.iter().enumerate() {
            let signs = signs_of(chunk);
            if signs != 0 {
                return Some(Block {
                    start: 32 * n,
                    length: 32,
                    signs,
                });
            }
        }
        // The signs behind the last byte are none: 0 does not matter.
        let mut last = [0; 32];
        last.get_mut(..rest.len())?.copy_from_slice(rest);
        let signs = signs_of(&last);
        (signs != 0).then_some(Block {
            start: bytes.len() - rest.len(),
            length: rest.len(),
            signs,
        })
    }
}

/// Which of these bytes matter. They are looked at together, without an early end.
#[inline(always)]
fn signs_of(chunk: &[u8; 32]) -> u32 {
    let mut flags = [0u8; 32];
    for (flag, &byte) in flags.iter_mut().zip(chunk) {
        *flag = u8::from(matters(byte));
    }
    // Of eight bytes that are 0 or 1 the product has all in its highest byte.
    let (words, _) = flags.as_chunks::<8>();
    words.iter().rev().fold(0, |signs, word| {
        let packed = u64::from_le_bytes(*word).wrapping_mul(0x0102_0408_1020_4080);
        signs << 8 | (packed >> 56) as u32
    })
}
