//! The functions of the module `system` for systems other than Unix.

use std::ffi::{OsStr, OsString};
use std::fs::{Metadata, OpenOptions};

pub(crate) fn refuse_special(_: &mut OpenOptions) {}

pub(crate) fn identity(_: &Metadata) -> Option<(u64, u64)> {
    None
}

pub(crate) fn may_have_links(_: &Metadata) -> bool {
    true
}

pub(crate) fn bytes_of(name: &OsStr) -> Option<&[u8]> {
    name.to_str().map(str::as_bytes)
}

pub(crate) fn name_of(bytes: Vec<u8>) -> Option<OsString> {
    String::from_utf8(bytes).ok().map(OsString::from)
}
