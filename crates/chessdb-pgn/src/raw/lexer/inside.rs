//! Tokens of the movetext.

use chessdb_core::Outcome;
use chessdb_core::rules::move_sign;

use super::{Lexer, Phase, Token, TokenKind};
use crate::raw::glyphs;
use crate::raw::scan::{self, byte, from};
use crate::raw::section::{TagName, TagSection};
use crate::raw::signs::{self, blank_length, dash_length, dots};
use crate::raw::start::glued_result;

impl Lexer<'_> {
    /// Returns where a bracket ends that does not begin a tag.
    pub(super) fn bracket_end(&self, start: usize) -> usize {
        let mut end = start + 1;
        while let Some(n) = next_in_bracket(from(self.bytes, end)) {
            end += n;
            match byte(self.bytes, end) {
                b']' => return end + 1,
                b'[' if !self.section.may_begin(self.bytes, end) => end += 1,
                _ => return end,
            }
        }
        self.bytes.len()
    }

    /// Reads a token of the movetext.
    #[inline]
    pub(super) fn inside(&mut self, first: u8) -> Option<Token> {
        let rest = from(self.bytes, self.at);
        match first {
            b'a'..=b'z' | b'A'..=b'Z' | b'@' => {
                let whole = scan::word_length(rest);
                let length = whole - glued_result(rest, whole);
                let word = rest.get(..length).unwrap_or_default();
                let kind = if glyphs::is_glyph_word(word) {
                    TokenKind::Glyph
                } else if matches!(word, b"ep" | b"e.p." | b"e.p" | b"mate" | b"ch") {
                    TokenKind::Mark
                } else {
                    TokenKind::San
                };
                self.token(kind, self.at + length)
            }
            b'1' if self.depth == 0 && self.list.ends(self.bytes, self.at) => self.next_list(rest),
            b'0'..=b'9' => self.digits(rest),
            b'.' => self.token(TokenKind::Number, self.at + dots(rest)),
            b'(' if let Some(length) = scan::bracketed_mark(rest) => {
                self.token(TokenKind::Mark, self.at + length)
            }
            b'(' => {
                self.depth = self.depth.saturating_add(1);
                self.token(TokenKind::Open, self.at + 1)
            }
            b')' => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 && self.late {
                    self.phase = Phase::After;
                }
                self.token(TokenKind::Close, self.at + 1)
            }
            b'{' => self.comment(),
            b';' => self.rest_of_line(TokenKind::LineComment),
            b'$' if byte(rest, 1).is_ascii_digit() => {
                let length = 1 + from(rest, 1)
                    .iter()
                    .take_while(|b| b.is_ascii_digit())
                    .count();
                self.token(TokenKind::Nag, self.at + length)
            }
            b'%' if self.is_first_in_line() => self.rest_of_line(TokenKind::Escape),
            b'[' => {
                if (self.border == Some(self.at)
                    || scan::at_line_start(self.bytes, self.at)
                    || self.section.interrupts_moves(self.bytes, self.at))
                    && let Some((mut token, name)) = self.tag()
                {
                    token.next_game = true;
                    self.add_tag(TagName::new(name), true);
                    return Some(token);
                }
                self.bracket()
            }
            _ => self.sign(rest),
        }
    }

    fn is_first_in_line(&self) -> bool {
        self.at == 0 || scan::is_break(byte(self.bytes, self.at - 1))
    }

    /// Reads the number that begins another list of moves.
    #[cold]
    fn next_list(&mut self, rest: &[u8]) -> Option<Token> {
        let mut token = self.digits(rest)?;
        token.next_game = true;
        // The new game has no tags.
        self.section = TagSection::NEW;
        Some(token)
    }

    #[inline(always)]
    pub(super) fn digits(&mut self, rest: &[u8]) -> Option<Token> {
        let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        match byte(rest, digits) {
            b'.' => {
                let dots = match byte(rest, digits + 1) {
                    b'.' | 0x80.. => dots(from(rest, digits)),
                    _ => 1,
                };
                self.token(TokenKind::Number, self.at + digits + dots)
            }
            b'-' | b'/' | b':' | b'*' => self.digits_and_signs(rest, digits),
            0x80.. => match dots(from(rest, digits)) {
                0 => self.digits_and_signs(rest, digits),
                dots => self.token(TokenKind::Number, self.at + digits + dots),
            },
            // The null move of UCI.
            _ if digits == 4 && rest.starts_with(b"0000") => {
                self.token(TokenKind::San, self.at + scan::word_length(rest))
            }
            _ => self.token(TokenKind::Number, self.at + digits),
        }
    }

    /// Reads a result, or castling with zeros.
    fn digits_and_signs(&mut self, rest: &[u8], digits: usize) -> Option<Token> {
        if let Some((length, outcome)) = self.result_here(rest) {
            return self.result(length, outcome);
        }
        let sign = from(rest, digits);
        if byte(sign, 0) == b'/' || dash_length(sign) > 0 {
            // A token has at least one byte, so that the lexer advances.
            let length = scan::word_length(rest).max(1);
            return self.token(TokenKind::San, self.at + length);
        }
        self.token(TokenKind::Number, self.at + digits)
    }

    /// Returns length and value of the result at this position, if there is one.
    fn result_here(&self, rest: &[u8]) -> Option<(usize, Outcome)> {
        let (length, outcome) = scan::result_at(rest, 0)?;
        // Within a variation `1-0.` is a typo for the number `10.`.
        if self.depth > 0 && byte(rest, 0).is_ascii_digit() && byte(rest, length) == b'.' {
            return None;
        }
        // An asterisk is a result wherever it is.
        (length == 1 || scan::is_result_place(self.bytes, self.moves, self.at))
            .then_some((length, outcome))
    }

    fn result(&mut self, length: usize, outcome: Outcome) -> Option<Token> {
        if self.depth == 0 {
            self.phase = Phase::After;
        }
        self.token(TokenKind::Result(outcome), self.at + length)
    }

    /// Reads signs and everything else that is not a letter or a digit.
    fn sign(&mut self, rest: &[u8]) -> Option<Token> {
        if let Some((length, outcome)) = self.result_here(rest) {
            return self.result(length, outcome);
        }
        let rule = signs::rule_length(rest);
        if rule > 0 {
            return self.token(TokenKind::San, self.at + rule);
        }
        let glyph = glyphs::glyph_length(rest);
        if glyph > 0 {
            return self.token(TokenKind::Glyph, self.at + glyph);
        }
        let (kind, length) = match *rest {
            [b'+', b'+', ..] => (TokenKind::Mark, 2),
            [b'+' | b'#', ..] => (TokenKind::Mark, 1),
            [first, ..] if scan::is_delimiter(first) => (TokenKind::Junk, 1),
            [first, ..] if first.is_ascii() => punctuation(rest),
            _ => wide(rest),
        };
        self.token(kind, self.at + length)
    }
}

/// Returns the offset of the next byte that may end a bracket.
pub(in crate::raw) fn next_in_bracket(rest: &[u8]) -> Option<usize> {
    rest.iter()
        .position(|b| matches!(b, b']' | b'[' | b'\n' | b'\r'))
}

/// Reads ASCII signs and what is attached to them.
fn punctuation(rest: &[u8]) -> (TokenKind, usize) {
    if let [b'\\', b'$', b'0'..=b'9', ..] = rest {
        // An escaped NAG.
        return (TokenKind::Junk, 1);
    }
    if let (2, null) = signs::dashes(rest) {
        return (TokenKind::San, null);
    }
    let mut length = 0;
    while let Some(&b) = rest.get(length)
        && !scan::is_delimiter(b)
    {
        length += match b {
            0x80.. if signs::wide_blank(from(rest, length)) > 0 => break,
            0x80.. => signs::char_length(from(rest, length)),
            _ => 1,
        };
    }
    let word = rest.get(..length).unwrap_or_default();
    let kind = if scan::is_harmless(word) { TokenKind::Junk } else { TokenKind::San };
    (kind, length.max(1))
}

/// Reads a token that begins with a non-ASCII character and is neither a result nor a glyph.
#[cold]
fn wide(rest: &[u8]) -> (TokenKind, usize) {
    let blank = signs::wide_blank(rest);
    if blank > 0 {
        return (TokenKind::Space, blank);
    }
    let dot_length = dots(rest);
    if dot_length > 0 {
        return (TokenKind::Number, dot_length);
    }
    let ends = |rest: &[u8]| {
        let next = byte(rest, 0);
        rest.is_empty() || scan::is_delimiter(next) || !next.is_ascii() && blank_length(rest) > 0
    };
    match move_sign(rest) {
        Some((b'+' | b'#', length)) if ends(from(rest, length)) => (TokenKind::Mark, length),
        Some((b'-', length)) => match signs::dashes(rest) {
            (2, null) => (TokenKind::San, null),
            _ => (TokenKind::San, length.max(scan::word_length(rest))),
        },
        _ => {
            let word = scan::word_length(rest).max(signs::char_length(rest));
            (TokenKind::San, word)
        }
    }
}
