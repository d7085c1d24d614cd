//! Checks for contradictions within and between the three files.

use std::collections::HashSet;

use chessdb_core::error::Location;
use chessdb_core::report::{Finding, GameReport};
use chessdb_core::{ErrorKind, FileSet, Game, Losses, ReadOptions, Result, Severity};

use crate::entry::{GameEntry, NAME_LISTS};
use crate::generation::{Generation, Spec, in_file};
use crate::moves::EncoderPool;
use crate::opening_lines::OpeningLines;
use crate::raw::{FileHeader, IndexFlags, NameFile, NameList, compare_names};
use crate::store::Store;
use crate::text::TextEncoder;

type FindingSink<'f> = &'f mut dyn FnMut(Finding);

/// Checks a database of this generation: the order and frequencies of names, and the offsets of
/// records. A database that cannot be opened is skipped; opening it reports the error.
pub(crate) fn check(
    generation: Generation,
    files: &dyn FileSet,
    options: &ReadOptions,
    sink: &mut dyn FnMut(Finding),
) {
    let Ok(store) = Store::open_as(generation, files, options.clone()) else {
        return;
    };
    match generation {
        Generation::Si5 => check_log(&store, sink),
        Generation::Si3 | Generation::Si4 => {
            let index = files.get(store.spec.index_file()).unwrap_or_default();
            if let Ok(file_header) = FileHeader::parse(index) {
                check_header(store.spec, &file_header, sink);
            }
            // Games can be checked without names. Opening the database reports missing names.
            let names = files.get(store.spec.names_file()).map(NameFile::parse);
            if let Some(Ok((names, _))) = names {
                check_lists(store.spec, &names, &count_uses(&store), sink);
            }
        }
    }
    check_places(&store, sink);
}

fn mismatch(location: Location, what: &'static str, is: u64, should: u64) -> Finding {
    let kind = ErrorKind::mismatch(what, is, should);
    Finding::new(Severity::Note, kind, location)
}

/// Checks the autoload field, which is a game number in one of two numberings (section 1).
fn check_header(spec: &Spec, file_header: &FileHeader, sink: FindingSink<'_>) {
    // In the older numbering game `k` has the number `k + 1`, so the last game exceeds the count by
    // one.
    let limit = file_header.games.saturating_add(1);
    if file_header.autoload > limit {
        let location = Location::byte(spec.index_file(), 17);
        let (is, should) = (file_header.autoload.into(), limit.into());
        sink(mismatch(location, "the autoload number", is, should));
    }
    for (n, name) in file_header.flag_names.iter().enumerate() {
        if !name.contains(&0) {
            let kind = ErrorKind::Structure("the name of a custom flag has no end");
            let location = Location::byte(spec.index_file(), 128 + 9 * n as u64);
            sink(Finding::new(Severity::Note, kind, location));
        }
    }
}

/// Counts how many times the games use each player, event, site and round name.
pub(crate) fn count_uses(store: &Store<'_>) -> [Vec<u32>; 4] {
    // Reading the games reports numbers beyond the list.
    let mut uses = [0, 1, 2, 3].map(|list| {
        let table = store.read_names().opened.base.names.get(list);
        vec![0u32; table.map_or(0, |table| table.records.len())]
    });
    for mut entry in store.entries.iter() {
        // A player who plays himself counts twice, as in Scid (section 3).
        for (list, &mut id) in NAME_LISTS.into_iter().zip(entry.names_mut()) {
            let count = uses
                .get_mut(list)
                .and_then(|uses| uses.get_mut(id as usize));
            if let Some(count) = count {
                *count += 1;
            }
        }
    }
    uses
}

/// Checks order, duplicates and frequencies of the name lists (section 3).
fn check_lists(spec: &Spec, names: &NameFile, uses: &[Vec<u32>; 4], sink: FindingSink<'_>) {
    for (n, (list, uses)) in names.lists.iter().zip(uses).enumerate() {
        // The greatest frequencies follow the magic bytes, the time stamp and the four counts.
        let location = Location::byte(spec.names_file(), 8 + 4 + 12 + 3 * n as u64);
        check_list(spec, list, uses, sink);
        let highest = uses.iter().copied().max().unwrap_or(0).into();
        let stored = names
            .file_header
            .max_frequencies
            .get(n)
            .copied()
            .unwrap_or(0)
            .into();
        // Scid never lowers this value.
        if stored < highest {
            sink(mismatch(
                location,
                "the greatest frequency",
                stored,
                highest,
            ));
        }
    }
}

/// Checks for duplicate names in the log of SCID 5 (section 10).
fn check_log(store: &Store<'_>, sink: FindingSink<'_>) {
    let location = in_file(store.spec.names_file());
    for table in &store.read_names().opened.base.names {
        // Names are numbered per kind, so a player may have the name of a site.
        let mut seen = HashSet::new();
        for record in &table.records {
            let name = store
                .read_names()
                .opened
                .base
                .texts
                .get(record.text)
                .as_bytes();
            if !seen.insert(name) {
                let kind = named("a duplicate name in a name list", name);
                sink(Finding::new(Severity::Note, kind, location));
            }
        }
    }
}

fn named(what: &str, name: &[u8]) -> ErrorKind {
    ErrorKind::Other(format!("{what}: \"{}\"", ErrorKind::excerpt(name)).into())
}

fn check_list(spec: &Spec, list: &NameList, uses: &[u32], sink: FindingSink<'_>) {
    let location = in_file(spec.names_file());
    let mut before: Option<&[u8]> = None;
    for record in list.records() {
        let name = list.name(record);
        // Old programs compare only neighbours with the same first byte.
        let same_start = before.is_some_and(|before| before.first() == name.first());
        let order = before.map(|before| compare_names(before, name));
        if order == Some(std::cmp::Ordering::Equal) {
            let kind = named("a duplicate name in a name list", name);
            sink(Finding::new(Severity::Repaired, kind, location));
        } else if order == Some(std::cmp::Ordering::Greater) {
            let severity = if same_start { Severity::Repaired } else { Severity::Note };
            sink(Finding::new(
                severity,
                named("a name is not in its sorted position", name),
                location,
            ));
        }
        before = Some(name);
        let used = uses.get(record.id as usize).copied().unwrap_or(0);
        // Unused names stay in the file until the database is compacted.
        if used != 0 && used != record.frequency {
            let (is, should) = (record.frequency.into(), used.into());
            sink(mismatch(location, "the frequency of a name", is, should));
        }
    }
}

/// Checks that no record crosses a block border (section 4). Overlaps are checked on opening.
fn check_places(store: &Store<'_>, sink: FindingSink<'_>) {
    let spec = store.spec;
    if spec.generation == Generation::Si3 {
        // Genuine databases have such records, and no program is known to reject them (section 9).
        return;
    }
    for (entry, game) in store.entries.iter().zip(1..) {
        let (start, stop) = (entry.offset, entry.offset + u64::from(entry.length));
        let is_there = start < stop && stop <= store.games.len() as u64;
        if is_there && start / spec.block != (stop - 1) / spec.block {
            let what = "the record crosses a border of 131072 bytes";
            let location = Location::byte(spec.games_file(), start).in_game(game);
            let kind = ErrorKind::Structure(what);
            sink(Finding::new(Severity::Repaired, kind, location));
        }
    }
}

/// Computes the search fields of games again (section 6). It keeps one encoder per reading thread.
#[derive(Debug)]
pub(crate) struct SearchFields {
    openings: OpeningLines,
    encoders: EncoderPool,
}

impl SearchFields {
    pub(crate) fn new() -> SearchFields {
        SearchFields {
            openings: OpeningLines::new(),
            encoders: EncoderPool::default(),
        }
    }

    /// Compares the fields of an index entry with the decoded game.
    pub(crate) fn compare(
        &self,
        spec: &Spec,
        entry: &GameEntry,
        game: &Game,
        report: &mut GameReport<'_>,
    ) -> Result<()> {
        let (texts, mut losses) = (TextEncoder::default(), Losses::new());
        let encoded = self
            .encoders
            .with(|moves| moves.encode(game, &texts, &self.openings, false, &mut losses));
        // A game that cannot be encoded has no fields to compare.
        let Ok(encoded) = encoded else { return Ok(()) };
        let derived = encoded.derived;
        let flags = derived.flags(&game.header.start);
        // The start flag is not among them: reading the game compares it with the record.
        let search = IndexFlags::PROMOTION | IndexFlags::UNDER_PROMOTION;
        let pawns = |count: u8, bytes: [u8; 8]| {
            // Old writers left arbitrary bytes after the last used entry.
            let used = u32::from(count.min(16)) * 4;
            // Without any entry the shift is 64 bits, which `checked_shl` refuses.
            let mask = u64::MAX.checked_shl(64 - used).unwrap_or(0);
            u64::from_be_bytes(bytes) & mask
        };
        let fields = [
            (
                "the promotion flags",
                (entry.flags & search).bits().into(),
                (flags & search).bits().into(),
                spec.field_offsets.flags,
            ),
            (
                "the stored line code",
                entry.line_code.into(),
                derived.line_code.into(),
                spec.field_offsets.line_code,
            ),
            (
                "the number of home pawns",
                entry.home_pawn_count.into(),
                derived.home_pawn_count.into(),
                spec.field_offsets.home_pawn_count,
            ),
            (
                "the order of home pawns",
                pawns(entry.home_pawn_count, entry.home_pawns),
                pawns(derived.home_pawn_count, derived.home_pawns),
                spec.field_offsets.home_pawns,
            ),
        ];
        for (what, stored, computed, offset) in fields {
            if stored != computed {
                let kind = ErrorKind::mismatch(what, stored, computed);
                report.note(kind, spec.in_entry(report, offset))?;
            }
        }
        Ok(())
    }
}
