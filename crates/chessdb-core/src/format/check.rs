//! The check of a database of any format.

use crate::error::Location;
use crate::options::Mode;
use crate::report::Finding;
use crate::{ErrorKind, FileSet, Format, Game, ReadOptions, Result, Scratch, Severity};

/// Checks a database and reports the findings from opening it, from the format's own check of the
/// files around the games, and from reading each game.
///
/// Severity `Lost` marks data that cannot be read. `Repaired` marks data that reading has to repair
/// and data that make old programs refuse the database. `Note` marks the rest.
pub fn check(
    format: &Format,
    files: &dyn FileSet,
    options: &ReadOptions,
    report: &mut dyn FnMut(Finding),
) {
    let options = options.clone().with_mode(Mode::Lenient).with_check(true);
    // First, because these findings explain those of single games.
    (format.check)(files, &options, report);
    if let Err(error) = check_games(format, files, options, report) {
        report(error.into());
    }
}

fn check_games(
    format: &Format,
    files: &dyn FileSet,
    options: ReadOptions,
    report: &mut dyn FnMut(Finding),
) -> Result<()> {
    let limit = options.limits.diagnostics.into();
    let store = (format.open)(files, options)?;
    for diagnostic in store.diagnostics() {
        report(diagnostic.into());
    }
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    for n in 0..store.len() {
        let read = store.game_into(n, &mut game, &mut scratch);
        scratch
            .diagnostics
            .drain(..)
            .for_each(|diagnostic| report(diagnostic.into()));
        let location = Location::game(n.saturating_add(1));
        // The number of findings is unknown to the reader of the report, but not that some are
        // missing.
        if std::mem::take(&mut scratch.dropped_diagnostics) > 0 {
            let what = "findings in a game";
            let kind = ErrorKind::over_limit(what, limit);
            report(Finding::new(Severity::Note, kind, location));
        }
        if let Err(error) = read {
            report(error.at(location).into());
        }
    }
    Ok(())
}
