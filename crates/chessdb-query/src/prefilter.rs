//! Exclusion of games by an index, before they are read.

use std::sync::atomic::{AtomicU8, Ordering};

use chessdb_core::search::{HeaderColumnSet, HeaderColumns};
use chessdb_core::text::TextId;
use chessdb_core::{BaseInfo, Date};

use crate::compared_headers::CopyColumns;
use crate::expr::{Expr, Term, Truth};
use crate::headers::{HeaderTerm, RatingOf, TextField, spelled};
use crate::position::RequiredFeatures;
use crate::syntax::{DateRanges, TextTest, bits};

/// The part of a query that [`HeaderColumns`] and features of games can answer, for the games of
/// one database. Each name of the database is compared at most once, by the first thread that needs
/// it. Created by [`crate::Query::prefilter`].
#[derive(Debug)]
pub struct Prefilter {
    plan: Expr<FilterTerm>,
    asks: HeaderColumnSet,
    needs_tags: bool,
}

#[derive(Debug)]
enum FilterTerm {
    Header(HeaderCondition),
    /// A position that may be known not to occur: its number and features.
    Position(usize, RequiredFeatures),
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
    /// [`HeaderColumns::MOST_YEAR`], which decides most games. No range has a date without a year.
    Dates(DateRanges, Box<[Option<bool>]>),
    /// A condition that no game without further tags meets.
    Tags,
    Copies(CopyColumns),
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
        let (mut names, mut positions) = (NAMES, 0..);
        let plan = expr.try_map(&mut |term| {
            let term = FilterTerm::new(term, base, lines, &mut names, &mut positions);
            Some(term)
        })?;
        let mut asks = HeaderColumnSet::empty();
        plan.has(&mut |term| {
            asks |= term.asks();
            false
        });
        let is_useful = plan.has(&mut |term| !matches!(term, FilterTerm::Open));
        let needs_tags = plan.has(&mut |term| term.needs_tags());
        is_useful.then_some(Prefilter {
            plan,
            asks,
            needs_tags,
        })
    }

    /// Returns whether it matters which games are [`HeaderColumns::complete`].
    pub fn needs_tags(&self) -> bool {
        self.needs_tags
    }

    /// Returns the required header columns.
    pub fn asks(&self) -> HeaderColumnSet {
        self.asks
    }

    /// Returns which of 64 games match and which do not. `base` must be the database that the
    /// prefilter was created for. `header_columns` contain what [`Prefilter::asks`] returns, if it
    /// is known. `may_come` returns the games in which a position may occur according to its
    /// features; the positions of the query are numbered from 0.
    pub fn judge(
        &self,
        header_columns: Option<&HeaderColumns>,
        base: &BaseInfo,
        may_come: &mut dyn FnMut(usize, &RequiredFeatures) -> u64,
    ) -> PrefilterResult {
        self.plan.evaluate(&mut |term| match term {
            FilterTerm::Header(term) => header_columns
                .map_or(PrefilterResult::UNKNOWN, |columns| {
                    term.judge(columns, base)
                }),
            FilterTerm::Position(number, features) => PrefilterResult {
                fit: 0,
                fail: !may_come(*number, features),
            },
            FilterTerm::Open => PrefilterResult::UNKNOWN,
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

    /// Collects the results of successive games.
    #[inline]
    fn collect(games: impl Iterator<Item = Option<bool>>) -> PrefilterResult {
        let mut judged = PrefilterResult::UNKNOWN;
        // Each game is a bit: a further one would overflow the shift.
        for (n, fits) in games.enumerate().take(HeaderColumns::GAMES) {
            judged.fit |= u64::from(fits == Some(true)) << n;
            judged.fail |= u64::from(fits == Some(false)) << n;
        }
        judged
    }

    /// Collects the results of successive games that are all decided.
    #[inline]
    fn collect_known(games: impl Iterator<Item = bool>) -> PrefilterResult {
        PrefilterResult::collect(games.map(Some))
    }

    /// Returns the result with these games undecided.
    fn without(self, games: u64) -> PrefilterResult {
        let PrefilterResult { fit, fail } = self;
        PrefilterResult {
            fit: fit & !games,
            fail: fail & !games,
        }
    }
}

/// One result for each of the 64 games.
impl Truth for PrefilterResult {
    const YES: PrefilterResult = PrefilterResult { fit: !0, fail: 0 };
    const NO: PrefilterResult = PrefilterResult { fit: 0, fail: !0 };

    fn not(self) -> PrefilterResult {
        let PrefilterResult { fit, fail } = self;
        PrefilterResult {
            fit: fail,
            fail: fit,
        }
    }

    fn and(self, other: PrefilterResult) -> PrefilterResult {
        PrefilterResult {
            fit: self.fit & other.fit,
            fail: self.fail | other.fail,
        }
    }
}

impl FilterTerm {
    fn new(
        term: &Term,
        base: &BaseInfo,
        lines: bool,
        names: &mut usize,
        positions: &mut impl Iterator<Item = usize>,
    ) -> FilterTerm {
        match term {
            Term::Header(HeaderTerm::Text(column, tests)) if column.is_name() && *names > 0 => {
                *names -= 1;
                let places = (0..base.texts.len()).map(|_| AtomicU8::new(UNKNOWN));
                FilterTerm::Header(HeaderCondition::Name(
                    *column,
                    tests.clone(),
                    places.collect(),
                ))
            }
            Term::Header(HeaderTerm::Date(dates)) => {
                let is_within = |year| if year == 0 { Some(false) } else { dates.has_year(year) };
                let years = (0..=HeaderColumns::MOST_YEAR).map(is_within);
                FilterTerm::Header(HeaderCondition::Dates(dates.clone(), years.collect()))
            }
            Term::Header(HeaderTerm::Copies(games)) => {
                FilterTerm::Header(HeaderCondition::Copies(CopyColumns::new(games, base)))
            }
            Term::Header(term) if term.is_about_tags() => FilterTerm::Header(HeaderCondition::Tags),
            Term::Header(term) if term.is_value() => {
                FilterTerm::Header(HeaderCondition::Value(term.clone()))
            }
            Term::Position(condition) if lines => {
                // Every position has a number, also one without features.
                let number = positions.next();
                match condition.required_features().zip(number) {
                    Some((features, number)) => FilterTerm::Position(number, features),
                    None => FilterTerm::Open,
                }
            }
            Term::Header(_) | Term::Moves(_) | Term::Position(_) => FilterTerm::Open,
        }
    }

    fn asks(&self) -> HeaderColumnSet {
        match self {
            FilterTerm::Header(condition) => condition.asks(),
            FilterTerm::Position(..) | FilterTerm::Open => HeaderColumnSet::empty(),
        }
    }

    fn needs_tags(&self) -> bool {
        matches!(
            self,
            FilterTerm::Header(
                HeaderCondition::Tags | HeaderCondition::Name(TextField::AnyName, ..)
            )
        )
    }
}

impl HeaderCondition {
    fn asks(&self) -> HeaderColumnSet {
        match self {
            HeaderCondition::Name(TextField::Player | TextField::White | TextField::Black, ..) => {
                HeaderColumnSet::PLAYERS
            }
            HeaderCondition::Name(TextField::AnyName, ..) => {
                HeaderColumnSet::PLAYERS | HeaderColumnSet::EVENT
            }
            HeaderCondition::Name(..) => HeaderColumnSet::EVENT,
            // Any column: an index without columns knows nothing of tags.
            HeaderCondition::Tags => HeaderColumnSet::RESULT,
            HeaderCondition::Value(term) => term.asks(),
            HeaderCondition::Dates(..) => HeaderColumnSet::DATE,
            HeaderCondition::Copies(_) => HeaderColumnSet::PLAYERS | HeaderColumnSet::DATE,
        }
    }

    fn judge(&self, header_columns: &HeaderColumns, base: &BaseInfo) -> PrefilterResult {
        match self {
            HeaderCondition::Name(column, tests, places) => {
                let judged = |ids: &[TextId; HeaderColumns::GAMES]| {
                    let fit = with_name(ids, tests, places, base);
                    PrefilterResult { fit, fail: !fit }
                };
                match column {
                    TextField::Player => {
                        judged(&header_columns.whites).or(judged(&header_columns.blacks))
                    }
                    TextField::White => judged(&header_columns.whites),
                    TextField::Black => judged(&header_columns.blacks),
                    TextField::Event => judged(&header_columns.events),
                    TextField::Site => judged(&header_columns.sites),
                    TextField::Round => judged(&header_columns.rounds),
                    TextField::AnyName => {
                        let columns = header_columns;
                        let players = judged(&columns.whites).or(judged(&columns.blacks));
                        let by_names = players
                            .or(judged(&columns.events))
                            .or(judged(&columns.sites));
                        // Others may have an annotator.
                        by_names.without(!columns.complete & !by_names.fit)
                    }
                    TextField::Annotator | TextField::Source => PrefilterResult::UNKNOWN,
                }
            }
            HeaderCondition::Tags => PrefilterResult {
                fit: 0,
                fail: header_columns.complete,
            },
            HeaderCondition::Value(term) => term.judge(header_columns),
            HeaderCondition::Copies(games) => PrefilterResult {
                fit: 0,
                fail: games.judge(header_columns, base),
            },
            HeaderCondition::Dates(dates, years) => {
                // Separate bits, so that the loop has no branches.
                let (mut fit, mut undecided, mut without_year) = (0, 0, 0);
                for (n, date) in header_columns.dates.iter().enumerate() {
                    let decided = years.get(usize::from(date.year)).copied().flatten();
                    fit |= u64::from(decided == Some(true)) << n;
                    undecided |= u64::from(decided.is_none()) << n;
                    without_year |= u64::from(date.year == 0) << n;
                }
                let mut fail = !(fit | undecided | without_year & header_columns.open_dates);
                // The year alone does not decide; the day does, if the index has it.
                let mut days = undecided & !header_columns.open_dates;
                while let Some(&date) = header_columns.dates.get(days.trailing_zeros() as usize) {
                    let bit = days & days.wrapping_neg();
                    days ^= bit;
                    *if dates.has(date) { &mut fit } else { &mut fail } |= bit;
                }
                PrefilterResult { fit, fail }
            }
        }
    }
}

/// Returns the mask of games with a name that matches.
fn with_name(
    ids: &[TextId; HeaderColumns::GAMES],
    tests: &[TextTest],
    places: &[AtomicU8],
    base: &BaseInfo,
) -> u64 {
    let mut fit = 0;
    for (n, &id) in ids.iter().enumerate() {
        // A header without this name has the number 0, which has no place, and cannot match.
        let Some(place) = places.get((id.raw() as usize).wrapping_sub(1)) else {
            continue;
        };
        // A race is harmless, since both threads compute the same result.
        let mut state = place.load(Ordering::Relaxed);
        if state == UNKNOWN {
            state = if name_fits(id, tests, base) { YES } else { NO };
            place.store(state, Ordering::Relaxed);
        }
        fit |= u64::from(state == YES) << n;
    }
    fit
}

/// Returns whether a name of the database matches.
#[inline(never)]
fn name_fits(id: TextId, tests: &[TextTest], base: &BaseInfo) -> bool {
    let name = base.texts.get(id);
    // ASCII is the same in every charset.
    let may_fit = |ascii: &[u8]| tests.iter().any(|test| test.may_be_in(ascii));
    (!name.as_bytes().is_ascii() || may_fit(name.as_bytes()))
        && spelled(&name.decode(), tests, &mut String::new())
}

impl TextField {
    /// Returns whether this is a column of the name tables.
    fn is_name(self) -> bool {
        !matches!(self, TextField::Annotator | TextField::Source)
    }
}

impl HeaderTerm {
    /// Returns whether only games with further tags match.
    fn is_about_tags(&self) -> bool {
        use TextField::{Annotator, Source};
        matches!(
            self,
            HeaderTerm::Text(Annotator | Source, _)
                | HeaderTerm::Opening(_)
                | HeaderTerm::HasOpening
        )
    }

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
                PrefilterResult::collect_known(header_columns.ecos.iter().map(|&eco| ecos.has(eco)))
            }
            HeaderTerm::Result(results) => {
                let fits = |outcome| results.contains(outcome);
                PrefilterResult::collect_known(header_columns.outcomes.iter().map(fits))
            }
            HeaderTerm::Year(years) => {
                let fits = |(n, &date): (usize, &Date)| {
                    let is_known = date.year != 0 || !is_open(n);
                    is_known.then(|| years.has(date.year.into()))
                };
                PrefilterResult::collect(header_columns.dates.iter().enumerate().map(fits))
            }
            HeaderTerm::Elo(who, points) => {
                let [whites, blacks] = &header_columns.ratings;
                let (numbers, are_known) = who.numbers(whites, blacks);
                let fit = points.have(&numbers) & bits(&are_known);
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
