//! The player whom a name of the command line means.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chessdb::query::Query;
use chessdb::query::names::{NameUse, one_person};
use chessdb::query::stats::player::PlayerFilter;

use crate::args::ScanOptions;
use crate::exit::{Failure, note};
use crate::input::{self, Access};
use crate::inputs::Inputs;
use crate::json::{Json, games_by_name};
use crate::output::{names_with_games, plain};
use crate::query;

/// A player, and how his games are found.
pub(super) struct ChosenPlayer {
    pub(super) filter: PlayerFilter,
    /// The name for [`PlayerFilter::term`].
    pub(super) name: String,
    /// Names that may be the same player's and are not counted, with their numbers of games.
    pub(super) possible: Vec<(String, u64)>,
}

impl ChosenPlayer {
    /// Reads the names of the databases if `name` is a whole one, a surname with given names. Then
    /// only the names count that are proved to be this person's, and a note lists others. Another
    /// name is a part of names, or a regular expression.
    pub(super) fn from_name(
        databases: &[PathBuf],
        name: &str,
        options: &ScanOptions,
    ) -> Result<ChosenPlayer, Failure> {
        let filter = PlayerFilter::new(name).map_err(|error| Failure::Query {
            message: error.message().to_owned(),
            pointer: error.pointer(name),
        })?;
        let player = ChosenPlayer {
            filter,
            name: name.to_owned(),
            possible: Vec::new(),
        };
        let surname = name
            .split_once(',')
            .map_or("", |(surname, _)| surname.trim());
        if surname.is_empty() || surname.starts_with('/') {
            return Ok(player);
        }
        let inputs = Inputs::new(databases, &options.input_options);
        // Reading the names would use up a pipe, which has the games.
        if inputs.bases.iter().any(|base| is_read_once(&base.path)) {
            return Ok(player);
        }
        // Other spellings of a name share its surname, so the other players are not compared.
        let query = query::read_text(
            &PlayerFilter::term("player", surname),
            options.choice.position_options,
        )?;
        let mut uses: BTreeMap<String, NameUse> = BTreeMap::new();
        for base in &inputs.bases {
            add_uses(&base.path, &query, options, &mut uses);
        }
        let uses: Vec<(String, NameUse)> = uses.into_iter().collect();
        let person = one_person(&uses, &[name]);
        let name = |n: &usize| uses.get(*n).map(|(name, seen)| (name.clone(), seen.games));
        let counted = person.counted.iter().filter_map(name).map(|(name, _)| name);
        let counted: Vec<String> = counted.collect();
        if counted.is_empty() {
            return Ok(player);
        }
        let chosen = ChosenPlayer {
            name: PlayerFilter::whole_names(counted.iter().map(String::as_str)),
            possible: person.possible.iter().filter_map(name).collect(),
            filter: player.filter.only(counted.iter().cloned()),
        };
        chosen.note_possible(&counted);
        Ok(chosen)
    }

    /// Prints on standard error the names that are not counted, and how to count one of them.
    fn note_possible(&self, counted: &[String]) {
        let Some((first, _)) = self.possible.first() else {
            return;
        };
        let names = counted.iter().chain([first]).map(String::as_str);
        let expression = PlayerFilter::whole_names(names);
        note(format_args!(
            "chessdb: not counted, perhaps the same player: {}; to count \"{}\" too, write '{}'",
            names_with_games(&self.possible),
            plain(first),
            plain(&expression),
        ));
    }

    /// Returns the member of a JSON document with the names that are not counted.
    pub(super) fn possible_json(&self) -> Json {
        games_by_name(self.possible.iter().cloned())
    }
}

/// Adds the players of the matching games. Errors and damage are left to the run that reads the
/// games again.
fn add_uses(
    path: &Path,
    query: &Arc<Query>,
    options: &ScanOptions,
    uses: &mut BTreeMap<String, NameUse>,
) {
    let (how, jobs) = (&options.input_options, options.jobs);
    let Ok(db) = input::open_for_search(false, path, how, jobs, Access::InOrder) else {
        return;
    };
    let scan = db.scan().filter(Arc::clone(query));
    let _ = scan.map_in_order(
        |game, _| NameUse::of_players(game),
        |players| {
            for (name, seen) in players.into_iter().flatten() {
                uses.entry(name).or_default().add(&seen);
            }
            ControlFlow::Continue(())
        },
    );
}

/// Returns whether an input can be read only once: standard input or a pipe.
fn is_read_once(path: &Path) -> bool {
    let is_other = |file: std::fs::Metadata| !file.is_file() && !file.is_dir();
    path.as_os_str() == "-" || std::fs::metadata(path).is_ok_and(is_other)
}
