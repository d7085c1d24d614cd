//! Long-running tasks, done in steps so that the worker can stop them in between.

mod advice;
pub(crate) mod duplicates;
mod filter;
mod health;
mod losses;
mod name_list;
mod names;
mod player;
mod salvage;
mod sort;
mod stats;
mod tree;

use serde_json::{Value, json};

use crate::failure::{Failure, RequestFields, Result};
use crate::page::open_database::OpenDatabase;

/// A task that processes games one after another.
trait Task {
    /// Returns the number of games to process.
    fn len(&self, base: &OpenDatabase) -> u32;

    /// Processes the games from `from` up to, but not including, `to`.
    fn games(&mut self, base: &mut OpenDatabase, from: u32, to: u32) -> Result<()>;

    /// Returns the intermediate result, or null if it would be too expensive.
    fn so_far(&self, _base: &mut OpenDatabase) -> Value {
        Value::Null
    }

    /// Returns the result.
    fn finish(&mut self, base: &mut OpenDatabase) -> Result<Value>;
}

/// A task with its progress.
pub(crate) struct RunningTask {
    task: Box<dyn Task>,
    /// Whether it concerns the stored games, so that edits do not affect it.
    survives_edits: bool,
    next: u32,
    done: bool,
}

/// Starts the requested task.
pub(crate) fn start(base: &mut OpenDatabase, request: &Value) -> Result<RunningTask> {
    let task: Box<dyn Task> = match request.text("task") {
        "filter" => Box::new(filter::Filter::new(request)?),
        "advice" => Box::new(advice::AdviceSearch::new(request)?),
        "namecounts" => Box::new(name_list::NameCounter::default()),
        "player" => Box::new(player::Player::new(request)?),
        "sort" => Box::new(sort::Sort::new(
            base,
            request.text("column"),
            request.flag("down"),
        )?),
        "tree" => Box::new(tree::Tree::new(base, request)?),
        "stats" => Box::new(stats::Statistics::default()),
        "health" => Box::new(health::Health::new(base)?),
        "duplicates" => Box::new(duplicates::FindDuplicates::new(request)?),
        "names" => Box::new(names::SuggestNames::new(request.text("of"))?),
        "salvage" => Box::new(salvage::ReportSalvage::new(base)?),
        "losses" => Box::new(losses::AssessLosses::new(base, request)?),
        other => return Err(Failure::new("request", format!("unknown task `{other}`"))),
    };
    Ok(RunningTask {
        task,
        // It reads the stored files, which edits do not change.
        survives_edits: request.text("task") == "health",
        next: 0,
        done: false,
    })
}

impl RunningTask {
    pub(crate) fn survives_edits(&self) -> bool {
        self.survives_edits
    }

    pub(crate) fn is_done(&self) -> bool {
        self.done
    }

    /// Processes up to `max_games` more games.
    pub(crate) fn step(&mut self, base: &mut OpenDatabase, max_games: u32) -> Result<Value> {
        let total = self.task.len(base);
        let to = self.next.saturating_add(max_games).min(total);
        self.task.games(base, self.next, to)?;
        self.next = to;
        // Also true for a task without games, which is done in its first step.
        self.done = to >= total;
        let mut answer = json!({ "done": self.done, "seen": to, "total": total });
        let (key, value) = if self.done {
            ("result", self.task.finish(base)?)
        } else {
            ("soFar", self.task.so_far(base))
        };
        if let Some(answer) = answer.as_object_mut() {
            answer.insert(key.to_owned(), value);
        }
        Ok(answer)
    }
}

/// Reads a range of the listed games, in the order of the database. The range excludes `to`.
/// Unreadable games are skipped.
fn each_listed(
    base: &mut OpenDatabase,
    from: u32,
    to: u32,
    mut act: impl FnMut(&OpenDatabase, u32, &chessdb::Game),
) {
    let mut game = std::mem::take(&mut base.game);
    for n in from..to {
        let Some(index) = base.nth(n) else {
            break;
        };
        if base.db().game_into(index, &mut game).is_ok() {
            act(base, index, &game);
        }
    }
    base.game = game;
}
