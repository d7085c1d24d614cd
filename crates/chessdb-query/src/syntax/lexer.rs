//! The lexer of queries: terms with their values, parentheses, operators and positions.

use std::ops::Range;

use winnow::combinator::{alt, eof, not, opt, peek, preceded, repeat};
use winnow::error::{ContextError, ParserError};
use winnow::prelude::*;
use winnow::stream::{Location, Stream};
use winnow::token::{any, none_of, one_of, take, take_while};
use winnow::{LocatingSlice, Result};

use super::QueryError;
use super::keys::known_key;
use super::move_words::{begins_line, continues_line, is_move};
use super::position_text::{FEN_FIELDS, is_board, is_position};
use super::values::{SIGNS, is_comparable};

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
    And,
    Or,
    /// `vs` between two players.
    Versus,
    /// A hyphen or dash between blanks, or an en dash: between two names a pairing, otherwise a
    /// negation.
    Dash,
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
    /// `!=`; the lexer replaces it with a negation.
    IsNot,
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
    /// The name of the tag before a sign, and the sign.
    pub(crate) name: Option<(String, Sign)>,
    pub(crate) text: String,
    pub(crate) form: Form,
    pub(crate) span: Range<usize>,
}

/// The form in which a value is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    /// Without quotes.
    Plain,
    /// With a part in quotes.
    Quoted,
    /// Between slashes.
    Regex,
    /// A position without a key: a FEN, or an address that contains one.
    Position,
    /// With a quote or slash that is not closed.
    Unclosed,
}

type Input<'t> = LocatingSlice<&'t str>;

/// Splits a query into its tokens.
pub(crate) fn tokens(text: &str) -> std::result::Result<Vec<Token>, QueryError> {
    let mut input = LocatingSlice::new(text);
    let mut tokens = Vec::new();
    loop {
        let _: Result<&str> = blanks(&mut input);
        let start = input.current_token_start();
        let is_apart = text
            .get(..start)
            .is_none_or(|before| before.is_empty() || before.ends_with(char::is_whitespace));
        let Ok((mut kind, span)) = token(is_apart).with_span().parse_next(&mut input) else {
            break;
        };
        if let TokenKind::Term(term) = &mut kind {
            if let Some(open) = term.items.iter().find(|item| item.form == Form::Unclosed) {
                let message = "the opening quote or slash is not closed";
                return Err(QueryError::new(text, open.span.clone(), message));
            }
            if let Some(key) = &mut term.key {
                // The sign after `tag:` belongs to the tag's name. `!=` becomes a negation of the
                // whole term.
                let sign = match term.items.as_mut_slice() {
                    [
                        Item {
                            name: Some((_, sign)),
                            ..
                        },
                    ] => sign,
                    _ => &mut key.sign,
                };
                if *sign == Sign::IsNot {
                    *sign = Sign::Is;
                    let (kind, span) = (TokenKind::Not, key.span.clone());
                    tokens.push(Token { kind, span });
                }
            }
        }
        tokens.push(Token { kind, span });
    }
    let rest = input.current_token_start();
    match text.get(rest..) {
        None | Some("") => Ok(tokens),
        Some(_) => {
            let message = "unexpected comma; put text with commas in quotes";
            Err(QueryError::new(text, rest..text.len(), message))
        }
    }
}

fn blanks<'t>(input: &mut Input<'t>) -> Result<&'t str> {
    take_while(0.., char::is_whitespace).parse_next(input)
}

/// Parses a token. `is_apart` states whether blanks are before it.
fn token<'t>(is_apart: bool) -> impl Parser<Input<'t>, TokenKind, ContextError> {
    let followed_by_blank = peek(alt((one_of(char::is_whitespace).void(), eof.void())));
    let hyphen = ('-', opt(followed_by_blank)).map(move |(_, blank)| match blank {
        Some(()) if is_apart => TokenKind::Dash,
        _ => TokenKind::Not,
    });
    alt((
        '('.value(TokenKind::Open),
        ')'.value(TokenKind::Close),
        "&&".value(TokenKind::And),
        "||".value(TokenKind::Or),
        hyphen,
        one_of(DASHES).value(TokenKind::Dash),
        one_of(['!', '\u{2212}']).value(TokenKind::Not),
        alt((position, line)).map(TokenKind::Term),
        term.map(|term| match operator(&term) {
            Some(kind) => kind,
            None => TokenKind::Term(term),
        }),
    ))
}

/// The dashes that separate players in lists of games.
const DASHES: [char; 2] = ['\u{2013}', '\u{2014}'];

/// Returns the operator that a term is. A word in quotes is none.
fn operator(term: &RawTerm) -> Option<TokenKind> {
    match (&term.key, term.items.as_slice()) {
        (None, [item]) if item.form == Form::Plain => operator_of(&item.text),
        _ => None,
    }
}

fn operator_of(word: &str) -> Option<TokenKind> {
    // A capital V is an initial.
    if matches!(word, "v" | "v.") {
        return Some(TokenKind::Versus);
    }
    Some(match word.to_ascii_lowercase().as_str() {
        "not" => TokenKind::Not,
        "and" | "&" => TokenKind::And,
        "or" | "|" => TokenKind::Or,
        "vs" | "vs." | "versus" => TokenKind::Versus,
        _ => return None,
    })
}

/// Returns whether a word joins or negates terms, so that it is no text.
fn is_operator(word: &str) -> bool {
    matches!(word, "&&" | "||" | "!") || operator_of(word).is_some()
}

/// Parses a position without a key.
fn position(input: &mut Input<'_>) -> Result<RawTerm> {
    let word = take_while(1.., is_plain).verify(|word: &str| is_position(word));
    let (text, span) = (word, fen_fields).take().with_span().parse_next(input)?;
    let item = Item {
        name: None,
        text: text.to_owned(),
        form: Form::Position,
        span,
    };
    Ok(RawTerm {
        key: None,
        items: vec![item],
    })
}

/// Parses moves without a key: `1.e4 c5`, or words that are only moves.
fn line(input: &mut Input<'_>) -> Result<RawTerm> {
    let rest: &str = **input;
    let words = || rest.split(|c| !is_plain(c)).filter(|word| !word.is_empty());
    let is_line = begins_line(words()) || words().next().is_some_and(is_move);
    let first = take_while(1.., is_plain).verify(|_: &str| is_line);
    let (text, span) = (first, more_moves).take().with_span().parse_next(input)?;
    let item = Item {
        name: None,
        text: text.to_owned(),
        form: Form::Quoted,
        span: span.clone(),
    };
    let key = RawKey {
        name: "line".to_owned(),
        span,
        sign: Sign::Is,
    };
    Ok(RawTerm {
        key: Some(key),
        items: vec![item],
    })
}

/// Parses further words of a line of moves, as many as there are.
fn more_moves(input: &mut Input<'_>) -> Result<()> {
    let word = || take_while(1.., is_plain).verify(|word: &str| continues_line(word));
    repeat(0.., (one_of(char::is_whitespace), blanks, word())).parse_next(input)
}

/// Parses the fields of a FEN after the board, as many as there are.
fn fen_fields(input: &mut Input<'_>) -> Result<()> {
    for fits in FEN_FIELDS {
        let word = take_while(1.., is_plain).verify(|word: &str| fits(word));
        let field = opt((one_of(char::is_whitespace), blanks, word)).parse_next(input)?;
        if field.is_none() {
            break;
        }
    }
    Ok(())
}

fn term(input: &mut Input<'_>) -> Result<RawTerm> {
    let key = opt(key).parse_next(input)?;
    let mut items = Vec::new();
    if let Some(key) = &key {
        // `white: Tal` can only mean `white:Tal`.
        let start = input.checkpoint();
        let blank = blanks(input)?;
        let is_key = !blank.is_empty() && opt(peek(key_of_term)).parse_next(input)?.is_some();
        match opt(item(Some(key))).parse_next(input)? {
            Some(item) if blank.is_empty() || !is_key && !is_operator(&item.text) => {
                items.push(item);
            }
            // The parser reports a key without a value.
            _ => input.reset(&start),
        }
    } else {
        let mut item = item(None).parse_next(input)?;
        let first = item.text.split_whitespace().next().unwrap_or_default();
        if item.form == Form::Quoted && is_position(first) {
            item.form = Form::Position;
        }
        items.push(item);
    }
    if !items.is_empty() {
        while let Some(item) = opt(next_item(key.as_ref())).parse_next(input)? {
            items.push(item);
        }
        // A comma that separates terms.
        let end = alt((
            one_of(|c: char| c.is_whitespace() || c == ')').void(),
            eof.void(),
        ));
        let _: Option<_> = opt((blanks, ',', peek(end))).parse_next(input)?;
    }
    Ok(RawTerm { key, items })
}

/// Parses a comma and the next value of a list. After a comma and blanks an operator, a key or a
/// negated term begins another term.
fn next_item<'t>(key: Option<&RawKey>) -> impl Parser<Input<'t>, Item, ContextError> {
    move |input: &mut Input<'t>| {
        let (before, _, after) = (blanks, ',', blanks).parse_next(input)?;
        let is_apart = !before.is_empty() || !after.is_empty();
        if is_apart {
            let sign = one_of(['-', '!', '\u{2212}', DASHES[0], DASHES[1]]).void();
            not(alt((sign, key_of_term.void()))).parse_next(input)?;
        }
        let item = item(key).parse_next(input)?;
        if is_apart && item.form == Form::Plain && is_operator(&item.text) {
            Err(ContextError::from_input(input))
        } else {
            Ok(item)
        }
    }
}

fn key_of_term(input: &mut Input<'_>) -> Result<RawKey> {
    key.parse_next(input)
}

fn key(input: &mut Input<'_>) -> Result<RawKey> {
    let letter = |c: char| c.is_alphabetic();
    let joint = |c: char| matches!(c, '.' | '-' | '_');
    let strict_fen = (take_while(1.., letter), '!')
        .take()
        .verify(|name: &str| name.eq_ignore_ascii_case("fen!"));
    let word = (one_of(letter), take_while(0.., |c| letter(c) || joint(c))).take();
    let (name, span) = alt((strict_fen, word)).with_span().parse_next(input)?;
    let full_name = || known_key(name).map_or_else(|| name.to_lowercase(), str::to_owned);
    let sign = match opt(sign).parse_next(input)? {
        Some(sign) => sign,
        // A blank before the sign is only allowed for comparisons, as in `elo > 2600`.
        None => preceded(blanks, sign)
            .verify(|_| is_comparable(&full_name()))
            .parse_next(input)?,
    };
    let name = full_name();
    Ok(RawKey { name, span, sign })
}

/// Parses a sign between a key, or the name of a tag, and its value.
fn sign(input: &mut Input<'_>) -> Result<Sign> {
    let rest: &str = **input;
    let entry = SIGNS.iter().find(|(text, _)| rest.starts_with(text));
    let (text, sign) = entry.ok_or_else(|| ContextError::from_input(input))?;
    take(text.chars().count()).value(*sign).parse_next(input)
}

/// Parses a value of a key, or a bare word.
fn item<'t>(key: Option<&RawKey>) -> impl Parser<Input<'t>, Item, ContextError> {
    let named = key.is_some_and(|key| key.name == "tag");
    let is_position = key.is_some_and(|key| matches!(key.name.as_str(), "fen" | "fen!"));
    let is_line = key.is_some_and(|key| key.name == "line");
    // A path may begin with a slash.
    let is_file = key.is_some_and(|key| key.name == "book");
    let is_bare = key.is_none();
    move |input: &mut Input<'t>| {
        let name = take_while(1.., |c: char| c.is_alphanumeric() || c == '_');
        let tagged = (name.map(str::to_owned), preceded(blanks, sign), blanks)
            .map(|(name, sign, _)| (name, sign));
        let name = if named { opt(tagged).parse_next(input)? } else { None };
        let start = input.checkpoint();
        let word = move |input: &mut Input<'t>| word(input, is_bare);
        let regex = regex.verify(|_| !is_file);
        let ((text, form), span) = alt((regex, word)).with_span().parse_next(input)?;
        let is_fen = is_position && is_board(&text);
        if form == Form::Plain && (is_fen || is_line && continues_line(&text)) {
            // A FEN and a line continue after blanks, so the value is read again as a whole.
            input.reset(&start);
            let first = take_while(1.., is_plain);
            let (text, span) = if is_fen {
                (first, fen_fields).take().with_span().parse_next(input)?
            } else {
                (first, more_moves).take().with_span().parse_next(input)?
            };
            return Ok(Item {
                name,
                text: text.to_owned(),
                form,
                span,
            });
        }
        Ok(Item {
            name,
            text,
            form,
            span,
        })
    }
}

fn is_plain(c: char) -> bool {
    !c.is_whitespace() && !matches!(c, '(' | ')' | '"' | ',')
}

/// Parses a word of adjacent quoted and unquoted parts. A
/// dash ends a bare word, since it separates players.
fn word(input: &mut Input<'_>, is_bare: bool) -> Result<(String, Form)> {
    let is_plain = move |c: char| is_plain(c) && !(is_bare && DASHES.contains(&c));
    let plain = take_while(1.., is_plain).map(|text: &str| (text.to_owned(), Form::Plain));
    let pieces: Vec<(String, Form)> =
        repeat(1.., alt((delimited_by('"', "\\\""), plain))).parse_next(input)?;
    let has = |wanted| pieces.iter().any(|(_, form)| *form == wanted);
    let form = match (has(Form::Unclosed), has(Form::Quoted)) {
        (true, _) => Form::Unclosed,
        (_, true) => Form::Quoted,
        _ => Form::Plain,
    };
    Ok((pieces.into_iter().map(|(text, _)| text).collect(), form))
}

fn regex(input: &mut Input<'_>) -> Result<(String, Form)> {
    let (text, form) = delimited_by('/', "/").parse_next(input)?;
    Ok((text, if form == Form::Quoted { Form::Regex } else { form }))
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
            Some(_) => Form::Quoted,
            None => Form::Unclosed,
        };
        (text, form)
    })
}
