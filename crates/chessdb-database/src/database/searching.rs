//! Data known about games without reading them, and partial reading of mainlines.

use std::sync::Arc;

use super::Database;
use crate::Game;
use crate::edits::Edits;
use crate::tree_index::{CountedGame, LazyTree, TreeChanges, TreeIndex, collect};
use chessdb_files::error::{Error, Result};
use chessdb_files::filesystem::HAS_FILES;
use chessdb_query::tree::GameFacts;

impl Database {
    /// Returns what is known about the mainline of game `index`, counted from 0, without reading
    /// it: from the index file of the database ([`index`](crate::OpenOptions::index)) or
    /// from the database itself.
    pub fn signature(&self, index: u32) -> Option<chessdb_core::search::Signature> {
        if let Some(file) = self.index() {
            return file.signature(index);
        }
        self.store().ok()?.search_index()?.signature(index)
    }

    /// Returns in which of the 64 games from `first`, counted from 0, the mainline may have
    /// `feature`: one bit per game, all set if nothing is known. Bits after the last game have no
    /// meaning.
    pub fn may_have(&self, first: u32, feature: chessdb_core::search::Feature) -> u64 {
        let index = self.index();
        index.map_or(u64::MAX, |index| index.may_have(first, feature))
    }

    /// Returns the state of the index file of the database
    /// ([`index`](crate::OpenOptions::index)). Index data is verified by checksum when it
    /// is used, so the state may change during searches.
    pub fn indexed(&self) -> &crate::index::IndexUse {
        self.index.state()
    }

    /// Returns the moves played in a position (pieces and side to move) in all games, from the tree
    /// file of the database, which [`Database::write_index`] writes. A move counts once per game,
    /// when the position first occurs. Some games are not counted but listed, and must be read in
    /// addition ([`crate::PositionMoves::uncounted`]).
    ///
    /// `None` if the tree file is not used ([`index`](crate::OpenOptions::index)), does not have the
    /// position, or is damaged there. [`chessdb_query::tree::OpeningTree`] then counts the same
    /// games.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), chessdb::Error> {
    /// let db = chessdb::Database::options().index(true).open("games.si4")?;
    /// let found = db.position_moves(&chessdb::core::Board::standard());
    /// for played in found.unwrap_or_default().moves {
    ///     println!("{} {}", played.mv, played.tally.games);
    /// }
    /// # Ok(()) }
    /// ```
    pub fn position_moves(&self, board: &chessdb_core::Board) -> Option<crate::PositionMoves> {
        let tree = self.tree_file()?;
        let facts_of = |game| self.game_facts(game);
        let changes = self
            .tree_changes(tree)
            .map(|changes| (changes, &facts_of as _));
        tree.moves(board, self.len().ok()?, changes)
    }

    /// Returns the properties of a game that its header has.
    pub(crate) fn game_facts(&self, game: u32) -> GameFacts {
        let header = self.header(game);
        header.map_or_else(
            |_| GameFacts::default(),
            |header| GameFacts::with_plies(&header, 0),
        )
    }

    /// Returns the games that have changed since the tree file was written.
    fn tree_changes(&self, tree: &TreeIndex) -> Option<&TreeChanges> {
        let index = self.index()?;
        // The changes are those of an index that was written together with the tree file.
        let changes = index
            .changes()
            .filter(|_| index.stamps() == tree.stamps())?;
        if changes.games.is_empty() {
            return None;
        }
        let store = self.store().ok()?;
        let mut game = Game::default();
        Some(self.tree.changes(|| {
            tree.compare(&changes.games, |number| {
                let (_, counted) = collect(store, &mut game, number, CountedGame::default(), None)?;
                counted
            })
        }))
    }

    /// Returns the games that may have the position of a query, if that is about one position and
    /// the tree file knows them.
    pub(crate) fn position_games(
        &self,
        query: &chessdb_query::Query,
    ) -> Option<crate::reading::PositionGames> {
        let position = query.exact_position()?;
        let tree = self.tree_file()?;
        tree.games_of(position, self.len().ok()?, self.tree_changes(tree))
    }

    /// Uses this tree file for a database in memory. Its content is compared with the database when
    /// it is first needed; it is ignored if it belongs to another one or is damaged.
    pub fn use_tree_file(&mut self, bytes: Vec<u8>) {
        self.tree = LazyTree::in_memory(std::sync::Arc::new(bytes));
    }

    /// Returns whether there is a tree file that is not used, because it is damaged or the database
    /// has changed since it was written. False before it was needed.
    pub fn has_unused_tree_file(&self) -> bool {
        matches!(self.tree.state(), Some(crate::index::IndexUse::Refused(..)))
    }

    /// Returns the tree file, if it is used.
    pub(crate) fn tree_file(&self) -> Option<&crate::tree_index::TreeIndex> {
        // It describes the stored games.
        let is_stored = self.edits().is_none_or(Edits::is_empty);
        let files = self.files().filter(|_| is_stored)?;
        let games = self.len().ok()?;
        let index = self
            .index()
            .map(|index| (index.stamps(), index.games(), index.changes().is_some()));
        self.tree.open(files, games, index)
    }

    /// Returns the state of the tree file of the database; `None` before it was used. Data is
    /// verified by checksum when it is used, so the state may change.
    pub fn tree_indexed(&self) -> Option<&crate::index::IndexUse> {
        self.tree.state()
    }

    /// Reads the header of game `index`, counted from 0, into `game`, unless `observer` does not
    /// need it, and passes the mainline to `observer` up to the move where it stops. Afterwards the
    /// moves in `game` have no meaning, and problems after that move are not reported.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Database::game`].
    pub fn observe_mainline(
        &self,
        index: u32,
        game: &mut Game,
        observer: &mut dyn chessdb_core::search::MainlineObserver,
    ) -> Result<()> {
        let result = game.observe_mainline(self.store()?, index, observer);
        result.map_err(|error| Error::from(error).with_path(self.path()))
    }

    /// Returns the opening lines that the signatures of the store refer to.
    pub(crate) fn opening_lines(&self) -> &[Vec<chessdb_core::PackedMove>] {
        let index = self.store().ok().and_then(|store| store.search_index());
        index.map_or(&[], |index| index.opening_lines())
    }

    pub(crate) fn index(&self) -> Option<&Arc<crate::index::Index>> {
        // The index file describes the stored games.
        let is_stored = self.edits().is_none_or(Edits::is_empty);
        self.index.file().filter(|_| HAS_FILES && is_stored)
    }

    /// Returns whether the options leave games as stored, without salvage, checks, strict mode or
    /// settings.
    pub(crate) fn is_read_as_stored(&self) -> bool {
        let is_standard = !self.options.salvage && !self.options.check;
        is_standard && !self.is_strict() && self.options.settings.is_empty()
    }
}
