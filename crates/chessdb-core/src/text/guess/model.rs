//! The likelihood of a word in each language, from pairs of letters (docs/encodings.md, section 2).

use std::sync::LazyLock;

/// The number of languages in the table.
pub(super) const LANGUAGES: usize = 17;

/// The logarithm of the likelihood of a word in each language; [`NEVER`] for languages in another
/// script.
pub(super) type ByLanguage = [f32; LANGUAGES];

/// A value below the logarithm of any likelihood.
pub(super) const NEVER: f32 = -1.0e4;

/// Generated from lists of names by `cargo xtask languages`; contains only letters and counts.
static TABLE: &[u8] = include_bytes!("languages.bin");

/// The weight of the second letter alone in the likelihood of a pair.
const KAPPA: f32 = 4.0;
/// The count of a letter of the language that the list lacks: a special letter of the language, or
/// one of a-z.
const OWN_LETTER_COUNT: f32 = 0.7;
const LATIN_LETTER_COUNT: f32 = 0.3;
/// The share of letters that do not belong to the language.
const FOREIGN_SHARE: f32 = 0.002;

/// The scripts of the languages, and one value for all others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Script {
    Latin,
    Greek,
    Cyrillic,
    Hebrew,
    Other,
}

impl Script {
    pub(super) fn from_char(letter: char) -> Script {
        match letter {
            '\0'..='\u{2AF}' | '\u{1E00}'..='\u{1EFF}' => Script::Latin,
            '\u{370}'..='\u{3FF}' | '\u{1F00}'..='\u{1FFF}' => Script::Greek,
            '\u{400}'..='\u{52F}' => Script::Cyrillic,
            '\u{590}'..='\u{5FF}' => Script::Hebrew,
            _ => Script::Other,
        }
    }
}

/// The number of a letter in the table, from 1; 0 is either end of a word, [`UNKNOWN`] a letter of
/// no language.
pub(super) type Letter = u8;
pub(super) const END: Letter = 0;
pub(super) const UNKNOWN: Letter = u8::MAX;

/// The tables of all languages side by side: a letter is added for all of them at once.
pub(super) struct Model {
    /// The letters in the order of their numbers, from 1.
    letters: Vec<char>,
    scripts: Vec<Script>,
    /// By letter: the logarithm of its likelihood regardless of the letter before.
    alone: Vec<ByLanguage>,
    /// By the letter before: the summand for a pair that was never seen.
    unseen: Vec<ByLanguage>,
    /// By both letters: the logarithm of the pair's likelihood, 0 if the pair was never seen.
    pairs: Vec<ByLanguage>,
    /// The logarithm of the likelihood of a letter that belongs to no language.
    foreign: f32,
}

/// The model; its logarithms are computed at the first use.
pub(super) static MODEL: LazyLock<Model> = LazyLock::new(|| Model::parse(TABLE));

impl Model {
    /// Parses the table; a truncated table is parsed as far as it goes.
    fn parse(table: &[u8]) -> Model {
        let mut rest = table;
        let letters = block(&mut rest, 1);
        let letters: Vec<char> = String::from_utf8_lossy(letters).chars().collect();
        let size = letters.len() + 1;
        let mut model = Model {
            foreign: (FOREIGN_SHARE / letters.len().max(1) as f32).ln(),
            letters,
            scripts: Vec::with_capacity(LANGUAGES),
            alone: vec![[0.0; LANGUAGES]; size],
            unseen: vec![[0.0; LANGUAGES]; size],
            pairs: vec![[0.0; LANGUAGES]; size * size],
        };
        for number in 0..LANGUAGES {
            // The name is for people who read the table.
            block(&mut rest, 1);
            let own = block(&mut rest, 1);
            let pairs = block(&mut rest, 3);
            model.fill(number, own, pairs.as_chunks().0);
        }
        model
    }

    /// Adds a language: its own letters, and its pairs with their counts.
    fn fill(&mut self, number: usize, own: &[u8], pairs: &[[u8; 3]]) {
        let is_own = |letter: usize| own.iter().any(|&own| usize::from(own) == letter);
        let first = own.first().map(|&own| usize::from(own));
        let char_of = |letter: usize| self.letters.get(letter.wrapping_sub(1)).copied();
        let script = first
            .and_then(char_of)
            .map_or(Script::Other, Script::from_char);
        let size = self.alone.len();
        let mut next = vec![0.0f32; size];
        let mut before = vec![0.0f32; size];
        for &[a, b, count] in pairs {
            let add = |counts: &mut Vec<f32>, letter: u8| {
                if let Some(sum) = counts.get_mut(usize::from(letter)) {
                    *sum += f32::from(count);
                }
            };
            add(&mut next, b);
            add(&mut before, a);
        }
        for (letter, count) in next.iter_mut().enumerate() {
            let is_latin = char_of(letter).is_some_and(|c| c.is_ascii());
            *count += match () {
                () if is_own(letter) => OWN_LETTER_COUNT,
                () if is_latin && script == Script::Latin => LATIN_LETTER_COUNT,
                () => 0.0,
            };
        }
        let sum: f32 = next.iter().sum();
        let letters = self.letters.len() as f32;
        let share = |count: f32| (1.0 - FOREIGN_SHARE) * count / sum + FOREIGN_SHARE / letters;
        let shares: Vec<f32> = next.into_iter().map(share).collect();
        for &[a, b, count] in pairs {
            let (a, b) = (usize::from(a), usize::from(b));
            let of_first = before.get(a).copied().unwrap_or_default();
            let share = shares.get(b).copied().unwrap_or_default();
            let pair = ((f32::from(count) + KAPPA * share) / (of_first + KAPPA)).ln();
            put(&mut self.pairs, a * size + b, number, pair);
        }
        for (letter, (share, before)) in shares.into_iter().zip(before).enumerate() {
            put(&mut self.alone, letter, number, share.ln());
            let unseen = (KAPPA / (before + KAPPA)).ln();
            put(&mut self.unseen, letter, number, unseen);
        }
        self.scripts.push(script);
    }

    /// Returns the number of a lower-case letter.
    pub(super) fn letter(&self, small: char) -> Letter {
        self.letters
            .binary_search(&small)
            .ok()
            .and_then(|index| Letter::try_from(index + 1).ok())
            .unwrap_or(UNKNOWN)
    }

    /// Returns the likelihoods of an empty word: 1 in the languages of this script.
    pub(super) fn start(&self, script: Script) -> ByLanguage {
        let mut start = [NEVER; LANGUAGES];
        for (sum, &own) in start.iter_mut().zip(&self.scripts) {
            if own == script || script == Script::Other {
                *sum = 0.0;
            }
        }
        start
    }

    /// Adds the pair to the likelihood in each language.
    pub(super) fn add(&self, before: Letter, letter: Letter, to: &mut ByLanguage) {
        let (before, letter) = (usize::from(before), usize::from(letter));
        let Some(alone) = self.alone.get(letter) else {
            to.iter_mut().for_each(|sum| *sum += self.foreign);
            return;
        };
        let (Some(unseen), Some(pairs)) = (
            self.unseen.get(before),
            self.pairs.get(before * self.alone.len() + letter),
        ) else {
            to.iter_mut()
                .zip(alone)
                .for_each(|(sum, alone)| *sum += alone);
            return;
        };
        let never_seen = unseen.iter().zip(alone);
        for ((sum, pair), (unseen, alone)) in to.iter_mut().zip(pairs).zip(never_seen) {
            *sum += if *pair < 0.0 { *pair } else { unseen + alone };
        }
    }
}

fn put(lists: &mut [ByLanguage], index: usize, language: usize, value: f32) {
    let list = lists.get_mut(index);
    if let Some(slot) = list.and_then(|list| list.get_mut(language)) {
        *slot = value;
    }
}

/// Reads a block that is preceded by its length in units of `unit` bytes.
fn block<'t>(rest: &mut &'t [u8], unit: usize) -> &'t [u8] {
    let Some((length, tail)) = rest.split_first_chunk() else {
        return &[];
    };
    let length = usize::from(u16::from_le_bytes(*length)) * unit;
    let (block, tail) = tail.split_at_checked(length).unwrap_or((tail, &[]));
    *rest = tail;
    block
}

#[cfg(test)]
mod tests {
    use super::*;

    fn likelihood(word: &str, script: Script) -> ByLanguage {
        let mut sum = MODEL.start(script);
        let mut before = END;
        for letter in word.chars().map(|c| MODEL.letter(c)).chain([END]) {
            MODEL.add(before, letter, &mut sum);
            before = letter;
        }
        sum
    }

    fn best(word: &str, script: Script) -> usize {
        let sums = likelihood(word, script);
        sums.iter()
            .enumerate()
            .max_by(|a, b| a.1.total_cmp(b.1))
            .unwrap()
            .0
    }

    /// The numbers refer to the lists in xtask/src/languages.rs.
    #[test]
    fn words_score_best_in_their_language() {
        assert_eq!(best("müller", Script::Latin), 2);
        assert_eq!(best("szczęsny", Script::Latin), 6);
        assert_eq!(best("андрій", Script::Cyrillic), 13);
        assert_eq!(best("παπαδόπουλος", Script::Greek), 15);
        assert!(likelihood("müller", Script::Cyrillic)[2] < NEVER);
    }

    /// The likelihoods of all letters after a given one add up to 1 in every language.
    #[test]
    fn letter_likelihoods_sum_to_one() {
        let size = MODEL.alone.len() as u8;
        for before in 0..size {
            let mut sums = [0.0; LANGUAGES];
            for letter in 0..size {
                let mut pair = [0.0; LANGUAGES];
                MODEL.add(before, letter, &mut pair);
                sums.iter_mut()
                    .zip(pair)
                    .for_each(|(sum, pair)| *sum += pair.exp());
            }
            let right = |sum: &f32| (sum - 1.0).abs() < 0.01;
            assert!(sums.iter().all(right), "{before}: {sums:?}");
        }
    }

    #[test]
    fn truncated_table_parses() {
        for length in [0, 1, 2, 100, 450, TABLE.len() - 1] {
            Model::parse(&TABLE[..length]);
        }
    }
}
