//! A table in a file: finding its row groups and reading their rows in portions.

use std::cell::Cell;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use bytes::Bytes;
use chessdb_arrow::{Column, Columns, Rows};
use chessdb_core::{Error, ErrorKind, Result};
use parquet::DecodeResult;
use parquet::basic::Type;
use parquet::errors::ParquetError;
use parquet::file::metadata::{PageIndexPolicy, ParquetMetaData, ParquetMetaDataPushDecoder};

use crate::leaf_columns::{ColumnLayout, RowRange};
use crate::pages::Memory;
use crate::thrift;

/// The number of rows decoded at once. A page of most columns has more rows, a page of the longest
/// column fewer.
const PORTION: u64 = 8192;
/// The maximum number of rows per byte of the file. A table of empty games has a few hundred.
const ROWS_PER_BYTE: u64 = 1024;

/// The maximum number of unknown columns and metadata entries to report.
const MOST_NAMED: usize = 1000;

/// Wraps an error of the Parquet library.
pub(crate) fn parquet_error(error: ParquetError) -> Error {
    ErrorKind::Other(error.to_string().into()).into()
}

thread_local! {
    static CATCHES: Cell<bool> = const { Cell::new(false) };
}

/// Returns true if a panic of the current thread is being converted to an error. The Parquet
/// library computes with the numbers of damaged tables before it checks them, and may panic.
///
/// A program's panic hook runs first, so it can use this to suppress its output.
pub fn catches_panics() -> bool {
    CATCHES.get()
}

/// Returns the result of `act`, or an error if `act` panics. This works wherever panics unwind: on
/// all platforms except the web.
fn catch_panic<T>(act: impl FnOnce() -> Result<T>) -> Result<T> {
    let panicked = || ErrorKind::Structure("numbers in a table that contradict each other");
    let before = CATCHES.replace(true);
    let result = catch_unwind(AssertUnwindSafe(act));
    CATCHES.set(before);
    result.unwrap_or_else(|_| Err(panicked().into()))
}

/// A range of rows of one row group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Portion {
    group: usize,
    skip: u64,
    rows: u64,
    /// The index of the first row in the table.
    pub(crate) first: u64,
}

/// A table in memory.
#[derive(Debug)]
pub(crate) struct ParquetTable<'a> {
    bytes: &'a [u8],
    metadata: ParquetMetaData,
    /// The layout of each column of games, by its number. `None` if it is missing or unreadable.
    layouts: Vec<Option<ColumnLayout>>,
    /// Descriptions of the columns and metadata entries that are not read.
    unread: Vec<String>,
    portions: Vec<Portion>,
    rows: u64,
}

impl<'a> ParquetTable<'a> {
    /// Reads the table's metadata.
    pub(crate) fn open(bytes: &'a [u8]) -> Result<ParquetTable<'a>> {
        catch_panic(|| ParquetTable::open_unguarded(bytes))
    }

    fn open_unguarded(bytes: &'a [u8]) -> Result<ParquetTable<'a>> {
        let metadata = metadata(bytes)?;
        let portions = portions(&metadata, bytes.len() as u64)?;
        let last = portions.last();
        let (layouts, unread) = layouts(&metadata);
        Ok(ParquetTable {
            bytes,
            metadata,
            layouts,
            unread,
            rows: last.map_or(0, |last| last.first + last.rows),
            portions,
        })
    }

    pub(crate) fn rows(&self) -> u64 {
        self.rows
    }

    /// Returns true if there is such a column and it can be read.
    pub(crate) fn has(&self, column: Column) -> bool {
        self.layout(column).is_some()
    }

    fn layout(&self, column: Column) -> Option<ColumnLayout> {
        *self.layouts.get(column as usize)?
    }

    /// Returns true if there is a column with this name, readable or not.
    pub(crate) fn is_named(&self, column: Column) -> bool {
        let schema = self.metadata.file_metadata().schema();
        let mut columns = schema.get_fields().iter();
        columns.any(|field| field.name() == column.name())
    }

    /// Returns descriptions of the columns and metadata entries that are not read.
    pub(crate) fn unread(&self) -> &[String] {
        &self.unread
    }

    /// Returns true if chessdb wrote the file. Programs that change a table keep its metadata, but
    /// not the name of the program.
    pub(crate) fn is_own(&self) -> bool {
        let program = self.metadata.file_metadata().created_by();
        program.is_some_and(|program| program.starts_with("chessdb "))
    }

    /// Returns the portion that contains a row, and the row's index in it.
    pub(crate) fn portion_of(&self, row: u64) -> Option<(Portion, usize)> {
        let after = self
            .portions
            .partition_point(|portion| portion.first <= row);
        let portion = *self.portions.get(after.checked_sub(1)?)?;
        let place = row - portion.first;
        // The last portion is also found for rows after the end.
        (place < portion.rows).then_some((portion, place as usize))
    }

    /// Decodes some columns of a portion.
    pub(crate) fn read(&self, portion: Portion, columns: Columns) -> Result<Rows> {
        catch_panic(|| self.read_unguarded(portion, columns))
    }

    fn read_unguarded(&self, portion: Portion, columns: Columns) -> Result<Rows> {
        let part = RowRange {
            file: self.bytes,
            table: &self.metadata,
            group: portion.group,
            skip: portion.skip as usize,
            rows: portion.rows as usize,
            memory: Memory::default(),
        };
        let mut read = Vec::new();
        for column in columns.iter() {
            if let Some(layout) = self.layout(column) {
                read.push((column, part.column(layout)?));
            }
        }
        Ok(Rows::from_columns(read, part.rows))
    }
}

/// Returns the layouts of the columns of games, and descriptions of everything that is not read.
fn layouts(metadata: &ParquetMetaData) -> (Vec<Option<ColumnLayout>>, Vec<String>) {
    let file = metadata.file_metadata();
    let columns = file.schema().get_fields();
    let names: Vec<&str> = columns.iter().map(|column| column.name()).collect();
    let mut is_of_games = vec![false; names.len()];
    let mut unread = Vec::new();
    let layouts = Column::ALL.iter().map(|&column| {
        let root = column.index_among(&names)?;
        // A column with a name of games counts as known even if its type does not fit.
        if let Some(place) = is_of_games.get_mut(root) {
            *place = true;
        }
        let schema = file.schema_descr();
        let is_text = |leaf| schema.column(leaf).physical_type() == Type::BYTE_ARRAY;
        let layout = ColumnLayout::find(schema, root).filter(|layout| match *layout {
            ColumnLayout::Flat(leaf) => match column {
                Column::Movetext | Column::Moves => is_text(leaf),
                column => !column.is_list(),
            },
            ColumnLayout::List(_) => column == Column::Moves,
            ColumnLayout::Map(..) => column == Column::Tags,
        });
        if layout.is_none() && column.is_read() {
            unread.push(format!("column {} of another type", names.get(root)?));
        }
        layout
    });
    let layouts = layouts.collect();
    let columns = names.iter().zip(&is_of_games);
    let columns = columns.filter(|(_, is_of_games)| !**is_of_games);
    unread.extend(columns.map(|(name, _)| format!("column {name}")));
    let keys = file.key_value_metadata().into_iter().flatten();
    let keys = keys.map(|entry| entry.key.as_str());
    // Keys with descriptions of the columns by the programs that wrote the file.
    let is_foreign =
        |key: &&str| !matches!(*key, "ARROW:schema" | "pandas") && !key.starts_with("chessdb.");
    unread.extend(keys.filter(is_foreign).map(|key| format!("metadata {key}")));
    unread.truncate(MOST_NAMED);
    (layouts, unread)
}

/// Returns a part of the file.
pub(crate) fn file_slice<'a>(file: &'a [u8], range: &Range<u64>) -> Result<&'a [u8]> {
    let place = |offset: u64| usize::try_from(offset).ok();
    let start = place(range.start).zip(place(range.end));
    start
        .and_then(|(start, end)| file.get(start..end))
        .ok_or_else(|| ErrorKind::Structure("a part of the table is outside the file").into())
}

/// Reads the description of the table, and the positions of its pages. The library trusts numbers in
/// both, so they are checked first.
fn metadata(bytes: &[u8]) -> Result<ParquetMetaData> {
    let decoder = ParquetMetaDataPushDecoder::try_new(bytes.len() as u64).map_err(parquet_error)?;
    let description = decode(bytes, decoder, PageIndexPolicy::Skip, &|range| {
        // The last eight bytes state the length of the description.
        range.len() == 8 || thrift::check_description(range).is_some()
    })?;
    let chunks = description.row_groups().iter();
    let mut indexes = chunks
        .flat_map(|group| group.columns())
        .filter_map(|chunk| Some((chunk.offset_index_offset()?, chunk.offset_index_length()?)));
    // The index is optional: without it a table is only slower to read.
    let is_sound = indexes.all(|(start, length)| {
        let range = u64::try_from(start).ok().zip(u64::try_from(length).ok());
        let range = range.and_then(|(start, length)| Some(start..start.checked_add(length)?));
        let index = range.and_then(|range| file_slice(bytes, &range).ok());
        index.and_then(thrift::check_index).is_some()
    });
    if !is_sound {
        return Ok(description);
    }
    let length = bytes.len() as u64;
    let decoder = ParquetMetaDataPushDecoder::try_new_with_metadata(length, description)
        .map_err(parquet_error)?;
    decode(bytes, decoder, PageIndexPolicy::Optional, &|_| true)
}

/// Gives the decoder the bytes it asks for, each part after `check` accepted it.
fn decode(
    bytes: &[u8],
    decoder: ParquetMetaDataPushDecoder,
    positions: PageIndexPolicy,
    check: &dyn Fn(&[u8]) -> bool,
) -> Result<ParquetMetaData> {
    let mut decoder = decoder
        .with_offset_index_policy(positions)
        .with_column_index_policy(PageIndexPolicy::Skip);
    loop {
        match decoder.try_decode().map_err(parquet_error)? {
            DecodeResult::NeedsData(ranges) => {
                let parts = ranges.iter().map(|range| {
                    let part = file_slice(bytes, range)?;
                    if !check(part) {
                        let why = "a description of a table with impossible numbers";
                        return Err(ErrorKind::Structure(why).into());
                    }
                    Ok(Bytes::copy_from_slice(part))
                });
                let parts = parts.collect::<Result<_>>()?;
                decoder.push_ranges(ranges, parts).map_err(parquet_error)?;
            }
            DecodeResult::Data(metadata) => return Ok(metadata),
            DecodeResult::Finished => {
                return Err(ErrorKind::Structure("a table without a description").into());
            }
        }
    }
}

/// Divides the row groups into portions.
///
/// # Errors
///
/// Returns an error if the number of rows of a group contradicts its columns or is too large for
/// the file.
fn portions(metadata: &ParquetMetaData, bytes: u64) -> Result<Vec<Portion>> {
    let limit = bytes.saturating_mul(ROWS_PER_BYTE).min(u32::MAX.into());
    let mut portions = Vec::new();
    let mut first = 0_u64;
    for (group, row_group) in metadata.row_groups().iter().enumerate() {
        let rows = row_group.num_rows();
        let flat = row_group.columns().iter();
        // Only a column without lists has exactly one value per row.
        let mut flat = flat.filter(|column| column.column_descr().max_rep_level() == 0);
        if let Some(other) = flat.find(|column| column.num_values() != rows) {
            let kind = ErrorKind::mismatch(
                "the number of rows of a row group",
                rows.cast_unsigned(),
                other.num_values().cast_unsigned(),
            );
            return Err(kind.into());
        }
        let rows = u64::try_from(rows).unwrap_or(u64::MAX);
        // A group of a few bytes can claim any number of equal rows.
        if first.saturating_add(rows) > limit {
            let what = "rows of a table of this size";
            return Err(ErrorKind::over_limit(what, limit).into());
        }
        let mut skip = 0;
        while skip < rows {
            let portion = Portion {
                group,
                skip,
                rows: PORTION.min(rows - skip),
                first,
            };
            skip += portion.rows;
            first += portion.rows;
            portions.push(portion);
        }
    }
    Ok(portions)
}
