//! Games of a stream, which come one after another.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::mpsc::{Sender, channel};
use std::thread;

use chessdb_core::{Diagnostic, GameRead, Portion, Scratch};

use super::{AHEAD, BATCH, BATCH_BYTES, Batch, Map, Take, join};
use crate::error::{Problem, Result};
use crate::scan::{Next, ScanRequest, end_of_stream, skip};

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
pub(super) fn by_portion<T: Send>(
    stream: Box<dyn GameRead + Send + '_>,
    request: &ScanRequest,
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
    request: &'a ScanRequest,
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
