//! The parser of queries, from tokens to terms.

use std::ops::Range;

use chessdb_core::Outcome;
use chessdb_core::model::GameFlags;

use super::KEYS;
use super::questions::question;
use crate::expr::Expr;
use crate::fold::fold;
use crate::headers::{HeaderTerm, RatingOf, StartKind, TagTest, TextField};
use crate::moves::{GameContent, MovesTerm};
use crate::position::{
    Bishops, ExactPosition, Imbalance, MOST_LINES, Material, Pattern, PositionCondition,
    PositionTest, read_line,
};
use crate::syntax::{
    DateRanges, EcoRanges, Fault, Item, NumberRanges, QueryError, RawKey, RawTerm, Sign, TextTest,
    Token, TokenKind, each, tokens,
};

/// Options for terms about positions.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct QueryOptions {
    /// Whether positions in variations count.
    pub in_variations: bool,
    /// Whether patterns also match with left and right exchanged.
    pub mirror: bool,
    /// Whether patterns also match with the colors exchanged.
    pub flip: bool,
}

/// The largest nesting depth of parentheses.
const DEEPEST: usize = 64;

/// Parses a query.
pub(crate) fn parse(text: &str, options: &QueryOptions) -> Result<Expr, QueryError> {
    let tokens = tokens(text)?;
    let mut parser = Parser {
        text,
        options,
        rest: &tokens,
        depth: 0,
    };
    let expr = parser.any()?;
    match parser.rest.first() {
        None => Ok(expr),
        Some(token) => Err(parser.fault(token, "unmatched closing parenthesis")),
    }
}

/// The meaning of one token of a query.
enum ParsedTerm {
    Expr(Expr),
    Position(PositionTest),
    /// The range of half-moves at which the position next to it must occur.
    At((u32, u32)),
    /// The number of half-moves for which the position must last.
    For(u32),
}

struct Parser<'t> {
    text: &'t str,
    options: &'t QueryOptions,
    rest: &'t [Token],
    depth: usize,
}

impl<'t> Parser<'t> {
    fn fault(&self, at: &Token, message: impl Into<String>) -> QueryError {
        QueryError::new(self.text, at.span.clone(), message)
    }

    fn end(&self, message: &str) -> QueryError {
        QueryError::new(self.text, self.text.len()..self.text.len(), message)
    }

    fn next(&mut self) -> Option<&'t Token> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    fn peek(&self) -> Option<&'t TokenKind> {
        self.rest.first().map(|token| &token.kind)
    }

    /// Parses alternatives.
    fn any(&mut self) -> Result<Expr, QueryError> {
        let mut all = vec![self.all()?];
        while self.peek() == Some(&TokenKind::Or) {
            let or = self.next();
            let one = self.all()?;
            for side in [all.last(), Some(&one)].into_iter().flatten() {
                if let (Expr::All(none), Some(or)) = (side, or)
                    && none.is_empty()
                {
                    return Err(self.fault(or, "a term is required on both sides"));
                }
            }
            all.push(one);
        }
        Ok(match all.pop() {
            Some(one) if all.is_empty() => one,
            Some(last) => {
                all.push(last);
                Expr::Any(all)
            }
            None => Expr::All(all),
        })
    }

    /// Parses terms that must all match. Terms about positions refer to the same position.
    fn all(&mut self) -> Result<Expr, QueryError> {
        let mut all = Vec::new();
        let mut tests: Vec<PositionTest> = Vec::new();
        let (mut plies, mut lasting) = ((0, u32::MAX), 1);
        let mut bounds = None;
        while !matches!(self.peek(), None | Some(TokenKind::Or | TokenKind::Close)) {
            let start = self.rest.first();
            match self.one()? {
                ParsedTerm::Expr(expr) => all.push(expr),
                ParsedTerm::Position(test) => {
                    let is_second = |known: &PositionTest| !known.is_partial();
                    if let (false, Some(token)) = (test.is_partial(), start)
                        && tests.iter().any(is_second)
                    {
                        let message =
                            "a second position; enclose each position in its own parentheses";
                        return Err(self.fault(token, message));
                    }
                    tests.push(test);
                }
                ParsedTerm::At(range) => {
                    plies = range;
                    bounds = start;
                }
                ParsedTerm::For(count) => {
                    lasting = count;
                    bounds = start;
                }
            }
        }
        match (tests.is_empty(), bounds) {
            (false, _) => all.push(Expr::position(PositionCondition::new(
                tests, plies, lasting,
            ))),
            (true, Some(token)) => {
                let message = "a position is missing: expected fen, line, pattern, material, imbalance, balance, bishops or sub";
                return Err(self.fault(token, message));
            }
            (true, None) => {}
        }
        Ok(Expr::All(all))
    }

    fn one(&mut self) -> Result<ParsedTerm, QueryError> {
        let mut is_not = false;
        let mut sign = None;
        while self.peek() == Some(&TokenKind::Not) {
            sign = self.next();
            is_not = !is_not;
        }
        let negate = |expr| {
            if is_not {
                Expr::Not(Box::new(expr))
            } else {
                expr
            }
        };
        let of_one = |one| match one {
            ParsedTerm::Position(test) if is_not => {
                let condition = PositionCondition::new(vec![test], (0, u32::MAX), 1);
                Ok(ParsedTerm::Expr(negate(Expr::position(condition))))
            }
            ParsedTerm::Expr(expr) => Ok(ParsedTerm::Expr(negate(expr))),
            one if is_not => Err(one),
            one => Ok(one),
        };
        let Some(token) = self.next() else {
            return Err(self.end("the term to negate is missing"));
        };
        match (&token.kind, sign) {
            (TokenKind::Term(raw), _) => of_one(self.term(raw, token)?).map_err(|_| {
                self.fault(
                    token,
                    "this belongs to a position; enclose both in parentheses to negate them",
                )
            }),
            (TokenKind::Open, _) => {
                self.depth += 1;
                if self.depth > DEEPEST {
                    return Err(self.fault(token, "the parentheses are nested too deeply"));
                }
                let expr = self.any()?;
                if self.next().is_none() {
                    return Err(self.fault(token, "missing closing parenthesis"));
                }
                self.depth -= 1;
                Ok(ParsedTerm::Expr(negate(expr)))
            }
            (_, sign) => Err(self.fault(sign.unwrap_or(token), "the term to negate is missing")),
        }
    }

    fn term(&self, raw: &RawTerm, token: &Token) -> Result<ParsedTerm, QueryError> {
        let place = |(at, fault): (usize, Fault)| {
            let item = raw.items.get(at);
            let span = item.map_or(token.span.clone(), |item| self.place(item, fault.within));
            QueryError::new(self.text, span, fault.message)
        };
        let Some(key) = &raw.key else {
            let texts = each(&raw.items, TextTest::read).map_err(place)?;
            return Ok(ParsedTerm::Expr(Expr::header(HeaderTerm::Text(
                TextField::Player,
                texts,
            ))));
        };
        if !KEYS.iter().any(|known| known.name == key.name) {
            let names: Vec<&str> = KEYS.iter().map(|key| key.name).collect();
            let message = format!("unknown key; the keys are {}", names.join(" "));
            return Err(QueryError::new(self.text, key.span.clone(), message));
        }
        if raw.items.is_empty() {
            return Err(self.fault(token, "a value is missing"));
        }
        let is_compared = matches!(
            key.name.as_str(),
            "elo"
                | "whiteelo"
                | "blackelo"
                | "minelo"
                | "elodiff"
                | "year"
                | "date"
                | "moves"
                | "plies"
                | "balance"
        );
        if key.sign != Sign::Is && !is_compared {
            return Err(self.fault(token, "only numbers and dates can be compared like this"));
        }
        match position(key, &raw.items, self.options) {
            Some(one) => one.map_err(place),
            None => expr(key, &raw.items).map(ParsedTerm::Expr).map_err(place),
        }
    }

    /// Returns the range of a value, or of a part of it, unless escapes make that ambiguous.
    fn place(&self, item: &Item, within: Option<Range<usize>>) -> Range<usize> {
        let written = self.text.get(item.span.clone()).unwrap_or_default();
        let start = match written.len() - item.text.len().min(written.len()) {
            0 => item.span.start,
            2 => item.span.start + 1,
            _ => return item.span.clone(),
        };
        match within {
            Some(part) if part.start < item.text.len() => {
                start + part.start..start + part.end.min(item.text.len())
            }
            _ => item.span.clone(),
        }
    }
}

/// Parses a term about positions, or a bound of one.
fn position(
    key: &RawKey,
    items: &[Item],
    options: &QueryOptions,
) -> Option<Result<ParsedTerm, (usize, Fault)>> {
    let boards = |is_strict| each(items, |item| ExactPosition::read(&item.text, is_strict));
    let turned = |patterns: Vec<Pattern>| {
        let mut all = patterns;
        if options.mirror {
            all.extend(all.iter().map(Pattern::mirrored).collect::<Vec<_>>());
        }
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
fn expr(key: &RawKey, items: &[Item]) -> Result<Expr, (usize, Fault)> {
    if let Some(term) = question(&key.name, items) {
        return term.map(Expr::moves);
    }
    let texts = || each(items, TextTest::read);
    let numbers = |lowest| NumberRanges::read(items, key.sign, lowest);
    let column = match key.name.as_str() {
        "white" => TextField::White,
        "black" => TextField::Black,
        "event" => TextField::Event,
        "site" => TextField::Site,
        "round" => TextField::Round,
        "annotator" => TextField::Annotator,
        "source" => TextField::Source,
        "opening" => TextField::Opening,
        _ => TextField::Player,
    };
    Ok(Expr::header(match key.name.as_str() {
        "title" => HeaderTerm::Title(each(items, |item| {
            let mut title = String::new();
            fold(&item.text, &mut title);
            Ok(title)
        })?),
        "eco" => HeaderTerm::Eco(EcoRanges::read(items)?),
        "date" => HeaderTerm::Date(DateRanges::read(items, key.sign)?),
        "year" => HeaderTerm::Year(numbers(1)?),
        "elo" => {
            let points = numbers(1)?;
            let of = |who| Expr::header(HeaderTerm::Elo(who, points.clone()));
            return Ok(Expr::Any(vec![of(RatingOf::White), of(RatingOf::Black)]));
        }
        "whiteelo" => HeaderTerm::Elo(RatingOf::White, numbers(1)?),
        "blackelo" => HeaderTerm::Elo(RatingOf::Black, numbers(1)?),
        "minelo" => HeaderTerm::Elo(RatingOf::Lower, at_least(key, items)?),
        "elodiff" => HeaderTerm::Elo(RatingOf::Difference, numbers(i32::MIN)?),
        "result" => HeaderTerm::Result(each(items, |item| result(&item.text))?),
        "start" => HeaderTerm::Start(each(items, |item| start(&item.text))?),
        "flag" => HeaderTerm::Flags(each(items, |item| flag(&item.text))?),
        "deleted" => HeaderTerm::Deleted(each(items, |item| yes_or_no(&item.text))?),
        "tag" => HeaderTerm::Tag(each(items, tag)?),
        "moves" => return Ok(Expr::moves(MovesTerm::Moves(numbers(0)?))),
        "plies" => return Ok(Expr::moves(MovesTerm::Plies(numbers(0)?))),
        "has" => {
            let parts = each(items, |item| part(&item.text))?;
            return Ok(match parts.iter().all(|part| *part == GameContent::Fen) {
                true => Expr::header(HeaderTerm::Start(vec![StartKind::Setup])),
                false => Expr::moves(MovesTerm::Has(parts)),
            });
        }
        "text" => return Ok(Expr::moves(MovesTerm::Text(texts()?))),
        "comment" => return Ok(Expr::moves(MovesTerm::Comment(texts()?))),
        _ => HeaderTerm::Text(column, texts()?),
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

fn result(text: &str) -> Result<Outcome, Fault> {
    match text.to_ascii_lowercase().as_str() {
        "1/2" | "draw" | "=" => Ok(Outcome::Draw),
        "1-0" | "white" => Ok(Outcome::WhiteWins),
        "0-1" | "black" => Ok(Outcome::BlackWins),
        text => Outcome::from_pgn(text.as_bytes())
            .ok_or_else(|| Fault::from("expected 1-0, 0-1, 1/2 or *")),
    }
}

fn start(text: &str) -> Result<StartKind, Fault> {
    match text.to_ascii_lowercase().as_str() {
        "standard" => Ok(StartKind::Standard),
        "setup" => Ok(StartKind::Setup),
        "chess960" => Ok(StartKind::Chess960),
        _ => Err(Fault::from("expected standard, setup or chess960")),
    }
}

fn yes_or_no(text: &str) -> Result<bool, Fault> {
    match text.to_ascii_lowercase().as_str() {
        "yes" => Ok(true),
        "no" => Ok(false),
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
/// use chessdb_query::read_flags;
///
/// assert_eq!(read_flags("novelty").unwrap(), read_flags("N").unwrap());
/// assert!(read_flags("best").unwrap_err().message().contains("brilliancy"));
/// ```
pub fn read_flags(text: &str) -> Result<GameFlags, QueryError> {
    flag(text).map_err(|fault| fault.of(text))
}

fn flag(text: &str) -> Result<GameFlags, Fault> {
    let name = text.to_ascii_lowercase();
    let of_name = FLAGS.iter().position(|known| *known == name);
    let letter = of_name.and_then(|at| GameFlags::LETTERS.get(at));
    let letters = match letter {
        Some(letter) => vec![*letter],
        None => text.to_ascii_uppercase().into_bytes(),
    };
    GameFlags::from_letters(&letters).ok_or_else(|| {
        let letters = String::from_utf8_lossy(GameFlags::LETTERS);
        let names = FLAGS.join(" ");
        Fault::from(format!("expected letters of {letters}, or one of {names}"))
    })
}

fn part(text: &str) -> Result<GameContent, Fault> {
    Ok(match text.to_ascii_lowercase().as_str() {
        "variations" => GameContent::Variations,
        "comments" => GameContent::Comments,
        "nags" => GameContent::Nags,
        "clocks" => GameContent::Clocks,
        "evals" => GameContent::Evals,
        "fen" => GameContent::Fen,
        "arrows" => GameContent::Arrows,
        _ => {
            let known = "variations, comments, nags, clocks, evals, fen or arrows";
            return Err(Fault::from(format!("expected {known}")));
        }
    })
}

/// Parses `ECO`, `Opening=Najdorf`, `Opening=/^Sic/`.
fn tag(item: &Item) -> Result<TagTest, Fault> {
    let name = item.name.as_ref().unwrap_or(&item.text);
    let value = item.name.as_ref().map(|_| TextTest::read(item));
    Ok(TagTest {
        name: name.to_ascii_lowercase(),
        value: value.transpose()?,
    })
}
