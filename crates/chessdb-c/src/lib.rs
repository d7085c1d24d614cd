#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
// The interface consists of raw pointers and of functions with names of their own. Each block
// states why it is sound. Everything behind the interface is the facade, without unsafe code.
#![allow(unsafe_code, reason = "C passes raw pointers")]
#![deny(unsafe_op_in_unsafe_fn, clippy::undocumented_unsafe_blocks)]

mod boundary;
mod edit;

use std::ffi::{c_char, c_int};
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::ptr;
use std::sync::Arc;

use chessdb::convert::Report;
use chessdb::pgn::{Layout, write_game};
use chessdb::query::Query;
use chessdb::{Converter, Database, Severity};

use boundary::{Failure, guard, optional_text, path, remember, shared, text, to_c};

/// The version of the interface: `CHESSDB_INTERFACE`.
pub const INTERFACE: u32 = 1;
/// Success: `CHESSDB_OK`.
pub const OK: c_int = 0;
/// Success, but something is missing: `CHESSDB_INCOMPLETE`.
pub const INCOMPLETE: c_int = 1;
/// Failure: `CHESSDB_ERROR`.
pub const ERROR: c_int = -1;
/// Replace an existing target: `CHESSDB_REPLACE`.
pub const REPLACE: u32 = 1;
/// Fail if anything would be lost: `CHESSDB_STRICT`.
pub const STRICT: u32 = 2;

pub use edit::{
    Edit, chessdb_edit_append, chessdb_edit_close, chessdb_edit_delete, chessdb_edit_flags,
    chessdb_edit_open, chessdb_edit_replace, chessdb_edit_save, chessdb_edit_tag, chessdb_undo,
};

/// Returns the version of the library.
#[unsafe(no_mangle)]
pub extern "C" fn chessdb_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}

/// Returns [`INTERFACE`].
#[unsafe(no_mangle)]
pub extern "C" fn chessdb_interface() -> u32 {
    INTERFACE
}

/// Returns the message of the last call on this thread, or null.
#[unsafe(no_mangle)]
pub extern "C" fn chessdb_last_error() -> *const c_char {
    boundary::last()
}

/// Frees a text that the library returned.
///
/// # Safety
///
/// `text` must be null or come from this library, and must not be used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chessdb_free(text: *mut c_char) {
    guard((), || {
        // SAFETY: the caller promises that the text is from `to_c` and is freed once.
        unsafe { boundary::free(text) };
        Ok(())
    });
}

/// Opens a database.
///
/// # Safety
///
/// `path` must be a text that ends with a zero byte; `format` must be one, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chessdb_open(path: *const c_char, format: *const c_char) -> *mut Database {
    guard(ptr::null_mut(), || {
        // SAFETY: the caller promises that both are texts, or null.
        let (path, format) = unsafe { (boundary::path(path)?, optional_text(format)?) };
        let mut options = Database::options();
        if let Some(format) = format {
            options = options.format(format);
        }
        Ok(Box::into_raw(Box::new(options.open(path)?)))
    })
}

/// Closes a database.
///
/// # Safety
///
/// `db` must be null or come from [`chessdb_open`], and must not be used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chessdb_close(db: *mut Database) {
    guard((), || {
        if !db.is_null() {
            // SAFETY: the caller promises that the pointer is from `Box::into_raw` above, and that
            // no other call uses it.
            drop(unsafe { Box::from_raw(db) });
        }
        Ok(())
    });
}

/// Returns the number of games, or [`ERROR`].
///
/// # Safety
///
/// `db` must be null or an open database.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chessdb_count(db: *const Database) -> i64 {
    guard(ERROR.into(), || {
        // SAFETY: the caller promises that the database is open.
        let db = unsafe { shared(db)? };
        match db.count() {
            Some(count) => Ok(i64::try_from(count).unwrap_or(i64::MAX)),
            None => Ok(db.len()?.into()),
        }
    })
}

/// Returns the id of the format.
///
/// # Safety
///
/// `db` must be null or an open database.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chessdb_format(db: *const Database) -> *mut c_char {
    guard(ptr::null_mut(), || {
        // SAFETY: the caller promises that the database is open.
        let db = unsafe { shared(db)? };
        to_c(db.format().id)
    })
}

/// Stores a game as PGN.
///
/// # Safety
///
/// `db` must be null or an open database, `pgn` null or the place of a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chessdb_game_pgn(
    db: *const Database,
    number: u32,
    pgn: *mut *mut c_char,
) -> c_int {
    guard(ERROR, || {
        // SAFETY: the caller promises that the database is open, and that the place is writable.
        let (db, pgn) = unsafe { (shared(db)?, boundary::place(pgn)?) };
        *pgn = ptr::null_mut();
        let index = number.checked_sub(1).ok_or("games are counted from 1")?;
        let game = db.game(index)?;
        let mut written = Vec::new();
        let losses = write_game(&game, &Layout::default(), &mut written);
        *pgn = to_c(&String::from_utf8_lossy(&written))?;
        let mut missing: Vec<String> = game.fault().into_iter().collect();
        missing.extend(
            losses
                .iter()
                .map(|loss| format!("{} {}", loss.count, loss.kind)),
        );
        Ok(completion(missing))
    })
}

/// Searches for games.
///
/// # Safety
///
/// `db` must be null or an open database, `query` null or a text that ends with a zero byte.
/// `numbers` must be an array of at least `capacity` numbers, and `unread` null or the place of one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chessdb_find(
    db: *const Database,
    query: *const c_char,
    numbers: *mut u32,
    capacity: usize,
    unread: *mut u64,
) -> i64 {
    guard(ERROR.into(), || {
        // SAFETY: the caller promises that the database is open, the query a text, and the array as
        // long as stated.
        let (db, query, numbers) = unsafe {
            let numbers = boundary::array(numbers, capacity)?;
            (shared(db)?, text(query)?, numbers)
        };
        // SAFETY: the caller promises that the place is writable, or null.
        let unread = unsafe { unread.as_mut() };
        let query = query.parse::<Query>().map_err(|error| error.to_string())?;
        let result = search(db, query, numbers)?;
        if let Some(unread) = unread {
            *unread = result.unread;
        }
        if let Some(message) = result.first {
            remember(&message);
        }
        Ok(i64::try_from(result.matches).unwrap_or(i64::MAX))
    })
}

/// The result of a search.
#[derive(Default)]
struct SearchResult {
    matches: u64,
    /// The number of games that could not be read.
    unread: u64,
    /// The first message about a game, or a part of the database, that could not be read.
    first: Option<String>,
}

fn search(db: &Database, query: Query, numbers: &mut [u32]) -> Result<SearchResult, Failure> {
    let mut result = SearchResult::default();
    let mut places = numbers.iter_mut();
    let scan = db.scan().filter(Arc::new(query)).numbers();
    let diagnostics = scan.for_each(|game, read| {
        match read {
            Ok(()) => {
                result.matches += 1;
                if let Some(place) = places.next() {
                    *place = game.number();
                }
            }
            Err(error) => {
                result.unread += 1;
                result.first.get_or_insert_with(|| error.to_string());
            }
        }
        ControlFlow::Continue(())
    })?;
    let mut lost = diagnostics.iter();
    if let Some(lost) = lost.find(|diagnostic| diagnostic.severity == Severity::Lost) {
        result.first.get_or_insert_with(|| lost.to_string());
    }
    Ok(result)
}

/// Converts a database.
///
/// # Safety
///
/// `db` must be null or an open database, `target` null or a text that ends with a zero byte,
/// `format` null or such a text, `report` null or the place of a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chessdb_convert(
    db: *const Database,
    target: *const c_char,
    format: *const c_char,
    flags: u32,
    report: *mut *mut c_char,
) -> c_int {
    guard(ERROR, || {
        // SAFETY: the caller promises that the place is writable, or null.
        let mut report = unsafe { report.as_mut() };
        if let Some(report) = report.as_deref_mut() {
            *report = ptr::null_mut();
        }
        // SAFETY: the caller promises that the database is open, and the others are texts.
        let (db, target, format) = unsafe { (shared(db)?, path(target)?, optional_text(format)?) };
        if flags & !(REPLACE | STRICT) != 0 {
            return Err("unknown flags".into());
        }
        let mut converter = Converter::to(&target)
            .add_database(db)
            .replace(flags & REPLACE != 0)
            .strict(flags & STRICT != 0);
        if let Some(format) = format {
            converter = converter.format(format);
        }
        let done = converter.run()?;
        let (lines, lost) = summary(&done);
        if let Some(report) = report {
            *report = to_c(&lines)?;
        }
        Ok(completion(lost))
    })
}

/// Returns the lines of a report, and those of them that are about losses.
fn summary(report: &Report) -> (String, Vec<String>) {
    let mut lines = format!("{} games written\n", report.written());
    let counts = [
        (report.cut(), "games cut"),
        (report.skipped(), "games left out"),
        (report.base_faults(), "faults of the source as a whole"),
    ];
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    let mut lost: Vec<String> = counts
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    lost.extend(report.losses().map(|loss| loss.to_string()));
    for line in &lost {
        let _ = writeln!(lines, "{line}");
    }
    (lines, lost)
}

/// Remembers what is missing, and returns whether anything is.
fn completion(missing: Vec<String>) -> c_int {
    if missing.is_empty() {
        return OK;
    }
    remember(&missing.join("; "));
    INCOMPLETE
}
