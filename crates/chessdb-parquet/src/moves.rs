//! The table of moves, with one row per position and move of a tree file (docs/parquet.md, section
//! 4).

use std::fmt;
use std::sync::Arc;

use arrow_array::builder::{Int32Builder, ListBuilder};
use arrow_array::{ArrayRef, Int16Array, Int32Array, Int64Array, RecordBatch, StringArray};
use chessdb_arrow::arrow_schema::{DataType, Field, Schema};
use chessdb_core::{ErrorKind, Result};
use parquet::arrow::ArrowWriter;

use crate::positions::sorted_table;
use crate::raw::parquet_error;

/// A move played in a position, or the games that end there.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct MoveRow {
    /// The bits of the placement key as a signed number.
    pub key: i64,
    /// The position, if it is known, and the number of half-moves that lead to it.
    pub fen: Option<(String, i32)>,
    /// The move in UCI notation; `None` for games that end here.
    pub uci: Option<String>,
    /// The move in SAN, if the position is known.
    pub san: Option<String>,
    /// The number of games.
    pub games: i64,
    /// The number of games that White won.
    pub white: i64,
    /// The number of draws.
    pub draws: i64,
    /// The number of games that Black won.
    pub black: i64,
    /// The average rating of the players to move.
    pub rating: Option<i32>,
    /// Their performance.
    pub performance: Option<i32>,
    /// The first and the last year that are known.
    pub years: Option<[i16; 2]>,
    /// The largest number of half-moves after the move.
    pub longest: i32,
    /// The numbers of the best games, from 1.
    pub best: Vec<i32>,
}

/// A writer of the table. Rows must be written in ascending order of their keys.
pub struct MoveTableWriter {
    table: ArrowWriter<Vec<u8>>,
    schema: Arc<Schema>,
}

impl fmt::Debug for MoveTableWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MoveTableWriter").finish_non_exhaustive()
    }
}

impl MoveTableWriter {
    /// Starts a table.
    ///
    /// # Errors
    ///
    /// Returns an error if the Parquet library reports one.
    pub fn new() -> Result<MoveTableWriter> {
        let column = |(name, kind): (&str, DataType)| Field::new(name, kind, true);
        let best = DataType::List(Arc::new(Field::new("item", DataType::Int32, true)));
        let columns = [
            ("key", DataType::Int64),
            ("fen", DataType::Utf8),
            ("ply", DataType::Int32),
            ("uci", DataType::Utf8),
            ("san", DataType::Utf8),
            ("games", DataType::Int64),
            ("white", DataType::Int64),
            ("draws", DataType::Int64),
            ("black", DataType::Int64),
            ("rating", DataType::Int32),
            ("performance", DataType::Int32),
            ("first_year", DataType::Int16),
            ("last_year", DataType::Int16),
            ("longest", DataType::Int32),
            ("best", best),
        ];
        let schema = Arc::new(Schema::new(Vec::from(columns.map(column))));
        Ok(MoveTableWriter {
            table: sorted_table(&schema, "chessdb.tree", &["key"])?,
            schema,
        })
    }

    /// Writes rows and appends the completed part of the file to `out`.
    ///
    /// # Errors
    ///
    /// Returns an error if the Parquet library reports one.
    pub fn write(&mut self, rows: &[MoveRow], out: &mut Vec<u8>) -> Result<()> {
        let each = || rows.iter();
        let text = |value: fn(&MoveRow) -> Option<&str>| -> ArrayRef {
            Arc::new(each().map(value).collect::<StringArray>())
        };
        let long = |value: fn(&MoveRow) -> i64| -> ArrayRef {
            Arc::new(Int64Array::from_iter_values(each().map(value)))
        };
        let number = |value: fn(&MoveRow) -> Option<i32>| -> ArrayRef {
            Arc::new(each().map(value).collect::<Int32Array>())
        };
        let year = |value: fn([i16; 2]) -> i16| -> ArrayRef {
            let years = each().map(|row| row.years.map(value));
            Arc::new(years.collect::<Int16Array>())
        };
        let mut best = ListBuilder::new(Int32Builder::new());
        for row in rows {
            best.append_value(row.best.iter().copied().map(Some));
        }
        let columns = vec![
            long(|row| row.key),
            text(|row| row.fen.as_ref().map(|(fen, _)| fen.as_str())),
            number(|row| row.fen.as_ref().map(|(_, ply)| *ply)),
            text(|row| row.uci.as_deref()),
            text(|row| row.san.as_deref()),
            long(|row| row.games),
            long(|row| row.white),
            long(|row| row.draws),
            long(|row| row.black),
            number(|row| row.rating),
            number(|row| row.performance),
            year(|[first, _]| first),
            year(|[_, last]| last),
            number(|row| Some(row.longest)),
            Arc::new(best.finish()),
        ];
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns)
            .map_err(|error| ErrorKind::Other(error.to_string().into()))?;
        self.table.write(&batch).map_err(parquet_error)?;
        out.append(self.table.inner_mut());
        Ok(())
    }

    /// Appends the end of the file to `out`.
    ///
    /// # Errors
    ///
    /// Returns an error if the Parquet library reports one.
    pub fn finish(self, out: &mut Vec<u8>) -> Result<()> {
        out.append(&mut self.table.into_inner().map_err(parquet_error)?);
        Ok(())
    }
}
