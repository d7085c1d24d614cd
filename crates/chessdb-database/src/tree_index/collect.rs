//! The positions of one game.

use chessdb_core::{Color, Game, PackedMove};
use chessdb_query::tree::GameFacts;

use super::frequent::FrequentPositions;
use super::layout::{MIN_PIECES, NO_MOVE};

/// Maximum number of half-moves of a game that is counted, so that they fit into 15 bits.
const MAX_PLIES: u32 = 0x7FFF;
/// Maximum number of collected positions with the same number of pieces. Each is compared with all
/// others, so more would take too long.
const MAX_SERIES: usize = 1000;
/// Number of positions that are tested at once.
const GROUP: usize = 64;

/// A position of a game, and the move played there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CollectedPosition {
    pub(super) key: u64,
    /// The number of half-moves before the position, and later after it.
    pub(super) plies: u16,
    pub(super) is_black: bool,
    /// The number of pieces, kings included; at most 64.
    pub(super) pieces: u8,
    /// The bits of the move, or [`NO_MOVE`].
    pub(super) mv: u16,
}

impl CollectedPosition {
    fn key_bit(&self) -> u64 {
        1 << (self.key & 63)
    }
}

/// A game that can be counted.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct CountedGame {
    pub(super) facts: GameFacts,
    /// The first occurrence of each position.
    pub(super) positions: Vec<CollectedPosition>,
    /// The longest frequent line of a game from the initial position, and the number of its
    /// half-moves. The position at its end is the first one that is counted by itself.
    pub(super) line: Option<(u32, usize)>,
}

impl CountedGame {
    /// Returns the positions after the frequent line and the one at its end.
    pub(super) fn after_line(&self) -> &[CollectedPosition] {
        let length = self.line.map_or(0, |(_, length)| length);
        self.positions.get(length..).unwrap_or_default()
    }
}

/// Collects the positions of a mainline.
pub(crate) struct PositionCollector<'f> {
    /// The only positions that are collected; `None` for all.
    frequent: Option<&'f FrequentPositions>,
    /// All positions with enough pieces.
    positions: Vec<CollectedPosition>,
    plies: u32,
    pieces: u32,
    /// Whether the game must be listed as not counted.
    is_odd: bool,
}

impl<'f> PositionCollector<'f> {
    /// Prepares for the `frequent` positions of a game, or for all. The memory of a game that is no
    /// longer needed is reused.
    pub(crate) fn new(
        unneeded: CountedGame,
        frequent: Option<&'f FrequentPositions>,
    ) -> PositionCollector<'f> {
        PositionCollector {
            frequent,
            positions: unneeded.positions,
            plies: 0,
            pieces: u32::MAX,
            is_odd: false,
        }
    }

    /// Starts at a position, with the side to move, the placement key and the number of pieces, and
    /// forgets all others.
    pub(crate) fn begin(&mut self, turn: Color, key: u64, pieces: u32) {
        self.positions.clear();
        (self.plies, self.pieces, self.is_odd) = (0, u32::MAX, false);
        self.add(turn, key, pieces);
    }

    /// Adds a move and the position after it.
    #[inline]
    pub(crate) fn play(&mut self, mv: PackedMove, turn: Color, key: u64, pieces: u32) {
        if self.pieces >= MIN_PIECES
            && let Some(last) = self.positions.last_mut()
        {
            last.mv = mv.bits();
        }
        self.add(turn, key, pieces);
    }

    #[inline]
    fn add(&mut self, turn: Color, key: u64, pieces: u32) {
        let plies = self.plies;
        // The number of pieces never grows, except in variants and illegal games.
        self.is_odd |= pieces > self.pieces || plies > MAX_PLIES;
        self.pieces = pieces;
        self.plies = plies.saturating_add(1);
        if pieces >= MIN_PIECES && !self.is_odd {
            self.positions.push(CollectedPosition {
                key,
                plies: plies as u16,
                is_black: turn == Color::Black,
                pieces: pieces as u8,
                mv: NO_MOVE,
            });
        }
    }

    /// Returns the game with this header; `None` if it cannot be counted and must be listed: its
    /// moves are not certain, or other rules apply.
    pub(crate) fn finish(mut self, header: &Game) -> Option<CountedGame> {
        let plies = self.plies.saturating_sub(1);
        let has_rules = header.has_standard_rules() && header.has_known_start();
        if self.is_odd || !has_rules {
            return None;
        }
        let frequent = self.frequent.filter(|_| header.header.start.is_standard());
        let (mut line, mut first) = (None, None);
        if let Some(lines) = frequent.map(FrequentPositions::lines) {
            let guess = lines.guess(self.positions.iter().map(|position| position.mv));
            let group = self.frequent_of_group(guess.length);
            let longest = lines.of_guess(&guess);
            // The group was tested for the guessed length, and serves only if the guess was right.
            first = (longest.1 == guess.length).then_some(group);
            line = Some(longest);
        }
        self.keep_counted(line.map_or(0, |(_, length)| length), first)?;
        for position in &mut self.positions {
            position.plies = (plies as u16).saturating_sub(position.plies);
        }
        Some(CountedGame {
            facts: GameFacts::with_plies(header, plies),
            positions: self.positions,
            line,
        })
    }

    /// Keeps the first occurrence of each frequent position. The first `retained` positions are frequent
    /// and different; `first` is the group after them, if it is known which are frequent. Returns
    /// `None` if that would take too long.
    fn keep_counted(&mut self, mut retained: usize, mut first: Option<u64>) -> Option<()> {
        let line = self.positions.get(..retained)?;
        let mut pieces = line.last().map_or(u8::MAX, |last| last.pieces);
        let same = line
            .iter()
            .rev()
            .take_while(|position| position.pieces == pieces);
        // A bit for each key of the positions with the same number of pieces, its lowest six bits: a
        // position without its bit is new.
        let mut series_keys = same
            .clone()
            .fold(0, |bits, position| bits | position.key_bit());
        // The first of these positions: an earlier position cannot occur again.
        let mut series = retained - same.count();
        for start in (retained..self.positions.len()).step_by(GROUP) {
            let first = first.take();
            let mut left = first.unwrap_or_else(|| self.frequent_of_group(start));
            while left != 0 {
                let position = *self.positions.get(start + left.trailing_zeros() as usize)?;
                left &= left - 1;
                if position.pieces != pieces {
                    (pieces, series, series_keys) = (position.pieces, retained, 0);
                }
                let earlier = self.positions.get(series..retained)?;
                // A game of thousands of shuffling moves would take quadratic time.
                if earlier.len() >= MAX_SERIES {
                    return None;
                }
                let bit = position.key_bit();
                if series_keys & bit == 0 || earlier.iter().all(|other| other.key != position.key) {
                    series_keys |= bit;
                    *self.positions.get_mut(retained)? = position;
                    retained += 1;
                }
            }
        }
        self.positions.truncate(retained);
        Some(())
    }

    /// Returns a bit for each position of a group that is frequent.
    fn frequent_of_group(&self, start: usize) -> u64 {
        let positions = (0..).zip(self.positions.iter().skip(start).take(GROUP));
        let Some(frequent) = self.frequent else {
            return positions.fold(0, |bits, (number, _)| bits | 1 << number);
        };
        // The bits of most positions are in no cache. The loop does nothing that depends on them, so
        // the processor loads the bits of several positions at a time.
        positions.fold(0, |bits, (number, position)| {
            bits | u64::from(frequent.contain(position.key)) << number
        })
    }
}
