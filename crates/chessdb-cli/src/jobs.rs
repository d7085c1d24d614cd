//! Reading with several threads. Games come out in the order of the base whatever their number.

use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use chessdb::convert::{Executor, Games, InOrder, Item, StreamNumbers, Task, Visit, end_of_stream};
use chessdb::{Diagnostic, GameRead, GameStore, Result, Scratch};

/// Games that go from thread to thread at once.
const BATCH: usize = 64;

/// Batches that are on their way per thread.
const AHEAD: usize = 2;

/// A batch is handed on early when its games take about this many bytes, so that a base of huge
/// games costs no more memory than one of small ones.
const BATCH_BYTES: usize = 4 << 20;

/// Reads with this many threads beside the one that takes the games.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Threads(usize);

impl Threads {
    /// As many as asked for, or one per processor.
    pub(crate) fn new(jobs: Option<u16>) -> Threads {
        let default = || thread::available_parallelism().map_or(1, usize::from);
        Threads(jobs.map_or_else(default, usize::from))
    }
}

impl Executor for Threads {
    fn run(
        &mut self,
        games: Games<'_>,
        task: &Task,
        visit: &mut Visit<'_>,
    ) -> Result<Vec<Diagnostic>> {
        match games {
            games if self.0 <= 1 => InOrder.run(games, task, visit),
            Games::Store(store) => {
                parallel(store, task, self.0, visit);
                Ok(Vec::new())
            }
            Games::Stream(stream) => pipelined(stream, task, visit),
        }
    }
}

/// Games on their way; the memory goes back and forth.
#[derive(Default)]
struct Batch {
    /// Their numbers.
    numbers: Vec<u32>,
    /// The games read so far, by position; those beyond `filled` are left from earlier use.
    items: Vec<Item>,
    filled: usize,
}

impl Batch {
    /// Makes room for one more game.
    fn next(&mut self) -> &mut Item {
        if self.filled == self.items.len() {
            self.items.push(Item::default());
        }
        self.filled += 1;
        #[expect(
            clippy::indexing_slicing,
            reason = "pushed just now if it was not there"
        )]
        &mut self.items[self.filled - 1]
    }

    /// Reads the games of `numbers`, or as many as may lie in memory.
    fn fill(&mut self, store: &dyn GameStore, task: &Task, scratch: &mut Scratch) {
        self.filled = 0;
        let mut bytes = 0;
        while bytes < BATCH_BYTES
            && let Some(&number) = self.numbers.get(self.filled)
        {
            let item = self.next();
            item.read(store, number, task.heads_only, scratch);
            bytes += weight(item);
        }
    }

    /// Hands out the games read; gives huge ones' memory back.
    fn visit(&mut self, visit: &mut Visit<'_>) -> ControlFlow<()> {
        for item in self.items.iter_mut().take(self.filled) {
            visit(item)?;
            if weight(item) > BATCH_BYTES / BATCH {
                *item = Item::default();
            }
        }
        ControlFlow::Continue(())
    }
}

/// Roughly the bytes that a game takes.
fn weight(item: &Item) -> usize {
    item.game.moves.len() * 4 + item.game.texts.bytes_used()
}

/// A worker's two ends: batches to fill, batches filled.
type Ends = (SyncSender<Batch>, Receiver<Batch>);

/// Batch k goes to worker k mod n and is fetched from there in turn: so the order is kept without
/// any bookkeeping.
fn parallel(store: &dyn GameStore, task: &Task, jobs: usize, visit: &mut Visit<'_>) {
    let mut numbers = task.selection.numbers_in(store.len());
    let mut refill = |mut batch: Batch| {
        batch.numbers.clear();
        batch.numbers.extend(numbers.by_ref().take(BATCH));
        (!batch.numbers.is_empty()).then_some(batch)
    };
    thread::scope(|scope| {
        let start = |_| -> Ends {
            let (to_worker, work) = sync_channel::<Batch>(AHEAD);
            let (done, from_worker) = sync_channel::<Batch>(AHEAD);
            scope.spawn(move || {
                let mut scratch = Scratch::new();
                for mut batch in work {
                    batch.fill(store, task, &mut scratch);
                    if done.send(batch).is_err() {
                        break;
                    }
                }
            });
            (to_worker, from_worker)
        };
        // Dropped at the end of this closure, which ends the workers.
        let workers: Vec<Ends> = (0..jobs).map(start).collect();
        let mut under_way = 0_usize;
        for (to_worker, _) in workers.iter().cycle().take(jobs * AHEAD) {
            let Some(batch) = refill(Batch::default()) else {
                break;
            };
            under_way += usize::from(to_worker.send(batch).is_ok());
        }
        let mut scratch = Scratch::new();
        let mut item = Item::default();
        for (to_worker, from_worker) in workers.iter().cycle() {
            if under_way == 0 {
                return;
            }
            let Ok(mut batch) = from_worker.recv() else {
                return;
            };
            under_way -= 1;
            if batch.visit(visit).is_break() {
                return;
            }
            // What was too large to travel in the batch.
            for &number in batch.numbers.iter().skip(batch.filled) {
                item.read(store, number, task.heads_only, &mut scratch);
                if visit(&mut item).is_break() {
                    return;
                }
            }
            if let Some(batch) = refill(batch) {
                under_way += usize::from(to_worker.send(batch).is_ok());
            }
        }
    });
}

/// One thread reads the stream while this one takes the games.
fn pipelined(
    stream: Box<dyn GameRead + Send + '_>,
    task: &Task,
    visit: &mut Visit<'_>,
) -> Result<Vec<Diagnostic>> {
    thread::scope(|scope| {
        let (send, batches) = sync_channel::<(Batch, Option<Result<Vec<Diagnostic>>>)>(AHEAD);
        let (give_back, used) = sync_channel::<Batch>(AHEAD + 2);
        scope.spawn(move || {
            let mut reader = StreamReader {
                stream,
                numbers: StreamNumbers::new(&task.selection),
                scratch: Scratch::new(),
            };
            loop {
                let mut batch = used.try_recv().unwrap_or_default();
                let end = reader.fill(&mut batch);
                let end = end.map(|end| end_of_stream(&mut *reader.stream, end));
                let last = end.is_some();
                if send.send((batch, end)).is_err() || last {
                    break;
                }
            }
        });
        for (mut batch, end) in batches {
            if batch.visit(visit).is_break() {
                return Ok(Vec::new());
            }
            if let Some(end) = end {
                return end;
            }
            // If there are batches enough, this one is dropped.
            let _ = give_back.try_send(batch);
        }
        Ok(Vec::new())
    })
}

struct StreamReader<'a> {
    stream: Box<dyn GameRead + Send + 'a>,
    numbers: StreamNumbers<'a>,
    scratch: Scratch,
}

impl StreamReader<'_> {
    /// Fills a batch; none if there may be more games.
    fn fill(&mut self, batch: &mut Batch) -> Option<Result<()>> {
        batch.filled = 0;
        let mut bytes = 0;
        while batch.filled < BATCH && bytes < BATCH_BYTES {
            let number = match self.numbers.next(&mut *self.stream) {
                Ok(Some(number)) => number,
                Ok(None) => return Some(Ok(())),
                Err(error) => return Some(Err(error)),
            };
            let item = batch.next();
            match item.read_next(&mut *self.stream, number, &mut self.scratch) {
                Ok(true) => bytes += weight(item),
                end => {
                    batch.filled -= 1;
                    return Some(end.map(|_| ()));
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use chessdb::convert::Selection;
    use chessdb::{BaseInfo, ErrorKind, Game, Severity};

    use super::*;

    /// Games that know their number; every 100th is unreadable, every 70th is huge.
    struct Counting {
        len: u32,
        base: BaseInfo,
        next: u32,
        breaks_at: u32,
        /// Whether the system is to blame, not the bytes.
        disk_fails: bool,
    }

    fn counting(len: u32) -> Counting {
        Counting {
            len,
            base: BaseInfo::default(),
            next: 0,
            breaks_at: u32::MAX,
            disk_fails: false,
        }
    }

    impl GameStore for Counting {
        fn len(&self) -> u32 {
            self.len
        }
        fn base(&self) -> &BaseInfo {
            &self.base
        }
        fn diagnostics(&self) -> &[Diagnostic] {
            &[]
        }
        fn head_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
            self.game_into(n, game, scratch)
        }
        fn game_into(&self, n: u32, game: &mut Game, _: &mut Scratch) -> Result<()> {
            game.clear();
            game.head.white.fide_id = Some(n + 1);
            if n % 70 == 69 {
                game.add_text(&"x".repeat(BATCH_BYTES));
            }
            if n % 100 == 99 {
                Err(ErrorKind::Structure("unreadable").into())
            } else {
                Ok(())
            }
        }
    }

    impl GameRead for Counting {
        fn read_into(&mut self, game: &mut Game, scratch: &mut Scratch) -> Result<bool> {
            if self.next == self.len {
                return Ok(false);
            }
            if self.next == self.breaks_at {
                return Err(match self.disk_fails {
                    true => std::io::Error::from_raw_os_error(5).into(),
                    false => std::io::Error::other("damaged").into(),
                });
            }
            self.next += 1;
            self.game_into(self.next - 1, game, scratch).map(|()| true)
        }
        fn skip_game(&mut self) -> Result<bool> {
            self.next += 1;
            Ok(self.next <= self.len)
        }
    }

    /// What an executor hands out: numbers, and whether the game could be read.
    fn seen(
        executor: &mut dyn Executor,
        games: Games<'_>,
        list: &str,
        most: usize,
    ) -> Vec<(u32, bool)> {
        let task = Task {
            selection: list.parse().unwrap(),
            heads_only: false,
        };
        let mut seen = Vec::new();
        executor
            .run(games, &task, &mut |item| {
                assert_eq!(item.game.head.white.fide_id, Some(item.number));
                seen.push((item.number, item.error.is_none()));
                if seen.len() == most {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            })
            .unwrap();
        seen
    }

    #[test]
    fn order_and_content_do_not_depend_on_the_number_of_threads() {
        let len = 1000;
        let store = counting(len);
        for list in ["1-", "1", "2-3,500-700,999-2000", "1001-"] {
            for most in [usize::MAX, 1, 65, 200] {
                let expected = seen(&mut InOrder, Games::Store(&store), list, most);
                for jobs in [1, 2, 3, 16] {
                    let mut threads = Threads::new(Some(jobs));
                    let stored = seen(&mut threads, Games::Store(&store), list, most);
                    assert_eq!(stored, expected, "{jobs} threads, {list}, {most}");
                    let stream = Games::Stream(Box::new(counting(len)));
                    let streamed = seen(&mut threads, stream, list, most);
                    assert_eq!(streamed, expected, "{jobs} threads, stream, {list}, {most}");
                }
            }
        }
        let all: Selection = "1-".parse().unwrap();
        assert_eq!(all.count_in(len), len);
    }

    #[test]
    fn a_stream_that_breaks_gives_what_came_before() {
        for (jobs, disk) in [(1, true), (4, true), (1, false), (4, false)] {
            let mut stream = counting(1000);
            stream.breaks_at = 321;
            stream.disk_fails = disk;
            let mut count = 0;
            let games = Games::Stream(Box::new(stream));
            let result = Threads::new(Some(jobs)).run(games, &Task::default(), &mut |_| {
                count += 1;
                ControlFlow::Continue(())
            });
            match result {
                Err(_) => assert!(disk),
                Ok(found) => assert!(!disk && found[0].severity == Severity::Lost),
            }
            assert_eq!(count, 321);
        }
    }
}
