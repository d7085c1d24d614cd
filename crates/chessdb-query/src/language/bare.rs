//! Words without a key: names, pairings, and the few words that cannot be names.

use std::ops::RangeInclusive;

use crate::expr::Expr;
use crate::headers::{HeaderTerm, TextField};
use crate::natural::is_number;
use crate::position::Material;
use crate::syntax::{Fault, Form, Item, RawTerm, TextTest, Token, TokenKind, each};

use super::written::{quoted, value, values};

/// An item and its fault.
pub(super) type ItemFault = Box<(Item, Fault)>;

/// Joins the values of a name, such as `Kasparov,G`: a comma is between surname and given names. A
/// list in which every value has quotes or slashes is one of several names. `text` is the query,
/// and `key` the key with its colon, if there is one. Also returns a note if a list could be meant.
///
/// # Errors
///
/// Returns the item with the second comma, and how to write one name or several.
pub(super) fn names(
    text: &str,
    items: &[Item],
    key: &str,
) -> Result<(Vec<Item>, Option<String>), ItemFault> {
    let is_plain = |item: &&Item| item.form == Form::Plain;
    let (first, second) = match items {
        [first, second] => (first, second),
        [_, _, third, ..] if items.iter().any(|item| is_plain(&item)) => {
            let names: Vec<String> = several(items)
                .into_iter()
                .map(|name| format!("{key}{name}"))
                .collect();
            let message = format!(
                "a name has one comma, before the given names; for any of several names write {}",
                names.join(" or ")
            );
            return Err(Box::new((third.clone(), Fault::from(message))));
        }
        _ => return Ok((items.to_vec(), None)),
    };
    if !items.iter().any(|item| is_plain(&item)) {
        return Ok((items.to_vec(), None));
    }
    if let Some(regex) = items.iter().find(|item| item.form == Form::Regex) {
        let message = "in a list of names each one needs quotes or slashes";
        return Err(Box::new((regex.clone(), Fault::from(message))));
    }
    let gap = text.get(first.span.end..second.span.start);
    let is_apart = gap.is_some_and(|gap| gap.contains(char::is_whitespace));
    let name = Item {
        text: format!("{}, {}", first.text, second.text),
        span: first.span.start..second.span.end,
        ..first.clone()
    };
    // A blank after the comma, or an initial, shows that one name is meant.
    let note = (!is_apart && !is_initial(&second.text)).then(|| {
        let (first, second) = (value(first), value(second));
        format!(
            "{} is read as one name; for either name write {key}{first} or {key}{second}",
            quoted(&name.text)
        )
    });
    Ok((vec![name], note))
}

/// Returns the names of a list of words: each with the initial after it.
fn several(items: &[Item]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for item in items {
        match names.last_mut() {
            Some(last) if is_initial(&item.text) => {
                last.push(',');
                last.push_str(&item.text);
            }
            _ => names.push(value(item)),
        }
    }
    names
}

/// Returns whether a word abbreviates a given name: `G`, `G.`, `Mi`, `Yu.`, `G.K.`
fn is_initial(word: &str) -> bool {
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    letters > 0
        && word.chars().all(|c| c.is_alphabetic() || c == '.')
        && (letters <= 2 || letters <= 4 && word.ends_with('.'))
}

/// The meaning of a bare word that is no name.
pub(super) fn key_of(items: &[Item]) -> Option<&'static str> {
    let [item] = items else { return None };
    let word = item.text.as_str();
    let is_code = |word: &str| {
        matches!(word.as_bytes(), [letter, tens, ones]
            if (b'A'..=b'E').contains(letter) && tens.is_ascii_digit() && ones.is_ascii_digit())
    };
    let is_year = |word: &str| {
        word.len() == 4
            && word
                .parse()
                .is_ok_and(|year: u16| (1400..2200).contains(&year))
    };
    let ends = word.split_once("..").or_else(|| word.split_once('-'));
    let are_all = |is: &dyn Fn(&str) -> bool| match ends {
        Some((first, last)) => is_range(first, last, is),
        None => is(word),
    };
    match () {
        () if item.form != Form::Plain => None,
        () if matches!(word, "1-0" | "0-1" | "1/2-1/2" | "\u{bd}-\u{bd}") => Some("result"),
        () if are_all(&is_code) => Some("eco"),
        () if are_all(&is_year) => Some("year"),
        () if is_date_term(word) => Some("date"),
        () if word.len() > 2
            && word.matches('K').count() == 2
            && word.bytes().all(|byte| b"KQRBNPv-".contains(&byte))
            && Material::read(word).is_ok() =>
        {
            Some("material")
        }
        () => None,
    }
}

/// Returns whether a word is a date or a range of dates.
pub(crate) fn is_date_term(word: &str) -> bool {
    match word.split_once("..") {
        Some((first, last)) => {
            let is_year = |end: &str| end.len() == 4 && is_number(end);
            is_range(first, last, &|end| is_date(end) || is_year(end))
        }
        None => is_date(word),
    }
}

/// Returns whether the known ends of a range have the form of `is`; one end may be open.
fn is_range(first: &str, last: &str, is: &dyn Fn(&str) -> bool) -> bool {
    let is_end = |end: &str| end.is_empty() || is(end);
    is_end(first) && is_end(last) && !(first.is_empty() && last.is_empty())
}

/// Returns whether a word is a date, or would be one with the year first: `2014.05`, `2014-05-01`,
/// `01.05.2014`. A month with a hyphen is none: `2014-15` is a season.
fn is_date(word: &str) -> bool {
    let numbers = |parts: &[&str], lengths: &[RangeInclusive<usize>]| {
        parts.len() == lengths.len()
            && parts.iter().zip(lengths).all(|(part, lengths)| {
                let is_digit = |byte: u8| byte.is_ascii_digit() || byte == b'?';
                lengths.contains(&part.len()) && part.bytes().all(is_digit)
            })
    };
    ['.', '/', '-'].into_iter().any(|joint| {
        let parts: Vec<&str> = word.split(joint).collect();
        numbers(&parts, &[4..=4, 1..=2, 1..=2])
            || numbers(&parts, &[1..=2, 1..=2, 4..=4])
            || joint != '-' && numbers(&parts, &[4..=4, 1..=2])
            || joint != '-' && numbers(&parts, &[1..=2, 4..=4])
    })
}

/// Returns notes on words that may belong to the text of the key before them, as in
/// `site:Trinidad and Tobago`.
pub(super) fn notes_on_joined_words(tokens: &[Token]) -> Vec<String> {
    let mut notes = Vec::new();
    for window in tokens.windows(3) {
        let [first, joint, second] = window else {
            continue;
        };
        let (TokenKind::Term(first), TokenKind::Term(second)) = (&first.kind, &second.kind) else {
            continue;
        };
        let (Some(key), [item]) = (&first.key, first.items.as_slice()) else {
            continue;
        };
        let has_text = matches!(
            key.name.as_str(),
            "white" | "black" | "event" | "site" | "annotator" | "opening" | "comment" | "text"
        );
        if !has_text || !is_name(second) || item.form == Form::Regex {
            continue;
        }
        let (name, text, word) = (&key.name, &item.text, values(&second.items));
        let other = match joint.kind {
            TokenKind::And => format!("for one text write {name}:\"{text} and {word}\""),
            TokenKind::Or => format!("for either text write {name}:{text} or {name}:{word}"),
            _ => continue,
        };
        notes.push(format!("{word} is read as a word of its own; {other}"));
    }
    notes
}

/// Returns the bare terms at the beginning of `tokens`, which may name one player.
pub(super) fn leading_names(tokens: &[Token]) -> Vec<&RawTerm> {
    tokens
        .iter()
        .map_while(|token| match &token.kind {
            TokenKind::Term(term) if is_name(term) => Some(term),
            _ => None,
        })
        .collect()
}

/// Returns the color that a bare term is: `white` or `black` in small letters.
pub(super) fn color(term: &RawTerm) -> Option<&'static str> {
    match (&term.key, term.items.as_slice()) {
        (None, [item]) if item.form == Form::Plain => ["white", "black"]
            .into_iter()
            .find(|color| *color == item.text),
        _ => None,
    }
}

/// Returns whether a term is a bare word that may be a name.
pub(super) fn is_name(term: &RawTerm) -> bool {
    let is_text = |item: &Item| item.form != Form::Position;
    term.key.is_none() && term.items.iter().all(is_text) && key_of(&term.items).is_none()
}

/// Returns the material of both sides, for `KRP vs KR`.
pub(super) fn material_of(sides: [&[&RawTerm]; 2]) -> Option<String> {
    let [first, second] = sides.map(side_of_material);
    Some(format!("{}{}", first?, second?))
}

fn side_of_material<'t>(terms: &[&'t RawTerm]) -> Option<&'t str> {
    let [RawTerm { items, .. }] = terms else {
        return None;
    };
    let [item] = items.as_slice() else {
        return None;
    };
    let is_side = item.form == Form::Plain
        && item.text.starts_with('K')
        && item.text.bytes().all(|byte| b"KQRBNP".contains(&byte));
    is_side.then_some(item.text.as_str())
}

/// The names of one side of a pairing.
pub(super) struct Side {
    tests: Vec<Vec<TextTest>>,
    text: Vec<String>,
}

impl Side {
    /// Reads the names of a side, which must all match the same player. `text` is the query.
    pub(super) fn read(text: &str, terms: &[&RawTerm]) -> Result<Side, ItemFault> {
        let mut side = Side {
            tests: Vec::new(),
            text: Vec::new(),
        };
        for term in terms {
            let (items, _) = names(text, &term.items, "")?;
            match each(&items, TextTest::read_name) {
                Ok(tests) => side.tests.push(tests),
                Err((index, fault)) => {
                    if let Some(item) = items.get(index) {
                        return Err(Box::new((item.clone(), fault)));
                    }
                }
            }
            side.text.push(values(&items));
        }
        Ok(side)
    }

    fn is(&self, field: TextField) -> impl Iterator<Item = Expr> {
        self.tests
            .iter()
            .cloned()
            .map(move |tests| Expr::header(HeaderTerm::Text(field, tests)))
    }

    fn written(&self, key: &str) -> String {
        let terms: Vec<String> = self
            .text
            .iter()
            .map(|text| format!("{key}:{text}"))
            .collect();
        terms.join(" ")
    }
}

/// Returns the condition that two players met, with either color, and its text in full.
pub(super) fn pairing(first: &Side, second: &Side) -> (Expr, String) {
    let (white, black) = (TextField::White, TextField::Black);
    let one = |a: &Side, b: &Side| Expr::All(a.is(white).chain(b.is(black)).collect());
    let text = |a: &Side, b: &Side| format!("{} {}", a.written("white"), b.written("black"));
    (
        Expr::Any(vec![one(first, second), one(second, first)]),
        format!("({} or {})", text(first, second), text(second, first)),
    )
}

/// Returns the canonical text of a bare term that names players only.
pub(super) fn player(items: &[Item]) -> String {
    match items {
        [item] if item.form == Form::Position => format!("fen:{}", quoted(&item.text)),
        items => format!("player:{}", values(items)),
    }
}
