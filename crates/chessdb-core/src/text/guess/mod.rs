//! What a base is in that does not say so: judged by all its names, letter by letter
//! (docs/encodings.md).
//!
//! [`Evidence`] collects the texts of a base, [`Evidence::guess`] weighs them.

mod known;
mod model;
mod notation;
mod pages;
mod rank;
mod score;
mod set;
mod unicode;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::mixed::first_wide;
use crate::Charset;

pub use known::KnownTokens;
pub use pages::Origin;
pub(super) use set::PageSet;

use rank::{Ranking, Tokens};

/// How many texts are weighed at most, an even sample if there are more; and how many tokens.
const MOST_TEXTS: usize = 1000;
const MOST_TOKENS: usize = 1000;
/// So many texts of an even sample say as much as more of them.
const ENOUGH_TEXTS: usize = 500;
/// Of one text: how many tokens, of one token how many bytes.
const OF_TEXT: usize = 64;
const OF_TOKEN: usize = 64;
/// Below this a verdict is of low confidence, and so it is with fewer witnesses than these and a
/// margin below this.
const SURE: f64 = 0.95;
const FEW: usize = 3;
const MARGIN_OF_FEW: f32 = 12.0;
/// One word of UTF-8 needs less: hardly a word of a page is well-formed.
const SURE_OF_UTF8: f64 = 0.7;
/// How many tokens a verdict shows.
const SAMPLES: usize = 10;

/// The texts of a base that say something about its charset: those with bytes from 80. Equal ones
/// count once; of more than 1,000 an even sample is kept, the same in whatever order they come.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// Tokens of each text, by the hash of the text; the texts with the lowest hashes stay.
    texts: BTreeMap<u64, Vec<Box<[u8]>>>,
}

impl Evidence {
    /// No texts yet.
    pub fn new() -> Evidence {
        Evidence::default()
    }

    /// Adds a text.
    pub fn add(&mut self, text: &[u8]) {
        if !text.is_ascii() {
            self.add_together([text]);
        }
    }

    /// Adds texts of one source, which are surely in one charset, such as those of one game of a
    /// text file.
    pub fn add_together<'t>(&mut self, texts: impl IntoIterator<Item = &'t [u8]>) {
        let tokens = texts
            .into_iter()
            .flat_map(|text| tokens(whole_characters(text)));
        let tokens: Vec<&[u8]> = tokens.take(OF_TEXT).collect();
        if tokens.is_empty() {
            return;
        }
        let hash = hash(&tokens);
        let full = self.texts.len() >= MOST_TEXTS;
        let last = self.texts.last_key_value().map_or(0, |(&last, _)| last);
        if (full && hash > last) || self.texts.contains_key(&hash) {
            return;
        }
        let tokens = tokens.into_iter().map(notation::to_kept).collect();
        self.texts.insert(hash, tokens);
        if full {
            self.texts.pop_last();
        }
    }

    /// Whether more texts, if these are an even sample, would say no more.
    pub fn is_enough(&self) -> bool {
        self.texts.len() >= ENOUGH_TEXTS || self.witnesses() == MOST_TOKENS
    }

    /// The texts that were kept, each as its tokens.
    pub fn texts(&self) -> impl Iterator<Item = &[Box<[u8]>]> {
        self.texts.values().map(Vec::as_slice)
    }

    /// How many different tokens there are: words with bytes from 80. At most 1,000.
    pub fn witnesses(&self) -> usize {
        self.distinct().len()
    }

    /// Whether there are at least so many witnesses. Quicker than to count them.
    pub fn has_witnesses(&self, least: usize) -> bool {
        let mut distinct = BTreeSet::new();
        let mut tokens = self.texts.values().flatten();
        least == 0 || tokens.any(|token| distinct.insert(token) && distinct.len() == least)
    }

    /// What the texts are in; none if there is nothing to decide since all are plain ASCII. It
    /// depends on the texts alone.
    pub fn guess(&self, origin: Origin) -> Option<CharsetGuess> {
        let distinct: Vec<&[u8]> = self.distinct().into_iter().collect();
        let number = |token: &[u8]| distinct.binary_search(&token).ok();
        let texts = self.texts.values().map(|text| {
            let numbers = text.iter().filter_map(|token| number(token));
            numbers.collect::<Vec<usize>>()
        });
        let texts: Vec<Vec<usize>> = texts.filter(|text| !text.is_empty()).collect();
        let tokens = Tokens::new(&distinct);
        if tokens.well_formed == distinct.len() && distinct.len() > 1 {
            return Some(CharsetGuess::utf8(distinct.len()));
        }
        Some(weigh(&tokens, &texts, origin)).filter(|_| !distinct.is_empty())
    }

    fn distinct(&self) -> BTreeSet<&[u8]> {
        let mut distinct = BTreeSet::new();
        for token in self.texts.values().flatten() {
            if distinct.len() == MOST_TOKENS {
                break;
            }
            distinct.insert(&**token);
        }
        distinct
    }
}

/// What a base was found to be in.
#[derive(Clone, Debug)]
pub struct CharsetGuess {
    /// The page, or UTF-8: of most texts, or of the bytes that are not UTF-8.
    pub page: Charset,
    /// How likely the texts read in it are all right, from 0.5 to 1.
    pub confidence: f64,
    /// How many different words it rests on.
    pub witnesses: usize,
    /// Whether this is little enough to be asked about.
    pub low: bool,
    /// The page next in line that reads them otherwise.
    pub runner_up: Option<Charset>,
    /// The page that is compared with that one: `page`, unless the base is in several, or in UTF-8 with
    /// stray bytes.
    pub compared: Option<Charset>,
    /// The words on which these two differ most, at most ten, as each reads them.
    pub samples: Vec<(String, String)>,
    /// In a base of UTF-8 with bytes that are not UTF-8: the page that reads these best.
    pub strays: Option<Charset>,
    /// If the base holds texts in several pages: these, and how many of the texts looked at are in
    /// each. Else nothing.
    pub mixed: Vec<(Charset, usize)>,
    pub(super) set: Option<Arc<PageSet>>,
}

impl CharsetGuess {
    /// Two words that are well-formed UTF-8 were never anything else when this was tried.
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

/// How likely the better of two readings is right that are this far apart.
fn confidence(margin: f32) -> f64 {
    1.0 / (1.0 + (-0.6 * f64::from(margin)).exp())
}

fn weigh(tokens: &Tokens<'_>, texts: &[Vec<usize>], origin: Origin) -> CharsetGuess {
    let ranking = Ranking::of(tokens, origin);
    let witnesses = tokens.list.len();
    if let Some(margin) = ranking.margin_of_utf8(tokens) {
        let confidence = confidence(margin);
        return CharsetGuess {
            confidence,
            low: confidence < SURE_OF_UTF8,
            ..CharsetGuess::utf8(witnesses)
        };
    }
    let choice = set::choose(&ranking, texts);
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
        low: confidence < SURE || witnesses < FEW && choice.margin < MARGIN_OF_FEW,
        runner_up: choice.replaced.and_then(|(_, new)| charset(new)),
        compared: choice.replaced.and_then(|(old, _)| charset(old)),
        samples,
        strays: None,
        mixed,
        set: Some(Arc::new(PageSet::of(ranking.pages_of(&choice.pages)))),
    };
    match is_utf8 {
        // How sure the page of the strays is does not matter to the others.
        true => CharsetGuess {
            strays: Some(page),
            runner_up: None,
            compared: None,
            samples: Vec::new(),
            set: guess.set,
            ..CharsetGuess::utf8(witnesses)
        },
        false => guess,
    }
}

/// Runs of ASCII letters and bytes from 80 that contain such a byte. A move such as `Кd4` is one token
/// ([`notation`]).
fn tokens(mut text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let ends = |byte: &u8| !byte.is_ascii_alphabetic() && byte.is_ascii();
    std::iter::from_fn(move || {
        // From one byte beyond ASCII to the next: most of a text has none.
        let whole = text;
        let (before, after) = whole.split_at_checked(first_wide(whole)?)?;
        let letters = before.iter().rev().position(ends);
        let start = before.len() - letters.unwrap_or(before.len());
        let length = after.iter().position(ends).unwrap_or(after.len());
        let end = before.len() + length;
        text = whole.get(end..)?;
        if let Some(token) = notation::move_at(whole, start..end) {
            return Some(token);
        }
        let token = whole.get(start..end)?;
        Some(whole_characters(token.get(..OF_TOKEN).unwrap_or(token)))
    })
}

/// Without the beginning of a character of UTF-8 at the end: fields are cut after so many bytes.
fn whole_characters(text: &[u8]) -> &[u8] {
    match std::str::from_utf8(text) {
        Err(error) if error.error_len().is_none() => {
            let whole = text.get(..error.valid_up_to()).unwrap_or_default();
            if whole.is_ascii() { text } else { whole }
        }
        _ => text,
    }
}

/// FNV-1a over tokens, each behind a zero.
fn hash(tokens: &[&[u8]]) -> u64 {
    let bytes = tokens
        .iter()
        .flat_map(|token| [0].into_iter().chain(token.iter().copied()));
    let hash = bytes.fold(0xCBF2_9CE4_8422_2325, |hash: u64, byte: u8| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
    });
    // The low bits of short texts are the best mixed ones; order is by the high ones.
    (hash ^ hash >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}
