//! The result of a salvage: how each game was found, and the bytes without games.

use std::ops::Range;

use crate::{Diagnostic, ErrorKind, Game, GameStore, Role, Scratch, Severity};

/// How a game of a salvaged base was found.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Found {
    /// Where the index states, or directly after another game; nothing of it is missing.
    Exact,
    /// By a search among bytes that no index entry owns; nothing of it is missing.
    Carved,
    /// All moves are there; something else that the base held of the game is gone: names, texts,
    /// dates, annotations.
    Incomplete,
    /// Its moves are there; who played them is not known, or not sure.
    HeaderUnknown,
    /// Its moves end where the damage begins.
    MovesUpToFault,
}

impl Found {
    /// All of them.
    pub const ALL: [Found; 5] = [
        Found::Exact,
        Found::Carved,
        Found::Incomplete,
        Found::HeaderUnknown,
        Found::MovesUpToFault,
    ];

    /// A short constant name for machines, such as `header-unknown`.
    pub const fn code(self) -> &'static str {
        match self {
            Found::Exact => "exact",
            Found::Carved => "carved",
            Found::Incomplete => "incomplete",
            Found::HeaderUnknown => "head-unknown",
            Found::MovesUpToFault => "moves-up-to-fault",
        }
    }

    /// Whether all moves are there.
    pub const fn is_whole(self) -> bool {
        !matches!(self, Found::MovesUpToFault)
    }

    /// The meaning in words.
    pub const fn text(self) -> &'static str {
        match self {
            Found::Exact => "exact",
            Found::Carved => "carved, found by a search of the bytes",
            Found::Incomplete => {
                "with all moves, without names, dates or annotations that are gone"
            }
            Found::HeaderUnknown => "with a head that is unknown or not sure",
            Found::MovesUpToFault => "with moves up to a fault",
        }
    }
}

/// The reason why a stretch of bytes gave no game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum NoGameReason {
    /// Nothing in them could be understood.
    Nothing,
    /// The game, or a later version of it, is elsewhere in the file.
    Twice,
}

impl NoGameReason {
    /// A short constant name for machines.
    pub const fn code(self) -> &'static str {
        match self {
            NoGameReason::Nothing => "nothing",
            NoGameReason::Twice => "twice",
        }
    }

    /// The meaning in words.
    pub const fn text(self) -> &'static str {
        match self {
            NoGameReason::Nothing => "no game in these bytes",
            NoGameReason::Twice => "a game that stands elsewhere too, or an earlier version of it",
        }
    }
}

/// The result of opening a damaged database ([`crate::ReadOptions::salvage`]).
#[derive(Clone, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Salvaged {
    /// How each game was found, from the first on; that moves end at a fault may show only when the
    /// game is read.
    pub games: Vec<Found>,
    /// Stretches of the files that gave no game, in ascending order.
    pub barren: Vec<(Role, Range<u64>, NoGameReason)>,
    /// The file that has the moves, where the base has others besides.
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

    /// These games, and these stretches without any.
    pub fn new(games: Vec<Found>, barren: Vec<(Role, Range<u64>, NoGameReason)>) -> Salvaged {
        Salvaged {
            games,
            barren,
            moves: None,
        }
    }

    /// Returns how a game was found after reading it reported `diagnostic`; `found` is the state
    /// before.
    pub fn judge(&self, found: Found, diagnostic: &Diagnostic) -> Found {
        if diagnostic.severity < Severity::Lost {
            return found;
        }
        let at = &diagnostic.at;
        let beside_moves = match self.moves {
            Some(moves) => at.file.is_some_and(|file| file != moves),
            // Of formats without a search only a number that leads to no name is known.
            None => at.ply.is_none() && matches!(diagnostic.kind, ErrorKind::BadField { .. }),
        };
        match (found, beside_moves) {
            (Found::Exact | Found::Carved | Found::Incomplete, false) => Found::MovesUpToFault,
            (Found::Exact | Found::Carved, true) => Found::Incomplete,
            (found, _) => found,
        }
    }

    /// Reads every game that counts as whole, and marks those that lost something outside of the file
    /// with the moves as [`Found::Incomplete`].
    pub fn mark_incomplete(&mut self, store: &dyn GameStore) {
        let (mut game, mut scratch) = (Game::new(), Scratch::new());
        for n in 0..store.len() {
            let found = self.found(n);
            scratch.diagnostics.clear();
            if !matches!(found, Found::Exact | Found::Carved)
                || store.game_into(n, &mut game, &mut scratch).is_err()
            {
                continue;
            }
            let mut judged = scratch
                .diagnostics
                .iter()
                .map(|said| self.judge(found, said));
            if judged.any(|found| found == Found::Incomplete)
                && let Some(found) = self.games.get_mut(n as usize)
            {
                *found = Found::Incomplete;
            }
        }
    }

    /// How a game, counted from 0, was found.
    pub fn found(&self, n: u32) -> Found {
        self.games.get(n as usize).copied().unwrap_or(Found::Exact)
    }
}
