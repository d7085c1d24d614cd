//! The way from a path to the bytes of a database.

mod content;
mod finder;
mod found_database;
mod held_file;
mod load;
#[cfg_attr(not(all(feature = "mmap", any(unix, windows))), path = "unmapped.rs")]
mod mapped;
mod membership;
mod path;
mod survey;

pub use finder::Finder;
pub use found_database::FoundDatabase;
pub use mapped::mapped;
pub use membership::{belongs_to, index_files};
pub use path::{find, find_as, in_archive, stdin};
pub use survey::{Survey, survey};
