//! Bounds that a game's signature and features must satisfy so that a position can occur in it.

use chessdb_core::search::{Feature, HomePawns, PieceCounts, Signature};
use chessdb_core::sorting::sort_by_key;
use chessdb_core::{Board, Color, PieceType, Square};

use super::required_features::{ClearWithout, retain_any};

/// No more features are tested if one word of 64 games in this many is left: testing its games one by
/// one takes about as long as testing a feature for this many words.
const WORDS_PER_TEST: usize = 128;

/// The bounds of one position, or of all that match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PieceBounds {
    /// The pawns on their home squares, and those that have left them.
    at_home: u16,
    left: u16,
    /// The largest number of pieces of each color.
    limits: [PieceCounts; 2],
    /// Sets of features; a game with the position has one feature of each set.
    features: Vec<Vec<Feature>>,
}

impl PieceBounds {
    /// Returns the bounds of positions with this placement, with either side to move unless
    /// `turn_counts`.
    pub(super) fn exact(board: &Board, turn_counts: bool) -> PieceBounds {
        let piece_bounds = PieceBounds::from_permitted(|square| {
            let piece = board.piece_at(square);
            [Color::White, Color::Black].map(|color| {
                PieceType::ALL.map(|kind| {
                    piece.is_some_and(|piece| piece.color == color && piece.kind == kind)
                })
            })
        });
        let mut turns = vec![board.clone()];
        if !turn_counts {
            let mut other = board.clone();
            other.set_turn(board.turn().other());
            turns.push(other);
        }
        let by_turn: Vec<_> = turns.iter().map(Feature::of_position).collect();
        // Whether a position is early does not depend on the side to move.
        let positions = [0, 1].map(|n| by_turn.iter().filter_map(|both| *both.get(n)?).collect());
        let piece_counts = Color::ALL.map(|color| PieceCounts::from_board(board, color));
        let balance = vec![Feature::of_piece_counts(piece_counts)];
        let pieces = board.occupied().into_iter().filter_map(|square| {
            let piece = board.piece_at(square)?;
            Feature::of_piece_on(piece, square).map(|feature| vec![feature])
        });
        piece_bounds.with_features(positions.into_iter().chain([balance]).chain(pieces))
    }

    /// Returns the bounds of positions with the given pieces permitted on each square, by color and
    /// kind. They require a pawn on every home square that permits one, which is right if each
    /// square permits one piece only; otherwise call [`PieceBounds::with_pawns_at_home`].
    pub(super) fn from_permitted(permitted: impl Fn(Square) -> [[bool; 6]; 2]) -> PieceBounds {
        let mut limits = [[0; 5]; 2];
        let mut left = 0;
        for square in Square::all() {
            let may = permitted(square);
            for (counts, kinds) in limits.iter_mut().zip(may) {
                for (count, is_allowed) in counts.iter_mut().zip(kinds) {
                    *count += u8::from(is_allowed);
                }
            }
            for (color, [pawn, ..]) in Color::ALL.into_iter().zip(may) {
                if square.rank() == color.rank(1) && !pawn {
                    left |= square.bit().0;
                }
            }
        }
        let left = HomePawns::bits(left);
        PieceBounds {
            at_home: !left,
            left,
            limits: limits.map(PieceCounts::new),
            features: Vec::new(),
        }
    }

    /// Adds the squares of both colors with pawns that must be at home.
    pub(super) fn with_pawns_at_home(self, squares: u64) -> PieceBounds {
        PieceBounds {
            at_home: HomePawns::bits(squares),
            ..self
        }
    }

    /// Adds sets of features, skipping empty sets.
    pub(super) fn with_features(self, each: impl Iterator<Item = Vec<Feature>>) -> PieceBounds {
        PieceBounds {
            features: each.filter(|any| !any.is_empty()).collect(),
            ..self
        }
    }

    /// Returns the bounds of positions with at most these pieces.
    pub(super) fn counts(limits: [PieceCounts; 2]) -> PieceBounds {
        PieceBounds {
            at_home: 0,
            left: 0,
            limits,
            features: Vec::new(),
        }
    }

    /// Returns no bounds, for positions with any numbers of pieces.
    pub(super) fn unbounded() -> PieceBounds {
        PieceBounds::counts([PieceCounts::new([u8::MAX; 5]); 2])
    }

    /// Returns whether features of games can exclude the position.
    pub(crate) fn has_features(&self) -> bool {
        !self.features.is_empty()
    }

    /// Returns the mask of the 64 games in which such a position may occur, by their features.
    pub(crate) fn may_come(&self, may_have: &dyn Fn(Feature) -> u64) -> u64 {
        let mut all = [u64::MAX];
        self.retain(&mut all, &mut |feature, games| {
            games
                .iter_mut()
                .for_each(|games| *games &= may_have(feature));
        });
        let [all] = all;
        all
    }

    /// Clears the bits of games in which such a position cannot occur, by their features
    /// ([`super::RequiredFeatures::retain`]).
    pub(super) fn retain(&self, games: &mut [u64], clear_without: &mut ClearWithout<'_>) {
        let few = games.len() / WORDS_PER_TEST;
        for any in &self.features {
            // Each set leaves about half of the games, and there may be thirty sets.
            let mut remaining = games.iter().filter(|games| **games != 0);
            if remaining.nth(few).is_none() {
                return;
            }
            retain_any(games, any, |&one, some| clear_without(one, some));
        }
    }

    /// Sorts the features ([`super::RequiredFeatures::sort`]).
    pub(super) fn sort(&mut self, words: usize, clear_without: &mut ClearWithout<'_>) {
        let mut unsorted = Vec::new();
        for any in std::mem::take(&mut self.features) {
            // Bits of a single feature exclude games independently.
            let mut parts = match any.as_slice() {
                [one] => one.by_bit().map(|bit| vec![bit]).to_vec(),
                _ => vec![any],
            };
            parts.dedup();
            for any in parts {
                let mut games = vec![u64::MAX; words];
                retain_any(&mut games, &any, |&one, some| clear_without(one, some));
                unsorted.push((any, games));
            }
        }
        let count = |games: &[u64]| games.iter().map(|games| games.count_ones()).sum::<u32>();
        sort_by_key(&mut unsorted, |(_, games)| count(games));
        let mut remaining = vec![u64::MAX; words];
        loop {
            let left_by = |(number, (_, games)): (usize, &(Vec<Feature>, Vec<u64>))| {
                let both = remaining
                    .iter()
                    .zip(games)
                    .map(|(remaining, games)| remaining & games);
                (both.map(u64::count_ones).sum::<u32>(), number)
            };
            let Some((least, best)) = unsorted.iter().enumerate().map(left_by).min() else {
                break;
            };
            if least == count(&remaining) {
                // The others exclude no further games of the sample.
                break;
            }
            let (any, games) = unsorted.remove(best);
            remaining
                .iter_mut()
                .zip(games)
                .for_each(|(remaining, games)| *remaining &= games);
            self.features.push(any);
        }
        self.features
            .extend(unsorted.into_iter().map(|(any, _)| any));
    }

    /// Returns whether a game with this signature may contain such a position.
    #[inline]
    pub(crate) fn may_be_in(&self, signature: &Signature) -> bool {
        if let Some(home) = signature.home
            && !home.pass(self.left, self.at_home)
        {
            return false;
        }
        self.has_few(signature)
    }

    /// Returns whether at most these pieces are left at the end, of each kind; only of pawns, if
    /// there are promotions.
    #[inline]
    fn has_few(&self, signature: &Signature) -> bool {
        let mut sides = signature.piece_counts.iter().zip(&self.limits);
        sides.all(|(&end, &limit)| {
            if signature.promotes {
                end.pawns().is_within(limit)
            } else {
                end.is_within(limit)
            }
        })
    }
}
