//! Offsets of the games of a file, if they are already known.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::error::Location;
use crate::files::SharedBytes;
use crate::{Error, ErrorKind, Result};

/// The offset of each game of a file, and the end of the last one.
///
/// The offsets are stored in shared bytes as consecutive little-endian 64-bit numbers and are
/// decoded on access.
///
/// ```
/// use chessdb_core::files::GameOffsets;
/// use std::sync::Arc;
///
/// let bytes: Vec<u8> = [0_u64, 70, 145].into_iter().flat_map(u64::to_le_bytes).collect();
/// let offsets = GameOffsets::new(Arc::new(bytes), 0..24).unwrap();
/// assert_eq!((offsets.games(), offsets.get(2), offsets.get(3)), (2, Some(145), None));
/// ```
#[derive(Clone)]
pub struct GameOffsets {
    bytes: SharedBytes,
    range: Range<usize>,
    later: Option<Arc<LaterChanges>>,
}

/// What has changed in a file since its offsets were stored.
#[derive(Debug)]
struct LaterChanges {
    /// The games with another text, ascending.
    changed: Vec<u32>,
    /// The first game of each part of the file, and the distance by which the part has moved;
    /// empty as long as it is not known.
    shifts: Vec<(u32, i64)>,
    /// The ends of the games that were appended.
    ends: Vec<u64>,
}

impl GameOffsets {
    /// Uses the numbers in this range of the bytes.
    ///
    /// Returns `None` if the range exceeds the bytes, is empty or no multiple of eight long, or
    /// contains more numbers than possible: one more than the maximum number of games.
    pub fn new(bytes: SharedBytes, range: Range<usize>) -> Option<GameOffsets> {
        let (numbers, rest) = (*bytes).as_ref().get(range.clone())?.as_chunks::<8>();
        (rest.is_empty() && !numbers.is_empty() && numbers.len() <= u32::MAX as usize).then_some(
            GameOffsets {
                bytes,
                range,
                later: None,
            },
        )
    }

    /// Uses all numbers in these bytes, which a reader found in a file.
    ///
    /// # Errors
    ///
    /// Returns an error if the file contains more games than supported.
    pub fn from_file(mut bytes: Vec<u8>) -> Result<GameOffsets> {
        bytes.shrink_to_fit();
        let range = 0..bytes.len();
        let too_many = ErrorKind::Unsupported("a file with more than 4,294,967,294 games");
        GameOffsets::new(Arc::new(bytes), range).ok_or_else(|| too_many.into())
    }

    /// Returns the bytes of game `n`, counted from 0, in its file, which has `file_length` bytes.
    ///
    /// # Errors
    ///
    /// Returns an error if the game does not exist, or if the offsets belong to another file.
    pub fn game_range(&self, n: u32, file_length: usize) -> Result<Range<usize>> {
        let next = n.checked_add(1).and_then(|next| self.get(next));
        let Some((start, end)) = self.get(n).zip(next) else {
            return Err(ErrorKind::no_such_game(n, self.games()).into());
        };
        if start > end || end > file_length as u64 {
            let kind = ErrorKind::Structure("the cached offset does not point to a game");
            return Err(Error::new(kind).at(Location::game(n.saturating_add(1))));
        }
        // The length of the file fits, so both numbers do.
        Ok(start as usize..end as usize)
    }

    /// Returns the number of games.
    pub fn games(&self) -> u32 {
        let appended = self.later.as_ref().map_or(0, |later| later.ends.len());
        self.stored_games().saturating_add(appended as u32)
    }

    /// Returns the number of games with stored offsets.
    fn stored_games(&self) -> u32 {
        // The last number is the end of the last game.
        (self.range.len() / 8 - 1) as u32
    }

    /// Returns the offsets of a file in which the text of some games (from 0, ascending) has
    /// changed, and others were appended. They are of use only after [`GameOffsets::updated`].
    #[must_use]
    pub fn with_changed(mut self, changed: Vec<u32>) -> GameOffsets {
        self.later = Some(Arc::new(LaterChanges {
            changed,
            shifts: Vec::new(),
            ends: Vec::new(),
        }));
        self
    }

    /// Returns whether the games that have changed or were appended must be looked for.
    pub fn are_outdated(&self) -> bool {
        let later = self.later.as_ref();
        later.is_some_and(|later| later.shifts.is_empty())
    }

    /// Finds the games that have changed or were appended. `game_end` returns the end of the game
    /// that begins at an offset. `None` if the offsets do not fit the file.
    pub fn updated(&self, game_end: &mut dyn FnMut(u64) -> Option<GameEnd>) -> Option<GameOffsets> {
        let stored = self.stored_games();
        let (mut shift, mut shifts) = (0_i64, vec![(0, 0)]);
        let later = self.later.as_ref()?;
        for &game in later.changed.iter().take_while(|game| **game < stored) {
            let start = self.stored(game)?.checked_add_signed(shift)?;
            let GameEnd::Game(end) = game_end(start)? else {
                return None;
            };
            shift = i64::try_from(end)
                .ok()?
                .checked_sub_unsigned(self.stored(game + 1)?)?;
            shifts.push((game + 1, shift));
        }
        let mut ends = Vec::new();
        let mut end = self.stored(stored)?.checked_add_signed(shift)?;
        while let GameEnd::Game(next) = game_end(end)? {
            ends.push(next);
            end = next;
        }
        let mut updated = self.clone();
        let changed = later.changed.clone();
        updated.later = Some(Arc::new(LaterChanges {
            changed,
            shifts,
            ends,
        }));
        Some(updated)
    }

    /// Returns all offsets, the end of the last game included.
    pub fn iter(&self) -> impl Iterator<Item = u64> + '_ {
        (0..=self.games()).map_while(|n| self.get(n))
    }

    /// Returns the offset of game `n`, counted from 0. If `n` is the number of games, returns the
    /// end of the last one.
    #[inline]
    pub fn get(&self, n: u32) -> Option<u64> {
        match &self.later {
            None => self.stored(n),
            Some(later) => {
                if let Some(appended) = n.checked_sub(self.stored_games() + 1) {
                    return later.ends.get(appended as usize).copied();
                }
                let part = later.shifts.partition_point(|(first, _)| *first <= n);
                let (_, shift) = later.shifts.get(part.checked_sub(1)?)?;
                self.stored(n)?.checked_add_signed(*shift)
            }
        }
    }

    #[inline]
    fn stored(&self, n: u32) -> Option<u64> {
        let bytes = (*self.bytes).as_ref().get(self.range.clone())?;
        let (numbers, _) = bytes.as_chunks::<8>();
        numbers.get(n as usize).copied().map(u64::from_le_bytes)
    }
}

/// What follows in a text file ([`GameOffsets::updated`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GameEnd {
    /// A game, which ends at this offset.
    Game(u64),
    /// Only blanks.
    NoGame,
}

impl fmt::Debug for GameOffsets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GameOffsets({} games)", self.games())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn incomplete_offsets_are_rejected() {
        let bytes: SharedBytes = Arc::new(vec![1; 20]);
        assert_eq!(
            GameOffsets::new(Arc::clone(&bytes), 4..20).map(|offsets| offsets.games()),
            Some(1)
        );
        for range in [0..0, 0..12, 8..24, 24..32, 21..21] {
            assert!(
                GameOffsets::new(Arc::clone(&bytes), range.clone()).is_none(),
                "{range:?}"
            );
        }
    }
}
