//! The values of cells, in any type in which a table of another program may store them
//! (docs/parquet.md, section 1).

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type,
    Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    Time32MillisecondType, Time32SecondType, Time64MicrosecondType, Time64NanosecondType,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrowPrimitiveType};
use arrow_schema::{DataType, TimeUnit};

use crate::{Column, values};

/// The value of a cell that is not null.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum CellValue<'a> {
    /// A text, or bytes that should be one.
    Text(&'a [u8]),
    Integer(i128),
    Float(f64),
    Decimal {
        digits: i128,
        /// The number of digits after the point; negative for zeros before it.
        scale: i8,
    },
    /// Days since 1970-01-01.
    Day(i64),
    /// Microseconds since 1970-01-01.
    Instant(i64),
    /// Milliseconds since midnight.
    Time(i64),
}

const MICROSECONDS_PER_DAY: i64 = 86_400_000_000;

/// Returns whether cells of this type have values that tags can hold.
pub(crate) fn is_readable(mut kind: &DataType) -> bool {
    while let DataType::Dictionary(_, values) = kind {
        kind = values;
    }
    kind.is_numeric()
        || matches!(
            kind,
            DataType::Boolean
                | DataType::Utf8
                | DataType::LargeUtf8
                | DataType::Utf8View
                | DataType::Binary
                | DataType::LargeBinary
                | DataType::BinaryView
                | DataType::FixedSizeBinary(_)
                | DataType::Date32
                | DataType::Date64
                | DataType::Time32(_)
                | DataType::Time64(_)
                | DataType::Timestamp(..)
        )
}

impl<'a> CellValue<'a> {
    /// Returns the value of a cell. `None` if it is null, beyond the end of the array, or of a type
    /// that is not [readable](is_readable).
    pub(crate) fn read(mut array: &'a dyn Array, mut row: usize) -> Option<CellValue<'a>> {
        while let Some(dictionary) = array.as_any_dictionary_opt() {
            let CellValue::Integer(key) = CellValue::plain(dictionary.keys(), row)? else {
                return None;
            };
            row = key.try_into().ok()?;
            array = dictionary.values().as_ref();
        }
        CellValue::plain(array, row)
    }

    fn plain(array: &'a dyn Array, row: usize) -> Option<CellValue<'a>> {
        fn get<T: ArrowPrimitiveType>(array: &dyn Array, row: usize) -> T::Native {
            array.as_primitive::<T>().value(row)
        }
        if row >= array.len() || array.is_null(row) {
            return None;
        }
        let integer = |value: i128| Some(CellValue::Integer(value));
        let decimal = |digits: i128, scale: &i8| {
            let scale = *scale;
            Some(CellValue::Decimal { digits, scale })
        };
        match array.data_type() {
            DataType::Utf8 => Some(CellValue::Text(
                array.as_string::<i32>().value(row).as_bytes(),
            )),
            DataType::LargeUtf8 => Some(CellValue::Text(
                array.as_string::<i64>().value(row).as_bytes(),
            )),
            DataType::Utf8View => Some(CellValue::Text(
                array.as_string_view().value(row).as_bytes(),
            )),
            DataType::Binary => Some(CellValue::Text(array.as_binary::<i32>().value(row))),
            DataType::LargeBinary => Some(CellValue::Text(array.as_binary::<i64>().value(row))),
            DataType::BinaryView => Some(CellValue::Text(array.as_binary_view().value(row))),
            DataType::FixedSizeBinary(_) => {
                Some(CellValue::Text(array.as_fixed_size_binary().value(row)))
            }
            DataType::Boolean => Some(CellValue::Text(if array.as_boolean().value(row) {
                b"true"
            } else {
                b"false"
            })),
            DataType::Int8 => integer(get::<Int8Type>(array, row).into()),
            DataType::Int16 => integer(get::<Int16Type>(array, row).into()),
            DataType::Int32 => integer(get::<Int32Type>(array, row).into()),
            DataType::Int64 => integer(get::<Int64Type>(array, row).into()),
            DataType::UInt8 => integer(get::<UInt8Type>(array, row).into()),
            DataType::UInt16 => integer(get::<UInt16Type>(array, row).into()),
            DataType::UInt32 => integer(get::<UInt32Type>(array, row).into()),
            DataType::UInt64 => integer(get::<UInt64Type>(array, row).into()),
            DataType::Float16 => Some(CellValue::Float(get::<Float16Type>(array, row).to_f64())),
            DataType::Float32 => Some(CellValue::Float(get::<Float32Type>(array, row).into())),
            DataType::Float64 => Some(CellValue::Float(get::<Float64Type>(array, row))),
            DataType::Decimal32(_, scale) => {
                decimal(get::<Decimal32Type>(array, row).into(), scale)
            }
            DataType::Decimal64(_, scale) => {
                decimal(get::<Decimal64Type>(array, row).into(), scale)
            }
            DataType::Decimal128(_, scale) => decimal(get::<Decimal128Type>(array, row), scale),
            DataType::Decimal256(_, scale) => {
                decimal(get::<Decimal256Type>(array, row).to_i128()?, scale)
            }
            DataType::Date32 => Some(CellValue::Day(get::<Date32Type>(array, row).into())),
            // Rounded down, so that a time before 1970 keeps its day.
            DataType::Date64 => {
                let milliseconds = get::<Date64Type>(array, row);
                Some(CellValue::Day(milliseconds.div_euclid(86_400_000)))
            }
            DataType::Time32(unit) => Some(CellValue::Time(match unit {
                TimeUnit::Second => i64::from(get::<Time32SecondType>(array, row)) * 1000,
                _ => get::<Time32MillisecondType>(array, row).into(),
            })),
            DataType::Time64(unit) => Some(CellValue::Time(match unit {
                TimeUnit::Microsecond => get::<Time64MicrosecondType>(array, row) / 1000,
                _ => get::<Time64NanosecondType>(array, row) / 1_000_000,
            })),
            DataType::Timestamp(unit, _) => Some(CellValue::Instant(match unit {
                TimeUnit::Second => {
                    get::<TimestampSecondType>(array, row).saturating_mul(1_000_000)
                }
                TimeUnit::Millisecond => {
                    get::<TimestampMillisecondType>(array, row).saturating_mul(1000)
                }
                TimeUnit::Microsecond => get::<TimestampMicrosecondType>(array, row),
                TimeUnit::Nanosecond => get::<TimestampNanosecondType>(array, row).div_euclid(1000),
            })),
            _ => None,
        }
    }

    /// Returns the bytes of a text.
    pub(crate) fn text(self) -> Option<&'a [u8]> {
        match self {
            CellValue::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Appends the value as the text of the column's tag. Appends nothing for "not a number", with
    /// which some programs mark missing values.
    pub(crate) fn append_tag_value(self, column: Column, out: &mut Vec<u8>) {
        let is_date = matches!(column, Column::Date | Column::EventDate | Column::UtcDate);
        match self {
            CellValue::Text(text) => append_text(column, text, out),
            CellValue::Integer(number) => match (column, number) {
                (Column::WhiteRatingDiff | Column::BlackRatingDiff, _) => {
                    out.extend_from_slice(format!("{number:+}").as_bytes());
                }
                (_, 1..=9999) if is_date => {
                    out.extend_from_slice(format!("{number:04}.??.??").as_bytes());
                }
                (_, 10_000..=99_999_999) if is_date => {
                    let (year, month, day) = (number / 10_000, number / 100 % 100, number % 100);
                    let date = format!("{year:04}.{month:02}.{day:02}");
                    out.extend_from_slice(date.as_bytes());
                }
                _ => out.extend_from_slice(number.to_string().as_bytes()),
            },
            CellValue::Float(number) if number.is_nan() => {}
            CellValue::Float(number) => {
                // Exact for all integers that a float holds exactly.
                let whole = number as i128;
                if whole as f64 == number && whole.unsigned_abs() < 1 << 53 {
                    CellValue::Integer(whole).append_tag_value(column, out);
                } else {
                    out.extend_from_slice(number.to_string().as_bytes());
                }
            }
            CellValue::Decimal { digits, scale } => {
                let unit = 10_i128.checked_pow(scale.unsigned_abs().into());
                // With a scale of more than 38 digits none is before the point.
                let unit = unit.unwrap_or(i128::MAX);
                let whole = match scale {
                    ..=0 => digits.saturating_mul(unit),
                    _ => digits / unit,
                };
                let rest = if scale > 0 { digits % unit } else { 0 };
                if rest == 0 {
                    return CellValue::Integer(whole).append_tag_value(column, out);
                }
                let sign = if digits < 0 { "-" } else { "" };
                let (whole, rest) = (whole.unsigned_abs(), rest.unsigned_abs());
                let width = usize::from(scale.unsigned_abs());
                let text = format!("{sign}{whole}.{rest:0width$}");
                out.extend_from_slice(text.trim_end_matches('0').as_bytes());
            }
            CellValue::Day(days) => values::write(Column::UtcDate, days, out),
            CellValue::Instant(instant) => {
                let (days, rest) = (
                    instant.div_euclid(MICROSECONDS_PER_DAY),
                    instant.rem_euclid(MICROSECONDS_PER_DAY),
                );
                let is_time = matches!(column, Column::UtcTime | Column::UtcTimestamp);
                if !is_time {
                    values::write(Column::UtcDate, days, out);
                }
                // The tag UTCTime takes the time of a column with both.
                let has_time = rest != 0 && column != Column::UtcDate;
                if !is_time && has_time {
                    out.push(b' ');
                }
                if is_time || has_time {
                    values::write(Column::UtcTime, rest / 1000, out);
                }
            }
            CellValue::Time(milliseconds) => values::write(Column::UtcTime, milliseconds, out),
        }
    }

    /// Returns the date of a point in time, and nothing if the value has no time of day.
    pub(crate) fn append_time_of_day(self, out: &mut Vec<u8>) {
        match self {
            CellValue::Text(text) => {
                let time = text.split(|byte| matches!(byte, b'T' | b' ')).nth(1);
                let time = time.unwrap_or_default();
                out.extend_from_slice(time.strip_suffix(b"Z").unwrap_or(time));
            }
            CellValue::Instant(_) => self.append_tag_value(Column::UtcTime, out),
            _ => {}
        }
    }
}

/// Appends a text as the value of a tag, in the spelling of PGN if the column has a type other than
/// text.
fn append_text(column: Column, text: &[u8], out: &mut Vec<u8>) {
    match column {
        Column::UtcDate => {
            let day = text.split(|byte| matches!(byte, b'T' | b' ')).next();
            let day = day.unwrap_or_default().iter();
            out.extend(day.map(|&byte| if byte == b'-' { b'.' } else { byte }));
        }
        Column::Date | Column::EventDate => {
            // Tables that were once data frames have such texts.
            let midnight = [&b" 00:00:00"[..], b"T00:00:00"];
            let day = midnight.iter().find_map(|time| text.strip_suffix(*time));
            out.extend_from_slice(day.unwrap_or(text));
        }
        Column::WhiteRatingDiff | Column::BlackRatingDiff
            if text.first().is_some_and(u8::is_ascii_digit) =>
        {
            out.push(b'+');
            out.extend_from_slice(text);
        }
        _ => out.extend_from_slice(text),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::builder::{
        BinaryBuilder, BinaryViewBuilder, FixedSizeBinaryBuilder, StringDictionaryBuilder,
    };
    use arrow_array::*;

    use super::*;

    fn shown(array: &dyn Array, column: Column) -> String {
        let mut out = Vec::new();
        if let Some(value) = CellValue::read(array, 0) {
            value.append_tag_value(column, &mut out);
        }
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn every_column_type_reads_as_tag_text() {
        let decimal = |digits, scale| {
            let array = Decimal128Array::from(vec![digits]);
            Arc::new(array.with_precision_and_scale(20, scale).unwrap()) as ArrayRef
        };
        let mut dictionary = StringDictionaryBuilder::<types::UInt8Type>::new();
        dictionary.append_value("B90");
        let mut binary = BinaryBuilder::new();
        binary.append_value("Tal");
        let mut view = BinaryViewBuilder::new();
        view.append_value("a longer name than twelve bytes");
        let mut fixed = FixedSizeBinaryBuilder::new(3);
        fixed.append_value("C42").unwrap();
        // 2020-07-01 12:34:56.789 UTC.
        let instant = 1_593_606_896_789_i64;
        let day = 18_444;
        let cases: Vec<(ArrayRef, Column, &str)> = vec![
            (
                Arc::new(Float64Array::from(vec![2690.0])),
                Column::WhiteElo,
                "2690",
            ),
            (
                Arc::new(Float32Array::from(vec![2690.0])),
                Column::WhiteElo,
                "2690",
            ),
            (
                Arc::new(Float64Array::from(vec![f64::NAN])),
                Column::WhiteElo,
                "",
            ),
            (
                Arc::new(Float64Array::from(vec![2690.5])),
                Column::WhiteElo,
                "2690.5",
            ),
            (
                Arc::new(Float64Array::from(vec![7.0])),
                Column::WhiteRatingDiff,
                "+7",
            ),
            (
                Arc::new(UInt64Array::from(vec![u64::MAX])),
                Column::Round,
                "18446744073709551615",
            ),
            (Arc::new(Int8Array::from(vec![3])), Column::Round, "3"),
            (
                Arc::new(StringArray::from(vec!["2690"])),
                Column::WhiteElo,
                "2690",
            ),
            (
                Arc::new(LargeStringArray::from(vec!["7"])),
                Column::BlackRatingDiff,
                "+7",
            ),
            (
                Arc::new(BooleanArray::from(vec![true])),
                Column::Termination,
                "true",
            ),
            (Arc::new(dictionary.finish()), Column::Eco, "B90"),
            (Arc::new(binary.finish()), Column::White, "Tal"),
            (
                Arc::new(view.finish()),
                Column::Event,
                "a longer name than twelve bytes",
            ),
            (Arc::new(fixed.finish()), Column::Eco, "C42"),
            (
                Arc::new(Date32Array::from(vec![day])),
                Column::Date,
                "2020.07.01",
            ),
            (
                Arc::new(Date64Array::from(vec![instant])),
                Column::EventDate,
                "2020.07.01",
            ),
            (
                Arc::new(Date32Array::from(vec![day])),
                Column::UtcDate,
                "2020.07.01",
            ),
            (
                Arc::new(Date32Array::from(vec![day])),
                Column::Round,
                "2020.07.01",
            ),
            (
                Arc::new(Int32Array::from(vec![20_200_701])),
                Column::Date,
                "2020.07.01",
            ),
            (
                Arc::new(Int32Array::from(vec![1985])),
                Column::Date,
                "1985.??.??",
            ),
            (
                Arc::new(StringArray::from(vec!["2020-07-01 00:00:00"])),
                Column::Date,
                "2020-07-01",
            ),
            (
                Arc::new(StringArray::from(vec!["2020-07-01"])),
                Column::UtcDate,
                "2020.07.01",
            ),
            (
                Arc::new(TimestampMillisecondArray::from(vec![instant])),
                Column::Date,
                "2020.07.01 12:34:56",
            ),
            (
                Arc::new(TimestampSecondArray::from(vec![instant / 1000])),
                Column::UtcDate,
                "2020.07.01",
            ),
            (
                Arc::new(TimestampNanosecondArray::from(vec![instant * 1_000_000])),
                Column::UtcTime,
                "12:34:56",
            ),
            (
                Arc::new(Time64NanosecondArray::from(vec![1_000_000_000])),
                Column::UtcTime,
                "00:00:01",
            ),
            (decimal(2690, 0), Column::WhiteElo, "2690"),
            (decimal(269_000, 2), Column::WhiteElo, "2690"),
            (decimal(-5, 2), Column::Round, "-0.05"),
            (decimal(250, 2), Column::Round, "2.5"),
            (decimal(27, -2), Column::WhiteElo, "2700"),
        ];
        for (array, column, expected) in cases {
            let kind = array.data_type();
            assert!(is_readable(kind), "{kind}");
            assert_eq!(shown(array.as_ref(), column), expected, "{kind} {column:?}");
        }
    }

    /// A type is either read or reported as unreadable, never neither.
    #[test]
    fn types_without_tag_text_are_rejected() {
        let keys = || Int16Array::from(vec![0]);
        let duration: ArrayRef = Arc::new(DurationSecondArray::from(vec![1]));
        let arrays: [ArrayRef; 3] = [
            Arc::new(NullArray::new(1)),
            Arc::new(DictionaryArray::new(keys(), Arc::clone(&duration))),
            duration,
        ];
        for array in arrays {
            assert!(!is_readable(array.data_type()), "{}", array.data_type());
            assert_eq!(CellValue::read(array.as_ref(), 0), None);
        }
        for (array, value) in [
            (
                Arc::new(Float16Array::from_iter_values([Default::default()])) as ArrayRef,
                CellValue::Float(0.0),
            ),
            (
                Arc::new(Decimal32Array::from(vec![1])),
                CellValue::Decimal {
                    digits: 1,
                    scale: 2,
                },
            ),
            (
                Arc::new(Time32SecondArray::from(vec![1])),
                CellValue::Time(1000),
            ),
        ] {
            assert!(is_readable(array.data_type()));
            assert_eq!(CellValue::read(array.as_ref(), 0), Some(value));
            assert_eq!(CellValue::read(array.as_ref(), 1), None);
        }
    }
}
