//! What the lexer and the splitter must see alike: line starts, blank lines, results, words.
//!
//! Every function here looks at a bounded number of bytes before and after its place
//! ([`LOOK_BEHIND`], [`LOOK_AHEAD`]), so that the splitter can answer from a window.

use chessdb_core::Outcome;

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
fn behind(bytes: &[u8], at: usize) -> impl Iterator<Item = u8> + '_ {
    let start = at.saturating_sub(LOOK_BEHIND);
    bytes
        .get(start..at)
        .unwrap_or_default()
        .iter()
        .rev()
        .copied()
}

/// Whether only blanks stand between the start of the line and this place. A byte order mark, as
/// joined files have it between games, is no obstacle.
pub(super) fn at_line_start(bytes: &[u8], at: usize) -> bool {
    let skipped = |b: u8| is_blank(b) && !is_break(b) || BOM.contains(&b);
    match behind(bytes, at).find(|&b| !skipped(b)) {
        Some(b) => is_break(b),
        None => at == 0,
    }
}

/// Whether a blank line lies between this place and the last byte that is no blank.
pub(super) fn after_blank_line(bytes: &[u8], at: usize) -> bool {
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

/// The head of a tag: `[`, name, opening quote.
#[derive(Clone, Copy, Debug)]
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

/// Reads the head of a tag at a `[`.
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
    let plain = |b: &u8| !matches!(b, b'"' | b'\\' | b'\n' | b'\r');
    let length = from(bytes, at).iter().take_while(|b| plain(b)).count();
    at + length
}

/// Looks at one byte of a tag's value. A quote closes it only if `]` follows; so quotes that
/// nobody escaped do not cut the value short.
pub(super) fn in_value(bytes: &[u8], at: usize) -> InValue {
    match byte(bytes, at) {
        b'\n' | b'\r' => InValue::Broken,
        b'\\' if !is_break(byte(bytes, at + 1)) => InValue::Goes(at + 2),
        b'"' => {
            let bracket = skip_spaces(bytes, at + 1);
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
    let (length, outcome) = match rest {
        [b'*', ..] => return Some((1, Outcome::Unknown)),
        [b'1', b'-' | b':', b'0', ..] => (3, Outcome::WhiteWins),
        [b'0', b'-' | b':', b'1', ..] => (3, Outcome::BlackWins),
        [b'1', b'/', b'2', b'-', b'1', b'/', b'2', ..] => (7, Outcome::Draw),
        [b'1', b'/', b'2', ..] => (3, Outcome::Draw),
        [0xC2, 0xBD, b'-', 0xC2, 0xBD, ..] => (5, Outcome::Draw),
        [0xBD, b'-', 0xBD, ..] => (3, Outcome::Draw),
        _ => return None,
    };
    ends_result(byte(rest, length)).then_some((length, outcome))
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
            b'+' if !matches!(next, b'-' | b'=' | b'/') => n += 1,
            b'#' | b'@' | b':' => n += 1,
            b'-' if next.is_ascii_alphanumeric() => n += 1,
            b'=' | b'/' if is_promotion(next) && !byte(rest, n + 2).is_ascii_alphanumeric() => {
                n += 2;
            }
            b'=' if next == b'('
                && is_promotion(byte(rest, n + 2))
                && byte(rest, n + 3) == b')' =>
            {
                return n + 4;
            }
            b'(' if n > 0 && is_promotion(next) && byte(rest, n + 2) == b')' => return n + 3,
            b'.' if next == b'p' && byte(rest, n.wrapping_sub(1)) == b'e' => {
                n += 2;
                return n + usize::from(byte(rest, n) == b'.');
            }
            _ => return n,
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

/// Whether a word looks like a move in some notation, whatever the position.
fn looks_like_move(word: &[u8]) -> bool {
    let mut word = word;
    while let [rest @ .., b'+' | b'#'] = word {
        word = rest;
    }
    match word {
        b"Z0" | b"z0" | b"null" | b"NULL" | b"Null" | b"0000" | b"@@@@" => return true,
        [b'O' | b'o' | b'0', b'-', b'O' | b'o' | b'0', ..] | b"OO" | b"OOO" => return true,
        _ => {}
    }
    let known = |&b: &u8| {
        matches!(b, b'a'..=b'h' | b'1'..=b'8' | b'x' | b'X' | b'-' | b':' | b'=' | b'/' | b'(' | b')' | b'.')
            || matches!(
                b.to_ascii_uppercase(),
                b'K' | b'Q' | b'R' | b'B' | b'N' | b'P'
            )
    };
    (2..=12).contains(&word.len())
        && word.iter().all(known)
        && word
            .windows(2)
            .any(|pair| matches!(pair, [b'a'..=b'h', b'1'..=b'8']))
}

/// Whether moves seem to begin here. Asked where no tag has announced a game, so prose must not
/// pass: a move number needs a move behind it, a word must look like a move.
pub(super) fn starts_moves(bytes: &[u8], at: usize) -> bool {
    let mut rest = from(bytes, at);
    rest = rest.get(..LOOK_AHEAD / 2).unwrap_or(rest);
    while let [b'(' | b' ' | b'\t', tail @ ..] = rest {
        rest = tail;
    }
    if let Some((length, outcome)) = result_at(rest, 0) {
        return outcome != Outcome::Unknown
            || matches!(byte(rest, length), 0 | b'{' | b'[' | b';')
            || is_blank(byte(rest, length));
    }
    if rest.starts_with(b"--") || matches!(rest, [b'$', b'0'..=b'9', ..]) {
        return true;
    }
    let word = |rest: &[u8]| looks_like_move(rest.get(..word_length(rest)).unwrap_or_default());
    let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    if digits == 0 || digits > 4 {
        return word(rest);
    }
    let after = from(rest, digits);
    let skipped = after
        .iter()
        .take_while(|&&b| b == b'.' || is_blank(b))
        .count();
    let dotted = after.first() == Some(&b'.');
    let next = from(after, skipped);
    word(rest)
        || word(next)
        || next.starts_with(b"--")
        || result_at(next, 0).is_some()
        || dotted && matches!(byte(next, 0), 0 | b'{' | b'(' | b'$' | b';')
}
