//! Positions as people paste them: a FEN, with blanks or underscores, or an address of a web page
//! that contains one.

use std::borrow::Cow;

use super::Fault;

/// The fields of a FEN after the board: side to move, castling rights, en passant, two counters.
pub(super) const FEN_FIELDS: [fn(&str) -> bool; 5] = [
    |word| matches!(word, "w" | "b"),
    is_castling,
    is_en_passant,
    is_counter,
    is_counter,
];

/// Castling rights as `KQkq`, or by the files of the rooks as `HAha`.
fn is_castling(word: &str) -> bool {
    let black = word.trim_start_matches(|c: char| matches!(c, 'A'..='H'));
    let is_files = word.len() - black.len() <= 2
        && black.len() <= 2
        && black.bytes().all(|byte| matches!(byte, b'a'..=b'h'));
    word == "-" || word.len() <= 4 && word.bytes().all(|byte| b"KQkq".contains(&byte)) || is_files
}

fn is_en_passant(word: &str) -> bool {
    matches!(word.as_bytes(), b"-" | [b'a'..=b'h', b'3' | b'6'])
}

fn is_counter(word: &str) -> bool {
    word.len() <= 5 && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// The number of slashes from which a word of pieces and digits is a board, so that an incomplete
/// board is reported and not searched as a name.
const LEAST_SLASHES: usize = 3;

/// Returns whether a word is written like the board of a FEN, complete or not.
pub(super) fn is_board(word: &str) -> bool {
    let is_square = |byte: u8| byte.is_ascii_digit() || b"pnbrqkPNBRQK".contains(&byte);
    word.bytes().filter(|&byte| byte == b'/').count() >= LEAST_SLASHES
        && word.bytes().next().is_some_and(is_square)
        && word.bytes().all(|byte| byte == b'/' || is_square(byte))
}

/// Returns whether a word begins a position: a board, a FEN with underscores, or the address of a
/// web page.
pub(crate) fn is_position(word: &str) -> bool {
    let board = word.split(['_', '\u{A0}']).next().unwrap_or_default();
    is_board(board) || is_address(word)
}

fn is_address(word: &str) -> bool {
    let begins = |start: &str| {
        word.get(..start.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(start))
    };
    begins("https://")
        || begins("http://")
        || [
            "lichess.org/",
            "www.lichess.org/",
            "chess.com/",
            "www.chess.com/",
        ]
        .into_iter()
        .any(begins)
}

/// Returns the FEN of a position in any of its spellings. Other texts are returned unchanged.
pub(crate) fn fen_of(text: &str) -> Result<Cow<'_, str>, Fault> {
    if is_address(text) {
        let fen = fen_in_address(text).ok_or(
            "this address contains no position; expected one such as \
             https://lichess.org/analysis/FEN, or a FEN",
        )?;
        return Ok(Cow::Owned(fen));
    }
    if text.contains(['_', '\u{A0}']) && is_position(text) {
        Ok(Cow::Owned(text.replace(['_', '\u{A0}'], " ")))
    } else {
        Ok(Cow::Borrowed(text))
    }
}

/// Returns the first board of an address with the fields after it.
fn fen_in_address(address: &str) -> Option<String> {
    let mut text = address.to_owned();
    // Addresses inside addresses are encoded twice.
    for _ in 0..2 {
        text = percent_decoded(&text);
    }
    let plain = text.replace(['_', '+'], " ");
    let is_end = |c: char| matches!(c, '?' | '#' | '&' | '=' | ';');
    let segments: Vec<&str> = plain.split('/').collect();
    segments.windows(8).find_map(|ranks| {
        let [first, middle @ .., last] = ranks else {
            return None;
        };
        // Parameters may be before and after the position.
        let first = first.rsplit(is_end).next().unwrap_or_default();
        let last = last.split(is_end).next().unwrap_or_default();
        let mut fields = last.split_whitespace();
        let last = fields.next().unwrap_or_default();
        let ranks: Vec<&str> = [first.trim()]
            .into_iter()
            .chain(middle.iter().copied())
            .chain([last])
            .collect();
        if !ranks.iter().all(|rank| is_rank(rank)) {
            return None;
        }
        let mut fen = ranks.join("/");
        for (_, field) in FEN_FIELDS
            .iter()
            .zip(fields)
            .take_while(|(fits, field)| fits(field))
        {
            fen.push(' ');
            fen.push_str(field);
        }
        Some(fen)
    })
}

fn is_rank(text: &str) -> bool {
    let width = |byte: u8| match byte {
        b'1'..=b'8' => Some(usize::from(byte - b'0')),
        piece => b"pnbrqkPNBRQK".contains(&piece).then_some(1),
    };
    let widths: Option<usize> = text.bytes().map(width).sum();
    widths == Some(8)
}

/// Replaces `%2F` and the like. Sequences that are invalid remain.
fn percent_decoded(text: &str) -> String {
    let mut decoded = Vec::with_capacity(text.len());
    let mut bytes = text.as_bytes();
    while let [byte, rest @ ..] = bytes {
        let digit = |index: usize| {
            rest.get(index)
                .and_then(|&byte| char::from(byte).to_digit(16))
        };
        match (*byte, digit(0), digit(1)) {
            (b'%', Some(high), Some(low)) => {
                decoded.push((high * 16 + low) as u8);
                bytes = rest.get(2..).unwrap_or_default();
            }
            (byte, ..) => {
                decoded.push(byte);
                bytes = rest;
            }
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}
