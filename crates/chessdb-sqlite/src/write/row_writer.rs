//! The writer of a format that stores each game as a row of a table.

use chessdb_core::files::FileSink;
use chessdb_core::loss::FormatLimit;
use chessdb_core::options::Allow;
use chessdb_core::store::{EncodeGame, EncodedBy, GameCopy, WriteEncoded, WriterState};
use chessdb_core::{Game, LossKind, Losses, Result, WriteOptions};

use super::{Columns, CopiedRows, NameTables, SqliteWriter, base_losses};
use crate::file::Value;
use crate::row_format::RowFormat;

/// The rows of a format: what its writer stores of a game and of a database.
pub trait WriteRows: Default {
    /// The encoder of games.
    type Encoder: EncodeGame + Default;

    /// The files and tables.
    const FORMAT: &'static RowFormat;

    /// Counts the losses that depend on the columns of the table.
    fn fit(
        &self,
        _columns: &Columns,
        _game: &Game,
        _encoded: &mut EncodedRow<Self>,
        _losses: &mut Losses,
    ) {
    }

    /// Returns the row of a game with this number, a value for each column. New names and columns
    /// are added to their tables.
    ///
    /// # Errors
    ///
    /// Returns the errors of SQLite.
    fn row<'r>(
        &mut self,
        table: &mut GamesTable<'_>,
        number: i64,
        game: &Game,
        encoded: &'r EncodedRow<Self>,
    ) -> Result<Vec<Value<'r>>>;

    /// Returns the limits of the program that a game exceeds.
    fn exceeded(_encoded: &EncodedRow<Self>, _game: &Game) -> [Option<&'static FormatLimit>; 2] {
        [None; 2]
    }

    /// Returns the tables of names, if there are any.
    fn names(&mut self) -> Option<&mut NameTables> {
        None
    }

    /// Continues with the rows of an existing file.
    ///
    /// # Errors
    ///
    /// Returns the errors of SQLite.
    fn adopt(&mut self, _table: &mut GamesTable<'_>) -> Result<()> {
        Ok(())
    }

    /// Returns whether everything in a row of an existing file is in its columns.
    ///
    /// # Errors
    ///
    /// Returns the errors of SQLite.
    fn is_plain(&self, _file: &mut SqliteWriter<'_>, _row: i64) -> Result<bool> {
        Ok(true)
    }

    /// Completes an existing file to which rows were added.
    ///
    /// # Errors
    ///
    /// Returns the errors of SQLite.
    fn finish_existing(&mut self, _file: &mut SqliteWriter<'_>) -> Result<()> {
        Ok(())
    }

    /// Completes a new file with this number of games.
    ///
    /// # Errors
    ///
    /// Returns the errors of SQLite.
    fn finish_new(&mut self, file: &mut SqliteWriter<'_>, games: u32) -> Result<()>;
}

/// A game as the encoder of a format makes it.
pub type EncodedRow<R> = <<R as WriteRows>::Encoder as EncodeGame>::Encoded;

/// The table of games of a file.
pub struct GamesTable<'a> {
    pub(crate) file: SqliteWriter<'a>,
    pub(crate) columns: Columns,
}

impl GamesTable<'_> {
    /// Adds a column to the table.
    pub(crate) fn add_column(&mut self, name: &str, kind: &str) -> Result<()> {
        let statement = self.columns.add(name, kind);
        self.file.execute(&statement)
    }
}

/// A writer of databases.
pub struct RowWriter<'a, R: WriteRows> {
    pub(crate) table: GamesTable<'a>,
    pub(crate) rows: R,
    pub(super) state: WriterState<R::Encoder>,
    /// The number of the last row.
    pub(super) last: i64,
    /// The rows that remain from the old file; `None` in a new database.
    pub(super) copied: Option<Box<CopiedRows>>,
}

impl<'a, R: WriteRows> RowWriter<'a, R> {
    /// Starts a database with these definitions of tables, which stores the data of `kinds` about the
    /// database as a whole.
    ///
    /// # Errors
    ///
    /// Returns an error if the sink or the temporary file fails, or if something of the database as
    /// a whole would be lost and this is not allowed.
    pub(crate) fn start(
        sink: &'a mut dyn FileSink,
        definitions: &str,
        kinds: &[LossKind],
        options: &WriteOptions,
    ) -> Result<RowWriter<'a, R>> {
        let lost = base_losses(&options.base, kinds, R::FORMAT.known.format);
        let state = WriterState::new(R::Encoder::default(), options.allow.clone(), lost)?;
        let mut file = SqliteWriter::create(sink, R::FORMAT.file, definitions)?;
        file.compacts = options.renumbers_names;
        Ok(RowWriter::new(file, state))
    }

    /// Continues an existing file with the number of games `before`.
    pub(super) fn over(
        file: SqliteWriter<'a>,
        allow: Allow,
        before: u32,
        copied: CopiedRows,
    ) -> Result<RowWriter<'a, R>> {
        let state = WriterState::appending(R::Encoder::default(), allow, before);
        let mut writer = RowWriter::new(file, state);
        writer.adopt(copied)?;
        Ok(writer)
    }

    fn new(file: SqliteWriter<'a>, state: WriterState<R::Encoder>) -> RowWriter<'a, R> {
        let columns = R::FORMAT.tables.first().map(|(_, columns)| *columns);
        RowWriter {
            table: GamesTable {
                file,
                columns: Columns::new(columns.unwrap_or_default()),
            },
            rows: R::default(),
            state,
            last: 0,
            copied: None,
        }
    }

    /// Continues with the tables of an existing file.
    pub(super) fn adopt(&mut self, copied: CopiedRows) -> Result<()> {
        let GamesTable { file, columns } = &mut self.table;
        columns.adopt(file.columns("Games")?);
        self.last = file.last_number("Games", copied.number())?;
        if let Some(names) = self.rows.names() {
            names.adopt(file)?;
        }
        self.copied = Some(Box::new(copied));
        self.rows.adopt(&mut self.table)
    }

    /// Changes the cells of a row that differ between two versions of a game. Returns what
    /// the new version loses, except what the old one loses too.
    pub(super) fn change(&mut self, row: i64, old: &Game, new: &Game) -> Result<Losses> {
        let [mut before, mut after] = [EncodedRow::<R>::default(), EncodedRow::<R>::default()];
        let [mut old_losses, mut losses] = [Losses::new(), Losses::new()];
        let encoder = &self.state.encoder;
        let has_old = encoder.encode(old, &mut before, &mut old_losses);
        let has_old = has_old.unwrap_or(false);
        let is_stored = encoder.encode(new, &mut after, &mut losses)?;
        let is_plain = self.rows.is_plain(&mut self.table.file, row)?;
        if !is_stored {
            let mut further = losses.beyond(&old_losses);
            further.add(LossKind::Game, None);
            return Ok(further);
        }
        // The new version comes first: it may add columns, which the old row then has without
        // values.
        self.fit(new, &mut after, &mut losses);
        let new_row = self.rows.row(&mut self.table, row, new, &after)?;
        let mut old_row = None;
        if has_old {
            self.fit(old, &mut before, &mut old_losses);
            old_row = Some(self.rows.row(&mut self.table, row, old, &before)?);
        }
        let old_row = old_row.as_deref().filter(|_| is_plain);
        let GamesTable { file, columns } = &mut self.table;
        file.update(
            self.copied.as_deref(),
            row,
            columns.names(),
            old_row,
            &new_row,
        )?;
        Ok(if is_plain { losses.beyond(&old_losses) } else { losses })
    }
}

impl<R: WriteRows> WriteEncoded for RowWriter<'_, R> {
    chessdb_core::writer_state!(R::Encoder);

    fn fit(&self, game: &Game, encoded: &mut EncodedBy<Self>, losses: &mut Losses) -> bool {
        self.rows.fit(&self.table.columns, game, encoded, losses);
        true
    }

    fn put(&mut self, game: &Game, encoded: &mut EncodedBy<Self>) -> Result<()> {
        let number = self.last + 1;
        let row = self.rows.row(&mut self.table, number, game, encoded)?;
        let GamesTable { file, columns } = &mut self.table;
        file.insert(columns.insert(), &row)?;
        self.last = number;
        for limit in R::exceeded(encoded, game).into_iter().flatten() {
            self.state.compare_limit(limit, 1);
        }
        Ok(())
    }

    fn game_copy(&mut self) -> Option<&mut dyn GameCopy> {
        Some(self)
    }

    fn close(mut self: Box<Self>) -> Result<()> {
        let (file, games) = (&mut self.table.file, self.state.games());
        match self.copied.take() {
            Some(copied) => {
                copied.finish(file, games, self.rows.names())?;
                self.rows.finish_existing(file)?;
            }
            None => self.rows.finish_new(file, games)?,
        }
        file.finish()
    }
}
