//! The lexer of queries: terms with their values, parentheses, `or` and the negation sign.

use std::ops::Range;

use winnow::combinator::{alt, opt, preceded, repeat, separated};
use winnow::error::ContextError;
use winnow::prelude::*;
use winnow::stream::Location;
use winnow::token::{any, none_of, take_while};
use winnow::{LocatingSlice, Result};

use super::QueryError;

/// A token of a query.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Range<usize>,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum TokenKind {
    Open,
    Close,
    Not,
    Or,
    Term(RawTerm),
}

/// A term as written.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct RawTerm {
    /// The key and its sign, unless this is a bare word.
    pub(crate) key: Option<RawKey>,
    pub(crate) items: Vec<Item>,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct RawKey {
    pub(crate) name: String,
    pub(crate) span: Range<usize>,
    pub(crate) sign: Sign,
}

/// The sign between key and value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sign {
    /// `:`
    Is,
    /// `>=`
    AtLeast,
    /// `<=`
    AtMost,
    /// `>`
    Above,
    /// `<`
    Below,
}

/// A value of a list.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Item {
    /// The name before a `=`, for tags.
    pub(crate) name: Option<String>,
    pub(crate) text: String,
    pub(crate) form: Form,
    pub(crate) span: Range<usize>,
}

/// The form in which a value is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    /// Bare or in quotes.
    Plain,
    /// Between slashes.
    Regex,
    /// With a quote or slash that is not closed.
    Unclosed,
}

type Input<'t> = LocatingSlice<&'t str>;

/// Splits a query into its tokens.
pub(crate) fn tokens(text: &str) -> std::result::Result<Vec<Token>, QueryError> {
    let mut input = LocatingSlice::new(text);
    let mut tokens = Vec::new();
    loop {
        let _: Result<&str> = take_while(0.., char::is_whitespace).parse_next(&mut input);
        let start = input.current_token_start();
        let Ok((kind, span)) = token.with_span().parse_next(&mut input) else {
            break;
        };
        if let TokenKind::Term(term) = &kind
            && let Some(open) = term.items.iter().find(|item| item.form == Form::Unclosed)
        {
            let message = "the opening quote or slash is not closed";
            return Err(QueryError::new(text, open.span.clone(), message));
        }
        debug_assert!(span.start == start);
        tokens.push(Token { kind, span });
    }
    let rest = input.current_token_start();
    match text.get(rest..) {
        None | Some("") => Ok(tokens),
        Some(_) => {
            let message = "text with commas or spaces must be quoted";
            Err(QueryError::new(text, rest..text.len(), message))
        }
    }
}

fn token(input: &mut Input<'_>) -> Result<TokenKind> {
    alt((
        '('.value(TokenKind::Open),
        ')'.value(TokenKind::Close),
        '-'.value(TokenKind::Not),
        term.map(|term| match term {
            RawTerm { key: None, items } if is_or(&items) => TokenKind::Or,
            term => TokenKind::Term(term),
        }),
    ))
    .parse_next(input)
}

/// Returns whether this is the bare word `or`. A quoted word is longer than its text.
fn is_or(items: &[Item]) -> bool {
    matches!(items, [item] if item.text.eq_ignore_ascii_case("or") && item.span.len() == 2)
}

fn term(input: &mut Input<'_>) -> Result<RawTerm> {
    let key = opt(key).parse_next(input)?;
    let named = key.as_ref().is_some_and(|key| key.name == "tag");
    let mut one = |input: &mut Input<'_>| item(input, named);
    // The parser reports a key without a value.
    let items: Vec<Item> = match &key {
        Some(_) => separated(0.., one.by_ref(), ',').parse_next(input)?,
        None => separated(1.., one.by_ref(), ',').parse_next(input)?,
    };
    Ok(RawTerm { key, items })
}

fn key(input: &mut Input<'_>) -> Result<RawKey> {
    let letter = |c: char| c.is_ascii_alphabetic();
    let name = (take_while(1.., letter), opt('!')).take().with_span();
    let sign = alt((
        ':'.value(Sign::Is),
        ">=".value(Sign::AtLeast),
        "<=".value(Sign::AtMost),
        '='.value(Sign::Is),
        '>'.value(Sign::Above),
        '<'.value(Sign::Below),
    ));
    let ((name, span), sign) = (name, sign).parse_next(input)?;
    let name = name.to_ascii_lowercase();
    Ok(RawKey { name, span, sign })
}

fn item(input: &mut Input<'_>, named: bool) -> Result<Item> {
    let name = (take_while(1.., |c: char| is_plain(c) && c != '='), '=');
    let name = name.map(|(name, _): (&str, char)| name.to_owned());
    let name = if named {
        opt(name).parse_next(input)?
    } else {
        None
    };
    let ((text, form), span) = alt((regex, word)).with_span().parse_next(input)?;
    Ok(Item {
        name,
        text,
        form,
        span,
    })
}

fn is_plain(c: char) -> bool {
    !c.is_whitespace() && !matches!(c, '(' | ')' | '"' | ',')
}

/// Parses a word of adjacent quoted and unquoted parts.
fn word(input: &mut Input<'_>) -> Result<(String, Form)> {
    let plain = take_while(1.., is_plain).map(|text: &str| (text.to_owned(), Form::Plain));
    let pieces: Vec<(String, Form)> =
        repeat(1.., alt((delimited_by('"', "\\\""), plain))).parse_next(input)?;
    let open = pieces.iter().any(|(_, form)| *form == Form::Unclosed);
    let text = pieces.into_iter().map(|(text, _)| text).collect();
    Ok((text, if open { Form::Unclosed } else { Form::Plain }))
}

fn regex(input: &mut Input<'_>) -> Result<(String, Form)> {
    let (text, form) = delimited_by('/', "/").parse_next(input)?;
    Ok((
        text,
        if form == Form::Plain {
            Form::Regex
        } else {
            form
        },
    ))
}

/// Parses the text between two `sign` characters. A backslash before a character of `escaped` is
/// removed.
fn delimited_by<'t>(
    sign: char,
    escaped: &'static str,
) -> impl Parser<Input<'t>, (String, Form), ContextError> {
    let one = move |input: &mut Input<'t>| -> Result<char> {
        let escape = preceded('\\', any.verify(move |c: &char| escaped.contains(*c)));
        alt((escape, none_of(sign))).parse_next(input)
    };
    (sign, repeat(0.., one), opt(sign)).map(|(_, text, end): (char, String, Option<char>)| {
        let form = match end {
            Some(_) => Form::Plain,
            None => Form::Unclosed,
        };
        (text, form)
    })
}
