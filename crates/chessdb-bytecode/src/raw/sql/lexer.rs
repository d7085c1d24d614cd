//! A lexer of SQL words, as far as dumps of tables need them.

use std::borrow::Cow;

/// A word of SQL.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Word<'a> {
    /// A keyword, or a name without quotes.
    Plain(&'a [u8]),
    /// A name in backquotes.
    Name(Cow<'a, [u8]>),
    /// An integer.
    Int(i64),
    /// A text, a number with a fraction, or bytes in hexadecimal digits.
    Bytes(Cow<'a, [u8]>),
    /// `(`, `)`, `,`, `;` and so on.
    Sign(u8),
}

impl Word<'_> {
    /// Returns whether this is a keyword, ignoring ASCII case.
    pub(super) fn is(&self, keyword: &str) -> bool {
        matches!(self, Word::Plain(word) if word.eq_ignore_ascii_case(keyword.as_bytes()))
    }
}

/// An iterator over the words of a script; comments are skipped.
#[derive(Clone, Debug)]
pub(super) struct Lexer<'a> {
    script: &'a [u8],
    at: usize,
    open_comment: Option<u64>,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(script: &'a [u8]) -> Lexer<'a> {
        Lexer {
            script,
            at: 0,
            open_comment: None,
        }
    }

    /// Returns the offset of an unclosed comment, once it and everything after it were skipped.
    pub(super) fn open_comment(&self) -> Option<u64> {
        self.open_comment
    }

    /// Returns the offset of the next word, or of white space before it.
    pub(super) fn offset(&self) -> u64 {
        self.at as u64
    }

    fn rest(&self) -> &'a [u8] {
        self.script.get(self.at..).unwrap_or_default()
    }

    fn skip_blank(&mut self) {
        loop {
            let rest = self.rest();
            let skipped = match rest {
                [b' ' | b'\t' | b'\n' | b'\r', ..] => 1,
                // A byte order mark; joined files have them anywhere.
                [0xEF, 0xBB, 0xBF, ..] => 3,
                // MySQL requires a blank after the signs: `5--3` subtracts.
                [b'-', b'-', b' ' | b'\t' | b'\n' | b'\r', ..] | [b'-', b'-'] | [b'#', ..] => rest
                    .iter()
                    .position(|&byte| byte == b'\n')
                    .unwrap_or(rest.len()),
                [b'/', b'*', inner @ ..] => {
                    let end = inner.windows(2).position(|pair| pair == b"*/");
                    if end.is_none() {
                        self.open_comment = Some(self.at as u64);
                    }
                    end.map_or(rest.len(), |end| end + 4)
                }
                _ => return,
            };
            self.at += skipped.max(1);
        }
    }

    /// Reads a text up to its closing quote. `\` escapes, and a doubled quote means one.
    fn quoted(&mut self, quote: u8) -> Cow<'a, [u8]> {
        let rest = self.rest();
        let plain = rest
            .iter()
            .position(|&byte| byte == quote || byte == b'\\')
            .unwrap_or(rest.len());
        let text = rest.get(..plain).unwrap_or_default();
        if rest.get(plain) == Some(&quote) && rest.get(plain + 1) != Some(&quote) {
            self.at += plain + 1;
            return Cow::Borrowed(text);
        }
        let mut unescaped = text.to_vec();
        self.at += plain;
        loop {
            match *self.rest() {
                [first, second, ..] if first == quote && second == quote => {
                    unescaped.push(quote);
                    self.at += 2;
                }
                [first, ..] if first == quote => {
                    self.at += 1;
                    return unescaped.into();
                }
                // Backslashes have no meaning in names.
                [b'\\', second, ..] if quote != b'`' => {
                    match second {
                        b'0' => unescaped.push(0),
                        b'n' => unescaped.push(b'\n'),
                        b'r' => unescaped.push(b'\r'),
                        b't' => unescaped.push(b'\t'),
                        b'b' => unescaped.push(8),
                        b'Z' => unescaped.push(0x1A),
                        other => unescaped.push(other),
                    }
                    self.at += 2;
                }
                [byte, ..] => {
                    unescaped.push(byte);
                    self.at += 1;
                }
                [] => return unescaped.into(),
            }
        }
    }

    fn word(&mut self, is_part: impl Fn(u8) -> bool) -> &'a [u8] {
        let rest = self.rest();
        let end = rest.iter().position(|&byte| !is_part(byte));
        let word = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        self.at += word.len();
        word
    }

    fn hex(digits: &[u8]) -> Option<Vec<u8>> {
        let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
        // As in MySQL, the first of an odd number of digits is a byte.
        let (odd, even) = digits.split_at(digits.len() % 2);
        let first = odd.iter().map(|&byte| digit(byte));
        let (pairs, _) = even.as_chunks::<2>();
        let others = pairs
            .iter()
            .map(|&[high, low]| Some(digit(high)? << 4 | digit(low)?));
        first.chain(others).collect()
    }

    fn number(&mut self) -> Word<'a> {
        if let [b'0', b'x', ..] = self.rest() {
            let start = self.at;
            self.at += 2;
            let digits = self.word(|byte| byte.is_ascii_hexdigit());
            return match Lexer::hex(digits) {
                Some(bytes) => Word::Bytes(bytes.into()),
                None => Word::Plain(self.script.get(start..self.at).unwrap_or_default()),
            };
        }
        let start = self.at;
        if self.rest().starts_with(b"-") {
            self.at += 1;
        }
        self.word(|byte| byte.is_ascii_alphanumeric() || byte == b'.');
        let text = self.script.get(start..self.at).unwrap_or_default();
        match std::str::from_utf8(text)
            .ok()
            .and_then(|text| text.parse().ok())
        {
            Some(number) => Word::Int(number),
            None => Word::Bytes(Cow::Borrowed(text)),
        }
    }
}

impl<'a> Iterator for Lexer<'a> {
    type Item = Word<'a>;

    fn next(&mut self) -> Option<Word<'a>> {
        self.skip_blank();
        let rest = self.rest();
        let is_name =
            |byte: u8| byte.is_ascii_alphanumeric() || b"_$@".contains(&byte) || byte >= 0x80;
        Some(match *rest {
            [] => return None,
            [quote @ (b'\'' | b'"'), ..] => {
                self.at += 1;
                Word::Bytes(self.quoted(quote))
            }
            [b'`', ..] => {
                self.at += 1;
                Word::Name(self.quoted(b'`'))
            }
            [b'x' | b'X', b'\'', ..] => {
                self.at += 2;
                let digits = self.quoted(b'\'');
                match Lexer::hex(&digits) {
                    Some(bytes) => Word::Bytes(bytes.into()),
                    None => Word::Bytes(digits),
                }
            }
            [b'0'..=b'9', ..] | [b'-', b'0'..=b'9', ..] => self.number(),
            [first, ..] if is_name(first) => {
                let word = self.word(is_name);
                // An introducer before a text states its charset: `_binary 'x'`.
                if word.starts_with(b"_") {
                    self.skip_blank();
                    if matches!(
                        self.rest(),
                        [b'\'' | b'"' | b'0', ..] | [b'x' | b'X', b'\'', ..]
                    ) {
                        return self.next();
                    }
                }
                Word::Plain(word)
            }
            [sign, ..] => {
                self.at += 1;
                Word::Sign(sign)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(script: &str) -> Vec<Word<'_>> {
        Lexer::new(script.as_bytes()).collect()
    }

    fn bytes(text: &[u8]) -> Word<'_> {
        Word::Bytes(Cow::Borrowed(text))
    }

    #[test]
    fn values_of_dumps() {
        let script = r#"(1,-2,NULL,'it''s\n\0\'\\',0x00FF,x'0a',_binary 'ab',"q",1.5,'')"#;
        let words: Vec<_> = words(script)
            .into_iter()
            .filter(|word| !matches!(word, Word::Sign(_)))
            .collect();
        assert_eq!(
            words,
            [
                Word::Int(1),
                Word::Int(-2),
                Word::Plain(b"NULL"),
                bytes(b"it's\n\0'\\"),
                bytes(&[0, 255]),
                bytes(b"\n"),
                bytes(b"ab"),
                bytes(b"q"),
                bytes(b"1.5"),
                bytes(b""),
            ]
        );
    }

    #[test]
    fn comments_are_skipped() {
        let script = "-- a; b\n# c\n/*!40101 SET x */ DROP --5 /* open";
        assert_eq!(
            words(script),
            [Word::Plain(b"DROP"), Word::Sign(b'-'), Word::Int(-5)]
        );
    }

    #[test]
    fn unclosed_words_end_with_the_script() {
        for script in [
            "'abc", "'abc\\", "`a", "0x", "x'0", "/*", "--", "_x", "'a''",
        ] {
            assert!(words(script).len() <= 1, "{script}");
        }
    }
}
