//! The consistency check: contradictions within and between the files, outside the games
//! (docs/formats/scidb.md, section 10). Names without a use and bytes outside all records are left by
//! changes, and no contradictions.

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
    let Ok(base) = Base::parse(files) else { return };
    // After a fault the lists are incomplete, and their counts cannot agree.
    if let Some(names) = &base.names
        && base.name_fault.is_none()
    {
        check_names(names, sink);
    }
    let Some(games) = &base.games else { return };
    for segment in &games.segments {
        if let Segment::Record { game, range, .. } = segment
            && is_misplaced(range)
        {
            let what = "a record that Scidb cannot read, because it crosses a border of blocks of \
                        131072 bytes; convert the database to a new one";
            let location = Location {
                offset: Some(range.start as u64),
                file: Some(SCG_FILE),
                ..Location::game(game.saturating_add(1))
            };
            let kind = ErrorKind::Structure(what);
            sink(Finding::new(Severity::Repaired, kind, location));
        }
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
    let kind = ErrorKind::mismatch(what, stored, expected);
    Finding::new(Severity::Note, kind, Location::byte(SCN_FILE, offset))
}

/// Checks the names: their order, duplicate numbers, and the number of names.
fn check_names(names: &NameFile, sink: &mut dyn FnMut(Finding)) {
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
        let start = offset;
        offset += NameSection::HEADER as u64;
        let mut ids = Vec::with_capacity(section.records.len());
        for (n, record) in section.records.iter().enumerate() {
            let place = Location::byte(SCN_FILE, offset);
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
