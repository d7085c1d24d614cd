//! The names of the files in a set.

use std::fmt;

/// The role of a file in its set: the standard extension in lower case, such as `si4`, or the whole
/// name where the format fixes it, such as `Game.MYD`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Role(pub &'static str);

impl Role {
    /// Returns whether this is the whole name of a file. Such files share a folder instead of a
    /// stem.
    pub fn is_whole_name(self) -> bool {
        self.0.contains('.')
    }

    /// Returns the common notation for the file: `.si4`, `Game.MYD`.
    pub fn pattern(self) -> String {
        if self.is_whole_name() { self.0.to_owned() } else { format!(".{}", self.0) }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}
