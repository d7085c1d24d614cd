//! Conversion of the rows of a batch to PGN. The batch may come from a table of another program
//! that has only some of the columns.

use arrow_array::cast::AsArray;
use arrow_array::types::Int16Type;
use arrow_array::{Array, ArrayRef, RecordBatch};
use chessdb_core::{Outcome, Square};
use chessdb_pgn::raw::{append_tag_name, escape_into, tag_section};

use crate::Column;
use crate::cell_value::{CellValue, is_readable};
use crate::columns::ColumnKind;

/// The rows of a batch, to be read as games.
#[derive(Debug)]
pub struct Rows {
    /// Indexed by the number of the column.
    columns: Vec<Option<ArrayRef>>,
    rows: usize,
}

impl Rows {
    /// Finds the columns of `batch` by name, ignoring case, and ignores all others. Of several
    /// columns with one name the first counts; one with the exact name precedes the others.
    pub fn new(batch: &RecordBatch) -> Rows {
        let schema = batch.schema();
        let names: Vec<&str> = schema
            .fields()
            .iter()
            .map(|field| field.name().as_str())
            .collect();
        let find = |column: &Column| {
            let index = column.index_among(&names)?;
            batch.columns().get(index).cloned()
        };
        Rows {
            columns: Column::ALL.iter().map(find).collect(),
            rows: batch.num_rows(),
        }
    }

    /// Returns `rows` rows with the given columns. Values beyond the end of a column count as null.
    pub fn from_columns(columns: Vec<(Column, ArrayRef)>, rows: usize) -> Rows {
        let mut all = vec![None; Column::ALL.len()];
        for (column, array) in columns {
            if let Some(place) = all.get_mut(column as usize) {
                *place = Some(array);
            }
        }
        Rows { columns: all, rows }
    }

    /// Returns the columns with a type from which no tag can be read, such as a structure. Their
    /// values are lost.
    pub fn unreadable(&self) -> impl Iterator<Item = Column> {
        let arrays = Column::ALL.iter().zip(&self.columns);
        arrays
            .filter(|(column, array)| {
                let is_plain = column.tag().is_some() || **column == Column::Movetext;
                is_plain
                    && array
                        .as_ref()
                        .is_some_and(|array| !is_readable(array.data_type()))
            })
            .map(|(column, _)| *column)
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
        std::str::from_utf8(self.cell(Column::Error, row)?.text()?).ok()
    }

    /// Appends the game of a row as PGN: its tags, and its movetext or, if there is none, the moves
    /// of the column `moves`. A movetext may begin with tags of its own.
    pub fn append_pgn(&self, row: usize, out: &mut Vec<u8>) {
        let mut texts = [Column::Movetext, Column::Moves].into_iter();
        let movetext = texts.find_map(|column| {
            let text = self.cell(column, row)?.text()?;
            (!text.is_empty()).then_some(text)
        });
        let own = movetext.map_or(0, tag_section);
        let (own, movetext) = match movetext.and_then(|text| text.split_at_checked(own)) {
            Some((own, moves)) => (own, Some(moves)),
            None => (&b""[..], movetext),
        };
        out.extend_from_slice(own);
        if !own.is_empty() {
            out.push(b'\n');
        }
        let tags = self.tags(row);
        // The column `tags` has the exact text, which the typed value may not give back.
        let is_spelled = |tag: &str| tags.iter().any(|(name, _)| *name == tag.as_bytes());
        let mut value = Vec::new();
        for &column in ORDER {
            let Some(tag) = column.tag().filter(|tag| !is_spelled(tag)) else {
                continue;
            };
            value.clear();
            if self.append_value(column, row, &mut value) {
                append_tag(tag.as_bytes(), &value, out);
            } else if own.is_empty()
                && let Some(unknown) = unknown_value(column)
            {
                append_tag(tag.as_bytes(), unknown.as_bytes(), out);
            }
        }
        for (name, value) in &tags {
            append_tag(name, value, out);
        }
        out.push(b'\n');
        match movetext {
            Some(text) => out.extend_from_slice(text),
            None => self.append_moves(row, out),
        }
        out.extend_from_slice(b"\n\n");
    }

    /// Appends the text of the column's tag. Returns whether the row has one, which may be empty.
    fn append_value(&self, column: Column, row: usize, out: &mut Vec<u8>) -> bool {
        if let Some(cell) = self.cell(column, row) {
            cell.append_tag_value(column, out);
            let is_empty_text = column.kind() == ColumnKind::Text && cell.text().is_some();
            if !out.is_empty() || is_empty_text {
                return true;
            }
        }
        // Other columns may hold a part of the value.
        let sources: &[Column] = match column {
            // With a date in UTC these may be taken from it.
            Column::Date if self.cell(Column::UtcDate, row).is_none() => {
                &[Column::GameDate, Column::Year]
            }
            Column::UtcDate => &[Column::UtcTimestamp],
            Column::UtcTime => &[Column::UtcTimestamp, Column::UtcDate],
            _ => &[],
        };
        for &source in sources {
            let Some(cell) = self.cell(source, row).filter(|_| out.is_empty()) else {
                continue;
            };
            match column {
                Column::UtcTime => cell.append_time_of_day(out),
                _ => cell.append_tag_value(column, out),
            }
        }
        !out.is_empty()
    }

    /// Appends the mainline and the result: moves that are numbers in coordinate notation, and
    /// texts as they are.
    fn append_moves(&self, row: usize, out: &mut Vec<u8>) {
        if let Some(moves) = self.list(Column::Moves, row) {
            if let Some(moves) = moves.as_primitive_opt::<Int16Type>() {
                for mv in moves.iter().flatten() {
                    append_move(mv, out);
                    out.push(b' ');
                }
            } else {
                for n in 0..moves.len() {
                    match CellValue::read(moves.as_ref(), n) {
                        Some(CellValue::Text(word)) => out.extend_from_slice(word),
                        Some(CellValue::Integer(mv)) => match i16::try_from(mv) {
                            Ok(mv) => append_move(mv, out),
                            // The reader reports it as a move that it does not know.
                            Err(_) => out.extend_from_slice(format!("?{mv}").as_bytes()),
                        },
                        _ => continue,
                    }
                    out.push(b' ');
                }
            }
        }
        let result = self.cell(Column::Result, row).and_then(CellValue::text);
        let result = result.and_then(Outcome::from_pgn).unwrap_or_default();
        out.extend_from_slice(result.as_pgn().as_bytes());
    }

    fn cell(&self, column: Column, row: usize) -> Option<CellValue<'_>> {
        let array = self.columns.get(column as usize)?.as_ref()?;
        CellValue::read(array.as_ref(), row)
    }

    fn list(&self, column: Column, row: usize) -> Option<ArrayRef> {
        let array = self.columns.get(column as usize)?.as_ref()?;
        if row >= array.len() || array.is_null(row) {
            return None;
        }
        let short = array.as_list_opt::<i32>().map(|lists| lists.value(row));
        short.or_else(|| Some(array.as_list_opt::<i64>()?.value(row)))
    }

    /// Returns the tags of a row that no column holds or that are spelled differently there.
    fn tags(&self, row: usize) -> Vec<(&[u8], &[u8])> {
        let map = self.columns.get(Column::Tags as usize);
        let map = map
            .and_then(Option::as_ref)
            .filter(|map| row < map.len() && map.is_valid(row));
        let Some(map) = map.and_then(|map| map.as_map_opt()) else {
            return Vec::new();
        };
        let Some(&[start, end]) = map.value_offsets().get(row..row + 2) else {
            return Vec::new();
        };
        let entries = usize::try_from(start).unwrap_or(0)..usize::try_from(end).unwrap_or(0);
        let pair = |n| {
            let value = CellValue::read(map.values(), n).and_then(CellValue::text);
            Some((
                CellValue::read(map.keys(), n)?.text()?,
                value.unwrap_or_default(),
            ))
        };
        entries.filter_map(pair).collect()
    }
}

/// Returns PGN's value of a tag that every game has, if it is unknown.
fn unknown_value(column: Column) -> Option<&'static str> {
    match column {
        Column::Event | Column::Site | Column::Round | Column::White | Column::Black => Some("?"),
        Column::Date => Some("????.??.??"),
        Column::Result => Some(Outcome::Unknown.as_pgn()),
        _ => None,
    }
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

/// Appends a tag. A name that PGN does not allow, which only tables of other programs have, loses
/// its other characters.
fn append_tag(name: &[u8], value: &[u8], out: &mut Vec<u8>) {
    out.push(b'[');
    append_tag_name(name, out);
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
