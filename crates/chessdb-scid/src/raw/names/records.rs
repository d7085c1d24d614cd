//! The records of a name file, read one by one.

use chessdb_core::raw::{Parsed, Stop, into_error};
use chessdb_core::{Error, ErrorKind, Result};
use nom::Parser as _;
use nom::bytes::complete::take;
use nom::error::context;
use nom::number::complete::u8 as byte;

use super::super::file_header::byte_at;
use super::{NameHeader, Widths, name_header, number};

/// The largest total size of all names of a file. With front coding five bytes can produce 255, so
/// a small hostile file could otherwise use much memory.
const MAX_TEXT: usize = 1 << 28;

/// A record as stored in the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct StoredName<'a> {
    pub(crate) id: u32,
    pub(crate) frequency: u32,
    /// The size of the whole name, and the size of the prefix shared with the preceding name.
    pub(crate) length: u8,
    pub(crate) prefix: u8,
    /// The bytes after the shared prefix.
    pub(crate) own: &'a [u8],
}

/// Iterator over the readable records of a name file, each with the index of its list. The shared
/// bytes of each record are guaranteed to exist in the preceding name.
#[derive(Clone, Debug)]
pub(crate) struct NameRecords<'a> {
    /// The bytes after the last record that could be read.
    pub(crate) rest: &'a [u8],
    file: &'a [u8],
    widths: [Widths; 4],
    list: usize,
    /// The number of records read from the list, and the length of the last name.
    read: u32,
    before: u8,
    budget: usize,
    failed: bool,
}

impl<'a> NameRecords<'a> {
    /// Reads the header of the file and starts at its first record.
    ///
    /// # Errors
    ///
    /// Returns an error as [`NameFile::parse`](super::NameFile::parse) does.
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
    fn read(&mut self, widths: Widths) -> Result<StoredName<'a>> {
        let place = self.file.len() - self.rest.len();
        let fault = |kind| Err(Error::new(kind).at(byte_at(place as u64)));
        // The index cannot refer to more names.
        if NameHeader::MAX_COUNTS.get(self.list) == Some(&self.read) {
            return fault(ErrorKind::over_limit("names in a list", self.read.into()));
        }
        let (rest, stored) = record(self.rest, widths, self.read == 0)
            .map_err(|error| into_error(error, self.file.len()))?;
        let before = if self.read == 0 { 0 } else { self.before };
        if stored.prefix > before {
            return fault(ErrorKind::mismatch(
                "the shared length",
                stored.prefix.into(),
                before.into(),
            ));
        }
        let Some(budget) = self.budget.checked_sub(usize::from(stored.length)) else {
            return fault(ErrorKind::over_limit("bytes of names", MAX_TEXT as u64));
        };
        self.budget = budget;
        self.rest = rest;
        self.before = stored.length;
        self.read += 1;
        Ok(stored)
    }
}

impl<'a> Iterator for NameRecords<'a> {
    type Item = Result<(usize, StoredName<'a>)>;

    /// Iteration ends after an error.
    #[inline]
    fn next(&mut self) -> Option<Result<(usize, StoredName<'a>)>> {
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

/// A summary of a name file, computed without keeping its records.
pub(crate) struct NameOutline<'a> {
    /// The number of names and of name numbers per list. A list that was cut short still has
    /// numbers up to its count.
    pub(crate) counts: [usize; 4],
    pub(crate) ids: [usize; 4],
    /// The total size of all names, in bytes.
    pub(crate) bytes: usize,
    pub(crate) fault: Option<Error>,
    tail: &'a [u8],
}

impl<'a> NameOutline<'a> {
    /// Summarizes the file.
    ///
    /// # Errors
    ///
    /// Returns an error as [`NameRecords::new`] does.
    pub(crate) fn scan(file: &'a [u8]) -> Result<NameOutline<'a>> {
        let (file_header, mut records) = NameRecords::new(file)?;
        let (mut counts, mut ids, mut bytes) = ([0; 4], [0; 4], 0);
        let mut fault = None;
        for record in records.by_ref() {
            let (list, stored) = match record {
                Ok(record) => record,
                Err(error) => {
                    fault = Some(error);
                    break;
                }
            };
            bytes += usize::from(stored.length);
            if let (Some(count), Some(ids), Some(&limit)) = (
                counts.get_mut(list),
                ids.get_mut(list),
                file_header.counts.get(list),
            ) {
                *count += 1;
                // A number out of range must not decide the size of the tables.
                if stored.id < limit {
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

    /// Returns whether the whole file could be read.
    pub(crate) fn is_whole(&self) -> bool {
        self.fault.is_none() && self.tail.is_empty()
    }
}

/// Parses the record that these bytes begin with. The first record of a list shares nothing.
#[inline]
pub(super) fn record(input: &[u8], widths: Widths, first: bool) -> Parsed<'_, StoredName<'_>> {
    match whole_record(input, widths, first) {
        Some(read) => Ok(read),
        None => record_at_end(input, widths, first),
    }
}

/// Parses a record that is not among the last bytes of the file.
#[inline]
fn whole_record(input: &[u8], widths: Widths, first: bool) -> Option<(&[u8], StoredName<'_>)> {
    // Eight bytes hold the longest fields: number and frequency of three bytes, length, prefix.
    let fields = u64::from_be_bytes(*input.first_chunk()?);
    let take = |start: u32, bits: u32| (fields << start >> (64 - bits)) as u32;
    let (id, frequency) = (8 * widths.id() as u32, 8 * widths.frequency() as u32);
    let length_start = id + frequency;
    let length = take(length_start, 8) as u8;
    let (prefix, fields) = if first {
        (0, length_start / 8 + 1)
    } else {
        (take(length_start + 8, 8) as u8, length_start / 8 + 2)
    };
    let own = usize::from(length.checked_sub(prefix)?);
    let (own, rest) = input.get(fields as usize..)?.split_at_checked(own)?;
    let stored = StoredName {
        id: take(0, id),
        frequency: take(id, frequency),
        length,
        prefix,
        own,
    };
    Some((rest, stored))
}

/// Parses any record, or returns the error.
fn record_at_end(input: &[u8], widths: Widths, first: bool) -> Parsed<'_, StoredName<'_>> {
    let (input, id) = context("the number of a name", |i| number(widths.id(), i)).parse(input)?;
    let (input, frequency) =
        context("the frequency", |i| number(widths.frequency(), i)).parse(input)?;
    let (input, length) = context("the length of a name", byte).parse(input)?;
    let (input, prefix) = if first {
        (input, 0)
    } else {
        context("the shared length", byte).parse(input)?
    };
    let Some(own) = length.checked_sub(prefix) else {
        let stop = Stop::new(input, "a name shorter than its shared prefix");
        return Err(nom::Err::Failure(stop));
    };
    let (input, own) = context("a name", take(own)).parse(input)?;
    Ok((
        input,
        StoredName {
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
