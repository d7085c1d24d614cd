//! A game of the index, and the part of its record that contains the moves.

use chessdb_core::Location;
use chessdb_core::legacy::cbh::Mode;

use crate::moves::Stream;
use crate::raw::{GameRecord, Record};

/// A game before its moves are read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    /// ChessBase's number of the game; `None` if no index entry leads to it.
    pub(crate) id: Option<u32>,
    pub(crate) record: GameRecord,
    /// The offset of the moves, if they were found by searching.
    pub(crate) found: Option<u64>,
}

impl Entry {
    /// Returns the entry of a game without a header, with its record at offset `at`.
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

/// The encoded moves of a game, with their mode and location.
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
