//! The writer of tables, generic over the file format.

use std::fmt;

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, SchemaRef};
use chessdb_core::files::{FileId, FileSink, Role};
use chessdb_core::loss::LossSet;
use chessdb_core::options::Allow;
use chessdb_core::store::Origin;
use chessdb_core::{ErrorKind, Game, GameWrite, LossKind, Losses, Result, WriteOptions};

use crate::columns::unknown_column;
use crate::{Batcher, Column, Columns};

/// The maximum number of games per batch.
const BATCH: usize = 8192;
/// The number of bytes of text at which a batch is completed early.
const BATCH_BYTES: usize = 8 << 20;

/// The losses possible in every table format. They are the losses of PGN and, if columns are left
/// out, the data that these would hold.
pub const LOSSES: LossSet = chessdb_pgn::PGN
    .losses
    .with(&[LossKind::Moves, LossKind::Tag]);

/// The encoder of a file format for tables.
pub trait Encode {
    /// Encodes a batch and appends the completed part of the file to `out`.
    ///
    /// # Errors
    ///
    /// Returns an error if the encoding library reports one.
    fn batch(&mut self, batch: &RecordBatch, out: &mut Vec<u8>) -> Result<()>;

    /// Appends the end of the file to `out`.
    ///
    /// # Errors
    ///
    /// Returns an error if the encoding library reports one.
    fn finish(self, out: &mut Vec<u8>) -> Result<()>;
}

/// A writer of games into a table.
pub struct Writer<'a, E> {
    sink: &'a mut dyn FileSink,
    file: FileId,
    encoder: E,
    /// Encoded bytes that have not been passed to the sink.
    ready: Vec<u8>,
    columns: Columns,
    tags: Vec<String>,
    batcher: Batcher,
    /// The size in bytes of the texts in the current batch.
    weight: usize,
    allow: Allow,
    games: u32,
    base_losses: Losses,
    /// The origin of the next game, from [`GameWrite::note_origin`]: its database, its number
    /// there, and the part of it that could not be read.
    base: Option<String>,
    number: Option<u32>,
    fault: Option<String>,
}

impl<E> fmt::Debug for Writer<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer")
            .field("columns", &self.columns)
            .field("games", &self.games)
            .finish_non_exhaustive()
    }
}

impl<'a, E: Encode> Writer<'a, E> {
    /// Creates the file. `start` creates the encoder for the schema of `columns`.
    ///
    /// # Errors
    ///
    /// Returns an error if the sink or `start` fails, or if a loss that concerns the whole database
    /// is not allowed.
    pub fn create(
        sink: &'a mut dyn FileSink,
        role: Role,
        options: WriteOptions,
        columns: Columns,
        start: impl FnOnce(&SchemaRef) -> Result<E>,
    ) -> Result<Writer<'a, E>> {
        Writer::create_with_tags(sink, role, options, (columns, Vec::new()), start)
    }

    /// Creates a file like [`Writer::create`], with a column for each of these tags as well.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Writer::create`]. [`GameWrite::finish`] returns an error if no game
    /// has one of the tags.
    pub fn create_with_tags(
        sink: &'a mut dyn FileSink,
        role: Role,
        options: WriteOptions,
        (columns, tags): (Columns, Vec<String>),
        start: impl FnOnce(&SchemaRef) -> Result<E>,
    ) -> Result<Writer<'a, E>> {
        let base_losses = options.base.losses_in_text();
        options.allow.check(&base_losses)?;
        let batcher = Batcher::new(columns).with_tags(&tags);
        let encoder = start(batcher.schema())?;
        Ok(Writer {
            file: sink.create(role)?,
            sink,
            encoder,
            ready: Vec::new(),
            columns,
            tags,
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

    /// Encodes the collected games and passes the completed part of the table to the sink.
    fn flush(&mut self) -> Result<()> {
        if !self.batcher.is_empty() {
            let batch = self.batcher.finish().map_err(arrow_error)?;
            self.encoder.batch(&batch, &mut self.ready)?;
            self.weight = 0;
        }
        self.write_ready()
    }

    fn write_ready(&mut self) -> Result<()> {
        self.sink.write(self.file, &self.ready)?;
        self.ready.clear();
        Ok(())
    }
}

impl<E: Encode> GameWrite for Writer<'_, E> {
    fn note_origin(&mut self, origin: Origin<'_>) {
        if self.base.as_deref() != origin.base {
            self.base = origin.base.map(str::to_owned);
        }
        self.number = origin.number;
        self.fault = origin.fault.map(str::to_owned);
    }

    fn assess(&self, game: &Game) -> Losses {
        Batcher::new(self.columns)
            .with_tags(&self.tags)
            .prepare(game)
    }

    fn write(&mut self, game: &Game) -> Result<Losses> {
        let fault = self.fault.take();
        let number = self.number.take();
        let losses = self.batcher.prepare(game);
        self.allow.check(&losses)?;
        self.games = self.games.saturating_add(1);
        let origin = Origin::new(number.unwrap_or(self.games)).of_base(self.base.as_deref());
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
        if self.games > 0
            && let Some(name) = self.batcher.unused_tag()
        {
            let why = format!("no game has the tag {name:?}; {}", unknown_column(name));
            return Err(ErrorKind::Other(why.into()).into());
        }
        self.flush()?;
        let Writer {
            sink,
            file,
            encoder,
            mut ready,
            games,
            ..
        } = *self;
        encoder.finish(&mut ready)?;
        sink.write(file, &ready)?;
        sink.commit()?;
        Ok(games)
    }
}

/// Returns the columns chosen by the settings of a table: `columns`, `positions`, and `without`,
/// which names a column with a value that the names of the table's folders already state.
///
/// # Errors
///
/// Returns an error for an unknown column name.
pub fn chosen_columns(settings: &[(&str, String)], default: Columns) -> Result<Columns> {
    let value = |key: &str| {
        let setting = settings.iter().rev().find(|(name, _)| *name == key);
        setting.map(|(_, value)| value.as_str())
    };
    let parsed = value("columns").map(str::parse).transpose();
    let mut columns = parsed
        .map_err(|why: String| ErrorKind::Setting(why.into()))?
        .unwrap_or(default);
    if value("positions") == Some("yes") {
        columns = columns.with(Column::Positions);
    }
    Ok(match value("without").and_then(Column::by_name) {
        Some(column) => columns.without(column),
        None => columns,
    })
}

/// Wraps an error of the Arrow library.
pub(crate) fn arrow_error(error: ArrowError) -> chessdb_core::Error {
    ErrorKind::Other(error.to_string().into()).into()
}
