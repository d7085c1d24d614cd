//! The counts of a check.

use chessdb_core::error::Location;
use chessdb_core::model::is_rating;
use chessdb_core::{Color, ErrorKind, Outcome, Severity};
use chessdb_files::error::{Error, Problem};
use chessdb_query::endings::fallen_flag;

use crate::game::Game;
use crate::results::result_to_fix;

/// The numbers of games and findings of a check, as `chessdb check` reports them.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct CheckCounts {
    /// The number of games, including those that cannot be read.
    pub games: u64,
    /// The number of findings without data loss.
    pub notes: u64,
    /// The number of findings that were corrected while reading.
    pub repaired: u64,
    /// The number of findings with data loss.
    pub lost: u64,
    /// The number of findings that were not kept because a game had too many.
    pub dropped: u64,
}

impl CheckCounts {
    /// Counts a finding.
    pub fn add(&mut self, severity: Severity) {
        *match severity {
            Severity::Note => &mut self.notes,
            Severity::Repaired => &mut self.repaired,
            Severity::Lost => &mut self.lost,
        } += 1;
    }

    /// Counts a game and its findings, and passes these to `visit`. `error` is the error of a game
    /// that could not be read.
    pub fn add_game(
        &mut self,
        game: &Game,
        error: Option<&Error>,
        visit: &mut dyn FnMut(Severity, &ErrorKind, &Location),
    ) {
        self.games += 1;
        // A damaged game may have any number of diagnostics, so only the first ones are stored; the
        // others are counted.
        self.dropped += u64::from(game.dropped_diagnostics());
        for diagnostic in game.diagnostics() {
            self.add(diagnostic.severity);
            visit(diagnostic.severity, &diagnostic.kind, &diagnostic.at);
        }
        if let Some(Problem::Format(error)) = error.map(Error::problem) {
            self.add(Severity::Lost);
            visit(Severity::Lost, error.kind(), error.location());
            // What was read of such a game is no evidence of an implausible value.
            return;
        }
        visit_implausible(game, |what, ply| {
            let mut location = Location::game(game.number());
            location.ply = ply;
            self.add(Severity::Note);
            visit(Severity::Note, &ErrorKind::Structure(what), &location);
        });
    }

    /// Returns whether the check found damage, so that `chessdb check` exits with 1.
    pub fn has_problems(&self) -> bool {
        self.repaired + self.lost > 0
    }
}

/// Passes the values of a game that cannot be true to `visit`, each with its place among the moves.
fn visit_implausible(game: &Game, mut visit: impl FnMut(&'static str, Option<u32>)) {
    let header = &game.header;
    if !header.date.is_in_calendar() {
        visit("the calendar does not have the date", None);
    }
    if !header.event_date.is_in_calendar() {
        visit("the calendar does not have the date of the event", None);
    }
    for (color, what) in [
        (Color::White, "the rating of White is not from 1 to 4000"),
        (Color::Black, "the rating of Black is not from 1 to 4000"),
    ] {
        let rating = header.player(color).rating;
        if rating.is_some_and(|rating| !is_rating(rating.value.into())) {
            visit(what, None);
        }
    }
    if let Some((what, ply)) = contradicted_result(game) {
        visit(what, Some(ply));
    }
    if let Some(what) = winner_on_time(game) {
        visit(what, None);
    }
}

/// Returns the finding if the final position contradicts the result, and the number of half-moves
/// before it.
fn contradicted_result(game: &Game) -> Option<(&'static str, u32)> {
    if game.header.outcome == Outcome::Unknown {
        return None;
    }
    let (right, plies) = result_to_fix(game)?;
    let what = match right {
        Outcome::Draw => "the game ends with stalemate, but the result is not a draw",
        _ => "the game ends with mate, but the result is not a win for that side",
    };
    Some((what, plies))
}

/// Returns the finding if the flag of the winner fell.
fn winner_on_time(game: &Game) -> Option<&'static str> {
    let winner = match game.header.outcome {
        Outcome::WhiteWins => Color::White,
        Outcome::BlackWins => Color::Black,
        Outcome::Draw | Outcome::Unknown => return None,
    };
    let what = winner.pick(
        "the flag of White fell, but the result is a win for White",
        "the flag of Black fell, but the result is a win for Black",
    );
    (fallen_flag(game) == Some(winner)).then_some(what)
}
