//! A game of the index, and the part of its record that has the moves.

use chessdb_core::Location;
use chessdb_core::legacy::cbh::Mode;

use crate::moves::Stream;
use crate::raw::{GameRecord, Record};

/// A game before its moves are read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    /// The number by which ChessBase knows it; none if no entry of the index leads to it.
    pub(crate) id: Option<u32>,
    pub(crate) record: GameRecord,
    /// Where its moves were found, if they were searched for.
    pub(crate) found: Option<u64>,
}

impl Entry {
    /// Returns the entry of a game without a head, with its moves at byte `at`.
    pub(crate) fn unknown(at: u64) -> Entry {
        let mut record = GameRecord::parse(&[0; Record::SIZE]);
        record.full_moves = u8::MAX;
        Entry {
            id: None,
            record,
            found: Some(at),
        }
    }
}

/// The encoded moves of a game, with their mode and place.
pub(crate) struct Body<'a> {
    pub(crate) mode: Mode,
    pub(crate) moves: &'a [u8],
    pub(crate) at: Location,
}

impl<'a> Body<'a> {
    pub(crate) fn stream(&self, record: &GameRecord) -> Stream<'a> {
        Stream {
            mode: self.mode,
            bytes: self.moves,
            at: self.at,
            full_moves: record.full_moves,
        }
    }
}
