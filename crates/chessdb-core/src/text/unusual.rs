//! Features that are unusual in a word, such as symbols between letters. Of two readings of bytes the
//! one with fewer of them is used.

/// Counts unusual features: symbols within words, capitals after lower-case letters, letters of two
/// scripts in a word. Pairs of ASCII characters are the same in both readings and do not count.
pub(super) fn count_unusual(chars: impl Iterator<Item = char>) -> usize {
    let mut before: [Option<char>; 2] = [None, None];
    let mut sum = 0;
    for c in chars {
        sum += unusual_alone(c);
        if let [first, Some(second)] = before
            && (!second.is_ascii() || !c.is_ascii())
        {
            sum += unusual_pair(second, c);
            let parted = first.is_some_and(is_letter) && is_letter(c);
            sum += usize::from(parted && is_mark(second) && !matches!(second, '’' | '\u{A0}'));
        }
        before = [before.last().copied().flatten(), Some(c)];
    }
    sum
}

fn unusual_alone(c: char) -> usize {
    match c {
        '\u{80}'..='\u{9F}' => 1,
        char::REPLACEMENT_CHARACTER | '\u{E000}'..='\u{F8FF}' => 4,
        'ƒ' | 'Ș' | 'ș' | 'Ț' | 'ț' => 0,
        '\u{180}'..='\u{2AF}' => 2,
        _ => 0,
    }
}

fn unusual_pair(before: char, c: char) -> usize {
    match (is_letter(before), is_letter(c)) {
        (true, true) => {
            let scripts = (Script::from_char(before), Script::from_char(c));
            match scripts {
                (Script::Han, Script::Han | Script::Latin) | (Script::Latin, Script::Han) => 0,
                (Script::Other, Script::Other) => 0,
                (Script::Other | Script::Han, _) | (_, Script::Other | Script::Han) => 4,
                // Letters that look alike are sometimes confused.
                (a, b) if a != b => 2,
                _ if before.is_lowercase() && c.is_uppercase() => 2,
                // Hardly any language with Latin letters has two accented ones in a row.
                (Script::Latin, _) if !before.is_ascii() && !c.is_ascii() => 1,
                _ => 0,
            }
        }
        (true, false) if is_mark(c) => {
            usize::from(!before.is_ascii() && Script::from_char(before) == Script::Latin)
        }
        (false, true) if is_mark(before) => 0,
        (false, false) => usize::from(!is_mark(before) || !is_mark(c)),
        _ => 2,
    }
}

pub(super) fn is_letter(c: char) -> bool {
    // Unicode classifies the listed characters as letters, but they are used as symbols.
    !matches!(c, 'ª' | 'º' | 'µ' | 'ƒ' | 'ˆ') && c.is_alphabetic()
}

/// Returns whether a character is punctuation next to words: quotes, dashes, dots, the no-break
/// space.
fn is_mark(c: char) -> bool {
    matches!(
        c,
        '«' | '»' | '\u{A0}' | '¡' | '¿' | '\u{2010}'..='\u{201F}' | '…' | '‹' | '›'
    )
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Script {
    Latin,
    Greek,
    Cyrillic,
    /// Chinese, Japanese and Korean, which appear next to Latin letters.
    Han,
    Other,
}

impl Script {
    fn from_char(letter: char) -> Script {
        match letter {
            '\0'..='\u{2AF}' | '\u{1E00}'..='\u{1EFF}' => Script::Latin,
            '\u{370}'..='\u{3FF}' | '\u{1F00}'..='\u{1FFF}' => Script::Greek,
            '\u{400}'..='\u{52F}' => Script::Cyrillic,
            '\u{1100}'..='\u{11FF}' | '\u{2E80}'..='\u{D7FF}' | '\u{F900}'..='\u{FAFF}' => {
                Script::Han
            }
            '\u{FF00}'..='\u{FFEF}' | '\u{20000}'..='\u{3FFFF}' => Script::Han,
            _ => Script::Other,
        }
    }
}
