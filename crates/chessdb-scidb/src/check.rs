//! The consistency check: contradictions within and between the files, outside the games
//! (docs/formats/scidb.md, section 10).

use std::cmp::Ordering;
use std::ops::Range;

use chessdb_core::error::Location;
use chessdb_core::format::Segment;
use chessdb_core::report::Finding;
use chessdb_core::{ErrorKind, FileSet, ReadOptions, Severity};

use crate::raw::{Base, GameFile, NameFile, NameHeader, NameKind, NameSection, SiteOrder};
use crate::roles::{SCG_FILE, SCN_FILE};

/// Reports irregularities outside the games. Errors in opening the database are left to `Store`.
pub(crate) fn check(files: &dyn FileSet, _: &ReadOptions, sink: &mut dyn FnMut(Finding)) {
    let Ok(base) = Base::parse(files) else {
        return;
    };
    // After a fault the lists are incomplete, and their counts cannot agree.
    if let Some(names) = &base.names
        && base.name_fault.is_none()
    {
        check_names(&base, names, sink);
    }
    let Some(games) = &base.games else {
        return;
    };
    // Opening reports the bytes after the last record.
    let segments = match games.segments.as_slice() {
        [before @ .., Segment::Slack { .. }] if matches!(before, [.., Segment::Record { .. }]) => {
            before
        }
        all => all,
    };
    for segment in segments {
        let range = segment.range();
        let (severity, what) = match segment {
            Segment::Record { .. } if is_misplaced(&range) => {
                let what = "a record that Scidb cannot read, because it crosses a border of blocks \
                            of 131072 bytes; convert the database to a new one";
                (Severity::Repaired, what)
            }
            Segment::Slack { bytes, .. } if !GameFile::is_rest_of_block(range.start, bytes) => {
                (Severity::Note, "bytes outside all games")
            }
            _ => continue,
        };
        let location = match segment {
            Segment::Record { game, .. } => Location {
                offset: Some(range.start as u64),
                file: Some(SCG_FILE),
                ..Location::game(game.saturating_add(1))
            },
            Segment::Slack { .. } => Location::byte(SCG_FILE, range.start as u64),
        };
        sink(Finding::new(severity, ErrorKind::Structure(what), location));
    }
    for &game in &games.unplaced {
        let location = Location {
            file: Some(SCG_FILE),
            ..Location::game(game.saturating_add(1))
        };
        let kind = ErrorKind::Structure("a game without its own record");
        sink(Finding::new(Severity::Note, kind, location));
    }
}

/// Returns whether a record is not where Scidb looks for it (section 4).
fn is_misplaced(range: &Range<usize>) -> bool {
    GameFile::padding(range.start as u64, range.len() as u64) > 0
}

fn mismatch(what: &'static str, stored: u64, expected: u64, offset: u64) -> Finding {
    let kind = ErrorKind::Mismatch {
        what,
        found: stored,
        expected,
    };
    Finding::new(Severity::Note, kind, Location::byte(SCN_FILE, offset))
}

/// Checks the names: their order, duplicate numbers, names without a use, and the number of names.
fn check_names(base: &Base<'_>, names: &NameFile, sink: &mut dyn FnMut(Finding)) {
    let all: u64 = names.sections.iter().map(|s| s.records.len() as u64).sum();
    if u64::from(names.header.names) != all {
        let stated = names.header.names.into();
        sink(mismatch("the number of all names", stated, all, 10));
    }
    let mut offset = NameHeader::SIZE as u64;
    // Events with equal details are ordered by their sites (section 3.1).
    let site_names = names.section(NameKind::Site);
    let sites = SiteOrder::new(site_names.map_or(&[], |section| &section.records));
    for section in &names.sections {
        let used = uses(base, names, section.kind);
        let start = offset;
        offset += NameSection::HEADER as u64;
        let mut ids = Vec::with_capacity(section.records.len());
        for (n, record) in section.records.iter().enumerate() {
            let place = Location::byte(SCN_FILE, offset);
            let mut note = |what| {
                let kind = ErrorKind::Structure(what);
                sink(Finding::new(Severity::Note, kind, place));
            };
            if used.binary_search(&record.id).is_err() {
                note("a name that no game uses");
            }
            let before = n.checked_sub(1).and_then(|n| section.records.get(n));
            let order = before.map_or(Ordering::Less, |before| {
                let [before, own] = [before, record].map(|r| (&*r.name, &r.details));
                sites.compare(section.kind, before, own)
            });
            if order != Ordering::Less {
                let what = match order {
                    Ordering::Equal => "a name that the database has twice",
                    _ => "a name that is not in its sorted position",
                };
                let kind = ErrorKind::Structure(what);
                sink(Finding::new(Severity::Repaired, kind, place));
            }
            ids.push(record.id);
            offset += record.size(section.kind, n == 0);
        }
        ids.sort_unstable();
        let count = ids.len() as u64;
        ids.dedup();
        if ids.len() as u64 != count {
            let what = "the number of different name numbers";
            sink(mismatch(what, ids.len() as u64, count, start));
        }
    }
}

/// Returns the numbers of the names of a kind that games use, sorted.
fn uses(base: &Base<'_>, names: &NameFile, kind: NameKind) -> Vec<u32> {
    let entries = base.index.entries.iter().map(crate::raw::Entry::parse);
    let mut used: Vec<u32> = match kind {
        NameKind::Player => entries.flat_map(|entry| entry.players()).collect(),
        NameKind::Event => entries.map(|entry| entry.event).collect(),
        NameKind::Annotator => entries.map(|entry| entry.annotator).collect(),
        NameKind::Site => names
            .section(NameKind::Event)
            .into_iter()
            .flat_map(|section| &section.records)
            .map(|event| event.details.site)
            .collect(),
    };
    used.sort_unstable();
    used.dedup();
    used
}
