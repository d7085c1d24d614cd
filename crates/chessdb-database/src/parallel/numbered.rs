//! Parallel reading of a store with random access.

use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, ScopedJoinHandle};

use chessdb_core::{GameStore, Scratch};
use chessdb_files::error::{Problem, Result};

use super::{AHEAD, BATCH, Batch, Map, Take, join};
use crate::reading::{CandidateScan, GameSlot, ScanRequest};

/// Maximum number of games that one thread judges at once.
const MAX_LOOKUPS: usize = 1 << 16;

/// A thread that fills batches, with the channels to and from it.
struct Worker<'scope, T> {
    give: SyncSender<Batch<T>>,
    fetch: Receiver<Batch<T>>,
    thread: ScopedJoinHandle<'scope, ()>,
}

/// Reads a store on several threads. Batch `k` goes to worker `k mod n` and is fetched from it in
/// turn, so the order is kept without bookkeeping. The number of batches in flight marks the end.
pub(super) fn by_number<T: Send>(
    store: &dyn GameStore,
    mut candidates: CandidateScan,
    request: &ScanRequest,
    map: Map<'_, T>,
    take: Take<'_, T>,
) -> Result<()> {
    if candidates.left() == 0 {
        return Ok(());
    }
    let is_selective = !request.selects_by_number();
    let mut max_games = BATCH;
    let mut refill = |mut batch: Batch<T>| {
        // As many games as should leave one batch to read, estimated from the previous batches.
        match batch.found.filter(|_| is_selective) {
            Some(few) if few < BATCH / 2 => max_games = (max_games * 2).min(MAX_LOOKUPS),
            Some(many) if many > BATCH * 2 => max_games = (max_games / 2).max(BATCH),
            _ => {}
        }
        let (mut games, mut blocks) = (0, Vec::new());
        while games < max_games
            && let Some(block) = candidates.next_block()
        {
            games += block.left();
            // No block of the index should belong to more batches than necessary.
            let is_end = block.ends_at_multiple_of(max_games as u32);
            blocks.push(block);
            if is_end {
                break;
            }
        }
        batch.candidates.put_ahead(blocks);
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
        let result = keep_busy(&workers, &mut refill, |batch| {
            batch.take(take)?;
            // Games that did not fit into the memory of the batch.
            let mut scratch = Scratch::new();
            let mut slot = GameSlot::default();
            while let Some(candidate) = batch.candidates.next(store, request) {
                if slot.read(store, candidate, request, &mut scratch) {
                    let made = map(&mut slot);
                    take(&mut slot, made)?;
                }
            }
            ControlFlow::Continue(())
        });
        let joined = workers.into_iter().map(|worker| {
            // A worker ends when its channels are closed; otherwise joining it would wait for ever.
            drop((worker.give, worker.fetch));
            join(worker.thread)
        });
        // Join all threads, so that none panics at the end of the scope.
        let joined: Vec<Result<()>> = joined.collect();
        joined.into_iter().collect::<Result<()>>()?;
        // A thread ended early without a panic. This should not happen, and must not be taken for
        // the end.
        result.map_err(|WorkerEnded| Problem::Panicked("it ended early".to_owned()).into())
    })
}

/// A thread that was still needed has ended.
struct WorkerEnded;

/// Keeps every worker busy until no games are left or `visit` breaks.
fn keep_busy<T>(
    workers: &[Worker<'_, T>],
    refill: &mut dyn FnMut(Batch<T>) -> Option<Batch<T>>,
    mut visit: impl FnMut(&mut Batch<T>) -> ControlFlow<()>,
) -> Result<(), WorkerEnded> {
    let mut in_flight = 0_usize;
    for worker in workers.iter().cycle().take(workers.len() * AHEAD) {
        let Some(batch) = refill(Batch::default()) else {
            break;
        };
        worker.give.send(batch).map_err(|_| WorkerEnded)?;
        in_flight += 1;
    }
    for worker in workers.iter().cycle() {
        if in_flight == 0 {
            break;
        }
        let mut batch = worker.fetch.recv().map_err(|_| WorkerEnded)?;
        in_flight -= 1;
        if visit(&mut batch).is_break() {
            break;
        }
        if let Some(batch) = refill(batch) {
            worker.give.send(batch).map_err(|_| WorkerEnded)?;
            in_flight += 1;
        }
    }
    Ok(())
}
