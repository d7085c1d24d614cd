//! Packing of files into an archive.

use chessdb_core::{ErrorKind, Result};

use super::block::{REACH, sum};
use super::des::{BLOCK, Key};
use super::{ArchiveHeader, Member, NAME, huffman};

/// The compression of a new archive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Packing {
    /// Blocks are stored uncompressed.
    Stored,
    /// Each block uses the method that makes it smallest.
    Smallest,
}

/// The number of bytes of a file per block.
const CHUNK: usize = 60_000;

/// Creates an archive of these files. Backslashes in a name separate folders.
///
/// # Errors
///
/// Returns an error for a name of more than 127 bytes, or if the files exceed the limits of an
/// archive in number or size.
pub fn pack<'f>(
    files: impl IntoIterator<Item = (&'f [u8], &'f [u8])>,
    packing: Packing,
) -> Result<Vec<u8>> {
    let too_large = || ErrorKind::Unsupported("an archive with more than 4 GiB or 65,535 files");
    let (mut entries, mut streams) = (Vec::new(), Vec::new());
    for (name, content) in files {
        if name.len() >= NAME {
            return Err(ErrorKind::Unsupported("a name of more than 127 bytes").into());
        }
        let start = streams.len();
        // Some readers need a block for an empty file as well.
        let empty = content.is_empty().then_some(content);
        for chunk in empty.into_iter().chain(content.chunks(CHUNK)) {
            put_block(chunk, packing, &mut streams);
        }
        entries.push((name, start as u64, streams.len() - start, content.len()));
    }
    let members = u16::try_from(entries.len()).map_err(|_| too_large())?;
    let header = ArchiveHeader { members };
    let mut archive = header.to_bytes().to_vec();
    for (name, start, packed, size) in entries {
        let short = |number: u64| u32::try_from(number).map_err(|_| too_large());
        let offset = short(header.table_end() as u64 + start)?;
        let end = archive.len() + Member::SIZE;
        archive.extend_from_slice(name);
        archive.resize(end - Member::SIZE + NAME, 0);
        for number in [offset, short(packed as u64)?, short(size as u64)?] {
            archive.extend_from_slice(&number.to_le_bytes());
        }
        // The time of modification is not stored.
        archive.extend_from_slice(&[1, 0, 0, 0, 0, 0, 0, 0, 0]);
        archive.extend_from_slice(&offset.to_le_bytes());
        archive.extend_from_slice(&[0; 4]);
        for number in [packed, size] {
            archive.extend_from_slice(&(number as u64).to_le_bytes());
        }
    }
    archive.append(&mut streams);
    Ok(archive)
}

/// Encrypts an archive, giving the content of a .cbz file.
pub fn lock(mut archive: Vec<u8>, key: Key) -> Vec<u8> {
    archive.resize(archive.len().next_multiple_of(BLOCK), 0);
    key.encipher_all(&mut archive);
    archive
}

fn put_block(chunk: &[u8], packing: Packing, out: &mut Vec<u8>) {
    let mut payload = [&[0], chunk].concat();
    if packing == Packing::Smallest {
        let repetitions = repeats(chunk);
        let ways = [
            (2, huffman::pack(chunk)),
            (3, huffman::pack(&repetitions)),
            (1, Some(repetitions)),
        ];
        for (mode, packed) in ways {
            let shorter = packed.filter(|packed| packed.len() + 1 < payload.len());
            if let Some(packed) = shorter {
                payload = [&[mode], &packed[..]].concat();
            }
        }
    }
    // A chunk, and therefore its shortest encoding, is shorter than 64 KiB.
    out.extend_from_slice(&(payload.len() as u16).to_le_bytes());
    out.extend_from_slice(&sum(&payload).to_le_bytes());
    out.extend_from_slice(&payload);
}

/// The maximum number of earlier positions to examine for a match.
const TRIES: usize = 32;
/// The maximum lengths of a copy and of a run.
const COPY: usize = 16 + 255;
const RUN: usize = 15 + 16 * 255 + 19;

/// Encodes repetitions as runs and copies. Copies stay within the block and never overlap, because
/// some readers do not support that.
fn repeats(chunk: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    // The last position of each three bytes, and for each position the previous position with the
    // same three bytes. All positions are stored plus one.
    let mut last = vec![0u32; 1 << 14];
    let mut before = vec![0u32; chunk.len()];
    let mut position = 0;
    while position < chunk.len() {
        let control_at = out.len();
        out.extend_from_slice(&[0; 2]);
        let mut control = 0u16;
        for bit in (0..16).rev() {
            let rest = chunk.get(position..).unwrap_or_default();
            let Some(&first) = rest.first() else { break };
            let equal = rest.iter().take(RUN).take_while(|&&byte| byte == first);
            let run = equal.count();
            // A run of the maximum length is longer than any copy.
            let (distance, copy) = match run {
                0..RUN => longest(chunk, position, &last, &before),
                _ => (0, 0),
            };
            let taken = match (run, copy) {
                (3.., _) if run >= copy => {
                    match run {
                        3..=18 => out.push(run as u8 - 3),
                        _ => out.extend_from_slice(&[
                            0x10 | (run - 19) as u8 & 15,
                            ((run - 19) >> 4) as u8,
                        ]),
                    }
                    out.push(first);
                    run
                }
                (_, 3..) => {
                    let away = distance - 3;
                    let (low, high) = ((away & 15) as u8, (away >> 4) as u8);
                    match copy {
                        3..=15 => out.extend_from_slice(&[(copy as u8) << 4 | low, high]),
                        _ => out.extend_from_slice(&[0x20 | low, high, (copy - 16) as u8]),
                    }
                    copy
                }
                _ => {
                    out.push(first);
                    1
                }
            };
            if run >= 3 || copy >= 3 {
                control |= 1 << bit;
            }
            // Every position, also within a copy, may begin a later one.
            for place in position..position + taken {
                remember(chunk, place, &mut last, &mut before);
            }
            position += taken;
        }
        if let Some(place) = out.get_mut(control_at..control_at + 2) {
            place.copy_from_slice(&control.to_le_bytes());
        }
    }
    out
}

/// Returns the hash table index of the three bytes at `position`.
fn slot(chunk: &[u8], position: usize) -> Option<usize> {
    let [a, b, c] = *chunk.get(position..)?.first_chunk()?;
    let bytes = u32::from_le_bytes([a, b, c, 0]);
    // Multiplicative hashing: the upper 14 bits are the index of the table.
    Some((bytes.wrapping_mul(0x9E37_79B1) >> 18) as usize)
}

fn remember(chunk: &[u8], position: usize, last: &mut [u32], before: &mut [u32]) {
    let place = slot(chunk, position).and_then(|slot| last.get_mut(slot));
    if let (Some(last), Some(before)) = (place, before.get_mut(position)) {
        *before = std::mem::replace(last, position as u32 + 1);
    }
}

/// Returns distance and length of the longest copy for the bytes at `position`; 0 if there is none.
fn longest(chunk: &[u8], position: usize, last: &[u32], before: &[u32]) -> (usize, usize) {
    let mut best = (0, 0);
    let newest = slot(chunk, position).and_then(|slot| last.get(slot));
    let mut next = newest.copied().unwrap_or(0);
    let ahead = chunk.get(position..).unwrap_or_default();
    for _ in 0..TRIES {
        let Some(place) = (next as usize).checked_sub(1) else {
            break;
        };
        let distance = position - place;
        if distance > REACH {
            break;
        }
        // A copy that ends here does not overlap its own output.
        let earlier = chunk.get(place..position).unwrap_or_default();
        let pairs = earlier.iter().zip(ahead).take(COPY);
        let length = pairs.take_while(|(a, b)| a == b).count();
        // Shorter distances cannot be stored.
        if length > best.1 && distance >= 3 {
            best = (distance, length);
        }
        next = before.get(place).copied().unwrap_or(0);
    }
    best
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use proptest::prelude::*;

    use super::*;
    use crate::archive::Unpacked;
    use crate::archive::block::unpack;

    fn comes_back(content: &[u8], packing: Packing) -> usize {
        let archive = pack([(&b"a"[..], content)], packing).unwrap();
        let header = ArchiveHeader::parse(&archive).unwrap();
        let table = &archive[ArchiveHeader::SIZE..header.table_end()];
        let [member] = &Member::parse_all(table)[..] else {
            panic!("one member");
        };
        let stream = &archive[member.offset as usize..];
        assert_eq!(stream.len() as u64, member.packed);
        let mut found = Vec::new();
        let mut reader = Unpacked::new(stream, member.size);
        reader.read_to_end(&mut found).unwrap();
        assert_eq!(found, content);
        archive.len()
    }

    #[test]
    fn everything_comes_back_and_repeats_become_short() {
        let text = "1. e4 e5 2. Nf3 Nc6 ".repeat(8000).into_bytes();
        let stored = comes_back(&text, Packing::Stored);
        let packed = comes_back(&text, Packing::Smallest);
        assert!(packed * 20 < stored, "{packed} of {stored}");
        for content in [
            &b""[..],
            b"a",
            b"ab",
            &[7; 100_000],
            &[0; RUN + 2],
            &[1; 20],
        ] {
            comes_back(content, Packing::Smallest);
        }
        let noise: Vec<u8> = (0..70_000u32)
            .map(|n| (n.wrapping_mul(n) >> 7) as u8)
            .collect();
        comes_back(&noise, Packing::Smallest);
    }

    #[test]
    fn oversized_archives_are_rejected() {
        let name = [b'a'; 128];
        assert!(pack([(&name[..], &b""[..])], Packing::Stored).is_err());
        let many = vec![(&b"a"[..], &b""[..]); 1 << 16];
        assert!(pack(many, Packing::Stored).is_err());
    }

    proptest! {
        #[test]
        fn any_bytes_come_back(bytes in prop::collection::vec(0u8..4, 0..3000),
                               more in prop::collection::vec(any::<u8>(), 0..3000)) {
            comes_back(&bytes, Packing::Smallest);
            comes_back(&[bytes, more].concat(), Packing::Smallest);
        }

        #[test]
        fn no_copy_reaches_into_itself(bytes in prop::collection::vec(0u8..3, 0..600)) {
            // Blocks must unpack without earlier output.
            let mut out = Vec::new();
            let payload = [&[1], &repeats(&bytes)[..]].concat();
            prop_assert!(unpack(&payload, &mut out, bytes.len()).is_ok());
            prop_assert_eq!(out, bytes);
        }
    }
}
