//! The name file of SCID 3 and SCID 4: four sorted, front-coded lists (docs/formats/scid.md,
//! section 3).

mod each_name;
mod line_ends;
mod records;

use std::cmp::Ordering;
use std::ops::Range;

use chessdb_core::model::NameRole;
use chessdb_core::raw::Parsed;
use chessdb_core::{Error, Result};
use nom::Parser as _;
use nom::bytes::complete::tag;
use nom::error::context;
use nom::number::complete::{be_u16, be_u24, be_u32, u8 as byte};

pub(crate) use each_name::each_name;
pub(crate) use line_ends::restore;
pub(crate) use records::{NameOutline, NameRecords, StoredName};

use super::file_header::split_u24;

/// The roles of the four lists, in file order.
pub(crate) const ROLES: [NameRole; 4] = [
    NameRole::Player,
    NameRole::Event,
    NameRole::Site,
    NameRole::Round,
];

/// The header of a name file.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct NameHeader {
    /// Obsolete; 0 in current files.
    pub timestamp: u32,
    /// The number of names in the lists of players, events, sites and rounds; 24 bits each.
    pub counts: [u32; 4],
    /// The highest frequency in each list, which determines the width of frequencies; 24 bits each.
    pub max_frequencies: [u32; 4],
}

impl NameHeader {
    /// The size of the header, in bytes.
    pub const SIZE: usize = 36;
    /// The magic bytes at the start of the file.
    pub const MAGIC: &'static [u8; 8] = b"Scid.sn\0";
    /// The largest numbers of players, events, sites and rounds that an index entry can
    /// distinguish.
    pub const MAX_COUNTS: [u32; 4] = [(1 << 20) - 1, (1 << 19) - 1, (1 << 19) - 1, (1 << 18) - 1];

    /// Appends the header.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(NameHeader::MAGIC);
        out.extend_from_slice(&self.timestamp.to_be_bytes());
        for number in self.counts.iter().chain(&self.max_frequencies) {
            out.extend_from_slice(&split_u24(*number).1);
        }
    }
}

/// A name as stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NameRecord {
    /// The number by which the index refers to the name: its place in the order of first use.
    pub id: u32,
    /// The number of games that use the name, counting both colors. Unreliable.
    pub frequency: u32,
    /// The size of the whole name, in bytes.
    pub length: u8,
    /// The number of bytes shared with the preceding name, not necessarily as many as possible.
    /// Absent in the first record of a list.
    pub prefix: u8,
    /// The offset of the whole name in [`NameList::text`].
    start: u32,
}

/// One of the four lists.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct NameList {
    records: Vec<NameRecord>,
    /// The concatenated names, each in full.
    text: Vec<u8>,
}

impl NameList {
    /// Returns the names in stored order.
    pub fn records(&self) -> &[NameRecord] {
        &self.records
    }

    /// Returns a name of this list.
    pub fn name(&self, record: &NameRecord) -> &[u8] {
        self.text.get(self.bytes_of(record)).unwrap_or_default()
    }

    /// Appends a name that shares as many bytes as possible with the preceding one. Returns false
    /// if it is longer than 255 bytes or the list exceeds 4 GiB.
    pub fn push(&mut self, id: u32, frequency: u32, name: &[u8]) -> bool {
        let before = self
            .records
            .last()
            .map_or(&[][..], |record| self.name(record));
        let prefix = before.iter().zip(name).take_while(|(a, b)| a == b).count();
        let (Ok(length), Ok(start)) = (u8::try_from(name.len()), u32::try_from(self.text.len()))
        else {
            return false;
        };
        self.records.push(NameRecord {
            id,
            frequency,
            length,
            prefix: prefix as u8,
            start,
        });
        self.text.extend_from_slice(name);
        true
    }

    fn bytes_of(&self, record: &NameRecord) -> Range<usize> {
        let start = record.start as usize;
        start..start + usize::from(record.length)
    }
}

/// A whole name file.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct NameFile {
    /// The header.
    pub file_header: NameHeader,
    /// Players, events, sites, rounds.
    pub lists: [NameList; 4],
    /// The bytes after the last record that could be read.
    pub tail: Vec<u8>,
}

impl NameFile {
    /// Reads a name file as far as possible. Also returns the error at which reading stopped, if
    /// any; then the rest is in `tail`, and the lists are incomplete.
    ///
    /// # Errors
    ///
    /// Returns `BadMagic` or `Truncated` for the header.
    pub fn parse(bytes: &[u8]) -> Result<(NameFile, Option<Error>)> {
        let (file_header, mut records) = NameRecords::new(bytes)?;
        let mut file = NameFile {
            file_header,
            ..NameFile::default()
        };
        let fault = loop {
            match records.next() {
                None => break None,
                Some(Err(fault)) => break Some(fault),
                Some(Ok((list, stored))) => {
                    if let Some(list) = file.lists.get_mut(list) {
                        list.restore(stored);
                    }
                }
            }
        };
        file.tail = records.rest.to_vec();
        Ok((file, fault))
    }

    /// Returns the stored size, number and whole name of each record of a list.
    pub(crate) fn stored(&self, list: usize) -> impl Iterator<Item = (u64, u32, &[u8])> {
        let widths = self.file_header.widths().get(list).copied();
        let records = self.lists.get(list).into_iter().flat_map(|list| {
            list.records
                .iter()
                .enumerate()
                .map(move |(n, record)| (list, n == 0, record))
        });
        records
            .zip(std::iter::repeat(widths))
            .filter_map(|((list, first, record), widths)| {
                let layout = widths?;
                let after_prefix = record.length.saturating_sub(record.prefix);
                // The first record of a list shares nothing, whatever its prefix states.
                let own = if first { record.length } else { after_prefix };
                let length =
                    layout.id() + layout.frequency() + 1 + usize::from(!first) + usize::from(own);
                Some((length as u64, record.id, list.name(record)))
            })
    }

    /// Returns the bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.file_header.write(&mut out);
        for (list, widths) in self.lists.iter().zip(self.file_header.widths()) {
            for (n, record) in list.records.iter().enumerate() {
                widths.write(record, &mut out);
                out.push(record.length);
                let name = list.name(record);
                if n == 0 {
                    out.extend_from_slice(name);
                } else {
                    out.push(record.prefix);
                    let own = name.get(usize::from(record.prefix)..);
                    out.extend_from_slice(own.unwrap_or_default());
                }
            }
        }
        out.extend_from_slice(&self.tail);
        out
    }
}

impl NameList {
    /// Adds a record as read, prepending the shared bytes.
    fn restore(&mut self, stored: StoredName<'_>) {
        let before = self
            .records
            .last()
            .map_or(0..0, |record| self.bytes_of(record));
        // The iterator of records has checked that the preceding name is that long.
        let shared = before.start..before.start + usize::from(stored.prefix);
        let start = self.text.len() as u32;
        self.text.extend_from_within(shared);
        self.text.extend_from_slice(stored.own);
        let StoredName {
            id,
            frequency,
            length,
            prefix,
            ..
        } = stored;
        self.records.push(NameRecord {
            id,
            frequency,
            length,
            prefix,
            start,
        });
    }
}

/// The widths of the fields of one list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Widths {
    count: u32,
    max_frequency: u32,
}

impl NameHeader {
    pub(super) fn widths(&self) -> [Widths; 4] {
        let mut widths = [Widths {
            count: 0,
            max_frequency: 0,
        }; 4];
        let numbers = self.counts.iter().zip(&self.max_frequencies);
        for (width, (&count, &max_frequency)) in widths.iter_mut().zip(numbers) {
            *width = Widths {
                count,
                max_frequency,
            };
        }
        widths
    }
}

impl Widths {
    /// Returns the number of bytes of a name's number.
    pub(super) fn id(self) -> usize {
        if self.count < 0x1_0000 { 2 } else { 3 }
    }

    /// Returns the number of bytes of a frequency.
    pub(super) fn frequency(self) -> usize {
        match self.max_frequency {
            0..=0xFF => 1,
            0x100..=0xFFFF => 2,
            _ => 3,
        }
    }

    /// Appends the number and the frequency of a record.
    fn write(self, record: &NameRecord, out: &mut Vec<u8>) {
        let fields = [(record.id, self.id()), (record.frequency, self.frequency())];
        for (value, width) in fields {
            let (_, bytes) = split_u24(value);
            out.extend(bytes.iter().skip(3 - width));
        }
    }
}

/// Parses a number of one to three bytes.
fn number(width: usize, input: &[u8]) -> Parsed<'_, u32> {
    match width {
        1 => byte.map(u32::from).parse(input),
        2 => be_u16.map(u32::from).parse(input),
        _ => be_u24(input),
    }
}

fn name_header(input: &[u8]) -> Parsed<'_, NameHeader> {
    let (input, _) = context("the magic bytes", tag(&NameHeader::MAGIC[..])).parse(input)?;
    let (mut input, timestamp) = context("the timestamp", be_u32).parse(input)?;
    let mut file_header = NameHeader {
        timestamp,
        ..NameHeader::default()
    };
    for count in &mut file_header.counts {
        (input, *count) = context("the number of names", be_u24).parse(input)?;
    }
    for frequency in &mut file_header.max_frequencies {
        (input, *frequency) = context("the greatest frequency", be_u24).parse(input)?;
    }
    Ok((input, file_header))
}

/// Compares names in list order: first bytes as unsigned numbers, the others as signed ones, with
/// the end of a name as 0.
///
/// QUIRK: a byte of 0x80 or more sorts after ASCII as the first byte, but before everything else,
/// including the end of the name, at later positions. Old programs refuse a database with another
/// order (test `names_are_sorted_as_scid_sorts_them`).
pub fn compare_names(a: &[u8], b: &[u8]) -> Ordering {
    let letter = |name: &[u8], n: usize| name.get(n).copied().unwrap_or(0);
    letter(a, 0).cmp(&letter(b, 0)).then_with(|| {
        (1..a.len().max(b.len()))
            .map(|n| (letter(a, n) as i8).cmp(&(letter(b, n) as i8)))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    })
}

#[cfg(test)]
mod tests;
