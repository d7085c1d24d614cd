//! Reading of single games for an opening tree, and the games that may have its position.

use std::ops::ControlFlow;

use chessdb_core::search::Signature;
use chessdb_files::error::{Error, Result};
use chessdb_query::{OpeningTree, TreeLine};

use super::Database;
use crate::game::Game;
#[cfg(feature = "fs")]
use crate::reading::games_with;
use crate::scan::Scan;
use crate::selection::Selection;

impl Database {
    /// Returns the contribution of a game to a tree; `None` if it has none. `game` has the header
    /// of a game of this database, and of a stream all moves. Games that cannot have the position
    /// according to the index are not read, and others only as far as necessary
    /// ([`crate::MoveCounter::add`]).
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Database::game`].
    pub fn tree_line(&self, tree: &OpeningTree, game: &mut Game) -> Result<Option<TreeLine>> {
        if self.is_stream() {
            return Ok(tree.line(game));
        }
        let index = game.index();
        let may_have = |feature| self.may_have(index, feature);
        let known = self.signature(index);
        if known.is_some_and(|known| !tree.may_be_in(&known)) || tree.candidates(&may_have) & 1 == 0
        {
            return Ok(None);
        }
        self.line_of(tree, game, known)
    }

    /// Returns what [`Database::tree_line`] does, without a test of the features: for single games
    /// that are far from each other, it takes longer than reading them.
    pub(crate) fn tree_line_by_signature(
        &self,
        tree: &OpeningTree,
        game: &mut Game,
    ) -> Result<Option<TreeLine>> {
        let known = self.signature(game.index());
        match known.is_none_or(|known| tree.may_be_in(&known)) {
            true => self.line_of(tree, game, known),
            false => Ok(None),
        }
    }

    fn line_of(
        &self,
        tree: &OpeningTree,
        game: &mut Game,
        known: Option<Signature>,
    ) -> Result<Option<TreeLine>> {
        let mut observer = tree.observer(known.and_then(|known| known.plies));
        self.observe_mainline(game.index(), game, &mut observer)?;
        Ok(observer.finish(game))
    }

    /// Passes the contributions of games, counted from 0, to a tree to `add`, in this order
    /// ([`Database::tree_line`]). A game that cannot be read has none. The features of the games are
    /// not tested ([`Database::tree_candidates`] does it for all games at once). Several threads
    /// read, with the feature `threads`.
    ///
    /// # Errors
    ///
    /// Returns the errors of `add`, and an error if the source failed as a whole.
    pub fn tree_lines<E: From<Error>>(
        &self,
        tree: &OpeningTree,
        games: &[u32],
        mut add: impl FnMut(u32, &TreeLine) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let numbers = games.iter().map(|index| index.saturating_add(1));
        let scan = self.scan().select(Selection::in_order(numbers.collect()));
        let line = |game: &mut Game, read: Result<()>| {
            read?;
            Ok((game.index(), self.tree_line_by_signature(tree, game)?))
        };
        add_read(scan.headers(), line, |(index, line)| {
            line.map_or(Ok(()), |line| add(index, &line))
        })
    }

    /// Returns the games that may have the position of a tree according to the index file, counted
    /// from 0 and ascending. `None` without an index, and if most games may have it. Damaged games
    /// may have any position.
    #[cfg(feature = "fs")]
    pub fn tree_candidates(&self, tree: &OpeningTree) -> Option<Vec<u32>> {
        let index = self.index().filter(|_| self.has_index())?;
        let games = self.len().ok()?;
        // A list takes more memory than all games are worth.
        let most = games as usize / 8 + 64;
        let features = tree.required_features()?;
        let mut candidates = games_with(index, &features, most, self.jobs())?;
        candidates.extend(index.games()..games);
        (candidates.len() <= most).then_some(candidates)
    }

    /// Returns the games that may have the position of a tree: unknown, as no index file is used.
    #[cfg(not(feature = "fs"))]
    pub fn tree_candidates(&self, _: &OpeningTree) -> Option<Vec<u32>> {
        None
    }

    /// Returns whether an index file is used that has not been found to be damaged.
    #[cfg(feature = "fs")]
    pub(crate) fn has_index(&self) -> bool {
        use crate::index::IndexUse::{Partial, Used};
        matches!(self.indexed(), Used | Partial(..))
    }

    #[cfg(all(feature = "threads", not(feature = "fs")))]
    pub(crate) fn has_index(&self) -> bool {
        false
    }
}

/// Reads games, on several threads if there are threads, and adds them in their order.
pub(crate) fn add_read<T: Send, E: From<Error>>(
    scan: Scan<'_>,
    line: impl Fn(&mut Game, Result<()>) -> Result<T> + Sync,
    mut add: impl FnMut(T) -> std::result::Result<(), E>,
) -> std::result::Result<(), E> {
    let mut added = Ok(());
    scan.map_each(line, |read| {
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
