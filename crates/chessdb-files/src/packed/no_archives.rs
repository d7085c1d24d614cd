//! The functions of the module `archives` for a build that cannot unpack.

use std::ffi::OsStr;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};

use chessdb_core::files::FileSink;

use super::{Archive, Method, NO_ARCHIVE, NO_UNPACKING, Open, Packing, Stream};
use crate::error::Problem;

/// No key exists, because this build cannot read encrypted archives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Key {}

/// Returns `None`, because there is nothing to unlock.
pub fn key_of(_: &str) -> Option<Key> {
    None
}

pub(super) fn recognised(_: &[u8], _: Option<Key>) -> Option<Archive> {
    None
}

pub(super) fn is_tar(_: &[u8]) -> bool {
    false
}

pub(super) fn undo(packing: Packing, packed: Stream<'_>) -> Result<Stream<'_>, Problem> {
    match packing {
        Packing::None => Ok(packed),
        Packing::Zip | Packing::SevenZip => Err(Problem::Packed(NO_ARCHIVE)),
        _ => Err(Problem::Packed(NO_UNPACKING)),
    }
}

/// Returns an error, because this build cannot pack.
///
/// # Errors
///
/// Always.
pub fn packing_sink<'s>(
    _: &'s mut dyn FileSink,
    _: Method,
    _: &OsStr,
    _: Option<Key>,
) -> Result<Box<dyn FileSink + 's>, Problem> {
    Err(Problem::Packed(
        "this build cannot pack files: the feature `zip` is missing",
    ))
}

/// No directory exists, because this build cannot unpack anything.
#[derive(Debug)]
pub enum Directory {}

impl Directory {
    pub(super) fn read<R: Read + Seek + Send + 'static>(
        _: Archive,
        _: Open<'_, R>,
    ) -> Result<Directory, Problem> {
        Err(Problem::Packed(NO_UNPACKING))
    }

    pub(crate) fn names(&self) -> Vec<PathBuf> {
        match *self {}
    }

    pub(crate) fn renamed(&self) -> &[(PathBuf, String)] {
        match *self {}
    }

    pub(crate) fn unread(&self) -> &[PathBuf] {
        match *self {}
    }

    pub(crate) fn contains(&self, _: &Path) -> bool {
        match *self {}
    }

    pub(crate) fn member<R: Read + Seek + Send + 'static>(
        &self,
        _: impl FnMut() -> io::Result<R>,
        _: &Path,
    ) -> Result<Stream<'static>, Problem> {
        match *self {}
    }
}
