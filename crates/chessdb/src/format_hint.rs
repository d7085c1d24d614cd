//! What a caller knows of a base before it is opened.

use chessdb_core::Format;

use crate::packed::Key;

/// Which base is looked for: in which format, and what opens the archive that it lies in. Any format that
/// fits, and no password, is [`FormatHint::default`].
#[derive(Clone, Copy, Default, Debug)]
pub struct FormatHint {
    pub(crate) format: Option<&'static Format>,
    pub(crate) key: Option<Key>,
}

impl FormatHint {
    /// The same with a password for archives that are locked with one (.cbz). A build that cannot read
    /// them does not need it.
    #[must_use]
    pub fn password(mut self, password: &str) -> FormatHint {
        self.key = crate::packed::key_of(password);
        self
    }
}

impl From<Option<&'static Format>> for FormatHint {
    fn from(format: Option<&'static Format>) -> FormatHint {
        FormatHint { format, key: None }
    }
}
