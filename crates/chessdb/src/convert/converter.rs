//! The conversion as programs ask for it: sources, target, choices.
// tidy: long because one type, with the choices that a conversion has

use std::collections::BTreeSet;
use std::fmt;
use std::io::Write;
use std::path::Path;
#[cfg(feature = "fs")]
use std::path::PathBuf;
#[cfg(feature = "query")]
use std::sync::Arc;

use chessdb_core::{BaseInfo, Charset, Charsets, FileSink, Format, GameStore, LossKind};
#[cfg(feature = "query")]
use chessdb_query::Query;

use super::charset::choose;
#[cfg(all(feature = "fs", feature = "parquet"))]
use super::folders::{By, FOLDERS, Place};
use super::{
    Conversion, ConvertOptions, Failure, NamesInUse, Observer, OnError, Report, Share, Source,
    Strictness, base_for_target,
};
#[cfg(feature = "fs")]
use crate::OpenOptions;
use crate::database::texts_of;
use crate::error::{Error, Problem, Result, of_target};
use crate::formats::{CharsetName, FormatName, writing_charset};
#[cfg(all(feature = "fs", feature = "archives", feature = "cbh"))]
use crate::packed::ArchiveSink;
#[cfg(feature = "fs")]
use crate::packed::{Key, Method};
use crate::sinks::StreamSink;
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
    Found(crate::fs::Found, OpenOptions),
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
    pub fn add_found(mut self, found: crate::fs::Found, options: OpenOptions) -> Converter<'a> {
        self.sources.push(Input::Found(found, options));
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
    /// one page, it is the one that has most of the letters ([`Report::written_in`]).
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

    /// Whether a base that is replaced or gone on with is copied before ([`Report::backups`]).
    #[cfg(feature = "fs")]
    pub fn backup(mut self, backup: bool) -> Converter<'a> {
        self.backup = backup;
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

    /// Converts.
    ///
    /// # Errors
    ///
    /// A source that cannot be read as a whole, or a damaged game with [`OnError::Stop`]; a target that
    /// cannot be written ([`Error::is_about_writing`]); losses where [`Converter::strict`] forbids them,
    /// or none of the selected games exists ([`Error::report`]). The target is then as it was.
    pub fn run(mut self) -> Result<Report> {
        #[cfg(feature = "fs")]
        if let (true, Target::Path(path)) = (self.append, &self.target) {
            // What the suffix names need not be read to be judged.
            let named = crate::formats::by_name(path);
            match crate::fs::find_as(path, named) {
                Ok(found) => return self.run_behind(&found),
                // A base that is not there has no games, so that these are its first.
                Err(error) if matches!(error.problem(), Problem::NotFound) => {}
                Err(error) => return Err(error.while_writing()),
            }
        }
        let format = self.target_format()?;
        if self.encoding.is_some() && format.charsets == Charsets::Own {
            return Err(Error::from(Problem::OwnCharset(format.name)).while_writing());
        }
        crate::formats::check_settings(format, &self.options.settings)?;
        // Sources first: a name that does not exist must not leave a lock or an empty target.
        self.find_sources()?;
        let formats: Vec<&Format> = self.sources.iter().filter_map(Input::format).collect();
        let written = match &self.encoding {
            Some(charset) => charset.find()?,
            None if formats.len() == self.sources.len() => {
                writing_charset(&formats, format, self.read_in()?)
            }
            None => None,
        };
        self.options.charset = written;
        #[cfg(all(feature = "fs", feature = "parquet"))]
        let place = match &self.target {
            Target::Folders(path, by) => {
                let place = Place::new(path, self.replace).map_err(Error::while_writing)?;
                self.options.settings.extend(place.settings(*by));
                Some(place)
            }
            _ => None,
        };
        let jobs = self.jobs;
        self.options.jobs = jobs.unwrap_or_else(default_jobs);
        let Converter {
            target,
            sources,
            options,
            games_only,
            observer,
            names,
            #[cfg(feature = "fs")]
            replace,
            #[cfg(feature = "fs")]
            key,
            #[cfg(feature = "fs")]
            backup,
            ..
        } = self;
        let hold_back = options.is_strict() || options.on_error == OnError::Stop;
        let alone = sources.len() == 1;
        let others = match format.pages {
            [] => BTreeSet::new(),
            _ => sources.iter().skip(1).flat_map(texts_of_source).collect(),
        };
        let mut nobody = ();
        let observer = observer.unwrap_or(&mut nobody);
        let run = |sink: &mut dyn FileSink, target: Option<&Path>| {
            let job = Job {
                format,
                options,
                games_only,
                alone,
                others,
                observer,
                names,
                target,
                sink: Some(sink),
                running: None,
            };
            job.run(sources)
        };
        // Without archives there is nothing to lock.
        #[cfg(all(feature = "fs", not(all(feature = "archives", feature = "cbh"))))]
        let _ = key;
        match target {
            #[cfg(feature = "fs")]
            Target::Path(path) => {
                let method = Method::by_suffix(&path);
                let sink = match method {
                    #[cfg(all(feature = "archives", feature = "cbh"))]
                    Some(Method::Archive { locked }) if locked && key.is_none() => {
                        let problem =
                            Problem::Packed("needs the password that it is to be locked with");
                        return Err(Error::new(&path, problem).while_writing());
                    }
                    #[cfg(all(feature = "archives", feature = "cbh"))]
                    Some(Method::Archive { .. }) => {
                        crate::fs::create_files(&path, &[crate::packed::ARCHIVE], replace)
                    }
                    _ => crate::fs::create(path, format, replace),
                };
                let mut sink = sink.map_err(Error::while_writing)?;
                sink.keep_old(backup);
                let path = sink.path().to_owned();
                let mut report = match method {
                    None => run(&mut sink, Some(&path))?,
                    #[cfg(all(feature = "archives", feature = "cbh"))]
                    Some(Method::Archive { locked }) => {
                        let name = path.file_name().unwrap_or_default();
                        let key = key.filter(|_| locked);
                        let mut sink = ArchiveSink::new(&mut sink, name, key);
                        run(&mut sink, Some(&path))?
                    }
                    Some(method) => {
                        let mut sink = packed(&mut sink, format, method)
                            .map_err(|problem| Error::new(&path, problem).while_writing())?;
                        run(&mut sink, Some(&path))?
                    }
                };
                report.target = Some(path);
                report.backups = sink.backups().to_vec();
                checked(report)
            }
            #[cfg(all(feature = "fs", feature = "parquet"))]
            Target::Folders(path, _) => {
                let mut report = run(&mut chessdb_core::MemorySet::new(), Some(&path))?;
                if !report.is_refused() {
                    if let Some(place) = place {
                        place.commit().map_err(Error::while_writing)?;
                    }
                    report.target = Some(path);
                }
                checked(report)
            }
            Target::Sink(sink) => checked(run(sink, None)?),
            Target::Writer(_) if format.roles.len() != 1 => {
                Err(Error::from(Problem::SeveralFiles(format.name)).while_writing())
            }
            // Nothing may appear before it is known that nothing gets lost.
            Target::Writer(out) if hold_back => {
                let mut sink = spool(out).map_err(|error| Error::from(error).while_writing())?;
                checked(run(&mut sink, None)?)
            }
            Target::Writer(out) => checked(run(&mut StreamSink::new(out), None)?),
        }
    }

    /// Puts the games behind those of a base.
    #[cfg(feature = "fs")]
    fn run_behind(mut self, found: &crate::fs::Found) -> Result<Report> {
        let format = found.format();
        let failed = |problem| Error::new(found.path(), problem).while_writing();
        if let Some(named) = &self.format
            && named.find().map_err(failed)?.id != format.id
        {
            return Err(failed(Problem::OtherFormat(format.name)));
        }
        if found.is_packed() || found.is_pipe() {
            let what = "cannot be gone on with as it is packed; unpack it first";
            return Err(failed(Problem::Packed(what)));
        }
        let written = match &self.encoding {
            Some(charset) if format.charsets != Charsets::Own => charset.find()?,
            Some(_) => return Err(failed(Problem::OwnCharset(format.name))),
            None => None,
        };
        self.find_sources()?;
        let path = found.files().first().map_or(found.path(), |(_, path)| path);
        let mut sink = crate::fs::create(path, format, true).map_err(Error::while_writing)?;
        sink.keep_old(self.backup);
        let path = sink.path().to_owned();
        self.options.charset = written;
        let mut options = chessdb_core::WriteOptions::default();
        options.allow = chessdb_core::Allow::Everything;
        options.charset = written;
        options.settings.clone_from(&self.options.settings);
        let mut converter = Some(self);
        let in_place = {
            let writer = format.append.map(|append| append(&mut sink, options));
            let writer = writer.transpose();
            match writer
                .map_err(|error| of_target(error, Some(&path)))?
                .flatten()
            {
                Some(writer) => converter.take().map(|converter| {
                    converter.go_on(format, &path, |job| {
                        let options = job.options.clone();
                        let mut running = Conversion::of(writer, options, Report::default());
                        running.was_there = true;
                        job.running = Some(running);
                        Ok(())
                    })
                }),
                None => None,
            }
        };
        if let Some(report) = in_place {
            return behind(report?, &sink, &path);
        }
        let Some(converter) = converter else {
            return Err(Problem::Interrupted.into());
        };
        // All of it again. What stands there now is under our lock.
        let old = OpenOptions::default().for_target(format).open(&path)?;
        let kept = converter.sources.len();
        let report = converter.go_on(format, &path, |job| {
            job.options.kept = Some(kept);
            job.sink = Some(&mut sink);
            job.take(kept, &old, None)
        });
        behind(report?, &sink, &path)
    }

    /// Writes the games behind others, after what `begin` does.
    #[cfg(feature = "fs")]
    fn go_on<'j>(
        self,
        format: &'static Format,
        target: &'j Path,
        begin: impl FnOnce(&mut Job<'j>) -> Result<()>,
    ) -> Result<Report>
    where
        'a: 'j,
    {
        let mut options = self.options;
        options.jobs = self.jobs.unwrap_or_else(default_jobs);
        let observer: &mut dyn Observer = match self.observer {
            Some(observer) => observer,
            // Nothing that would take memory.
            None => Box::leak(Box::new(())),
        };
        let mut job = Job {
            format,
            options,
            games_only: self.games_only,
            alone: false,
            others: BTreeSet::new(),
            names: None,
            observer,
            target: Some(target),
            sink: None,
            running: None,
        };
        begin(&mut job)?;
        job.run(self.sources)
    }

    fn target_format(&self) -> Result<&'static Format> {
        #[cfg(all(feature = "fs", feature = "parquet"))]
        if let Target::Folders(..) = self.target {
            return Ok(&FOLDERS);
        }
        let named = self.format.as_ref();
        let found = match &self.target {
            #[cfg(feature = "fs")]
            Target::Path(path) => {
                let found = match named {
                    Some(format) => format.find(),
                    None => crate::formats::target_format(path).ok_or(Problem::NoSuffix),
                };
                found.map_err(|problem| Error::new(path, problem))
            }
            _ => named
                .ok_or(Problem::NoSuffix)
                .and_then(FormatName::find)
                .map_err(Error::from),
        };
        found.map_err(Error::while_writing)
    }

    fn find_sources(&mut self) -> Result<()> {
        #[cfg(feature = "fs")]
        for source in &mut self.sources {
            if let Input::Path(path, options) = source {
                let found = crate::fs::find_as(path, options.wanted()?)?;
                *source = Input::Found(found, options.clone());
            }
        }
        Ok(())
    }

    /// The charset that was named for all sources, if it is the same.
    fn read_in(&self) -> Result<Option<Charset>> {
        let mut all = None;
        for source in &self.sources {
            let charset = match source {
                Input::Open(db, _) => db.reading().charset,
                #[cfg(feature = "fs")]
                Input::Path(_, options) | Input::Found(_, options) => options.reading()?.charset,
                Input::Store(..) => None,
            };
            if *all.get_or_insert(charset) != charset {
                return Ok(None);
            }
        }
        Ok(all.flatten())
    }
}

/// The report about games that were put behind others.
#[cfg(feature = "fs")]
fn behind(mut report: Report, sink: &crate::fs::DirSink, path: &Path) -> Result<Report> {
    report.target = Some(path.to_owned());
    report.backups = sink.backups().to_vec();
    report.appended = true;
    checked(report)
}

/// Packs what goes into a sink.
#[cfg(all(feature = "fs", feature = "archives"))]
fn packed<'s>(
    sink: &'s mut dyn FileSink,
    format: &Format,
    method: Method,
) -> Result<crate::packed::PackedSink<'s>, Problem> {
    if format.roles.len() != 1 {
        return Err(Problem::Packed(
            "only a base of one file is packed as it is written",
        ));
    }
    Ok(crate::packed::PackedSink::new(sink, method)?)
}

#[cfg(all(feature = "fs", not(feature = "archives")))]
fn packed(
    _: &mut dyn FileSink,
    _: &Format,
    _: Method,
) -> Result<StreamSink<std::io::Sink>, Problem> {
    Err(Problem::Packed(
        "is to be packed, and this build cannot: it lacks the feature `archives`",
    ))
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
    fn format(&self) -> Option<&'static Format> {
        match self {
            Input::Open(db, _) => Some(db.format()),
            #[cfg(feature = "fs")]
            Input::Path(..) => None,
            #[cfg(feature = "fs")]
            Input::Found(found, _) => Some(found.format()),
            Input::Store(_, format) => *format,
        }
    }
}

/// The texts of a source that can be opened twice.
fn texts_of_source(source: &Input<'_>) -> BTreeSet<String> {
    match source {
        Input::Open(db, _) => texts_of(db),
        #[cfg(feature = "fs")]
        Input::Found(found, options) if !found.is_pipe() => {
            // If it cannot be opened, that is told when its turn has come.
            let db = options.clone().streaming(true).open(found.path());
            db.map(|db| texts_of(&db)).unwrap_or_default()
        }
        _ => BTreeSet::new(),
    }
}

/// A base that would lose what may not be lost was not written.
fn checked(report: Report) -> Result<Report> {
    match report.refused {
        false => Ok(report),
        true => {
            let target = report.target.clone();
            let error = Error::from(Problem::Refused(Box::new(report))).while_writing();
            Err(error.with_path(target.as_deref()))
        }
    }
}

fn default_jobs() -> usize {
    #[cfg(feature = "threads")]
    return crate::parallel::threads(0);
    #[cfg(not(feature = "threads"))]
    1
}

#[cfg(feature = "fs")]
fn spool<W: Write>(out: W) -> std::io::Result<crate::sinks::SpoolSink<W>> {
    Ok(crate::sinks::SpoolSink::new(out, tempfile::tempfile()?))
}

/// Without a disk, memory holds it back.
#[cfg(not(feature = "fs"))]
fn spool<W: Write>(out: W) -> std::io::Result<crate::sinks::HeldBack<W>> {
    Ok(crate::sinks::HeldBack::new(out))
}

/// A conversion at work, once the target is there.
pub(super) struct Job<'j> {
    format: &'static Format,
    options: ConvertOptions,
    games_only: bool,
    /// Whether there is one source.
    alone: bool,
    /// Texts of the sources behind the first one, if the page has to be chosen.
    others: BTreeSet<String>,
    names: Option<NamesInUse>,
    observer: &'j mut dyn Observer,
    target: Option<&'j Path>,
    sink: Option<&'j mut dyn FileSink>,
    running: Option<Conversion<'j>>,
}

impl Job<'_> {
    fn run(mut self, sources: Vec<Input<'_>>) -> Result<Report> {
        for (number, source) in sources.into_iter().enumerate() {
            match source {
                Input::Open(db, selection) => self.take(number, db, selection)?,
                #[cfg(feature = "fs")]
                Input::Path(path, options) => {
                    let opened = options.for_target(self.format).open(path);
                    self.take_opened(number, opened)?;
                }
                #[cfg(feature = "fs")]
                Input::Found(found, options) => {
                    let opened = options.for_target(self.format).open_found(found);
                    self.take_opened(number, opened)?;
                }
                Input::Store(store, format) => {
                    let added = self.add(number, Source::store(store), format);
                    added.map_err(|failure| self.error(failure, None))?;
                }
            }
        }
        let target = self.target;
        let failed = |failure| error(failure, None, target);
        // Without any source it is an empty base.
        self.start(None, Share::Whole).map_err(failed)?;
        let report = self
            .running
            .map_or(Ok(Report::default()), Conversion::finish);
        report.map_err(failed)
    }

    /// Writes the games of a base, if it could be opened.
    #[cfg(feature = "fs")]
    fn take_opened(&mut self, number: usize, opened: Result<Database>) -> Result<()> {
        match opened {
            Ok(db) => self.take(number, &db, None),
            Err(error) => self.observer.unopened(number, error),
        }
    }

    /// Writes the games of a base: those selected of it, or of all.
    fn take(&mut self, number: usize, db: &Database, selection: Option<Selection>) -> Result<()> {
        let store = db.opened_for(self.format)?;
        let mut source = db.source_for(self.format, store.as_ref())?;
        let name = db.path().and_then(Path::file_name);
        source.name = name.map(|name| name.to_string_lossy().into_owned());
        source.selection = selection;
        if self.games_only {
            source.base = None;
        }
        if self.sink.is_some() {
            self.choose_page(db);
        }
        self.observer.source(number, db);
        let added = self.add(number, source, Some(db.format()));
        added.map_err(|failure| self.error(failure, db.path()))
    }

    /// Decides what texts are written in, once the first source is open.
    fn choose_page(&mut self, db: &Database) {
        let keeps = self.alone || self.options.kept.is_some();
        let same = db.format().id == self.format.id && keeps;
        let named = self.options.charset;
        if same && named.is_none() {
            // What is copied keeps its bytes.
            let usual = self.format.usual.unwrap_or(Charset::WINDOWS_1252);
            self.options.judge = Some(match self.format.pages {
                [] => db.reading().judge(usual),
                _ => db.reading().judge_of_pages(usual),
            });
            return;
        }
        // Only where the format has pages to choose from are the texts looked at.
        if self.format.pages.is_empty() {
            return;
        }
        let mut texts = std::mem::take(&mut self.others);
        texts.extend(texts_of(db));
        let own = db.charset().map(|verdict| verdict.page);
        if let Some(written) = choose(self.format, &texts, named, own) {
            self.options.charset = Some(written.charset);
            self.options.written = Some(written);
        }
    }

    fn add(
        &mut self,
        number: usize,
        source: Source<'_>,
        format: Option<&Format>,
    ) -> Result<(), Failure> {
        let share = match self.options.kept {
            Some(kept) if kept == number => Share::Rewrite,
            _ => self.share(source.is_whole(&self.options), format),
        };
        self.start(source.base, share)?;
        match &mut self.running {
            Some(running) => running.add(number, source, self.observer),
            None => Ok(()),
        }
    }

    /// Starts the target, unless that was done: the first source describes it.
    fn start(&mut self, base: Option<&BaseInfo>, share: Share) -> Result<(), Failure> {
        if let Some(sink) = self.sink.take() {
            let base = base.map(|base| base_for_target(base, share));
            let mut base = base.unwrap_or_default();
            if let Some(names) = &self.names {
                names.retain(&mut base);
            }
            let options = self.options.clone();
            self.running = Some(Conversion::start(self.format, sink, base, options)?);
        }
        Ok(())
    }

    /// How much of the base a source contributes.
    fn share(&self, whole: bool, format: Option<&Format>) -> Share {
        let same = format.is_some_and(|format| format.id == self.format.id);
        match (whole, self.alone && same) {
            // Its names go along though not all of its games do.
            (false, true) if self.names.is_some() => Share::Fewer,
            (false, _) => Share::Part,
            (true, true) => Share::Rewrite,
            (true, false) => Share::Whole,
        }
    }

    fn error(&self, failure: Failure, source: Option<&Path>) -> Error {
        error(failure, source, self.target)
    }
}

fn error(failure: Failure, source: Option<&Path>, target: Option<&Path>) -> Error {
    match failure {
        Failure::Source(error) => error.with_path(source),
        Failure::Target(error) => of_target(error, target),
        Failure::Interrupted => Problem::Interrupted.into(),
    }
}
