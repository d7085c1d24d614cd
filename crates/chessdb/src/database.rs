//! A base of any format: what it is, and its games.
// tidy: long because one type, with the options that open it

use std::fmt;
use std::io::Read;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use chessdb_core::{
    BaseInfo, Diagnostic, Finding, Format, GameRead, Limits, MemorySet, Mode, ReadOptions,
};
use chessdb_owned::{OwnedStore, SharedFiles};

use crate::error::{Error, Problem, Result};
use crate::files::{Files, judged};
use crate::formats::{CharsetName, FORMATS, FormatName};
use crate::packed::{self, Progress, Stream};
use crate::scan::{Games, Reader, Scan, Source};
use crate::{Converter, Game, convert};

/// The most that a plain file may hold to be read whole if its format can be read as a stream.
#[cfg(feature = "fs")]
const WHOLE: u64 = 1 << 30;

/// A chess database, whatever its format: it owns its files and can be kept, shared and sent to
/// other threads.
///
/// Most bases give their games by number. One that can only be read as a stream (from a pipe, packed,
/// or PGN of more than 1 GiB) gives them one after another; asked for a game by number it answers with
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
    #[cfg_attr(not(feature = "threads"), expect(dead_code, reason = "for threads"))]
    jobs: usize,
    progress: Progress,
    #[cfg(feature = "fs")]
    recoveries: Vec<crate::fs::Recovery>,
}

enum Content {
    /// Games by number.
    Indexed(Arc<Files>, OwnedStore),
    /// Games one after another, from a file that can be opened again.
    #[cfg(feature = "fs")]
    File(crate::fs::Found),
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

    /// Takes games from a stream, once, in the first format that can be read so.
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
            Content::Indexed(files, _) => files.path(),
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
    /// A stream, of which nobody knows before its end.
    pub fn len(&self) -> Result<u32> {
        Ok(self.store()?.len())
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
        !matches!(self.content, Content::Indexed(..))
    }

    /// What belongs to no single game: title, description, tables of names. A stream has none.
    pub fn info(&self) -> &BaseInfo {
        static NONE: std::sync::LazyLock<BaseInfo> = std::sync::LazyLock::new(BaseInfo::default);
        match &self.content {
            Content::Indexed(_, store) => store.store().base(),
            _ => &NONE,
        }
    }

    /// Faults found on opening, which concern the base as a whole.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        match &self.content {
            Content::Indexed(_, store) => store.store().diagnostics(),
            _ => &[],
        }
    }

    /// What was done about earlier runs that were interrupted while they wrote this base.
    #[cfg(feature = "fs")]
    pub fn recoveries(&self) -> &[crate::fs::Recovery] {
        &self.recoveries
    }

    /// The files, where they are in memory.
    pub fn files(&self) -> Option<&Files> {
        match &self.content {
            Content::Indexed(files, _) => Some(files),
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
    pub fn heads(&self) -> Games<'_> {
        self.scan().heads().into_iter()
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
    /// A stream; a base of fewer games; those of the game.
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
    pub fn head(&self, index: u32) -> Result<Game> {
        let mut game = Game::new();
        self.fill(index, &mut game, true)?;
        Ok(game)
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

    /// The options by which games are read for a target of this format, where they differ from those
    /// that the base was opened with.
    pub(crate) fn opened_for(&self, target: &Format) -> Result<Option<OwnedStore>> {
        let options = crate::formats::reading_for(target, self.options.clone());
        match &self.content {
            Content::Indexed(files, _)
                if options.preserve_comment_whitespace
                    != self.options.preserve_comment_whitespace =>
            {
                let shared: SharedFiles = Arc::clone(files) as SharedFiles;
                let store = OwnedStore::open(shared, self.format, options);
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
            games,
            base: (!self.is_stream()).then(|| self.info()),
            diagnostics: self.diagnostics(),
        })
    }

    pub(crate) fn charset(&self) -> Option<chessdb_core::Charset> {
        self.options.charset
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
            Content::Indexed(_, store) => Ok(Source::Store(store.store())),
            #[cfg(feature = "fs")]
            Content::File(found) => Ok(Source::Stream(found.stream(options, &self.progress)?)),
            Content::Once(input) => {
                let mut input = input.lock().unwrap_or_else(PoisonError::into_inner);
                let input = input.take().ok_or(Problem::ReadBefore)?;
                let stream = stream_of(self.format, input, options)?;
                Ok(Source::Stream(stream))
            }
        }
    }

    fn store(&self) -> Result<&dyn chessdb_core::GameStore> {
        match &self.content {
            Content::Indexed(_, store) => Ok(store.store()),
            _ => Err(Error::from(Problem::NoNumbers).with_path(self.path())),
        }
    }

    fn fill(&self, index: u32, game: &mut Game, heads_only: bool) -> Result<()> {
        let result = game.fill(self.store()?, index, heads_only);
        result.map_err(|error| Error::from(error).with_path(self.path()))
    }
}

fn stream_of(
    format: &Format,
    input: Stream<'static>,
    options: ReadOptions,
) -> Result<Box<dyn GameRead + Send>> {
    let stream = format.stream.ok_or(Problem::NotStreamed)?;
    Ok(stream(input, options)?)
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

/// How a base is opened. Made by [`Database::options`].
///
/// ```
/// use chessdb::{Database, Limits};
///
/// # fn main() -> Result<(), chessdb::Error> {
/// let options = Database::options().encoding("cp1251").strict(true).limits(Limits::small());
/// let db = options.open_files([("games.pgn", &b"1. e4 *"[..])])?;
/// assert_eq!(db.len()?, 1);
/// # Ok(()) }
/// ```
#[derive(Clone, Default, Debug)]
pub struct OpenOptions {
    format: Option<FormatName>,
    encoding: Option<CharsetName>,
    strict: bool,
    limits: Limits,
    jobs: usize,
    progress: Progress,
    streaming: bool,
}

impl OpenOptions {
    /// Takes the base for this format, such as `"cbf"`, instead of judging its content.
    #[must_use]
    pub fn format(mut self, format: impl Into<FormatName>) -> OpenOptions {
        self.format = Some(format.into());
        self
    }

    /// The charset of texts that do not say theirs, such as `"cp437"`; without it the format's own
    /// default.
    #[must_use]
    pub fn encoding(mut self, charset: impl Into<CharsetName>) -> OpenOptions {
        self.encoding = Some(charset.into());
        self
    }

    /// Whether a deviation from the format is an error instead of a diagnostic.
    #[must_use]
    pub fn strict(mut self, strict: bool) -> OpenOptions {
        self.strict = strict;
        self
    }

    /// How much one game may cost.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> OpenOptions {
        self.limits = limits;
        self
    }

    /// How many threads read where the work can be shared; 0, the default, is one per processor.
    /// What comes out is the same with any number. Iterators and readers start none.
    #[must_use]
    pub fn jobs(mut self, jobs: usize) -> OpenOptions {
        self.jobs = jobs;
        self
    }

    /// What counts the bytes of a stream.
    #[must_use]
    pub fn progress(mut self, progress: &Progress) -> OpenOptions {
        self.progress = progress.clone();
        self
    }

    /// Whether a file whose format can be read as a stream is, however small: its games come one after
    /// another and take the memory of one.
    #[must_use]
    pub fn streaming(mut self, streaming: bool) -> OpenOptions {
        self.streaming = streaming;
        self
    }

    /// Opens the base that a path stands for ([`Database::open`]); `-` is no name for anything here.
    ///
    /// # Errors
    ///
    /// Those of [`Database::open`]; a format or charset that is not known.
    #[cfg(feature = "fs")]
    pub fn open(&self, path: impl AsRef<Path>) -> Result<Database> {
        self.open_found(crate::fs::find_as(path, self.forced()?)?)
    }

    /// Opens a base that [`crate::fs::find`] found.
    ///
    /// # Errors
    ///
    /// Those of reading its files, and of the format.
    #[cfg(feature = "fs")]
    pub fn open_found(&self, found: crate::fs::Found) -> Result<Database> {
        if self.is_read_whole(&found) {
            return self.open_in_memory(found.read()?);
        }
        let recoveries = found.recoveries().to_vec();
        let mut db = self.database(found.format(), Content::File(found))?;
        db.recoveries = recoveries;
        Ok(db)
    }

    /// Whether [`OpenOptions::open_found`] reads its files into memory, instead of opening a stream.
    #[cfg(feature = "fs")]
    pub fn is_read_whole(&self, found: &crate::fs::Found) -> bool {
        let awkward = || found.is_packed() || found.size().is_none_or(|size| size > WHOLE);
        !(found.can_stream() && (self.streaming || awkward()))
    }

    /// Looks for contradictions within and between files in memory, which may be such as cannot be
    /// opened.
    ///
    /// # Errors
    ///
    /// A charset that is not known.
    pub fn check(&self, files: &Files, report: &mut dyn FnMut(Finding)) -> Result<()> {
        files.check(&self.reading()?, report);
        Ok(())
    }

    /// Recognises the one base among files in memory, by their names and content, and opens it; packed
    /// ones are unpacked, up to 1 GiB.
    ///
    /// # Errors
    ///
    /// None or several bases; those of the format; a format or charset that is not known.
    pub fn open_files<N: AsRef<Path>, B: Into<Vec<u8>>>(
        &self,
        files: impl IntoIterator<Item = (N, B)>,
    ) -> Result<Database> {
        self.open_in_memory(Files::new(files, self.forced()?)?)
    }

    /// Opens files in memory whose roles are known ([`Database::from_files`]).
    ///
    /// # Errors
    ///
    /// Those of [`Database::from_files`]; a format or charset that is not known.
    pub fn open_set(&self, files: MemorySet) -> Result<Database> {
        self.open_in_memory(Files::of_roles(files, self.forced()?)?)
    }

    /// Opens files in memory of which the format is known already.
    ///
    /// # Errors
    ///
    /// Those of the format; a charset that is not known.
    pub fn open_in_memory(&self, files: Files) -> Result<Database> {
        let format = files.format();
        let files = Arc::new(files);
        let shared: SharedFiles = Arc::clone(&files) as SharedFiles;
        let store = OwnedStore::open(shared, format, self.reading()?);
        let store = store.map_err(|error| Error::from(error).with_path(files.path()))?;
        #[cfg(feature = "fs")]
        let recoveries = files.recoveries().to_vec();
        #[cfg_attr(not(feature = "fs"), expect(unused_mut, reason = "nothing to recover"))]
        let mut db = self.database(format, Content::Indexed(files, store))?;
        #[cfg(feature = "fs")]
        {
            db.recoveries = recoveries;
        }
        Ok(db)
    }

    /// Takes games from a stream, once ([`Database::from_reader`]); packed with gzip or Zstandard too.
    ///
    /// # Errors
    ///
    /// A beginning that is of another format; a format or charset that is not known.
    pub fn from_reader(&self, input: impl Read + Send + 'static) -> Result<Database> {
        let input = packed::open_stream(Box::new(input), &self.progress)?;
        let forced = self.forced()?;
        let mut streamed = FORMATS
            .iter()
            .copied()
            .filter(|format| format.stream.is_some());
        let format = forced.or_else(|| streamed.next());
        let format = format.filter(|format| format.stream.is_some());
        let format = format.ok_or(Problem::NotStreamed)?;
        let role = format.required.first().copied();
        let input = match role.filter(|_| forced.is_none()) {
            Some(role) => judged(input, format, role)?,
            None => input,
        };
        self.database(format, Content::Once(Mutex::new(Some(input))))
    }

    fn database(&self, format: &'static Format, content: Content) -> Result<Database> {
        Ok(Database {
            format,
            content,
            options: self.reading()?,
            jobs: self.jobs,
            progress: self.progress.clone(),
            #[cfg(feature = "fs")]
            recoveries: Vec::new(),
        })
    }

    pub(crate) fn forced(&self) -> Result<Option<&'static Format>> {
        let format = self.format.as_ref().map(FormatName::find);
        Ok(format.transpose()?)
    }

    pub(crate) fn reading(&self) -> Result<ReadOptions> {
        let mut options = ReadOptions::default();
        options.mode = match self.strict {
            true => Mode::Strict,
            false => Mode::Lenient,
        };
        options.limits = self.limits;
        options.charset = self.encoding.as_ref().map(CharsetName::find).transpose()?;
        Ok(options)
    }
}
