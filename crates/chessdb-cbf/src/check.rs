//! Consistency checks within and between the two files.

use chessdb_core::board::MoveKind;
use chessdb_core::error::Location;
use chessdb_core::line::Walk;
use chessdb_core::report::{Finding, GameReport};
use chessdb_core::sorting::sort_by_key;
use chessdb_core::{
    ErrorKind, Event, FileSet, Game, GameStore as _, ReadOptions, Result, Severity, rules,
};

use crate::raw::{RawHeader, RecordParts};
use crate::roles::{CBF_FILE, CBI_FILE};
use crate::store::Store;

/// Checks the placement of the records: whether they overlap. Files that cannot be opened are
/// skipped; opening them reports why.
pub(crate) fn check(files: &dyn FileSet, options: &ReadOptions, report: &mut dyn FnMut(Finding)) {
    let games = files.get(CBF_FILE);
    // Without an index, the offsets were found by searching and prove nothing.
    if let (Some(games), Some(_)) = (games, files.get(CBI_FILE))
        && let Ok(store) = Store::open(files, options.clone())
    {
        check_places(&store, games, report);
    }
}

/// Section 2: the order of the records is free, but they must not overlap.
fn check_places(store: &Store<'_>, games: &[u8], report: &mut dyn FnMut(Finding)) {
    let (mut end, mut last) = (0, None);
    for (start, n, length) in places(store, games) {
        if start < end {
            let kind = ErrorKind::Structure(if last == Some(start) {
                "the record also belongs to another game"
            } else {
                "the record overlaps another"
            });
            let location = Location::byte(CBF_FILE, start as u64).in_game(n + 1);
            report(Finding::new(Severity::Note, kind, location));
        }
        end = end.max(start + length);
        last = Some(start);
    }
}

/// Returns the records in the order of the file: their offsets, games (from 0) and lengths.
fn places(store: &Store<'_>, games: &[u8]) -> Vec<(usize, u32, usize)> {
    let mut places: Vec<(usize, u32, usize)> = (0..store.len())
        .filter_map(|n| {
            let start = usize::try_from(store.offset(n)?).ok()?;
            let parts = RecordParts::parse(games.get(start..)?).ok()?;
            Some((start, n, parts.raw_header.record_len()))
        })
        .collect();
    sort_by_key(&mut places, |place| *place);
    places
}

/// Returns the number of bytes of the games file that belong to no record: leftovers of changed
/// games, and no loss (section 16).
pub(crate) fn unused_bytes(store: &Store<'_>, games: &[u8]) -> u64 {
    let (mut end, mut unused) = (0, 0);
    for (start, _, length) in places(store, games) {
        // Overlapping records have no bytes between them.
        unused += start.saturating_sub(end);
        end = end.max(start + length);
    }
    (unused + games.len().saturating_sub(end)) as u64
}

/// Reports players without a separating hyphen and illegal moves. `start` is the offset of the
/// record.
pub(crate) fn check_game(start: u64, game: &Game, report: &mut GameReport<'_>) -> Result<()> {
    let location_of = |byte: usize| Location::byte(CBF_FILE, start + byte as u64);
    if game.header.black.name.text.is_none() && game.header.white.name.text.is_some() {
        let kind = ErrorKind::Structure("the hyphen between the players is missing");
        report.note(kind, location_of(RawHeader::SIZE))?;
    }
    let Ok(mut walk) = Walk::plain(game) else {
        return Ok(());
    };
    while let Some(event) = walk.step() {
        if let Event::Move(mv) = event
            && !rules::is_legal(walk.lines().board(), mv)
        {
            let kind = ErrorKind::BadMove {
                found: mv.to_string().into(),
                why: match mv.kind() {
                    MoveKind::GhostEnPassant => {
                        "captures en passant where no pawn has just advanced; ChessBase allows this"
                    }
                    _ => "illegal move",
                },
            };
            report.note(kind, location_of(0).at_ply(walk.lines().ply()))?;
        }
    }
    Ok(())
}
