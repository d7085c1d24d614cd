//! The EMB: a small file system for the name lists (docs/formats/chess-assistant.md, section 3).

use chessdb_core::error::Location;
use chessdb_core::raw::{array, into_error};
use chessdb_core::record::{Little, text_up_to_nul};
use chessdb_core::{ErrorKind, Result, record};
use nom::Parser as _;
use nom::error::context;

use super::cdp::{SIGNATURE, padded};
use crate::roles::EMB_FILE;

record! {
    /// The first 144 bytes of an EMB.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct EmbHeader: Little, 144, parse_fields, to_bytes {
        /// Program and version, zero-padded.
        0..64 signature: [u8; 64] = "signature",
        /// Version of the volume, zero-padded.
        64..128 version: [u8; 64] = "version of the volume",
        /// Zeros.
        128..136 unknown: [u8; 8] = "not described" unknown,
        /// Length of the root directory.
        136..140 length: u32 = "length of the directory: {length}",
        /// Offset of the root directory's fragment table.
        140..144 table: u32 = "its fragment table: {table:#x}",
    }
}

impl EmbHeader {
    /// The version text of an EMB.
    pub const VERSION: &[u8] = b"\nData Pro Volume format. Version 1.1";

    /// Creates the header that this crate writes.
    pub fn new() -> EmbHeader {
        EmbHeader {
            signature: padded(SIGNATURE),
            version: padded(EmbHeader::VERSION),
            unknown: [0; 8],
            length: 0,
            table: 0,
        }
    }

    /// Returns whether these bytes begin like an EMB.
    pub fn fits(bytes: &[u8]) -> bool {
        let version = bytes.get(64..128).unwrap_or_default();
        version
            .windows(15)
            .any(|window| window == b"Data Pro Volume")
    }

    /// Reads the header.
    ///
    /// # Errors
    ///
    /// Returns `Truncated` if there are fewer than 144 bytes.
    pub fn parse(bytes: &[u8]) -> Result<EmbHeader> {
        let fields = context("the header", array).parse(bytes);
        let (_, fields) = fields
            .map_err(|error| into_error(error, bytes.len()).at(Location::byte(EMB_FILE, 0)))?;
        Ok(EmbHeader::parse_fields(&fields))
    }
}

impl Default for EmbHeader {
    fn default() -> EmbHeader {
        EmbHeader::new()
    }
}

record! {
    /// A piece of an inner file (section 3.2).
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct Fragment: Little, 8 {
        /// Length in bytes.
        0..4 length: u32 = "length: {length}",
        /// Offset in the EMB.
        4..8 offset: u32 = "offset: {offset:#x}",
    }
}

/// The reason why an inner file could not be read completely.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InnerFault {
    /// The fragment table extends beyond the end of the EMB.
    Table,
    /// A fragment is empty; there could be any number of these.
    EmptyFragment,
    /// A fragment extends beyond the end of the EMB.
    Fragment,
    /// All inner files together are longer than the EMB: their fragments overlap.
    Overlap,
}

impl InnerFault {
    /// Returns the fault as an error kind.
    pub const fn kind(self) -> ErrorKind {
        ErrorKind::Structure(match self {
            InnerFault::Table => "a fragment table extends beyond the end of the file",
            InnerFault::EmptyFragment => "a fragment of length 0",
            InnerFault::Fragment => "a fragment extends beyond the end of the file",
            InnerFault::Overlap => "the fragments overlap: together they are longer than the file",
        })
    }
}

/// An inner file, or the root directory.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct InnerFile {
    /// Its declared length.
    pub length: u32,
    /// Offset of its fragment table.
    pub table: u32,
    /// Its readable fragments.
    pub fragments: Vec<Fragment>,
    /// Its readable bytes.
    pub content: Vec<u8>,
    /// Why something is missing.
    pub fault: Option<InnerFault>,
}

impl InnerFile {
    /// Follows a fragment table (section 3.2). `budget` is the number of bytes that may still be
    /// read. It is limited by the size of the EMB, because overlapping fragments could require any
    /// amount.
    fn read(emb: &[u8], length: u32, table: u32, budget: &mut usize) -> InnerFile {
        let mut file = InnerFile {
            length,
            table,
            ..InnerFile::default()
        };
        let mut pair = table as usize;
        while file.content.len() < length as usize {
            let Some(fragment) = emb.get(pair..).and_then(<[u8]>::first_chunk) else {
                file.fault = Some(InnerFault::Table);
                break;
            };
            let fragment = Fragment::parse(fragment);
            let rest = emb.get(fragment.offset as usize..).unwrap_or_default();
            let Some(bytes) = rest.get(..fragment.length as usize) else {
                file.fault = Some(InnerFault::Fragment);
                break;
            };
            // The table states no end, so empty fragments could follow forever.
            if bytes.is_empty() {
                file.fault = Some(InnerFault::EmptyFragment);
                break;
            }
            // The last fragment may be longer than the file needs (section 3.2).
            let missing = length as usize - file.content.len();
            let piece = bytes.get(..missing).unwrap_or(bytes);
            let Some(remaining) = budget.checked_sub(piece.len()) else {
                file.fault = Some(InnerFault::Overlap);
                break;
            };
            *budget = remaining;
            file.content.extend_from_slice(piece);
            file.fragments.push(fragment);
            pair += Fragment::SIZE;
        }
        file
    }

    /// Returns the ranges of the EMB that belong to the file: its table, then its fragments,
    /// without the excess of the last one.
    pub fn ranges(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let table = self.table as usize;
        let of_table = (!self.fragments.is_empty()).then_some((table, self.fragments.len() * 8));
        let mut remaining = self.content.len();
        let pieces = self.fragments.iter().map(move |fragment| {
            let length = remaining.min(fragment.length as usize);
            remaining -= length;
            (fragment.offset as usize, length)
        });
        of_table.into_iter().chain(pieces)
    }

    /// Writes table and fragments with this content to their offsets in `out`.
    fn put(&self, content: &[u8], out: &mut [u8]) {
        let mut table = Vec::with_capacity(self.fragments.len() * 8);
        let mut rest = content;
        for fragment in &self.fragments {
            table.extend(fragment.to_bytes());
            let length = rest.len().min(fragment.length as usize);
            let (piece, tail) = rest.split_at_checked(length).unwrap_or((rest, &[]));
            put(out, fragment.offset as usize, piece);
            rest = tail;
        }
        put(out, self.table as usize, &table);
    }
}

fn put(out: &mut [u8], start: usize, bytes: &[u8]) {
    let range = start.checked_add(bytes.len()).map(|end| start..end);
    if let Some(place) = range.and_then(|range| out.get_mut(range)) {
        place.copy_from_slice(bytes);
    }
}

record! {
    /// An entry of the root directory (section 3.3).
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct DirectoryEntry: Little, 256 {
        /// 0 in every known file.
        0..4 first: u32 = "not described: {first}" unknown,
        /// 2 in every known file.
        4..8 second: u32 = "not described: {second}" unknown,
        /// Length of the file.
        8..12 length: u32 = "length: {length}",
        /// Offset of its fragment table.
        12..16 table: u32 = "fragment table: {table:#x}",
        /// Not described.
        16..28 unknown: [u8; 12] = "not described" unknown,
        /// The name, terminated by a NUL.
        28..256 name: [u8; 228] = "name: {}" (text_up_to_nul(name)),
    }
}

impl DirectoryEntry {
    /// Creates the entry that this crate writes.
    pub fn new(name: &[u8], length: u32, table: u32) -> DirectoryEntry {
        // The last of the 228 bytes is a NUL.
        let fitting = name.get(..227).unwrap_or(name);
        DirectoryEntry {
            first: 0,
            second: 2,
            length,
            table,
            unknown: [0; 12],
            name: padded(fitting),
        }
    }

    /// Returns the name without its NUL and the bytes after it.
    pub fn name(&self) -> &[u8] {
        self.name
            .split(|&byte| byte == 0)
            .next()
            .unwrap_or_default()
    }
}

/// A whole EMB.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Emb<'a> {
    /// The header.
    pub raw_header: EmbHeader,
    /// The root directory as a file.
    pub directory: InnerFile,
    /// The entries of the root directory.
    pub entries: Vec<DirectoryEntry>,
    /// The files, one per entry.
    pub files: Vec<InnerFile>,
    /// Offset and bytes of the unreferenced ranges.
    pub gaps: Vec<(u32, &'a [u8])>,
    pub(super) len: usize,
}

impl<'a> Emb<'a> {
    /// Reads an EMB. Errors in an inner file are stored in [`InnerFile::fault`].
    ///
    /// # Errors
    ///
    /// Returns `Truncated` if the header is incomplete.
    pub fn parse(bytes: &'a [u8]) -> Result<Emb<'a>> {
        let raw_header = EmbHeader::parse(bytes)?;
        let mut budget = bytes.len();
        let directory = InnerFile::read(bytes, raw_header.length, raw_header.table, &mut budget);
        let rows = directory.content.as_chunks().0;
        let entries: Vec<_> = rows.iter().map(DirectoryEntry::parse).collect();
        let files: Vec<_> = entries
            .iter()
            .map(|entry| InnerFile::read(bytes, entry.length, entry.table, &mut budget))
            .collect();
        let mut ranges = vec![(0, EmbHeader::SIZE)];
        ranges.extend(directory.ranges());
        ranges.extend(files.iter().flat_map(InnerFile::ranges));
        ranges.sort_unstable();
        let mut gaps = Vec::new();
        let mut covered = 0;
        for (start, length) in ranges.into_iter().chain([(bytes.len(), 0)]) {
            if let Some(gap) = bytes.get(covered..start).filter(|gap| !gap.is_empty()) {
                gaps.push((covered as u32, gap));
            }
            covered = covered.max(start + length);
        }
        Ok(Emb {
            raw_header,
            directory,
            entries,
            files,
            gaps,
            len: bytes.len(),
        })
    }

    /// Returns the bytes of the EMB.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = vec![0; self.len];
        for &(offset, gap) in &self.gaps {
            put(&mut out, offset as usize, gap);
        }
        put(&mut out, 0, &self.raw_header.to_bytes());
        for file in &self.files {
            file.put(&file.content, &mut out);
        }
        let mut directory: Vec<u8> = self
            .entries
            .iter()
            .flat_map(DirectoryEntry::to_bytes)
            .collect();
        // The bytes after the last whole entry.
        let tail = self
            .directory
            .content
            .get(directory.len()..)
            .unwrap_or_default();
        directory.extend_from_slice(tail);
        self.directory.put(&directory, &mut out);
        out
    }

    /// Returns the content of the inner file with this name, ignoring ASCII case.
    pub fn file(&self, name: &str) -> Option<&[u8]> {
        let file = self.files.get(self.number(name)?)?;
        Some(&file.content)
    }

    /// Returns the number of the directory entry with this name, ignoring ASCII case.
    pub fn number(&self, name: &str) -> Option<usize> {
        let is_it = |entry: &DirectoryEntry| entry.name().eq_ignore_ascii_case(name.as_bytes());
        self.entries.iter().position(is_it)
    }
}
