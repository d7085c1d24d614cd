//! The steps of a conversion, from finding the sources to the report.

use std::path::{Path, PathBuf};

use chessdb_core::files::FileSink;
use chessdb_core::format::Charsets;
use chessdb_core::{Charset, Format, LossKind};
use chessdb_database::Selection;
use chessdb_files::choices::{FormatName, check_settings};
use chessdb_files::error::{Error, Problem, Result};
use chessdb_files::filesystem::DirSink;
use chessdb_files::format_hint::FormatHint;
use chessdb_files::packed::{ARCHIVE, Method, packing_sink};
use chessdb_files::sinks::{SpoolSink, StreamSink};
use chessdb_files::snapshot::Snapshot;
use chessdb_files::temporary::temporary_file;
use chessdb_formats::writing_charset;

use super::{ConvertOptions, Converter, Input, Target};
use crate::convert::changing::change_games;
use crate::convert::charset::{SourceSample, depends_on_texts};
use crate::convert::conversion::{Conversion, open_by_number};
#[cfg(feature = "parquet")]
use crate::convert::folders::{FOLDERS, TargetFolder};
use crate::convert::{Observer, OnError, Report};

impl Converter<'_> {
    /// Runs the conversion.
    ///
    /// # Errors
    ///
    /// Returns an error if a source cannot be read as a whole, or contains a damaged game with
    /// [`OnError::Stop`]; if the target cannot be written ([`Error::is_about_writing`]); if
    /// [`Converter::strict`] forbids a loss, or none of the selected games exists
    /// ([`Error::report`]). The target is then unchanged.
    pub fn run(mut self) -> Result<Report> {
        match self.observer.take() {
            Some(observer) => self.run_observed(observer),
            None => self.run_observed(&mut ()),
        }
    }

    /// Like [`Converter::run`], with an observer that need not live as long as the sources.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Converter::run`].
    pub fn run_observed(mut self, observer: &mut dyn Observer) -> Result<Report> {
        if let (true, Target::Path(path)) = (self.options.append, &self.target) {
            // If the extension names a format, the content need not be read to detect it.
            let named = chessdb_files::names::suffix_format(path);
            match chessdb_files::filesystem::find_as(path, named) {
                Ok(database) => return self.run_append(database, observer),
                // A database that does not exist has no games; it is created with the new ones.
                Err(error) if matches!(error.problem(), Problem::NotFound) => {}
                Err(error) => return Err(error.while_writing()),
            }
        }
        let format = self.target_format()?;
        if self.options.encoding.is_some() && format.charsets == Charsets::Own {
            return Err(Error::from(Problem::FixedCharset(format.name)).while_writing());
        }
        check_settings(format, &self.options.settings)?;
        // Sources first: a name that does not exist must not leave a lock or an empty target.
        self.find_sources()?;
        let charset = self.charset(format)?;
        let Converter {
            target,
            sources,
            options,
            ..
        } = self;
        // A refusal may come with the last game.
        let is_buffered = options.is_strict() || options.on_error == OnError::Stop;
        let mut others = SourceSample::default();
        if depends_on_texts(format) {
            // The first source is sampled when it is opened for its games.
            let further = sources.iter().skip(1);
            further.for_each(|source| others.add_source(source));
        }
        let run = ConversionRun {
            format,
            charset,
            is_only_source: sources.len() == 1 || options.appends,
            others,
        };
        match target {
            Target::Path(path) => write_path(path, run, sources, options, observer),
            Target::Existing(sink) => {
                let path = sink.path().to_owned();
                let report = write_existing(sink, run, sources, options, observer)?;
                complete_report(report, path, sink)
            }
            #[cfg(feature = "parquet")]
            Target::Folders(path, by) => {
                let place = TargetFolder::new(&path, options.replace);
                let place = place.map_err(Error::while_writing)?;
                let mut options = options;
                options.settings.extend(place.settings(by));
                let mut sink = chessdb_core::MemorySet::new();
                let mut report = run.write(sources, options, Some(&path), &mut sink, observer)?;
                if !report.is_refused() {
                    place.commit().map_err(Error::while_writing)?;
                    report.target = Some(path);
                }
                error_if_refused(report)
            }
            Target::Sink(sink) => {
                error_if_refused(run.write(sources, options, None, sink, observer)?)
            }
            Target::Writer(_) if format.roles.len() != 1 => {
                Err(Error::from(Problem::NeedsSeveralFiles(format.name)).while_writing())
            }
            // Nothing may be written before it is certain that there are no losses.
            Target::Writer(out) if is_buffered => {
                let spool = temporary_file().map_err(|error| Error::from(error).while_writing())?;
                let mut sink = SpoolSink::new(out, spool);
                error_if_refused(run.write(sources, options, None, &mut sink, observer)?)
            }
            Target::Writer(out) => {
                let mut sink = StreamSink::new(out);
                error_if_refused(run.write(sources, options, None, &mut sink, observer)?)
            }
        }
    }

    /// Returns the charset of texts in the target, if it is known before the sources are read.
    fn charset(&self, format: &Format) -> Result<Option<Charset>> {
        let formats: Vec<&Format> = self.sources.iter().filter_map(Input::format).collect();
        match &self.options.encoding {
            Some(charset) => Ok(charset.find()?),
            None if formats.len() == self.sources.len() => {
                let read = self.common_read_charset()?;
                Ok(writing_charset(&formats, format, read))
            }
            None => Ok(None),
        }
    }

    fn target_format(&self) -> Result<&'static Format> {
        #[cfg(feature = "parquet")]
        if let Target::Folders(..) = self.target {
            return Ok(&FOLDERS);
        }
        let named = self.options.format.as_ref();
        let format = match &self.target {
            Target::Path(path) => {
                let format = match named {
                    Some(format) => format.find(),
                    None => {
                        chessdb_files::names::target_format(path).ok_or(Problem::UnknownExtension)
                    }
                };
                format.map_err(|problem| Error::new(path, problem))
            }
            _ => named
                .ok_or(Problem::UnknownExtension)
                .and_then(FormatName::find)
                .map_err(Error::from),
        };
        format.map_err(Error::while_writing)
    }

    pub(super) fn find_sources(&mut self) -> Result<()> {
        let finder = self.options.finder.clone().unwrap_or_default();
        for source in &mut self.sources {
            if let Input::Path(path, options) = source {
                let database = finder.find(&*path, options.format_hint()?)?;
                *source = Input::Found(Box::new(database), options.clone());
            }
        }
        Ok(())
    }

    /// Returns the charset set for reading, if it is the same for all sources.
    fn common_read_charset(&self) -> Result<Option<Charset>> {
        let mut all = None;
        for source in &self.sources {
            let charset = match source {
                Input::Open(db, _) => db.reading().charset,
                Input::Path(_, options) | Input::Found(_, options) => options.reading()?.charset,
                Input::Store(..) => None,
            };
            // One charset cannot stand for sources that are read in different ones.
            if *all.get_or_insert(charset) != charset {
                return Ok(None);
            }
        }
        Ok(all.flatten())
    }
}

/// The part of a conversion that does not depend on the kind of target, which differs only in its
/// sink.
struct ConversionRun {
    format: &'static Format,
    charset: Option<Charset>,
    is_only_source: bool,
    /// A sample of the texts of the sources after the first one.
    others: SourceSample,
}

impl ConversionRun {
    /// Writes the games of the sources into a sink.
    fn write(
        self,
        sources: Vec<Input<'_>>,
        options: ConvertOptions,
        path: Option<&Path>,
        sink: &mut dyn FileSink,
        observer: &mut dyn Observer,
    ) -> Result<Report> {
        let mut conversion = Conversion::new(self.format, options, path);
        conversion.charset = self.charset;
        conversion.is_only_source = self.is_only_source;
        conversion.others = self.others;
        conversion.sink = Some(sink);
        conversion.run(sources, observer)
    }
}

/// Writes a database at a path, packed if its suffix requires it.
fn write_path(
    path: PathBuf,
    run: ConversionRun,
    sources: Vec<Input<'_>>,
    mut options: ConvertOptions,
    observer: &mut dyn Observer,
) -> Result<Report> {
    let read: Vec<Snapshot> = sources
        .iter()
        .filter_map(Input::snapshot)
        .cloned()
        .collect();
    let method = Method::by_suffix(&path);
    let key = options.key.take();
    let (replace, finder) = (options.replace, options.finder.take());
    let sink = match method {
        Some(Method::Archive { locked }) => {
            if read.iter().any(|source| source.contains(&path)) {
                // Other files in the archive are lost when it is replaced.
                let hint = FormatHint {
                    key,
                    ..FormatHint::default()
                };
                let database = chessdb_files::filesystem::find_as(&path, hint)?;
                let others = u32::try_from(database.left_out().len()).unwrap_or(u32::MAX);
                let losses = &mut options.base_losses;
                losses.add_many(LossKind::BaseExtra, others, None);
            }
            if locked && key.is_none() {
                return Err(Error::new(&path, Problem::PasswordRequired).while_writing());
            }
            chessdb_files::filesystem::create_files(&path, &[ARCHIVE], replace, finder.as_ref())
        }
        _ => chessdb_files::filesystem::create_seen(&path, run.format, replace, finder.as_ref()),
    };
    let mut sink = sink.map_err(Error::while_writing)?;
    sink.keep_old(options.backup);
    sink.keep_undo(!options.drops_undo);
    sink.record("change", None);
    for source in &read {
        sink.guard(Some(source))?;
    }
    let path = sink.path().to_owned();
    let report = match method {
        None if read.iter().any(|source| source.contains(&path)) => {
            write_existing(&mut sink, run, sources, options, observer)?
        }
        None => run.write(sources, options, Some(&path), &mut sink, observer)?,
        Some(method) => {
            let name = path.file_name().unwrap_or_default();
            let fail = |problem| Error::new(&path, problem).while_writing();
            if method.is_of_one_file() && run.format.roles.len() != 1 {
                return Err(fail(Problem::Packed(
                    "only a database with a single file can be packed while it is written",
                )));
            }
            let mut sink = packing_sink(&mut sink, method, name, key).map_err(fail)?;
            run.write(sources, options, Some(&path), &mut *sink, observer)?
        }
    };
    complete_report(report, path, &sink)
}

/// Writes an existing database. If it is the only source and only the observer changes its games,
/// they are changed in place if possible.
fn write_existing(
    sink: &mut DirSink,
    run: ConversionRun,
    sources: Vec<Input<'_>>,
    mut options: ConvertOptions,
    observer: &mut dyn Observer,
) -> Result<Report> {
    let (path, format) = (sink.path().to_owned(), run.format);
    let opened;
    let mut sources = sources;
    let has_one = sources.len() == 1 || options.appends;
    if options.only_observes() && format.change.is_some() && has_one {
        if matches!(sources.first(), Some(Input::Found(..)))
            && let Input::Found(database, how) = sources.remove(0)
        {
            opened = open_by_number(how.for_target(format), *database)?;
            sources.insert(0, Input::Open(&opened, None));
        }
        if let Some((Input::Open(db, selection), others)) = sources.split_first()
            && selection.as_ref().is_none_or(Selection::is_all)
            && db.snapshot().is_some_and(|read| read.contains(&path))
        {
            let appended = others.iter().filter_map(Input::store).collect::<Vec<_>>();
            let changed = change_games(sink, format, db, &appended, &mut options, observer)?;
            if let Some(report) = changed {
                return Ok(report);
            }
        }
    }
    run.write(sources, options, Some(&path), sink, observer)
}

/// Turns the report of a refused conversion into an error.
pub(in crate::convert) fn error_if_refused(report: Report) -> Result<Report> {
    if report.refused {
        let target = report.target.clone();
        let error = Error::from(Problem::Refused(Box::new(report))).while_writing();
        Err(error.with_path(target.as_deref()))
    } else {
        Ok(report)
    }
}

/// Completes the report about a database at a path.
pub(super) fn complete_report(
    mut report: Report,
    path: PathBuf,
    sink: &chessdb_files::filesystem::DirSink,
) -> Result<Report> {
    report.target = Some(path);
    report.backups = sink.backups().to_vec();
    report.old_indexes = sink.old_indexes().to_vec();
    error_if_refused(report)
}
