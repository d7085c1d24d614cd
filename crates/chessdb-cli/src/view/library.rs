//! The databases of the command line, opened for each page.

use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;

use chessdb::convert::{Editor, GameEdits, Report};
use chessdb::fs::LastChange;
use chessdb::{Database, Error, Problem};
use chessdb_web::{DatabaseSource, OfferedDatabase, Session};

use crate::args::InputOptions;
use crate::input;
use crate::inputs::InputDatabase;

/// The number of pieces of a new database that are buffered before the writer waits for the page.
const BUFFERED_PIECES: usize = 4;

/// The databases, and how to read them.
pub(super) struct Library {
    bases: Vec<InputDatabase>,
    input_options: InputOptions,
    /// The only database, opened before the browser is started.
    opened: Mutex<Option<Database>>,
}

impl Library {
    /// Opens a single database at once, so that an error is reported here and not in the browser.
    pub(super) fn new(
        bases: Vec<InputDatabase>,
        input_options: InputOptions,
    ) -> Result<Library, Error> {
        let opened = match bases.as_slice() {
            [only] => Some(open(&only.path, &input_options, None, false)?),
            _ => None,
        };
        Ok(Library {
            bases,
            input_options,
            opened: Mutex::new(opened),
        })
    }
}

fn open(
    path: &Path,
    input_options: &InputOptions,
    encoding: Option<&str>,
    salvage: bool,
) -> Result<Database, Error> {
    let database = input::find(path, input_options)?;
    let mut options = input::options(input_options).salvage(salvage).index(true);
    if let Some(charset) = encoding {
        options = options.encoding(charset);
    }
    let db = options.open_found(database)?;
    input::report_index(&db);
    Ok(db)
}

/// The view of one page on the library.
struct LibrarySource(Arc<Library>);

impl DatabaseSource for LibrarySource {
    fn bases(&self) -> Vec<OfferedDatabase> {
        let bases = self.0.bases.iter();
        let offered = bases.map(|base| OfferedDatabase {
            // The page shows folders with slashes on every system.
            name: base.below.to_string_lossy().replace('\\', "/"),
            format: None,
            size: None,
        });
        offered.collect()
    }

    fn open(
        &mut self,
        number: usize,
        encoding: Option<&str>,
        salvage: bool,
    ) -> Result<Database, Error> {
        let opened = &self.0.opened;
        let opened = opened.lock().unwrap_or_else(PoisonError::into_inner).take();
        // The database opened at the start has no special options, and serves the first page that
        // needs none.
        if let (Some(base), None, false) = (opened, encoding, salvage) {
            return Ok(base);
        }
        let none = Path::new("");
        let path = self.0.bases.get(number).map_or(none, |base| &base.path);
        open(path, &self.0.input_options, encoding, salvage)
    }

    fn stores(&self) -> bool {
        true
    }

    fn store(&mut self, number: usize, db: &Database, edits: &GameEdits) -> Result<Report, Error> {
        let path = self.path(number)?;
        let input_options = &self.0.input_options;
        if let Some(file) = input::find(path, input_options)?.read_only_file() {
            let refused = std::io::Error::from(std::io::ErrorKind::PermissionDenied);
            return Err(Error::new(file, Problem::Io(refused)).while_writing());
        }
        let options = input::options(input_options);
        let options = match input_options.from {
            Some(format) => options.format(format),
            None => options,
        };
        // The user may have chosen another encoding in the page.
        let options = match db.reading().charset {
            Some(charset) => options.encoding(charset.name()),
            None => options,
        };
        let mut editor = Editor::open(path, options)?;
        // The page shows the games as they were when it opened the database.
        if db.snapshot().is_some_and(|read| read.changed().is_some()) {
            return Err(Error::new(path, Problem::Changed));
        }
        editor.record("edit in `chessdb view`", edits.len());
        editor.save(edits, &mut ())
    }

    fn undo(&mut self, number: usize) -> Result<LastChange, Error> {
        chessdb::fs::undo_last(self.path(number)?)
    }
}

impl LibrarySource {
    fn path(&self, number: usize) -> Result<&Path, Error> {
        let base = self.0.bases.get(number);
        let base = base.ok_or_else(|| Error::from(Problem::NotFound))?;
        Ok(&base.path)
    }
}

/// A request of a page to its session.
pub(super) enum SessionJob {
    /// A request, and the channel for the answer.
    Call(String, SyncSender<String>),
    /// A request to write a database, and the channel for its pieces.
    Save(String, SyncSender<Vec<u8>>),
}

/// Starts a session in a separate thread. It ends when all senders are dropped.
pub(super) fn session(library: &Arc<Library>) -> mpsc::Sender<SessionJob> {
    let (sender, jobs) = mpsc::channel();
    let library = Arc::clone(library);
    thread::spawn(move || run_session(library, jobs));
    sender
}

/// Returns a channel that buffers a few pieces.
pub(super) fn piece_channel() -> (SyncSender<Vec<u8>>, Receiver<Vec<u8>>) {
    mpsc::sync_channel(BUFFERED_PIECES)
}

fn run_session(library: Arc<Library>, jobs: Receiver<SessionJob>) {
    let mut session = Session::with_source(Box::new(LibrarySource(library)));
    for job in jobs {
        match job {
            SessionJob::Call(request, to) => {
                // The requester may be gone.
                let _ = to.send(session.call(&request));
            }
            SessionJob::Save(request, to) => {
                let mut pieces = PieceSender {
                    to,
                    is_wanted: true,
                };
                let answer = session.save(&request, &mut pieces);
                pieces.send("[\"done\"]", answer.as_bytes());
            }
        }
    }
}

/// A stream of the file operations of a new database. Each item is: the length of the JSON (four
/// bytes, little-endian), the length of the data (four bytes, little-endian), a JSON array, the
/// data.
struct PieceSender {
    to: SyncSender<Vec<u8>>,
    is_wanted: bool,
}

impl PieceSender {
    fn send(&mut self, words: &str, bytes: &[u8]) {
        let mut piece = Vec::with_capacity(8 + words.len() + bytes.len());
        for length in [words.len(), bytes.len()] {
            piece.extend_from_slice(&(length as u32).to_le_bytes());
        }
        piece.extend_from_slice(words.as_bytes());
        piece.extend_from_slice(bytes);
        self.is_wanted &= self.to.send(piece).is_ok();
    }
}

impl chessdb_web::Receiver for PieceSender {
    fn create(&mut self, suffix: &str) {
        self.send(&format!("[\"create\",\"{suffix}\"]"), &[]);
    }

    fn write(&mut self, file: u32, bytes: &[u8]) {
        self.send(&format!("[\"write\",{file}]"), bytes);
    }

    fn patch(&mut self, file: u32, offset: u64, bytes: &[u8]) {
        self.send(&format!("[\"patch\",{file},{offset}]"), bytes);
    }

    fn progress(&mut self, games: u64, lost: u64) -> bool {
        self.send(&format!("[\"progress\",{games},{lost}]"), &[]);
        self.is_wanted
    }
}
