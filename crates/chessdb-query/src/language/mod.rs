//! The language: from text to terms.

mod error;
mod keys;
mod lexer;
mod parse;
mod values;

pub use error::QueryError;
pub use keys::{KEYS, Key};
pub(crate) use lexer::tokens;
pub(crate) use parse::parse;
pub use parse::read_flags;
pub(crate) use values::{Dates, Ecos, Fault, Numbers, TextTest};

use crate::headers::HeaderTerm;
use crate::moves::MovesTerm;
use crate::position::PositionCondition;

/// A query, or a part of one.
#[derive(Clone, Debug)]
pub(crate) enum Expr {
    /// All of them fit; of none, any game does.
    All(Vec<Expr>),
    /// At least one fits.
    Any(Vec<Expr>),
    Not(Box<Expr>),
    Header(HeaderTerm),
    Moves(MovesTerm),
    Position(Box<PositionCondition>),
}
