//! Files on disk: SQLite's locks are held while this crate reads the pages, and SQLite itself checks
//! the whole file (docs/decisions/0032-sqlite-files-on-disk.md).

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use chessdb_core::files::{DiskAccess, Transaction, TransactionFault, TransactionResult};
use rusqlite::{Connection, ErrorCode, OpenFlags, ffi};

use super::{lent, page_journal};
use crate::file::MAGIC;

/// The transactions of all formats of this crate.
pub(crate) const ACCESS: DiskAccess = DiskAccess {
    read,
    write,
    settle,
    apply: lent::apply,
};

/// How long another program may take to end its change.
pub(super) const PATIENCE: Duration = Duration::from_secs(2);
/// The most faults that SQLite lists.
const MOST_FAULTS: u32 = 20;

/// A connection with an open transaction.
#[derive(Debug)]
struct Open(Mutex<Connection>);

impl Transaction for Open {
    fn verify(&self) -> Vec<String> {
        faults(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn end(&self) {
        let connection = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A transaction that SQLite has already ended needs no end.
        let _ = connection.execute_batch("ROLLBACK");
    }
}

/// Returns the faults that SQLite finds in a file. It compares every row with every index.
fn faults(connection: &Connection) -> Vec<String> {
    let mut texts = Vec::new();
    let asked = (|| {
        let sql = format!("PRAGMA integrity_check({MOST_FAULTS})");
        let mut statement = connection.prepare(&sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            texts.push(row.get(0)?);
        }
        Ok::<_, rusqlite::Error>(())
    })();
    if let Err(error) = asked {
        texts.push(error.to_string());
    }
    // A report of SQLite may have several lines, the first of which names the database.
    let lines = texts.iter().flat_map(|text| text.lines());
    let is_fault = |line: &&str| !matches!(line.trim(), "" | "ok" | "*** in database main ***");
    lines.filter(is_fault).map(str::to_owned).collect()
}

/// Returns the faults that SQLite finds in the bytes of a file without a write-ahead log.
pub(crate) fn faults_of_bytes(bytes: &[u8]) -> Vec<String> {
    // In memory, SQLite does not open a file whose header announces a log.
    const VERSIONS: std::ops::Range<usize> = 18..20;
    let mut header = bytes.get(..VERSIONS.end).unwrap_or(bytes).to_vec();
    if let Some(versions) = header.get_mut(VERSIONS) {
        versions.fill(1);
    }
    let rest = bytes.get(VERSIONS.end..).unwrap_or_default();
    let opened = Connection::open_in_memory().and_then(|mut connection| {
        let input = header.as_slice().chain(rest);
        connection.deserialize_read_exact("main", input, bytes.len(), true)?;
        Ok(connection)
    });
    match opened {
        Ok(connection) => faults(&connection),
        Err(error) => vec![error.to_string()],
    }
}

/// Starts reading. In the mode with a write-ahead log, only if another program may have the file
/// open: SQLite would leave new files next to one that nobody has open.
fn read(path: &Path) -> TransactionResult {
    match journal_of(path) {
        Journal::None => return Ok(None),
        // SQLite opens a log in either mode.
        Journal::Rollback if !beside(path, "-wal").exists() => {}
        _ if !beside(path, "-shm").exists() => return Ok(None),
        _ => {}
    }
    let read_only = OpenFlags::SQLITE_OPEN_READ_ONLY;
    let started = begin(path, read_only, "BEGIN");
    let half_done = |error: &rusqlite::Error| {
        let code = error.sqlite_error().map(|error| error.extended_code);
        code == Some(ffi::SQLITE_READONLY_ROLLBACK)
    };
    match started {
        // Undoing the change of a killed program needs the right to write.
        Err(error) if half_done(&error) => {
            let undone = begin(path, OpenFlags::SQLITE_OPEN_READ_WRITE, "BEGIN");
            match undone {
                Err(error) if half_done(&error) => Err(TransactionFault::HalfDone),
                undone => result(undone),
            }
        }
        started => result(started),
    }
}

/// Starts replacing a file, so that no other program is changing it.
fn write(path: &Path) -> TransactionResult {
    match journal_of(path) {
        Journal::None => Ok(None),
        Journal::Log if !beside(path, "-shm").exists() => Ok(None),
        // A program that has the file open keeps its log, which would destroy the new file.
        Journal::Log => Err(TransactionFault::Busy),
        Journal::Rollback => result(begin(
            path,
            OpenFlags::SQLITE_OPEN_READ_WRITE,
            "BEGIN IMMEDIATE",
        )),
    }
}

/// Completes or undoes what a killed program left half done.
fn settle(path: &Path) {
    if !matches!(journal_of(path), Journal::None) {
        lent::settle(path);
    }
}

fn result(started: rusqlite::Result<Connection>) -> TransactionResult {
    match started {
        Ok(connection) => Ok(Some(Box::new(Open(Mutex::new(connection))))),
        Err(error) => match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                Err(TransactionFault::Busy)
            }
            // A damaged file, or a file system without locks: the bytes are read as they are.
            _ => Ok(None),
        },
    }
}

pub(super) fn begin(
    path: &Path,
    flags: OpenFlags,
    statement: &str,
) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(PATIENCE)?;
    // The definitions of the file may be hostile.
    connection.execute_batch("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")?;
    connection.execute_batch(statement)?;
    // Only reading takes the lock. This does not need the definitions, which may be damaged.
    connection.query_row("PRAGMA schema_version", [], |_| Ok(()))?;
    Ok(connection)
}

/// How SQLite protects the changes of a file.
enum Journal {
    /// It is no SQLite file, or SQLite must not open it.
    None,
    Rollback,
    /// With a write-ahead log.
    Log,
}

fn journal_of(path: &Path) -> Journal {
    // SQLite would wait for a pipe under the name of one of its files.
    let is_special =
        |suffix| fs::symlink_metadata(beside(path, suffix)).is_ok_and(|data| !data.is_file());
    if ["-journal", "-wal", "-shm"].into_iter().any(is_special) {
        return Journal::None;
    }
    let mut header = [0; 20];
    let is_read = File::open(path).and_then(|mut file| file.read_exact(&mut header));
    if is_read.is_err() || !header.starts_with(MAGIC) {
        // A loss of power may have destroyed the header while it was written.
        let is_half_done = page_journal::has_first_page(&beside(path, "-journal"), MAGIC);
        return if is_half_done { Journal::Rollback } else { Journal::None };
    }
    match header {
        [.., 2] => Journal::Log,
        _ => Journal::Rollback,
    }
}

/// Returns the path of a file that SQLite keeps next to a database.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
