//! Duplicates among the games of several databases.

mod stored;

use std::fs::File;

use chessdb_database::{Game, Selection};
use chessdb_files::error::{Error, Problem, Result};
use chessdb_query::duplicates::{
    Candidate, Candidates, ComparedGames, Details, DuplicateRule, Evidence, find_duplicates_among,
};

use chessdb_core::sorting::sort_by_key;
use stored::StoredCandidates;

/// A game: the index of its database, and its number there, counted from 1.
pub type GamePlace = (usize, u32);

/// A search for duplicates, to which the games of all databases are added in order.
///
/// ```
/// use chessdb::Database;
/// use chessdb::convert::DuplicateSearch;
/// use chessdb::query::duplicates::DuplicateRule;
///
/// # fn main() -> Result<(), chessdb::Error> {
/// let game = "[White \"Tal\"]\n[Black \"Keres\"]\n\n1. e4 c6 2. d3 d5 *\n\n";
/// let db = Database::options().open_files([("a.pgn", [game, game].concat())])?;
/// let mut search = DuplicateSearch::new(DuplicateRule::Sure);
/// for game in db.games() {
///     let game = game?;
///     search.add((0, game.number()), DuplicateSearch::candidate(&game));
/// }
/// let found = search.finish().unwrap();
/// assert_eq!((found.removed[0].place, found.removed[0].kept), ((0, 2), (0, 1)));
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct DuplicateSearch {
    rule: DuplicateRule,
    explains: bool,
    games: Vec<StoredPlace>,
    places: Vec<StoredPlace>,
    candidates: StoredCandidates,
}

/// A [`GamePlace`] in half the memory.
type StoredPlace = (u32, u32);

fn stored_place((database, number): GamePlace) -> StoredPlace {
    (database as u32, number)
}

fn place_of((database, number): StoredPlace) -> GamePlace {
    (database as usize, number)
}

/// The duplicates among games.
#[derive(Debug)]
#[non_exhaustive]
pub struct FoundDuplicates {
    /// All games that were added, in order.
    games: Vec<StoredPlace>,
    /// The games to remove, in ascending order of their places.
    pub removed: Vec<Duplicate>,
}

/// A game to remove.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Duplicate {
    /// The game to remove.
    pub place: GamePlace,
    /// The game that is kept for it.
    pub kept: GamePlace,
    /// The details of the game to remove that the kept game lacks.
    pub beyond: Details,
    /// The evidence for and against both being one game, if it was asked for
    /// ([`DuplicateSearch::explained`]). Empty if both are one only because of a third copy.
    pub evidence: Vec<Evidence>,
}

impl Duplicate {
    /// Creates a duplicate that has nothing beyond the kept game.
    pub fn new(place: GamePlace, kept: GamePlace) -> Duplicate {
        Duplicate {
            place,
            kept,
            beyond: Details::empty(),
            evidence: Vec::new(),
        }
    }
}

impl DuplicateSearch {
    /// Creates a search by this rule.
    pub fn new(rule: DuplicateRule) -> DuplicateSearch {
        DuplicateSearch {
            rule,
            explains: false,
            games: Vec::new(),
            places: Vec::new(),
            candidates: StoredCandidates::default(),
        }
    }

    /// Sets a file for what is compared of the games, as far as it takes more than 256 MiB: for
    /// millions of games. The file should be temporary and empty.
    #[must_use]
    pub fn with_file(mut self, file: File) -> DuplicateSearch {
        self.candidates.set_file(file);
        self
    }

    /// Asks for the evidence of each duplicate.
    #[must_use]
    pub fn explained(mut self) -> DuplicateSearch {
        self.explains = true;
        self
    }

    /// Returns what is compared of a game. `None` for a damaged game, which cannot be compared
    /// reliably.
    pub fn candidate(game: &Game) -> Option<Candidate> {
        (!game.is_damaged()).then(|| Candidate::from_game(game))
    }

    /// Adds a game. Without a candidate it has no duplicates.
    pub fn add(&mut self, place: GamePlace, candidate: Option<Candidate>) {
        self.games.push(stored_place(place));
        if let Some(candidate) = candidate {
            self.add_compared(place, candidate);
        }
    }

    /// Adds a game that others are compared with, but that is not among
    /// [`FoundDuplicates::games`].
    pub fn add_compared(&mut self, place: GamePlace, candidate: Candidate) {
        self.places.push(stored_place(place));
        self.candidates.push(&candidate);
    }

    /// Returns what the games added so far have in common with their copies. A game that cannot be
    /// equal to one of them need not be added.
    pub fn compared(&self) -> ComparedGames {
        ComparedGames::new(&self.candidates, self.rule)
    }

    /// Finds the duplicates.
    ///
    /// # Errors
    ///
    /// Returns an error if the file of [`DuplicateSearch::with_file`] cannot be written or read.
    pub fn finish(self) -> Result<FoundDuplicates> {
        let candidates = &self.candidates;
        let place = |n: usize| {
            self.places
                .get(n)
                .copied()
                .map(place_of)
                .unwrap_or_default()
        };
        let mut removed = Vec::new();
        for group in find_duplicates_among(candidates, self.rule) {
            let Some(retained) = candidates.get(group.kept) else {
                continue;
            };
            for n in group.others {
                let Some(duplicate) = candidates.get(n) else {
                    continue;
                };
                removed.push(Duplicate {
                    place: place(n),
                    kept: place(group.kept),
                    beyond: duplicate.details_beyond(&retained),
                    evidence: if self.explains {
                        retained.evidence(&duplicate)
                    } else {
                        Vec::new()
                    },
                });
            }
        }
        let failed = |error| Error::new("temporary file", Problem::Io(error));
        self.candidates.into_result().map_err(failed)?;
        // `FoundDuplicates::kept` searches this list for every game.
        sort_by_key(&mut removed, |duplicate| duplicate.place);
        Ok(FoundDuplicates {
            games: self.games,
            removed,
        })
    }
}

impl FoundDuplicates {
    /// Returns the number of games that were added.
    pub fn games(&self) -> usize {
        self.games.len()
    }

    /// Returns the games that are kept, in order.
    pub fn kept(&self) -> impl Iterator<Item = GamePlace> + '_ {
        let games = self.games.iter().copied().map(place_of);
        games.filter(|place| {
            self.removed
                .binary_search_by_key(place, |removed| removed.place)
                .is_err()
        })
    }

    /// Returns the kept games of each of `databases` databases.
    pub fn selections(&self, databases: usize) -> Vec<Selection> {
        let mut numbers_by_database = vec![Vec::new(); databases];
        for (database, number) in self.kept() {
            if let Some(numbers) = numbers_by_database.get_mut(database) {
                numbers.push(number);
            }
        }
        numbers_by_database
            .into_iter()
            .map(Selection::in_order)
            .collect()
    }
}
