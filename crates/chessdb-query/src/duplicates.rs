//! Games that are in a base twice.
//!
//! Which games may be the same is looked up by hashes, and only games beside each other in a sorted
//! bucket are compared, so the work grows with the number of games, not with its square.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use chessdb_core::{Date, Event, Game, Outcome, PackedMove};

use crate::fold;
use crate::names::{same_person, surname_key};

/// When two games are the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sameness {
    /// The same players, start and moves, and no date or round that speaks against it.
    Moves,
    /// Also if the moves of one are the beginning of the other's: games that were sent move by move.
    Prefix,
    /// Also if players are spelled in another way, and a few moves differ.
    Similar,
}

/// With fewer half-moves than these, moves alone do not make two games the same: event and round must.
const FEW_PLIES: usize = 10;
/// With so many neighbours in its bucket a game is compared.
const NEIGHBOURS: usize = 24;
/// Half-moves by which games are put into buckets whatever the players are called.
const OPENING: usize = 20;
/// Of similar games one move in so many may differ, and these besides.
const ONE_IN: usize = 25;
const BESIDES: usize = 2;

/// What is looked at of one game: made of it by any thread.
#[derive(Clone, Debug)]
pub struct Candidate {
    players: [Box<str>; 2],
    event: Box<str>,
    round: Box<str>,
    date: Date,
    start: u64,
    moves: Box<[PackedMove]>,
    worth: Worth,
}

/// How much is in a game; the greater one is kept.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Worth {
    notes: u32,
    plies: u32,
    tags: u32,
    has_result: bool,
}

/// Games that are the same: the place of the one to keep in the list that was given, and the others.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Duplicates {
    /// The game with most comments, variations and symbols; among equals that with most moves, then
    /// with most tags, then with a result, then the first.
    pub kept: usize,
    /// The others, ascending.
    pub others: Vec<usize>,
}

impl Candidate {
    /// Looks at a game.
    pub fn of(game: &Game) -> Candidate {
        let folded = |text: &str| {
            let mut out = String::new();
            fold(text.trim(), &mut out);
            out.into_boxed_str()
        };
        let notes = game.events().filter(|event| match event {
            Event::Comment(_, text) => !text.is_empty(),
            Event::Open(_) | Event::Nag(_) | Event::Clock(_) | Event::Eval(_) => true,
            Event::Shapes(_) => true,
            _ => false,
        });
        let known = |(_, value): &(_, std::borrow::Cow<'_, str>)| !matches!(&**value, "" | "?");
        Candidate {
            players: [folded(&game.white()), folded(&game.black())],
            event: folded(&game.event()),
            round: folded(&game.round()),
            date: game.date(),
            start: game.start_board().polyglot_key(),
            moves: game.mainline().collect(),
            worth: Worth {
                notes: notes.count() as u32,
                plies: game.plies(),
                tags: game.tags().filter(known).count() as u32,
                has_result: game.result() != Outcome::Unknown,
            },
        }
    }

    /// Whether the heads may be of one game: dates and rounds that are known agree.
    fn agrees(&self, other: &Candidate) -> bool {
        let (a, b) = (self.date, other.date);
        let agree = |a: u16, b: u16| a == b || a == 0 || b == 0;
        let dates = agree(a.year, b.year)
            && agree(a.month.into(), b.month.into())
            && agree(a.day.into(), b.day.into());
        let is_known = |text: &str| !matches!(text, "" | "?" | "-");
        let rounds = self.event != other.event
            || self.round == other.round
            || !is_known(&self.round)
            || !is_known(&other.round);
        let few = self.moves.len().min(other.moves.len()) < FEW_PLIES;
        dates && rounds && (!few || self.event == other.event && self.round == other.round)
    }

    fn is_same(&self, other: &Candidate, by: Sameness) -> bool {
        if self.start != other.start || !self.agrees(other) {
            return false;
        }
        let is_prefix = || {
            let pairs = self.moves.iter().zip(&other.moves);
            pairs.into_iter().all(|(a, b)| a == b)
        };
        match by {
            Sameness::Moves => self.players == other.players && self.moves == other.moves,
            Sameness::Prefix => self.players == other.players && is_prefix(),
            Sameness::Similar => {
                let pairs = self.players.iter().zip(&other.players);
                let (short, long) = match self.moves.len() < other.moves.len() {
                    true => (&self.moves, &other.moves),
                    false => (&other.moves, &self.moves),
                };
                pairs.into_iter().all(|(a, b)| same_person(a, b))
                    && (is_prefix() && short.len() * 2 >= long.len() || are_near(short, long))
            }
        }
    }
}

/// Whether one list of moves becomes the other by few changes: a move more, less, or another one.
fn are_near(short: &[PackedMove], long: &[PackedMove]) -> bool {
    let most = BESIDES + short.len() / ONE_IN;
    if long.len() - short.len() > most {
        return false;
    }
    // Changes up to a place in both, for places that are at most so far apart.
    let width = 2 * most + 1;
    let mut row: Vec<usize> = (0..width).map(|n| n.saturating_sub(most)).collect();
    for (n, mv) in (1..).zip(short) {
        let mut next = vec![usize::MAX; width];
        for k in 0..width {
            let Some(at) = (n + k).checked_sub(most).filter(|at| *at <= long.len()) else {
                continue;
            };
            let cost = |found: Option<&usize>, more: usize| {
                found.map_or(usize::MAX, |cost| cost.saturating_add(more))
            };
            let same = at.checked_sub(1).and_then(|at| long.get(at)) == Some(mv);
            let replaced = match at {
                0 => usize::MAX,
                _ => cost(row.get(k), usize::from(!same)),
            };
            let left_out = cost(row.get(k + 1), 1);
            let added = cost(k.checked_sub(1).and_then(|k| next.get(k)), 1);
            if let Some(place) = next.get_mut(k) {
                *place = replaced.min(left_out).min(added);
            }
        }
        row = next;
    }
    let end = (long.len() + most).checked_sub(short.len());
    end.and_then(|k| row.get(k))
        .is_some_and(|cost| *cost <= most)
}

/// Finds the games that are the same. The groups come in the order of their first games.
///
/// ```
/// use chessdb_core::Game;
/// use chessdb_query::{Candidate, Sameness, find_duplicates};
///
/// let game = |name: &str, moves: &str| {
///     let game = Game::builder().event("Bled").round("1").white(name).black("Smyslov");
///     Candidate::of(&game.sans(moves.split(' ')).unwrap().build())
/// };
/// let games = [game("Tal", "e4 c6 d3"), game("Keres", "e4 c6 d3"), game("Tal", "e4 c6 d3 d5")];
/// assert!(find_duplicates(&games, Sameness::Moves).is_empty());
/// let found = find_duplicates(&games, Sameness::Prefix);
/// assert_eq!((found[0].kept, &found[0].others[..]), (2, &[0][..]));
/// ```
pub fn find_duplicates(games: &[Candidate], by: Sameness) -> Vec<Duplicates> {
    let mut sets = Sets::new(games.len());
    match by {
        Sameness::Moves | Sameness::Prefix => {
            sets.join(games, by, |game| Some(hash(&(&game.players, game.start))));
        }
        Sameness::Similar => {
            sets.join(games, by, |game| {
                let keys = game.players.each_ref().map(|name| surname_key(name));
                Some(hash(&(keys, game.date.year)))
            });
            sets.join(games, by, |game| {
                let opening = game.moves.get(..OPENING)?;
                Some(hash(&(opening, game.start, game.date.year)))
            });
        }
    }
    sets.groups(games)
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Sets of games: each points to one of its set that came before, or to itself.
struct Sets(Vec<u32>);

impl Sets {
    fn new(games: usize) -> Sets {
        Sets((0..games as u32).collect())
    }

    fn first(&mut self, game: u32) -> u32 {
        let mut at = game;
        while let Some(&before) = self.0.get(at as usize)
            && before != at
        {
            let further = self.0.get(before as usize).copied().unwrap_or(before);
            if let Some(place) = self.0.get_mut(at as usize) {
                *place = further;
            }
            at = before;
        }
        at
    }

    /// Joins games of one bucket that are the same.
    fn join(
        &mut self,
        games: &[Candidate],
        by: Sameness,
        bucket: impl Fn(&Candidate) -> Option<u64>,
    ) {
        let mut buckets: HashMap<u64, Vec<u32>> = HashMap::new();
        for (n, game) in (0..).zip(games) {
            if let Some(bucket) = bucket(game) {
                buckets.entry(bucket).or_default().push(n);
            }
        }
        let game = |n: &u32| games.get(*n as usize);
        for mut bucket in buckets.into_values().filter(|bucket| bucket.len() > 1) {
            // What begins alike is beside each other, whatever the order of the games was.
            bucket.sort_by_key(|n| game(n).map(|game| (&game.moves, *n)));
            for (at, a) in bucket.iter().enumerate() {
                let near = bucket.get(at + 1..).unwrap_or_default().iter();
                for b in near.take(NEIGHBOURS) {
                    if let (Some(left), Some(right)) = (game(a), game(b))
                        && left.is_same(right, by)
                    {
                        let (first, second) = (self.first(*a), self.first(*b));
                        self.unite(first, second, games);
                    }
                }
            }
        }
    }

    /// Makes one of two sets, unless their first games cannot be the same: a game without a date may
    /// be either of two that have one.
    fn unite(&mut self, a: u32, b: u32, games: &[Candidate]) {
        let (first, second) = (a.min(b), a.max(b));
        let game = |n: u32| games.get(n as usize);
        if let (Some(one), Some(other)) = (game(first), game(second))
            && one.agrees(other)
            && let Some(place) = self.0.get_mut(second as usize)
        {
            *place = first;
        }
    }

    fn groups(mut self, games: &[Candidate]) -> Vec<Duplicates> {
        let mut members: HashMap<u32, Vec<usize>> = HashMap::new();
        for n in 0..games.len() as u32 {
            let first = self.first(n);
            members.entry(first).or_default().push(n as usize);
        }
        let mut firsts: Vec<(u32, Vec<usize>)> = members.into_iter().collect();
        firsts.retain(|(_, members)| members.len() > 1);
        firsts.sort_unstable_by_key(|(first, _)| *first);
        let groups = firsts.into_iter().filter_map(|(_, members)| {
            let worth = |n: &usize| games.get(*n).map(|game| game.worth);
            let kept = *members.iter().rev().max_by_key(|n| worth(n))?;
            let others = members.into_iter().filter(|n| *n != kept).collect();
            Some(Duplicates { kept, others })
        });
        groups.collect()
    }
}
