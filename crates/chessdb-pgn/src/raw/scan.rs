//! Functions on which the lexer and the splitter must agree: line starts, blank lines, results,
//! words.
//!
//! Every function here examines a limited number of bytes before and after its position
//! ([`LOOK_BEHIND`], [`LOOK_AHEAD`]), so that the splitter can decide from a window.

use chessdb_core::Outcome;

use super::glyphs;
use super::signs::{char_length, dash_length, dots, wide_blank};

/// The number of bytes that a decision may look back.
pub(super) const LOOK_BEHIND: usize = 64;
/// The number of bytes that a decision may look ahead; greater than the longest tag head.
pub(super) const LOOK_AHEAD: usize = 384;

/// The byte order mark in UTF-8.
pub(super) const BOM: &[u8] = b"\xEF\xBB\xBF";

/// Returns whether the byte is a space, tab, line feed, vertical tab, form feed or carriage return.
pub(crate) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | 0x09..=0x0D)
}

pub(super) const fn is_break(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// Returns the byte at an index. Beyond the end it is 0, which has no meaning in any rule.
#[inline(always)]
pub(super) fn byte(bytes: &[u8], index: usize) -> u8 {
    bytes.get(index).copied().unwrap_or(0)
}

/// Returns all bytes from an index on.
#[inline(always)]
pub(super) fn from(bytes: &[u8], index: usize) -> &[u8] {
    bytes.get(index..).unwrap_or_default()
}

/// Returns the end of the line that contains `index`: the index of its break, or of the end of the
/// bytes.
pub(super) fn line_end(bytes: &[u8], index: usize) -> usize {
    memchr::memchr2(b'\n', b'\r', from(bytes, index)).map_or(bytes.len(), |n| index + n)
}

/// Returns the bytes before an index, last one first, up to [`LOOK_BEHIND`] of them.
pub(super) fn bytes_before(bytes: &[u8], index: usize) -> impl Iterator<Item = u8> + '_ {
    let start = index.saturating_sub(LOOK_BEHIND);
    bytes
        .get(start..index)
        .unwrap_or_default()
        .iter()
        .rev()
        .copied()
}

/// Returns whether only blanks are between the start of the line and this position. Byte order
/// marks, which joined files contain between games, and no-break spaces count as blanks.
pub(super) fn at_line_start(bytes: &[u8], index: usize) -> bool {
    let skipped =
        |b: u8| is_blank(b) && !is_break(b) || BOM.contains(&b) || matches!(b, 0xC2 | 0xA0);
    match bytes_before(bytes, index).find(|&b| !skipped(b)) {
        Some(b) => is_break(b),
        None => index == 0,
    }
}

/// Returns whether a blank line is between this position and the last byte that is not a blank.
pub(crate) fn after_blank_line(bytes: &[u8], index: usize) -> bool {
    let mut breaks = 0;
    let mut next = 0;
    for b in bytes_before(bytes, index).take_while(|&b| is_blank(b)) {
        match b {
            b'\n' => breaks += 1,
            b'\r' if next != b'\n' => breaks += 1,
            _ => {}
        }
        next = b;
    }
    breaks >= 2
}

/// Returns whether the tag section of a game seems to begin here: `[Event "` at the start of a line
/// after a blank one. It ends an unclosed comment.
pub(super) fn is_lost_game_start(bytes: &[u8], index: usize) -> bool {
    from(bytes, index).starts_with(b"[Event \"")
        && index
            .checked_sub(1)
            .is_some_and(|n| is_break(byte(bytes, n)))
        && after_blank_line(bytes, index)
}

/// Returns whether the byte may be part of a tag name. Accepts more than the standard's letters,
/// digits and `_`: everything that is not ambiguous.
pub(super) const fn is_name_byte(byte: u8) -> bool {
    byte > b' '
        && byte != 0x7F
        && !matches!(
            byte,
            b'"' | b'[' | b']' | b'{' | b'}' | b'(' | b')' | b';' | b'%' | b'\\'
        )
}

/// The largest length of a tag name.
pub(super) const LONGEST_NAME: usize = 255;
/// The number of blanks allowed at each place within a tag.
const TAG_BLANKS: usize = 16;

/// Returns whether a tag of this name contains the start position.
#[inline]
pub(crate) fn is_start_tag(name: &[u8]) -> bool {
    // Some files contain `[FEN: "…"]`.
    matches!(
        name,
        [b'F' | b'f', b'E' | b'e', b'N' | b'n']
            | [b'F' | b'f', b'E' | b'e', b'N' | b'n', b':' | b'=']
    )
}

/// The head of a tag: `[`, name, opening quote.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct TagHead {
    pub(super) name_start: usize,
    pub(super) name_end: usize,
    /// The offset after the opening quote.
    pub(super) value: usize,
}

/// Skips blanks other than line breaks, up to [`TAG_BLANKS`].
fn skip_spaces(bytes: &[u8], index: usize) -> usize {
    let spaces = from(bytes, index).iter().take(TAG_BLANKS);
    index + spaces.take_while(|b| matches!(b, b' ' | b'\t')).count()
}

/// Reads the head of a tag at a `[`, with all permitted blanks and signs.
pub(super) fn tag_head(bytes: &[u8], index: usize) -> Option<TagHead> {
    let name_start = skip_spaces(bytes, index + 1);
    // One more byte shows that a name is too long.
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

/// The result of one step through a tag's value.
pub(super) enum InValue {
    /// The value continues here.
    Continues(usize),
    /// The closing quote is at `quote`, and the tag ends at `end`.
    Closed { quote: usize, end: usize },
    /// The line ends before the tag.
    Broken,
}

/// Returns the offset of the next significant byte within a tag's value.
#[inline]
pub(super) fn next_in_value(bytes: &[u8], index: usize) -> usize {
    let rest = from(bytes, index);
    index
        + rest
            .iter()
            .position(|&b| ends_plain_value(b))
            .unwrap_or(rest.len())
}

/// Returns whether the byte is significant within a tag's value.
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

/// Examines one byte of a tag's value. A quote closes the value only if `]` follows, so that
/// unescaped quotes do not cut it short.
pub(super) fn in_value(bytes: &[u8], index: usize) -> InValue {
    match byte(bytes, index) {
        b'\n' | b'\r' => InValue::Broken,
        // At the end of a line a backslash escapes nothing.
        b'\\' if !is_break(byte(bytes, index + 1)) => InValue::Continues(index + 2),
        b'"' => {
            let bracket = match byte(bytes, index + 1) {
                b']' => index + 1,
                _ => skip_spaces(bytes, index + 1),
            };
            if byte(bytes, bracket) == b']' {
                InValue::Closed {
                    quote: index,
                    end: bracket + 1,
                }
            } else {
                InValue::Continues(index + 1)
            }
        }
        _ => InValue::Continues(index + 1),
    }
}

/// Returns whether a byte ends any word that it follows.
pub(super) const fn is_delimiter(byte: u8) -> bool {
    is_blank(byte)
        || matches!(
            byte,
            b'{' | b'}' | b'(' | b')' | b'[' | b']' | b';' | b'*' | b'"'
        )
}

/// Returns whether a result may end before this byte.
const fn ends_result(byte: u8) -> bool {
    !byte.is_ascii_alphanumeric() && !matches!(byte, b'-' | b'/')
}

/// Reads a result token and returns its length and value.
pub(crate) fn result_at(bytes: &[u8], index: usize) -> Option<(usize, Outcome)> {
    let rest = from(bytes, index);
    let left = match rest {
        [b'*', ..] => return Some((1, Outcome::Unknown)),
        [b'1', b'/', b'2', ..] => 3,
        [b'0' | b'1' | 0xBD, ..] => 1,
        [0xC2, 0xBD, ..] => 2,
        _ => return None,
    };
    let (word, after) = rest.split_at_checked(left)?;
    let between = match after {
        [b':', ..] => 1,
        _ => dash_length(after),
    };
    let right = from(after, between);
    let (length, outcome) = match (word, right) {
        // Only a half needs no second side.
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

/// The number of bytes without a boundary after which a result is not recognized. It is less than
/// [`LOOK_BEHIND`], so that the splitter in the middle of a result decides like the lexer at its
/// start.
const LONGEST_WORD: usize = LOOK_BEHIND - 16;

/// Returns the length of a second result after the result of a game, without a blank line between
/// them. It does not belong to a separate game.
pub(super) fn second_result(bytes: &[u8], index: usize) -> Option<usize> {
    let (length, _) = result_at(from(bytes, index), 0)?;
    (!after_blank_line(bytes, index)).then_some(length)
}

/// Returns where the run of bytes that contains this position begins, if within `look` bytes: after
/// the last delimiter or wide blank, or where the moves begin. Tokens never cross such a position.
pub(super) fn run_start(
    // `+-`, `+=` and `+/-` are glyphs.
    bytes: &[u8],
    moves: Option<usize>,
    index: usize,
    look: usize,
) -> Option<usize> {
    let earliest = index.saturating_sub(look);
    let start = moves.map_or(earliest, |moves| moves.max(earliest));
    let run = bytes.get(start..index)?;
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

/// Returns whether a result may occur at this position among moves that begin at `moves`.
pub(super) fn is_result_place(bytes: &[u8], moves: Option<usize>, index: usize) -> bool {
    run_start(bytes, moves, index, LONGEST_WORD).is_some()
}

/// Returns the length of a word that may be a move: SAN with all spellings of promotions, captures
/// and dashes, including check signs, but without a glyph for a NAG.
#[inline]
pub(super) fn word_length(rest: &[u8]) -> usize {
    // Nearly all moves are letters and digits up to a blank.
    let plain = rest.iter().position(|b| !b.is_ascii_alphanumeric());
    match plain {
        None => rest.len(),
        Some(n) if is_blank(byte(rest, n)) => n,
        Some(n) => general_word_length(rest, n),
    }
}

/// Returns the length of a word with `n` letters and digits at its start.
fn general_word_length(rest: &[u8], mut n: usize) -> usize {
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
            // Not a known promotion, and not a glyph with a move attached to it.
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

/// Returns whether a word can begin or continue with the non-ASCII character at this position.
fn starts_word(rest: &[u8]) -> bool {
    !byte(rest, 0).is_ascii() && wide_length(rest) > 0
}

/// Returns the length of a non-ASCII character that belongs to a word: any except blanks, dots,
/// glyphs, results and a dash at the end of the word, for which it returns 0.
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

/// Returns whether the `(` here is part of a word, as in `e8(Q)`.
pub(super) fn is_promotion_bracket(bytes: &[u8], index: usize) -> bool {
    is_promotion(byte(bytes, index + 1))
        && byte(bytes, index + 2) == b')'
        && index.checked_sub(1).is_some_and(|n| {
            let before = byte(bytes, n);
            before.is_ascii_alphanumeric() || matches!(before, b'+' | b'#' | b'@' | b':')
        })
}

/// Returns the length of a sign in parentheses that adds nothing to the preceding move.
pub(super) fn bracketed_mark(rest: &[u8]) -> Option<usize> {
    const MARKS: [&[u8]; 8] = [
        b"(e.p.)", b"(e.p)", b"(ep)", b"(+)", b"(++)", b"(#)", b"(ch)", b"(mate)",
    ];
    let mark = MARKS.iter().find(|mark| rest.starts_with(mark))?;
    Some(mark.len())
}

/// Returns whether a word of punctuation cannot have been a move or part of one: remains of a
/// comment or tag. Excludes signs used in moves, variations and gaps. HTML tags for line breaks are
/// harmless too.
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
