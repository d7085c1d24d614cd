//! The option `--dry-run`: which games a command would change or write.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use chessdb::formats::shown;
use chessdb::pgn::{Layout, write_game};
use chessdb::query::Query;
use chessdb::{Database, Game, Selection};

use crate::args::OutputOptions;
use crate::commands::convert::ConversionSteps;
use crate::commands::game_label;
use crate::commands::plan::ConversionPlan;
use crate::exit::{Completion, Failure, Outcome, say};
use crate::input;
use crate::json::{Json, list, members};
use crate::output::{count, print_list, print_text, stdout};

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
                    let label = game_label::new(db, game);
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
        members([
            ("base", self.path.display().to_string().into()),
            (self.verb, self.numbers.len().into()),
            ("first", list(first.copied())),
            ("dryRun", true.into()),
        ])
    }
}

/// Prints which games a conversion would write, or change in their database.
pub(super) fn preview_all(
    plan: &ConversionPlan,
    args: &OutputOptions,
    query: &Arc<Query>,
    steps: &mut dyn ConversionSteps,
) -> Outcome {
    let mut listed = Vec::new();
    let mut games = 0;
    let mut changes_sources = false;
    let lists_changes = steps.changes().is_some();
    for job in &plan.jobs {
        let is_in_place = job.sources == [job.target.clone()] && !steps.reorders();
        changes_sources |= is_in_place;
        let options = input::options(&args.input_options).jobs(args.jobs.thread_count());
        let mut bases = Vec::new();
        for path in &job.sources {
            let database = input::find(path, &args.input_options)?;
            // The games are read to choose them, and again to list the first ones.
            bases.push(input::open_by_number(options.clone(), database)?);
        }
        let chosen = if steps.chooses() {
            steps.choose(&bases, query)?.unwrap_or_default()
        } else {
            vec![args.choice.games.clone(); bases.len()]
        };
        for ((path, db), selection) in job.sources.iter().zip(&bases).zip(chosen) {
            steps.source(&shown(path).to_string());
            let mut numbers = Vec::new();
            db.scan()
                .select(selection)
                .filter(Arc::clone(query))
                .for_each(|game, _| {
                    let number = game.number();
                    let is_edited = args
                        .edited
                        .as_ref()
                        .is_none_or(|some| some.contains(number));
                    if lists_changes {
                        steps.edit(&mut game.clone());
                    }
                    if !is_in_place || is_edited && is_changed(game, |game| steps.edit(game)) {
                        numbers.push(number);
                    }
                    ControlFlow::Continue(())
                })?;
            let preview = Preview {
                path,
                numbers: &numbers,
                verb: if is_in_place { "changed" } else { "written" },
            };
            preview.print(db, args.json, args.quiet)?;
            games += numbers.len() as u64;
            listed.push(preview.json());
        }
        if let Some(changes) = steps.changes().filter(|_| !args.json) {
            print_text(&(changes + "\n"))?;
        }
        if let Some(Json::Object(last)) = listed.last_mut() {
            let facts = steps.facts().into_iter();
            last.extend(facts.map(|(name, value)| (name.to_owned(), value)));
        }
        steps.restart();
    }
    if args.json {
        print_list("conversions", listed)?;
    }
    // As in the real run, a database without a game to change is no failure.
    Ok(if changes_sources { Completion::Success } else { Completion::of_search(games) })
}

/// Returns whether an edit changes the PGN of a game.
fn is_changed(game: &Game, edit: impl FnOnce(&mut Game)) -> bool {
    let text = |game: &Game| {
        let mut text = Vec::new();
        write_game(game, &Layout::default(), &mut text);
        text
    };
    let mut edited = game.clone();
    edit(&mut edited);
    text(game) != text(&edited)
}
