//! Games that an index shows not to fit, before they are read.

use std::sync::atomic::{AtomicU8, Ordering};

use chessdb_core::{BaseInfo, BriefParts, Briefs, Date, Feature, TextId};

use crate::heads::{Column, HeadTerm, Who, spelled};
use crate::language::{Dates, Expr, TextTest};
use crate::position::Sight;

/// The part of a query that [`Briefs`] and sets of [`Feature`] can answer, for the games of one base. Each of
/// the base's names is compared once at most, by whichever thread comes first. Made by [`crate::Query::screen`].
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
    Head(OfHeads),
    /// Positions, of which it may be known that they do not come.
    Position(Box<Sight>),
    /// What only the game answers.
    Open,
}

/// What [`Briefs`] answer.
#[derive(Debug)]
enum OfHeads {
    /// A name, and which of the base's texts are such: one place for each, [`UNKNOWN`] until it is asked.
    Name(Column, Vec<TextTest>, Box<[AtomicU8]>),
    Value(HeadTerm),
    /// Dates, and what [`Dates::has_year`] says of each year up to [`Briefs::MOST_YEAR`]: most games need no more.
    Dates(Dates, Box<[Option<bool>]>),
}

/// What is known of 64 games.
struct Known<'k> {
    briefs: Option<&'k Briefs>,
    base: &'k BaseInfo,
    may_have: &'k dyn Fn(Feature) -> u64,
}

/// What a place says of a text that was not compared yet, and afterwards.
const UNKNOWN: u8 = 0;
const NO: u8 = 1;
const YES: u8 = 2;

/// So many names are asked before heads are read: each takes a byte for every text of the base.
const NAMES: usize = 16;

impl Screen {
    /// None if an index answers nothing of it. With `lines` it is known what comes up in main lines, and these
    /// are what is asked for.
    pub(crate) fn new(expr: &Expr, base: &BaseInfo, lines: bool) -> Option<Screen> {
        let plan = Plan::of(expr, base, lines, &mut { NAMES });
        let asks = plan.asks();
        (!plan.is_open()).then_some(Screen { plan, asks })
    }

    /// What it has to know of heads.
    pub fn asks(&self) -> BriefParts {
        self.asks
    }

    /// Which of 64 games fit, and which do not. The base is that which the screen was made for; `briefs` say what it
    /// [asks](Screen::asks) of their heads, if that is known, and `may_have` in which of them a feature may come up.
    pub fn judge(
        &self,
        briefs: Option<&Briefs>,
        base: &BaseInfo,
        may_have: &dyn Fn(Feature) -> u64,
    ) -> Judged {
        self.plan.judge(&Known {
            briefs,
            base,
            may_have,
        })
    }
}

/// Which of the games of [`Briefs`] fit a query, one bit for each; of the others that is not known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Judged {
    /// Those that fit.
    pub fit: u64,
    /// Those that do not.
    pub fail: u64,
}

impl Judged {
    const UNKNOWN: Judged = Judged { fit: 0, fail: 0 };
    const ALL_FIT: Judged = Judged { fit: !0, fail: 0 };

    /// What is known of one game after another.
    #[inline]
    fn of(games: impl Iterator<Item = Option<bool>>) -> Judged {
        let mut judged = Judged::UNKNOWN;
        for (n, fits) in games.enumerate().take(Briefs::GAMES) {
            judged.fit |= u64::from(fits == Some(true)) << n;
            judged.fail |= u64::from(fits == Some(false)) << n;
        }
        judged
    }

    /// Where all is known.
    #[inline]
    fn of_known(games: impl Iterator<Item = bool>) -> Judged {
        Judged::of(games.map(Some))
    }

    /// The same without these games.
    fn without(self, games: u64) -> Judged {
        let Judged { fit, fail } = self;
        Judged {
            fit: fit & !games,
            fail: fail & !games,
        }
    }

    fn and(self, other: Judged) -> Judged {
        Judged {
            fit: self.fit & other.fit,
            fail: self.fail | other.fail,
        }
    }

    fn or(self, other: Judged) -> Judged {
        Judged {
            fit: self.fit | other.fit,
            fail: self.fail & other.fail,
        }
    }

    fn not(self) -> Judged {
        let Judged { fit, fail } = self;
        Judged {
            fit: fail,
            fail: fit,
        }
    }
}

/// A bit for each game, the lowest for the first. Eight answers of one byte are brought together by a product in which no two
/// of its bits meet.
#[inline]
pub(crate) fn bits(games: &[bool; Briefs::GAMES]) -> u64 {
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
            Expr::Head(HeadTerm::Text(column, tests)) if column.is_name() && *names > 0 => {
                *names -= 1;
                let places = (0..base.texts.len()).map(|_| AtomicU8::new(UNKNOWN));
                Plan::Head(OfHeads::Name(*column, tests.clone(), places.collect()))
            }
            Expr::Head(HeadTerm::Date(dates)) => {
                let years = (0..=Briefs::MOST_YEAR).map(|year| dates.has_year(year));
                Plan::Head(OfHeads::Dates(dates.clone(), years.collect()))
            }
            Expr::Head(term) if term.is_value() => Plan::Head(OfHeads::Value(term.clone())),
            Expr::Position(sight) if lines && sight.has_features() => Plan::Position(sight.clone()),
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
            Plan::Head(term) => term.asks(),
            Plan::Position(_) | Plan::Open => BriefParts::empty(),
        }
    }

    fn is_open(&self) -> bool {
        match self {
            Plan::All(plans) | Plan::Any(plans) => plans.iter().all(Plan::is_open),
            Plan::Not(plan) => plan.is_open(),
            Plan::Head(_) | Plan::Position(_) => false,
            Plan::Open => true,
        }
    }

    fn judge(&self, known: &Known<'_>) -> Judged {
        let judge = |plan: &Plan| plan.judge(known);
        match self {
            Plan::All(plans) => plans.iter().map(judge).fold(Judged::ALL_FIT, Judged::and),
            Plan::Any(plans) => plans
                .iter()
                .map(judge)
                .fold(Judged::ALL_FIT.not(), Judged::or),
            Plan::Not(plan) => judge(plan).not(),
            Plan::Position(sight) => Judged {
                fit: 0,
                fail: !sight.may_come(known.may_have),
            },
            Plan::Head(term) => match known.briefs {
                Some(briefs) => term.judge(briefs, known.base),
                None => Judged::UNKNOWN,
            },
            Plan::Open => Judged::UNKNOWN,
        }
    }
}

impl OfHeads {
    fn asks(&self) -> BriefParts {
        match self {
            OfHeads::Name(Column::Player | Column::White | Column::Black, ..) => {
                BriefParts::PLAYERS
            }
            OfHeads::Name(..) => BriefParts::EVENT,
            OfHeads::Value(term) => term.asks(),
            OfHeads::Dates(..) => BriefParts::DATE,
        }
    }

    fn judge(&self, briefs: &Briefs, base: &BaseInfo) -> Judged {
        match self {
            OfHeads::Name(column, tests, places) => {
                let of = |ids: &[TextId; Briefs::GAMES]| {
                    let fits = |&id: &TextId| name_fits(id, tests, places, base);
                    Judged::of_known(ids.iter().map(fits))
                };
                match column {
                    Column::Player => of(&briefs.whites).or(of(&briefs.blacks)),
                    Column::White => of(&briefs.whites),
                    Column::Black => of(&briefs.blacks),
                    Column::Event => of(&briefs.events),
                    Column::Site => of(&briefs.sites),
                    Column::Round => of(&briefs.rounds),
                    Column::Annotator | Column::Source | Column::Opening => Judged::UNKNOWN,
                }
            }
            OfHeads::Value(term) => term.judge(briefs),
            OfHeads::Dates(dates, years) => {
                let fits = |(n, &date): (usize, &Date)| match years
                    .get(usize::from(date.year))
                    .copied()
                    .flatten()
                {
                    None if briefs.open_dates >> n & 1 == 0 => Some(dates.has(date)),
                    known => known,
                };
                Judged::of(briefs.dates.iter().enumerate().map(fits))
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

impl HeadTerm {
    /// Whether [`Briefs`] have what it asks.
    fn is_value(&self) -> bool {
        use HeadTerm::{Eco, Elo, Result, Year};
        matches!(self, Eco(_) | Year(_) | Elo(..) | Result(_))
    }

    fn asks(&self) -> BriefParts {
        match self {
            HeadTerm::Year(_) => BriefParts::DATE,
            HeadTerm::Elo(..) => BriefParts::RATINGS,
            _ => BriefParts::RESULT,
        }
    }

    fn judge(&self, briefs: &Briefs) -> Judged {
        let is_open = |n: usize| briefs.open_dates >> n & 1 != 0;
        match self {
            HeadTerm::Eco(ecos) => Judged::of_known(briefs.ecos.iter().map(|&eco| ecos.has(eco))),
            HeadTerm::Result(results) => {
                let fits = |outcome| results.contains(outcome);
                Judged::of_known(briefs.outcomes.iter().map(fits))
            }
            HeadTerm::Year(years) => {
                let is_bounded = !years.reach_beyond(Briefs::MOST_YEAR.into());
                let fits = |(n, &date): (usize, &Date)| {
                    let is_known = date.year != 0 || is_bounded || !is_open(n);
                    is_known.then(|| years.has(date.year.into()))
                };
                Judged::of(briefs.dates.iter().enumerate().map(fits))
            }
            HeadTerm::Elo(who, points) => {
                let [whites, blacks] = &briefs.ratings;
                let (numbers, are_there) = who.numbers(whites, blacks);
                let fit = points.have(&numbers) & bits(&are_there);
                let [white, black] = briefs.open_ratings;
                let open = match who {
                    Who::White => white,
                    Who::Black => black,
                    Who::Lower | Who::Difference => white | black,
                };
                Judged { fit, fail: !fit }.without(open)
            }
            _ => Judged::UNKNOWN,
        }
    }
}
