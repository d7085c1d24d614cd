//! Options for finding a database before it is opened.

use chessdb_core::Format;

use crate::packed::Key;

/// The format and the password for finding a database. [`FormatHint::default`] accepts any format
/// and has no password, and its files may be replaced.
#[derive(Clone, Copy, Default, Debug)]
pub struct FormatHint {
    /// The only format to consider; `None` considers all.
    pub format: Option<&'static Format>,
    /// The key of encrypted archives.
    pub key: Option<Key>,
    /// Whether this program will not change or replace the files while the database is open. Windows
    /// does not replace a mapped file, so large files are mapped there only if this is set, and
    /// otherwise read into memory. It has no effect on other systems.
    pub is_read_only: bool,
}

impl FormatHint {
    /// Sets the password for password-protected archives (.cbz). Ignored in builds that cannot read
    /// them.
    #[must_use]
    pub fn password(mut self, password: &str) -> FormatHint {
        self.key = crate::packed::key_of(password);
        self
    }
}

impl From<Option<&'static Format>> for FormatHint {
    fn from(format: Option<&'static Format>) -> FormatHint {
        FormatHint {
            format,
            ..FormatHint::default()
        }
    }
}
