//! A source of a conversion.

use chessdb_core::{BaseInfo, Diagnostic, Format};
use chessdb_database::Database;
use chessdb_database::reading::Source;
use chessdb_database::{EditedStore, Selection};
use chessdb_files::error::Result;

use super::ConvertOptions;

/// A source of a conversion.
pub(crate) struct ConversionSource<'a> {
    /// The file name of the database.
    pub(crate) name: Option<String>,
    /// The games.
    pub(crate) games: Source<'a>,
    /// The games to convert, if this source does not use the common selection.
    pub(crate) selection: Option<Selection>,
    /// The data that belongs to no single game, if the format has any.
    pub(crate) base: Option<&'a BaseInfo>,
    /// The diagnostics of opening.
    pub(crate) diagnostics: &'a [Diagnostic],
    /// What a check of the whole container finds, if it was made.
    pub(crate) findings: Vec<Diagnostic>,
    /// The database itself, if known: a query uses its index file.
    #[cfg(feature = "query")]
    pub(crate) db: Option<&'a Database>,
}

impl<'a> ConversionSource<'a> {
    /// Creates a source from the games and description of a store.
    pub(super) fn store(store: &'a dyn chessdb_core::GameStore) -> ConversionSource<'a> {
        ConversionSource {
            name: None,
            games: Source::Store(store),
            selection: None,
            base: Some(store.base()),
            diagnostics: store.diagnostics(),
            findings: Vec::new(),
            #[cfg(feature = "query")]
            db: None,
        }
    }

    /// Creates the source of a conversion of a database into this format; `store` is from
    /// [`Database::opened_for`].
    pub(super) fn database(
        db: &'a Database,
        target: &Format,
        store: Option<&'a EditedStore>,
    ) -> Result<ConversionSource<'a>> {
        Ok(ConversionSource {
            name: None,
            games: db.games_for(target, store)?,
            selection: None,
            base: (!db.is_stream()).then(|| db.info()),
            diagnostics: db.diagnostics(),
            findings: Vec::new(),
            #[cfg(feature = "query")]
            db: Some(db),
        })
    }

    /// Returns whether every game of the source goes into the target.
    pub(super) fn is_whole(&self, options: &ConvertOptions) -> bool {
        let is_all = self.selection.as_ref().is_none_or(Selection::is_all);
        is_all && options.request.is_all() && !options.drop_deleted
    }
}
