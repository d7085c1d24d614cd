//! Games into a table, a row group after the other.

use chessdb_arrow::{Batcher, Column, Columns, SCHEMA_VERSION};
use chessdb_core::{
    Allow, ErrorKind, FileId, FileSink, Game, GameWrite, LossKind, Losses, Origin, Result,
    WriteOptions,
};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;

use crate::raw::failed;
use crate::roles::PARQUET_FILE;

/// Games of a batch on its way into the row group.
const BATCH: usize = 8192;
/// Bytes of texts at which a batch goes there earlier.
const BATCH_BYTES: usize = 8 << 20;
/// Games of a row group, and the packed bytes at which it ends earlier.
const GROUP: usize = 128 << 10;
const GROUP_BYTES: usize = 64 << 20;
/// How hard zstd tries, unless somebody says otherwise.
const LEVEL: i32 = 3;

/// Writes a table.
pub struct Writer<'a> {
    sink: &'a mut dyn FileSink,
    file: FileId,
    table: ArrowWriter<Vec<u8>>,
    columns: Columns,
    batcher: Batcher,
    weight: usize,
    allow: Allow,
    games: u32,
    base_losses: Losses,
    base: Option<String>,
    number: Option<u32>,
    fault: Option<String>,
}

impl<'a> Writer<'a> {
    /// Starts the file.
    ///
    /// # Errors
    ///
    /// Whatever the sink says; a loss of the base as a whole that is not allowed; a setting with a value
    /// that makes no sense.
    pub fn create(sink: &'a mut dyn FileSink, options: WriteOptions) -> Result<Writer<'a>> {
        let mut base_losses = options.base.losses();
        if options.base.open_first.is_some() {
            base_losses.add(LossKind::OpenFirst, None);
        }
        options.allow.check(&base_losses)?;
        let (columns, level) = settings(&options.settings)?;
        let batcher = Batcher::new(columns);
        let schema = batcher.schema().clone();
        let table = ArrowWriter::try_new(Vec::new(), schema, Some(properties(level)));
        Ok(Writer {
            file: sink.create(PARQUET_FILE)?,
            sink,
            table: table.map_err(failed)?,
            columns,
            batcher,
            weight: 0,
            allow: options.allow,
            games: 0,
            base_losses,
            base: None,
            number: None,
            fault: None,
        })
    }

    /// Hands the games gathered on, and what of the table is complete to the sink.
    fn flush(&mut self) -> Result<()> {
        if !self.batcher.is_empty() {
            let batch = self.batcher.finish();
            let batch = batch.map_err(|error| failed(error.into()))?;
            self.table.write(&batch).map_err(failed)?;
            self.weight = 0;
        }
        let done = std::mem::take(self.table.inner_mut());
        self.sink.write(self.file, &done)
    }
}

impl GameWrite for Writer<'_> {
    fn note_origin(&mut self, origin: Origin<'_>) {
        if self.base.as_deref() != origin.base {
            self.base = origin.base.map(str::to_owned);
        }
        self.number = origin.number;
        self.fault = origin.fault.map(str::to_owned);
    }

    fn assess(&self, game: &Game) -> Losses {
        Batcher::new(self.columns).prepare(game)
    }

    fn write(&mut self, game: &Game) -> Result<Losses> {
        let fault = self.fault.take();
        let number = self.number.take();
        let losses = self.batcher.prepare(game);
        self.allow.check(&losses)?;
        self.games = self.games.saturating_add(1);
        let origin = Origin::new(number.unwrap_or(self.games));
        let origin = origin.of_base(self.base.as_deref());
        self.batcher.append(origin.with_fault(fault.as_deref()));
        self.weight += self.batcher.weight();
        if self.batcher.len() >= BATCH || self.weight >= BATCH_BYTES {
            self.flush()?;
        }
        Ok(losses)
    }

    fn base_losses(&self) -> &Losses {
        &self.base_losses
    }

    fn finish(mut self: Box<Self>) -> Result<u32> {
        self.flush()?;
        let rest = self.table.into_inner().map_err(failed)?;
        self.sink.write(self.file, &rest)?;
        self.sink.commit()?;
        Ok(self.games)
    }
}

/// The columns and zstd's level that were chosen.
fn settings(settings: &[(&str, String)]) -> Result<(Columns, ZstdLevel)> {
    let refused = |why: String| ErrorKind::Other(why.into());
    let mut columns = Columns::ALL;
    let mut positions = false;
    let mut without = None;
    let mut level = LEVEL;
    for (name, value) in settings {
        match *name {
            "columns" => columns = value.parse().map_err(refused)?,
            "positions" => positions = value == "yes",
            // What the names of the folders say in which the table lies.
            "without" => without = Column::by_name(value),
            "zstd" => {
                let number = value.parse::<i32>();
                level = number.map_err(|_| refused(format!("zstd has no level {value}")))?;
            }
            _ => {}
        }
    }
    if positions {
        columns = columns.with(Column::Positions);
    }
    if let Some(column) = without {
        columns = columns.without(column);
    }
    Ok((columns, ZstdLevel::try_new(level).map_err(failed)?))
}

/// How the table is packed. Nothing here depends on time or machine, so that equal games give equal
/// bytes.
fn properties(level: ZstdLevel) -> WriterProperties {
    let note = |key: &str, value: String| KeyValue::new(key.to_owned(), value);
    let path = |column: Column| ColumnPath::from(column.name());
    let element = |column: Column| {
        let path = [column.name(), "list", "element"];
        ColumnPath::new(path.map(str::to_owned).into())
    };
    let mut properties = WriterProperties::builder()
        .set_created_by(concat!("chessdb ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_compression(Compression::ZSTD(level))
        .set_max_row_group_row_count(Some(GROUP))
        .set_max_row_group_bytes(Some(GROUP_BYTES))
        .set_key_value_metadata(Some(vec![
            note("chessdb.schema", SCHEMA_VERSION.to_string()),
            note("chessdb.version", env!("CARGO_PKG_VERSION").to_owned()),
        ]))
        // Numbers one after another need no dictionary.
        .set_column_encoding(path(Column::Game), Encoding::DELTA_BINARY_PACKED)
        .set_column_dictionary_enabled(path(Column::Game), false);
    // No two values are alike, and none is greater than another in a way that helps anybody.
    for column in [
        path(Column::Movetext),
        path(Column::Id),
        element(Column::Positions),
    ] {
        properties = properties
            .set_column_dictionary_enabled(column.clone(), false)
            .set_column_statistics_enabled(column, EnabledStatistics::None);
    }
    properties.build()
}
