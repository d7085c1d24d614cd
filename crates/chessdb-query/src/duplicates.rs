//! Detection of duplicate games.
//!
//! Candidates are found by hashes, and only neighbours in a sorted bucket are compared, so the work
//! is proportional to the number of games, not to its square.

use std::collections::HashMap;

use chessdb_core::model::{GameFlags, Start};
use chessdb_core::{Date, Event, Game, Outcome, PackedMove};

use crate::evidence::{Fact, Facts, SharedId, hash, is_unknown, without_ep_square};
use crate::fold;
use crate::names::{fold_name, is_unknown_name, same_person, surname_key};

/// The rule by which two games are the same. Under every rule, contrary evidence separates games;
/// docs/reference/duplicates.md has the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DuplicateRule {
    /// Same players, start position and moves.
    Moves,
    /// Also if the moves of one are the beginning of the other's, for games transmitted move by
    /// move.
    Prefix,
    /// Also if players are spelled differently and a few moves differ.
    Similar,
}

/// With fewer half-moves than these, equal moves are not enough: event and round must agree too.
const FEW_PLIES: usize = 10;
/// The number of half-moves from which two games of unknown players may be the same.
const PLIES_WITHOUT_NAMES: usize = 20;
/// The number of neighbours in its bucket that a game is compared with.
const NEIGHBOURS: usize = 24;
/// The number of half-moves by which games are put into buckets, regardless of players' names.
const OPENING: usize = 20;
/// The number of moves that may differ in similar games: one in `ONE_IN` and `BESIDES` more, but at
/// most one in `AT_MOST_ONE_IN`.
const ONE_IN: usize = 25;
const BESIDES: usize = 2;
const AT_MOST_ONE_IN: usize = 4;

/// The data of one game that is compared. It can be computed in any thread.
#[derive(Clone, Debug)]
pub struct Candidate {
    players: [Box<str>; 2],
    event: Box<str>,
    round: Box<str>,
    date: Date,
    outcome: Outcome,
    facts: Facts,
    /// A hash of all tags that have a value, in any order.
    header: u64,
    start: u64,
    /// Whether it is a position of its own without moves.
    is_position: bool,
    moves: Box<[PackedMove]>,
    worth: Worth,
}

/// The ranking by which one of several copies is kept: the greatest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Worth {
    is_live: bool,
    stays: bool,
    notes: u32,
    plies: u32,
    tags: u32,
    has_result: bool,
}

/// A group of equal games: the index of the one to keep, and the indexes of the others.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Duplicates {
    /// The game to keep: one that is not marked as deleted, if there is one; of these one that
    /// [stays](Candidate::staying); then the game with most comments, variations and symbols; among
    /// equals the one with most moves, then with most tags, then with a result, then the first.
    pub kept: usize,
    /// The indexes of the others, ascending.
    pub others: Vec<usize>,
}

impl Candidate {
    /// Extracts the data of a game.
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
        let tags: Vec<_> = game.tags().collect();
        let known = |(_, value): &&(_, std::borrow::Cow<'_, str>)| !matches!(&**value, "" | "?");
        Candidate {
            players: [&game.white(), &game.black()].map(|name| fold_name(name).into_boxed_str()),
            event: folded(&game.event()),
            round: folded(&game.round()),
            date: game.date(),
            outcome: game.result(),
            facts: Facts::of(tags.iter().map(|(name, value)| (&**name, &**value))),
            header: tags
                .iter()
                .filter(|(_, value)| !is_unknown(value))
                .map(|(name, value)| match &**name {
                    "FEN" => hash(&(name, without_ep_square(value))),
                    _ => hash(&(name, value)),
                })
                .fold(0, u64::wrapping_add),
            start: game.start_board().polyglot_key(),
            is_position: game.header.start != Start::Standard && game.plies() == 0,
            moves: game.mainline().collect(),
            worth: Worth {
                is_live: !game.header.flags.contains(GameFlags::DELETED),
                stays: false,
                notes: notes.count() as u32,
                plies: game.plies(),
                tags: tags.iter().filter(known).count() as u32,
                has_result: game.result() != Outcome::Unknown,
            },
        }
    }

    /// Marks a game of a database that keeps all its games: it is preferred to a game that is only
    /// fuller.
    #[must_use]
    pub fn staying(mut self) -> Candidate {
        self.worth.stays = true;
        self
    }

    /// Returns whether it has more comments, variations, symbols or moves than another.
    pub fn is_fuller(&self, other: &Candidate) -> bool {
        self.worth.notes > other.worth.notes || self.worth.plies > other.worth.plies
    }

    /// Returns the facts that separate this game from others.
    fn separating(&self) -> impl Iterator<Item = Fact> + '_ {
        let is_known = self.outcome != Outcome::Unknown;
        let outcome = is_known.then(|| (hash(&"outcome"), hash(&self.outcome.as_pgn())));
        self.facts.all().chain(outcome)
    }

    /// Returns the facts that separate it from games without a shared identifier.
    fn dividing(&self) -> impl Iterator<Item = Fact> + '_ {
        let Date { year, month, day } = self.date;
        let parts = [("year", year), ("month", month.into()), ("day", day.into())];
        let parts = parts.into_iter().filter(|(_, part)| *part != 0);
        let parts = parts.map(|(name, part)| (hash(&name), part.into()));
        let round = self.has_round();
        parts.chain(round.then(|| (hash(&("round", &self.event)), hash(&self.round))))
    }

    fn has_round(&self) -> bool {
        !matches!(&*self.round, "" | "?" | "-")
    }

    fn has_event(&self) -> bool {
        !matches!(&*self.event, "" | "?" | "-")
    }

    /// Returns whether known dates and rounds agree.
    fn agrees(&self, other: &Candidate) -> bool {
        let (a, b) = (self.date, other.date);
        let agree = |a: u16, b: u16| a == b || a == 0 || b == 0;
        let dates = agree(a.year, b.year)
            && agree(a.month.into(), b.month.into())
            && agree(a.day.into(), b.day.into());
        let rounds = self.event != other.event
            || self.round == other.round
            || !self.has_round()
            || !other.has_round();
        dates && rounds
    }

    /// Returns whether two games have no difference that always separates.
    fn may_be(&self, other: &Candidate) -> bool {
        let outcomes = [self.outcome, other.outcome];
        self.start == other.start
            && (self.outcome == other.outcome || outcomes.contains(&Outcome::Unknown))
            && !self.facts.contradict(&other.facts)
    }

    /// Returns whether there is enough evidence that this is one game. Two unknown values are never
    /// evidence.
    fn has_evidence(&self, other: &Candidate, by: DuplicateRule) -> bool {
        let is_same = |a: &str, b: &str| match by {
            DuplicateRule::Moves | DuplicateRule::Prefix => a == b,
            DuplicateRule::Similar => same_person(a, b),
        };
        let mut players = self.players.iter().zip(&other.players);
        let are_known = || {
            let mut names = self.players.iter().chain(&other.players);
            !names.any(|name| is_unknown_name(name))
        };
        let plies = self.moves.len().min(other.moves.len());
        let of_one_round = || {
            let event = self.has_event() && self.event == other.event;
            event && self.has_round() && self.round == other.round
        };
        players.all(|(a, b)| is_same(a, b))
            && match plies {
                // Or an identical copy of the game.
                0..FEW_PLIES => {
                    let is_copy = self.header == other.header && self.moves == other.moves;
                    self.is_position && is_copy || are_known() && (of_one_round() || is_copy)
                }
                FEW_PLIES..PLIES_WITHOUT_NAMES => are_known(),
                _ => true,
            }
    }

    /// Returns whether known names differ.
    fn names_differ(&self, other: &Candidate) -> bool {
        let mut players = self.players.iter().zip(&other.players);
        players.any(|(a, b)| !is_unknown_name(a) && !is_unknown_name(b) && !same_person(a, b))
    }

    fn has_like_moves(&self, other: &Candidate, by: DuplicateRule) -> bool {
        let is_prefix = || {
            let pairs = self.moves.iter().zip(&other.moves);
            pairs.into_iter().all(|(a, b)| a == b)
        };
        match by {
            DuplicateRule::Moves => self.moves == other.moves,
            DuplicateRule::Prefix => is_prefix(),
            DuplicateRule::Similar => {
                let (short, long) = match self.moves.len() < other.moves.len() {
                    true => (&self.moves, &other.moves),
                    false => (&other.moves, &self.moves),
                };
                is_prefix() && short.len() * 2 >= long.len() || are_near(short, long)
            }
        }
    }

    /// Returns whether they are the same game, and the kind of shared identifier.
    fn is_same(&self, other: &Candidate, by: DuplicateRule) -> Option<SharedId> {
        if !self.may_be(other) {
            return None;
        }
        let shared = self.facts.shared(&other.facts);
        let is_named = match shared {
            SharedId::Address => true,
            SharedId::Number => !self.names_differ(other),
            SharedId::None => false,
        };
        // A game that is recognized by its identifier may have been cut.
        let may_be_cut = || is_named && self.has_like_moves(other, DuplicateRule::Prefix);
        if !self.has_like_moves(other, by) && !may_be_cut() {
            return None;
        }
        match is_named {
            true => Some(shared),
            false => (self.agrees(other) && self.has_evidence(other, by)).then_some(SharedId::None),
        }
    }
}

/// Returns whether few changes turn one list of moves into the other: a move more, less, or another
/// one.
fn are_near(short: &[PackedMove], long: &[PackedMove]) -> bool {
    let most = (BESIDES + short.len() / ONE_IN).min(long.len() / AT_MOST_ONE_IN);
    if long.len() - short.len() > most {
        return false;
    }
    // The edit distances up to positions in both lists that differ by at most `most`.
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

/// Finds groups of equal games, in the order of their first games.
///
/// ```
/// use chessdb_core::Game;
/// use chessdb_query::{Candidate, DuplicateRule, find_duplicates};
///
/// let game = |name: &str, moves: &str| {
///     let game = Game::builder().event("Bled").round("1").white(name).black("Smyslov");
///     Candidate::of(&game.sans(moves.split(' ')).unwrap().build())
/// };
/// let games = [game("Tal", "e4 c6 d3"), game("Keres", "e4 c6 d3"), game("Tal", "e4 c6 d3 d5")];
/// assert!(find_duplicates(&games, DuplicateRule::Moves).is_empty());
/// let found = find_duplicates(&games, DuplicateRule::Prefix);
/// assert_eq!((found[0].kept, &found[0].others[..]), (2, &[0][..]));
/// ```
pub fn find_duplicates(games: &[Candidate], by: DuplicateRule) -> Vec<Duplicates> {
    let mut sets = GameSets::new(games.len());
    sets.join(games, by, |game, add| {
        game.facts.ids().iter().copied().for_each(add);
    });
    match by {
        DuplicateRule::Moves | DuplicateRule::Prefix => {
            sets.join(games, by, |game, add| {
                add(hash(&(&game.players, game.start)))
            });
        }
        DuplicateRule::Similar => {
            sets.join(games, by, |game, add| {
                let keys = game.players.each_ref().map(|name| surname_key(name));
                add(hash(&(keys, game.date.year)));
            });
            sets.join(games, by, |game, add| {
                if let Some(opening) = game.moves.get(..OPENING) {
                    add(hash(&(opening, game.start, game.date.year)));
                    // The year may be unknown in one copy.
                    let keys = game.players.each_ref().map(|name| surname_key(name));
                    add(hash(&(keys, opening, game.start)));
                }
            });
        }
    }
    sets.groups(games)
}

/// Disjoint sets of games: each game points to an earlier one of its set, or to itself.
struct GameSets {
    before: Vec<u32>,
    /// The facts about sets of several games, by the first game of each set.
    known: HashMap<u32, SetFacts>,
}

/// All facts stated by the games of a set.
#[derive(Default)]
struct SetFacts {
    separating: HashMap<u64, u64>,
    dividing: HashMap<u64, u64>,
}

impl SetFacts {
    fn of(game: &Candidate) -> SetFacts {
        SetFacts {
            separating: game.separating().collect(),
            dividing: game.dividing().collect(),
        }
    }

    fn len(&self) -> usize {
        self.separating.len() + self.dividing.len()
    }

    /// Returns whether both can be one game.
    fn agrees(&self, other: &SetFacts, shared: SharedId) -> bool {
        let agree = |a: &HashMap<u64, u64>, b: &HashMap<u64, u64>| {
            let (small, large) = if a.len() < b.len() { (a, b) } else { (b, a) };
            let answers =
                |(question, answer)| large.get(question).is_none_or(|known| known == answer);
            small.iter().all(answers)
        };
        agree(&self.separating, &other.separating)
            && (shared != SharedId::None || agree(&self.dividing, &other.dividing))
    }

    fn add(&mut self, other: SetFacts) {
        for (question, answer) in other.separating {
            self.separating.entry(question).or_insert(answer);
        }
        for (question, answer) in other.dividing {
            self.dividing.entry(question).or_insert(answer);
        }
    }
}

impl GameSets {
    fn new(games: usize) -> GameSets {
        GameSets {
            before: (0..games as u32).collect(),
            known: HashMap::new(),
        }
    }

    fn first(&mut self, game: u32) -> u32 {
        let mut at = game;
        while let Some(&before) = self.before.get(at as usize)
            && before != at
        {
            let further = self.before.get(before as usize).copied().unwrap_or(before);
            if let Some(place) = self.before.get_mut(at as usize) {
                *place = further;
            }
            at = before;
        }
        at
    }

    /// Joins equal games of each bucket. A game may be in several buckets.
    fn join(
        &mut self,
        games: &[Candidate],
        by: DuplicateRule,
        buckets_of: impl Fn(&Candidate, &mut dyn FnMut(u64)),
    ) {
        let mut buckets: HashMap<u64, Vec<u32>> = HashMap::new();
        for (n, game) in (0..).zip(games) {
            buckets_of(game, &mut |bucket| {
                buckets.entry(bucket).or_default().push(n)
            });
        }
        let game = |n: &u32| games.get(*n as usize);
        for mut bucket in buckets.into_values().filter(|bucket| bucket.len() > 1) {
            // After sorting, similar games are neighbours regardless of the input order.
            bucket.sort_by_cached_key(|n| {
                game(n).map(|game| (&game.moves, &game.event, game.date, &game.facts, *n))
            });
            for (at, a) in bucket.iter().enumerate() {
                let near = bucket.get(at + 1..).unwrap_or_default().iter();
                for b in near.take(NEIGHBOURS) {
                    if let (Some(left), Some(right)) = (game(a), game(b))
                        && let Some(shared) = left.is_same(right, by)
                    {
                        let (first, second) = (self.first(*a), self.first(*b));
                        self.unite(first, second, shared, games);
                    }
                }
            }
        }
    }

    /// Unites two sets, unless any game of one contradicts any game of the other: a game without a
    /// date may equal either of two with different dates.
    fn unite(&mut self, a: u32, b: u32, shared: SharedId, games: &[Candidate]) {
        if a == b {
            return;
        }
        let (first, second) = (a.min(b), a.max(b));
        let mut known = |n: u32| {
            let known = self.known.remove(&n);
            known.or_else(|| games.get(n as usize).map(SetFacts::of))
        };
        let (Some(one), Some(other)) = (known(first), known(second)) else {
            return;
        };
        if !one.agrees(&other, shared) {
            self.known.insert(first, one);
            self.known.insert(second, other);
            return;
        }
        let (mut all, less) = if one.len() < other.len() {
            (other, one)
        } else {
            (one, other)
        };
        all.add(less);
        self.known.insert(first, all);
        if let Some(place) = self.before.get_mut(second as usize) {
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
