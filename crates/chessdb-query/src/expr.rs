//! A query as a tree of terms.

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
