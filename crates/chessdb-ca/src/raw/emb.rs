//! The EMB: a small file system for the lists of names (docs/formats/chess-assistant.md, section 3).

use chessdb_core::raw::{array, into_error};
use chessdb_core::{ErrorKind, Location, Result};
use nom::Parser as _;
use nom::error::context;
use nom::number::complete::le_u32;

use super::cdp::{SIGNATURE, padded};
use crate::roles::EMB_FILE;

/// The first 144 bytes of an EMB.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EmbHeader {
    /// Program and version, zero padded.
    pub signature: [u8; 64],
    /// Version of the volume, zero padded.
    pub version: [u8; 64],
    /// Zeros.
    pub unknown: [u8; 8],
    /// Length of the root directory.
    pub length: u32,
    /// Offset of the root directory's fragment table.
    pub table: u32,
}

impl EmbHeader {
    /// Bytes of the header.
    pub const SIZE: usize = 144;
    /// The version text of an EMB.
    pub const VERSION: &[u8] = b"\nData Pro Volume format. Version 1.1";

    /// The header that this crate writes.
    pub fn new() -> EmbHeader {
        EmbHeader {
            signature: padded(SIGNATURE),
            version: padded(EmbHeader::VERSION),
            unknown: [0; 8],
            length: 0,
            table: 0,
        }
    }

    /// Whether these bytes begin as an EMB does.
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
    /// `Truncated` if there are fewer than 144 bytes.
    pub fn parse(bytes: &[u8]) -> Result<EmbHeader> {
        let fields = (array::<64>, array::<64>, array::<8>, le_u32, le_u32);
        let fields = context("the header", fields).parse(bytes);
        let (_, (signature, version, unknown, length, table)) = fields
            .map_err(|error| into_error(error, bytes.len()).at(Location::byte(EMB_FILE, 0)))?;
        Ok(EmbHeader {
            signature,
            version,
            unknown,
            length,
            table,
        })
    }

    /// The bytes of the header.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(EmbHeader::SIZE);
        bytes.extend(self.signature);
        bytes.extend(self.version);
        bytes.extend(self.unknown);
        bytes.extend(self.length.to_le_bytes());
        bytes.extend(self.table.to_le_bytes());
        bytes
    }
}

impl Default for EmbHeader {
    fn default() -> EmbHeader {
        EmbHeader::new()
    }
}

/// A piece of an inner file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fragment {
    /// Bytes of it.
    pub length: u32,
    /// Where it lies in the EMB.
    pub offset: u32,
}

/// Why an inner file could not be read to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InnerFault {
    /// The table of fragments runs beyond the end of the EMB.
    Table,
    /// A fragment without a byte, of which there could be any number.
    EmptyFragment,
    /// A fragment runs beyond the end of the EMB.
    Fragment,
    /// All inner files together are longer than the EMB: their fragments overlap.
    Overlap,
}

impl InnerFault {
    /// The fault in words.
    pub const fn kind(self) -> ErrorKind {
        ErrorKind::Structure(match self {
            InnerFault::Table => "a fragment table runs beyond the end of the file",
            InnerFault::EmptyFragment => "a fragment of length 0",
            InnerFault::Fragment => "a fragment runs beyond the end of the file",
            InnerFault::Overlap => "fragments overlap: more bytes than the file has",
        })
    }
}

/// An inner file, the root directory included.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct InnerFile {
    /// Its length as declared.
    pub length: u32,
    /// Offset of its fragment table.
    pub table: u32,
    /// Its pieces, as far as they could be followed.
    pub fragments: Vec<Fragment>,
    /// Its bytes, as far as they are there.
    pub content: Vec<u8>,
    /// Why something is missing.
    pub fault: Option<InnerFault>,
}

impl InnerFile {
    /// Follows a fragment table (section 3.2). `budget` is how many bytes may still be read: no
    /// more than the EMB has, or overlapping fragments could ask for any amount.
    fn read(emb: &[u8], length: u32, table: u32, budget: &mut usize) -> InnerFile {
        let mut file = InnerFile {
            length,
            table,
            ..InnerFile::default()
        };
        let mut at = table as usize;
        while file.content.len() < length as usize {
            let pair = emb.get(at..).and_then(<[u8]>::first_chunk::<8>);
            let Some(&[l0, l1, l2, l3, o0, o1, o2, o3]) = pair else {
                file.fault = Some(InnerFault::Table);
                break;
            };
            let fragment = Fragment {
                length: u32::from_le_bytes([l0, l1, l2, l3]),
                offset: u32::from_le_bytes([o0, o1, o2, o3]),
            };
            let there = emb.get(fragment.offset as usize..).unwrap_or_default();
            let Some(bytes) = there.get(..fragment.length as usize) else {
                file.fault = Some(InnerFault::Fragment);
                break;
            };
            if bytes.is_empty() {
                file.fault = Some(InnerFault::EmptyFragment);
                break;
            }
            let missing = length as usize - file.content.len();
            let bytes = bytes.get(..missing).unwrap_or(bytes);
            let Some(left) = budget.checked_sub(bytes.len()) else {
                file.fault = Some(InnerFault::Overlap);
                break;
            };
            *budget = left;
            file.content.extend_from_slice(bytes);
            file.fragments.push(fragment);
            at += 8;
        }
        file
    }

    /// The ranges of the EMB that belong to it: its table, then its pieces, each without what the
    /// last one has too much.
    pub fn ranges(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let table = self.table as usize;
        let of_table = (!self.fragments.is_empty()).then_some((table, self.fragments.len() * 8));
        let mut left = self.content.len();
        let pieces = self.fragments.iter().map(move |fragment| {
            let length = left.min(fragment.length as usize);
            left -= length;
            (fragment.offset as usize, length)
        });
        of_table.into_iter().chain(pieces)
    }

    /// Puts table and pieces where they belong, with this content.
    fn put(&self, content: &[u8], out: &mut [u8]) {
        let mut table = Vec::with_capacity(self.fragments.len() * 8);
        let mut rest = content;
        for fragment in &self.fragments {
            table.extend(fragment.length.to_le_bytes());
            table.extend(fragment.offset.to_le_bytes());
            let length = rest.len().min(fragment.length as usize);
            let (piece, tail) = rest.split_at_checked(length).unwrap_or((rest, &[]));
            put(out, fragment.offset as usize, piece);
            rest = tail;
        }
        put(out, self.table as usize, &table);
    }
}

fn put(out: &mut [u8], at: usize, bytes: &[u8]) {
    let range = at.checked_add(bytes.len()).map(|end| at..end);
    if let Some(place) = range.and_then(|range| out.get_mut(range)) {
        place.copy_from_slice(bytes);
    }
}

/// An entry of the root directory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DirectoryEntry {
    /// 0.
    pub first: u32,
    /// 2.
    pub second: u32,
    /// Length of the file.
    pub length: u32,
    /// Offset of its fragment table.
    pub table: u32,
    /// Not described.
    pub unknown: [u8; 12],
    /// The name, ended by a NUL.
    pub name: [u8; 228],
}

impl DirectoryEntry {
    /// Bytes of an entry.
    pub const SIZE: usize = 256;

    /// The entry that this crate writes.
    pub fn new(name: &[u8], length: u32, table: u32) -> DirectoryEntry {
        let name = name.get(..227).unwrap_or(name);
        DirectoryEntry {
            first: 0,
            second: 2,
            length,
            table,
            unknown: [0; 12],
            name: padded(name),
        }
    }

    /// Reads an entry.
    pub fn parse(bytes: &[u8; DirectoryEntry::SIZE]) -> DirectoryEntry {
        let (numbers, _) = bytes.as_chunks::<4>();
        let number = |n: usize| numbers.get(n).map_or(0, |bytes| u32::from_le_bytes(*bytes));
        let tail = |from: usize| bytes.get(from..).unwrap_or_default();
        DirectoryEntry {
            first: number(0),
            second: number(1),
            length: number(2),
            table: number(3),
            unknown: tail(16).first_chunk().copied().unwrap_or_default(),
            name: tail(28).first_chunk().copied().unwrap_or([0; 228]),
        }
    }

    /// The bytes of the entry.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(DirectoryEntry::SIZE);
        for number in [self.first, self.second, self.length, self.table] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(self.unknown);
        bytes.extend(self.name);
        bytes
    }

    /// The name without what stands behind its NUL.
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
    /// Its entries.
    pub entries: Vec<DirectoryEntry>,
    /// The files, one for each entry.
    pub files: Vec<InnerFile>,
    /// Offset and bytes of the ranges to which nothing refers.
    pub gaps: Vec<(u32, &'a [u8])>,
    len: usize,
}

impl<'a> Emb<'a> {
    /// Reads an EMB; what is wrong with an inner file stands in [`InnerFile::fault`].
    ///
    /// # Errors
    ///
    /// `Truncated` if the header is not whole.
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

    /// The bytes of the EMB.
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
        // Behind the last whole entry.
        let tail = self
            .directory
            .content
            .get(directory.len()..)
            .unwrap_or_default();
        directory.extend_from_slice(tail);
        self.directory.put(&directory, &mut out);
        out
    }

    /// The content of the inner file with this name; capitals do not matter.
    pub fn file(&self, name: &str) -> Option<&[u8]> {
        let mut all = self.entries.iter().zip(&self.files);
        let (_, file) =
            all.find(|(entry, _)| entry.name().eq_ignore_ascii_case(name.as_bytes()))?;
        Some(&file.content)
    }
}
