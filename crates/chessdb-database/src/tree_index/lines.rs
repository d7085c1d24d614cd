//! Frequent lines: the first moves that many games of a sample have in common. A game is counted
//! once, at the end of its line. The counts of all positions of the line follow from the counts at
//! the ends of lines, which saves most of the work.

use std::collections::VecDeque;

use chessdb_core::{Board, Color, PackedMove};
use chessdb_query::tree::{BestGames, GameFacts, Tally};

use super::counter::earlier_year;
use super::frequent::KeySet;
use super::layout::{MIN_PIECES, MoveRecord, NO_MOVE};

/// Maximum number of half-moves of a line.
pub(super) const MAX_LINE: usize = 40;
/// Minimum number of games that have a frequent line, of those from which lines are chosen. With three,
/// building takes 5 % more time and 150 MB less memory.
const MIN_GAMES: usize = 2;
/// Maximum number of lines, each with some 400 bytes when they are counted.
const MAX_LINES: usize = 1 << 20;
/// Number of bits for the hashes of lines, a mebibyte.
const HASH_BITS: u64 = 1 << 23;

/// The first moves of a game, then [`NO_MOVE`].
pub(super) type FirstMoves = [u16; MAX_LINE];

pub(super) const NO_MOVES: FirstMoves = [NO_MOVE; MAX_LINE];

/// The frequent lines from the initial position. Line 0 has no moves, and the others follow by
/// length.
pub(super) struct FrequentLines {
    lines: Vec<Line>,
    numbers: LineNumbers,
    hashes: KeySet,
}

/// The line with which a game probably begins.
pub(super) struct LineGuess {
    /// The hash of the first move, of the first two and so on.
    hashes: [u64; MAX_LINE],
    /// The number of moves of the line.
    pub(super) length: usize,
    entry: LineEntry,
}

struct Line {
    /// The number of the line without the last move, and this move. Line 0 is before itself.
    before: u32,
    mv: u16,
    length: u16,
    /// The key of the position after the line, and the side to move there.
    key: u64,
    turn: Color,
}

impl Line {
    /// Returns the line that leads to `board` by `mv` from the end of `before`.
    fn new(before: u32, mv: u16, length: u16, board: &Board) -> Line {
        Line {
            before,
            mv,
            length,
            key: board.placement_key(),
            turn: board.turn(),
        }
    }
}

/// Returns the hash of a line with one more move; 0 is the hash of no moves.
#[inline]
fn hash_with(line: u64, mv: u16) -> u64 {
    let product = (line ^ u64::from(mv)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    product ^ product >> 32
}

impl FrequentLines {
    /// Returns the lines that at least [`MIN_GAMES`] of these games have; of too many, the shortest.
    pub(super) fn new(mut games: Vec<FirstMoves>) -> FrequentLines {
        // Games that begin alike become neighbours, so a line is a range.
        games.sort_unstable();
        let mut frequent = FrequentLines {
            lines: Vec::new(),
            numbers: LineNumbers::default(),
            hashes: KeySet::new(HASH_BITS),
        };
        let mut hashes = vec![0];
        let start = Board::standard();
        frequent.lines.push(Line::new(0, NO_MOVE, 0, &start));
        // Lines from which longer ones are not made yet, with the hash of each.
        let mut queue = VecDeque::from([(0, 0, start, games.as_slice())]);
        while let Some((number, hash, board, games)) = queue.pop_front() {
            let length = frequent
                .lines
                .get(number as usize)
                .map_or(0, |line| line.length);
            let move_of =
                |game: &FirstMoves| game.get(usize::from(length)).copied().unwrap_or(NO_MOVE);
            for games in games.chunk_by(|a, b| move_of(a) == move_of(b)) {
                let Some(mv) = games.first().map(move_of).and_then(PackedMove::from_bits) else {
                    continue;
                };
                // Shorter lines come first in the queue, so a limit leaves out the longest.
                if games.len() < MIN_GAMES || frequent.lines.len() >= MAX_LINES {
                    continue;
                }
                let mut board = board.clone();
                board.play(mv);
                let longer = Line::new(number, mv.bits(), length + 1, &board);
                // A game counts once in a position that occurs twice.
                let is_new = !frequent.passes(number, longer.key);
                if is_new && board.occupied().len() >= MIN_PIECES {
                    let hash = hash_with(hash, mv.bits());
                    queue.push_back((frequent.lines.len() as u32, hash, board, games));
                    frequent.lines.push(longer);
                    frequent.hashes.insert(hash);
                    hashes.push(hash);
                }
            }
        }
        frequent.numbers = LineNumbers::new(&hashes);
        frequent
    }

    /// Returns whether a position occurs in a line.
    fn passes(&self, line: u32, key: u64) -> bool {
        let mut passed = self.lines.get(line as usize);
        while let Some(line) = passed.filter(|line| line.key != key) {
            let before = self.lines.get(line.before as usize);
            passed = before.filter(|_| line.length > 0);
        }
        passed.is_some()
    }

    /// Returns the line with which a game from the initial position probably begins. Its number is
    /// loaded, but nothing depends on it before [`FrequentLines::of_guess`]: it is in no cache, and
    /// the processor does other work until it is there.
    pub(super) fn guess(&self, moves: impl Iterator<Item = u16>) -> LineGuess {
        let mut hashes = [0; MAX_LINE];
        let (mut length, mut hash) = (0, 0);
        for (slot, mv) in hashes.iter_mut().zip(moves.take_while(|mv| *mv != NO_MOVE)) {
            hash = hash_with(hash, mv);
            *slot = hash;
            length += 1;
        }
        let prefixes = hashes.get(..length).unwrap_or_default();
        // If a line is frequent, shorter ones are too. The set fits into a smaller cache than the
        // numbers; it contains some other lines.
        let length = prefixes.partition_point(|hash| self.hashes.contains(*hash));
        let last = length.checked_sub(1).and_then(|last| prefixes.get(last));
        LineGuess {
            hashes,
            length,
            entry: self.numbers.entry_at(last.copied().unwrap_or_default()),
        }
    }

    /// Returns the longest line with which the game begins, and the number of its moves.
    pub(super) fn of_guess(&self, guess: &LineGuess) -> (u32, usize) {
        let last = guess.length.checked_sub(1);
        let last = last.and_then(|last| guess.hashes.get(last));
        if last == Some(&guess.entry.hash) && guess.entry.number > 0 {
            return (guess.entry.number, guess.length);
        }
        (1..=guess.length)
            .rev()
            .find_map(|length| {
                let number = self.numbers.get(*guess.hashes.get(length - 1)?)?;
                Some((number, length))
            })
            .unwrap_or_default()
    }
}

/// The number of each line, by the hash of its moves ([`hash_with`]): a hash table with linear
/// probing, because a lookup in it is one load.
#[derive(Default)]
struct LineNumbers {
    /// More than twice as many as there are lines, so that a lookup ends. Empty ones have the number
    /// 0; the line without moves is not looked up.
    entries: Box<[LineEntry]>,
}

#[derive(Clone, Copy, Default)]
struct LineEntry {
    hash: u64,
    number: u32,
}

impl LineNumbers {
    /// Returns the numbers of lines with these hashes, in their order.
    fn new(hashes: &[u64]) -> LineNumbers {
        let size = (hashes.len() * 2 + 2).next_power_of_two();
        let mut entries = vec![LineEntry::default(); size];
        for (number, &hash) in (0..).zip(hashes).skip(1) {
            // The size is a power of two.
            let mut place = hash as usize & (size - 1);
            while entries.get(place).is_some_and(|entry| entry.number > 0) {
                place = (place + 1) & (size - 1);
            }
            if let Some(entry) = entries.get_mut(place) {
                *entry = LineEntry { hash, number };
            }
        }
        LineNumbers {
            entries: entries.into(),
        }
    }

    /// Returns the entry where a search for a line begins.
    #[inline]
    fn entry_at(&self, hash: u64) -> LineEntry {
        let place = hash as usize & self.entries.len().wrapping_sub(1);
        self.entries.get(place).copied().unwrap_or_default()
    }

    fn get(&self, hash: u64) -> Option<u32> {
        let mut place = hash;
        loop {
            let entry = self.entry_at(place);
            if entry.number == 0 {
                return None;
            }
            if entry.hash == hash {
                return Some(entry.number);
            }
            place = place.wrapping_add(1);
        }
    }
}

/// The games of a line.
#[derive(Clone)]
struct LineCount {
    /// One with White as the side to move, and one with Black.
    tallies: [Tally; 2],
    first_year: u16,
    first_game: u32,
    best: BestGames,
}

impl LineCount {
    fn none() -> LineCount {
        LineCount {
            tallies: Default::default(),
            first_year: 0,
            first_game: u32::MAX,
            best: BestGames::NONE,
        }
    }

    /// Adds a game that begins with a line of `length` half-moves.
    fn add(&mut self, game: u32, facts: &GameFacts, length: u16) {
        let plies = facts.plies.saturating_sub(length.into());
        let facts = GameFacts { plies, ..*facts };
        for (tally, mover) in self.tallies.iter_mut().zip(Color::ALL) {
            tally.add(mover, &facts);
        }
        self.first_year = earlier_year(self.first_year, facts.year);
        self.first_game = self.first_game.min(game);
        self.best.add(facts.rating_sum(), game);
    }

    /// Adds the games of another line that is longer by `plies`.
    fn merge(&mut self, other: &LineCount, plies: u32) {
        for (tally, other) in self.tallies.iter_mut().zip(&other.tallies) {
            let mut other = *other;
            other.longest = other.longest.saturating_add(plies);
            tally.merge(&other);
        }
        self.first_year = earlier_year(self.first_year, other.first_year);
        self.first_game = self.first_game.min(other.first_game);
        self.best.merge(&other.best);
    }

    /// Returns the record of the last move of the line, which this side played.
    fn record(&self, mv: u16, mover: Color) -> MoveRecord {
        let [white, black] = self.tallies;
        MoveRecord {
            mv,
            tally: mover.pick(white, black),
            first_year: self.first_year,
            first_game: self.first_game,
            best: self.best.games().collect(),
        }
    }
}

/// The games at the ends of frequent lines.
pub(super) struct LineCounts<'l> {
    lines: &'l FrequentLines,
    /// The number of the longest frequent line of each game, and the number of the game.
    ends: Vec<(u32, u32)>,
}

impl<'l> LineCounts<'l> {
    pub(super) fn new(lines: &'l FrequentLines) -> LineCounts<'l> {
        LineCounts {
            lines,
            ends: Vec::new(),
        }
    }

    /// Adds a game with its longest frequent line.
    pub(super) fn add(&mut self, line: u32, game: u32) {
        self.ends.push((line, game));
    }

    /// Returns the moves of all lines by position, ordered by key. The moves of a position are in the
    /// order of their first games.
    pub(super) fn finish(
        mut self,
        facts_of: impl Fn(u32) -> GameFacts,
    ) -> Vec<(u64, Vec<MoveRecord>)> {
        let lines = &self.lines.lines;
        self.ends.sort_unstable();
        let mut ends = self.ends.as_slice();
        let mut counts = vec![LineCount::none(); lines.len()];
        let mut played = Vec::new();
        // Longer lines have higher numbers, so each is complete before it is added to the line
        // before it.
        for (number, line) in lines.iter().enumerate().rev() {
            let Some((shorter, [count, ..])) = counts.split_at_mut_checked(number) else {
                continue;
            };
            while let Some((&(_, game), rest)) = ends
                .split_last()
                .filter(|((last, _), _)| *last as usize == number)
            {
                count.add(game, &facts_of(game), line.length);
                ends = rest;
            }
            let before = line.before as usize;
            if let (Some(shorter), Some(before)) = (shorter.get_mut(before), lines.get(before)) {
                shorter.merge(count, 1);
                if count.tallies[0].games > 0 {
                    played.push((before.key, line.mv, before.turn, number));
                }
            }
        }
        played.sort_unstable();
        let mut positions = Vec::<(u64, Vec<MoveRecord>)>::new();
        // Several lines lead to some positions.
        for same in played.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let mut sum = LineCount::none();
            for (.., number) in same {
                if let Some(count) = counts.get(*number) {
                    sum.merge(count, 0);
                }
            }
            let Some(&(key, mv, mover, _)) = same.first() else {
                continue;
            };
            let record = sum.record(mv, mover);
            match positions.last_mut() {
                Some((last, moves)) if *last == key => moves.push(record),
                _ => positions.push((key, vec![record])),
            }
        }
        for (_, moves) in &mut positions {
            moves.sort_unstable_by_key(|record| record.first_game);
        }
        positions
    }
}
