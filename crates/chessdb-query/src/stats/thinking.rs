//! Thinking times from clocks.

use std::collections::HashMap;

use chessdb_core::{Color, Game, Outcome};

use super::label::GameLabel;
use super::most_games;
use crate::annotated_moves::{AnnotatedMove, annotated_moves};
use crate::endings::is_on_time;
use crate::fold::folded;
use crate::names::{absent_side, is_named};
use crate::time_control::{ClockRule, TimeControl};

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
    pub fn from_game(game: &Game, label: impl FnOnce() -> GameLabel) -> Option<ThinkingEntry> {
        let moves = annotated_moves(game);
        let has_times = |mv: &AnnotatedMove| mv.left.is_some() || mv.spent.is_some();
        if !moves.iter().any(has_times) {
            return None;
        }
        let time_controls = controls(game, &moves);
        let mut sides = [ThinkingTime::default(); 2];
        let mut bands = [(0, 0); 6];
        let mut longest: Option<(u64, u32, Color)> = None;
        let times = spent(&moves, &time_controls);
        let trouble = time_controls
            .each_ref()
            .map(|control| control.as_ref().map_or(TROUBLE, |it| it.base() / 10));
        for (n, mv) in moves.iter().enumerate() {
            let [white, black] = &mut sides;
            let side = mv.side.pick(white, black);
            if let Some(left) = mv.left {
                side.clocks += 1;
                let [white, black] = trouble;
                side.in_trouble += u64::from(u64::from(left) < mv.side.pick(white, black));
            }
            let time = times.as_ref().and_then(|times| times.get(n).copied());
            let Some(time) = time.flatten() else { continue };
            side.games = 1;
            side.moves += 1;
            side.milliseconds += time;
            let band = MOVE_BANDS.partition_point(|first| *first <= mv.number);
            // A start position may have move number 0; its moves belong to the first band.
            if let Some((moves, sum)) = bands.get_mut(band.saturating_sub(1)) {
                *moves += 1;
                *sum += time;
            }
            if longest.is_none_or(|(longest, ..)| time > longest) {
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
        let trimmed = name.trim();
        let known_name = if is_named(trimmed) { trimmed } else { "" };
        (folded(known_name), known_name.to_owned())
    })
}

/// Returns whether a game is a bye: a point without an opponent.
pub(crate) fn is_bye_game(game: &Game) -> bool {
    absent_side(game, names_of(&folded_names(game))).is_some()
}

/// Returns the folded names alone.
pub(crate) fn names_of(names: &[(String, String); 2]) -> [&str; 2] {
    names.each_ref().map(|(folded, _)| folded.as_str())
}

/// Returns the time controls of both sides. Numbers without units are minutes if the clocks of a
/// side show that.
fn controls(game: &Game, moves: &[AnnotatedMove]) -> [Option<TimeControl>; 2] {
    let mut controls = TimeControl::of_game(game);
    let needs_minutes = controls.iter().zip(Color::ALL).any(|(control, color)| {
        let clocks = moves.iter().filter(|mv| mv.side == color);
        let max_left = clocks.filter_map(|mv| mv.left).max().unwrap_or(0);
        control
            .as_ref()
            .is_some_and(|it| it.needs_minutes(max_left.into()))
    });
    if needs_minutes {
        controls
            .iter_mut()
            .flatten()
            .for_each(TimeControl::use_minutes);
    }
    controls
}

/// The clock of one side.
#[derive(Default)]
struct SideClock {
    /// The time left after the last move.
    left: Option<u64>,
    moves: u32,
    /// The number of stages that were added.
    stage: usize,
}

/// Returns the time spent on each move, where it is known. `None` if the increment is unknown and a
/// clock shows more than before.
fn spent(
    moves: &[AnnotatedMove],
    [white, black]: &[Option<TimeControl>; 2],
) -> Option<Vec<Option<u64>>> {
    let mut times = Vec::with_capacity(moves.len());
    let [mut of_white, mut of_black] = [SideClock::default(), SideClock::default()];
    for mv in moves {
        let control = mv.side.pick(white, black).as_ref();
        let (own, other) = match mv.side {
            Color::White => (&mut of_white, &of_black),
            Color::Black => (&mut of_black, &of_white),
        };
        own.moves += 1;
        let left = mv.left.map(u64::from);
        let time = match (mv.spent, left) {
            (Some(time), _) => Some(time.into()),
            (None, None) => None,
            (None, Some(left)) => match control.map(|it| (it.rule(), it.base())) {
                Some((ClockRule::EachMove, base)) => base.checked_sub(left),
                Some((ClockRule::Hourglass, base)) => {
                    // What the opponent has lost.
                    let others = if other.moves == 0 { Some(base) } else { other.left };
                    others.and_then(|others| (2 * base).checked_sub(others + left))
                }
                _ => own.carried(left, control).ok()?,
            },
        };
        own.left = left;
        times.push(time);
    }
    Some(times)
}

/// The increment is unknown, and a clock shows more than before.
struct UnknownIncrement;

impl SideClock {
    /// Returns the time of a move after which this is left, if it is known.
    fn carried(
        &mut self,
        left: u64,
        control: Option<&TimeControl>,
    ) -> Result<Option<u64>, UnknownIncrement> {
        let increment = control.map_or(0, |it| it.increment(self.moves));
        let Some(before) = self.left else {
            // Some servers start the clocks after the first moves.
            let base = control
                .map(TimeControl::base)
                .filter(|&base| self.moves == 1 && left != base);
            return Ok(base.and_then(|base| (base + increment).checked_sub(left)));
        };
        let quick = (before + increment).checked_sub(left);
        match (quick, control) {
            (Some(time), _) => Ok(Some(time)),
            (None, None) => Err(UnknownIncrement),
            // The time of the next stage has been added.
            (None, Some(control)) => Ok(control.bonus(self.stage, self.moves).and_then(|bonus| {
                let time = (before + increment + bonus).checked_sub(left)?;
                self.stage += 1;
                Some(time)
            })),
        }
    }
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
                let player = self.players.entry(folded);
                let (_, sum) = player.or_insert_with(|| (name, ThinkingTime::default()));
                sum.merge(side);
            }
        }
        let length = |think: &LongestThink| think.milliseconds;
        // No length is less than any length.
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
    pub fn players(&self, limit: usize) -> Vec<(&str, ThinkingTime)> {
        most_games(&self.players, limit, |time| time.games)
    }
}
