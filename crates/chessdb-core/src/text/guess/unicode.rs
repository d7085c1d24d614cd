//! The likelihood of a token as UTF-8 in an unknown language (docs/encodings.md, section 3).
//!
//! The table of languages covers four scripts. Without this module, UTF-8 in any other language
//! would score worse than the box-drawing characters and symbols that a code page makes of it.

/// Returns the logarithm of the likelihood of a word of UTF-8 in an unknown language.
pub(super) fn likelihood(token: &str) -> f32 {
    let mut sum = 0.0;
    let mut before: Option<(ScriptClass, char)> = None;
    for c in token.chars() {
        let script = ScriptClass::from_char(c);
        sum += script.letter();
        match before {
            None => sum += script.choice(),
            Some((last, _)) if last != script && script != ScriptClass::Sign => {
                sum += script.choice() - SCRIPT_CHANGE_COST;
            }
            Some((_, last)) if last.is_lowercase() && c.is_uppercase() => sum -= CASE_CHANGE_COST,
            Some(_) => {}
        }
        // A symbol does not end the word that contains it.
        if script != ScriptClass::Sign || before.is_none() {
            before = Some((script, c));
        }
    }
    sum
}

/// The cost of two scripts in one word, and of a capital after a lower-case letter.
const SCRIPT_CHANGE_COST: f32 = 8.0;
const CASE_CHANGE_COST: f32 = 6.0;

#[derive(Clone, Copy, PartialEq, Eq)]
enum ScriptClass {
    Latin,
    /// Greek, Cyrillic, Hebrew.
    Known,
    /// An alphabet in wide use today.
    Alphabet,
    /// Chinese, Japanese, Korean.
    Han,
    Sign,
    Rare,
    Junk,
}

impl ScriptClass {
    fn from_char(c: char) -> ScriptClass {
        match c {
            'A'..='Z' | 'a'..='z' | '\u{C0}'..='\u{24F}' | '\u{259}' | '\u{1E00}'..='\u{1EFF}' => {
                ScriptClass::Latin
            }
            '\u{370}'..='\u{52F}' | '\u{591}'..='\u{5F4}' => ScriptClass::Known,
            '\u{531}'..='\u{58A}'
            | '\u{600}'..='\u{6FF}'
            | '\u{900}'..='\u{EDF}'
            | '\u{F00}'..='\u{10FF}'
            | '\u{1200}'..='\u{137F}'
            | '\u{1780}'..='\u{17FF}' => ScriptClass::Alphabet,
            '\u{3005}'
            | '\u{3040}'..='\u{30FF}'
            | '\u{3400}'..='\u{9FFF}'
            | '\u{AC00}'..='\u{D7A3}'
            | '\u{FF01}'..='\u{FFDC}' => ScriptClass::Han,
            '\u{80}'..='\u{9F}' | '\u{E000}'..='\u{F8FF}' | '\u{FFFD}' => ScriptClass::Junk,
            '\u{0}'..='\u{BF}' | '\u{300}'..='\u{36F}' | '\u{2000}'..='\u{27BF}' => {
                ScriptClass::Sign
            }
            '\u{2B00}'..='\u{2BFF}'
            | '\u{3000}'..='\u{301F}'
            | '\u{FE0F}'
            | '\u{FEFF}'
            | '\u{1F300}'..='\u{1FAFF}' => ScriptClass::Sign,
            _ => ScriptClass::Rare,
        }
    }

    /// Returns the score of a letter, given its script.
    fn letter(self) -> f32 {
        match self {
            ScriptClass::Latin => -3.6,
            ScriptClass::Known | ScriptClass::Alphabet => -4.0,
            ScriptClass::Han => -7.0,
            ScriptClass::Sign => -6.0,
            ScriptClass::Rare => -9.0,
            ScriptClass::Junk => -20.0,
        }
    }

    /// Returns the score of the script.
    fn choice(self) -> f32 {
        match self {
            ScriptClass::Latin => -1.0,
            ScriptClass::Known | ScriptClass::Sign => -2.0,
            ScriptClass::Alphabet | ScriptClass::Han => -4.0,
            ScriptClass::Rare | ScriptClass::Junk => -12.0,
        }
    }
}
