//! The report of a conversion without the conversion.

use chessdb_core::Result as CoreResult;
use chessdb_core::files::{FileId, FileSink, Role};
use chessdb_database::{Database, EditedStore, Selection};
use chessdb_files::choices::FormatName;
use chessdb_files::error::{Error, Problem, Result};
use chessdb_files::report::Report;
use chessdb_formats::writing_charset;

use super::converter::execution::error_if_refused;
use super::converter::job::{Job, SourceSample};
use super::{BegunSource, ConvertOptions, Observer};

/// A conversion of one database that keeps nothing of what it writes. Its report equals that of
/// [`super::Converter::run`] with the same format and games, and it can be run in steps.
///
/// ```
/// use chessdb::convert::Assessment;
/// use chessdb::{Database, Selection};
///
/// # fn main() -> Result<(), chessdb::Error> {
/// let db = Database::options().open_files([("a.pgn", &b"1. e4 {best by test} e5 *"[..])])?;
/// let mut assessment = Assessment::new(&db, "si3", Selection::all())?;
/// assessment.add(&db, Selection::from(1..=1))?;
/// assert_eq!(assessment.finish()?.read(), 1);
/// # Ok(()) }
/// ```
pub struct Assessment {
    job: Job<'static>,
    store: Option<EditedStore>,
    source: BegunSource,
}

impl Assessment {
    /// Starts the assessment of a conversion of these games of `db` to a format.
    ///
    /// # Errors
    ///
    /// Returns an error if the format is not known or cannot be written.
    pub fn new(
        db: &Database,
        format: impl Into<FormatName>,
        selection: Selection,
    ) -> Result<Assessment> {
        Assessment::observed(db, format, selection, &mut ())
    }

    /// Like [`Assessment::new`], for a conversion with an observer, which is also passed to
    /// [`Assessment::add_observed`].
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Assessment::new`].
    pub fn observed(
        db: &Database,
        format: impl Into<FormatName>,
        selection: Selection,
        observer: &mut dyn Observer,
    ) -> Result<Assessment> {
        let format = format.into().find().map_err(Error::from)?;
        let mut options = ConvertOptions {
            charset: writing_charset(&[db.format()], format, db.reading().charset),
            jobs: 1,
            ..ConvertOptions::default()
        };
        options.request.selection = selection;
        let mut job = Job {
            format,
            options,
            games_only: false,
            is_only_source: true,
            others: SourceSample::default(),
            names: None,
            // Values without a size take no memory, so nothing leaks.
            observer: Box::leak(Box::new(())),
            target: None,
            sink: Some(Box::leak(Box::new(DiscardingSink))),
            running: None,
        };
        let store = db.opened_for(format)?;
        let source = job.source(db, store.as_ref())?;
        job.look_at(0, db);
        let started = job.start_for(0, &source, Some(db.format()));
        started.map_err(|failure| job.error(failure, db.path()))?;
        let begun = match &mut job.running {
            Some(running) => {
                observer.source(0, db);
                let begun = running.begin(0, &source, observer);
                begun.map_err(|failure| job.error(failure, db.path()))?
            }
            None => return Err(Problem::NoDatabase.into()),
        };
        drop(source);
        Ok(Assessment {
            job,
            store,
            source: begun,
        })
    }

    /// Assesses some of the games. `db` must be the database of [`Assessment::new`], and no game
    /// may be passed twice.
    ///
    /// # Errors
    ///
    /// Returns an error if the conversion would fail.
    pub fn add(&mut self, db: &Database, games: Selection) -> Result<()> {
        self.add_observed(db, games, &mut ())
    }

    /// Like [`Assessment::add`], with the observer of [`Assessment::observed`].
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Assessment::add`].
    pub fn add_observed(
        &mut self,
        db: &Database,
        games: Selection,
        observer: &mut dyn Observer,
    ) -> Result<()> {
        let mut source = self.job.source(db, self.store.as_ref())?;
        source.selection = Some(games);
        let job = &mut self.job;
        let added = match &mut job.running {
            Some(running) => running.games(&mut self.source, source, observer),
            None => Ok(()),
        };
        added.map_err(|failure| job.error(failure, db.path()))
    }

    /// Returns the report.
    ///
    /// # Errors
    ///
    /// Returns an error if the conversion would fail or be refused.
    pub fn finish(mut self) -> Result<Report> {
        let Some(mut running) = self.job.running.take() else {
            return Ok(Report::default());
        };
        running.end(self.source);
        let report = running.finish();
        error_if_refused(report.map_err(|failure| self.job.error(failure, None))?)
    }
}

impl std::fmt::Debug for Assessment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let format = self.job.format.id;
        let mut text = f.debug_struct("Assessment");
        text.field("format", &format).finish_non_exhaustive()
    }
}

/// A sink that keeps nothing.
struct DiscardingSink;

impl FileSink for DiscardingSink {
    fn create(&mut self, _role: Role) -> CoreResult<FileId> {
        Ok(FileId(0))
    }

    fn write(&mut self, _file: FileId, _bytes: &[u8]) -> CoreResult<()> {
        Ok(())
    }

    fn patch(&mut self, _file: FileId, _offset: u64, _bytes: &[u8]) -> CoreResult<()> {
        Ok(())
    }

    fn commit(&mut self) -> CoreResult<()> {
        Ok(())
    }
}
