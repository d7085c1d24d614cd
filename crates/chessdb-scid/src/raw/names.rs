//! The name file of SCID 3 and SCID 4: four sorted, front-coded lists (docs/formats/scid.md, section 3).

mod line_ends;

use std::cmp::Ordering;
use std::ops::Range;

use chessdb_core::raw::{Parsed, Stop, into_error};
use chessdb_core::{Error, ErrorKind, NameRole, Result};
use nom::Parser as _;
use nom::bytes::complete::{tag, take};
use nom::error::context;
use nom::number::complete::{be_u16, be_u24, be_u32, u8 as byte};

pub(crate) use line_ends::restore;

use super::header::{byte_at, split_u24};

/// The roles of the four lists, in the order of the file.
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
    /// Names in the lists of players, events, sites and rounds; 24 bits each.
    pub counts: [u32; 4],
    /// The greatest frequency in each list, which decides how wide frequencies are; 24 bits each.
    pub max_frequencies: [u32; 4],
}

impl NameHeader {
    /// Bytes of the header.
    pub const SIZE: usize = 36;
    /// What the file begins with.
    pub const MAGIC: &'static [u8; 8] = b"Scid.sn\0";
    /// The most names that an index entry can tell apart: players, events, sites, rounds.
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

/// One name as stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NameRecord {
    /// The number by which the index refers to it: its place in the order of first use.
    pub id: u32,
    /// How many games use it, both colours counted; never to be trusted.
    pub frequency: u32,
    /// Bytes of the whole name.
    pub length: u8,
    /// Bytes that it shares with the name before; need not be the most possible. Absent in the
    /// first record of a list.
    pub prefix: u8,
    /// Where the whole name begins in [`NameList::text`].
    start: u32,
}

/// One of the four lists.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct NameList {
    records: Vec<NameRecord>,
    /// All names, whole, one after another.
    text: Vec<u8>,
}

impl NameList {
    /// The names in stored order.
    pub fn records(&self) -> &[NameRecord] {
        &self.records
    }

    /// A name of this list.
    pub fn name(&self, record: &NameRecord) -> &[u8] {
        let start = record.start as usize;
        self.text
            .get(start..start + usize::from(record.length))
            .unwrap_or_default()
    }

    /// Appends a name that shares as many bytes as possible with the one before. False if it is
    /// longer than 255 bytes or the list is beyond 4 GiB.
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

    fn bytes_of(&self, last: &NameRecord) -> Range<usize> {
        let start = last.start as usize;
        start..start + usize::from(last.length)
    }
}

/// A whole name file.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct NameFile {
    /// Its header.
    pub header: NameHeader,
    /// Players, events, sites, rounds.
    pub lists: [NameList; 4],
    /// What follows the last record that could be read.
    pub tail: Vec<u8>,
}

/// All names of a file together may have this many bytes. Front coding lets five bytes stand for
/// 255, so a small hostile file could ask for much memory otherwise.
const MAX_TEXT: usize = 1 << 28;

impl NameFile {
    /// Reads a name file as far as it goes. Beside the file comes the fault at which reading
    /// stopped, if it did; what could not be read is in `tail`, and the lists after it are short.
    ///
    /// # Errors
    ///
    /// `BadMagic` or `Truncated` for the header.
    pub fn parse(bytes: &[u8]) -> Result<(NameFile, Option<Error>)> {
        if !bytes.starts_with(NameHeader::MAGIC) {
            let bad = ErrorKind::BadMagic {
                expected: NameHeader::MAGIC,
            };
            return Err(Error::new(bad).at(byte_at(0)));
        }
        let (mut rest, header) =
            name_header(bytes).map_err(|error| into_error(error, bytes.len()))?;
        let mut file = NameFile {
            header,
            ..NameFile::default()
        };
        let fault = file.read_lists(&mut rest, bytes.len()).err();
        file.tail = rest.to_vec();
        Ok((file, fault))
    }

    fn read_lists(&mut self, rest: &mut &[u8], len: usize) -> Result<()> {
        let widths = self.header.widths();
        let mut budget = MAX_TEXT;
        for ((list, widths), max) in self
            .lists
            .iter_mut()
            .zip(widths)
            .zip(NameHeader::MAX_COUNTS)
        {
            let at = |rest: &[u8]| byte_at((len - rest.len()) as u64);
            // A record has at least four bytes; the count is believed only as far as they reach.
            list.records
                .reserve((widths.count as usize).min(rest.len() / 4));
            for n in 0..widths.count {
                if n == max {
                    let limit = max.into();
                    let kind = ErrorKind::LimitExceeded {
                        what: "names in a list",
                        limit,
                    };
                    return Err(Error::new(kind).at(at(rest)));
                }
                let (after, stored) =
                    record(rest, widths, n == 0).map_err(|error| into_error(error, len))?;
                list.restore(stored)
                    .map_err(|kind| Error::new(kind).at(at(rest)))?;
                let used = usize::from(stored.length);
                budget = budget.checked_sub(used).ok_or_else(|| {
                    let limit = MAX_TEXT as u64;
                    let kind = ErrorKind::LimitExceeded {
                        what: "bytes of names",
                        limit,
                    };
                    Error::new(kind).at(at(rest))
                })?;
                *rest = after;
            }
        }
        Ok(())
    }

    /// The records of a list by its place: how many bytes each takes, its number, the whole name.
    pub(crate) fn stored(&self, list: usize) -> impl Iterator<Item = (u64, u32, &[u8])> {
        let widths = self.header.widths().get(list).copied();
        let records = self.lists.get(list).into_iter().flat_map(|list| {
            let records = list.records.iter().enumerate();
            records.map(move |(n, record)| (list, n == 0, record))
        });
        records
            .zip(std::iter::repeat(widths))
            .filter_map(|((list, first, record), widths)| {
                let mut fields = Vec::new();
                let widths = widths?;
                widths.write_id(record.id, &mut fields);
                widths.write_frequency(record.frequency, &mut fields);
                let own = record.length.saturating_sub(record.prefix);
                let own = if first { record.length } else { own };
                let length = fields.len() + 1 + usize::from(!first) + usize::from(own);
                Some((length as u64, record.id, list.name(record)))
            })
    }

    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.header.write(&mut out);
        for (list, widths) in self.lists.iter().zip(self.header.widths()) {
            for (n, record) in list.records.iter().enumerate() {
                widths.write_id(record.id, &mut out);
                widths.write_frequency(record.frequency, &mut out);
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
    /// Adds a record as read, with the bytes that it shares put in front.
    fn restore(&mut self, stored: Stored<'_>) -> std::result::Result<(), ErrorKind> {
        let before = self
            .records
            .last()
            .map_or(0..0, |record| self.bytes_of(record));
        let prefix = usize::from(stored.prefix);
        if prefix > before.len() {
            let found = prefix as u64;
            let expected = before.len() as u64;
            return Err(ErrorKind::Mismatch {
                what: "the shared length",
                found,
                expected,
            });
        }
        let start = self.text.len() as u32;
        self.text
            .extend_from_within(before.start..before.start + prefix);
        self.text.extend_from_slice(stored.own);
        let Stored {
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
        Ok(())
    }
}

/// How wide the fields of one list are.
#[derive(Clone, Copy)]
struct Widths {
    count: u32,
    max_frequency: u32,
}

impl NameHeader {
    fn widths(&self) -> [Widths; 4] {
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
    fn id<'a>(self, input: &'a [u8]) -> Parsed<'a, u32> {
        if self.count < 0x1_0000 {
            be_u16.map(u32::from).parse(input)
        } else {
            be_u24(input)
        }
    }

    fn write_id(self, id: u32, out: &mut Vec<u8>) {
        let (_, bytes) = split_u24(id);
        let skip = usize::from(self.count < 0x1_0000);
        out.extend(bytes.iter().skip(skip));
    }

    fn frequency<'a>(self, input: &'a [u8]) -> Parsed<'a, u32> {
        match self.max_frequency {
            0..=0xFF => byte.map(u32::from).parse(input),
            0x100..=0xFFFF => be_u16.map(u32::from).parse(input),
            _ => be_u24(input),
        }
    }

    fn write_frequency(self, frequency: u32, out: &mut Vec<u8>) {
        let (_, bytes) = split_u24(frequency);
        let skip = match self.max_frequency {
            0..=0xFF => 2,
            0x100..=0xFFFF => 1,
            _ => 0,
        };
        out.extend(bytes.iter().skip(skip));
    }
}

/// A record as it stands in the file.
#[derive(Clone, Copy)]
struct Stored<'a> {
    id: u32,
    frequency: u32,
    length: u8,
    prefix: u8,
    own: &'a [u8],
}

fn name_header(input: &[u8]) -> Parsed<'_, NameHeader> {
    let (input, _) = context("the magic bytes", tag(&NameHeader::MAGIC[..])).parse(input)?;
    let (mut input, timestamp) = context("the timestamp", be_u32).parse(input)?;
    let mut header = NameHeader {
        timestamp,
        ..NameHeader::default()
    };
    for count in &mut header.counts {
        (input, *count) = context("the number of names", be_u24).parse(input)?;
    }
    for frequency in &mut header.max_frequencies {
        (input, *frequency) = context("the greatest frequency", be_u24).parse(input)?;
    }
    Ok((input, header))
}

fn record(input: &[u8], widths: Widths, first: bool) -> Parsed<'_, Stored<'_>> {
    let (input, id) = context("the number of a name", |i| widths.id(i)).parse(input)?;
    let (input, frequency) = context("the frequency", |i| widths.frequency(i)).parse(input)?;
    let (input, length) = context("the length of a name", byte).parse(input)?;
    let (input, prefix) = if first {
        (input, 0)
    } else {
        context("the shared length", byte).parse(input)?
    };
    let Some(own) = length.checked_sub(prefix) else {
        let stop = Stop::new(input, "a name shorter than what it shares");
        return Err(nom::Err::Failure(stop));
    };
    let (input, own) = context("a name", take(own)).parse(input)?;
    Ok((
        input,
        Stored {
            id,
            frequency,
            length,
            prefix,
            own,
        },
    ))
}

/// The order of names in a list: the first bytes as unsigned numbers, the others as signed ones,
/// the end of a name as 0.
///
/// QUIRK: a byte of 0x80 or more comes behind ASCII as first byte, but before everything, the end
/// of the name included, later on. Old programs refuse a base whose names are ordered otherwise
/// (test `names_are_sorted_as_scid_sorts_them`).
pub fn compare_names(a: &[u8], b: &[u8]) -> Ordering {
    let at = |name: &[u8], n: usize| name.get(n).copied().unwrap_or(0);
    at(a, 0).cmp(&at(b, 0)).then_with(|| {
        (1..a.len().max(b.len()))
            .map(|n| (at(a, n) as i8).cmp(&(at(b, n) as i8)))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    })
}

#[cfg(test)]
mod tests;
