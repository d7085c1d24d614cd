#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
// The interface consists of raw pointers and of functions with names of their own. Each block
// states why it is sound. Everything behind the interface is the facade, without unsafe code.
#![allow(unsafe_code, reason = "C passes raw pointers")]
#![deny(unsafe_op_in_unsafe_fn, clippy::undocumented_unsafe_blocks)]

mod boundary;
mod convert;
mod edit;
mod games;
mod handles;
mod open;
mod progress;
mod search;

use std::ffi::{c_char, c_int};

use boundary::guard;

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

pub use convert::chessdb_convert;
pub use edit::{
    Edit, chessdb_edit_append, chessdb_edit_close, chessdb_edit_delete, chessdb_edit_flags,
    chessdb_edit_open, chessdb_edit_replace, chessdb_edit_save, chessdb_edit_tag, chessdb_undo,
};
pub use games::{Move, chessdb_game_moves, chessdb_game_pgn, chessdb_rows};
pub use open::{
    File, Options, chessdb_close, chessdb_count, chessdb_create, chessdb_format, chessdb_open,
    chessdb_open_files, chessdb_open_with,
};
pub use progress::{Progress, chessdb_watch};
pub use search::chessdb_find;

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

/// Remembers what is missing, and returns whether anything is.
fn completion(missing: Vec<String>) -> c_int {
    if missing.is_empty() {
        return OK;
    }
    boundary::remember(&missing.join("; "));
    INCOMPLETE
}
