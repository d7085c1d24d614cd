//! The pages of a column: finding them in the file and checking the number of values they claim.
//!
//! The Parquet library trusts the number of values that a page states. A run of equal levels or
//! values takes a few bytes regardless of its length, so a page of thirty bytes can claim a row
//! with two billion moves.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use bytes::buf::{Buf, Reader};
use chessdb_core::{ErrorKind, Result};
use parquet::basic::Encoding;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length, SerializedPageReader};

use crate::leaf_columns::RowRange;
use crate::raw::{file_slice, parquet_error};

/// The maximum number of list values per byte of a page. A move takes a few bits, and so does the
/// name of a tag.
const VALUES_PER_BYTE: u64 = 64;
/// The number of values allowed beyond [`VALUES_PER_BYTE`] and one value per row. Lists of nulls
/// only, for example a hundred in each of a hundred thousand games, take almost no bytes.
const VALUES: u64 = 1 << 24;
/// The minimum size of a value in a dictionary, in bytes: a number, or the length of a text.
const DICTIONARY_VALUE: u64 = 4;

/// Returns the pages of a column, limited to the needed ones if the file states which rows each
/// page has. Pages read after `is_kept` is set count against the limit on memory.
pub(crate) fn page_reader(
    part: &RowRange<'_>,
    column: usize,
    is_kept: &Arc<AtomicBool>,
) -> Result<Box<dyn PageReader>> {
    let group = part.table.row_group(part.group);
    let chunk = group.column(column);
    let start = chunk
        .dictionary_page_offset()
        .unwrap_or(chunk.data_page_offset());
    let index = part.table.page_index();
    let pages = index.and_then(|index| index.page_locations(part.group, column));
    let ranges = match pages.and_then(|all| Some((all, all.first()?))) {
        None => vec![(start, start.saturating_add(chunk.compressed_size()))],
        Some((all, dictionary_end)) => {
            let row = |row: usize| i64::try_from(row).unwrap_or(i64::MAX);
            let (first, end) = (row(part.skip), row(part.skip + part.rows));
            let from = all.partition_point(|page| page.first_row_index <= first);
            let to = all.partition_point(|page| page.first_row_index < end);
            let needed = all.get(from.saturating_sub(1)..to).unwrap_or_default();
            let needed = needed.iter().map(|page| {
                let length = i64::from(page.compressed_page_size);
                (page.offset, page.offset.saturating_add(length))
            });
            let dictionary = (start, dictionary_end.offset);
            std::iter::once(dictionary).chain(needed).collect()
        }
    };
    let parts = ranges.into_iter().map(|(start, end)| {
        let outside = |_| ErrorKind::Structure("a part of a column before the file");
        let range: Range<u64> =
            start.try_into().map_err(outside)?..end.try_into().map_err(outside)?;
        let bytes = file_slice(part.file, &range)?;
        Ok((range.start, Bytes::copy_from_slice(bytes)))
    });
    let parts = Arc::new(FileParts(parts.collect::<Result<_>>()?));
    let rows = usize::try_from(group.num_rows()).unwrap_or_default();
    let pages = SerializedPageReader::new(parts, chunk, rows, pages.cloned());
    let column = chunk.column_descr();
    Ok(Box::new(CheckedPages {
        pages: pages.map_err(parquet_error)?,
        levels: [column.max_rep_level(), column.max_def_level()],
        is_kept: Arc::clone(is_kept),
        most: VALUES + rows as u64,
        room: VALUES + rows as u64,
    }))
}

/// A page reader that checks the number of values a page claims against its size.
struct CheckedPages {
    pages: SerializedPageReader<FileParts>,
    /// The maximum repetition and definition levels. A page stores no levels if their maximum is 0.
    levels: [i16; 2],
    /// True if the values of the pages are kept, false while they are skipped.
    is_kept: Arc<AtomicBool>,
    /// The number of values allowed beyond those that the size of a page justifies: `most` at the
    /// start, `room` at present.
    most: u64,
    room: u64,
}

impl CheckedPages {
    fn check(&mut self, page: &Page) -> parquet::errors::Result<()> {
        let bytes = page.buffer().len() as u64;
        let claimed = u64::from(page.num_values());
        let is_possible = if page.is_dictionary_page() {
            claimed <= bytes / DICTIONARY_VALUE
        } else {
            // When a page is skipped only in part, the rest of it may be kept.
            let left = if self.is_kept.load(Ordering::Relaxed) {
                self.room
            } else {
                self.most
            };
            let room = left.saturating_add(bytes.saturating_mul(VALUES_PER_BYTE));
            self.room = room.saturating_sub(claimed);
            claimed <= room && self.lengths(page).is_some()
        };
        match is_possible {
            true => Ok(()),
            false => Err(ParquetError::General(format!(
                "a page of {bytes} bytes that claims to contain {claimed} values or more"
            ))),
        }
    }

    /// Checks the lists of lengths that precede the texts of a page. Returns `None` if a list is
    /// longer than the page's number of values.
    fn lengths(&self, page: &Page) -> Option<()> {
        let lists = match page.encoding() {
            Encoding::DELTA_LENGTH_BYTE_ARRAY => 1,
            Encoding::DELTA_BYTE_ARRAY => 2,
            _ => return Some(()),
        };
        let mut bytes = page.buffer().as_ref();
        if let Page::DataPageV2 {
            rep_levels_byte_len,
            def_levels_byte_len,
            ..
        } = page
        {
            let levels = rep_levels_byte_len.checked_add(*def_levels_byte_len)?;
            bytes = bytes.get(levels as usize..)?;
        } else {
            for _ in self.levels.iter().filter(|&&greatest| greatest > 0) {
                let (length, levels) = bytes.split_first_chunk()?;
                bytes = levels.get(u32::from_le_bytes(*length) as usize..)?;
            }
        }
        (0..lists).try_for_each(|_| skip_deltas(&mut bytes, page.num_values().into()))
    }
}

/// Skips a delta-encoded list of numbers. Returns `None` if it has more than `most` numbers.
fn skip_deltas(bytes: &mut &[u8], most: u64) -> Option<()> {
    let block = number(bytes)?;
    let runs = number(bytes)?;
    let count = number(bytes)?;
    let _first = number(bytes)?;
    let run = block.checked_div(runs)?;
    if count > most {
        return None;
    }
    let mut left = count.saturating_sub(1);
    while left > 0 {
        let _least = number(bytes)?;
        let (widths, behind) = bytes.split_at_checked(runs.try_into().ok()?)?;
        *bytes = behind;
        for &width in widths {
            if left == 0 {
                // Runs after the last number have no bytes, regardless of their width.
                break;
            }
            let length = run.checked_mul(width.into())? / 8;
            *bytes = bytes.get(length.try_into().ok()?..)?;
            left = left.saturating_sub(run);
        }
    }
    Some(())
}

/// Reads a number with seven bits per byte, lowest bits first (LEB128).
fn number(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, behind) = bytes.split_first()?;
        *bytes = behind;
        value |= u64::from(byte & 0x7F) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

impl Iterator for CheckedPages {
    type Item = parquet::errors::Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for CheckedPages {
    fn get_next_page(&mut self) -> parquet::errors::Result<Option<Page>> {
        let page = self.pages.get_next_page()?;
        page.map(|page| self.check(&page).map(|()| page))
            .transpose()
    }

    fn peek_next_page(&mut self) -> parquet::errors::Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> parquet::errors::Result<()> {
        self.pages.skip_next_page()
    }

    fn supports_deferred_dictionary(&self) -> bool {
        self.pages.supports_deferred_dictionary()
    }

    fn take_deferred_dictionary(&mut self) -> parquet::errors::Result<Option<Page>> {
        let page = self.pages.take_deferred_dictionary()?;
        page.map(|page| self.check(&page).map(|()| page))
            .transpose()
    }

    fn at_record_boundary(&mut self) -> parquet::errors::Result<bool> {
        self.pages.at_record_boundary()
    }
}

/// Copies of parts of the file with their offsets. The library's readers must own their bytes.
struct FileParts(Vec<(u64, Bytes)>);

impl FileParts {
    /// Returns the bytes from offset `start` to the end of the part that contains it.
    fn from(&self, start: u64) -> parquet::errors::Result<Bytes> {
        let found = self.0.iter().find_map(|(first, bytes)| {
            let at = usize::try_from(start.checked_sub(*first)?).ok()?;
            (at < bytes.len()).then(|| bytes.slice(at..))
        });
        found.ok_or_else(|| ParquetError::General("a page outside its column".to_owned()))
    }
}

impl Length for FileParts {
    fn len(&self) -> u64 {
        let ends = self
            .0
            .iter()
            .map(|(first, bytes)| first + bytes.len() as u64);
        ends.max().unwrap_or(0)
    }
}

impl ChunkReader for FileParts {
    type T = Reader<Bytes>;

    fn get_read(&self, start: u64) -> parquet::errors::Result<Reader<Bytes>> {
        self.from(start).map(Buf::reader)
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<Bytes> {
        let bytes = self.from(start)?;
        match length <= bytes.len() {
            true => Ok(bytes.slice(..length)),
            false => Err(ParquetError::EOF("a truncated page".to_owned())),
        }
    }
}
