//! Detection of duplicate games.
//!
//! Candidates are found by hashes, and only neighbours in a sorted bucket are compared, so the work
//! is proportional to the number of games, not to its square.

use std::collections::HashMap;

use crate::candidate::Dates;
use crate::evidence::{SharedId, hash};
use crate::judgement::{CandidateComparison, date_sets_fit};

pub use crate::candidate::{Candidate, Details};
pub use crate::judgement::Evidence;

/// How much evidence makes two games one. Under every rule, contrary evidence separates games;
/// docs/reference/duplicates.md has the table.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum DuplicateRule {
    /// Same moves, and players spelled the same.
    Strict,
    /// No reasonable doubt: spellings, missing or cut parts and slips do not separate games.
    #[default]
    Sure,
    /// Probably one game, even if little besides names and moves supports it.
    Likely,
}

/// The number of neighbours in its bucket that a game is compared with.
const NEIGHBOURS: usize = 24;
/// The number of half-moves by which games are put into buckets, regardless of players' names.
const OPENING: usize = 20;

/// A group of equal games: the index of the one to keep, and the indexes of the others.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Duplicates {
    /// The game to keep: one that is not marked as deleted, if there is one; of these one that
    /// [stays](Candidate::staying); then a finished game; then the one with most moves, ratings,
    /// parts of the date, comments, variations and symbols, and tags, in this order; among equals
    /// the first.
    pub kept: usize,
    /// The indexes of the others, ascending.
    pub others: Vec<usize>,
}

/// Finds groups of equal games, in the order of their first games.
///
/// ```
/// use chessdb_core::Game;
/// use chessdb_query::duplicates::{Candidate, DuplicateRule, find_duplicates};
///
/// let game = |name: &str, moves: &str| {
///     let game = Game::builder().event("Bled").round("1").white(name).black("Smyslov");
///     Candidate::from_game(&game.sans(moves.split(' ')).unwrap().build())
/// };
/// let games = [game("Tal", "e4 c6 d3"), game("Keres", "e4 c6 d3"), game("Tal", "e4 c6 d3 d5")];
/// assert!(find_duplicates(&games, DuplicateRule::Strict).is_empty());
/// let groups = find_duplicates(&games, DuplicateRule::Sure);
/// assert_eq!((groups[0].kept, &groups[0].others[..]), (2, &[0][..]));
/// ```
pub fn find_duplicates(games: &[Candidate], by: DuplicateRule) -> Vec<Duplicates> {
    let mut sets = GameSets::new(games.len());
    // A common identifier, such as an address, brings games together whatever else differs.
    sets.join(games, by, |game, add| {
        game.facts.ids().iter().copied().for_each(add);
    });
    if by == DuplicateRule::Strict {
        sets.join(games, by, |game, add| {
            let names = game.players.each_ref().map(|player| &player.name);
            add(hash(&(names, game.start)));
        });
        return sets.groups(games);
    }
    // Names may be misspelled, dates missing, moves wrong: each bucket needs less than all.
    let surnames = |game: &Candidate| game.players.each_ref().map(|player| player.surname);
    sets.join(games, by, |game, add| {
        let year = game.dates.day.year;
        add(hash(&(surnames(game), year)));
        let [white, black] = game.players.each_ref().map(|player| player.fide_id);
        if white > 0 && black > 0 {
            add(hash(&(white, black, year)));
        }
    });
    sets.join(games, by, |game, add| {
        let opening = game.moves.get(..OPENING).unwrap_or(&game.moves);
        if !opening.is_empty() {
            add(hash(&(opening, game.start, game.dates.day.year)));
        }
        // The year may be unknown in one copy, or another one at the turn of the year.
        add(hash(&(surnames(game), opening, game.start)));
    });
    sets.groups(games)
}

/// Disjoint sets of games: each game points to an earlier one of its set, or to itself.
struct GameSets {
    before: Vec<u32>,
    /// The facts about sets of several games, by the first game of each set.
    facts: HashMap<u32, SetFacts>,
}

/// All facts stated by the games of a set.
#[derive(Default)]
struct SetFacts {
    separating: HashMap<u64, u64>,
    dividing: HashMap<u64, u64>,
    /// The dates, each once.
    dates: Vec<Dates>,
}

impl SetFacts {
    fn new(game: &Candidate) -> SetFacts {
        SetFacts {
            separating: game.separating().collect(),
            dividing: game.dividing().into_iter().collect(),
            dates: vec![game.dates],
        }
    }

    fn len(&self) -> usize {
        self.separating.len() + self.dividing.len()
    }

    /// Returns whether both can be one game.
    fn agrees(&self, other: &SetFacts, shared: SharedId, is_apart: bool) -> bool {
        let agree = |a: &HashMap<u64, u64>, b: &HashMap<u64, u64>| {
            // Only questions that both answer can separate them.
            let (small, large) = if a.len() < b.len() { (a, b) } else { (b, a) };
            let answers =
                |(question, answer)| large.get(question).is_none_or(|other| other == answer);
            small.iter().all(answers)
        };
        agree(&self.separating, &other.separating)
            && date_sets_fit(&self.dates, &other.dates, is_apart)
            && (shared != SharedId::None || agree(&self.dividing, &other.dividing))
    }

    fn add(&mut self, other: SetFacts) {
        for (question, answer) in other.separating {
            self.separating.entry(question).or_insert(answer);
        }
        for (question, answer) in other.dividing {
            self.dividing.entry(question).or_insert(answer);
        }
        for dates in other.dates {
            if !self.dates.contains(&dates) {
                self.dates.push(dates);
            }
        }
    }
}

impl GameSets {
    fn new(games: usize) -> GameSets {
        GameSets {
            before: (0..games as u32).collect(),
            facts: HashMap::new(),
        }
    }

    fn first(&mut self, game: u32) -> u32 {
        let mut current = game;
        while let Some(&before) = self.before.get(current as usize)
            && before != current
        {
            // Each step shortens the path of later searches.
            let further = self.before.get(before as usize).copied().unwrap_or(before);
            if let Some(place) = self.before.get_mut(current as usize) {
                *place = further;
            }
            current = before;
        }
        current
    }

    /// Joins equal games of each bucket. A game may be in several buckets.
    fn join(
        &mut self,
        games: &[Candidate],
        by: DuplicateRule,
        buckets_of: impl Fn(&Candidate, &mut dyn FnMut(u64)),
    ) {
        let mut places: Vec<(u64, u32)> = Vec::with_capacity(games.len());
        for (n, game) in (0..).zip(games) {
            buckets_of(game, &mut |bucket| places.push((bucket, n)));
        }
        places.sort_unstable();
        places.dedup();
        let game = |n: u32| games.get(n as usize);
        for bucket in places.chunk_by_mut(|a, b| a.0 == b.0) {
            if bucket.len() > NEIGHBOURS + 1 {
                // After sorting, similar games are neighbours regardless of the input order. In a
                // smaller bucket every game is compared with every other.
                bucket.sort_by_key(|&(_, n)| {
                    game(n).map(|game| (&game.moves, &game.event, game.dates, &game.facts, n))
                });
            }
            for (index, &(_, a)) in bucket.iter().enumerate() {
                let near = bucket.get(index + 1..).unwrap_or_default().iter();
                for &(_, b) in near.take(NEIGHBOURS) {
                    let (first, second) = (self.first(a), self.first(b));
                    if first != second
                        && let (Some(left), Some(right)) = (game(a), game(b))
                        && let Some(compared) = CandidateComparison::new(left, right)
                        && let Some(shared) = compared.is_one_game(by)
                    {
                        self.unite((first, second), shared, compared.is_apart(), games);
                    }
                }
            }
        }
    }

    /// Unites two sets, unless any game of one contradicts any game of the other: a game without a
    /// date may equal either of two with different dates.
    fn unite(&mut self, (a, b): (u32, u32), shared: SharedId, is_apart: bool, games: &[Candidate]) {
        let (first, second) = (a.min(b), a.max(b));
        // A single game has no entry: few games have duplicates, and maps take memory.
        let mut take_facts = |n: u32| {
            let of_set = self.facts.remove(&n);
            of_set.or_else(|| games.get(n as usize).map(SetFacts::new))
        };
        let (Some(one), Some(other)) = (take_facts(first), take_facts(second)) else {
            return;
        };
        if !one.agrees(&other, shared, is_apart) {
            self.facts.insert(first, one);
            self.facts.insert(second, other);
            return;
        }
        // Extending the larger side moves each fact only a few times.
        let (mut all, less) = if one.len() < other.len() { (other, one) } else { (one, other) };
        all.add(less);
        self.facts.insert(first, all);
        if let Some(place) = self.before.get_mut(second as usize) {
            *place = first;
        }
    }

    fn groups(mut self, games: &[Candidate]) -> Vec<Duplicates> {
        let mut members: Vec<(u32, u32)> = (0..games.len() as u32)
            .map(|n| (self.first(n), n))
            .collect();
        members.sort_unstable();
        let sets = members.chunk_by(|a, b| a.0 == b.0);
        let groups = sets.filter(|set| set.len() > 1).filter_map(|set| {
            let members = set.iter().map(|&(_, n)| n as usize);
            let worth = |n: &usize| games.get(*n).map(Candidate::worth);
            // Reversed, since `max_by_key` returns the last of equal games.
            let best = members.clone().rev().max_by_key(worth)?;
            let others = members.filter(|n| *n != best).collect();
            Some(Duplicates { kept: best, others })
        });
        groups.collect()
    }
}
