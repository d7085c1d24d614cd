//! Conversion of the rows of a batch to PGN. The batch may come from a table of another program
//! that has only some of the columns.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Int8Type, Int16Type, Int32Type, Int64Type, Time32MillisecondType, Time32SecondType,
    Time64MicrosecondType, TimestampMicrosecondType,
};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, TimeUnit};
use chessdb_core::{Outcome, Square};
use chessdb_pgn::raw::{escape_into, is_tag_name};

use crate::columns::ColumnKind;
use crate::{Column, values};

/// The rows of a batch, to be read as games.
#[derive(Debug)]
pub struct Rows {
    /// Indexed by the number of the column.
    columns: Vec<Option<ArrayRef>>,
    rows: usize,
}

impl Rows {
    /// Finds the columns of `batch` by name and ignores all others.
    pub fn new(batch: &RecordBatch) -> Rows {
        let find = |column: &Column| batch.column_by_name(column.name()).cloned();
        Rows {
            columns: Column::ALL.iter().map(find).collect(),
            rows: batch.num_rows(),
        }
    }

    /// Returns `rows` rows with the given columns. Values beyond the end of a column count as null.
    pub fn of(columns: Vec<(Column, ArrayRef)>, rows: usize) -> Rows {
        let mut all = vec![None; Column::ALL.len()];
        for (column, array) in columns {
            if let Some(place) = all.get_mut(column as usize) {
                *place = Some(array);
            }
        }
        Rows { columns: all, rows }
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Returns true if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Returns the part of this game that could not be read when the table was written.
    pub fn error(&self, row: usize) -> Option<&str> {
        self.text(Column::Error, row)
    }

    /// Appends the game of a row as PGN: its tags, and its movetext or, if there is none, the moves
    /// of the column `moves`.
    pub fn append_pgn(&self, row: usize, out: &mut Vec<u8>) {
        let tags = self.tags(row);
        let is_spelled = |tag: &str| tags.iter().any(|(name, _)| *name == tag);
        let mut value = Vec::new();
        for &column in ORDER {
            let Some(tag) = column.tag() else {
                continue;
            };
            if is_spelled(tag) {
                continue;
            }
            value.clear();
            self.value(column, row, &mut value);
            if !value.is_empty() || self.text(column, row).is_some() {
                append_tag(tag, &value, out);
            }
        }
        for (name, value) in &tags {
            append_tag(name, value.as_bytes(), out);
        }
        out.push(b'\n');
        match self.text(Column::Movetext, row) {
            Some(text) => out.extend_from_slice(text.as_bytes()),
            None => self.append_moves(row, out),
        }
        out.extend_from_slice(b"\n\n");
    }

    /// Appends the text of the column's tag.
    fn value(&self, column: Column, row: usize, out: &mut Vec<u8>) {
        if column.kind() == ColumnKind::Text {
            let unknown = match column {
                Column::Event | Column::Site | Column::Round | Column::White | Column::Black => "?",
                Column::Date => "????.??.??",
                Column::Result => Outcome::Unknown.as_pgn(),
                _ => "",
            };
            out.extend_from_slice(self.text(column, row).unwrap_or(unknown).as_bytes());
        } else if let Some(number) = self.number(column, row) {
            values::write(column, number, out);
        } else if column == Column::UtcTime
            && let Some(time) = self.number(Column::UtcTimestamp, row)
        {
            values::write(column, time.rem_euclid(86_400_000_000) / 1000, out);
        }
    }

    /// Appends the mainline in coordinate notation and the result.
    fn append_moves(&self, row: usize, out: &mut Vec<u8>) {
        if let Some(moves) = self.list(Column::Moves, row)
            && let Some(moves) = moves.as_primitive_opt::<Int16Type>()
        {
            for mv in moves.iter().flatten() {
                append_move(mv, out);
                out.push(b' ');
            }
        }
        let result = self.text(Column::Result, row);
        out.extend_from_slice(result.unwrap_or(Outcome::Unknown.as_pgn()).as_bytes());
    }

    fn column(&self, column: Column, row: usize) -> Option<&ArrayRef> {
        let array = self.columns.get(column as usize)?.as_ref()?;
        (row < array.len() && array.is_valid(row)).then_some(array)
    }

    fn text(&self, column: Column, row: usize) -> Option<&str> {
        let array = self.column(column, row)?;
        text(array, row)
    }

    fn number(&self, column: Column, row: usize) -> Option<i64> {
        let array = self.column(column, row)?;
        Some(match array.data_type() {
            DataType::Int8 => array.as_primitive::<Int8Type>().value(row).into(),
            DataType::Int16 => array.as_primitive::<Int16Type>().value(row).into(),
            DataType::Int32 => array.as_primitive::<Int32Type>().value(row).into(),
            DataType::Int64 => array.as_primitive::<Int64Type>().value(row),
            DataType::Date32 => array.as_primitive::<Date32Type>().value(row).into(),
            DataType::Time32(TimeUnit::Millisecond) => array
                .as_primitive::<Time32MillisecondType>()
                .value(row)
                .into(),
            DataType::Time32(_) => {
                i64::from(array.as_primitive::<Time32SecondType>().value(row)) * 1000
            }
            DataType::Time64(TimeUnit::Microsecond) => {
                array.as_primitive::<Time64MicrosecondType>().value(row) / 1000
            }
            DataType::Timestamp(TimeUnit::Microsecond, _) => {
                array.as_primitive::<TimestampMicrosecondType>().value(row)
            }
            _ => return None,
        })
    }

    fn list(&self, column: Column, row: usize) -> Option<ArrayRef> {
        let array = self.column(column, row)?;
        Some(array.as_list_opt::<i32>()?.value(row))
    }

    /// Returns the tags of a row that no column holds or that are spelled differently there.
    fn tags(&self, row: usize) -> Vec<(&str, &str)> {
        let Some(map) = self
            .column(Column::Tags, row)
            .and_then(|map| map.as_map_opt())
        else {
            return Vec::new();
        };
        let Some(&[start, end]) = map.value_offsets().get(row..row + 2) else {
            return Vec::new();
        };
        let entries = usize::try_from(start).unwrap_or(0)..usize::try_from(end).unwrap_or(0);
        let pair = |n| {
            Some((
                text(map.keys(), n)?,
                text(map.values(), n).unwrap_or_default(),
            ))
        };
        entries.filter_map(pair).collect()
    }
}

fn text(array: &ArrayRef, row: usize) -> Option<&str> {
    if row >= array.len() || array.is_null(row) {
        return None;
    }
    Some(match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().value(row),
        DataType::LargeUtf8 => array.as_string::<i64>().value(row),
        DataType::Utf8View => array.as_string_view().value(row),
        _ => return None,
    })
}

/// The columns that hold tags, in the order that PGN gives header fields by default. A game from a
/// table thus has its fields in the same order as one from PGN.
const ORDER: &[Column] = &[
    Column::Event,
    Column::Site,
    Column::Date,
    Column::Round,
    Column::White,
    Column::Black,
    Column::Result,
    Column::WhiteTitle,
    Column::BlackTitle,
    Column::WhiteElo,
    Column::BlackElo,
    Column::WhiteFideId,
    Column::BlackFideId,
    Column::Eco,
    Column::EventDate,
    Column::Annotator,
    Column::Source,
    Column::Flags,
    Column::WhiteRatingDiff,
    Column::BlackRatingDiff,
    Column::UtcDate,
    Column::UtcTime,
    Column::Opening,
    Column::Termination,
    Column::TimeControl,
    Column::Fen,
];

/// Appends a tag. A name that is not valid in PGN is skipped; only tables of other programs have
/// such names.
fn append_tag(name: &str, value: &[u8], out: &mut Vec<u8>) {
    if !is_tag_name(name.as_bytes()) {
        return;
    }
    out.push(b'[');
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b" \"");
    escape_into(value, out);
    out.extend_from_slice(b"\"]\n");
}

/// Appends a move in coordinate notation.
fn append_move(mv: i16, out: &mut Vec<u8>) {
    let square = |shift: u16| Square::from_rank_major((mv.cast_unsigned() >> shift & 63) as u8);
    match (mv, square(0), square(6)) {
        (0, ..) => out.extend_from_slice(b"--"),
        (_, Some(from), Some(to)) => {
            out.extend_from_slice(&from.to_ascii());
            out.extend_from_slice(&to.to_ascii());
            out.extend_from_slice(match mv >> 12 {
                2 => b"n",
                3 => b"b",
                4 => b"r",
                5 => b"q",
                _ => b"",
            });
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::header::column_of;

    #[test]
    fn every_tag_of_a_column_is_written() {
        let tags = Column::ALL.iter().filter(|column| column.tag().is_some());
        assert_eq!(tags.count(), ORDER.len());
        for &column in ORDER {
            let tag = column.tag().unwrap();
            assert_eq!(column_of(tag.as_bytes()), Some(column));
        }
    }
}
