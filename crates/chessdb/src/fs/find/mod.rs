//! The way from a path to the bytes of a database.

mod bases;
mod belongs;
mod content;
mod finder;
mod found;
mod path;

pub use bases::{Survey, survey};
pub use belongs::belongs_to;
pub use finder::Finder;
pub use found::FoundDatabase;
#[cfg(all(feature = "query", feature = "mmap", unix))]
pub(crate) use found::mapped;
pub use path::{find, find_as, in_archive, stdin};
