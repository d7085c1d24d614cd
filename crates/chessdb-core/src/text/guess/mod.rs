//! Detection of the encoding of a database that does not declare one, from all its names, letter by
//! letter (docs/encodings.md).
//!
//! [`Evidence`] collects the texts of a database, [`Evidence::guess`] scores them.

mod candidates;
mod model;
mod notation;
mod page_set;
mod rank;
mod score;
mod token_cache;
mod unicode;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::mixed::first_non_ascii;
use crate::Charset;

pub use candidates::CharsetPrior;
pub(super) use page_set::PageSet;
pub use token_cache::KnownTokens;

use rank::{Ranking, Tokens};

/// The maximum number of texts to score, an even sample if there are more, and of tokens.
const MAX_TEXTS: usize = 1000;
const MAX_TOKENS: usize = 1000;
/// This number of texts from an even sample suffices; more would not change the result.
const ENOUGH_TEXTS: usize = 500;
/// The maximum number of tokens of one text, and of bytes of one token.
const MAX_TOKENS_PER_TEXT: usize = 64;
const MAX_TOKEN_BYTES: usize = 64;
/// A guess has low confidence below `SURE_CONFIDENCE`, or with fewer than `FEW_WITNESSES` witnesses
/// and a margin below `FEW_WITNESSES_MARGIN`.
const SURE_CONFIDENCE: f64 = 0.95;
const FEW_WITNESSES: usize = 3;
const FEW_WITNESSES_MARGIN: f32 = 12.0;
/// A single word of UTF-8 needs less confidence: a word in a code page is hardly ever well-formed
/// UTF-8.
const SURE_UTF8_CONFIDENCE: f64 = 0.7;
/// The maximum number of samples in a guess.
const MAX_SAMPLES: usize = 10;

/// The texts of a database that give evidence of its encoding: those with bytes from 0x80. Equal
/// texts count once. Of more than 1,000 an even sample is kept, which does not depend on their
/// order.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// The tokens of each text, by the hash of the text; the texts with the lowest hashes are kept.
    texts: BTreeMap<u64, Vec<Box<[u8]>>>,
}

impl Evidence {
    /// Creates an empty collection.
    pub fn new() -> Evidence {
        Evidence::default()
    }

    /// Adds a text.
    pub fn add(&mut self, text: &[u8]) {
        if !text.is_ascii() {
            self.add_together([text]);
        }
    }

    /// Adds texts of one source that certainly have the same encoding, such as the texts of one
    /// game in a text file.
    pub fn add_together<'t>(&mut self, texts: impl IntoIterator<Item = &'t [u8]>) {
        let tokens = texts
            .into_iter()
            .flat_map(|text| tokens(whole_characters(text)));
        let tokens: Vec<&[u8]> = tokens.take(MAX_TOKENS_PER_TEXT).collect();
        if tokens.is_empty() {
            return;
        }
        let hash = hash(&tokens);
        let full = self.texts.len() >= MAX_TEXTS;
        let last = self.texts.last_key_value().map_or(0, |(&last, _)| last);
        if (full && hash > last) || self.texts.contains_key(&hash) {
            return;
        }
        let tokens = tokens.into_iter().map(notation::normalized).collect();
        self.texts.insert(hash, tokens);
        if full {
            self.texts.pop_last();
        }
    }

    /// Returns whether more texts would not change the result, if these are an even sample.
    pub fn is_enough(&self) -> bool {
        self.texts.len() >= ENOUGH_TEXTS || self.witnesses() == MAX_TOKENS
    }

    /// Creates evidence from kept texts ([`Evidence::texts`]), in the same order.
    pub fn from_texts(texts: impl IntoIterator<Item = Vec<Box<[u8]>>>) -> Evidence {
        Evidence {
            texts: (0..).zip(texts).take(MAX_TEXTS).collect(),
        }
    }

    /// Returns the kept texts, each as its tokens.
    pub fn texts(&self) -> impl Iterator<Item = &[Box<[u8]>]> {
        self.texts.values().map(Vec::as_slice)
    }

    /// Returns the number of different tokens, which are words with bytes from 0x80; at most 1,000.
    pub fn witnesses(&self) -> usize {
        self.distinct().len()
    }

    /// Returns whether there are at least `least` witnesses. Faster than counting them.
    pub fn has_witnesses(&self, least: usize) -> bool {
        let mut distinct = Vec::new();
        let mut tokens = self.texts.values().flatten();
        least == 0 || tokens.any(|token| add_new(&mut distinct, token) && distinct.len() == least)
    }

    /// Returns the encoding of the texts; `None` if all are plain ASCII. The result depends on the
    /// texts and `origin` alone.
    pub fn guess(&self, origin: CharsetPrior) -> Option<CharsetGuess> {
        let distinct = self.distinct();
        if distinct.is_empty() {
            // Before the model is computed, which costs more than a search of a small database.
            return None;
        }
        let number = |token: &[u8]| distinct.binary_search(&token).ok();
        let texts = self.texts.values().map(|text| {
            text.iter()
                .filter_map(|token| number(token))
                .collect::<Vec<usize>>()
        });
        let texts: Vec<Vec<usize>> = texts.filter(|text| !text.is_empty()).collect();
        let tokens = Tokens::new(&distinct);
        if tokens.well_formed == distinct.len() && distinct.len() > 1 {
            return Some(CharsetGuess::utf8(distinct.len()));
        }
        Some(guess_from_tokens(&tokens, &texts, origin))
    }

    /// Returns the different tokens in the order of their bytes.
    fn distinct(&self) -> Vec<&[u8]> {
        let mut distinct = Vec::new();
        for token in self.texts.values().flatten() {
            if distinct.len() == MAX_TOKENS {
                break;
            }
            add_new(&mut distinct, token);
        }
        distinct
    }
}

/// Adds a token to a sorted list without it. Returns whether it was new. A list has at most 1,000
/// tokens, and takes less code than a set.
fn add_new<'t>(distinct: &mut Vec<&'t [u8]>, token: &'t [u8]) -> bool {
    let place = distinct.binary_search(&token);
    if let Err(place) = place {
        distinct.insert(place, token);
    }
    place.is_err()
}

/// The detected encoding of a database.
#[derive(Clone, Debug)]
pub struct CharsetGuess {
    /// The code page, or UTF-8: the encoding of most texts. If the database is UTF-8 with stray
    /// bytes, `page` is UTF-8 and `strays` is the code page of these bytes.
    pub page: Charset,
    /// The probability that all texts are read correctly with it, from 0.5 to 1.
    pub confidence: f64,
    /// The number of different words that it is based on.
    pub witnesses: usize,
    /// Whether the confidence is so low that the user should be asked.
    pub low: bool,
    /// The next best code page that reads the texts differently.
    pub runner_up: Option<Charset>,
    /// The code page that is compared with `runner_up`: `page`, unless the database has several
    /// code pages, or is UTF-8 with stray bytes.
    pub compared: Option<Charset>,
    /// The words on which these two differ most, at most ten, as each code page reads them.
    pub samples: Vec<(String, String)>,
    /// In a UTF-8 database with bytes that are not UTF-8: the code page that reads these best.
    pub strays: Option<Charset>,
    /// If the database has texts in several code pages: these, each with its number of examined
    /// texts; otherwise empty.
    pub mixed: Vec<(Charset, usize)>,
    pub(super) set: Option<Arc<PageSet>>,
}

impl CharsetGuess {
    /// Returns a certain guess of UTF-8. In all databases tested, two words that are well-formed
    /// UTF-8 were UTF-8.
    fn utf8(witnesses: usize) -> CharsetGuess {
        CharsetGuess {
            page: Charset::UTF_8,
            confidence: 1.0,
            witnesses,
            low: false,
            runner_up: None,
            compared: None,
            samples: Vec::new(),
            strays: None,
            mixed: Vec::new(),
            set: None,
        }
    }
}

/// Returns the probability that the better of two readings is right, given their difference.
fn confidence(margin: f32) -> f64 {
    1.0 / (1.0 + (-0.6 * f64::from(margin)).exp())
}

fn guess_from_tokens(
    tokens: &Tokens<'_>,
    texts: &[Vec<usize>],
    origin: CharsetPrior,
) -> CharsetGuess {
    let ranking = Ranking::new(tokens, origin);
    let witnesses = tokens.list.len();
    if let Some(margin) = ranking.margin_of_utf8(tokens) {
        let confidence = confidence(margin);
        return CharsetGuess {
            confidence,
            low: confidence < SURE_UTF8_CONFIDENCE,
            ..CharsetGuess::utf8(witnesses)
        };
    }
    let choice = page_set::choose(&ranking, texts);
    let first = choice.pages.first().copied().unwrap_or_default();
    let is_utf8 = choice.pages.len() == 1 && ranking.is_utf8_with_strays(tokens, first);
    let confidence = confidence(choice.margin);
    let charsets: Vec<Charset> = ranking.pages.iter().map(|page| page.charset).collect();
    let charset = |number: usize| charsets.get(number).copied();
    let samples = match choice.replaced {
        Some((old, new)) => ranking.samples(tokens, old, new),
        None => Vec::new(),
    };
    let mut mixed = Vec::new();
    if choice.pages.len() > 1 {
        let pages = choice.pages.iter().filter_map(|&page| charset(page));
        mixed.extend(pages.zip(choice.texts.iter().copied()));
    }
    let page = charset(first).unwrap_or_default();
    let guess = CharsetGuess {
        page,
        confidence,
        witnesses,
        low: confidence < SURE_CONFIDENCE
            || witnesses < FEW_WITNESSES && choice.margin < FEW_WITNESSES_MARGIN,
        runner_up: choice.replaced.and_then(|(_, new)| charset(new)),
        compared: choice.replaced.and_then(|(old, _)| charset(old)),
        samples,
        strays: None,
        mixed,
        set: Some(Arc::new(PageSet::new(ranking.pages_of(&choice.pages)))),
    };
    if !is_utf8 {
        return guess;
    }
    // The confidence in the code page of the stray bytes does not affect the other texts.
    CharsetGuess {
        strays: Some(page),
        runner_up: None,
        compared: None,
        samples: Vec::new(),
        set: guess.set,
        ..CharsetGuess::utf8(witnesses)
    }
}

/// Splits a text into tokens: runs of ASCII letters and bytes from 0x80 that contain such a byte. A
/// move such as `Кd4` is one token ([`notation`]).
fn tokens(mut text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let ends = |byte: &u8| !byte.is_ascii_alphabetic() && byte.is_ascii();
    std::iter::from_fn(move || {
        // Jumps from one non-ASCII byte to the next, since most texts have none.
        let whole = text;
        let (before, after) = whole.split_at_checked(first_non_ascii(whole)?)?;
        let letters = before.iter().rev().position(ends);
        let start = before.len() - letters.unwrap_or(before.len());
        let length = after.iter().position(ends).unwrap_or(after.len());
        let end = before.len() + length;
        text = whole.get(end..)?;
        if let Some(token) = notation::move_at(whole, start..end) {
            return Some(token);
        }
        let token = whole.get(start..end)?;
        Some(whole_characters(
            token.get(..MAX_TOKEN_BYTES).unwrap_or(token),
        ))
    })
}

/// Removes an incomplete UTF-8 character at the end: fields are cut after a number of bytes.
fn whole_characters(text: &[u8]) -> &[u8] {
    match std::str::from_utf8(text) {
        Err(error) if error.error_len().is_none() => {
            let whole = text.get(..error.valid_up_to()).unwrap_or_default();
            if whole.is_ascii() { text } else { whole }
        }
        _ => text,
    }
}

/// Returns the FNV-1a hash of tokens, each preceded by a zero byte.
fn hash(tokens: &[&[u8]]) -> u64 {
    let bytes = tokens
        .iter()
        .flat_map(|token| [0].into_iter().chain(token.iter().copied()));
    let hash = bytes.fold(0xCBF2_9CE4_8422_2325, |hash: u64, byte: u8| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
    });
    // The low bits of short texts are mixed best, but the order is decided by the high ones.
    (hash ^ hash >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}
