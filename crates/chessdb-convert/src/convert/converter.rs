//! The conversion API: sources, target and options.

mod append;
pub(super) mod execution;

use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chessdb_core::files::FileSink;
use chessdb_core::model::NameRole;
use chessdb_core::{Format, GameStore, LossKind};
use chessdb_database::{Database, OpenOptions, Selection};
use chessdb_files::choices::{CharsetName, FormatName};
use chessdb_files::filesystem::DirSink;
use chessdb_query::Query;

#[cfg(feature = "parquet")]
use super::folders::PartitionBy;
use super::options::ConvertOptions;
use super::{NamesInUse, Observer, OnError, Strictness};

/// A conversion of one or several databases into a new one, in any formats, with a count of all
/// losses.
///
/// The defaults are the same as for `chessdb convert`: an existing database is not replaced, data
/// the target cannot store is left out and reported, and the readable part of damaged games is
/// kept.
///
/// ```
/// use chessdb::core::files::Role;
/// use chessdb::core::{FileSet, MemorySet};
/// use chessdb::{Converter, Database};
///
/// # fn main() -> Result<(), chessdb::Error> {
/// let db = Database::options().open_files([("a.pgn", &b"1. e4 {best by test} e5 *"[..])])?;
/// let mut files = MemorySet::new();
/// let report = Converter::to_sink(&mut files).format("si4").add_database(&db).run()?;
/// assert_eq!(report.written(), 1);
/// assert!(files.get(Role("sg4")).is_some());
/// # Ok(()) }
/// ```
#[must_use]
pub struct Converter<'a> {
    target: Target<'a>,
    sources: Vec<Input<'a>>,
    options: ConvertOptions,
    observer: Option<&'a mut dyn Observer>,
}

/// The destination of the games.
enum Target<'a> {
    Path(PathBuf),
    #[cfg(feature = "parquet")]
    Folders(PathBuf, PartitionBy),
    Sink(&'a mut dyn FileSink),
    /// The files of the only source, which are changed in place if possible.
    Existing(&'a mut DirSink),
    Writer(Box<dyn Write + 'a>),
}

/// A source of games. Sources that are not open are opened one at a time.
pub(super) enum Input<'a> {
    Open(&'a Database, Option<Selection>),
    Path(PathBuf, OpenOptions),
    Found(Box<chessdb_files::filesystem::FoundDatabase>, OpenOptions),
    Store(&'a dyn GameStore, Option<&'static Format>),
}

impl<'a> Converter<'a> {
    /// Creates a conversion into a database at `path`, in the format of its extension, packed if it
    /// ends in `.gz`, `.zst` or `.cbv`. The database becomes visible when it is complete. An older
    /// database of that name is an error unless [`Converter::replace`] is set.
    pub fn to(path: impl AsRef<Path>) -> Converter<'a> {
        Converter::new(Target::Path(path.as_ref().to_owned()))
    }

    /// Creates a conversion into a folder of Parquet tables, divided into subfolders by year,
    /// opening or database in the layout that query engines read:
    /// `games/year=1985/part-00000.parquet`. The folder becomes visible as a whole when it is
    /// complete. An older folder of tables is an error unless [`Converter::replace`] is set.
    #[cfg(feature = "parquet")]
    pub fn to_folders(path: impl AsRef<Path>, by: PartitionBy) -> Converter<'a> {
        Converter::new(Target::Folders(path.as_ref().to_owned(), by))
    }

    /// Creates a conversion into a sink, such as a [`chessdb_core::MemorySet`], in the format of
    /// [`Converter::format`].
    pub fn to_sink(sink: &'a mut dyn FileSink) -> Converter<'a> {
        Converter::new(Target::Sink(sink))
    }

    /// Creates a change of an existing database, which is the only source.
    pub(super) fn to_existing(sink: &'a mut DirSink) -> Converter<'a> {
        Converter::new(Target::Existing(sink))
    }

    /// Creates a conversion into a stream, in a format with one file that [`Converter::format`]
    /// sets. With [`Converter::strict`] or [`OnError::Stop`], nothing is written until the
    /// conversion is known to succeed.
    pub fn to_writer(out: impl Write + 'a) -> Converter<'a> {
        Converter::new(Target::Writer(Box::new(out)))
    }

    fn new(target: Target<'a>) -> Converter<'a> {
        Converter {
            target,
            sources: Vec::new(),
            options: ConvertOptions::default(),
            observer: None,
        }
    }

    /// Adds the games of a database. The games of several databases are joined in order.
    pub fn add_database(mut self, db: &'a Database) -> Converter<'a> {
        self.sources.push(Input::Open(db, None));
        self
    }

    /// Adds these games of a database, in the order of the selection, instead of the games of
    /// [`Converter::select`]. Data of the database as a whole is treated as for a part of its
    /// games.
    pub fn add_selected(
        mut self,
        db: &'a Database,
        selection: impl Into<Selection>,
    ) -> Converter<'a> {
        self.sources.push(Input::Open(db, Some(selection.into())));
        self
    }

    /// Adds the database at a path. It is located before the target is touched, but opened only
    /// when its turn comes, so that many databases take the memory of one.
    pub fn add_path(mut self, path: impl AsRef<Path>, options: OpenOptions) -> Converter<'a> {
        self.sources
            .push(Input::Path(path.as_ref().to_owned(), options));
        self
    }

    /// Adds a database that was already located; like [`Converter::add_path`].
    pub fn add_found(
        mut self,
        database: chessdb_files::filesystem::FoundDatabase,
        options: OpenOptions,
    ) -> Converter<'a> {
        self.sources.push(Input::Found(Box::new(database), options));
        self
    }

    /// Adds the games of the caller's own store. If it is the only source and has the format of the
    /// target, the database is rewritten: name tables are copied.
    pub fn add_store(
        mut self,
        store: &'a dyn GameStore,
        format: Option<&'static Format>,
    ) -> Converter<'a> {
        self.sources.push(Input::Store(store, format));
        self
    }

    /// Sets the format to write, such as `"cbf"`, instead of the one of the target's extension.
    pub fn format(mut self, format: impl Into<FormatName>) -> Converter<'a> {
        self.options.format = Some(format.into());
        self
    }

    /// Sets the charset of texts, such as `"cp850"`, if the format allows any. By default, and with
    /// `"auto"`, texts stay as they are or use the format's own charset. If the texts of a database
    /// in this format share one code page, the one with the most letters is chosen
    /// ([`super::Report::written_in`]).
    pub fn encoding(mut self, charset: impl Into<CharsetName>) -> Converter<'a> {
        self.options.encoding = Some(charset.into());
        self
    }

    /// Sets whether letters that the target's code page lacks are transliterated instead of
    /// replaced by question marks. This is counted as [`chessdb_core::LossKind::Transliterated`].
    #[cfg(feature = "ascii")]
    pub fn ascii(mut self, ascii: bool) -> Converter<'a> {
        self.options.ascii = ascii;
        self
    }

    /// Sets a setting of the target's format ([`Format::settings`]), such as the `columns` of a
    /// table.
    pub fn setting(mut self, name: &'static str, value: impl Into<String>) -> Converter<'a> {
        self.options.settings.push((name, value.into()));
        self
    }

    /// Sets the losses for which nothing is written: any (`true`), none, or by kind
    /// ([`Strictness`]).
    pub fn strict(mut self, strict: impl Into<Strictness>) -> Converter<'a> {
        self.options.strict = strict.into();
        self
    }

    /// Sets kinds of loss that [`Converter::strict`] accepts.
    pub fn allow(mut self, kinds: impl IntoIterator<Item = LossKind>) -> Converter<'a> {
        self.options.allowed.extend(kinds);
        self
    }

    /// Sets how damaged games are treated.
    pub fn on_error(mut self, on_error: OnError) -> Converter<'a> {
        self.options.on_error = on_error;
        self
    }

    /// Restricts the conversion to these games of each source.
    pub fn select(mut self, selection: impl Into<Selection>) -> Converter<'a> {
        self.options.request.selection = selection.into();
        self
    }

    /// Restricts the conversion to the games of each source that match.
    pub fn filter(mut self, query: impl Into<Arc<Query>>) -> Converter<'a> {
        let query = query.into();
        self.options.request.query = (!query.is_empty()).then_some(query);
        self
    }

    /// Sets whether games marked as deleted are left out.
    pub fn drop_deleted(mut self, drop: bool) -> Converter<'a> {
        self.options.drop_deleted = drop;
        self
    }

    /// Sets whether the data of databases as a whole (title, description, name tables) is left out
    /// without being counted as lost.
    pub fn games_only(mut self, games_only: bool) -> Converter<'a> {
        self.options.games_only = games_only;
        self
    }

    /// Sets whether an existing database at the target is replaced when the new one is complete.
    pub fn replace(mut self, replace: bool) -> Converter<'a> {
        self.options.replace = replace;
        self
    }

    /// Sets whether the conversion changes a database in place. If the format supports it
    /// ([`Format::change`]) and only the observer changes games, nothing else is written
    /// ([`super::Report::changed`]), and `chessdb undo` takes the change back. Of a damaged game only
    /// the marks can change, in formats that store them apart from the moves.
    ///
    /// Otherwise the database is rewritten. In a text format or a SQLite file, games that are not
    /// changed keep their bytes or their row, and of changed ones only the difference is written. A
    /// SQLite file also keeps everything else. Damaged games are then copied
    /// ([`super::Report::carried`]). In other formats a damaged game that is not replaced
    /// ([`super::Observer::replacement`]) is an error.
    pub fn in_place(mut self, in_place: bool) -> Converter<'a> {
        self.options.keeps_text = in_place;
        self
    }

    /// Adds games that follow those of the database that is changed in place ([`Editor::converter`]).
    /// The observer does not change them. They are part of the same change.
    ///
    /// [`Editor::converter`]: super::Editor::converter
    pub fn append_games(mut self, games: &'a dyn GameStore) -> Converter<'a> {
        self.sources.push(Input::Store(games, None));
        self.options.appends = true;
        self
    }

    /// States that the observer only replaces these names (role, old and new spelling), in all games
    /// that have them ([`Converter::edit_only`]). A change in place then changes the table of names
    /// and no game, if the format has such a table and the new names are not in it.
    pub fn renames(
        mut self,
        names: impl IntoIterator<Item = (NameRole, String, String)>,
    ) -> Converter<'a> {
        self.options.renames = names.into_iter().collect();
        self
    }

    /// Restricts the changes of the observer to these games. All games are still written; a change in
    /// place reads only these.
    pub fn edit_only(mut self, games: impl Into<Selection>) -> Converter<'a> {
        self.options.edited = Some(games.into());
        self
    }

    /// Sets the password of a password-protected ChessBase archive, for a target that ends in
    /// `.cbz`. Such a target, and one that ends in `.cbv`, contains all files of the database.
    pub fn password(mut self, password: &str) -> Converter<'a> {
        self.options.key = chessdb_files::packed::key_of(password);
        self
    }

    /// Sets whether the games are appended to an existing database at the target, which keeps its
    /// own description and format. If the format and the database allow it ([`Format::append`]),
    /// the time is proportional to the new games. Otherwise the database is rewritten, and no data
    /// of its existing games may be lost.
    ///
    /// ```
    /// use chessdb::{Converter, Database};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("base.si4");
    /// let db = Database::options().open_files([("a.pgn", &b"1. e4 e5 *"[..])])?;
    /// for games in 1..=3 {
    ///     Converter::to(&path).append(true).add_database(&db).run()?;
    ///     assert_eq!(Database::open(&path)?.len()?, games);
    /// }
    /// # Ok(()) }
    /// ```
    pub fn append(mut self, append: bool) -> Converter<'a> {
        self.options.append = append;
        self
    }

    /// Sets whether a database is backed up before it is replaced or appended to
    /// ([`super::Report::backups`]).
    pub fn backup(mut self, backup: bool) -> Converter<'a> {
        self.options.backup = backup;
        self
    }

    /// Sets the command that `chessdb undo` shows for a change in place.
    pub fn command(mut self, command: &str) -> Converter<'a> {
        self.options.command = Some(command.to_owned());
        self
    }

    /// Sets whether appending or a change in place can be undone, which is the default. Otherwise nothing stays
    /// next to the database.
    pub fn keep_undo(mut self, keep: bool) -> Converter<'a> {
        self.options.drops_undo = !keep;
        self
    }

    /// Sets a shared cache of the folders of sources and target: many conversions that share it
    /// list each folder once. Other programs' files with names that differ from the target's only
    /// in case are then noticed only if they existed at the start.
    pub fn finder(mut self, finder: chessdb_files::filesystem::Finder) -> Converter<'a> {
        self.options.finder = Some(finder);
        self
    }

    /// Sets the names in use. All other names are removed if the database is rewritten in its own
    /// format.
    pub fn names_in_use(mut self, names: NamesInUse) -> Converter<'a> {
        self.options.names = Some(names);
        self
    }

    /// Sets the number of reader threads; 0, the default, is one per processor. The new database
    /// does not depend on it.
    pub fn jobs(mut self, jobs: usize) -> Converter<'a> {
        self.options.jobs = Some(chessdb_database::threads(jobs));
        self
    }

    /// Sets an observer that is notified of every game, loss and diagnostic and can interrupt the
    /// conversion.
    pub fn observer(mut self, observer: &'a mut dyn Observer) -> Converter<'a> {
        self.observer = Some(observer);
        self
    }
}

impl fmt::Debug for Converter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Converter")
            .field("sources", &self.sources.len())
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl Input<'_> {
    /// Returns the state of the files of a source before it was read.
    fn snapshot(&self) -> Option<&chessdb_files::snapshot::Snapshot> {
        match self {
            Input::Open(db, _) => db.snapshot(),
            Input::Found(database, _) => Some(database.snapshot()),
            Input::Path(..) | Input::Store(..) => None,
        }
    }

    /// Returns the games of the caller's own store.
    fn store(&self) -> Option<&dyn GameStore> {
        match self {
            Input::Store(store, _) => Some(*store),
            Input::Open(..) | Input::Path(..) | Input::Found(..) => None,
        }
    }

    fn format(&self) -> Option<&'static Format> {
        match self {
            Input::Open(db, _) => Some(db.format()),
            Input::Path(..) => None,
            Input::Found(database, _) => Some(database.format()),
            Input::Store(_, format) => *format,
        }
    }
}
