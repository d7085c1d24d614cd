//! Piece letters of other languages (docs/formats/pgn.md, section 5).

use std::borrow::Cow;

use chessdb_core::{Charset, Text};

/// The piece letters of a language, or of several languages that share them.
#[derive(Debug)]
pub(crate) struct Language {
    /// The finding reported for a game that uses these letters.
    pub(crate) note: &'static str,
    /// The letters of king, queen, rook, bishop, knight, and of the pawn if it has one.
    pieces: [&'static str; 6],
}

/// The replacement for each of [`Language::pieces`] in the moves that the core reads. The pawn's
/// figurine is unambiguous; its letter could be a Dutch knight.
const ENGLISH: [&str; 6] = ["K", "Q", "R", "B", "N", "\u{2659}"];

macro_rules! language {
    ($names:literal, $king:literal $queen:literal $rook:literal $bishop:literal $knight:literal $pawn:literal) => {
        Language {
            note: concat!("moves with the piece letters of ", $names),
            pieces: [$king, $queen, $rook, $bishop, $knight, $pawn],
        }
    };
}

/// All languages. The first one has the English letters, plus one for the pawn.
pub(crate) static LANGUAGES: &[Language] = &ALL;

const ALL: [Language; 18] = [
    language!("English, pawns included", "K" "Q" "R" "B" "N" "P"),
    language!("German or the Scandinavian languages", "K" "D" "T" "L" "S" ""),
    language!("Dutch", "K" "D" "T" "L" "P" ""),
    language!("French", "R" "D" "T" "F" "C" ""),
    language!("Spanish, Italian or Catalan", "R" "D" "T" "A" "C" ""),
    language!("Portuguese", "R" "D" "T" "B" "C" ""),
    language!("Russian", "Кр" "Ф" "Л" "С" "К" "п"),
    language!("Ukrainian", "Кр" "Ф" "Т" "С" "К" "п"),
    language!("Bulgarian", "Ц" "Д" "Т" "О" "К" "п"),
    language!("Serbian", "К" "Д" "Т" "Л" "С" "п"),
    language!("Polish", "K" "H" "W" "G" "S" ""),
    language!("Czech or Slovak", "K" "D" "V" "S" "J" ""),
    language!("Hungarian", "K" "V" "B" "F" "H" ""),
    language!("Romanian", "R" "D" "T" "N" "C" ""),
    language!("Finnish", "K" "D" "T" "L" "R" ""),
    language!("Icelandic", "K" "D" "H" "B" "R" ""),
    language!("Estonian", "K" "L" "V" "O" "R" ""),
    language!("Turkish", "Ş" "V" "K" "F" "A" ""),
];

/// Returns the letters of a language that are not English piece letters.
fn foreign_pieces(language: &Language) -> impl Iterator<Item = &'static str> {
    language
        .pieces
        .iter()
        .copied()
        .filter(|piece| !piece.is_empty() && !matches!(*piece, "K" | "Q" | "R" | "B" | "N"))
}

/// The set of languages, as bits, that use an ASCII letter which is not an English piece letter.
#[expect(
    clippy::indexing_slicing,
    reason = "runs at compile time, over 18 languages and bytes"
)]
static OF_LETTER: [u32; 256] = {
    let mut of_letter = [0; 256];
    let mut n = 0;
    while n < ALL.len() {
        let mut piece = 0;
        while piece < ALL[n].pieces.len() {
            if let [letter] = *ALL[n].pieces[piece].as_bytes()
                && !matches!(letter, b'K' | b'Q' | b'R' | b'B' | b'N')
            {
                of_letter[letter as usize] |= 1 << n;
            }
            piece += 1;
        }
        n += 1;
    }
    of_letter
};

/// Returns the set of languages, as bits, that use a letter of this word which is not an English
/// piece letter.
pub(crate) fn of_word(word: &[u8], charset: Charset) -> u32 {
    if !word.is_ascii() {
        return of_wide_word(word, charset);
    }
    // Every move of a piece has a digit.
    if !word.iter().any(u8::is_ascii_digit) {
        return 0;
    }
    let of_letter = |byte: &u8| OF_LETTER.get(usize::from(*byte)).copied();
    word.iter().filter_map(of_letter).fold(0, |a, b| a | b)
}

/// Like [`of_word`], for any word.
fn of_wide_word(word: &[u8], charset: Charset) -> u32 {
    let word = decode(word, charset);
    let mut languages = 0;
    if !word.contains(|c: char| c.is_ascii_digit()) {
        // Castling, or not a move.
        return 0;
    }
    for (n, language) in LANGUAGES.iter().enumerate() {
        if foreign_pieces(language).any(|piece| word.contains(piece)) {
            languages |= 1 << n;
        }
    }
    languages
}

/// Returns the languages of a set.
pub(crate) fn in_set(set: u32) -> impl Iterator<Item = &'static Language> {
    LANGUAGES
        .iter()
        .enumerate()
        .filter(move |(n, _)| set >> n & 1 != 0)
        .map(|(_, language)| language)
}

fn decode(word: &[u8], charset: Charset) -> Cow<'_, str> {
    match std::str::from_utf8(word) {
        Ok(word) => Cow::Borrowed(word),
        Err(_) => Text::new(word, charset).decode(),
    }
}

/// A word translated to English letters.
pub(crate) struct TranslatedWord {
    pub(crate) word: String,
    /// The word with a Latin letter in place of a foreign letter that looks the same, or empty.
    pub(crate) twin: String,
    /// Whether the word has a letter that is not English and not an error. `a8=P` is a Dutch
    /// knight, or a pawn left unpromoted by mistake in English.
    pub(crate) foreign: bool,
}

impl Language {
    /// Translates a move to English letters. `None` if a letter belongs to no piece of this
    /// language.
    pub(crate) fn translate(&self, word: &[u8], charset: Charset) -> Option<TranslatedWord> {
        let word = decode(word, charset);
        let mut translated = TranslatedWord {
            word: String::with_capacity(word.len() + 2),
            twin: String::new(),
            foreign: false,
        };
        let mut rest = &*word;
        let castles = matches!(word.as_bytes(), [b'O' | b'o' | b'0', second, ..]
            if !second.is_ascii_alphanumeric() || matches!(second, b'O' | b'o' | b'0'));
        if castles || word.starts_with(['Z', '@', '-']) {
            translated.word.push_str(rest);
            return Some(translated);
        }
        if let Some(tail) = self.piece(rest, &mut translated) {
            if let Some(tail) = rest.strip_prefix('К') {
                translated.twin = format!("K{tail}");
            }
            rest = tail;
        } else if rest.starts_with(|c: char| !is_square(c) && !is_sign(c)) {
            return None;
        }
        let target = rest.rfind(|c: char| c.is_ascii_digit())?;
        let (squares, tail) = rest.split_at_checked(target + 1)?;
        if squares.contains(|c: char| !is_square(c) && !is_sign(c) && !matches!(c, 'x' | 'X' | ':'))
        {
            return None;
        }
        translated.word.push_str(squares);
        rest = tail;
        if ["e", "ch", "mate"]
            .iter()
            .any(|word| rest.starts_with(word))
        {
            translated.word.push_str(rest);
            return Some(translated);
        }
        while let Some(first) = rest.chars().next() {
            let tail = rest.get(first.len_utf8()..).unwrap_or_default();
            if matches!(first, '=' | '/' | '(' | ')' | '+' | '#') || is_sign(first) {
                translated.word.push(first);
                rest = tail;
            } else {
                let shown = translated.foreign;
                rest = self.piece(rest, &mut translated)?;
                if first == 'P' {
                    translated.foreign = shown;
                }
            }
        }
        Some(translated)
    }

    /// Strips the letters of a piece from the front.
    fn piece<'w>(&self, rest: &'w str, translated: &mut TranslatedWord) -> Option<&'w str> {
        // Two-letter kings come before knights that share the first letter.
        let pieces = self.pieces.iter().zip(ENGLISH);
        let (piece, english, tail) = pieces
            .filter(|(piece, _)| !piece.is_empty())
            .find_map(|(piece, english)| Some((*piece, english, rest.strip_prefix(piece)?)))?;
        translated.foreign |= foreign_pieces(self).any(|foreign| foreign == piece);
        translated.word.push_str(english);
        Some(tail)
    }
}

/// Returns whether the character can name a file or a rank.
const fn is_square(c: char) -> bool {
    matches!(c, 'a'..='h' | '1'..='8')
}

/// Returns whether this is a figurine, dash or similar sign, which the core replaces.
fn is_sign(c: char) -> bool {
    let mut room = [0; 4];
    c == '-'
        || matches!(c, '\u{FE0E}' | '\u{FE0F}')
        || chessdb_core::rules::move_sign(c.encode_utf8(&mut room).as_bytes()).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares the byte-wise implementation with the word-wise one.
    #[test]
    fn ascii_and_wide_words_name_same_languages() {
        assert_eq!(LANGUAGES.len(), ALL.len());
        let letters = (b' '..0x7F).map(|letter| vec![letter, b'4']);
        let pairs = (b'A'..=b'Z').flat_map(|a| (b'A'..=b'Z').map(move |b| vec![b'1', a, b]));
        let words = letters
            .chain(pairs)
            .chain([b"O-O".to_vec(), b"Sxy".to_vec(), Vec::new()]);
        for word in words {
            let plain = of_wide_word(&word, Charset::WINDOWS_1252);
            assert_eq!(
                of_word(&word, Charset::WINDOWS_1252),
                plain,
                "{}",
                word.escape_ascii()
            );
        }
    }

    fn translated(language: &str, word: &str) -> Option<(String, bool)> {
        let mut all = LANGUAGES.iter();
        let language = all.find(|l| l.note.contains(language)).unwrap();
        let translated = language.translate(word.as_bytes(), Charset::UTF_8)?;
        Some((translated.word, translated.foreign))
    }

    #[test]
    fn moves_in_other_languages() {
        for (language, word, english, foreign) in [
            ("German", "Sf3", "Nf3", true),
            ("German", "Kxe2+", "Kxe2+", false),
            ("German", "e8=D", "e8=Q", true),
            ("German", "exd8(T)#", "exd8(R)#", true),
            ("German", "Lg1–f3", "Bg1–f3", true),
            ("German", "O-O", "O-O", false),
            ("German", "♘f3", "♘f3", false),
            ("Dutch", "Pf3", "Nf3", true),
            ("Dutch", "gxh8=P", "gxh8=N", false),
            ("French", "Rd1", "Kd1", false),
            ("Russian", "Крg1", "Kg1", true),
            ("Russian", "Кg1", "Ng1", true),
            ("Russian", "пe4", "♙e4", true),
            ("Russian", "Лa8×b8", "Ra8×b8", true),
            ("Russian", "e8Ф", "e8Q", true),
            ("English", "Pe4", "♙e4", true),
            ("Estonian", "Od4", "Bd4", true),
            ("Estonian", "O–O", "O–O", false),
            ("German", "exd6e.p.", "exd6e.p.", false),
        ] {
            let expected = Some((english.to_owned(), foreign));
            assert_eq!(translated(language, word), expected, "{language} {word}");
        }
        for (language, word) in [
            ("German", "Nf3"),
            ("German", "e8=Q"),
            ("German", "sf3"),
            ("Russian", "Кс6"),
            ("German", "Sf"),
            ("French", "Ωd1"),
            ("French", "Cf３"),
        ] {
            assert_eq!(translated(language, word), None, "{language} {word}");
        }
    }

    #[test]
    fn words_name_their_languages() {
        let names = |word: &[u8], charset| -> Vec<&str> {
            let found = in_set(of_word(word, charset));
            found.map(|language| language.note).collect()
        };
        assert_eq!(names(b"Jf3", Charset::UTF_8).len(), 1);
        assert_eq!(names(b"Nf3", Charset::UTF_8).len(), 0);
        assert_eq!(names("Фd4".as_bytes(), Charset::UTF_8).len(), 2);
        assert_eq!(names(b"\xD4d4", Charset::WINDOWS_1251).len(), 2);
        assert_eq!(names(b"\xD4d4", Charset::WINDOWS_1252).len(), 0);
        assert!(LANGUAGES.len() <= 32);
    }

    #[test]
    fn piece_letters_are_unambiguous() {
        for language in LANGUAGES {
            for (n, piece) in language.pieces.iter().enumerate() {
                for later in language.pieces.iter().skip(n + 1) {
                    assert!(
                        later.is_empty() || !later.starts_with(piece),
                        "{language:?}"
                    );
                }
            }
        }
    }
}
