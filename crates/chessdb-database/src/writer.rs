//! Writing of games into a new database.

use std::fmt;
use std::path::{Path, PathBuf};

use chessdb_core::files::FileSink;
use chessdb_core::loss::LimitExceeded;
use chessdb_core::options::Allow;
use chessdb_core::{BaseInfo, Format, Losses, WriteOptions};
use chessdb_files::choices::{CharsetName, FormatName};
use chessdb_files::error::{Error, Problem, Result, target_error};
use chessdb_owned::OwnedWriter;

/// Creates a database at `path`, in the format of its extension. Nothing is visible under that name
/// before [`Writer::finish`].
///
/// # Errors
///
/// Returns an error if the database exists or the extension belongs to no format. [`CreateOptions`]
/// can replace a database and set the format.
///
/// ```no_run
/// # fn main() -> Result<(), chessdb::Error> {
/// # let game = chessdb::Game::new();
/// let mut writer = chessdb::create("new.si4")?;
/// writer.write(&game)?;
/// println!("{} games", writer.finish()?);
/// # Ok(()) }
/// ```
pub fn create(path: impl AsRef<Path>) -> Result<Writer> {
    CreateOptions::default().create(path)
}

/// A database that is being written. If dropped before [`Writer::finish`], nothing becomes visible.
pub struct Writer {
    inner: OwnedWriter,
    path: Option<PathBuf>,
    games: u32,
}

impl Writer {
    /// Returns the default options for writing a database.
    pub fn options() -> CreateOptions {
        CreateOptions::default()
    }

    /// Appends a game. Returns the losses: what the format cannot store.
    ///
    /// # Errors
    ///
    /// Returns an error if the format cannot store part of the game and [`CreateOptions::allow`]
    /// does not allow that loss. Nothing of the game is written, and further games can be written.
    /// [`Error::game`] counts the games given to this writer.
    pub fn write(&mut self, game: impl AsRef<chessdb_core::Game>) -> Result<Losses> {
        let number = self.games.saturating_add(1);
        let location = chessdb_core::error::Location::game(number);
        let result = self.inner.write(game.as_ref());
        let losses =
            result.map_err(|error| target_error(error.at(location), self.path.as_deref()))?;
        self.games = number;
        Ok(losses)
    }

    /// Returns what the format cannot store of this game, without writing it.
    ///
    /// # Errors
    ///
    /// Returns an error if writing failed before.
    pub fn assess(&mut self, game: impl AsRef<chessdb_core::Game>) -> Result<Losses> {
        Ok(self.inner.with(|writer| writer.assess(game.as_ref()))?)
    }

    /// Returns the limits of old programs that the written games exceed. Nothing is lost, but those
    /// programs may refuse the database.
    ///
    /// # Errors
    ///
    /// Returns an error if writing failed before.
    pub fn exceeded(&mut self) -> Result<Vec<LimitExceeded>> {
        Ok(self.inner.with(|writer| writer.exceeded().to_vec())?)
    }

    /// Completes the database, makes it visible and returns its number of games.
    ///
    /// # Errors
    ///
    /// Returns the errors of the sink; an older database of that name then stays unchanged.
    pub fn finish(self) -> Result<u32> {
        let path = self.path;
        let result = self.inner.finish();
        result.map_err(|error| target_error(error, path.as_deref()))
    }
}

impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer")
            .field("path", &self.path)
            .field("games", &self.games)
            .finish_non_exhaustive()
    }
}

/// Options for writing a database. Created by [`Writer::options`].
#[derive(Clone, Default, Debug)]
pub struct CreateOptions {
    format: Option<FormatName>,
    encoding: Option<CharsetName>,
    allow: Allow,
    base: BaseInfo,
    settings: Vec<(&'static str, String)>,
    replace: bool,
    sources: Vec<chessdb_files::snapshot::Snapshot>,
}

impl CreateOptions {
    /// Sets the format, such as `"cbf"`, instead of the one of the extension.
    #[must_use]
    pub fn format(mut self, format: impl Into<FormatName>) -> CreateOptions {
        self.format = Some(format.into());
        self
    }

    /// Sets the charset of texts, such as `"cp850"`, if the format allows a choice.
    #[must_use]
    pub fn encoding(mut self, charset: impl Into<CharsetName>) -> CreateOptions {
        self.encoding = Some(charset.into());
        self
    }

    /// Sets a setting of this format ([`Format::settings`]).
    #[must_use]
    pub fn setting(mut self, name: &'static str, value: impl Into<String>) -> CreateOptions {
        self.settings.push((name, value.into()));
        self
    }

    /// Sets the losses to accept when the format cannot store something. By default games with
    /// losses are refused.
    #[must_use]
    pub fn allow(mut self, allow: Allow) -> CreateOptions {
        self.allow = allow;
        self
    }

    /// Sets the data of the database as a whole: title, description, names of flags.
    #[must_use]
    pub fn base(mut self, base: BaseInfo) -> CreateOptions {
        self.base = base;
        self
    }

    /// Sets whether an existing database is replaced when the new one is complete.
    #[must_use]
    pub fn replace(mut self, replace: bool) -> CreateOptions {
        self.replace = replace;
        self
    }

    /// Declares that the games come from this database. If its files are replaced,
    /// [`Writer::finish`] fails with [`Problem::Changed`] if another program changed them after it
    /// was opened. Without this, only changes after [`CreateOptions::create`] are noticed.
    #[must_use]
    pub fn source(mut self, db: &crate::Database) -> CreateOptions {
        self.sources.extend(db.snapshot().cloned());
        self
    }

    /// Creates a database at `path`.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`create`] and of [`chessdb_files::filesystem::create`], and an error if the format or
    /// charset is not known.
    pub fn create(self, path: impl AsRef<Path>) -> Result<Writer> {
        let path = path.as_ref();
        let format = format_for(path, self.format.as_ref())
            .map_err(|problem| Error::new(path, problem).while_writing())?;
        let mut sink = chessdb_files::filesystem::create(path, format, self.replace)
            .map_err(Error::while_writing)?;
        for source in &self.sources {
            // The commit fails if another program has changed a source that it replaces.
            sink.guard(Some(source))?;
        }
        let path = sink.path().to_owned();
        self.start(Box::new(sink), format, Some(path))
    }

    /// Creates a database in a sink, such as a [`chessdb_core::MemorySet`].
    ///
    /// # Errors
    ///
    /// Returns an error if no format was set, or if the format or charset is not known.
    pub fn create_in(self, sink: impl FileSink + 'static) -> Result<Writer> {
        let format = self
            .format
            .as_ref()
            .ok_or(Problem::UnknownExtension)?
            .find()?;
        self.start(Box::new(sink), format, None)
    }

    fn start(
        self,
        sink: Box<dyn FileSink>,
        format: &'static Format,
        path: Option<PathBuf>,
    ) -> Result<Writer> {
        let charset = self.encoding.as_ref().map(CharsetName::find).transpose()?;
        let charset = charset.flatten();
        if charset.is_some() && format.charsets == chessdb_core::format::Charsets::Own {
            return Err(Error::from(Problem::FixedCharset(format.name)).while_writing());
        }
        chessdb_files::choices::check_settings(format, &self.settings)?;
        let mut options = WriteOptions::default();
        options.settings = self.settings;
        options.allow = self.allow;
        options.base = self.base;
        options.charset = charset;
        let inner = OwnedWriter::create(sink, format, options)
            .map_err(|error| target_error(error, path.as_deref()))?;
        Ok(Writer {
            inner,
            path,
            games: 0,
        })
    }
}

/// Returns the format that was set, or the one of the extension.
pub(crate) fn format_for(
    path: &Path,
    named: Option<&FormatName>,
) -> Result<&'static Format, Problem> {
    match named {
        Some(format) => format.find(),
        None => chessdb_files::names::suffix_format(path).ok_or(Problem::UnknownExtension),
    }
}
