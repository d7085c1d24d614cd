//! Games cut from a stream, to be read by another thread.

use chessdb_core::{Game, GameRead, ReadOptions, Result, Scratch, Start};

use crate::game::{ReadScope, read_game};
use crate::report::Source;

/// The largest number of games of a portion.
const GAMES: usize = 128;
/// The size at which a portion is full: it ends with the game that reaches this many bytes.
const BYTES: usize = 128 << 10;

/// Games with everything needed to read them.
#[derive(Debug)]
pub(crate) struct StreamPortion {
    bytes: Vec<u8>,
    /// The end of each game in the bytes.
    ends: Vec<usize>,
    options: ReadOptions,
    start: Start,
    /// The offset of the bytes in the stream.
    offset: u64,
    /// The number of the first game.
    number: u32,
    /// Whether another game follows the last one.
    followed: bool,
    /// The game that is read next, and its start.
    next: usize,
    at: usize,
}

impl StreamPortion {
    /// Creates an empty portion for games from this offset on, the first one with this number.
    pub(crate) fn new(
        options: &ReadOptions,
        start: &Start,
        offset: u64,
        number: u32,
    ) -> StreamPortion {
        StreamPortion {
            // The game that fills the portion may exceed the limit.
            bytes: Vec::with_capacity(BYTES + BYTES / 2),
            ends: Vec::with_capacity(GAMES),
            options: options.clone(),
            start: start.clone(),
            offset,
            number,
            followed: true,
            next: 0,
            at: 0,
        }
    }

    /// Returns whether another game may be added.
    pub(crate) fn has_room(&self) -> bool {
        self.ends.len() < GAMES && self.bytes.len() < BYTES
    }

    /// Adds the next game of the stream. `followed` if it is not the last one of the stream.
    pub(crate) fn push(&mut self, game: &[u8], followed: bool) {
        self.followed = followed;
        self.bytes.extend_from_slice(game);
        self.ends.push(self.bytes.len());
    }

    /// Returns the number of games.
    pub(crate) fn len(&self) -> u32 {
        self.ends.len() as u32
    }

    fn advance(&mut self) -> Option<(usize, usize)> {
        let end = *self.ends.get(self.next)?;
        self.next += 1;
        Some((std::mem::replace(&mut self.at, end), end))
    }
}

impl GameRead for StreamPortion {
    fn read_into(&mut self, game: &mut Game, scratch: &mut Scratch) -> Result<bool> {
        let number = self.number.saturating_add(self.next as u32);
        let Some((start, end)) = self.advance() else {
            return Ok(false);
        };
        let source = Source {
            bytes: self.bytes.get(start..end).unwrap_or_default(),
            offset: self.offset + start as u64,
            number,
            start: &self.start,
            cut: None,
            followed: self.followed || self.next < self.ends.len(),
        };
        read_game(source, &self.options, ReadScope::Everything, game, scratch).map(|()| true)
    }

    fn skip_game(&mut self) -> Result<bool> {
        Ok(self.advance().is_some())
    }
}
