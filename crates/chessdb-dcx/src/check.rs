//! The consistency check: contradictions within and between the files (docs/formats/dcx.md,
//! sections 12 and 9).
//!
//! It reports unreferenced names and bytes, games that share bytes, and lengths that the reference
//! program rejects.

use std::collections::HashMap;

use chessdb_core::error::Location;
use chessdb_core::report::Finding;
use chessdb_core::{ErrorKind, FileSet, ReadOptions, Severity};

use crate::raw::{
    Base, FileKind, GameFile, Index, Length, LengthForm, NameFile, Segment, StartField, Token,
};
use crate::roles::{DCG_FILE, DCI_FILE};

/// Reports irregularities outside the games. Errors in opening the database are left to `Store`.
pub(crate) fn check(files: &dyn FileSet, _: &ReadOptions, report: &mut dyn FnMut(Finding)) {
    let Ok(base) = Base::parse(files) else {
        return;
    };
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
            ErrorKind::BadField { field, value },
            Location::byte(DCI_FILE, 11),
        ));
    }
}

/// Reports names that no entry uses, and duplicate names.
fn check_names(base: &Base<'_>, report: &mut dyn FnMut(Finding)) {
    for kind in [FileKind::Players, FileKind::Sites, FileKind::Events] {
        let Some(file) = base.names(kind) else {
            continue;
        };
        let mut used = vec![false; file.records.len()];
        for entry in &base.index.entries {
            let references = match kind {
                // No record has the reference 0, which fills the second place.
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
            let reference = NameFile::reference(n).unwrap_or_default();
            let location = Location::byte(kind.role(), reference.into());
            // The reference writer stores a name of more than 36 bytes, but refers to it as 0
            // (section 9).
            if !used {
                let kind = ErrorKind::Structure("a name that no game uses");
                report(note(kind, location));
            }
            let first = *seen.entry(record).or_insert(n);
            // Each run of the reference writer that appends adds all its names again (section 4).
            if first != n {
                report(note(ErrorKind::Structure("a duplicate name"), location));
            }
        }
    }
}

/// Reports bytes outside all games, games that share bytes, and lengths stored as 7F alone.
fn check_games(games: &GameFile<'_>, report: &mut dyn FnMut(Finding)) {
    for segment in &games.segments {
        match segment {
            Segment::Slack { range, .. } => {
                let kind = ErrorKind::Structure("bytes outside all games");
                report(note(kind, byte(range.start)));
            }
            Segment::Record {
                game,
                range,
                record,
            } => {
                let annotations = record.tokens().filter_map(|token| match token {
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

fn is_refused(length: Length) -> bool {
    length.value == 0x7F && length.form == LengthForm::Short
}

fn byte(offset: usize) -> Location {
    Location::byte(DCG_FILE, offset as u64)
}
