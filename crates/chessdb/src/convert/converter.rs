//! The conversion as programs ask for it: sources, target, choices.

#[cfg(feature = "fs")]
mod append;
mod job;
mod run;

use std::fmt;
use std::io::Write;
#[cfg(feature = "fs")]
use std::path::{Path, PathBuf};
#[cfg(feature = "query")]
use std::sync::Arc;

use chessdb_core::{FileSink, Format, GameStore, LossKind};
#[cfg(feature = "query")]
use chessdb_query::Query;

#[cfg(all(feature = "fs", feature = "parquet"))]
use super::folders::By;
use super::{ConvertOptions, NamesInUse, Observer, OnError, Strictness};
#[cfg(feature = "fs")]
use crate::OpenOptions;
use crate::formats::{CharsetName, FormatName};
#[cfg(feature = "fs")]
use crate::packed::Key;
use crate::{Database, Selection};

/// Bases on their way into a new one: from any format into any other, what gets lost counted.
///
/// The defaults are those of `chessdb convert`: a base that exists is not replaced, what the target
/// cannot hold is left out and reported, of a damaged game the readable part is kept.
///
/// ```
/// use chessdb::{Converter, Database};
/// use chessdb::core::{FileSet, MemorySet, Role};
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
    format: Option<FormatName>,
    encoding: Option<CharsetName>,
    options: ConvertOptions,
    #[cfg(feature = "fs")]
    replace: bool,
    /// What locks a new archive.
    #[cfg(feature = "fs")]
    key: Option<Key>,
    #[cfg(feature = "fs")]
    append: bool,
    #[cfg(feature = "fs")]
    backup: bool,
    /// Remembers the folders that many conversions share.
    #[cfg(feature = "fs")]
    finder: Option<crate::fs::Finder>,
    names: Option<NamesInUse>,
    games_only: bool,
    jobs: Option<usize>,
    observer: Option<&'a mut dyn Observer>,
}

/// Where the games go.
enum Target<'a> {
    #[cfg(feature = "fs")]
    Path(PathBuf),
    #[cfg(all(feature = "fs", feature = "parquet"))]
    Folders(PathBuf, By),
    Sink(&'a mut dyn FileSink),
    Writer(Box<dyn Write + 'a>),
}

/// Where games come from. What is not open yet is opened when its turn has come, and closed after it.
enum Input<'a> {
    Open(&'a Database, Option<Selection>),
    #[cfg(feature = "fs")]
    Path(PathBuf, OpenOptions),
    #[cfg(feature = "fs")]
    FoundDatabase(crate::fs::FoundDatabase, OpenOptions),
    Store(&'a dyn GameStore, Option<&'static Format>),
}

impl<'a> Converter<'a> {
    /// Into a base at `path`, in the format that its suffix names; packed if it ends in `.gz`, `.zst` or
    /// `.cbv`. It becomes visible when it is complete; an older base of that name is an error unless
    /// [`Converter::replace`] is set.
    #[cfg(feature = "fs")]
    pub fn to(path: impl AsRef<Path>) -> Converter<'a> {
        Converter::new(Target::Path(path.as_ref().to_owned()))
    }

    /// Into a folder of Parquet tables, divided into folders by year, opening or base as engines expect them:
    /// `games/year=1985/part-00000.parquet`. It becomes visible as a whole when it is complete; an older
    /// folder of such tables is an error unless [`Converter::replace`] is set.
    #[cfg(all(feature = "fs", feature = "parquet"))]
    pub fn to_folders(path: impl AsRef<Path>, by: By) -> Converter<'a> {
        Converter::new(Target::Folders(path.as_ref().to_owned(), by))
    }

    /// Into a sink, such as a [`chessdb_core::MemorySet`]; [`Converter::format`] says the format.
    pub fn to_sink(sink: &'a mut dyn FileSink) -> Converter<'a> {
        Converter::new(Target::Sink(sink))
    }

    /// Into a stream, in a format of one file; [`Converter::format`] says which. With
    /// [`Converter::strict`] or [`OnError::Stop`] nothing is written before the conversion is known to
    /// succeed.
    pub fn to_writer(out: impl Write + 'a) -> Converter<'a> {
        Converter::new(Target::Writer(Box::new(out)))
    }

    fn new(target: Target<'a>) -> Converter<'a> {
        Converter {
            target,
            sources: Vec::new(),
            format: None,
            encoding: None,
            options: ConvertOptions::default(),
            #[cfg(feature = "fs")]
            replace: false,
            #[cfg(feature = "fs")]
            key: None,
            #[cfg(feature = "fs")]
            append: false,
            #[cfg(feature = "fs")]
            backup: false,
            #[cfg(feature = "fs")]
            finder: None,
            names: None,
            games_only: false,
            jobs: None,
            observer: None,
        }
    }

    /// Adds the games of a base. Several are joined in their order.
    pub fn add_database(mut self, db: &'a Database) -> Converter<'a> {
        self.sources.push(Input::Open(db, None));
        self
    }

    /// Adds these games of a base, in the order of the selection, whatever [`Converter::select`] says of
    /// the others. What belongs to the base as a whole is that of the games taken.
    pub fn add_selected(
        mut self,
        db: &'a Database,
        selection: impl Into<Selection>,
    ) -> Converter<'a> {
        self.sources.push(Input::Open(db, Some(selection.into())));
        self
    }

    /// Adds the base that a path stands for. It is looked for before the target is touched, but opened
    /// only when its turn has come, so that many bases take the memory of one.
    #[cfg(feature = "fs")]
    pub fn add_path(mut self, path: impl AsRef<Path>, options: OpenOptions) -> Converter<'a> {
        self.sources
            .push(Input::Path(path.as_ref().to_owned(), options));
        self
    }

    /// The same with a base that was found already.
    #[cfg(feature = "fs")]
    pub fn add_found(
        mut self,
        found: crate::fs::FoundDatabase,
        options: OpenOptions,
    ) -> Converter<'a> {
        self.sources.push(Input::FoundDatabase(found, options));
        self
    }

    /// Adds the games of a store of the caller's own. If it is of the target's format, and the only
    /// source, it is rewritten: tables of names go along.
    pub fn add_store(
        mut self,
        store: &'a dyn GameStore,
        format: Option<&'static Format>,
    ) -> Converter<'a> {
        self.sources.push(Input::Store(store, format));
        self
    }

    /// The format to write, such as `"cbf"`, if the suffix of the target does not say it.
    pub fn format(mut self, format: impl Into<FormatName>) -> Converter<'a> {
        self.format = Some(format.into());
        self
    }

    /// The charset to write texts in, such as `"cp850"`, where the format takes any. Without it, and
    /// with `"auto"`, texts stay as they are, or are in the format's own; if a base of that format has
    /// one page, it is the one that has most of the letters ([`super::Report::written_in`]).
    pub fn encoding(mut self, charset: impl Into<CharsetName>) -> Converter<'a> {
        self.encoding = Some(charset.into());
        self
    }

    /// Whether letters that the page of the target lacks are put into such as it has, which is counted
    /// as [`chessdb_core::LossKind::Transliterated`], and not into question marks.
    #[cfg(feature = "ascii")]
    pub fn ascii(mut self, ascii: bool) -> Converter<'a> {
        self.options.ascii = ascii;
        self
    }

    /// What only the target's format lets one choose ([`Format::settings`]), such as the `columns` of a
    /// table.
    pub fn setting(mut self, name: &'static str, value: impl Into<String>) -> Converter<'a> {
        self.options.settings.push((name, value.into()));
        self
    }

    /// Whether any loss means that nothing is written, or which losses do ([`Strictness`]).
    pub fn strict(mut self, strict: impl Into<Strictness>) -> Converter<'a> {
        self.options.strict = strict.into();
        self
    }

    /// Kinds of loss that [`Converter::strict`] lets pass.
    pub fn allow(mut self, kinds: impl IntoIterator<Item = LossKind>) -> Converter<'a> {
        self.options.allowed.extend(kinds);
        self
    }

    /// What becomes of damaged games.
    pub fn on_error(mut self, on_error: OnError) -> Converter<'a> {
        self.options.on_error = on_error;
        self
    }

    /// Only these games of each source.
    pub fn select(mut self, selection: impl Into<Selection>) -> Converter<'a> {
        self.options.choice.selection = selection.into();
        self
    }

    /// Only games that fit, of each source.
    #[cfg(feature = "query")]
    pub fn filter(mut self, query: impl Into<Arc<Query>>) -> Converter<'a> {
        let query = query.into();
        self.options.choice.query = (!query.is_empty()).then_some(query);
        self
    }

    /// Whether games marked as deleted are left out.
    pub fn drop_deleted(mut self, drop: bool) -> Converter<'a> {
        self.options.drop_deleted = drop;
        self
    }

    /// Whether what a base says of itself (title, description, tables of names) is left out without
    /// being counted as lost.
    pub fn games_only(mut self, games_only: bool) -> Converter<'a> {
        self.games_only = games_only;
        self
    }

    /// Whether a base that exists at the target is replaced when the new one is complete.
    #[cfg(feature = "fs")]
    pub fn replace(mut self, replace: bool) -> Converter<'a> {
        self.replace = replace;
        self
    }

    /// The password of an archive of ChessBase that locks it: of a target that ends in `.cbz`. Such a
    /// target, and one that ends in `.cbv`, holds all files of the base.
    #[cfg(feature = "fs")]
    pub fn password(mut self, password: &str) -> Converter<'a> {
        self.key = crate::packed::key_of(password);
        self
    }

    /// Whether games are put behind those of a base that exists at the target, which goes on saying of itself
    /// what it said. Where its format and the base allow it ([`Format::append`]) this costs as much
    /// as the new games; otherwise it is written again, and of the games that were there nothing may
    /// be lost. The format is that of the base.
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
    #[cfg(feature = "fs")]
    pub fn append(mut self, append: bool) -> Converter<'a> {
        self.append = append;
        self
    }

    /// Whether a base that is replaced or gone on with is copied before ([`super::Report::backups`]).
    #[cfg(feature = "fs")]
    pub fn backup(mut self, backup: bool) -> Converter<'a> {
        self.backup = backup;
        self
    }

    /// Shares what is known of the folders of sources and target: many conversions that share it list each folder
    /// once. Other programs' files that differ from the target's in capitals only are then noticed if they were
    /// there at the beginning.
    #[cfg(feature = "fs")]
    pub fn finder(mut self, finder: crate::fs::Finder) -> Converter<'a> {
        self.finder = Some(finder);
        self
    }

    /// The names in use, if a base that is written again in its own format is to lose all others.
    pub fn names_in_use(mut self, names: NamesInUse) -> Converter<'a> {
        self.names = Some(names);
        self
    }

    /// How many threads read; 0, the default, is one per processor. The new base is the same with any
    /// number.
    #[cfg(feature = "threads")]
    pub fn jobs(mut self, jobs: usize) -> Converter<'a> {
        self.jobs = Some(crate::parallel::threads(jobs));
        self
    }

    /// An observer that sees every game, loss and fault as it comes, and may end the conversion.
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
    /// The files of a source as they were before it was read.
    #[cfg(feature = "fs")]
    fn snapshot(&self) -> Option<&crate::fs::Snapshot> {
        match self {
            Input::Open(db, _) => db.snapshot(),
            Input::FoundDatabase(found, _) => Some(found.snapshot()),
            Input::Path(..) | Input::Store(..) => None,
        }
    }

    fn format(&self) -> Option<&'static Format> {
        match self {
            Input::Open(db, _) => Some(db.format()),
            #[cfg(feature = "fs")]
            Input::Path(..) => None,
            #[cfg(feature = "fs")]
            Input::FoundDatabase(found, _) => Some(found.format()),
            Input::Store(_, format) => *format,
        }
    }
}
