//! The games that may have the position of a query, according to the tree file, so that a search
//! need not test the others.

use std::sync::Arc;

use super::ScanRequest;
use crate::selection::Selection;

/// Number of games from which a position is frequent.
const MOST_RARE: u64 = 1000;

/// The games of one position that a tree file knows ([`crate::tree_index::TreeIndex`]).
#[derive(Clone, Debug)]
pub(crate) struct PositionGames {
    /// All games that may have the position.
    games: Selection,
    /// The games that the tree file does not count, from 0, ascending.
    uncounted: Arc<[u32]>,
    /// The maximum number of counted games with the position; `None` if `games` lists them.
    max_games: Option<u64>,
}

impl PositionGames {
    /// The position is in these games and may be in the uncounted ones, counted from 0.
    pub(crate) fn listed(mut games: Vec<u32>, uncounted: Vec<u32>) -> PositionGames {
        games.extend_from_slice(&uncounted);
        games.sort_unstable();
        PositionGames {
            games: Selection::of_indexes(games),
            uncounted: uncounted.into(),
            max_games: None,
        }
    }

    /// The position is in at most `most` games, all from game `first` on, and may be in the
    /// uncounted ones.
    pub(crate) fn from(first: u32, max_games: u64, uncounted: Vec<u32>) -> PositionGames {
        let before = uncounted.iter().copied().take_while(|game| *game < first);
        PositionGames {
            games: Selection::of_indexes(before).followed_by(first),
            uncounted: uncounted.into(),
            max_games: Some(max_games),
        }
    }

    /// Returns whether a list of the first few games needs a test of a large part of all.
    pub(crate) fn is_rare(&self) -> bool {
        self.max_games.is_some_and(|games| games < MOST_RARE)
    }

    /// Returns the games of a selection that may have the position.
    pub(crate) fn of(&self, selection: &Selection) -> Selection {
        selection.within(&self.games)
    }
}

/// Ends a search when all games with its position were found.
#[derive(Debug)]
pub(crate) struct PositionSearchEnd {
    selection: Selection,
    uncounted: Arc<[u32]>,
    left: u64,
}

impl PositionSearchEnd {
    /// Returns `None` if the number of games with the position is unknown, or their order is not
    /// that of the database.
    pub(crate) fn new(request: &ScanRequest) -> Option<PositionSearchEnd> {
        let games = request.position_games.as_ref()?;
        Some(PositionSearchEnd {
            left: games
                .max_games
                .filter(|_| request.selection.is_ascending())?,
            uncounted: Arc::clone(&games.uncounted),
            selection: request.selection.clone(),
        })
    }

    /// Counts a game that matches. If no other counted game can match, returns the later games that
    /// must still be read.
    pub(crate) fn add(&mut self, index: u32) -> Option<Selection> {
        // The tree file does not count this game, so it says nothing about the others.
        if self.uncounted.binary_search(&index).is_ok() {
            return None;
        }
        self.left = self.left.saturating_sub(1);
        if self.left > 0 {
            return None;
        }
        let first = self.uncounted.partition_point(|game| *game <= index);
        let later = self.uncounted.get(first..).unwrap_or_default();
        let later = Selection::of_indexes(later.iter().copied());
        Some(self.selection.within(&later))
    }
}
