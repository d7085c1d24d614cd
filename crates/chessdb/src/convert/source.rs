//! A source of a conversion.

#[cfg(feature = "fs")]
use std::path::Path;

use chessdb_core::{BaseInfo, Diagnostic, Format};
use chessdb_owned::OwnedStore;

use super::ConvertOptions;
#[cfg(feature = "fs")]
use super::Converter;
use crate::database::Database;
use crate::error::Result;
use crate::reading::Source;
use crate::selection::Selection;

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
            #[cfg(feature = "query")]
            db: None,
        }
    }

    /// Returns whether every game of the source goes into the target.
    pub(super) fn is_whole(&self, options: &ConvertOptions) -> bool {
        let is_all = self.selection.as_ref().is_none_or(Selection::is_all);
        is_all && options.filter.is_all() && !options.drop_deleted
    }
}

impl Database {
    /// Returns a conversion into a new database at `path`, in the format of its extension.
    #[cfg(feature = "fs")]
    pub fn convert_to(&self, path: impl AsRef<Path>) -> Converter<'_> {
        Converter::to(path).add_database(self)
    }

    /// Returns the source of a conversion into this format; `store` is from
    /// [`Database::opened_for`].
    pub(super) fn source_for<'a>(
        &'a self,
        target: &Format,
        store: Option<&'a OwnedStore>,
    ) -> Result<ConversionSource<'a>> {
        Ok(ConversionSource {
            name: None,
            games: self.games_for(target, store)?,
            selection: None,
            base: (!self.is_stream()).then(|| self.info()),
            diagnostics: self.diagnostics(),
            #[cfg(feature = "query")]
            db: Some(self),
        })
    }
}
