//! Reading with several threads. Games are returned in database order.
//!
//! Batches of games circulate: one thread fills (and maps) them, the calling thread takes them in
//! order and returns them for reuse of their memory. A thread that ends early, without a report
//! that it is done, has panicked. This is an error, never the end of the games.

mod ahead;
mod numbered;
mod streamed;

use std::any::Any;
use std::ops::ControlFlow;
use std::thread::{self, ScopedJoinHandle};

use chessdb_core::store::Portion;
use chessdb_core::{Diagnostic, GameStore, Scratch};
use chessdb_files::error::{Problem, Result};

use crate::reading::{
    BlockReader, Candidate, CandidateScan, GameBlock, GameSlot, ScanRequest, Source, StreamItem,
    Visit, single_thread_limits, skip,
};

use ahead::judge_ahead;
use numbered::by_number;
use streamed::by_portion;

/// Number of games in a batch.
const BATCH: usize = 64;

/// Number of batches in flight per thread.
const AHEAD: usize = 2;

/// Number of bytes at which a batch ends early, so that a database of huge games takes no more
/// memory than one of small games.
const BATCH_BYTES: usize = 4 << 20;

/// Returns the number of threads; 0 means one per processor.
pub fn threads(jobs: usize) -> usize {
    match jobs {
        0 => thread::available_parallelism().map_or(1, usize::from),
        jobs => jobs,
    }
}

/// Maps a game on the thread that read it.
type Map<'m, T> = &'m (dyn Fn(&mut GameSlot) -> T + Sync);

/// Takes a game and its mapped value, in order.
type Take<'t, T> = &'t mut dyn FnMut(&mut GameSlot, T) -> ControlFlow<()>;

/// Like [`crate::scan::read_in_order`], on several threads.
pub(crate) fn read_in_order(
    source: Source<'_>,
    request: &ScanRequest,
    visit: &mut Visit<'_>,
) -> Result<Vec<Diagnostic>> {
    let map: Map<'_, ()> = &|slot| slot.prepare(request);
    match source {
        Source::Store(store) => {
            let mut candidates = CandidateScan::new(&request.filter, store);
            let mut block_reader = BlockReader::default();
            let (mut slot, mut scratch) = (GameSlot::default(), Scratch::new());
            let (most, most_asked) = single_thread_limits(request);
            let (mut read, mut asked) = (0, 0);
            while read < most && asked < most_asked {
                judge_ahead(&mut candidates, store, request)?;
                let Some(block) = candidates.next_block() else {
                    return Ok(Vec::new());
                };
                asked += block.left();
                block_reader.at(block, store, request);
                read += block_reader.left();
                for candidate in &mut block_reader {
                    if slot.read(store, candidate, request, &mut scratch)
                        && visit(&mut slot).is_break()
                    {
                        return Ok(Vec::new());
                    }
                }
            }
            by_number(store, candidates, request, map, &mut |slot, ()| visit(slot))?;
            Ok(Vec::new())
        }
        Source::Stream(stream) => by_portion(stream, request, map, &mut |slot, ()| visit(slot)),
    }
}

/// Maps each game on several threads and passes the results to `take` in database order.
pub(crate) fn map_in_order<T: Send>(
    source: Source<'_>,
    request: &ScanRequest,
    map: Map<'_, T>,
    take: &mut dyn FnMut(T) -> ControlFlow<()>,
) -> Result<Vec<Diagnostic>> {
    let take: Take<'_, T> = &mut |_, made| take(made);
    match source {
        Source::Store(store) => {
            let candidates = CandidateScan::new(&request.filter, store);
            by_number(store, candidates, request, map, take).map(|()| Vec::new())
        }
        Source::Stream(stream) => by_portion(stream, request, map, take),
    }
}

/// A batch of games that circulates between threads.
struct Batch<T> {
    /// The games as blocks of up to 64; the number of blocks that were judged; and the rest of the
    /// last of them.
    blocks: Vec<GameBlock>,
    blocks_taken: usize,
    block_reader: BlockReader,
    /// Number of candidates found in the blocks judged so far.
    candidates: usize,
    /// The games read so far. Slots beyond `filled` are left over from earlier use.
    slots: Vec<GameSlot>,
    filled: usize,
    /// The mapped values of the filled slots.
    made: Vec<T>,
}

impl<T> Default for Batch<T> {
    fn default() -> Batch<T> {
        Batch {
            blocks: Vec::new(),
            blocks_taken: 0,
            block_reader: BlockReader::default(),
            candidates: 0,
            slots: Vec::new(),
            filled: 0,
            made: Vec::new(),
        }
    }
}

impl<T> Batch<T> {
    /// Returns the slot for one more game.
    fn next(&mut self) -> &mut GameSlot {
        if self.filled == self.slots.len() {
            self.slots.push(GameSlot::default());
        }
        self.filled += 1;
        #[expect(clippy::indexing_slicing, reason = "pushed above if missing")]
        &mut self.slots[self.filled - 1]
    }

    /// Returns the next candidate.
    fn next_candidate(
        &mut self,
        store: &dyn GameStore,
        request: &ScanRequest,
    ) -> Option<Candidate> {
        let next_block = || {
            let block = self.blocks.get(self.blocks_taken).copied()?;
            self.blocks_taken += 1;
            Some(block)
        };
        let next = self.block_reader.next_of(next_block, store, request)?;
        self.candidates += 1;
        Some(next)
    }

    /// Reads the games, stopping at the memory limit.
    fn fill(&mut self, store: &dyn GameStore, request: &ScanRequest, scratch: &mut Scratch) {
        (self.filled, self.blocks_taken, self.candidates) = (0, 0, 0);
        let mut bytes = 0;
        while bytes < BATCH_BYTES
            && let Some(candidate) = self.next_candidate(store, request)
        {
            let slot = self.next();
            match slot.read(store, candidate, request, scratch) {
                true => bytes += slot.game.weight(),
                false => self.filled -= 1,
            }
        }
    }

    /// Adds the games of a portion of a stream; `first` is the index of the first of them.
    fn read(
        &mut self,
        games: Option<Portion>,
        first: u32,
        request: &ScanRequest,
        scratch: &mut Scratch,
    ) {
        let Some(Portion { mut games, len }) = games else {
            return;
        };
        for index in first..first.saturating_add(len) {
            let is_selected = request.filter.selection.contains(index.saturating_add(1));
            let next = match is_selected {
                true => self.next().read_next(&mut *games, index, request, scratch),
                false => skip(&mut *games).map(StreamItem::of_skip),
            };
            if is_selected && !matches!(next, Ok(StreamItem::Game)) {
                self.filled -= 1;
            }
            // A portion is in memory, so no stream can fail.
            if !matches!(next, Ok(StreamItem::Game | StreamItem::Filtered)) {
                return;
            }
        }
    }

    /// Maps each game.
    fn map(&mut self, map: Map<'_, T>) {
        self.made.clear();
        let filled = self.slots.iter_mut().take(self.filled);
        self.made.extend(filled.map(map));
    }

    /// Passes the games to `take`; frees the memory of huge games.
    fn take(&mut self, take: Take<'_, T>) -> ControlFlow<()> {
        let filled = self.slots.iter_mut().take(self.filled);
        for (slot, made) in filled.zip(self.made.drain(..)) {
            take(slot, made)?;
            if slot.game.weight() > BATCH_BYTES / BATCH {
                *slot = GameSlot::default();
            }
        }
        ControlFlow::Continue(())
    }
}

/// Waits for a thread to end; returns an error with the message if it panicked.
fn join(thread: ScopedJoinHandle<'_, ()>) -> Result<()> {
    thread.join().map_err(|panic| {
        let message = message(&*panic).unwrap_or("without a message").to_owned();
        Problem::Panicked(message).into()
    })
}

fn message(panic: &(dyn Any + Send)) -> Option<&str> {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
}

#[cfg(test)]
mod tests;
