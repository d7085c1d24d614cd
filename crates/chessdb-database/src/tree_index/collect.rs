//! The positions of one game.

use chessdb_core::search::MainlinePosition;
use chessdb_core::{Color, Game, Outcome};

use super::layout::{MIN_PIECES, NO_MOVE};

/// Maximum number of half-moves of a game that is counted, so that they fit into 15 bits.
const MAX_PLIES: u32 = 0x7FFF;
/// Maximum number of successive positions with the same number of pieces. Each is compared with
/// all others, so a longer series would take too long.
const MAX_SERIES: usize = 1000;

/// A position of a game, and the move played there.
#[derive(Clone, Copy, Debug)]
pub(super) struct CollectedPosition {
    pub(super) key: u64,
    /// The number of half-moves before the position, and later after it.
    pub(super) plies: u16,
    pub(super) is_black: bool,
    /// The bits of the move, or [`NO_MOVE`].
    pub(super) mv: u16,
}

/// The properties of a game that are counted.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct GameFacts {
    /// The ratings of White and Black; 0 if unknown.
    pub(super) ratings: [u16; 2],
    pub(super) year: u16,
    pub(super) outcome: Outcome,
}

/// A game that can be counted.
#[derive(Debug, Default)]
pub(crate) struct CountedGame {
    pub(super) facts: GameFacts,
    /// The first occurrence of each position.
    pub(super) positions: Vec<CollectedPosition>,
}

/// Collects the positions of a mainline.
#[derive(Debug)]
pub(crate) struct PositionCollector {
    positions: Vec<CollectedPosition>,
    plies: u32,
    /// The number of pieces, and the first of the positions with this number.
    pieces: u32,
    series: usize,
    /// A bit for each key of the series: its lowest six bits. A position without its bit is new.
    series_keys: u64,
    /// Whether the game must be listed as not counted.
    is_odd: bool,
}

impl PositionCollector {
    /// Prepares for the positions of a game. The memory of a game that is no longer needed is
    /// reused.
    pub(crate) fn new(unneeded: CountedGame) -> PositionCollector {
        let mut positions = unneeded.positions;
        positions.clear();
        PositionCollector {
            positions,
            plies: 0,
            pieces: u32::MAX,
            series: 0,
            series_keys: 0,
            is_odd: false,
        }
    }

    /// Adds the next position.
    #[inline]
    pub(crate) fn add(&mut self, position: MainlinePosition<'_>) {
        let pieces = position.pieces;
        if pieces != self.pieces {
            // An earlier position can only occur again with as many pieces. Their number never
            // grows, except in variants and illegal games.
            self.is_odd |= pieces > self.pieces;
            (self.pieces, self.series) = (pieces, self.positions.len());
            self.series_keys = 0;
        }
        let plies = self.plies;
        self.plies = plies.saturating_add(1);
        if pieces < MIN_PIECES || self.is_odd {
            return;
        }
        let series = self.positions.get(self.series..).unwrap_or_default();
        let bit = 1 << (position.key & 63);
        let is_known = || series.iter().any(|known| known.key == position.key);
        if series.len() >= MAX_SERIES || plies > MAX_PLIES {
            self.is_odd = true;
        } else if self.series_keys & bit == 0 || !is_known() {
            self.series_keys |= bit;
            self.positions.push(CollectedPosition {
                key: position.key,
                plies: plies as u16,
                is_black: position.board.turn() == Color::Black,
                mv: position.next.map_or(NO_MOVE, |mv| mv.bits()),
            });
        }
    }

    /// Returns the game with this header; `None` if it cannot be counted and must be listed: its
    /// moves are not certain, or other rules apply.
    pub(crate) fn finish(mut self, header: &Game) -> Option<CountedGame> {
        let plies = self.plies.saturating_sub(1);
        let has_rules = header.has_standard_rules() && header.has_known_start();
        if self.is_odd || plies > MAX_PLIES || !has_rules {
            return None;
        }
        for position in &mut self.positions {
            position.plies = (plies as u16).saturating_sub(position.plies);
        }
        Some(CountedGame {
            facts: GameFacts::of(header),
            positions: self.positions,
        })
    }
}

impl GameFacts {
    /// Returns the properties of the game with this header.
    pub(crate) fn of(header: &Game) -> GameFacts {
        let rating = |color| header.rating(color).map_or(0, |rating| rating.value);
        GameFacts {
            ratings: Color::ALL.map(rating),
            year: header.date().year,
            outcome: header.result(),
        }
    }

    /// Returns the sum of both ratings.
    pub(super) fn rating_sum(&self) -> u32 {
        self.ratings.into_iter().map(u32::from).sum()
    }
}
