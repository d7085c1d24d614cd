//! A base of any format: what it is, and its games.

mod charset;
mod fields;
mod options;
mod searching;

use std::fmt;
use std::io::Read;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use chessdb_core::guiding::GuidingText;
use chessdb_core::salvage::Salvaged;
use chessdb_core::text::CharsetGuess;
use chessdb_core::{BaseInfo, Diagnostic, Format, MemorySet, ReadOptions, Remark};
use chessdb_owned::{OwnedStore, SharedFiles};

#[cfg(feature = "fs")]
use crate::Converter;
use crate::error::{Error, Problem, Result};
use crate::files::Files;
use crate::packed::{Progress, Stream};
use crate::scan::{Games, Reader, Scan, Source};
use crate::{Game, convert};

use charset::Guess;
pub(crate) use charset::{header_sampling_step, sample_games, texts_of};
pub use fields::TextField;
pub(crate) use fields::each_text;
pub use options::OpenOptions;

use fields::{CharsetOverride, Fields};

/// A chess database, whatever its format: it owns its files and can be kept, shared and sent to
/// other threads.
///
/// Most bases give their games by number. One that can only be read as a stream (from a pipe, packed,
/// or PGN of more than 1 GiB without an index) gives them one after another; asked for a game by number it answers with
/// an error that says why.
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
    content: Content,
    options: ReadOptions,
    /// Fields whose charset was named.
    fields: Fields,
    /// What it was found to be in; of a stream that comes once, when it is read.
    guess: OnceLock<Guess>,
    #[cfg_attr(not(feature = "threads"), expect(dead_code, reason = "for threads"))]
    jobs: usize,
    progress: Progress,
    #[cfg(feature = "fs")]
    recoveries: Vec<crate::fs::Recovery>,
    /// The index beside it.
    #[cfg(all(feature = "fs", feature = "query"))]
    index: crate::index::OpenIndex,
}

enum Content {
    /// Games by number.
    IndexUse(Arc<Files>, OwnedStore),
    /// Games one after another, from a file that can be opened again.
    #[cfg(feature = "fs")]
    File(crate::fs::FoundDatabase),
    /// The same, once.
    Once(Mutex<Option<Stream<'static>>>),
}

impl Database {
    /// Opens the base that a path stands for: any of its files, the name they share, or a folder or
    /// zip archive that holds one; packed with gzip or Zstandard too. The content tells the format.
    ///
    /// # Errors
    ///
    /// [`Error::is_not_found`], [`Error::is_not_recognised`], and those of the format.
    #[cfg(feature = "fs")]
    pub fn open(path: impl AsRef<Path>) -> Result<Database> {
        Database::options().open(path)
    }

    /// Opens files in memory whose roles are known; [`OpenOptions::open_files`] knows files by name.
    ///
    /// # Errors
    ///
    /// [`Error::is_not_recognised`], and those of the format.
    pub fn from_files(files: MemorySet) -> Result<Database> {
        Database::options().open_set(files)
    }

    /// Reads games from a stream, once, in the first format that can be read as one.
    ///
    /// # Errors
    ///
    /// [`Error::is_not_recognised`].
    pub fn from_reader(input: impl Read + Send + 'static) -> Result<Database> {
        Database::options().from_reader(input)
    }

    /// How a base is to be opened.
    pub fn options() -> OpenOptions {
        OpenOptions::default()
    }

    /// The path as it was given, or the file it led to.
    pub fn path(&self) -> Option<&Path> {
        match &self.content {
            Content::IndexUse(files, _) => files.path(),
            #[cfg(feature = "fs")]
            Content::File(found) => Some(found.path()),
            Content::Once(_) => None,
        }
    }

    /// The format.
    pub fn format(&self) -> &'static Format {
        self.format
    }

    /// How many games there are.
    ///
    /// # Errors
    ///
    /// The base is a stream: its number of games is known at its end only.
    pub fn len(&self) -> Result<u32> {
        Ok(self.store()?.len())
    }

    /// The number of games, for which a file that is read as a stream is read through. None if it can be read
    /// only once, or not to its end.
    pub(crate) fn count(&self) -> Option<u64> {
        match &self.content {
            Content::IndexUse(..) => self.len().ok().map(u64::from),
            #[cfg(feature = "fs")]
            Content::File(found) if !found.is_pipe() => {
                let input = found.input(&Progress::default()).ok()?;
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

    /// Whether there is no game.
    ///
    /// # Errors
    ///
    /// Those of [`Database::len`].
    pub fn is_empty(&self) -> Result<bool> {
        Ok(self.len()? == 0)
    }

    /// Whether games come one after another only, and [`Database::game`] does not work.
    pub fn is_stream(&self) -> bool {
        !matches!(self.content, Content::IndexUse(..))
    }

    /// Whether it was opened so that a deviation from its format is an error.
    pub fn is_strict(&self) -> bool {
        self.options.mode == chessdb_core::Mode::Strict
    }

    /// What belongs to no single game: title, description, tables of names. A stream has none.
    pub fn info(&self) -> &BaseInfo {
        static NONE: std::sync::LazyLock<BaseInfo> = std::sync::LazyLock::new(BaseInfo::default);
        match &self.content {
            Content::IndexUse(_, store) => store.store().base(),
            _ => &NONE,
        }
    }

    /// Faults found on opening, which concern the base as a whole.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        match &self.content {
            Content::IndexUse(_, store) => store.store().diagnostics(),
            _ => &[],
        }
    }

    /// Returns facts about the database as a whole, for people. Computing them may read every game.
    pub fn remarks(&self) -> Vec<Remark> {
        match &self.content {
            Content::IndexUse(_, store) => store.store().remarks(),
            _ => Vec::new(),
        }
    }

    /// How each game was found, if the base was opened with [`OpenOptions::salvage`] and its format can
    /// search its bytes for games.
    pub fn salvaged(&self) -> Option<&Salvaged> {
        match &self.content {
            Content::IndexUse(_, store) => store.store().salvaged(),
            _ => None,
        }
    }

    /// What was done about earlier runs that were interrupted while they wrote this base.
    #[cfg(feature = "fs")]
    pub fn recoveries(&self) -> &[crate::fs::Recovery] {
        &self.recoveries
    }

    /// The files on disk as they were before any was read; nothing of what is not on disk.
    #[cfg(feature = "fs")]
    pub(crate) fn snapshot(&self) -> Option<&crate::fs::Snapshot> {
        match &self.content {
            Content::IndexUse(files, _) => Some(&files.snapshot),
            Content::File(found) => Some(found.snapshot()),
            Content::Once(_) => None,
        }
    }

    /// The files, where they are in memory.
    pub fn files(&self) -> Option<&Files> {
        match &self.content {
            Content::IndexUse(files, _) => Some(files),
            _ => None,
        }
    }

    /// Bytes of the file that a stream is read from, as far as that is known.
    pub fn stream_size(&self) -> Option<u64> {
        match &self.content {
            #[cfg(feature = "fs")]
            Content::File(found) => found.size(),
            _ => None,
        }
    }

    /// How far the reading of a stream has come.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Every game, in a value of its own.
    pub fn games(&self) -> Games<'_> {
        self.scan().into_iter()
    }

    /// Every game without its moves, which are not decoded.
    pub fn headers(&self) -> Games<'_> {
        self.scan().headers().into_iter()
    }

    /// Reads every game into one value of the caller's, for speed.
    pub fn reader(&self) -> Reader<'_> {
        self.scan().reader()
    }

    /// Which games are to be read, how much of each, and how.
    pub fn scan(&self) -> Scan<'_> {
        Scan::new(self)
    }

    /// Game `index`, counted from 0.
    ///
    /// # Errors
    ///
    /// The base is a stream or has fewer games, or the game cannot be read.
    pub fn game(&self, index: u32) -> Result<Game> {
        let mut game = Game::new();
        self.game_into(index, &mut game)?;
        Ok(game)
    }

    /// Game `index`, counted from 0, without its moves.
    ///
    /// # Errors
    ///
    /// Those of [`Database::game`].
    pub fn header(&self, index: u32) -> Result<Game> {
        let mut game = Game::new();
        self.fill(index, &mut game, true)?;
        Ok(game)
    }

    /// Fills `game` with the head of game `index`, counted from 0.
    ///
    /// # Errors
    ///
    /// Those of [`Database::game`].
    pub fn header_into(&self, index: u32, game: &mut Game) -> Result<()> {
        self.fill(index, game, true)
    }

    /// Fills `game` with game `index`, counted from 0.
    ///
    /// # Errors
    ///
    /// Those of [`Database::game`].
    pub fn game_into(&self, index: u32, game: &mut Game) -> Result<()> {
        self.fill(index, game, false)
    }

    /// Hands every game to `act`, on several threads and in no order ([`Scan::for_each_parallel`]).
    ///
    /// # Errors
    ///
    /// The source failed as a whole, or `act` panicked.
    #[cfg(feature = "threads")]
    pub fn for_each_parallel(
        &self,
        act: impl Fn(&mut Game, Result<()>) + Sync,
    ) -> Result<Vec<Diagnostic>> {
        self.scan().for_each_parallel(act)
    }

    /// Lets several threads make something of each game, and hands it on in the order of the base
    /// ([`Scan::map_in_order`]).
    ///
    /// # Errors
    ///
    /// The source failed as a whole, or `map` panicked.
    #[cfg(feature = "threads")]
    pub fn map_in_order<T: Send>(
        &self,
        map: impl Fn(&mut Game, Result<()>) -> T + Sync,
        take: impl FnMut(T) -> std::ops::ControlFlow<()>,
    ) -> Result<Vec<Diagnostic>> {
        self.scan().map_in_order(map, take)
    }

    /// A conversion of this base into a new one at `path`, whose suffix says the format.
    #[cfg(feature = "fs")]
    pub fn convert_to(&self, path: impl AsRef<Path>) -> Converter<'_> {
        Converter::to(path).add_database(self)
    }

    /// The options with which games are read for a target of this format, if they differ from those
    /// with which the base was opened.
    pub(crate) fn opened_for(&self, target: &Format) -> Result<Option<OwnedStore>> {
        let options = crate::formats::reading_for(target, self.options.clone());
        match &self.content {
            Content::IndexUse(files, _)
                if options.preserve_comment_whitespace
                    != self.options.preserve_comment_whitespace =>
            {
                let shared: SharedFiles = Arc::clone(files) as SharedFiles;
                let store = open_told(shared, self.format, options, &self.fields);
                Ok(Some(store.map_err(|error| {
                    Error::from(error).with_path(self.path())
                })?))
            }
            _ => Ok(None),
        }
    }

    /// What a conversion into this format reads; `store` is from [`Database::opened_for`].
    pub(crate) fn source_for<'a>(
        &'a self,
        target: &Format,
        store: Option<&'a OwnedStore>,
    ) -> Result<convert::Source<'a>> {
        let games = match store {
            Some(store) => Source::Store(store.store()),
            None => self.source_with(crate::formats::reading_for(target, self.options.clone()))?,
        };
        Ok(convert::Source {
            name: None,
            games,
            selection: None,
            base: (!self.is_stream()).then(|| self.info()),
            diagnostics: self.diagnostics(),
            #[cfg(feature = "query")]
            db: Some(self),
        })
    }

    /// What the base was found to be in, if its files do not say so and nobody named a charset: none
    /// if there is nothing to decide, because all that was looked at is ASCII. Of a stream that comes
    /// once, such as a pipe, it is known when the first game has been read.
    pub fn charset(&self) -> Option<&CharsetGuess> {
        self.guess.get()?.guess.as_deref()
    }

    /// The texts that stand in the base beside its games, such as ChessBase's guiding texts. No other format
    /// has a place for them; a conversion counts each as lost.
    pub fn guiding_texts(&self) -> Vec<GuidingText> {
        let texts = self.format.texts;
        texts.map_or_else(Vec::new, |texts| texts(self.info(), self.reading()))
    }

    /// The options by which games are read.
    pub(crate) fn reading(&self) -> &ReadOptions {
        &self.options
    }

    pub(crate) fn jobs(&self) -> usize {
        #[cfg(feature = "threads")]
        return crate::parallel::threads(self.jobs);
        #[cfg(not(feature = "threads"))]
        1
    }

    /// The games, from the first on.
    pub(crate) fn source(&self) -> Result<Source<'_>> {
        self.source_with(self.options.clone())
    }

    fn source_with(&self, options: ReadOptions) -> Result<Source<'_>> {
        match &self.content {
            Content::IndexUse(_, store) => Ok(Source::Store(store.store())),
            #[cfg(feature = "fs")]
            Content::File(found) => self.stream(found.input(&self.progress)?, options),
            Content::Once(input) => {
                let mut input = input.lock().unwrap_or_else(PoisonError::into_inner);
                self.stream(input.take().ok_or(Problem::ReadBefore)?, options)
            }
        }
    }

    /// The games of a stream; what it is in that comes once is found in its beginning.
    fn stream(&self, input: Stream<'static>, mut options: ReadOptions) -> Result<Source<'_>> {
        let stream = self.format.stream.ok_or(Problem::NotStreamed)?;
        let mut input = input;
        if options.charset.is_none() {
            let guess = match self.guess.get() {
                Some(guess) => guess,
                None => {
                    let (guess, same) = Guess::ahead(input, self.format, &self.fields);
                    input = same;
                    self.guess.get_or_init(|| guess)
                }
            };
            options.guess.clone_from(&guess.guess);
        }
        let stream = stream(input, options)?;
        Ok(Source::Stream(match self.fields.is_empty() {
            true => stream,
            false => Box::new(CharsetOverride::stream(stream, self.fields.clone())),
        }))
    }

    pub(crate) fn store(&self) -> Result<&dyn chessdb_core::GameStore> {
        match &self.content {
            Content::IndexUse(_, store) => Ok(store.store()),
            _ => Err(Error::from(Problem::NoNumbers).with_path(self.path())),
        }
    }

    fn fill(&self, index: u32, game: &mut Game, headers_only: bool) -> Result<()> {
        let result = game.read(self.store()?, index, headers_only);
        result.map_err(|error| Error::from(error).with_path(self.path()))
    }
}

/// Opens a store; the fields named have their charset.
fn open_told(
    files: SharedFiles,
    format: &Format,
    options: ReadOptions,
    fields: &Fields,
) -> chessdb_core::Result<OwnedStore> {
    OwnedStore::open_with(files, |files| {
        let store = (format.open)(files, options)?;
        Ok(match fields.is_empty() {
            true => store,
            false => Box::new(CharsetOverride::store(store, fields.clone())),
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

impl<'d> IntoIterator for &'d Database {
    type Item = Result<Game>;
    type IntoIter = Games<'d>;

    fn into_iter(self) -> Games<'d> {
        self.games()
    }
}
