//! A table of the positions of databases, sorted by key, by merging sorted runs that fit into
//! memory.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use chessdb_core::Severity;
use chessdb_core::files::FileSink;
use chessdb_files::error::{Error, Problem, Result};
use chessdb_files::filesystem::{DirSink, create_files};
use chessdb_files::paths::{base_name, folder_of};
use chessdb_parquet::{PARQUET_FILE, PositionRow, PositionTableWriter};

use crate::{Database, Game, Selection};

/// Number of entries in a run, which takes 48 MB of memory.
const RUN_ENTRIES: usize = 2 << 20;
/// Number of runs that are merged at once, and the bytes read ahead of each.
const MAX_MERGED_RUNS: usize = 256;
const READ_AHEAD: usize = 64 << 10;
/// Number of entries written at once.
const BATCH_ENTRIES: usize = 8 << 10;

/// Collects the positions of the mainlines of databases and writes them to a Parquet file, sorted
/// by key. Memory use is bounded: entries that do not fit are kept in an unnamed temporary file
/// next to the target, 23 bytes per position.
///
/// ```no_run
/// # fn main() -> Result<(), chessdb::Error> {
/// let db = chessdb::Database::open("games.si4")?;
/// let mut table = chessdb::fs::Positions::create("positions.parquet", false)?;
/// table.add(&db, &chessdb::Selection::all(), 0, |_| std::ops::ControlFlow::Continue(()))?;
/// println!("{} positions", table.finish()?);
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Positions {
    path: PathBuf,
    sink: DirSink,
    bases: Vec<String>,
    places: Vec<PositionRow>,
    /// Number of entries in a run, and number of runs merged at once.
    bounds: (usize, usize),
    runs: Option<Runs>,
}

impl Positions {
    /// Prepares to write the table; no file is visible before [`Positions::finish`].
    ///
    /// # Errors
    ///
    /// Returns an error if the file exists and `replace` is false, or if no file can be created at
    /// the path.
    pub fn create(path: impl AsRef<Path>, replace: bool) -> Result<Positions> {
        Positions::with(path.as_ref(), replace, (RUN_ENTRIES, MAX_MERGED_RUNS))
    }

    fn with(path: &Path, replace: bool, bounds: (usize, usize)) -> Result<Positions> {
        let sink = create_files(path, &[PARQUET_FILE], replace, None);
        Ok(Positions {
            path: path.to_owned(),
            sink: sink.map_err(Error::while_writing)?,
            bases: Vec::new(),
            places: Vec::new(),
            bounds,
            runs: None,
        })
    }

    /// Adds the mainlines of games of a database; of an unreadable game, the readable part. `jobs`
    /// is the number of threads, 0 for one per processor. `progress` is called regularly with the
    /// number of games done and can interrupt. Returns the number of games, and the number of games
    /// and other parts that could not be read completely.
    ///
    /// # Errors
    ///
    /// Returns an error if the database cannot be read as a whole, if a file cannot be written, or
    /// if `progress` interrupts.
    pub fn add(
        &mut self,
        db: &Database,
        games: &Selection,
        jobs: usize,
        mut progress: impl FnMut(u32) -> ControlFlow<()>,
    ) -> Result<(u32, u32)> {
        let base = u32::try_from(self.bases.len()).unwrap_or(u32::MAX);
        let name = db.path().and_then(base_name);
        self.bases.push(name.unwrap_or_default());
        let (mut done, mut damaged) = (0, 0);
        let mut failed = None;
        // Lists of entries are reused.
        let idle = Mutex::new(Vec::new());
        let idle = || idle.lock().unwrap_or_else(PoisonError::into_inner);
        let places = |game: &mut Game, read: Result<()>| {
            let is_damaged = read.is_err() || game.is_damaged();
            let mut places: Vec<PositionRow> = idle().pop().unwrap_or_default();
            PositionRow::append(game, base, game.number(), &mut places);
            (places, is_damaged)
        };
        let scan = db.scan().select(games.clone()).jobs(jobs);
        let diagnostics = scan.map_in_order(
            places,
            |(mut places, is_damaged): (Vec<PositionRow>, bool)| {
                done += 1;
                damaged += u32::from(is_damaged);
                let taken = self.take(&places);
                places.clear();
                idle().push(places);
                if let Err(error) = taken {
                    failed = Some(Error::new(&self.path, error).while_writing());
                } else if done % 512 == 0 && progress(done).is_break() {
                    failed = Some(Error::from(Problem::Interrupted));
                }
                match failed {
                    Some(_) => ControlFlow::Break(()),
                    None => ControlFlow::Continue(()),
                }
            },
        )?;
        match failed {
            Some(error) => Err(error),
            None => {
                let lost = diagnostics
                    .iter()
                    .filter(|diagnostic| diagnostic.severity == Severity::Lost);
                Ok((
                    done,
                    damaged + u32::try_from(lost.count()).unwrap_or(u32::MAX),
                ))
            }
        }
    }

    fn take(&mut self, places: &[PositionRow]) -> io::Result<()> {
        let (mut rest, (max_entries, _)) = (places, self.bounds);
        while !rest.is_empty() {
            // At least one entry is added, so the loop ends whatever the bounds are.
            let room = max_entries.saturating_sub(self.places.len()).max(1);
            let (now, later) = rest.split_at(room.min(rest.len()));
            self.places.extend_from_slice(now);
            rest = later;
            if self.places.len() >= max_entries {
                self.places.sort_unstable();
                let runs = match &mut self.runs {
                    Some(runs) => runs,
                    none => none.insert(Runs::new(&self.path)?),
                };
                runs.add(self.places.iter().copied().map(Ok))?;
                self.places.clear();
            }
        }
        Ok(())
    }

    /// Sorts the positions, writes the table and returns the number of positions.
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be written.
    pub fn finish(mut self) -> Result<u64> {
        let path = self.path.clone();
        self.write()
            .map_err(|error| Error::new(&path, error).while_writing())
    }

    fn write(&mut self) -> std::result::Result<u64, Problem> {
        self.places.sort_unstable();
        let mut writer = PositionTableWriter::new(std::mem::take(&mut self.bases))?;
        let file = self.sink.create(PARQUET_FILE)?;
        let sink = &mut self.sink;
        let (mut batch, mut ready, mut rows) = (Vec::new(), Vec::new(), 0);
        let mut write = |batch: &mut Vec<PositionRow>| -> std::result::Result<(), Problem> {
            rows += batch.len() as u64;
            writer.write(batch, &mut ready)?;
            batch.clear();
            sink.write(file, &ready)?;
            ready.clear();
            Ok(())
        };
        let mut take = |place: PositionRow| -> std::result::Result<(), Problem> {
            batch.push(place);
            if batch.len() >= BATCH_ENTRIES { write(&mut batch) } else { Ok(()) }
        };
        match self.runs.take() {
            None => self.places.iter().try_for_each(|&place| take(place))?,
            Some(mut runs) => {
                runs.add(std::mem::take(&mut self.places).into_iter().map(Ok))?;
                let mut runs = runs.merge_down_to(&self.path, self.bounds.1)?;
                let all = std::mem::take(&mut runs.runs);
                runs.merged(&all)?.try_for_each(|place| take(place?))?;
            }
        }
        if !batch.is_empty() {
            write(&mut batch)?;
        }
        writer.finish(&mut ready)?;
        self.sink.write(file, &ready)?;
        self.sink.commit()?;
        Ok(rows)
    }
}

/// Sorted runs, one after another in an unnamed temporary file.
#[derive(Debug)]
struct Runs {
    file: File,
    /// The range of each run in the file.
    runs: Vec<Range<u64>>,
}

impl Runs {
    fn new(target: &Path) -> io::Result<Runs> {
        Ok(Runs {
            file: tempfile::tempfile_in(folder_of(target))?,
            runs: Vec::new(),
        })
    }

    /// Appends a run.
    fn add(&mut self, places: impl Iterator<Item = io::Result<PositionRow>>) -> io::Result<()> {
        let start = self.runs.last().map_or(0, |run| run.end);
        self.file.seek(SeekFrom::Start(start))?;
        let mut out = BufWriter::with_capacity(READ_AHEAD, &mut self.file);
        let mut end = start;
        for place in places {
            out.write_all(&place?.to_bytes())?;
            end += PositionRow::BYTES as u64;
        }
        out.flush()?;
        self.runs.push(start..end);
        Ok(())
    }

    /// Merges runs until no more than `limit` are left.
    fn merge_down_to(mut self, target: &Path, limit: usize) -> io::Result<Runs> {
        // A merge reads all its runs at once, each with a buffer.
        while self.runs.len() > limit {
            let mut merged = Runs::new(target)?;
            for some in std::mem::take(&mut self.runs).chunks(limit) {
                merged.add(self.merged(some)?)?;
            }
            self = merged;
        }
        Ok(self)
    }

    /// Returns the entries of these runs in order.
    fn merged(&mut self, runs: &[Range<u64>]) -> io::Result<MergedRuns<'_>> {
        let mut merged = MergedRuns {
            file: &mut self.file,
            readers: runs.iter().cloned().map(RunReader::new).collect(),
            next: BinaryHeap::new(),
        };
        (0..runs.len()).try_for_each(|run| merged.advance(run))?;
        Ok(merged)
    }
}

struct MergedRuns<'f> {
    file: &'f mut File,
    readers: Vec<RunReader>,
    /// The next entry of each run that has one.
    next: BinaryHeap<Reverse<(PositionRow, usize)>>,
}

impl MergedRuns<'_> {
    /// Reads the next entry of a run.
    fn advance(&mut self, run: usize) -> io::Result<()> {
        if let Some(reader) = self.readers.get_mut(run)
            && let Some(place) = reader.next(self.file)?
        {
            self.next.push(Reverse((place, run)));
        }
        Ok(())
    }
}

impl Iterator for MergedRuns<'_> {
    type Item = io::Result<PositionRow>;

    fn next(&mut self) -> Option<io::Result<PositionRow>> {
        let Reverse((place, run)) = self.next.pop()?;
        Some(self.advance(run).map(|()| place))
    }
}

struct RunReader {
    /// The part that is not in the buffer yet.
    unread: Range<u64>,
    buffer: Vec<u8>,
    used: usize,
}

impl RunReader {
    fn new(unread: Range<u64>) -> RunReader {
        RunReader {
            unread,
            buffer: Vec::new(),
            used: 0,
        }
    }

    fn next(&mut self, file: &mut File) -> io::Result<Option<PositionRow>> {
        if self.used == self.buffer.len() {
            let whole = READ_AHEAD / PositionRow::BYTES * PositionRow::BYTES;
            let length = (self.unread.end - self.unread.start).min(whole as u64);
            self.buffer.resize(length as usize, 0);
            self.used = 0;
            file.seek(SeekFrom::Start(self.unread.start))?;
            file.read_exact(&mut self.buffer)?;
            self.unread.start += length;
        }
        let rest = self.buffer.get(self.used..).unwrap_or_default();
        let place = rest.first_chunk().map(PositionRow::from_bytes);
        self.used += place.map_or(0, |_| PositionRow::BYTES);
        Ok(place)
    }
}

#[cfg(test)]
#[cfg(feature = "pgn")]
mod tests {
    use super::*;

    fn database(games: u32) -> Database {
        let mut text = String::new();
        for n in 0..games {
            let moves = ["1. e4 e5 2. Nf3", "1. d4 d5", "1. Nf3 d5 2. d4", ""];
            let moves = moves[n as usize % 4];
            text.push_str(&format!("[White \"{n}\"]\n\n{moves} 1/2-1/2\n\n"));
        }
        Database::options()
            .open_files([("games.pgn", text.into_bytes())])
            .unwrap()
    }

    #[test]
    fn the_table_does_not_depend_on_the_size_of_runs() {
        let folder = tempfile::tempdir().unwrap();
        let db = database(400);
        let tables = [
            (1 << 20, 256),
            (1200, 256),
            (100, 256),
            (100, 2),
            (7, 3),
            (1, 50),
        ];
        let mut first: Option<Vec<u8>> = None;
        for (n, bounds) in tables.into_iter().enumerate() {
            let path = folder.path().join(format!("{n}.parquet"));
            let mut table = Positions::with(&path, false, bounds).unwrap();
            for jobs in [1, 2] {
                let games = table.add(&db, &Selection::all(), jobs, |_| ControlFlow::Continue(()));
                assert_eq!(games.unwrap(), (400, 0));
            }
            assert!(!path.exists());
            // The four games have 4, 3, 4 and 1 positions, all added twice.
            assert_eq!(table.finish().unwrap(), 2 * 100 * 12);
            let bytes = std::fs::read(&path).unwrap();
            assert_eq!(
                &bytes,
                first.get_or_insert_with(|| bytes.clone()),
                "{bounds:?}"
            );
        }
        let existing = Positions::create(folder.path().join("0.parquet"), false);
        assert!(existing.is_err());
        // Only the tables exist.
        assert_eq!(
            std::fs::read_dir(folder.path()).unwrap().count(),
            tables.len()
        );
    }

    #[test]
    fn who_asks_how_far_it_is_may_end_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("positions.parquet");
        let mut table = Positions::create(&path, false).unwrap();
        let ended = table.add(&database(5000), &Selection::all(), 1, |_| {
            ControlFlow::Break(())
        });
        assert!(ended.unwrap_err().is_interrupted());
        drop(table);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
