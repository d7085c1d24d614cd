//! The query language: its keys, the words that are moves or flags, and the parser of terms.

mod bare;
mod bare_terms;
pub(crate) mod parse;
mod questions;
mod tags;
mod terms;
mod written;

pub use crate::syntax::{KEYS, Key, continues_line};
pub(crate) use bare::is_date_term;
pub(crate) use parse::{ParsedQuery, QueryOptions, parse};
pub use terms::read_flags;
pub(crate) use written::quoted;
