//! Zip archives: their members and contents.
//!
//! The whole directory at the end of the archive is read, so that two members with the same name
//! are both listed. The format is described in PKWARE's APPNOTE.TXT; section numbers are given
//! below.

use std::io::{self, BufReader, Read, Seek, SeekFrom};

use chessdb_core::{Charset, Text};
use flate2::Crc;
use flate2::read::DeflateDecoder;

use super::directory::{ArchiveListing, MemberLocation, StatedMember};
use crate::error::Problem;
use crate::packed::{Open, Stream};

const DAMAGED: &str = "damaged zip archive";

/// The length of the end record without its comment (4.3.16).
const END: usize = 22;
/// The length of the locator of the zip64 end record (4.3.15), which precedes the end record.
const LOCATOR: usize = 20;
/// The length of the zip64 end record (4.3.14) up to the location of the directory.
const LONG_END: usize = 56;
/// The length of an entry of the directory before its name (4.3.12).
const ENTRY: usize = 46;
/// The length of the header before a member's name (4.3.7).
const LOCAL: usize = 30;
/// The longest comment after the end record.
const COMMENT: u64 = 0xFFFF;
/// The value of a 32-bit field if the actual value is in the extra field.
const LONG: u64 = u32::MAX as u64;

fn damaged() -> Problem {
    Problem::Packed(DAMAGED)
}

/// A member as stated in the directory.
#[derive(Debug)]
pub(super) struct ZipEntry {
    header: u64,
    packed: u64,
    size: u64,
    crc: u32,
    method: u16,
    is_encrypted: bool,
}

/// Lists the file members of the archive.
pub(super) fn list<R: Read + Seek>(open: Open<'_, R>) -> Result<ArchiveListing, Problem> {
    let mut file = open()?;
    let (start, size, entries) = directory(&mut file)?;
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = BufReader::new(file).take(size);
    let mut listing = ArchiveListing::default();
    for _ in 0..entries {
        let listed = entry(&mut bytes)?;
        // The name of a folder ends with a slash.
        let is_folder = listed.name.ends_with('/')
            || listed.name.ends_with('\\')
                && matches!(&listed.place, MemberLocation::Zip(entry) if entry.size == 0);
        if !is_folder {
            listing.members.push(listed);
        }
    }
    Ok(listing)
}

/// Returns the offset of the directory, its length in bytes and the number of entries.
fn directory<R: Read + Seek>(file: &mut R) -> Result<(u64, u64, u64), Problem> {
    let length = file.seek(SeekFrom::End(0))?;
    // A comment of up to 64 KiB may follow the end record (APPNOTE, 4.3.16).
    let tail = length.min(END as u64 + COMMENT);
    let tail_start = length - tail;
    file.seek(SeekFrom::Start(tail_start))?;
    let mut bytes = Vec::new();
    file.by_ref().take(tail).read_to_end(&mut bytes)?;
    let end_offset = end_record(&bytes).ok_or_else(damaged)?;
    let end = bytes.get(end_offset..).ok_or_else(damaged)?;
    let mut directory = (
        u64::from(le32(end, 16)?),
        u64::from(le32(end, 12)?),
        u64::from(le16(end, 10)?),
    );
    let is_long = directory.0 == LONG || directory.1 == LONG || directory.2 == 0xFFFF;
    let end_at = tail_start + end_offset as u64;
    if is_long && let Some(locator_at) = end_at.checked_sub(LOCATOR as u64) {
        let locator: [u8; LOCATOR] = read_at(file, locator_at)?;
        if locator.starts_with(b"PK\x06\x07") {
            let long: [u8; LONG_END] = read_at(file, le64(&locator, 8)?)?;
            if !long.starts_with(b"PK\x06\x06") {
                return Err(damaged());
            }
            directory = (le64(&long, 48)?, le64(&long, 40)?, le64(&long, 32)?);
        }
    }
    // The directory must fit into the file.
    let (start, size, entries) = directory;
    // Offsets from a damaged end record would lead anywhere in the file.
    let fits = start.checked_add(size).is_some_and(|end| end <= end_at);
    if !fits || entries > size / ENTRY as u64 {
        return Err(damaged());
    }
    Ok(directory)
}

/// Finds the end record: the last one with a comment that ends with the file, otherwise the last
/// one.
fn end_record(bytes: &[u8]) -> Option<usize> {
    let is_end = |&offset: &usize| {
        bytes
            .get(offset..)
            .is_some_and(|rest| rest.starts_with(b"PK\x05\x06"))
    };
    let mut places = (0..=bytes.len().checked_sub(END)?).rev().filter(is_end);
    let ends = |&offset: &usize| {
        let comment = bytes.get(offset..).and_then(|end| le16(end, 20).ok());
        comment.is_some_and(|comment| offset + END + usize::from(comment) == bytes.len())
    };
    places.clone().find(ends).or_else(|| places.next())
}

fn entry(bytes: &mut impl Read) -> Result<StatedMember, Problem> {
    let mut fixed = [0; ENTRY];
    bytes.read_exact(&mut fixed).map_err(|_| damaged())?;
    if !fixed.starts_with(b"PK\x01\x02") {
        return Err(damaged());
    }
    let mut take = |length: u16| -> Result<Vec<u8>, Problem> {
        let mut part = vec![0; length.into()];
        bytes.read_exact(&mut part).map_err(|_| damaged())?;
        Ok(part)
    };
    let name = take(le16(&fixed, 28)?)?;
    let extra = take(le16(&fixed, 30)?)?;
    take(le16(&fixed, 32)?)?;
    let flags = le16(&fixed, 8)?;
    let mut entry = ZipEntry {
        header: le32(&fixed, 42)?.into(),
        packed: le32(&fixed, 20)?.into(),
        size: le32(&fixed, 24)?.into(),
        crc: le32(&fixed, 16)?,
        method: le16(&fixed, 10)?,
        is_encrypted: flags & 1 != 0,
    };
    let mut unicode = None;
    let mut rest = extra.as_slice();
    while let Some(([a, b, c, d], after)) = rest.split_first_chunk() {
        let Some((field, after)) = after.split_at_checked(u16::from_le_bytes([*c, *d]).into())
        else {
            break;
        };
        match u16::from_le_bytes([*a, *b]) {
            // The 64-bit values for fields that do not fit into 32 bits, in this order (4.5.3).
            1 => {
                let mut values = field.as_chunks::<8>().0.iter().copied();
                for value in [&mut entry.size, &mut entry.packed, &mut entry.header] {
                    if *value == LONG {
                        *value = values.next().map(u64::from_le_bytes).ok_or_else(damaged)?;
                    }
                }
            }
            // The name in UTF-8, with the checksum of the other name (4.6.9).
            0x7075 => {
                if let Some(([1, sum @ ..], text)) = field.split_first_chunk::<5>() {
                    let mut crc = Crc::new();
                    crc.update(&name);
                    if u32::from_le_bytes(*sum) == crc.sum() {
                        unicode = std::str::from_utf8(text).ok().map(str::to_owned);
                    }
                }
            }
            _ => {}
        }
        rest = after;
    }
    // Many programs write UTF-8 without declaring it.
    let name = unicode.unwrap_or_else(|| match std::str::from_utf8(&name) {
        Ok(name) => name.to_owned(),
        Err(_) => Text::new(&name, Charset::CP437).decode().into_owned(),
    });
    let place = MemberLocation::Zip(entry);
    Ok(StatedMember { name, place })
}

/// Returns the content of a member, which is checked against its checksum at the end.
pub(super) fn member<R: Read + Seek + Send + 'static>(
    open: Open<'_, R>,
    entry: &ZipEntry,
) -> Result<Stream<'static>, Problem> {
    if entry.is_encrypted {
        return Err(Problem::Packed(
            "an encrypted zip archive, which is not supported; unpack it first",
        ));
    }
    let mut file = open()?;
    let local: [u8; LOCAL] = read_at(&mut file, entry.header)?;
    if !local.starts_with(b"PK\x03\x04") {
        return Err(damaged());
    }
    let before = LOCAL as u64 + u64::from(le16(&local, 26)?) + u64::from(le16(&local, 28)?);
    let start = entry.header.checked_add(before).ok_or_else(damaged)?;
    file.seek(SeekFrom::Start(start))?;
    let packed = file.take(entry.packed);
    let inner: Stream<'static> = match entry.method {
        0 => Box::new(packed),
        8 => Box::new(DeflateDecoder::new(packed)),
        _ => {
            let what = "packed with a method other than deflate";
            return Err(Problem::Packed(what));
        }
    };
    Ok(Box::new(Checked {
        inner,
        sum: Crc::new(),
        crc: entry.crc,
        unread: entry.size,
    }))
}

fn read_at<const N: usize, R: Read + Seek>(file: &mut R, offset: u64) -> Result<[u8; N], Problem> {
    let mut bytes = [0; N];
    file.seek(SeekFrom::Start(offset))?;
    file.read_exact(&mut bytes).map_err(|_| damaged())?;
    Ok(bytes)
}

fn chunk<const N: usize>(bytes: &[u8], offset: usize) -> Result<[u8; N], Problem> {
    let chunk = bytes.get(offset..).and_then(|rest| rest.first_chunk());
    chunk.copied().ok_or_else(damaged)
}

fn le16(bytes: &[u8], offset: usize) -> Result<u16, Problem> {
    chunk(bytes, offset).map(u16::from_le_bytes)
}

fn le32(bytes: &[u8], offset: usize) -> Result<u32, Problem> {
    chunk(bytes, offset).map(u32::from_le_bytes)
}

fn le64(bytes: &[u8], offset: usize) -> Result<u64, Problem> {
    chunk(bytes, offset).map(u64::from_le_bytes)
}

/// Compares length and checksum at the end of the data.
struct Checked {
    inner: Stream<'static>,
    sum: Crc,
    crc: u32,
    unread: u64,
}

impl Read for Checked {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.sum.update(buffer.get(..count).unwrap_or_default());
        let damaged = || {
            io::Error::new(
                io::ErrorKind::InvalidData,
                "the zip archive is damaged (checksum)",
            )
        };
        self.unread = self.unread.checked_sub(count as u64).ok_or_else(damaged)?;
        if count == 0 && !buffer.is_empty() && (self.unread > 0 || self.sum.sum() != self.crc) {
            return Err(damaged());
        }
        Ok(count)
    }
}
