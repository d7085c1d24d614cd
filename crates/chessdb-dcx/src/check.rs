//! The consistency check: contradictions within and between the files (docs/formats/dcx.md,
//! sections 12 and 9).
//!
//! It reports duplicate names, bytes that no game uses (unless changes left them), games that share
//! bytes, and lengths that the reference program rejects.

use std::collections::HashMap;

use chessdb_core::error::Location;
use chessdb_core::report::Finding;
use chessdb_core::{ErrorKind, FileSet, ReadOptions, Severity};

use crate::raw::{
    Base, FileKind, GameFile, Index, Length, LengthForm, NameFile, Segment, StartField, Token,
};
use crate::roles::{DCG_FILE, DCI_FILE};
use crate::unindexed::are_replaced;

/// Reports irregularities outside the games. Errors in opening the database are left to `Store`.
pub(crate) fn check(files: &dyn FileSet, _: &ReadOptions, report: &mut dyn FnMut(Finding)) {
    let Ok(base) = Base::parse(files) else { return };
    check_open_default(&base.index, report);
    check_names(&base, report);
    if let Some(games) = &base.games {
        check_games(games, report);
    }
}

fn note(kind: ErrorKind, location: Location) -> Finding {
    Finding::new(Severity::Note, kind, location)
}

fn check_open_default(index: &Index, report: &mut dyn FnMut(Finding)) {
    let value = index.file_header.open_default.unwrap_or(0);
    if value != 0 && index.open_default().is_none() {
        let field = "OpenDefault";
        report(note(
            ErrorKind::bad_field(field, value),
            Location::byte(DCI_FILE, 11),
        ));
    }
}

/// Reports duplicate names. Names that no game uses are left by changes, and counted by
/// `Store::unused`.
fn check_names(base: &Base<'_>, report: &mut dyn FnMut(Finding)) {
    for kind in [FileKind::Players, FileKind::Sites, FileKind::Events] {
        let records = base.names(kind).map_or(&[][..], |file| &file.records);
        let mut seen: HashMap<&[u8; 36], u32> = HashMap::with_capacity(records.len());
        for (n, record) in (0u32..).zip(records) {
            let first = *seen.entry(record).or_insert(n);
            // Each run of the reference writer that appends adds all its names again (section 4).
            if first != n {
                let reference = NameFile::reference(n).unwrap_or_default();
                let location = Location::byte(kind.role(), reference.into());
                report(note(ErrorKind::Structure("a duplicate name"), location));
            }
        }
    }
}

/// Reports bytes outside all games, games that share bytes, and lengths stored as 7F alone.
fn check_games(games: &GameFile<'_>, report: &mut dyn FnMut(Finding)) {
    for segment in &games.segments {
        match segment {
            Segment::Slack { bytes, .. } if are_replaced(bytes) => {}
            Segment::Slack { range, .. } => {
                let kind = ErrorKind::Structure("bytes outside all games");
                report(note(kind, byte(range.start)));
            }
            Segment::Record {
                game,
                range,
                record,
            } => {
                // Nearly all bodies lack this byte, so that their tokens need not be read.
                let has_refused = record.body.contains(&REFUSED);
                let tokens = has_refused.then(|| record.tokens()).into_iter().flatten();
                let annotations = tokens.filter_map(|token| match token {
                    Ok(Token::Comment { length, .. } | Token::Nags { length, .. }) => Some(length),
                    _ => None,
                });
                let fen = match record.start {
                    StartField::Fen { length, .. } => Some(length),
                    _ => None,
                };
                let mut lengths = annotations.chain(fen).chain([record.length]);
                if lengths.any(is_refused) {
                    let what =
                        "a length of 7f alone; the reader of the format's author aborts at it";
                    let location = byte(range.start).in_game(game.saturating_add(1));
                    report(note(ErrorKind::Structure(what), location));
                }
            }
        }
    }
    for &game in &games.unplaced {
        let kind = ErrorKind::Structure("a game without its own bytes");
        let location = Location {
            file: Some(DCG_FILE),
            ..Location::game(game.saturating_add(1))
        };
        report(note(kind, location));
    }
}

/// The length that the reader of the format's author aborts at.
const REFUSED: u8 = 0x7F;

fn is_refused(length: Length) -> bool {
    length.value == REFUSED.into() && length.form == LengthForm::Short
}

fn byte(offset: usize) -> Location {
    Location::byte(DCG_FILE, offset as u64)
}
