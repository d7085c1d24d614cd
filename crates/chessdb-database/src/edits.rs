//! Changed and added games in memory, over the games of a store.

use std::collections::BTreeMap;
use std::sync::Arc;

use chessdb_core::search::{
    HeaderColumnSet, HeaderColumns, MainlineObserver, SearchIndex, Signature,
};
use chessdb_core::store::{
    Opened, Remark, StoreDetails, StoredRows, StoredText, UnusedSpace, observe_whole_game,
};
use chessdb_core::{BaseInfo, Game, GameStore, PackedMove, Result, Scratch};
use chessdb_owned::OwnedStore;

/// Games that replace games of a database or follow them ([`crate::Database::set_game`]).
#[derive(Clone, Default, Debug)]
pub struct Edits {
    changed: BTreeMap<u32, Arc<Game>>,
    added: Vec<Arc<Game>>,
}

impl Edits {
    /// Returns whether the database is unchanged.
    pub fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.added.is_empty()
    }
}

/// The games of an open database, with edits.
#[derive(Debug)]
pub struct EditedStore {
    source: OwnedStore,
    edits: Edits,
}

impl EditedStore {
    pub(crate) fn new(source: OwnedStore, edits: Edits) -> EditedStore {
        EditedStore { source, edits }
    }

    /// Returns the games.
    pub fn store(&self) -> &dyn GameStore {
        if self.edits.is_empty() { self.source.store() } else { self }
    }

    pub(crate) fn edits(&self) -> &Edits {
        &self.edits
    }

    /// Returns the edited game with this index.
    pub(crate) fn edited(&self, n: u32) -> Option<&Arc<Game>> {
        match n.checked_sub(self.source.store().len()) {
            Some(n) => self.edits.added.get(n as usize),
            None => self.edits.changed.get(&n),
        }
    }

    /// Returns the edited games: changed ones with their indexes, ascending, then added ones without.
    pub(crate) fn edited_games(&self) -> impl Iterator<Item = (Option<u32>, &Arc<Game>)> {
        let Edits { changed, added } = &self.edits;
        let changed = changed.iter().map(|(n, game)| (Some(*n), game));
        changed.chain(added.iter().map(|game| (None, game)))
    }

    /// Sets or removes the edited game with this index; false if the index is neither that of a
    /// game, nor that of the next one, nor, for removal, that of the last added one.
    pub(crate) fn set(&mut self, n: u32, game: Option<Arc<Game>>) -> bool {
        let Edits { changed, added } = &mut self.edits;
        let Some(added_index) = n.checked_sub(self.source.store().len()) else {
            match game {
                Some(game) => changed.insert(n, game),
                None => changed.remove(&n),
            };
            return true;
        };
        let added_index = added_index as usize;
        let len = added.len();
        match game {
            Some(game) if added_index < len => {
                if let Some(old) = added.get_mut(added_index) {
                    *old = game;
                }
            }
            // Only the end can grow or shrink, so that numbers of other games stay valid.
            Some(game) if added_index == len && n < u32::MAX => added.push(game),
            None if added_index + 1 == len => {
                added.pop();
            }
            _ => return false,
        }
        true
    }

    /// Returns whether one of the 64 games from `first` is edited.
    fn is_edited_block(&self, first: u32) -> bool {
        // Columns describe a block of stored games; one edited game makes the whole block
        // unreliable.
        let end = first.saturating_add(HeaderColumns::GAMES as u32);
        let mut changed = self.edits.changed.range(first..end);
        changed.next().is_some() || end > self.source.store().len()
    }

    fn index(&self) -> Option<&dyn SearchIndex> {
        self.source.store().search_index()
    }
}

impl From<OwnedStore> for EditedStore {
    fn from(source: OwnedStore) -> EditedStore {
        EditedStore::new(source, Edits::default())
    }
}

impl GameStore for EditedStore {
    fn len(&self) -> u32 {
        let added = u32::try_from(self.edits.added.len()).unwrap_or(u32::MAX);
        self.source.store().len().saturating_add(added)
    }

    fn opened(&self) -> &Opened {
        self.source.store().opened()
    }

    fn base(&self) -> &BaseInfo {
        self.source.store().base()
    }

    fn header_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        let source = self.source.store();
        let Some(edited) = self.edited(n) else {
            return source.header_into(n, game, scratch);
        };
        if n < source.len() {
            // For the findings of the source, which may be unreadable if the game was replaced.
            let _ = source.header_into(n, game, scratch);
        }
        game.clear();
        game.header.clone_from(&edited.header);
        game.texts.clone_from(&edited.texts);
        Ok(())
    }

    fn game_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        let source = self.source.store();
        let Some(edited) = self.edited(n) else {
            return source.game_into(n, game, scratch);
        };
        if n < source.len() {
            let _ = source.game_into(n, game, scratch);
        }
        game.clone_from(edited);
        Ok(())
    }

    fn observe_mainline(
        &self,
        n: u32,
        game: &mut Game,
        observer: &mut dyn MainlineObserver,
        scratch: &mut Scratch,
    ) -> Result<()> {
        match self.edited(n) {
            Some(_) => observe_whole_game(self, n, game, observer, scratch),
            None => {
                let source = self.source.store();
                source.observe_mainline(n, game, observer, scratch)
            }
        }
    }

    fn stored_text(&self, n: u32) -> Option<StoredText<'_>> {
        // Stored bytes are those before the edits.
        if self.edits.is_empty() { self.source.store().stored_text(n) } else { None }
    }

    fn stored_rows(&self) -> Option<&dyn StoredRows> {
        if self.edits.is_empty() { self.source.store().stored_rows() } else { None }
    }

    fn search_index(&self) -> Option<&dyn SearchIndex> {
        // Without an index of the store there is nothing to filter.
        self.index()?;
        Some(self)
    }

    fn is_dense(&self) -> bool {
        self.source.store().is_dense()
    }

    fn details(&self) -> StoreDetails<'_> {
        self.source.store().details()
    }

    fn remarks(&self) -> Vec<Remark> {
        self.source.store().remarks()
    }

    fn unused(&self) -> Option<UnusedSpace> {
        self.source.store().unused()
    }
}

/// The index of the source, which knows nothing about edited games.
impl SearchIndex for EditedStore {
    fn signature(&self, n: u32) -> Option<Signature> {
        match self.edited(n) {
            Some(_) => None,
            None => self.index()?.signature(n),
        }
    }

    fn opening_lines(&self) -> &[Vec<PackedMove>] {
        self.index().map_or(&[], |index| index.opening_lines())
    }

    fn header_columns(
        &self,
        first: u32,
        columns: HeaderColumnSet,
        into: &mut HeaderColumns,
    ) -> bool {
        let index = self.index().filter(|_| !self.is_edited_block(first));
        index.is_some_and(|index| index.header_columns(first, columns, into))
    }

    fn exact_columns(&self, first: u32, games: u64) -> u64 {
        let index = self.index().filter(|_| !self.is_edited_block(first));
        index.map_or(0, |index| index.exact_columns(first, games))
    }

    fn has_clean_header(&self, n: u32) -> bool {
        let index = self.index().filter(|_| self.edited(n).is_none());
        index.is_some_and(|index| index.has_clean_header(n))
    }

    fn has_no_comments(&self, n: u32) -> bool {
        let index = self.index().filter(|_| self.edited(n).is_none());
        index.is_some_and(|index| index.has_no_comments(n))
    }
}
