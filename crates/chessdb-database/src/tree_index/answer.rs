//! The answer of a tree file for one position.

use chessdb_core::PackedMove;
use chessdb_query::tree::{OpeningTree, Tally};

#[cfg(doc)]
use crate::database::Database;
use crate::selection::Selection;

/// A move played in a position ([`PositionMoves`]).
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct PlayedMove {
    /// The move.
    pub mv: PackedMove,
    /// The results of its games.
    pub tally: Tally,
    /// The first year that is known; 0 if none is.
    pub first_year: u16,
    /// The first game, counted from 0.
    pub first_game: u32,
    /// Up to three games, counted from 0: those with the highest ratings of both players together
    /// come first, then those with the lowest numbers.
    pub best: Vec<u32>,
}

/// The moves played in a position in all games of a database ([`Database::position_moves`]).
#[derive(Clone, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct PositionMoves {
    /// The moves, in the order of their first games.
    pub moves: Vec<PlayedMove>,
    /// The results of the games that end in the position.
    pub ended: Tally,
    /// The games, counted from 0, that are not counted here and must be read in addition: damaged
    /// ones, variants with other rules, and games that were appended after the file was written.
    pub uncounted: Vec<u32>,
}

impl PositionMoves {
    /// Returns the number of games that have the position, except [`PositionMoves::uncounted`].
    pub fn games(&self) -> u64 {
        let played = self.moves.iter().map(|played| played.tally.games);
        played.sum::<u64>() + self.ended.games
    }

    /// Adds the moves to a tree of one half-move.
    pub fn add_to(&self, tree: &mut OpeningTree) {
        tree.add_ended(&self.ended);
        for played in &self.moves {
            tree.add_move(played.mv, &played.tally, played.first_game);
        }
    }

    /// Returns the games that must be read in addition.
    pub fn unread(&self) -> Selection {
        Selection::of_indexes(self.uncounted.iter().copied())
    }
}
