//! The names of a list that may belong to the person of another name, found without comparing all.

use std::collections::HashMap;

use crate::person::{NameMatch, SharedWords, match_names, sounds};

/// Folded names, by hashes of their words: two names of one person have a hash in common.
#[derive(Clone, Default, Debug)]
pub(crate) struct SimilarNames {
    names: Vec<Box<str>>,
    numbers: HashMap<Box<str>, u32>,
    by_word: HashMap<u64, Vec<u32>>,
}

impl SimilarNames {
    /// Returns the number of a name, which it gets if it has none. The numbers begin with 0.
    pub(crate) fn add(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.names.len() as u32;
        self.names.push(name.into());
        self.numbers.insert(name.into(), number);
        for hash in word_hashes(name) {
            self.by_word.entry(hash).or_default().push(number);
        }
        number
    }

    /// Returns the number of names.
    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    /// Returns the numbers of the names for which [`match_names`] does not return
    /// [`NameMatch::Different`], ascending.
    pub(crate) fn matches(&self, name: &str) -> Vec<u32> {
        let with_word = word_hashes(name);
        let numbers = with_word.iter().filter_map(|hash| self.by_word.get(hash));
        let mut numbers: Vec<u32> = numbers.flatten().copied().collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers.retain(|&number| {
            let other = self.names.get(number as usize);
            other.is_some_and(|other| match_names(name, other) != NameMatch::Different)
        });
        // Equal texts without any word are equal names too.
        if numbers.is_empty() {
            numbers.extend(self.numbers.get(name));
        }
        numbers
    }
}

/// The number of letters up to which a word may have wrong letters.
const MAX_LETTERS: usize = 66;

/// Returns hashes of the words of a folded name, each once. Two names that are not different have
/// one in common.
fn word_hashes(name: &str) -> Vec<u64> {
    const ALL: [usize; 2] = [usize::MAX; 2];
    let words = SharedWords::parse(name);
    let mut hashes = vec![hash_without(words.all.join(" ").as_bytes(), ALL)];
    for word in words.whole {
        let letters = word.as_bytes();
        hashes.push(hash_without(letters, ALL));
        hashes.push(hash_without(sounds(word).as_bytes(), ALL));
        match letters.len() {
            0..4 => {}
            // With a letter wrong, missing or exchanged with the next one, two words are equal without a
            // letter each, or one of them as it is. Long words may have two such letters.
            length @ 4..=MAX_LETTERS => {
                for first in 0..length {
                    hashes.push(hash_without(letters, [first, usize::MAX]));
                    if length >= SharedWords::LONG {
                        let seconds = first + 1..length;
                        hashes.extend(seconds.map(|second| hash_without(letters, [first, second])));
                    }
                }
            }
            // Longer words may only have exchanged letters.
            _ => {
                let mut letters = letters.to_vec();
                letters.sort_unstable();
                hashes.push(hash_without(&letters, ALL));
            }
        }
    }
    hashes.sort_unstable();
    hashes.dedup();
    hashes
}

/// Returns a hash (FNV-1a) of the bytes without those at two places.
fn hash_without(bytes: &[u8], places: [usize; 2]) -> u64 {
    let retained = bytes
        .iter()
        .enumerate()
        .filter(|(n, _)| !places.contains(n));
    retained.fold(0xcbf2_9ce4_8422_2325, |hash, (_, byte)| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use chessdb_testkit::rng::Rng;

    use super::*;

    /// Names of few letters and syllables, so that many are nearly equal.
    fn name(rng: &mut Rng) -> String {
        let syllables = [
            "tal", "scha", "cha", "kow", "kov", "ski", "sky", "van", "der", "x", "o",
        ];
        let mut word = || -> String {
            let mut word: String = (0..1 + rng.below(4))
                .map(|_| rng.pick(&syllables))
                .collect();
            for _ in 0..rng.below(3) {
                let place = rng.below(word.len());
                match rng.below(3) {
                    0 => drop(word.remove(place)),
                    1 => word.insert(place, 'e'),
                    _ => {
                        let letter = word.remove(place);
                        word.insert(place.min(word.len()).saturating_sub(1), letter);
                    }
                }
                if word.is_empty() {
                    word.push('a');
                }
            }
            word
        };
        let (surname, given) = (word(), word());
        match rng.below(5) {
            0 => surname,
            1 => format!("{surname} {given}"),
            2 => format!("{surname}, {}", given.get(..1).unwrap_or_default()),
            3 => format!("{surname} {given}, jan"),
            _ => format!("{surname}, {given}"),
        }
    }

    #[test]
    fn matches_equal_a_comparison_with_every_name() {
        let mut rng = Rng::new(1987);
        let mut names = SimilarNames::default();
        let mut list: Vec<String> = (0..400).map(|_| name(&mut rng)).collect();
        list.push("!".to_owned());
        list.push("a, b".to_owned());
        list.push("x".repeat(80) + "yz");
        for name in &list {
            names.add(name);
        }
        let (mut matched, mut respelled) = (0, 0);
        let others = (0..400).map(|_| name(&mut rng));
        let others = others.chain(list.clone());
        for other in others.chain(["b, a".to_owned(), "x".repeat(80) + "zy"]) {
            let fits =
                |name: &str| *name == other || match_names(name, &other) != NameMatch::Different;
            let expected: Vec<u32> = (0..names.len() as u32)
                .filter(|&number| fits(&names.names[number as usize]))
                .collect();
            matched += expected.len();
            respelled += expected
                .iter()
                .filter(|n| *names.names[**n as usize] != *other)
                .count();
            assert_eq!(names.matches(&other), expected, "{other}");
        }
        assert!(
            respelled > 200,
            "{matched} matches, {respelled} of other spelling"
        );
    }
}
