//! Tar archives: their members and contents.
//!
//! The crate `tar` reads the headers, one after another. The content is read by [`MemberReader`], which
//! owns its input and can therefore be passed to another thread.

use std::io::{self, Read, Seek, SeekFrom};

use ::tar::{Archive, Entry, EntryType, Header, PaxExtensions};

use super::directory::{ArchiveListing, MemberLocation, StatedMember};
use super::{Open, Packing, Stream};
use crate::error::Problem;

/// The size of a header in bytes.
const HEADER: usize = 512;

/// The limit for the length of names.
const NAME: u64 = 64 << 10;

/// An archive with more files is considered an attack.
const MEMBERS: usize = 100_000;

const DAMAGED: &str = "damaged tar archive";

/// Returns whether these are the first bytes of an archive, which is a header with a correct
/// checksum.
pub(crate) fn is_archive(start: &[u8]) -> bool {
    let Some(start) = start
        .get(..HEADER)
        .filter(|start| start.first() != Some(&0))
    else {
        return false;
    };
    let field = 148..156;
    let sums = start.iter().enumerate().map(|(n, &byte)| {
        let byte = if field.contains(&n) { b' ' } else { byte };
        u32::from(byte)
    });
    Header::from_byte_slice(start)
        .cksum()
        .is_ok_and(|sum| sum == sums.sum::<u32>())
}

/// Returns the content of a member: the first `size` bytes of `archive`.
pub(super) fn member(archive: Stream<'static>, size: u64) -> Stream<'static> {
    Box::new(MemberReader {
        inner: archive.take(size),
    })
}

/// Lists the file members of the archive, in its order.
pub(super) fn list<R: Read + Seek + Send + 'static>(
    open: Open<'_, R>,
    packing: Packing,
) -> Result<ArchiveListing, Problem> {
    if packing == Packing::None {
        // The offset of the next header is known, so the content need not be read.
        let mut file = open()?;
        let length = file.seek(SeekFrom::End(0))?;
        file.rewind()?;
        let mut archive = Archive::new(file);
        let entries = archive.entries_with_seek().map_err(damaged)?;
        let (listing, end) = entries_of(entries.raw(true))?;
        return if end <= length { Ok(listing) } else { Err(Problem::Packed(DAMAGED)) };
    }
    let mut archive = Archive::new(packing.undo(Box::new(open()?))?);
    entries_of(archive.entries().map_err(damaged)?.raw(true)).map(|(listing, _)| listing)
}

fn damaged(_: io::Error) -> Problem {
    Problem::Packed(DAMAGED)
}

/// Returns the file members and the end of the last entry. Content is padded to whole blocks, so an
/// archive that ends within the padding was truncated.
fn entries_of<'a, R: Read + 'a>(
    entries: impl Iterator<Item = io::Result<Entry<'a, R>>>,
) -> Result<(ArchiveListing, u64), Problem> {
    let mut listing = ArchiveListing::default();
    let mut end = 0;
    // A name that is too long for a header is in a separate entry before it.
    let mut long_name = None;
    for entry in entries {
        let mut entry = entry.map_err(damaged)?;
        let size = entry.header().entry_size().map_err(damaged)?;
        let own = entry.raw_file_position().saturating_add(size);
        end = own
            .checked_next_multiple_of(HEADER as u64)
            .unwrap_or(u64::MAX);
        let kind = entry.header().entry_type();
        if kind.is_gnu_longname() || kind.is_pax_local_extensions() {
            long_name = long_name_in(&mut entry, kind.is_gnu_longname()).map_err(damaged)?;
            continue;
        }
        let long_name = long_name.take();
        let holds_none = matches!(
            kind,
            EntryType::Link
                | EntryType::Symlink
                | EntryType::Char
                | EntryType::Block
                | EntryType::Directory
                | EntryType::Fifo
                | EntryType::XGlobalHeader
                | EntryType::GNULongLink
        );
        if holds_none {
            continue;
        }
        if listing.members.len() + listing.unread.len() == MEMBERS {
            return Err(Problem::Packed("a tar archive with too many files"));
        }
        let name = long_name.unwrap_or_else(|| entry.header().path_bytes().into_owned());
        let name = String::from_utf8_lossy(&name).into_owned();
        // Old archives mark a folder only by a trailing slash.
        if name.ends_with('/') {
            continue;
        }
        if !kind.is_file() && !kind.is_contiguous() {
            listing.unread.push(name);
            continue;
        }
        let place = MemberLocation::Tar {
            start: entry.raw_file_position(),
            size,
        };
        listing.members.push(StatedMember { name, place });
    }
    Ok((listing, end))
}

/// Returns the name that an entry specifies for the next one, if it does.
fn long_name_in<R: Read>(entry: &mut Entry<'_, R>, is_gnu: bool) -> io::Result<Option<Vec<u8>>> {
    let mut content = Vec::new();
    if entry.take(NAME).read_to_end(&mut content)? as u64 == NAME {
        return Err(io::ErrorKind::InvalidData.into());
    }
    if is_gnu {
        content.truncate(
            content
                .iter()
                .position(|&byte| byte == 0)
                .unwrap_or(content.len()),
        );
        return Ok(Some(content));
    }
    let mut name = None;
    for field in PaxExtensions::new(&content) {
        let field = field?;
        match field.key_bytes() {
            b"path" => name = Some(field.value_bytes().to_vec()),
            // In this case the size in the header is not the actual one.
            b"size" => return Err(io::ErrorKind::InvalidData.into()),
            _ => {}
        }
    }
    Ok(name)
}

/// Returns an error if the archive ends within a member.
struct MemberReader {
    inner: io::Take<Stream<'static>>,
}

impl Read for MemberReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        if count == 0 && !buffer.is_empty() && self.inner.limit() > 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(count)
    }
}
