//! Games in memory as a source of conversions.

use std::sync::Arc;

use chessdb_core::error::Location;
use chessdb_core::limits::Limits;
use chessdb_core::store::Opened;
use chessdb_core::{ErrorKind, Game, GameStore, ReadOptions, Result, Scratch, Severity};

/// Games that the caller holds, for [`super::Converter::add_store`] and
/// [`super::Converter::append_games`].
#[derive(Default)]
pub struct GameList {
    opened: Opened,
    games: Vec<ListedGame>,
}

struct ListedGame {
    model: Arc<Game>,
    is_damaged: bool,
}

impl GameList {
    /// Creates an empty list.
    pub fn new() -> GameList {
        GameList::default()
    }

    /// Adds a game. If it `is_damaged`, conversions treat it as one that was read from a damaged
    /// source. The numbers of its names, which are different in every database, are removed.
    pub fn push(&mut self, mut model: Arc<Game>, is_damaged: bool) {
        Arc::make_mut(&mut model).header.clear_name_keys();
        self.games.push(ListedGame { model, is_damaged });
    }

    /// Adds the games of another list.
    pub fn extend(&mut self, others: GameList) {
        self.games.extend(others.games);
    }

    /// Returns whether there are no games.
    pub fn is_empty(&self) -> bool {
        self.games.is_empty()
    }
}

impl GameStore for GameList {
    fn len(&self) -> u32 {
        u32::try_from(self.games.len()).unwrap_or(u32::MAX)
    }

    fn opened(&self) -> &Opened {
        &self.opened
    }

    fn header_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        self.game_into(n, game, scratch)?;
        game.moves.builder(&Limits::default()).finish();
        Ok(())
    }

    fn game_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        let listed = self.games.get(n as usize);
        let listed = listed.ok_or_else(|| ErrorKind::no_such_game(n, self.len()))?;
        game.clone_from(&listed.model);
        // The report of a conversion counts the game as damaged, as if read from its source.
        if listed.is_damaged {
            let kind = ErrorKind::Structure("part of the game is missing in its source");
            let location = Location::game(n.saturating_add(1));
            scratch.deviation(&ReadOptions::default(), Severity::Lost, kind, location)?;
        }
        Ok(())
    }
}

impl std::fmt::Debug for GameList {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "GameList({} games)", self.games.len())
    }
}
