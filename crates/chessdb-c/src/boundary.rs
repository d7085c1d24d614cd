//! What crosses the border between C and Rust: texts, handles, messages, and no panic.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::{ptr, slice};

thread_local! {
    /// The message of the last call on this thread.
    static LAST: RefCell<Option<CString>> = const { RefCell::new(None) };
}

/// The reason why a call failed.
pub(crate) struct Failure(String);

impl From<&str> for Failure {
    fn from(message: &str) -> Failure {
        Failure(message.to_owned())
    }
}

impl From<String> for Failure {
    fn from(message: String) -> Failure {
        Failure(message)
    }
}

impl From<chessdb::Error> for Failure {
    fn from(error: chessdb::Error) -> Failure {
        Failure(error.to_string())
    }
}

/// Runs the body of a function of the interface. Returns `failed` after an error or a panic, with
/// its message as that of the call.
///
/// A panic leaves no value half changed that a later call could see: databases are only read, and
/// their caches are replaced as a whole.
pub(crate) fn guard<T>(failed: T, body: impl FnOnce() -> Result<T, Failure>) -> T {
    let result = catch_unwind(AssertUnwindSafe(|| {
        LAST.with(|last| last.borrow_mut().take());
        body()
    }));
    let message = match result {
        Ok(Ok(value)) => return value,
        Ok(Err(Failure(message))) => message,
        Err(panic) => format!("internal error: {}", text_of_panic(&*panic)),
    };
    remember(&message);
    failed
}

fn text_of_panic(panic: &(dyn Any + Send)) -> &str {
    match panic.downcast_ref::<String>() {
        Some(text) => text,
        None => panic.downcast_ref().copied().unwrap_or("a panic"),
    }
}

/// Sets the message of the current call.
pub(crate) fn remember(message: &str) {
    let message = CString::new(message.replace('\0', " ")).unwrap_or_default();
    // A thread that ends has no message any more.
    let _ = LAST.try_with(|last| last.replace(Some(message)));
}

/// Returns the message of the last call, or null.
pub(crate) fn last() -> *const c_char {
    let read = LAST.try_with(|last| {
        let last = last.try_borrow().ok()?;
        Some(last.as_ref()?.as_ptr())
    });
    read.ok().flatten().unwrap_or(ptr::null())
}

/// Returns a text that belongs to the caller.
pub(crate) fn to_c(text: &str) -> Result<*mut c_char, Failure> {
    match CString::new(text) {
        Ok(text) => Ok(text.into_raw()),
        Err(_) => Err("a text contains a zero byte, which C cannot represent".into()),
    }
}

/// Frees a text of [`to_c`].
///
/// # Safety
///
/// The text must be null or from [`to_c`], and must not be used again.
pub(crate) unsafe fn free(text: *mut c_char) {
    if !text.is_null() {
        // SAFETY: the caller promises that it is from `CString::into_raw`.
        drop(unsafe { CString::from_raw(text) });
    }
}

/// Returns the value behind a pointer that may be shared.
///
/// # Safety
///
/// The pointer must be null or point to a value that lives for `'a` and that nobody changes.
pub(crate) unsafe fn shared<'a, T>(pointer: *const T) -> Result<&'a T, Failure> {
    // SAFETY: the caller promises that it is null or valid.
    unsafe { pointer.as_ref() }.ok_or_else(|| "the database is NULL".into())
}

/// Returns the place behind a pointer.
///
/// # Safety
///
/// The pointer must be null or point to a value that only the caller uses during `'a`.
pub(crate) unsafe fn place<'a, T>(pointer: *mut T) -> Result<&'a mut T, Failure> {
    // SAFETY: the caller promises that it is null or valid, and not shared.
    unsafe { pointer.as_mut() }.ok_or_else(|| "the place of the result is NULL".into())
}

/// Returns an array of numbers.
///
/// # Safety
///
/// The pointer must be null or point to `length` numbers that only the caller uses during `'a`.
pub(crate) unsafe fn array<'a>(first: *mut u32, length: usize) -> Result<&'a mut [u32], Failure> {
    const LARGEST: usize = isize::MAX as usize / size_of::<u32>();
    match (first.is_null(), length) {
        (_, 0) => Ok(&mut []),
        (true, _) => Err("the array is NULL, but its capacity is not 0".into()),
        (false, LARGEST..) => Err("the capacity exceeds the memory".into()),
        // SAFETY: the caller promises the array, and it is not longer than a slice may be.
        (false, _) => Ok(unsafe { slice::from_raw_parts_mut(first, length) }),
    }
}

/// Returns the bytes of a text.
///
/// # Safety
///
/// The pointer must be null or point to bytes of which one is 0, and which nobody changes during
/// `'a`.
unsafe fn bytes<'a>(text: *const c_char) -> Option<&'a [u8]> {
    // SAFETY: it is not null, so the caller promises bytes up to a zero.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_bytes())
}

/// Returns a text, or `None` if it is null.
///
/// # Safety
///
/// The pointer must be null or point to a text that ends with a zero byte, and which nobody changes
/// during `'a`.
pub(crate) unsafe fn optional_text<'a>(text: *const c_char) -> Result<Option<&'a str>, Failure> {
    // SAFETY: the caller promises the text.
    let Some(bytes) = (unsafe { bytes(text) }) else {
        return Ok(None);
    };
    let text = std::str::from_utf8(bytes);
    text.map(Some)
        .map_err(|_| "a text that is not in UTF-8".into())
}

/// Returns a text that must not be null.
///
/// # Safety
///
/// The same as for [`optional_text`].
pub(crate) unsafe fn text<'a>(text: *const c_char) -> Result<&'a str, Failure> {
    // SAFETY: the caller promises the text.
    unsafe { optional_text(text)? }.ok_or_else(|| "a text is NULL".into())
}

/// Returns the path that a text names.
///
/// # Safety
///
/// The same as for [`optional_text`].
pub(crate) unsafe fn path(text: *const c_char) -> Result<PathBuf, Failure> {
    // SAFETY: the caller promises the text.
    let bytes = unsafe { bytes(text) }.ok_or("a path is NULL")?;
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        Ok(std::ffi::OsStr::from_bytes(bytes).into())
    }
    #[cfg(not(unix))]
    {
        let text = std::str::from_utf8(bytes).map_err(|_| "a path that is not in UTF-8")?;
        Ok(text.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message() -> Option<String> {
        let last = last();
        // SAFETY: `last` is null or a text that no other call has replaced.
        (!last.is_null()).then(|| unsafe { CStr::from_ptr(last) }.to_string_lossy().into())
    }

    #[test]
    fn panic_becomes_an_error_message() {
        assert_eq!(guard(-1, || panic!("the knight is on a rim")), -1);
        assert_eq!(message().unwrap(), "internal error: the knight is on a rim");
        assert_eq!(guard(-1, || Ok(3)), 3);
        assert_eq!(message(), None);
        assert_eq!(guard(-1, || Err("no\0such game".into())), -1);
        assert_eq!(message().unwrap(), "no such game");
    }

    #[test]
    fn null_pointer_is_an_error() {
        // SAFETY: null is permitted.
        unsafe {
            assert!(shared::<u32>(ptr::null()).is_err());
            assert!(place::<u32>(ptr::null_mut()).is_err());
            assert!(text(ptr::null()).is_err());
            assert!(path(ptr::null()).is_err());
            assert!(matches!(optional_text(ptr::null()), Ok(None)));
            assert!(array(ptr::null_mut(), 1).is_err());
            assert!(array(ptr::null_mut(), 0).is_ok());
            free(ptr::null_mut());
        }
    }
}
