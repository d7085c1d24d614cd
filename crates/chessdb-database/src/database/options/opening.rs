//! Opening databases with options.

use std::io::Read;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

use chessdb_core::report::Finding;
use chessdb_core::{FileSet, Format, MemorySet, ReadOptions};
use chessdb_files::error::{Error, Problem, Result};
use chessdb_files::files::{Files, judged};
use chessdb_files::filesystem::{find_as, need_files};
use chessdb_files::packed;
use chessdb_formats::FORMATS;
use chessdb_owned::SharedFiles;

use super::super::{Database, DatabaseContent, Fields, Guess, open_with_charsets};
use super::OpenOptions;
use crate::index::{Index, OpenFile, index_path};

/// Maximum size in bytes of a plain file that is read whole instead of as a stream.
const MAX_WHOLE_FILE: u64 = 1 << 30;

/// Maximum size in bytes of the content that [`OpenOptions::unpacking`] loads.
const MAX_UNPACKED: u64 = 64 << 20;

impl OpenOptions {
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
    pub fn open_found(
        &self,
        mut source: chessdb_files::filesystem::FoundDatabase,
    ) -> Result<Database> {
        need_files(source.path())?;
        let is_small = self.unpacking
            && !self.streaming
            && source.is_packed()
            && source.unpack_small(MAX_UNPACKED);
        if is_small {
            return self.open_in_memory(source.read()?);
        }
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
        // The charset of a text file is guessed before it is opened. In a binary file, the open store
        // has to find the texts first.
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
}
