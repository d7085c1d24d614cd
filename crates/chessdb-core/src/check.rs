//! Examining a base of any format.

use crate::{
    ErrorKind, FileSet, Finding, Format, Game, Location, Mode, ReadOptions, Result, Scratch,
    Severity,
};

/// Examines a base: what opening it finds, what its format finds in the files around the games, and
/// what reading each game finds.
///
/// `Lost` is what cannot be read, `Repaired` what reading has to mend and what makes old programs refuse
/// the base, `Note` the rest.
pub fn check(
    format: &Format,
    files: &dyn FileSet,
    options: &ReadOptions,
    report: &mut dyn FnMut(Finding),
) {
    let options = options.clone().with_mode(Mode::Lenient).with_check(true);
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
    for said in store.diagnostics() {
        report(said.into());
    }
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    for n in 0..store.len() {
        let read = store.game_into(n, &mut game, &mut scratch);
        scratch
            .diagnostics
            .drain(..)
            .for_each(|said| report(said.into()));
        let at = Location::game(n.saturating_add(1));
        if std::mem::take(&mut scratch.more_diagnostics) > 0 {
            let what = "findings in a game";
            let kind = ErrorKind::LimitExceeded { what, limit };
            report(Finding::new(Severity::Note, kind, at));
        }
        if let Err(error) = read {
            report(error.at(at).into());
        }
    }
    Ok(())
}
