//! What the lexer and the splitter must see alike: line starts, blank lines, results, words.
//!
//! Every function here looks at a bounded number of bytes before and after its place
//! ([`LOOK_BEHIND`], [`LOOK_AHEAD`]), so that the splitter can answer from a window.

use chessdb_core::Outcome;

use super::glyphs;
use super::signs::{char_length, dash_length, dots, wide_blank};

/// Bytes that a decision may look back at.
pub(super) const LOOK_BEHIND: usize = 64;
/// Bytes that a decision may look ahead at; greater than the longest head of a tag.
pub(super) const LOOK_AHEAD: usize = 384;

/// A byte order mark in UTF-8.
pub(super) const BOM: &[u8] = b"\xEF\xBB\xBF";

/// Space, tab, line feed, vertical tab, form feed, carriage return.
pub(crate) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | 0x09..=0x0D)
}

pub(super) const fn is_break(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// The byte at an index; 0, which no rule gives a meaning, beyond the end.
#[inline(always)]
pub(super) fn byte(bytes: &[u8], at: usize) -> u8 {
    bytes.get(at).copied().unwrap_or(0)
}

/// Everything from an index on.
#[inline(always)]
pub(super) fn from(bytes: &[u8], at: usize) -> &[u8] {
    bytes.get(at..).unwrap_or_default()
}

/// Where the line ends that `at` lies in: the index of its break, or the end of the bytes.
pub(super) fn line_end(bytes: &[u8], at: usize) -> usize {
    memchr::memchr2(b'\n', b'\r', from(bytes, at)).map_or(bytes.len(), |n| at + n)
}

/// The bytes before an index, last one first, as far as one may look back.
pub(super) fn behind(bytes: &[u8], at: usize) -> impl Iterator<Item = u8> + '_ {
    let start = at.saturating_sub(LOOK_BEHIND);
    bytes
        .get(start..at)
        .unwrap_or_default()
        .iter()
        .rev()
        .copied()
}

/// Whether only blanks stand between the start of the line and this place. A byte order mark, as
/// joined files have it between games, is no obstacle, nor is a no-break space.
pub(super) fn at_line_start(bytes: &[u8], at: usize) -> bool {
    let skipped =
        |b: u8| is_blank(b) && !is_break(b) || BOM.contains(&b) || matches!(b, 0xC2 | 0xA0);
    match behind(bytes, at).find(|&b| !skipped(b)) {
        Some(b) => is_break(b),
        None => at == 0,
    }
}

/// Whether a blank line lies between this place and the last byte that is no blank.
pub(crate) fn after_blank_line(bytes: &[u8], at: usize) -> bool {
    let mut breaks = 0;
    let mut next = 0;
    for b in behind(bytes, at).take_while(|&b| is_blank(b)) {
        match b {
            b'\n' => breaks += 1,
            b'\r' if next != b'\n' => breaks += 1,
            _ => {}
        }
        next = b;
    }
    breaks >= 2
}

/// Whether the tag section of a game seems to begin here: `[Event "` at the start of a line after
/// a blank one. It ends a comment that somebody forgot to close.
pub(super) fn is_lost_game_start(bytes: &[u8], at: usize) -> bool {
    from(bytes, at).starts_with(b"[Event \"")
        && at.checked_sub(1).is_some_and(|n| is_break(byte(bytes, n)))
        && after_blank_line(bytes, at)
}

/// Whether the byte may stand in the name of a tag. More than the standard's letters, digits and
/// `_`: whatever could not be taken for something else.
pub(super) const fn is_name_byte(byte: u8) -> bool {
    byte > b' '
        && byte != 0x7F
        && !matches!(
            byte,
            b'"' | b'[' | b']' | b'{' | b'}' | b'(' | b')' | b';' | b'%' | b'\\'
        )
}

/// The longest name of a tag.
pub(super) const LONGEST_NAME: usize = 255;
/// Blanks allowed at each place within a tag.
const TAG_BLANKS: usize = 16;

/// Whether the tag of this name says where the game starts.
pub(crate) fn is_start_tag(name: &[u8]) -> bool {
    // Some files have `[FEN: "…"]`.
    let name = match name {
        [name @ .., b':' | b'='] => name,
        name => name,
    };
    name.eq_ignore_ascii_case(b"FEN")
}

/// The head of a tag: `[`, name, opening quote.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct TagHead {
    pub(super) name_start: usize,
    pub(super) name_end: usize,
    /// Behind the opening quote.
    pub(super) value: usize,
}

/// Blanks without line breaks, at most as many as a tag may have.
fn skip_spaces(bytes: &[u8], at: usize) -> usize {
    let spaces = from(bytes, at).iter().take(TAG_BLANKS);
    at + spaces.take_while(|b| matches!(b, b' ' | b'\t')).count()
}

/// Reads the head of a tag at a `[`, with all blanks and signs that there may be.
pub(super) fn tag_head(bytes: &[u8], at: usize) -> Option<TagHead> {
    let name_start = skip_spaces(bytes, at + 1);
    let name = from(bytes, name_start).iter().take(LONGEST_NAME + 1);
    let length = name.take_while(|&&b| is_name_byte(b)).count();
    let name_end = name_start + length;
    let quote = skip_spaces(bytes, name_end);
    ((1..=LONGEST_NAME).contains(&length) && byte(bytes, quote) == b'"').then_some(TagHead {
        name_start,
        name_end,
        value: quote + 1,
    })
}

/// What is found when the value of a tag is followed one step.
pub(super) enum InValue {
    /// The value goes on here.
    Goes(usize),
    /// The closing quote stands at `quote`, the tag ends at `end`.
    Closed { quote: usize, end: usize },
    /// The line ends before the tag does.
    Broken,
}

/// Where the next byte stands that means something within the value of a tag.
#[inline]
pub(super) fn next_in_value(bytes: &[u8], at: usize) -> usize {
    let rest = from(bytes, at);
    at + rest
        .iter()
        .position(|&b| ends_plain_value(b))
        .unwrap_or(rest.len())
}

/// Whether the byte means something within the value of a tag.
#[expect(
    clippy::indexing_slicing,
    reason = "a table of 256 entries, indexed by bytes"
)]
#[inline(always)]
fn ends_plain_value(byte: u8) -> bool {
    const SIGNS: [bool; 256] = {
        let mut table = [false; 256];
        table[b'"' as usize] = true;
        table[b'\\' as usize] = true;
        table[b'\n' as usize] = true;
        table[b'\r' as usize] = true;
        table
    };
    SIGNS[byte as usize]
}

/// Looks at one byte of a tag's value. A quote closes it only if `]` follows; so quotes that
/// nobody escaped do not cut the value short.
pub(super) fn in_value(bytes: &[u8], at: usize) -> InValue {
    match byte(bytes, at) {
        b'\n' | b'\r' => InValue::Broken,
        b'\\' if !is_break(byte(bytes, at + 1)) => InValue::Goes(at + 2),
        b'"' => {
            let bracket = match byte(bytes, at + 1) {
                b']' => at + 1,
                _ => skip_spaces(bytes, at + 1),
            };
            if byte(bytes, bracket) == b']' {
                InValue::Closed {
                    quote: at,
                    end: bracket + 1,
                }
            } else {
                InValue::Goes(at + 1)
            }
        }
        _ => InValue::Goes(at + 1),
    }
}

/// Whether a byte ends whatever word it follows.
pub(super) const fn is_delimiter(byte: u8) -> bool {
    is_blank(byte)
        || matches!(
            byte,
            b'{' | b'}' | b'(' | b')' | b'[' | b']' | b';' | b'*' | b'"'
        )
}

/// Whether a result may end before this byte.
const fn ends_result(byte: u8) -> bool {
    !byte.is_ascii_alphanumeric() && !matches!(byte, b'-' | b'/')
}

/// Reads a result token: its length and what it says.
pub(crate) fn result_at(bytes: &[u8], at: usize) -> Option<(usize, Outcome)> {
    let rest = from(bytes, at);
    let left = match rest {
        [b'*', ..] => return Some((1, Outcome::Unknown)),
        [b'1', b'/', b'2', ..] => 3,
        [b'0' | b'1' | 0xBD, ..] => 1,
        [0xC2, 0xBD, ..] => 2,
        _ => return None,
    };
    let (word, behind) = rest.split_at_checked(left)?;
    let between = match behind {
        [b':', ..] => 1,
        _ => dash_length(behind),
    };
    let right = from(behind, between);
    let (length, outcome) = match (word, right) {
        _ if between == 0 && word != b"1/2" => return None,
        ([b'1'], [b'0', ..]) => (left + between + 1, Outcome::WhiteWins),
        ([b'0'], [b'1', ..]) => (left + between + 1, Outcome::BlackWins),
        ([b'0' | b'1'], _) => return None,
        _ if between > 0 && right.starts_with(word) => (2 * left + between, Outcome::Draw),
        ([b'1', ..], _) => (left, Outcome::Draw),
        _ => return None,
    };
    ends_result(byte(rest, length)).then_some((length, outcome))
}

/// Behind how many bytes without a boundary a result is none. Less than [`LOOK_BEHIND`], so that the
/// splitter sees from the middle of a result what the lexer sees at its start.
const LONGEST_WORD: usize = LOOK_BEHIND - 16;

/// The length of a result behind that of a game, which no blank line parts from it: it is no game of
/// its own.
pub(super) fn second_result(bytes: &[u8], at: usize) -> Option<usize> {
    let (length, _) = result_at(from(bytes, at), 0)?;
    (!after_blank_line(bytes, at)).then_some(length)
}

/// Where the run of bytes begins that this place is in, if it begins within `look` bytes: behind the
/// last delimiter or wide blank, or where the moves begin. Tokens never cross such a place.
pub(super) fn run_start(
    bytes: &[u8],
    moves: Option<usize>,
    at: usize,
    look: usize,
) -> Option<usize> {
    let earliest = at.saturating_sub(look);
    let start = moves.map_or(earliest, |moves| moves.max(earliest));
    let run = bytes.get(start..at)?;
    for (n, &b) in run.iter().enumerate().rev() {
        let end = n + 1;
        let wide = |length: usize| {
            let first = end.checked_sub(length);
            first.is_some_and(|first| wide_blank(run.get(first..end).unwrap_or_default()) == length)
        };
        if is_delimiter(b) || b >= 0x80 && (wide(2) || wide(3)) {
            return Some(start + end);
        }
    }
    (moves == Some(start)).then_some(start)
}

/// Whether a result may stand at this place among moves that begin at `moves`.
pub(super) fn is_result_place(bytes: &[u8], moves: Option<usize>, at: usize) -> bool {
    run_start(bytes, moves, at, LONGEST_WORD).is_some()
}

/// The length of a word that may be a move: SAN with promotions, captures and dashes of all
/// spellings, check signs included, but no glyph that stands for a NAG.
#[inline]
pub(super) fn word_length(rest: &[u8]) -> usize {
    // Nearly all moves are letters and digits up to a blank.
    let plain = rest.iter().position(|b| !b.is_ascii_alphanumeric());
    match plain {
        None => rest.len(),
        Some(n) if is_blank(byte(rest, n)) => n,
        Some(n) => odd_word_length(rest, n),
    }
}

/// The length of a word whose first `n` bytes are letters and digits.
fn odd_word_length(rest: &[u8], mut n: usize) -> usize {
    loop {
        let b = byte(rest, n);
        let next = byte(rest, n + 1);
        match b {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => n += 1,
            b'+' if !matches!(next, b'-' | b'=' | b'/') && dash_length(from(rest, n + 1)) == 0 => {
                n += 1;
            }
            b'#' | b'@' | b':' => n += 1,
            b'-' if next.is_ascii_alphanumeric() || starts_word(from(rest, n + 1)) => n += 1,
            b'=' | b'/' if is_promotion(next) && !byte(rest, n + 2).is_ascii_alphanumeric() => {
                n += 2;
            }
            b'=' if next == b'('
                && is_promotion(byte(rest, n + 2))
                && byte(rest, n + 3) == b')' =>
            {
                return n + 4;
            }
            // No promotion that is known, and no glyph with a move glued to it.
            b'=' | b'/' if next.is_ascii_alphanumeric() || starts_word(from(rest, n + 1)) => n += 1,
            b'=' if next == b'(' && byte(rest, n + 3) == b')' => return n + 1,
            b'(' if n > 0 && is_promotion_bracket(rest, n) => return n + 3,
            b'.' if next == b'p' && byte(rest, n.wrapping_sub(1)) == b'e' => {
                n += 2;
                return n + usize::from(byte(rest, n) == b'.');
            }
            0x80.. => match wide_length(from(rest, n)) {
                0 => return n,
                length => n += length,
            },
            _ => return n,
        }
    }
}

/// Whether a word can begin, or go on, with the character beyond ASCII that stands here.
fn starts_word(rest: &[u8]) -> bool {
    !byte(rest, 0).is_ascii() && wide_length(rest) > 0
}

/// The length of a character beyond ASCII that belongs to the word it stands in: every one that is
/// no blank, no dots, no glyph, no result and no dash at the end of the word; 0 for those.
pub(super) fn wide_length(rest: &[u8]) -> usize {
    if wide_blank(rest) > 0
        || dots(rest) > 0
        || glyphs::glyph_length(rest) > 0
        || result_at(rest, 0).is_some()
    {
        return 0;
    }
    match dash_length(rest) {
        0 => char_length(rest),
        dash => {
            let next = from(rest, dash);
            let goes_on = byte(next, 0).is_ascii_alphanumeric()
                || !byte(next, 0).is_ascii()
                    && wide_blank(next) == 0
                    && dash_length(next) == 0
                    && result_at(next, 0).is_none();
            if goes_on { dash } else { 0 }
        }
    }
}

const fn is_promotion(byte: u8) -> bool {
    matches!(byte, b'Q' | b'R' | b'B' | b'N' | b'q' | b'r' | b'b' | b'n')
}

/// Whether `(` here is part of a word, as in `e8(Q)`.
pub(super) fn is_promotion_bracket(bytes: &[u8], at: usize) -> bool {
    is_promotion(byte(bytes, at + 1))
        && byte(bytes, at + 2) == b')'
        && at.checked_sub(1).is_some_and(|n| {
            let before = byte(bytes, n);
            before.is_ascii_alphanumeric() || matches!(before, b'+' | b'#' | b'@' | b':')
        })
}

/// The length of a sign in brackets that says nothing but what the move before says anyway.
pub(super) fn bracketed_mark(rest: &[u8]) -> Option<usize> {
    const MARKS: [&[u8]; 8] = [
        b"(e.p.)", b"(e.p)", b"(ep)", b"(+)", b"(++)", b"(#)", b"(ch)", b"(mate)",
    ];
    let mark = MARKS.iter().find(|mark| rest.starts_with(mark))?;
    Some(mark.len())
}

/// Whether a word of punctuation cannot have been a move, nor part of one: what a comment or a tag
/// left behind. Signs that moves, variations and gaps are written with are not among it.
/// Marks of web pages for line breaks are harmless too.
pub(crate) fn is_harmless(word: &[u8]) -> bool {
    if matches!(word, b"<br>" | b"<br/>" | b"<p>" | b"</p>" | b"<hr>") {
        return true;
    }
    word.iter().all(|b| {
        matches!(
            b,
            b'"' | b'}'
                | b']'
                | b','
                | b'\''
                | b'`'
                | b'^'
                | b'|'
                | b'&'
                | b'\\'
                | b'$'
                | b'%'
                | b'!'
                | b'?'
        )
    })
}
