//! Reading with several threads. Games come out in the order of the base whatever their number.
//!
//! Batches of games go round: filled (and made something of) by one thread, taken in order by the
//! calling one, and given back, so that their memory is used again. A thread that ends before it was
//! told to, or before it said that it is done, has panicked: that is an error, never the end of the
//! games.

mod ahead;
mod numbered;
mod streamed;

use std::any::Any;
use std::ops::ControlFlow;
use std::thread::{self, ScopedJoinHandle};

use chessdb_core::{Diagnostic, GameStore, Portion, Scratch};

use crate::error::{Problem, Result};
use crate::scan::{
    BlockReader, Candidate, CandidateScan, GameBlock, GameSlot, Next, ScanRequest, Source,
    ThreadReader, Visit, alone, skip,
};

use ahead::judge_ahead;
use numbered::by_number;
use streamed::by_portion;

/// Games that go from thread to thread at once.
const BATCH: usize = 64;

/// Batches that are on their way per thread.
const AHEAD: usize = 2;

/// A batch is handed on early when its games take about this many bytes, so that a base of huge
/// games costs no more memory than one of small ones.
const BATCH_BYTES: usize = 4 << 20;

/// So many threads, or one per processor for 0.
pub(crate) fn threads(jobs: usize) -> usize {
    match jobs {
        0 => thread::available_parallelism().map_or(1, usize::from),
        jobs => jobs,
    }
}

/// What is made of a game on the thread that read it.
type Map<'m, T> = &'m (dyn Fn(&mut GameSlot) -> T + Sync);

/// What takes a game, or what was made of it, in order.
type Take<'t, T> = &'t mut dyn FnMut(&mut GameSlot, T) -> ControlFlow<()>;

/// [`crate::scan::read_in_order`] with several threads.
pub(crate) fn read_in_order(
    source: Source<'_>,
    request: &ScanRequest,
    visit: &mut Visit<'_>,
) -> Result<Vec<Diagnostic>> {
    let map: Map<'_, ()> = &|slot| slot.prepare(request);
    match source {
        Source::Store(store) => {
            let mut wanted = CandidateScan::new(&request.choice, store);
            let (mut thread_reader, mut look) = (ThreadReader::default(), BlockReader::default());
            let (most, most_asked) = alone(request);
            let (mut read, mut asked) = (0, 0);
            while read < most && asked < most_asked {
                judge_ahead(&mut wanted, store, request)?;
                let Some(run) = wanted.next_run() else {
                    return Ok(Vec::new());
                };
                asked += run.left();
                look.at(run, store, request);
                read += look.left();
                if thread_reader
                    .read(store, &mut look, request, visit)
                    .is_break()
                {
                    return Ok(Vec::new());
                }
            }
            by_number(store, wanted, request, map, &mut |slot, ()| visit(slot))?;
            Ok(Vec::new())
        }
        Source::Stream(stream) => by_portion(stream, request, map, &mut |slot, ()| visit(slot)),
    }
}

/// Makes something of each game on several threads and takes it in the order of the base.
pub(crate) fn map_in_order<T: Send>(
    source: Source<'_>,
    request: &ScanRequest,
    map: Map<'_, T>,
    take: &mut dyn FnMut(T) -> ControlFlow<()>,
) -> Result<Vec<Diagnostic>> {
    let take: Take<'_, T> = &mut |_, made| take(made);
    match source {
        Source::Store(store) => {
            let wanted = CandidateScan::new(&request.choice, store);
            by_number(store, wanted, request, map, take).map(|()| Vec::new())
        }
        Source::Stream(stream) => by_portion(stream, request, map, take),
    }
}

/// Games on their way; the memory goes back and forth.
struct Batch<T> {
    /// Their places in the base, of up to 64 together; how many of these were looked at, and what is left of the last.
    runs: Vec<GameBlock>,
    looked: usize,
    look: BlockReader,
    /// How many of the games may be wanted, as far as they were looked at.
    candidates: usize,
    /// The games read so far, by position; those beyond `filled` are left from earlier use.
    slots: Vec<GameSlot>,
    filled: usize,
    /// What was made of those that are filled.
    made: Vec<T>,
}

impl<T> Default for Batch<T> {
    fn default() -> Batch<T> {
        Batch {
            runs: Vec::new(),
            looked: 0,
            look: BlockReader::default(),
            candidates: 0,
            slots: Vec::new(),
            filled: 0,
            made: Vec::new(),
        }
    }
}

impl<T> Batch<T> {
    /// Makes room for one more game.
    fn next(&mut self) -> &mut GameSlot {
        if self.filled == self.slots.len() {
            self.slots.push(GameSlot::default());
        }
        self.filled += 1;
        #[expect(
            clippy::indexing_slicing,
            reason = "pushed just now if it was not there"
        )]
        &mut self.slots[self.filled - 1]
    }

    /// The next of its games that may be wanted.
    fn next_candidate(
        &mut self,
        store: &dyn GameStore,
        request: &ScanRequest,
    ) -> Option<Candidate> {
        let next_run = || {
            let run = self.runs.get(self.looked).copied()?;
            self.looked += 1;
            Some(run)
        };
        let next = self.look.next_of(next_run, store, request)?;
        self.candidates += 1;
        Some(next)
    }

    /// Reads its games, or as many as may lie in memory.
    fn fill(&mut self, store: &dyn GameStore, request: &ScanRequest, scratch: &mut Scratch) {
        (self.filled, self.looked, self.candidates) = (0, 0, 0);
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

    /// Adds games that were cut off a stream, of which the first has this place.
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
            let is_selected = request.choice.selection.contains(index.saturating_add(1));
            let next = match is_selected {
                true => self.next().read_next(&mut *games, index, request, scratch),
                false => skip(&mut *games).map(Next::of_skip),
            };
            if is_selected && !matches!(next, Ok(Next::Game)) {
                self.filled -= 1;
            }
            // No stream stands behind them that could fail.
            if !matches!(next, Ok(Next::Game | Next::Unwanted)) {
                return;
            }
        }
    }

    /// Makes something of each game.
    fn map(&mut self, map: Map<'_, T>) {
        self.made.clear();
        let filled = self.slots.iter_mut().take(self.filled);
        self.made.extend(filled.map(map));
    }

    /// Hands out the games read; gives huge ones' memory back.
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

/// Waits for a thread to end; a panic becomes an error with its message.
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
