//! The encoders for CSV (RFC 4180, except that lines end with a line feed) and NDJSON.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Int16Type, Int32Type, Int64Type, Time32MillisecondType, TimestampMicrosecondType,
};
use arrow_array::{Array, ArrayRef, RecordBatch};
use chessdb_core::{ErrorKind, Result};

use crate::columns::ColumnKind;
use crate::values;
use crate::writer::Encode;
use crate::{Column, Columns};

/// A column of a text file.
#[derive(Debug)]
struct TextColumn {
    name: String,
    /// The column itself, or one with values of the same type.
    like: Column,
}

/// Returns these columns, and columns of texts for these tags after them.
fn text_columns(columns: Columns, tags: &[String]) -> Vec<TextColumn> {
    let columns = columns.iter().map(|column| TextColumn {
        name: column.name().to_owned(),
        like: column,
    });
    let tags = tags.iter().map(|name| TextColumn {
        name: name.clone(),
        like: Column::Event,
    });
    columns.chain(tags).collect()
}

/// The encoder for CSV.
#[derive(Debug)]
pub(super) struct Csv {
    columns: Vec<TextColumn>,
    cell: Vec<u8>,
    /// True once the line with the column names has been written.
    begun: bool,
}

impl Csv {
    pub(super) fn new(columns: Columns, tags: &[String]) -> Csv {
        Csv {
            columns: text_columns(columns, tags),
            cell: Vec::new(),
            begun: false,
        }
    }

    /// Appends the line with the column names unless it has been written.
    fn begin(&mut self, out: &mut Vec<u8>) {
        if self.begun {
            return;
        }
        self.begun = true;
        for (n, column) in self.columns.iter().enumerate() {
            if n > 0 {
                out.push(b',');
            }
            out.extend_from_slice(column.name.as_bytes());
        }
        out.push(b'\n');
    }
}

impl Encode for Csv {
    fn batch(&mut self, batch: &RecordBatch, out: &mut Vec<u8>) -> Result<()> {
        self.begin(out);
        for row in 0..batch.num_rows() {
            for (n, (column, array)) in self.columns.iter().zip(batch.columns()).enumerate() {
                if n > 0 {
                    out.push(b',');
                }
                if array.is_null(row) {
                    continue;
                }
                self.cell.clear();
                append_value(column.like, array, row, &mut self.cell);
                // An empty text is quoted to distinguish it from null.
                let special = |byte: &u8| matches!(byte, b',' | b'"' | b'\n' | b'\r');
                if !self.cell.is_empty() && !self.cell.iter().any(special) {
                    out.extend_from_slice(&self.cell);
                    continue;
                }
                out.push(b'"');
                for &byte in &self.cell {
                    out.push(byte);
                    if byte == b'"' {
                        out.push(byte);
                    }
                }
                out.push(b'"');
            }
            out.push(b'\n');
        }
        Ok(())
    }

    fn finish(mut self, out: &mut Vec<u8>) -> Result<()> {
        self.begin(out);
        Ok(())
    }
}

/// The encoder for NDJSON. Every object has all columns; missing values are null.
#[derive(Debug)]
pub(super) struct Ndjson {
    columns: Vec<TextColumn>,
    cell: Vec<u8>,
}

impl Ndjson {
    pub(super) fn new(columns: Columns, tags: &[String]) -> Ndjson {
        Ndjson {
            columns: text_columns(columns, tags),
            cell: Vec::new(),
        }
    }
}

impl Encode for Ndjson {
    fn batch(&mut self, batch: &RecordBatch, out: &mut Vec<u8>) -> Result<()> {
        for row in 0..batch.num_rows() {
            for (n, (column, array)) in self.columns.iter().zip(batch.columns()).enumerate() {
                out.extend_from_slice(if n == 0 { b"{" } else { b"," });
                put_text(&column.name, out)?;
                out.push(b':');
                if array.is_null(row) {
                    out.extend_from_slice(b"null");
                    continue;
                }
                match column.like.kind() {
                    ColumnKind::Int16 | ColumnKind::Int32 | ColumnKind::Int64 => {
                        append_value(column.like, array, row, out)
                    }
                    ColumnKind::Moves
                    | ColumnKind::Clocks
                    | ColumnKind::Evals
                    | ColumnKind::Keys => {
                        put_numbers(&array.as_list::<i32>().value(row), out);
                    }
                    ColumnKind::Tags => put_tags(array, row, out)?,
                    ColumnKind::Text
                    | ColumnKind::Date
                    | ColumnKind::Time
                    | ColumnKind::Timestamp => {
                        self.cell.clear();
                        append_value(column.like, array, row, &mut self.cell);
                        put_text(&String::from_utf8_lossy(&self.cell), out)?;
                    }
                }
            }
            out.extend_from_slice(b"}\n");
        }
        Ok(())
    }

    fn finish(self, _: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }
}

fn put_text(text: &str, out: &mut Vec<u8>) -> Result<()> {
    serde_json::to_writer(out, text)
        .map_err(|error| ErrorKind::Other(error.to_string().into()).into())
}

fn put_numbers(values: &ArrayRef, out: &mut Vec<u8>) {
    out.push(b'[');
    for n in 0..values.len() {
        if n > 0 {
            out.push(b',');
        }
        let value = (!values.is_null(n)).then(|| number(values, n));
        match value.flatten() {
            Some(value) => out.extend_from_slice(value.to_string().as_bytes()),
            None => out.extend_from_slice(b"null"),
        }
    }
    out.push(b']');
}

/// Appends the tags as a list of keys and values, since a game may have a tag twice.
fn put_tags(array: &ArrayRef, row: usize, out: &mut Vec<u8>) -> Result<()> {
    let entries = array.as_map().value(row);
    let [names, values] = entries.columns() else {
        out.extend_from_slice(b"[]");
        return Ok(());
    };
    let (names, values) = (names.as_string::<i32>(), values.as_string::<i32>());
    out.push(b'[');
    for n in 0..entries.len() {
        out.extend_from_slice(if n == 0 { b"{\"key\":" } else { b",{\"key\":" });
        put_text(names.value(n), out)?;
        out.extend_from_slice(b",\"value\":");
        put_text(values.value(n), out)?;
        out.push(b'}');
    }
    out.push(b']');
    Ok(())
}

/// Returns a signed number of any of the supported widths.
fn number(array: &ArrayRef, row: usize) -> Option<i64> {
    let short = || Some(array.as_primitive_opt::<Int16Type>()?.value(row).into());
    let medium = || Some(array.as_primitive_opt::<Int32Type>()?.value(row).into());
    let long = || Some(array.as_primitive_opt::<Int64Type>()?.value(row));
    short().or_else(medium).or_else(long)
}

/// Appends one value as text; dates and times follow ISO 8601.
fn append_value(column: Column, array: &ArrayRef, row: usize, out: &mut Vec<u8>) {
    match column.kind() {
        ColumnKind::Text => out.extend_from_slice(array.as_string::<i32>().value(row).as_bytes()),
        ColumnKind::Int16 | ColumnKind::Int32 | ColumnKind::Int64 => {
            if let Some(number) = number(array, row) {
                out.extend_from_slice(number.to_string().as_bytes());
            }
        }
        ColumnKind::Date => append_date(array.as_primitive::<Date32Type>().value(row).into(), out),
        ColumnKind::Time => {
            let value = array.as_primitive::<Time32MillisecondType>().value(row);
            values::write(Column::UtcTime, value.into(), out);
        }
        ColumnKind::Timestamp => {
            let value = array.as_primitive::<TimestampMicrosecondType>().value(row);
            let seconds = value.div_euclid(1_000_000);
            append_date(seconds.div_euclid(86_400), out);
            out.push(b'T');
            values::write(Column::UtcTime, seconds.rem_euclid(86_400) * 1000, out);
            out.push(b'Z');
        }
        ColumnKind::Moves
        | ColumnKind::Clocks
        | ColumnKind::Evals
        | ColumnKind::Keys
        | ColumnKind::Tags => {}
    }
}

/// Appends a date with hyphens.
fn append_date(days: i64, out: &mut Vec<u8>) {
    let start = out.len();
    values::write(Column::UtcDate, days, out);
    for byte in out.iter_mut().skip(start).filter(|byte| **byte == b'.') {
        *byte = b'-';
    }
}
