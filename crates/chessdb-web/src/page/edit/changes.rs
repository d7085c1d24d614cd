//! Several edits as one step, for programs.

use std::sync::Arc;

use chessdb::convert::GameEdits;
use chessdb::core::Game as GameModel;
use chessdb::core::model::GameFlags;
use chessdb::query::language::read_flags;
use chessdb::{Database, Game};
use serde_json::{Value, json};

use super::add::MOST_TEXT;
use super::{make, state};
use crate::failure::{Failure, Result};
use crate::findings::FindingKinds;
use crate::page::edit_history::{GameChange, Step};
use crate::page::open_database::OpenDatabase;

/// Makes the edits of the member `edits` ([`crate::Session::call`]) as one step, or none of them.
///
/// # Errors
///
/// Returns an error with the code `edit` if one of them is impossible.
pub(super) fn change(base: &mut OpenDatabase, request: &Value) -> Result<Value> {
    let mut list = EditList {
        len: base.len(),
        edits: GameEdits::new(),
        added: Vec::new(),
        findings: FindingKinds::default(),
    };
    let edits = request.get("edits").and_then(Value::as_array);
    for (place, edit) in (1..).zip(edits.into_iter().flatten()) {
        let read = list.read(edit);
        read.map_err(|text| Failure::new("edit", format!("edit {place}: {text}")))?;
    }
    let mut games = Vec::new();
    for changed in list.edits.changed_games(base.db()) {
        let (number, game) = changed?;
        let index = number.saturating_sub(1);
        games.push(GameChange {
            index,
            before: base.db().edited_game(index).cloned(),
            after: Some(Arc::new(game.into_model())),
        });
    }
    let changed = games.len();
    let added = list.added.len();
    let new = (base.len()..).zip(list.added);
    games.extend(new.map(|(index, game)| GameChange {
        index,
        before: None,
        after: Some(Arc::new(game)),
    }));
    let step = Step {
        games,
        half_moves: [0, 0],
        keeps_order: false,
    };
    if !step.games.is_empty() {
        make(base, step)?;
    }
    Ok(json!({
        "changed": changed,
        "added": added,
        "found": list.findings.to_json(),
        "edits": state(base),
    }))
}

/// Edits that were read, but not made.
struct EditList {
    /// The number of games in the database.
    len: u32,
    edits: GameEdits,
    added: Vec<GameModel>,
    /// The findings about the added games.
    findings: FindingKinds,
}

impl EditList {
    /// Reads an edit. Returns a message if it is impossible.
    fn read(&mut self, edit: &Value) -> Result<(), String> {
        let text = |place: usize| edit.get(place).and_then(Value::as_str).unwrap_or_default();
        let index = edit.get(1).and_then(Value::as_u64);
        let index = index.and_then(|index| u32::try_from(index).ok());
        let index = index.filter(|&index| index < self.len);
        let number = index.map(|index| index.saturating_add(1));
        let number = number.ok_or("the database has no such game");
        match text(0) {
            "tags" => {
                let number = number?;
                for tag in edit.get(2).and_then(Value::as_array).into_iter().flatten() {
                    let name = tag.get(0).and_then(Value::as_str).unwrap_or_default();
                    let value = tag.get(1).and_then(Value::as_str);
                    self.edits.set_tag(number, name, value)?;
                }
            }
            "flags" => {
                self.edits
                    .set_flags(number?, flags(text(2))?, flags(text(3))?);
            }
            "replace" => self.edits.replace(number?, intact_game(text(2))?),
            "append" => self.append(text(1))?,
            "append-one" => self.added.push(intact_game(text(1))?),
            other => return Err(format!("unknown edit `{other}`")),
        }
        Ok(())
    }

    /// Reads all games of a PGN. Damaged ones are taken as far as they can be read, with findings.
    fn append(&mut self, pgn: &str) -> Result<(), String> {
        if pgn.len() > MOST_TEXT {
            return Err("the text exceeds 32 MiB; append it in parts".to_owned());
        }
        let options = Database::options().encoding("UTF-8");
        let db = options.open_files([("games.pgn", pgn.as_bytes().to_vec())]);
        for game in db.map_err(|error| error.to_string())?.games() {
            let game = game.map_err(|error| error.to_string())?;
            let index = self.len.saturating_add(self.added.len() as u32);
            for diagnostic in game.diagnostics() {
                self.findings
                    .add_of_game(index, diagnostic.severity, &diagnostic.kind);
            }
            self.added.push(game.into_model());
        }
        Ok(())
    }
}

/// Reads names of flags with commas between them.
fn flags(text: &str) -> Result<GameFlags, String> {
    let mut words = text
        .split(',')
        .map(str::trim)
        .filter(|word| !word.is_empty());
    words.try_fold(GameFlags::empty(), |flags, word| {
        let more = read_flags(word).map_err(|error| error.message().to_owned())?;
        Ok(flags | more)
    })
}

/// Reads the single game of a PGN, which must have no faults.
fn intact_game(pgn: &str) -> Result<GameModel, String> {
    let game = Game::from_pgn(pgn).map_err(|error| error.to_string())?;
    Ok(game.into_model())
}
