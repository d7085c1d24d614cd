//! The content of a game object: copied from a database, read on demand, changed.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use chessdb::pgn::{GameText, Layout};
use chessdb::query::search::Match;

use super::{Game, LazyMoves, into_string};
use crate::metadata::Diagnostic;

impl Game {
    /// Makes a game that is in no database.
    pub(crate) fn from_model(model: chessdb::core::Game) -> Game {
        Game {
            model: RwLock::new(Arc::new(model)),
            changes: AtomicU32::new(0),
            tree: Mutex::default(),
            number: 1,
            base: None,
            found: Match::default(),
            findings: Box::default(),
            error: None,
            lazy_moves: None,
        }
    }

    /// Copies a game out of a reused buffer. `read` is the result of reading it.
    pub(crate) fn from_read(game: &chessdb::Game, read: chessdb::Result<()>) -> Game {
        Game {
            model: RwLock::new(Arc::new(game.as_ref().clone())),
            changes: AtomicU32::new(0),
            tree: Mutex::default(),
            number: game.number(),
            base: None,
            found: game.found().clone(),
            findings: Diagnostic::all(game.diagnostics()),
            error: match read {
                Ok(()) => game.fault(),
                Err(error) => Some(error.problem().to_string()),
            },
            lazy_moves: None,
        }
    }

    /// Copies a game with only its header, like [`Game::from_read`].
    pub(crate) fn header_from_read(
        game: &chessdb::Game,
        read: chessdb::Result<()>,
        db: &Arc<chessdb::Database>,
    ) -> Game {
        let lazy_moves = LazyMoves {
            db: Arc::clone(db),
            whole: OnceLock::new(),
        };
        Game {
            lazy_moves: Some(lazy_moves),
            ..Game::from_read(game, read)
        }
    }

    /// Sets the database that contains it.
    pub(crate) fn with_database(mut self, db: &chessdb::Database) -> Game {
        let name = db.path().and_then(std::path::Path::file_name);
        self.base = name.map(|name| name.to_string_lossy().into());
        self
    }

    /// Sets where it matches.
    pub(crate) fn with_match(self, matched: Match) -> Game {
        Game {
            found: matched,
            ..self
        }
    }

    /// Returns the game with its moves.
    pub(super) fn whole(&self) -> &Game {
        let Some(lazy_moves) = &self.lazy_moves else {
            return self;
        };
        lazy_moves.whole.get_or_init(|| {
            let mut game = chessdb::Game::new();
            let read = lazy_moves
                .db
                .game_into(self.number.saturating_sub(1), &mut game);
            Box::new(Game::from_read(&game, read))
        })
    }

    /// Returns the model with its moves.
    pub(crate) fn model(&self) -> Arc<chessdb::core::Game> {
        self.whole().header()
    }

    /// Returns the model with its header.
    pub(super) fn header(&self) -> Arc<chessdb::core::Game> {
        Arc::clone(&self.model.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Changes the model.
    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut chessdb::core::Game) -> T) -> T {
        let whole = self.whole();
        let mut model = whole.model.write().unwrap_or_else(PoisonError::into_inner);
        let changed = change(Arc::make_mut(&mut model));
        // The header was read on its own and has to become the changed one.
        if self.lazy_moves.is_some() {
            let mut header = self.model.write().unwrap_or_else(PoisonError::into_inner);
            *header = Arc::clone(&model);
        }
        self.changes.fetch_add(1, Ordering::AcqRel);
        changed
    }

    /// Returns whether part of the game could not be read.
    pub(crate) fn is_damaged(&self) -> bool {
        self.whole().error.is_some()
    }

    pub(super) fn text(&self, width: u32) -> String {
        let mut text = Vec::new();
        GameText::new(Layout::with_width(width)).append(&self.model(), &mut text);
        into_string(text)
    }
}

/// Parses a tag line from the PGN writer into name and value.
pub(super) fn tag(line: &str) -> Option<(String, String)> {
    let (name, value) = line
        .strip_prefix('[')?
        .strip_suffix("\"]")?
        .split_once(" \"")?;
    let mut plain = String::with_capacity(value.len());
    let mut letters = value.chars();
    while let Some(letter) = letters.next() {
        plain.push(match letter {
            '\\' => letters.next().unwrap_or(letter),
            letter => letter,
        });
    }
    Some((name.to_owned(), plain))
}
