//! Which games of a database can be equal to one of a few new ones.

use std::collections::{HashMap, HashSet};

use crate::Query;
use crate::candidate::{Candidate, Dates};
use crate::duplicates::{Candidates, DuplicateRule, buckets_of};
use crate::judgement::can_be_one_date;

/// With more dates than these, comparing them takes longer than reading the games.
const MAX_DATES: usize = 1000;

/// New games whose copies are sought in a database. It rules out most games of the database before
/// their moves are read, or before they take memory.
///
/// ```
/// use chessdb_core::Game;
/// use chessdb_query::duplicates::{Candidate, ComparedGames, Dates, DuplicateRule};
///
/// let game = |date| Game::builder().white("Tal").black("Keres").date(date).build();
/// let new = [Candidate::from_game(&game("1959.09.07"))];
/// let mut compared = ComparedGames::new(&&new[..], DuplicateRule::Sure);
/// assert!(compared.may_have_dates(Dates::from_game(&game("1959.??.??"))));
/// assert!(!compared.may_have_dates(Dates::from_game(&game("1959.03.01"))));
/// assert!(compared.may_equal(&Candidate::from_game(&game("1959.09.07"))));
/// ```
#[derive(Clone, Debug)]
pub struct ComparedGames {
    by: DuplicateRule,
    buckets: HashSet<u64>,
    /// The dates of the new games, each once. Empty if there are too many to compare.
    dates: Vec<Dates>,
    /// Whether a date fits one of `dates`, for the dates that were compared.
    known_fits: HashMap<Dates, bool>,
}

impl ComparedGames {
    /// Collects what identifies the new games.
    pub fn new(games: &dyn Candidates, by: DuplicateRule) -> ComparedGames {
        let mut buckets = HashSet::new();
        let mut dates = HashSet::new();
        games.for_each(&mut |_, game| {
            for buckets_of_kind in buckets_of(by) {
                buckets_of_kind(game, &mut |bucket| {
                    buckets.insert(bucket);
                });
            }
            dates.insert(game.dates);
        });
        let can_rule_out = dates.len() <= MAX_DATES && dates.iter().all(|date| date.day.year > 0);
        ComparedGames {
            by,
            buckets,
            dates: if can_rule_out { dates.into_iter().collect() } else { Vec::new() },
            known_fits: HashMap::new(),
        }
    }

    /// Returns a query that all games match which can be equal to a new one: by their years, which
    /// the index of a database may know. `None` if games of any year can.
    pub fn query(&self) -> Option<Query> {
        let years = self.dates.iter().flat_map(|dates| {
            let years = [dates.day.year, dates.event.year];
            years.into_iter().filter(|year| *year > 0)
        });
        let (first, last) = (years.clone().min()?, years.max()?);
        // One copy may have the first day of the event, in the year before.
        let (first, last) = (
            first.saturating_sub(1).max(1),
            last.saturating_add(1).min(9999),
        );
        let query = format!("year:{first:04}..{last:04} or -year:0001..9999");
        query.parse().ok()
    }

    /// Returns whether a game with these dates can be equal to a new one.
    pub fn may_have_dates(&mut self, dates: Dates) -> bool {
        self.dates.is_empty()
            || *self.known_fits.entry(dates).or_insert_with(|| {
                let mut new = self.dates.iter();
                new.any(|new| can_be_one_date(*new, dates))
            })
    }

    /// Returns whether a game would be compared with a new one.
    pub fn may_equal(&self, game: &Candidate) -> bool {
        let mut is_shared = false;
        for buckets in buckets_of(self.by) {
            buckets(game, &mut |bucket| {
                is_shared |= self.buckets.contains(&bucket)
            });
        }
        is_shared
    }
}
