//! A database as the source of a conversion.

#[cfg(feature = "fs")]
use std::path::Path;
use std::sync::Arc;

use chessdb_core::Format;
use chessdb_owned::{OwnedStore, SharedFiles};

use super::{Database, DatabaseContent, open_with_charsets};
#[cfg(feature = "fs")]
use crate::Converter;
use crate::convert;
use crate::error::{Error, Result};
use crate::reading::Source;

impl Database {
    /// Returns a conversion into a new database at `path`, in the format of its extension.
    #[cfg(feature = "fs")]
    pub fn convert_to(&self, path: impl AsRef<Path>) -> Converter<'_> {
        Converter::to(path).add_database(self)
    }

    /// Opens the files again with the read options that `target` needs; `None` if the options of
    /// this database already match.
    pub(crate) fn opened_for(&self, target: &Format) -> Result<Option<OwnedStore>> {
        let options = crate::table::reading_for(target, self.options.clone());
        match &self.content {
            DatabaseContent::Store(files, _)
                if options.preserve_comment_whitespace
                    != self.options.preserve_comment_whitespace =>
            {
                let shared: SharedFiles = Arc::clone(files) as SharedFiles;
                let store = open_with_charsets(shared, self.format, options, &self.fields);
                Ok(Some(store.map_err(|error| {
                    Error::from(error).with_path(self.path())
                })?))
            }
            _ => Ok(None),
        }
    }

    /// Returns the source of a conversion into this format; `store` is from
    /// [`Database::opened_for`].
    pub(crate) fn source_for<'a>(
        &'a self,
        target: &Format,
        store: Option<&'a OwnedStore>,
    ) -> Result<convert::ConversionSource<'a>> {
        let games = match store {
            Some(store) => Source::Store(store.store()),
            None => self.source_with(crate::table::reading_for(target, self.options.clone()))?,
        };
        Ok(convert::ConversionSource {
            name: None,
            games,
            selection: None,
            base: (!self.is_stream()).then(|| self.info()),
            diagnostics: self.diagnostics(),
            #[cfg(feature = "query")]
            db: Some(self),
        })
    }
}
