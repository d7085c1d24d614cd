//! Query terms about the header of a game.

use std::sync::Arc;

use chessdb_core::model::{GameFlags, Rating};
use chessdb_core::text::TextId;
use chessdb_core::{Color, Date, Game, Outcome, Start};

use crate::compared_headers::ComparedHeaders;
use crate::fold::fold;
use crate::names::known_text;
use crate::opening_test::{OpeningTest, fits_tags, has_opening_tag};
use crate::syntax::{DateRanges, EcoRanges, NumberRanges, Sign, TextTest, is_decimal};
use crate::time_class::TimeClassTest;
use crate::transliteration::has_cyrillic;

/// A condition on the header.
#[derive(Clone, Debug)]
pub(crate) enum HeaderTerm {
    Text(TextField, Vec<TextTest>),
    Tag(Vec<TagTest>),
    /// The opening that the tags name.
    Opening(Vec<OpeningTest>),
    /// The tags name an opening.
    HasOpening,
    Title(Vec<String>),
    Eco(EcoRanges),
    Date(DateRanges),
    Year(NumberRanges),
    /// The number with which the round begins.
    Round(NumberRanges),
    Elo(RatingOf, NumberRanges),
    Result(Vec<Outcome>),
    Time(Vec<TimeClassTest>),
    Start(Vec<StartKind>),
    Flags(Vec<GameFlags>),
    Deleted(Vec<bool>),
    /// The game can be equal to one of other games.
    Copies(Arc<ComparedHeaders>),
}

/// A text of the header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TextField {
    Player,
    White,
    Black,
    Event,
    Site,
    Round,
    Annotator,
    Source,
    /// A player, the event, the site or the annotator.
    AnyName,
}

impl TextField {
    /// Returns whether the text of a header matches one of the tests. `buffer` is scratch memory.
    pub(crate) fn fits(self, tests: &[TextTest], game: &Game, buffer: &mut String) -> bool {
        let header = &game.header;
        let mut fits = |id: TextId| text_fits(game, id, tests, buffer);
        match self {
            TextField::Player => fits(header.white.name.text) || fits(header.black.name.text),
            TextField::White => fits(header.white.name.text),
            TextField::Black => fits(header.black.name.text),
            TextField::Event => fits(header.event.text),
            TextField::Site => fits(header.site.text),
            TextField::Round => fits(header.round.text),
            TextField::Annotator => fits(header.annotator.text),
            TextField::Source => fits(header.source.text),
            TextField::AnyName => [
                header.white.name.text,
                header.black.name.text,
                header.event.text,
                header.site.text,
                header.annotator.text,
            ]
            .into_iter()
            .any(fits),
        }
    }
}

/// The rating that a term refers to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RatingOf {
    White,
    Black,
    /// The lower of both ratings.
    Lower,
    /// White's rating minus Black's.
    Difference,
}

/// The kind of a game's start position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StartKind {
    Standard,
    Setup,
    Chess960,
}

/// A tag by its folded name, and a test of its value, if any.
#[derive(Clone, Debug)]
pub(crate) struct TagTest {
    pub(crate) name: String,
    pub(crate) value: Option<TagValue>,
}

/// A condition on the value of a tag.
#[derive(Clone, Debug)]
pub(crate) enum TagValue {
    Text(TextTest),
    /// A number within a range. A value that is no number may match the text.
    Number(DecimalRange, Option<TextTest>),
    Dates(DateRanges),
}

/// A range of decimal numbers. `sign` excludes an end if it is `>` or `<`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct DecimalRange {
    pub(crate) first: Option<f64>,
    pub(crate) last: Option<f64>,
    pub(crate) sign: Sign,
}

impl DecimalRange {
    /// Returns the range of one number; `None` if the text is none.
    pub(crate) fn one(text: &str) -> Option<DecimalRange> {
        let number = DecimalRange::number(text)?;
        Some(DecimalRange {
            first: Some(number),
            last: Some(number),
            sign: Sign::Is,
        })
    }

    pub(crate) fn number(text: &str) -> Option<f64> {
        is_decimal(text).then(|| text.trim().parse().ok()).flatten()
    }

    fn has(self, number: f64) -> bool {
        let is_after = self.first.is_none_or(|first| match self.sign {
            Sign::Above => number > first,
            _ => number >= first,
        });
        let is_before = self.last.is_none_or(|last| match self.sign {
            Sign::Below => number < last,
            _ => number <= last,
        });
        is_after && is_before
    }
}

impl TagValue {
    fn fits(&self, value: &str, buffer: &mut String) -> bool {
        let mut text_fits = |test| spelled(value, std::slice::from_ref(test), buffer);
        match self {
            TagValue::Text(test) => text_fits(test),
            TagValue::Number(range, text) => match DecimalRange::number(value) {
                Some(number) => range.has(number),
                None => text.as_ref().is_some_and(text_fits),
            },
            TagValue::Dates(dates) => {
                Date::from_pgn(value.trim().as_bytes()).is_some_and(|date| dates.has(date))
            }
        }
    }
}

impl HeaderTerm {
    /// Returns whether a header matches. `buffer` is scratch memory for texts.
    pub(crate) fn fits(&self, game: &Game, buffer: &mut String) -> bool {
        let header = &game.header;
        match self {
            HeaderTerm::Text(field, tests) => field.fits(tests, game, buffer),
            HeaderTerm::Opening(tests) => fits_tags(tests, game),
            HeaderTerm::HasOpening => has_opening_tag(game),
            HeaderTerm::Tag(tests) => tests.iter().any(|test| test.fits(game, buffer)),
            HeaderTerm::Title(titles) => [&header.white, &header.black].into_iter().any(|player| {
                buffer.clear();
                fold(&game.text(player.title).decode(), buffer);
                titles.iter().any(|title| title == buffer)
            }),
            HeaderTerm::Eco(ecos) => ecos.has(header.eco),
            HeaderTerm::Date(dates) => dates.has(game.effective_date()),
            HeaderTerm::Year(years) => years.has(game.effective_date().year.into()),
            HeaderTerm::Round(rounds) => {
                let round = game.text(header.round.text).decode();
                let digits = round.trim().split(|c: char| !c.is_ascii_digit()).next();
                digits
                    .and_then(|digits| digits.parse().ok())
                    .is_some_and(|number| rounds.has(number))
            }
            HeaderTerm::Elo(who, points) => {
                let elo = |color| header.player(color).rating;
                who.has(points, elo(Color::White), elo(Color::Black))
            }
            HeaderTerm::Result(results) => results.contains(&header.outcome),
            HeaderTerm::Time(tests) => tests.iter().any(|test| test.fits(game)),
            HeaderTerm::Start(kinds) => kinds.iter().any(|kind| match (&header.start, kind) {
                (Start::Standard, kind) if game.has_known_start() => *kind == StartKind::Standard,
                // An unknown start position is counted as set up.
                (Start::Standard, kind) => *kind == StartKind::Setup,
                (Start::Setup(setup), StartKind::Chess960) => setup.chess960,
                (Start::Setup(setup), StartKind::Standard) => setup.is_standard(),
                (Start::Setup(_), StartKind::Setup) => true,
            }),
            HeaderTerm::Flags(flags) => flags.iter().any(|flags| header.flags.contains(*flags)),
            HeaderTerm::Deleted(wanted) => {
                wanted.contains(&header.flags.contains(GameFlags::DELETED))
            }
            HeaderTerm::Copies(games) => games.may_have_header(game),
        }
    }
}

impl RatingOf {
    /// Returns whether the ratings of White and Black match.
    fn has(self, points: &NumberRanges, white: Option<Rating>, black: Option<Rating>) -> bool {
        let points_of = |rating: Option<Rating>| [rating.map_or(0, |rating| rating.value)];
        let ([number], [is_known]) = self.numbers(&points_of(white), &points_of(black));
        is_known && points.has(number)
    }

    /// Returns the numbers to test, and which of them are known. A rating of 0 is unknown.
    #[inline]
    pub(crate) fn numbers<const N: usize>(
        self,
        whites: &[u16; N],
        blacks: &[u16; N],
    ) -> ([i32; N], [bool; N]) {
        let mut least = *whites;
        match self {
            RatingOf::White => {}
            RatingOf::Black => least = *blacks,
            // The lower number is 0 if either rating is unknown.
            RatingOf::Lower | RatingOf::Difference => {
                let both = least.iter_mut().zip(blacks);
                both.for_each(|(least, &black)| *least = black.min(*least));
            }
        }
        let mut numbers = least.map(i32::from);
        if self == RatingOf::Difference {
            let both = whites.iter().zip(blacks);
            for (number, (&white, &black)) in numbers.iter_mut().zip(both) {
                *number = i32::from(white) - i32::from(black);
            }
        }
        (numbers, least.map(|points| points != 0))
    }
}

impl TagTest {
    fn fits(&self, game: &Game, buffer: &mut String) -> bool {
        game.tags().any(|(name, value)| {
            if !name.eq_ignore_ascii_case(&self.name) {
                return false;
            }
            match &self.value {
                Some(test) => test.fits(&value, buffer),
                // These are PGN's placeholders for unknown values.
                None => !matches!(known_text(&value), "" | "????.??.??"),
            }
        })
    }
}

/// Returns whether a text matches one of the tests. A missing text does not.
fn text_fits(game: &Game, id: TextId, tests: &[TextTest], buffer: &mut String) -> bool {
    id.is_some() && spelled(&game.text(id).decode(), tests, buffer)
}

/// Returns whether a text matches one of the tests.
pub(crate) fn spelled(text: &str, tests: &[TextTest], buffer: &mut String) -> bool {
    buffer.clear();
    fold(text, buffer);
    if tests.iter().any(|test| test.fits(buffer)) {
        return true;
    }
    let is_cyrillic = !text.is_ascii() && has_cyrillic(text);
    tests
        .iter()
        .any(|test| test.fits_transliterated(buffer, is_cyrillic))
}
