//! Moves with piece letters beyond ASCII: `Кd4`, `Крg1`, `Ф:e5`, `e8Ф` (docs/encodings.md, section
//! 2).
//!
//! Such a token mixes two scripts and contains no word of a language. It is scored only by the
//! piece letters of the languages. It contains a digit, which no other token does.

use std::ops::Range;

/// Returns the token of a move if the bytes `range` of the text are its letters.
pub(super) fn move_at(text: &[u8], range: Range<usize>) -> Option<&[u8]> {
    let token = text.get(range.clone())?;
    let piece = piece(token);
    if !(1..=4).contains(&piece.len()) || piece.len() > 2 && std::str::from_utf8(piece).is_err() {
        return None;
    }
    let after = text.get(range.start + piece.len()..)?;
    if let Some(length) = squares(after) {
        return text.get(range.start..range.start + piece.len() + length);
    }
    // A promotion: the piece is the whole token.
    let before = text.get(..range.start)?;
    let (equals, before) = match before {
        [before @ .., b'='] => (1, before),
        before => (0, before),
    };
    match before {
        [.., b'a'..=b'h', b'1' | b'8'] if piece.len() == token.len() => {
            text.get(range.start - equals - 1..range.end)
        }
        _ => None,
    }
}

/// Returns the form in which the token is kept: the same for all moves of a piece.
pub(super) fn normalized(token: &[u8]) -> Box<[u8]> {
    if !is_move(token) {
        return Box::from(token);
    }
    let from_piece = token.iter().copied().skip_while(u8::is_ascii);
    from_piece
        .take_while(|byte| !byte.is_ascii())
        .chain([b'1'])
        .collect()
}

/// Returns whether the token is a move.
pub(super) fn is_move(token: &[u8]) -> bool {
    token.iter().any(u8::is_ascii_digit)
}

/// Returns the bytes from 0x80 at the beginning.
fn piece(token: &[u8]) -> &[u8] {
    let end = token.iter().position(u8::is_ascii);
    token.get(..end.unwrap_or(token.len())).unwrap_or_default()
}

/// Returns the length of the part of a move after the piece letter, up to the digit that confirms
/// the move.
fn squares(after: &[u8]) -> Option<usize> {
    let rank = |byte: &u8| matches!(byte, b'1'..=b'8');
    let file = |byte: &u8| matches!(byte, b'a'..=b'h');
    let is_sign = |byte: &u8| matches!(byte, b'x' | b':' | b'-');
    let is = |index: usize, test: &dyn Fn(&u8) -> bool| after.get(index).is_some_and(test);
    let mut length = usize::from(is(0, &is_sign));
    // The origin of the piece, unless this is the target square itself.
    if is(length, &rank) || is(length, &file) && !is(length + 1, &rank) {
        length += 1;
        length += usize::from(is(length, &is_sign));
    }
    (is(length, &file) && is(length + 1, &rank)).then_some(length + 2)
}

/// Returns how much the letters of a piece support the code page in which they are read.
pub(super) fn score_piece(letters: impl Iterator<Item = char> + Clone) -> f32 {
    let mut rest = letters.clone();
    let first = rest.next().unwrap_or_default();
    match (first, rest.next(), rest.next()) {
        ('К', Some('р' | 'Р'), None) | ('מ', Some('ה'), None) | ('♔'..='♟', None, _) => {
            KNOWN_PIECE_SCORE
        }
        // Russian, Ukrainian, Bulgarian, Serbian.
        ('К' | 'Ф' | 'Л' | 'С' | 'Т' | 'Д' | 'Ц' | 'О' | 'П', None, _) => {
            KNOWN_PIECE_SCORE
        }
        // Greek, Hebrew, Turkish, Lithuanian, Esperanto.
        ('Ρ' | 'Β' | 'Π' | 'Α' | 'Ι', None, _) => KNOWN_PIECE_SCORE,
        ('מ' | 'צ' | 'ר' | 'פ' | 'Ş' | 'Ž' | 'Ĉ', None, _) => KNOWN_PIECE_SCORE,
        ('п', None, _) => PAWN_SCORE,
        _ => letters.map(unknown_letter_score).sum(),
    }
}

const KNOWN_PIECE_SCORE: f32 = -2.0;
/// Pawns mostly have no letter.
const PAWN_SCORE: f32 = -4.0;

fn unknown_letter_score(letter: char) -> f32 {
    match letter {
        '\u{80}'..='\u{9F}' | '\u{2500}'..='\u{259F}' | char::REPLACEMENT_CHARACTER => -20.0,
        c if c.is_uppercase() => -9.0,
        c if c.is_alphabetic() => -11.0,
        _ => -13.0,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tokens;
    use super::*;
    use crate::{Charset, Text};

    fn normalized_tokens(text: &str, page: Charset) -> Vec<String> {
        let mut bytes = Vec::new();
        page.encode_strict(text, &mut bytes).unwrap();
        let normal = tokens(&bytes).map(normalized);
        normal
            .map(|token| Text::new(&token, page).decode().into_owned())
            .collect()
    }

    #[test]
    fn normalized_moves_have_one_token_per_piece() {
        for page in [Charset::WINDOWS_1251, Charset::IBM866, Charset::UTF_8] {
            for (text, expected) in [
                ("и Фb8 с матом", &["и", "Ф1", "с", "матом"][..]),
                (
                    "Крg1 Кр:f2 Кbd7 К1d2 Лf1-e1",
                    &["Кр1", "Кр1", "К1", "К1", "Л1"],
                ),
                ("Ф:e5 Фxe5 Ф-h5 Лaxd1", &["Ф1", "Ф1", "Ф1", "Л1"]),
                ("e8Ф, dxe8=Ф+", &["Ф1", "Ф1"]),
                ("Каспаров 4", &["Каспаров"]),
                ("в d4", &["в"]),
                ("Caж Ки", &["Caж", "Ки"]),
            ] {
                assert_eq!(normalized_tokens(text, page), expected, "{text} {page}");
            }
        }
        let french = normalized_tokens("Ça va, là d4, naïve", Charset::WINDOWS_1252);
        assert_eq!(french, ["Ça", "là", "naïve"]);
        assert_eq!(normalized_tokens("♘f3 ♗xe5", Charset::UTF_8), ["♘1", "♗1"]);
    }
}
