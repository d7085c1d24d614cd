//! Games that an index shows not to fit, before their heads are read.

use std::sync::atomic::{AtomicU8, Ordering};

use chessdb_core::{BaseInfo, Brief, BriefParts, TextId};

use crate::heads::{Column, HeadTerm, Who, spelled};
use crate::language::{Expr, TextTest};

/// The part of a query that a [`Brief`] can answer, for the games of one base. Each of the base's names is
/// compared once at most, by whichever thread comes first. Made by [`crate::Query::screen`].
#[derive(Debug)]
pub struct Screen {
    plan: Plan,
    asks: BriefParts,
}

#[derive(Debug)]
enum Plan {
    All(Vec<Plan>),
    Any(Vec<Plan>),
    Not(Box<Plan>),
    /// A name, and which of the base's texts are such: one place for each, [`UNKNOWN`] until it is asked.
    Name(Column, Vec<TextTest>, Box<[AtomicU8]>),
    Value(HeadTerm),
    /// What only the game answers.
    Open,
}

/// What a place says of a text that was not compared yet, and afterwards.
const UNKNOWN: u8 = 0;
const NO: u8 = 1;
const YES: u8 = 2;

/// So many names are asked before heads are read: each takes a byte for every text of the base.
const NAMES: usize = 16;

impl Screen {
    /// None if an index answers nothing of it.
    pub(crate) fn new(expr: &Expr, base: &BaseInfo) -> Option<Screen> {
        let plan = Plan::of(expr, base, &mut { NAMES });
        let asks = plan.asks();
        (!plan.is_open()).then_some(Screen { plan, asks })
    }

    /// What it has to know of a head.
    #[inline]
    pub fn asks(&self) -> BriefParts {
        self.asks
    }

    /// Whether a game may fit of whose head this is known. The base is that which the screen was made for.
    /// True if there is any doubt.
    #[inline]
    pub fn may_fit(&self, brief: &Brief, base: &BaseInfo) -> bool {
        self.plan.decide(brief, base) != Some(false)
    }
}

impl Plan {
    /// As deep as the query, whose depth is bounded.
    fn of(expr: &Expr, base: &BaseInfo, names: &mut usize) -> Plan {
        let mut each = |terms: &[Expr]| -> Vec<Plan> {
            let plans = terms.iter().map(|term| Plan::of(term, base, names));
            plans.collect()
        };
        match expr {
            Expr::All(terms) => match each(terms) {
                mut plans if plans.len() == 1 => plans.pop().unwrap_or(Plan::Open),
                plans => Plan::All(plans),
            },
            Expr::Any(terms) => Plan::Any(each(terms)),
            Expr::Not(term) => Plan::Not(Box::new(Plan::of(term, base, names))),
            Expr::Head(HeadTerm::Text(column, tests)) if column.is_name() && *names > 0 => {
                *names -= 1;
                let places = (0..base.texts.len()).map(|_| AtomicU8::new(UNKNOWN));
                Plan::Name(*column, tests.clone(), places.collect())
            }
            Expr::Head(term) if term.is_value() => Plan::Value(term.clone()),
            Expr::Head(_) | Expr::Moves(_) | Expr::Position(_) => Plan::Open,
        }
    }

    fn asks(&self) -> BriefParts {
        match self {
            Plan::All(plans) | Plan::Any(plans) => {
                let parts = plans.iter().map(Plan::asks);
                parts.fold(BriefParts::empty(), BriefParts::union)
            }
            Plan::Not(plan) => plan.asks(),
            Plan::Name(Column::Player | Column::White | Column::Black, ..) => BriefParts::PLAYERS,
            Plan::Name(..) => BriefParts::EVENT,
            Plan::Value(term) => term.asks(),
            Plan::Open => BriefParts::empty(),
        }
    }

    fn is_open(&self) -> bool {
        match self {
            Plan::All(plans) | Plan::Any(plans) => plans.iter().all(Plan::is_open),
            Plan::Not(plan) => plan.is_open(),
            Plan::Name(..) | Plan::Value(_) => false,
            Plan::Open => true,
        }
    }

    fn decide(&self, brief: &Brief, base: &BaseInfo) -> Option<bool> {
        match self {
            Plan::All(plans) => any_is(plans, false, brief, base).map(|any| !any),
            Plan::Any(plans) => any_is(plans, true, brief, base),
            Plan::Not(plan) => plan.decide(brief, base).map(|fits| !fits),
            Plan::Name(column, tests, places) => {
                let fits = |id: TextId| name_fits(id, tests, places, base);
                match column {
                    Column::Player => match (brief.white.map(fits), brief.black.map(fits)) {
                        (Some(true), _) | (_, Some(true)) => Some(true),
                        (white, black) => white.and(black),
                    },
                    Column::White => brief.white.map(fits),
                    Column::Black => brief.black.map(fits),
                    Column::Event => brief.event.map(fits),
                    Column::Site => brief.site.map(fits),
                    Column::Round => brief.round.map(fits),
                    Column::Annotator | Column::Source | Column::Opening => None,
                }
            }
            Plan::Value(term) => term.decide(brief),
            Plan::Open => None,
        }
    }
}

/// Whether one of them comes to this; none if that is not known.
fn any_is(plans: &[Plan], wanted: bool, brief: &Brief, base: &BaseInfo) -> Option<bool> {
    let mut any = Some(false);
    for plan in plans {
        match plan.decide(brief, base) {
            Some(fits) if fits == wanted => return Some(true),
            Some(_) => {}
            None => any = None,
        }
    }
    any
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

impl HeadTerm {
    /// Whether a [`Brief`] has what it asks.
    fn is_value(&self) -> bool {
        use HeadTerm::{Date, Eco, Elo, Result, Year};
        matches!(self, Eco(_) | Date(_) | Year(_) | Elo(..) | Result(_))
    }

    fn asks(&self) -> BriefParts {
        match self {
            HeadTerm::Date(_) | HeadTerm::Year(_) => BriefParts::DATE,
            HeadTerm::Elo(..) => BriefParts::RATINGS,
            _ => BriefParts::RESULT,
        }
    }

    fn decide(&self, brief: &Brief) -> Option<bool> {
        match self {
            HeadTerm::Eco(ecos) => brief.eco.map(|eco| ecos.has(eco)),
            HeadTerm::Date(dates) => brief.date.map(|date| dates.has(date)),
            HeadTerm::Year(years) => brief.date.map(|date| years.has(date.year.into())),
            HeadTerm::Result(results) => brief.outcome.map(|outcome| results.contains(&outcome)),
            HeadTerm::Elo(who, points) => match (who, brief.ratings) {
                (Who::White, [white, _]) => Some(who.has(points, white?, None)),
                (Who::Black, [_, black]) => Some(who.has(points, None, black?)),
                (_, [white, black]) => Some(who.has(points, white?, black?)),
            },
            _ => None,
        }
    }
}
