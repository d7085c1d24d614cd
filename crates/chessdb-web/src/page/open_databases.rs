//! The databases that are open side by side.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::failure::{Failure, Result};
use crate::page::open_database::OpenDatabase;

/// The maximum number of open databases.
const MAX_OPEN: usize = 16;
/// The maximum number of bytes of all open databases in memory. The address space of the page's
/// module ends at 4 GB, and each database needs more than its bytes.
const MAX_BYTES: u64 = 1_500_000_000;

/// The open databases by number. Numbers are not used again.
#[derive(Default)]
pub(crate) struct OpenDatabases {
    open: BTreeMap<u32, Entry>,
    current: u32,
    last: u32,
}

struct Entry {
    base: OpenDatabase,
    /// The number of bytes of its files in memory; 0 if the host opened it.
    bytes: u64,
    is_new: bool,
}

impl OpenDatabases {
    /// Checks whether another database with this many bytes can be opened.
    ///
    /// # Errors
    ///
    /// Returns an error with the code `full` if too many databases or bytes would be in memory.
    pub(crate) fn check_room(&self, bytes: u64) -> Result<()> {
        let all = self.bytes().saturating_add(bytes);
        // A single database is as large as the page accepts.
        let is_full = self.open.len() >= MAX_OPEN || (all > MAX_BYTES && !self.open.is_empty());
        if is_full {
            return Err(OpenDatabases::full());
        }
        Ok(())
    }

    /// Returns the error for databases that do not fit into memory.
    pub(crate) fn full() -> Failure {
        let text = "too many databases are open; close one of them first";
        Failure::with("full", text, json!({ "most": MAX_BYTES }))
    }

    /// Returns the number of bytes that a new database may have.
    pub(crate) fn room(&self) -> u64 {
        MAX_BYTES.saturating_sub(self.bytes())
    }

    /// Returns the number of the current database.
    pub(crate) fn current(&self) -> u32 {
        self.current
    }

    /// Makes a database the current one.
    pub(crate) fn set_current(&mut self, number: u32) {
        self.current = number;
    }

    /// Returns the name of a database that was made in this session.
    ///
    /// # Errors
    ///
    /// Returns an error if there is none with this number.
    pub(crate) fn new_name(&self, number: u32) -> Result<&str> {
        let entry = self.open.get(&number).ok_or_else(closed)?;
        if entry.is_new {
            Ok(entry.base.name())
        } else {
            Err(Failure::new(
                "request",
                "games can only be added to a new database",
            ))
        }
    }

    /// Adds a database, which becomes the current one, under a number that was used before or a new
    /// one. Returns the number.
    pub(crate) fn insert(&mut self, number: Option<u32>, base: OpenDatabase, bytes: u64) -> u32 {
        let number = number.unwrap_or(self.last.saturating_add(1));
        self.last = self.last.max(number);
        self.current = number;
        let is_new = false;
        let entry = Entry {
            base,
            bytes,
            is_new,
        };
        self.open.insert(number, entry);
        number
    }

    /// Marks a database as one that was made in this session and can take more games.
    pub(crate) fn mark_new(&mut self, number: u32) {
        if let Some(entry) = self.open.get_mut(&number) {
            entry.is_new = true;
        }
    }

    /// Closes a database.
    pub(crate) fn remove(&mut self, number: u32) {
        self.open.remove(&number);
        if number == self.current {
            self.current = self.open.keys().next_back().copied().unwrap_or(0);
        }
    }

    /// Returns the number of the database that a request is about: its member `in`, or the current
    /// one.
    pub(crate) fn number(&self, request: &Value) -> Result<u32> {
        match given_number(request)? {
            Some(number) => Ok(number),
            None => Ok(self.current),
        }
    }

    /// Returns an open database.
    ///
    /// # Errors
    ///
    /// Returns an error with the code `closed` if there is none with this number.
    pub(crate) fn get(&self, number: u32) -> Result<&OpenDatabase> {
        let entry = self.open.get(&number).ok_or_else(closed)?;
        Ok(&entry.base)
    }

    /// Like [`OpenDatabases::get`].
    pub(crate) fn get_mut(&mut self, number: u32) -> Result<&mut OpenDatabase> {
        let entry = self.open.get_mut(&number).ok_or_else(closed)?;
        Ok(&mut entry.base)
    }

    /// Returns the number of bytes of all databases in memory.
    fn bytes(&self) -> u64 {
        self.open.values().map(|entry| entry.bytes).sum()
    }

    /// Returns the description of a database, with its number and size.
    pub(crate) fn info(&self, number: u32) -> Result<Value> {
        let mut info = self.get(number)?.info();
        if let (Some(members), Some(entry)) = (info.as_object_mut(), self.open.get(&number)) {
            members.insert("in".to_owned(), number.into());
            members.insert("bytes".to_owned(), entry.bytes.into());
            members.insert("isNew".to_owned(), entry.is_new.into());
        }
        Ok(info)
    }

    /// Returns all open databases, and the memory that they may use.
    pub(crate) fn list(&self) -> Value {
        let open: Vec<Value> = self
            .open
            .iter()
            .map(|(number, entry)| {
                json!({
                    "in": number,
                    "name": entry.base.name(),
                    "games": entry.base.len(),
                    "bytes": entry.bytes,
                    "treeBytes": entry.base.trace_bytes(),
                    "isNew": entry.is_new,
                })
            })
            .collect();
        let current = (!self.open.is_empty()).then_some(self.current);
        json!({ "open": open, "current": current, "bytes": self.bytes(), "most": MAX_BYTES })
    }
}

/// Returns the member `in` of a request, the number of an open database.
///
/// # Errors
///
/// Returns an error if it is not such a number.
pub(crate) fn given_number(request: &Value) -> Result<Option<u32>> {
    match request.get("in") {
        None | Some(Value::Null) => Ok(None),
        Some(number) => {
            let number = number
                .as_u64()
                .and_then(|number| u32::try_from(number).ok());
            number
                .filter(|&number| number > 0)
                .map(Some)
                .ok_or_else(closed)
        }
    }
}

fn closed() -> Failure {
    Failure::new("closed", "no such database is open")
}
