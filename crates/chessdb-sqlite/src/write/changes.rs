//! Changing and appending games in the file itself
//! (docs/decisions/0036-transactions-on-the-file.md).

use chessdb_core::files::Growing;
use chessdb_core::model::GameFlags;
use chessdb_core::options::Allow;
use chessdb_core::store::ChangeGames;
use chessdb_core::{ErrorKind, Game, GameStore, GameWrite, LossKind, Losses, Result, WriteOptions};

use super::copied::release;
use super::{CopiedRows, RowWriter, SqliteWriter};
use crate::file::Value;

/// Opens a database for changing its games ([`chessdb_core::Format::change`]).
pub(crate) fn change<'a, W: RowWriter<'a> + 'a>(
    base: &'a mut dyn Growing,
    options: WriteOptions,
) -> Result<Option<Box<dyn ChangeGames + 'a>>> {
    let allow = options.allow.clone();
    let Some(writer) = open::<W>(base, options)? else {
        return Ok(None);
    };
    Ok(Some(Box::new(RowChanger {
        writer,
        allow,
        located: None,
    })))
}

/// Opens a database for appending games ([`chessdb_core::Format::append`]).
pub(crate) fn append<'a, W: RowWriter<'a> + 'a>(
    base: &'a mut dyn Growing,
    options: WriteOptions,
) -> Result<Option<Box<dyn GameWrite + 'a>>> {
    let writer = open::<W>(base, options)?;
    Ok(writer.map(|writer| Box::new(writer) as Box<dyn GameWrite + 'a>))
}

/// Starts a change of the file. `None` if it must be rewritten.
fn open<'a, W: RowWriter<'a>>(
    base: &'a mut dyn Growing,
    options: WriteOptions,
) -> Result<Option<W>> {
    // The pages of a log would be missing.
    if base.length(W::LOG).is_some_and(|length| length > 0) {
        return Ok(None);
    }
    let Some(mut file) = SqliteWriter::open(base, W::ROLE)? else {
        return Ok(None);
    };
    for (table, columns) in W::TABLES {
        let stored = file.columns(table)?;
        let has = |name: &&str| stored.iter().any(|own| own.eq_ignore_ascii_case(name));
        if !columns.iter().all(has) {
            return Ok(None);
        }
    }
    let copied = CopiedRows::new::<W>(&mut file)?;
    let number = copied.number();
    let games = file.last_number("Games", number)?;
    let mut writer = W::over(
        file,
        options.allow,
        u32::try_from(games).unwrap_or(u32::MAX),
    )?;
    *writer.copied() = Some(Box::new(copied));
    writer.adopt()?;
    Ok(Some(writer))
}

/// A database whose games are changed.
struct RowChanger<W> {
    writer: W,
    allow: Allow,
    /// A game and the number of its row.
    located: Option<(u32, i64)>,
}

impl<'a, W: RowWriter<'a>> RowChanger<W> {
    /// Returns the number of the row of a game. `None` if there are fewer games.
    fn row(&mut self, n: u32) -> Result<Option<i64>> {
        if let Some((_, row)) = self.located.filter(|(located, _)| *located == n) {
            return Ok(Some(row));
        }
        let Some(number) = self.writer.copied().as_ref().map(|copied| copied.number()) else {
            return Ok(None);
        };
        let select = format!("SELECT {number} FROM Games ORDER BY {number} LIMIT 1 OFFSET ?1");
        self.writer
            .file()
            .find_int(&select, &[Value::Int(n.into())])
    }
}

impl<'a, W: RowWriter<'a>> ChangeGames for RowChanger<W> {
    fn locate(&mut self, n: u32, source: &dyn GameStore) -> bool {
        let rows = source.stored_rows().filter(|rows| rows.role() == W::ROLE);
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
        release(&mut self.writer, row)?;
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
        let RowChanger { writer, .. } = *self;
        Box::new(writer).close()
    }
}
