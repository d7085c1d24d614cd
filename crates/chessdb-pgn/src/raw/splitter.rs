//! A fast search for the ends of games that skips most bytes.

use self::block::Block;
use super::lexer::{Lexer, TokenKind, is_late};
use super::list::MoveList;
use super::plain::PlainTag;
use super::scan::{self, LOOK_AHEAD, LOOK_BEHIND, byte, from, is_blank};
use super::section::{TagName, TagSection};
use super::signs::{dash_length, wide_blank};
use super::start::starts_moves;

/// The result of [`Splitter::advance`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// A game, including any text before it, ends here. The next one starts at this index.
    Game {
        /// The index in the window.
        end: usize,
    },
    /// The window ends before the game does. Call again with a longer one.
    More,
    /// The input ends, and the rest is not a game.
    Nothing,
}

/// The part of a game that the splitter is in, as in the lexer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    Before,
    Tags,
    Moves,
    After,
}

/// The token of unlimited length that the splitter is within.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Within {
    Nothing,
    Comment,
    /// A comment in which the tags of another game seem to begin at the index.
    Border(usize),
    Line,
    Value,
    Bracket,
    Foreign,
    Digits,
    /// White space after a line break among the moves.
    LineStart,
}

/// Finds the end of one game after another in a window that begins where the game begins.
///
/// Bytes already examined are not examined again when the window grows, so the work is linear. A
/// window may also drop bytes from its front ([`Splitter::forget`]), so a game of any length can be
/// processed in little memory.
#[derive(Clone, Debug)]
pub struct Splitter {
    at: usize,
    phase: Phase,
    within: Within,
    depth: u32,
    first: Option<usize>,
    /// Where the moves begin, once they have begun, and while that is in the window.
    moves: Option<usize>,
    list: MoveList,
    section: TagSection,
    /// Whether the game had its result.
    ended: bool,
    /// Whether the splitter is within a variation after the result.
    late: bool,
}

impl Default for Splitter {
    fn default() -> Splitter {
        Splitter::new()
    }
}

impl Splitter {
    /// Starts at the beginning of a game or of a file.
    pub const fn new() -> Splitter {
        Splitter {
            at: 0,
            phase: Phase::Before,
            within: Within::Nothing,
            depth: 0,
            first: None,
            moves: None,
            list: MoveList::NEW,
            section: TagSection::NEW,
            ended: false,
            late: false,
        }
    }

    /// Returns how far the window has been examined.
    pub fn position(&self) -> usize {
        self.at
    }

    /// Returns where the first tag, move or result is, once it has been seen.
    pub fn game_start(&self) -> Option<usize> {
        self.first
    }

    /// Returns whether the result after the moves has been seen.
    pub fn is_complete(&self) -> bool {
        self.ended
    }

    /// Returns the number of bytes at the front of the window that are no longer needed.
    pub fn forgettable(&self) -> usize {
        let needed = match self.within {
            // If no brace follows, the next game begins at the tags.
            Within::Border(tags) => tags,
            _ => self.at,
        };
        needed.saturating_sub(LOOK_BEHIND)
    }

    /// Adapts to a window that has dropped this many bytes from its front, at most
    /// [`Splitter::forgettable`].
    pub fn forget(&mut self, bytes: usize) {
        self.at = self.at.saturating_sub(bytes);
        if let Within::Border(tags) = &mut self.within {
            *tags = tags.saturating_sub(bytes);
        }
        self.first = self.first.map(|first| first.saturating_sub(bytes));
        self.moves = self.moves.and_then(|moves| moves.checked_sub(bytes));
    }

    /// Continues the search. The window contains everything from the start of the game as far as it
    /// is known; `last` if nothing follows it. After [`Step::Game`], begin with a new splitter.
    pub fn advance(&mut self, window: &[u8], last: bool) -> Step {
        loop {
            let step = match self.within {
                Within::Nothing => self.between(window, last),
                Within::Comment => self.comment(window, last),
                Within::Value => self.value(window, last),
                Within::Border(tags) => self.border(window, tags, last),
                Within::Line => self.line(window, last),
                Within::Foreign => {
                    let next = memchr::memchr3(b'[', b'\n', b'\r', from(window, self.at));
                    self.skip(next, window)
                }
                Within::Bracket => self.bracket(window, last),
                Within::LineStart => self.line_start(window, last),
                Within::Digits => {
                    let next = from(window, self.at)
                        .iter()
                        .position(|b| !b.is_ascii_digit());
                    self.skip(next, window)
                }
            };
            match step {
                None => {}
                Some(Step::More) if last => {
                    self.at = window.len();
                    return match self.first {
                        Some(_) => Step::Game { end: window.len() },
                        None => Step::Nothing,
                    };
                }
                Some(step) => return step,
            }
        }
    }

    /// Ends the token at what was found `n` bytes ahead; if nothing was found, the window is too
    /// short.
    fn skip(&mut self, distance: Option<usize>, window: &[u8]) -> Option<Step> {
        match distance {
            Some(n) => {
                self.at += n;
                self.within = Within::Nothing;
                None
            }
            None => {
                self.at = window.len();
                Some(Step::More)
            }
        }
    }

    /// Returns whether the window is too short to decide about this position.
    fn is_near_end(&self, window: &[u8], last: bool) -> bool {
        !last && window.len().saturating_sub(self.at) < LOOK_AHEAD
    }

    /// Checks at the start of a line among the moves whether another list of moves begins.
    fn line_start(&mut self, window: &[u8], last: bool) -> Option<Step> {
        loop {
            let blanks = from(window, self.at).iter().position(|&b| !is_blank(b));
            self.at = blanks.map_or(window.len(), |n| self.at + n);
            if blanks.is_none() || self.is_near_end(window, last) {
                return Some(Step::More);
            }
            match wide_blank(from(window, self.at)) {
                0 => break,
                wide => self.at += wide,
            }
        }
        self.within = Within::Nothing;
        (self.depth == 0 && self.list.ends(window, self.at)).then_some(Step::Game { end: self.at })
    }

    fn between(&mut self, window: &[u8], last: bool) -> Option<Step> {
        if self.phase == Phase::Moves {
            return self.moves(window, last);
        }
        loop {
            let rest = from(window, self.at);
            let Some(blanks) = rest.iter().position(|&b| !is_blank(b)) else {
                self.at = window.len();
                return Some(Step::More);
            };
            self.at += blanks;
            if self.is_near_end(window, last) {
                return Some(Step::More);
            }
            match wide_blank(from(window, self.at)) {
                0 => break,
                wide => self.at += wide,
            }
        }
        let first = byte(window, self.at);
        if self.phase == Phase::After {
            let within = match first {
                b'{' if !scan::after_blank_line(window, self.at) => Within::Comment,
                b';' if !scan::after_blank_line(window, self.at) => Within::Line,
                b'%' => Within::Line,
                b'$' if byte(window, self.at + 1).is_ascii_digit() => Within::Digits,
                b'(' | b'1'..=b'9' if is_late(window, self.at) => {
                    self.phase = Phase::Moves;
                    self.late = first == b'(';
                    return None;
                }
                _ => match scan::second_result(window, self.at) {
                    Some(length) => {
                        self.at += length;
                        return None;
                    }
                    None => return Some(Step::Game { end: self.at }),
                },
            };
            self.enter(within);
            return None;
        }
        self.outside(window, first)
    }

    /// Skips the first byte of a token of unlimited length.
    fn enter(&mut self, within: Within) {
        self.at += 1;
        self.within = within;
    }

    fn outside(&mut self, window: &[u8], first: u8) -> Option<Step> {
        match first {
            b'{' => self.enter(Within::Comment),
            b';' => self.enter(Within::Line),
            b'[' => return self.tag(window),
            _ => {
                let line_start = scan::at_line_start(window, self.at);
                let tags = self.phase != Phase::Before;
                if first == b'%' && (line_start || !tags) {
                    self.enter(Within::Line);
                } else if tags && line_start || starts_moves(window, self.at) {
                    self.list.begin(window, self.at, !tags);
                    self.phase = Phase::Moves;
                    self.depth = 0;
                    self.late = false;
                    self.moves = Some(self.at);
                    self.first.get_or_insert(self.at);
                } else {
                    self.enter(Within::Foreign);
                }
            }
        }
        None
    }

    fn tag(&mut self, window: &[u8]) -> Option<Step> {
        let (name, next, within) = match PlainTag::at(window, self.at) {
            Some(tag) => (tag.name, tag.end, Within::Nothing),
            None => match scan::tag_head(window, self.at) {
                Some(header) => {
                    let name = window.get(header.name_start..header.name_end);
                    (name.unwrap_or_default(), header.value, Within::Value)
                }
                None => {
                    let in_tags = self.phase == Phase::Tags;
                    let Some(tag) = self.section.quoted(window, self.at, in_tags) else {
                        self.enter(Within::Bracket);
                        return None;
                    };
                    (tag.name, tag.end, Within::Nothing)
                }
            },
        };
        let tag_name = TagName::new(name);
        let first = self.phase == Phase::Before;
        if !first && self.section.ends_before(window, self.at, tag_name) {
            return Some(Step::Game { end: self.at });
        }
        self.list.tag(scan::is_start_tag(name), first);
        self.first.get_or_insert(self.at);
        self.section.add(tag_name);
        self.phase = Phase::Tags;
        self.at = next;
        self.within = within;
        None
    }

    /// Returns whether the bracket here begins the tags of another game among the moves.
    #[cold]
    fn is_next_game(&self, window: &[u8]) -> bool {
        let line_start = scan::at_line_start(window, self.at);
        match scan::tag_head(window, self.at) {
            Some(_) => line_start || self.section.interrupts_moves(window, self.at),
            None => line_start && self.section.quoted(window, self.at, false).is_some(),
        }
    }

    /// Registers that the result has been passed.
    fn end(&mut self) -> Option<Step> {
        self.phase = Phase::After;
        self.ended = true;
        None
    }

    /// The hot loop: most bytes of most files pass through here, and few of them are significant.
    fn moves(&mut self, window: &[u8], last: bool) -> Option<Step> {
        'blocks: loop {
            let Some(block) = Block::next(from(window, self.at)) else {
                self.at = window.len();
                return Some(Step::More);
            };
            let start = self.at + block.start;
            let mut signs = block.signs;
            while signs != 0 {
                self.at = start + signs.trailing_zeros() as usize;
                signs &= signs - 1;
                if self.is_near_end(window, last) {
                    return Some(Step::More);
                }
                match byte(window, self.at) {
                    b'-' | b'/' | b':' | 0xE2 | 0x96 | 0x97 => {
                        if self.depth == 0
                            && let Some(end) = result_around(window, self.moves, self.at)
                        {
                            self.at = end;
                            return self.end();
                        }
                    }
                    b'(' if scan::is_promotion_bracket(window, self.at) => {
                        self.at += 3;
                        continue 'blocks;
                    }
                    b'(' => self.depth = self.depth.saturating_add(1),
                    b')' => {
                        self.depth = self.depth.saturating_sub(1);
                        if self.depth == 0 && self.late {
                            self.at += 1;
                            return self.end();
                        }
                    }
                    b'*' if self.depth == 0 => {
                        self.at += 1;
                        return self.end();
                    }
                    b'*' => {}
                    b'\n' | b'\r' => {
                        // Another list begins with the number 1, possibly after blanks.
                        let next = byte(window, self.at + 1);
                        if self.depth == 0 && matches!(next, 0..=b' ' | b'1' | 0x80..) {
                            self.enter(Within::LineStart);
                            return None;
                        }
                    }
                    b'{' => {
                        self.enter(Within::Comment);
                        return None;
                    }
                    b';' => {
                        self.enter(Within::Line);
                        return None;
                    }
                    b'[' => {
                        if self.is_next_game(window) {
                            return Some(Step::Game { end: self.at });
                        }
                        self.enter(Within::Bracket);
                        return None;
                    }
                    // Only `%` remains; it matters at the start of a line.
                    _ => {
                        let before = self.at.checked_sub(1);
                        if before.is_none_or(|n| scan::is_break(byte(window, n))) {
                            self.enter(Within::Line);
                            return None;
                        }
                    }
                }
            }
            self.at = start + block.length;
        }
    }
}

/// Returns where the result with its `-`, `:` or `/` at `offset` ends, if it is one. The lexer decides
/// about the word that contains it: `1-0` in `Nf1-0` is not a result.
fn result_around(window: &[u8], moves: Option<usize>, offset: usize) -> Option<usize> {
    let sign = match byte(window, offset) {
        b'/' | b':' => 1,
        _ => dash_length(from(window, offset)),
    };
    let before = byte(window, offset.checked_sub(1)?);
    let after = byte(window, offset + sign);
    let possible = match byte(window, offset) {
        b'/' => (before, after) == (b'1', b'2'),
        _ if sign == 0 => false,
        _ => {
            matches!((before, after), (b'1', b'0') | (b'0', b'1'))
                || before == 0xBD && matches!(after, 0xBD | 0xC2)
        }
    };
    if !possible {
        return None;
    }
    let start = scan::run_start(window, moves, offset, LOOK_BEHIND)?;
    // A result is shorter than this, so nothing significant is cut off.
    let end = window.len().min(offset + 16);
    let mut tokens = Lexer::in_moves(window.get(..end)?, start, moves);
    let token = tokens.find(|token| token.end > offset)?;
    matches!(token.kind, TokenKind::Result(_)).then_some(token.end)
}

mod block;
#[cfg(test)]
mod tests;
mod within;
