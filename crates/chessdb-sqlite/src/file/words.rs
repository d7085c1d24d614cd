//! The words of SQL statements.

use std::borrow::Cow;

use super::schema::Constant;

/// A word of a statement.
#[derive(Clone, Copy, Debug)]
pub(super) enum Word<'s> {
    /// A keyword, a name, a number or a sign.
    Plain(&'s str),
    /// A name or text in these quotes.
    Quoted(char, &'s str),
}

impl<'s> Word<'s> {
    pub(super) fn is(&self, word: &str) -> bool {
        matches!(self, Word::Plain(own) if own.eq_ignore_ascii_case(word))
    }

    pub(super) fn name(&self) -> Cow<'s, str> {
        match *self {
            Word::Plain(name) => name.into(),
            Word::Quoted(quote, name) if name.contains(quote) => name
                .replace(&format!("{quote}{quote}"), &quote.to_string())
                .into(),
            Word::Quoted(_, name) => name.into(),
        }
    }
}

/// The words of a statement without comments.
pub(super) struct Words<'s> {
    pub(super) rest: &'s str,
}

impl<'s> Iterator for Words<'s> {
    type Item = Word<'s>;

    fn next(&mut self) -> Option<Word<'s>> {
        loop {
            self.rest = self.rest.trim_start();
            let comment_end = match self.rest.get(..2) {
                Some("--") => "\n",
                Some("/*") => "*/",
                _ => break,
            };
            let (_, rest) = self.rest.split_once(comment_end).unwrap_or_default();
            self.rest = rest;
        }
        let first = self.rest.chars().next()?;
        let quote = match first {
            '"' | '\'' | '`' => Some(first),
            '[' => Some(']'),
            _ => None,
        };
        let Some(quote) = quote else {
            let is_part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '$';
            let length = match self.rest.find(|letter| !is_part(letter)) {
                Some(0) => first.len_utf8(),
                Some(length) => length,
                None => self.rest.len(),
            };
            let (word, rest) = self.rest.split_at(length);
            self.rest = rest;
            return Some(Word::Plain(word));
        };
        let body = self.rest.get(1..).unwrap_or_default();
        let mut from = 0;
        loop {
            let end = body.get(from..).and_then(|text| text.find(quote));
            let Some(end) = end.map(|end| from + end) else {
                self.rest = "";
                return Some(Word::Quoted(quote, body));
            };
            let after = body.get(end + 1..).unwrap_or_default();
            // A doubled quotation mark is part of the name; a bracket cannot be doubled.
            if quote != ']' && after.starts_with(quote) {
                from = end + 2;
                continue;
            }
            self.rest = after;
            return Some(Word::Quoted(quote, body.get(..end).unwrap_or_default()));
        }
    }
}

/// Returns the constant that a column has in rows from before it was added, given the words of its
/// definition. `None` for NULL, and for what SQLite does not accept there.
pub(super) fn default(words: &[Word<'_>]) -> Option<Constant> {
    let index = words.iter().position(|word| word.is("DEFAULT"))?;
    let mut rest = words.get(index + 1..)?.iter().peekable();
    // Constants may be in parentheses.
    while rest.next_if(|word| word.is("(")).is_some() {}
    let is_negative = rest.next_if(|word| word.is("-")).is_some();
    let _ = rest.next_if(|word| word.is("+"));
    let first = rest.next()?;
    let text = |word: &Word<'_>| Constant::Text(word.name().into_owned().into_bytes());
    match first {
        Word::Quoted(..) => Some(text(first)),
        word if word.is("NULL") => None,
        word if word.is("TRUE") => Some(Constant::Int(1)),
        word if word.is("FALSE") => Some(Constant::Int(0)),
        word if word.is("X") && matches!(rest.peek(), Some(Word::Quoted('\'', _))) => {
            let hex = rest.next()?.name();
            let parsed: Option<Vec<u8>> = hex
                .chars()
                .map(|digit| Some(digit.to_digit(16)? as u8))
                .collect();
            let digits = parsed?;
            let (pairs, _) = digits.as_chunks::<2>();
            let bytes = pairs.iter().map(|[high, low]| high << 4 | low);
            Some(Constant::Blob(bytes.collect()))
        }
        word if ["CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP"]
            .iter()
            .any(|time| word.is(time)) =>
        {
            None
        }
        word => {
            let mut number = word.name().into_owned();
            let is_name = number.starts_with(|first: char| first.is_alphabetic() || first == '_');
            // QUIRK: a bare name is a text, as if it were in quotation marks.
            if is_name {
                return Some(text(word));
            }
            if let Some(hex) = number.get(2..).filter(|_| {
                number
                    .get(..2)
                    .unwrap_or_default()
                    .eq_ignore_ascii_case("0x")
            }) {
                // Hexadecimal numbers have all 64 bits, of which the highest is the sign.
                let value = u64::from_str_radix(hex, 16).ok()? as i64;
                return Some(Constant::Int(if is_negative {
                    value.wrapping_neg()
                } else {
                    value
                }));
            }
            // The parts of a number with a fraction or a signed exponent are words of their own.
            while let Some(part) = rest.next_if(|part| {
                let name = part.name();
                let is_sign = matches!(&*name, "+" | "-") && number.ends_with(['e', 'E']);
                is_sign || name == "." || name.starts_with(|first: char| first.is_ascii_digit())
            }) {
                number += &part.name();
            }
            let sign = if is_negative { "-" } else { "" };
            let number = format!("{sign}{number}");
            number
                .parse()
                .ok()
                .map(Constant::Int)
                .or_else(|| Some(Constant::Real(number.parse().ok()?)))
        }
    }
}
