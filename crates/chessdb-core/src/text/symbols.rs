//! Annotation symbols of ChessBase in windows-1252 comments that are well-formed UTF-8
//! (docs/formats/cbh.md, section 8.4).

use super::Charset;
use super::mixed::UpperHalf;

/// The symbol for a weak point. Together with most other symbols after it, it is the UTF-8 form of
/// a Hebrew letter.
const WEAK_POINT: u8 = 0xD7;

/// Returns whether a text may contain such a pair of symbols.
pub(super) fn may_contain_symbols(text: &[u8], page: Charset) -> bool {
    page == Charset::CHESSBASE_WINDOWS && text.contains(&WEAK_POINT)
}

/// Returns whether a word consists of symbols, alone or in pairs. Words with several Hebrew letters
/// are excluded.
pub(super) fn is_symbol_word(word: &[u8], upper: &UpperHalf) -> bool {
    let is_symbol = |byte: &u8| matches!(*byte, 0x80..=0xBF | WEAK_POINT | 0xF7 | 0xFE);
    let is_hebrew = |run: &[u8]| matches!(run, [WEAK_POINT, 0x90..=0xAA, WEAK_POINT, ..]);
    word.contains(&WEAK_POINT)
        && upper.char(WEAK_POINT) == '×'
        && upper.char(0xA5) == '♗'
        && word.iter().all(is_symbol)
        && !word.windows(4).any(is_hebrew)
}
