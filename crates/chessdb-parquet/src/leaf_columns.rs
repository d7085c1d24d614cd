//! Conversion of the columns of a row group from Parquet levels and values to Arrow arrays.
//!
//! The Parquet library's own reader supports arrays of all types. Games need only flat columns, and
//! a list and a map of these; limiting the code to them makes the module of the Python package a
//! seventh smaller.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arrow_array::builder::{BinaryViewBuilder, Int16Builder, ListBuilder, MapBuilder};
use arrow_array::types::{ArrowPrimitiveType, Float16Type};
use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, Decimal128Array, Float64Array, Int64Array,
    Time64MicrosecondArray, TimestampMicrosecondArray, UInt64Array,
};
use chessdb_core::{ErrorKind, Result};
use parquet::basic::{ConvertedType, LogicalType, TimeUnit, Type};
use parquet::column::reader::ColumnReaderImpl;
use parquet::data_type::{
    AsBytes, BoolType, ByteArrayType, DataType, DoubleType, FixedLenByteArrayType, FloatType,
    Int32Type, Int64Type, Int96Type,
};
use parquet::file::metadata::ParquetMetaData;
use parquet::schema::types::{ColumnDescriptor, SchemaDescriptor};

use crate::pages::{self, Memory};
use crate::raw::parquet_error;

/// A float of 16 bits.
type HalfFloat = <Float16Type as ArrowPrimitiveType>::Native;

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

/// The layout of a column of the table that can be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ColumnLayout {
    /// At most one value per row, in this leaf column.
    Flat(usize),
    /// A list of values per row.
    List(usize),
    /// A map per row: the leaf columns of its keys and values.
    Map(usize, usize),
}

impl ColumnLayout {
    /// Returns the layout of the column with this index among the columns of the table. `None` if it
    /// cannot be read: a structure, or lists in lists.
    pub(crate) fn find(schema: &SchemaDescriptor, root: usize) -> Option<ColumnLayout> {
        let leaves = 0..schema.num_columns();
        let leaves: Vec<usize> = leaves
            .filter(|&leaf| schema.get_column_root_idx(leaf) == root)
            .take(3)
            .collect();
        let of = |leaf: usize| schema.column(leaf);
        match *leaves.as_slice() {
            [leaf] if of(leaf).max_rep_level() == 0 && of(leaf).path().parts().len() == 1 => {
                Some(ColumnLayout::Flat(leaf))
            }
            [leaf]
                if of(leaf).max_rep_level() == 1
                    && matches!(
                        of(leaf).physical_type(),
                        Type::INT32 | Type::INT64 | Type::BYTE_ARRAY
                    ) =>
            {
                Some(ColumnLayout::List(leaf))
            }
            [key, value]
                if [key, value].iter().all(|&leaf| {
                    of(leaf).max_rep_level() == 1 && of(leaf).physical_type() == Type::BYTE_ARRAY
                }) =>
            {
                Some(ColumnLayout::Map(key, value))
            }
            _ => None,
        }
    }
}

/// The meaning of the values of a leaf column, by either of the format's two descriptions.
enum Meaning {
    Plain,
    Unsigned,
    /// With this number of digits after the point.
    Decimal(i8),
    Day,
    Time(TimeUnit),
    Instant(TimeUnit),
    HalfFloat,
}

impl Meaning {
    fn from_leaf(leaf: &ColumnDescriptor) -> Meaning {
        let scale = || i8::try_from(leaf.type_scale()).unwrap_or(0);
        match leaf.logical_type_ref() {
            Some(LogicalType::Decimal(_)) => return Meaning::Decimal(scale()),
            Some(LogicalType::Date) => return Meaning::Day,
            Some(LogicalType::Time(time)) => return Meaning::Time(time.unit),
            Some(LogicalType::Timestamp(time)) => return Meaning::Instant(time.unit),
            Some(LogicalType::Integer(integer)) if !integer.is_signed => return Meaning::Unsigned,
            Some(LogicalType::Float16) => return Meaning::HalfFloat,
            _ => {}
        }
        // Files of older writers have only this type.
        match leaf.converted_type() {
            ConvertedType::DECIMAL => Meaning::Decimal(scale()),
            ConvertedType::DATE => Meaning::Day,
            ConvertedType::TIME_MILLIS => Meaning::Time(TimeUnit::MILLIS),
            ConvertedType::TIME_MICROS => Meaning::Time(TimeUnit::MICROS),
            ConvertedType::TIMESTAMP_MILLIS => Meaning::Instant(TimeUnit::MILLIS),
            ConvertedType::TIMESTAMP_MICROS => Meaning::Instant(TimeUnit::MICROS),
            ConvertedType::UINT_32 | ConvertedType::UINT_64 => Meaning::Unsigned,
            _ => Meaning::Plain,
        }
    }
}

impl RowRange<'_> {
    /// Returns the values of a column.
    pub(crate) fn column(&self, layout: ColumnLayout) -> Result<ArrayRef> {
        match layout {
            ColumnLayout::Flat(leaf) => self.flat(leaf),
            ColumnLayout::List(leaf) => self.list(leaf),
            ColumnLayout::Map(key, value) => self.map(key, value),
        }
    }

    fn leaf(&self, leaf: usize) -> &ColumnDescriptor {
        self.table.row_group(self.group).column(leaf).column_descr()
    }

    /// Reads a column with at most one value per row. Times and timestamps are converted to
    /// microseconds, floats to the longest type, and all kinds of texts to bytes.
    fn flat(&self, leaf: usize) -> Result<ArrayRef> {
        let meaning = Meaning::from_leaf(self.leaf(leaf));
        Ok(match self.leaf(leaf).physical_type() {
            Type::BOOLEAN => {
                let rows = self.rows_of::<BoolType>(leaf)?.slots;
                Arc::new(BooleanArray::from_iter(rows))
            }
            Type::INT32 => {
                let rows = self.rows_of::<Int32Type>(leaf)?.slots.into_iter();
                match meaning {
                    Meaning::Day => Arc::new(Date32Array::from_iter(rows)),
                    // 64 bits, because the upper half of the range has no signed 32-bit number.
                    Meaning::Unsigned => Arc::new(Int64Array::from_iter(
                        rows.map(|value| value.map(|value| value.cast_unsigned().into())),
                    )),
                    _ => integers(rows.map(|value| value.map(i64::from)), &meaning)?,
                }
            }
            Type::INT64 => {
                let rows = self.rows_of::<Int64Type>(leaf)?.slots.into_iter();
                integers(rows, &meaning)?
            }
            Type::INT96 => {
                let rows = self.rows_of::<Int96Type>(leaf)?.slots.into_iter();
                let rows = rows.map(|value| value.map(|value| value.to_micros()));
                Arc::new(TimestampMicrosecondArray::from_iter(rows))
            }
            Type::FLOAT => {
                let rows = self.rows_of::<FloatType>(leaf)?.slots.into_iter();
                Arc::new(Float64Array::from_iter(
                    rows.map(|value| value.map(f64::from)),
                ))
            }
            Type::DOUBLE => {
                let rows = self.rows_of::<DoubleType>(leaf)?.slots;
                Arc::new(Float64Array::from_iter(rows))
            }
            Type::BYTE_ARRAY => {
                let rows = self.rows_of::<ByteArrayType>(leaf)?.slots;
                byte_arrays(&rows, &meaning)?
            }
            Type::FIXED_LEN_BYTE_ARRAY => {
                let rows = self.rows_of::<FixedLenByteArrayType>(leaf)?.slots;
                byte_arrays(&rows, &meaning)?
            }
        })
    }

    /// Reads a column of lists of 16-bit numbers or of texts. A null list becomes an empty one.
    fn list(&self, leaf: usize) -> Result<ArrayRef> {
        let invalid = || ErrorKind::Structure("an invalid move");
        match self.leaf(leaf).physical_type() {
            Type::INT32 => short_lists(&self.rows_of::<Int32Type>(leaf)?, |&value| {
                i16::try_from(value).ok()
            }),
            Type::INT64 => short_lists(&self.rows_of::<Int64Type>(leaf)?, |&value| {
                i16::try_from(value).ok()
            }),
            Type::BYTE_ARRAY => {
                let rows = self.rows_of::<ByteArrayType>(leaf)?;
                let mut lists = ListBuilder::new(texts());
                for slots in rows.iter() {
                    for value in slots {
                        lists
                            .values()
                            .append_option(value.as_ref().map(AsBytes::as_bytes));
                    }
                    lists.append(true);
                }
                Ok(Arc::new(lists.finish()))
            }
            _ => Err(invalid().into()),
        }
    }

    /// Reads a column of maps from text to text. A null map becomes an empty one.
    fn map(&self, key: usize, value: usize) -> Result<ArrayRef> {
        let keys = self.rows_of::<ByteArrayType>(key)?;
        let values = self.rows_of::<ByteArrayType>(value)?;
        let unequal = || ErrorKind::Structure("a map with different numbers of keys and values");
        // Keys and values are two columns, which a damaged file may divide into rows differently.
        if keys.starts != values.starts || keys.slots.len() != values.slots.len() {
            return Err(unequal().into());
        }
        let mut maps = MapBuilder::new(None, texts(), texts());
        for (keys, values) in keys.iter().zip(values.iter()) {
            for (key, value) in keys.iter().zip(values) {
                let Some(key) = key else { continue };
                maps.keys().append_value(key.data());
                maps.values()
                    .append_option(value.as_ref().map(AsBytes::as_bytes));
            }
            maps.append(true).map_err(|_| unequal())?;
        }
        Ok(Arc::new(maps.finish()))
    }

    /// Decodes a leaf column.
    fn rows_of<T: DataType>(&self, leaf: usize) -> Result<LeafRows<T::T>> {
        let chunk = self.table.row_group(self.group).column(leaf);
        let descr = chunk.column_descr_ptr();
        // Definition levels (the Dremel encoding): from `is_slot` on the list has an element, which
        // is null below `is_value`.
        let (is_value, is_slot) = (descr.max_def_level(), descr.repeated_ancestor_def_level());
        let is_kept = Arc::new(AtomicBool::new(false));
        let pages = pages::page_reader(self, leaf, &is_kept)?;
        let mut reader = ColumnReaderImpl::<T>::new(descr, pages);
        let skipped = reader.skip_records(self.skip).map_err(parquet_error)?;
        // From here on values stay in memory and count.
        is_kept.store(true, Ordering::Relaxed);
        let (mut defined, mut repeated, mut values) = (Vec::new(), Vec::new(), Vec::new());
        let levels = (Some(&mut defined), Some(&mut repeated));
        let read = reader.read_records(self.rows, levels.0, levels.1, &mut values);
        let (read, ..) = read.map_err(parquet_error)?;
        if (skipped, read) != (self.skip, self.rows) {
            return Err(ErrorKind::Structure("fewer rows than the table states").into());
        }
        // A required column has no levels.
        if is_value == 0 {
            defined.resize(values.len(), 0);
        }
        let mut rows = LeafRows {
            slots: Vec::with_capacity(defined.len()),
            starts: Vec::with_capacity(self.rows),
        };
        let mut values = values.into_iter();
        for (n, level) in defined.into_iter().enumerate() {
            // Repetition level 0 begins a row; a column without lists has none.
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
fn texts() -> BinaryViewBuilder {
    BinaryViewBuilder::new().with_deduplicate_strings()
}

/// Converts integers to the array of their meaning.
fn integers(rows: impl Iterator<Item = Option<i64>>, meaning: &Meaning) -> Result<ArrayRef> {
    let scale: fn(i64) -> i64 = match meaning {
        Meaning::Time(TimeUnit::MILLIS) | Meaning::Instant(TimeUnit::MILLIS) => {
            |value| value.saturating_mul(1000)
        }
        Meaning::Time(TimeUnit::NANOS) | Meaning::Instant(TimeUnit::NANOS) => {
            // Rounded down before 1970 too.
            |value| value.div_euclid(1000)
        }
        _ => |value| value,
    };
    let rows = rows.map(|value| value.map(scale));
    Ok(match meaning {
        Meaning::Decimal(scale) => decimals(rows.map(|value| value.map(i128::from)), *scale)?,
        Meaning::Time(_) => Arc::new(Time64MicrosecondArray::from_iter(rows)),
        Meaning::Instant(_) => Arc::new(TimestampMicrosecondArray::from_iter(rows)),
        Meaning::Unsigned => {
            let rows = rows.map(|value| value.map(i64::cast_unsigned));
            Arc::new(UInt64Array::from_iter(rows))
        }
        _ => Arc::new(Int64Array::from_iter(rows)),
    })
}

/// Converts byte strings to the array of their meaning: decimal numbers, or else texts.
fn byte_arrays<T: AsBytes>(rows: &[Option<T>], meaning: &Meaning) -> Result<ArrayRef> {
    let rows = rows
        .iter()
        .map(|value| value.as_ref().map(AsBytes::as_bytes));
    Ok(match meaning {
        Meaning::Decimal(scale) => {
            let number = |bytes: &[u8]| {
                // Big-endian, in two's complement.
                let sign = if bytes.first().is_some_and(|byte| byte & 0x80 != 0) { -1 } else { 0 };
                bytes
                    .iter()
                    .fold(sign, |number: i128, &byte| number << 8 | i128::from(byte))
            };
            decimals(rows.map(|value| value.map(number)), *scale)?
        }
        Meaning::HalfFloat => {
            let number =
                |bytes: &[u8]| Some(HalfFloat::from_le_bytes(*bytes.first_chunk()?).to_f64());
            Arc::new(Float64Array::from_iter(
                rows.map(|value| value.and_then(number)),
            ))
        }
        _ => {
            let mut texts = texts();
            rows.for_each(|value| texts.append_option(value));
            Arc::new(texts.finish())
        }
    })
}

fn decimals(rows: impl Iterator<Item = Option<i128>>, scale: i8) -> Result<ArrayRef> {
    const DIGITS: u8 = 38;
    let array = Decimal128Array::from_iter(rows).with_precision_and_scale(DIGITS, scale);
    let invalid = |_| ErrorKind::Structure("a decimal number with an impossible scale");
    Ok(Arc::new(array.map_err(invalid)?))
}

fn short_lists<T>(rows: &LeafRows<T>, short: impl Fn(&T) -> Option<i16>) -> Result<ArrayRef> {
    let mut lists = ListBuilder::new(Int16Builder::new());
    for slots in rows.iter() {
        for value in slots {
            let value = value
                .as_ref()
                .map(|value| short(value).ok_or(ErrorKind::Structure("an invalid move")));
            lists.values().append_option(value.transpose()?);
        }
        lists.append(true);
    }
    Ok(Arc::new(lists.finish()))
}
