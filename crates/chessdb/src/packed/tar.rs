//! tar archives: which files lie in them, and what they hold.
//!
//! The headers are read by the crate `tar`, one after another; the content by a reader of our own that
//! owns its input, so that it can be handed to another thread.

use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};

use ::tar::{Archive, Entry, Header, PaxExtensions};

use super::{Open, Packing, Stream};
use crate::error::Problem;

/// The size of a header.
const HEADER: usize = 512;

/// The longest name that is read.
const NAME: u64 = 64 << 10;

/// More files than this are taken for an attack.
const MEMBERS: usize = 100_000;

const DAMAGED: &str = "is a damaged tar archive";

/// A file in an archive.
struct Member {
    name: PathBuf,
    /// Where it begins in the archive, unpacked.
    start: u64,
    size: u64,
}

/// Whether these are the first bytes of an archive: a header whose sum is right.
pub(crate) fn is_archive(start: &[u8]) -> bool {
    let Some(start) = start
        .get(..HEADER)
        .filter(|start| start.first() != Some(&0))
    else {
        return false;
    };
    let field = 148..156;
    let sums = start.iter().enumerate().map(|(at, &byte)| {
        let byte = if field.contains(&at) { b' ' } else { byte };
        u32::from(byte)
    });
    let header = Header::from_byte_slice(start);
    header.cksum().is_ok_and(|sum| sum == sums.sum::<u32>())
}

/// The file members of the archive, sorted by name.
pub(crate) fn members<R: Read + Seek + Send + 'static>(
    open: Open<'_, R>,
    packing: Packing,
) -> Result<Vec<PathBuf>, Problem> {
    let mut names: Vec<PathBuf> = list(open, packing)?
        .into_iter()
        .map(|member| member.name)
        .collect();
    names.sort();
    names.dedup();
    Ok(names)
}

/// The content of a member; of several with one name the last, which replaces the others.
pub(crate) fn member<R: Read + Seek + Send + 'static>(
    open: Open<'_, R>,
    packing: Packing,
    name: &Path,
) -> Result<Stream<'static>, Problem> {
    let found = list(open, packing)?;
    let found = found.into_iter().rfind(|member| member.name == name);
    let Member { start, size, .. } = found.ok_or(Problem::Packed(DAMAGED))?;
    let mut archive = packing.undo(Box::new(open()?))?;
    io::copy(&mut archive.by_ref().take(start), &mut io::sink())?;
    Ok(Box::new(Whole {
        inner: archive.take(size),
    }))
}

fn list<R: Read + Seek + Send + 'static>(
    open: Open<'_, R>,
    packing: Packing,
) -> Result<Vec<Member>, Problem> {
    let damaged = |_| Problem::Packed(DAMAGED);
    let mut archive = Archive::new(packing.undo(Box::new(open()?))?);
    let mut members = Vec::new();
    // A name that is too long for a header stands in an entry of its own before it.
    let mut long_name = None;
    for entry in archive.entries().map_err(damaged)?.raw(true) {
        let mut entry = entry.map_err(damaged)?;
        let kind = entry.header().entry_type();
        if kind.is_gnu_longname() || kind.is_pax_local_extensions() {
            long_name = long_name_in(&mut entry, kind.is_gnu_longname()).map_err(damaged)?;
            continue;
        }
        let long_name = long_name.take();
        if !kind.is_file() && !kind.is_contiguous() {
            continue;
        }
        if members.len() == MEMBERS {
            return Err(Problem::Packed("is a tar archive of too many files"));
        }
        let name = long_name.unwrap_or_else(|| entry.header().path_bytes().into_owned());
        let name = String::from_utf8_lossy(&name);
        members.push(Member {
            name: name.strip_prefix("./").unwrap_or(&name).into(),
            start: entry.raw_file_position(),
            size: entry.header().entry_size().map_err(damaged)?,
        });
    }
    Ok(members)
}

/// The name that an entry gives the next one, if it does.
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
            // The size in the header is not the true one then.
            b"size" => return Err(io::ErrorKind::InvalidData.into()),
            _ => {}
        }
    }
    Ok(name)
}

/// Says so if the archive ends within a member.
struct Whole {
    inner: io::Take<Stream<'static>>,
}

impl Read for Whole {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        if count == 0 && !buffer.is_empty() && self.inner.limit() > 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(count)
    }
}
