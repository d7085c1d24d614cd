//! Tokens that cover every byte.

mod inside;

use chessdb_core::Outcome;

use super::list::List;
use super::plain::PlainTag;
use super::scan::{self, InValue, byte, from, is_blank};
use super::signs;
use super::start::starts_moves;
use super::tags::TagPair;

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenKind {
    /// A byte order mark before a game.
    Bom,
    /// Blanks and line breaks.
    Space,
    /// `%` at the start of a line and the rest of that line, without its break.
    Escape,
    /// A tag, brackets included ([`super::TagPair::parse`]); or the part of it that its line has.
    Tag,
    /// `{…}`, or without a closing brace as far as it reaches.
    Comment {
        /// Whether the closing brace is there.
        closed: bool,
    },
    /// `;` and the rest of the line, without its break.
    LineComment,
    /// A move number: digits, dots, or both.
    Number,
    /// A word that may be a move, or may have been one: any with a letter, a digit or a character
    /// beyond ASCII in it that is nothing else here, and signs that moves are written with.
    San,
    /// A sign that says nothing but what the moves say anyway: `+`, `#`, `e.p.`, `mate`, also in
    /// brackets
    Mark,
    /// `$` and digits.
    Nag,
    /// A glyph that stands for a NAG ([`super::glyph_nag`]).
    Glyph,
    /// `(`
    Open,
    /// `)`
    Close,
    /// A result.
    Result(Outcome),
    /// Anything else: among the moves punctuation and text in brackets.
    Junk,
}

/// A piece of PGN.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it starts.
    pub start: usize,
    /// Where it ends; the next token starts there.
    pub end: usize,
    /// Whether it is the first token of another game than the one before it.
    pub next_game: bool,
}

/// Where in a game the lexer is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    /// Before anything that makes a game: comments and foreign text.
    Before,
    /// Among the tags.
    Tags {
        /// Whether one of them was the event.
        event: bool,
    },
    /// Among the moves.
    Moves,
    /// Behind the result.
    After,
}

/// Cuts bytes into tokens. The spans of all tokens, one after the other, are the bytes.
#[derive(Clone, Debug)]
pub struct Lexer<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Where the game begins: what stands before belongs to another one.
    game: usize,
    mode: Mode,
    depth: u32,
    /// Where the moves of the game begin, if that is within the bytes.
    moves: Option<usize>,
    list: List,
    /// What the tag read last says, if it is an ordinary one.
    pair: Option<TagPair<'a>>,
}

impl<'a> Lexer<'a> {
    /// Begins at the start of a file or of a game.
    pub fn new(bytes: &'a [u8]) -> Lexer<'a> {
        Lexer {
            bytes,
            at: 0,
            game: 0,
            mode: Mode::Before,
            depth: 0,
            moves: None,
            list: List::NEW,
            pair: None,
        }
    }

    /// Begins among the moves of a game, which begin at `moves`.
    pub(super) fn in_moves(bytes: &'a [u8], at: usize, moves: Option<usize>) -> Lexer<'a> {
        Lexer {
            bytes,
            at,
            game: 0,
            mode: Mode::Moves,
            depth: 0,
            moves,
            list: List::NEW,
            pair: None,
        }
    }

    /// Ends the tokens at this place, which no token has crossed yet.
    pub(crate) fn end_at(&mut self, end: usize) {
        self.bytes = self.bytes.get(..end).unwrap_or(self.bytes);
    }

    /// Continues among the moves, at this place of the whole bytes.
    pub(crate) fn resume(&mut self, bytes: &'a [u8], at: usize) {
        (self.bytes, self.at) = (bytes, at);
    }

    /// The bytes of a token.
    #[inline]
    pub fn text(&self, token: Token) -> &'a [u8] {
        self.bytes.get(token.start..token.end).unwrap_or_default()
    }

    /// Whether moves, or their result, have begun.
    pub fn is_in_moves(&self) -> bool {
        matches!(self.mode, Mode::Moves | Mode::After)
    }

    /// Hands the bytes and the place of the next token to somebody who may take tokens of the moves
    /// by himself, and says where he left off; nothing is done outside of the moves.
    #[inline]
    pub(crate) fn skip_moves(&mut self, take: impl FnOnce(&'a [u8], usize) -> usize) {
        if self.mode == Mode::Moves {
            self.at = take(self.bytes, self.at);
        }
    }

    #[inline(always)]
    fn token(&mut self, kind: TokenKind, end: usize) -> Option<Token> {
        let start = self.at;
        self.at = end;
        Some(Token {
            kind,
            start,
            end,
            next_game: false,
        })
    }

    fn rest_of_line(&mut self, kind: TokenKind) -> Option<Token> {
        self.token(kind, scan::line_end(self.bytes, self.at))
    }

    fn comment(&mut self) -> Option<Token> {
        let (end, closed) = comment_end(self.bytes, self.at + 1);
        self.token(TokenKind::Comment { closed }, end)
    }

    /// A tag, if one begins here; says too whether its name is that of the event, or of the start
    /// position.
    fn tag(&mut self) -> Option<(Token, bool, bool)> {
        let plain = PlainTag::at(self.bytes, self.at);
        self.pair = plain.map(|tag| TagPair {
            name: tag.name,
            value: tag.value,
            fault: None,
        });
        let (name, end) = match plain {
            Some(tag) => (tag.name, tag.end),
            None => self.odd_tag()?,
        };
        let event = name == b"Event";
        let setup = scan::is_start_tag(name);
        Some((self.token(TokenKind::Tag, end)?, event, setup))
    }

    /// The name of any tag, and where it ends.
    #[cold]
    fn odd_tag(&self) -> Option<(&'a [u8], usize)> {
        let head = scan::tag_head(self.bytes, self.at)?;
        let name = self.bytes.get(head.name_start..head.name_end)?;
        let mut at = head.value;
        loop {
            at = scan::next_in_value(self.bytes, at);
            if at >= self.bytes.len() {
                return Some((name, self.bytes.len()));
            }
            match scan::in_value(self.bytes, at) {
                InValue::Goes(next) => at = next,
                InValue::Closed { end, .. } => return Some((name, end)),
                InValue::Broken => return Some((name, at)),
            }
        }
    }

    /// What a tag says that was just read.
    pub(crate) fn tag_pair(&self, token: Token) -> Option<TagPair<'a>> {
        self.pair.or_else(|| TagPair::parse(self.text(token)))
    }

    /// A bracket that begins no tag: to its partner on the same line, or to the line's end.
    fn bracket(&mut self) -> Option<Token> {
        let end = bracket_end(self.bytes, self.at);
        self.token(TokenKind::Junk, end)
    }

    /// Foreign text: to the end of the line, or to a bracket that may be a tag.
    fn foreign(&mut self) -> Option<Token> {
        let end = foreign_end(self.bytes, self.at);
        self.token(TokenKind::Junk, end)
    }

    /// What a bracket outside of the moves begins.
    #[inline]
    fn tag_or_bracket(&mut self) -> Option<Token> {
        let at = self.at;
        let Some((mut token, event, setup)) = self.tag() else {
            return self.bracket();
        };
        let had_event = self.mode == Mode::Tags { event: true };
        token.next_game = had_event && event && scan::after_blank_line(self.bytes, at);
        self.list
            .tag(setup, token.next_game || self.mode == Mode::Before);
        self.mode = Mode::Tags {
            event: event || had_event,
        };
        Some(token)
    }

    /// A token outside of the moves.
    fn outside(&mut self, first: u8) -> Option<Token> {
        match first {
            b'{' => return self.comment(),
            b';' => return self.rest_of_line(TokenKind::LineComment),
            b'[' => return self.tag_or_bracket(),
            0xEF if self.mode == Mode::Before
                && from(self.bytes, self.at).starts_with(scan::BOM) =>
            {
                return self.token(TokenKind::Bom, self.at + scan::BOM.len());
            }
            _ => {}
        }
        let line_start = scan::at_line_start(self.bytes, self.at);
        if first == b'%' && (line_start || self.mode == Mode::Before) {
            return self.rest_of_line(TokenKind::Escape);
        }
        let tags = matches!(self.mode, Mode::Tags { .. });
        let of_game = || starts_moves(from(self.bytes, self.game), self.at - self.game);
        if tags && line_start || of_game() {
            self.list
                .begin(self.bytes, self.at, self.mode == Mode::Before);
            self.mode = Mode::Moves;
            self.depth = 0;
            self.moves = Some(self.at);
            return match first {
                // Here the list begins; the one before has ended already.
                b'1' => self.digits(from(self.bytes, self.at)),
                _ => self.inside(first),
            };
        }
        self.foreign()
    }
}

impl Iterator for Lexer<'_> {
    type Item = Token;

    #[inline]
    fn next(&mut self) -> Option<Token> {
        let first = *self.bytes.get(self.at)?;
        if is_blank(first) {
            let rest = from(self.bytes, self.at);
            let length = rest.iter().take_while(|&&b| is_blank(b)).count();
            return self.token(TokenKind::Space, self.at + length);
        }
        self.other(first)
    }
}

impl Lexer<'_> {
    /// The next token, ASCII white space passed over; [`TokenKind::Space`] is any other.
    #[inline]
    pub fn next_visible(&mut self) -> Option<Token> {
        loop {
            let first = *self.bytes.get(self.at)?;
            if !is_blank(first) {
                return self.other(first);
            }
            self.at += 1;
        }
    }

    /// A token that begins with this byte, which is no blank.
    #[inline]
    fn other(&mut self, first: u8) -> Option<Token> {
        match self.mode {
            Mode::Moves => self.inside(first),
            Mode::Before | Mode::Tags { .. } if first == b'[' => self.tag_or_bracket(),
            _ => self.around(first),
        }
    }

    /// A token before or behind the moves.
    fn around(&mut self, first: u8) -> Option<Token> {
        let rest = from(self.bytes, self.at);
        let bom = self.mode == Mode::Before && rest.starts_with(scan::BOM);
        if !first.is_ascii()
            && !bom
            && let blank @ 1.. = signs::wide_blank(rest)
        {
            return self.token(TokenKind::Space, self.at + blank);
        }
        if self.mode == Mode::After {
            match first {
                b'{' if !scan::after_blank_line(self.bytes, self.at) => return self.comment(),
                b';' if !scan::after_blank_line(self.bytes, self.at) => {
                    return self.rest_of_line(TokenKind::LineComment);
                }
                b'%' => return self.rest_of_line(TokenKind::Escape),
                b'$' if byte(self.bytes, self.at + 1).is_ascii_digit() => {
                    return self.inside(first);
                }
                _ => {}
            }
            if let Some(length) = scan::second_result(self.bytes, self.at) {
                return self.token(TokenKind::Junk, self.at + length);
            }
            self.mode = Mode::Before;
            self.game = self.at;
            let mut token = self.outside(first)?;
            token.next_game = true;
            return Some(token);
        }
        self.outside(first)
    }
}

/// Where a comment ends whose text starts at `at`, and whether a brace closes it.
fn comment_end(bytes: &[u8], mut at: usize) -> (usize, bool) {
    while let Some(n) = memchr::memchr2(b'}', b'[', from(bytes, at)) {
        at += n;
        if byte(bytes, at) == b'}' {
            return (at + 1, true);
        }
        if scan::is_lost_game_start(bytes, at) {
            return (at, false);
        }
        at += 1;
    }
    (bytes.len(), false)
}

/// Where a bracket ends that begins no tag.
pub(super) fn bracket_end(bytes: &[u8], at: usize) -> usize {
    let found = memchr::memchr3(b']', b'\n', b'\r', from(bytes, at));
    let end = found.map_or(bytes.len(), |n| at + n);
    end + usize::from(byte(bytes, end) == b']')
}

/// Where foreign text ends.
pub(super) fn foreign_end(bytes: &[u8], at: usize) -> usize {
    let found = memchr::memchr3(b'[', b'\n', b'\r', from(bytes, at + 1));
    found.map_or(bytes.len(), |n| at + 1 + n)
}

#[cfg(test)]
mod tests;
