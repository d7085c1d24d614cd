//! Hidden files that are removed when the process is interrupted.
//!
//! A signal handler may not call anything that takes a lock or allocates. Therefore paths are
//! stored as C strings in static slots, which the handler reads without a lock.

use std::ffi::{CString, c_char};
use std::path::Path;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use crate::system;

/// The maximum number of files that a signal removes. A writer needs one slot for each file of a
/// database.
pub(crate) const SLOTS: usize = 256;

static PATHS: [AtomicPtr<c_char>; SLOTS] = [const { AtomicPtr::new(ptr::null_mut()) }; SLOTS];

/// Whether the process is about to end, so that no path may be freed any more.
pub(crate) static ENDING: AtomicBool = AtomicBool::new(false);

/// A registration of a hidden file, which [`remove_hidden`] and the signal handler remove as long
/// as this value exists.
#[derive(Debug)]
pub struct HiddenFileGuard(Option<usize>);

impl HiddenFileGuard {
    /// Registers the file at this path.
    pub fn new(path: &Path) -> HiddenFileGuard {
        let Some(path) = c_path(path) else {
            return HiddenFileGuard(None);
        };
        let path = path.into_raw();
        let free = |slot: &AtomicPtr<c_char>| {
            let empty = ptr::null_mut();
            slot.compare_exchange(empty, path, Ordering::SeqCst, Ordering::SeqCst)
                .is_ok()
        };
        let slot = PATHS.iter().position(free);
        if slot.is_none() {
            free_path(path);
        }
        HiddenFileGuard(slot)
    }
}

impl Drop for HiddenFileGuard {
    fn drop(&mut self) {
        if let Some(slot) = self.0.and_then(|slot| PATHS.get(slot)) {
            let path = slot.swap(ptr::null_mut(), Ordering::SeqCst);
            // The thread that ends the process may just have read the path.
            if !ENDING.load(Ordering::SeqCst) {
                free_path(path);
            }
        }
    }
}

/// Removes all registered hidden files. The process must end after this.
///
/// Files of a commit that has begun are not registered any more: the next program that opens the
/// database finishes it.
pub fn remove_hidden() {
    ENDING.store(true, Ordering::SeqCst);
    for slot in &PATHS {
        let path = slot.load(Ordering::SeqCst);
        if !path.is_null() {
            system::unlink(path);
        }
    }
}

pub(crate) fn c_path(path: &Path) -> Option<CString> {
    // The current folder may change, the file must not.
    let path = std::path::absolute(path).ok()?;
    CString::new(system::bytes(&path)?).ok()
}

pub(crate) fn free_path(path: *mut c_char) {
    if !path.is_null() {
        // SAFETY: it is from `CString::into_raw` in `HiddenFileGuard::new`, and no slot has it any more.
        #[expect(unsafe_code, reason = "a signal handler needs plain pointers")]
        drop(unsafe { CString::from_raw(path) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_remembered_files_use_a_slot() {
        let count = || {
            PATHS
                .iter()
                .filter(|slot| !slot.load(Ordering::SeqCst).is_null())
                .count()
        };
        let files: Vec<HiddenFileGuard> = (0..SLOTS + 3)
            .map(|n| HiddenFileGuard::new(Path::new(&n.to_string())))
            .collect();
        assert_eq!(count(), SLOTS);
        assert_eq!(files.iter().filter(|file| file.0.is_none()).count(), 3);
        drop(files);
        assert_eq!(count(), 0);
    }
}
