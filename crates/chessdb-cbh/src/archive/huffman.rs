//! Huffman coding (docs/formats/cbh.md, section 13): the number of bytes in 16 bits; for each of
//! the 256 byte values the length of its code in four bits and the code; then the codes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::block::{BlockFault, Output};

/// The length of the longest code in bits.
const LONGEST: u32 = 15;

/// A reader of bits, highest bit first.
struct BitReader<'a> {
    bytes: &'a [u8],
    /// The next bits, aligned to the highest bit, and their number.
    ahead: u64,
    count: u32,
}

impl BitReader<'_> {
    fn fill(&mut self) {
        // With more than 56 bits there is no place for a whole byte.
        while self.count <= 56
            && let Some((&byte, rest)) = self.bytes.split_first()
        {
            self.ahead |= u64::from(byte) << (56 - self.count);
            self.count += 8;
            self.bytes = rest;
        }
    }

    /// Returns as many bits as the longest code has. Bits beyond the end are zero.
    fn peek(&mut self) -> usize {
        self.fill();
        (self.ahead >> (64 - LONGEST)) as usize
    }

    fn skip(&mut self, bits: u32) -> Result<(), BlockFault> {
        self.count = self.count.checked_sub(bits).ok_or(BlockFault::Truncated)?;
        self.ahead <<= bits;
        Ok(())
    }

    fn number(&mut self, bits: u32) -> Result<usize, BlockFault> {
        self.fill();
        let number = (self.ahead >> (64 - bits)) as usize;
        self.skip(bits)?;
        Ok(number)
    }
}

/// Unpacks a block of codes and appends its content.
pub(super) fn unpack(packed: &[u8], out: &mut Output<'_>) -> Result<(), BlockFault> {
    let mut bits = BitReader {
        bytes: packed,
        ahead: 0,
        count: 0,
    };
    let count = bits.number(16)?;
    // For each value of 15 bits the byte with the code at its start, and the length of the code; 0
    // if there is no such code.
    let mut codes = vec![(0u8, 0u8); 1 << LONGEST];
    for byte in 0..=u8::MAX {
        let length = bits.number(4)? as u32;
        if length == 0 {
            continue;
        }
        let code = bits.number(length)?;
        let width = 1usize << (LONGEST - length);
        let places = codes.get_mut(code * width..(code + 1) * width);
        for place in places.unwrap_or_default() {
            if place.1 != 0 {
                return Err(BlockFault::Code);
            }
            *place = (byte, length as u8);
        }
    }
    out.room(count)?;
    for _ in 0..count {
        let &(byte, length) = codes.get(bits.peek()).ok_or(BlockFault::Code)?;
        if length == 0 {
            return Err(BlockFault::Code);
        }
        bits.skip(length.into())?;
        out.put(&[byte])?;
    }
    Ok(())
}

/// Packs bytes for [`unpack`]. `None` if there are more than 65,535 bytes.
pub(super) fn pack(bytes: &[u8]) -> Option<Vec<u8>> {
    let count = u16::try_from(bytes.len()).ok()?;
    let mut frequencies = [0u32; 256];
    for &byte in bytes {
        *frequencies.get_mut(usize::from(byte))? += 1;
    }
    let table = codes(&lengths(frequencies));
    let mut out = BitWriter::default();
    out.put(count.into(), 16);
    for &(code, length) in &table {
        out.put(length, 4);
        out.put(code, length);
    }
    for &byte in bytes {
        let &(code, length) = table.get(usize::from(byte))?;
        out.put(code, length);
    }
    Some(out.finish())
}

/// A writer of bits, highest bit first.
#[derive(Default)]
struct BitWriter {
    bytes: Vec<u8>,
    ahead: u32,
    count: u32,
}

impl BitWriter {
    fn put(&mut self, number: u32, bits: u32) {
        self.ahead = self.ahead << bits | number;
        self.count += bits;
        while self.count >= 8 {
            self.count -= 8;
            self.bytes.push((self.ahead >> self.count) as u8);
        }
        self.ahead &= (1 << self.count) - 1;
    }

    fn finish(mut self) -> Vec<u8> {
        self.put(0, (8 - self.count) % 8);
        self.bytes
    }
}

/// Returns the length of each byte's code; 0 if the byte does not occur.
fn lengths(mut frequencies: [u32; 256]) -> [u32; 256] {
    // A single code would leave half of all bit sequences without a meaning.
    while frequencies
        .iter()
        .filter(|&&frequency| frequency > 0)
        .count()
        < 2
    {
        let unused = frequencies.iter_mut().find(|frequency| **frequency == 0);
        if let Some(frequency) = unused {
            *frequency = 1;
        }
    }
    loop {
        let lengths = tree(&frequencies);
        if lengths.iter().all(|&length| length <= LONGEST) {
            return lengths;
        }
        // The frequencies are flattened until all codes are short enough; equal frequencies give 8
        // bits.
        for frequency in frequencies.iter_mut().filter(|frequency| **frequency > 0) {
            *frequency = frequency.div_ceil(2);
        }
    }
}

/// Returns the length of each byte's code without a limit.
fn tree(frequencies: &[u32; 256]) -> [u32; 256] {
    let mut lengths = [0; 256];
    // The parent of each node; the first 256 nodes are the bytes.
    let mut parents = vec![None; 256];
    let leaves = frequencies
        .iter()
        .enumerate()
        .filter(|&(_, &frequency)| frequency > 0);
    let mut open: BinaryHeap<_> = leaves
        .map(|(byte, &frequency)| Reverse((frequency, byte)))
        .collect();
    while let (Some(Reverse((a, left))), Some(Reverse((b, right)))) = (open.pop(), open.pop()) {
        let node = parents.len();
        for child in [left, right] {
            if let Some(parent) = parents.get_mut(child) {
                *parent = Some(node);
            }
        }
        parents.push(None);
        // The last node is the root, which has no parent.
        if !open.is_empty() {
            open.push(Reverse((a + b, node)));
        }
    }
    for (byte, length) in lengths.iter_mut().enumerate() {
        let mut node = byte;
        while let Some(&Some(parent)) = parents.get(node) {
            *length += 1;
            node = parent;
        }
    }
    lengths
}

/// Assigns a code of each length such that no code is a prefix of another.
fn codes(lengths: &[u32; 256]) -> [(u32, u32); 256] {
    let mut codes = [(0, 0); 256];
    let mut next = 0;
    for length in 1..=LONGEST {
        next <<= 1;
        for (code, _) in codes
            .iter_mut()
            .zip(lengths)
            .filter(|(_, assigned)| **assigned == length)
        {
            *code = (next, length);
            next += 1;
        }
    }
    codes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn unpacked(packed: &[u8]) -> Result<Vec<u8>, BlockFault> {
        let mut out = Vec::new();
        let limit = 100_000;
        let mut output = Output {
            out: &mut out,
            limit,
        };
        unpack(packed, &mut output).map(|()| out)
    }

    #[test]
    fn codes_never_become_too_long() {
        // Each byte twice as frequent as the one before.
        let bytes: Vec<u8> = (0..16u8)
            .flat_map(|n| vec![n; 1 << n])
            .take(65_535)
            .collect();
        let packed = pack(&bytes).unwrap();
        assert_eq!(unpacked(&packed), Ok(bytes));
        assert_eq!(pack(&[0; 65_536]), None);
    }

    /// Two bytes, a as 0 and b as 1.
    #[test]
    fn the_page_agrees() {
        let packed = pack(b"abba").unwrap();
        let mut bits = packed
            .iter()
            .flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1));
        let mut number =
            |count| (0..count).fold(0, |n, _| n << 1 | u32::from(bits.next().unwrap()));
        assert_eq!(number(16), 4);
        for byte in 0..=u8::MAX {
            let expected = match byte {
                b'a' => 0b00010,
                b'b' => 0b00011,
                _ => 0,
            };
            let width = if expected > 0 { 5 } else { 4 };
            assert_eq!(number(width), expected);
        }
        assert_eq!(number(4), 0b0110);
        assert_eq!(
            unpacked(&packed[..packed.len() - 1]),
            Err(BlockFault::Truncated)
        );
    }

    proptest! {
        #[test]
        fn any_bytes_come_back(bytes in prop::collection::vec(any::<u8>(), 0..500)) {
            prop_assert_eq!(unpacked(&pack(&bytes).unwrap()), Ok(bytes));
        }
    }
}
