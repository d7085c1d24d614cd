//! Reading with several threads. Games come out in the order of the base whatever their number.
//!
//! Batches of games go round: filled (and made something of) by one thread, taken in order by the
//! calling one, and given back, so that their memory is used again. A thread that ends before it was
//! told to, or before it said that it is done, has panicked: that is an error, never the end of the
//! games.

use std::any::Any;
use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, ScopedJoinHandle};

use chessdb_core::{Diagnostic, GameRead, GameStore, Scratch};

use crate::error::{Problem, Result};
use crate::scan::{Indexes, Request, Slot, Source, StreamIndexes, Visit, end_of_stream};

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
type Map<'m, T> = &'m (dyn Fn(&mut Slot) -> T + Sync);

/// What takes a game, or what was made of it, in order.
type Take<'t, T> = &'t mut dyn FnMut(&mut Slot, T) -> ControlFlow<()>;

/// [`crate::scan::read_in_order`] with several threads.
pub(crate) fn read_in_order(
    source: Source<'_>,
    request: &Request,
    visit: &mut Visit<'_>,
) -> Result<Vec<Diagnostic>> {
    let take: Take<'_, ()> = &mut |slot, ()| visit(slot);
    match source {
        Source::Store(store) => by_number(store, request, &|_| (), take).map(|()| Vec::new()),
        Source::Stream(stream) => one_after_another(stream, request, 0, &|_| (), take),
    }
}

/// Makes something of each game on several threads and takes it in the order of the base.
pub(crate) fn map_in_order<T: Send>(
    source: Source<'_>,
    request: &Request,
    map: Map<'_, T>,
    take: &mut dyn FnMut(T) -> ControlFlow<()>,
) -> Result<Vec<Diagnostic>> {
    let take: Take<'_, T> = &mut |_, made| take(made);
    match source {
        Source::Store(store) => by_number(store, request, map, take).map(|()| Vec::new()),
        Source::Stream(stream) => {
            let mappers = request.jobs.saturating_sub(1).max(1);
            one_after_another(stream, request, mappers, map, take)
        }
    }
}

/// Games on their way; the memory goes back and forth.
struct Batch<T> {
    /// Their places in the base.
    indexes: Vec<u32>,
    /// The games read so far, by position; those beyond `filled` are left from earlier use.
    slots: Vec<Slot>,
    filled: usize,
    /// What was made of those that are filled.
    made: Vec<T>,
}

impl<T> Default for Batch<T> {
    fn default() -> Batch<T> {
        Batch {
            indexes: Vec::new(),
            slots: Vec::new(),
            filled: 0,
            made: Vec::new(),
        }
    }
}

impl<T> Batch<T> {
    /// Makes room for one more game.
    fn next(&mut self) -> &mut Slot {
        if self.filled == self.slots.len() {
            self.slots.push(Slot::default());
        }
        self.filled += 1;
        #[expect(
            clippy::indexing_slicing,
            reason = "pushed just now if it was not there"
        )]
        &mut self.slots[self.filled - 1]
    }

    /// Reads the games of `indexes`, or as many as may lie in memory.
    fn fill(&mut self, store: &dyn GameStore, heads_only: bool, scratch: &mut Scratch) {
        self.filled = 0;
        let mut bytes = 0;
        while bytes < BATCH_BYTES
            && let Some(&index) = self.indexes.get(self.filled)
        {
            let slot = self.next();
            slot.read(store, index, heads_only, scratch);
            bytes += slot.game.weight();
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
                *slot = Slot::default();
            }
        }
        ControlFlow::Continue(())
    }
}

/// A thread that fills batches, and the two ends that lead to it.
struct Worker<'scope, T> {
    give: SyncSender<Batch<T>>,
    fetch: Receiver<Batch<T>>,
    thread: ScopedJoinHandle<'scope, ()>,
}

/// Batch k goes to worker k mod n and is fetched from there in turn: so the order is kept without
/// any bookkeeping. The number of batches that were given out marks the end.
fn by_number<T: Send>(
    store: &dyn GameStore,
    request: &Request,
    map: Map<'_, T>,
    take: Take<'_, T>,
) -> Result<()> {
    let heads_only = request.heads_only;
    let mut indexes = Indexes::new(request.selection.clone(), store.len());
    let mut refill = |mut batch: Batch<T>| {
        batch.indexes.clear();
        batch.indexes.extend(indexes.by_ref().take(BATCH));
        (!batch.indexes.is_empty()).then_some(batch)
    };
    thread::scope(|scope| {
        let start = |_| {
            let (give, work) = sync_channel::<Batch<T>>(AHEAD);
            let (done, fetch) = sync_channel::<Batch<T>>(AHEAD);
            let thread = scope.spawn(move || {
                let mut scratch = Scratch::new();
                for mut batch in work {
                    batch.fill(store, heads_only, &mut scratch);
                    batch.map(map);
                    if done.send(batch).is_err() {
                        break;
                    }
                }
            });
            Worker {
                give,
                fetch,
                thread,
            }
        };
        let workers: Vec<Worker<'_, T>> = (0..request.jobs).map(start).collect();
        let result = go_round(&workers, &mut refill, |batch| {
            batch.take(take)?;
            // What was too large to travel in the batch.
            let mut scratch = Scratch::new();
            let mut slot = Slot::default();
            for &index in batch.indexes.iter().skip(batch.filled) {
                slot.read(store, index, heads_only, &mut scratch);
                let made = map(&mut slot);
                take(&mut slot, made)?;
            }
            ControlFlow::Continue(())
        });
        let joined = workers.into_iter().map(|worker| {
            drop((worker.give, worker.fetch));
            join(worker.thread)
        });
        // All of them, so that none is left to panic at the end of the scope.
        let joined: Vec<Result<()>> = joined.collect();
        joined.into_iter().collect::<Result<()>>()?;
        // A thread that ended early without a panic: not to be, and not to pass for the end.
        result.map_err(|Ended| Problem::Panicked("it ended early".to_owned()).into())
    })
}

/// A thread ended that was still needed.
struct Ended;

/// Keeps every worker busy until there are no more games, or `visit` breaks.
fn go_round<T>(
    workers: &[Worker<'_, T>],
    refill: &mut dyn FnMut(Batch<T>) -> Option<Batch<T>>,
    mut visit: impl FnMut(&mut Batch<T>) -> ControlFlow<()>,
) -> Result<(), Ended> {
    let mut under_way = 0_usize;
    for worker in workers.iter().cycle().take(workers.len() * AHEAD) {
        let Some(batch) = refill(Batch::default()) else {
            break;
        };
        worker.give.send(batch).map_err(|_| Ended)?;
        under_way += 1;
    }
    for worker in workers.iter().cycle() {
        if under_way == 0 {
            break;
        }
        let mut batch = worker.fetch.recv().map_err(|_| Ended)?;
        under_way -= 1;
        if visit(&mut batch).is_break() {
            break;
        }
        if let Some(batch) = refill(batch) {
            worker.give.send(batch).map_err(|_| Ended)?;
            under_way += 1;
        }
    }
    Ok(())
}

/// What a thread that reads a stream hands on: games, and at the end how it ended.
struct Part<T> {
    batch: Batch<T>,
    end: Option<chessdb_core::Result<Vec<Diagnostic>>>,
}

/// One thread reads the stream while this one takes the games; `mappers` threads between them make
/// something of the games, or the taking one does.
fn one_after_another<T: Send>(
    stream: Box<dyn GameRead + Send + '_>,
    request: &Request,
    mappers: usize,
    map: Map<'_, T>,
    take: Take<'_, T>,
) -> Result<Vec<Diagnostic>> {
    thread::scope(|scope| {
        let (give_back, used) = sync_channel::<Batch<T>>(AHEAD * (mappers + 1) + 2);
        let mut threads = Vec::new();
        let (mut to, mut from) = (Vec::new(), Vec::new());
        for _ in 0..mappers.max(1) {
            let (send, receive) = sync_channel::<Part<T>>(AHEAD);
            to.push(send);
            from.push(receive);
        }
        if mappers > 0 {
            let between = from.drain(..).map(|work| {
                let (done, fetch) = sync_channel::<Part<T>>(AHEAD);
                threads.push(scope.spawn(move || {
                    for mut part in work {
                        part.batch.map(map);
                        if done.send(part).is_err() {
                            break;
                        }
                    }
                }));
                fetch
            });
            from = between.collect();
        }
        let mut reader = StreamReader {
            stream,
            indexes: StreamIndexes::new(request.selection.clone()),
            scratch: Scratch::new(),
        };
        threads.push(scope.spawn(move || {
            for worker in to.iter().cycle() {
                let mut batch = used.try_recv().unwrap_or_default();
                let end = reader.fill(&mut batch);
                let end = end.map(|end| end_of_stream(&mut *reader.stream, end));
                let last = end.is_some();
                if worker.send(Part { batch, end }).is_err() || last {
                    break;
                }
            }
        }));
        let mut result = Ok(Vec::new());
        for worker in from.iter().cycle() {
            let Ok(Part { mut batch, end }) = worker.recv() else {
                // The reader says when it is done: this is not the end.
                result = Err(Problem::Panicked("it ended early".to_owned()).into());
                break;
            };
            if mappers == 0 {
                batch.map(map);
            }
            if batch.take(take).is_break() {
                break;
            }
            if let Some(end) = end {
                result = end.map_err(Into::into);
                break;
            }
            // If there are batches enough, this one is dropped.
            let _ = give_back.try_send(batch);
        }
        drop((from, give_back));
        let joined: Vec<Result<()>> = threads.into_iter().map(join).collect();
        joined.into_iter().collect::<Result<()>>().and(result)
    })
}

struct StreamReader<'a> {
    stream: Box<dyn GameRead + Send + 'a>,
    indexes: StreamIndexes,
    scratch: Scratch,
}

impl StreamReader<'_> {
    /// Fills a batch; none if there may be more games.
    fn fill<T>(&mut self, batch: &mut Batch<T>) -> Option<chessdb_core::Result<()>> {
        batch.filled = 0;
        let mut bytes = 0;
        while batch.filled < BATCH && bytes < BATCH_BYTES {
            let index = match self.indexes.next(&mut *self.stream) {
                Ok(Some(index)) => index,
                Ok(None) => return Some(Ok(())),
                Err(error) => return Some(Err(error)),
            };
            let slot = batch.next();
            match slot.read_next(&mut *self.stream, index, &mut self.scratch) {
                Ok(true) => bytes += slot.game.weight(),
                end => {
                    batch.filled -= 1;
                    return Some(end.map(|_| ()));
                }
            }
        }
        None
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
#[path = "parallel_tests.rs"]
mod tests;
