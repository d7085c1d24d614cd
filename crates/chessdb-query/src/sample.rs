//! Random samples of games.

use std::collections::BinaryHeap;

/// Collects games in any number and keeps a random sample, in which each game has the same chance.
///
/// The sample depends only on the seed and on the number of games before each game: it is the same
/// on every machine. Memory is bounded by the size of the sample.
///
/// ```
/// use chessdb_query::sample::Sample;
///
/// let sample = |seed| {
///     let mut sample = Sample::new(3, seed);
///     (1..=1000).for_each(|game| sample.add(game));
///     sample.into_games()
/// };
/// assert_eq!(sample(1), [120, 687, 920]);
/// assert_ne!(sample(1), sample(2));
/// ```
#[derive(Clone, Debug)]
pub struct Sample<T> {
    size: usize,
    seed: u64,
    added: u64,
    /// The games with the smallest random numbers, the largest of them first.
    games: BinaryHeap<SampledGame<T>>,
}

#[derive(Clone, Debug)]
struct SampledGame<T> {
    random: u64,
    /// The number of games before it.
    place: u64,
    game: T,
}

impl<T> Sample<T> {
    /// Creates an empty sample of at most `size` games.
    pub fn new(size: u32, seed: u64) -> Sample<T> {
        Sample {
            size: size as usize,
            seed,
            added: 0,
            games: BinaryHeap::new(),
        }
    }

    /// Adds a game.
    pub fn add(&mut self, game: T) {
        let place = self.added;
        self.added += 1;
        let random = mixed(mixed(self.seed).wrapping_add(place));
        self.games.push(SampledGame {
            random,
            place,
            game,
        });
        if self.games.len() > self.size {
            self.games.pop();
        }
    }

    /// Returns the games of the sample, in the order in which they were added.
    pub fn into_games(self) -> Vec<T> {
        let mut games = self.games.into_vec();
        games.sort_unstable_by_key(|sampled| sampled.place);
        games.into_iter().map(|sampled| sampled.game).collect()
    }
}

/// Returns the output of the generator SplitMix64 for a state (Steele, Lea, Flood: Fast splittable
/// pseudorandom number generators, 2014).
fn mixed(state: u64) -> u64 {
    let mut bits = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

impl<T> SampledGame<T> {
    fn rank(&self) -> (u64, u64) {
        (self.random, self.place)
    }
}

impl<T> PartialEq for SampledGame<T> {
    fn eq(&self, other: &SampledGame<T>) -> bool {
        self.rank() == other.rank()
    }
}

impl<T> Eq for SampledGame<T> {}

impl<T> PartialOrd for SampledGame<T> {
    fn partial_cmp(&self, other: &SampledGame<T>) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for SampledGame<T> {
    fn cmp(&self, other: &SampledGame<T>) -> std::cmp::Ordering {
        self.rank().cmp(&other.rank())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first outputs of the published generator for the seed 0.
    #[test]
    fn random_numbers_are_those_of_splitmix64() {
        let step = 0x9e37_79b9_7f4a_7c15_u64;
        let outputs = [0, step, step.wrapping_mul(2)].map(mixed);
        assert_eq!(
            outputs,
            [
                0xe220_a839_7b1d_cdaf,
                0x6e78_9e6a_a1b9_65f4,
                0x06c4_5d18_8009_454f
            ]
        );
    }

    #[test]
    fn samples_have_their_size_and_every_game_has_its_chance() {
        let mut chosen = [0_u32; 50];
        for seed in 0..2000 {
            let mut sample = Sample::new(5, seed);
            (0..50).for_each(|game: usize| sample.add(game));
            let games = sample.into_games();
            assert!(games.len() == 5 && games.is_sorted());
            games.into_iter().for_each(|game| chosen[game] += 1);
        }
        // 200 are expected, with a standard deviation of 13. The seeds are fixed.
        assert!(
            chosen.iter().all(|count| (140..260).contains(count)),
            "{chosen:?}"
        );
        for (size, games, expected) in [(0, 9, 0), (9, 4, 4), (4, 0, 0)] {
            let mut sample = Sample::new(size, 1);
            (0..games).for_each(|game| sample.add(game));
            assert_eq!(sample.into_games().len(), expected);
        }
    }
}
