//! Single-byte pages that `encoding_rs` does not have: the upper 128 characters of each.
//!
//! The lower half is ASCII in all of them: in texts of databases the bytes 00..1F are control
//! characters, not the pictures that a DOS screen shows for them.

/// The characters for the bytes 80..FF, in order.
pub(crate) type Table = [char; 128];

/// DOS page 437, United States. The dev-dependency `oem_cp` is the test's second opinion.
#[rustfmt::skip]
pub(crate) static CP437: Table = [
    'Ç', 'ü', 'é', 'â', 'ä', 'à', 'å', 'ç', 'ê', 'ë', 'è', 'ï', 'î', 'ì', 'Ä', 'Å',
    'É', 'æ', 'Æ', 'ô', 'ö', 'ò', 'û', 'ù', 'ÿ', 'Ö', 'Ü', '¢', '£', '¥', '₧', 'ƒ',
    'á', 'í', 'ó', 'ú', 'ñ', 'Ñ', 'ª', 'º', '¿', '⌐', '¬', '½', '¼', '¡', '«', '»',
    '░', '▒', '▓', '│', '┤', '╡', '╢', '╖', '╕', '╣', '║', '╗', '╝', '╜', '╛', '┐',
    '└', '┴', '┬', '├', '─', '┼', '╞', '╟', '╚', '╔', '╩', '╦', '╠', '═', '╬', '╧',
    '╨', '╤', '╥', '╙', '╘', '╒', '╓', '╫', '╪', '┘', '┌', '█', '▄', '▌', '▐', '▀',
    'α', 'ß', 'Γ', 'π', 'Σ', 'σ', 'µ', 'τ', 'Φ', 'Θ', 'Ω', 'δ', '∞', 'φ', 'ε', '∩',
    '≡', '±', '≥', '≤', '⌠', '⌡', '÷', '≈', '°', '∙', '·', '√', 'ⁿ', '²', '■', '\u{A0}',
];

/// DOS page 850, Western Europe. The dev-dependency `oem_cp` is the test's second opinion.
#[rustfmt::skip]
pub(crate) static CP850: Table = [
    'Ç', 'ü', 'é', 'â', 'ä', 'à', 'å', 'ç', 'ê', 'ë', 'è', 'ï', 'î', 'ì', 'Ä', 'Å',
    'É', 'æ', 'Æ', 'ô', 'ö', 'ò', 'û', 'ù', 'ÿ', 'Ö', 'Ü', 'ø', '£', 'Ø', '×', 'ƒ',
    'á', 'í', 'ó', 'ú', 'ñ', 'Ñ', 'ª', 'º', '¿', '®', '¬', '½', '¼', '¡', '«', '»',
    '░', '▒', '▓', '│', '┤', 'Á', 'Â', 'À', '©', '╣', '║', '╗', '╝', '¢', '¥', '┐',
    '└', '┴', '┬', '├', '─', '┼', 'ã', 'Ã', '╚', '╔', '╩', '╦', '╠', '═', '╬', '¤',
    'ð', 'Ð', 'Ê', 'Ë', 'È', 'ı', 'Í', 'Î', 'Ï', '┘', '┌', '█', '▄', '¦', 'Ì', '▀',
    'Ó', 'ß', 'Ô', 'Ò', 'õ', 'Õ', 'µ', 'þ', 'Þ', 'Ú', 'Û', 'Ù', 'ý', 'Ý', '¯', '´',
    '\u{AD}', '±', '‗', '¾', '¶', '§', '÷', '¸', '°', '¨', '·', '¹', '³', '²', '■', '\u{A0}',
];

/// ChessBase's page for DOS (docs/formats/cbf.md, sections 6 and 8.3): page 437 up to AF, then
/// fractions, figurines and the signs of annotators, of which only the meaning is known. FE breaks
/// the line, FF ends a comment. Some bytes mean the same as another, [`byte_for`] writes the usual
/// one; unknown bytes are as in page 437.
#[rustfmt::skip]
pub(crate) static CHESSBASE: Table = [
    'Ç', 'ü', 'é', 'â', 'ä', 'à', 'å', 'ç', 'ê', 'ë', 'è', 'ï', 'î', 'ì', 'Ä', 'Å',
    'É', 'æ', 'Æ', 'ô', 'ö', 'ò', 'û', 'ù', 'ÿ', 'Ö', 'Ü', '¢', '£', '¥', 'ß', 'ƒ',
    'á', 'í', 'ó', 'ú', 'ñ', 'Ñ', 'ª', 'º', '¿', '⌐', '¬', '½', '¼', '¡', '«', '»',
    '‖', '♔', '♕', '♘', '♗', '♖', '♙', '¼', '½', '¾', '║', '±', '⩲', '⯹', '∞', '⧝',
    '⩱', '∓', '◫', '◩', '◨', '≥', '≤', '≤', '\u{2002}', '□', '∆', '⟪', '⟫', '⟫', '⟪', '↑',
    '→', '⇆', '⟋', '⊞', '⇔', '⊥', '×', '⊙', '⊕', '♟', '⯺', '⯼', '⯽', '∟', '⌟', '⟳',
    'α', 'ß', 'Γ', 'π', 'Σ', 'σ', 'µ', 'τ', 'Φ', 'Θ', 'Ω', 'δ', '∞', 'φ', 'ε', '∩',
    '≡', '±', '≥', '≤', '⌠', '⌡', '÷', '≈', '•', '∙', '·', '√', 'ⁿ', '²', '\n', '\u{A0}',
];

/// ChessBase's page for comments under Windows (docs/formats/cbh.md, section 8.4): windows-1252 with
/// signs of annotators, written as in [`CHESSBASE`] where both have them; 9E is a diagram. Bytes that
/// windows-1252 leaves undefined are control characters.
#[rustfmt::skip]
pub(crate) static CHESSBASE_WINDOWS: Table = [
    '€', '\u{81}', '→', '↑', '⇆', '∆', '○', '⊙', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8D}', 'Ž', '\u{8F}',
    '⟳', '⇔', '⟋', '⊕', '⊞', '•', '–', '—', '˜', '□', 'š', '›', 'œ', '\u{9D}', '▦', 'Ÿ',
    '\u{A0}', '¡', '♔', '♕', '♘', '♗', '♖', '♙', '¨', '⧝', '∟', '⟪', '⊥', '◫', '◩', '◨',
    '⯹', '±', '⩲', '⩱', '´', '∓', '¶', '·', '¸', '≥', '⌟', '⟫', '¼', '½', '¾', '¿',
    'À', 'Á', 'Â', 'Ã', 'Ä', 'Å', 'Æ', 'Ç', 'È', 'É', 'Ê', 'Ë', 'Ì', 'Í', 'Î', 'Ï',
    'Ð', 'Ñ', 'Ò', 'Ó', 'Ô', 'Õ', 'Ö', '×', 'Ø', 'Ù', 'Ú', 'Û', 'Ü', 'Ý', 'Þ', 'ß',
    'à', 'á', 'â', 'ã', 'ä', 'å', 'æ', 'ç', 'è', 'é', 'ê', 'ë', 'ì', 'í', 'î', 'ï',
    'ð', 'ñ', 'ò', 'ó', 'ô', 'õ', 'ö', '∞', 'ø', 'ù', 'ú', 'û', 'ü', 'ý', '⯽', 'ÿ',
];

/// ISO-8859-1 as the standard has it: each byte is its own code point, 80..9F included.
pub(crate) static LATIN_1: Table = latin_1();

const fn latin_1() -> Table {
    let mut table = ['\0'; 128];
    let mut byte = 0x80u8;
    let mut rest: &mut [char] = &mut table;
    while let Some((first, tail)) = rest.split_first_mut() {
        *first = byte as char;
        byte = byte.wrapping_add(1);
        rest = tail;
    }
    table
}

/// The byte that stands for a character that is not ASCII; of several the first, but of the two of
/// ß, of which the first is Atari's, the one of DOS.
pub(crate) fn byte_for(table: &Table, c: char) -> Option<u8> {
    let mut entries = table.iter();
    let index = match c {
        'ß' => entries.rposition(|&entry| entry == c)?,
        _ => entries.position(|&entry| entry == c)?,
    };
    u8::try_from(index + 0x80).ok()
}

/// The character of one byte, ASCII included.
pub(crate) fn char_for(table: &Table, byte: u8) -> char {
    match byte.checked_sub(0x80) {
        Some(upper) => table.get(usize::from(upper)).copied().unwrap_or('\u{FFFD}'),
        None => char::from(byte),
    }
}
