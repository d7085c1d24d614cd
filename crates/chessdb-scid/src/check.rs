//! Looks for contradictions within and between the three files.

use chessdb_core::{
    Diagnostic, ErrorKind, FileSet, Finding, Game, GameStore as _, Location, Losses, Mode,
    ReadOptions, Result, Scratch, Severity,
};

use crate::derived::Derived;
use crate::lines::Lines;
use crate::moves::MoveEncoder;
use crate::raw::{Entry, GameFile, Header, Index, IndexFlags, NameFile, NameList, compare_names};
use crate::store::Store;
use crate::text::Encoder;
use crate::{SG4_FILE, SI4_FILE, SN4_FILE};

type Found<'f> = &'f mut dyn FnMut(Finding);

/// Examines a base: everything that reading it reports, and beyond that the order and frequencies
/// of names, the places of records, the search fields.
///
/// `Lost` is what cannot be read, `Repaired` what reading has to mend and what makes old programs
/// refuse the base, `Note` the rest.
pub fn check(files: &dyn FileSet, options: &ReadOptions, found: &mut dyn FnMut(Finding)) {
    if let Err(error) = examine(files, options, found) {
        let (kind, at) = error.into_parts();
        found(Finding {
            severity: Severity::Lost,
            kind,
            at,
        });
    }
}

fn examine(files: &dyn FileSet, options: &ReadOptions, found: Found<'_>) -> Result<()> {
    let mut options = options.clone();
    options.mode = Mode::Lenient;
    let mut store = Store::open(files, options)?;
    std::mem::take(&mut store.diagnostics)
        .into_iter()
        .for_each(|d| found(finding(d)));
    let index = files.require(SI4_FILE)?;
    let header = Header::parse(index)?;
    let (entries, _) = Index::split(&header, index);
    let (names, _) = NameFile::parse(files.require(SN4_FILE)?)?;
    check_header(&header, found);
    check_names(&names, entries, found);
    check_places(entries, files.require(SG4_FILE)?.len() as u64, found);
    check_games(&store, entries, found)
}

fn finding(diagnostic: Diagnostic) -> Finding {
    let Diagnostic { severity, kind, at } = diagnostic;
    Finding { severity, kind, at }
}

fn mismatch(severity: Severity, at: Location, what: &'static str, is: u64, should: u64) -> Finding {
    let kind = ErrorKind::Mismatch {
        what,
        found: is,
        expected: should,
    };
    Finding { severity, kind, at }
}

/// Section 1: autoload names a game, in either of its two meanings.
fn check_header(header: &Header, found: Found<'_>) {
    let most = header.games.saturating_add(1);
    if header.autoload > most {
        let at = Location::byte(SI4_FILE, 17);
        let (is, should) = (header.autoload.into(), most.into());
        found(mismatch(
            Severity::Note,
            at,
            "the autoload number",
            is,
            should,
        ));
    }
    for (n, name) in header.flag_names.iter().enumerate() {
        if !name.contains(&0) {
            let kind = ErrorKind::Structure("the name of a custom flag has no end");
            let at = Location::byte(SI4_FILE, 128 + 9 * n as u64);
            found(Finding {
                severity: Severity::Note,
                kind,
                at,
            });
        }
    }
}

/// Section 3: order, repetitions, frequencies.
fn check_names(names: &NameFile, entries: &[[u8; Entry::SIZE]], found: Found<'_>) {
    // Numbers beyond the list are reported where the games are read.
    let mut uses = names
        .lists
        .each_ref()
        .map(|list| vec![0u32; list.records().len()]);
    let [players, events, sites, rounds] = &mut uses;
    for entry in entries.iter().map(Entry::parse) {
        count_use(players, entry.white);
        count_use(players, entry.black);
        count_use(events, entry.event);
        count_use(sites, entry.site);
        count_use(rounds, entry.round);
    }
    for (n, (list, uses)) in names.lists.iter().zip(&uses).enumerate() {
        let at = Location::byte(SN4_FILE, 8 + 4 + 12 + 3 * n as u64);
        check_list(list, uses, found);
        let most = uses.iter().copied().max().unwrap_or(0).into();
        let stored = names
            .header
            .max_frequencies
            .get(n)
            .copied()
            .unwrap_or(0)
            .into();
        if stored != most {
            found(mismatch(
                Severity::Note,
                at,
                "the greatest frequency",
                stored,
                most,
            ));
        }
    }
}

fn count_use(uses: &mut [u32], id: u32) {
    if let Some(count) = uses.get_mut(id as usize) {
        *count += 1;
    }
}

fn check_list(list: &NameList, uses: &[u32], found: Found<'_>) {
    let at = Location {
        file: Some(SN4_FILE),
        ..Location::default()
    };
    let named = |what: &str, name: &[u8]| {
        ErrorKind::Other(format!("{what}: \"{}\"", ErrorKind::excerpt(name)).into())
    };
    let mut before: Option<&[u8]> = None;
    for record in list.records() {
        let name = list.name(record);
        // Old programs compare only neighbours that begin alike.
        let same_start = before.is_some_and(|before| before.first() == name.first());
        let order = before.map(|before| compare_names(before, name));
        if order == Some(std::cmp::Ordering::Equal) {
            let kind = named("a name stands twice in its list", name);
            found(Finding {
                severity: Severity::Repaired,
                kind,
                at,
            });
        } else if order == Some(std::cmp::Ordering::Greater) {
            let severity = if same_start {
                Severity::Repaired
            } else {
                Severity::Note
            };
            found(Finding {
                severity,
                kind: named("a name stands in the wrong place", name),
                at,
            });
        }
        before = Some(name);
        let used = uses.get(record.id as usize).copied().unwrap_or(0);
        if used == 0 {
            let kind = named("no game uses the name", name);
            found(Finding {
                severity: Severity::Note,
                kind,
                at,
            });
        } else if used != record.frequency {
            let (is, should) = (record.frequency.into(), used.into());
            found(mismatch(
                Severity::Note,
                at,
                "the frequency of a name",
                is,
                should,
            ));
        }
    }
}

/// Section 4: no record crosses a block border, none overlaps another, and what no record owns.
fn check_places(entries: &[[u8; Entry::SIZE]], size: u64, found: Found<'_>) {
    let place = |n: u32| {
        let entry = entries
            .get(n as usize)
            .map(Entry::parse)
            .unwrap_or_default();
        let start = u64::from(entry.offset);
        (start, start + u64::from(entry.length))
    };
    let mut order: Vec<u32> = (0..entries.len() as u32).collect();
    order.sort_by_key(|&n| place(n));
    let (mut end, mut unused, mut last) = (0, 0, None);
    for game in order {
        let (start, stop) = place(game);
        let at = Location::byte(SG4_FILE, start).in_game(game + 1);
        if stop > size || start == stop {
            continue; // Reading the game reports it.
        }
        if start / GameFile::BLOCK != (stop - 1) / GameFile::BLOCK {
            let kind = ErrorKind::Structure("the record crosses a border of 131072 bytes");
            found(Finding {
                severity: Severity::Repaired,
                kind,
                at,
            });
        }
        if start < end {
            let kind = match last == Some((start, stop)) {
                true => ErrorKind::Structure("the record belongs to another game as well"),
                false => ErrorKind::Structure("the record overlaps another"),
            };
            found(Finding {
                severity: Severity::Note,
                kind,
                at,
            });
        }
        unused += start.saturating_sub(end);
        end = end.max(stop);
        last = Some((start, stop));
    }
    unused += size.saturating_sub(end);
    if unused > 0 {
        let at = Location {
            file: Some(SG4_FILE),
            ..Location::default()
        };
        found(mismatch(
            Severity::Note,
            at,
            "the number of unused bytes",
            unused,
            0,
        ));
    }
}

/// Section 6: every game is read, and its search fields computed again.
fn check_games(store: &Store<'_>, entries: &[[u8; Entry::SIZE]], found: Found<'_>) -> Result<()> {
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    let (mut encoder, openings, texts) = (MoveEncoder::default(), Lines::new(), Encoder::default());
    let mut losses = Losses::new();
    for (n, bytes) in (0..).zip(entries) {
        store.game_into(n, &mut game, &mut scratch)?;
        let damaged = scratch
            .diagnostics
            .iter()
            .any(|d| d.severity == Severity::Lost);
        scratch
            .diagnostics
            .drain(..)
            .for_each(|d| found(finding(d)));
        losses.clear();
        if damaged {
            continue; // The stored fields may be right, of the game that cannot be read.
        }
        if let Ok(encoded) = encoder.encode(&game, &texts, &openings, false, &mut losses) {
            let derived = encoded.derived;
            let flags = derived.flags(&game.head.start);
            check_search_fields(n, &Entry::parse(bytes), &derived, flags, found);
        }
    }
    Ok(())
}

fn check_search_fields(
    n: u32,
    entry: &Entry,
    derived: &Derived,
    flags: IndexFlags,
    found: Found<'_>,
) {
    let place = Header::SIZE as u64 + u64::from(n) * Entry::SIZE as u64;
    let at = |offset| Location::byte(SI4_FILE, place + offset).in_game(n + 1);
    let search = IndexFlags::PROMOTION | IndexFlags::UNDER_PROMOTION;
    let pawns = |count: u8, bytes: [u8; 8]| {
        // Old writers left anything behind the last entry.
        let used = u32::from(count.min(16)) * 4;
        let mask = u64::MAX.checked_shl(64 - used).unwrap_or(0);
        u64::from_be_bytes(bytes) & mask
    };
    let fields = [
        (
            "the promotion flags",
            (entry.flags & search).bits().into(),
            (flags & search).bits().into(),
            8,
        ),
        (
            "the stored line code",
            entry.line_code.into(),
            derived.line_code.into(),
            33,
        ),
        (
            "the final material",
            entry.final_material.into(),
            derived.final_material.into(),
            34,
        ),
        (
            "the number of home pawns",
            entry.home_pawn_count.into(),
            derived.home_pawn_count.into(),
            38,
        ),
        (
            "the order of home pawns",
            pawns(entry.home_pawn_count, entry.home_pawns),
            pawns(derived.home_pawn_count, derived.home_pawns),
            39,
        ),
    ];
    for (what, stored, computed, offset) in fields {
        if stored != computed {
            found(mismatch(Severity::Note, at(offset), what, stored, computed));
        }
    }
}
