//! Conversion of the columns of a row group from Parquet levels and values to Arrow arrays.
//!
//! The Parquet library's own reader supports arrays of all types. Games need only texts, numbers,
//! and a list and a map of these; limiting the code to them makes the module of the Python package
//! a seventh smaller.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arrow_array::builder::{Int16Builder, ListBuilder, MapBuilder, StringViewBuilder};
use arrow_array::{ArrayRef, Int64Array};
use chessdb_core::{Error, ErrorKind, Result};
use parquet::basic::{ConvertedType, LogicalType, TimeUnit, Type};
use parquet::column::reader::ColumnReaderImpl;
use parquet::data_type::{ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use parquet::schema::types::ColumnDescriptor;

use crate::pages::{self, Memory};
use crate::raw::parquet_error;

/// A range of rows of a row group.
pub(crate) struct RowRange<'a> {
    pub(crate) file: &'a [u8],
    pub(crate) table: &'a ParquetMetaData,
    pub(crate) group: usize,
    pub(crate) skip: usize,
    pub(crate) rows: usize,
    /// The memory that the columns of these rows may still take.
    pub(crate) memory: Memory,
}

impl RowRange<'_> {
    /// Returns the column with this name. `None` if it is missing or has a type that no column of
    /// games has.
    pub(crate) fn column(&self, name: &str) -> Result<Option<ArrayRef>> {
        let chunks = self.table.row_group(self.group).columns().iter();
        let leaves: Vec<LeafColumn<'_>> = chunks
            .enumerate()
            .filter(|(_, chunk)| {
                chunk
                    .column_path()
                    .parts()
                    .first()
                    .is_some_and(|root| root == name)
            })
            .map(|(number, chunk)| LeafColumn { number, chunk })
            .collect();
        match leaves.as_slice() {
            [leaf] if leaf.is_plain() => self.plain(leaf),
            [leaf] if leaf.is_of_list(Type::INT32) => self.list(leaf).map(Some),
            [key, value]
                if [key, value]
                    .iter()
                    .all(|leaf| leaf.is_of_list(Type::BYTE_ARRAY)) =>
            {
                self.map(key, value).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Reads a column of texts or numbers. Times of day are converted to milliseconds, timestamps
    /// to microseconds.
    fn plain(&self, leaf: &LeafColumn<'_>) -> Result<Option<ArrayRef>> {
        let scaled: fn(i64) -> i64 = match leaf.descr().logical_type_ref() {
            Some(LogicalType::Decimal(_)) => return Ok(None),
            Some(LogicalType::Time(time)) => match time.unit {
                TimeUnit::MILLIS => |value| value,
                TimeUnit::MICROS => |value| value / 1000,
                TimeUnit::NANOS => |value| value / 1_000_000,
            },
            Some(LogicalType::Timestamp(time)) => match time.unit {
                TimeUnit::MILLIS => |value| value.saturating_mul(1000),
                TimeUnit::MICROS => |value| value,
                TimeUnit::NANOS => |value| value.div_euclid(1000),
            },
            _ => |value| value,
        };
        Ok(Some(match leaf.descr().physical_type() {
            Type::INT32 => {
                let rows = self.rows_of::<Int32Type>(leaf)?.slots.into_iter();
                let rows = rows.map(|value| value.map(|value| scaled(value.into())));
                Arc::new(Int64Array::from_iter(rows))
            }
            Type::INT64 => {
                let rows = self.rows_of::<Int64Type>(leaf)?.slots.into_iter();
                Arc::new(Int64Array::from_iter(rows.map(|value| value.map(scaled))))
            }
            Type::BYTE_ARRAY if leaf.is_text() => {
                let rows = self.rows_of::<ByteArrayType>(leaf)?.slots;
                let mut texts = texts();
                for value in &rows {
                    texts.append_option(value.as_ref().map(text).transpose()?);
                }
                Arc::new(texts.finish())
            }
            _ => return Ok(None),
        }))
    }

    /// Reads a column of lists of 16-bit numbers. A null list becomes an empty one.
    fn list(&self, leaf: &LeafColumn<'_>) -> Result<ArrayRef> {
        let rows = self.rows_of::<Int32Type>(leaf)?;
        let mut lists = ListBuilder::new(Int16Builder::new());
        for slots in rows.iter() {
            for value in slots {
                let small = value.map(i16::try_from).transpose();
                let small = small.map_err(|_| ErrorKind::Structure("an invalid move"))?;
                lists.values().append_option(small);
            }
            lists.append(true);
        }
        Ok(Arc::new(lists.finish()))
    }

    /// Reads a column of maps from text to text. A null map becomes an empty one.
    fn map(&self, key: &LeafColumn<'_>, value: &LeafColumn<'_>) -> Result<ArrayRef> {
        let keys = self.rows_of::<ByteArrayType>(key)?;
        let values = self.rows_of::<ByteArrayType>(value)?;
        let unequal = || ErrorKind::Structure("a map with different numbers of keys and values");
        if keys.starts != values.starts || keys.slots.len() != values.slots.len() {
            return Err(unequal().into());
        }
        let mut maps = MapBuilder::new(None, texts(), texts());
        for (keys, values) in keys.iter().zip(values.iter()) {
            for (key, value) in keys.iter().zip(values) {
                let Some(key) = key else { continue };
                maps.keys().append_value(text(key)?);
                maps.values()
                    .append_option(value.as_ref().map(text).transpose()?);
            }
            maps.append(true).map_err(|_| unequal())?;
        }
        Ok(Arc::new(maps.finish()))
    }

    /// Decodes a leaf column.
    fn rows_of<T: DataType>(&self, leaf: &LeafColumn<'_>) -> Result<LeafRows<T::T>> {
        let descr = leaf.chunk.column_descr_ptr();
        let (is_value, is_slot) = (descr.max_def_level(), descr.repeated_ancestor_def_level());
        let is_kept = Arc::new(AtomicBool::new(false));
        let pages = pages::page_reader(self, leaf.number, &is_kept)?;
        let mut reader = ColumnReaderImpl::<T>::new(descr, pages);
        let skipped = reader.skip_records(self.skip).map_err(parquet_error)?;
        is_kept.store(true, Ordering::Relaxed);
        let (mut defined, mut repeated, mut values) = (Vec::new(), Vec::new(), Vec::new());
        let levels = (Some(&mut defined), Some(&mut repeated));
        let read = reader.read_records(self.rows, levels.0, levels.1, &mut values);
        let (read, ..) = read.map_err(parquet_error)?;
        if (skipped, read) != (self.skip, self.rows) {
            return Err(ErrorKind::Structure("fewer rows than the table states").into());
        }
        if is_value == 0 {
            defined.resize(values.len(), 0);
        }
        let mut rows = LeafRows {
            slots: Vec::with_capacity(defined.len()),
            starts: Vec::with_capacity(self.rows),
        };
        let mut values = values.into_iter();
        for (n, level) in defined.into_iter().enumerate() {
            if repeated.get(n).is_none_or(|&level| level == 0) {
                rows.starts.push(rows.slots.len());
            }
            if level >= is_slot {
                let value = (level == is_value).then(|| values.next());
                rows.slots.push(value.flatten());
            }
        }
        Ok(rows)
    }
}

/// A leaf column: a column of the table that holds values, or one nested in it.
struct LeafColumn<'a> {
    number: usize,
    chunk: &'a ColumnChunkMetaData,
}

impl LeafColumn<'_> {
    fn descr(&self) -> &ColumnDescriptor {
        self.chunk.column_descr()
    }

    /// Returns true if each row has at most one value.
    fn is_plain(&self) -> bool {
        self.descr().max_rep_level() == 0 && self.descr().path().parts().len() == 1
    }

    /// Returns true if each row has a list of values of this type.
    fn is_of_list(&self, kind: Type) -> bool {
        self.descr().max_rep_level() == 1 && self.descr().physical_type() == kind
    }

    fn is_text(&self) -> bool {
        let descr = self.descr();
        matches!(
            descr.logical_type_ref(),
            Some(LogicalType::String | LogicalType::Enum | LogicalType::Json)
        ) || matches!(
            descr.converted_type(),
            ConvertedType::UTF8 | ConvertedType::ENUM | ConvertedType::JSON
        )
    }
}

/// The values of some rows of a leaf column: any number per row in a list, at most one otherwise.
struct LeafRows<T> {
    slots: Vec<Option<T>>,
    /// The index in `slots` of each row's first value.
    starts: Vec<usize>,
}

impl<T> LeafRows<T> {
    fn iter(&self) -> impl Iterator<Item = &[Option<T>]> {
        let ends = self.starts.iter().skip(1).copied();
        let ends = ends.chain([self.slots.len()]);
        let ranges = self.starts.iter().zip(ends);
        ranges.map(|(&start, end)| self.slots.get(start..end).unwrap_or_default())
    }
}

/// Returns a builder for texts. A long text that is repeated, which a page's dictionary makes
/// cheap, is stored once.
fn texts() -> StringViewBuilder {
    StringViewBuilder::new().with_deduplicate_strings()
}

fn text(bytes: &ByteArray) -> Result<&str> {
    let text = std::str::from_utf8(bytes.data());
    text.map_err(|_| Error::new(ErrorKind::Structure("a text that is not in UTF-8")))
}
