//! How a token reads in a page: what no language decides, and the likelihood of its words in each
//! (docs/encodings.md, section 2).

use std::sync::LazyLock;

use super::model::{ByLanguage, END, Letter, MODEL, NEVER, Script, UNKNOWN};
use super::notation::score_piece;
use crate::Charset;
use crate::text::mixed::{Upper, sequence};

/// A character as the scores see it.
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
    /// No character that anybody writes: frames, control characters, bytes without a meaning.
    Junk,
    Apostrophe,
    /// A soft hyphen, a line break.
    Break,
    Figurine,
    /// Punctuation that stands before a word, behind one, on either side, apart.
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
    pub(super) fn of(char: char) -> Glyph {
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
                script: Script::of(c),
                letter: MODEL.letter(small(c)),
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

/// One letter for one, as the table was made.
fn small(c: char) -> char {
    c.to_lowercase().next().unwrap_or(c)
}

/// What bytes below 80 are, in every page.
static ASCII: LazyLock<Vec<Glyph>> = LazyLock::new(|| {
    let bytes = 0..0x80u8;
    bytes.map(|byte| Glyph::of(char::from(byte))).collect()
});

/// A page ready for scoring: what each byte is.
pub(super) struct PageGlyphs {
    upper: Vec<Glyph>,
}

impl PageGlyphs {
    pub(super) fn of(page: Charset) -> PageGlyphs {
        let upper = Upper::of(page);
        PageGlyphs {
            upper: (0x80..=0xFF)
                .map(|byte| Glyph::of(upper.char(byte)))
                .collect(),
        }
    }

    fn byte(&self, byte: u8) -> Glyph {
        let found = match byte.checked_sub(0x80) {
            Some(upper) => self.upper.get(usize::from(upper)),
            None => ASCII.get(usize::from(byte)),
        };
        found.copied().unwrap_or(Glyph {
            char: char::REPLACEMENT_CHARACTER,
            kind: Kind::Junk,
        })
    }

    /// The token with every byte by the page.
    pub(super) fn by_page(&self, token: &[u8], out: &mut Vec<Glyph>) {
        out.clear();
        out.extend(token.iter().map(|&byte| self.byte(byte)));
    }

    /// The token with well-formed sequences as UTF-8, other bytes by the page.
    pub(super) fn by_sequences(&self, token: &[u8], out: &mut Vec<Glyph>) {
        out.clear();
        let mut rest = token;
        while let Some(&first) = rest.first() {
            let length = match sequence(rest) {
                Some((c, length)) => {
                    out.push(Glyph::of(c));
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

/// What a token says in one reading.
pub(super) struct Reading {
    /// What does not depend on the language.
    pub(super) fixed: f32,
    /// The words, by their place in the list of all.
    pub(super) words: std::ops::Range<usize>,
}

/// Scores a token and appends its words to the list.
pub(super) fn score(token: &[Glyph], words: &mut Vec<ByLanguage>) -> Reading {
    let start = words.len();
    if token.iter().any(|glyph| glyph.char.is_ascii_digit()) {
        let letters = token.iter().map(|glyph| glyph.char);
        return Reading {
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
    Reading {
        fixed,
        words: start..words.len(),
    }
}

/// What a character that is no letter costs behind a letter, before one, or between two.
fn cost(kind: Kind, behind: bool, before: bool) -> f32 {
    match kind {
        Kind::Junk => -20.0,
        Kind::Apostrophe if behind => -4.0,
        Kind::Apostrophe => -7.0,
        Kind::Break if behind || before => -10.0,
        Kind::Break => -5.0,
        Kind::Figurine if behind => -10.0,
        Kind::Figurine => -7.0,
        Kind::Dash if behind && before => -6.0,
        _ if behind && before => -18.0,
        Kind::Opening if behind => -11.0,
        Kind::Closing if before => -11.0,
        Kind::Dash | Kind::Apart if behind || before => -11.0,
        Kind::Opening | Kind::Closing | Kind::Quote | Kind::Dash | Kind::Apart => -6.0,
        _ => -11.0,
    }
}

/// Scores a run of letters: capitals and scripts; its likelihoods go to the list.
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
    /// Cyrillic, with letters of ASCII that look the same.
    LookAlikes,
    Several,
}

/// The script of a word, which is that of its first letter beyond ASCII.
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

/// The small Cyrillic letter that looks like this one of ASCII, as it was typed for it: і in
/// page 866.
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

/// Capitals in a word: none, at its beginning, or all.
enum Capitals {
    Start,
    First,
    All,
    Small,
}

impl Capitals {
    /// The logarithm of how likely this letter's case is here.
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

/// The likelihood of a word in a mixture of languages, of which each has the share whose logarithm
/// is given.
pub(super) fn mixed(word: &ByLanguage, shares: &ByLanguage) -> f32 {
    let sum = |(word, share): (&f32, &f32)| word + share;
    let terms = || word.iter().zip(shares).map(sum);
    let most = terms().fold(NEVER, f32::max);
    let far = |term: f32| {
        if term > most - 16.0 {
            (term - most).exp()
        } else {
            0.0
        }
    };
    most + terms().map(far).sum::<f32>().ln()
}
