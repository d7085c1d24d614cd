//! Options for opening a database.

mod opening;

use chessdb_core::limits::Limits;
use chessdb_core::options::Mode;
use chessdb_core::{Format, ReadOptions};
use chessdb_files::choices::{CharsetName, FormatName};
use chessdb_files::error::{Problem, Result};
use chessdb_files::format_hint::FormatHint;
use chessdb_files::packed::{self, Key, Progress};
use chessdb_formats::FORMATS;

use super::{Fields, TextField};

/// Options for opening a database. Created by [`Database::options`](super::Database::options).
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
    unpacking: bool,
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
    /// default, it is guessed from all of them ([`Database::charset`](super::Database::charset)).
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
    /// which is returned once ([`Database::salvaged`](super::Database::salvaged)). Opening then
    /// reads every game.
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

    /// Sets whether the index file of the database
    /// ([`Database::write_index`](super::Database::write_index)) is used, if it exists and is up to
    /// date. Searches by [`crate::Scan::filter`] then exclude games with it, and games of a large
    /// PGN file, otherwise a stream, can be accessed by number. Results do not change, even if the
    /// index is damaged. [`Database::indexed`](super::Database::indexed) returns its state.
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

    /// Sets whether a packed database of one file with at most 64 MiB is unpacked into memory. Its
    /// games then have numbers, and it is not a stream.
    #[must_use]
    pub fn unpacking(mut self, unpacking: bool) -> OpenOptions {
        self.unpacking = unpacking;
        self
    }

    /// States that this program will not change or replace the files while the database is open: only
    /// then are large files memory-mapped on Windows ([`FormatHint::is_read_only`]).
    #[must_use]
    pub fn read_only(mut self, read_only: bool) -> OpenOptions {
        self.read_only = read_only;
        self
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
