//! Changing the rows of an existing file, which keeps everything that belongs to other programs
//! (docs/decisions/0032-sqlite-files-on-disk.md): in a copy that replaces it, or by a transaction.

use std::collections::BTreeSet;
use std::ops::Range;

use chessdb_core::files::Role;
use chessdb_core::options::Allow;
use chessdb_core::store::{StoredRows, TextChange, WriteEncoded};
use chessdb_core::{Error, ErrorKind, Game, GameStore, Losses, Result, Scratch};

use super::{NameTable, SqliteWriter, location, quoted};
use crate::extras::Known;
use crate::file::Value;
use crate::unused::NAMES;

/// A writer that stores each game as a row of the table `Games`.
pub(crate) trait RowWriter<'a>: WriteEncoded {
    /// The tables of the program.
    const KNOWN: &'static Known;
    /// The file.
    const ROLE: Role;
    /// The file with its write-ahead log.
    const LOG: Role;
    /// The tables that a file must have for changes, with their columns.
    const TABLES: &'static [(&'static str, &'static [&'static str])];
    /// The number of an absent name; `None` without tables of names.
    const ABSENT: Option<i64> = None;

    /// Continues an existing file with the number of games `before`.
    fn over(file: SqliteWriter<'a>, allow: Allow, before: u32) -> Result<Self>
    where
        Self: Sized;

    fn file(&mut self) -> &mut SqliteWriter<'a>;

    /// Returns the rows that remain from the old file; `None` in a new database.
    fn copied(&mut self) -> &mut Option<Box<CopiedRows>>;

    /// Continues with the tables of the copied file.
    fn adopt(&mut self) -> Result<()>;

    /// Changes the cells of a row that differ between two versions of a game. Returns what
    /// the new version loses, except what the old one loses too.
    fn change(&mut self, row: i64, old: &Game, new: &Game) -> Result<Losses>;
}

/// The rows of games in the copy of a file.
pub(crate) struct CopiedRows {
    /// The name of the row number.
    number: &'static str,
    /// The indexes of the games in the old file, in their new order.
    runs: Vec<Range<u32>>,
    /// The tables of other programs.
    others: Vec<String>,
    /// The number of an absent name; `None` without tables of names.
    absent: Option<i64>,
    /// The names that games referred to before they were changed or removed, for each of [`NAMES`].
    released: [BTreeSet<i64>; NAMES.len()],
    old: Game,
    scratch: Scratch,
}

/// Starts a copy of the file of `source` ([`chessdb_core::store::GameCopy::begin_copy`]).
pub(crate) fn begin_copy<'a, W: RowWriter<'a>>(
    writer: &mut W,
    source: &dyn GameStore,
) -> Result<bool> {
    let Some(rows) = source.stored_rows().filter(|rows| rows.role() == W::ROLE) else {
        return Ok(false);
    };
    let file = writer.file();
    // Only a new file can begin as a copy.
    if file.is_lent() {
        return Ok(false);
    }
    file.restart(rows)?;
    let copied = CopiedRows::new::<W>(file)?;
    *writer.copied() = Some(Box::new(copied));
    writer.adopt()?;
    Ok(true)
}

/// Keeps game `n` of `source` ([`chessdb_core::store::GameCopy::copy`]).
pub(crate) fn copy<'a, W: RowWriter<'a>>(
    writer: &mut W,
    source: &dyn GameStore,
    n: u32,
    change: TextChange<'_>,
    is_damaged: bool,
) -> Result<Losses> {
    if matches!(change, TextChange::Removed) {
        return Ok(Losses::new());
    }
    writer.state_mut().count()?;
    let Some(copied) = writer.copied() else {
        return Ok(Losses::new());
    };
    match copied.runs.last_mut() {
        Some(run) if run.end == n => run.end = n.saturating_add(1),
        _ => copied.runs.push(n..n.saturating_add(1)),
    }
    let TextChange::Game(new) = change else {
        return Ok(Losses::new());
    };
    let mut old = std::mem::take(&mut copied.old);
    let read = source.game_into(n, &mut old, &mut copied.scratch);
    copied.scratch.diagnostics.clear();
    read?;
    if is_damaged && old.moves != new.moves {
        let what = "the game is damaged: only its tags can be changed";
        return Err(ErrorKind::Structure(what).into());
    }
    let number = source.stored_rows().and_then(|rows| rows.row_number(n));
    let row = number.ok_or(ErrorKind::Structure("the row of the game is damaged"))?;
    release(writer, row)?;
    let losses = writer.change(row, &old, new)?;
    // The memory of the game is used again for the next one.
    if let Some(copied) = writer.copied() {
        copied.old = old;
    }
    Ok(losses)
}

/// Notes the names to which a row refers, before it is changed or removed.
pub(super) fn release<'a, W: RowWriter<'a>>(writer: &mut W, row: i64) -> Result<()> {
    let Some(number) = writer.copied().as_ref().map(|copied| copied.number) else {
        return Ok(());
    };
    if W::ABSENT.is_none() {
        return Ok(());
    }
    for (n, (_, columns)) in NAMES.iter().enumerate() {
        for column in *columns {
            let select = format!("SELECT ifnull({column}, 0) FROM Games WHERE {number} = ?1");
            let name = writer.file().find_int(&select, &[Value::Int(row)])?;
            let released = writer.copied().as_mut();
            if let Some(released) = released.and_then(|copied| copied.released.get_mut(n)) {
                released.extend(name);
            }
        }
    }
    Ok(())
}

/// Removes the rows of games that were not copied, and puts the others in their new order
/// ([`chessdb_core::store::GameCopy::end_copy`]).
pub(crate) fn end_copy<'a, W: RowWriter<'a>>(writer: &mut W, source: &dyn GameStore) -> Result<()> {
    let (Some(rows), Some(copied)) = (source.stored_rows(), writer.copied()) else {
        return Ok(());
    };
    let delete = format!("DELETE FROM Games WHERE {} = ?1", copied.number);
    let mut sorted = copied.runs.clone();
    sorted.sort_unstable_by_key(|run| run.start);
    let mut next = 0;
    let end = source.len()..source.len();
    for run in sorted.into_iter().chain(std::iter::once(end)) {
        for row in (next..run.start).filter_map(|n| rows.row_number(n)) {
            release(writer, row)?;
            writer.file().insert(&delete, &[Value::Int(row)])?;
        }
        next = run.end.max(next);
    }
    if let Some(copied) = writer.copied().take() {
        if !copied.runs.is_sorted_by_key(|run| run.start) {
            copied.reorder::<W>(writer.file(), rows)?;
        }
        *writer.copied() = Some(copied);
    }
    Ok(())
}

fn refused<'a, W: RowWriter<'a>>(what: String) -> Error {
    Error::new(ErrorKind::Other(what.into())).at(location(W::ROLE))
}

impl CopiedRows {
    /// Describes the rows of an existing file.
    pub(super) fn new<'a, W: RowWriter<'a>>(file: &mut SqliteWriter<'a>) -> Result<CopiedRows> {
        let columns = file.columns("Games")?;
        let is_free = |name: &&str| {
            !columns
                .iter()
                .any(|column| column.eq_ignore_ascii_case(name))
        };
        let free = ["rowid", "_rowid_", "oid"].into_iter().find(is_free);
        let number = free.ok_or_else(|| {
            refused::<W>("columns of the table Games have all names of the row number".to_owned())
        })?;
        let mut others = file.texts("SELECT name FROM sqlite_schema WHERE type = 'table'", &[])?;
        let is_own = |name: &String| {
            let own = W::KNOWN.tables.iter();
            name.starts_with("sqlite_")
                || own.clone().any(|(own, _)| own.eq_ignore_ascii_case(name))
        };
        others.retain(|name| !is_own(name));
        Ok(CopiedRows {
            number,
            runs: Vec::new(),
            others,
            absent: W::ABSENT,
            released: Default::default(),
            old: Game::new(),
            scratch: Scratch::new(),
        })
    }

    /// Returns whether no tables of other programs refer to rows, so that these can get new numbers.
    pub(crate) fn has_no_others(&self) -> bool {
        self.others.is_empty()
    }

    /// Returns the name of the row number.
    pub(super) fn number(&self) -> &'static str {
        self.number
    }

    /// Gives the rows new numbers in the order of the games.
    fn reorder<'a, W: RowWriter<'a>>(
        &self,
        file: &mut SqliteWriter<'_>,
        rows: &dyn StoredRows,
    ) -> Result<()> {
        if let Some(table) = self.others.first() {
            return Err(refused::<W>(format!(
                "the games would get other numbers, to which the table {table} of another program may \
                 refer; sort them into a new database"
            )));
        }
        let last = file.last_number("Games", self.number)?;
        let fits = last.checked_add(u32::MAX.into()).is_some();
        if !fits {
            return Err(refused::<W>(
                "the numbers of the rows are too large".to_owned(),
            ));
        }
        let number = self.number;
        let update = format!("UPDATE Games SET {number} = ?1 WHERE {number} = ?2");
        // New numbers begin above all old ones, since a row that has not moved yet may have any of
        // these.
        let mut next = last;
        for n in self.runs.iter().cloned().flatten() {
            if let Some(row) = rows.row_number(n) {
                next += 1;
                file.insert(&update, &[Value::Int(next), Value::Int(row)])?;
            }
        }
        file.execute(&format!("UPDATE Games SET {number} = {number} - {last}"))
    }

    /// Removes the names that no game uses any more, if their rows contain nothing else, and states
    /// the numbers of rows again. A file that is changed by a transaction has `games` new games, and
    /// new names in the tables of [`NAMES`].
    pub(crate) fn finish(
        &self,
        file: &mut SqliteWriter<'_>,
        games: u32,
        names: [&NameTable; NAMES.len()],
    ) -> Result<()> {
        file.compacts &= self.has_no_others();
        let mut added = [i64::from(games), 0, 0, 0];
        for (n, names) in names.into_iter().enumerate() {
            let removed = if self.others.is_empty() { self.remove_unused(file, n)? } else { 0 };
            if let Some(added) = added.get_mut(n + 1) {
                *added = names.len() as i64 - removed as i64;
            }
        }
        if file.columns("Info")?.is_empty() {
            return Ok(());
        }
        let rows = [
            ("Games", "'GameCount', 'games'"),
            ("Players", "'PlayerCount', 'players'"),
            ("Events", "'EventCount', 'events'"),
            ("Sites", "'SiteCount', 'sites'"),
        ];
        for ((table, names), added) in rows.into_iter().zip(added) {
            let update = if !file.is_lent() {
                format!(
                    "UPDATE Info SET Value = CAST((SELECT count(*) FROM {table}) AS TEXT) \
                     WHERE Name IN ({names})"
                )
            } else if added != 0 {
                // Counting the rows again would take as long as reading them all.
                format!(
                    "UPDATE Info SET Value = CAST(Value + ({added}) AS TEXT) \
                     WHERE Name IN ({names}) AND Value NOT GLOB '*[^0-9]*' AND Value <> ''"
                )
            } else {
                continue;
            };
            file.execute(&update)?;
        }
        Ok(())
    }

    /// Removes the names of table `n` of [`NAMES`] that no game uses any more. Returns their number.
    fn remove_unused(&self, file: &mut SqliteWriter<'_>, n: usize) -> Result<u64> {
        let (Some((table, columns)), Some(released)) = (NAMES.get(n), self.released.get(n)) else {
            return Ok(0);
        };
        let released = released
            .iter()
            .filter(|&&number| Some(number) > self.absent);
        let mut released = released.peekable();
        let Some(absent) = self.absent else {
            return Ok(0);
        };
        if !file.compacts && released.peek().is_none() {
            return Ok(0);
        }
        let own = ["ID", "Name"];
        let is_own = |name: &String| own.iter().any(|own| own.eq_ignore_ascii_case(name));
        let others = file
            .columns(table)?
            .into_iter()
            .filter(|name| !is_own(name));
        let further: String = others
            .map(|name| format!(" AND {} IS NULL", quoted(&name)))
            .collect();
        let mut is_indexed = true;
        for column in *columns {
            is_indexed &= file
                .find_int(HAS_INDEX, &[Value::Text(column.as_bytes())])?
                .is_some();
        }
        if is_indexed && !file.compacts {
            let unused: String = columns
                .iter()
                .map(|column| format!(" AND NOT EXISTS (SELECT 1 FROM Games WHERE {column} = ?1)"))
                .collect();
            let delete = format!("DELETE FROM {table} WHERE ID = ?1{unused}{further}");
            let mut removed = 0;
            for &number in released {
                file.insert(&delete, &[Value::Int(number)])?;
                removed += file.changed_rows();
            }
            return Ok(removed);
        }
        // Without an index, all games would have to be read for a change of one.
        if file.is_lent() && file.last_number("Games", self.number)? > MOST_SEARCHED {
            return Ok(0);
        }
        let candidates =
            if file.compacts { "" } else { " AND ID IN (SELECT id FROM temp.released)" };
        file.execute("CREATE TEMP TABLE released (id INTEGER PRIMARY KEY)")?;
        for &number in released {
            file.insert(
                "INSERT INTO released (id) VALUES (?1)",
                &[Value::Int(number)],
            )?;
        }
        let unused: String = columns
            .iter()
            .map(|column| {
                format!(" AND ID NOT IN (SELECT {column} FROM Games WHERE {column} IS NOT NULL)")
            })
            .collect();
        file.execute(&format!(
            "DELETE FROM {table} WHERE ID > {absent}{candidates}{unused}{further}"
        ))?;
        let removed = file.changed_rows();
        file.execute("DROP TABLE temp.released")?;
        Ok(removed)
    }
}

/// Returns a row if the table of games has an index with this first column.
const HAS_INDEX: &str = "SELECT 1 FROM pragma_index_list('Games') AS list, \
    pragma_index_info(list.name) AS part \
    WHERE list.partial = 0 AND part.seqno = 0 AND part.name = ?1 COLLATE NOCASE";

/// The most games of a file that are searched for an unused name without an index.
const MOST_SEARCHED: i64 = 20_000;

impl SqliteWriter<'_> {
    /// Returns the columns of a table that can be written; empty if there is no such table.
    pub(crate) fn columns(&mut self, table: &str) -> Result<Vec<String>> {
        let select = "SELECT name FROM pragma_table_xinfo(?1, 'main') WHERE hidden = 0";
        self.texts(select, &[Value::Text(table.as_bytes())])
    }

    /// Changes the cells of a row of `Games` that differ between `old` and `new`; all if there is no
    /// old row.
    pub(crate) fn update<'n>(
        &mut self,
        copied: Option<&CopiedRows>,
        row: i64,
        columns: impl Iterator<Item = &'n str>,
        old: Option<&[Value<'_>]>,
        new: &[Value<'_>],
    ) -> Result<()> {
        let mut changes = Vec::new();
        let mut values = vec![Value::Int(row)];
        for (n, (column, value)) in columns.zip(new).enumerate() {
            let is_same = old.is_some_and(|old| old.get(n) == Some(value));
            // ID is the row number, which stays.
            if !is_same && !column.eq_ignore_ascii_case("ID") {
                values.push(*value);
                changes.push(format!("{} = ?{}", quoted(column), values.len()));
            }
        }
        if changes.is_empty() {
            return Ok(());
        }
        let number = copied.map_or("rowid", |copied| copied.number);
        let list = changes.join(", ");
        self.insert(
            &format!("UPDATE Games SET {list} WHERE {number} = ?1"),
            &values,
        )
    }
}

/// Implements [`chessdb_core::store::GameCopy`] for a [`RowWriter`].
macro_rules! impl_game_copy {
    ($writer:ident) => {
        impl chessdb_core::store::GameCopy for $writer<'_> {
            fn begin_copy(&mut self, source: &dyn chessdb_core::GameStore) -> Result<bool> {
                crate::write::begin_copy(self, source)
            }

            fn copy(
                &mut self,
                source: &dyn chessdb_core::GameStore,
                n: u32,
                change: chessdb_core::store::TextChange<'_>,
                is_damaged: bool,
            ) -> Result<Losses> {
                crate::write::copy(self, source, n, change, is_damaged)
            }

            fn end_copy(&mut self, source: &dyn chessdb_core::GameStore) -> Result<()> {
                crate::write::end_copy(self, source)
            }
        }
    };
}
pub(crate) use impl_game_copy;
