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
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::{self, ScopedJoinHandle};

use chessdb_core::store::Portion;
use chessdb_core::{Diagnostic, GameStore, Scratch};
use chessdb_files::error::{Problem, Result};

use crate::reading::{
    CandidateScan, GameSlot, RequestedGames, ScanRequest, StreamItem, Visit, skip,
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

/// Whether threads can be started. WebAssembly has none. Everything that starts threads depends on
/// this constant, so that the compiler removes it from the page.
pub(crate) const HAS_THREADS: bool = cfg!(not(target_family = "wasm"));

/// Returns the number of threads; 0 means one per processor.
pub fn threads(jobs: usize) -> usize {
    match jobs {
        _ if !HAS_THREADS => 1,
        0 => thread::available_parallelism().map_or(1, usize::from),
        jobs => jobs,
    }
}

/// Maps a game on the thread that read it.
type Map<'m, T> = &'m (dyn Fn(&mut GameSlot) -> T + Sync);

/// Takes a game and its mapped value, in order.
type Take<'t, T> = &'t mut dyn FnMut(&mut GameSlot, T) -> ControlFlow<()>;

/// Numbers of headers and of mainlines that the calling thread reads before other threads start:
/// reading a header takes less time than passing it between threads, and an index lookup still
/// less. Scans that look at mainlines look up at most `LOOKUPS_ALONE` games in the index before
/// that.
const HEADERS_ALONE: usize = 1 << 15;
const LINES_ALONE: usize = 1 << 11;
const LOOKUPS_ALONE: usize = 1 << 16;

/// Returns how many games of a store the calling thread reads before it starts other threads, and
/// for how many it asks the index.
fn single_thread_limits(request: &ScanRequest) -> (usize, usize) {
    match (request.headers_only, request.needs_moves()) {
        (true, false) if request.numbers_only => (usize::MAX, usize::MAX),
        (true, false) => (HEADERS_ALONE, usize::MAX),
        (true, true) => (LINES_ALONE, LOOKUPS_ALONE),
        (false, _) => (0, 0),
    }
}

/// Passes the games to `visit` in database order, until that breaks.
pub(crate) fn read_in_order(
    games: RequestedGames<'_>,
    request: &ScanRequest,
    visit: &mut Visit<'_>,
) -> Result<Vec<Diagnostic>> {
    let alone = single_thread_limits(request);
    let prepare: Map<'_, ()> = &|slot| slot.prepare(request);
    read(games, request, alone, prepare, &mut |slot, ()| visit(slot))
}

/// Maps each game and passes the results to `take` in database order, until that breaks.
pub(crate) fn map_in_order<T: Send>(
    games: RequestedGames<'_>,
    request: &ScanRequest,
    map: Map<'_, T>,
    take: &mut dyn FnMut(T) -> ControlFlow<()>,
) -> Result<Vec<Diagnostic>> {
    // Mapping a game may take longer than reading its header.
    let alone = if request.needs_moves() { single_thread_limits(request) } else { (0, 0) };
    read(games, request, alone, map, &mut |_, made| take(made))
}

/// Reads the first games of a store on the calling thread, and all others on several threads.
/// `alone` has the limits of [`single_thread_limits`]. Without threads, the calling thread reads all.
fn read<T: Send>(
    games: RequestedGames<'_>,
    request: &ScanRequest,
    alone: (usize, usize),
    map: Map<'_, T>,
    take: Take<'_, T>,
) -> Result<Vec<Diagnostic>> {
    if !HAS_THREADS {
        let mut visit = |slot: &mut GameSlot| {
            let made = map(slot);
            take(slot, made)
        };
        return Ok(games.visit(request, &mut visit)?);
    }
    match games {
        RequestedGames::Store(store, mut candidates) => {
            if read_alone(store, &mut candidates, request, alone, map, take)?.is_continue() {
                by_number(store, candidates, request, map, take)?;
            }
            Ok(Vec::new())
        }
        RequestedGames::Stream(stream, _) => by_portion(stream, request, map, take),
    }
}

/// Reads the first games of a store on the calling thread, and breaks if no others are left or
/// wanted.
fn read_alone<T>(
    store: &dyn GameStore,
    candidates: &mut CandidateScan,
    request: &ScanRequest,
    (max_games, max_lookups): (usize, usize),
    map: Map<'_, T>,
    take: Take<'_, T>,
) -> Result<ControlFlow<()>> {
    let (mut slot, mut scratch) = (GameSlot::default(), Scratch::new());
    let (mut read, mut asked) = (0, 0);
    while read < max_games && asked < max_lookups {
        judge_ahead(candidates, store, request)?;
        let Some(judged) = candidates.judge_next(store, request) else {
            return Ok(ControlFlow::Break(()));
        };
        asked += judged;
        read += candidates.block().left();
        for candidate in candidates.block() {
            // Nothing uses slot and memory after a panic.
            let made = catch_unwind(AssertUnwindSafe(|| {
                let is_read = slot.read(store, candidate, request, &mut scratch);
                is_read.then(|| map(&mut slot))
            }));
            if let Some(made) = unless_panicked(made)?
                && take(&mut slot, made).is_break()
            {
                return Ok(ControlFlow::Break(()));
            }
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// A batch of games that circulates between threads.
struct Batch<T> {
    /// The games to read.
    candidates: CandidateScan,
    /// Number of candidates found. `None` before the first use.
    found: Option<usize>,
    /// The games read so far. Slots beyond `filled` are left over from earlier use.
    slots: Vec<GameSlot>,
    filled: usize,
    /// The mapped values of the filled slots.
    made: Vec<T>,
}

impl<T> Default for Batch<T> {
    fn default() -> Batch<T> {
        Batch {
            candidates: CandidateScan::default(),
            found: None,
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

    /// Reads the games, stopping at the memory limit.
    fn fill(&mut self, store: &dyn GameStore, request: &ScanRequest, scratch: &mut Scratch) {
        self.filled = 0;
        let (mut bytes, mut count) = (0, 0);
        while bytes < BATCH_BYTES
            && let Some(candidate) = self.candidates.next(store, request)
        {
            count += 1;
            let slot = self.next();
            if slot.read(store, candidate, request, scratch) {
                bytes += slot.game.weight()
            } else {
                self.filled -= 1
            }
        }
        self.found = Some(count);
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
            let is_selected = request.selection.contains(index.saturating_add(1));
            let next = if is_selected {
                self.next().read_next(&mut *games, index, request, scratch)
            } else {
                skip(&mut *games).map(StreamItem::of_skip)
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
            // A slot lives as long as the scan, and would hold the memory of its largest game.
            if slot.game.weight() > BATCH_BYTES / BATCH {
                *slot = GameSlot::default();
            }
        }
        ControlFlow::Continue(())
    }
}

/// Waits for a thread to end; returns an error with the message if it panicked.
fn join(thread: ScopedJoinHandle<'_, ()>) -> Result<()> {
    unless_panicked(thread.join())
}

fn unless_panicked<T>(result: thread::Result<T>) -> Result<T> {
    result.map_err(|panic| {
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
