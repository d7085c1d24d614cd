//! Paths and files on systems other than Unix.

use std::ffi::{CStr, c_char};
use std::path::Path;

pub(crate) fn bytes(path: &Path) -> Option<&[u8]> {
    path.to_str().map(str::as_bytes)
}

/// Returns whether the window of the console belongs to this program alone, so that it closes when the
/// program ends: the user started it by a double click, not in a shell. Always false outside Windows.
pub fn has_own_console() -> bool {
    #[cfg(windows)]
    {
        use windows_sys::Win32::System::Console::GetConsoleProcessList;
        let mut processes = [0; 2];
        // SAFETY: the system writes at most two numbers, and the list has two.
        #[expect(unsafe_code, reason = "the standard library lacks this function")]
        let count = unsafe { GetConsoleProcessList(processes.as_mut_ptr(), 2) };
        count == 1
    }
    #[cfg(not(windows))]
    false
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
