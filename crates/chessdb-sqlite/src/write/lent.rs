//! Transactions of SQLite on a file itself, and what is recorded of them, so that they can be undone
//! (docs/decisions/0036-transactions-on-the-file.md).

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use chessdb_core::files::{ApplyFault, ByteRange, Growing, LibraryChange, Role};
use chessdb_core::{Error, ErrorKind, Result};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::disk::{PATIENCE, begin, beside};
use super::{failed, location, page_journal};

/// The most bytes of changed pages that are recorded.
const MOST_RECORDED: u64 = 64 << 20;

/// The length of the header of a file.
const HEADER: usize = 100;
/// The offsets of the counter by which SQLite notices changes of other programs, and of its copy.
const COUNTERS: [usize; 2] = [24, 92];
/// The offset of the page that SQLite only locks.
const LOCKED: u64 = 0x4000_0000;

/// A file that is changed by a transaction. It stays open until the connection is closed: the system
/// ends the locks of a process on a file when the process closes any of its handles.
pub(super) struct LentFile<'a> {
    base: &'a mut dyn Growing,
    role: Role,
    path: std::path::PathBuf,
    file: File,
    header: FileHeader,
}

/// The parts of the header that determine the transaction.
#[derive(Clone, Copy)]
struct FileHeader {
    page_size: u64,
    /// The length of the file in bytes.
    length: u64,
    /// Whether changes are written to a log first.
    has_log: bool,
}

impl FileHeader {
    /// Reads the header. `None` if the file shrinks by itself or has bytes after its last page: its
    /// old pages would not all be in SQLite's journal.
    fn read(file: &mut File) -> io::Result<Option<FileHeader>> {
        let bytes = read_at(file, 0, HEADER as u64)?;
        let word = |offset: usize| {
            let word = bytes.get(offset..).and_then(<[u8]>::first_chunk);
            word.map_or(0, |word| u32::from_be_bytes(*word))
        };
        let page_size = match word(16) >> 16 {
            1 => 65_536,
            size => u64::from(size),
        };
        let length = file.metadata()?.len();
        let [counter, copy] = COUNTERS.map(word);
        let pages = u64::from(word(28));
        let is_whole = pages == 0 || counter != copy || pages * page_size == length;
        let shrinks = word(52) != 0;
        let is_usable = page_size.is_power_of_two() && length.is_multiple_of(page_size);
        Ok((is_usable && is_whole && !shrinks).then_some(FileHeader {
            page_size,
            length,
            has_log: bytes.get(18) == Some(&2),
        }))
    }
}

impl<'a> LentFile<'a> {
    /// Starts a transaction on a file of the database. `None` if the file must be rewritten, because
    /// SQLite cannot start it or another program uses the file.
    pub(super) fn open(
        base: &'a mut dyn Growing,
        role: Role,
        path: &Path,
    ) -> Result<Option<(Connection, LentFile<'a>)>> {
        let mut file = File::open(path)?;
        let Ok(connection) = exclusive(path) else {
            return Ok(None);
        };
        base.check_lent(role)?;
        let Some(header) = FileHeader::read(&mut file)? else {
            return Ok(None);
        };
        // Another program may have begun a log since the file was opened.
        let has_log = fs::metadata(beside(path, "-wal")).is_ok_and(|log| log.len() > 0);
        if has_log {
            return Ok(None);
        }
        if connection.execute_batch("BEGIN IMMEDIATE").is_err() {
            return Ok(None);
        }
        let path = path.to_owned();
        let lent = LentFile {
            base,
            role,
            path,
            file,
            header,
        };
        Ok(Some((connection, lent)))
    }

    /// Commits the transaction and records it.
    pub(super) fn commit(self, open: Connection) -> Result<()> {
        let LentFile {
            base,
            role,
            path,
            mut file,
            header,
        } = self;
        // After the file, so that it is dropped before it.
        let connection = open;
        // SQLite removes its journal with the commit.
        let journaled = if header.has_log {
            None
        } else {
            journaled_pages(&beside(&path, "-journal"), &mut file, header)
        };
        connection.execute_batch("COMMIT").map_err(|error| {
            if !is_busy(&error) {
                return failed(role, error);
            }
            let busy = io::Error::new(io::ErrorKind::ResourceBusy, error);
            Error::new(ErrorKind::Io(busy)).at(location(role))
        })?;
        if journaled.as_ref().is_some_and(Vec::is_empty) {
            return Ok(());
        }
        // The change is made. Without a record it cannot be undone, which is no reason to fail.
        let old = if header.has_log {
            logged_pages(&path, &mut file, header, &connection).unwrap_or_default()
        } else {
            journaled
        };
        let change = old.and_then(|old| recorded(&mut file, header, &old).unwrap_or_default());
        drop(connection);
        drop(file);
        base.note_change(role, change);
        Ok(())
    }
}

/// Returns the old pages in a journal before the commit, which changes only the first page in
/// addition. Without a change there are none; `None` if there are too many.
fn journaled_pages(
    journal: &Path,
    file: &mut File,
    header: FileHeader,
) -> Option<Vec<(u32, Vec<u8>)>> {
    if !journal.exists() {
        return Some(Vec::new());
    }
    let mut pages = page_journal::read_pages(journal, MOST_RECORDED)?;
    if !pages.is_empty() && !pages.iter().any(|(number, _)| *number == 1) {
        pages.push((1, read_at(file, 0, header.page_size).ok()?));
    }
    Some(pages)
}

/// Pages by their numbers, counted from 1.
type Pages = Vec<(u32, Vec<u8>)>;

/// Returns the old pages that a committed log replaces, and copies the log into the file. `None` if
/// there are too many.
fn logged_pages(
    path: &Path,
    file: &mut File,
    header: FileHeader,
    connection: &Connection,
) -> io::Result<Option<Pages>> {
    /// The lengths of the header of a log and of the one before each of its pages.
    const LOG_HEADERS: [u64; 2] = [32, 24];
    let mut log = File::open(beside(path, "-wal"))?;
    let length = log.metadata()?.len();
    let mut pages = BTreeMap::new();
    let mut offset = LOG_HEADERS[0];
    while offset < length && length <= MOST_RECORDED {
        let number = read_at(&mut log, offset, 4)?;
        let number = number
            .first_chunk()
            .map_or(0, |word| u32::from_be_bytes(*word));
        let start = u64::from(number).saturating_sub(1) * header.page_size;
        if start < header.length {
            pages.insert(number, read_at(file, start, header.page_size)?);
        }
        offset += LOG_HEADERS[1] + header.page_size;
    }
    drop(log);
    let copied = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0));
    if length > MOST_RECORDED || copied != Ok(0) {
        return Ok(None);
    }
    Ok(Some(pages.into_iter().collect()))
}

/// Returns the record of a change of these old pages. `None` if nothing changed or it is too large.
fn recorded(
    file: &mut File,
    header: FileHeader,
    old: &[(u32, Vec<u8>)],
) -> io::Result<Option<LibraryChange>> {
    let data = file.metadata()?;
    let (before, after) = (header.length, data.len());
    let Some(appended) = after
        .checked_sub(before)
        .filter(|bytes| *bytes <= MOST_RECORDED)
    else {
        return Ok(None);
    };
    let mut ranges = Vec::new();
    for (number, page) in old {
        let offset = u64::from(number.saturating_sub(1)) * header.page_size;
        let new = read_at(file, offset, header.page_size)?;
        if new != *page {
            ranges.push(ByteRange {
                offset,
                before: page.clone(),
                after: new,
            });
        }
    }
    ranges.sort_unstable_by_key(|range| range.offset);
    if ranges.is_empty() {
        return Ok(None);
    }
    Ok(Some(LibraryChange {
        before,
        after,
        tail: read_at(file, before, appended)?,
        ranges,
        modified: data.modified().ok(),
    }))
}

/// Makes a recorded change ([`chessdb_core::files::DiskAccess::apply`]): a journal with the new pages
/// is written next to the file, and SQLite restores them from it. So a program that opens the file
/// after a stop completes the change.
pub(super) fn apply(
    path: &Path,
    change: &mut LibraryChange,
) -> std::result::Result<(), ApplyFault> {
    let path = &fs::canonicalize(path)?;
    let mut file = File::open(path)?;
    let connection = exclusive(path).map_err(fault)?;
    connection.execute_batch("BEGIN EXCLUSIVE").map_err(fault)?;
    let header = FileHeader::read(&mut file)?.ok_or(ApplyFault::Changed)?;
    if header.length != change.before {
        return Err(ApplyFault::Changed);
    }
    for range in &change.ranges {
        if read_at(&mut file, range.offset, range.before.len() as u64)? != range.before {
            return Err(ApplyFault::Changed);
        }
    }
    match change.ranges.first_mut().filter(|range| range.offset == 0) {
        Some(first) => count_change(first),
        // With a log, a program that has the file open would have kept us from locking it.
        None if header.has_log => {}
        None => return Err(ApplyFault::Changed),
    }
    let size = usize::try_from(header.page_size).map_err(|_| ApplyFault::Changed)?;
    let tail = if change.after > change.before { &change.tail[..] } else { &[] };
    let tail_start = change.before / header.page_size;
    let appended = (tail_start..).zip(tail.chunks(size));
    let ranges = change.ranges.iter();
    let changed = ranges.map(|range| (range.offset / header.page_size, &range.after[..]));
    let pages = changed.chain(appended);
    // SQLite does not write the page that it locks.
    let pages = pages.filter(|(index, _)| index * header.page_size != LOCKED);
    let pages = pages.map(|(index, page)| (u32::try_from(index + 1).unwrap_or(u32::MAX), page));
    let count = u32::try_from(change.after / header.page_size).unwrap_or(u32::MAX);
    page_journal::write(&beside(path, "-journal"), count, size, pages)?;
    drop(connection);
    // Reading restores the pages. The transaction keeps other programs from changing them again.
    let _reading = begin(path, OpenFlags::SQLITE_OPEN_READ_WRITE, "BEGIN").map_err(fault)?;
    let data = file.metadata()?;
    if data.len() != change.after {
        return Err(ApplyFault::Changed);
    }
    change.modified = data.modified().ok();
    Ok(())
}

/// Sets the counters of a changed first page to the next value. A program that has the file open
/// compares them with those that it knows, so they never return to an old value.
fn count_change(page: &mut ByteRange) {
    let counter = page.before.get(COUNTERS[0]..).and_then(<[u8]>::first_chunk);
    let counter = counter.map_or(0, |word| u32::from_be_bytes(*word));
    let next = counter.wrapping_add(1).to_be_bytes();
    for offset in COUNTERS {
        if let Some(word) = page.after.get_mut(offset..offset + next.len()) {
            word.copy_from_slice(&next);
        }
    }
}

/// Completes or undoes what a killed program left half done
/// ([`chessdb_core::files::DiskAccess::settle`]).
pub(super) fn settle(path: &Path) {
    // SQLite undoes a journal when it reads, and copies a log when it closes the file. If it cannot,
    // both stay, and the caller sees them.
    let opened = begin(path, OpenFlags::SQLITE_OPEN_READ_WRITE, "BEGIN");
    drop(opened);
}

/// Connects to a file that no other program uses meanwhile. Triggers of the file do not run, and its
/// foreign keys are not enforced.
fn exclusive(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(PATIENCE)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    // The definitions of the file may be hostile.
    connection.execute_batch(
        "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA foreign_keys = OFF; \
         PRAGMA locking_mode = EXCLUSIVE; PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = -16384;",
    )?;
    // Only reading takes the first lock.
    connection.query_row("PRAGMA schema_version", [], |_| Ok(()))?;
    Ok(connection)
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
    )
}

fn fault(error: rusqlite::Error) -> ApplyFault {
    if is_busy(&error) {
        return ApplyFault::Busy;
    }
    ApplyFault::Io(io::Error::other(error))
}

fn read_at(file: &mut File, offset: u64, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(offset))?;
    file.take(length).read_to_end(&mut bytes)?;
    if bytes.len() as u64 != length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(bytes)
}
