//! `--fix-result`: results that contradict mate or stalemate on the board, or are missing.

use std::fmt::Write as _;

use chessdb::{Game, Outcome, result_to_fix};

use crate::json::{Json, list, object};
use crate::output::count;

/// The results that were corrected.
#[derive(Default, Debug)]
pub(super) struct FixedResults {
    /// The name of the database of the next games.
    pub(super) source: String,
    pub(super) changes: Vec<FixedResult>,
}

/// A result that was corrected.
#[derive(Debug)]
pub(super) struct FixedResult {
    source: String,
    game: u32,
    change: ResultChange,
}

/// The old and the right result.
#[derive(Clone, Copy, Debug)]
pub(super) struct ResultChange {
    old: Outcome,
    new: Outcome,
}

impl ResultChange {
    /// Returns the change that a game needs.
    pub(super) fn of_game(game: &Game) -> Option<ResultChange> {
        let (new, _) = result_to_fix(game)?;
        Some(ResultChange {
            old: game.result(),
            new,
        })
    }

    pub(super) fn apply(self, game: &mut Game) {
        game.set_tag("Result", self.new.as_pgn());
    }

    /// Returns the change with its reason, such as `* → 1-0 (mate)`.
    pub(super) fn text(self) -> String {
        let reason = if self.new == Outcome::Draw { "stalemate" } else { "mate" };
        format!("{} → {} ({reason})", self.old.as_pgn(), self.new.as_pgn())
    }
}

impl FixedResults {
    /// Corrects the result of a game, unless it is one of the database that is appended to, which has
    /// no name here.
    pub(super) fn fix(&mut self, game: &mut Game) {
        if self.source.is_empty() {
            return;
        }
        if let Some(change) = ResultChange::of_game(game) {
            change.apply(game);
            self.changes.push(FixedResult {
                source: self.source.clone(),
                game: game.number(),
                change,
            });
        }
    }

    /// Returns a line for each change, and their number.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for FixedResult {
            source,
            game,
            change,
        } in &self.changes
        {
            let _ = writeln!(text, "{source}: game {game}: {}", change.text());
        }
        text + &format!("{} corrected", count(self.changes.len() as u64, "result"))
    }

    pub(super) fn json(&self) -> Json {
        list(self.changes.iter().map(|fixed| {
            object! {
                "source": fixed.source.as_str(), "game": fixed.game, "old": fixed.change.old.as_pgn(),
                "new": fixed.change.new.as_pgn(),
            }
        }))
    }
}
