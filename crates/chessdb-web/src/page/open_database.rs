//! An open database with its list of games.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use chessdb::explorer::Explorer;
use chessdb::query::Query;
use chessdb::{Database, Game, Selection};
use serde_json::Value;

use crate::description::description;
use crate::failure::Result;
use crate::page::abilities::abilities;
use crate::page::counted_names::CountedNames;
use crate::page::edit_history::{Direction, History, Step};

/// The sort key of a column: the rank of each game, smallest first; [`UNKNOWN`] if it is unknown.
pub(crate) type Ranks = Vec<u32>;

/// The rank of unknown values, which come last in either sort direction.
pub(crate) const UNKNOWN: u32 = u32::MAX;

/// The maximum number of bytes that a database keeps for its tree: 1.4 million games.
const MAX_TRACES: usize = 256 << 20;

/// An open database.
pub(crate) struct OpenDatabase {
    db: Database,
    name: String,
    /// The number of the database in its source and the encoding that the user chose, if changes can
    /// be saved in its files.
    pub(crate) origin: Option<(usize, String)>,
    len: u32,
    /// Games that match the query, in the order of the database; `None` if there is no query.
    matches: Option<Vec<u32>>,
    /// The listed games in the order of the list; `None` if that is the order of the database.
    sorted: Option<Vec<u32>>,
    /// The ply of the position found, by game.
    pub(crate) hits: HashMap<u32, u32>,
    /// The games that the last search for duplicates would remove, ascending.
    pub(crate) duplicates: Vec<u32>,
    order: Option<(String, bool)>,
    ranks: HashMap<String, Ranks>,
    /// The query of the list.
    query: Option<Arc<Query>>,
    /// The changes in memory.
    pub(crate) edits: History,
    /// The names of the database by frequency, once they were counted.
    pub(crate) names: Option<CountedNames>,
    /// What trees have learned of the games.
    explorer: Explorer,
    /// A buffer for games that are read and dropped.
    pub(crate) game: Game,
}

impl OpenDatabase {
    pub(crate) fn new(db: Database, name: Option<String>) -> Result<OpenDatabase> {
        let len = db.len()?;
        Ok(OpenDatabase {
            db,
            name: name.unwrap_or_default(),
            origin: None,
            len,
            matches: None,
            sorted: None,
            hits: HashMap::new(),
            duplicates: Vec::new(),
            order: None,
            ranks: HashMap::new(),
            query: None,
            edits: History::default(),
            names: None,
            explorer: Explorer::new(MAX_TRACES),
            game: Game::new(),
        })
    }

    pub(crate) fn db(&self) -> &Database {
        &self.db
    }

    /// Returns the database, and the buffer for games.
    pub(crate) fn db_and_buffer(&mut self) -> (&Database, &mut Game) {
        (&self.db, &mut self.game)
    }

    /// Returns the name of the file that names the database.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the number of games in the database.
    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    /// Reads the headers of the games from `from` up to, but not including, `to`. Unreadable ones are
    /// skipped.
    pub(crate) fn each_header(&mut self, from: u32, to: u32, mut act: impl FnMut(&Game)) {
        let mut game = std::mem::take(&mut self.game);
        for index in from..to {
            if self.db.header_into(index, &mut game).is_ok() {
                act(&game);
            }
        }
        self.game = game;
    }

    /// Returns the number of games in the list.
    pub(crate) fn listed(&self) -> u32 {
        self.matches
            .as_ref()
            .map_or(self.len, |games| games.len() as u32)
    }

    /// Returns whether the list has all games.
    pub(crate) fn lists_all(&self) -> bool {
        self.matches.is_none()
    }

    /// Returns the game at this index of the list.
    pub(crate) fn game_at(&self, place: u32) -> Option<u32> {
        // Without an order the list is in the order of the database.
        let list = self.sorted.as_ref().or(self.matches.as_ref());
        match list {
            Some(list) => list.get(place as usize).copied(),
            None => (place < self.len).then_some(place),
        }
    }

    /// Returns the `n`th listed game, in the order of the database.
    pub(crate) fn nth(&self, n: u32) -> Option<u32> {
        match &self.matches {
            Some(games) => games.get(n as usize).copied(),
            None => (n < self.len).then_some(n),
        }
    }

    /// Returns whether a game is in the list.
    pub(crate) fn is_listed(&self, game: u32) -> bool {
        match &self.matches {
            // `matches` is ascending, `sorted` is not.
            Some(games) => games.binary_search(&game).is_ok(),
            None => game < self.len,
        }
    }

    /// Returns the index of a game in the list.
    pub(crate) fn place(&self, game: u32) -> Option<u32> {
        let position = match (&self.sorted, &self.matches) {
            (Some(sorted), _) => sorted.iter().position(|&listed| listed == game)?,
            (None, Some(games)) => games.binary_search(&game).ok()?,
            (None, None) => return (game < self.len).then_some(game),
        };
        u32::try_from(position).ok()
    }

    /// Lists these games, which match the query and must be ascending, or all games.
    pub(crate) fn list(
        &mut self,
        query: &Arc<Query>,
        matches: Option<Vec<u32>>,
        hits: HashMap<u32, u32>,
    ) {
        self.query = matches.is_some().then(|| Arc::clone(query));
        self.matches = matches;
        self.hits = hits;
        self.arrange();
    }

    /// Lists these games in this order, which ends with the next filter.
    pub(crate) fn list_in_order(&mut self, games: Vec<u32>) {
        let mut sorted = games.clone();
        sorted.sort_unstable();
        // No query describes this list, so edits cannot change it.
        self.query = None;
        self.matches = Some(sorted);
        self.hits.clear();
        self.order = None;
        self.sorted = Some(games);
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
        let mut list: Vec<u32> = match &self.matches {
            Some(games) => games.clone(),
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
        if *down {
            list.sort_by_key(|game| {
                let rank = rank(game);
                // Unknown values come last in both directions.
                (rank == UNKNOWN, Reverse(rank))
            });
        } else {
            list.sort_by_key(rank);
        }
        self.sorted = Some(list);
    }

    /// Returns the number of bytes that are kept for the tree.
    pub(crate) fn trace_bytes(&self) -> u64 {
        self.explorer.bytes()
    }

    /// Returns the database, and what trees have learned of its games.
    pub(crate) fn db_and_explorer(&mut self) -> (&Database, &mut Explorer) {
        (&self.db, &mut self.explorer)
    }

    /// Returns whether a game differs from the last save.
    pub(crate) fn is_unsaved(&self, index: u32) -> bool {
        self.edits.unsaved().contains(&index)
    }

    /// Applies the changes of a step. The list then contains the games that match the query now.
    /// Returns whether it must be sorted again.
    pub(crate) fn apply(&mut self, step: &Step, direction: Direction) -> Result<bool> {
        let mut touched: Option<(u32, u32)> = None;
        for (index, game) in step.targets(direction) {
            // The memory of edits is counted by the difference to the former state.
            let old = self.db.edited_game(index).cloned();
            self.db.set_game(index, game.cloned())?;
            self.edits.note(index, old.as_ref(), game);
            self.explorer.forget(index);
            let (first, last) = touched.unwrap_or((index, index));
            touched = Some((first.min(index), last.max(index)));
        }
        // Undoing an addition makes the database shorter.
        self.len = self.db.len()?;
        let len = self.len;
        self.duplicates.retain(|&index| index < len);
        if let Some((first, last)) = touched {
            self.find_again(first, last)?;
        }
        Ok(self.relist(step.keeps_order))
    }

    /// Continues with the files opened again, which contain all changes now.
    pub(crate) fn take_saved(&mut self, db: Database) -> Result<()> {
        self.len = db.len()?;
        self.db = db;
        // Its steps lead to games as they were stored before.
        self.edits = History::default();
        Ok(())
    }

    /// Notes that these games were saved in their present state.
    pub(crate) fn mark_saved(&mut self, games: &[u32]) {
        for &index in games {
            let game = self.db.edited_game(index);
            self.edits.mark_saved(index, game);
        }
    }

    /// Calls `act` with the games from `from` up to, but not including, `to` that match a query. A
    /// game that cannot be read matches none.
    pub(crate) fn each_found(
        &mut self,
        query: &Arc<Query>,
        from: u32,
        to: u32,
        mut act: impl FnMut(&Game),
    ) -> Result<()> {
        if from >= to {
            return Ok(());
        }
        let scan = self.db.scan().select(Selection::from(from + 1..=to));
        let mut reader = scan.filter(Arc::clone(query)).reader();
        loop {
            match reader.read_into(&mut self.game) {
                Ok(true) => act(&self.game),
                Ok(false) => return Ok(()),
                // The fault of one game; any other error ends the search.
                Err(error) if error.game().is_some() => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Compares these games with the query again.
    fn find_again(&mut self, first: u32, last: u32) -> Result<()> {
        let len = self.len;
        let Some(query) = self.query.clone() else {
            if let Some(games) = &mut self.matches {
                games.retain(|&index| index < len);
            }
            return Ok(());
        };
        // Everything between the first and the last touched game is compared; a step seldom touches
        // games far apart.
        let end = last.saturating_add(1);
        let (mut new, mut hits) = (Vec::new(), Vec::new());
        self.each_found(&query, first, end.min(len), |game| {
            new.push(game.index());
            hits.extend(game.found().hit().map(|hit| (game.index(), hit.ply())));
        })?;
        // Games that no longer match lose their hit.
        self.hits.retain(|index, _| !(first..end).contains(index));
        self.hits.extend(hits);
        if let Some(games) = &mut self.matches {
            let from = games.partition_point(|&index| index < first);
            let to = games.partition_point(|&index| index < end);
            games.splice(from..to, new);
        }
        Ok(())
    }

    /// Orders the list after a change of its games. Returns whether it must be sorted again; until
    /// then games keep their places, and new ones come last.
    fn relist(&mut self, keeps_order: bool) -> bool {
        if !keeps_order {
            self.ranks.clear();
        }
        if let (None, Some(list)) = (&self.order, &mut self.sorted) {
            // An order that no column describes.
            let len = self.len;
            list.retain(|&index| index < len);
            return false;
        }
        let is_known = match &self.order {
            None => true,
            Some((column, _)) => column == "number" || self.ranks.contains_key(column),
        };
        let Some(mut list) = self.sorted.take().filter(|_| !is_known) else {
            self.arrange();
            return false;
        };
        let all: Vec<u32> = match &self.matches {
            Some(games) => games.clone(),
            None => (0..self.len).collect(),
        };
        list.retain(|game| all.binary_search(game).is_ok());
        // Sorting again is left to the caller, because ranks need all games.
        let old: HashSet<u32> = list.iter().copied().collect();
        list.extend(all.into_iter().filter(|game| !old.contains(game)));
        self.sorted = Some(list);
        true
    }

    /// Returns the listed games from the `from`th up to, but not including, the `to`th, in the order
    /// of the database, as a selection.
    pub(crate) fn selection(&self, from: u32, to: u32) -> Result<Selection> {
        let Some(games) = &self.matches else {
            return Ok(match (from, to) {
                (0, to) if to >= self.len => Selection::all(),
                _ => Selection::from(from + 1..=to),
            });
        };
        let games = games.get(from as usize..to as usize).unwrap_or_default();
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
        for &game in games {
            range = match range {
                Some((first, last)) if last.checked_add(1) == Some(game) => Some((first, game)),
                other => {
                    put(other);
                    Some((game, game))
                }
            };
        }
        put(range);
        if text.is_empty() {
            #[expect(
                clippy::reversed_empty_ranges,
                reason = "the range is meant to be empty"
            )]
            return Ok(Selection::from(1..=0));
        }
        Ok(text.parse()?)
    }

    /// Returns a description of the database.
    pub(crate) fn info(&self) -> Value {
        let mut info = description(&self.db, &self.name, self.len);
        if let Some(members) = info.as_object_mut() {
            members.insert("abilities".to_owned(), abilities());
            members.insert("stores".to_owned(), self.origin.is_some().into());
        }
        info
    }
}
