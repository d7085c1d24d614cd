//! Conversion of games to Arrow record batches.

use std::fmt;
use std::sync::Arc;

use arrow_array::builder::{
    Date32Builder, Int16Builder, Int32Builder, Int64Builder, ListBuilder, MapBuilder,
    StringBuilder, Time32MillisecondBuilder, TimestampMicrosecondBuilder,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use chessdb_core::model::Token;
use chessdb_core::store::Origin;
use chessdb_core::{Game, LossKind, Losses};
use chessdb_pgn::{GameText, Layout};

use crate::columns::{ColumnKind, element};
use crate::header::{Cell, TagCells};
use crate::moves::{MainlineColumns, PlyValues};
use crate::{Column, Columns};

/// Collects games and returns them as record batches.
///
/// ```
/// use chessdb_arrow::{Batcher, Columns};
/// use chessdb_core::Game;
/// use chessdb_core::store::Origin;
///
/// let mut batcher = Batcher::new(Columns::MOVES);
/// let game = Game::builder().white("Anderssen").sans(["e4", "e5", "f4"])?.build();
/// batcher.prepare(&game);
/// batcher.append(Origin::default());
/// let batch = batcher.finish().unwrap();
/// assert_eq!((batch.num_rows(), batch.num_columns()), (1, 33));
/// # Ok::<(), chessdb_core::Error>(())
/// ```
pub struct Batcher {
    columns: Columns,
    schema: SchemaRef,
    builders: Vec<(Column, Builder)>,
    /// Columns that are named after tags without a column in the schema.
    tags: Vec<TagColumn>,
    rows: usize,
    pgn: GameText,
    header: TagCells,
    movetext: Vec<u8>,
    line: MainlineColumns,
}

impl Batcher {
    /// Returns an empty batcher for `columns`.
    pub fn new(columns: Columns) -> Batcher {
        let builder = |column: Column| (column, Builder::new(column));
        Batcher {
            columns,
            schema: Arc::new(columns.schema()),
            builders: columns.iter().map(builder).collect(),
            tags: Vec::new(),
            rows: 0,
            pgn: GameText::new(Layout::with_width(0)),
            header: TagCells::default(),
            movetext: Vec::new(),
            line: MainlineColumns::default(),
        }
    }

    /// Adds columns with the values of these tags, which have no column in the schema, after the
    /// others.
    #[must_use]
    pub fn with_tags(mut self, tags: &[String]) -> Batcher {
        let fields = self.schema.fields().iter().cloned();
        let added = tags.iter();
        let added = added.map(|name| Arc::new(Field::new(name, DataType::Utf8, true)));
        self.schema = Arc::new(Schema::new(fields.chain(added).collect::<Vec<_>>()));
        self.tags.extend(tags.iter().map(|name| TagColumn {
            name: name.clone(),
            values: StringBuilder::new(),
            is_used: false,
        }));
        self
    }

    /// Returns the first tag of [`Batcher::with_tags`] that no game had.
    pub fn unused_tag(&self) -> Option<&str> {
        let unused = self.tags.iter().find(|column| !column.is_used);
        unused.map(|column| column.name.as_str())
    }

    /// Returns the schema of the batches.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Returns the number of games collected since the last batch.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Returns true if no games have been collected since the last batch.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Prepares the row of `game`, which [`Batcher::append`] then stores, and returns the data that
    /// the columns cannot hold.
    pub fn prepare(&mut self, game: &Game) -> Losses {
        let mut losses = self.fill(game);
        if !self.columns.contains(Column::Tags) {
            let tags = self.header.tags();
            let tags = tags.filter(|(name, _)| !self.tags.iter().any(|column| column.is_of(name)));
            let tags = u32::try_from(tags.count()).unwrap_or(u32::MAX);
            losses.add_many(LossKind::Tag, tags, None);
        }
        losses.add_extras(game);
        // The PGN has everything else, and its writer counts what it cannot express.
        if self.columns.contains(Column::Movetext) {
            return losses;
        }
        let has_moves = self.columns.contains(Column::Moves);
        let mut tokens = game.moves.tokens();
        while let Some(token) = tokens.next() {
            match token {
                Token::Move(_) if has_moves => {}
                Token::Move(_) => losses.add(LossKind::Moves, None),
                _ => losses.add_token(token, None),
            }
            if let Token::Open(branch) = token {
                tokens.skip_variation(branch);
            }
        }
        losses
    }

    /// Like [`Batcher::prepare`], for callers that do not need the losses.
    pub fn take(&mut self, game: &Game) {
        self.fill(game);
    }

    /// Fills the row and returns the losses of writing the game as PGN.
    fn fill(&mut self, game: &Game) -> Losses {
        let mut losses = self.header.fill(game, self.columns, &mut self.pgn);
        self.movetext.clear();
        if self.columns.contains(Column::Movetext) {
            losses.merge(
                &self
                    .pgn
                    .append_moves_and_evaluation(game, &mut self.movetext),
            );
            // Only that dataset has blanks around the commands.
            if self.columns == Columns::LICHESS {
                self.movetext = pad_command_comments(&self.movetext);
            }
        }
        if !self.columns.are_of_headers() {
            self.line.fill(game, self.columns);
        }
        losses
    }

    /// Appends the prepared row.
    pub fn append(&mut self, origin: Origin<'_>) {
        let texts = self.header.texts();
        for (column, builder) in &mut self.builders {
            let (header, line) = (&self.header, &self.line);
            let number = |value: i64| Some(value);
            match (*column, builder) {
                (Column::Base, Builder::Text(b)) => b.append_option(origin.base),
                (Column::Error, Builder::Text(b)) => b.append_option(origin.fault),
                (Column::Game, Builder::Int32(b)) => {
                    b.append_option(origin.number.and_then(|number| number.try_into().ok()));
                }
                (Column::Movetext, Builder::Text(b)) => {
                    b.append_option(std::str::from_utf8(&self.movetext).ok());
                }
                (Column::PlyCount, Builder::Int32(b)) => {
                    b.append_option(i32::try_from(line.moves.len()).ok());
                }
                (Column::Id, Builder::Int64(b)) => b.append_option(number(line.id)),
                (_, Builder::Moves(b)) => {
                    b.values().append_slice(&line.moves);
                    b.append(true);
                }
                (_, Builder::Keys(b)) => {
                    b.values().append_slice(&line.positions);
                    b.append(true);
                }
                (Column::Clocks, Builder::Clocks(b)) => append_times(b, &line.clocks),
                (_, Builder::Clocks(b)) => append_times(b, &line.elapsed),
                (_, Builder::Evals(b)) => {
                    if line.evals.any {
                        b.values().extend(line.evals.values.iter().copied());
                    }
                    b.append(line.evals.any);
                }
                (_, Builder::Tags(b)) => {
                    for (name, value) in header.tags() {
                        b.keys().append_value(name);
                        b.values().append_value(value);
                    }
                    // Keys and values were appended in pairs.
                    let _ = b.append(true);
                }
                (column, builder) => builder.append(header.cell(column), texts),
            }
        }
        for column in &mut self.tags {
            let mut tags = self.header.tags().filter(|(name, _)| column.is_of(name));
            let value = tags.next().map(|(_, value)| value);
            column.is_used |= value.is_some();
            column.values.append_option(value);
        }
        self.rows += 1;
    }

    /// Returns the collected games as a batch and starts a new one.
    ///
    /// # Errors
    ///
    /// Returns an error if Arrow rejects the columns: a batch holds at most 2 GiB of text.
    pub fn finish(&mut self) -> Result<RecordBatch, ArrowError> {
        self.rows = 0;
        let columns = self.builders.iter_mut();
        let columns = columns.map(|(_, builder)| builder.finish());
        let tags = self.tags.iter_mut();
        let tags = tags.map(|column| Arc::new(column.values.finish()) as ArrayRef);
        let columns = columns.chain(tags).collect();
        RecordBatch::try_new(Arc::clone(&self.schema), columns)
    }

    /// Returns the approximate size in bytes of the prepared row, for callers that limit the size
    /// of a batch.
    pub fn weight(&self) -> usize {
        self.movetext.len() + 2 * self.line.moves.len()
    }
}

impl fmt::Debug for Batcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batcher")
            .field("columns", &self.columns)
            .field("rows", &self.rows)
            .finish_non_exhaustive()
    }
}

/// A column with the values of one tag.
struct TagColumn {
    name: String,
    values: StringBuilder,
    /// Whether a game had the tag.
    is_used: bool,
}

impl TagColumn {
    /// Returns whether the column holds the values of this tag. The tags that puzzles get for
    /// columns such as `Rating` have a prefix.
    fn is_of(&self, tag: &str) -> bool {
        tag.strip_prefix("Puzzle")
            .is_some_and(|rest| rest == self.name)
            || tag == self.name
    }
}

/// Adds a space at both ends of comments that begin with a command, as Lichess writes them.
fn pad_command_comments(movetext: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(movetext.len() + movetext.len() / 8);
    let mut rest = movetext;
    while let Some(open) = rest.windows(3).position(|three| three == b"{[%") {
        let (before, comment) = rest.split_at_checked(open).unwrap_or((rest, &[]));
        out.extend_from_slice(before);
        let close = comment.iter().position(|&byte| byte == b'}');
        let (comment, after) = comment
            .split_at_checked(close.unwrap_or(comment.len()))
            .unwrap_or((comment, &[]));
        out.extend_from_slice(b"{ ");
        out.extend_from_slice(comment.get(1..).unwrap_or_default());
        out.push(b' ');
        rest = after;
    }
    out.extend_from_slice(rest);
    out
}

fn append_times(builder: &mut ListBuilder<Int32Builder>, times: &PlyValues<i32>) {
    if times.any {
        builder.values().extend(times.values.iter().copied());
    }
    builder.append(times.any);
}

/// A column under construction.
enum Builder {
    Text(StringBuilder),
    Int16(Int16Builder),
    Int32(Int32Builder),
    Int64(Int64Builder),
    Date(Date32Builder),
    Time(Time32MillisecondBuilder),
    Timestamp(TimestampMicrosecondBuilder),
    Moves(ListBuilder<Int16Builder>),
    Clocks(ListBuilder<Int32Builder>),
    Evals(ListBuilder<Int16Builder>),
    Keys(ListBuilder<Int64Builder>),
    Tags(MapBuilder<StringBuilder, StringBuilder>),
}

impl Builder {
    fn new(column: Column) -> Builder {
        match column.kind() {
            ColumnKind::Text => Builder::Text(StringBuilder::new()),
            ColumnKind::Int16 => Builder::Int16(Int16Builder::new()),
            ColumnKind::Int32 => Builder::Int32(Int32Builder::new()),
            ColumnKind::Int64 => Builder::Int64(Int64Builder::new()),
            ColumnKind::Date => Builder::Date(Date32Builder::new()),
            ColumnKind::Time => Builder::Time(Time32MillisecondBuilder::new()),
            ColumnKind::Timestamp => {
                Builder::Timestamp(TimestampMicrosecondBuilder::new().with_timezone("UTC"))
            }
            ColumnKind::Moves => Builder::Moves(
                ListBuilder::new(Int16Builder::new()).with_field(element(DataType::Int16, false)),
            ),
            ColumnKind::Clocks => Builder::Clocks(
                ListBuilder::new(Int32Builder::new()).with_field(element(DataType::Int32, true)),
            ),
            ColumnKind::Evals => Builder::Evals(
                ListBuilder::new(Int16Builder::new()).with_field(element(DataType::Int16, true)),
            ),
            ColumnKind::Keys => Builder::Keys(
                ListBuilder::new(Int64Builder::new()).with_field(element(DataType::Int64, false)),
            ),
            ColumnKind::Tags => Builder::Tags(MapBuilder::new(
                None,
                StringBuilder::new(),
                StringBuilder::new(),
            )),
        }
    }

    /// Appends a cell of the header. `texts` is the buffer that the ranges of text cells refer to.
    fn append(&mut self, cell: &Cell, texts: &str) {
        let number = match cell {
            Cell::Number(number) => Some(*number),
            _ => None,
        };
        match self {
            Builder::Text(b) => match cell {
                Cell::Text(range) => {
                    b.append_value(texts.get(range.clone()).unwrap_or_default());
                }
                _ => b.append_null(),
            },
            Builder::Int16(b) => b.append_option(number.and_then(|n| n.try_into().ok())),
            Builder::Int32(b) => b.append_option(number.and_then(|n| n.try_into().ok())),
            Builder::Date(b) => b.append_option(number.and_then(|n| n.try_into().ok())),
            Builder::Time(b) => b.append_option(number.and_then(|n| n.try_into().ok())),
            Builder::Int64(b) => b.append_option(number),
            Builder::Timestamp(b) => b.append_option(number),
            // `Batcher::append` fills the list columns itself.
            _ => {}
        }
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Builder::Text(b) => Arc::new(b.finish()),
            Builder::Int16(b) => Arc::new(b.finish()),
            Builder::Int32(b) => Arc::new(b.finish()),
            Builder::Int64(b) => Arc::new(b.finish()),
            Builder::Date(b) => Arc::new(b.finish()),
            Builder::Time(b) => Arc::new(b.finish()),
            Builder::Timestamp(b) => Arc::new(b.finish()),
            Builder::Moves(b) => Arc::new(b.finish()),
            Builder::Clocks(b) => Arc::new(b.finish()),
            Builder::Evals(b) => Arc::new(b.finish()),
            Builder::Keys(b) => Arc::new(b.finish()),
            Builder::Tags(b) => Arc::new(b.finish()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_separated_by_blanks() {
        let ours = b"1. e4 {[%clk 0:05:00]} e5 {a {[%} 2. d4 {[%eval 0.1] good} *";
        let theirs = "1. e4 { [%clk 0:05:00] } e5 {a { [% } 2. d4 { [%eval 0.1] good } *";
        assert_eq!(
            String::from_utf8(pad_command_comments(ours)).unwrap(),
            theirs
        );
    }

    #[test]
    fn batches_match_their_schema() {
        for columns in [
            Columns::ALL.with(Column::Positions).with(Column::UtcTime),
            Columns::LICHESS,
            Columns::HEADERS,
        ] {
            let mut batcher = Batcher::new(columns);
            for game in [Game::new(), Game::builder().sans(["e4"]).unwrap().build()] {
                batcher.prepare(&game);
                batcher.append(Origin::default());
            }
            assert_eq!(batcher.len(), 2);
            let batch = batcher.finish().unwrap();
            assert_eq!(batch.num_rows(), 2);
            assert_eq!(batch.schema().as_ref(), &columns.schema());
            assert!(batcher.is_empty());
        }
    }
}
