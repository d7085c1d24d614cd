//! SQLite's rollback journal: the old pages of a transaction, from which SQLite restores a file
//! (docs/formats/sqlite.md, section 7.1).

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::path::Path;

/// The first bytes of a journal that is valid.
const MAGIC: [u8; 8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7];
/// The size of the header: one sector.
const SECTOR: usize = 512;
/// The number and the checksum of a page take this many bytes in addition to it.
const AROUND: usize = 8;
/// The steps between the bytes of a page that its checksum adds.
const STEP: usize = 200;
/// The start value of the checksums. SQLite takes a random one.
const NONCE: u32 = 0x6368_6573;

/// Returns the old pages in the journal of a transaction that is not committed yet: their numbers
/// and contents. `None` if the journal cannot be read or has more than `most` bytes.
pub(super) fn read_pages(path: &Path, most: u64) -> Option<Vec<(u32, Vec<u8>)>> {
    let mut bytes = Vec::new();
    let mut file = File::open(path).ok()?;
    if file.metadata().ok()?.len() > most {
        return None;
    }
    file.read_to_end(&mut bytes).ok()?;
    parse_pages(&bytes)
}

/// Returns whether the journal at a path has the first page of a file, which begins with these bytes.
pub(super) fn has_first_page(path: &Path, start: &[u8]) -> bool {
    /// The largest journal that is read, in bytes.
    const LARGEST: u64 = 64 << 20;
    let pages = read_pages(path, LARGEST).unwrap_or_default();
    let is_first = |(number, page): &(u32, Vec<u8>)| *number == 1 && page.starts_with(start);
    pages.iter().any(is_first)
}

fn parse_pages(bytes: &[u8]) -> Option<Vec<(u32, Vec<u8>)>> {
    let mut pages = Vec::new();
    let mut start = 0;
    // There is a header before the pages that were written after each flush.
    while let Some(header) = bytes.get(start..).filter(|rest| rest.len() >= SECTOR) {
        let [count, sector, page_size] = [8, 20, 24].map(|offset| word(header, offset) as usize);
        if sector == 0 || page_size == 0 {
            break;
        }
        let nonce = word(header, 12);
        let size = page_size.checked_add(AROUND)?;
        let records = header.get(sector..)?;
        let records = match records.get(..count.checked_mul(size)?) {
            // Pages after the last flush are not counted yet.
            Some([]) | None => records,
            Some(counted) => counted,
        };
        for record in records.chunks_exact(size) {
            let page = record.get(4..4 + page_size)?;
            // The rest is from an earlier transaction.
            if checksum(nonce, page) != word(record, 4 + page_size) {
                break;
            }
            pages.push((word(record, 0), page.to_vec()));
        }
        if count == 0 {
            break;
        }
        start += (sector + records.len()).next_multiple_of(sector);
    }
    Some(pages)
}

/// Writes a journal from which SQLite restores these pages when the file is opened next, in a file of
/// `count` pages. The caller holds the exclusive lock of the file. On return the journal is on disk.
pub(super) fn write<'p>(
    path: &Path,
    count: u32,
    page_size: usize,
    pages: impl Iterator<Item = (u32, &'p [u8])>,
) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let file = options.write(true).create(true).truncate(true).open(path)?;
    let mut file = io::BufWriter::new(file);
    file.write_all(&[0; SECTOR])?;
    let mut written = 0_u32;
    for (number, page) in pages {
        file.write_all(&number.to_be_bytes())?;
        file.write_all(page)?;
        file.write_all(&checksum(NONCE, page).to_be_bytes())?;
        written += 1;
    }
    let mut file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.sync_all()?;
    let mut header = MAGIC.to_vec();
    for word in [written, NONCE, count, SECTOR as u32, page_size as u32] {
        header.extend(word.to_be_bytes());
    }
    // Only now is the journal valid: SQLite would restore half of a shorter one.
    file.rewind()?;
    file.write_all(&header)?;
    file.sync_all()?;
    // Not every system can flush a folder.
    let folder = path.parent().map(File::open);
    if let Some(Ok(folder)) = folder {
        let _ = folder.sync_all();
    }
    Ok(())
}

fn checksum(nonce: u32, page: &[u8]) -> u32 {
    let last = page.len().saturating_sub(STEP);
    let bytes = page.iter().take(last + 1).rev().step_by(STEP);
    // The first byte of a page is not part of the sum.
    let bytes = bytes.take(last.div_ceil(STEP));
    bytes.fold(nonce, |sum, byte| sum.wrapping_add(u32::from(*byte)))
}

fn word(bytes: &[u8], offset: usize) -> u32 {
    let word = bytes.get(offset..).and_then(<[u8]>::first_chunk);
    word.map_or(0, |word| u32::from_be_bytes(*word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_pages_are_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a-journal");
        let pages: Vec<(u32, Vec<u8>)> = (1..6).map(|n| (n, vec![n as u8; 512])).collect();
        let borrowed = pages.iter().map(|(number, page)| (*number, &page[..]));
        write(&path, 9, 512, borrowed).unwrap();
        assert_eq!(read_pages(&path, 1 << 20).unwrap(), pages);
        assert_eq!(read_pages(&path, 1000), None);
    }

    #[test]
    fn pages_after_a_flush_have_a_header_of_their_own() {
        let header = |count: u32| {
            let mut sector = [0; SECTOR];
            for (offset, word) in [(8, count), (20, 512), (24, 512)] {
                sector[offset..offset + 4].copy_from_slice(&word.to_be_bytes());
            }
            sector
        };
        let record = |n: u32| {
            let page = [n as u8; 512];
            [
                &n.to_be_bytes()[..],
                &page,
                &checksum(0, &page).to_be_bytes(),
            ]
            .concat()
        };
        let mut bytes = [&header(2)[..], &record(7), &record(3)].concat();
        bytes.resize(bytes.len().next_multiple_of(512), 0);
        bytes.extend(header(0));
        bytes.extend(record(9));
        bytes.extend([1; 520]);
        let pages = parse_pages(&bytes).unwrap();
        let numbers: Vec<u32> = pages.iter().map(|(number, _)| *number).collect();
        assert_eq!(numbers, [7, 3, 9]);
    }
}
