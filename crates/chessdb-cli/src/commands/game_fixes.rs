//! `--fix-result`: results that contradict mate or stalemate on the board, or are missing; and
//! `--clean-headers`: values in the wrong tags.

use chessdb::query::cleaning::CleaningCounts;
use chessdb::{Game, Outcome, result_to_fix};

use crate::json::{Json, list, object};
use crate::output::count;

/// The corrections of `--fix-result` and `--clean-headers`, and what they changed.
#[derive(Debug)]
pub(super) struct GameFixes {
    /// The name of the database of the next games.
    pub(super) source: String,
    /// The corrected results, if results are corrected.
    results: Option<Vec<FixedResult>>,
    /// The numbers of cleaned headers, if headers are cleaned.
    headers: Option<CleaningCounts>,
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

impl GameFixes {
    /// Returns the chosen corrections; `None` if there are none.
    pub(super) fn new(fixes_results: bool, cleans_headers: bool) -> Option<GameFixes> {
        (fixes_results || cleans_headers).then(|| GameFixes {
            source: String::new(),
            results: fixes_results.then(Vec::new),
            headers: cleans_headers.then(CleaningCounts::default),
        })
    }

    /// Corrects a game, unless it is one of the database that is appended to, which has no name here.
    pub(super) fn fix(&mut self, game: &mut Game) {
        if self.source.is_empty() {
            return;
        }
        if let Some(counts) = &mut self.headers {
            counts.clean(game);
        }
        if let Some(results) = &mut self.results
            && let Some(change) = ResultChange::of_game(game)
        {
            change.apply(game);
            results.push(FixedResult {
                source: self.source.clone(),
                game: game.number(),
                change,
            });
        }
    }

    /// Forgets what was changed.
    pub(super) fn restart(&mut self) {
        self.results.iter_mut().for_each(Vec::clear);
        self.headers
            .iter_mut()
            .for_each(|counts| *counts = CleaningCounts::default());
    }

    /// Returns a line for each changed result, and lines with the numbers of changes.
    pub(super) fn text(&self) -> String {
        let mut lines = Vec::new();
        if let Some(results) = &self.results {
            lines.extend(results.iter().map(
                |FixedResult {
                     source,
                     game,
                     change,
                 }| format!("{source}: game {game}: {}", change.text()),
            ));
            lines.push(format!(
                "{} corrected",
                count(results.len() as u64, "result")
            ));
        }
        lines.extend(self.headers.iter().flat_map(cleaning_lines));
        lines.join("\n")
    }

    /// Returns members of the report.
    pub(super) fn facts(&self) -> Vec<(&'static str, Json)> {
        let results = self.results.as_ref().map(|results| {
            let results = results.iter().map(|fixed| {
                object! {
                    "source": fixed.source.as_str(), "game": fixed.game,
                    "old": fixed.change.old.as_pgn(), "new": fixed.change.new.as_pgn(),
                }
            });
            ("fixedResults", list(results))
        });
        let headers = self
            .headers
            .as_ref()
            .map(|counts| ("cleanedHeaders", cleaning_json(counts)));
        results.into_iter().chain(headers).collect()
    }
}

/// Returns a line for each rule with the number of games that it changed.
pub(super) fn cleaning_lines(counts: &CleaningCounts) -> Vec<String> {
    let rules = counts.iter();
    let lines = rules.map(|(rule, games)| format!("{}: {}", count(games, "game"), rule.text));
    let lines: Vec<String> = lines.collect();
    if lines.is_empty() { vec!["no header to clean".to_owned()] } else { lines }
}

fn cleaning_json(counts: &CleaningCounts) -> Json {
    list(
        counts
            .iter()
            .map(|(rule, games)| object! { "rule": rule.code, "games": games }),
    )
}
