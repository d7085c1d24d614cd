//! Where games end, found without looking at most of their bytes.

use super::lexer::{Lexer, TokenKind};
use super::list::List;
use super::plain::PlainTag;
use super::scan::{self, InValue, LOOK_AHEAD, LOOK_BEHIND, byte, from, is_blank};
use super::signs::{dash_length, wide_blank};
use super::start::starts_moves;

/// What [`Splitter::advance`] found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// A game, and whatever stands before it, ends here; the next one starts at this index.
    Game {
        /// Index in the window.
        end: usize,
    },
    /// The window ends before the game does: call again with a longer one.
    More,
    /// The input ends, and what is left is no game.
    Nothing,
}

/// Where in a game the splitter is; as in the lexer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    Before,
    Tags { event: bool },
    Moves,
    After,
}

/// A token of any length that the splitter is within.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Within {
    Nothing,
    Comment,
    Line,
    Value,
    Bracket,
    Foreign,
    Digits,
    /// White space behind a line break among the moves.
    LineStart,
}

/// Finds the end of one game after the other in a window that begins where the game begins.
///
/// What it has seen it does not look at again when the window grows, so the work is linear. A
/// window may also lose bytes from its front ([`Splitter::forget`]); with that, a game of any
/// length passes through little memory.
#[derive(Clone, Debug)]
pub struct Splitter {
    at: usize,
    mode: Mode,
    within: Within,
    depth: u32,
    first: Option<usize>,
    /// Where the moves begin, once they have, and as long as that is in the window.
    moves: Option<usize>,
    list: List,
}

impl Default for Splitter {
    fn default() -> Splitter {
        Splitter::new()
    }
}

impl Splitter {
    /// At the start of a game, or of a file.
    pub const fn new() -> Splitter {
        Splitter {
            at: 0,
            mode: Mode::Before,
            within: Within::Nothing,
            depth: 0,
            first: None,
            moves: None,
            list: List::NEW,
        }
    }

    /// How far the window has been looked at.
    pub fn position(&self) -> usize {
        self.at
    }

    /// Where the first tag, move or result is, once it has been seen.
    pub fn game_start(&self) -> Option<usize> {
        self.first
    }

    /// Whether the result behind the moves has been seen.
    pub fn is_complete(&self) -> bool {
        self.mode == Mode::After
    }

    /// How many bytes at the front of the window are no longer needed to find the game's end.
    pub fn forgettable(&self) -> usize {
        self.at.saturating_sub(LOOK_BEHIND)
    }

    /// Says that the window has lost these bytes from its front, [`Splitter::forgettable`] at
    /// most.
    pub fn forget(&mut self, bytes: usize) {
        self.at = self.at.saturating_sub(bytes);
        self.first = self.first.map(|first| first.saturating_sub(bytes));
        self.moves = self.moves.and_then(|moves| moves.checked_sub(bytes));
    }

    /// Looks on. The window holds everything from the start of the game as far as it is known;
    /// `last` says that nothing comes behind it. After [`Step::Game`] begin with a new splitter.
    pub fn advance(&mut self, window: &[u8], last: bool) -> Step {
        loop {
            let step = match self.within {
                Within::Nothing => self.between(window, last),
                Within::Comment => self.comment(window, last),
                Within::Value => self.value(window, last),
                Within::Line => {
                    self.skip(memchr::memchr2(b'\n', b'\r', from(window, self.at)), window)
                }
                Within::Foreign => {
                    let found = memchr::memchr3(b'[', b'\n', b'\r', from(window, self.at));
                    self.skip(found, window)
                }
                Within::Bracket => {
                    let found = memchr::memchr3(b']', b'\n', b'\r', from(window, self.at));
                    let step = self.skip(found, window);
                    self.at += usize::from(found.is_some() && byte(window, self.at) == b']');
                    step
                }
                Within::LineStart => self.line_start(window, last),
                Within::Digits => {
                    let found = from(window, self.at)
                        .iter()
                        .position(|b| !b.is_ascii_digit());
                    self.skip(found, window)
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

    /// Ends the token at what was found, this many bytes on; without it the window is too short.
    fn skip(&mut self, found: Option<usize>, window: &[u8]) -> Option<Step> {
        match found {
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

    /// Whether the window holds enough to decide about this place.
    fn is_near_end(&self, window: &[u8], last: bool) -> bool {
        !last && window.len().saturating_sub(self.at) < LOOK_AHEAD
    }

    fn comment(&mut self, window: &[u8], last: bool) -> Option<Step> {
        while let Some(n) = memchr::memchr2(b'}', b'[', from(window, self.at)) {
            self.at += n;
            if byte(window, self.at) == b'}' {
                self.at += 1;
                self.within = Within::Nothing;
                return None;
            }
            if self.is_near_end(window, last) {
                return Some(Step::More);
            }
            if scan::is_lost_game_start(window, self.at) {
                self.within = Within::Nothing;
                return None;
            }
            self.at += 1;
        }
        self.at = window.len();
        Some(Step::More)
    }

    fn value(&mut self, window: &[u8], last: bool) -> Option<Step> {
        loop {
            self.at = scan::next_in_value(window, self.at);
            if self.at >= window.len() || self.is_near_end(window, last) {
                return Some(Step::More);
            }
            match scan::in_value(window, self.at) {
                InValue::Goes(next) => self.at = next,
                InValue::Closed { end, .. } => {
                    self.at = end;
                    break;
                }
                InValue::Broken => break,
            }
        }
        self.within = Within::Nothing;
        None
    }

    /// At the start of a line among the moves another list of moves may begin.
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
        let ends = self.depth == 0 && self.list.ends(window, self.at);
        ends.then_some(Step::Game { end: self.at })
    }

    fn between(&mut self, window: &[u8], last: bool) -> Option<Step> {
        if self.mode == Mode::Moves {
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
        if self.mode == Mode::After {
            let within = match first {
                b'{' if !scan::after_blank_line(window, self.at) => Within::Comment,
                b';' if !scan::after_blank_line(window, self.at) => Within::Line,
                b'%' => Within::Line,
                b'$' if byte(window, self.at + 1).is_ascii_digit() => Within::Digits,
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

    /// Goes past the first byte of a token of any length.
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
                let tags = self.mode != Mode::Before;
                if first == b'%' && (line_start || !tags) {
                    self.enter(Within::Line);
                } else if tags && line_start || starts_moves(window, self.at) {
                    self.list.begin(window, self.at, !tags);
                    self.mode = Mode::Moves;
                    self.depth = 0;
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
            None => {
                let Some(head) = scan::tag_head(window, self.at) else {
                    self.enter(Within::Bracket);
                    return None;
                };
                let name = window.get(head.name_start..head.name_end);
                (name.unwrap_or_default(), head.value, Within::Value)
            }
        };
        let event = name == b"Event";
        let had_event = self.mode == Mode::Tags { event: true };
        if had_event && event && scan::after_blank_line(window, self.at) {
            return Some(Step::Game { end: self.at });
        }
        let setup = scan::is_start_tag(name);
        self.list.tag(setup, self.mode == Mode::Before);
        self.first.get_or_insert(self.at);
        self.mode = Mode::Tags {
            event: event || had_event,
        };
        self.at = next;
        self.within = within;
        None
    }

    /// The hot loop: most bytes of most files pass here, and few of them matter.
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
                            self.mode = Mode::After;
                            return None;
                        }
                    }
                    b'(' if scan::is_promotion_bracket(window, self.at) => {
                        self.at += 3;
                        continue 'blocks;
                    }
                    b'(' => self.depth = self.depth.saturating_add(1),
                    b')' => self.depth = self.depth.saturating_sub(1),
                    b'*' if self.depth == 0 => {
                        self.at += 1;
                        self.mode = Mode::After;
                        return None;
                    }
                    b'*' => {}
                    b'\n' | b'\r' => {
                        // Another list begins with the number 1, perhaps behind blanks.
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
                        if scan::at_line_start(window, self.at)
                            && scan::tag_head(window, self.at).is_some()
                        {
                            return Some(Step::Game { end: self.at });
                        }
                        self.enter(Within::Bracket);
                        return None;
                    }
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

/// Whether a byte among the moves can say anything about where the game ends. Without a table and
/// without branches, so that many bytes are looked at together.
#[inline(always)]
const fn matters(byte: u8) -> bool {
    matches!(byte, b'(' | b')' | b'*')
        | matches!(byte, b'-' | b'/' | b'%')
        | matches!(byte, b':' | b';')
        | matches!(byte, b'[' | b'{')
        | matches!(byte, b'\n' | b'\r')
        | matches!(byte, 0xE2 | 0x96 | 0x97)
}

/// Up to 32 bytes of which some matter.
struct Block {
    /// Where it stands.
    start: usize,
    length: usize,
    /// Which of its bytes matter, the first one by the lowest bit.
    signs: u32,
}

impl Block {
    /// The next one in these bytes.
    #[inline]
    fn next(bytes: &[u8]) -> Option<Block> {
        let (chunks, rest) = bytes.as_chunks::<32>();
        for (n, chunk) in chunks.iter().enumerate() {
            let signs = signs_of(chunk);
            if signs != 0 {
                return Some(Block {
                    start: 32 * n,
                    length: 32,
                    signs,
                });
            }
        }
        // The signs behind the last byte are none: 0 does not matter.
        let mut last = [0; 32];
        last.get_mut(..rest.len())?.copy_from_slice(rest);
        let signs = signs_of(&last);
        (signs != 0).then_some(Block {
            start: bytes.len() - rest.len(),
            length: rest.len(),
            signs,
        })
    }
}

/// Which of these bytes matter. They are looked at together, without an early end.
#[inline(always)]
fn signs_of(chunk: &[u8; 32]) -> u32 {
    let mut flags = [0u8; 32];
    for (flag, &byte) in flags.iter_mut().zip(chunk) {
        *flag = u8::from(matters(byte));
    }
    // Of eight bytes that are 0 or 1 the product has all in its highest byte.
    let (words, _) = flags.as_chunks::<8>();
    words.iter().rev().fold(0, |signs, word| {
        let packed = u64::from_le_bytes(*word).wrapping_mul(0x0102_0408_1020_4080);
        signs << 8 | (packed >> 56) as u32
    })
}

/// Where the result ends that has its `-`, `:` or `/` here, if it is one. The word that it stands in is
/// left to the lexer: `1-0` in `Nf1-0` is none.
fn result_around(window: &[u8], moves: Option<usize>, at: usize) -> Option<usize> {
    let sign = match byte(window, at) {
        b'/' | b':' => 1,
        _ => dash_length(from(window, at)),
    };
    let before = byte(window, at.checked_sub(1)?);
    let after = byte(window, at + sign);
    let possible = match byte(window, at) {
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
    let start = scan::run_start(window, moves, at, LOOK_BEHIND)?;
    // A result is shorter than that, so nothing that matters is cut off.
    let end = window.len().min(at + 16);
    let mut tokens = Lexer::in_moves(window.get(..end)?, start, moves);
    let token = tokens.find(|token| token.end > at)?;
    matches!(token.kind, TokenKind::Result(_)).then_some(token.end)
}

#[cfg(test)]
mod tests;
