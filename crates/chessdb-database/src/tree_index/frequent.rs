//! Positions that occur in several games of a sample; a tree file contains no others. Most positions
//! occur in one game only, and collecting them all takes much longer.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use chessdb_core::board::Played;
use chessdb_core::search::MainlineObserver;
use chessdb_core::{Board, PackedMove, Start};

use super::build::on_threads;
use super::layout::MIN_PIECES;
use crate::database::Database;
use crate::game::Game;
use crate::index::{GAMES_PER_WORD, release_pages};

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
/// The positions of several games need fewer bits, which fit into the cache of a processor.
const FREQUENT_DIVISOR: u64 = 8;
/// Divisor of the sample for the number of games from which popular positions are chosen.
const POPULAR_DIVISOR: usize = 64;
/// Maximum number of popular positions. Their counts fit into the cache of a processor; more would
/// not.
const MAX_POPULAR: u16 = 2048;
/// Number of words of games after which the memory of mapped files is released.
const RELEASE_EVERY: usize = 1 << 10;

/// A set of position keys. It also contains some keys that were not added.
struct KeySet {
    words: Box<[AtomicU64]>,
    /// The highest bits of a key are the number of its bit.
    shift: u32,
}

impl KeySet {
    /// Returns an empty set with `bits` bits, a power of two.
    fn new(bits: u64) -> KeySet {
        KeySet {
            words: (0..bits / 64).map(|_| AtomicU64::new(0)).collect(),
            shift: (bits.leading_zeros() + 1).min(63),
        }
    }

    /// Adds a key and returns whether the set contained it.
    fn insert(&self, key: u64) -> bool {
        let (word, bit) = self.bit(key);
        word.is_some_and(|word| word.fetch_or(bit, Ordering::Relaxed) & bit != 0)
    }

    #[inline]
    fn contains(&self, key: u64) -> bool {
        let (word, bit) = self.bit(key);
        word.is_none_or(|word| word.load(Ordering::Relaxed) & bit != 0)
    }

    #[inline]
    fn bit(&self, key: u64) -> (Option<&AtomicU64>, u64) {
        let number = key >> self.shift;
        (self.words.get((number / 64) as usize), 1 << (number % 64))
    }
}

/// How frequent a collected position is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Frequency(u16);

impl Frequency {
    pub(super) const FREQUENT: Frequency = Frequency(0);

    /// Returns the index of a popular position ([`FrequentPositions::popular`]).
    pub(super) fn popular(self) -> Option<usize> {
        self.0.checked_sub(1).map(usize::from)
    }
}

/// The positions that are collected for a tree file.
pub(crate) struct FrequentPositions {
    keys: KeySet,
    /// The keys of the most frequent positions, ascending, and their indexes.
    popular: Vec<u64>,
    indexes: HashMap<u64, u16, BuildHasherDefault<KeyHasher>>,
}

/// Uses a key as its own hash, because it is one already.
#[derive(Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes
            .iter()
            .for_each(|byte| self.write_u64(self.0 << 8 | u64::from(*byte)));
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }

    fn finish(&self) -> u64 {
        self.0
    }
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
            let (mut game, mut keys, mut known) = (Game::default(), Vec::new(), Vec::new());
            let mut occurrences = Vec::new();
            let words = (0..games).step_by(step).enumerate().skip(job).step_by(jobs);
            for (number, first) in words {
                if number % RELEASE_EVERY < jobs {
                    release_pages();
                }
                for index in first..games.min(first + GAMES_PER_WORD as u32) {
                    let mut observer = KeyObserver::new(&mut keys);
                    // The pass over all games reports problems.
                    let _ = db.observe_mainline(index, &mut game, &mut observer);
                    sample.add(&keys, &mut known);
                    if number % POPULAR_DIVISOR == 0 {
                        occurrences.extend_from_slice(&keys);
                    }
                }
            }
            occurrences
        })?;
        Ok(FrequentPositions::new(sample, read.concat()))
    }

    /// Returns the frequent positions of a sample. The popular ones are chosen from these
    /// occurrences of its positions.
    fn new(sample: PositionSample, mut occurrences: Vec<u64>) -> FrequentPositions {
        occurrences.sort_unstable();
        let groups = occurrences.chunk_by(|a, b| a == b);
        let counted = groups.filter_map(|group| Some((Reverse(group.len()), *group.first()?)));
        // Every position of several games of the sample is frequent.
        let mut popular: Vec<_> = counted.filter(|(count, _)| count.0 > 1).collect();
        popular.sort_unstable();
        popular.truncate(MAX_POPULAR.into());
        let mut popular: Vec<u64> = popular.into_iter().map(|(_, key)| key).collect();
        popular.sort_unstable();
        FrequentPositions {
            keys: sample.frequent,
            indexes: popular.iter().copied().zip(0..).collect(),
            popular,
        }
    }

    /// Returns whether a position is collected. This depends on its key only.
    #[inline]
    pub(super) fn contain(&self, key: u64) -> bool {
        self.keys.contains(key)
    }

    /// Returns the frequency of a position that is collected.
    pub(super) fn frequency(&self, key: u64) -> Frequency {
        self.indexes.get(&key).map_or(Frequency::FREQUENT, |index| {
            Frequency(index.saturating_add(1))
        })
    }

    /// Returns the keys of the popular positions, ascending.
    pub(super) fn popular(&self) -> &[u64] {
        &self.popular
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

    /// Adds the positions of a game. `known` is a buffer.
    fn add(&self, keys: &[u64], known: &mut Vec<bool>) {
        // Most bits are in no cache. A processor waits for several of them at a time in a loop that
        // does nothing else.
        known.clear();
        known.extend(keys.iter().map(|key| self.seen.contains(*key)));
        for (key, known) in keys.iter().zip(known.iter_mut()) {
            *known = *known || self.seen.insert(*key);
        }
        for (key, known) in keys.iter().zip(known) {
            if *known && !self.frequent.contains(*key) {
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
}

impl<'k> KeyObserver<'k> {
    fn new(keys: &'k mut Vec<u64>) -> KeyObserver<'k> {
        keys.clear();
        KeyObserver {
            keys,
            key: 0,
            pieces: 0,
        }
    }

    #[inline]
    fn add(&mut self) -> ControlFlow<()> {
        if self.pieces < MIN_PIECES {
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
        self.add()
    }

    #[inline]
    fn played(&mut self, mv: PackedMove, played: &Played, board: &Board) -> ControlFlow<()> {
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
