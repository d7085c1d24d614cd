//! Values that callers choose by name: a format, a charset, and settings of a format.

use chessdb_core::{Charset, Format};
use chessdb_formats::by_id;

use crate::error::{Error, Problem};

/// A format, given by id or value: `"cbf"`, or one of [`chessdb_formats::FORMATS`].
#[derive(Clone, Debug)]
pub struct FormatName(Result<&'static Format, String>);

impl FormatName {
    /// Returns the format, or an error with the text that names none.
    pub fn find(&self) -> Result<&'static Format, Problem> {
        self.0.clone().map_err(Problem::UnknownFormat)
    }
}

impl From<&'static Format> for FormatName {
    fn from(format: &'static Format) -> FormatName {
        FormatName(Ok(format))
    }
}

impl From<&str> for FormatName {
    fn from(id: &str) -> FormatName {
        FormatName(by_id(id).ok_or_else(|| id.to_owned()))
    }
}

/// A charset, given by name or value: `"cp850"`, or a [`Charset`]. `"auto"` selects the best match.
#[derive(Clone, Debug)]
pub struct CharsetName(Result<Option<Charset>, String>);

impl CharsetName {
    /// Returns the charset, or `None` for `auto`.
    ///
    /// # Errors
    ///
    /// Returns an error with the name if no charset has it.
    pub fn find(&self) -> Result<Option<Charset>, Problem> {
        self.0.clone().map_err(Problem::UnknownCharset)
    }
}

impl From<Charset> for CharsetName {
    fn from(charset: Charset) -> CharsetName {
        CharsetName(Ok(Some(charset)))
    }
}

impl From<&str> for CharsetName {
    fn from(name: &str) -> CharsetName {
        if name.eq_ignore_ascii_case("auto") {
            return CharsetName(Ok(None));
        }
        let charset = Charset::by_name(name).ok_or_else(|| name.to_owned());
        CharsetName(charset.map(Some))
    }
}

/// Returns an error unless the format has all these settings.
pub fn check_settings(format: &Format, settings: &[(&'static str, String)]) -> Result<(), Error> {
    let unknown = settings
        .iter()
        .find(|(name, _)| !format.settings.contains(name));
    match unknown {
        Some((name, _)) => {
            Err(Error::from(Problem::UnsupportedSetting(format.name, name)).while_writing())
        }
        None => Ok(()),
    }
}
