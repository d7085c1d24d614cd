//! Paths and files on Unix.

use std::ffi::c_char;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

#[expect(
    clippy::unnecessary_wraps,
    reason = "not every path has bytes elsewhere"
)]
pub(crate) fn bytes(path: &Path) -> Option<&[u8]> {
    Some(path.as_os_str().as_bytes())
}

/// Returns whether the console belongs to this program alone. Other systems close no window.
pub fn has_own_console() -> bool {
    false
}

/// Removes a file whose path is in a slot.
pub(crate) fn unlink(path: *mut c_char) {
    // SAFETY: paths in slots are C strings, and none is freed once `ENDING` is set.
    #[expect(
        unsafe_code,
        reason = "a signal handler may call only async-signal-safe functions"
    )]
    unsafe {
        libc::unlink(path);
    }
}
