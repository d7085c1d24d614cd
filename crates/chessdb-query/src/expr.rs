//! A query as a tree of terms, and the evaluation of such trees.

use crate::headers::HeaderTerm;
use crate::moves::MovesTerm;
use crate::position::PositionCondition;
use chessdb_core::sorting::sort_by_key;

/// A combination of terms by `and`, `or` and `not`. Recursion is limited by the depth of the query.
#[derive(Clone, Debug)]
pub(crate) enum Expr<T = Term> {
    /// All must match. An empty list matches every game.
    All(Vec<Expr<T>>),
    /// At least one must match.
    Any(Vec<Expr<T>>),
    Not(Box<Expr<T>>),
    Term(T),
}

/// A condition of a query.
#[derive(Clone, Debug)]
pub(crate) enum Term {
    Header(HeaderTerm),
    Moves(MovesTerm),
    Position(Box<PositionCondition>),
}

/// A result of a term, possibly unknown.
pub(crate) trait Truth: Copy + PartialEq {
    const YES: Self;
    const NO: Self;

    fn not(self) -> Self;

    fn and(self, other: Self) -> Self;

    fn or(self, other: Self) -> Self {
        self.not().and(other.not()).not()
    }

    /// Returns whether `or` with any further result is the same.
    fn is_yes(self) -> bool {
        self == Self::YES
    }
}

/// The result for one game; `None` is unknown.
impl Truth for Option<bool> {
    const YES: Self = Some(true);
    const NO: Self = Some(false);

    #[inline]
    fn not(self) -> Self {
        self.map(|fits| !fits)
    }

    #[inline]
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        }
    }
}

impl<T> Expr<T> {
    /// Combines the results of the terms, in order. Terms that cannot change the result are left
    /// out.
    #[inline]
    pub(crate) fn evaluate<V: Truth>(&self, result_of: &mut impl FnMut(&T) -> V) -> V {
        match self {
            Expr::All(terms) => {
                let mut all = V::YES;
                for term in terms {
                    all = all.and(term.evaluate(result_of));
                    if all == V::NO {
                        break;
                    }
                }
                all
            }
            Expr::Any(terms) => {
                let mut any = V::NO;
                for term in terms {
                    any = any.or(term.evaluate(result_of));
                    if any.is_yes() {
                        break;
                    }
                }
                any
            }
            Expr::Not(term) => term.evaluate(result_of).not(),
            Expr::Term(term) => result_of(term),
        }
    }

    /// Returns whether `test` is true of any term.
    pub(crate) fn has(&self, test: &mut impl FnMut(&T) -> bool) -> bool {
        match self {
            Expr::All(terms) | Expr::Any(terms) => terms.iter().any(|term| term.has(test)),
            Expr::Not(term) => term.has(test),
            Expr::Term(term) => test(term),
        }
    }

    /// Returns the same combination of other terms; `None` as soon as `map` returns `None`.
    pub(crate) fn try_map<'e, U>(
        &'e self,
        map: &mut impl FnMut(&'e T) -> Option<U>,
    ) -> Option<Expr<U>> {
        let mut each = |terms: &'e [Expr<T>]| -> Option<Vec<Expr<U>>> {
            terms.iter().map(|term| term.try_map(map)).collect()
        };
        Some(match self {
            Expr::All(terms) => match each(terms)? {
                mut terms if terms.len() == 1 => terms.pop()?,
                terms => Expr::All(terms),
            },
            Expr::Any(terms) => Expr::Any(each(terms)?),
            Expr::Not(term) => Expr::Not(Box::new(term.try_map(map)?)),
            Expr::Term(term) => Expr::Term(map(term)?),
        })
    }
}

impl Expr {
    pub(crate) fn header(term: HeaderTerm) -> Expr {
        Expr::Term(Term::Header(term))
    }

    pub(crate) fn moves(term: MovesTerm) -> Expr {
        Expr::Term(Term::Moves(term))
    }

    pub(crate) fn position(condition: PositionCondition) -> Expr {
        Expr::Term(Term::Position(Box::new(condition)))
    }

    /// Returns whether more than the header of a game decides.
    pub(crate) fn needs_moves(&self) -> bool {
        self.has(&mut |term| !matches!(term, Term::Header(_)))
    }

    /// Moves terms that need only the header before the others, since they cost less.
    pub(crate) fn headers_first(&mut self) {
        match self {
            Expr::All(terms) | Expr::Any(terms) => {
                terms.iter_mut().for_each(Expr::headers_first);
                // A stable sort keeps the order of the query among terms of one kind.
                sort_by_key(terms, Expr::needs_moves);
            }
            Expr::Not(term) => term.headers_first(),
            Expr::Term(_) => {}
        }
    }
}
