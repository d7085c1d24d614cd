//! What crosses the border between C and Rust: texts, handles, messages, and no panic.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};
use std::marker::PhantomData;
use std::mem::MaybeUninit;
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
        forget();
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

/// Removes the message of the last call.
pub(crate) fn forget() {
    let _ = LAST.try_with(RefCell::take);
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

const MISALIGNED: &str = "a pointer is not aligned";

/// Returns the place of a result, or `None` if it is null. The place is cleared first, so that it is
/// null or 0 if the call fails; call this before anything that can fail.
///
/// # Safety
///
/// The pointer must be null or the place of a value that only the caller uses during `'a`.
pub(crate) unsafe fn output<'a, T: Default>(place: *mut T) -> Result<Option<&'a mut T>, Failure> {
    if place.is_null() {
        return Ok(None);
    }
    if !place.is_aligned() {
        return Err(MISALIGNED.into());
    }
    // SAFETY: the caller promises a writable place, which C need not have initialised.
    unsafe {
        place.write(T::default());
        Ok(Some(&mut *place))
    }
}

/// Checks that `length` values can begin at a pointer. Returns false if there are none.
fn has_values<T>(first: *const T, length: usize) -> Result<bool, Failure> {
    let size = length.checked_mul(size_of::<T>());
    match (first.is_null(), length) {
        (_, 0) => Ok(false),
        (true, _) => Err("an array is NULL, but its length is not 0".into()),
        _ if !first.is_aligned() => Err(MISALIGNED.into()),
        _ if size.is_none_or(|size| isize::try_from(size).is_err()) => {
            Err("an array exceeds the memory".into())
        }
        _ => Ok(true),
    }
}

/// Returns an array for results, which is filled with zeros like [`output`].
///
/// # Safety
///
/// The pointer must be null or point to `length` numbers that only the caller uses during `'a`.
pub(crate) unsafe fn array<'a>(first: *mut u32, length: usize) -> Result<&'a mut [u32], Failure> {
    if !has_values(first, length)? {
        return Ok(&mut []);
    }
    // SAFETY: the caller promises the array, and it is not longer than a slice may be.
    unsafe {
        first.write_bytes(0, length);
        Ok(slice::from_raw_parts_mut(first, length))
    }
}

/// Returns an array of the caller.
///
/// # Safety
///
/// The pointer must be null or point to `length` values that do not change during `'a`.
pub(crate) unsafe fn input<'a, T>(first: *const T, length: usize) -> Result<&'a [T], Failure> {
    if !has_values(first, length)? {
        return Ok(&[]);
    }
    // SAFETY: the caller promises the array, and it is not longer than a slice may be.
    Ok(unsafe { slice::from_raw_parts(first, length) })
}

/// Returns a structure that the caller compiled with this or an older header, where its last members
/// are missing and 0. One of a newer header must have 0 in the members that this library lacks.
///
/// # Safety
///
/// The pointer must point to `size` bytes, and `T` must permit any bytes.
pub(crate) unsafe fn sized<T: Copy>(structure: *const T, size: usize) -> Result<T, Failure> {
    // A size that ends within a member would give half a pointer.
    let is_possible =
        size > 0 && size.is_multiple_of(align_of::<T>()) && isize::try_from(size).is_ok();
    if !is_possible {
        return Err("the size of a structure is wrong; set it with sizeof".into());
    }
    // SAFETY: the caller promises the bytes, and any bytes for `T`; zeros are such bytes.
    unsafe {
        let bytes = slice::from_raw_parts(structure.cast::<u8>(), size);
        let (known, newer) = bytes.split_at(size.min(size_of::<T>()));
        if newer.iter().any(|byte| *byte != 0) {
            return Err("a structure has members that this version of the library lacks".into());
        }
        let mut copy = MaybeUninit::<T>::zeroed();
        ptr::copy_nonoverlapping(known.as_ptr(), copy.as_mut_ptr().cast(), known.len());
        Ok(copy.assume_init())
    }
}

/// The places of structures that the caller compiled with this or a newer header.
pub(crate) struct Records<'a, T> {
    places: slice::ChunksExactMut<'a, u8>,
    of: PhantomData<T>,
}

/// Returns the places of `capacity` structures of `size` bytes, which are filled with zeros like
/// [`output`].
///
/// # Safety
///
/// The pointer must be null or point to as many bytes, which only the caller uses during `'a`.
pub(crate) unsafe fn records<'a, T: Copy>(
    first: *mut T,
    capacity: usize,
    size: usize,
) -> Result<Records<'a, T>, Failure> {
    if size < size_of::<T>() {
        return Err("the size of a structure is wrong; pass sizeof".into());
    }
    let length = capacity
        .checked_mul(size)
        .ok_or("an array exceeds the memory")?;
    let bytes = if has_values(first.cast::<u8>(), length)? {
        // SAFETY: the caller promises the bytes, not more than a slice may have.
        unsafe {
            first.cast::<u8>().write_bytes(0, length);
            slice::from_raw_parts_mut(first.cast(), length)
        }
    } else {
        &mut []
    };
    Ok(Records {
        places: bytes.chunks_exact_mut(size),
        of: PhantomData,
    })
}

impl<T: Copy> Records<'_, T> {
    /// Stores a value in the next place, if there is one.
    pub(crate) fn put(&mut self, value: T) {
        if let Some(place) = self.places.next() {
            // SAFETY: the place has at least as many bytes as the value.
            unsafe { place.as_mut_ptr().cast::<T>().write_unaligned(value) };
        }
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
            assert!(matches!(output::<u32>(ptr::null_mut()), Ok(None)));
            assert!(text(ptr::null()).is_err());
            assert!(path(ptr::null()).is_err());
            assert!(matches!(optional_text(ptr::null()), Ok(None)));
            assert!(array(ptr::null_mut(), 1).is_err());
            assert!(array(ptr::null_mut(), 0).is_ok());
            assert!(input::<u8>(ptr::null(), 1).is_err());
            assert!(records::<u32>(ptr::null_mut(), 1, 4).is_err());
            free(ptr::null_mut());
        }
    }

    #[test]
    fn impossible_lengths_and_addresses_are_errors() {
        let mut numbers = [7u32; 2];
        let first = numbers.as_mut_ptr();
        let odd = first.wrapping_byte_add(1);
        // SAFETY: the lengths and addresses are refused before the memory is used.
        unsafe {
            assert!(array(first, usize::MAX).is_err());
            assert!(array(first, usize::MAX / 8 + 1).is_err());
            assert!(array(odd, 1).is_err());
            assert!(output(odd).is_err());
            assert!(input(odd.cast_const(), 1).is_err());
            assert!(records(first, usize::MAX, 8).is_err());
            assert!(records(first, 2, 3).is_err());
            assert!(sized(first, usize::MAX).is_err());
            assert!(sized(first, 0).is_err());
            assert!(sized(first, 6).is_err());
        }
        assert_eq!(numbers, [7; 2]);
    }

    #[test]
    fn structures_of_other_headers_are_read_as_far_as_known() {
        let old = [16usize, 5, 6, 0];
        let read = |size| {
            // SAFETY: the array has as many bytes.
            unsafe { sized(old.as_ptr().cast::<[usize; 3]>(), size) }.ok()
        };
        assert_eq!(read(2 * size_of::<usize>()), Some([16, 5, 0]));
        assert_eq!(read(4 * size_of::<usize>()), Some([16, 5, 6]));
        let newer = [24usize, 5, 6, 1];
        // SAFETY: the array has as many bytes.
        let refused = unsafe { sized(newer.as_ptr().cast::<[usize; 3]>(), size_of_val(&newer)) };
        assert!(refused.is_err());
    }

    #[test]
    fn records_keep_the_stride_of_the_caller() {
        let mut places = [[9u16; 3]; 3];
        // SAFETY: two places of six bytes are within the array.
        let mut records = unsafe { records(places.as_mut_ptr().cast::<u16>(), 2, 6).ok() }.unwrap();
        for value in [1, 2, 3] {
            records.put(value);
        }
        assert_eq!(places, [[1, 0, 0], [2, 0, 0], [9; 3]]);
    }
}
