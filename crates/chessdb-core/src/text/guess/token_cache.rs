//! A cache of scored words. The words of a database in several code pages recur often, and scoring
//! a word takes longer than reading a hundred moves.

use std::fmt;
use std::sync::Arc;

use super::page_set::{MAX_PAGES, PageSet};
use super::rank::ScoreBuffers;

/// Maximum number of cached words; each word has one possible slot.
const SLOTS: usize = 1 << 12;
/// Maximum length of a cached word in bytes.
const MAX_WORD_BYTES: usize = 31;

/// The scores of a token in the code pages of a database, in their order.
#[derive(Clone, Copy, Default)]
pub(super) struct TokenScores {
    pub(super) scores: [f32; MAX_PAGES],
    /// Bit mask of the code pages in which the well-formed sequences of the token read better as
    /// UTF-8.
    pub(super) sequences: u8,
}

/// The scored words of the texts of one database, one cache per thread. It contains nothing that
/// could not be computed again.
#[derive(Default)]
pub struct KnownTokens {
    /// The code pages that the entries apply to.
    of: Option<Arc<PageSet>>,
    /// Empty until the first use with a database in several code pages.
    slots: Vec<Slot>,
    buffers: ScoreBuffers,
}

#[derive(Clone, Copy, Default)]
struct Slot {
    key: Key,
    weighed: TokenScores,
}

/// The bytes of a word, padded with zeros, and its length in the last byte; an empty slot has
/// length 0.
type Key = [u8; MAX_WORD_BYTES + 1];

impl KnownTokens {
    /// Returns the scores of a token in the code pages of `set`.
    pub(super) fn score_token(&mut self, set: &Arc<PageSet>, token: &[u8]) -> TokenScores {
        if !self.of.as_ref().is_some_and(|of| Arc::ptr_eq(of, set)) {
            self.of = Some(Arc::clone(set));
            self.slots.clear();
            self.slots.resize(SLOTS, Slot::default());
        }
        let key = key(token);
        let slot = key.and_then(|key| Some((self.slots.get_mut(slot_index(&key))?, key)));
        let Some((slot, key)) = slot else {
            return set.score_token(token, &mut self.buffers);
        };
        if slot.key != key {
            let weighed = set.score_token(token, &mut self.buffers);
            *slot = Slot { key, weighed };
        }
        slot.weighed
    }
}

/// Returns the key of a token; `None` if the token is too long.
fn key(token: &[u8]) -> Option<Key> {
    let mut key = Key::default();
    let (length, bytes) = key.split_last_mut()?;
    bytes.get_mut(..token.len())?.copy_from_slice(token);
    *length = token.len() as u8;
    Some(key)
}

fn slot_index(key: &Key) -> usize {
    let words = key
        .as_chunks()
        .0
        .iter()
        .map(|word| u64::from_le_bytes(*word));
    let mixed = words.fold(0u64, |sum, word| {
        (sum.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    });
    (mixed >> 52) as usize % SLOTS
}

impl fmt::Debug for KnownTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let used = |slot: &&Slot| slot.key != Key::default();
        f.debug_struct("KnownTokens")
            .field("of", &self.of)
            .field("known", &self.slots.iter().filter(used).count())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{CharsetPrior, Evidence};
    use super::*;
    use crate::Charset;

    /// Returns the code pages of a database with two code pages.
    fn set() -> Arc<PageSet> {
        let mut evidence = Evidence::new();
        for (text, page) in [
            (
                "Каспаров Карпов Ботвинник Смыслов Таль Петросян",
                Charset::WINDOWS_1251,
            ),
            (
                "Müller Schöning Jägermeister Größe Übung Königsgambit",
                Charset::WINDOWS_1252,
            ),
        ] {
            for (n, word) in text.split(' ').enumerate() {
                let mut bytes = Vec::new();
                let words = format!("{word} {word}{n}");
                page.encode_strict(&words, &mut bytes).unwrap();
                evidence.add(&bytes);
            }
        }
        let guess = evidence.guess(CharsetPrior::AnyProgram).unwrap();
        assert_eq!(guess.mixed.len(), 2, "{guess:?}");
        guess.set.unwrap()
    }

    /// Compares with an implementation that scores every word again.
    #[test]
    fn cached_scores_equal_fresh_ones() {
        let (first, second) = (set(), set());
        let mut cache = KnownTokens::default();
        let mut state = 7u64;
        for round in 0..20_000 {
            // Few different words, so that they recur, and some that share a slot.
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            let length = (state >> 33) as usize % 40;
            let word: Vec<u8> = (0..length)
                .map(|n| 0x80 | (state >> (40 + n % 7)) as u8)
                .collect();
            let set = if round / 5000 % 2 == 0 { &first } else { &second };
            let text = [&word[..], b" x\n", &word[..length / 2]].concat();
            assert_eq!(set.best_cached(&text, &mut cache), set.best(&text));
            for page in [
                Charset::WINDOWS_1251,
                Charset::WINDOWS_1252,
                Charset::KOI8_R,
            ] {
                let may_be = set.may_be_utf8_cached(&text, page, &mut cache);
                assert_eq!(may_be, set.may_be_utf8(&text, page));
            }
        }
        let mut places: Vec<usize> = (0..=u8::MAX)
            .map(|n| slot_index(&key(&[n, 200]).unwrap()))
            .collect();
        places.sort_unstable();
        places.dedup();
        assert!(places.len() > 200, "{}", places.len());
    }
}
