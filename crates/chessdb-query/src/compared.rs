//! Which games of a database can be equal to one of a few new ones.

use std::collections::HashSet;
use std::sync::Arc;

use chessdb_core::Game;

use crate::Query;
use crate::candidate::Candidate;
use crate::compared_headers::ComparedHeaders;
use crate::duplicates::{Candidates, DuplicateRule, buckets_of};
use crate::headers::HeaderTerm;

/// A search for copies of new games in a database. It rules out most games of the database by their
/// headers, and others by their moves, before they are compared or take memory.
///
/// ```
/// use chessdb_core::Game;
/// use chessdb_query::duplicates::{Candidate, ComparedGames, DuplicateRule};
///
/// let game = |black, date| Game::builder().white("Tal, M").black(black).date(date).build();
/// let new = [Candidate::from_game(&game("Keres, P", "1959.09.07"))];
/// let compared = ComparedGames::new(&&new[..], DuplicateRule::Sure);
/// let query = compared.query();
/// assert!(query.matches(&game("Keres, Paul", "1959.??.??")));
/// assert!(!query.matches(&game("Keres, Paul", "1959.03.01")));
/// assert!(!query.matches(&game("Gligoric, S", "1959.09.07")));
/// assert!(compared.candidate(&game("Keres, Paul", "1959.09.07")).is_some());
/// ```
#[derive(Clone, Debug)]
pub struct ComparedGames {
    by: DuplicateRule,
    buckets: HashSet<u64>,
    headers: Arc<ComparedHeaders>,
}

impl ComparedGames {
    /// Collects what identifies the new games.
    pub fn new(games: &dyn Candidates, by: DuplicateRule) -> ComparedGames {
        let mut buckets = HashSet::new();
        let mut headers = ComparedHeaders::default();
        games.for_each(&mut |_, game| {
            for buckets_of_kind in buckets_of(by) {
                buckets_of_kind(game, &mut |bucket| {
                    buckets.insert(bucket);
                });
            }
            headers.add(game);
        });
        headers.sort();
        ComparedGames {
            by,
            buckets,
            headers: Arc::new(headers),
        }
    }

    /// Returns a query that all games match which can be equal to a new one, by their players, dates
    /// and identifiers. It is for the games of one database, and has no text.
    pub fn query(&self) -> Query {
        Query::of_header(HeaderTerm::Copies(Arc::clone(&self.headers)))
    }

    /// Returns what is compared of a game that matches [`ComparedGames::query`]; `None` if it cannot be
    /// equal to a new one, by its moves too.
    pub fn candidate(&self, game: &Game) -> Option<Candidate> {
        if !self.headers.may_have_moves(game) {
            return None;
        }
        let candidate = Candidate::from_game(game);
        let mut is_shared = false;
        for buckets in buckets_of(self.by) {
            buckets(&candidate, &mut |bucket| {
                is_shared |= self.buckets.contains(&bucket);
            });
        }
        is_shared.then_some(candidate)
    }
}
