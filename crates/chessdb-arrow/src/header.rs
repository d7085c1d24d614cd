//! The tags of a game as cells of columns.
//!
//! The columns are filled from the tags that the PGN writer produces. A game read back from a table
//! is therefore the one that would be read back from PGN, and no field can get lost on its way into
//! a column.

use std::ops::Range;

use chessdb_core::model::RatingKind;
use chessdb_core::{Color, Game, LossKind, Losses, Outcome};
use chessdb_pgn::GameText;
use chessdb_pgn::raw::is_board;
use memchr::memchr;

use crate::{Column, Columns, values};

/// The value of a cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Cell {
    #[default]
    Null,
    /// A range of [`TagCells::texts`].
    Text(Range<usize>),
    Number(i64),
}

/// The tags of one game.
#[derive(Debug, Default)]
pub(crate) struct TagCells {
    /// The tags as PGN, followed by the texts that are escaped there.
    text: Vec<u8>,
    /// Indexed by the number of the column.
    cells: Vec<Cell>,
    /// The names and values of the tags that no column holds or that cannot be restored from their
    /// column.
    tags: Vec<(Range<usize>, Range<usize>)>,
    buffer: Vec<u8>,
    /// One bit per column: whether its tag was present.
    seen: u64,
}

/// PGN's values for unknown tags; the columns store null.
const UNKNOWN: &[u8] = b"?";
const UNKNOWN_DATE: &[u8] = b"????.??.??";

impl TagCells {
    pub(crate) fn cell(&self, column: Column) -> &Cell {
        self.cells.get(column as usize).unwrap_or(&Cell::Null)
    }

    /// Returns the buffer that the ranges of cells refer to. It is UTF-8, since the PGN writer
    /// produces only that.
    pub(crate) fn texts(&self) -> &str {
        std::str::from_utf8(&self.text).unwrap_or_default()
    }

    pub(crate) fn tags(&self) -> impl Iterator<Item = (&str, &str)> {
        let texts = if self.tags.is_empty() { "" } else { self.texts() };
        let text = |range: &Range<usize>| texts.get(range.clone()).unwrap_or_default();
        let pair = move |(name, value): &(Range<usize>, Range<usize>)| (text(name), text(value));
        self.tags.iter().map(pair)
    }

    /// Fills the cells with the tags of `game`. The losses are the PGN writer's.
    pub(crate) fn fill(&mut self, game: &Game, columns: Columns, pgn: &mut GameText) -> Losses {
        self.text.clear();
        self.tags.clear();
        self.seen = 0;
        self.cells.clear();
        self.cells.resize(Column::ALL.len(), Cell::Null);
        let mut losses = pgn.append_header(game, &mut self.text);
        let (mut offset, end) = (0, self.text.len());
        while offset < end {
            let rest = self.text.get(offset..end).unwrap_or_default();
            let length = memchr(b'\n', rest).unwrap_or(rest.len());
            if let Some((name, value)) = self.tag_of(offset..offset + length) {
                if self.is_second_board(&name, &value) {
                    losses.add(LossKind::Tag, None);
                } else {
                    self.put_tag(name, value, columns);
                }
            }
            offset += length + 1;
        }
        self.fill_computed_columns(game, columns);
        losses
    }

    /// Returns whether the game has a FEN before this one. A row is read as PGN with all its FEN tags
    /// side by side, where the second board would begin another game.
    fn is_second_board(&self, name: &Range<usize>, value: &Range<usize>) -> bool {
        let text = |range: &Range<usize>| self.text.get(range.clone()).unwrap_or_default();
        let is_seen = self.seen & 1 << Column::Fen as u32 != 0;
        is_seen && text(name) == b"FEN" && is_board(text(value))
    }

    /// Returns the ranges of a tag's name and value in a line produced by the PGN writer.
    fn tag_of(&mut self, line: Range<usize>) -> Option<(Range<usize>, Range<usize>)> {
        let start = line.start + 1;
        let tag = self
            .text
            .get(line)?
            .strip_prefix(b"[")?
            .strip_suffix(b"\"]")?;
        // A name has no blanks, a value may.
        let blank = tag.iter().position(|&byte| byte == b' ')?;
        let value = tag.get(blank..)?.strip_prefix(b" \"")?;
        let name = start..start + blank;
        // Most values have no escapes and stay where they are.
        if memchr(b'\\', value).is_none() {
            return Some((name, start + blank + 2..start + tag.len()));
        }
        let mut plain = Vec::with_capacity(value.len());
        let mut bytes = value.iter();
        while let Some(&byte) = bytes.next() {
            // A backslash at the end is kept as it is.
            let escaped = (byte == b'\\').then(|| bytes.next()).flatten();
            plain.push(*escaped.unwrap_or(&byte));
        }
        Some((name, self.push(&plain)))
    }

    fn push(&mut self, bytes: &[u8]) -> Range<usize> {
        let start = self.text.len();
        self.text.extend_from_slice(bytes);
        start..self.text.len()
    }

    /// Puts a tag into its column or, if it has none, into the list of other tags.
    fn put_tag(&mut self, name: Range<usize>, value: Range<usize>, columns: Columns) {
        let text = |range: &Range<usize>| self.text.get(range.clone()).unwrap_or_default();
        let tag = text(&name);
        let Some(column) = column_of(tag) else {
            self.tags.push((name, value));
            return;
        };
        let seen = self.seen;
        self.seen |= 1 << column as u32;
        // The bit was set before: the tag occurs a second time.
        if self.seen == seen {
            self.add_repeated(column, name, value);
            return;
        }
        let (cell, exact) = match column {
            Column::WhiteElo
            | Column::BlackElo
            | Column::WhiteRatingDiff
            | Column::BlackRatingDiff
            | Column::WhiteFideId
            | Column::BlackFideId
            | Column::UtcDate
            | Column::UtcTime => match values::read(column, text(&value)) {
                None => (Cell::Null, false),
                Some(number) => {
                    self.buffer.clear();
                    values::write(column, number, &mut self.buffer);
                    // Written back, the number must give the same text; otherwise the tag is kept
                    // too.
                    (Cell::Number(number), self.buffer == text(&value))
                }
            },
            Column::Event | Column::Site | Column::White | Column::Black | Column::Round
                if text(&value) == UNKNOWN =>
            {
                (Cell::Null, true)
            }
            // The column holds only valid results, so that queries can compare them.
            Column::Result if Outcome::from_pgn(text(&value)).is_none() => (Cell::Null, false),
            Column::Date if text(&value) == UNKNOWN_DATE => (Cell::Null, true),
            // Null means the standard position. The tag is kept too, since the game states it
            // explicitly.
            Column::Fen if text(&value) == STANDARD_FEN => (Cell::Null, false),
            _ => (Cell::Text(value.clone()), true),
        };
        if let Some(place) = self.cells.get_mut(column as usize) {
            *place = cell;
        }
        let exact = exact && !self.follows_another_rating(column);
        let is_stored = columns.contains(column)
            // The timestamp contains the time, provided that there is a date.
            || column == Column::UtcTime
                && columns.contains(Column::UtcTimestamp)
                && matches!(self.cell(Column::UtcDate), Cell::Number(_));
        if !exact || !is_stored {
            self.tags.push((name, value));
        }
    }

    /// Returns true if a rating of another kind precedes the one in this column. The first is the
    /// player's rating, so the order of the tags must be restored.
    fn follows_another_rating(&self, column: Column) -> bool {
        let of = match column {
            Column::WhiteElo => Color::White,
            Column::BlackElo => Color::Black,
            _ => return false,
        };
        self.tags()
            .filter_map(|(name, _)| RatingKind::of_tag(name.as_bytes()))
            .any(|(color, _)| color == of)
    }

    /// Handles a repeated tag: all tags of this name are put into the list of other tags, which
    /// takes precedence when the game is read back.
    fn add_repeated(&mut self, column: Column, name: Range<usize>, value: Range<usize>) {
        let given = self.text.get(name.clone()).unwrap_or_default();
        let is_there = self.tags().any(|(other, _)| other.as_bytes() == given);
        if !is_there {
            let first = match self.cell(column).clone() {
                Cell::Text(range) => range,
                Cell::Number(number) => {
                    let start = self.text.len();
                    values::write(column, number, &mut self.text);
                    start..self.text.len()
                }
                Cell::Null if column == Column::Date => self.push(UNKNOWN_DATE),
                Cell::Null => self.push(UNKNOWN),
            };
            self.tags.push((name.clone(), first));
        }
        self.tags.push((name, value));
    }

    /// Fills the columns computed from the tags: dates, and the result if the tag is not valid.
    fn fill_computed_columns(&mut self, game: &Game, columns: Columns) {
        let date = game.effective_date();
        let number = |value: Option<i64>| value.map_or(Cell::Null, Cell::Number);
        let year = i16::try_from(date.year).ok().filter(|&year| year > 0);
        // The time is in milliseconds, the timestamp in microseconds.
        let timestamp = match (self.cell(Column::UtcDate), self.cell(Column::UtcTime)) {
            (Cell::Number(days), Cell::Number(time)) => Some(days * 86_400_000_000 + time * 1000),
            _ => None,
        };
        for (column, cell) in [
            (Column::GameDate, number(date.days_since_1970())),
            (Column::Year, number(year.map(i64::from))),
            (Column::UtcTimestamp, number(timestamp)),
        ] {
            if columns.contains(column)
                && let Some(place) = self.cells.get_mut(column as usize)
            {
                *place = cell;
            }
        }
        // Queries compare results, so this column always has one.
        if self.cell(Column::Result) == &Cell::Null {
            let understood = self.push(game.header.outcome.as_pgn().as_bytes());
            if let Some(place) = self.cells.get_mut(Column::Result as usize) {
                *place = Cell::Text(understood);
            }
        }
    }
}

/// The standard start position.
const STANDARD_FEN: &[u8] = b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// Returns the column that a tag fills.
pub(crate) fn column_of(tag: &[u8]) -> Option<Column> {
    Some(match tag {
        b"Event" => Column::Event,
        b"Site" => Column::Site,
        b"Date" => Column::Date,
        b"Round" => Column::Round,
        b"White" => Column::White,
        b"Black" => Column::Black,
        b"Result" => Column::Result,
        b"WhiteElo" => Column::WhiteElo,
        b"BlackElo" => Column::BlackElo,
        b"ECO" => Column::Eco,
        b"EventDate" => Column::EventDate,
        _ => {
            let rest = Column::ALL.iter().copied();
            let mut rest = rest.filter(|column| column.tag().is_some());
            return rest.find(|column| column.tag().is_some_and(|name| name.as_bytes() == tag));
        }
    })
}

#[cfg(test)]
mod tests {
    use chessdb_core::model::Field;

    use super::*;

    #[test]
    fn every_field_has_a_column() {
        for field in Field::ROSTER {
            assert!(column_of(field.tag().as_bytes()).is_some());
        }
        for &column in Column::ALL {
            if let Some(tag) = column.tag() {
                assert_eq!(column_of(tag.as_bytes()), Some(column));
            }
        }
        let start = chessdb_core::Setup::standard().to_string();
        assert_eq!(start.as_bytes(), STANDARD_FEN);
    }
}
