//! The score of a token in a code page: the part that does not depend on the language, and the
//! likelihood of its words in each language (docs/encodings.md, section 2).

use std::sync::LazyLock;

use super::model::{ByLanguage, END, Letter, MODEL, NEVER, Script, UNKNOWN};
use super::notation::score_piece;
use crate::Charset;
use crate::text::mixed::{UpperHalf, sequence};

/// A character with its properties for scoring.
#[derive(Clone, Copy)]
pub(super) struct Glyph {
    pub(super) char: char,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Letter {
        script: Script,
        letter: Letter,
        case: Case,
    },
    /// A character of no real text: box drawing, control characters, undefined bytes.
    Junk,
    Apostrophe,
    /// A soft hyphen or a line break.
    Break,
    Figurine,
    /// Punctuation: before a word, after a word, on either side, or separate.
    Opening,
    Closing,
    Quote,
    Dash,
    Apart,
    Symbol,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Case {
    None,
    Small,
    Capital,
}

impl Glyph {
    pub(super) fn from_char(char: char) -> Glyph {
        let kind = match char {
            '\u{80}'..='\u{9F}' | '\u{2500}'..='\u{259F}' | char::REPLACEMENT_CHARACTER => {
                Kind::Junk
            }
            '’' => Kind::Apostrophe,
            '\u{AD}' | '\n' => Kind::Break,
            '♔'..='♟' => Kind::Figurine,
            '„' | '‚' | '‹' | '¿' | '¡' => Kind::Opening,
            '”' | '…' | '›' | '™' => Kind::Closing,
            '«' | '»' | '“' | '‘' | '\u{A0}' => Kind::Quote,
            '–' => Kind::Dash,
            '№' | '§' | '£' | '€' | '°' | '½' | '¼' | '¾' | '±' | '—' | '•' | '†' | '©' | '®'
            | '×' => Kind::Apart,
            'ª' | 'º' | 'ƒ' | 'ⁿ' | 'µ' | '\u{2B0}'..='\u{36F}' => Kind::Symbol,
            c if c.is_alphabetic() => Kind::Letter {
                script: Script::from_char(c),
                letter: MODEL.letter(to_lower(c)),
                case: match () {
                    () if c.is_uppercase() => Case::Capital,
                    () if c.is_lowercase() => Case::Small,
                    () => Case::None,
                },
            },
            _ => Kind::Symbol,
        };
        Glyph { char, kind }
    }

    fn is_letter(self) -> bool {
        matches!(self.kind, Kind::Letter { .. })
    }
}

/// Returns the lower case as a single letter, as in the table.
fn to_lower(c: char) -> char {
    c.to_lowercase().next().unwrap_or(c)
}

/// The characters of the bytes below 0x80, in every code page.
static ASCII: LazyLock<Vec<Glyph>> = LazyLock::new(|| {
    let bytes = 0..0x80u8;
    bytes
        .map(|byte| Glyph::from_char(char::from(byte)))
        .collect()
});

/// The characters of a code page, prepared for scoring.
pub(super) struct PageGlyphs {
    upper: Vec<Glyph>,
}

impl PageGlyphs {
    pub(super) fn new(page: Charset) -> PageGlyphs {
        let upper = UpperHalf::for_page(page);
        PageGlyphs {
            upper: (0x80..=0xFF)
                .map(|byte| Glyph::from_char(upper.char(byte)))
                .collect(),
        }
    }

    fn byte(&self, byte: u8) -> Glyph {
        let glyph = match byte.checked_sub(0x80) {
            Some(upper) => self.upper.get(usize::from(upper)),
            None => ASCII.get(usize::from(byte)),
        };
        glyph.copied().unwrap_or(Glyph {
            char: char::REPLACEMENT_CHARACTER,
            kind: Kind::Junk,
        })
    }

    /// Reads every byte of the token by the code page.
    pub(super) fn by_page(&self, token: &[u8], out: &mut Vec<Glyph>) {
        out.clear();
        out.extend(token.iter().map(|&byte| self.byte(byte)));
    }

    /// Reads well-formed sequences of the token as UTF-8 and other bytes by the code page.
    pub(super) fn by_sequences(&self, token: &[u8], out: &mut Vec<Glyph>) {
        out.clear();
        let mut rest = token;
        while let Some(&first) = rest.first() {
            let length = match sequence(rest) {
                Some((c, length)) => {
                    out.push(Glyph::from_char(c));
                    length
                }
                None => {
                    out.push(self.byte(first));
                    1
                }
            };
            rest = rest.get(length..).unwrap_or_default();
        }
    }
}

/// The result of one reading of a token.
pub(super) struct TokenReading {
    /// The part of the score that does not depend on the language.
    pub(super) fixed: f32,
    /// The range of its words in the common list.
    pub(super) words: std::ops::Range<usize>,
}

/// Scores a token and appends its words to the list.
pub(super) fn score(token: &[Glyph], words: &mut Vec<ByLanguage>) -> TokenReading {
    let start = words.len();
    if token.iter().any(|glyph| glyph.char.is_ascii_digit()) {
        // A move: its letters are a piece, not a word.
        let letters = token.iter().map(|glyph| glyph.char);
        return TokenReading {
            fixed: score_piece(letters.filter(|letter| !letter.is_ascii())),
            words: start..start,
        };
    }
    let mut fixed = 0.0;
    for word in token.chunk_by(|a, b| a.is_letter() == b.is_letter()) {
        if word.first().is_some_and(|glyph| glyph.is_letter()) {
            fixed += score_word(word, words);
        }
    }
    let mut before: Option<&Glyph> = None;
    let mut rest = token.iter().peekable();
    while let Some(glyph) = rest.next() {
        if !glyph.is_letter() {
            let touches = |near: Option<&Glyph>| near.is_some_and(|near| near.is_letter());
            fixed += cost(glyph.kind, touches(before), touches(rest.peek().copied()));
        }
        before = Some(glyph);
    }
    TokenReading {
        fixed,
        words: start..words.len(),
    }
}

/// Returns the score of a character that is not a letter: after a letter, before one, or between
/// two.
fn cost(kind: Kind, after: bool, before: bool) -> f32 {
    match kind {
        Kind::Junk => -20.0,
        Kind::Apostrophe if after => -4.0,
        Kind::Apostrophe => -7.0,
        Kind::Break if after || before => -10.0,
        Kind::Break => -5.0,
        Kind::Figurine if after => -10.0,
        Kind::Figurine => -7.0,
        Kind::Dash if after && before => -6.0,
        _ if after && before => -18.0,
        Kind::Opening if after => -11.0,
        Kind::Closing if before => -11.0,
        Kind::Dash | Kind::Apart if after || before => -11.0,
        Kind::Opening | Kind::Closing | Kind::Quote | Kind::Dash | Kind::Apart => -6.0,
        _ => -11.0,
    }
}

/// Scores a run of letters by case and script; appends its likelihoods to the list.
fn score_word(word: &[Glyph], words: &mut Vec<ByLanguage>) -> f32 {
    let (script, scripts) = scripts(word);
    let mut sums = MODEL.start(script);
    let mut capitals = Capitals::Start;
    let mut fixed = match scripts {
        Scripts::One => 0.0,
        Scripts::LookAlikes => -5.0,
        Scripts::Several => -30.0,
    };
    let mut last = END;
    for glyph in word {
        let Kind::Letter {
            script: own,
            letter,
            case,
        } = glyph.kind
        else {
            continue;
        };
        let letter = match scripts {
            Scripts::LookAlikes => look_alike(glyph.char).map_or(letter, |c| MODEL.letter(c)),
            _ if own == script => letter,
            _ => UNKNOWN,
        };
        MODEL.add(last, letter, &mut sums);
        last = letter;
        fixed += capitals.next(case);
    }
    MODEL.add(last, END, &mut sums);
    words.push(sums);
    fixed
}

enum Scripts {
    One,
    /// Cyrillic, with ASCII letters that look the same.
    LookAlikes,
    Several,
}

/// Returns the script of a word, taken from its first letter beyond ASCII, and how mixed the word
/// is.
fn scripts(word: &[Glyph]) -> (Script, Scripts) {
    let of = |glyph: &Glyph| match glyph.kind {
        Kind::Letter { script, .. } => script,
        _ => Script::Other,
    };
    let first = word.iter().find(|glyph| !glyph.char.is_ascii());
    let script = first.map_or(Script::Latin, of);
    let mut others = word.iter().filter(|glyph| of(glyph) != script);
    let look_alikes = |glyph: &Glyph| look_alike(glyph.char).is_some();
    let scripts = match others.next() {
        None => Scripts::One,
        Some(other)
            if script == Script::Cyrillic && look_alikes(other) && others.all(look_alikes) =>
        {
            Scripts::LookAlikes
        }
        Some(_) => Scripts::Several,
    };
    (script, scripts)
}

/// Returns the lower-case Cyrillic letter for which this ASCII letter was typed because it looks
/// the same, such as i for і in code page 866.
fn look_alike(c: char) -> Option<char> {
    Some(match c {
        'a' | 'A' => 'а',
        'c' | 'C' => 'с',
        'e' | 'E' => 'е',
        'i' | 'I' => 'і',
        'o' | 'O' => 'о',
        'p' | 'P' => 'р',
        'x' | 'X' => 'х',
        'y' => 'у',
        'B' => 'в',
        'H' => 'н',
        'K' => 'к',
        'M' => 'м',
        'T' => 'т',
        _ => return None,
    })
}

/// The use of capitals in a word: none, at its beginning, or everywhere.
enum Capitals {
    Start,
    First,
    All,
    Small,
}

impl Capitals {
    /// Returns the logarithm of the likelihood of this letter's case here.
    fn next(&mut self, case: Case) -> f32 {
        let (likelihood, next) = match (&self, case) {
            (_, Case::None) => return 0.0,
            (Capitals::Start, Case::Capital) => (0.85, Capitals::First),
            (Capitals::Start, Case::Small) => (0.15, Capitals::Small),
            (Capitals::First, Case::Capital) => (0.06, Capitals::All),
            (Capitals::First, Case::Small) => (0.94, Capitals::Small),
            (Capitals::All, Case::Capital) => (0.97, Capitals::All),
            (Capitals::All, Case::Small) => (0.01, Capitals::Small),
            (Capitals::Small, Case::Capital) => (0.002, Capitals::Small),
            (Capitals::Small, Case::Small) => (0.998, Capitals::Small),
        };
        *self = next;
        f32::ln(likelihood)
    }
}

/// Returns the log-likelihood of a word in a mixture of languages, given the logarithms of their
/// shares.
pub(super) fn mixed(word: &ByLanguage, shares: &ByLanguage) -> f32 {
    let sum = |(word, share): (&f32, &f32)| word + share;
    let terms = || word.iter().zip(shares).map(sum);
    // The greatest term is taken out so that the exponentials do not all underflow.
    let greatest = terms().fold(NEVER, f32::max);
    let far = |term: f32| {
        // Smaller terms disappear when an `f32` is rounded.
        if term > greatest - 16.0 { (term - greatest).exp() } else { 0.0 }
    };
    greatest + terms().map(far).sum::<f32>().ln()
}
