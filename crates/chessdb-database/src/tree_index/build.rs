//! Writing of a tree file.

use std::io::{self, Seek, Write};
use std::path::Path;

use chessdb_query::tree::GameFacts;

use super::collect::CountedGame;
use super::counter::MoveCounter;
use super::frequent::FrequentPositions;
use super::layout::{
    BLOCK_SIZE, BlockEntry, Damaged, KIND, MIN_PIECES, MoveRecord, entries, read_moves, write_entry,
};
use super::lines::LineCounts;
use super::lookup::TreeIndex;
use super::spool::{EventSpool, PARTITIONS, PositionEvent};
use crate::index::{FileStamp, Header, SectionWriter};
use crate::threads::on_threads;

/// Maximum size of the blocks, in hundredths of the size of the database; smaller blocks are always
/// allowed.
const MAX_PERCENT: u64 = 14;
const ALWAYS_ALLOWED: u64 = 1 << 20;
/// Maximum number of moves in the file.
const MAX_MOVES: u64 = 200_000_000;
/// Number of events from which the minimum number of games is estimated. Keys are random, so any
/// partitions are a fair sample.
const SAMPLE_EVENTS: usize = 4 << 20;
/// A position with fewer games is not stored; its games are found by a search.
const MIN_GAMES: u32 = 2;

/// The number of games after which the positions are chosen again: a share of those before.
const CHOSEN_SHARE: u32 = 4;

/// Collects the positions of a database, game by game, and writes its tree file.
pub(crate) struct TreeBuilder<'f> {
    spool: EventSpool,
    /// The first game that is added, and the properties of the games from there.
    first: u32,
    facts: Vec<GameFacts>,
    uncounted: Vec<u32>,
    /// The games at the ends of frequent lines.
    lines: Option<LineCounts<'f>>,
}

/// A tree file to which games are added, and a function that returns the properties of its games.
pub(crate) type OldTree<'o> = (&'o TreeIndex, &'o (dyn Fn(u32) -> GameFacts + Sync));

/// A position of frequent lines: its key, and its moves with the games of these lines.
type LinePosition = (u64, Vec<MoveRecord>);

/// Returns the positions with keys of this partition. `positions` is sorted.
fn partition_of(positions: &[LinePosition], partition: usize) -> &[LinePosition] {
    let before =
        |number: usize| positions.partition_point(|(key, _)| ((key >> 56) as usize) < number);
    let range = before(partition)..before(partition + 1);
    positions.get(range).unwrap_or_default()
}

/// The blocks of a partition.
#[derive(Default)]
struct EncodedPartition {
    bytes: Vec<u8>,
    blocks: Vec<BlockEntry>,
    /// The checksums of the blocks.
    sums: Vec<u8>,
    /// The start of the current block.
    start: usize,
    /// Of each entry the length, and the numbers of moves and games.
    entries: Vec<EntrySize>,
}

/// The length of an entry, and the numbers of its moves and games.
#[derive(Clone, Copy, Debug)]
struct EntrySize {
    length: u32,
    moves: u32,
    games: u32,
}

impl EncodedPartition {
    /// Drops the entries with fewer games.
    fn without_rare(self, least_games: u32) -> EncodedPartition {
        if self.entries.iter().all(|entry| entry.games >= least_games) {
            return self;
        }
        let mut retained = EncodedPartition::default();
        let mut rest = self.bytes.as_slice();
        for entry in self.entries {
            // The lengths were counted while the bytes were written, so this cannot fail.
            let Some((bytes, later)) = rest.split_at_checked(entry.length as usize) else {
                break;
            };
            rest = later;
            if let (true, Some(key)) = (entry.games >= least_games, bytes.first_chunk()) {
                retained.add(u64::from_le_bytes(*key), |out| out.extend_from_slice(bytes));
            }
        }
        retained.finish()
    }

    /// Appends an entry, which `write` encodes.
    fn add(&mut self, key: u64, write: impl FnOnce(&mut Vec<u8>)) {
        if self.start == self.bytes.len() {
            let offset = self.start as u64;
            self.blocks.push(BlockEntry { key, offset });
        }
        write(&mut self.bytes);
        // An entry is never divided: a lookup reads one block.
        if self.bytes.len() - self.start >= BLOCK_SIZE {
            self.start = self.bytes.len();
        }
    }

    /// Computes the checksums.
    fn finish(mut self) -> EncodedPartition {
        let ends = self.blocks.iter().skip(1).map(|block| block.offset);
        let ends = ends.chain([self.bytes.len() as u64]);
        for (block, end) in self.blocks.iter().zip(ends) {
            let bytes = self.bytes.get(block.offset as usize..end as usize);
            let sum = crc32fast::hash(bytes.unwrap_or_default());
            self.sums.extend(sum.to_le_bytes());
        }
        self
    }
}

impl<'f> TreeBuilder<'f> {
    /// Prepares for a tree file of all games from `first` on, with all positions or the `frequent`
    /// ones; temporary data is written into `folder`.
    pub(crate) fn new(
        folder: &Path,
        first: u32,
        frequent: Option<&'f FrequentPositions>,
    ) -> TreeBuilder<'f> {
        TreeBuilder {
            lines: frequent.map(|frequent| LineCounts::new(frequent.lines())),
            spool: EventSpool::new(folder),
            first,
            facts: Vec::new(),
            uncounted: Vec::new(),
        }
    }

    /// Adds the next game; `None` if it cannot be counted.
    pub(crate) fn add(&mut self, game: Option<&CountedGame>) -> io::Result<()> {
        let number = self.first.saturating_add(self.facts.len() as u32);
        let Some(game) = game else {
            self.uncounted.push(number);
            self.facts.push(GameFacts::default());
            return Ok(());
        };
        self.facts.push(game.facts);
        let positions = game.after_line();
        if let (Some(lines), Some((line, _))) = (&mut self.lines, game.line) {
            lines.add(line, number);
        }
        let mut events = positions.iter();
        events.try_for_each(|position| self.spool.add(PositionEvent::new(number, position)))
    }

    /// Writes the file, with up to `jobs` threads. `size` is the size of the database. The games
    /// before the first are those of the `old` file, which must be intact.
    pub(crate) fn finish(
        mut self,
        out: &mut (impl Write + Seek),
        stamps: Vec<FileStamp>,
        size: u64,
        jobs: usize,
        old: Option<OldTree<'_>>,
    ) -> io::Result<()> {
        let games = self.first.saturating_add(self.facts.len() as u32);
        let lines = self.lines.take().map(|lines| {
            // A file with frequent lines contains all games.
            lines.finish(|game| self.facts.get(game as usize).copied().unwrap_or_default())
        });
        let lines = lines.unwrap_or_default();
        let (mut ready, mut uncounted) = (Vec::new().into_iter(), Vec::new());
        let (least_games, chosen_games) = match old {
            Some((tree, _)) => {
                uncounted = tree.uncounted();
                (tree.least_games(), tree.chosen_games())
            }
            None => {
                let (least_games, encoded) = self.least_games(&lines, size, jobs)?;
                ready = encoded.into_iter();
                (least_games, games)
            }
        };
        uncounted.append(&mut self.uncounted);
        let mut out = SectionWriter::new(out)?;
        let mut directory = Vec::new();
        let (first, facts) = (self.first, &self.facts);
        let facts_of = |game: u32| match (game.checked_sub(first), old) {
            (Some(game), _) => facts.get(game as usize).copied().unwrap_or_default(),
            (None, Some((_, facts_of))) => facts_of(game),
            (None, None) => GameFacts::default(),
        };
        let encode = |(number, part): (usize, Part)| match (part, old) {
            (Part::Encoded(encoded), _) => Ok(encoded.without_rare(least_games)),
            (Part::Events(events), Some((tree, _))) => {
                merge(tree.partition(number), events, &facts_of)
            }
            (Part::Events(events), None) => {
                let lines = partition_of(&lines, number);
                Ok(encode(events, lines, &facts_of, least_games))
            }
        };
        // One partition per thread is in memory at a time; the file needs them in the order of the
        // keys.
        for first in (0..PARTITIONS).step_by(jobs.max(1)) {
            let mut group = Vec::new();
            for number in first..PARTITIONS.min(first + jobs.max(1)) {
                let part = match ready.next() {
                    Some(encoded) => Part::Encoded(encoded),
                    None => Part::Events(self.spool.take(number)?),
                };
                group.push((number, part));
            }
            for encoded in on_threads(group, encode)? {
                let encoded = encoded
                    .map_err(|Damaged| io::Error::other("the old file is damaged; delete it"))?;
                for block in encoded.blocks {
                    let offset = out.length() + block.offset;
                    BlockEntry { offset, ..block }.write(&mut directory);
                }
                out.pieces(&encoded.bytes, &encoded.sums)?;
            }
        }
        let numbers = uncounted.iter().flat_map(|game| game.to_le_bytes());
        let numbers: Vec<u8> = numbers.collect();
        let header = Header {
            games,
            numbers: [least_games, MIN_PIECES, chosen_games, 0],
            lengths: [0, directory.len() as u64, numbers.len() as u64, 0],
            stamps,
        };
        out.begin_tables(&KIND, header)?;
        out.table(&directory)?;
        out.table(&numbers)?;
        out.finish().map(|_| ())
    }

    /// Returns the minimum number of games of a position for which the file is small enough,
    /// estimated from the first partitions, and these partitions, encoded with all positions that
    /// may be stored.
    fn least_games(
        &mut self,
        lines: &[LinePosition],
        size: u64,
        jobs: usize,
    ) -> io::Result<(u32, Vec<EncodedPartition>)> {
        let (mut sample, mut events) = (0, 0);
        // Few partitions of a large database are enough, because keys are random.
        while sample < PARTITIONS && events < SAMPLE_EVENTS {
            events += self.spool.len(sample);
            sample += 1;
        }
        let mut ready = Vec::<EncodedPartition>::new();
        let facts = &self.facts;
        let facts_of = |game: u32| facts.get(game as usize).copied().unwrap_or_default();
        while ready.len() < sample {
            let numbers = (ready.len()..sample).take(jobs.max(1));
            let events = numbers.map(|number| Ok((number, self.spool.take(number)?)));
            let events = events.collect::<io::Result<Vec<_>>>()?;
            let encode = |(number, events)| {
                encode(events, partition_of(lines, number), &facts_of, MIN_GAMES)
            };
            ready.extend(on_threads(events, encode)?);
        }
        let share = |all: u64| all / PARTITIONS as u64 * ready.len() as u64;
        let mut bytes = share((size / 100 * MAX_PERCENT).max(ALWAYS_ALLOWED));
        let mut moves = share(MAX_MOVES);
        let entries = ready.iter().flat_map(|partition| &partition.entries);
        let mut entries: Vec<EntrySize> = entries.copied().collect();
        // The most frequent positions first.
        entries.sort_unstable_by_key(|entry| std::cmp::Reverse(entry.games));
        for entry in entries {
            let left = bytes
                .checked_sub(entry.length.into())
                .zip(moves.checked_sub(entry.moves.into()));
            let Some(left) = left else {
                return Ok((entry.games.saturating_add(1), ready));
            };
            (bytes, moves) = left;
        }
        Ok((MIN_GAMES, ready))
    }
}

/// A partition: its events, or already encoded.
enum Part {
    Events(Vec<PositionEvent>),
    Encoded(EncodedPartition),
}

impl TreeIndex {
    /// Returns whether games can be added to an intact file until there are `games`: its positions
    /// must have been chosen from most of them.
    pub(crate) fn can_grow(&self, games: u32) -> bool {
        let chosen = self.chosen_games();
        games.saturating_sub(chosen) <= chosen / CHOSEN_SHARE && self.is_intact()
    }
}

/// Encodes the positions of a partition with at least `least_games` games.
fn encode(
    mut events: Vec<PositionEvent>,
    lines: &[LinePosition],
    facts_of: &(impl Fn(u32) -> GameFacts + ?Sized),
    least_games: u32,
) -> EncodedPartition {
    drop_rare(&mut events, lines, least_games);
    // Events of a key stay in the order of their games.
    events.sort_by_key(|event| event.key());
    let (mut encoded, mut body) = (EncodedPartition::default(), Vec::new());
    let mut counter = MoveCounter::new();
    // No cache holds the properties of all games. A processor waits for several of them at a time if
    // the loop does nothing else.
    let facts: Vec<GameFacts> = events.iter().map(|event| facts_of(event.game())).collect();
    let (mut events, mut facts) = (events.as_slice(), facts.as_slice());
    let mut lines = lines.iter().peekable();
    loop {
        let next_event = events.first().map(|event| event.key());
        let next_line = lines.peek().map(|(key, _)| *key);
        let Some(key) = next_event.into_iter().chain(next_line).min() else {
            return encoded.finish();
        };
        let length = events.iter().take_while(|event| event.key() == key).count();
        let (group, later_events) = events.split_at_checked(length).unwrap_or_default();
        let (group_facts, later_facts) = facts.split_at_checked(length).unwrap_or_default();
        (events, facts) = (later_events, later_facts);
        let line_moves = lines
            .next_if(|(line, _)| *line == key)
            .map_or(&[][..], |(_, moves)| moves);
        let games: u64 = line_moves.iter().map(|record| record.tally.games).sum();
        let games = games.saturating_add(length as u64).min(u32::MAX.into()) as u32;
        if games < least_games {
            continue;
        }
        let moves = counter.count(line_moves, group, group_facts, facts_of);
        let before = encoded.bytes.len();
        encoded.add(key, |bytes| write_entry(bytes, key, moves, &mut body));
        encoded.entries.push(EntrySize {
            length: (encoded.bytes.len() - before) as u32,
            moves: moves.len() as u32,
            games,
        });
    }
}

/// Adds events to the positions of an old partition. Other positions have too few games.
fn merge(
    old: &[u8],
    mut events: Vec<PositionEvent>,
    facts_of: &(impl Fn(u32) -> GameFacts + ?Sized),
) -> Result<EncodedPartition, Damaged> {
    events.sort_by_key(|event| event.key());
    let mut encoded = EncodedPartition::default();
    let mut counter = MoveCounter::new();
    let mut body = Vec::new();
    let groups = events.chunk_by(|a, b| a.key() == b.key());
    let mut groups = groups
        .filter_map(|group| Some((group.first()?.key(), group)))
        .peekable();
    for entry in entries(old) {
        let entry = entry?;
        // The old file does not have these positions, and their earlier games are unknown.
        while groups.next_if(|(key, _)| *key < entry.key).is_some() {}
        match groups.next_if(|(key, _)| *key == entry.key) {
            None => encoded.add(entry.key, |bytes| bytes.extend_from_slice(entry.bytes)),
            Some((key, group)) => {
                let old_moves = read_moves(entry.body).ok_or(Damaged)?;
                let facts: Vec<GameFacts> =
                    group.iter().map(|event| facts_of(event.game())).collect();
                let moves = counter.count(&old_moves, group, &facts, facts_of);
                encoded.add(key, |bytes| write_entry(bytes, key, moves, &mut body));
            }
        }
    }
    Ok(encoded.finish())
}

/// Drops events of most positions that have fewer games, so that they need not be sorted.
fn drop_rare(events: &mut Vec<PositionEvent>, lines: &[LinePosition], least_games: u32) {
    // At least twice as many counters as events, so that few positions share one.
    let mask = events.len().next_power_of_two() * 2 - 1;
    let mut counts = vec![0_u8; mask + 1];
    let least = least_games.min(u8::MAX.into()) as u8;
    for (key, _) in lines {
        if let Some(count) = counts.get_mut(*key as usize & mask) {
            // The games of a line are not among the events, so its positions are never dropped
            // here.
            *count = u8::MAX;
        }
    }
    for event in events.iter() {
        if let Some(count) = counts.get_mut(event.key() as usize & mask) {
            *count = count.saturating_add(1);
        }
    }
    events.retain(|event| {
        let count = counts.get(event.key() as usize & mask);
        count.is_some_and(|count| *count >= least)
    });
}
