//! The query language: keys, and parsing of a text into terms.

mod keys;
mod parse;

pub use keys::{KEYS, Key};
pub(crate) use parse::parse;
pub use parse::{QueryOptions, read_flags};
