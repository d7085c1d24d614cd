//! Statistics of a database: counts of many games, and reports by value, event and player.

pub mod accuracy;
pub mod crosstable;
mod fingerprint;
mod group_key;
pub mod groups;
mod label;
pub mod player;
mod score;
pub mod thinking;
mod tie_breaks;

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use chessdb_core::annotation::MoveValues;
use chessdb_core::commands::Command;
use chessdb_core::sorting::sort_by_key;
use chessdb_core::text::TextId;
use chessdb_core::{Color, Event, Game, Outcome};

use self::thinking::is_bye_game;
use crate::names::known_text;

pub(crate) use fingerprint::{identity, may_be_same_date};
pub use label::GameLabel;
pub use score::Score;

/// Counts over many games.
#[derive(Clone, Default, Debug)]
#[non_exhaustive]
pub struct Stats {
    /// The number of games.
    pub games: u64,
    /// The number of games marked as deleted.
    pub deleted: u64,
    /// The number of games by result, in the order of [`Outcome::ALL`].
    pub results: [u64; 4],
    /// The number of games by year; 0 is unknown.
    pub years: BTreeMap<u16, u64>,
    /// The number of games by number of moves.
    pub lengths: BTreeMap<u32, u64>,
    /// The number of players' ratings, by rating.
    pub ratings: BTreeMap<u16, u64>,
    /// The number of games by ECO code, 0 for A00.
    pub openings: BTreeMap<u16, u64>,
    /// The number of games with annotations of each kind, and the number of annotations.
    pub annotations: Annotations<(u64, u64)>,
    players: HashMap<String, Results>,
    events: HashMap<String, u64>,
}

/// A value for each kind of annotation.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Annotations<T> {
    /// Texts of comments.
    pub comments: T,
    /// Variations.
    pub variations: T,
    /// Symbols.
    pub nags: T,
    /// Clock times.
    pub clocks: T,
    /// Evaluations by engines.
    pub evals: T,
    /// Arrows and colored squares.
    pub shapes: T,
}

impl<T> Annotations<T> {
    /// Returns all kinds with their names.
    pub fn named(&self) -> [(&'static str, &T); 6] {
        [
            ("comments", &self.comments),
            ("variations", &self.variations),
            ("symbols", &self.nags),
            ("clocks", &self.clocks),
            ("evaluations", &self.evals),
            ("arrows", &self.shapes),
        ]
    }
}

/// The results of a player.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Results {
    /// The number of games.
    pub games: u64,
    /// The half points in the games with a result.
    pub half_points: u64,
    /// The number of games with a result.
    pub decided: u64,
}

/// The data of one game. It can be computed in any thread, and is then added.
#[derive(Clone, Debug)]
pub struct GameStats {
    outcome: Outcome,
    is_deleted: bool,
    is_bye: bool,
    year: u16,
    moves: u32,
    eco: Option<u16>,
    ratings: [Option<u16>; 2],
    names: [String; 2],
    event: String,
    annotations: Annotations<u64>,
}

impl GameStats {
    /// Returns whether the game has clocks or times.
    pub fn has_clocks(&self) -> bool {
        self.annotations.clocks > 0
    }

    /// Returns whether the game has evaluations.
    pub fn has_evals(&self) -> bool {
        self.annotations.evals > 0
    }

    /// Counts a game's moves and annotations.
    pub fn from_game(game: &Game) -> GameStats {
        let mut annotations = Annotations::default();
        // The moves of the mainline are counted along with the annotations.
        let (mut plies, mut depth) = (0u32, 0u32);
        // Which side an evaluation favors does not matter here.
        let mut values = MoveValues::new(Color::White);
        for event in game.events() {
            values.read(&event, &mut |value| match value {
                Command::Clock(_) => annotations.clocks += 1,
                Command::Eval(_) => annotations.evals += 1,
                Command::Shapes(_) => annotations.shapes += 1,
                Command::Extra { .. } => {}
            });
            match event {
                Event::Move(_) => {
                    plies += u32::from(depth == 0);
                    continue;
                }
                Event::Open(_) => depth += 1,
                Event::Close => depth = depth.saturating_sub(1),
                _ => {}
            }
            let count = match event {
                Event::Comment(_, text) if !text.is_empty() => &mut annotations.comments,
                Event::Open(_) => &mut annotations.variations,
                Event::Nag(_) => &mut annotations.nags,
                _ => continue,
            };
            *count += 1;
        }
        let header = &game.header;
        let name = |id: TextId| known_text(&game.text(id).decode()).to_owned();
        GameStats {
            outcome: header.outcome,
            is_deleted: header
                .flags
                .contains(chessdb_core::model::GameFlags::DELETED),
            is_bye: plies == 0 && is_bye_game(game),
            year: game.effective_date().year,
            moves: plies.div_ceil(2),
            eco: header.eco.map(|eco| eco.code),
            ratings: Color::ALL.map(|color| game.rating(color).map(|rating| rating.value)),
            names: Color::ALL.map(|color| name(header.player(color).name.text)),
            event: name(header.event.text),
            annotations,
        }
    }
}

impl Stats {
    /// Adds the data of a game.
    pub fn add(&mut self, game: GameStats) {
        self.games += 1;
        self.deleted += u64::from(game.is_deleted);
        let half_points = match game.outcome {
            Outcome::WhiteWins => Some([2, 0]),
            Outcome::BlackWins => Some([0, 2]),
            Outcome::Draw => Some([1, 1]),
            Outcome::Unknown => None,
        };
        for (outcome, count) in Outcome::ALL.iter().zip(&mut self.results) {
            *count += u64::from(*outcome == game.outcome);
        }
        *self.years.entry(game.year).or_default() += 1;
        *self.lengths.entry(game.moves).or_default() += 1;
        for rating in game.ratings.into_iter().flatten() {
            *self.ratings.entry(rating).or_default() += 1;
        }
        if let Some(eco) = game.eco {
            *self.openings.entry(eco).or_default() += 1;
        }
        for (n, name) in game.names.into_iter().enumerate() {
            // A bye is a point, but no game of its player.
            if name.is_empty() || game.is_bye {
                continue;
            }
            let results = self.players.entry(name).or_default();
            results.games += 1;
            let scored = half_points.and_then(|points| points.get(n).copied());
            results.decided += u64::from(scored.is_some());
            results.half_points += scored.unwrap_or_default();
        }
        if !game.event.is_empty() {
            *self.events.entry(game.event).or_default() += 1;
        }
        let add = |sum: &mut (u64, u64), count: u64| {
            sum.0 += u64::from(count > 0);
            sum.1 += count;
        };
        let (sums, counts) = (&mut self.annotations, game.annotations);
        add(&mut sums.comments, counts.comments);
        add(&mut sums.variations, counts.variations);
        add(&mut sums.nags, counts.nags);
        add(&mut sums.clocks, counts.clocks);
        add(&mut sums.evals, counts.evals);
        add(&mut sums.shapes, counts.shapes);
    }

    /// Returns the players with the most games, and their results. Equal ones are sorted by name.
    pub fn players(&self, limit: usize) -> Vec<(&str, Results)> {
        most_frequent(&self.players, limit, |results| results.games)
    }

    /// Returns the events with the most games. Equal ones are sorted by name.
    pub fn events(&self, limit: usize) -> Vec<(&str, u64)> {
        most_frequent(&self.events, limit, |&games| games)
    }

    /// Returns the numbers of named players and events.
    pub fn names(&self) -> (usize, usize) {
        (self.players.len(), self.events.len())
    }
}

/// Returns the names with the most games, and their values. Equal ones are sorted by name.
fn most_frequent<T: Copy>(
    values: &HashMap<String, T>,
    limit: usize,
    games: fn(&T) -> u64,
) -> Vec<(&str, T)> {
    let mut values: Vec<_> = values.iter().collect();
    sort_by_key(&mut values, |(name, value)| {
        (Reverse(games(value)), name.as_str())
    });
    values.truncate(limit);
    values
        .into_iter()
        .map(|(name, value)| (name.as_str(), *value))
        .collect()
}

/// Returns the values with the most games under their names as first spelled. Equal ones are sorted
/// by their folded names, the keys of the map.
fn most_games<T: Copy>(
    values: &HashMap<String, (String, T)>,
    limit: usize,
    games: fn(&T) -> u64,
) -> Vec<(&str, T)> {
    let mut values: Vec<_> = values.iter().collect();
    sort_by_key(&mut values, |(folded, (_, value))| {
        (Reverse(games(value)), folded.as_str())
    });
    values.truncate(limit);
    values
        .into_iter()
        .map(|(_, (name, value))| (name.as_str(), *value))
        .collect()
}
