//! Exclusion of games by an index, before they are read.

use std::sync::atomic::{AtomicU8, Ordering};

use chessdb_core::{BaseInfo, Date, Feature, HeaderColumnSet, HeaderColumns, TextId};

use crate::expr::Expr;
use crate::headers::{HeaderTerm, RatingOf, TextField, spelled};
use crate::position::PositionCondition;
use crate::syntax::{DateRanges, TextTest, bits};

/// The part of a query that [`HeaderColumns`] and sets of [`Feature`] can answer, for the games of
/// one database. Each name of the database is compared at most once, by the first thread that needs
/// it. Created by [`crate::Query::prefilter`].
#[derive(Debug)]
pub struct Prefilter {
    plan: FilterPlan,
    asks: HeaderColumnSet,
}

#[derive(Debug)]
enum FilterPlan {
    All(Vec<FilterPlan>),
    Any(Vec<FilterPlan>),
    Not(Box<FilterPlan>),
    Header(HeaderCondition),
    /// A position that may be known not to occur.
    Position(Box<PositionCondition>),
    /// A condition that only the game can answer.
    Open,
}

/// A condition that [`HeaderColumns`] can answer.
#[derive(Debug)]
enum HeaderCondition {
    /// A name, and a cell for each text of the database that caches whether it matches; [`UNKNOWN`]
    /// until compared.
    Name(TextField, Vec<TextTest>, Box<[AtomicU8]>),
    Value(HeaderTerm),
    /// Dates, and the result of [`DateRanges::has_year`] for each year up to
    /// [`HeaderColumns::MOST_YEAR`], which decides most games.
    Dates(DateRanges, Box<[Option<bool>]>),
}

/// Known data of 64 games.
struct KnownGames<'k> {
    header_columns: Option<&'k HeaderColumns>,
    base: &'k BaseInfo,
    may_have: &'k dyn Fn(Feature) -> u64,
}

/// The cached results for a text: not compared yet, no match, match.
const UNKNOWN: u8 = 0;
const NO: u8 = 1;
const YES: u8 = 2;

/// The number of name conditions checked before headers are read. Each takes a byte per text of the
/// database.
const NAMES: usize = 16;

impl Prefilter {
    /// Returns `None` if an index can answer no part of the query. With `lines`, the contents of
    /// mainlines are known, and the query is about mainlines.
    pub(crate) fn new(expr: &Expr, base: &BaseInfo, lines: bool) -> Option<Prefilter> {
        let plan = FilterPlan::of(expr, base, lines, &mut { NAMES });
        let asks = plan.asks();
        (!plan.is_open()).then_some(Prefilter { plan, asks })
    }

    /// Returns the required header columns.
    pub fn asks(&self) -> HeaderColumnSet {
        self.asks
    }

    /// Returns which of 64 games match and which do not. `base` must be the database that the
    /// prefilter was created for. `header_columns` contain what [`Prefilter::asks`] returns, if it
    /// is known. `may_have` returns the games in which a feature may occur.
    pub fn judge(
        &self,
        header_columns: Option<&HeaderColumns>,
        base: &BaseInfo,
        may_have: &dyn Fn(Feature) -> u64,
    ) -> PrefilterResult {
        self.plan.judge(&KnownGames {
            header_columns,
            base,
            may_have,
        })
    }
}

/// Which of the games of [`HeaderColumns`] match a query, one bit each. The others are undecided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PrefilterResult {
    /// The games that match.
    pub fit: u64,
    /// The games that do not match.
    pub fail: u64,
}

impl PrefilterResult {
    const UNKNOWN: PrefilterResult = PrefilterResult { fit: 0, fail: 0 };
    const ALL_FIT: PrefilterResult = PrefilterResult { fit: !0, fail: 0 };

    /// Collects the results of successive games.
    #[inline]
    fn of(games: impl Iterator<Item = Option<bool>>) -> PrefilterResult {
        let mut judged = PrefilterResult::UNKNOWN;
        for (n, fits) in games.enumerate().take(HeaderColumns::GAMES) {
            judged.fit |= u64::from(fits == Some(true)) << n;
            judged.fail |= u64::from(fits == Some(false)) << n;
        }
        judged
    }

    /// Collects the results of successive games that are all decided.
    #[inline]
    fn of_known(games: impl Iterator<Item = bool>) -> PrefilterResult {
        PrefilterResult::of(games.map(Some))
    }

    /// Returns the result with these games undecided.
    fn without(self, games: u64) -> PrefilterResult {
        let PrefilterResult { fit, fail } = self;
        PrefilterResult {
            fit: fit & !games,
            fail: fail & !games,
        }
    }

    fn and(self, other: PrefilterResult) -> PrefilterResult {
        PrefilterResult {
            fit: self.fit & other.fit,
            fail: self.fail | other.fail,
        }
    }

    fn or(self, other: PrefilterResult) -> PrefilterResult {
        PrefilterResult {
            fit: self.fit | other.fit,
            fail: self.fail & other.fail,
        }
    }

    fn not(self) -> PrefilterResult {
        let PrefilterResult { fit, fail } = self;
        PrefilterResult {
            fit: fail,
            fail: fit,
        }
    }
}

impl FilterPlan {
    /// Builds the plan. Recursion is limited by the depth of the query.
    fn of(expr: &Expr, base: &BaseInfo, lines: bool, names: &mut usize) -> FilterPlan {
        let mut each = |terms: &[Expr]| -> Vec<FilterPlan> {
            let plans = terms
                .iter()
                .map(|term| FilterPlan::of(term, base, lines, names));
            plans.collect()
        };
        match expr {
            Expr::All(terms) => match each(terms) {
                mut plans if plans.len() == 1 => plans.pop().unwrap_or(FilterPlan::Open),
                plans => FilterPlan::All(plans),
            },
            Expr::Any(terms) => FilterPlan::Any(each(terms)),
            Expr::Not(term) => FilterPlan::Not(Box::new(FilterPlan::of(term, base, lines, names))),
            Expr::Header(HeaderTerm::Text(column, tests)) if column.is_name() && *names > 0 => {
                *names -= 1;
                let places = (0..base.texts.len()).map(|_| AtomicU8::new(UNKNOWN));
                FilterPlan::Header(HeaderCondition::Name(
                    *column,
                    tests.clone(),
                    places.collect(),
                ))
            }
            Expr::Header(HeaderTerm::Date(dates)) => {
                let years = (0..=HeaderColumns::MOST_YEAR).map(|year| dates.has_year(year));
                FilterPlan::Header(HeaderCondition::Dates(dates.clone(), years.collect()))
            }
            Expr::Header(term) if term.is_value() => {
                FilterPlan::Header(HeaderCondition::Value(term.clone()))
            }
            Expr::Position(condition) if lines && condition.has_features() => {
                FilterPlan::Position(condition.clone())
            }
            Expr::Header(_) | Expr::Moves(_) | Expr::Position(_) => FilterPlan::Open,
        }
    }

    fn asks(&self) -> HeaderColumnSet {
        match self {
            FilterPlan::All(plans) | FilterPlan::Any(plans) => {
                let parts = plans.iter().map(FilterPlan::asks);
                parts.fold(HeaderColumnSet::empty(), HeaderColumnSet::union)
            }
            FilterPlan::Not(plan) => plan.asks(),
            FilterPlan::Header(term) => term.asks(),
            FilterPlan::Position(_) | FilterPlan::Open => HeaderColumnSet::empty(),
        }
    }

    fn is_open(&self) -> bool {
        match self {
            FilterPlan::All(plans) | FilterPlan::Any(plans) => {
                plans.iter().all(FilterPlan::is_open)
            }
            FilterPlan::Not(plan) => plan.is_open(),
            FilterPlan::Header(_) | FilterPlan::Position(_) => false,
            FilterPlan::Open => true,
        }
    }

    fn judge(&self, known: &KnownGames<'_>) -> PrefilterResult {
        let judge = |plan: &FilterPlan| plan.judge(known);
        match self {
            FilterPlan::All(plans) => plans
                .iter()
                .map(judge)
                .fold(PrefilterResult::ALL_FIT, PrefilterResult::and),
            FilterPlan::Any(plans) => plans
                .iter()
                .map(judge)
                .fold(PrefilterResult::ALL_FIT.not(), PrefilterResult::or),
            FilterPlan::Not(plan) => judge(plan).not(),
            FilterPlan::Position(condition) => PrefilterResult {
                fit: 0,
                fail: !condition.may_come(known.may_have),
            },
            FilterPlan::Header(term) => match known.header_columns {
                Some(header_columns) => term.judge(header_columns, known.base),
                None => PrefilterResult::UNKNOWN,
            },
            FilterPlan::Open => PrefilterResult::UNKNOWN,
        }
    }
}

impl HeaderCondition {
    fn asks(&self) -> HeaderColumnSet {
        match self {
            HeaderCondition::Name(TextField::Player | TextField::White | TextField::Black, ..) => {
                HeaderColumnSet::PLAYERS
            }
            HeaderCondition::Name(..) => HeaderColumnSet::EVENT,
            HeaderCondition::Value(term) => term.asks(),
            HeaderCondition::Dates(..) => HeaderColumnSet::DATE,
        }
    }

    fn judge(&self, header_columns: &HeaderColumns, base: &BaseInfo) -> PrefilterResult {
        match self {
            HeaderCondition::Name(column, tests, places) => {
                let of = |ids: &[TextId; HeaderColumns::GAMES]| {
                    let fits = |&id: &TextId| name_fits(id, tests, places, base);
                    PrefilterResult::of_known(ids.iter().map(fits))
                };
                match column {
                    TextField::Player => of(&header_columns.whites).or(of(&header_columns.blacks)),
                    TextField::White => of(&header_columns.whites),
                    TextField::Black => of(&header_columns.blacks),
                    TextField::Event => of(&header_columns.events),
                    TextField::Site => of(&header_columns.sites),
                    TextField::Round => of(&header_columns.rounds),
                    TextField::Annotator | TextField::Source | TextField::Opening => {
                        PrefilterResult::UNKNOWN
                    }
                }
            }
            HeaderCondition::Value(term) => term.judge(header_columns),
            HeaderCondition::Dates(dates, years) => {
                let fits = |(n, &date): (usize, &Date)| match years
                    .get(usize::from(date.year))
                    .copied()
                    .flatten()
                {
                    None if header_columns.open_dates >> n & 1 == 0 => Some(dates.has(date)),
                    known => known,
                };
                PrefilterResult::of(header_columns.dates.iter().enumerate().map(fits))
            }
        }
    }
}

/// Returns whether a name of the database matches.
fn name_fits(id: TextId, tests: &[TextTest], places: &[AtomicU8], base: &BaseInfo) -> bool {
    let place = (id.raw() as usize).checked_sub(1);
    // A header without this name has none that could match.
    let Some(place) = place.and_then(|at| places.get(at)) else {
        return false;
    };
    // A race is harmless, since both threads compute the same result.
    match place.load(Ordering::Relaxed) {
        UNKNOWN => {
            let fits = spelled(&base.texts.get(id).decode(), tests, &mut String::new());
            place.store(if fits { YES } else { NO }, Ordering::Relaxed);
            fits
        }
        known => known == YES,
    }
}

impl TextField {
    /// Returns whether this is a column of the name tables.
    fn is_name(self) -> bool {
        !matches!(
            self,
            TextField::Annotator | TextField::Source | TextField::Opening
        )
    }
}

impl HeaderTerm {
    /// Returns whether [`HeaderColumns`] contain the required data.
    fn is_value(&self) -> bool {
        use HeaderTerm::{Eco, Elo, Result, Year};
        matches!(self, Eco(_) | Year(_) | Elo(..) | Result(_))
    }

    fn asks(&self) -> HeaderColumnSet {
        match self {
            HeaderTerm::Year(_) => HeaderColumnSet::DATE,
            HeaderTerm::Elo(..) => HeaderColumnSet::RATINGS,
            _ => HeaderColumnSet::RESULT,
        }
    }

    fn judge(&self, header_columns: &HeaderColumns) -> PrefilterResult {
        let is_open = |n: usize| header_columns.open_dates >> n & 1 != 0;
        match self {
            HeaderTerm::Eco(ecos) => {
                PrefilterResult::of_known(header_columns.ecos.iter().map(|&eco| ecos.has(eco)))
            }
            HeaderTerm::Result(results) => {
                let fits = |outcome| results.contains(outcome);
                PrefilterResult::of_known(header_columns.outcomes.iter().map(fits))
            }
            HeaderTerm::Year(years) => {
                let is_bounded = !years.reach_beyond(HeaderColumns::MOST_YEAR.into());
                let fits = |(n, &date): (usize, &Date)| {
                    let is_known = date.year != 0 || is_bounded || !is_open(n);
                    is_known.then(|| years.has(date.year.into()))
                };
                PrefilterResult::of(header_columns.dates.iter().enumerate().map(fits))
            }
            HeaderTerm::Elo(who, points) => {
                let [whites, blacks] = &header_columns.ratings;
                let (numbers, are_there) = who.numbers(whites, blacks);
                let fit = points.have(&numbers) & bits(&are_there);
                let [white, black] = header_columns.open_ratings;
                let open = match who {
                    RatingOf::White => white,
                    RatingOf::Black => black,
                    RatingOf::Lower | RatingOf::Difference => white | black,
                };
                PrefilterResult { fit, fail: !fit }.without(open)
            }
            _ => PrefilterResult::UNKNOWN,
        }
    }
}
