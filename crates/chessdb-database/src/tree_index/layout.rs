//! The layout of a tree file (docs/formats/chessdb-tree.md).

use chessdb_query::tree::{BestGames, Tally};

use crate::index::{FileKind, bytes_at};

/// The magic bytes, with the version.
pub(super) const KIND: FileKind = FileKind {
    magic: *b"chessdb tree 02\n",
    mismatch: "it is not a tree file of this version",
};
/// Length of an entry of the directory.
pub(super) const BLOCK_ENTRY_SIZE: usize = 16;
/// Length of the number of a game that is not counted.
pub(super) const NUMBER_SIZE: usize = 4;

/// A block ends with the first entry that reaches this length.
pub(super) const BLOCK_SIZE: usize = 4096;
/// The minimum number of pieces, kings included, of a position in the file.
pub(super) const MIN_PIECES: u32 = 20;
/// The bits stored for games that end in the position; no move has them.
pub(super) const NO_MOVE: u16 = u16::MAX;
/// Maximum of every number, so that no sum overflows.
const MAX_NUMBER: u64 = 1 << 47;

/// The entry of a block in the directory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct BlockEntry {
    /// The key of the first position.
    pub(super) key: u64,
    /// The offset after the first block.
    pub(super) offset: u64,
}

impl BlockEntry {
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.key.to_le_bytes());
        out.extend(self.offset.to_le_bytes());
    }

    pub(super) fn read(bytes: &[u8; BLOCK_ENTRY_SIZE]) -> BlockEntry {
        BlockEntry {
            key: u64::from_le_bytes(bytes_at(bytes, 0)),
            offset: u64::from_le_bytes(bytes_at(bytes, 8)),
        }
    }
}

/// A move played in a position, as stored.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct MoveRecord {
    /// The bits of the move, or [`NO_MOVE`].
    pub(super) mv: u16,
    pub(super) tally: Tally,
    /// The first year that is known; 0 if none is.
    pub(super) first_year: u16,
    /// The number of the first game, from 0.
    pub(super) first_game: u32,
    /// The best games, from 0, the best first.
    pub(super) best: Vec<u32>,
}

impl MoveRecord {
    /// Returns whether the best games are all games of the move.
    pub(super) fn lists_all(&self) -> bool {
        self.best.len() as u64 == self.tally.games
    }
}

/// Appends the entry of a position. The moves are in the order of their first games.
pub(super) fn write_entry(out: &mut Vec<u8>, key: u64, moves: &[MoveRecord], body: &mut Vec<u8>) {
    body.clear();
    let mut before = 0;
    for record in moves {
        let tally = &record.tally;
        body.extend(record.mv.to_le_bytes());
        let last_year = u64::from(tally.last_year);
        let is_one = tally.games == 1;
        for number in [
            tally.games,
            tally.white,
            tally.draws,
            tally.black,
            tally.ratings.1,
            tally.ratings.0,
            tally.opponents.1,
            tally.opponents.0,
            tally.half_points,
            u64::from(tally.longest),
            last_year,
            last_year - u64::from(record.first_year).min(last_year),
            u64::from(record.first_game.wrapping_sub(before)),
        ] {
            write_number(body, number);
        }
        before = record.first_game;
        // The only game of a move is its best.
        for &game in record.best.iter().filter(|_| !is_one) {
            write_number(body, game.into());
        }
    }
    out.extend(key.to_le_bytes());
    write_number(out, body.len() as u64);
    out.extend_from_slice(body);
}

/// Reads the moves of an entry; `None` if it is damaged.
pub(super) fn read_moves(mut body: &[u8]) -> Option<Vec<MoveRecord>> {
    let mut moves = Vec::new();
    let mut first_game: u32 = 0;
    while !body.is_empty() {
        let (mv, rest) = body.split_first_chunk::<2>()?;
        body = rest;
        // Sums of numbers within the maximum cannot overflow.
        let mut number = || read_number(&mut body).filter(|number| *number <= MAX_NUMBER);
        let mut tally = Tally::default();
        tally.games = number()?;
        (tally.white, tally.draws, tally.black) = (number()?, number()?, number()?);
        let (count, sum) = (number()?, number()?);
        tally.ratings = (sum, count);
        let (count, sum) = (number()?, number()?);
        tally.opponents = (sum, count);
        tally.half_points = number()?;
        tally.longest = u32::try_from(number()?).ok()?;
        tally.last_year = u16::try_from(number()?).ok()?;
        let first_year = tally
            .last_year
            .checked_sub(u16::try_from(number()?).ok()?)?;
        first_game = first_game.checked_add(u32::try_from(number()?).ok()?)?;
        let best = match tally.games {
            1 => vec![first_game],
            games => {
                let best = games.min(BestGames::MAX as u64);
                let best = (0..best).map(|_| u32::try_from(number()?).ok());
                best.collect::<Option<Vec<u32>>>()?
            }
        };
        moves.push(MoveRecord {
            mv: u16::from_le_bytes(*mv),
            tally,
            first_year,
            first_game,
            best,
        });
    }
    Some(moves)
}

/// Returns the body of the entry with this key in a block. `Ok(None)` if it is not there, and an
/// error if the block is damaged.
pub(super) fn find_entry(block: &[u8], key: u64) -> Result<Option<&[u8]>, Damaged> {
    for entry in entries(block) {
        let entry = entry?;
        if entry.key >= key {
            return Ok((entry.key == key).then_some(entry.body));
        }
    }
    Ok(None)
}

/// The entry of a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct EncodedEntry<'b> {
    pub(super) key: u64,
    /// All bytes, and the bytes of the moves.
    pub(super) bytes: &'b [u8],
    pub(super) body: &'b [u8],
}

impl<'b> EncodedEntry<'b> {
    /// Reads the first entry of these bytes; `None` if it is damaged.
    fn read(all: &'b [u8]) -> Option<EncodedEntry<'b>> {
        let (key, mut rest) = all.split_first_chunk::<8>()?;
        let length = usize::try_from(read_number(&mut rest)?).ok()?;
        let (body, rest) = rest.split_at_checked(length)?;
        Some(EncodedEntry {
            key: u64::from_le_bytes(*key),
            bytes: all.get(..all.len() - rest.len())?,
            body,
        })
    }
}

/// Iterates over the entries of blocks. An error is the last item.
pub(super) fn entries(
    mut bytes: &[u8],
) -> impl Iterator<Item = Result<EncodedEntry<'_>, Damaged>> + '_ {
    std::iter::from_fn(move || {
        let all = std::mem::take(&mut bytes);
        if all.is_empty() {
            return None;
        }
        let entry = EncodedEntry::read(all);
        let read = entry.map_or(0, |entry| entry.bytes.len());
        // After a damaged entry, where the next one begins is unknown.
        bytes = all.get(read..).filter(|_| read > 0).unwrap_or_default();
        Some(entry.ok_or(Damaged))
    })
}

/// A block is not as it was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Damaged;

/// Appends a number in groups of seven bits, the lowest first; all except the last have the high
/// bit.
fn write_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn read_number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7F).checked_shl(shift)?;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}
