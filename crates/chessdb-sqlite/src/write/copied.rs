//! Changing the rows of an existing file, which keeps everything that belongs to other programs
//! (docs/decisions/0032-sqlite-files-on-disk.md): in a copy that replaces it, or by a transaction.

use std::collections::BTreeSet;
use std::ops::Range;

use chessdb_core::files::Role;
use chessdb_core::store::{GameCopy, StoredRows, TextChange};
use chessdb_core::{Error, ErrorKind, Game, GameStore, Losses, Result, Scratch};

use super::{NameTables, RowWriter, SqliteWriter, WriteRows, location, quoted};
use crate::file::Value;
use crate::row_format::RowFormat;
use crate::unused::NAMES;

/// The rows of games in the copy of a file.
pub(crate) struct CopiedRows {
    /// The file.
    file: Role,
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

impl<R: WriteRows> GameCopy for RowWriter<'_, R> {
    fn begin_copy(&mut self, source: &dyn GameStore) -> Result<bool> {
        let own_rows = |rows: &&dyn StoredRows| rows.role() == R::FORMAT.file;
        let Some(rows) = source.stored_rows().filter(own_rows) else {
            return Ok(false);
        };
        let file = &mut self.table.file;
        // Only a new file can begin as a copy.
        if file.is_lent() {
            return Ok(false);
        }
        file.restart(rows)?;
        let copied = CopiedRows::new(file, R::FORMAT)?;
        self.adopt(copied)?;
        Ok(true)
    }

    fn copy(
        &mut self,
        source: &dyn GameStore,
        n: u32,
        change: TextChange<'_>,
        is_damaged: bool,
    ) -> Result<Losses> {
        if matches!(change, TextChange::Removed) {
            return Ok(Losses::new());
        }
        self.state.count()?;
        let Some(copied) = &mut self.copied else {
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
        self.release(row)?;
        let losses = self.change(row, &old, new)?;
        // The memory of the game is used again for the next one.
        if let Some(copied) = &mut self.copied {
            copied.old = old;
        }
        Ok(losses)
    }

    /// Removes the rows of games that were not copied, and puts the others in their new order.
    fn end_copy(&mut self, source: &dyn GameStore) -> Result<()> {
        let (Some(rows), Some(copied)) = (source.stored_rows(), &self.copied) else {
            return Ok(());
        };
        let delete = format!("DELETE FROM Games WHERE {} = ?1", copied.number);
        let mut sorted = copied.runs.clone();
        sorted.sort_unstable_by_key(|run| run.start);
        let mut next = 0;
        let end = source.len()..source.len();
        for run in sorted.into_iter().chain(std::iter::once(end)) {
            for row in (next..run.start).filter_map(|n| rows.row_number(n)) {
                self.release(row)?;
                self.table.file.insert(&delete, &[Value::Int(row)])?;
            }
            next = run.end.max(next);
        }
        match &self.copied {
            Some(copied) if !copied.runs.is_sorted_by_key(|run| run.start) => {
                copied.reorder(&mut self.table.file, rows)
            }
            _ => Ok(()),
        }
    }
}

impl<R: WriteRows> RowWriter<'_, R> {
    /// Notes the names to which a row refers, before it is changed or removed.
    pub(super) fn release(&mut self, row: i64) -> Result<()> {
        let Some(copied) = self
            .copied
            .as_mut()
            .filter(|copied| copied.absent.is_some())
        else {
            return Ok(());
        };
        let number = copied.number;
        for ((_, columns), released) in NAMES.iter().zip(&mut copied.released) {
            for column in *columns {
                let select = format!("SELECT ifnull({column}, 0) FROM Games WHERE {number} = ?1");
                released.extend(self.table.file.find_int(&select, &[Value::Int(row)])?);
            }
        }
        Ok(())
    }
}

fn refused(file: Role, what: String) -> Error {
    Error::new(ErrorKind::Other(what.into())).at(location(file))
}

impl CopiedRows {
    /// Describes the rows of an existing file.
    pub(super) fn new(file: &mut SqliteWriter<'_>, format: &RowFormat) -> Result<CopiedRows> {
        let columns = file.columns("Games")?;
        let is_free = |name: &&str| {
            !columns
                .iter()
                .any(|column| column.eq_ignore_ascii_case(name))
        };
        let free = ["rowid", "_rowid_", "oid"].into_iter().find(is_free);
        let number = free.ok_or_else(|| {
            let what = "columns of the table Games have all names of the row number";
            refused(format.file, what.to_owned())
        })?;
        let mut others = file.texts("SELECT name FROM sqlite_schema WHERE type = 'table'", &[])?;
        let is_own = |name: &String| {
            let mut own = format.known.tables.iter();
            name.starts_with("sqlite_") || own.any(|(own, _)| own.eq_ignore_ascii_case(name))
        };
        others.retain(|name| !is_own(name));
        Ok(CopiedRows {
            file: format.file,
            number,
            runs: Vec::new(),
            others,
            absent: format.absent,
            released: Default::default(),
            old: Game::new(),
            scratch: Scratch::new(),
        })
    }

    /// Returns the name of the row number.
    pub(super) fn number(&self) -> &'static str {
        self.number
    }

    /// Gives the rows new numbers in the order of the games.
    fn reorder(&self, file: &mut SqliteWriter<'_>, rows: &dyn StoredRows) -> Result<()> {
        if let Some(table) = self.others.first() {
            let what = format!(
                "the games would get other numbers, to which the table {table} of another program may \
                 refer; sort them into a new database"
            );
            return Err(refused(self.file, what));
        }
        let last = file.last_number("Games", self.number)?;
        if last.checked_add(u32::MAX.into()).is_none() {
            let what = "the numbers of the rows are too large";
            return Err(refused(self.file, what.to_owned()));
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
        names: Option<&mut NameTables>,
    ) -> Result<()> {
        file.compacts &= self.others.is_empty();
        let Some(names) = names else {
            return Ok(());
        };
        let mut added = [i64::from(games), 0, 0, 0];
        for (n, names) in names.tables.iter().enumerate() {
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
