//! Texts that mix UTF-8 with bytes of an old code page (docs/decisions/0015-text-by-text.md).
//!
//! A word is a run of ASCII letters and of bytes from 0x80. It has two readings: all its bytes by
//! the code page, or its well-formed sequences as UTF-8 and only the stray bytes by the code page.
//! The unusual features of each reading are counted, and the reading with fewer of them is used.
//! `MÃ¼ller` is unusual. So is the letter of N'Ko that a UTF-8 reading finds in `Weiß“`, since the
//! last two bytes of that word in windows-1252 are well-formed UTF-8.

use std::cmp::Ordering;
use std::sync::{Arc, OnceLock};

use super::charset::Charset;
use super::convert::decode_byte;
use super::guess::{CharsetGuess, KnownTokens, PageSet};
use super::unusual::{count_unusual, is_letter};
use super::{cesu8, symbols};

/// The upper half of a code page.
pub(super) struct UpperHalf {
    chars: [char; 128],
    /// Bit mask of the characters that are letters.
    letters: u128,
}

impl UpperHalf {
    /// Returns the upper half of a code page. It is computed once per code page, since every text
    /// needs it.
    pub(super) fn for_page(page: Charset) -> &'static UpperHalf {
        static KNOWN: [OnceLock<UpperHalf>; Charset::COUNT] =
            [const { OnceLock::new() }; Charset::COUNT];
        static OTHER: OnceLock<UpperHalf> = OnceLock::new();
        KNOWN
            .get(page.number())
            .unwrap_or(&OTHER)
            .get_or_init(|| UpperHalf::new(page.page()))
    }

    fn new(page: Charset) -> UpperHalf {
        let mut upper = UpperHalf {
            chars: ['\0'; 128],
            letters: 0,
        };
        for (number, (slot, byte)) in upper.chars.iter_mut().zip(0x80..=0xFFu8).enumerate() {
            *slot = decode_byte(byte, page);
            upper.letters |= u128::from(is_letter(*slot)) << number;
        }
        upper
    }

    pub(super) fn char(&self, byte: u8) -> char {
        byte.checked_sub(0x80)
            .map(usize::from)
            .and_then(|index| self.chars.get(index).copied())
            .unwrap_or(char::from(byte))
    }

    fn is_letter(&self, byte: u8) -> bool {
        !byte.is_ascii() && self.letters >> (byte & 0x7F) & 1 == 1
    }
}

/// Determines the encoding of texts that do not declare one: UTF-8, a code page, or a mixture of
/// both.
#[derive(Clone, Debug)]
pub struct EncodingDetector {
    page: Charset,
    /// The detected code pages of the database; each text has the code page in which it reads best.
    set: Option<Arc<PageSet>>,
    /// Whether all surrounding bytes are UTF-8. Then each text among them is UTF-8 too.
    all_utf8: bool,
    /// Whether the surrounding words support the code page. Then a text that is well-formed UTF-8,
    /// but reads equally well in the code page, belongs to the code page.
    near_page: bool,
    /// Whether the code page of these texts has been chosen from the database's code pages.
    settled: bool,
    /// Whether most texts of the database are UTF-8.
    is_utf8: bool,
}

impl EncodingDetector {
    /// Creates a detector for texts about which nothing is known except the code page of bytes that
    /// are not UTF-8.
    pub const fn new(page: Charset) -> EncodingDetector {
        EncodingDetector {
            page,
            set: None,
            all_utf8: false,
            near_page: false,
            settled: false,
            is_utf8: page.is_unicode(),
        }
    }

    /// Creates a detector for the texts of a database with this detection result; `stray` is the code
    /// page of stray bytes in a UTF-8 database.
    pub fn of_base(guess: &CharsetGuess, stray: Charset) -> EncodingDetector {
        let page = if guess.page.is_unicode() { guess.strays.unwrap_or(stray) } else { guess.page };
        EncodingDetector {
            set: guess.set.clone(),
            is_utf8: guess.page.is_unicode(),
            ..EncodingDetector::new(page)
        }
    }

    /// Creates a detector for the texts among these bytes, such as the texts of one game in a text
    /// file.
    pub fn from_texts(around: &[u8], page: Charset) -> EncodingDetector {
        EncodingDetector::new(page).around(around)
    }

    /// Returns a detector for the texts among these bytes: the texts of one game have the same code
    /// page.
    #[must_use]
    pub fn around(&self, around: &[u8]) -> EncodingDetector {
        self.around_known(around, &mut KnownTokens::default())
    }

    /// Like [`EncodingDetector::around`], with a cache of scored words for the next game.
    #[must_use]
    pub fn around_known(&self, around: &[u8], cache: &mut KnownTokens) -> EncodingDetector {
        let mut detector = EncodingDetector {
            page: self.page,
            set: self.set.clone(),
            all_utf8: true,
            near_page: false,
            settled: true,
            is_utf8: self.is_utf8,
        };
        if around.is_ascii() {
            return detector;
        }
        if self.page == Charset::UTF_8_TWICE {
            return self.clone();
        }
        let set = self.set.as_ref();
        let choice = set.filter(|_| !self.settled);
        let best = choice.and_then(|set| set.best_cached(around, cache));
        detector.page = best.unwrap_or(self.page);
        detector.all_utf8 = std::str::from_utf8(around).is_ok()
            && set.is_none_or(|set| set.may_be_utf8_cached(around, detector.page, cache));
        if !detector.all_utf8 && !detector.page.is_unicode() && has_sequence(around) {
            let votes = Votes::count(around, UpperHalf::for_page(detector.page));
            detector.near_page = votes.page >= votes.utf8;
        }
        detector
    }

    /// Returns the code page of bytes that are not UTF-8.
    pub const fn page(&self) -> Charset {
        self.page
    }

    /// Returns whether most texts of the database are UTF-8, so that new ones should be too.
    pub const fn is_utf8(&self) -> bool {
        self.is_utf8
    }

    /// Returns the encoding of this text.
    pub fn charset(&self, text: &[u8]) -> Charset {
        if self.all_utf8 || text.is_ascii() {
            return Charset::UTF_8;
        }
        if self.page == Charset::UTF_8_TWICE {
            return self.page;
        }
        let page = self.page_of(text);
        let charset = self.charset_by_votes(text, page);
        if charset != page && !self.may_be_utf8(text, page) {
            return page;
        }
        charset
    }

    /// Returns the code page of the bytes of this text that are not UTF-8.
    pub fn page_of(&self, text: &[u8]) -> Charset {
        match &self.set {
            Some(set) if !self.settled => set.best(text).unwrap_or(self.page),
            _ => self.page,
        }
    }

    /// Returns whether the detection result for the database allows UTF-8 in this text.
    fn may_be_utf8(&self, text: &[u8], page: Charset) -> bool {
        let set = self.set.as_ref();
        text.is_ascii() || set.is_none_or(|set| set.may_be_utf8(text, page))
    }

    fn charset_by_votes(&self, text: &[u8], page: Charset) -> Charset {
        let valid = std::str::from_utf8(text).is_ok();
        let is_plain = || {
            !self.near_page && !has_rare_sequence(text) && !symbols::may_contain_symbols(text, page)
        };
        if valid && (page.is_unicode() || is_plain()) {
            return Charset::UTF_8;
        }
        if page.is_unicode() || !has_sequence(text) {
            return if valid { Charset::UTF_8 } else { page };
        }
        let votes = Votes::count(text, UpperHalf::for_page(page));
        match (votes.utf8 > 0, votes.page > 0) {
            (true, false) if valid => Charset::UTF_8,
            (true, _) => page.beside_utf8(),
            (false, false) if valid && !self.near_page => Charset::UTF_8,
            (false, _) => page,
        }
    }
}

/// Returns whether the bytes contain a well-formed sequence.
pub(super) fn has_sequence(bytes: &[u8]) -> bool {
    NonAsciiLines(bytes).any(|line| {
        let begins = |(offset, pair): (usize, &[u8])| {
            matches!(pair, [0xC2..=0xF4, 0x80..=0xBF]) && sequence(tail(line, offset)).is_some()
        };
        line.windows(2).enumerate().any(begins)
    })
}

/// Returns the position of the first byte that is not ASCII.
pub(super) fn first_non_ascii(bytes: &[u8]) -> Option<usize> {
    let (words, rest) = bytes.as_chunks::<8>();
    for (n, word) in words.iter().enumerate() {
        let wide = u64::from_le_bytes(*word) & (u64::MAX / 0xFF) << 7;
        if wide != 0 {
            return Some(8 * n + (wide.trailing_zeros() / 8) as usize);
        }
    }
    let within = rest.iter().position(|byte| !byte.is_ascii())?;
    Some(8 * words.len() + within)
}

/// The lines that are not plain ASCII, which are few in most games. No word and no sequence extends
/// beyond the end of a line.
pub(super) struct NonAsciiLines<'a>(pub(super) &'a [u8]);

impl<'a> Iterator for NonAsciiLines<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let first = first_non_ascii(self.0)?;
        let is_end = |byte: &u8| *byte == b'\n';
        let before = self.0.get(..first)?;
        let start = before.iter().rposition(is_end).map_or(0, |index| index + 1);
        let rest = tail(self.0, start);
        let end = rest.iter().position(is_end).unwrap_or(rest.len());
        let (line, rest) = rest.split_at_checked(end)?;
        self.0 = rest;
        Some(line)
    }
}

/// Returns whether well-formed UTF-8 has characters so rare that the words must be examined.
/// Accented Latin letters, Greek, Cyrillic, Hebrew, Arabic, symbols, Chinese, Japanese and Korean
/// are not rare.
fn has_rare_sequence(text: &[u8]) -> bool {
    let rare = |byte: &u8| matches!(byte, 0xC6..=0xCD | 0xD2..=0xD6 | 0xDA..=0xDF | 0xE0 | 0xE1);
    text.iter().any(rare)
}

/// Passes the decoded characters to `sink` word by word and returns the number of bytes that are
/// unassigned in the code page.
pub(super) fn decode(bytes: &[u8], page: Charset, sink: &mut impl FnMut(&str)) -> usize {
    let upper = UpperHalf::for_page(page);
    let decide = |word| ReadingScores::new(word, upper).decide();
    let non_ascii = Words(bytes).filter(|word| !word.is_ascii());
    let mut by = non_ascii.filter_map(decide).next().unwrap_or(ReadBy::Page);
    let mut malformed = 0;
    for word in Words(bytes) {
        if word.is_ascii() {
            sink(std::str::from_utf8(word).unwrap_or_default());
            continue;
        }
        // Texts were assembled from pieces, so an undecided word follows its neighbour.
        by = decide(word).unwrap_or(by);
        let mut chars = Reading::new(word, upper, by);
        while let Some(c) = chars.next() {
            malformed += usize::from(chars.stray && c == char::REPLACEMENT_CHARACTER);
            sink(c.encode_utf8(&mut [0; 4]));
        }
    }
    malformed
}

/// The reading of the bytes of a word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ReadBy {
    Page,
    Sequences,
}

/// The numbers of words with a certain reading, by reading.
#[derive(Default)]
struct Votes {
    utf8: usize,
    page: usize,
}

impl Votes {
    fn count(bytes: &[u8], upper: &UpperHalf) -> Votes {
        let mut votes = Votes::default();
        let words = NonAsciiLines(bytes).flat_map(Words);
        for word in words.filter(|word| !word.is_ascii()) {
            if !has_sequence(word) {
                // Both readings are equal.
                votes.page += usize::from(word.iter().any(|&byte| upper.is_letter(byte)));
                continue;
            }
            match ReadingScores::new(word, upper).decide() {
                Some(ReadBy::Sequences) => votes.utf8 += 1,
                Some(ReadBy::Page) => votes.page += 1,
                None => {}
            }
        }
        votes
    }
}

/// The number of unusual features of a word in either reading.
#[derive(Clone, Copy)]
struct ReadingScores {
    page: usize,
    sequences: usize,
    /// Whether the word has letters that are not part of sequences.
    stray_letters: bool,
}

impl ReadingScores {
    /// Returns the reading, if the word decides it.
    fn decide(self) -> Option<ReadBy> {
        match self.sequences.cmp(&self.page) {
            Ordering::Less => Some(ReadBy::Sequences),
            Ordering::Equal if !self.stray_letters => None,
            _ => Some(ReadBy::Page),
        }
    }

    fn new(word: &[u8], upper: &UpperHalf) -> ReadingScores {
        if symbols::is_symbol_word(word, upper) {
            return ReadingScores {
                page: 0,
                sequences: 1,
                stray_letters: false,
            };
        }
        let by_page = Reading::new(word, upper, ReadBy::Page);
        let mut stray_letters = false;
        let mut sequences = Reading::new(word, upper, ReadBy::Sequences);
        let as_sequences = count_unusual(std::iter::from_fn(|| {
            let c = sequences.next()?;
            stray_letters |= sequences.stray && is_letter(c);
            Some(c)
        }));
        ReadingScores {
            page: count_unusual(by_page),
            sequences: as_sequences,
            stray_letters,
        }
    }
}

/// An iterator over words and the bytes between them.
struct Words<'a>(&'a [u8]);

impl<'a> Iterator for Words<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let of_word = |byte: &u8| byte.is_ascii_alphabetic() || !byte.is_ascii();
        let kind = of_word(self.0.first()?);
        let end = self.0.iter().position(|byte| of_word(byte) != kind);
        let (piece, rest) = self.0.split_at_checked(end.unwrap_or(self.0.len()))?;
        self.0 = rest;
        Some(piece)
    }
}

/// The characters of a word in one reading.
struct Reading<'a> {
    rest: &'a [u8],
    upper: &'a UpperHalf,
    by: ReadBy,
    /// Whether the last character was a byte of the code page.
    stray: bool,
}

impl<'a> Reading<'a> {
    fn new(word: &'a [u8], upper: &'a UpperHalf, by: ReadBy) -> Reading<'a> {
        Reading {
            rest: word,
            upper,
            by,
            stray: false,
        }
    }
}

impl Iterator for Reading<'_> {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        let &first = self.rest.first()?;
        let read = match self.by {
            ReadBy::Sequences => sequence(self.rest),
            ReadBy::Page => None,
        };
        self.stray = read.is_none() && !first.is_ascii();
        let (c, length) = read.unwrap_or_else(|| (self.upper.char(first), 1));
        self.rest = tail(self.rest, length);
        Some(c)
    }
}

/// Returns the non-ASCII character at the start, in UTF-8 or as a pair of surrogates, and its
/// length in bytes.
pub(super) fn sequence(bytes: &[u8]) -> Option<(char, usize)> {
    let length = match bytes.first()? {
        0xC2..=0xDF => 2,
        0xED if bytes.get(1).is_some_and(|&second| second >= 0xA0) => {
            return cesu8::pair(bytes).map(|c| (c, 6));
        }
        0xE0..=0xEF => 3,
        0xF0..=0xF4 => 4,
        _ => return None,
    };
    std::str::from_utf8(bytes.get(..length)?)
        .ok()?
        .chars()
        .next()
        .map(|c| (c, length))
}

fn tail(bytes: &[u8], from: usize) -> &[u8] {
    bytes.get(from..).unwrap_or_default()
}
