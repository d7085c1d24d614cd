//! Functions that change a database in place, and undo that.

use std::ffi::{c_char, c_int};
use std::ptr;
use std::sync::{Mutex, TryLockError};

use chessdb::Game;
use chessdb::convert::{Editor, GameEdits};
use chessdb::core::model::GameFlags;

use crate::boundary::{self, Failure, guard, optional_text, text, to_c};
use crate::convert::summary;
use crate::handles::Handles;
use crate::open::{index_of, with_format};
use crate::progress::Steps;
use crate::{ERROR, completion};

/// A database that is being changed, and the changes so far.
#[derive(Debug)]
pub struct Edit(Mutex<Changes>);

#[derive(Debug)]
struct Changes {
    /// `None` once the changes are saved.
    editor: Option<Editor>,
    edits: GameEdits,
}

/// The open edits.
static EDITS: Handles<Edit> = Handles::new("edit");

/// Opens a database for changing it.
///
/// # Safety
///
/// `path` must be a text that ends with a zero byte; `format` must be one, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chessdb_edit_open(
    path: *const c_char,
    format: *const c_char,
) -> *mut Edit {
    guard(ptr::null_mut(), || {
        // SAFETY: the caller promises that both are texts, or null.
        let (path, format) = unsafe { (boundary::path(path)?, optional_text(format)?) };
        let editor = Editor::open(path, with_format(format))?;
        Ok(EDITS.insert(Edit(Mutex::new(Changes {
            editor: Some(editor),
            edits: GameEdits::new(),
        }))))
    })
}

/// Closes an edit. Changes that were not saved are given up.
///
/// # Safety
///
/// None, as for [`crate::chessdb_close`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chessdb_edit_close(edit: *mut Edit) {
    guard((), || EDITS.close(edit));
}

const SAVED: &str = "this edit has ended; open the database for editing again";

/// Calls `act` with the changes of an open edit.
fn with_changes<T>(
    edit: *mut Edit,
    act: impl FnOnce(&mut Changes) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let edit = EDITS.get(edit)?;
    // Waiting could last forever: the progress function of the other call may have made this call.
    let mut changes = match edit.0.try_lock() {
        Ok(changes) => changes,
        Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
        Err(TryLockError::WouldBlock) => return Err("another call uses the edit".into()),
    };
    act(&mut changes)
}

/// Adds a change, which `add` makes, of game `number`.
fn change(
    edit: *mut Edit,
    number: u32,
    add: impl FnOnce(&mut GameEdits) -> Result<(), Failure>,
) -> c_int {
    guard(ERROR, || {
        with_changes(edit, |Changes { editor, edits }| {
            index_of(number, editor.as_ref().ok_or(SAVED)?.database())?;
            add(edits)?;
            Ok(crate::OK)
        })
    })
}

/// Sets or removes a tag.
///
/// # Safety
///
/// `name` must be a text that ends with a zero byte, and `value` one, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chessdb_edit_tag(
    edit: *mut Edit,
    number: u32,
    name: *const c_char,
    value: *const c_char,
) -> c_int {
    let add = |edits: &mut GameEdits| -> Result<(), Failure> {
        // SAFETY: the caller promises the texts.
        let (name, value) = unsafe { (text(name)?, optional_text(value)?) };
        edits.set_tag(number, name, value).map_err(Failure::from)
    };
    change(edit, number, add)
}

/// Sets and removes flags.
///
/// # Safety
///
/// `set` and `remove` must be texts that end with a zero byte, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chessdb_edit_flags(
    edit: *mut Edit,
    number: u32,
    set: *const c_char,
    remove: *const c_char,
) -> c_int {
    let add = |edits: &mut GameEdits| -> Result<(), Failure> {
        // SAFETY: the caller promises the texts.
        let (set, remove) = unsafe { (optional_text(set)?, optional_text(remove)?) };
        edits.set_flags(number, flags(set)?, flags(remove)?);
        Ok(())
    };
    change(edit, number, add)
}

fn flags(words: Option<&str>) -> Result<GameFlags, Failure> {
    let words = words.unwrap_or_default().split(',').map(str::trim);
    let mut all = GameFlags::empty();
    for word in words.filter(|word| !word.is_empty()) {
        let read = chessdb::query::language::read_flags(word);
        all |= read.map_err(|error| error.message().to_owned())?;
    }
    Ok(all)
}

/// Marks a game as deleted, or removes the mark.
///
/// # Safety
///
/// None, as for [`crate::chessdb_close`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chessdb_edit_delete(
    edit: *mut Edit,
    number: u32,
    deleted: c_int,
) -> c_int {
    let (deleted_mark, none) = (GameFlags::DELETED, GameFlags::empty());
    let (set, remove) = if deleted == 0 { (none, deleted_mark) } else { (deleted_mark, none) };
    let add = |edits: &mut GameEdits| -> Result<(), Failure> {
        edits.set_flags(number, set, remove);
        Ok(())
    };
    change(edit, number, add)
}

/// Replaces a game.
///
/// # Safety
///
/// `pgn` must be a text that ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chessdb_edit_replace(
    edit: *mut Edit,
    number: u32,
    pgn: *const c_char,
) -> c_int {
    let add = |edits: &mut GameEdits| -> Result<(), Failure> {
        // SAFETY: the caller promises the text.
        let game = Game::from_pgn(unsafe { text(pgn)? })?;
        edits.replace(number, game.into_model());
        Ok(())
    };
    change(edit, number, add)
}

/// Appends a game.
///
/// # Safety
///
/// `pgn` must be a text that ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chessdb_edit_append(edit: *mut Edit, pgn: *const c_char) -> c_int {
    guard(ERROR, || {
        // SAFETY: the caller promises the text.
        let game = Game::from_pgn(unsafe { text(pgn)? })?;
        with_changes(edit, |Changes { editor, edits }| {
            editor.as_ref().ok_or(SAVED)?;
            edits.append(game);
            Ok(crate::OK)
        })
    })
}

/// Saves the changes.
///
/// # Safety
///
/// `report` must be null or the place of a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chessdb_edit_save(edit: *mut Edit, report: *mut *mut c_char) -> c_int {
    guard(ERROR, || {
        // SAFETY: the caller promises that the place is writable, or null.
        let report = unsafe { boundary::output(report)? };
        let (lines, lost) = with_changes(edit, |Changes { editor, edits }| {
            let mut editor = editor.take().ok_or(SAVED)?;
            editor.record("edit by the C interface", edits.len());
            let mut steps = Steps::new(None);
            let done = editor.save(edits, &mut steps);
            Ok(summary(&done.map_err(|error| steps.failure(error))?))
        })?;
        if let Some(report) = report {
            *report = to_c(&lines)?;
        }
        Ok(completion(lost))
    })
}

/// Undoes the last change of a database, or repeats it.
///
/// # Safety
///
/// `path` must be a text that ends with a zero byte, and `change` null or the place of a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chessdb_undo(path: *const c_char, change: *mut *mut c_char) -> c_int {
    guard(ERROR, || {
        // SAFETY: the caller promises that the place is writable, or null.
        let change = unsafe { boundary::output(change)? };
        // SAFETY: the caller promises the text.
        let path = unsafe { boundary::path(path)? };
        let undone = chessdb::fs::undo_last(&path)?;
        if let (Some(change), Some(last)) = (change, undone.commands.first()) {
            let verb = if undone.is_undone { "undone" } else { "repeated" };
            *change = to_c(&format!("{verb}: {}", last.command))?;
        }
        Ok(crate::OK)
    })
}
