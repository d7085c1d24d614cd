//! Saving changes in the files of the database itself, and undoing that, for a host that can.

use chessdb::Database;
use chessdb::convert::{GameEdits, GameList};
use serde_json::{Value, json};

use crate::failure::{Failure, Result};
use crate::page::database_source::DatabaseSource;
use crate::page::edit;
use crate::page::open_database::OpenDatabase;
use crate::page::report::report_json;

/// Saves all changes and additions as one change of the files.
pub(crate) fn store(base: &mut OpenDatabase, source: &mut dyn DatabaseSource) -> Result<Value> {
    let (number, encoding) = base.origin.clone().ok_or_else(no_files)?;
    let edits = game_edits(base.db());
    let games = edits.len();
    let report = source.store(number, base.db(), &edits)?;
    base.take_saved(open(source, number, &encoding)?)?;
    Ok(json!({ "games": games, "report": report_json(&report), "edits": edit::state(base) }))
}

/// Undoes the last change of the files, or repeats it, and returns which. The database must be opened
/// again then.
pub(crate) fn restore(base: &OpenDatabase, source: &mut dyn DatabaseSource) -> Result<Value> {
    let (number, _) = base.origin.as_ref().ok_or_else(no_files)?;
    if base.db().edited_games().next().is_some() {
        let text = "there are changes that are not saved; save them or undo them first";
        return Err(Failure::new("unsaved", text));
    }
    let change = source.undo(*number)?;
    let last = change.commands.first();
    Ok(json!({
        "undone": change.is_undone,
        "command": last.map(|last| last.command.as_str()),
        "games": last.and_then(|last| last.games),
    }))
}

fn no_files() -> Failure {
    Failure::new(
        "request",
        "changes cannot be saved in this database; save a copy",
    )
}

fn open(source: &mut dyn DatabaseSource, number: usize, encoding: &str) -> Result<Database> {
    let encoding = Some(encoding).filter(|encoding| !encoding.is_empty());
    Ok(source.open(number, encoding, false)?)
}

/// Returns the edits of a database in memory as changes of its files.
fn game_edits(db: &Database) -> GameEdits {
    let mut edits = GameEdits::new();
    let mut added = GameList::new();
    for (index, game) in db.edited_games() {
        match index {
            Some(index) => edits.replace(index.saturating_add(1), std::sync::Arc::clone(game)),
            None => added.push(std::sync::Arc::clone(game), false),
        }
    }
    edits.append_all(added);
    edits
}
