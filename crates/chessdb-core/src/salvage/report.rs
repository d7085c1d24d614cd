//! The result of a salvage: how each game was found, and the bytes without games.

use std::ops::Range;

use crate::files::Role;
use crate::{Diagnostic, ErrorKind, Game, GameStore, Scratch, Severity};

/// How a game of a salvaged database was found.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Found {
    /// At the place that the index states, or directly after another game; complete.
    Exact,
    /// By a search of bytes that no index entry owns; complete.
    Carved,
    /// All moves are present; other data of the game are lost: names, texts, dates or annotations.
    Incomplete,
    /// The moves are present; the players are unknown or uncertain.
    HeaderUnknown,
    /// The moves end where the damage begins.
    MovesUpToFault,
}

impl Found {
    /// All variants.
    pub const ALL: [Found; 5] = [
        Found::Exact,
        Found::Carved,
        Found::Incomplete,
        Found::HeaderUnknown,
        Found::MovesUpToFault,
    ];

    /// Returns a short constant name for machine-readable output, such as `moves-up-to-fault`.
    pub const fn code(self) -> &'static str {
        match self {
            Found::Exact => "exact",
            Found::Carved => "carved",
            Found::Incomplete => "incomplete",
            Found::HeaderUnknown => "head-unknown",
            Found::MovesUpToFault => "moves-up-to-fault",
        }
    }

    /// Returns whether all moves are present.
    pub const fn is_whole(self) -> bool {
        !matches!(self, Found::MovesUpToFault)
    }

    /// Returns the meaning in words.
    pub const fn text(self) -> &'static str {
        match self {
            Found::Exact => "exact",
            Found::Carved => "carved, found by searching the bytes",
            Found::Incomplete => "with all moves; some names, dates or annotations are lost",
            Found::HeaderUnknown => "with an unknown or uncertain header",
            Found::MovesUpToFault => "with the moves up to the damage",
        }
    }
}

/// The reason why a stretch of bytes gave no game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum NoGameReason {
    /// No part of the bytes could be read.
    Nothing,
    /// The game, or a later version of it, is elsewhere in the file.
    Twice,
}

impl NoGameReason {
    /// Returns a short constant name for machine-readable output.
    pub const fn code(self) -> &'static str {
        match self {
            NoGameReason::Nothing => "nothing",
            NoGameReason::Twice => "twice",
        }
    }

    /// Returns the meaning in words.
    pub const fn text(self) -> &'static str {
        match self {
            NoGameReason::Nothing => "no game in these bytes",
            NoGameReason::Twice => "a copy or an earlier version of another game",
        }
    }
}

/// The result of opening a damaged database ([`crate::ReadOptions::salvage`]).
#[derive(Clone, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Salvaged {
    /// How each game was found, in game order. A fault in the moves may become known only when the
    /// game is read.
    pub games: Vec<Found>,
    /// Stretches of the files that gave no game, in ascending order.
    pub barren: Vec<(Role, Range<u64>, NoGameReason)>,
    /// The file with the moves, if the database has other files too.
    pub moves: Option<Role>,
}

impl Salvaged {
    /// Returns the result for `games` games, all found where the index states.
    pub fn exact(games: usize) -> Salvaged {
        Salvaged {
            games: vec![Found::Exact; games],
            ..Salvaged::default()
        }
    }

    /// Creates a result from the state of each game and the stretches without games.
    pub fn new(games: Vec<Found>, barren: Vec<(Role, Range<u64>, NoGameReason)>) -> Salvaged {
        Salvaged {
            games,
            barren,
            moves: None,
        }
    }

    /// Returns how a game was found after reading it reported `diagnostic`; `state` is the state
    /// before.
    pub fn judge(&self, state: Found, diagnostic: &Diagnostic) -> Found {
        if diagnostic.severity < Severity::Lost {
            return state;
        }
        let location = &diagnostic.at;
        let beside_moves = match self.moves {
            Some(moves) => location.file.is_some_and(|file| file != moves),
            // In formats without a search, only a number that refers to no name is certain to be
            // outside of the moves.
            None => location.ply.is_none() && matches!(diagnostic.kind, ErrorKind::BadField { .. }),
        };
        match (state, beside_moves) {
            (Found::Exact | Found::Carved | Found::Incomplete, false) => Found::MovesUpToFault,
            (Found::Exact | Found::Carved, true) => Found::Incomplete,
            (state, _) => state,
        }
    }

    /// Reads every complete game and marks those with losses outside of the file with the moves as
    /// [`Found::Incomplete`].
    pub fn mark_incomplete(&mut self, store: &dyn GameStore) {
        let (mut game, mut scratch) = (Game::new(), Scratch::new());
        for n in 0..store.len() {
            let state = self.found(n);
            scratch.diagnostics.clear();
            // Worse states stay as they are, so reading such a game would be in vain.
            if !matches!(state, Found::Exact | Found::Carved)
                || store.game_into(n, &mut game, &mut scratch).is_err()
            {
                continue;
            }
            let mut judged = scratch
                .diagnostics
                .iter()
                .map(|diagnostic| self.judge(state, diagnostic));
            if judged.any(|judgement| judgement == Found::Incomplete)
                && let Some(entry) = self.games.get_mut(n as usize)
            {
                *entry = Found::Incomplete;
            }
        }
    }

    /// Returns how a game, counted from 0, was found.
    pub fn found(&self, n: u32) -> Found {
        self.games.get(n as usize).copied().unwrap_or(Found::Exact)
    }
}
