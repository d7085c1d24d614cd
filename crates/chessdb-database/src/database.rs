//! An open database of any format and its games.

mod charset;
mod editing;
mod fields;
mod options;
mod searching;
mod tree_lines;

use std::fmt;
use std::io::Read;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use chessdb_core::guiding::GuidingText;
use chessdb_core::salvage::Salvaged;
use chessdb_core::store::{Remark, UnusedSpace};
use chessdb_core::text::CharsetGuess;
use chessdb_core::{BaseInfo, Diagnostic, Format, MemorySet, ReadOptions};
use chessdb_files::error::{Error, Problem, Result};
use chessdb_files::files::Files;
use chessdb_files::packed::{Progress, Stream};
use chessdb_formats::reading_for;
use chessdb_owned::{OwnedStore, SharedFiles};

use crate::edits::EditedStore;
use crate::game::Game;
use crate::reading::Source;

use charset::Guess;
pub(crate) use charset::has_ascii_comments;
pub use charset::{header_sampling_step, sample_games, texts_of};
pub use fields::{TextField, each_text};
pub use options::OpenOptions;
pub(crate) use tree_lines::add_read;

use fields::{CharsetOverride, Fields};

/// A chess database of any format. It owns its files and can be kept, shared and sent to other
/// threads.
///
/// Most databases give access to games by number. One that can only be read as a stream (from a
/// pipe, packed, or PGN of more than 1 GiB without an index) yields its games in order; access by
/// number returns an error that states why.
///
/// ```
/// use chessdb::Database;
///
/// # fn main() -> Result<(), chessdb::Error> {
/// let pgn = &b"[White \"Legal\"]\n[Black \"Saint Brie\"]\n\n1. e4 e5 2. Nf3 1-0\n"[..];
/// let db = Database::options().open_files([("legal.pgn", pgn)])?;
/// assert_eq!(db.format().id, "pgn");
/// for game in db.games() {
///     let game = game?;
///     println!("{}: {} tokens", game.number(), game.moves.len());
/// }
/// # Ok(()) }
/// ```
pub struct Database {
    format: &'static Format,
    content: DatabaseContent,
    options: ReadOptions,
    /// Text fields with a charset set by the caller.
    fields: Fields,
    /// The guessed charset; for a stream that can be read only once, set when it is read.
    guess: OnceLock<Guess>,
    jobs: usize,
    progress: Progress,
    recoveries: Vec<chessdb_files::recovery::Recovery>,
    /// The index file of the database.
    index: crate::index::OpenFile<crate::index::Index>,
    tree: crate::tree_index::LazyTree,
}

enum DatabaseContent {
    /// Games by number.
    Store(Arc<Files>, EditedStore),
    /// Games in order, from a file that can be opened again.
    File(chessdb_files::filesystem::FoundDatabase),
    /// Games in order, readable only once.
    Once(Mutex<Option<Stream<'static>>>),
}

impl Database {
    /// Opens the database at a path: any of its files, the stem they share, or a folder or zip
    /// archive that contains one; also packed with gzip or Zstandard. The format is detected from
    /// the content.
    ///
    /// # Errors
    ///
    /// [`Error::is_not_found`], [`Error::is_not_recognised`], and the errors of the format.
    pub fn open(path: impl AsRef<Path>) -> Result<Database> {
        Database::options().open(path)
    }

    /// Opens files in memory by role; [`OpenOptions::open_files`] takes files by name.
    ///
    /// # Errors
    ///
    /// [`Error::is_not_recognised`], and the errors of the format.
    pub fn from_files(files: MemorySet) -> Result<Database> {
        Database::options().open_set(files)
    }

    /// Reads games from a stream, once, in the first format that supports streams.
    ///
    /// # Errors
    ///
    /// [`Error::is_not_recognised`].
    pub fn from_reader(input: impl Read + Send + 'static) -> Result<Database> {
        Database::options().from_reader(input)
    }

    /// Returns the default options for opening a database.
    pub fn options() -> OpenOptions {
        OpenOptions::default()
    }

    /// Returns the path as it was given, or the path of the file that was found.
    pub fn path(&self) -> Option<&Path> {
        match &self.content {
            DatabaseContent::Store(files, _) => files.path(),
            DatabaseContent::File(file) => Some(file.path()),
            DatabaseContent::Once(_) => None,
        }
    }

    /// Returns the format.
    pub fn format(&self) -> &'static Format {
        self.format
    }

    /// Returns the number of games.
    ///
    /// # Errors
    ///
    /// Returns an error if the database is a stream, where the number of games is known only at the
    /// end.
    pub fn len(&self) -> Result<u32> {
        Ok(self.store()?.len())
    }

    /// Returns the number of games, reading through a file that is a stream. `None` if the stream
    /// can be read only once or not to its end.
    pub fn count(&self) -> Option<u64> {
        match &self.content {
            DatabaseContent::Store(..) => self.len().ok().map(u64::from),
            DatabaseContent::File(file) if !file.is_pipe() => {
                // A counter of its own, because counting is not the progress of reading.
                let input = file.input(&Progress::default()).ok()?;
                let Source::Stream(mut games) = self.stream(input, self.options.clone()).ok()?
                else {
                    return None;
                };
                let mut count = 0;
                while games.skip_game().ok()? {
                    count += 1;
                }
                Some(count)
            }
            _ => None,
        }
    }

    /// Returns whether the database has no games.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Database::len`].
    pub fn is_empty(&self) -> Result<bool> {
        Ok(self.len()? == 0)
    }

    /// Returns whether games are available only in order, so that [`Database::game`] fails.
    pub fn is_stream(&self) -> bool {
        !matches!(self.content, DatabaseContent::Store(..))
    }

    /// Returns whether the database was opened in strict mode, where deviations from the format are
    /// errors.
    pub fn is_strict(&self) -> bool {
        self.options.mode == chessdb_core::options::Mode::Strict
    }

    /// Returns the data that belongs to no single game: title, description, name tables. Empty for
    /// a stream.
    pub fn info(&self) -> &BaseInfo {
        static NONE: std::sync::LazyLock<BaseInfo> = std::sync::LazyLock::new(BaseInfo::default);
        match &self.content {
            DatabaseContent::Store(_, store) => store.store().base(),
            _ => &NONE,
        }
    }

    /// Returns the problems found on opening that concern the database as a whole.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        match &self.content {
            DatabaseContent::Store(_, store) => store.store().diagnostics(),
            _ => &[],
        }
    }

    /// Returns facts about the database as a whole, for people. Computing them may read every game.
    pub fn remarks(&self) -> Vec<Remark> {
        match &self.content {
            DatabaseContent::Store(_, store) => store.store().remarks(),
            _ => Vec::new(),
        }
    }

    /// Returns the parts of the files that no game needs; `None` if the format has no such parts.
    /// Computing them may read the whole index.
    pub fn unused(&self) -> Option<UnusedSpace> {
        match &self.content {
            DatabaseContent::Store(_, store) => store.store().unused(),
            _ => None,
        }
    }

    /// Returns how each game was found, if the database was opened with [`OpenOptions::salvage`]
    /// and its format can search its bytes for games.
    pub fn salvaged(&self) -> Option<&Salvaged> {
        match &self.content {
            DatabaseContent::Store(_, store) => store.store().details().salvaged,
            _ => None,
        }
    }

    /// Returns how earlier interrupted writes of this database were resolved.
    pub fn recoveries(&self) -> &[chessdb_files::recovery::Recovery] {
        &self.recoveries
    }

    /// Returns the state of the files on disk before the first was read; `None` if they are not on
    /// disk.
    pub fn snapshot(&self) -> Option<&chessdb_files::snapshot::Snapshot> {
        match &self.content {
            DatabaseContent::Store(files, _) => Some(files.snapshot()),
            DatabaseContent::File(file) => Some(file.snapshot()),
            DatabaseContent::Once(_) => None,
        }
    }

    /// Returns the files if they are in memory.
    pub fn files(&self) -> Option<&Files> {
        match &self.content {
            DatabaseContent::Store(files, _) => Some(files),
            _ => None,
        }
    }

    /// Returns the size in bytes of the file that a stream is read from, if known.
    pub fn stream_size(&self) -> Option<u64> {
        match &self.content {
            DatabaseContent::File(file) => file.size(),
            _ => None,
        }
    }

    /// Returns the progress of reading a stream.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Reads game `index`, counted from 0.
    ///
    /// # Errors
    ///
    /// Returns an error if the database is a stream or has fewer games, or if the game cannot be
    /// read.
    pub fn game(&self, index: u32) -> Result<Game> {
        let mut game = Game::new();
        self.game_into(index, &mut game)?;
        Ok(game)
    }

    /// Reads game `index`, counted from 0, without its moves.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Database::game`].
    pub fn header(&self, index: u32) -> Result<Game> {
        let mut game = Game::new();
        self.fill(index, &mut game, true)?;
        Ok(game)
    }

    /// Reads the header of game `index`, counted from 0, into `game`.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Database::game`].
    pub fn header_into(&self, index: u32, game: &mut Game) -> Result<()> {
        self.fill(index, game, true)
    }

    /// Reads game `index`, counted from 0, into `game`.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Database::game`].
    pub fn game_into(&self, index: u32, game: &mut Game) -> Result<()> {
        self.fill(index, game, false)
    }

    /// Returns the charset guessed from the texts, if the files do not declare one and the caller
    /// set none. `None` if all sampled text is ASCII. For a stream that can be read only once, such
    /// as a pipe, it is known once the first game has been read.
    pub fn charset(&self) -> Option<&CharsetGuess> {
        self.guess.get()?.guess.as_deref()
    }

    /// Returns the texts stored in the database outside its games, such as ChessBase's guiding
    /// texts. No other format can store them; a conversion counts each as lost.
    pub fn guiding_texts(&self) -> Vec<GuidingText> {
        let texts = self.format.texts;
        texts.map_or_else(Vec::new, |texts| texts(self.info(), self.reading()))
    }

    /// Returns the options for reading games.
    pub fn reading(&self) -> &ReadOptions {
        &self.options
    }

    pub(crate) fn jobs(&self) -> usize {
        crate::parallel::threads(self.jobs)
    }

    /// Returns the games, from the first.
    pub(crate) fn source(&self) -> Result<Source<'_>> {
        self.source_with(self.options.clone())
    }

    fn source_with(&self, options: ReadOptions) -> Result<Source<'_>> {
        match &self.content {
            DatabaseContent::Store(_, store) => Ok(Source::Store(store.store())),
            DatabaseContent::File(file) => self.stream(file.input(&self.progress)?, options),
            DatabaseContent::Once(input) => {
                let mut input = input.lock().unwrap_or_else(PoisonError::into_inner);
                // A pipe cannot be read again.
                self.stream(input.take().ok_or(Problem::AlreadyRead)?, options)
            }
        }
    }

    /// Returns the games of a stream; guesses the charset from its beginning if it can be read only
    /// once.
    fn stream(&self, input: Stream<'static>, mut options: ReadOptions) -> Result<Source<'_>> {
        let stream = self.format.stream.ok_or(Problem::NotStreamable)?;
        let mut input = input;
        if options.charset.is_none() {
            let guess = match self.guess.get() {
                Some(guess) => guess,
                None => {
                    let (guess, same) = Guess::of_stream_start(input, self.format, &self.fields);
                    input = same;
                    // Another thread may have guessed meanwhile; all readers must use the same
                    // guess.
                    self.guess.get_or_init(|| guess)
                }
            };
            options.guess.clone_from(&guess.guess);
        }
        let stream = stream(input, options)?;
        Ok(Source::Stream(if self.fields.is_empty() {
            stream
        } else {
            Box::new(CharsetOverride::stream(stream, self.fields.clone()))
        }))
    }

    /// Opens the files again with [`OpenOptions::checking`]; `None` for a stream.
    ///
    /// # Errors
    ///
    /// Returns the errors of the format.
    pub fn opened_for_checking(&self) -> Result<Option<Database>> {
        let DatabaseContent::Store(files, edits) = &self.content else {
            return Ok(None);
        };
        let mut options = self.options.clone();
        options.check = true;
        // A check relies on nothing.
        (options.known_intact, options.known_dense) = (false, false);
        let shared: SharedFiles = Arc::clone(files) as SharedFiles;
        let store = open_with_charsets(shared, self.format, options.clone(), &self.fields);
        let store = store.map_err(|error| Error::from(error).with_path(self.path()))?;
        Ok(Some(Database {
            format: self.format,
            content: DatabaseContent::Store(
                Arc::clone(files),
                EditedStore::new(store, edits.edits().clone()),
            ),
            options,
            fields: self.fields.clone(),
            guess: self.guess.clone(),
            jobs: self.jobs,
            progress: self.progress.clone(),
            recoveries: Vec::new(),
            // An index describes games that are read with the standard options.
            index: crate::index::OpenFile::default(),
            tree: crate::tree_index::LazyTree::default(),
        }))
    }

    /// Opens the files again with the read options that `target` needs; `None` if the options of
    /// this database already match.
    pub fn opened_for(&self, target: &Format) -> Result<Option<EditedStore>> {
        let options = reading_for(target, self.options.clone());
        match &self.content {
            // Opening again is only worth it if the target needs games that are read differently.
            DatabaseContent::Store(files, edited)
                if options.preserve_comment_whitespace
                    != self.options.preserve_comment_whitespace =>
            {
                let shared: SharedFiles = Arc::clone(files) as SharedFiles;
                let store = open_with_charsets(shared, self.format, options, &self.fields);
                let store = store.map_err(|error| Error::from(error).with_path(self.path()))?;
                Ok(Some(EditedStore::new(store, edited.edits().clone())))
            }
            _ => Ok(None),
        }
    }

    /// Returns the games, from the first, with the read options that `target` needs; `store` is
    /// from [`Database::opened_for`].
    pub fn games_for<'a>(
        &'a self,
        target: &Format,
        store: Option<&'a EditedStore>,
    ) -> Result<Source<'a>> {
        match store {
            Some(store) => Ok(Source::Store(store.store())),
            None => self.source_with(reading_for(target, self.options.clone())),
        }
    }

    /// Returns the games by number; an error if the database can only be read as a stream.
    pub fn store(&self) -> Result<&dyn chessdb_core::GameStore> {
        match &self.content {
            DatabaseContent::Store(_, store) => Ok(store.store()),
            _ => Err(Error::from(Problem::NoRandomAccess).with_path(self.path())),
        }
    }

    fn fill(&self, index: u32, game: &mut Game, headers_only: bool) -> Result<()> {
        let result = game.read(self.store()?, index, headers_only);
        result.map_err(|error| Error::from(error).with_path(self.path()))
    }
}

/// Opens a store and applies the charsets that the caller set for text fields.
fn open_with_charsets(
    files: SharedFiles,
    format: &Format,
    options: ReadOptions,
    fields: &Fields,
) -> chessdb_core::Result<OwnedStore> {
    OwnedStore::open_with(files, |files| {
        let store = (format.open)(files, options)?;
        Ok(if fields.is_empty() {
            store
        } else {
            Box::new(CharsetOverride::store(store, fields.clone()))
        })
    })
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Database")
            .field("path", &self.path())
            .field("format", &self.format.id)
            .field("games", &self.len().ok())
            .finish_non_exhaustive()
    }
}
