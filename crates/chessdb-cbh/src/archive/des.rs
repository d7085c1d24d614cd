//! The cipher of .cbz (docs/formats/cbh.md, section 14): DES in ECB mode.

use std::fmt;
use std::io::{self, Read};

/// A key derived from a password.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Key([u8; BLOCK]);

/// Hides the key, which is as secret as the password.
impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(..)")
    }
}

/// The size of a block in bytes.
pub(super) const BLOCK: usize = 8;

impl Key {
    /// Derives the key of a password: a short one is repeated, a long one folded.
    pub fn new(password: &[u8]) -> Key {
        let mut key = [0u8; BLOCK];
        if password.len() > BLOCK {
            for part in password.chunks(BLOCK) {
                for (place, byte) in key.iter_mut().zip(part) {
                    *place = (*place << 1) ^ byte;
                }
            }
        } else {
            for (place, byte) in key.iter_mut().zip(password.iter().cycle()) {
                *place = *byte;
            }
        }
        Key(key)
    }

    /// Deciphers a block.
    pub fn decipher(&self, block: [u8; BLOCK]) -> [u8; BLOCK] {
        rounds(block, self.rounds().iter().rev())
    }

    /// Enciphers a block.
    pub fn encipher(&self, block: [u8; BLOCK]) -> [u8; BLOCK] {
        rounds(block, self.rounds().iter())
    }

    /// Enciphers all complete blocks.
    pub(super) fn encipher_all(&self, bytes: &mut [u8]) {
        let keys = self.rounds();
        let (blocks, _) = bytes.as_chunks_mut();
        for block in blocks {
            *block = rounds(*block, keys.iter());
        }
    }

    fn rounds(&self) -> [u64; 16] {
        round_keys(u64::from_be_bytes(self.0))
    }
}

/// A reader that deciphers complete blocks from another reader. An incomplete block at the end is
/// dropped.
pub struct Deciphered<R> {
    inner: R,
    rounds: [u64; 16],
    ready: Vec<u8>,
    at: usize,
}

impl<R: fmt::Debug> fmt::Debug for Deciphered<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Deciphered");
        shown.field("inner", &self.inner).finish_non_exhaustive()
    }
}

impl<R: Read> Deciphered<R> {
    /// Creates a reader that deciphers with `key`.
    pub fn new(inner: R, key: Key) -> Deciphered<R> {
        Deciphered {
            inner,
            rounds: key.rounds(),
            ready: Vec::new(),
            at: 0,
        }
    }

    fn fill(&mut self) -> io::Result<()> {
        const PIECE: usize = 8 << 10;
        self.at = 0;
        self.ready.clear();
        self.inner
            .by_ref()
            .take(PIECE as u64)
            .read_to_end(&mut self.ready)?;
        let whole = self.ready.len() / BLOCK * BLOCK;
        self.ready.truncate(whole);
        let (blocks, _) = self.ready.as_chunks_mut();
        for block in blocks {
            *block = rounds(*block, self.rounds.iter().rev());
        }
        Ok(())
    }
}

impl<R: Read> Read for Deciphered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at == self.ready.len() {
            self.fill()?;
        }
        let mut ready = self.ready.get(self.at..).unwrap_or_default();
        let count = ready.read(buffer)?;
        self.at += count;
        Ok(count)
    }
}

/// Applies the sixteen rounds between the initial and the final permutation.
fn rounds<'k>(block: [u8; BLOCK], keys: impl Iterator<Item = &'k u64>) -> [u8; BLOCK] {
    let mixed = permute(u64::from_be_bytes(block), 64, &FIRST);
    let (mut left, mut right) = ((mixed >> 32) as u32, mixed as u32);
    for key in keys {
        (left, right) = (right, left ^ round(right, *key));
    }
    permute(u64::from(right) << 32 | u64::from(left), 64, &LAST).to_be_bytes()
}

/// Applies one round to eight groups of six bits. Each group includes one bit of each neighboring
/// group.
fn round(half: u32, key: u64) -> u32 {
    let turned = half.rotate_right(1);
    let mut out = 0;
    for (n, boxed) in (0u32..).zip(&BOXES) {
        let bits = turned.rotate_left(4 * n) >> 26;
        let key = (key >> (42 - 6 * n)) as u32 & 63;
        out |= boxed.get((bits ^ key) as usize).copied().unwrap_or(0);
    }
    out
}

/// Returns the keys of the rounds, 48 bits each.
fn round_keys(key: u64) -> [u64; 16] {
    const HALF: u32 = 28;
    const MASK: u64 = (1 << HALF) - 1;
    let chosen = permute(key, 64, &CHOICE_1);
    let (mut c, mut d) = (chosen >> HALF, chosen & MASK);
    let turn = |half: u64, by: u32| (half << by | half >> (HALF - by)) & MASK;
    SHIFTS.map(|by| {
        (c, d) = (turn(c, by), turn(d, by));
        permute(c << HALF | d, 56, &CHOICE_2)
    })
}

/// Selects the bits listed in a table, counted from 1 at the highest of `width` bits.
const fn permute<const N: usize>(bits: u64, width: u8, table: &[u8; N]) -> u64 {
    let mut out = 0;
    let mut rest: &[u8] = table;
    while let Some((at, after)) = rest.split_first() {
        out = out << 1 | (bits >> (width - *at)) & 1;
        rest = after;
    }
    out
}

/// The output of each box for six bits, after the permutation that follows the boxes.
const BOXES: [[u32; 64]; 8] = boxes();

#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
const fn boxes() -> [[u32; 64]; 8] {
    let mut boxes = [[0; 64]; 8];
    let mut n = 0;
    while n < 8 {
        let mut bits = 0;
        while bits < 64 {
            // The outer two bits select the row, the inner four the column.
            let row = (bits >> 4 & 2) | bits & 1;
            let column = bits >> 1 & 15;
            let value = S[n][row].to_be_bytes()[column / 2];
            let value = if column % 2 == 0 {
                value >> 4
            } else {
                value & 15
            };
            let placed = (value as u64) << (28 - 4 * n);
            boxes[n][bits] = permute(placed, 32, &P) as u32;
            bits += 1;
        }
        n += 1;
    }
    boxes
}

/// The substitution boxes: eight boxes of four rows, with the sixteen values of a row as
/// hexadecimal digits.
const S: [[u64; 4]; 8] = [
    [
        0xE4D12FB83A6C5907,
        0x0F74E2D1A6CB9538,
        0x41E8D62BFC973A50,
        0xFC8249175B3EA06D,
    ],
    [
        0xF18E6B34972DC05A,
        0x3D47F28EC01A69B5,
        0x0E7BA4D158C6932F,
        0xD8A13F42B67C05E9,
    ],
    [
        0xA09E63F51DC7B428,
        0xD709346A285ECBF1,
        0xD6498F30B12C5AE7,
        0x1AD069874FE3B52C,
    ],
    [
        0x7DE3069A1285BC4F,
        0xD8B56F03472C1AE9,
        0xA690CB7DF13E5284,
        0x3F06A1D8945BC72E,
    ],
    [
        0x2C417AB6853FD0E9,
        0xEB2C47D150FA3986,
        0x421BAD78F9C5630E,
        0xB8C71E2D6F09A453,
    ],
    [
        0xC1AF92680D34E75B,
        0xAF427C9561DE0B38,
        0x9EF528C3704A1DB6,
        0x432C95FABE17608D,
    ],
    [
        0x4B2EF08D3C975A61,
        0xD0B7491AE35C2F86,
        0x14BDC37EAF680592,
        0x6BD814A7950FE23C,
    ],
    [
        0xD2846FB1A93E50C7,
        0x1FD8A374C56B0E92,
        0x7B419CE206ADF358,
        0x21E74A8DFC90356B,
    ],
];

/// The initial permutation.
const FIRST: [u8; 64] = [
    58, 50, 42, 34, 26, 18, 10, 2, 60, 52, 44, 36, 28, 20, 12, 4, 62, 54, 46, 38, 30, 22, 14, 6,
    64, 56, 48, 40, 32, 24, 16, 8, 57, 49, 41, 33, 25, 17, 9, 1, 59, 51, 43, 35, 27, 19, 11, 3, 61,
    53, 45, 37, 29, 21, 13, 5, 63, 55, 47, 39, 31, 23, 15, 7,
];

/// The final permutation.
const LAST: [u8; 64] = [
    40, 8, 48, 16, 56, 24, 64, 32, 39, 7, 47, 15, 55, 23, 63, 31, 38, 6, 46, 14, 54, 22, 62, 30,
    37, 5, 45, 13, 53, 21, 61, 29, 36, 4, 44, 12, 52, 20, 60, 28, 35, 3, 43, 11, 51, 19, 59, 27,
    34, 2, 42, 10, 50, 18, 58, 26, 33, 1, 41, 9, 49, 17, 57, 25,
];

/// The permutation after the boxes.
const P: [u8; 32] = [
    16, 7, 20, 21, 29, 12, 28, 17, 1, 15, 23, 26, 5, 18, 31, 10, 2, 8, 24, 14, 32, 27, 3, 9, 19,
    13, 30, 6, 22, 11, 4, 25,
];

/// The bits of the key that are used.
const CHOICE_1: [u8; 56] = [
    57, 49, 41, 33, 25, 17, 9, 1, 58, 50, 42, 34, 26, 18, 10, 2, 59, 51, 43, 35, 27, 19, 11, 3, 60,
    52, 44, 36, 63, 55, 47, 39, 31, 23, 15, 7, 62, 54, 46, 38, 30, 22, 14, 6, 61, 53, 45, 37, 29,
    21, 13, 5, 28, 20, 12, 4,
];

/// The bits used in a round.
const CHOICE_2: [u8; 48] = [
    14, 17, 11, 24, 1, 5, 3, 28, 15, 6, 21, 10, 23, 19, 12, 4, 26, 8, 16, 7, 27, 20, 13, 2, 41, 52,
    31, 37, 47, 55, 30, 40, 51, 45, 33, 48, 44, 49, 39, 56, 34, 53, 46, 42, 50, 36, 29, 32,
];

/// The rotation of the key halves before each round.
const SHIFTS: [u32; 16] = [1, 1, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2, 2, 1];

#[cfg(test)]
mod tests {
    use hex_literal::hex;

    use super::*;

    /// A widely published example.
    #[test]
    fn the_cipher_is_des() {
        let key = Key::new(&hex!("133457799BBCDFF1"));
        let open = hex!("0123456789ABCDEF");
        let hidden = hex!("85E813540F0AB405");
        assert_eq!(key.encipher(open), hidden);
        assert_eq!(key.decipher(hidden), open);
    }

    #[test]
    fn keys_of_passwords() {
        assert_eq!(Key::new(b"pass"), Key::new(b"passpass"));
        assert_ne!(Key::new(b"password1"), Key::new(b"password"));
        // The ninth byte is combined with the shifted first byte.
        let folded = [&[(b'p' << 1) ^ b'1'][..], b"assword"].concat();
        assert_eq!(Key::new(b"password1"), Key::new(&folded));
        assert_eq!(format!("{:?}", Key::new(b"secret")), "Key(..)");
    }
}
