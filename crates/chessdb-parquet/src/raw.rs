//! The table in the file: where its row groups are, and their rows in portions.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrow_array::RecordBatch;
use bytes::Bytes;
use chessdb_arrow::{Column, Columns};
use chessdb_core::{Error, ErrorKind, Result};
use parquet::DecodeResult;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, RowSelection, RowSelector,
};
use parquet::arrow::push_decoder::ParquetPushDecoderBuilder;
use parquet::errors::ParquetError;
use parquet::file::metadata::{PageIndexPolicy, ParquetMetaData, ParquetMetaDataPushDecoder};

/// Rows that are unpacked at once: a page of a column holds more of most and less of the longest.
const PORTION: u64 = 8192;
/// Rows that a byte of the file may stand for. A table of empty games has some hundreds.
const ROWS_PER_BYTE: u64 = 1024;

/// What the library says.
pub(crate) fn failed(error: ParquetError) -> Error {
    ErrorKind::Other(error.to_string().into()).into()
}

/// What `act` gives. The library calculates with the numbers of damaged tables before it has looked at
/// them, and panics; that is an error here, wherever a panic unwinds.
fn caught<T>(act: impl FnOnce() -> Result<T>) -> Result<T> {
    let panicked = || ErrorKind::Structure("numbers in a table that contradict each other");
    catch_unwind(AssertUnwindSafe(act)).unwrap_or_else(|_| Err(panicked().into()))
}

/// Rows of one row group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Portion {
    group: usize,
    skip: u64,
    rows: u64,
    /// The number of the first in the table.
    pub(crate) first: u64,
}

/// A table in memory.
#[derive(Debug)]
pub(crate) struct Table<'a> {
    bytes: &'a [u8],
    metadata: ArrowReaderMetadata,
    portions: Vec<Portion>,
    rows: u64,
}

impl<'a> Table<'a> {
    /// Reads where everything is.
    pub(crate) fn open(bytes: &'a [u8]) -> Result<Table<'a>> {
        caught(|| Table::open_unguarded(bytes))
    }

    fn open_unguarded(bytes: &'a [u8]) -> Result<Table<'a>> {
        let metadata = metadata(bytes)?;
        let portions = portions(&metadata, bytes.len() as u64)?;
        let last = portions.last();
        // The file may say how the writer's memory was laid out, which is nothing to us.
        let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let metadata = ArrowReaderMetadata::try_new(Arc::new(metadata), options);
        Ok(Table {
            bytes,
            metadata: metadata.map_err(failed)?,
            rows: last.map_or(0, |last| last.first + last.rows),
            portions,
        })
    }

    pub(crate) fn rows(&self) -> u64 {
        self.rows
    }

    /// Whether there is a column of this name.
    pub(crate) fn has(&self, column: Column) -> bool {
        let schema = self.metadata.schema();
        schema.column_with_name(column.name()).is_some()
    }

    /// The portion that a row is in, and its number there.
    pub(crate) fn portion_of(&self, row: u64) -> Option<(Portion, usize)> {
        let after = self
            .portions
            .partition_point(|portion| portion.first <= row);
        let portion = *self.portions.get(after.checked_sub(1)?)?;
        let place = row - portion.first;
        (place < portion.rows).then_some((portion, place as usize))
    }

    /// Unpacks these columns of a portion.
    pub(crate) fn read(&self, portion: Portion, columns: Columns) -> Result<RecordBatch> {
        caught(|| self.read_unguarded(portion, columns))
    }

    fn read_unguarded(&self, portion: Portion, columns: Columns) -> Result<RecordBatch> {
        let names = columns.iter().map(Column::name);
        let schema = self.metadata.parquet_schema();
        let builder = ParquetPushDecoderBuilder::new_with_metadata(self.metadata.clone());
        let rows = portion.rows as usize;
        let selected = RowSelection::from(vec![
            RowSelector::skip(portion.skip as usize),
            RowSelector::select(rows),
        ]);
        let decoder = builder
            .with_projection(ProjectionMask::columns(schema, names))
            .with_row_groups(vec![portion.group])
            .with_row_selection(selected)
            .with_batch_size(rows)
            .build();
        let mut decoder = decoder.map_err(failed)?;
        let mut found = None;
        loop {
            match decoder.try_decode().map_err(failed)? {
                DecodeResult::NeedsData(ranges) => {
                    let bytes = fetch(self.bytes, &ranges)?;
                    decoder.push_ranges(ranges, bytes).map_err(failed)?;
                }
                DecodeResult::Data(batch) if found.is_none() => found = Some(batch),
                DecodeResult::Data(_) => break,
                DecodeResult::Finished => break,
            }
        }
        found
            .filter(|batch| batch.num_rows() == rows)
            .ok_or_else(|| ErrorKind::Structure("fewer rows than the table counts").into())
    }
}

/// Copies what the decoder asks for; the file itself may lie anywhere.
fn fetch(file: &[u8], ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
    let part = |range: &Range<u64>| {
        let start = usize::try_from(range.start).ok()?;
        let part = file.get(start..usize::try_from(range.end).ok()?)?;
        Some(Bytes::copy_from_slice(part))
    };
    let parts: Option<Vec<Bytes>> = ranges.iter().map(part).collect();
    parts.ok_or_else(|| {
        ErrorKind::Structure("a part of the table that lies outside the file").into()
    })
}

fn metadata(bytes: &[u8]) -> Result<ParquetMetaData> {
    let decoder = ParquetMetaDataPushDecoder::try_new(bytes.len() as u64).map_err(failed)?;
    // Without an index of its pages a table is slower to read, not unreadable.
    let mut decoder = decoder
        .with_offset_index_policy(PageIndexPolicy::Optional)
        .with_column_index_policy(PageIndexPolicy::Skip);
    loop {
        match decoder.try_decode().map_err(failed)? {
            DecodeResult::NeedsData(ranges) => {
                let parts = fetch(bytes, &ranges)?;
                decoder.push_ranges(ranges, parts).map_err(failed)?;
            }
            DecodeResult::Data(metadata) => return Ok(metadata),
            DecodeResult::Finished => {
                return Err(ErrorKind::Structure("a table without a description").into());
            }
        }
    }
}

/// Divides the row groups. What they count must agree with their columns, and be possible at all.
fn portions(metadata: &ParquetMetaData, bytes: u64) -> Result<Vec<Portion>> {
    let most = bytes.saturating_mul(ROWS_PER_BYTE).min(u32::MAX.into());
    let mut portions = Vec::new();
    let mut first = 0_u64;
    for (group, found) in metadata.row_groups().iter().enumerate() {
        let rows = found.num_rows();
        let flat = found.columns().iter();
        let mut flat = flat.filter(|column| column.column_descr().max_rep_level() == 0);
        if let Some(other) = flat.find(|column| column.num_values() != rows) {
            let kind = ErrorKind::Mismatch {
                what: "rows of a row group",
                found: rows.cast_unsigned(),
                expected: other.num_values().cast_unsigned(),
            };
            return Err(kind.into());
        }
        let rows = u64::try_from(rows).unwrap_or(u64::MAX);
        if first.saturating_add(rows) > most {
            let what = "rows of a table of this size";
            return Err(ErrorKind::LimitExceeded { what, limit: most }.into());
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
