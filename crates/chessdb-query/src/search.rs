//! The evaluation of a query over many games: an index excludes games ([`Prefilter`]), and a search
//! follows the mainline of a candidate until the result is decided ([`PositionSearch`]).

use std::ops::ControlFlow;

use chessdb_core::board::Played;
use chessdb_core::search::{MainlineObserver, MoveFilter};
use chessdb_core::{Board, Game, PackedMove, Start};

use crate::expr::{Expr, Term, Truth};
use crate::position::{LineProgress, PositionCondition, SearchState};

pub use crate::position::{ClearWithout, Hit, RequiredFeatures};
pub use crate::prefilter::{Prefilter, PrefilterResult};

/// A game that matches.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Match {
    /// Boxed, since few of the examined games have one.
    hit: Option<Box<Hit>>,
}

impl Match {
    pub(crate) fn new(hit: Option<Box<Hit>>) -> Match {
        Match { hit }
    }

    /// Returns the first hit, if the query is about a position.
    pub fn hit(&self) -> Option<&Hit> {
        self.hit.as_deref()
    }

    /// Returns the number of half-moves before the first hit; 0 is the start position.
    pub fn ply(&self) -> Option<u32> {
        self.hit().map(Hit::ply)
    }
}

/// Searches one game for the positions of a query, and stops when the result is decided. Created by
/// [`crate::Query::search`].
///
/// ```
/// use chessdb_core::Game;
/// use chessdb_core::search::observe_game;
///
/// let query: chessdb_query::Query = "fen:\"rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w\"".parse()?;
/// let game = Game::builder().sans(["e4", "c5", "Nf3"]).unwrap().build();
/// let mut search = query.search(&game).unwrap();
/// observe_game(&game, &mut search);
/// assert_eq!(search.finish().unwrap().hit().unwrap().ply(), 2);
/// # Ok::<(), chessdb_query::QueryError>(())
/// ```
#[derive(Debug)]
pub struct PositionSearch<'q> {
    plan: Expr<SearchTerm>,
    conditions: Vec<(&'q PositionCondition, ConditionState)>,
    verdict: Verdict,
    has_no_header: bool,
}

/// A term of a query, once the header is known.
#[derive(Debug)]
enum SearchTerm {
    Known(bool),
    /// The position condition with this index.
    Condition(usize),
}

/// The state of one position condition.
#[derive(Debug)]
enum ConditionState {
    /// No position has been shown yet.
    Ahead,
    Open(LineProgress),
    Hit(LineProgress),
    Over,
}

/// Whether a game matches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    /// Unknown so far.
    Open,
    No,
    /// A match, with the number of the position condition that has the hit.
    Yes(Option<usize>),
}

impl Verdict {
    pub(crate) fn from_bool(fits: bool) -> Verdict {
        if fits { Verdict::YES } else { Verdict::NO }
    }
}

impl Truth for Verdict {
    const YES: Verdict = Verdict::Yes(None);
    const NO: Verdict = Verdict::No;

    fn not(self) -> Verdict {
        match self {
            Verdict::Open => Verdict::Open,
            Verdict::No => Verdict::Yes(None),
            Verdict::Yes(_) => Verdict::No,
        }
    }

    fn and(self, other: Verdict) -> Verdict {
        match (self, other) {
            (Verdict::No, _) | (_, Verdict::No) => Verdict::No,
            (Verdict::Open, _) | (_, Verdict::Open) => Verdict::Open,
            (Verdict::Yes(first), Verdict::Yes(second)) => Verdict::Yes(first.or(second)),
        }
    }

    /// The first matching condition has the hit, so the earlier ones must be decided.
    fn or(self, other: Verdict) -> Verdict {
        match self {
            Verdict::No => other,
            Verdict::Open | Verdict::Yes(_) => self,
        }
    }

    fn is_yes(self) -> bool {
        matches!(self, Verdict::Yes(_))
    }
}

impl<'q> PositionSearch<'q> {
    /// Returns `None` if the query depends on more than header and positions.
    pub(crate) fn new(expr: &'q Expr, header: &Game) -> Option<PositionSearch<'q>> {
        let mut conditions = Vec::new();
        let mut buffer = String::new();
        let plan = expr.try_map(&mut |term| match term {
            Term::Header(term) => Some(SearchTerm::Known(term.fits(header, &mut buffer))),
            Term::Moves(_) => None,
            Term::Position(condition) => {
                conditions.push((&**condition, ConditionState::Ahead));
                Some(SearchTerm::Condition(conditions.len() - 1))
            }
        })?;
        let mut search = PositionSearch {
            plan,
            conditions,
            verdict: Verdict::Open,
            has_no_header: false,
        };
        search.verdict = search.judge();
        Some(search)
    }

    /// Returns whether the line was shown without filling the header.
    pub fn has_no_header(&self) -> bool {
        self.has_no_header
    }

    /// Ends the search, after the line has ended or the result is decided. Returns the match, if
    /// any.
    pub fn finish(mut self) -> Option<Match> {
        if self.verdict == Verdict::Open {
            for (_, state) in &mut self.conditions {
                // No further position comes, so what is open is not met.
                if !matches!(state, ConditionState::Hit(_)) {
                    *state = ConditionState::Over;
                }
            }
            self.verdict = self.judge();
        }
        let Verdict::Yes(place) = self.verdict else {
            return None;
        };
        let hit = place.and_then(|n| match self.conditions.swap_remove(n).1 {
            ConditionState::Hit(trail) => trail.into_hit(),
            _ => None,
        });
        Some(Match::new(hit))
    }

    fn judge(&self) -> Verdict {
        self.plan.evaluate(&mut |term| match *term {
            SearchTerm::Known(fits) => Verdict::from_bool(fits),
            SearchTerm::Condition(n) => match self.conditions.get(n) {
                Some((_, ConditionState::Hit(_))) => Verdict::Yes(Some(n)),
                Some((_, ConditionState::Ahead | ConditionState::Open(_))) => Verdict::Open,
                _ => Verdict::No,
            },
        })
    }

    fn after(&mut self, changed: bool) -> ControlFlow<()> {
        if changed {
            self.verdict = self.judge();
        }
        match self.verdict {
            Verdict::Open => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }
    }
}

impl MainlineObserver for PositionSearch<'_> {
    fn begin(&mut self, start: &Start, board: &Board) -> ControlFlow<()> {
        for (condition, state) in &mut self.conditions {
            let (trail, seen) = condition.begin(start, board);
            *state = match seen {
                SearchState::Open => ConditionState::Open(trail),
                SearchState::Hit => ConditionState::Hit(trail),
                SearchState::Over => ConditionState::Over,
            };
        }
        self.after(true)
    }

    #[inline]
    fn played(&mut self, mv: PackedMove, played: &Played, board: &Board) -> ControlFlow<()> {
        let mut changed = false;
        for (condition, state) in &mut self.conditions {
            let ConditionState::Open(trail) = state else {
                continue;
            };
            match condition.played(mv, played, board, trail) {
                SearchState::Open => {}
                seen => {
                    changed = true;
                    let old = std::mem::replace(state, ConditionState::Over);
                    if let (SearchState::Hit, ConditionState::Open(trail)) = (seen, old) {
                        *state = ConditionState::Hit(trail);
                    }
                }
            }
        }
        self.after(changed)
    }

    fn move_filter(&self) -> MoveFilter {
        self.conditions
            .iter()
            .filter(|(_, state)| matches!(state, ConditionState::Ahead | ConditionState::Open(_)))
            .map(|(condition, _)| condition.filter())
            .fold(MoveFilter::LEAST, MoveFilter::or)
    }

    fn passed(&mut self, moves: u32) {
        for (_, state) in &mut self.conditions {
            if let ConditionState::Open(trail) = state {
                trail.pass(moves);
            }
        }
    }

    /// If the query depends on the header, it was read before.
    fn needs_header(&mut self) -> bool {
        self.has_no_header = true;
        false
    }
}
