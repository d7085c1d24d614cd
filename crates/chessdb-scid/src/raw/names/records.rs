//! The records of a name file, read one after another.

use chessdb_core::raw::{Parsed, Stop, into_error};
use chessdb_core::{Error, ErrorKind, Result};
use nom::Parser as _;
use nom::bytes::complete::take;
use nom::error::context;
use nom::number::complete::u8 as byte;

use super::super::file_header::byte_at;
use super::{NameHeader, Widths, name_header};

/// All names of a file together may have this many bytes. Front coding lets five bytes stand for
/// 255, so a small hostile file could ask for much memory otherwise.
const MAX_TEXT: usize = 1 << 28;

/// A record as it stands in the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Stored<'a> {
    pub(crate) id: u32,
    pub(crate) frequency: u32,
    /// Bytes of the whole name, and those that it shares with the one before.
    pub(crate) length: u8,
    pub(crate) prefix: u8,
    /// The others.
    pub(crate) own: &'a [u8],
}

/// The records of a name file one after another, as far as they can be read, each with the place of its list.
/// What each shares with the one before is there.
#[derive(Clone, Debug)]
pub(crate) struct NameRecords<'a> {
    /// What follows the last record that could be read.
    pub(crate) rest: &'a [u8],
    file: &'a [u8],
    widths: [Widths; 4],
    list: usize,
    /// How many records of the list were read, and the length of the last name.
    read: u32,
    before: u8,
    budget: usize,
    failed: bool,
}

impl<'a> NameRecords<'a> {
    /// Those of this file.
    ///
    /// # Errors
    ///
    /// Those of [`NameFile::parse`].
    pub(crate) fn new(bytes: &'a [u8]) -> Result<(NameHeader, NameRecords<'a>)> {
        if !bytes.starts_with(NameHeader::MAGIC) {
            let bad = ErrorKind::BadMagic {
                expected: NameHeader::MAGIC,
            };
            return Err(Error::new(bad).at(byte_at(0)));
        }
        let (rest, file_header) =
            name_header(bytes).map_err(|error| into_error(error, bytes.len()))?;
        let records = NameRecords {
            rest,
            file: bytes,
            widths: file_header.widths(),
            list: 0,
            read: 0,
            before: 0,
            budget: MAX_TEXT,
            failed: false,
        };
        Ok((file_header, records))
    }

    #[inline]
    fn read(&mut self, widths: Widths) -> Result<Stored<'a>> {
        let place = self.file.len() - self.rest.len();
        let fault = |kind| Err(Error::new(kind).at(byte_at(place as u64)));
        if NameHeader::MAX_COUNTS.get(self.list) == Some(&self.read) {
            return fault(ErrorKind::LimitExceeded {
                what: "names in a list",
                limit: self.read.into(),
            });
        }
        let (rest, stored) = record(self.rest, widths, self.read == 0)
            .map_err(|error| into_error(error, self.file.len()))?;
        let before = if self.read == 0 { 0 } else { self.before };
        if stored.prefix > before {
            return fault(ErrorKind::Mismatch {
                what: "the shared length",
                found: stored.prefix.into(),
                expected: before.into(),
            });
        }
        let Some(budget) = self.budget.checked_sub(usize::from(stored.length)) else {
            return fault(ErrorKind::LimitExceeded {
                what: "bytes of names",
                limit: MAX_TEXT as u64,
            });
        };
        self.budget = budget;
        self.rest = rest;
        self.before = stored.length;
        self.read += 1;
        Ok(stored)
    }
}

impl<'a> Iterator for NameRecords<'a> {
    type Item = Result<(usize, Stored<'a>)>;

    /// A fault is the last that comes.
    #[inline]
    fn next(&mut self) -> Option<Result<(usize, Stored<'a>)>> {
        if self.failed {
            return None;
        }
        loop {
            let widths = *self.widths.get(self.list)?;
            if self.read < widths.count {
                let read = self.read(widths);
                self.failed = read.is_err();
                return Some(read.map(|stored| (self.list, stored)));
            }
            self.list += 1;
            self.read = 0;
        }
    }
}

/// What the records of a name file come to, which need not be kept for that.
pub(crate) struct NameOutline<'a> {
    /// How many names each list has, and how many numbers: a list that was cut short still has some up to its
    /// count.
    pub(crate) counts: [usize; 4],
    pub(crate) ids: [usize; 4],
    /// Bytes of all names.
    pub(crate) bytes: usize,
    pub(crate) fault: Option<Error>,
    tail: &'a [u8],
}

impl<'a> NameOutline<'a> {
    /// That of this file.
    ///
    /// # Errors
    ///
    /// Those of [`NameRecords::new`].
    pub(crate) fn of(file: &'a [u8]) -> Result<NameOutline<'a>> {
        let (file_header, mut records) = NameRecords::new(file)?;
        let (mut counts, mut ids, mut bytes) = ([0; 4], [0; 4], 0);
        let mut fault = None;
        for record in records.by_ref() {
            let (list, stored) = match record {
                Ok(record) => record,
                Err(found) => {
                    fault = Some(found);
                    break;
                }
            };
            bytes += usize::from(stored.length);
            if let (Some(count), Some(ids), Some(&most)) = (
                counts.get_mut(list),
                ids.get_mut(list),
                file_header.counts.get(list),
            ) {
                *count += 1;
                if stored.id < most {
                    *ids = (stored.id as usize + 1).max(*ids);
                }
            }
        }
        Ok(NameOutline {
            counts,
            ids,
            bytes,
            fault,
            tail: records.rest,
        })
    }

    /// Whether all of the file could be read.
    pub(crate) fn is_whole(&self) -> bool {
        self.fault.is_none() && self.tail.is_empty()
    }
}

/// The record that these bytes begin with; the first of a list shares nothing.
#[inline]
pub(super) fn record(input: &[u8], widths: Widths, first: bool) -> Parsed<'_, Stored<'_>> {
    match whole_record(input, widths, first) {
        Some(read) => Ok(read),
        None => record_at_end(input, widths, first),
    }
}

/// A record with all its bytes, which is not one of the last of the file.
#[inline]
fn whole_record(input: &[u8], widths: Widths, first: bool) -> Option<(&[u8], Stored<'_>)> {
    let fields = u64::from_be_bytes(*input.first_chunk()?);
    let take = |behind: u32, bits: u32| (fields << behind >> (64 - bits)) as u32;
    let (id, frequency) = (widths.id_bits(), widths.frequency_bits());
    let behind = id + frequency;
    let length = take(behind, 8) as u8;
    let (prefix, fields) = match first {
        true => (0, behind / 8 + 1),
        false => (take(behind + 8, 8) as u8, behind / 8 + 2),
    };
    let own = usize::from(length.checked_sub(prefix)?);
    let (own, rest) = input.get(fields as usize..)?.split_at_checked(own)?;
    let stored = Stored {
        id: take(0, id),
        frequency: take(id, frequency),
        length,
        prefix,
        own,
    };
    Some((rest, stored))
}

/// Any record, or what is wrong with it.
fn record_at_end(input: &[u8], widths: Widths, first: bool) -> Parsed<'_, Stored<'_>> {
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn whole_records_are_read_as_those_at_the_end(
            input: Vec<u8>,
            count in prop_oneof![Just(9u32), Just(70_000)],
            max_frequency in prop_oneof![Just(9u32), Just(300), Just(70_000)],
            first: bool,
        ) {
            let widths = Widths { count, max_frequency };
            if let Some(read) = whole_record(&input, widths, first) {
                prop_assert_eq!(record_at_end(&input, widths, first).ok(), Some(read));
            } else if input.len() > 8 + 255 {
                prop_assert!(record_at_end(&input, widths, first).is_err());
            }
        }
    }
}
