//! The statements of index entries about records, and the records that were found.

use std::ops::Range;

use super::Found;

/// The statement of an index entry about a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IndexClaim {
    /// The number of the entry.
    pub entry: u32,
    /// The bytes of its record; `None` if it refers to no existing bytes.
    pub range: Option<Range<usize>>,
    /// [`Found::Exact`] if record and entry agree, [`Found::HeaderUnknown`] if only the record is
    /// intact, [`Found::MovesUpToFault`] if only the header is.
    pub found: Found,
    /// A key that identifies the game, if enough of it is known ([`main_line`](super::main_line)).
    pub key: Option<u64>,
    /// The half-moves of a damaged record that the ordinary reader delivers ([`add_listed`](super::add_listed)).
    pub plies: u32,
    /// Whether neither the entry nor its record is credible. It is kept only if no record was found
    /// that may be its own.
    pub is_doubtful: bool,
}

impl IndexClaim {
    /// Creates the claim of an entry to the bytes of a record, if there are any.
    pub fn new(entry: u32, range: Option<Range<usize>>, found: Found) -> IndexClaim {
        IndexClaim {
            entry,
            range,
            found,
            key: None,
            plies: 0,
            is_doubtful: false,
        }
    }

    /// Creates the claim of an entry that leads to these bytes, where an intact record was found or
    /// not. `None` if neither the entry nor the record is credible. `is_exact` returns whether a
    /// credible entry agrees with its record.
    pub fn of_entry(
        entry: u32,
        range: Option<Range<usize>>,
        record: Option<Piece>,
        is_credible: bool,
        is_exact: impl FnOnce() -> bool,
    ) -> Option<IndexClaim> {
        let Some(record) = record else {
            // A credible entry keeps its place among the games, even without its moves.
            return is_credible.then(|| IndexClaim::new(entry, range, Found::MovesUpToFault));
        };
        let is_exact = is_credible && is_exact();
        let basis = if is_exact { Found::Exact } else { Found::HeaderUnknown };
        let range = range.map(|range| range.start..range.start.saturating_add(record.length));
        Some(IndexClaim {
            key: record.key,
            ..IndexClaim::new(entry, range, basis)
        })
    }

    /// Returns whether the entry refers to an intact record.
    pub(super) fn is_sound(&self) -> bool {
        self.found.is_whole()
    }
}

/// A record that was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// Its length in bytes; at least one.
    pub length: usize,
    /// How much of it is present; [`Found::Exact`] if nothing is missing.
    pub found: Found,
    /// A key that identifies the game.
    pub key: Option<u64>,
    /// The number of its half-moves.
    pub plies: u32,
}

impl Piece {
    /// Creates a record without moves.
    pub fn without_moves(length: usize, found: Found) -> Piece {
        Piece {
            length,
            found,
            key: None,
            plies: 0,
        }
    }
}
