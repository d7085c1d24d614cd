//! The report of a conversion without the conversion.

use chessdb_core::Result as CoreResult;
use chessdb_core::files::{FileId, FileSink, Role};
use chessdb_database::{Database, EditedStore, Selection};
use chessdb_files::choices::FormatName;
use chessdb_files::error::{Error, Result};
use chessdb_files::report::Report;
use chessdb_formats::writing_charset;

use super::Observer;
use super::conversion::Conversion;
use super::converter::execution::error_if_refused;
use super::options::ConvertOptions;

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
    conversion: Conversion<'static>,
    store: Option<EditedStore>,
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
            jobs: Some(1),
            ..ConvertOptions::default()
        };
        options.request.selection = selection;
        let mut conversion = Conversion::new(format, options, None);
        conversion.charset = writing_charset(&[db.format()], format, db.reading().charset);
        // The report is that of a conversion of this database alone.
        conversion.is_only_source = true;
        // A value without a size takes no memory, so nothing leaks.
        conversion.sink = Some(Box::leak(Box::new(DiscardingSink)));
        let store = db.opened_for(format)?;
        {
            let games = db.games_for(format, store.as_ref())?;
            conversion.begin_database(db, &games, None, observer)?;
        }
        Ok(Assessment { conversion, store })
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
        let conversion = &mut self.conversion;
        let source = db.games_for(conversion.format, self.store.as_ref())?;
        let added = conversion.games(source, Some(db), Some(games), observer);
        added.map_err(|failure| conversion.error(failure, db.path()))
    }

    /// Returns the report.
    ///
    /// # Errors
    ///
    /// Returns an error if the conversion would fail or be refused.
    pub fn finish(mut self) -> Result<Report> {
        self.conversion.end();
        error_if_refused(self.conversion.finish()?)
    }
}

impl std::fmt::Debug for Assessment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let format = self.conversion.format.id;
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
