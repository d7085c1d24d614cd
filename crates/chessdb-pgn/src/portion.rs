//! Games cut out of a stream, to be read by another thread.

use chessdb_core::{Game, GameRead, ReadOptions, Result, Scratch, Start};

use crate::game::{Want, read_game};
use crate::report::Source;

/// A portion has at most so many games …
const GAMES: usize = 128;
/// … and ends with the game with which it has so many bytes.
const BYTES: usize = 128 << 10;

/// Games with all that is needed to read them.
#[derive(Debug)]
pub(crate) struct Cutting {
    bytes: Vec<u8>,
    /// Where each game ends in the bytes.
    ends: Vec<usize>,
    options: ReadOptions,
    start: Start,
    /// Offset of the bytes in the stream.
    offset: u64,
    /// Number of the first game.
    number: u32,
    /// Whether another game follows the last one.
    followed: bool,
    /// The game that is read next, and where it begins.
    next: usize,
    at: usize,
}

impl Cutting {
    /// Nothing yet: the games from this offset on, of which the first has this number.
    pub(crate) fn new(options: &ReadOptions, start: &Start, offset: u64, number: u32) -> Cutting {
        Cutting {
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

    /// Whether another game has room.
    pub(crate) fn has_room(&self) -> bool {
        self.ends.len() < GAMES && self.bytes.len() < BYTES
    }

    /// Adds a game: the one after the last one in the stream; `followed` if it is not the last one of
    /// the stream.
    pub(crate) fn push(&mut self, game: &[u8], followed: bool) {
        self.followed = followed;
        self.bytes.extend_from_slice(game);
        self.ends.push(self.bytes.len());
    }

    /// How many games there are.
    pub(crate) fn len(&self) -> u32 {
        self.ends.len() as u32
    }

    fn advance(&mut self) -> Option<(usize, usize)> {
        let end = *self.ends.get(self.next)?;
        self.next += 1;
        Some((std::mem::replace(&mut self.at, end), end))
    }
}

impl GameRead for Cutting {
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
        read_game(source, &self.options, Want::Everything, game, scratch).map(|()| true)
    }

    fn skip_game(&mut self) -> Result<bool> {
        Ok(self.advance().is_some())
    }
}
