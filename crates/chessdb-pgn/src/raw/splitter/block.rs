//! A vectorized search for bytes among the moves that may end a game.

/// Returns whether a byte among the moves can affect where the game ends. Uses neither a table nor
/// branches, so that the search is vectorized.
#[inline(always)]
pub(super) const fn matters(byte: u8) -> bool {
    matches!(byte, b'(' | b')' | b'*')
        | matches!(byte, b'-' | b'/' | b'%')
        | matches!(byte, b':' | b';')
        | matches!(byte, b'[' | b'{')
        | matches!(byte, b'\n' | b'\r')
        | matches!(byte, 0xE2 | 0x96 | 0x97)
}

/// A block of up to 32 bytes, some of them significant.
pub(super) struct Block {
    /// The offset of the block.
    pub(super) start: usize,
    pub(super) length: usize,
    /// The significant bytes as a mask; the lowest bit is the first byte.
    pub(super) signs: u32,
}

impl Block {
    /// Returns the first block with a significant byte.
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
        // The padding is not significant: 0 does not matter.
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

/// Returns the mask of significant bytes. Has no early exit, so that it is vectorized.
#[inline(always)]
fn signs_of(chunk: &[u8; 32]) -> u32 {
    let mut flags = [0u8; 32];
    for (flag, &byte) in flags.iter_mut().zip(chunk) {
        *flag = u8::from(matters(byte));
    }
    // The multiplication collects eight bytes of 0 or 1 as bits of its highest byte.
    let (words, _) = flags.as_chunks::<8>();
    words.iter().rev().fold(0, |signs, word| {
        let packed = u64::from_le_bytes(*word).wrapping_mul(0x0102_0408_1020_4080);
        signs << 8 | (packed >> 56) as u32
    })
}
