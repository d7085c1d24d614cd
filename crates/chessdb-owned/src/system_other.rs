//! Paths and files on systems other than Unix.

use std::ffi::{CStr, c_char};
use std::path::Path;

pub(crate) fn bytes(path: &Path) -> Option<&[u8]> {
    path.to_str().map(str::as_bytes)
}

/// Removes a file whose path is in a slot.
pub(crate) fn unlink(path: *mut c_char) {
    // SAFETY: paths in slots are C strings, and none is freed once `ENDING` is set.
    #[expect(unsafe_code, reason = "slots hold plain pointers")]
    let path = unsafe { CStr::from_ptr(path) };
    if let Ok(path) = path.to_str() {
        let _ = std::fs::remove_file(path);
    }
}
