//! Positions that occur in several games of a sample; a tree file contains no others. Most positions
//! occur in one game only, and collecting them all takes much longer.

use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use chessdb_core::board::Played;
use chessdb_core::search::MainlineObserver;
use chessdb_core::{Board, PackedMove, Start};
use chessdb_owned::release_mapped_pages;

use super::layout::MIN_PIECES;
use super::lines::{FirstMoves, FrequentLines, MAX_LINE, NO_MOVES};
use crate::database::Database;
use crate::game::Game;
use crate::index::GAMES_PER_WORD;
use crate::threads::on_threads;

/// Minimum number of games in a sample.
const MIN_SAMPLE: u32 = 250_000;
/// A sample contains one game in `n`. If `n` were smaller than the minimum, reading the sample would
/// take longer than it saves; if it were larger than the maximum, many positions would be missing.
const MIN_DIVISOR: u32 = 3;
const MAX_DIVISOR: u32 = 8;
/// Number of bits for each game of the sample. A game has some 60 positions with enough pieces, so
/// about one bit in ten is set.
const BITS_PER_GAME: u64 = 512;
const MAX_BITS: u64 = 1 << 30;
/// The positions of several games need fewer bits, and more of these fit into the caches. With half of
/// them, building takes the same time, because more positions are collected for nothing.
const FREQUENT_DIVISOR: u64 = 16;
/// Maximum number of positions of a game in the sample: hardly any later position is frequent.
const MAX_POSITIONS: usize = 60;
/// Frequent lines are chosen from one game in four of the sample.
const LINES_DIVISOR: usize = 4;
/// Number of words of games after which the memory of mapped files is released.
const RELEASE_EVERY: usize = 1 << 10;

/// A set of position keys. It also contains some keys that were not added.
pub(super) struct KeySet {
    words: Box<[AtomicU64]>,
    /// The highest bits of a key are the number of its bit.
    shift: u32,
}

impl KeySet {
    /// Returns an empty set with `bits` bits, a power of two.
    pub(super) fn new(bits: u64) -> KeySet {
        KeySet {
            words: (0..bits / 64).map(|_| AtomicU64::new(0)).collect(),
            shift: (bits.leading_zeros() + 1).min(63),
        }
    }

    /// Adds a key and returns whether the set contained it.
    pub(super) fn insert(&self, key: u64) -> bool {
        let (word, bit) = self.bit(key);
        word.is_some_and(|word| word.fetch_or(bit, Ordering::Relaxed) & bit != 0)
    }

    #[inline]
    pub(super) fn contains(&self, key: u64) -> bool {
        let (word, bit) = self.bit(key);
        word.is_none_or(|word| word.load(Ordering::Relaxed) & bit != 0)
    }

    #[inline]
    fn bit(&self, key: u64) -> (Option<&AtomicU64>, u64) {
        let number = key >> self.shift;
        (self.words.get((number / 64) as usize), 1 << (number % 64))
    }
}

/// The positions that are collected for a tree file.
pub(crate) struct FrequentPositions {
    keys: KeySet,
    lines: FrequentLines,
}

impl FrequentPositions {
    /// Reads a sample of the games of a database and returns the positions of several of them.
    /// `None` if the database has so few games that all positions should be collected.
    ///
    /// Games that cannot be read are left out.
    pub(crate) fn sample(db: &Database, games: u32) -> io::Result<Option<FrequentPositions>> {
        let divisor = (games / MIN_SAMPLE).min(MAX_DIVISOR);
        if divisor < MIN_DIVISOR {
            return Ok(None);
        }
        FrequentPositions::of_one_in(divisor, db, games).map(Some)
    }

    /// Reads one game in `divisor` as the sample.
    pub(super) fn of_one_in(
        divisor: u32,
        db: &Database,
        games: u32,
    ) -> io::Result<FrequentPositions> {
        let bits = u64::from(games / divisor) * BITS_PER_GAME;
        let sample = PositionSample::new(bits.next_power_of_two().min(MAX_BITS));
        // The sample is spread over the database, which may be sorted.
        let step = GAMES_PER_WORD * divisor as usize;
        let jobs = db.jobs().max(1);
        let read = on_threads((0..jobs).collect(), |job| {
            let (mut game, mut keys, mut seen) = (Game::default(), Vec::new(), Vec::new());
            let mut first_moves = Vec::new();
            let words = (0..games).step_by(step).enumerate().skip(job).step_by(jobs);
            for (number, first) in words {
                if number % RELEASE_EVERY < jobs {
                    release_mapped_pages();
                }
                for index in first..games.min(first + GAMES_PER_WORD as u32) {
                    let mut observer = KeyObserver::new(&mut keys);
                    // The pass over all games reports problems.
                    let _ = db.observe_mainline(index, &mut game, &mut observer);
                    let moves = observer.first_moves;
                    if number % LINES_DIVISOR == 0 && moves != NO_MOVES {
                        first_moves.push(moves);
                    }
                    sample.add(&keys, &mut seen);
                }
            }
            first_moves
        })?;
        Ok(FrequentPositions {
            keys: sample.frequent,
            lines: FrequentLines::new(read.concat()),
        })
    }

    /// Returns whether a position is collected. This depends on its key only.
    #[inline]
    pub(super) fn contain(&self, key: u64) -> bool {
        self.keys.contains(key)
    }

    /// Returns the frequent lines. All their positions are frequent.
    pub(super) fn lines(&self) -> &FrequentLines {
        &self.lines
    }
}

/// The positions in the games of a sample, and the positions in several of these games.
struct PositionSample {
    seen: KeySet,
    frequent: KeySet,
}

impl PositionSample {
    fn new(bits: u64) -> PositionSample {
        PositionSample {
            seen: KeySet::new(bits),
            frequent: KeySet::new(bits / FREQUENT_DIVISOR),
        }
    }

    /// Adds the positions of a game. `seen` is a buffer.
    fn add(&self, keys: &[u64], seen: &mut Vec<bool>) {
        // Most bits are in no cache. A processor waits for several of them at a time in a loop that
        // does nothing else.
        seen.clear();
        seen.extend(keys.iter().map(|key| self.seen.contains(*key)));
        for (key, is_seen) in keys.iter().zip(seen.iter_mut()) {
            *is_seen = *is_seen || self.seen.insert(*key);
        }
        for (key, is_seen) in keys.iter().zip(seen) {
            if *is_seen && !self.frequent.contains(*key) {
                self.frequent.insert(*key);
            }
        }
    }
}

/// Collects the keys of the positions of one game that a tree file may contain.
struct KeyObserver<'k> {
    keys: &'k mut Vec<u64>,
    key: u64,
    pieces: u32,
    /// The first moves of a game from the initial position.
    first_moves: FirstMoves,
    /// The number of the next one; [`MAX_LINE`] after the last.
    next: usize,
}

impl<'k> KeyObserver<'k> {
    fn new(keys: &'k mut Vec<u64>) -> KeyObserver<'k> {
        keys.clear();
        KeyObserver {
            keys,
            key: 0,
            pieces: 0,
            first_moves: NO_MOVES,
            next: MAX_LINE,
        }
    }

    #[inline]
    fn add(&mut self) -> ControlFlow<()> {
        // The tree file has no positions with fewer pieces, and the number never grows.
        if self.pieces < MIN_PIECES || self.keys.len() >= MAX_POSITIONS {
            return ControlFlow::Break(());
        }
        self.keys.push(self.key);
        ControlFlow::Continue(())
    }
}

impl MainlineObserver for KeyObserver<'_> {
    fn begin(&mut self, _: &Start, board: &Board) -> ControlFlow<()> {
        self.key = board.placement_key();
        self.pieces = board.occupied().len();
        if *board == Board::standard() {
            self.next = 0;
        }
        self.add()
    }

    #[inline]
    fn played(&mut self, mv: PackedMove, played: &Played, board: &Board) -> ControlFlow<()> {
        if let Some(slot) = self.first_moves.get_mut(self.next) {
            *slot = mv.bits();
            self.next += 1;
        }
        // The piece of a move without special effects is on the target square.
        self.key = board.placement_key_after(mv, board.piece_at(mv.to()), played, self.key);
        if played.captured.is_some() {
            self.pieces = board.occupied().len();
        }
        self.add()
    }

    fn needs_header(&mut self) -> bool {
        false
    }
}
