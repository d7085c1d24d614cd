//! The table of positions, with one row per position of the mainlines, sorted by key. A search for
//! a position therefore reads one row group (docs/parquet.md, section 3).

use std::fmt;
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, Int16Array, Int32Array, Int64Array, RecordBatch};
use chessdb_arrow::arrow_schema::{DataType, Field, Schema};
use chessdb_arrow::{Packer, SCHEMA_VERSION};
use chessdb_core::{ErrorKind, Game, Outcome, Result};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::metadata::{KeyValue, SortingColumn};
use parquet::file::properties::WriterProperties;
use parquet::schema::types::ColumnPath;

use crate::raw::parquet_error;

/// The number of rows of a row group, the unit that a search reads.
const GROUP: usize = 128 << 10;
/// The zstd compression level.
const LEVEL: i32 = 3;

/// A position of a mainline. Positions are ordered as in the table: by key, database, game and ply.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PositionRow {
    /// The bits of the Polyglot key as a signed number.
    pub key: i64,
    /// The index of the database in the table's list of databases.
    pub base: u32,
    /// The number of the game in the database, from 1.
    pub game: u32,
    /// The number of half-moves before the position.
    pub ply: u32,
    /// The move played here, in the encoding of the column `moves`; negative at the end of the
    /// game.
    pub mv: i16,
    /// The result of the game, as an index into [`Outcome::ALL`].
    pub result: u8,
}

impl PositionRow {
    /// The size of an encoded position in bytes.
    pub const BYTES: usize = 23;

    /// Appends all positions of the mainline of a game. Appends nothing if its start position is
    /// unknown.
    pub fn append(game: &Game, base: u32, number: u32, places: &mut Vec<PositionRow>) {
        if !game.has_known_start() {
            return;
        }
        let result = Outcome::ALL
            .iter()
            .position(|&one| one == game.header.outcome);
        let packer = Packer::new(game);
        let mut board = game.start_board();
        let mut place = PositionRow {
            key: 0,
            base,
            game: number,
            ply: 0,
            mv: -1,
            result: result.and_then(|n| n.try_into().ok()).unwrap_or(0),
        };
        for mv in game.mainline() {
            place.key = board.polyglot_key().cast_signed();
            place.mv = packer.pack(mv);
            places.push(place);
            board.play(mv);
            place.ply = place.ply.saturating_add(1);
        }
        place.key = board.polyglot_key().cast_signed();
        place.mv = -1;
        places.push(place);
    }

    /// Encodes the position.
    pub fn to_bytes(self) -> [u8; PositionRow::BYTES] {
        let mut bytes = [0; PositionRow::BYTES];
        let mut rest = bytes.as_mut_slice();
        write_front(&mut rest, self.key.to_le_bytes());
        for number in [self.base, self.game, self.ply] {
            write_front(&mut rest, number.to_le_bytes());
        }
        write_front(&mut rest, self.mv.to_le_bytes());
        write_front(&mut rest, [self.result]);
        bytes
    }

    /// Decodes a position encoded by [`PositionRow::to_bytes`].
    pub fn from_bytes(bytes: &[u8; PositionRow::BYTES]) -> PositionRow {
        let mut rest = bytes.as_slice();
        let key = i64::from_le_bytes(take_front(&mut rest));
        let [base, game, ply] = [(); 3].map(|()| u32::from_le_bytes(take_front(&mut rest)));
        let mv = i16::from_le_bytes(take_front(&mut rest));
        let [result] = take_front(&mut rest);
        PositionRow {
            key,
            base,
            game,
            ply,
            mv,
            result,
        }
    }
}

/// Writes bytes to the front of `rest` and shortens it.
fn write_front<const N: usize>(rest: &mut &mut [u8], bytes: [u8; N]) {
    if let Some((room, after)) = std::mem::take(rest).split_first_chunk_mut() {
        *room = bytes;
        *rest = after;
    }
}

/// Removes and returns the first `N` bytes of `rest`.
fn take_front<const N: usize>(rest: &mut &[u8]) -> [u8; N] {
    let (taken, after) = rest.split_first_chunk().unwrap_or((&[0; N], &[]));
    *rest = after;
    *taken
}

/// Starts a table that is sorted by its first column. `name` identifies the schema in the metadata;
/// delta encoding suits the sorted numbers in the columns `deltas`.
pub(crate) fn sorted_table(
    schema: &Arc<Schema>,
    name: &str,
    deltas: &[&'static str],
) -> Result<ArrowWriter<Vec<u8>>> {
    let level = ZstdLevel::try_new(LEVEL).map_err(parquet_error)?;
    let by_key = SortingColumn {
        column_idx: 0,
        descending: false,
        nulls_first: false,
    };
    let version = KeyValue::new(name.to_owned(), SCHEMA_VERSION.to_string());
    let mut properties = WriterProperties::builder()
        .set_created_by(concat!("chessdb ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_compression(Compression::ZSTD(level))
        .set_max_row_group_row_count(Some(GROUP))
        .set_sorting_columns(Some(vec![by_key]))
        .set_key_value_metadata(Some(vec![version]));
    for &name in deltas {
        properties = properties
            .set_column_encoding(ColumnPath::from(name), Encoding::DELTA_BINARY_PACKED)
            .set_column_dictionary_enabled(ColumnPath::from(name), false);
    }
    ArrowWriter::try_new(Vec::new(), Arc::clone(schema), Some(properties.build()))
        .map_err(parquet_error)
}

/// A writer of the table. Positions must be written in ascending order.
pub struct PositionTableWriter {
    table: ArrowWriter<Vec<u8>>,
    schema: Arc<Schema>,
    bases: Vec<String>,
}

impl fmt::Debug for PositionTableWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PositionTableWriter")
            .field("bases", &self.bases)
            .finish_non_exhaustive()
    }
}

impl PositionTableWriter {
    /// Starts a table of positions from the databases named `bases`.
    ///
    /// # Errors
    ///
    /// Returns an error if the Parquet library reports one.
    pub fn new(bases: Vec<String>) -> Result<PositionTableWriter> {
        let column = |name: &str, kind| Field::new(name, kind, true);
        let schema = Arc::new(Schema::new(vec![
            column("key", DataType::Int64),
            column("ply", DataType::Int32),
            column("move", DataType::Int16),
            column("Result", DataType::Utf8),
            column("base", DataType::Utf8),
            column("game", DataType::Int32),
        ]));
        Ok(PositionTableWriter {
            table: sorted_table(&schema, "chessdb.positions", &["key", "game"])?,
            schema,
            bases,
        })
    }

    /// Writes positions and appends the completed part of the file to `out`.
    ///
    /// # Errors
    ///
    /// Returns an error if the Parquet library reports one.
    pub fn write(&mut self, places: &[PositionRow], out: &mut Vec<u8>) -> Result<()> {
        let each = || places.iter();
        let mut results = StringBuilder::new();
        let mut bases = StringBuilder::new();
        for place in places {
            let result = Outcome::ALL.get(usize::from(place.result));
            results.append_value(result.copied().unwrap_or_default().as_pgn());
            bases.append_option(self.bases.get(place.base as usize));
        }
        let number = |number: u32| i32::try_from(number).ok();
        let columns: Vec<ArrayRef> = vec![
            Arc::new(Int64Array::from_iter_values(each().map(|place| place.key))),
            Arc::new(Int32Array::from_iter(each().map(|place| number(place.ply)))),
            Arc::new(Int16Array::from_iter(
                each().map(|place| Some(place.mv).filter(|&mv| mv >= 0)),
            )),
            Arc::new(results.finish()),
            Arc::new(bases.finish()),
            Arc::new(Int32Array::from_iter(
                each().map(|place| number(place.game)),
            )),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_round_trip_through_bytes() {
        let game = Game::builder()
            .sans(["e4", "c5", "Nf3"])
            .unwrap()
            .result(Outcome::Draw)
            .build();
        let mut places = Vec::new();
        PositionRow::append(&game, 70_000, 3_000_000_000, &mut places);
        assert_eq!(places.len(), 4);
        let moves: Vec<i16> = places.iter().map(|place| place.mv).collect();
        assert_eq!(moves, [12 | 28 << 6, 50 | 34 << 6, 6 | 21 << 6, -1]);
        assert_eq!(places[0].key.cast_unsigned(), 0x463b_9618_1691_fc9c);
        for place in places {
            assert_eq!(PositionRow::from_bytes(&place.to_bytes()), place);
        }
    }
}
