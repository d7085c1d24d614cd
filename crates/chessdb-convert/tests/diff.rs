//! The comparison by content against an obvious one, which compares each game with each, and with
//! more games than are compared at once.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::ops::ControlFlow;

use chessdb::core::compare;
use chessdb::diff::{Diff, Matching, Pair, Summary};
use chessdb::{Database, Game};

/// A generator of pseudo-random numbers (Knuth's MMIX).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn pick<'a>(&mut self, values: &[&'a str]) -> &'a str {
        values[self.below(values.len())]
    }
}

const NAMES: [&str; 3] = ["?", "Reti", "Tal"];
const LINES: [&str; 4] = [
    "1. e4 {C} e5",
    "1. d4 {C} d5 2. c4",
    "1. e4 {C} c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6",
    "1. d4 {C} d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Be7 5. e3",
];

/// Returns a game from so few values that many games are equal or similar.
fn game(random: &mut Random) -> String {
    let (white, black) = (random.pick(&NAMES), random.pick(&NAMES));
    let date = random.pick(&["????.??.??", "1950.01.01"]);
    let line = random.pick(&LINES);
    let line = line.replace("{C}", random.pick(&["", "{good}", "{bad}"]));
    format!("[White \"{white}\"]\n[Black \"{black}\"]\n[Date \"{date}\"]\n\n{line} *\n\n")
}

/// Returns games, and the same in another order with changes.
fn bases(random: &mut Random) -> [Vec<String>; 2] {
    let left: Vec<String> = (0..random.below(14)).map(|_| game(random)).collect();
    let mut right = left.clone();
    for _ in 0..random.below(5) {
        let place = random.below(right.len() + 1);
        match random.below(5) {
            0 => right.insert(place, game(random)),
            1 if place < right.len() => drop(right.remove(place)),
            2 if place < right.len() => right[place] = game(random),
            3 if place < right.len() => {
                let other = random.below(right.len());
                right.swap(place, other);
            }
            _ => {
                for last in (1..right.len()).rev() {
                    right.swap(last, random.below(last + 1));
                }
            }
        }
    }
    [left, right]
}

fn open(games: &[String]) -> Database {
    let file = ("games.pgn", games.concat());
    let options = Database::options().format("pgn");
    options.open_files([file]).unwrap()
}

/// A pair of places, or a place in one database.
type Reported = (Option<usize>, Option<usize>);

/// Returns the changed and single games in the order of the report.
fn reported(diff: &Diff<'_>) -> (Summary, Vec<Reported>) {
    let mut games = Vec::new();
    let place = |game: &Game| Some(game.index() as usize);
    let summary = diff.run(|pair| {
        match pair {
            Pair::Changed(a, b, found) => {
                assert!(!found.is_empty());
                games.push((place(a), place(b)));
            }
            Pair::OnlyLeft(a) => games.push((place(a), None)),
            Pair::OnlyRight(b) => games.push((None, place(b))),
            Pair::Equal(..) | Pair::Undecided => {}
            other => panic!("{other:?}"),
        }
        ControlFlow::Continue(())
    });
    (summary.unwrap(), games)
}

/// The obvious comparison.
struct Obvious {
    left: Vec<Game>,
    right: Vec<Game>,
    is_paired: [Vec<bool>; 2],
    pairs: Vec<(usize, usize)>,
}

impl Obvious {
    fn new(left: &Database, right: &Database) -> Obvious {
        let [left, right]: [Vec<Game>; 2] = [left, right].map(|db| {
            let games: Result<Vec<Game>, _> = db.games().collect();
            games.unwrap()
        });
        let is_paired = [&left, &right].map(|games| vec![false; games.len()]);
        Obvious {
            left,
            right,
            is_paired,
            pairs: Vec::new(),
        }
    }

    /// Pairs games for which this is true: those at the same place, then the first possible one.
    fn pair(&mut self, fits: impl Fn(&Game, &Game) -> bool) {
        for same_place in [true, false] {
            for left in 0..self.left.len() {
                for right in 0..self.right.len() {
                    let is_free = !self.is_paired[0][left] && !self.is_paired[1][right];
                    if is_free
                        && (!same_place || left == right)
                        && fits(&self.left[left], &self.right[right])
                    {
                        self.is_paired[0][left] = true;
                        self.is_paired[1][right] = true;
                        self.pairs.push((left, right));
                    }
                }
            }
        }
    }

    fn compare(&mut self, by_order: bool) {
        self.pair(is_equal);
        self.pair(|a, b| header(a) == header(b) && moves(a) == moves(b));
        self.pair(|a, b| is_named(a) && header(a) == header(b));
        self.pair(|a, b| {
            let is_long = moves(a).len() >= 8;
            moves(a) == moves(b) && (is_long || !is_named(a) || !is_named(b))
        });
        if by_order && self.left.len() == self.right.len() {
            for place in 0..self.left.len() {
                if !self.is_paired[0][place] && !self.is_paired[1][place] {
                    self.is_paired[0][place] = true;
                    self.is_paired[1][place] = true;
                    self.pairs.push((place, place));
                }
            }
        }
    }

    fn reported(&self) -> Vec<Reported> {
        let only = |side: usize| {
            let places = self.is_paired[side].iter().enumerate();
            places
                .filter(|(_, paired)| !**paired)
                .map(|(place, _)| place)
        };
        let changed = self
            .pairs
            .iter()
            .filter(|(a, b)| !is_equal(&self.left[*a], &self.right[*b]));
        let mut all: Vec<Reported> = changed.map(|&(a, b)| (Some(a), Some(b))).collect();
        all.extend(only(0).map(|place| (Some(place), None)));
        all.extend(only(1).map(|place| (None, Some(place))));
        all.sort_unstable();
        all
    }

    /// Returns the length of the longest series of pairs in the order of both.
    fn longest_series(&self) -> usize {
        let mut pairs = self.pairs.clone();
        pairs.sort_unstable();
        let mut lengths: Vec<usize> = Vec::new();
        for (n, pair) in pairs.iter().enumerate() {
            let before = (0..n).filter(|&other| pairs[other].1 < pair.1);
            lengths.push(1 + before.map(|other| lengths[other]).max().unwrap_or(0));
        }
        lengths.into_iter().max().unwrap_or(0)
    }
}

fn is_equal(a: &Game, b: &Game) -> bool {
    let differences = compare::games(a, b);
    differences.iter().all(|found| found.excuse.is_some())
}

fn header(game: &Game) -> [String; 3] {
    let name = |name: &str| name.trim_matches([' ', '?']).to_owned();
    let date = game.tag("Date").unwrap_or_default();
    [name(&game.white()), name(&game.black()), date.into_owned()]
}

fn is_named(game: &Game) -> bool {
    header(game)[..2].iter().any(|name| !name.is_empty())
}

fn moves(game: &Game) -> Vec<chessdb::core::PackedMove> {
    game.mainline().collect()
}

#[test]
fn pairs_are_those_of_an_obvious_comparison() {
    let mut random = Random(7);
    let mut kinds = [0_u64; 4];
    for case in 0..2000 {
        let [left, right] = bases(&mut random);
        let (left, right) = (open(&left), open(&right));
        let by_order = random.below(2) == 0;
        let mut diff = Diff::new(&left, &right);
        if !by_order {
            diff = diff.matching(Matching::Content);
        }
        let (summary, in_order) = reported(&diff);
        let mut obvious = Obvious::new(&left, &right);
        obvious.compare(by_order);
        let mut games = in_order.clone();
        games.sort_unstable();
        assert_eq!(games, obvious.reported(), "case {case}");
        let changed = games.iter().filter(|(a, b)| a.is_some() && b.is_some());
        let changed = changed.count() as u64;
        let equal = obvious.pairs.len() as u64 - changed;
        assert_eq!(
            (summary.equal, summary.changed),
            (equal, changed),
            "case {case}"
        );
        assert_eq!(summary.is_equal(), games.is_empty());
        let lefts: Vec<_> = in_order.iter().filter_map(|pair| pair.0).collect();
        assert!(lefts.is_sorted(), "case {case}: {in_order:?}");
        if changed == 0 {
            let series = obvious.longest_series() as u64;
            assert_eq!(summary.moved, equal - series, "case {case}");
        }
        let counts = [equal, changed, summary.only_left, summary.only_right];
        kinds
            .iter_mut()
            .zip(counts)
            .for_each(|(sum, count)| *sum += count);
    }
    assert!(kinds.iter().all(|count| *count > 200), "{kinds:?}");
}

/// Large games are read in small portions; a game that was moved is read with those around it.
#[test]
fn changed_games_in_another_order_are_found() {
    let comment = "x".repeat(100_000);
    let game =
        |n: usize, mark: &str| format!("[White \"W{n}\"]\n\n1. e4 {{{mark}{comment}}} e5 *\n\n");
    let count = 400;
    let left: Vec<String> = (0..count).map(|n| game(n, "a")).collect();
    let right: Vec<String> = (0..count).rev().map(|n| game(n, "b")).collect();
    let (left, right) = (open(&left), open(&right));
    let (summary, games) = reported(&Diff::new(&left, &right));
    let pairs: Vec<Reported> = (0..count).map(|n| (Some(n), Some(count - 1 - n))).collect();
    assert_eq!(games, pairs);
    assert_eq!((summary.changed, summary.equal, summary.moved), (400, 0, 0));
}
