//! The pages of a column: finding them in the file and checking the sizes and the number of values
//! they claim.
//!
//! The Parquet library trusts both. It reserves the memory that the header of a page states, up to
//! 2 GiB. A run of equal levels or values takes a few bytes regardless of its length, so a page of
//! thirty bytes can claim a row with two billion moves.

use std::io::{self, Read};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use bytes::Bytes;
use chessdb_core::{ErrorKind, Result};
use parquet::basic::{Encoding, Type};
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length, SerializedPageReader};

use crate::leaf_columns::RowRange;
use crate::raw::{file_slice, parquet_error};
use crate::thrift::{PageSizes, number};

/// The maximum number of list values per byte of a column in the file. A move takes a few bits, and
/// so does the name of a tag.
const VALUES_PER_BYTE: u64 = 64;
/// The number of values allowed beyond [`VALUES_PER_BYTE`] and one value per row: numbers, and texts,
/// which take four times the memory. Lists of nulls only, for example a hundred in each of eighty
/// thousand games, take almost no bytes.
const NUMBERS: u64 = 1 << 23;
const TEXTS: u64 = 1 << 21;
/// The maximum size of an unpacked page per byte in the file, and the size allowed beyond that.
const UNPACKED_PER_BYTE: u64 = 64;
const UNPACKED: u64 = 64 << 20;
/// The memory for the texts of a portion of rows that is allowed beyond [`UNPACKED_PER_BYTE`].
const MEMORY: u64 = 192 << 20;
/// The memory for a text of a dictionary besides its bytes.
const DICTIONARY_TEXT: u64 = 32;
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
    // Without the index of pages the whole column is read.
    let ranges = match pages.and_then(|all| Some((all, all.first()?))) {
        None => vec![(start, start.saturating_add(chunk.compressed_size()))],
        Some((all, dictionary_end)) => {
            let row = |row: usize| i64::try_from(row).unwrap_or(i64::MAX);
            let (first, end) = (row(part.skip), row(part.skip + part.rows));
            // The page before this one contains the first row, see `saturating_sub` below.
            let from = all.partition_point(|page| page.first_row_index <= first);
            let to = all.partition_point(|page| page.first_row_index < end);
            let needed = all.get(from.saturating_sub(1)..to).unwrap_or_default();
            let needed = needed.iter().map(|page| {
                let length = i64::from(page.compressed_page_size);
                (page.offset, page.offset.saturating_add(length))
            });
            // The dictionary precedes the first page; every page needs it.
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
    let parts: Vec<(u64, Bytes)> = parts.collect::<Result<_>>()?;
    let packed = parts.iter().map(|(_, bytes)| bytes.len() as u64).sum();
    // Memory is bounded by the bytes that were read, not by what a page claims.
    part.memory.allow(packed);
    let begins_with_header = pages.is_some();
    let parts = Arc::new(FileParts {
        parts,
        begins_with_header,
    });
    let rows = usize::try_from(group.num_rows()).unwrap_or_default();
    let pages = SerializedPageReader::new(parts, chunk, rows, pages.cloned());
    let column = chunk.column_descr();
    let has_texts = matches!(
        column.physical_type(),
        Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY
    );
    let least = match column.physical_type() {
        Type::FIXED_LEN_BYTE_ARRAY => column.type_length().max(1).unsigned_abs().into(),
        _ => DICTIONARY_VALUE,
    };
    let limit = VALUES_PER_BYTE
        .saturating_mul(packed)
        .saturating_add(if has_texts { TEXTS } else { NUMBERS })
        .saturating_add(rows as u64);
    Ok(Box::new(CheckedPages {
        pages: pages.map_err(parquet_error)?,
        levels: [column.max_rep_level(), column.max_def_level()],
        is_kept: Arc::clone(is_kept),
        has_texts,
        least,
        memory: part.memory.clone(),
        limit,
        room: limit,
    }))
}

/// The memory that the texts of some rows may still take. All columns of the rows share it.
#[derive(Clone)]
pub(crate) struct Memory(Arc<AtomicU64>);

impl Default for Memory {
    fn default() -> Memory {
        Memory(Arc::new(AtomicU64::new(MEMORY)))
    }
}

impl Memory {
    /// Allows as much memory as this number of bytes in the file justifies.
    fn allow(&self, packed: u64) {
        let more = packed.saturating_mul(UNPACKED_PER_BYTE);
        let add = |remaining: u64| Some(remaining.saturating_add(more));
        let _ = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
    }

    /// Takes some of the memory. Returns false if there is less.
    fn reserve(&self, bytes: u64) -> bool {
        let subtract = |remaining: u64| remaining.checked_sub(bytes);
        self.0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, subtract)
            .is_ok()
    }
}

/// A page reader that checks the number of values a page claims against its size.
struct CheckedPages {
    pages: SerializedPageReader<FileParts>,
    /// The maximum repetition and definition levels. A page stores no levels if their maximum is 0.
    levels: [i16; 2],
    /// True if the values of the pages are kept, false while they are skipped.
    is_kept: Arc<AtomicBool>,
    /// True if the values are texts, which keep the memory of their pages.
    has_texts: bool,
    /// The minimum size of a value in a dictionary, in bytes.
    least: u64,
    memory: Memory,
    /// The number of values that the pages may have together: `limit` at the start, `room` at
    /// present.
    limit: u64,
    room: u64,
}

impl CheckedPages {
    fn check(&mut self, page: &Page) -> parquet::errors::Result<()> {
        let bytes = page.buffer().len() as u64;
        let claimed = u64::from(page.num_values());
        let is_kept = self.is_kept.load(Ordering::Relaxed);
        // Each value of a dictionary takes bytes; values of data pages may take none at all.
        let (is_possible, memory) = if page.is_dictionary_page() {
            let texts = claimed.saturating_mul(DICTIONARY_TEXT);
            (claimed <= bytes / self.least, Some(texts))
        } else {
            // When a page is skipped only in part, the rest of it may be kept.
            let room = if is_kept { self.room } else { self.limit };
            self.room = room.saturating_sub(claimed);
            (claimed <= room, self.text_bytes(page))
        };
        let memory = match memory {
            Some(memory) if is_possible => memory,
            _ => {
                return Err(ParquetError::General(format!(
                    "a page of {bytes} bytes that claims to contain {claimed} values or more"
                )));
            }
        };
        // Texts refer to the bytes of their page, which stays in memory as long as they do.
        let is_lasting = self.has_texts && (is_kept || page.is_dictionary_page());
        if is_lasting && !self.memory.reserve(bytes.saturating_add(memory)) {
            let why = "texts that take more memory than a table of this size justifies";
            return Err(ParquetError::General(why.to_owned()));
        }
        Ok(())
    }

    /// Checks the lists of lengths that precede the texts of a page, and returns the number of bytes
    /// that the texts repeat from earlier ones. Returns `None` if a list is longer than the page's
    /// number of values.
    fn text_bytes(&self, page: &Page) -> Option<u64> {
        let has_prefixes = match page.encoding() {
            Encoding::DELTA_LENGTH_BYTE_ARRAY => false,
            Encoding::DELTA_BYTE_ARRAY => true,
            _ => return Some(0),
        };
        let mut bytes = page.buffer().as_ref();
        // The second version states the lengths of the levels in the head of the page, the first
        // one in four bytes before each.
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
        let max_values = page.num_values().into();
        let prefixes = if has_prefixes { sum_of_deltas(&mut bytes, max_values)? } else { 0 };
        sum_of_deltas(&mut bytes, max_values)?;
        Some(prefixes)
    }
}

/// Reads a delta-encoded list of lengths and returns their sum. Returns `None` if it has more than
/// `max_values` numbers. Negative lengths, which the library refuses, count as 0.
fn sum_of_deltas(bytes: &mut &[u8], max_values: u64) -> Option<u64> {
    let block = number(bytes)?;
    let runs = number(bytes)?;
    let count = number(bytes)?;
    let mut value = unfold(number(bytes)?);
    // A damaged page may have no runs.
    let run = block.checked_div(runs)?;
    if count > max_values {
        return None;
    }
    let mut sum = match count {
        0 => 0,
        _ => length(value),
    };
    let mut remaining = count.saturating_sub(1);
    while remaining > 0 {
        let least = unfold(number(bytes)?);
        let (widths, rest) = bytes.split_at_checked(runs.try_into().ok()?)?;
        *bytes = rest;
        for &width in widths {
            if remaining == 0 {
                // Runs after the last number have no bytes, regardless of their width.
                break;
            }
            let size = run.checked_mul(width.into())? / 8;
            let (packed, rest) = bytes.split_at_checked(size.try_into().ok()?)?;
            *bytes = rest;
            for n in 0..run.min(remaining) {
                let delta = least.wrapping_add(bits(packed, n * u64::from(width), width.into())?);
                value = value.wrapping_add(delta);
                sum = sum.saturating_add(length(value));
            }
            remaining = remaining.saturating_sub(run);
        }
        // Without runs the loop would never end.
        if widths.is_empty() {
            return None;
        }
    }
    Some(sum)
}

/// Returns a number of `width` bits, at most 64, that starts at a bit.
fn bits(bytes: &[u8], start: u64, width: u64) -> Option<i64> {
    if width > 64 {
        return None;
    }
    let first = usize::try_from(start / 8).ok()?;
    // 64 bits that start within a byte span up to nine bytes.
    let mut window = [0; 16];
    for (to, from) in window.iter_mut().zip(bytes.get(first..)?) {
        *to = *from;
    }
    let value = u128::from_le_bytes(window) >> (start % 8) & ((1 << width) - 1);
    Some((value as u64).cast_signed())
}

/// Returns the number whose sign is the lowest bit of `value`.
fn unfold(value: u64) -> i64 {
    (value >> 1).cast_signed() ^ -(value & 1).cast_signed()
}

/// Returns a length of 32 bits, as the library computes it.
fn length(value: i64) -> u64 {
    // The cut to 32 bits is the library's; the check must compute the same.
    u64::try_from(value as i32).unwrap_or(0)
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
struct FileParts {
    parts: Vec<(u64, Bytes)>,
    /// True if the library requests each page with its header at once.
    begins_with_header: bool,
}

impl FileParts {
    /// Returns the bytes from offset `start` to the end of the part that contains it.
    fn from(&self, start: u64) -> parquet::errors::Result<Bytes> {
        let part = self.parts.iter().find_map(|(first, bytes)| {
            let offset = usize::try_from(start.checked_sub(*first)?).ok()?;
            (offset < bytes.len()).then(|| bytes.slice(offset..))
        });
        part.ok_or_else(|| ParquetError::General("a page outside its column".to_owned()))
    }
}

impl Length for FileParts {
    fn len(&self) -> u64 {
        self.parts
            .iter()
            .map(|(first, bytes)| first + bytes.len() as u64)
            .max()
            .unwrap_or(0)
    }
}

impl ChunkReader for FileParts {
    type T = HeaderReader;

    fn get_read(&self, start: u64) -> parquet::errors::Result<HeaderReader> {
        let bytes = self.from(start)?;
        Ok(HeaderReader {
            bytes,
            is_checked: false,
        })
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<Bytes> {
        let bytes = self.from(start)?;
        if length > bytes.len() {
            return Err(ParquetError::EOF("a truncated page".to_owned()));
        }
        let bytes = bytes.slice(..length);
        if self.begins_with_header {
            check_sizes(&bytes)?;
        }
        Ok(bytes)
    }
}

/// A reader of a page's header. The library also requests one at the end of a header that it knows,
/// but does not read from it.
struct HeaderReader {
    bytes: Bytes,
    is_checked: bool,
}

impl Read for HeaderReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if !self.is_checked {
            check_sizes(&self.bytes).map_err(io::Error::other)?;
            self.is_checked = true;
        }
        let taken = self.bytes.split_to(buffer.len().min(self.bytes.len()));
        for (to, from) in buffer.iter_mut().zip(&taken) {
            *to = *from;
        }
        Ok(taken.len())
    }
}

/// Checks the sizes in the header of a page.
fn check_sizes(page: &[u8]) -> parquet::errors::Result<()> {
    let sizes = PageSizes::read(page);
    let PageSizes {
        uncompressed,
        compressed,
    } = sizes.ok_or_else(|| ParquetError::General("an invalid header of a page".to_owned()))?;
    let compressed = compressed.min(page.len() as u64);
    if uncompressed > UNPACKED.saturating_add(compressed.saturating_mul(UNPACKED_PER_BYTE)) {
        return Err(ParquetError::General(format!(
            "a page of {compressed} bytes that claims to unpack to {uncompressed} bytes"
        )));
    }
    Ok(())
}
