//! Functions that change a database in place, and undo that.

use std::ffi::{c_char, c_int};
use std::ptr;

use chessdb::convert::{Editor, GameEdits};
use chessdb::core::model::GameFlags;
use chessdb::{Database, Game};

use crate::boundary::{self, Failure, guard, optional_text, text, to_c};
use crate::{ERROR, completion, summary};

/// A database that is being changed, and the changes so far.
#[derive(Debug)]
pub struct Edit {
    /// `None` once the changes are saved.
    editor: Option<Editor>,
    edits: GameEdits,
}

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
        let mut options = Database::options();
        if let Some(format) = format {
            options = options.format(format);
        }
        let editor = Editor::open(path, options)?;
        Ok(Box::into_raw(Box::new(Edit {
            editor: Some(editor),
            edits: GameEdits::new(),
        })))
    })
}

/// Closes an edit. Changes that were not saved are given up.
///
/// # Safety
///
/// `edit` must be null or come from [`chessdb_edit_open`], and must not be used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chessdb_edit_close(edit: *mut Edit) {
    guard((), || {
        if !edit.is_null() {
            // SAFETY: the caller promises that the pointer is from `Box::into_raw` above, and that
            // no other call uses it.
            drop(unsafe { Box::from_raw(edit) });
        }
        Ok(())
    });
}

/// Adds a change, which `add` makes, of game `number`.
///
/// # Safety
///
/// `edit` must be null or an open edit that no other call uses.
unsafe fn change(
    edit: *mut Edit,
    number: u32,
    add: impl FnOnce(&mut GameEdits) -> Result<(), Failure>,
) -> c_int {
    guard(ERROR, || {
        // SAFETY: the caller promises that the edit is open and not shared.
        let Edit { editor, edits } = unsafe { opened(edit)? };
        let editor = editor.as_ref().ok_or(SAVED)?;
        let games = editor.database().len()?;
        if number == 0 || number > games {
            return Err(format!("no game {number}: there are {games}, counted from 1").into());
        }
        add(edits)?;
        Ok(crate::OK)
    })
}

const SAVED: &str = "this edit has ended; open the database for editing again";

/// Returns the edit that a pointer refers to.
///
/// # Safety
///
/// The pointer must be null or point to an open edit that only the caller uses during `'a`.
unsafe fn opened<'a>(edit: *mut Edit) -> Result<&'a mut Edit, Failure> {
    // SAFETY: the caller promises that it is null or valid, and not shared.
    unsafe { edit.as_mut() }.ok_or_else(|| "the edit is NULL".into())
}

/// Sets or removes a tag.
///
/// # Safety
///
/// `edit` must be null or an open edit that no other call uses, `name` a text that ends with a zero
/// byte, and `value` one, or null.
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
    // SAFETY: the caller promises that the edit is open and not shared.
    unsafe { change(edit, number, add) }
}

/// Sets and removes flags.
///
/// # Safety
///
/// `edit` must be null or an open edit that no other call uses; `set` and `remove` must be texts that
/// end with a zero byte, or null.
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
    // SAFETY: the caller promises that the edit is open and not shared.
    unsafe { change(edit, number, add) }
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
/// `edit` must be null or an open edit that no other call uses.
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
    // SAFETY: the caller promises that the edit is open and not shared.
    unsafe { change(edit, number, add) }
}

/// Replaces a game.
///
/// # Safety
///
/// `edit` must be null or an open edit that no other call uses, and `pgn` a text that ends with a
/// zero byte.
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
    // SAFETY: the caller promises that the edit is open and not shared.
    unsafe { change(edit, number, add) }
}

/// Appends a game.
///
/// # Safety
///
/// `edit` must be null or an open edit that no other call uses, and `pgn` a text that ends with a
/// zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chessdb_edit_append(edit: *mut Edit, pgn: *const c_char) -> c_int {
    guard(ERROR, || {
        // SAFETY: the caller promises that the edit is open and not shared, and that `pgn` is a text.
        let (edit, pgn) = unsafe { (opened(edit)?, text(pgn)?) };
        edit.editor.as_ref().ok_or(SAVED)?;
        edit.edits.append(Game::from_pgn(pgn)?);
        Ok(crate::OK)
    })
}

/// Saves the changes.
///
/// # Safety
///
/// `edit` must be null or an open edit that no other call uses, and `report` null or the place of a
/// pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chessdb_edit_save(edit: *mut Edit, report: *mut *mut c_char) -> c_int {
    guard(ERROR, || {
        // SAFETY: the caller promises that the place is writable, or null.
        let mut report = unsafe { report.as_mut() };
        if let Some(report) = report.as_deref_mut() {
            *report = ptr::null_mut();
        }
        // SAFETY: the caller promises that the edit is open and not shared.
        let Edit { editor, edits } = unsafe { opened(edit)? };
        let mut editor = editor.take().ok_or(SAVED)?;
        editor.record("edit by the C interface", edits.len());
        let done = editor.save(edits, &mut ())?;
        let (lines, lost) = summary(&done);
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
        let mut change = unsafe { change.as_mut() };
        if let Some(change) = change.as_deref_mut() {
            *change = ptr::null_mut();
        }
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
