//! Games that an index shows not to fit, before they are read.

use std::sync::atomic::{AtomicU8, Ordering};

use chessdb_core::{BaseInfo, Date, Feature, HeaderColumnSet, HeaderColumns, TextId};

use crate::headers::{Column, HeaderTerm, Who, spelled};
use crate::language::{Dates, Expr, TextTest};
use crate::position::PositionCondition;

/// The part of a query that [`HeaderColumns`] and sets of [`Feature`] can answer, for the games of one base. Each of
/// the base's names is compared once at most, by whichever thread comes first. Made by [`crate::Query::prefilter`].
#[derive(Debug)]
pub struct Prefilter {
    plan: Plan,
    asks: HeaderColumnSet,
}

#[derive(Debug)]
enum Plan {
    All(Vec<Plan>),
    Any(Vec<Plan>),
    Not(Box<Plan>),
    Header(OfHeaders),
    /// Positions, of which it may be known that they do not come.
    Position(Box<PositionCondition>),
    /// What only the game answers.
    Open,
}

/// What [`HeaderColumns`] answer.
#[derive(Debug)]
enum OfHeaders {
    /// A name, and which of the base's texts are such: one place for each, [`UNKNOWN`] until it is asked.
    Name(Column, Vec<TextTest>, Box<[AtomicU8]>),
    Value(HeaderTerm),
    /// Dates, and what [`Dates::has_year`] says of each year up to [`HeaderColumns::MOST_YEAR`]: most games need no more.
    Dates(Dates, Box<[Option<bool>]>),
}

/// What is known of 64 games.
struct Known<'k> {
    header_columns: Option<&'k HeaderColumns>,
    base: &'k BaseInfo,
    may_have: &'k dyn Fn(Feature) -> u64,
}

/// What a place says of a text that was not compared yet, and afterwards.
const UNKNOWN: u8 = 0;
const NO: u8 = 1;
const YES: u8 = 2;

/// So many names are asked before heads are read: each takes a byte for every text of the base.
const NAMES: usize = 16;

impl Prefilter {
    /// None if an index answers nothing of it. With `lines` it is known what comes up in main lines, and these
    /// are what is asked for.
    pub(crate) fn new(expr: &Expr, base: &BaseInfo, lines: bool) -> Option<Prefilter> {
        let plan = Plan::of(expr, base, lines, &mut { NAMES });
        let asks = plan.asks();
        (!plan.is_open()).then_some(Prefilter { plan, asks })
    }

    /// What it has to know of heads.
    pub fn asks(&self) -> HeaderColumnSet {
        self.asks
    }

    /// Which of 64 games fit, and which do not. The base is that which the screen was made for; `header_columns` say what it
    /// [asks](Screen::asks) of their heads, if that is known, and `may_have` in which of them a feature may come up.
    pub fn judge(
        &self,
        header_columns: Option<&HeaderColumns>,
        base: &BaseInfo,
        may_have: &dyn Fn(Feature) -> u64,
    ) -> PrefilterResult {
        self.plan.judge(&Known {
            header_columns,
            base,
            may_have,
        })
    }
}

/// Which of the games of [`HeaderColumns`] fit a query, one bit for each; of the others that is not known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PrefilterResult {
    /// Those that fit.
    pub fit: u64,
    /// Those that do not.
    pub fail: u64,
}

impl PrefilterResult {
    const UNKNOWN: PrefilterResult = PrefilterResult { fit: 0, fail: 0 };
    const ALL_FIT: PrefilterResult = PrefilterResult { fit: !0, fail: 0 };

    /// What is known of one game after another.
    #[inline]
    fn of(games: impl Iterator<Item = Option<bool>>) -> PrefilterResult {
        let mut judged = PrefilterResult::UNKNOWN;
        for (n, fits) in games.enumerate().take(HeaderColumns::GAMES) {
            judged.fit |= u64::from(fits == Some(true)) << n;
            judged.fail |= u64::from(fits == Some(false)) << n;
        }
        judged
    }

    /// Where all is known.
    #[inline]
    fn of_known(games: impl Iterator<Item = bool>) -> PrefilterResult {
        PrefilterResult::of(games.map(Some))
    }

    /// The same without these games.
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

/// A bit for each game, the lowest for the first. Eight answers of one byte are brought together by a product in which no two
/// of its bits meet.
#[inline]
pub(crate) fn bits(games: &[bool; HeaderColumns::GAMES]) -> u64 {
    let (eights, _) = games.as_chunks::<8>();
    let of_eight = |eight: &[bool; 8]| {
        let bytes = u64::from_le_bytes(eight.map(u8::from));
        bytes.wrapping_mul(0x0102_0408_1020_4080) >> 56
    };
    let bits = eights.iter().zip((0..).step_by(8));
    bits.fold(0, |all, (eight, at)| all | of_eight(eight) << at)
}

impl Plan {
    /// As deep as the query, whose depth is bounded.
    fn of(expr: &Expr, base: &BaseInfo, lines: bool, names: &mut usize) -> Plan {
        let mut each = |terms: &[Expr]| -> Vec<Plan> {
            let plans = terms.iter().map(|term| Plan::of(term, base, lines, names));
            plans.collect()
        };
        match expr {
            Expr::All(terms) => match each(terms) {
                mut plans if plans.len() == 1 => plans.pop().unwrap_or(Plan::Open),
                plans => Plan::All(plans),
            },
            Expr::Any(terms) => Plan::Any(each(terms)),
            Expr::Not(term) => Plan::Not(Box::new(Plan::of(term, base, lines, names))),
            Expr::Header(HeaderTerm::Text(column, tests)) if column.is_name() && *names > 0 => {
                *names -= 1;
                let places = (0..base.texts.len()).map(|_| AtomicU8::new(UNKNOWN));
                Plan::Header(OfHeaders::Name(*column, tests.clone(), places.collect()))
            }
            Expr::Header(HeaderTerm::Date(dates)) => {
                let years = (0..=HeaderColumns::MOST_YEAR).map(|year| dates.has_year(year));
                Plan::Header(OfHeaders::Dates(dates.clone(), years.collect()))
            }
            Expr::Header(term) if term.is_value() => Plan::Header(OfHeaders::Value(term.clone())),
            Expr::Position(condition) if lines && condition.has_features() => {
                Plan::Position(condition.clone())
            }
            Expr::Header(_) | Expr::Moves(_) | Expr::Position(_) => Plan::Open,
        }
    }

    fn asks(&self) -> HeaderColumnSet {
        match self {
            Plan::All(plans) | Plan::Any(plans) => {
                let parts = plans.iter().map(Plan::asks);
                parts.fold(HeaderColumnSet::empty(), HeaderColumnSet::union)
            }
            Plan::Not(plan) => plan.asks(),
            Plan::Header(term) => term.asks(),
            Plan::Position(_) | Plan::Open => HeaderColumnSet::empty(),
        }
    }

    fn is_open(&self) -> bool {
        match self {
            Plan::All(plans) | Plan::Any(plans) => plans.iter().all(Plan::is_open),
            Plan::Not(plan) => plan.is_open(),
            Plan::Header(_) | Plan::Position(_) => false,
            Plan::Open => true,
        }
    }

    fn judge(&self, known: &Known<'_>) -> PrefilterResult {
        let judge = |plan: &Plan| plan.judge(known);
        match self {
            Plan::All(plans) => plans
                .iter()
                .map(judge)
                .fold(PrefilterResult::ALL_FIT, PrefilterResult::and),
            Plan::Any(plans) => plans
                .iter()
                .map(judge)
                .fold(PrefilterResult::ALL_FIT.not(), PrefilterResult::or),
            Plan::Not(plan) => judge(plan).not(),
            Plan::Position(condition) => PrefilterResult {
                fit: 0,
                fail: !condition.may_come(known.may_have),
            },
            Plan::Header(term) => match known.header_columns {
                Some(header_columns) => term.judge(header_columns, known.base),
                None => PrefilterResult::UNKNOWN,
            },
            Plan::Open => PrefilterResult::UNKNOWN,
        }
    }
}

impl OfHeaders {
    fn asks(&self) -> HeaderColumnSet {
        match self {
            OfHeaders::Name(Column::Player | Column::White | Column::Black, ..) => {
                HeaderColumnSet::PLAYERS
            }
            OfHeaders::Name(..) => HeaderColumnSet::EVENT,
            OfHeaders::Value(term) => term.asks(),
            OfHeaders::Dates(..) => HeaderColumnSet::DATE,
        }
    }

    fn judge(&self, header_columns: &HeaderColumns, base: &BaseInfo) -> PrefilterResult {
        match self {
            OfHeaders::Name(column, tests, places) => {
                let of = |ids: &[TextId; HeaderColumns::GAMES]| {
                    let fits = |&id: &TextId| name_fits(id, tests, places, base);
                    PrefilterResult::of_known(ids.iter().map(fits))
                };
                match column {
                    Column::Player => of(&header_columns.whites).or(of(&header_columns.blacks)),
                    Column::White => of(&header_columns.whites),
                    Column::Black => of(&header_columns.blacks),
                    Column::Event => of(&header_columns.events),
                    Column::Site => of(&header_columns.sites),
                    Column::Round => of(&header_columns.rounds),
                    Column::Annotator | Column::Source | Column::Opening => {
                        PrefilterResult::UNKNOWN
                    }
                }
            }
            OfHeaders::Value(term) => term.judge(header_columns),
            OfHeaders::Dates(dates, years) => {
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

/// Whether a name of the base is such.
fn name_fits(id: TextId, tests: &[TextTest], places: &[AtomicU8], base: &BaseInfo) -> bool {
    let place = (id.raw() as usize).checked_sub(1);
    // A head without the name has none that could fit.
    let Some(place) = place.and_then(|at| places.get(at)) else {
        return false;
    };
    // Whoever comes second finds the same.
    match place.load(Ordering::Relaxed) {
        UNKNOWN => {
            let fits = spelled(&base.texts.get(id).decode(), tests, &mut String::new());
            place.store(if fits { YES } else { NO }, Ordering::Relaxed);
            fits
        }
        known => known == YES,
    }
}

impl Column {
    /// Whether it is one that tables of names have.
    fn is_name(self) -> bool {
        !matches!(self, Column::Annotator | Column::Source | Column::Opening)
    }
}

impl HeaderTerm {
    /// Whether [`HeaderColumns`] have what it asks.
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
                    Who::White => white,
                    Who::Black => black,
                    Who::Lower | Who::Difference => white | black,
                };
                PrefilterResult { fit, fail: !fit }.without(open)
            }
            _ => PrefilterResult::UNKNOWN,
        }
    }
}
