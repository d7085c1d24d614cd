//! A lexer with tokens that cover every byte.

mod inside;

pub(super) use inside::next_in_bracket;

use chessdb_core::Outcome;

use super::list::MoveList;
use super::plain::PlainTag;
use super::quotes::OTHER_QUOTES;
use super::scan::{self, InValue, byte, from, is_blank};
use super::section::{self, TagName, TagSection};
use super::signs;
use super::start::{counts_on, is_variation, starts_moves};
use super::tags::TagPair;

/// The kind of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenKind {
    /// A byte order mark before a game.
    Bom,
    /// Blanks and line breaks.
    Space,
    /// A `%` at the start of a line and the rest of that line, without its break.
    Escape,
    /// A tag, including its brackets ([`super::TagPair::parse`]), or the part of it on its line.
    Tag,
    /// A comment `{…}`; without a closing brace, everything up to where the comment is ended.
    Comment {
        /// Whether there is a closing brace.
        closed: bool,
    },
    /// A `;` and the rest of the line, without its break.
    LineComment,
    /// A move number: digits, dots, or both.
    Number,
    /// A word that is or may have been a move: any other word with a letter, a digit or a non-ASCII
    /// character, and signs used in moves.
    San,
    /// A sign that adds nothing to the move: `+`, `#`, `e.p.`, `mate`, also in parentheses.
    Mark,
    /// A `$` and digits.
    Nag,
    /// A glyph for a NAG ([`super::glyph_nag`]).
    Glyph,
    /// An opening parenthesis.
    Open,
    /// A closing parenthesis.
    Close,
    /// A result.
    Result(Outcome),
    /// Anything else; among the moves, punctuation and text in square brackets.
    Junk,
}

/// A token of PGN.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    /// The kind.
    pub kind: TokenKind,
    /// The offset of the first byte.
    pub start: usize,
    /// The end offset, where the next token starts.
    pub end: usize,
    /// Whether this is the first token of another game.
    pub next_game: bool,
}

/// The part of a game that the lexer is in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// Before the first token of a game: comments and foreign text.
    Before,
    /// Among the tags.
    Tags,
    /// Among the moves.
    Moves,
    /// After the result.
    After,
}

/// Splits bytes into tokens. The spans of all tokens, concatenated, are the input.
#[derive(Clone, Debug)]
pub struct Lexer<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Where the game begins. Bytes before it belong to the preceding game.
    game: usize,
    phase: Phase,
    depth: u32,
    /// Where the moves of the game begin, if they are within the bytes.
    moves: Option<usize>,
    list: MoveList,
    section: TagSection,
    /// Where the tags of another game interrupt a comment of this one.
    border: Option<usize>,
    /// Whether the lexer is within a variation after the result.
    late: bool,
    /// The last tag, if it was parsed along with the token.
    pair: Option<TagPair<'a>>,
}

impl<'a> Lexer<'a> {
    /// Starts at the beginning of a file or of a game.
    pub fn new(bytes: &'a [u8]) -> Lexer<'a> {
        Lexer {
            bytes,
            at: 0,
            game: 0,
            phase: Phase::Before,
            depth: 0,
            moves: None,
            list: MoveList::NEW,
            section: TagSection::NEW,
            border: None,
            late: false,
            pair: None,
        }
    }

    /// Starts within the moves of a game, which begin at `moves`.
    pub(super) fn in_moves(bytes: &'a [u8], start: usize, moves: Option<usize>) -> Lexer<'a> {
        Lexer {
            bytes,
            at: start,
            game: 0,
            phase: Phase::Moves,
            depth: 0,
            moves,
            list: MoveList::NEW,
            section: TagSection::NEW,
            border: None,
            late: false,
            pair: None,
        }
    }

    /// Limits the input to `end`, which no token has crossed yet.
    pub(crate) fn end_at(&mut self, end: usize) {
        self.bytes = self.bytes.get(..end).unwrap_or(self.bytes);
    }

    /// Continues among the moves, at this offset of the complete bytes.
    pub(crate) fn resume(&mut self, bytes: &'a [u8], offset: usize) {
        (self.bytes, self.at) = (bytes, offset);
    }

    /// Returns the bytes of a token.
    #[inline]
    pub fn text(&self, token: Token) -> &'a [u8] {
        self.bytes.get(token.start..token.end).unwrap_or_default()
    }

    /// Returns whether the moves, or their result, have begun.
    pub fn is_in_moves(&self) -> bool {
        matches!(self.phase, Phase::Moves | Phase::After)
    }

    /// Passes the bytes and the offset of the next token to `take`, which may consume tokens of the
    /// moves by itself and returns where it stopped. Does nothing outside the moves.
    #[inline]
    pub(crate) fn skip_moves(&mut self, take: impl FnOnce(&'a [u8], usize) -> usize) {
        if self.phase == Phase::Moves {
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

    /// Reads a comment to the end of the line, or an escape line.
    fn rest_of_line(&mut self, kind: TokenKind) -> Option<Token> {
        let line_end = scan::line_end(self.bytes, self.at);
        let in_moves = self.phase == Phase::Moves;
        let line = self.bytes.get(self.at..line_end).unwrap_or_default();
        let mut brackets = memchr::memchr_iter(b'[', line).map(|n| self.at + n);
        let border =
            brackets.find(|&offset| self.section.interrupts_line(self.bytes, offset, in_moves));
        self.border = border;
        self.token(kind, border.unwrap_or(line_end))
    }

    fn comment(&mut self) -> Option<Token> {
        let (end, closed) = comment_end(self.bytes, self.at + 1, &self.section);
        self.border = (!closed).then_some(end);
        self.token(TokenKind::Comment { closed }, end)
    }

    /// Reads a tag, if one begins here, and returns its name too.
    fn tag(&mut self) -> Option<(Token, &'a [u8])> {
        let plain = PlainTag::at(self.bytes, self.at);
        self.pair = plain.map(|tag| TagPair {
            name: tag.name,
            value: tag.value,
            fault: None,
            has_backslash: false,
        });
        let (name, end) = match plain {
            Some(tag) => (tag.name, tag.end),
            None => match self.irregular_tag() {
                Some(tag) => tag,
                None => self.quoted_tag()?,
            },
        };
        Some((self.token(TokenKind::Tag, end)?, name))
    }

    /// Returns the name of a tag in irregular form, and where the tag ends.
    #[cold]
    fn irregular_tag(&self) -> Option<(&'a [u8], usize)> {
        let header = scan::tag_head(self.bytes, self.at)?;
        let name = self.bytes.get(header.name_start..header.name_end)?;
        // The value may be interrupted by a tag with the name of the first tag, which may be this one.
        let tag_name = TagName::new(name);
        let mut section =
            if self.begins_game(self.at, tag_name) { TagSection::NEW } else { self.section };
        section.add(tag_name);
        let mut offset = header.value;
        loop {
            offset = scan::next_in_value(self.bytes, offset);
            if offset >= self.bytes.len() {
                return Some((name, self.bytes.len()));
            }
            match scan::in_value(self.bytes, offset) {
                InValue::Continues(next) => {
                    if byte(self.bytes, offset) == b'"'
                        && let Some(end) = section.interrupts_value(self.bytes, offset)
                    {
                        return Some((name, end));
                    }
                    offset = next;
                }
                InValue::Closed { end, .. } => return Some((name, end)),
                InValue::Broken => return Some((name, offset)),
            }
        }
    }

    /// Returns whether a tag with this name at `offset` is the first one of a game.
    #[inline(always)]
    fn begins_game(&self, offset: usize, name: TagName<'_>) -> bool {
        self.phase != Phase::Tags
            || self.border == Some(offset)
            || self.section.ends_before(self.bytes, offset, name)
    }

    /// Returns the name of a tag with other quotes than `"`, and where the tag ends.
    #[cold]
    fn quoted_tag(&mut self) -> Option<(&'a [u8], usize)> {
        let in_tags = self.phase == Phase::Tags;
        let tag = self.section.quoted(self.bytes, self.at, in_tags)?;
        self.pair = Some(TagPair::new(tag.name, tag.value, Some(OTHER_QUOTES)));
        Some((tag.name, tag.end))
    }

    /// Returns the name and value of the tag just read.
    pub(crate) fn tag_pair(&self, token: Token) -> Option<TagPair<'a>> {
        self.pair.or_else(|| TagPair::parse(self.text(token)))
    }

    /// Reads a bracket that does not begin a tag: up to its partner on the same line, a tag, or the
    /// end of the line.
    fn bracket(&mut self) -> Option<Token> {
        let end = self.bracket_end(self.at);
        self.token(TokenKind::Junk, end)
    }

    /// Reads foreign text: up to the end of the line, or to a bracket that may begin a tag.
    fn foreign(&mut self) -> Option<Token> {
        let end = foreign_end(self.bytes, self.at);
        self.token(TokenKind::Junk, end)
    }

    /// Reads the tag or text that begins with a bracket outside the moves.
    #[inline]
    fn tag_or_bracket(&mut self) -> Option<Token> {
        let start = self.at;
        let Some((mut token, name)) = self.tag() else {
            return self.bracket();
        };
        let tag_name = TagName::new(name);
        let first = self.begins_game(start, tag_name);
        token.next_game = first && self.phase == Phase::Tags;
        self.add_tag(tag_name, first);
        Some(token)
    }

    /// Adds a tag to the section of its game; `first` if the game begins with it.
    #[inline(always)]
    fn add_tag(&mut self, name: TagName<'_>, first: bool) {
        self.list.tag(scan::is_start_tag(name.bytes), first);
        if first {
            self.section = TagSection::NEW;
        }
        self.section.add(name);
        self.phase = Phase::Tags;
        self.border = None;
    }

    /// Reads a token outside the moves.
    fn outside(&mut self, first: u8) -> Option<Token> {
        match first {
            b'{' => return self.comment(),
            b';' => return self.rest_of_line(TokenKind::LineComment),
            b'[' => return self.tag_or_bracket(),
            0xEF if self.phase == Phase::Before
                && from(self.bytes, self.at).starts_with(scan::BOM) =>
            {
                return self.token(TokenKind::Bom, self.at + scan::BOM.len());
            }
            _ => {}
        }
        let line_start = scan::at_line_start(self.bytes, self.at);
        if first == b'%' && (line_start || self.phase == Phase::Before) {
            return self.rest_of_line(TokenKind::Escape);
        }
        let tags = self.phase == Phase::Tags;
        let of_game = || starts_moves(from(self.bytes, self.game), self.at - self.game);
        if tags && line_start || of_game() {
            self.list
                .begin(self.bytes, self.at, self.phase == Phase::Before);
            self.phase = Phase::Moves;
            self.depth = 0;
            self.late = false;
            self.moves = Some(self.at);
            return match first {
                // The list begins here; the preceding one has already ended.
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
    /// Returns the next token, skipping ASCII white space. [`TokenKind::Space`] is any other white
    /// space.
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

    /// Reads a token that begins with this byte, which is not a blank.
    #[inline]
    fn other(&mut self, first: u8) -> Option<Token> {
        match self.phase {
            Phase::Moves => self.inside(first),
            Phase::Before | Phase::Tags if first == b'[' => self.tag_or_bracket(),
            _ => self.around(first),
        }
    }

    /// Reads a token before or after the moves.
    fn around(&mut self, first: u8) -> Option<Token> {
        let rest = from(self.bytes, self.at);
        let bom = self.phase == Phase::Before && rest.starts_with(scan::BOM);
        if !first.is_ascii()
            && !bom
            && let blank @ 1.. = signs::wide_blank(rest)
        {
            return self.token(TokenKind::Space, self.at + blank);
        }
        if self.phase == Phase::After {
            match first {
                b'{' if !scan::after_blank_line(self.bytes, self.at) => return self.comment(),
                b';' if !scan::after_blank_line(self.bytes, self.at) => {
                    return self.rest_of_line(TokenKind::LineComment);
                }
                b'%' => return self.rest_of_line(TokenKind::Escape),
                b'$' if byte(self.bytes, self.at + 1).is_ascii_digit() => {
                    return self.inside(first);
                }
                b'(' | b'1'..=b'9' if is_late(self.bytes, self.at) => {
                    self.phase = Phase::Moves;
                    self.late = first == b'(';
                    return match first {
                        b'(' => self.inside(first),
                        _ => self.digits(rest),
                    };
                }
                _ => {}
            }
            if let Some(length) = scan::second_result(self.bytes, self.at) {
                return self.token(TokenKind::Junk, self.at + length);
            }
            self.phase = Phase::Before;
            self.section = TagSection::NEW;
            self.game = self.at;
            let mut token = self.outside(first)?;
            token.next_game = true;
            return Some(token);
        }
        self.outside(first)
    }
}

/// Returns where the comment text that starts at `offset` ends, and whether a brace closes it.
fn comment_end(bytes: &[u8], mut offset: usize, section: &TagSection) -> (usize, bool) {
    while let Some(n) = memchr::memchr2(b'}', b'[', from(bytes, offset)) {
        offset += n;
        if byte(bytes, offset) == b'}' {
            return (offset + 1, true);
        }
        if scan::is_lost_game_start(bytes, offset) {
            return (offset, false);
        }
        if section.interrupts_text(bytes, offset) {
            if section::is_quotation(bytes, offset, true) != Some(true) {
                return (offset, false);
            }
            offset += memchr::memchr(b'}', from(bytes, offset)).unwrap_or(0);
            return (offset + 1, true);
        }
        offset += 1;
    }
    (bytes.len(), false)
}

/// Returns whether a variation, or moves that continue the numbering, begin at `offset` after the
/// result of their game.
pub(super) fn is_late(bytes: &[u8], offset: usize) -> bool {
    let belongs = match byte(bytes, offset) {
        b'(' => is_variation(bytes, offset),
        _ => counts_on(bytes, offset),
    };
    belongs && !scan::after_blank_line(bytes, offset)
}

/// Returns where foreign text ends.
pub(super) fn foreign_end(bytes: &[u8], offset: usize) -> usize {
    // The first byte may itself be a bracket, one that begins no tag.
    let start = offset + 1;
    memchr::memchr3(b'[', b'\n', b'\r', from(bytes, start)).map_or(bytes.len(), |n| start + n)
}

#[cfg(test)]
mod tests;
