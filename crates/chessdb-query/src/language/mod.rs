//! The query language, from text to terms.

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
pub(crate) use values::{DateRanges, EcoRanges, Fault, NumberRanges, TextTest};

use crate::headers::HeaderTerm;
use crate::moves::MovesTerm;
use crate::position::PositionCondition;

/// A query, or a part of it.
#[derive(Clone, Debug)]
pub(crate) enum Expr {
    /// All terms must match. An empty list matches every game.
    All(Vec<Expr>),
    /// At least one term must match.
    Any(Vec<Expr>),
    Not(Box<Expr>),
    Header(HeaderTerm),
    Moves(MovesTerm),
    Position(Box<PositionCondition>),
}
