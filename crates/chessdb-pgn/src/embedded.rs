//! Reading of games that are PGN within another format, or that another format expresses as PGN.

use chessdb_core::error::Location;
use chessdb_core::{Error, ErrorKind, Game, ReadOptions, Result, Scratch, Severity, Start};

use crate::game::{ReadScope, read_game};
use crate::raw::{Splitter, Step};
use crate::report::{CutReason, Source};

/// Reads the only game of a PGN text that no file contains, such as a row of a table. Leaves out
/// the moves if `headers_only` is set.
///
/// Findings are reported at `here`, since the caller has never seen offsets in the text.
///
/// # Errors
///
/// Returns the errors of the game, and an error in strict mode if there are several games.
pub fn read_embedded(
    text: &[u8],
    options: &ReadOptions,
    headers_only: bool,
    here: Location,
    game: &mut Game,
    scratch: &mut Scratch,
) -> Result<()> {
    let (first, is_single) = first_game(text);
    let within_limit = first.get(..options.limits.game_bytes as usize);
    let source = Source {
        bytes: within_limit.unwrap_or(first),
        offset: 0,
        number: here.game.unwrap_or(1),
        start: &Start::Standard,
        cut: within_limit
            .is_some_and(|within_limit| within_limit.len() < first.len())
            .then_some(CutReason::TooLong),
        followed: false,
    };
    let scope = if headers_only { ReadScope::Header } else { ReadScope::Everything };
    let located = |location: Location| Location {
        ply: location.ply,
        ..here
    };
    let reported = scratch.diagnostics.len();
    let read = read_game(source, options, scope, game, scratch);
    for diagnostic in scratch.diagnostics.iter_mut().skip(reported) {
        diagnostic.at = located(diagnostic.at);
    }
    read.map_err(|error| {
        let (kind, location) = error.into_parts();
        Error::new(kind).at(located(location))
    })?;
    if !is_single {
        let kind =
            ErrorKind::Structure("the movetext contains several games; only the first was read");
        scratch.deviation(options, Severity::Lost, kind, here)?;
    }
    Ok(())
}

/// Returns the bytes of the first game, and whether there is no other.
fn first_game(text: &[u8]) -> (&[u8], bool) {
    let Step::Game { end } = Splitter::new().advance(text, true) else {
        return (text, true);
    };
    let (first, rest) = text.split_at_checked(end).unwrap_or((text, &[]));
    let is_single = rest.trim_ascii().is_empty()
        || !matches!(Splitter::new().advance(rest, true), Step::Game { .. });
    (first, is_single)
}
