//! Opening of the index and the games file.

use chessdb_core::error::Location;
use chessdb_core::report::GameReport;
use chessdb_core::{ErrorKind, FileSet, Result, Severity};

use crate::raw::{Entry, FileHeader, FileKind, Layout, Magic};
use crate::report::ReportExt as _;
use crate::roles::{DCG_FILE, DCI_FILE};
use crate::unindexed::valid_record;

/// Returns the index, and whether its header is valid. A damaged database may also have an index
/// without a header, or none.
pub(super) fn open_index<'a>(
    files: &'a dyn FileSet,
    report: &mut GameReport<'_>,
) -> Result<(&'a [u8], bool)> {
    let index = files
        .require(DCI_FILE)
        .and_then(|index| FileHeader::check_magic(index).map(|()| index));
    match index {
        Err(fault) if report.options.salvage => {
            let (kind, location) = fault.into_parts();
            report.lost(kind, location)?;
            Ok((files.get(DCI_FILE).unwrap_or_default(), false))
        }
        index => Ok((index?, true)),
    }
}

/// Returns the entries of an index that has lost its header or other bytes at its beginning: from
/// the byte offset at which most of them lead to a record.
pub(super) fn aligned<'a>(index: &'a [u8], layout: Layout, games: &[u8]) -> &'a [u8] {
    const SAMPLE: usize = 200;
    let size = layout.entry.bytes();
    let leads = |bytes: &[u8]| {
        Entry::parse(layout.entry, bytes)
            .and_then(|entry| usize::try_from(entry.offset).ok())
            .filter(|&start| start >= Magic::SIZE)
            .and_then(|start| games.get(start..))
            .is_some_and(|rest| valid_record(rest).is_some())
    };
    let leading = |from: &usize| {
        let rest = index.get(*from..).unwrap_or_default();
        let sample = rest.chunks_exact(size).take(SAMPLE);
        sample.filter(|bytes| leads(bytes)).count()
    };
    // `max_by_key` returns the last of equal offsets: in reverse, the first one.
    let best = (0..size).rev().max_by_key(leading).unwrap_or(0);
    index.get(best..).unwrap_or_default()
}

/// Checks the header and the tail of an index.
pub(super) fn check_index(
    index: &[u8],
    file_header: &FileHeader,
    layout: Layout,
    tail: &[u8],
    report: &mut GameReport<'_>,
) -> Result<()> {
    if index.is_empty() {
        let what = ErrorKind::Structure("an empty file");
        return report.file(Severity::Note, what, DCI_FILE);
    }
    report.magic(&file_header.magic, FileKind::Index)?;
    if let Some(version @ 1..) = file_header.version {
        let location = Location::byte(DCI_FILE, Magic::SIZE as u64);
        let what = ErrorKind::bad_field("version", version);
        report.note(what, location)?;
    }
    if matches!(layout.letter(), 'D' | 'E') {
        let what = ErrorKind::Structure("a documented layout that no known program writes");
        report.file(Severity::Note, what, DCI_FILE)?;
    }
    if !tail.is_empty() {
        let what = ErrorKind::truncated(
            "an entry of the index",
            layout.entry.bytes() as u64,
            tail.len() as u64,
        );
        let location = Location::byte(DCI_FILE, (index.len() - tail.len()) as u64);
        report.note(what, location)?;
    }
    Ok(())
}

/// Opens the games file. If it is missing or empty, no offset leads to a game.
pub(super) fn open_games<'a>(
    files: &'a dyn FileSet,
    games: u32,
    report: &mut GameReport<'_>,
) -> Result<&'a [u8]> {
    let Some(bytes) = files.get(DCG_FILE) else {
        report.file(Severity::Lost, ErrorKind::MissingFile(DCG_FILE), DCG_FILE)?;
        return Ok(&[]);
    };
    // The reference writer leaves two empty files when it stops early.
    if !(bytes.is_empty() && games == 0) {
        report.magic(&Magic::parse(bytes).0, FileKind::Games)?;
    }
    Ok(bytes)
}
