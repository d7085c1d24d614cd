//! A game of the index, and the part of its record that contains the moves.

use chessdb_core::error::Location;
use chessdb_core::legacy::cbh::Mode;

use crate::moves::CbhStream;
use crate::raw::{GameRecord, Record};

/// A game before its moves are read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GameEntry {
    /// ChessBase's number of the game; `None` if no index entry leads to it.
    pub(crate) id: Option<u32>,
    pub(crate) record: GameRecord,
    /// The offset of the moves, if the search found them.
    pub(crate) offset: Option<u64>,
}

impl GameEntry {
    /// Returns the entry of a game without a header, with its record at `offset`.
    pub(crate) fn unknown(offset: u64) -> GameEntry {
        let mut record = GameRecord::parse(&[0; Record::SIZE]);
        // 255 also means any larger number, so no stated count ends the moves (section 6.7).
        record.full_moves = u8::MAX;
        GameEntry {
            id: None,
            record,
            offset: Some(offset),
        }
    }
}

/// The encoded moves of a game, with their mode and location.
pub(crate) struct MoveBody<'a> {
    pub(crate) mode: Mode,
    pub(crate) moves: &'a [u8],
    pub(crate) at: Location,
}

impl<'a> MoveBody<'a> {
    pub(crate) fn stream(&self, record: &GameRecord) -> CbhStream<'a> {
        CbhStream {
            mode: self.mode,
            bytes: self.moves,
            at: self.at,
            full_moves: record.full_moves,
        }
    }
}
