//! Looking for contradictions within and between the files (docs/formats/dcx.md, sections 12
//! and 9).
//!
//! Everything that reading gets over is a finding, and what only shows between the files: names
//! and bytes that nothing refers to, games that share their bytes, lengths that the reference
//! program refuses.

use std::collections::HashMap;

use chessdb_core::{
    ErrorKind, FileSet, Finding, Game, GameStore, Location, Mode, ReadOptions, Scratch, Severity,
};

use crate::raw::{
    Base, FileKind, GameFile, Index, Length, LengthForm, NameFile, Segment, StartField, Token,
};
use crate::roles::{DCG_FILE, DCI_FILE};
use crate::store::Store;

/// Reports everything odd about a base.
pub(crate) fn check(files: &dyn FileSet, options: &ReadOptions, report: &mut dyn FnMut(Finding)) {
    let mut options = options.clone();
    options.mode = Mode::Lenient;
    let (mut store, base) = match (Store::open(files, options), Base::parse(files)) {
        (Ok(store), Ok(base)) => (store, base),
        (Err(error), _) | (_, Err(error)) => {
            return report(error.into());
        }
    };
    for diagnostic in store.take_diagnostics() {
        report(diagnostic.into());
    }
    check_open_default(&base.index, report);
    check_names(&base, report);
    if let Some(games) = &base.games {
        check_games(games, report);
    }
    check_moves(&store, base.games.as_ref(), report);
}

fn note(kind: ErrorKind, at: Location) -> Finding {
    let severity = Severity::Note;
    Finding::new(severity, kind, at)
}

fn check_open_default(index: &Index, report: &mut dyn FnMut(Finding)) {
    let value = index.header.open_default.unwrap_or(0);
    if value != 0 && index.open_default().is_none() {
        let field = "OpenDefault";
        report(note(
            ErrorKind::BadField { field, value },
            Location::byte(DCI_FILE, 11),
        ));
    }
}

/// Names that no entry uses, and names that stand twice.
fn check_names(base: &Base<'_>, report: &mut dyn FnMut(Finding)) {
    for kind in [FileKind::Players, FileKind::Sites, FileKind::Events] {
        let Some(file) = base.names(kind) else {
            continue;
        };
        let mut used = vec![false; file.records.len()];
        for entry in &base.index.entries {
            let references = match kind {
                FileKind::Sites => [entry.site, 0],
                FileKind::Events => [entry.event, 0],
                _ => [entry.white, entry.black],
            };
            for number in references.into_iter().filter_map(NameFile::number) {
                if let Some(used) = used.get_mut(number as usize) {
                    *used = true;
                }
            }
        }
        let mut seen: HashMap<&[u8; 36], u32> = HashMap::with_capacity(file.records.len());
        for (n, (record, used)) in (0u32..).zip(file.records.iter().zip(used)) {
            let at = NameFile::reference(n).unwrap_or_default();
            let at = Location::byte(kind.role(), at.into());
            if !used {
                report(note(ErrorKind::Structure("a name that no game uses"), at));
            }
            let first = *seen.entry(record).or_insert(n);
            if first != n {
                report(note(ErrorKind::Structure("a name that stands twice"), at));
            }
        }
    }
}

/// Bytes that belong to no game, games that share bytes, and lengths of 7F alone.
fn check_games(games: &GameFile<'_>, report: &mut dyn FnMut(Finding)) {
    for segment in &games.segments {
        match segment {
            Segment::Slack { range, .. } => {
                let kind = ErrorKind::Structure("bytes that belong to no game");
                report(note(kind, byte(range.start)));
            }
            Segment::Record {
                game,
                range,
                record,
            } => {
                let lengths = record.tokens().filter_map(|token| match token {
                    Ok(Token::Comment { length, .. } | Token::Nags { length, .. }) => Some(length),
                    _ => None,
                });
                let fen = match record.start {
                    StartField::Fen { length, .. } => Some(length),
                    _ => None,
                };
                let mut lengths = lengths.chain(fen).chain([record.length]);
                if lengths.any(is_refused) {
                    let what = "a length of 7f alone, at which the author's reader aborts";
                    let at = byte(range.start).in_game(game.saturating_add(1));
                    report(note(ErrorKind::Structure(what), at));
                }
            }
        }
    }
    for &game in &games.unplaced {
        let kind = ErrorKind::Structure("a game without bytes of its own");
        let at = Location {
            file: Some(DCG_FILE),
            ..Location::game(game.saturating_add(1))
        };
        report(note(kind, at));
    }
}

fn is_refused(length: Length) -> bool {
    length.value == 0x7F && length.form == LengthForm::Short
}

fn byte(offset: usize) -> Location {
    Location::byte(DCG_FILE, offset as u64)
}

/// What reading each game finds. Games that share bytes with others are read as long as this takes
/// no more than all the others together: an index may name the same bytes a million times.
fn check_moves(store: &Store<'_>, games: Option<&GameFile<'_>>, report: &mut dyn FnMut(Finding)) {
    let unplaced = games.map_or(&[][..], |games| &games.unplaced);
    let mut budget = games.map_or(0, |games| {
        let end = games.segments.last().map(|segment| segment.range().end);
        end.unwrap_or(0)
    });
    let mut game = Game::new();
    let mut scratch = Scratch::new();
    for n in 0..store.len() {
        if unplaced.binary_search(&n).is_ok() {
            match budget.checked_sub(store.bytes_of(n)) {
                Some(left) => budget = left,
                None => continue,
            }
        }
        let read = store.game_into(n, &mut game, &mut scratch);
        for diagnostic in scratch.diagnostics.drain(..) {
            report(diagnostic.into());
        }
        if scratch.more_diagnostics > 0 {
            let what = ErrorKind::LimitExceeded {
                what: "findings in a game",
                limit: u64::from(store.options().limits.diagnostics),
            };
            report(note(what, Location::game(n.saturating_add(1))));
            scratch.more_diagnostics = 0;
        }
        if let Err(error) = read {
            report(error.into());
        }
    }
}
