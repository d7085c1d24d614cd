//! Reading of single games for an opening tree, and the games that may have its position.

use std::ops::ControlFlow;

use chessdb_files::error::{Error, Result};
use chessdb_query::tree::{OpeningTree, TreeLine};

use super::Database;
use crate::game::Game;
use crate::reading::games_with;
use crate::scan::Scan;

impl Database {
    /// Returns the contribution of a game to a tree; `None` if it has none. `game` is a game of
    /// this database, and of a stream has all moves. Games that cannot have the position
    /// according to the index are not read, and others only as far as necessary
    /// ([`Database::add_line`]).
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Database::game`].
    pub fn tree_line(&self, tree: &OpeningTree, game: &mut Game) -> Result<Option<TreeLine>> {
        self.line_of(tree, game, true)
    }

    /// Returns what [`Database::tree_line`] does. Without a test of the features: for single games
    /// that are far from each other, it takes longer than reading them.
    pub(crate) fn line_of(
        &self,
        tree: &OpeningTree,
        game: &mut Game,
        tests_features: bool,
    ) -> Result<Option<TreeLine>> {
        if self.is_stream() {
            return Ok(tree.line(game));
        }
        let index = game.index();
        let may_have = |feature| self.may_have(index, feature);
        let signature = self.signature(index);
        // The signature costs less than the features, which are tested only if it leaves the game
        // possible.
        let is_absent = signature.is_some_and(|signature| !tree.may_be_in(&signature))
            || tests_features && tree.candidates(&may_have) & 1 == 0;
        // A game without the position adds nothing, so its moves need not be decoded.
        if is_absent {
            return Ok(None);
        }
        let mut observer = tree.observer(signature.and_then(|signature| signature.plies));
        self.observe_mainline(index, game, &mut observer)?;
        Ok(observer.finish(game))
    }

    /// Adds the contribution of game `index`, counted from 0, to a tree. The game is read if its
    /// half-moves must be counted.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Database::game`].
    pub fn add_line(&self, tree: &mut OpeningTree, index: u32, line: &TreeLine) -> Result<()> {
        let counted = if tree.needs_count(line) { tree.line(&*self.game(index)?) } else { None };
        tree.add(index, counted.as_ref().unwrap_or(line));
        Ok(())
    }

    /// Returns the games that may have the position of a tree according to the index file, counted
    /// from 0 and ascending. `None` without an index, and if most games may have it. Damaged games
    /// may have any position.
    pub fn tree_candidates(&self, tree: &OpeningTree) -> Option<Vec<u32>> {
        let index = self.index().filter(|_| self.has_index())?;
        let games = self.len().ok()?;
        // A list takes more memory than all games are worth.
        let limit = games as usize / 8 + 64;
        let features = tree.required_features()?;
        let mut candidates = games_with(index, &features, limit, self.jobs())?;
        // Games that were appended after the index was written may have any position.
        candidates.extend(index.games()..games);
        (candidates.len() <= limit).then_some(candidates)
    }

    /// Returns whether an index file is used that has not been found to be damaged.
    pub(crate) fn has_index(&self) -> bool {
        use crate::index::IndexUse::{Partial, Used};
        matches!(self.indexed(), Used | Partial(..))
    }
}

/// Reads games, on several threads if there are threads, and adds them in their order.
pub(crate) fn add_read<T: Send, E: From<Error>>(
    scan: Scan<'_>,
    line: impl Fn(&mut Game, Result<()>) -> Result<T> + Sync,
    mut add: impl FnMut(T) -> std::result::Result<(), E>,
) -> std::result::Result<(), E> {
    let mut added = Ok(());
    scan.map_in_order(line, |read| {
        // A game that cannot be read counts nowhere.
        if let Ok(read) = read {
            added = add(read);
        }
        match &added {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    })?;
    added
}
