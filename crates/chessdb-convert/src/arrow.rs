//! Games of databases as Arrow record batches, for exchange with other programs.

use std::ops::{ControlFlow, Range};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::{fmt, thread};

use chessdb_arrow::arrow_array::{RecordBatch, RecordBatchReader};
use chessdb_arrow::arrow_schema::{ArrowError, SchemaRef};
pub use chessdb_arrow::{
    Batcher, Column, Columns, Packer, Rows, SCHEMA_VERSION, arrow_array, arrow_schema,
};
use chessdb_core::store::Origin;
use chessdb_query::Query;

use crate::convert::OnError;
pub use crate::parts::{frames, open_part};
use chessdb_database::{Database, Game, OpenOptions, SelectedIndexes, Selection};
use chessdb_files::error::Result;
use chessdb_files::paths::base_name;

/// Number of finished batches that each thread may hold.
const AHEAD: usize = 1;
/// Bytes of texts at which a batch ends early.
const BATCH_BYTES: usize = 16 << 20;

/// A source of games.
#[derive(Clone)]
pub enum BatchSource {
    /// An open database.
    Open(Arc<Database>, Selection),
    /// A database that is opened when its turn comes and closed afterwards.
    Path(PathBuf, OpenOptions, Selection),
    /// A byte range of a plain file with a format that can be read as a stream, or frames of PGN
    /// packed with Zstandard. The range begins with a game. Games are counted from there, and the
    /// column `base` contains the offset: `games.pgn@1048576`.
    Bytes(PathBuf, Range<u64>, OpenOptions),
}

/// Options for making batches.
#[derive(Clone, Debug)]
pub struct BatchOptions {
    /// The columns.
    pub columns: Columns,
    /// Maximum number of games in a batch.
    pub batch_size: usize,
    /// Number of reader threads; 0 is one per processor.
    pub threads: usize,
    /// How games that cannot be read are treated: kept as a row with the reason in the column
    /// `error`, left out, or an error that ends the table.
    pub on_error: OnError,
    /// Restricts the table to games that match.
    pub query: Option<Arc<Query>>,
}

impl Default for BatchOptions {
    fn default() -> BatchOptions {
        BatchOptions {
            columns: Columns::MOVES,
            batch_size: 16 << 10,
            threads: 0,
            on_error: OnError::Keep,
            query: None,
        }
    }
}

/// A message from a reader thread. The end is a message, too: a thread that stops without one has
/// failed.
enum Message {
    Batch(RecordBatch),
    Failed(String),
    End,
}

/// An iterator over batches in the order of the sources, made by threads that read ahead.
pub struct Batches {
    schema: SchemaRef,
    from: Option<Receiver<Message>>,
}

impl Batches {
    /// Starts reading.
    pub fn new(sources: Vec<BatchSource>, plan: BatchOptions) -> Batches {
        let schema = Arc::new(plan.columns.schema());
        Batches::spawn(schema, move |to| {
            for source in sources {
                let result = match source {
                    BatchSource::Open(db, selection) => {
                        let name = db.path().and_then(base_name);
                        read(&db, name, &selection, &plan, &to)
                    }
                    BatchSource::Path(path, options, selection) => {
                        let db = options.streaming(true).open(&path);
                        db.and_then(|db| {
                            let name = db.path().and_then(base_name);
                            read(&db, name, &selection, &plan, &to)
                        })
                    }
                    BatchSource::Bytes(path, range, options) => {
                        let name = base_name(&path).map(|name| format!("{name}@{}", range.start));
                        let db = open_part(&path, &range, &options);
                        db.and_then(|db| read(&db, name, &Selection::all(), &plan, &to))
                    }
                };
                match result {
                    Ok(true) => {}
                    // The receiver is gone.
                    Ok(false) => return,
                    Err(error) => {
                        let _ = to.send(Message::Failed(error.to_string()));
                        return;
                    }
                }
            }
            let _ = to.send(Message::End);
        })
    }

    /// Returns a table with a reader that fails immediately, for tests of code that passes tables
    /// on. It must produce an error, not an empty table.
    #[doc(hidden)]
    pub fn broken() -> Batches {
        Batches::spawn(Arc::new(Columns::MOVES.schema()), drop)
    }

    fn spawn(
        schema: SchemaRef,
        work: impl FnOnce(SyncSender<Message>) + Send + 'static,
    ) -> Batches {
        let (to, from) = sync_channel(AHEAD);
        thread::spawn(move || work(to));
        Batches {
            schema,
            from: Some(from),
        }
    }
}

impl Iterator for Batches {
    type Item = std::result::Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let from = self.from.as_ref()?;
        let failed = match from.recv() {
            Ok(Message::Batch(batch)) => return Some(Ok(batch)),
            Ok(Message::End) => {
                self.from = None;
                return None;
            }
            Ok(Message::Failed(message)) => message,
            Err(_) => "internal error: a reader thread ended early".to_owned(),
        };
        // Nothing follows an error; the closed channel also ends the reader threads.
        self.from = None;
        Some(Err(ArrowError::ComputeError(failed)))
    }
}

impl RecordBatchReader for Batches {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

impl fmt::Debug for Batches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batches").finish_non_exhaustive()
    }
}

/// Reads one database; returns false if reading should stop: the receiver is gone or a failure was
/// sent.
fn read(
    db: &Database,
    name: Option<String>,
    selection: &Selection,
    plan: &BatchOptions,
    to: &SyncSender<Message>,
) -> Result<bool> {
    let name = name.as_deref();
    match db.len() {
        Ok(len) => match matching(db, selection, plan)? {
            Some(matching) => Ok(by_number(db, &matching, len, plan, name, to)),
            None => Ok(by_number(db, selection, len, plan, name, to)),
        },
        Err(_) => read_stream(db, selection, plan, name, to),
    }
}

/// Returns the games of a selection that match the query; `None` without a query. Games that cannot
/// be read are included, as they might match.
fn matching(
    db: &Database,
    selection: &Selection,
    plan: &BatchOptions,
) -> Result<Option<Selection>> {
    if let Some(query) = &plan.query {
        let mut numbers = Vec::new();
        let scan = db
            .scan()
            .select(selection.clone())
            .filter(Arc::clone(query));
        let scan = scan.headers().jobs(plan.threads);
        scan.map_in_order(
            |game, _| game.number(),
            |number| {
                numbers.push(number);
                ControlFlow::Continue(())
            },
        )?;
        return Ok(Some(Selection::in_order(numbers)));
    }
    Ok(None)
}

/// Collects games until they fill a batch.
struct BatchCollector<'p> {
    batcher: Batcher,
    weight: usize,
    plan: &'p BatchOptions,
    base: Option<&'p str>,
}

impl<'p> BatchCollector<'p> {
    fn new(plan: &'p BatchOptions, base: Option<&'p str>) -> BatchCollector<'p> {
        BatchCollector {
            batcher: Batcher::new(plan.columns),
            weight: 0,
            plan,
            base,
        }
    }

    /// Adds a game; returns a batch when it is full, or a failure.
    fn take(&mut self, game: &Game, read: Result<()>) -> Option<Message> {
        let error = read.err();
        let fault = match &error {
            Some(error) => Some(error.problem().to_string()),
            None => game.fault(),
        };
        match (self.plan.on_error, &fault, error) {
            (OnError::Skip, Some(_), _) => return None,
            (OnError::Stop, _, Some(error)) => return Some(Message::Failed(error.to_string())),
            (OnError::Stop, Some(message), None) => {
                return Some(Message::Failed(format!(
                    "game {}: {message}",
                    game.number()
                )));
            }
            _ => {}
        }
        self.batcher.take(game);
        let origin = Origin::new(game.number()).of_base(self.base);
        self.batcher.append(origin.with_fault(fault.as_deref()));
        self.weight += self.batcher.weight();
        let full = self.batcher.len() >= self.plan.batch_size.max(1);
        // Games with long comments would otherwise make batches of gigabytes.
        (full || self.weight >= BATCH_BYTES).then(|| self.finish())
    }

    fn finish(&mut self) -> Message {
        self.weight = 0;
        match self.batcher.finish() {
            Ok(batch) => Message::Batch(batch),
            Err(error) => Message::Failed(error.to_string()),
        }
    }
}

/// Reads a store on several threads. Thread `k` makes the batches `k`, `k + n` and so on, taken in
/// turn.
fn by_number(
    db: &Database,
    selection: &Selection,
    len: u32,
    plan: &BatchOptions,
    base: Option<&str>,
    to: &SyncSender<Message>,
) -> bool {
    let size = plan.batch_size.max(1);
    let batches = (selection.count_in(len) as usize).div_ceil(size);
    let threads = chessdb_database::threads(plan.threads).clamp(1, batches.max(1));
    thread::scope(|scope| {
        let start = |worker: usize| {
            let (give, take) = sync_channel::<Message>(AHEAD);
            scope.spawn(move || {
                // A panic ends the thread without a message, which its reader notices.
                let _ = catch_unwind(AssertUnwindSafe(|| {
                    let mut collector = BatchCollector::new(plan, base);
                    let mut game = Game::new();
                    let indexes = SelectedIndexes::new(selection.clone(), len);
                    for (n, index) in indexes.enumerate() {
                        // Every thread visits all indexes, so the batches need no list of games to
                        // divide.
                        if n / size % threads != worker {
                            continue;
                        }
                        let read = if plan.columns.are_of_headers() {
                            db.header_into(index, &mut game)
                        } else {
                            db.game_into(index, &mut game)
                        };
                        if let Some(message) = collector.take(&game, read)
                            && give.send(message).is_err()
                        {
                            return;
                        }
                        if n % size == size - 1 {
                            // The next batch of this thread comes after the other threads' batches.
                            if !collector.batcher.is_empty()
                                && give.send(collector.finish()).is_err()
                            {
                                return;
                            }
                            // The calling thread takes one batch from each thread in turn, and this
                            // marks its end.
                            if give.send(Message::End).is_err() {
                                return;
                            }
                        }
                    }
                    if !collector.batcher.is_empty() {
                        let _ = give.send(collector.finish());
                    }
                    let _ = give.send(Message::End);
                }));
            });
            take
        };
        let workers: Vec<Receiver<Message>> = (0..threads).map(start).collect();
        for worker in workers.iter().cycle().take(batches) {
            loop {
                let message = worker.recv();
                let message = match message {
                    Ok(Message::End) => break,
                    Ok(message) => message,
                    Err(_) => {
                        Message::Failed("internal error: a reader thread ended early".to_owned())
                    }
                };
                let failed = matches!(message, Message::Failed(_));
                if to.send(message).is_err() || failed {
                    return false;
                }
            }
        }
        true
    })
}

fn read_stream(
    db: &Database,
    selection: &Selection,
    plan: &BatchOptions,
    base: Option<&str>,
    to: &SyncSender<Message>,
) -> Result<bool> {
    let mut collector = BatchCollector::new(plan, base);
    let mut continues = true;
    let mut scan = db.scan().select(selection.clone());
    if let Some(query) = &plan.query {
        scan = scan.filter(Arc::clone(query));
    }
    if plan.threads > 0 {
        scan = scan.jobs(plan.threads);
    }
    scan.for_each(|game, read| {
        if let Some(message) = collector.take(game, read) {
            let failed = matches!(message, Message::Failed(_));
            continues = to.send(message).is_ok() && !failed;
        }
        if continues { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    if continues && !collector.batcher.is_empty() {
        continues = to.send(collector.finish()).is_ok();
    }
    Ok(continues)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn database(games: usize) -> Arc<Database> {
        let mut text = String::new();
        for n in 0..games {
            text.push_str(&format!("[White \"{n}\"]\n\n1. e4 e5 {{{n}}} *\n\n"));
        }
        let db = Database::options().open_files([("games.pgn", text.into_bytes())]);
        Arc::new(db.unwrap())
    }

    fn rows(batches: Batches) -> std::result::Result<Vec<String>, ArrowError> {
        let mut names = Vec::new();
        for batch in batches {
            let rows = Rows::new(&batch?);
            for row in 0..rows.len() {
                let mut pgn = Vec::new();
                rows.append_pgn(row, &mut pgn);
                let pgn = String::from_utf8(pgn).unwrap();
                let white = pgn.split("[White \"").nth(1).unwrap();
                names.push(white.split('"').next().unwrap().to_owned());
            }
        }
        Ok(names)
    }

    #[test]
    fn batches_are_in_order_with_any_number_of_threads() {
        for games in [0, 1, 7, 8, 9, 50] {
            let expected: Vec<String> = (0..games).map(|n| n.to_string()).collect();
            for threads in [1, 2, 5] {
                let source = BatchSource::Open(database(games), Selection::default());
                let plan = BatchOptions {
                    batch_size: 4,
                    threads,
                    ..BatchOptions::default()
                };
                assert_eq!(rows(Batches::new(vec![source], plan)).unwrap(), expected);
            }
        }
    }

    #[test]
    fn a_thread_that_dies_is_an_error_and_not_the_end() {
        let schema = Arc::new(Columns::MOVES.schema());
        let mut batches = Batches::spawn(schema, |_| {});
        assert!(batches.next().is_some_and(|batch| batch.is_err()));
        assert!(batches.next().is_none());
    }

    #[test]
    fn only_games_that_were_asked_for() {
        let selection: Selection = "2-3,9".parse().unwrap();
        let source = BatchSource::Open(database(20), selection);
        let plan = BatchOptions {
            batch_size: 2,
            threads: 2,
            ..BatchOptions::default()
        };
        assert_eq!(
            rows(Batches::new(vec![source], plan)).unwrap(),
            ["1", "2", "8"]
        );
    }
}
