//! The reader of `.scn`, name by name (docs/formats/scidb.md, section 3).

use chessdb_core::error::Location;
use chessdb_core::{Error, ErrorKind, Result};

use super::bytes::ByteReader;
use super::names::{NameDetails, NameFault, NameHeader, NameKind};
use crate::roles::SCN_FILE;

/// A part of a name file, as [`read_names`] passes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NamePart<'n> {
    /// The start of a section.
    Section {
        /// Its kind, by its place in the file.
        kind: NameKind,
        /// [`NameSection::label`](super::NameSection::label).
        label: [u8; 8],
        /// [`NameSection::counts`](super::NameSection::counts).
        counts: [u32; 4],
        /// Its offset in the file.
        offset: usize,
    },
    /// A name of the section that started last: [`NameRecord`](super::NameRecord).
    Name {
        /// The number by which the index refers to the name.
        id: u32,
        /// The number of bytes that it shares with the name before.
        shared: u8,
        /// The whole name.
        name: &'n [u8],
        /// The data after the name.
        details: NameDetails,
    },
}

/// The result of [`read_names`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamesRead {
    /// The header.
    pub header: NameHeader,
    /// The offset after the last whole name.
    pub end: usize,
    /// The place after which nothing more could be read.
    pub fault: Option<NameFault>,
}

/// Reads a file and passes its parts to `visit`, in order and without an allocation for each name.
///
/// # Errors
///
/// Returns an error if the header is missing.
pub fn read_names(file: &[u8], mut visit: impl FnMut(NamePart<'_>)) -> Result<NamesRead> {
    let expected = NameHeader::MAGIC;
    let location = Location::byte(SCN_FILE, 0);
    let Some(body) = file.strip_prefix(expected) else {
        return Err(Error::new(ErrorKind::BadMagic { expected }).at(location));
    };
    let mut bytes = ByteReader::new(body);
    let (Some(version), Some(names)) = (bytes.number(2), bytes.number(4)) else {
        let kind = ErrorKind::truncated(
            "the header of the names",
            NameHeader::SIZE as u64,
            file.len() as u64,
        );
        return Err(Error::new(kind).at(location));
    };
    let damaged = read_sections(&mut bytes, &mut visit);
    let end = expected.len() + bytes.offset();
    Ok(NamesRead {
        header: NameHeader {
            version: version as u16,
            names,
        },
        end,
        fault: damaged.map(|what| NameFault { what, at: end }),
    })
}

/// Reads the sections and returns the part that is damaged; `bytes` is then before it.
fn read_sections(
    bytes: &mut ByteReader<'_>,
    visit: &mut impl FnMut(NamePart<'_>),
) -> Option<&'static str> {
    let mut name = Vec::new();
    for kind in NameKind::ALL {
        let before = *bytes;
        let Some((label, counts)) = read_label_and_counts(bytes) else {
            *bytes = before;
            return Some("the start of a section of names");
        };
        visit(NamePart::Section {
            kind,
            label,
            counts,
            offset: NameHeader::MAGIC.len() + before.offset(),
        });
        for n in 0..counts[0] {
            let before = *bytes;
            let Some((id, shared, details)) = read_name(kind, n == 0, bytes, &mut name) else {
                *bytes = before;
                return Some("a name");
            };
            visit(NamePart::Name {
                id,
                shared,
                name: &name,
                details,
            });
        }
    }
    None
}

/// Reads a name. `name` contains the one before, unless this is the first of its section.
fn read_name(
    kind: NameKind,
    is_first: bool,
    bytes: &mut ByteReader<'_>,
    name: &mut Vec<u8>,
) -> Option<(u32, u8, NameDetails)> {
    let id = bytes.number(3)?;
    let shared = if is_first { 0 } else { bytes.byte()? };
    let length = bytes.byte()?;
    if usize::from(shared) > name.len() {
        return None;
    }
    name.truncate(shared.into());
    name.extend_from_slice(bytes.take(length.checked_sub(shared)?.into())?);
    Some((id, shared, NameDetails::parse(kind, bytes)?))
}

/// Reads the start of a section.
fn read_label_and_counts(bytes: &mut ByteReader<'_>) -> Option<([u8; 8], [u32; 4])> {
    let label = *bytes.take(8)?.first_chunk()?;
    let mut counts = [0; 4];
    for count in &mut counts {
        *count = bytes.number(3)?;
    }
    Some((label, counts))
}
