//! Making a base of games.

use std::fmt;
#[cfg(feature = "fs")]
use std::path::Path;
use std::path::PathBuf;

use chessdb_core::{Allow, BaseInfo, FileSink, Format, LimitExceeded, Losses, WriteOptions};
use chessdb_owned::OwnedWriter;

use crate::error::{Error, Problem, Result, of_target};
use crate::formats::{CharsetName, FormatName};

/// Starts a base at `path`, in the format that its suffix names. Nothing is visible under that name
/// before [`Writer::finish`].
///
/// # Errors
///
/// The base exists already, or the suffix names no format; [`CreateOptions`] can replace and name one.
///
/// ```no_run
/// # fn main() -> Result<(), chessdb::Error> {
/// # let game = chessdb::Game::new();
/// let mut writer = chessdb::create("new.si4")?;
/// writer.write(&game)?;
/// println!("{} games", writer.finish()?);
/// # Ok(()) }
/// ```
#[cfg(feature = "fs")]
pub fn create(path: impl AsRef<Path>) -> Result<Writer> {
    CreateOptions::default().create(path)
}

/// A base that is being written. Dropped before [`Writer::finish`], nothing becomes visible.
pub struct Writer {
    inner: OwnedWriter,
    path: Option<PathBuf>,
    games: u32,
}

impl Writer {
    /// How a base is to be written.
    pub fn options() -> CreateOptions {
        CreateOptions::default()
    }

    /// Appends a game. The answer counts what the format could not hold.
    ///
    /// # Errors
    ///
    /// The format cannot hold something of the game, and [`CreateOptions::allow`] does not allow that
    /// loss: nothing of the game is written, and the writer goes on with the next one. [`Error::game`]
    /// counts the games given to this writer.
    pub fn write(&mut self, game: impl AsRef<chessdb_core::Game>) -> Result<Losses> {
        let number = self.games.saturating_add(1);
        let at = chessdb_core::Location::game(number);
        let result = self.inner.write(game.as_ref());
        let losses = result.map_err(|error| of_target(error.at(at), self.path.as_deref()))?;
        self.games = number;
        Ok(losses)
    }

    /// What the format cannot hold of this game; nothing is written.
    ///
    /// # Errors
    ///
    /// Writing failed before.
    pub fn assess(&mut self, game: impl AsRef<chessdb_core::Game>) -> Result<Losses> {
        Ok(self.inner.with(|writer| writer.assess(game.as_ref()))?)
    }

    /// Limits of old programs that games written so far exceed. Nothing is lost, but those programs may
    /// refuse the base.
    ///
    /// # Errors
    ///
    /// Writing failed before.
    pub fn exceeded(&mut self) -> Result<Vec<LimitExceeded>> {
        Ok(self.inner.with(|writer| writer.exceeded().to_vec())?)
    }

    /// Completes the base and makes it visible; the answer is its number of games.
    ///
    /// # Errors
    ///
    /// Those of the sink; an older base of that name then stays as it was.
    pub fn finish(self) -> Result<u32> {
        let path = self.path;
        let result = self.inner.finish();
        result.map_err(|error| of_target(error, path.as_deref()))
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

/// How a base is written. Made by [`Writer::options`].
#[derive(Clone, Default, Debug)]
pub struct CreateOptions {
    format: Option<FormatName>,
    encoding: Option<CharsetName>,
    allow: Allow,
    base: BaseInfo,
    settings: Vec<(&'static str, String)>,
    #[cfg(feature = "fs")]
    replace: bool,
    #[cfg(feature = "fs")]
    sources: Vec<crate::fs::Snapshot>,
}

impl CreateOptions {
    /// The format, such as `"cbf"`, if the suffix does not say it.
    #[must_use]
    pub fn format(mut self, format: impl Into<FormatName>) -> CreateOptions {
        self.format = Some(format.into());
        self
    }

    /// The charset of texts, such as `"cp850"`, where the format leaves a choice.
    #[must_use]
    pub fn encoding(mut self, charset: impl Into<CharsetName>) -> CreateOptions {
        self.encoding = Some(charset.into());
        self
    }

    /// What only this format lets one choose ([`Format::settings`]).
    #[must_use]
    pub fn setting(mut self, name: &'static str, value: impl Into<String>) -> CreateOptions {
        self.settings.push((name, value.into()));
        self
    }

    /// What may be left out because the format cannot hold it. Without this nothing may: such a game
    /// is refused.
    #[must_use]
    pub fn allow(mut self, allow: Allow) -> CreateOptions {
        self.allow = allow;
        self
    }

    /// What belongs to the base as a whole: title, description, names of flags.
    #[must_use]
    pub fn base(mut self, base: BaseInfo) -> CreateOptions {
        self.base = base;
        self
    }

    /// Whether a base that exists is replaced when the new one is complete.
    #[must_use]
    #[cfg(feature = "fs")]
    pub fn replace(mut self, replace: bool) -> CreateOptions {
        self.replace = replace;
        self
    }

    /// Declares that the games come from this database. If its files are replaced, [`Writer::finish`] fails with
    /// [`Problem::Changed`] if another program changed them after it was opened; without this, only changes after
    /// [`CreateOptions::create`] are noticed.
    #[must_use]
    #[cfg(feature = "fs")]
    pub fn source(mut self, db: &crate::Database) -> CreateOptions {
        self.sources.extend(db.snapshot().cloned());
        self
    }

    /// Starts a base at `path`.
    ///
    /// # Errors
    ///
    /// Those of [`create`] and of [`crate::fs::create`]; a format or charset that is not known.
    #[cfg(feature = "fs")]
    pub fn create(self, path: impl AsRef<Path>) -> Result<Writer> {
        let path = path.as_ref();
        let format = format_for(path, self.format.as_ref())
            .map_err(|problem| Error::new(path, problem).while_writing())?;
        let mut sink =
            crate::fs::create(path, format, self.replace).map_err(Error::while_writing)?;
        for source in &self.sources {
            sink.guard(Some(source))?;
        }
        let path = sink.path().to_owned();
        self.start(Box::new(sink), format, Some(path))
    }

    /// Starts a base in a sink, such as a [`chessdb_core::MemorySet`] in which the files come to lie.
    ///
    /// # Errors
    ///
    /// No format was named; a format or charset that is not known.
    pub fn create_in(self, sink: impl FileSink + 'static) -> Result<Writer> {
        let format = self.format.as_ref().ok_or(Problem::NoSuffix)?.find()?;
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
        if charset.is_some() && format.charsets == chessdb_core::Charsets::Own {
            return Err(Error::from(Problem::OwnCharset(format.name)).while_writing());
        }
        crate::formats::check_settings(format, &self.settings)?;
        let mut options = WriteOptions::default();
        options.settings = self.settings;
        options.allow = self.allow;
        options.base = self.base;
        options.charset = charset;
        let inner = OwnedWriter::create(sink, format, options)
            .map_err(|error| of_target(error, path.as_deref()))?;
        Ok(Writer {
            inner,
            path,
            games: 0,
        })
    }
}

/// The format that was named, or that the suffix names.
#[cfg(feature = "fs")]
pub(crate) fn format_for(
    path: &Path,
    named: Option<&FormatName>,
) -> Result<&'static Format, Problem> {
    match named {
        Some(format) => format.find(),
        None => crate::formats::by_name(path).ok_or(Problem::NoSuffix),
    }
}
