//! Plain files under names where another user may put something else.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

use crate::error::SinkFault;
use crate::system;

/// Opens a plain file for reading. Links are not followed. A pipe, device or folder is an error at
/// once and never blocks.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    open_with(OpenOptions::new().read(true), path)
}

/// Opens a plain file with these options. The rules of [`open`] apply.
pub(crate) fn open_with(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    if is_special(path) {
        return Err(io::Error::other(SinkFault::NotRegularFile));
    }
    // The system refuses anything that takes the name after this check.
    system::refuse_special(options);
    let file = options.open(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::other(SinkFault::NotRegularFile))
    }
}

/// Returns whether something other than a plain file has this name.
pub(crate) fn is_special(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|data| !data.is_file())
}

/// Returns whether [`open_with`] failed because the path is not a plain file.
pub(crate) fn is_special_error(error: &io::Error) -> bool {
    let inner = error
        .get_ref()
        .and_then(|inner| inner.downcast_ref::<SinkFault>());
    matches!(inner, Some(SinkFault::NotRegularFile))
}
