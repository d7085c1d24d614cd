//! The parser of queries, from tokens to terms.

use std::ops::Range;

use super::{bare, terms, written};
use crate::book_test::BookOpener;
use crate::expr::Expr;
use crate::position::{PositionCondition, PositionTest};
use crate::syntax::{
    Fault, Item, KEYS, QueryError, RawKey, RawTerm, Sign, Token, TokenKind, is_comparable,
    is_name_key, nearest, tokens,
};
use crate::words::PlainWord;

/// Options for parsing a query.
#[derive(Clone, Copy, Default, Debug)]
pub struct QueryOptions {
    /// Whether positions in variations count.
    pub in_variations: bool,
    /// Whether patterns also match with left and right exchanged.
    pub mirror: bool,
    /// Whether patterns also match with the colors exchanged.
    pub flip: bool,
    /// Opens the books of the term `book:`. Without it that term is an error, so that the text of a
    /// query opens files only where its author may.
    pub books: Option<BookOpener>,
}

/// The largest nesting depth of parentheses.
const DEEPEST: usize = 64;

/// A query that was read.
pub(crate) struct ParsedQuery {
    /// The conditions that must all be met, each with its text in full.
    pub(crate) terms: Vec<(String, Expr)>,
    /// Explanations of parts that could mean two things.
    pub(crate) notes: Vec<String>,
    /// The words without a key that are not negated.
    pub(crate) words: Vec<PlainWord>,
}

impl ParsedQuery {
    /// Returns the query in full.
    pub(crate) fn canonical(&self) -> String {
        let texts: Vec<&str> = self.terms.iter().map(|(text, _)| text.as_str()).collect();
        texts.join(" ")
    }

    pub(crate) fn into_expr(self) -> Expr {
        let mut terms: Vec<Expr> = self.terms.into_iter().map(|(_, expr)| expr).collect();
        match terms.pop() {
            Some(one) if terms.is_empty() => one,
            last => {
                terms.extend(last);
                Expr::All(terms)
            }
        }
    }
}

/// Parses a query.
pub(crate) fn parse(text: &str, options: &QueryOptions) -> Result<ParsedQuery, QueryError> {
    let tokens = tokens(text)?;
    let mut parser = Parser {
        text,
        options,
        rest: &tokens,
        depth: 0,
        notes: bare::notes_on_joined_words(&tokens),
        words: Vec::new(),
    };
    let terms = parser.any()?;
    match parser.rest.first() {
        None => Ok(ParsedQuery {
            terms,
            notes: parser.notes,
            words: parser.words,
        }),
        Some(token) => Err(parser.fault(token, "unmatched closing parenthesis")),
    }
}

/// The meaning of one token of a query.
pub(super) enum ParsedTerm {
    Expr(Expr),
    Position(PositionTest),
    /// The range of half-moves at which the position next to it must occur.
    At((u32, u32)),
    /// The number of half-moves for which the position must last.
    For(u32),
}

pub(super) struct Parser<'t> {
    pub(super) text: &'t str,
    options: &'t QueryOptions,
    pub(super) rest: &'t [Token],
    depth: usize,
    pub(super) notes: Vec<String>,
    pub(super) words: Vec<PlainWord>,
}

/// Terms that must all match, each with its text in full.
type Terms = Vec<(String, Expr)>;

impl<'t> Parser<'t> {
    pub(super) fn fault(&self, token: &Token, message: impl Into<String>) -> QueryError {
        QueryError::new(self.text, token.span.clone(), message)
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
    fn any(&mut self) -> Result<Terms, QueryError> {
        let mut all = vec![self.all()?];
        while self.peek() == Some(&TokenKind::Or) {
            let or = self.next();
            let one = self.all()?;
            for side in [all.last(), Some(&one)].into_iter().flatten() {
                if let (true, Some(or)) = (side.is_empty(), or) {
                    return Err(self.fault(or, "a term is required on both sides"));
                }
            }
            all.push(one);
        }
        if all.len() == 1 {
            return Ok(all.pop().unwrap_or_default());
        }
        let (texts, exprs): (Vec<String>, Vec<Expr>) = all.into_iter().map(joined).unzip();
        Ok(vec![(texts.join(" or "), Expr::Any(exprs))])
    }

    /// Parses terms that must all match. Terms about positions refer to the same position.
    fn all(&mut self) -> Result<Terms, QueryError> {
        let mut all = Vec::new();
        let mut tests: Vec<PositionTest> = Vec::new();
        let mut texts: Vec<String> = Vec::new();
        let (mut plies, mut lasting) = ((0, u32::MAX), 1);
        let mut bounds = None;
        let mut and = None;
        let mut is_first = true;
        loop {
            let start = self.rest.first();
            match self.peek() {
                // A leading or second `and` joins nothing; the error follows below.
                Some(TokenKind::And) if is_first || and.is_some() => break,
                Some(TokenKind::And) => {
                    and = self.next();
                    continue;
                }
                None | Some(TokenKind::Or | TokenKind::Close) => break,
                Some(_) => {}
            }
            (and, is_first) = (None, false);
            if let Some(pairing) = self.pairing()? {
                match pairing {
                    (text, ParsedTerm::Position(test)) => {
                        texts.push(text);
                        tests.push(test);
                    }
                    (text, ParsedTerm::Expr(expr)) => all.push((text, expr)),
                    _ => {}
                }
                continue;
            }
            if let Some((text, expr)) = self.with_color()? {
                all.push((text, expr));
                continue;
            }
            let (text, term) = self.one()?;
            match term {
                ParsedTerm::Expr(expr) => {
                    all.push((text, expr));
                    continue;
                }
                ParsedTerm::Position(test) => {
                    let is_second = |other: &PositionTest| !other.is_partial();
                    // Two whole positions are never on the board at once.
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
            texts.push(text);
        }
        if let Some(and) = and.or(self
            .rest
            .first()
            .filter(|token| token.kind == TokenKind::And))
        {
            return Err(self.fault(and, "a term is required on both sides"));
        }
        match (tests.is_empty(), bounds) {
            (false, _) => all.push((
                texts.join(" "),
                Expr::position(PositionCondition::new(tests, plies, lasting)),
            )),
            (true, Some(token)) => {
                let message = "a position is missing: expected fen, line, pattern, material, imbalance, balance, bishops or sub";
                return Err(self.fault(token, message));
            }
            (true, None) => {}
        }
        Ok(all)
    }

    /// Parses signs and words of negation. Returns whether there is an odd number of them, and the
    /// last one.
    pub(super) fn negations(&mut self) -> (bool, Option<&'t Token>) {
        let mut is_not = false;
        let mut sign = None;
        while let Some(TokenKind::Not | TokenKind::Dash) = self.peek() {
            sign = self.next();
            is_not = !is_not;
        }
        (is_not, sign)
    }

    fn one(&mut self) -> Result<(String, ParsedTerm), QueryError> {
        let known_words = self.words.len();
        let (is_not, sign) = self.negations();
        let negate = |(text, expr): (String, Expr)| {
            if is_not {
                (
                    format!("-{text}"),
                    ParsedTerm::Expr(Expr::Not(Box::new(expr))),
                )
            } else {
                (text, ParsedTerm::Expr(expr))
            }
        };
        let Some(token) = self.next() else {
            return Err(self.end("the term to negate is missing"));
        };
        let term = match (&token.kind, sign) {
            (TokenKind::Term(raw), _) => match self.term(raw, token)? {
                (text, ParsedTerm::Position(test)) if is_not => {
                    let condition = PositionCondition::new(vec![test], (0, u32::MAX), 1);
                    Ok(negate((text, Expr::position(condition))))
                }
                (text, ParsedTerm::Expr(expr)) => Ok(negate((text, expr))),
                _ if is_not => {
                    let message =
                        "this belongs to a position; enclose both in parentheses to negate them";
                    Err(self.fault(token, message))
                }
                bound => Ok(bound),
            },
            (TokenKind::Open, _) => {
                self.depth += 1;
                if self.depth > DEEPEST {
                    return Err(self.fault(token, "the parentheses are nested too deeply"));
                }
                let (text, expr) = joined(self.any()?);
                if self.next().is_none() {
                    return Err(self.fault(token, "missing closing parenthesis"));
                }
                self.depth -= 1;
                Ok(negate((format!("({text})"), expr)))
            }
            (TokenKind::Versus, _) => {
                let message = "this joins two names without keys; here write white:NAME black:NAME";
                Err(self.fault(token, message))
            }
            (_, sign) => Err(self.fault(sign.unwrap_or(token), "the term to negate is missing")),
        };
        if is_not {
            // The words of a query are those that games must have.
            self.words.truncate(known_words);
        }
        term
    }

    fn term(&mut self, raw: &RawTerm, token: &Token) -> Result<(String, ParsedTerm), QueryError> {
        let Some(key) = &raw.key else {
            return self.bare(raw, token);
        };
        if !KEYS.iter().any(|entry| entry.name == key.name) {
            let message = unknown_key(&key.name);
            return Err(QueryError::new(self.text, key.span.clone(), message));
        }
        if raw.items.is_empty() {
            return Err(self.fault(token, "a value is missing"));
        }
        if key.sign != Sign::Is && !is_comparable(&key.name) {
            return Err(self.fault(token, "only numbers and dates can be compared like this"));
        }
        match key.name.as_str() {
            name if is_name_key(name) => {
                let (items, note) = self.names(&raw.items, &format!("{name}:"))?;
                self.notes.extend(note);
                self.keyed(key, &items, token)
            }
            // Moves without a key: the lexer gives the key the place of the value.
            "line" if raw.items.iter().any(|item| item.span == key.span) => {
                self.bare_line(key, &raw.items, token)
            }
            _ => self.keyed(key, &raw.items, token),
        }
    }

    pub(super) fn keyed(
        &self,
        key: &RawKey,
        items: &[Item],
        token: &Token,
    ) -> Result<(String, ParsedTerm), QueryError> {
        let parsed = match terms::position(key, items, self.options) {
            Some(one) => one,
            None => terms::expr(key, items, self.options).map(ParsedTerm::Expr),
        };
        let term = parsed.map_err(|fault| self.fault_in(items, token, fault))?;
        Ok((written::term(key, items), term))
    }

    /// Joins the values of a name; see [`bare::names`].
    pub(super) fn names(
        &self,
        items: &[Item],
        key: &str,
    ) -> Result<(Vec<Item>, Option<String>), QueryError> {
        bare::names(self.text, items, key).map_err(|fault| self.fault_at(&fault))
    }

    /// Parses moves without a key.
    fn bare_line(
        &mut self,
        key: &RawKey,
        items: &[Item],
        token: &Token,
    ) -> Result<(String, ParsedTerm), QueryError> {
        let moves: String = items.iter().map(|item| item.text.as_str()).collect();
        let term = self.keyed(key, items, token).map_err(|error| {
            let message = format!(
                "{}; line:\"1.e4 c5\" finds games by their first moves; for words write {}",
                error.message(),
                written::quoted(&moves)
            );
            QueryError::new(self.text, error.span(), message)
        })?;
        if !moves.starts_with("1.") {
            let words = written::quoted(&moves);
            self.notes.push(format!(
                "{moves} is read as the first moves, line:{words}; for words write {words}"
            ));
        }
        Ok(term)
    }

    /// Returns the error about a value.
    pub(super) fn fault_at(&self, (item, fault): &(Item, Fault)) -> QueryError {
        let message = fault.message.clone();
        QueryError::new(self.text, self.place(item, fault.within.clone()), message)
    }

    /// Returns the error about one of these values.
    pub(super) fn fault_in(
        &self,
        items: &[Item],
        token: &Token,
        (index, fault): (usize, Fault),
    ) -> QueryError {
        let item = items.get(index);
        let span = item.map_or(token.span.clone(), |item| self.place(item, fault.within));
        QueryError::new(self.text, span, fault.message)
    }

    /// Returns the range of a value, or of a part of it, unless escapes make that ambiguous.
    pub(super) fn place(&self, item: &Item, within: Option<Range<usize>>) -> Range<usize> {
        let written = self.text.get(item.span.clone()).unwrap_or_default();
        let start = match written.len().checked_sub(item.text.len()) {
            Some(0) => item.span.start,
            // Two bytes more are quotes.
            Some(2) => item.span.start + 1,
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

/// Joins terms that must all match.
fn joined(terms: Terms) -> (String, Expr) {
    let query = ParsedQuery {
        terms,
        notes: Vec::new(),
        words: Vec::new(),
    };
    (query.canonical(), query.into_expr())
}

/// Keys of other programs.
const OTHER_KEYS: [(&str, &str); 10] = [
    ("name", "player"),
    ("rating", "elo"),
    ("tournament", "event"),
    ("place", "site"),
    ("city", "site"),
    ("position", "fen"),
    ("length", "moves"),
    ("ply", "plies"),
    ("winner", "result"),
    ("variation", "opening"),
];

fn unknown_key(name: &str) -> String {
    let names = || KEYS.iter().map(|key| key.name);
    let other = OTHER_KEYS.iter().find(|(other, _)| *other == name);
    match other
        .map(|(_, key)| *key)
        .or_else(|| nearest(name, names()))
    {
        Some(near) => format!("unknown key; did you mean {near}?"),
        None => {
            let names: Vec<&str> = names().collect();
            format!("unknown key; the keys are {}", names.join(" "))
        }
    }
}
