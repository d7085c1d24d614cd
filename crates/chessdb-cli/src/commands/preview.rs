//! The option `--dry-run`: which games a command would change or write.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;

use chessdb::formats::shown;
use chessdb::{Database, Selection};

use crate::commands::game_label;
use crate::exit::{Failure, say};
use crate::json::{Json, object};
use crate::output::{count, stdout};

/// The number of games that are listed.
const SHOWN: usize = 10;

/// The games of a database that a command would change or write.
pub(super) struct Preview<'p> {
    pub(super) path: &'p Path,
    pub(super) numbers: &'p [u32],
    /// What would happen to them, such as `changed`.
    pub(super) verb: &'static str,
}

impl Preview<'_> {
    /// Prints the number of games, and the first ones; nothing on standard output with `is_json`.
    pub(super) fn print(
        &self,
        db: &Database,
        is_json: bool,
        is_quiet: bool,
    ) -> Result<(), Failure> {
        let first = self.numbers.iter().take(SHOWN).copied().collect();
        if !is_json {
            let mut out = stdout();
            let mut lines = Vec::new();
            db.scan()
                .select(Selection::in_order(first))
                .headers()
                .for_each(|game, _| {
                    let label = game_label::of(db, game);
                    lines.push(format!("{}\t{}", game.number(), game_label::text(&label)));
                    ControlFlow::Continue(())
                })?;
            for line in lines {
                writeln!(out, "{line}")?;
            }
            let more = self.numbers.len().saturating_sub(SHOWN);
            if more > 0 {
                writeln!(out, "… and {}", count(more as u64, "more game"))?;
            }
            out.flush()?;
        }
        if !is_quiet {
            let games = count(self.numbers.len() as u64, "game");
            let (path, verb) = (shown(self.path), self.verb);
            say(format_args!(
                "{path}: {games} would be {verb}; nothing was written (--dry-run)"
            ));
        }
        Ok(())
    }

    /// Returns the JSON object of the database.
    pub(super) fn json(&self) -> Json {
        let first = self.numbers.iter().take(SHOWN);
        object([
            ("base", self.path.display().to_string().as_str().into()),
            (self.verb, (self.numbers.len() as u64).into()),
            (
                "first",
                Json::Array(first.map(|&number| number.into()).collect()),
            ),
            ("dryRun", true.into()),
        ])
    }
}
