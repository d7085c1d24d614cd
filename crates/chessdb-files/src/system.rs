//! Properties of files that Unix alone has.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata, OpenOptions};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

/// Makes the system refuse links, and return at once for a pipe.
pub(crate) fn refuse_special(options: &mut OpenOptions) {
    options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
}

/// Returns the device and the number of the file at a path, which no other file has. `data` are its
/// properties.
#[expect(clippy::unnecessary_wraps, reason = "other systems return `None`")]
pub(crate) fn identity(_: &Path, data: &Metadata) -> Option<(u64, u64)> {
    Some((data.dev(), data.ino()))
}

/// Returns the device and the number of an open file.
pub(crate) fn identity_of(file: &File) -> Option<(u64, u64)> {
    let data = file.metadata().ok()?;
    Some((data.dev(), data.ino()))
}

/// Returns whether the file at a path may have several names.
pub(crate) fn may_have_links(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|data| data.nlink() > 1)
}

/// Returns the bytes of a file name.
#[expect(
    clippy::unnecessary_wraps,
    reason = "not every name has bytes elsewhere"
)]
pub(crate) fn bytes_of(name: &OsStr) -> Option<&[u8]> {
    Some(name.as_bytes())
}

/// Returns the file name with these bytes.
#[expect(
    clippy::unnecessary_wraps,
    reason = "not all bytes are names elsewhere"
)]
pub(crate) fn name_of(bytes: Vec<u8>) -> Option<OsString> {
    Some(OsString::from_vec(bytes))
}
