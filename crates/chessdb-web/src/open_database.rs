//! An open database with its list of games.

use std::cmp::Reverse;
use std::collections::HashMap;

use chessdb::core::model::NameRole;
use chessdb::core::{ErrorKind, FileSet, Severity};
use chessdb::{Database, Game, Selection};
use serde_json::{Value, json};

use crate::abilities::abilities;
use crate::failure::Result;
use crate::findings::FindingKinds;

/// The sort key of a column: the rank of each game, smallest first; [`UNKNOWN`] if it is unknown.
pub(crate) type Ranks = Vec<u32>;

/// The rank of unknown values, which come last in either sort direction.
pub(crate) const UNKNOWN: u32 = u32::MAX;

/// An open database.
pub(crate) struct OpenDatabase {
    db: Database,
    name: String,
    len: u32,
    /// Games that match the query, in the order of the database; `None` if there is no query.
    found: Option<Vec<u32>>,
    /// The listed games in the order of the list; `None` if that is the order of the database.
    sorted: Option<Vec<u32>>,
    /// The ply of the position found, by game.
    pub(crate) hits: HashMap<u32, u32>,
    order: Option<(String, bool)>,
    ranks: HashMap<String, Ranks>,
    /// A buffer for games that are read and dropped.
    pub(crate) game: Game,
}

impl OpenDatabase {
    pub(crate) fn new(db: Database, name: Option<String>) -> Result<OpenDatabase> {
        let len = db.len()?;
        Ok(OpenDatabase {
            db,
            name: name.unwrap_or_default(),
            len,
            found: None,
            sorted: None,
            hits: HashMap::new(),
            order: None,
            ranks: HashMap::new(),
            game: Game::new(),
        })
    }

    pub(crate) fn db(&self) -> &Database {
        &self.db
    }

    /// Returns the name of the file that names the database.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the number of games in the database.
    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    /// Returns the number of games in the list.
    pub(crate) fn listed(&self) -> u32 {
        self.found
            .as_ref()
            .map_or(self.len, |found| found.len() as u32)
    }

    /// Returns the game at this index of the list.
    pub(crate) fn at(&self, place: u32) -> Option<u32> {
        let list = self.sorted.as_ref().or(self.found.as_ref());
        match list {
            Some(list) => list.get(place as usize).copied(),
            None => (place < self.len).then_some(place),
        }
    }

    /// Returns the `n`th listed game, in the order of the database.
    pub(crate) fn nth(&self, n: u32) -> Option<u32> {
        match &self.found {
            Some(found) => found.get(n as usize).copied(),
            None => (n < self.len).then_some(n),
        }
    }

    /// Returns the index of a game in the list.
    pub(crate) fn place(&self, game: u32) -> Option<u32> {
        let at = match (&self.sorted, &self.found) {
            (Some(sorted), _) => sorted.iter().position(|&listed| listed == game)?,
            (None, Some(found)) => found.binary_search(&game).ok()?,
            (None, None) => return (game < self.len).then_some(game),
        };
        u32::try_from(at).ok()
    }

    /// Lists these games, which must be ascending, or all games.
    pub(crate) fn list(&mut self, found: Option<Vec<u32>>, hits: HashMap<u32, u32>) {
        self.found = found;
        self.hits = hits;
        self.arrange();
    }

    pub(crate) fn ranks_of(&self, column: &str) -> Option<&Ranks> {
        self.ranks.get(column)
    }

    pub(crate) fn keep_ranks(&mut self, column: &str, ranks: Ranks) {
        // Four columns of a million games; storing more would cost more than computing them again.
        if self.ranks.len() >= 4 {
            self.ranks.clear();
        }
        self.ranks.insert(column.to_owned(), ranks);
    }

    /// Orders the list by a column, or by the order of the database.
    pub(crate) fn order_by(&mut self, order: Option<(String, bool)>) {
        self.order = order;
        self.arrange();
    }

    fn arrange(&mut self) {
        self.sorted = None;
        let Some((column, down)) = &self.order else {
            return;
        };
        let mut list: Vec<u32> = match &self.found {
            Some(found) => found.clone(),
            None => (0..self.len).collect(),
        };
        if column == "number" {
            if *down {
                list.reverse();
            }
            self.sorted = Some(list);
            return;
        }
        let Some(ranks) = self.ranks.get(column) else {
            return;
        };
        let rank = |game: &u32| ranks.get(*game as usize).copied().unwrap_or(UNKNOWN);
        match down {
            false => list.sort_by_key(rank),
            true => list.sort_by_key(|game| {
                let rank = rank(game);
                (rank == UNKNOWN, Reverse(rank))
            }),
        }
        self.sorted = Some(list);
    }

    /// Returns the listed games from the `from`th up to, but not including, the `to`th, in the order
    /// of the database, as a selection.
    pub(crate) fn selection(&self, from: u32, to: u32) -> Result<Selection> {
        let Some(found) = &self.found else {
            return Ok(match (from, to) {
                (0, to) if to >= self.len => Selection::all(),
                _ => Selection::from(from + 1..=to),
            });
        };
        let found = found.get(from as usize..to as usize).unwrap_or_default();
        let mut text = String::new();
        let mut range: Option<(u32, u32)> = None;
        let mut put = |range: Option<(u32, u32)>| {
            if let Some((first, last)) = range {
                if !text.is_empty() {
                    text.push(',');
                }
                // Selections count from 1.
                text.push_str(&format!("{}-{}", u64::from(first) + 1, u64::from(last) + 1));
            }
        };
        for &game in found {
            range = match range {
                Some((first, last)) if last.checked_add(1) == Some(game) => Some((first, game)),
                other => {
                    put(other);
                    Some((game, game))
                }
            };
        }
        put(range);
        match text.is_empty() {
            // The empty selection.
            true => Ok(Selection::from(
                #[expect(
                    clippy::reversed_empty_ranges,
                    reason = "the range is meant to be empty"
                )]
                {
                    1..=0
                },
            )),
            false => Ok(text.parse()?),
        }
    }

    /// Returns a description of the database.
    pub(crate) fn info(&self) -> Value {
        let db = &self.db;
        let info = db.info();
        let text = |id| info.texts.get(id).decode().into_owned();
        let names = |role| info.table(role).map(|table| table.records.len());
        let files: Vec<Value> = db.files().map_or(Vec::new(), |files| {
            files
                .iter()
                .map(|(role, path, size)| {
                    let name = path.to_string_lossy();
                    json!({ "name": name, "role": role.0, "size": size, "there": files.get(role).is_some() })
                })
                .collect()
        });
        let missing = db.diagnostics().iter();
        let missing: Vec<&str> = missing
            .filter_map(|found| match found.kind {
                ErrorKind::MissingFile(role) if found.severity == Severity::Lost => Some(role.0),
                _ => None,
            })
            .collect();
        let mut findings = FindingKinds::default();
        for found in db.diagnostics() {
            findings.add_of_base(found.severity, &found.kind, &found.at);
        }
        let charset = db.charset().map(|guess| {
            json!({
                "page": guess.page.name(),
                "confidence": guess.confidence,
                "witnesses": guess.witnesses,
                "doubtful": guess.low,
                "second": guess.runner_up.map(|page| page.name()),
            })
        });
        json!({
            "name": self.name,
            "format": { "id": db.format().id, "name": db.format().name },
            "games": self.len,
            "title": text(info.title),
            "description": text(info.description),
            "names": {
                "players": names(NameRole::Player),
                "events": names(NameRole::Event),
                "sites": names(NameRole::Site),
            },
            "texts": info.extras.len(),
            "files": files,
            "missing": missing,
            "faults": findings.to_json(),
            "charset": charset,
            "hasPage": db.format().charset_prior.is_some(),
            "abilities": abilities(),
        })
    }
}
