//! Looks for contradictions within and between the two files.

use chessdb_core::{
    ErrorKind, Event, FileSet, Finding, Game, GameStore as _, Location, Mode, ReadOptions, Result,
    Scratch, Severity, Walk, rules,
};

use crate::raw::{Header, RecordParts};
use crate::roles::{CBF_FILE, CBI_FILE};
use crate::store::Store;

type Found<'f> = &'f mut dyn FnMut(Finding);

/// Examines a base: everything that reading it reports, and beyond that records that overlap,
/// bytes of no record, players that cannot be told apart, and moves that the rules do not allow.
///
/// `Lost` is what cannot be read, `Repaired` what reading has to mend, `Note` the rest.
pub(crate) fn check(files: &dyn FileSet, options: &ReadOptions, found: &mut dyn FnMut(Finding)) {
    if let Err(error) = examine(files, options, found) {
        found(error.into());
    }
}

fn examine(files: &dyn FileSet, options: &ReadOptions, found: Found<'_>) -> Result<()> {
    let mut options = options.clone();
    options.mode = Mode::Lenient;
    let mut store = Store::open(files, options)?;
    std::mem::take(&mut store.diagnostics)
        .into_iter()
        .for_each(|d| found(d.into()));
    let games = files.require(CBF_FILE)?;
    // The places of records that were found by searching say nothing.
    if files.get(CBI_FILE).is_some() {
        check_places(&store, games, found);
    }
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    for n in 0..store.len() {
        let read = store.game_into(n, &mut game, &mut scratch);
        scratch.diagnostics.drain(..).for_each(|d| found(d.into()));
        scratch.more_diagnostics = 0;
        match read {
            Ok(()) => check_game(n, &store, &game, found),
            Err(error) => found(error.at(Location::game(n + 1)).into()),
        }
    }
    Ok(())
}

/// Section 2: records may stand in any order, but not within one another.
fn check_places(store: &Store<'_>, games: &[u8], found: Found<'_>) {
    let mut places: Vec<(usize, u32, usize)> = (0..store.len())
        .filter_map(|n| {
            let start = usize::try_from(store.offset(n)?).ok()?;
            let parts = RecordParts::parse(games.get(start..)?).ok()?;
            Some((start, n, parts.header.record_len()))
        })
        .collect();
    places.sort_unstable();
    let (mut end, mut unused, mut last) = (0, 0, None);
    for (start, n, length) in places {
        if start < end {
            let kind = ErrorKind::Structure(match last == Some(start) {
                true => "the record belongs to another game as well",
                false => "the record overlaps another",
            });
            let at = Location::byte(CBF_FILE, start as u64).in_game(n + 1);
            found(Finding::new(Severity::Note, kind, at));
        }
        unused += start.saturating_sub(end);
        end = end.max(start + length);
        last = Some(start);
    }
    unused += games.len().saturating_sub(end);
    if unused > 0 {
        let what = "the number of unused bytes";
        let kind = ErrorKind::Mismatch {
            what,
            found: unused as u64,
            expected: 0,
        };
        let at = Location {
            file: Some(CBF_FILE),
            ..Location::default()
        };
        found(Finding::new(Severity::Note, kind, at));
    }
}

fn check_game(n: u32, store: &Store<'_>, game: &Game, found: Found<'_>) {
    let start = store.offset(n).unwrap_or(0);
    let at = |byte: usize| Location::byte(CBF_FILE, start + byte as u64).in_game(n + 1);
    let mut note = |kind, at| found(Finding::new(Severity::Note, kind, at));
    if game.head.black.name.text.is_none() && game.head.white.name.text.is_some() {
        note(
            ErrorKind::Structure("no hyphen between the players"),
            at(Header::SIZE),
        );
    }
    let Ok(mut walk) = Walk::plain(game) else {
        return;
    };
    while let Some(event) = walk.step() {
        if let Event::Move(mv) = event
            && !rules::is_legal(walk.lines().board(), mv)
        {
            let kind = ErrorKind::BadMove {
                found: format!("{mv:?}").into(),
                why: "the rules do not allow it",
            };
            note(kind, at(0).at_ply(walk.lines().ply()));
        }
    }
}
