//! The query language: keys, and parsing of a text into terms.

mod keys;
mod parse;
mod questions;

pub use keys::{KEYS, Key};
pub(crate) use parse::parse;
pub use parse::{QueryOptions, read_flags};
