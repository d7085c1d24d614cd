//! Limits of the programs that a format was made for.

use std::fmt;

/// A limit of a format, for `chessdb formats --limits`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct FormatLimit {
    /// The limited quantity.
    pub what: &'static str,
    /// The maximum value; 0 for what the owner does not accept at all.
    pub limit: u64,
    /// The owner of the limit: the format or an old program.
    pub of: &'static str,
}

impl FormatLimit {
    /// The value of `of` for limits of the format itself. Data beyond such a limit are lost.
    pub const FORMAT: &'static str = "the format";

    /// Returns a limit of the format itself.
    pub const fn own(what: &'static str, limit: u64) -> FormatLimit {
        FormatLimit::new(what, limit, FormatLimit::FORMAT)
    }

    /// Returns a limit of the format or program `of`.
    pub const fn new(what: &'static str, limit: u64, of: &'static str) -> FormatLimit {
        FormatLimit { what, limit, of }
    }
}

/// Games beyond a limit of an old program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct LimitExceeded {
    /// The limit.
    pub limit: &'static FormatLimit,
    /// The number of games that exceed it.
    pub games: u32,
    /// The number of the first of them in the new database, from 1.
    pub first: u32,
}

impl LimitExceeded {
    /// Creates an entry for `games` games beyond a limit. `first` is the number of the first of
    /// them in the new database, from 1.
    pub const fn new(limit: &'static FormatLimit, games: u32, first: u32) -> LimitExceeded {
        LimitExceeded {
            limit,
            games,
            first,
        }
    }

    /// Records that a game, counted from 1, exceeds a limit.
    pub fn note(all: &mut Vec<LimitExceeded>, limit: &'static FormatLimit, game: u32) {
        match all.iter_mut().find(|entry| entry.limit == limit) {
            Some(entry) => entry.games = entry.games.saturating_add(1),
            None => all.push(LimitExceeded::new(limit, 1, game)),
        }
    }
}

impl fmt::Display for LimitExceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FormatLimit { what, limit, of } = self.limit;
        let LimitExceeded { games, first, .. } = self;
        let plural = if *games == 1 { "" } else { "s" };
        match limit {
            0 => write!(f, "{of}: no {what}; found in")?,
            _ => write!(f, "{of}: at most {limit} {what}; exceeded by")?,
        }
        write!(f, " {games} game{plural}, the first is game {first}")
    }
}
