//! The functions of the module `sevenzip` for a build that cannot read 7z archives.

use std::io::{self, Read, Seek};

use super::directory::ArchiveListing;
use super::{Open, Stream};
use crate::error::Problem;

/// No member exists, because no archive is listed.
#[derive(Clone, Copy, Debug)]
pub(super) enum SevenZipMember {}

/// No block exists, because nothing is unpacked.
#[derive(Debug)]
pub(super) enum UnpackedBlock {}

pub(super) fn list<R: Read + Seek>(_: Open<'_, R>) -> Result<ArchiveListing, Problem> {
    Err(Problem::MissingFeature("archives"))
}

pub(super) fn member<R: Read + Seek>(
    _: &mut dyn FnMut() -> io::Result<R>,
    member: SevenZipMember,
    _: &mut Option<UnpackedBlock>,
) -> Result<Stream<'static>, Problem> {
    match member {}
}
