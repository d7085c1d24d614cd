//! The handler for mapped files that another program truncates. Reading beyond the new end is a
//! bus error, which the operating system reports as a signal.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::Path;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::hidden::{ENDING, SLOTS, c_path, free_path, remove_hidden};

/// Start, end and file path of a mapping. An end of 0 marks a free slot.
struct Mapping {
    start: AtomicUsize,
    end: AtomicUsize,
    path: AtomicPtr<c_char>,
}

static MAPPINGS: [Mapping; SLOTS] = [const {
    Mapping {
        start: AtomicUsize::new(0),
        end: AtomicUsize::new(0),
        path: AtomicPtr::new(ptr::null_mut()),
    }
}; SLOTS];

/// Held while mappings are registered, removed or released. The handler does not need it.
static CHANGES: Mutex<()> = Mutex::new(());

fn lock() -> MutexGuard<'static, ()> {
    CHANGES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the pages of all mapped files from the memory of this process. They are loaded again
/// when they are used next, mostly from the cache of the operating system. With regular calls, a
/// pass over a large file takes little memory.
pub fn release_mapped_pages() {
    let _changes = lock();
    for slot in &MAPPINGS {
        let start = slot.start.load(Ordering::SeqCst);
        let Some(length) = slot.end.load(Ordering::SeqCst).checked_sub(start) else {
            continue;
        };
        // SAFETY: the range is a mapping of a file, shared and never written, because it is
        // registered, and it cannot be removed before the lock is free. Its contents stay the
        // same. An error means that the pages stay.
        #[expect(unsafe_code, reason = "only the system can release pages")]
        unsafe {
            libc::madvise(start as *mut c_void, length, libc::MADV_DONTNEED);
        }
    }
}

/// A registration of a mapping, which the handler knows as long as this value exists.
#[derive(Debug)]
pub(crate) struct RegisteredMapping(Option<usize>);

impl RegisteredMapping {
    pub(crate) fn new(bytes: &memmap2::Mmap, path: &Path) -> RegisteredMapping {
        let path = c_path(path).map_or(ptr::null_mut(), CString::into_raw);
        let start = bytes.as_ptr() as usize;
        let _changes = lock();
        let slot = MAPPINGS.iter().position(|slot| {
            // No address matches an end below the start.
            slot.end
                .compare_exchange(0, 1, Ordering::SeqCst, Ordering::SeqCst)
                .is_ok()
        });
        match slot.and_then(|slot| MAPPINGS.get(slot)) {
            Some(slot) => {
                slot.path.store(path, Ordering::SeqCst);
                slot.start.store(start, Ordering::SeqCst);
                slot.end.store(start + bytes.len(), Ordering::SeqCst);
            }
            None => free_path(path),
        }
        RegisteredMapping(slot)
    }
}

impl Drop for RegisteredMapping {
    fn drop(&mut self) {
        if let Some(slot) = self.0.and_then(|slot| MAPPINGS.get(slot)) {
            let _changes = lock();
            slot.start.store(usize::MAX, Ordering::SeqCst);
            let path = slot.path.swap(ptr::null_mut(), Ordering::SeqCst);
            if !ENDING.load(Ordering::SeqCst) {
                free_path(path);
            }
            slot.end.store(0, Ordering::SeqCst);
        }
    }
}

/// The exit code of the program, and the text that it prints after the name of the file.
static CODE: AtomicUsize = AtomicUsize::new(0);
static MESSAGE: AtomicPtr<c_char> = AtomicPtr::new(ptr::null_mut());

/// Makes the process end with this exit code and message if a mapped file is truncated while it
/// is read. The message follows `chessdb: FILE`. Hidden files are removed.
///
/// Without this call the operating system ends the process with a signal.
pub fn exit_on_truncation(code: u8, message: &CStr) {
    CODE.store(code.into(), Ordering::SeqCst);
    MESSAGE.store(message.to_owned().into_raw(), Ordering::SeqCst);
    // SAFETY: the structure is filled as the system requires, and the handler calls only
    // async-signal-safe functions.
    #[expect(unsafe_code, reason = "only a signal reports a truncated mapping")]
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        libc::sigemptyset(&raw mut action.sa_mask);
        libc::sigaction(libc::SIGBUS, &raw const action, ptr::null_mut());
    }
}

/// Returns whether [`exit_on_truncation`] was called.
pub fn exits_on_truncation() -> bool {
    !MESSAGE.load(Ordering::SeqCst).is_null()
}

extern "C" fn handler(signal: c_int, info: *mut libc::siginfo_t, _: *mut c_void) {
    ENDING.store(true, Ordering::SeqCst);
    // SAFETY: the system passes a valid structure to a handler with SA_SIGINFO.
    #[expect(unsafe_code, reason = "the address is in a C structure")]
    let address = unsafe { (*info).si_addr() } as usize;
    let is_here = |slot: &&Mapping| {
        let start = slot.start.load(Ordering::SeqCst);
        // Bytes after the end of the file in its last page are never read.
        let end = slot.end.load(Ordering::SeqCst);
        start <= address && address < end
    };
    let Some(mapping) = MAPPINGS.iter().find(is_here) else {
        // Not our mapping: the instruction runs again and the process ends as it would without
        // the handler. SAFETY: the default action has no preconditions.
        #[expect(unsafe_code, reason = "the default action ends the process")]
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
        }
        return;
    };
    write_stderr(c"chessdb: ".as_ptr());
    write_stderr(mapping.path.load(Ordering::SeqCst));
    write_stderr(MESSAGE.load(Ordering::SeqCst));
    remove_hidden();
    // SAFETY: it ends the process at once.
    #[expect(unsafe_code, reason = "`exit` is not async-signal-safe")]
    unsafe {
        libc::_exit(CODE.load(Ordering::SeqCst) as c_int)
    }
}

fn write_stderr(text: *const c_char) {
    if !text.is_null() {
        // SAFETY: it is a C string that is not freed once `ENDING` is set.
        #[expect(unsafe_code, reason = "only async-signal-safe functions are allowed")]
        unsafe {
            libc::write(libc::STDERR_FILENO, text.cast(), libc::strlen(text));
        }
    }
}
