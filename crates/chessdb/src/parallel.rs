//! Reading with several threads. Games come out in the order of the base whatever their number.
//!
//! Batches of games go round: filled (and made something of) by one thread, taken in order by the
//! calling one, and given back, so that their memory is used again. A thread that ends before it was
//! told to, or before it said that it is done, has panicked: that is an error, never the end of the
//! games.

use std::any::Any;
use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{self, ScopedJoinHandle};

use chessdb_core::{Diagnostic, GameRead, GameStore, Portion, Scratch};

use crate::error::{Problem, Result};
use crate::scan::{
    Candidate, Desk, Look, Next, Request, Slot, Source, Visit, Wanted, alone, end_of_stream, skip,
};

/// Games that go from thread to thread at once.
const BATCH: usize = 64;

/// Games of which one thread asks an index at once, where most are left out and of the others little is read.
const ASKED: usize = 1024;

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
    let map: Map<'_, ()> = &|slot| slot.prepare(request);
    match source {
        Source::Store(store) => {
            let mut wanted = Wanted::new(&request.choice, store);
            let (mut desk, mut look) = (Desk::default(), Look::default());
            let (most, most_asked) = alone(request);
            let (mut read, mut asked) = (0, 0);
            while read < most && asked < most_asked {
                let Some(run) = wanted.next_run() else {
                    return Ok(Vec::new());
                };
                asked += run.len();
                look.at(run, store, &request.choice);
                read += look.left();
                if desk.read(store, &mut look, request, visit).is_break() {
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
    request: &Request,
    map: Map<'_, T>,
    take: &mut dyn FnMut(T) -> ControlFlow<()>,
) -> Result<Vec<Diagnostic>> {
    let take: Take<'_, T> = &mut |_, made| take(made);
    match source {
        Source::Store(store) => {
            let wanted = Wanted::new(&request.choice, store);
            by_number(store, wanted, request, map, take).map(|()| Vec::new())
        }
        Source::Stream(stream) => by_portion(stream, request, map, take),
    }
}

/// Games on their way; the memory goes back and forth.
struct Batch<T> {
    /// Their places in the base, of up to 64 together; how many of these were looked at, and the last of them.
    runs: Vec<Range<u32>>,
    looked: usize,
    look: Look,
    /// The games read so far, by position; those beyond `filled` are left from earlier use.
    slots: Vec<Slot>,
    filled: usize,
    /// What was made of those that are filled.
    made: Vec<T>,
}

impl<T> Default for Batch<T> {
    fn default() -> Batch<T> {
        Batch {
            runs: Vec::new(),
            looked: 0,
            look: Look::default(),
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

    /// The next of its games that may be wanted.
    fn next_candidate(&mut self, store: &dyn GameStore, request: &Request) -> Option<Candidate> {
        loop {
            if let Some(candidate) = self.look.next() {
                return Some(candidate);
            }
            let run = self.runs.get(self.looked)?.clone();
            self.looked += 1;
            self.look.at(run, store, &request.choice);
        }
    }

    /// Reads its games, or as many as may lie in memory.
    fn fill(&mut self, store: &dyn GameStore, request: &Request, scratch: &mut Scratch) {
        (self.filled, self.looked) = (0, 0);
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
        request: &Request,
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
    mut wanted: Wanted,
    request: &Request,
    map: Map<'_, T>,
    take: Take<'_, T>,
) -> Result<()> {
    if wanted.left() == 0 {
        return Ok(());
    }
    let most = match request.heads_only && !request.choice.selects_by_number() {
        true => ASKED,
        false => BATCH,
    };
    let mut refill = |mut batch: Batch<T>| {
        batch.runs.clear();
        let mut games = 0;
        while games < most
            && let Some(run) = wanted.next_run()
        {
            games += run.len();
            batch.runs.push(run);
        }
        (games > 0).then_some(batch)
    };
    thread::scope(|scope| {
        let start = |_| {
            let (give, work) = sync_channel::<Batch<T>>(AHEAD);
            let (done, fetch) = sync_channel::<Batch<T>>(AHEAD);
            let thread = scope.spawn(move || {
                let mut scratch = Scratch::new();
                for mut batch in work {
                    batch.fill(store, request, &mut scratch);
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
            while let Some(candidate) = batch.next_candidate(store, request) {
                if slot.read(store, candidate, request, &mut scratch) {
                    let made = map(&mut slot);
                    take(&mut slot, made)?;
                }
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

/// What a thread that reads a stream says.
enum Said<T> {
    /// Its batch is the one with this number; a batch may be the last, which says how the stream
    /// ended.
    Batch(
        u64,
        usize,
        Batch<T>,
        Option<chessdb_core::Result<Vec<Diagnostic>>>,
    ),
    /// It panicked.
    Panicked,
}

/// Says that a thread panicked, when it does.
struct Witness<T>(Sender<Said<T>>);

impl<T> Drop for Witness<T> {
    fn drop(&mut self) {
        if thread::panicking() {
            let _ = self.0.send(Said::Panicked);
        }
    }
}

/// Threads take turns in cutting games off the stream, and read what they cut, all at once; this one
/// puts what they read in order. A thread cuts only with an empty batch at hand, so that however far
/// they are ahead of the slowest, there are never more batches than at the beginning.
fn by_portion<T: Send>(
    stream: Box<dyn GameRead + Send + '_>,
    request: &Request,
    map: Map<'_, T>,
    take: Take<'_, T>,
) -> Result<Vec<Diagnostic>> {
    let cutter = Mutex::new(Cutter {
        stream,
        request,
        next: 0,
        batches: 0,
        ended: false,
    });
    thread::scope(|scope| {
        let (say, hear) = channel::<Said<T>>();
        let mut give_back = Vec::new();
        let mut threads = Vec::new();
        for worker in 0..request.jobs.max(1) {
            let (give, used) = channel::<Batch<T>>();
            for _ in 0..AHEAD {
                let _ = give.send(Batch::default());
            }
            give_back.push(give);
            let witness = Witness(say.clone());
            let cutter = &cutter;
            threads.push(scope.spawn(move || {
                let mut scratch = Scratch::new();
                for mut batch in used {
                    let Some(cut) = cut(cutter, &mut batch, &mut scratch) else {
                        break;
                    };
                    batch.read(cut.games, cut.first, request, &mut scratch);
                    batch.map(map);
                    let said = Said::Batch(cut.number, worker, batch, cut.end);
                    if witness.0.send(said).is_err() {
                        break;
                    }
                }
            }));
        }
        drop(say);
        let mut early = BTreeMap::new();
        let mut due = 0;
        // The last batch says when it is done: that no thread says anything more is not the end.
        let mut result = Err(Problem::Panicked("it ended early".to_owned()).into());
        'all: for said in hear {
            match said {
                Said::Batch(number, worker, batch, end) => {
                    early.insert(number, (worker, batch, end));
                }
                Said::Panicked => break,
            }
            while let Some((worker, mut batch, end)) = early.remove(&due) {
                due += 1;
                if batch.take(take).is_break() {
                    result = Ok(Vec::new());
                    break 'all;
                }
                if let Some(end) = end {
                    result = end.map_err(Into::into);
                    break 'all;
                }
                if let Some(give) = give_back.get(worker) {
                    let _ = give.send(batch);
                }
            }
        }
        drop((give_back, early));
        let joined: Vec<Result<()>> = threads.into_iter().map(join).collect();
        joined.into_iter().collect::<Result<()>>().and(result)
    })
}

/// A stream of which games are cut off.
struct Cutter<'a> {
    stream: Box<dyn GameRead + Send + 'a>,
    request: &'a Request,
    /// The place of the next game.
    next: u32,
    /// How many batches have been begun.
    batches: u64,
    /// Whether one of them is the last.
    ended: bool,
}

/// What is still to be read of a batch.
struct Cut {
    number: u64,
    games: Option<Portion>,
    /// The place of the first of these.
    first: u32,
    end: Option<chessdb_core::Result<Vec<Diagnostic>>>,
}

/// Begins a batch; none if there is nothing left. What cannot be cut off is read at once.
fn cut<T>(cutter: &Mutex<Cutter<'_>>, batch: &mut Batch<T>, scratch: &mut Scratch) -> Option<Cut> {
    // Poisoned if another thread panicked, which that one says.
    let mut cutter = cutter.lock().ok()?;
    if cutter.ended {
        return None;
    }
    let (games, end) = match cutter.cut(batch, scratch) {
        Ok(Some(games)) => (Some(games), None),
        Ok(None) if cutter.ended => (None, Some(Ok(()))),
        Ok(None) => (None, None),
        Err(error) => (None, Some(Err(error))),
    };
    let first = cutter.next;
    cutter.next = first.saturating_add(games.as_ref().map_or(0, |games| games.len));
    let number = cutter.batches;
    cutter.batches += 1;
    cutter.ended = end.is_some();
    let end = end.map(|end| end_of_stream(&mut *cutter.stream, end));
    Some(Cut {
        number,
        games,
        first,
        end,
    })
}

impl Cutter<'_> {
    /// Games that another may read; those before them, up to a batch of them, are read here.
    fn cut<T>(
        &mut self,
        batch: &mut Batch<T>,
        scratch: &mut Scratch,
    ) -> chessdb_core::Result<Option<Portion>> {
        batch.filled = 0;
        let mut bytes = 0;
        while batch.filled < BATCH && bytes < BATCH_BYTES {
            if self.next >= self.request.choice.selection.last() {
                self.ended = true;
                return Ok(None);
            }
            if let Some(games) = self.stream.cut()? {
                return Ok(Some(games));
            }
            let index = self.next;
            self.next += 1;
            let next = if self.request.choice.selection.contains(self.next) {
                let slot = batch.next();
                let read = slot.read_next(&mut *self.stream, index, self.request, scratch);
                match read {
                    Ok(Next::Game) => bytes += slot.game.weight(),
                    _ => batch.filled -= 1,
                }
                read?
            } else {
                Next::of_skip(skip(&mut *self.stream)?)
            };
            if next == Next::End {
                self.ended = true;
                return Ok(None);
            }
        }
        Ok(None)
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
