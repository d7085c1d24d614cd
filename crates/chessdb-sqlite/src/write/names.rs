//! Tables of names that other tables refer to by number.

use std::collections::HashMap;

use chessdb_core::Result;

use super::SqliteWriter;
use crate::file::Value;
use crate::unused::NAMES;

/// The numbers of the names in a table, in bounded memory: SQLite finds the names that are not in
/// the cache.
#[derive(Debug)]
pub struct NameTable {
    table: String,
    column: String,
    select: String,
    insert: String,
    cache: HashMap<Box<[u8]>, i64>,
    /// The approximate size of the cache in bytes.
    cached: usize,
    /// The most bytes of the cache.
    limit: usize,
    /// Whether the cache has every name of the table.
    is_complete: bool,
    is_adopted: bool,
    last: i64,
    len: u64,
}

/// The most bytes of the cache of one table.
const CACHE: usize = 16 << 20;
/// The bytes that a name takes in addition to its own.
const ENTRY: usize = 64;

impl NameTable {
    /// Describes an empty table with a column of numbers and a column of names. The table needs an
    /// index of its names, such as `UNIQUE`; other columns are null. Names are numbered from 1.
    pub fn new(table: &str, number: &str, name: &str) -> NameTable {
        NameTable {
            table: table.to_owned(),
            column: number.to_owned(),
            // The table of an old file may have another collation.
            select: format!("SELECT {number} FROM {table} WHERE {name} = ?1 COLLATE BINARY"),
            insert: format!("INSERT INTO {table} ({number}, {name}) VALUES (?1, ?2)"),
            cache: HashMap::new(),
            cached: 0,
            limit: CACHE,
            is_complete: true,
            is_adopted: false,
            last: 0,
            len: 0,
        }
    }

    /// Continues with the names in the table of a file.
    ///
    /// # Errors
    ///
    /// Returns the errors of SQLite.
    pub(crate) fn adopt(&mut self, writer: &mut SqliteWriter<'_>) -> Result<()> {
        self.cache.clear();
        (self.cached, self.is_complete, self.is_adopted) = (0, false, true);
        self.last = writer.last_number(&self.table, &self.column)?;
        Ok(())
    }

    /// Sets the most bytes of the cache.
    #[must_use]
    pub fn with_cache(mut self, bytes: usize) -> NameTable {
        self.limit = bytes;
        self
    }

    /// Returns the number of a name, which is added if the table does not have it.
    ///
    /// # Errors
    ///
    /// Returns the errors of SQLite.
    pub fn number(&mut self, writer: &mut SqliteWriter<'_>, name: &[u8]) -> Result<i64> {
        if let Some(&number) = self.cache.get(name) {
            return Ok(number);
        }
        let existing = if self.is_complete {
            None
        } else {
            writer.find_int(&self.select, &[Value::Text(name)])?
        };
        let number = match existing {
            Some(number) => number,
            None => {
                self.last += 1;
                self.len += 1;
                let row = [Value::Int(self.last), Value::Text(name)];
                writer.insert(&self.insert, &row)?;
                self.last
            }
        };
        let size = name.len() + ENTRY;
        // Names that are dropped are found by SQLite.
        if self.cached + size > self.limit {
            self.cache.clear();
            self.cached = 0;
            self.is_complete = false;
        }
        if size <= self.limit {
            self.cache.insert(name.into(), number);
            self.cached += size;
        }
        Ok(number)
    }

    /// Returns whether the table comes from an older file.
    pub(crate) fn is_adopted(&self) -> bool {
        self.is_adopted
    }

    /// Leaves a number out: the next new name gets the number after it.
    pub fn skip_number(&mut self) {
        self.last += 1;
    }

    /// Returns the last number that was given or left out; 0 before the first.
    pub fn last(&self) -> i64 {
        self.last
    }

    /// Returns the number of names.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Returns whether there are no names.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

/// The tables of names, in the order of `NAMES`.
pub struct NameTables {
    pub(super) tables: [NameTable; NAMES.len()],
}

impl NameTables {
    /// Describes the tables of a new file.
    pub(crate) fn new() -> NameTables {
        NameTables {
            tables: NAMES.map(|(table, _)| NameTable::new(table, "ID", "Name")),
        }
    }

    /// Continues with the names of a file.
    pub(super) fn adopt(&mut self, file: &mut SqliteWriter<'_>) -> Result<()> {
        self.tables
            .iter_mut()
            .try_for_each(|names| names.adopt(file))
    }

    /// Returns the players, the events and the sites.
    pub(crate) fn each(&mut self) -> &mut [NameTable; NAMES.len()] {
        &mut self.tables
    }
}
