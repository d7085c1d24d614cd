//! The query language: keys, and the parser of terms.

mod bare;
mod bare_terms;
mod parse;
mod questions;
mod tags;
mod terms;
mod written;

pub(crate) use bare::is_date_term;
pub use parse::QueryOptions;
pub(crate) use parse::{ParsedQuery, parse};
pub use terms::read_flags;
pub(crate) use written::quoted;
