//! The games in which the positions of a query may occur by their features, for a whole block of the
//! index at a time.

use std::ops::Range;

use chessdb_query::search::RequiredFeatures;

use crate::index::{
    COLUMN_SIZE, ColumnBuffer, GAMES_PER_WORD, Index, RecordBuffer, WORDS_PER_COLUMN,
};
use crate::threads::on_threads;

/// Number of words of 64 games from which the order of the features is determined. A few thousand
/// games tell how much each feature excludes.
const SAMPLE_WORDS: usize = 32;

/// Minimum number of blocks per thread. Starting a thread takes as long as testing some of them.
const MIN_BLOCKS_PER_THREAD: usize = 4;

/// For each position of a query, the games of one block of the index in which it may occur.
#[derive(Default)]
pub(crate) struct FeatureMasks(Vec<Option<FeatureMask>>);

/// Returns the games of an index, counted from 0, in which a position with these features may occur
/// according to features and signatures, with up to `jobs` threads. `None` if their features leave
/// more than `most`.
pub(crate) fn games_with(
    index: &Index,
    features: &RequiredFeatures,
    limit: usize,
    jobs: usize,
) -> Option<Vec<u32>> {
    let words = (index.games() as usize).div_ceil(GAMES_PER_WORD);
    let blocks = words.div_ceil(WORDS_PER_COLUMN);
    let games_of = |blocks: Range<usize>| {
        let mut mask = FeatureMask::new(index, blocks.start, features);
        let mut records = RecordBuffer::default();
        let (mut games, mut tested) = (Vec::new(), 0);
        for word in blocks.start * WORDS_PER_COLUMN..(blocks.end * WORDS_PER_COLUMN).min(words) {
            let mut left = mask.word(index, word);
            tested += left.count_ones() as usize;
            if tested > limit {
                return None;
            }
            while left != 0 {
                let game = word * GAMES_PER_WORD + left.trailing_zeros() as usize;
                left &= left - 1;
                let Some(game) = u32::try_from(game)
                    .ok()
                    .filter(|game| *game < index.games())
                else {
                    break;
                };
                let signature = index.signature_copied(game, &mut records);
                if signature.is_none_or(|signature| features.may_be_in(&signature)) {
                    games.push(game);
                }
            }
        }
        Some(games)
    };
    let share = blocks.div_ceil(jobs.max(1)).max(MIN_BLOCKS_PER_THREAD);
    let shares = (0..blocks).step_by(share);
    let shares: Vec<_> = shares
        .map(|first| first..blocks.min(first + share))
        .collect();
    let mut all = Vec::new();
    for games in on_threads(shares, games_of).ok()? {
        all.extend(games?);
    }
    (all.len() <= limit).then_some(all)
}

struct FeatureMask {
    /// The features, sorted by what they exclude.
    features: RequiredFeatures,
    block: usize,
    /// One bit for each game of the block.
    games: Box<[u64; WORDS_PER_COLUMN]>,
    column: Box<ColumnBuffer>,
}

impl FeatureMasks {
    /// Returns the games, among the 64 from `first`, counted from 0, in which the position of the
    /// query with this number and these features may occur, one bit per game. Bits of games that
    /// the index does not cover are set.
    #[inline]
    pub(crate) fn games(
        &mut self,
        index: &Index,
        first: u32,
        number: usize,
        features: &RequiredFeatures,
    ) -> u64 {
        let (word, offset) = (
            first as usize / GAMES_PER_WORD,
            first as usize % GAMES_PER_WORD,
        );
        let block = word / WORDS_PER_COLUMN;
        if self.0.len() <= number {
            self.0.resize_with(number + 1, || None);
        }
        let Some(mask) = self.0.get_mut(number) else {
            return u64::MAX;
        };
        let mask = mask.get_or_insert_with(|| FeatureMask::new(index, block, features));
        match offset {
            0 => mask.word(index, word),
            _ => {
                let next = mask.word(index, word + 1) << (GAMES_PER_WORD - offset);
                mask.word(index, word) >> offset | next
            }
        }
    }
}

impl FeatureMask {
    fn new(index: &Index, block: usize, features: &RequiredFeatures) -> FeatureMask {
        let mut features = features.clone();
        let mut column = Box::new([0; COLUMN_SIZE]);
        features.sort(SAMPLE_WORDS, &mut |feature, games| {
            index.clear_without(block, feature, games, &mut column);
        });
        let games = Box::new([0; WORDS_PER_COLUMN]);
        let mut mask = FeatureMask {
            features,
            block,
            games,
            column,
        };
        mask.test(index);
        mask
    }

    /// Tests the games of the block.
    fn test(&mut self, index: &Index) {
        let (block, column) = (self.block, &mut self.column);
        self.games.fill(u64::MAX);
        self.features
            .retain(&mut *self.games, &mut |feature, games| {
                index.clear_without(block, feature, games, column);
            });
    }

    /// Returns a word of all blocks of the index.
    #[inline]
    fn word(&mut self, index: &Index, number: usize) -> u64 {
        let block = number / WORDS_PER_COLUMN;
        if block != self.block {
            self.block = block;
            self.test(index);
        }
        self.games
            .get(number % WORDS_PER_COLUMN)
            .copied()
            .unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;
    use std::sync::Arc;

    use chessdb_core::search::{Features, Signature};
    use chessdb_query::Query;

    use super::*;
    use crate::index::{IndexBuilder, IndexLayout};

    const NAJDORF: &str =
        "fen:\"rnbqkb1r/1p2pppp/p2p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R w KQkq - 0 6\"";
    /// A full block and a part of another one.
    const GAMES: u32 = (WORDS_PER_COLUMN * GAMES_PER_WORD) as u32 + 1000;
    /// Every game with this distance has the features.
    const DISTANCE: u32 = 3001;

    fn index(features: &RequiredFeatures) -> Index {
        let mut needed = Features([0; 8]);
        features.retain(&mut [1], &mut |feature, _| {
            for bit in feature.bits() {
                needed.0[bit / 64] |= 1 << (bit % 64);
            }
        });
        let layout = IndexLayout {
            games: GAMES,
            has_offsets: false,
            is_clean: true,
            has_ascii_comments: true,
            is_dense: false,
            evidence: None,
        };
        let out = Cursor::new(Vec::new());
        let mut builder = IndexBuilder::new(out, Vec::new(), layout).unwrap();
        let mut random = 1_u64;
        for game in 0..GAMES {
            let features = needed.0.map(|needed| {
                random = random.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
                let some = random ^ random >> 29;
                some | if game % DISTANCE == 0 { needed } else { 0 }
            });
            let known = (Signature::default(), Features(features));
            builder.add((game % 997 != 5).then_some(&known)).unwrap();
        }
        let out = builder.finish(std::iter::empty(), &[]).unwrap();
        Index::parse(Arc::new(out.into_inner()), None).unwrap()
    }

    #[test]
    fn blocks_leave_the_games_that_single_words_leave() {
        let query: Query = NAJDORF.parse().unwrap();
        let prefilter = query.prefilter(&Default::default(), true).unwrap();
        let mut known = None;
        prefilter.judge(None, &Default::default(), &mut |_, features| {
            let index = known.get_or_insert_with(|| index(features));
            let (mut masks, mut more, mut seen) = (FeatureMasks::default(), 0, 0);
            for first in (0..GAMES).step_by(64).chain((7..GAMES).step_by(61)) {
                let mut plain = [u64::MAX];
                features.retain(&mut plain, &mut |feature, games| {
                    games[0] &= index.may_have(first, feature);
                });
                let games = masks.games(index, first, 0, features);
                assert_eq!(plain[0] & !games, 0, "{first}");
                if first % 64 == 0 {
                    more += u32::from(games != plain[0]);
                    seen += games.count_ones();
                }
            }
            // Unknown games, those with the features, and those after the last one.
            let least = GAMES / 997 + GAMES / DISTANCE + GAMES.next_multiple_of(64) - GAMES;
            assert!(seen >= least && seen < 2 * least, "{seen} {least}");
            // The features of the games in up to two words of a block may not be tested.
            assert!(more <= 4, "{more}");
            u64::MAX
        });
        assert!(known.is_some());
    }
}
