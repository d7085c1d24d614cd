//! The terms of the known keys.

use chessdb_core::Outcome;
use chessdb_core::model::GameFlags;

use super::parse::{ParsedTerm, QueryOptions};
use super::questions::question;
use super::tags::tags;
use crate::book_test::BookTest;
use crate::expr::Expr;
use crate::fold::folded;
use crate::headers::{HeaderTerm, RatingOf, StartKind, TextField};
use crate::moves::{GameContent, MovesTerm};
use crate::natural::is_number;
use crate::opening_test::{OpeningNames, OpeningTest};
use crate::position::{
    Bishops, ExactPosition, Imbalance, MOST_LINES, Material, Pattern, PositionTest, read_line,
};
use crate::syntax::{
    DateRanges, EcoRanges, Fault, Form, Item, NumberRanges, QueryError, RawKey, Sign, TextTest,
    each, fen_of,
};
use crate::time_class::TimeClassTest;

/// Parses a term about positions, or a bound of one.
pub(super) fn position(
    key: &RawKey,
    items: &[Item],
    options: &QueryOptions,
) -> Option<Result<ParsedTerm, (usize, Fault)>> {
    let boards = |is_strict| {
        each(items, |item| {
            ExactPosition::read(&fen_of(&item.text)?, is_strict)
        })
    };
    let turned = |patterns: Vec<Pattern>| {
        let mut all = patterns;
        if options.mirror {
            all.extend(all.iter().map(Pattern::mirrored).collect::<Vec<_>>());
        }
        // Also of the mirrored ones, so that both options give four patterns.
        if options.flip {
            all.extend(all.iter().map(Pattern::flipped).collect::<Vec<_>>());
        }
        ParsedTerm::Position(PositionTest::Pattern(all))
    };
    let test = |test| Ok(ParsedTerm::Position(test));
    Some(match key.name.as_str() {
        "fen" => boards(false).map(PositionTest::Exact).and_then(test),
        "fen!" => boards(true).map(PositionTest::Exact).and_then(test),
        "line" if items.len() > MOST_LINES => Err((MOST_LINES, Fault::from("too many lines"))),
        "line" => each(items, |item| read_line(&item.text))
            .map(PositionTest::Line)
            .and_then(test),
        "pattern" => each(items, |item| Pattern::read(&item.text)).map(turned),
        "sub" => each(items, |item| Pattern::read_sub(&item.text)).map(turned),
        "material" => each(items, |item| Material::read(&item.text))
            .map(PositionTest::Material)
            .and_then(test),
        "bishops" => each(items, |item| Bishops::read(&item.text))
            .map(PositionTest::Bishops)
            .and_then(test),
        "imbalance" => each(items, |item| Imbalance::read(&item.text))
            .map(PositionTest::Imbalance)
            .and_then(test),
        "balance" => NumberRanges::read(items, key.sign, i32::MIN)
            .map(PositionTest::Balance)
            .and_then(test),
        "at" => one_range(key, items).map(ParsedTerm::At),
        "for" => one_range(key, items).and_then(|(least, _)| match least {
            0 => Err((0, Fault::from("expected at least 1 half-move"))),
            least => Ok(ParsedTerm::For(least)),
        }),
        _ => return None,
    })
}

/// Parses a single range of numbers.
fn one_range(key: &RawKey, items: &[Item]) -> Result<(u32, u32), (usize, Fault)> {
    let numbers = NumberRanges::read(items, key.sign, 0)?;
    match numbers.range() {
        Some(range) if *range.start() >= 0 => {
            Ok((range.start().unsigned_abs(), range.end().unsigned_abs()))
        }
        _ => Err((0, Fault::from("expected one range of half-moves"))),
    }
}

/// Parses the term of a known key.
pub(super) fn expr(
    key: &RawKey,
    items: &[Item],
    options: &QueryOptions,
) -> Result<Expr, (usize, Fault)> {
    if let Some(term) = question(&key.name, items) {
        return term.map(Expr::moves);
    }
    let texts = || each(items, TextTest::read);
    let names = || each(items, TextTest::read_name);
    let numbers = |lowest| NumberRanges::read(items, key.sign, lowest);
    let text = |field| Ok::<_, (usize, Fault)>(HeaderTerm::Text(field, texts()?));
    let name = |field| Ok::<_, (usize, Fault)>(HeaderTerm::Text(field, names()?));
    Ok(Expr::header(match key.name.as_str() {
        "player" => name(TextField::Player)?,
        "white" => name(TextField::White)?,
        "black" => name(TextField::Black)?,
        "annotator" => name(TextField::Annotator)?,
        "event" => text(TextField::Event)?,
        "site" => text(TextField::Site)?,
        "round" => match numbers(1) {
            Ok(numbers) if !items.iter().any(|item| item.form == Form::Quoted) => {
                HeaderTerm::Round(numbers)
            }
            // A reversed range of numbers is not meant as a text.
            Err(fault) if items.iter().any(is_number_range) => return Err(fault),
            _ if key.sign == Sign::Is => text(TextField::Round)?,
            fault => HeaderTerm::Round(fault?),
        },
        "source" => text(TextField::Source)?,
        "book" => {
            let test = BookTest::read(items, key.sign, options.books)?;
            return Ok(Expr::moves(MovesTerm::Book(test)));
        }
        "opening" => return Ok(opening(each(items, OpeningTest::read)?)),
        "title" => HeaderTerm::Title(each(items, |item| title(&item.text))?),
        "eco" => HeaderTerm::Eco(EcoRanges::read(items)?),
        "date" => HeaderTerm::Date(DateRanges::read(items, key.sign)?),
        "year" => {
            each(items, |item| four_digits(&item.text))?;
            HeaderTerm::Year(numbers(1)?)
        }
        "elo" => {
            let points = numbers(1)?;
            let term = |who| Expr::header(HeaderTerm::Elo(who, points.clone()));
            return Ok(Expr::Any(vec![
                term(RatingOf::White),
                term(RatingOf::Black),
            ]));
        }
        "whiteelo" => HeaderTerm::Elo(RatingOf::White, numbers(1)?),
        "blackelo" => HeaderTerm::Elo(RatingOf::Black, numbers(1)?),
        "minelo" => HeaderTerm::Elo(RatingOf::Lower, at_least(key, items)?),
        "elodiff" => HeaderTerm::Elo(RatingOf::Difference, numbers(i32::MIN)?),
        "result" => HeaderTerm::Result(each(items, |item| result(&item.text))?),
        "time" => HeaderTerm::Time(each(items, |item| TimeClassTest::read(&item.text))?),
        "start" => HeaderTerm::Start(each(items, |item| start(&item.text))?),
        "flag" => HeaderTerm::Flags(each(items, |item| flag(&item.text))?),
        "deleted" => HeaderTerm::Deleted(each(items, |item| yes_or_no(&item.text))?),
        "moves" => return Ok(Expr::moves(MovesTerm::Moves(numbers(0)?))),
        "plies" => return Ok(Expr::moves(MovesTerm::Plies(numbers(0)?))),
        "has" => {
            let parts = each(items, |item| part(&item.text))?;
            return Ok(if parts.iter().all(|part| *part == GameContent::Fen) {
                // The header alone shows this, without a look at the moves.
                Expr::header(HeaderTerm::Start(vec![StartKind::Setup]))
            } else {
                Expr::moves(MovesTerm::Has(parts))
            });
        }
        "text" => return Ok(Expr::moves(MovesTerm::Text(texts()?))),
        "comment" => return Ok(Expr::moves(MovesTerm::Comment(texts()?))),
        "tag" => HeaderTerm::Tag(tags(items)?),
        _ => return Err((0, Fault::from("unknown key"))),
    }))
}

/// Parses `minelo:2600` as `minelo:2600..`.
fn at_least(key: &RawKey, items: &[Item]) -> Result<NumberRanges, (usize, Fault)> {
    match items {
        [item] if key.sign == Sign::Is => match item.text.parse() {
            Ok(least) => Ok(NumberRanges::one(least..=i32::MAX)),
            Err(_) => NumberRanges::read(items, key.sign, 1),
        },
        _ => NumberRanges::read(items, key.sign, 1),
    }
}

/// Joins the two tests of an opening: by the tags, and by the moves of a game without these tags.
fn opening(tests: Vec<OpeningTest>) -> Expr {
    let has_no_tag = Expr::Not(Box::new(Expr::header(HeaderTerm::HasOpening)));
    let by_moves = Expr::moves(MovesTerm::Opening(OpeningNames::new(tests.clone())));
    Expr::Any(vec![
        Expr::header(HeaderTerm::Opening(tests)),
        Expr::All(vec![has_no_tag, by_moves]),
    ])
}

fn title(text: &str) -> Result<String, Fault> {
    let title = folded(text);
    match title.len() {
        1..=4 => Ok(title),
        _ => Err(Fault::from(
            "expected an abbreviation of a title, such as GM, IM, FM or WGM",
        )),
    }
}

/// Returns an error if a year has not four digits.
fn four_digits(text: &str) -> Result<(), Fault> {
    let mut start = 0;
    for word in text.split(|c: char| !c.is_ascii_digit()) {
        if !matches!(word.len(), 0 | 4) {
            let message = "a year has four digits, such as 1959";
            return Err(Fault::span(start..start + word.len(), message));
        }
        start += word.len() + 1;
    }
    Ok(())
}

fn result(text: &str) -> Result<Outcome, Fault> {
    let signs = |c: char| match c {
        '\u{2010}'..='\u{2015}' | '\u{2212}' | ':' | '_' => '-',
        c => c,
    };
    let lower: String = text.to_lowercase().chars().map(signs).collect();
    let plain = lower
        .replace('\u{bd}', "1/2")
        .replace("0.5", "1/2")
        .replace(' ', "");
    match plain.as_str() {
        "1/2" | "1/2-1/2" | "draw" | "drawn" | "draws" | "=" | "=-=" | "remis" => Ok(Outcome::Draw),
        "1-0" | "white" | "whitewins" | "white-wins" | "+--" | "1-o" => Ok(Outcome::WhiteWins),
        "0-1" | "black" | "blackwins" | "black-wins" | "--+" | "o-1" => Ok(Outcome::BlackWins),
        "*" | "?" | "unknown" | "unfinished" | "none" => Ok(Outcome::Unknown),
        text => Outcome::from_pgn(text.as_bytes()).ok_or_else(|| {
            let names = ["white", "black", "draw", "unknown"];
            Fault::unknown(text, "1-0, 0-1, 1/2 or *", names)
        }),
    }
}

fn start(text: &str) -> Result<StartKind, Fault> {
    let text = text.to_ascii_lowercase();
    match text.as_str() {
        "standard" | "normal" => Ok(StartKind::Standard),
        "setup" | "fen" => Ok(StartKind::Setup),
        "chess960" | "960" | "fischerandom" | "fischer" => Ok(StartKind::Chess960),
        _ => {
            let names = ["standard", "setup", "chess960"];
            Err(Fault::unknown(&text, "standard, setup or chess960", names))
        }
    }
}

fn yes_or_no(text: &str) -> Result<bool, Fault> {
    match text.to_ascii_lowercase().as_str() {
        "yes" | "y" | "true" | "1" => Ok(true),
        "no" | "n" | "false" | "0" => Ok(false),
        _ => Err(Fault::from("expected yes or no")),
    }
}

/// The names of the flags, in the order of their letters.
const FLAGS: [&str; 13] = [
    "deleted",
    "whiteopening",
    "blackopening",
    "middlegame",
    "endgame",
    "novelty",
    "pawns",
    "tactics",
    "kingside",
    "queenside",
    "brilliancy",
    "blunder",
    "user",
];

/// Reads the flags that a word names: letters of `ScidFlags`, or a name such as `novelty`.
///
/// # Errors
///
/// Returns an error for an unknown flag; the message lists the known ones.
///
/// ```
/// use chessdb_query::language::read_flags;
///
/// assert_eq!(read_flags("novelty").unwrap(), read_flags("N").unwrap());
/// assert!(read_flags("best").unwrap_err().message().contains("brilliancy"));
/// ```
pub fn read_flags(text: &str) -> Result<GameFlags, QueryError> {
    flag(text).map_err(|fault| fault.into_error(text))
}

/// Returns whether an item without quotes is two numbers with two dots between them.
fn is_number_range(item: &Item) -> bool {
    let parts = item.text.split_once("..");
    item.form != Form::Quoted && parts.is_some_and(|(low, high)| is_number(low) && is_number(high))
}

fn flag(text: &str) -> Result<GameFlags, Fault> {
    let name = text.to_ascii_lowercase();
    let of_name = FLAGS.iter().position(|flag| *flag == name);
    let letter = of_name.and_then(|index| GameFlags::LETTERS.get(index));
    let letters = match letter {
        Some(letter) => vec![*letter],
        None => text.to_ascii_uppercase().into_bytes(),
    };
    GameFlags::from_letters(&letters).ok_or_else(|| {
        let letters = String::from_utf8_lossy(GameFlags::LETTERS);
        let names = FLAGS.join(" ");
        let expected = format!("letters of {letters}, or one of {names}");
        Fault::unknown(&name, &expected, FLAGS)
    })
}

/// The contents that a game may have, by name.
const CONTENTS: [(&str, GameContent); 7] = [
    ("variations", GameContent::Variations),
    ("comments", GameContent::Comments),
    ("nags", GameContent::Nags),
    ("clocks", GameContent::Clocks),
    ("evals", GameContent::Evals),
    ("fen", GameContent::Fen),
    ("arrows", GameContent::Arrows),
];

/// Reads a name of [`CONTENTS`], also in the singular.
fn part(text: &str) -> Result<GameContent, Fault> {
    let text = text.to_ascii_lowercase();
    let is_named = |name: &str| name == text || name.strip_suffix('s') == Some(text.as_str());
    let content = CONTENTS.iter().find(|(name, _)| is_named(name));
    content.map(|(_, content)| *content).ok_or_else(|| {
        let expected = "variations, comments, nags, clocks, evals, fen or arrows";
        Fault::unknown(&text, expected, CONTENTS.map(|(name, _)| name))
    })
}
