//! The features of games that a position requires, tested for many games at once.

use chessdb_core::search::{Feature, Signature};

use super::PieceBounds;

/// Clears the bits of the games in which a feature cannot occur. Bit `k` of word `j` is game
/// `64 j + k` of the games that are tested.
pub type ClearWithout<'c> = dyn FnMut(Feature, &mut [u64]) + 'c;

/// The features without which a position of a query cannot occur in a game. It is an argument of the
/// callback of [`crate::search::Prefilter::judge`].
#[derive(Clone, Debug)]
pub struct RequiredFeatures {
    /// For each test of the position, alternative bounds.
    tests: Vec<Vec<PieceBounds>>,
}

impl RequiredFeatures {
    /// Returns `None` if features of games cannot exclude the position.
    pub(crate) fn new(tests: &[Vec<PieceBounds>]) -> Option<RequiredFeatures> {
        let has_features = |ways: &&Vec<PieceBounds>| ways.iter().all(PieceBounds::has_features);
        let tests: Vec<_> = tests.iter().filter(has_features).cloned().collect();
        (!tests.is_empty()).then_some(RequiredFeatures { tests })
    }

    /// Clears the bits of games in which the position cannot occur. If few games are left, they are
    /// not tested further.
    pub fn retain(&self, games: &mut [u64], clear_without: &mut ClearWithout<'_>) {
        for ways in &self.tests {
            retain_any(games, ways, |way, some| way.retain(some, clear_without));
        }
    }

    /// Returns whether the position can occur in a game with this signature.
    #[inline]
    pub fn may_be_in(&self, signature: &Signature) -> bool {
        self.tests
            .iter()
            .all(|ways| ways.iter().any(|way| way.may_be_in(signature)))
    }

    /// Sorts the features, so that [`RequiredFeatures::retain`] soon excludes most games. The order
    /// is the best one for the first games, 64 times `words`: each feature excludes the most of the
    /// games that are left by those before.
    pub fn sort(&mut self, words: usize, clear_without: &mut ClearWithout<'_>) {
        for way in self.tests.iter_mut().flatten() {
            way.sort(words, clear_without);
        }
    }
}

/// Clears the bits of the games that `retain` leaves with none of the alternatives.
pub(super) fn retain_any<T>(
    games: &mut [u64],
    alternatives: &[T],
    mut retain: impl FnMut(&T, &mut [u64]),
) {
    // The most frequent case needs no copy of the games.
    if let [one] = alternatives {
        return retain(one, games);
    }
    let mut any = vec![0; games.len()];
    for alternative in alternatives {
        let mut some = games.to_vec();
        retain(alternative, &mut some);
        any.iter_mut()
            .zip(some)
            .for_each(|(any, some)| *any |= some);
    }
    games.copy_from_slice(&any);
}
