//! Databases with texts in several code pages (docs/encodings.md, section 3).

use std::fmt;
use std::sync::Arc;

use super::rank::{PageReader, Ranking, ScoreBuffers};
use super::token_cache::{KnownTokens, TokenScores};
use super::tokens;
use crate::Charset;

/// The gain that a text needs to have another code page than most, and that a database needs for an
/// additional code page.
const OTHER_PAGE_COST: f32 = 4.0;
const ADDED_PAGE_COST: f32 = 14.0;
/// The maximum number of code pages of a database.
pub(super) const MAX_PAGES: usize = 4;

/// The code pages of a database, by their number in the ranking.
pub(super) struct PageChoice {
    /// The chosen code pages, the one of most texts first.
    pub(super) pages: Vec<usize>,
    /// The number of texts in each.
    pub(super) texts: Vec<usize>,
    /// How much worse the best alternative with one code page replaced is.
    pub(super) margin: f32,
    /// The code page that the alternative replaces, and its replacement.
    pub(super) replaced: Option<(usize, usize)>,
}

/// Chooses the code pages: the best one, and others that improve the total.
pub(super) fn choose(ranking: &Ranking, texts: &[Vec<usize>]) -> PageChoice {
    let values = Values::new(ranking, texts);
    let pages = 0..ranking.pages.len();
    let total = |number: usize| {
        ranking
            .pages
            .get(number)
            .map_or(f32::MIN, |page| page.total)
    };
    let best_of = |numbers: &mut dyn Iterator<Item = usize>| {
        numbers.fold(None, |best: Option<usize>, number| match best {
            Some(best) if total(best) >= total(number) => Some(best),
            _ => Some(number),
        })
    };
    let first = best_of(&mut pages.clone()).unwrap_or_default();
    let mut chosen = vec![first];
    values.extend(&mut chosen);
    let counts = values.counts(&chosen);
    let (margin, replaced) = match chosen[..] {
        [only] => {
            let next = best_of(&mut pages.filter(|&number| number != only));
            let margin = next.map_or(f32::MAX, |next| total(only) - total(next));
            (margin, next.map(|next| (only, next)))
        }
        _ => values.next_best(&chosen),
    };
    PageChoice {
        pages: chosen,
        texts: counts,
        margin,
        replaced,
    }
}

/// The score of each code page for each text.
struct Values {
    /// By code page, then by text.
    values: Vec<Vec<f32>>,
    priors: Vec<f32>,
    /// The total if every text had its best code page.
    maximum: f32,
}

impl Values {
    fn new(ranking: &Ranking, texts: &[Vec<usize>]) -> Values {
        let of_text = |scores: &[f32], text: &[usize]| -> f32 {
            text.iter().filter_map(|&token| scores.get(token)).sum()
        };
        let by_page = ranking.pages.iter().map(|page| {
            texts
                .iter()
                .map(|text| of_text(&page.scores, text))
                .collect::<Vec<f32>>()
        });
        let values: Vec<Vec<f32>> = by_page.collect();
        let maxima = (0..texts.len()).map(|text| {
            values
                .iter()
                .filter_map(|page| page.get(text))
                .copied()
                .fold(f32::MIN, f32::max)
        });
        Values {
            maximum: maxima.sum(),
            priors: ranking.pages.iter().map(|page| page.prior).collect(),
            values,
        }
    }

    fn text_value(&self, page: usize, text: usize, first: bool) -> f32 {
        self.values
            .get(page)
            .and_then(|page| page.get(text))
            .unwrap_or(&f32::MIN)
            - if first { 0.0 } else { OTHER_PAGE_COST }
    }

    fn len(&self) -> usize {
        self.values.first().map_or(0, Vec::len)
    }

    /// Returns the total score of these code pages together.
    fn value(&self, pages: &[usize]) -> f32 {
        let of_text = |text: usize| {
            let values = pages.iter().enumerate();
            values
                .map(|(index, &page)| self.text_value(page, text, index == 0))
                .fold(f32::MIN, f32::max)
        };
        let priors = pages.iter().filter_map(|&page| self.priors.get(page));
        let more = ADDED_PAGE_COST * pages.len().saturating_sub(1) as f32;
        (0..self.len()).map(of_text).sum::<f32>() + priors.sum::<f32>() - more
    }

    /// Adds code pages, or replaces a single one by a pair, as long as that improves the total.
    fn extend(&self, pages: &mut Vec<usize>) {
        let all = 0..self.values.len();
        let mut value = self.value(pages);
        // No set of more pages can score above `maximum` less the cost of a page.
        while pages.len() < MAX_PAGES && self.maximum - ADDED_PAGE_COST > value {
            let mut best: Option<(f32, Vec<usize>)> = None;
            let mut score_token = |set: Vec<usize>| {
                let value = self.value(&set);
                if best.as_ref().is_none_or(|(best, _)| value > *best) {
                    best = Some((value, set));
                }
            };
            for page in all.clone().filter(|page| !pages.contains(page)) {
                score_token(pages.iter().copied().chain([page]).collect());
            }
            // The best pair need not contain the best single page.
            if pages.len() == 1 {
                for first in all.clone() {
                    for second in all.clone().filter(|&second| second != first) {
                        score_token(vec![first, second]);
                    }
                }
            }
            match best {
                Some((better, set)) if better > value => {
                    value = better;
                    *pages = set;
                }
                _ => return,
            }
        }
    }

    /// Returns the number of texts in each of these code pages.
    fn counts(&self, pages: &[usize]) -> Vec<usize> {
        let mut counts = vec![0; pages.len()];
        for text in 0..self.len() {
            let values = pages.iter().enumerate();
            let values =
                values.map(|(index, &page)| (index, self.text_value(page, text, index == 0)));
            let best = values.fold(
                (0, f32::MIN),
                |best, next| {
                    if next.1 > best.1 { next } else { best }
                },
            );
            if let Some(count) = counts.get_mut(best.0) {
                *count += 1;
            }
        }
        counts
    }

    /// Returns the best alternative with one code page replaced: the loss in score, and the old and
    /// new code page.
    fn next_best(&self, pages: &[usize]) -> (f32, Option<(usize, usize)>) {
        let value = self.value(pages);
        let mut next = (f32::MAX, None);
        for (index, &old) in pages.iter().enumerate() {
            for new in (0..self.values.len()).filter(|page| !pages.contains(page)) {
                let mut set = pages.to_vec();
                if let Some(page) = set.get_mut(index) {
                    *page = new;
                }
                let margin = value - self.value(&set);
                if margin < next.0 {
                    next = (margin, Some((old, new)));
                }
            }
        }
        next
    }
}

/// The code pages of a database, prepared for judging its texts.
pub(crate) struct PageSet(Vec<(Charset, PageReader)>);

impl PageSet {
    pub(super) fn new(pages: Vec<(Charset, PageReader)>) -> PageSet {
        PageSet(pages)
    }

    /// Returns the code page in which a text reads best; `None` if there is only one.
    pub(crate) fn best(&self, text: &[u8]) -> Option<Charset> {
        let mut buffers = ScoreBuffers::default();
        self.best_by(text, |token| self.score_token(token, &mut buffers))
    }

    /// Like [`PageSet::best`], with a cache of scored words for the next text.
    pub(crate) fn best_cached(
        self: &Arc<PageSet>,
        text: &[u8],
        cache: &mut KnownTokens,
    ) -> Option<Charset> {
        self.best_by(text, |token| cache.score_token(self, token))
    }

    fn best_by(
        &self,
        text: &[u8],
        mut score_token: impl FnMut(&[u8]) -> TokenScores,
    ) -> Option<Charset> {
        if self.0.len() < 2 || text.is_ascii() {
            return None;
        }
        let mut sums = [0.0; MAX_PAGES];
        for token in tokens(text) {
            let weighed = score_token(token);
            for (sum, score) in sums.iter_mut().zip(weighed.scores) {
                *sum += score;
            }
        }
        let mut best = (f32::MIN, None);
        for (index, ((charset, _), sum)) in self.0.iter().zip(sums).enumerate() {
            let value = sum - if index == 0 { 0.0 } else { OTHER_PAGE_COST };
            if value > best.0 {
                best = (value, Some(*charset));
            }
        }
        best.1
    }

    /// Returns the scores of a token in each code page.
    pub(super) fn score_token(&self, token: &[u8], buffers: &mut ScoreBuffers) -> TokenScores {
        let mut weighed = TokenScores::default();
        for (index, (slot, (_, reader))) in weighed.scores.iter_mut().zip(&self.0).enumerate() {
            let (score, reads_sequences) = reader.score(token, buffers);
            *slot = score;
            weighed.sequences |= u8::from(reads_sequences) << index;
        }
        weighed
    }

    /// Returns whether a text in this code page may be UTF-8 or contain words in UTF-8: if UTF-8 is
    /// common in the database, or a word reads better as UTF-8.
    pub(crate) fn may_be_utf8(&self, text: &[u8], page: Charset) -> bool {
        let reader = self.0.iter().find(|(charset, _)| *charset == page);
        reader.is_none_or(|(_, reader)| {
            let mut tokens = tokens(text);
            reader.has_much_utf8() || tokens.any(|token| reader.reads_sequences(token))
        })
    }

    /// Like [`PageSet::may_be_utf8`], with a cache of scored words for the next text.
    pub(crate) fn may_be_utf8_cached(
        self: &Arc<PageSet>,
        text: &[u8],
        page: Charset,
        cache: &mut KnownTokens,
    ) -> bool {
        let mut readers = self.0.iter().enumerate();
        let Some((index, (_, reader))) = readers.find(|(_, (charset, _))| *charset == page) else {
            return true;
        };
        let mut tokens = tokens(text);
        reader.has_much_utf8()
            || tokens.any(|token| cache.score_token(self, token).sequences >> index & 1 == 1)
    }
}

impl fmt::Debug for PageSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.0.iter().map(|(page, _)| page))
            .finish()
    }
}
