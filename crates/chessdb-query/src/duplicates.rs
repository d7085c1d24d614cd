//! Detection of duplicate games.
//!
//! Candidates are found by hashes, and only neighbours in a sorted bucket are compared, so the work
//! is proportional to the number of games, not to its square.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};

use crate::candidate::Dates;
use crate::evidence::{SharedId, hash};
use crate::judgement::{CandidateComparison, date_sets_fit};

pub use crate::candidate::{Candidate, Details};
pub use crate::compared::ComparedGames;
pub use crate::judgement::{DuplicateRule, Evidence};

/// The number of neighbours in its bucket that a game is compared with.
const NEIGHBOURS: usize = 24;
/// A bucket with more games is sorted without having them all in memory.
const MAX_LOADED: usize = 1 << 16;
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

/// Games that are compared.
pub trait Candidates {
    /// Returns the number of games.
    fn count(&self) -> usize;

    /// Returns game `n`, counted from 0. `None` behind the last game.
    fn get(&self, n: usize) -> Option<Cow<'_, Candidate>>;

    /// Calls a function for each game with its index, in order.
    fn for_each(&self, visit: &mut dyn FnMut(usize, &Candidate));
}

impl Candidates for &[Candidate] {
    fn count(&self) -> usize {
        self.len()
    }

    fn get(&self, n: usize) -> Option<Cow<'_, Candidate>> {
        <[Candidate]>::get(self, n).map(Cow::Borrowed)
    }

    fn for_each(&self, visit: &mut dyn FnMut(usize, &Candidate)) {
        self.iter().enumerate().for_each(|(n, game)| visit(n, game));
    }
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
    find_duplicates_among(&games, by)
}

/// Finds groups of equal games as [`find_duplicates`], among games that need not be in memory.
pub fn find_duplicates_among(games: &dyn Candidates, by: DuplicateRule) -> Vec<Duplicates> {
    let mut sets = GameSets::new(games.count());
    for buckets in buckets_of(by) {
        sets.join(games, by, buckets);
    }
    sets.groups(games)
}

/// Passes the buckets of a game, as hashes, to a function. Only games with a common bucket are
/// compared.
pub(crate) type Buckets = fn(&Candidate, &mut dyn FnMut(u64));

/// Returns the kinds of buckets for a rule, in the order in which games are joined.
pub(crate) fn buckets_of(by: DuplicateRule) -> &'static [Buckets] {
    match by {
        DuplicateRule::Strict => &[by_identifier, by_names],
        // Names may be misspelled, dates missing, moves wrong: each bucket needs less than all.
        DuplicateRule::Sure | DuplicateRule::Likely => &[by_identifier, by_players, by_opening],
    }
}

/// A common identifier, such as an address, brings games together whatever else differs.
fn by_identifier(game: &Candidate, add: &mut dyn FnMut(u64)) {
    game.facts.ids().iter().copied().for_each(add);
}

fn by_names(game: &Candidate, add: &mut dyn FnMut(u64)) {
    let names = game.players.each_ref().map(|player| &player.name);
    add(hash(&(names, game.start)));
}

fn by_players(game: &Candidate, add: &mut dyn FnMut(u64)) {
    let year = game.dates.day.year;
    add(hash(&(surnames(game), year)));
    let [white, black] = game.players.each_ref().map(|player| player.fide_id);
    if white > 0 && black > 0 {
        add(hash(&(white, black, year)));
    }
}

fn by_opening(game: &Candidate, add: &mut dyn FnMut(u64)) {
    let opening = game.moves.get(..OPENING).unwrap_or(&game.moves);
    if !opening.is_empty() {
        add(hash(&(opening, game.start, game.dates.day.year)));
    }
    // The year may be unknown in one copy, or another one at the turn of the year.
    add(hash(&(surnames(game), opening, game.start)));
}

fn surnames(game: &Candidate) -> [u32; 2] {
    game.players.each_ref().map(|player| player.surname)
}

/// Sorts the games of a bucket so that similar ones are neighbours, regardless of the input order.
fn sort_bucket(bucket: &mut [(u64, u32)], games: &dyn Candidates) {
    let compare = |a: &Candidate, b: &Candidate| {
        let moves = a.moves.cmp(&b.moves).then_with(|| a.event.cmp(&b.event));
        let dates = moves.then_with(|| a.dates.cmp(&b.dates));
        dates.then_with(|| a.facts.cmp(&b.facts))
    };
    if bucket.len() > MAX_LOADED {
        bucket.sort_by(
            |&(_, a), &(_, b)| match (games.get(a as usize), games.get(b as usize)) {
                (Some(left), Some(right)) => compare(&left, &right).then(a.cmp(&b)),
                _ => a.cmp(&b),
            },
        );
        return;
    }
    let mut loaded: Vec<((u64, u32), Cow<'_, Candidate>)> = bucket
        .iter()
        .filter_map(|&place| Some((place, games.get(place.1 as usize)?)))
        .collect();
    loaded.sort_by(|(a, left), (b, right)| compare(left, right).then(a.1.cmp(&b.1)));
    for (place, (sorted, _)) in bucket.iter_mut().zip(loaded) {
        *place = sorted;
    }
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
    fn join(&mut self, games: &dyn Candidates, by: DuplicateRule, buckets: &Buckets) {
        let mut places: Vec<(u64, u32)> = Vec::with_capacity(games.count());
        games.for_each(&mut |n, game| {
            buckets(game, &mut |bucket| places.push((bucket, n as u32)));
        });
        places.sort_unstable();
        places.dedup();
        for bucket in places.chunk_by_mut(|a, b| a.0 == b.0) {
            if bucket.len() > NEIGHBOURS + 1 {
                sort_bucket(bucket, games);
            }
            self.join_bucket(bucket, games, by);
        }
    }

    /// Joins equal games of a bucket, among as many as are compared with each.
    fn join_bucket(&mut self, bucket: &[(u64, u32)], games: &dyn Candidates, by: DuplicateRule) {
        if bucket.len() < 2 {
            return;
        }
        let mut near: VecDeque<(u32, Cow<'_, Candidate>)> = VecDeque::new();
        let mut after = bucket
            .iter()
            .filter_map(|&(_, n)| Some((n, games.get(n as usize)?)));
        near.extend(after.by_ref().take(NEIGHBOURS + 1));
        while let Some((a, left)) = near.pop_front() {
            for (b, right) in &near {
                let (first, second) = (self.first(a), self.first(*b));
                if first != second
                    && let Some(compared) = CandidateComparison::new(&left, right)
                    && let Some(shared) = compared.is_one_game(by)
                {
                    self.unite((first, second), shared, compared.is_apart(), games);
                }
            }
            near.extend(after.next());
        }
    }

    /// Unites two sets, unless any game of one contradicts any game of the other: a game without a
    /// date may equal either of two with different dates.
    fn unite(
        &mut self,
        (a, b): (u32, u32),
        shared: SharedId,
        is_apart: bool,
        games: &dyn Candidates,
    ) {
        let (first, second) = (a.min(b), a.max(b));
        // A single game has no entry: few games have duplicates, and maps take memory.
        let mut take_facts = |n: u32| {
            let of_set = self.facts.remove(&n);
            of_set.or_else(|| Some(SetFacts::new(&*games.get(n as usize)?)))
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

    fn groups(mut self, games: &dyn Candidates) -> Vec<Duplicates> {
        let mut members: Vec<(u32, u32)> = (0..games.count() as u32)
            .map(|n| (self.first(n), n))
            .collect();
        members.sort_unstable();
        let sets = members.chunk_by(|a, b| a.0 == b.0);
        let groups = sets.filter(|set| set.len() > 1).filter_map(|set| {
            let members = set.iter().map(|&(_, n)| n as usize);
            let worth = |n: &usize| games.get(*n).map(|game| game.worth());
            // Reversed, since `max_by_key` returns the last of equal games.
            let best = members.clone().rev().max_by_key(worth)?;
            let others = members.filter(|n| *n != best).collect();
            Some(Duplicates { kept: best, others })
        });
        groups.collect()
    }
}
