//! A game with its number and the diagnostics of reading it.

use std::fmt;
use std::ops::{Deref, DerefMut};

use chessdb_core::error::Location;
use chessdb_core::search::MainlineObserver;
use chessdb_core::{Diagnostic, Error, ErrorKind, GameRead, GameStore, Result, Scratch, Severity};
use chessdb_query::search::Match;

/// A game with its position in the database and the diagnostics of reading it.
///
/// It dereferences to the game of the model ([`chessdb_core::Game`]), which has the accessors. A
/// `Game` can be filled repeatedly ([`crate::Reader::read_into`], [`crate::Database::game_into`])
/// and reuses its memory.
#[derive(Default, Debug)]
pub struct Game {
    model: chessdb_core::Game,
    index: u32,
    diagnostics: Vec<Diagnostic>,
    dropped_diagnostics: u32,
    /// Whether the caller had access to change the model since it was read.
    may_be_changed: bool,
    /// `None` before the first use and while in use.
    scratch: Option<Box<Scratch>>,
    found: Match,
}

impl Game {
    /// Creates an empty game.
    pub fn new() -> Game {
        Game::default()
    }

    /// Returns a builder that makes a game from tags, moves and comments.
    ///
    /// ```
    /// let game = chessdb::Game::builder().white("Anderssen").sans(["e4", "e5", "f4"])?.build();
    /// assert_eq!(game.plies(), 3);
    /// # Ok::<(), chessdb::Error>(())
    /// ```
    pub fn builder() -> chessdb_core::model::GameBuilder {
        chessdb_core::Game::builder()
    }

    /// Returns the index in the database, counted from 0, as all functions count.
    pub fn index(&self) -> u32 {
        self.index
    }

    /// Returns the number in the database, counted from 1, as shown to users.
    pub fn number(&self) -> u32 {
        self.index.saturating_add(1)
    }

    /// Returns the problems that lenient reading found and repaired or skipped.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Returns the number of diagnostics that exceeded
    /// [`chessdb_core::limits::Limits::diagnostics`] and were not kept.
    pub fn dropped_diagnostics(&self) -> u32 {
        self.dropped_diagnostics
    }

    /// Returns whether part of the game is missing because the source is damaged.
    pub fn is_damaged(&self) -> bool {
        self.diagnostics.iter().any(is_lost)
    }

    /// Returns where the game matches the query it was read with ([`crate::Scan::filter`]).
    pub fn found(&self) -> &Match {
        &self.found
    }

    /// Sets where the game matches its query.
    pub(crate) fn set_found(&mut self, matched: Match) {
        self.found = matched;
    }

    /// Describes what is missing because the source is damaged; `None` if nothing is.
    pub fn fault(&self) -> Option<String> {
        let lost = self
            .diagnostics
            .iter()
            .filter(|diagnostic| is_lost(diagnostic));
        let messages: Vec<String> = lost.map(|diagnostic| diagnostic.kind.to_string()).collect();
        (!messages.is_empty()).then(|| messages.join("; "))
    }

    /// Puts another game in place of this one. Its number stays; the diagnostics of the old game are
    /// removed.
    pub fn replace(&mut self, model: chessdb_core::Game) {
        self.model = model;
        self.diagnostics.clear();
        self.dropped_diagnostics = 0;
        self.may_be_changed = true;
    }

    /// Returns whether the game may differ from the one that was read: false if nothing accessed it
    /// mutably since then.
    pub fn may_be_changed(&self) -> bool {
        self.may_be_changed
    }

    /// Returns the game of the model.
    pub fn into_model(self) -> chessdb_core::Game {
        self.model
    }

    /// Removes the first diagnostic of [`Severity::Lost`] and returns it as an error.
    pub fn take_damage(&mut self) -> Error {
        let lost = first_lost(&mut self.diagnostics);
        lost.unwrap_or_else(|| ErrorKind::Structure("damaged").into())
    }

    /// Reads game `index` of a store.
    pub(crate) fn read(
        &mut self,
        store: &dyn GameStore,
        index: u32,
        headers_only: bool,
    ) -> Result<()> {
        self.with_scratch(|game, scratch| game.fill_with(store, index, headers_only, scratch))
    }

    /// Calls `act` with the game's own buffers.
    pub(crate) fn with_scratch<T>(&mut self, act: impl FnOnce(&mut Game, &mut Scratch) -> T) -> T {
        let mut scratch = self.scratch.take().unwrap_or_default();
        let done = act(self, &mut scratch);
        self.scratch = Some(scratch);
        done
    }

    /// Reads the header of game `index` of a store and passes the mainline to `observer`.
    pub(crate) fn observe_mainline(
        &mut self,
        store: &dyn GameStore,
        index: u32,
        observer: &mut dyn MainlineObserver,
    ) -> Result<()> {
        self.with_scratch(|game, scratch| {
            let result = store.observe_mainline(index, &mut game.model, observer, scratch);
            game.finish_read(index, result, scratch)
        })
    }

    /// Reads game `index` of a store, or passes its moves to `observer`
    /// ([`GameStore::game_or_mainline`]).
    pub(crate) fn read_or_observe(
        &mut self,
        store: &dyn GameStore,
        index: u32,
        observer: &mut dyn MainlineObserver,
    ) -> Result<bool> {
        self.with_scratch(|game, scratch| {
            let result = store.game_or_mainline(index, &mut game.model, observer, scratch);
            let is_observed = *result.as_ref().unwrap_or(&false);
            let read = game.finish_read(index, result.map(|_| ()), scratch);
            read.map(|()| is_observed)
        })
    }

    /// Reads game `index` of a store using `scratch`.
    pub(crate) fn fill_with(
        &mut self,
        store: &dyn GameStore,
        index: u32,
        headers_only: bool,
        scratch: &mut Scratch,
    ) -> Result<()> {
        let result = if headers_only {
            store.header_into(index, &mut self.model, scratch)
        } else {
            store.game_into(index, &mut self.model, scratch)
        };
        self.finish_read(index, result, scratch)
    }

    /// Reads the next game of a stream, which gets this index; returns false at the end. An error
    /// with a game in its location concerns that game, any other the stream.
    pub(crate) fn fill_next(
        &mut self,
        stream: &mut dyn GameRead,
        index: u32,
        scratch: &mut Scratch,
    ) -> Result<bool> {
        match stream.read_into(&mut self.model, scratch) {
            Ok(false) => Ok(false),
            Ok(true) => self.finish_read(index, Ok(()), scratch).map(|()| true),
            // An I/O error ends the stream; all other errors concern this game only.
            Err(error) if matches!(error.kind(), ErrorKind::Io(_)) => Err(error),
            Err(error) => self.finish_read(index, Err(error), scratch).map(|()| true),
        }
    }

    /// Clears the game and sets its index only.
    pub(crate) fn set_index(&mut self, index: u32) {
        self.index = index;
        self.may_be_changed = false;
        self.model.clear();
        self.found = Match::default();
        self.diagnostics.clear();
        self.dropped_diagnostics = 0;
    }

    /// Takes the diagnostics out of the buffers and adds the number of the game to them.
    pub(crate) fn finish_read(
        &mut self,
        index: u32,
        result: Result<()>,
        scratch: &mut Scratch,
    ) -> Result<()> {
        self.index = index;
        self.may_be_changed = false;
        let location = Location::game(self.number());
        self.diagnostics.clear();
        // A swap lets both lists keep their memory.
        std::mem::swap(&mut self.diagnostics, &mut scratch.diagnostics);
        self.dropped_diagnostics = std::mem::take(&mut scratch.dropped_diagnostics);
        for diagnostic in &mut self.diagnostics {
            diagnostic.at.fill(location);
        }
        result.map_err(|error| error.at(location))
    }

    /// Returns roughly the number of bytes it takes.
    pub fn weight(&self) -> usize {
        self.model.moves.len() * 4 + self.model.texts.bytes_used()
    }
}

fn is_lost(diagnostic: &Diagnostic) -> bool {
    diagnostic.severity == Severity::Lost
}

/// Removes the first diagnostic of [`Severity::Lost`] and returns it as an error.
pub fn first_lost(diagnostics: &mut Vec<Diagnostic>) -> Option<Error> {
    let index = diagnostics.iter().position(is_lost)?;
    let diagnostic = diagnostics.swap_remove(index);
    Some(Error::new(diagnostic.kind).at(diagnostic.at))
}

impl Deref for Game {
    type Target = chessdb_core::Game;

    fn deref(&self) -> &chessdb_core::Game {
        &self.model
    }
}

impl DerefMut for Game {
    fn deref_mut(&mut self) -> &mut chessdb_core::Game {
        self.may_be_changed = true;
        &mut self.model
    }
}

impl AsRef<chessdb_core::Game> for Game {
    fn as_ref(&self) -> &chessdb_core::Game {
        &self.model
    }
}

/// A game that belongs to no database.
impl From<chessdb_core::Game> for Game {
    fn from(model: chessdb_core::Game) -> Game {
        Game {
            model,
            ..Game::default()
        }
    }
}

impl Clone for Game {
    /// Copies the game and its number, without the diagnostics.
    fn clone(&self) -> Game {
        Game {
            index: self.index,
            ..Game::from(self.model.clone())
        }
    }
}

/// Formats the game as `White - Black, event 1858, 1-0`.
impl fmt::Display for Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.model, f)
    }
}

#[cfg(feature = "pgn")]
mod pgn {
    use chessdb_core::{Charset, Error, ErrorKind, GameRead, ReadOptions, Start};
    use chessdb_pgn::{GameText, Layout, Reader};

    use super::Game;
    use chessdb_files::error::Result;

    impl Game {
        /// Parses a text that contains one game.
        ///
        /// # Errors
        ///
        /// Returns an error if the text contains no game or several, or anything that cannot be
        /// read. Minor deviations are in [`Game::diagnostics`].
        ///
        /// ```
        /// let game = chessdb::Game::from_pgn("[White \"Legal\"]\n\n1. e4 e5 2. Nf3 *")?;
        /// assert_eq!(game.to_pgn(), game.clone().to_pgn());
        /// assert!(chessdb::Game::from_pgn("1. e4 e9 *").is_err());
        /// # Ok::<(), chessdb::Error>(())
        /// ```
        pub fn from_pgn(text: &str) -> Result<Game> {
            only_game(text, Start::Standard)
        }

        /// Parses movetext as written by [`Game::movetext`]: moves, comments, variations and the
        /// result, but no tags. The game begins at `start`.
        ///
        /// # Errors
        ///
        /// Returns the errors of [`Game::from_pgn`].
        ///
        /// ```
        /// use chessdb::{Game, core::Start};
        ///
        /// let game = Game::from_movetext("1. e4 (1. d4 {solid}) e5 1-0", &Start::Standard)?;
        /// assert_eq!(game.movetext(), "1. e4 (1. d4 {solid}) 1... e5 1-0");
        /// # Ok::<(), chessdb::Error>(())
        /// ```
        pub fn from_movetext(text: &str, start: &Start) -> Result<Game> {
            only_game(text, start.clone())
        }

        /// Formats the game as PGN with lines of 80 characters. Data that PGN cannot store is left
        /// out; [`chessdb_pgn::write_game`] counts it.
        pub fn to_pgn(&self) -> String {
            let mut text = Vec::new();
            chessdb_pgn::write_game(self, &Layout::default(), &mut text);
            into_string(text)
        }

        /// Formats the movetext on one line, with comments, variations and the result.
        /// [`Game::from_movetext`] reads it again.
        pub fn movetext(&self) -> String {
            let mut text = Vec::new();
            GameText::new(Layout::with_width(0)).append_moves(self, &mut text);
            into_string(text)
        }
    }

    /// Parses the one game in a text; it begins at `start` if the text does not set a position.
    fn only_game(text: &str, start: Start) -> Result<Game> {
        let mut options = ReadOptions::default();
        // The text is a `str`, so nothing has to be guessed.
        options.charset = Some(Charset::UTF_8);
        let mut reader = Reader::new(text.as_bytes(), options).with_start(start);
        let mut game = Game::new();
        let refused = |what| Err(Error::from(ErrorKind::Structure(what)).into());
        if !game.with_scratch(|game, scratch| game.fill_next(&mut reader, 0, scratch))? {
            return refused("the text contains no game");
        }
        if game.is_damaged() {
            return Err(game.take_damage().into());
        }
        // A second game would be lost without notice.
        if reader.skip_game()? {
            return refused("the text contains several games");
        }
        Ok(game)
    }

    /// Converts the writer's output, which is UTF-8.
    fn into_string(text: Vec<u8>) -> String {
        String::from_utf8(text)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }
}
