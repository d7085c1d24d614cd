//! Duplicates among the games of several databases.

use chessdb_database::{Game, Selection};
use chessdb_query::duplicates::{Candidate, Details, DuplicateRule, Evidence, find_duplicates};

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
/// let found = search.finish();
/// assert_eq!((found.removed[0].place, found.removed[0].kept), ((0, 2), (0, 1)));
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct DuplicateSearch {
    rule: DuplicateRule,
    explains: bool,
    games: Vec<GamePlace>,
    places: Vec<GamePlace>,
    candidates: Vec<Candidate>,
}

/// The duplicates among games.
#[derive(Debug)]
#[non_exhaustive]
pub struct FoundDuplicates {
    /// All games that were added, in order.
    pub games: Vec<GamePlace>,
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
            candidates: Vec::new(),
        }
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
        self.games.push(place);
        if let Some(candidate) = candidate {
            self.add_compared(place, candidate);
        }
    }

    /// Adds a game that others are compared with, but that is not among
    /// [`FoundDuplicates::games`].
    pub fn add_compared(&mut self, place: GamePlace, candidate: Candidate) {
        self.places.push(place);
        self.candidates.push(candidate);
    }

    /// Finds the duplicates.
    pub fn finish(self) -> FoundDuplicates {
        let place = |n: usize| self.places.get(n).copied().unwrap_or_default();
        let mut removed = Vec::new();
        for group in find_duplicates(&self.candidates, self.rule) {
            let retained = self.candidates.get(group.kept);
            for n in group.others {
                let pair = self.candidates.get(n).zip(retained);
                removed.push(Duplicate {
                    place: place(n),
                    kept: place(group.kept),
                    beyond: pair.map_or(Details::empty(), |(removed, retained)| {
                        removed.details_beyond(retained)
                    }),
                    evidence: match pair.filter(|_| self.explains) {
                        Some((removed, retained)) => retained.evidence(removed),
                        None => Vec::new(),
                    },
                });
            }
        }
        // `FoundDuplicates::kept` searches this list for every game.
        removed.sort_unstable_by_key(|duplicate| duplicate.place);
        FoundDuplicates {
            games: self.games,
            removed,
        }
    }
}

impl FoundDuplicates {
    /// Returns the games that are kept, in order.
    pub fn kept(&self) -> impl Iterator<Item = GamePlace> + '_ {
        let games = self.games.iter().copied();
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
