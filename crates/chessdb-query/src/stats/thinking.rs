//! Thinking times from clocks.

use std::cmp::Reverse;
use std::collections::HashMap;

use chessdb_core::{Color, Game, Outcome};

use super::annotated::{AnnotatedMove, annotated_moves};
use super::label::GameLabel;
use super::time_control::TimeControl;
use crate::endings::is_on_time;
use crate::fold::fold;
use crate::names::is_named;

/// The first move numbers of the bands of [`ThinkingTimes::bands`].
pub const MOVE_BANDS: [u32; 6] = [1, 11, 21, 31, 41, 61];

/// The time left below which a player is in time trouble, if the time control is unknown.
const TROUBLE: u64 = 30_000;

/// The thinking time of one or many players.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct ThinkingTime {
    /// The number of games with a known time of some move.
    pub games: u64,
    /// The number of moves with a known time.
    pub moves: u64,
    /// The sum of these times in milliseconds.
    pub milliseconds: u64,
    /// The number of moves with a clock.
    pub clocks: u64,
    /// The number of these moves after which less than a tenth of the base time was left, or less
    /// than 30 s if the base time is unknown.
    pub in_trouble: u64,
    /// The number of games lost on time.
    pub lost_on_time: u64,
}

impl ThinkingTime {
    pub(crate) fn merge(&mut self, other: &ThinkingTime) {
        self.games += other.games;
        self.moves += other.moves;
        self.milliseconds += other.milliseconds;
        self.clocks += other.clocks;
        self.in_trouble += other.in_trouble;
        self.lost_on_time += other.lost_on_time;
    }

    /// Returns the average time for a move in seconds.
    pub fn mean(&self) -> Option<f64> {
        (self.moves > 0).then(|| self.milliseconds as f64 / self.moves as f64 / 1000.0)
    }

    /// Returns the share of moves in time trouble among the moves with a clock.
    pub fn trouble_share(&self) -> Option<f64> {
        (self.clocks > 0).then(|| self.in_trouble as f64 / self.clocks as f64)
    }
}

/// The longest think.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct LongestThink {
    /// The time in milliseconds.
    pub milliseconds: u64,
    /// The move number.
    pub number: u32,
    /// The side that moved.
    pub side: Color,
    /// The game.
    pub game: GameLabel,
}

/// Thinking times of many games.
#[derive(Clone, Default, Debug)]
#[non_exhaustive]
pub struct ThinkingTimes {
    /// The number of games with clocks or times.
    pub games: u64,
    /// The number of these games whose times cannot be computed: the increment is unknown, and a
    /// clock shows more than before.
    pub unknown: u64,
    /// The times of White and of Black.
    pub sides: [ThinkingTime; 2],
    /// The number of moves and their milliseconds by move number ([`MOVE_BANDS`]).
    pub bands: [(u64, u64); 6],
    /// The longest think.
    pub longest: Option<LongestThink>,
    players: HashMap<String, (String, ThinkingTime)>,
}

/// The contribution of one game. It can be computed in any thread, and is then added.
#[derive(Clone, Debug)]
pub struct ThinkingEntry {
    is_unknown: bool,
    sides: [ThinkingTime; 2],
    /// The folded and original name of each player.
    names: [(String, String); 2],
    bands: [(u64, u64); 6],
    longest: Option<LongestThink>,
}

impl ThinkingEntry {
    /// Returns the thinking times of a game; `None` if it has neither clocks nor times. `label`
    /// describes the game.
    pub fn of(game: &Game, label: impl FnOnce() -> GameLabel) -> Option<ThinkingEntry> {
        let moves = annotated_moves(game);
        let has_times = |mv: &AnnotatedMove| mv.left.is_some() || mv.spent.is_some();
        if !moves.iter().any(has_times) {
            return None;
        }
        let most = moves.iter().filter_map(|mv| mv.left).max();
        let control = game.tag("TimeControl");
        let control = control.and_then(|text| TimeControl::read(&text));
        let control = control.map(|control| control.explaining(most.unwrap_or(0).into()));
        let mut sides = [ThinkingTime::default(); 2];
        let mut bands = [(0, 0); 6];
        let mut longest: Option<(u64, u32, Color)> = None;
        let times = spent(&moves, control.as_ref());
        let trouble = control.as_ref().map_or(TROUBLE, |it| it.base() / 10);
        for (n, mv) in moves.iter().enumerate() {
            let [white, black] = &mut sides;
            let side = mv.side.pick(white, black);
            if let Some(left) = mv.left {
                side.clocks += 1;
                side.in_trouble += u64::from(u64::from(left) < trouble);
            }
            let time = times.as_ref().and_then(|times| times.get(n).copied());
            let Some(time) = time.flatten() else { continue };
            side.games = 1;
            side.moves += 1;
            side.milliseconds += time;
            let band = MOVE_BANDS.partition_point(|first| *first <= mv.number);
            if let Some((moves, sum)) = bands.get_mut(band.saturating_sub(1)) {
                *moves += 1;
                *sum += time;
            }
            if longest.is_none_or(|(most, ..)| time > most) {
                longest = Some((time, mv.number, mv.side));
            }
        }
        let [white, black] = &mut sides;
        match game.result() {
            Outcome::WhiteWins if is_on_time(game) => black.lost_on_time = 1,
            Outcome::BlackWins if is_on_time(game) => white.lost_on_time = 1,
            _ => {}
        }
        Some(ThinkingEntry {
            is_unknown: times.is_none(),
            sides,
            names: folded_names(game),
            bands,
            longest: longest.map(|(milliseconds, number, side)| LongestThink {
                milliseconds,
                number,
                side,
                game: label(),
            }),
        })
    }
}

impl ThinkingEntry {
    pub(crate) fn side(&self, side: Color) -> &ThinkingTime {
        let [white, black] = &self.sides;
        side.pick(white, black)
    }
}

/// Returns the folded and original names of both players; empty if unknown.
pub(crate) fn folded_names(game: &Game) -> [(String, String); 2] {
    [game.white(), game.black()].map(|name| {
        let name = name.trim();
        let name = if is_named(name) { name } else { "" };
        let mut folded = String::new();
        fold(name, &mut folded);
        (folded, name.to_owned())
    })
}

/// Returns the time spent on each move, where it is known. `None` if the increment is unknown and a
/// clock shows more than before.
fn spent(moves: &[AnnotatedMove], control: Option<&TimeControl>) -> Option<Vec<Option<u64>>> {
    let mut times = Vec::with_capacity(moves.len());
    // The last clock, the number of moves and the number of added stages of each side.
    let mut sides: [(Option<u64>, u32, usize); 2] = [(None, 0, 0); 2];
    for mv in moves {
        let [white, black] = &mut sides;
        let (before, count, stage) = mv.side.pick(white, black);
        *count += 1;
        let left = mv.left.map(u64::from);
        let base = control.map(TimeControl::base);
        let time = match (mv.spent, left, *before) {
            (Some(time), ..) => Some(time.into()),
            (None, Some(left), None) if *count == 1 => match base {
                // Some servers start the clocks after the first moves.
                Some(base) if left != base => {
                    let increment = control.map_or(0, |it| it.increment(1));
                    (base + increment).checked_sub(left)
                }
                _ => None,
            },
            (None, Some(left), Some(before)) => {
                let increment = control.map_or(0, |control| control.increment(*count));
                let quick = (before + increment).checked_sub(left);
                match (quick, control) {
                    (Some(time), _) => Some(time),
                    (None, None) => return None,
                    // The time of the next stage has been added.
                    (None, Some(control)) => control.bonus(*stage).and_then(|bonus| {
                        let time = (before + increment + bonus).checked_sub(left)?;
                        *stage += 1;
                        Some(time)
                    }),
                }
            }
            _ => None,
        };
        *before = left;
        times.push(time);
    }
    Some(times)
}

impl ThinkingTimes {
    /// Adds the contribution of a game.
    pub fn add(&mut self, game: ThinkingEntry) {
        self.games += 1;
        self.unknown += u64::from(game.is_unknown);
        for (sum, side) in self.sides.iter_mut().zip(&game.sides) {
            sum.merge(side);
        }
        for ((moves, sum), (more, time)) in self.bands.iter_mut().zip(game.bands) {
            *moves += more;
            *sum += time;
        }
        for ((folded, name), side) in game.names.into_iter().zip(&game.sides) {
            if !folded.is_empty() {
                let known = self.players.entry(folded);
                known
                    .or_insert_with(|| (name, ThinkingTime::default()))
                    .1
                    .merge(side);
            }
        }
        let length = |think: &LongestThink| think.milliseconds;
        if game.longest.as_ref().map(length) > self.longest.as_ref().map(length) {
            self.longest = game.longest;
        }
    }

    /// Returns the times of both sides.
    pub fn both(&self) -> ThinkingTime {
        let [mut both, black] = self.sides;
        both.merge(&black);
        both
    }

    /// Returns the players with the most games, and their times. Equal ones are sorted by name.
    pub fn players(&self, most: usize) -> Vec<(&str, ThinkingTime)> {
        let mut players: Vec<_> = self.players.iter().collect();
        players.sort_by_key(|(folded, (_, time))| (Reverse(time.games), folded.as_str()));
        players.truncate(most);
        let shown = players.into_iter();
        shown
            .map(|(_, (name, time))| (name.as_str(), *time))
            .collect()
    }
}
