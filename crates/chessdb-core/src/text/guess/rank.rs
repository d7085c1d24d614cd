//! The score of each code page for the tokens of a database (docs/encodings.md, sections 2 and 3).

use super::candidates::CharsetPrior;
use super::model::{ByLanguage, LANGUAGES, NEVER};
use super::score::{Glyph, PageGlyphs, TokenReading, mixed, score};
use super::{notation, unicode};
use crate::Charset;
use crate::sorting::sort_by;
use crate::text::Text;
use crate::text::mixed::has_sequence;

/// Number of iterations after which the shares of languages and the readings are stable.
const ROUNDS: usize = 4;
/// The initial count of each language.
const INITIAL_COUNT: f32 = 0.3;
/// If there are more than `FULL_SCORE_TOKENS` tokens, only some code pages are scored in full,
/// based on a quick estimate: the `ALWAYS_SCORED` best, all within `MAX_DEFICIT` plus
/// `MAX_DEFICIT_PER_TOKEN` per token of the best, and all that are better by `MIN_GAIN` for some
/// tokens.
const FULL_SCORE_TOKENS: usize = 64;
const ALWAYS_SCORED: usize = 4;
const MAX_DEFICIT: f32 = 30.0;
const MAX_DEFICIT_PER_TOKEN: f32 = 0.5;
const MIN_GAIN: f32 = 14.0;
/// The number of words in UTF-8, per word in a code page, that makes a database one of UTF-8.
const WORDS_PER_STRAY: usize = 9;
/// The number of words in UTF-8 that makes a database one of UTF-8 if one word is not.
const WORDS_BESIDE_ONE_STRAY: usize = 2;
/// The bonus if the only token of a database is well-formed UTF-8.
const SINGLE_TOKEN_BONUS: f32 = 4.0;

/// The tokens, and their evidence about UTF-8.
pub(super) struct Tokens<'t> {
    pub(super) list: &'t [&'t [u8]],
    /// Whether each token has a well-formed sequence.
    has_sequence: Vec<bool>,
    /// For each token, the log-likelihood as UTF-8 in any language if it is completely well-formed.
    unicode: Vec<f32>,
    /// The number of completely well-formed tokens.
    pub(super) well_formed: usize,
    /// The prior bonus of a reading as UTF-8.
    pub(super) bonus: f32,
}

impl<'t> Tokens<'t> {
    pub(super) fn new(list: &'t [&'t [u8]]) -> Tokens<'t> {
        let well_formed = |token: &&&[u8]| std::str::from_utf8(token).is_ok();
        let well_formed = list.iter().filter(well_formed).count();
        let (v, n) = (well_formed as f32, list.len() as f32);
        Tokens {
            list,
            has_sequence: list.iter().map(|token| has_sequence(token)).collect(),
            unicode: list
                .iter()
                .map(|token| likelihood_in_any_language(token))
                .collect(),
            well_formed,
            bonus: ((v + 0.5) / (n - v + 0.5)).ln().clamp(-6.0, 8.0),
        }
    }
}

/// Returns the log-likelihood of a token as UTF-8 in any language; [`NEVER`] if it is malformed,
/// and for moves, which have no language.
fn likelihood_in_any_language(token: &[u8]) -> f32 {
    std::str::from_utf8(token)
        .ok()
        .filter(|_| !notation::is_move(token))
        .map_or(NEVER, unicode::likelihood)
}

/// A code page with its scores.
pub(super) struct ScoredPage {
    pub(super) charset: Charset,
    pub(super) prior: f32,
    pub(super) reader: PageReader,
    /// The scores by token.
    pub(super) scores: Vec<f32>,
    /// The sum of all token scores and the prior.
    pub(super) total: f32,
}

/// The data for scoring a token in a code page: the characters of the code page, the shares of
/// languages, and the bonus of UTF-8.
pub(super) struct PageReader {
    glyphs: PageGlyphs,
    shares: ByLanguage,
    bonus: f32,
}

/// The code pages that read the tokens differently, the one with the highest prior first.
pub(super) struct Ranking {
    pub(super) pages: Vec<ScoredPage>,
}

impl Ranking {
    pub(super) fn new(tokens: &Tokens<'_>, origin: CharsetPrior) -> Ranking {
        let mut is_used = [false; 0x100];
        for &byte in tokens.list.iter().copied().flatten() {
            if let Some(is_used) = is_used.get_mut(usize::from(byte)) {
                *is_used = true;
            }
        }
        let used = (0..=0xFFu8).zip(is_used).filter(|&(_, is_used)| is_used);
        let used: Vec<u8> = used
            .map(|(byte, _)| byte)
            .filter(|byte| !byte.is_ascii())
            .collect();
        let mut candidates: Vec<(Charset, f32)> = origin.pages(tokens.list.len()).collect();
        sort_by(&mut candidates, |a, b| b.1.total_cmp(&a.1));
        // Of several code pages that read everything alike, only the one with the highest prior is
        // kept.
        let mut seen: Vec<Vec<char>> = Vec::new();
        let mut drafts = Vec::new();
        let mut glyphs = Vec::new();
        for (charset, prior) in candidates {
            let page = PageGlyphs::new(charset);
            page.by_page(&used, &mut glyphs);
            let letters: Vec<char> = glyphs.iter().map(|glyph| glyph.char).collect();
            if !seen.contains(&letters) {
                seen.push(letters);
                drafts.push((charset, prior, page));
            }
        }
        let worth = worth_scoring(&drafts, tokens);
        let pages = drafts.into_iter().zip(worth).filter(|(_, worth)| *worth);
        let pages =
            pages.map(|((charset, prior, page), _)| ScoredPage::new(charset, prior, page, tokens));
        Ranking {
            pages: pages.collect(),
        }
    }

    /// Returns how much better UTF-8 reads the only token of a database than the best code page;
    /// `None` if it does not.
    pub(super) fn margin_of_utf8(&self, tokens: &Tokens<'_>) -> Option<f32> {
        let ([token], 1, Some(page)) = (tokens.list, tokens.well_formed, self.pages.first()) else {
            return None;
        };
        let mut glyphs = Vec::new();
        page.reader.glyphs.by_sequences(token, &mut glyphs);
        let mut words = Vec::new();
        let reading = score(&glyphs, &mut words);
        let shares = shares(&words, [(LANGUAGES as f32).recip().ln(); LANGUAGES]);
        let utf8 = value(&reading, &words, &shares).max(likelihood_in_any_language(token))
            + SINGLE_TOKEN_BONUS;
        let best = self.pages.iter().map(|page| page.total);
        let margin = utf8 - best.fold(f32::MIN, f32::max);
        (margin > 0.0).then_some(margin)
    }

    /// Returns whether the database is UTF-8 with stray bytes that this code page reads best: few
    /// words are in the code page alone, or each of these is a fragment of a word in UTF-8.
    pub(super) fn is_utf8_with_strays(&self, tokens: &Tokens<'_>, page: usize) -> bool {
        let Some(page) = self.pages.get(page) else {
            return false;
        };
        let (mut whole, mut pieces, mut others) = (0, 0, 0);
        for token in tokens.list {
            let is_valid = std::str::from_utf8(token).is_ok();
            if is_valid && page.reader.reads_sequences(token) {
                whole += 1;
            } else if !is_valid && is_fragment(token) {
                pieces += 1;
            } else {
                others += 1;
            }
        }
        // A single broken word among several in UTF-8 is damage, however small the file is.
        let needed = match others {
            1 => WORDS_BESIDE_ONE_STRAY,
            others => WORDS_PER_STRAY * others,
        };
        whole > 0 && pieces + others > 0 && whole >= pieces + needed
    }

    /// Returns the readers of these code pages.
    pub(super) fn pages_of(self, numbers: &[usize]) -> Vec<(Charset, PageReader)> {
        let mut pages: Vec<Option<ScoredPage>> = self.pages.into_iter().map(Some).collect();
        let page = |&number: &usize| pages.get_mut(number)?.take();
        numbers
            .iter()
            .filter_map(page)
            .map(|page| (page.charset, page.reader))
            .collect()
    }

    /// Returns the tokens that favour code page `best` over `next` most, as both read them.
    pub(super) fn samples(
        &self,
        tokens: &Tokens<'_>,
        best: usize,
        next: usize,
    ) -> Vec<(String, String)> {
        let (Some(best), Some(next)) = (self.pages.get(best), self.pages.get(next)) else {
            return Vec::new();
        };
        let scores = best.scores.iter().zip(&next.scores);
        let mut order: Vec<(f32, &[u8])> = scores
            .zip(tokens.list)
            .map(|((best, next), &token)| (best - next, token))
            // Words in UTF-8 are no evidence for a code page.
            .filter(|(_, token)| !best.reader.reads_sequences(token))
            .collect();
        sort_by(&mut order, |a, b| b.0.total_cmp(&a.0));
        let shown = |token: &[u8], page: &ScoredPage| {
            Text::new(token, page.charset)
                .decode()
                .trim_matches(|c: char| c.is_ascii_digit())
                .to_owned()
        };
        order
            .into_iter()
            .map(|(_, token)| (shown(token, best), shown(token, next)))
            .filter(|(best, next)| best != next)
            .take(super::MAX_SAMPLES)
            .collect()
    }
}

/// Returns whether a token is truncated UTF-8: malformed only because its last character is
/// incomplete.
fn is_fragment(token: &[u8]) -> bool {
    std::str::from_utf8(token).is_err_and(|error| error.error_len().is_none())
}

/// Returns which code pages may be the best or second best, or apply to some texts, estimated with
/// the most likely language of each word.
fn worth_scoring(pages: &[(Charset, f32, PageGlyphs)], tokens: &Tokens<'_>) -> Vec<bool> {
    // The exact scores of few tokens cost no more than an estimate.
    if tokens.list.len() <= FULL_SCORE_TOKENS {
        return vec![true; pages.len()];
    }
    let scores = pages.iter().map(|(_, prior, glyphs)| {
        let scores = quick_scores(glyphs, tokens);
        (scores.iter().sum::<f32>() + prior, scores)
    });
    let scores: Vec<(f32, Vec<f32>)> = scores.collect();
    let mut order: Vec<&(f32, Vec<f32>)> = scores.iter().collect();
    sort_by(&mut order, |a, b| b.0.total_cmp(&a.0));
    let (Some((best, of_best)), Some((last, _))) = (order.first(), order.get(ALWAYS_SCORED - 1))
    else {
        return vec![true; pages.len()];
    };
    let enough = best - MAX_DEFICIT - MAX_DEFICIT_PER_TOKEN * tokens.list.len() as f32;
    let gain = |own: &[f32]| -> f32 {
        own.iter()
            .zip(of_best)
            .map(|(own, best)| (own - best).max(0.0))
            .sum()
    };
    scores
        .iter()
        .map(|(total, own)| total >= last || *total >= enough || gain(own) >= MIN_GAIN)
        .collect()
}

/// Returns the scores of the tokens if each word is in its most likely language.
fn quick_scores(glyphs: &PageGlyphs, tokens: &Tokens<'_>) -> Vec<f32> {
    let mut buffers = ScoreBuffers::default();
    let mut value = |fill: &dyn Fn(&mut Vec<Glyph>)| {
        fill(&mut buffers.glyphs);
        buffers.words.clear();
        let fixed = score(&buffers.glyphs, &mut buffers.words).fixed;
        let likeliest = |word: &ByLanguage| word.iter().copied().fold(NEVER, f32::max);
        fixed + buffers.words.iter().map(likeliest).sum::<f32>()
    };
    let scores = tokens.list.iter().zip(&tokens.has_sequence);
    let scores = scores.zip(&tokens.unicode);
    let scores = scores.map(|((token, &has_sequence), unicode)| {
        let by_page = value(&|out| glyphs.by_page(token, out));
        if !has_sequence {
            return by_page;
        }
        let by_sequences = value(&|out| glyphs.by_sequences(token, out));
        by_page.max(by_sequences.max(*unicode) + tokens.bonus)
    });
    scores.collect()
}

impl ScoredPage {
    fn new(charset: Charset, prior: f32, glyphs: PageGlyphs, tokens: &Tokens<'_>) -> ScoredPage {
        let mut buffer = Vec::new();
        let mut words = Vec::with_capacity(tokens.list.len());
        let readings: Vec<(TokenReading, Option<TokenReading>)> = tokens
            .list
            .iter()
            .zip(&tokens.has_sequence)
            .map(|(token, &has_sequence)| {
                glyphs.by_page(token, &mut buffer);
                let by_page = score(&buffer, &mut words);
                let by_sequences = has_sequence.then(|| {
                    glyphs.by_sequences(token, &mut buffer);
                    score(&buffer, &mut words)
                });
                (by_page, by_sequences)
            })
            .collect();
        let mut even = [(LANGUAGES as f32).recip().ln(); LANGUAGES];
        // Expectation maximisation: the shares decide how a token is read, and the readings decide
        // the shares.
        for _ in 0..ROUNDS {
            let mut counted = Vec::with_capacity(words.len());
            for ((by_page, by_sequences), unicode) in readings.iter().zip(&tokens.unicode) {
                let better = by_sequences.as_ref().filter(|other| {
                    value(other, &words, &even).max(*unicode) + tokens.bonus
                        > value(by_page, &words, &even)
                });
                let reading = better.unwrap_or(by_page);
                counted.extend(words.get(reading.words.clone()).unwrap_or_default());
            }
            even = shares(&counted, even);
        }
        let scores = readings.iter().zip(&tokens.unicode);
        let scores = scores.map(|((by_page, by_sequences), unicode)| {
            let by_page = value(by_page, &words, &even);
            by_sequences.as_ref().map_or(by_page, |other| {
                by_page.max(value(other, &words, &even).max(*unicode) + tokens.bonus)
            })
        });
        let scores: Vec<f32> = scores.collect();
        ScoredPage {
            charset,
            prior,
            reader: PageReader {
                glyphs,
                shares: even,
                bonus: tokens.bonus,
            },
            total: scores.iter().sum::<f32>() + prior,
            scores,
        }
    }
}

impl PageReader {
    /// Returns the score of a token in the better of its readings, and whether that is the one with
    /// well-formed sequences as UTF-8.
    pub(super) fn score(&self, token: &[u8], buffers: &mut ScoreBuffers) -> (f32, bool) {
        let by_page = self.by_page(token, buffers);
        if !has_sequence(token) {
            return (by_page, false);
        }
        let by_sequences = self
            .by_sequences(token, buffers)
            .max(likelihood_in_any_language(token));
        let by_sequences = by_sequences + self.bonus;
        (by_page.max(by_sequences), by_sequences > by_page)
    }

    /// Returns whether a token has well-formed sequences and reads better with these as UTF-8.
    pub(super) fn reads_sequences(&self, token: &[u8]) -> bool {
        has_sequence(token) && self.score(token, &mut ScoreBuffers::default()).1
    }

    /// Returns whether more than half of the database is UTF-8.
    pub(super) fn has_much_utf8(&self) -> bool {
        self.bonus > 0.0
    }

    fn by_page(&self, token: &[u8], buffers: &mut ScoreBuffers) -> f32 {
        self.glyphs.by_page(token, &mut buffers.glyphs);
        self.value(buffers)
    }

    fn by_sequences(&self, token: &[u8], buffers: &mut ScoreBuffers) -> f32 {
        self.glyphs.by_sequences(token, &mut buffers.glyphs);
        self.value(buffers)
    }

    fn value(&self, buffers: &mut ScoreBuffers) -> f32 {
        buffers.words.clear();
        let reading = score(&buffers.glyphs, &mut buffers.words);
        value(&reading, &buffers.words, &self.shares)
    }
}

/// Reusable memory for scoring tokens.
#[derive(Default)]
pub(super) struct ScoreBuffers {
    glyphs: Vec<Glyph>,
    words: Vec<ByLanguage>,
}

fn value(reading: &TokenReading, words: &[ByLanguage], shares: &ByLanguage) -> f32 {
    let words = words.get(reading.words.clone()).unwrap_or_default();
    reading.fixed + words.iter().map(|word| mixed(word, shares)).sum::<f32>()
}

/// Returns the shares of the languages in these words, given the previous estimate.
fn shares(words: &[ByLanguage], before: ByLanguage) -> ByLanguage {
    let mut counts = [INITIAL_COUNT; LANGUAGES];
    for word in words {
        let all = mixed(word, &before);
        for ((count, word), share) in counts.iter_mut().zip(word).zip(&before) {
            let part = word + share - all;
            // A smaller part disappears when an `f32` is rounded.
            if part > -16.0 {
                *count += part.exp();
            }
        }
    }
    let sum: f32 = counts.iter().sum();
    counts.map(|count| (count / sum).ln())
}
