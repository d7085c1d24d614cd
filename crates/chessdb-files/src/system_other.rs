//! The functions of the module `system` for systems other than Unix.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata, OpenOptions};
use std::path::Path;

#[cfg(windows)]
pub(crate) use self::windows::{identity, identity_of, may_have_links, refuse_special};

#[cfg(windows)]
mod windows {
    use std::os::windows::fs::OpenOptionsExt;

    use winapi_util::file::{Information, information};

    use super::{File, Metadata, OpenOptions, Path};

    /// Opens a link, not the file to which it leads.
    const OPEN_REPARSE_POINT: u32 = 0x0020_0000;
    /// Opens folders, too.
    const BACKUP_SEMANTICS: u32 = 0x0200_0000;

    pub(crate) fn refuse_special(options: &mut OpenOptions) {
        options.custom_flags(OPEN_REPARSE_POINT);
    }

    pub(crate) fn identity(path: &Path, _: &Metadata) -> Option<(u64, u64)> {
        numbers(&properties(path)?)
    }

    pub(crate) fn identity_of(file: &File) -> Option<(u64, u64)> {
        numbers(&information(file).ok()?)
    }

    pub(crate) fn may_have_links(path: &Path) -> bool {
        properties(path).is_none_or(|properties| properties.number_of_links() > 1)
    }

    /// Returns the number of the volume and of the file in it. Some network shares have none.
    fn numbers(properties: &Information) -> Option<(u64, u64)> {
        let file = properties.file_index();
        (file != 0).then(|| (properties.volume_serial_number(), file))
    }

    fn properties(path: &Path) -> Option<Information> {
        let mut options = OpenOptions::new();
        // Without any right to read or write, files in use can be examined.
        options.access_mode(0).custom_flags(BACKUP_SEMANTICS);
        information(options.open(path).ok()?).ok()
    }
}

#[cfg(not(windows))]
pub(crate) fn refuse_special(_: &mut OpenOptions) {}

#[cfg(not(windows))]
pub(crate) fn identity(_: &Path, _: &Metadata) -> Option<(u64, u64)> {
    None
}

#[cfg(not(windows))]
pub(crate) fn identity_of(_: &File) -> Option<(u64, u64)> {
    None
}

#[cfg(not(windows))]
pub(crate) fn may_have_links(_: &Path) -> bool {
    true
}

pub(crate) fn bytes_of(name: &OsStr) -> Option<&[u8]> {
    name.to_str().map(str::as_bytes)
}

pub(crate) fn name_of(bytes: Vec<u8>) -> Option<OsString> {
    String::from_utf8(bytes).ok().map(OsString::from)
}
