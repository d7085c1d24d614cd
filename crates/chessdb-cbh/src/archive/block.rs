//! The compressed blocks of an archive member (docs/formats/cbh.md, section 13).

use std::fmt;

use super::huffman;

/// The maximum distance of a copy. The unpacker keeps this many bytes of earlier output.
pub(super) const REACH: usize = 16 * 255 + 15 + 3;

/// The reason why a block cannot be unpacked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum BlockFault {
    Truncated,
    Mode,
    Code,
    Distance,
    TooLong,
    Sum,
}

impl fmt::Display for BlockFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BlockFault::Truncated => "a block of the archive is truncated",
            BlockFault::Mode => "a block of the archive is packed with an unknown method",
            BlockFault::Code => "a block of the archive contains an undefined code",
            BlockFault::Distance => "a block of the archive refers to bytes before its beginning",
            BlockFault::TooLong => "a file of the archive is longer than its entry states",
            BlockFault::Sum => "the checksum of a block of the archive is wrong",
        })
    }
}

/// Returns the checksum of a block: the sum of its 16-bit words, without an odd last byte.
pub(super) fn sum(payload: &[u8]) -> u16 {
    let (words, _) = payload.as_chunks();
    words
        .iter()
        .map(|&word| u16::from_le_bytes(word))
        .fold(0, u16::wrapping_add)
}

/// Unpacks a block and appends its content to the earlier output in `out`, which is limited to
/// `limit` bytes.
pub(super) fn unpack(payload: &[u8], out: &mut Vec<u8>, limit: usize) -> Result<(), BlockFault> {
    let (&mode, packed) = payload.split_first().ok_or(BlockFault::Truncated)?;
    let mut out = Output { out, limit };
    match mode {
        0 => out.put(packed),
        1 => repeats(packed, &mut out),
        2 => huffman::unpack(packed, &mut out),
        3 => {
            let mut between = Vec::new();
            // The Huffman code states its decoded length in 16 bits (section 13).
            let limit = u16::MAX.into();
            huffman::unpack(
                packed,
                &mut Output {
                    out: &mut between,
                    limit,
                },
            )?;
            repeats(&between, &mut out)
        }
        _ => Err(BlockFault::Mode),
    }
}

/// The output so far, with a size limit.
pub(super) struct Output<'o> {
    pub(super) out: &'o mut Vec<u8>,
    pub(super) limit: usize,
}

impl Output<'_> {
    pub(super) fn room(&self, count: usize) -> Result<(), BlockFault> {
        match self.limit.checked_sub(self.out.len()) {
            Some(room) if room >= count => Ok(()),
            _ => Err(BlockFault::TooLong),
        }
    }

    pub(super) fn put(&mut self, bytes: &[u8]) -> Result<(), BlockFault> {
        self.room(bytes.len())?;
        self.out.extend_from_slice(bytes);
        Ok(())
    }

    fn run(&mut self, byte: u8, count: usize) -> Result<(), BlockFault> {
        self.room(count)?;
        self.out.resize(self.out.len() + count, byte);
        Ok(())
    }

    /// Copies byte by byte, since the ranges may overlap.
    fn copy(&mut self, distance: usize, count: usize) -> Result<(), BlockFault> {
        self.room(count)?;
        let start = self
            .out
            .len()
            .checked_sub(distance)
            .ok_or(BlockFault::Distance)?;
        for index in start..start + count {
            let byte = *self.out.get(index).ok_or(BlockFault::Distance)?;
            self.out.push(byte);
        }
        Ok(())
    }
}

/// Unpacks literal bytes, runs and copies. Each control word describes sixteen of them, starting
/// with its highest bit.
fn repeats(mut packed: &[u8], out: &mut Output<'_>) -> Result<(), BlockFault> {
    loop {
        let control = match packed {
            [] => return Ok(()),
            // A single byte at the position of a control word is a literal.
            [byte] => return out.put(&[*byte]),
            [low, high, rest @ ..] => {
                packed = rest;
                u16::from_le_bytes([*low, *high])
            }
        };
        for bit in (0..16).rev() {
            let Some((&first, rest)) = packed.split_first() else {
                // The input may end within a group (section 13).
                return Ok(());
            };
            if control >> bit & 1 == 0 {
                out.put(&[first])?;
                packed = rest;
                continue;
            }
            let (kind, low) = (first >> 4, usize::from(first & 15));
            packed = match (kind, rest) {
                (0, [byte, rest @ ..]) => {
                    out.run(*byte, low + 3)?;
                    rest
                }
                (1, [high, byte, rest @ ..]) => {
                    out.run(*byte, low + 16 * usize::from(*high) + 19)?;
                    rest
                }
                (2, [high, count, rest @ ..]) => {
                    out.copy(16 * usize::from(*high) + low + 3, usize::from(*count) + 16)?;
                    rest
                }
                (3.., [high, rest @ ..]) => {
                    out.copy(16 * usize::from(*high) + low + 3, kind.into())?;
                    rest
                }
                _ => return Err(BlockFault::Truncated),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use hex_literal::hex;

    use super::*;

    fn unpacked(payload: &[u8]) -> Result<Vec<u8>, BlockFault> {
        let mut out = Vec::new();
        unpack(payload, &mut out, 1000).map(|()| out)
    }

    #[test]
    fn stored_bytes_and_repeats() {
        assert_eq!(unpacked(b"\0abc"), Ok(b"abc".to_vec()));
        // Three letters; all of them again, with overlap; a run; a longer run.
        let found = unpacked(&hex!("01 001C 616263 5000 0178 1200 79")).unwrap();
        let mut expected = b"abcabcabxxxx".to_vec();
        expected.extend([b'y'; 21]);
        assert_eq!(found, expected);
        // A long copy, then a single byte at the position of a control word.
        let mut packed = hex!("01 0010 616263 200002").to_vec();
        packed.extend([b'z'; 12]);
        packed.push(b'!');
        let found = unpacked(&packed).unwrap();
        assert_eq!(found.len(), 3 + 18 + 12 + 1);
        assert_eq!(found.last(), Some(&b'!'));
    }

    #[test]
    fn invalid_blocks_return_their_fault() {
        assert_eq!(unpacked(b""), Err(BlockFault::Truncated));
        assert_eq!(unpacked(b"\x04abc"), Err(BlockFault::Mode));
        assert_eq!(unpacked(&hex!("01 0080 5000")), Err(BlockFault::Distance));
        assert_eq!(unpacked(&hex!("01 0080 50")), Err(BlockFault::Truncated));
        let run = hex!("01 00F0 1FFF61 1FFF61 1FFF61 1FFF61");
        assert_eq!(unpacked(&run), Err(BlockFault::TooLong));
        assert_eq!(unpacked(&hex!("02 0001")), Err(BlockFault::Truncated));
    }
}
