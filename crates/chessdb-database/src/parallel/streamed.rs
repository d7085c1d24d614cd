//! Parallel reading of a stream.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::mpsc::{Sender, channel};
use std::thread;

use chessdb_core::store::Portion;
use chessdb_core::{Diagnostic, GameRead, Scratch};
use chessdb_files::error::{Problem, Result};

use super::{AHEAD, BATCH, BATCH_BYTES, Batch, Map, Take, join};
use crate::reading::{ScanRequest, StreamItem, end_of_stream, skip};

/// A message from a reader thread.
#[expect(
    clippy::large_enum_variant,
    reason = "nearly every message is a batch, which is moved once"
)]
enum WorkerMessage<T> {
    /// The batch with this number, from this worker. The last batch also has the result of the
    /// whole stream.
    Batch(
        u64,
        usize,
        Batch<T>,
        Option<chessdb_core::Result<Vec<Diagnostic>>>,
    ),
    /// The thread panicked.
    Panicked,
}

/// Sends a message if the thread panics.
struct PanicGuard<T>(Sender<WorkerMessage<T>>);

impl<T> Drop for PanicGuard<T> {
    fn drop(&mut self) {
        if thread::panicking() {
            let _ = self.0.send(WorkerMessage::Panicked);
        }
    }
}

/// Reads a stream on several threads. The threads take turns cutting portions of games off the
/// stream and decode them in parallel; the calling thread restores the order. A thread cuts only
/// with an empty batch available, so the number of batches is fixed even if one thread is slow.
pub(super) fn by_portion<T: Send>(
    stream: Box<dyn GameRead + Send + '_>,
    request: &ScanRequest,
    map: Map<'_, T>,
    take: Take<'_, T>,
) -> Result<Vec<Diagnostic>> {
    let cutter = Mutex::new(PortionCutter {
        stream,
        request,
        next: 0,
        batches: 0,
        ended: false,
    });
    thread::scope(|scope| {
        let (sender, receiver) = channel::<WorkerMessage<T>>();
        let mut give_back = Vec::new();
        let mut threads = Vec::new();
        for worker in 0..request.jobs.max(1) {
            let (give, used) = channel::<Batch<T>>();
            for _ in 0..AHEAD {
                let _ = give.send(Batch::default());
            }
            give_back.push(give);
            // Other workers keep the channel open, so a thread that panics must report it.
            let witness = PanicGuard(sender.clone());
            let cutter = &cutter;
            threads.push(scope.spawn(move || {
                let mut scratch = Scratch::new();
                for mut batch in used {
                    let Some(cut) = cut(cutter, &mut batch, &mut scratch) else {
                        break;
                    };
                    batch.read(cut.games, cut.first, request, &mut scratch);
                    batch.map(map);
                    let message = WorkerMessage::Batch(cut.number, worker, batch, cut.end);
                    if witness.0.send(message).is_err() {
                        break;
                    }
                }
            }));
        }
        drop(sender);
        let mut early = BTreeMap::new();
        let mut due = 0;
        // The last batch reports the end. That no thread sends anything more does not mean the end
        // was reached.
        let mut result = Err(Problem::Panicked("it ended early".to_owned()).into());
        'all: for message in receiver {
            match message {
                WorkerMessage::Batch(number, worker, batch, end) => {
                    early.insert(number, (worker, batch, end));
                }
                WorkerMessage::Panicked => break,
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
        // Workers that wait for an empty batch end only when these channels are closed.
        drop((give_back, early));
        let joined: Vec<Result<()>> = threads.into_iter().map(join).collect();
        joined.into_iter().collect::<Result<()>>().and(result)
    })
}

/// A stream that portions are cut off.
struct PortionCutter<'a> {
    stream: Box<dyn GameRead + Send + 'a>,
    request: &'a ScanRequest,
    /// The index of the next game.
    next: u32,
    /// Number of batches begun.
    batches: u64,
    /// Whether one of them is the last.
    ended: bool,
}

/// The part of a batch that is still to be decoded.
struct PendingBatch {
    number: u64,
    games: Option<Portion>,
    /// The index of the first of these games.
    first: u32,
    end: Option<chessdb_core::Result<Vec<Diagnostic>>>,
}

/// Begins a batch; `None` if no games are left. Games that cannot be cut off as a portion are read
/// immediately.
fn cut<T>(
    cutter: &Mutex<PortionCutter<'_>>,
    batch: &mut Batch<T>,
    scratch: &mut Scratch,
) -> Option<PendingBatch> {
    // Poisoned if another thread panicked, which that thread reports.
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
    Some(PendingBatch {
        number,
        games,
        first,
        end,
    })
}

impl PortionCutter<'_> {
    /// Returns a portion that can be decoded on its own. Games before it, up to a batch, are read
    /// immediately.
    fn cut<T>(
        &mut self,
        batch: &mut Batch<T>,
        scratch: &mut Scratch,
    ) -> chessdb_core::Result<Option<Portion>> {
        batch.filled = 0;
        let mut bytes = 0;
        while batch.filled < BATCH && bytes < BATCH_BYTES {
            if self.next >= self.request.selection.last() {
                self.ended = true;
                return Ok(None);
            }
            if let Some(games) = self.stream.cut()? {
                return Ok(Some(games));
            }
            let index = self.next;
            self.next += 1;
            let next = if self.request.selection.contains(self.next) {
                let slot = batch.next();
                let read = slot.read_next(&mut *self.stream, index, self.request, scratch);
                match read {
                    Ok(StreamItem::Game) => bytes += slot.game.weight(),
                    _ => batch.filled -= 1,
                }
                read?
            } else {
                StreamItem::of_skip(skip(&mut *self.stream)?)
            };
            if next == StreamItem::End {
                self.ended = true;
                return Ok(None);
            }
        }
        Ok(None)
    }
}
