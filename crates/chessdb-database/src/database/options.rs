//! Options for opening a database.

use std::io::Read;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

use chessdb_core::limits::Limits;
use chessdb_core::options::Mode;
use chessdb_core::report::Finding;
use chessdb_core::{FileSet, Format, MemorySet, ReadOptions};
use chessdb_files::choices::{CharsetName, FormatName};
use chessdb_files::error::{Error, Problem, Result};
use chessdb_files::files::{Files, judged};
use chessdb_files::filesystem::{find_as, need_files};
use chessdb_files::format_hint::FormatHint;
use chessdb_files::packed::{self, Key, Progress};
use chessdb_formats::FORMATS;
use chessdb_owned::SharedFiles;

use super::{Database, DatabaseContent, Fields, Guess, TextField, open_with_charsets};
use crate::index::{Index, OpenFile, index_path};

/// Maximum size in bytes of a plain file that is read whole instead of as a stream.
const MAX_WHOLE_FILE: u64 = 1 << 30;

/// Options for opening a database. Created by [`Database::options`].
///
/// ```
/// use chessdb::Database;
/// use chessdb::options::Limits;
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
    fields: Vec<(TextField, CharsetName)>,
    key: Option<Key>,
    strict: bool,
    limits: Limits,
    jobs: usize,
    progress: Progress,
    streaming: bool,
    salvage: bool,
    facts: bool,
    checking: bool,
    index: bool,
    numbered: bool,
    read_only: bool,
    settings: Vec<(String, String)>,
}

impl OpenOptions {
    /// Sets the format, such as `"cbf"`, instead of detecting it from the content.
    #[must_use]
    pub fn format(mut self, format: impl Into<FormatName>) -> OpenOptions {
        self.format = Some(format.into());
        self
    }

    /// Sets the charset of texts that do not declare one, such as `"cp437"`. With `"auto"`, the
    /// default, it is guessed from all of them ([`Database::charset`]).
    #[must_use]
    pub fn encoding(mut self, charset: impl Into<CharsetName>) -> OpenOptions {
        self.encoding = Some(charset.into());
        self
    }

    /// Sets the charset of one kind of text, which is then excluded from the guess.
    #[must_use]
    pub fn encoding_for(
        mut self,
        field: TextField,
        charset: impl Into<CharsetName>,
    ) -> OpenOptions {
        self.fields.push((field, charset.into()));
        self
    }

    /// Sets the password of a password-protected archive (.cbz). It is stored as a key and never
    /// shown.
    #[must_use]
    pub fn password(mut self, password: &str) -> OpenOptions {
        self.key = packed::key_of(password);
        self
    }

    /// Sets whether a deviation from the format is an error instead of a diagnostic.
    #[must_use]
    pub fn strict(mut self, strict: bool) -> OpenOptions {
        self.strict = strict;
        self
    }

    /// Sets the limits on the resources one game may use.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> OpenOptions {
        self.limits = limits;
        self
    }

    /// Sets a setting that only some formats have ([`Format::read_settings`]), such as
    /// `"dcx-promotions"` with `"seed"`, `"program"` or `"auto"`. Other formats ignore it.
    ///
    /// ```
    /// use chessdb::Database;
    /// let options = Database::options().setting("no-such-choice", "x");
    /// assert!(options.open_files([("a.pgn", &b"1. e4 *"[..])]).is_err());
    /// ```
    #[must_use]
    pub fn setting(mut self, name: impl Into<String>, value: impl Into<String>) -> OpenOptions {
        self.settings.push((name.into(), value.into()));
        self
    }

    /// Sets the number of reader threads for work that can be shared; 0, the default, is one per
    /// processor. Results do not depend on it. Iterators and readers start no threads.
    #[must_use]
    pub fn jobs(mut self, jobs: usize) -> OpenOptions {
        self.jobs = jobs;
        self
    }

    /// Sets the counter of the bytes of a stream.
    #[must_use]
    pub fn progress(mut self, progress: &Progress) -> OpenOptions {
        self.progress = progress.clone();
        self
    }

    /// Sets whether files of any size are read as a stream, if their format supports it:
    /// games are read in order, with the memory of one game.
    #[must_use]
    pub fn streaming(mut self, streaming: bool) -> OpenOptions {
        self.streaming = streaming;
        self
    }

    /// Sets whether as much as possible is recovered from a damaged database: missing files are
    /// rebuilt if the others allow it, and bytes not in the index are searched for games, each of
    /// which is returned once ([`Database::salvaged`]). Opening then reads every game.
    ///
    /// ```
    /// use chessdb::core::MemorySet;
    /// use chessdb::core::files::Role;
    /// use chessdb::{Converter, Database};
    ///
    /// # fn main() -> Result<(), chessdb::Error> {
    /// let pgn = &b"[White \"Tal\"]\n[Black \"Ivkov\"]\n\n1. e4 e5 2. f4 *"[..];
    /// let games = Database::options().open_files([("tal.pgn", pgn)])?;
    /// let mut base = MemorySet::new();
    /// Converter::to_sink(&mut base).format("cbf").add_database(&games).run()?;
    /// base.remove(Role("cbi"));
    /// let db = Database::options().format("cbf").salvage(true).open_set(base)?;
    /// assert_eq!(db.len()?, 1);
    /// assert!(db.salvaged().is_some_and(|salvaged| salvaged.barren.is_empty()));
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn salvage(mut self, salvage: bool) -> OpenOptions {
        self.salvage = salvage;
        self
    }

    /// Sets whether reading a game also does the expensive comparisons of [`OpenOptions::check`]
    /// and reports contradictions as diagnostics.
    #[must_use]
    pub fn checking(mut self, checking: bool) -> OpenOptions {
        self.checking = checking;
        self
    }

    /// Sets whether the index file of the database ([`Database::write_index`]) is used, if it
    /// exists and is up to date. Searches by [`crate::Scan::filter`] then exclude games with it,
    /// and games of a large PGN file, otherwise a stream, can be accessed by number. Results do not
    /// change, even if the index is damaged. [`Database::indexed`] returns its state.
    #[must_use]
    pub fn index(mut self, index: bool) -> OpenOptions {
        self.index = index;
        self
    }

    /// Sets whether games are accessed by number in files of any size. A file that is a stream only
    /// because it exceeds 1 GiB is then memory-mapped, if the system can, and scanned for games.
    #[must_use]
    pub fn numbered(mut self, numbered: bool) -> OpenOptions {
        self.numbered = numbered;
        self
    }

    /// States that this program will not change or replace the files while the database is open: only
    /// then are large files memory-mapped on Windows ([`FormatHint::is_read_only`]).
    #[must_use]
    pub fn read_only(mut self, read_only: bool) -> OpenOptions {
        self.read_only = read_only;
        self
    }

    /// Opens the database at a path ([`Database::open`]); `-` has no special meaning.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Database::open`], or an error if the format or charset is not known.
    pub fn open(&self, path: impl AsRef<Path>) -> Result<Database> {
        self.open_found(find_as(path, self.format_hint()?)?)
    }

    /// Opens a database that [`chessdb_files::filesystem::find`] found.
    ///
    /// # Errors
    ///
    /// Returns an error if its files cannot be read, and the errors of the format.
    pub fn open_found(&self, source: chessdb_files::filesystem::FoundDatabase) -> Result<Database> {
        need_files(source.path())?;
        let uses_index = self.can_use_index() && !source.is_pending();
        if self.is_read_whole(&source) {
            let files = source.read()?;
            if uses_index {
                let index = OpenFile::find(&files);
                return self.open_indexed(files, index);
            }
            return self.open_in_memory(files);
        }
        let mut refused_index = OpenFile::default();
        if uses_index
            // A database that would be read as a stream is loaded only for an index that exists.
            && index_path(&source).is_some_and(|path| path.exists())
            && let Some(files) = source.in_memory(MAX_WHOLE_FILE)
        {
            let index = OpenFile::find(&files);
            // Without a usable index the stream needs less memory than the loaded files.
            if index.file().is_some() {
                return self.open_indexed(files, index);
            }
            refused_index = index;
        }
        let recoveries = source.recoveries().to_vec();
        let mut options = self.reading()?;
        let mut guess = OnceLock::new();
        // A pipe cannot be read twice; its charset is guessed when it is read.
        if !source.is_pipe() && options.charset.is_none() {
            let file_guess = Guess::of_file(&source, &self.fields()?)?;
            options.guess.clone_from(&file_guess.guess);
            guess = OnceLock::from(file_guess);
        }
        let mut db = self.database(
            source.format(),
            DatabaseContent::File(source),
            options,
            self.fields()?,
        );
        db.recoveries = recoveries;
        db.guess = guess;
        db.index = refused_index;
        Ok(db)
    }

    /// Returns whether the index file is requested and the other options leave games as stored.
    fn can_use_index(&self) -> bool {
        self.index && !(self.salvage || self.checking || self.strict) && self.settings.is_empty()
    }

    /// Returns whether [`OpenOptions::open_found`] reads the files into memory, not as a stream.
    pub fn is_read_whole(&self, source: &chessdb_files::filesystem::FoundDatabase) -> bool {
        let can_map = cfg!(feature = "mmap") && (self.read_only || !cfg!(windows));
        let limit = if self.numbered && can_map { u64::MAX } else { MAX_WHOLE_FILE };
        let needs_stream = || source.is_packed() || source.size().is_none_or(|size| size > limit);
        // A format that cannot be streamed has to fit into memory, however large it is.
        !(source.can_stream() && (self.streaming || needs_stream()))
    }

    /// Searches files in memory for contradictions within and between them, and reads every game.
    /// The files need not form a database that can be opened.
    ///
    /// # Errors
    ///
    /// Returns an error if the charset is not known.
    pub fn check(&self, files: &Files, report: &mut dyn FnMut(Finding)) -> Result<()> {
        files.check(&self.reading()?, report);
        Ok(())
    }

    /// Like [`OpenOptions::check`], without the games, which the caller reads with
    /// [`OpenOptions::checking`] ([`Files::check_around_games`]).
    ///
    /// # Errors
    ///
    /// Returns an error if the charset is not known.
    pub fn check_around_games(&self, files: &Files, report: &mut dyn FnMut(Finding)) -> Result<()> {
        files.check_around_games(&self.reading()?, report);
        Ok(())
    }

    /// Finds the one database among files in memory by their names and content, and opens it.
    /// Packed files are unpacked, up to 1 GiB.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no database or several, if the format reports an error, or if
    /// the format or charset is not known.
    pub fn open_files<N: AsRef<Path>, B: Into<Vec<u8>>>(
        &self,
        files: impl IntoIterator<Item = (N, B)>,
    ) -> Result<Database> {
        self.open_in_memory(Files::new(files, self.format_hint()?)?)
    }

    /// Opens files in memory by role ([`Database::from_files`]).
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Database::from_files`], or an error if the format or charset is not
    /// known.
    pub fn open_set(&self, files: MemorySet) -> Result<Database> {
        self.open_in_memory(Files::of_roles(files, self.forced_format()?)?)
    }

    /// Opens files in memory of a known format.
    ///
    /// # Errors
    ///
    /// Returns the errors of the format, or an error if the charset is not known.
    pub fn open_in_memory(&self, files: Files) -> Result<Database> {
        self.open_with_options(files, (self.reading()?, None))
    }

    /// Like [`OpenOptions::open_in_memory`], with an index file that has the offsets of games.
    fn open_indexed(&self, files: Files, index: OpenFile<Index>) -> Result<Database> {
        let options = index.options(&files, self.reading()?);
        let mut db = self.open_with_options(files, options)?;
        if let DatabaseContent::Store(files, store) = &db.content {
            db.index = index.for_store(files, store.store());
        }
        Ok(db)
    }

    /// Opens files, with an index that knows all changes of the database.
    fn open_with_options(
        &self,
        files: Files,
        (mut options, index): (ReadOptions, Option<Arc<Index>>),
    ) -> Result<Database> {
        let format = files.format();
        let files = Arc::new(files);
        let shared: SharedFiles = Arc::clone(&files) as SharedFiles;
        let fields = self.fields()?;
        let mut guess = Guess::default();
        let guesses = options.charset.is_none() && format.charset_prior.is_some();
        // The charset of a text file is guessed before it is opened, that of a binary one from the
        // texts that the open store finds.
        if guesses && format.stream.is_some() {
            let main = format.required.first().and_then(|&role| files.get(role));
            guess = Guess::of_text(main.unwrap_or_default(), format, &fields);
            options.guess.clone_from(&guess.guess);
        }
        let open = |options| {
            let store = open_with_charsets(Arc::clone(&shared), format, options, &fields);
            store.map_err(|error| Error::from(error).with_path(files.path()))
        };
        let is_sampled = guesses && format.stream.is_none();
        let usable_index = index.as_ref().filter(|_| is_sampled && fields.is_empty());
        let evidence = usable_index.and_then(|index| index.evidence());
        let needs_samples = is_sampled && evidence.is_none();
        if let Some(evidence) = evidence {
            guess = Guess::new(evidence, format);
            if guess.matters(format) {
                options.guess.clone_from(&guess.guess);
            }
        }
        let mut store = open(options.clone())?;
        if needs_samples {
            let ascii = index.filter(|index| index.has_ascii_comments());
            let is_ascii = |game| {
                let mut index = ascii.iter();
                index.any(|index| game < index.games() && !index.is_changed(game))
            };
            guess = Guess::of_store(store.store(), format, &fields, &is_ascii);
            // Opening a second time costs as much as the first, so it is done only for another
            // result.
            if guess.matters(format) {
                options.guess.clone_from(&guess.guess);
                store = open(options.clone())?;
            }
        }
        let recoveries = files.recoveries().to_vec();
        let mut db = self.database(
            format,
            DatabaseContent::Store(files, store.into()),
            options,
            fields,
        );
        db.guess = OnceLock::from(guess);
        db.recoveries = recoveries;
        Ok(db)
    }

    /// Reads games from a stream, once ([`Database::from_reader`]); also packed with gzip or
    /// Zstandard.
    ///
    /// # Errors
    ///
    /// Returns an error if the start of the stream is in another format, or if the format or
    /// charset is not known.
    pub fn from_reader(&self, input: impl Read + Send + 'static) -> Result<Database> {
        let input = packed::open_stream(Box::new(input), &self.progress)?;
        let forced_format = self.forced_format()?;
        let mut streamed = FORMATS
            .iter()
            .copied()
            .filter(|format| format.stream.is_some());
        let format = forced_format.or_else(|| streamed.next_back()); // PGN, unless it is named.
        let format = format.filter(|format| format.stream.is_some());
        let format = format.ok_or(Problem::NotStreamable)?;
        let role = format.required.first().copied();
        // A format that the caller names is not questioned.
        let input = match role.filter(|_| forced_format.is_none()) {
            Some(role) => judged(input, format, role)?,
            None => input,
        };
        let content = DatabaseContent::Once(Mutex::new(Some(input)));
        Ok(self.database(format, content, self.reading()?, self.fields()?))
    }

    fn database(
        &self,
        format: &'static Format,
        content: DatabaseContent,
        options: ReadOptions,
        fields: Fields,
    ) -> Database {
        Database {
            format,
            content,
            options,
            fields,
            guess: OnceLock::new(),
            jobs: self.jobs,
            progress: self.progress.clone(),
            recoveries: Vec::new(),
            index: OpenFile::default(),
            tree: crate::tree_index::LazyTree::next_to_database(self.can_use_index()),
        }
    }

    pub(crate) fn forced_format(&self) -> Result<Option<&'static Format>> {
        Ok(self.format.as_ref().map(FormatName::find).transpose()?)
    }

    fn fields(&self) -> Result<Fields> {
        let mut fields = Fields::new();
        for (field, charset) in &self.fields {
            if let Some(charset) = charset.find()? {
                fields.push((*field, charset));
            }
        }
        Ok(fields)
    }

    /// Adjusts the options for a conversion into this format.
    pub fn for_target(mut self, target: &Format) -> OpenOptions {
        self.facts = target.needs_facts;
        self.streaming(true)
    }

    /// Returns the options for finding the files.
    pub fn format_hint(&self) -> Result<FormatHint> {
        Ok(FormatHint {
            format: self.forced_format()?,
            key: self.key,
            is_read_only: self.read_only,
        })
    }

    /// Returns the options for the reader of the format.
    pub fn reading(&self) -> Result<ReadOptions> {
        let mut options = ReadOptions::default();
        options.mode = if self.strict { Mode::Strict } else { Mode::Lenient };
        options.limits = self.limits;
        options.salvage = self.salvage;
        options.facts = self.facts;
        options.check = self.checking;
        let charset = self.encoding.as_ref().map(CharsetName::find).transpose()?;
        options.charset = charset.flatten();
        for (name, value) in &self.settings {
            let mut settings = FORMATS.iter().flat_map(|format| format.read_settings);
            let name = settings
                .find(|setting| *setting == name)
                .ok_or_else(|| Problem::UnknownSetting(name.clone()))?;
            options.settings.push((name, value.clone()));
        }
        Ok(options)
    }
}
