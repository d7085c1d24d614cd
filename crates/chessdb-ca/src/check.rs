//! The consistency check: contradictions within and between the files.

use chessdb_core::error::Location;
use chessdb_core::files::Role;
use chessdb_core::report::Finding;
use chessdb_core::{ErrorKind, FileSet, ReadOptions, Severity};

use crate::raw::{
    DirectoryEntry, Emb, GameRecord, LIST_NAMES, ListFiles, NameList, PlayerData, ScatteredRecords,
    addresses, record_offsets,
};
use crate::roles::{A02_FILE, D00_FILE, D02_FILE, EMB_FILE};

type Report<'f> = &'f mut dyn FnMut(Finding);

/// Checks record offsets, fragments, unreadable names, sort orders and sizes.
pub(crate) fn check(files: &dyn FileSet, _: &ReadOptions, report: &mut dyn FnMut(Finding)) {
    check_names(files, report);
    check_records(files, report);
}

fn note(report: Report<'_>, severity: Severity, text: String, file: Role, offset: Option<u64>) {
    let location = offset.map_or(Location::file(file), |offset| Location::byte(file, offset));
    report(Finding::new(
        severity,
        ErrorKind::Other(text.into()),
        location,
    ));
}

/// Checks the EMB and the name lists (sections 3 and 4).
fn check_names(files: &dyn FileSet, report: Report<'_>) {
    let Some(Ok(emb)) = files.get(EMB_FILE).map(Emb::parse) else {
        return;
    };
    check_fragments(&emb, report);
    let entries = emb.entries.iter().enumerate();
    // The description gives these two numbers without a meaning, so others are no damage.
    for (n, entry) in entries.filter(|(_, entry)| (entry.first, entry.second) != (0, 2)) {
        let offset = entry_place(&emb, n);
        let text = format!(
            "directory entry {n} begins with {} and {}",
            entry.first, entry.second
        );
        note(report, Severity::Note, text, EMB_FILE, offset);
    }
    for (index, name) in LIST_NAMES.into_iter().enumerate() {
        check_list(name, ListFiles::find(&emb, name), index == 0, report);
    }
}

/// Returns the file offset of directory entry `n`, or `None` if it is not in the first fragment of
/// the directory.
fn entry_place(emb: &Emb<'_>, n: usize) -> Option<u64> {
    let first = emb.directory.fragments.first()?;
    let start = (n * DirectoryEntry::SIZE) as u64;
    (start < first.length.into()).then(|| u64::from(first.offset) + start)
}

fn check_fragments(emb: &Emb<'_>, report: Report<'_>) {
    let all = std::iter::once(&emb.directory).chain(&emb.files);
    let mut ranges: Vec<_> = all.flat_map(|file| file.ranges()).collect();
    ranges.sort_unstable();
    let mut covered = 0;
    for (start, length) in ranges {
        if start < covered && length > 0 {
            let text = "a fragment or fragment table overlaps another".to_owned();
            note(report, Severity::Note, text, EMB_FILE, Some(start as u64));
        }
        // A long fragment may contain several shorter ones, so the furthest end counts.
        covered = covered.max(start + length);
    }
}

fn check_list(name: &str, files: ListFiles<'_>, players: bool, report: Report<'_>) {
    let list = NameList::new(files, players);
    let mut note_list = |severity, text: String| note(report, severity, text, EMB_FILE, None);
    let bad = (0..list.len())
        .filter(|&id| list.name(id).is_none())
        .count();
    if bad > 0 {
        note_list(
            Severity::Lost,
            format!("{bad} numbers of {name}.a01 refer to no name"),
        );
    }
    let sorted = addresses(files.iii).0;
    let mut present = sorted.clone();
    present.sort_unstable();
    // The sort order is only an index: a list without one is complete (section 4.3).
    if !sorted.is_empty() && !present.iter().copied().eq(0..list.len() as i32) {
        note_list(
            Severity::Note,
            format!(
                "{name}.iii is not a permutation of the {} names",
                list.len()
            ),
        );
    }
    let mask = list.len().div_ceil(8);
    for (suffix, bytes) in [("axx", files.axx), ("dxx", files.dxx)] {
        if bytes.len() != mask {
            let length = bytes.len();
            note_list(
                Severity::Note,
                format!("{name}.{suffix} has {length} bytes instead of {mask}"),
            );
        }
    }
    let rows = list.len() * PlayerData::SIZE;
    if players && files.d00.len() != rows {
        let length = files.d00.len();
        note_list(
            Severity::Note,
            format!("{name}.d00 has {length} bytes instead of {rows}"),
        );
    }
}

/// Checks the records (sections 5 and 7). Two headers may share a record, but records should not
/// overlap in part. Bytes between them are allowed, and are left by changes.
fn check_records(files: &dyn FileSet, report: Report<'_>) {
    let (Some(d02), Some(a02)) = (files.get(D02_FILE), files.get(A02_FILE)) else {
        return;
    };
    let offsets = record_offsets(files);
    let records = ScatteredRecords::<GameRecord<'_>>::parse(d02, offsets);
    let mut covered = 0;
    for (offset, record) in &records.records {
        let start = *offset as usize;
        if start < covered {
            let text = "a record begins inside another record".to_owned();
            note(report, Severity::Note, text, D02_FILE, Some(start as u64));
        }
        covered = covered.max(start + record.size());
    }
    let raw_headers = files
        .get(D00_FILE)
        .unwrap_or_default()
        .as_chunks::<38>()
        .0
        .len();
    let entries = a02.len() / 4;
    if entries > raw_headers {
        let text = format!("the database has {entries} addresses for {raw_headers} games");
        note(report, Severity::Note, text, A02_FILE, None);
    }
}
