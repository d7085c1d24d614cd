//! Changing and appending games in the file itself
//! (docs/decisions/0036-transactions-on-the-file.md).

use chessdb_core::files::Growing;
use chessdb_core::model::GameFlags;
use chessdb_core::options::Allow;
use chessdb_core::store::{ChangeGames, WriteEncoded as _};
use chessdb_core::{
    ErrorKind, Format, Game, GameStore, GameWrite, LossKind, Losses, Result, WriteOptions,
};

use super::{CopiedRows, RowWriter, SqliteWriter, WriteRows, with_disk};
use crate::file::Value;

/// Adds changing and appending, and the transactions of files on disk, to the description of a format.
pub(crate) const fn with_changes<R: WriteRows + 'static>(format: Format) -> Format {
    with_disk(format.with_change(change::<R>).with_append(append::<R>))
}

/// Opens a database for changing its games ([`chessdb_core::Format::change`]).
fn change<R: WriteRows + 'static>(
    base: &mut dyn Growing,
    options: WriteOptions,
) -> Result<Option<Box<dyn ChangeGames + '_>>> {
    let allow = options.allow.clone();
    let changer = |writer| RowChanger::<R> {
        writer,
        allow,
        located: None,
    };
    let writer = open(base, options)?;
    Ok(writer.map(|writer| Box::new(changer(writer)) as Box<dyn ChangeGames + '_>))
}

/// Opens a database for appending games ([`chessdb_core::Format::append`]).
fn append<R: WriteRows + 'static>(
    base: &mut dyn Growing,
    options: WriteOptions,
) -> Result<Option<Box<dyn GameWrite + '_>>> {
    let writer = open::<R>(base, options)?;
    Ok(writer.map(|writer| Box::new(writer) as Box<dyn GameWrite + '_>))
}

/// Starts a change of the file. `None` if it must be rewritten.
fn open<R: WriteRows>(
    base: &mut dyn Growing,
    options: WriteOptions,
) -> Result<Option<RowWriter<'_, R>>> {
    let format = R::FORMAT;
    // The pages of a log would be missing.
    if base.length(format.log).is_some_and(|length| length > 0) {
        return Ok(None);
    }
    let Some(mut file) = SqliteWriter::open(base, format.file)? else {
        return Ok(None);
    };
    for (table, columns) in format.tables {
        let stored = file.columns(table)?;
        let has = |name: &&str| stored.iter().any(|own| own.eq_ignore_ascii_case(name));
        if !columns.iter().all(has) {
            return Ok(None);
        }
    }
    let copied = CopiedRows::new(&mut file, format)?;
    let games = file.last_number("Games", copied.number())?;
    let before = u32::try_from(games).unwrap_or(u32::MAX);
    RowWriter::over(file, options.allow, before, copied).map(Some)
}

/// A database whose games are changed.
struct RowChanger<'a, R: WriteRows> {
    writer: RowWriter<'a, R>,
    allow: Allow,
    /// A game and the number of its row.
    located: Option<(u32, i64)>,
}

impl<R: WriteRows> RowChanger<'_, R> {
    /// Returns the number of the row of a game. `None` if there are fewer games.
    fn row(&mut self, n: u32) -> Result<Option<i64>> {
        if let Some((_, row)) = self.located.filter(|(located, _)| *located == n) {
            return Ok(Some(row));
        }
        let Some(number) = self.writer.copied.as_ref().map(|copied| copied.number()) else {
            return Ok(None);
        };
        let select = format!("SELECT {number} FROM Games ORDER BY {number} LIMIT 1 OFFSET ?1");
        let file = &mut self.writer.table.file;
        file.find_int(&select, &[Value::Int(n.into())])
    }
}

impl<R: WriteRows> ChangeGames for RowChanger<'_, R> {
    fn locate(&mut self, n: u32, source: &dyn GameStore) -> bool {
        let rows = source
            .stored_rows()
            .filter(|rows| rows.role() == R::FORMAT.file);
        self.located = rows.and_then(|rows| Some((n, rows.row_number(n)?)));
        self.located.is_some()
    }

    fn set_flags(&mut self, _: u32, _: GameFlags, _: GameFlags) -> Result<Option<Losses>> {
        // Marks are tags here, or cannot be stored.
        Ok(None)
    }

    fn replace(&mut self, n: u32, old: &Game, new: &Game) -> Result<Option<Losses>> {
        let Some(row) = self.row(n)? else {
            return Ok(None);
        };
        self.writer.release(row)?;
        let losses = self.writer.change(row, old, new)?;
        self.allow.check(&losses)?;
        if losses.count(LossKind::Game) > 0 {
            return Err(ErrorKind::Unrepresentable(LossKind::Game).into());
        }
        Ok(Some(losses))
    }

    fn appender(&mut self) -> Result<Option<&mut dyn GameWrite>> {
        Ok(Some(&mut self.writer))
    }

    fn finish(self: Box<Self>) -> Result<()> {
        Box::new(self.writer).close()
    }
}
