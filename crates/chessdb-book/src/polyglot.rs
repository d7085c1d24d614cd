//! Polyglot books: one file of entries of 16 bytes, sorted by the key of their position
//! (docs/formats/polyglot.md).

use std::cmp::Reverse;
use std::ops::Range;

use chessdb_core::error::Location;
use chessdb_core::record::Big;
use chessdb_core::{
    Board, ErrorKind, PackedMove, PieceType, ReadOptions, Result, Scratch, Severity, Square, record,
};

use crate::counts::Counts;
use crate::entry::{BookEntry, BookMove};
use crate::file_entries::whole_entries;
use crate::legal::legal_move;
use crate::roles::BIN_FILE;

record! {
    /// An entry of a Polyglot book (section 1).
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct PolyglotEntry: Big, 16 {
        /// The key of the position ([`Board::polyglot_key`]).
        0..8 key: u64 = "key {key:#018x}",
        /// The move: to-file, to-rank, from-file, from-rank and promotion, three bits each, lowest
        /// first.
        8..10 mv: u16 = "move {mv:#06x}",
        /// The weight.
        10..12 weight: u16 = "weight {weight}",
        /// A number for learning.
        12..16 learn: u32 = "learning {learn}",
    }
}

impl PolyglotEntry {
    /// Returns whether the entry has no move. Such entries fill a file.
    pub(crate) fn is_filling(self) -> bool {
        self.mv == 0
    }

    /// Returns the legal move of the entry in a position; castling in either spelling.
    pub fn legal_move(self, board: &Board) -> Option<PackedMove> {
        // Three bits of the file, then three of the rank.
        let square = |shift: u16| {
            let part = |bit: u16| (self.mv >> bit & 7) as u8;
            Square::from_coords(part(shift), part(shift + 3))
        };
        let promotion = match self.mv >> 12 {
            0 => None,
            1 => Some(PieceType::Knight),
            2 => Some(PieceType::Bishop),
            3 => Some(PieceType::Rook),
            4 => Some(PieceType::Queen),
            _ => return None,
        };
        legal_move(board, square(6)?, square(0)?, promotion)
    }
}

/// Returns the sixteen bits of a move in a Polyglot book. Castling is the king taking its rook, as
/// the program polyglot writes it.
pub fn polyglot_move(board: &Board, mv: PackedMove) -> u16 {
    let rook = mv
        .castling_side()
        .and_then(|side| board.castling_rook(board.turn(), side));
    let (from, to) = (mv.from(), rook.unwrap_or(mv.to()));
    let promotion = match mv.promotion() {
        Some(PieceType::Knight) => 1,
        Some(PieceType::Bishop) => 2,
        Some(PieceType::Rook) => 3,
        Some(PieceType::Queen) => 4,
        _ => 0,
    };
    let square = |square: Square| u16::from(square.file()) | u16::from(square.rank()) << 3;
    square(to) | square(from) << 6 | promotion << 12
}

/// Sorts entries by key, within a key by falling weight, and returns the bytes of the file.
pub fn to_bytes(entries: &mut [PolyglotEntry]) -> Vec<u8> {
    entries.sort_unstable_by_key(|entry| (entry.key, Reverse(entry.weight), entry.mv));
    entries.iter().flat_map(|entry| entry.to_bytes()).collect()
}

/// Returns a weight in 16 bits if `greatest` is the greatest weight of the position. A weight above 0
/// stays above 0.
pub(crate) fn scaled(weight: u64, greatest: u64) -> u16 {
    const MOST: u64 = u16::MAX as u64;
    let scaled = if greatest > MOST {
        (u128::from(weight) * u128::from(MOST) / u128::from(greatest)) as u64
    } else {
        weight
    };
    // Weight 0 means never.
    let least = u16::from(weight > 0);
    u16::try_from(scaled).unwrap_or(u16::MAX).max(least)
}

/// A Polyglot book in memory.
#[derive(Debug)]
pub(crate) struct Polyglot<'f> {
    entries: &'f [[u8; PolyglotEntry::SIZE]],
    /// The entries in the order of their keys, if the file is not sorted.
    order: Option<Vec<u32>>,
    pub(crate) counts: Counts,
}

impl<'f> Polyglot<'f> {
    /// Returns whether these bytes are the beginning of a book, judged by up to 4,096 entries: keys
    /// in order, moves without bit 15, and at least one move.
    pub(crate) fn probe(bytes: &[u8]) -> bool {
        let (entries, rest) = bytes.as_chunks::<{ PolyglotEntry::SIZE }>();
        let start = entries.get(..4096).unwrap_or(entries);
        let start = start.iter().map(PolyglotEntry::parse);
        let fits = |entry: PolyglotEntry| {
            // A book has no magic: five values of the promotion, and no move to its own square.
            entry.mv >> 12 <= 4 && (entry.is_filling() || entry.mv & 0x3F != entry.mv >> 6 & 0x3F)
        };
        rest.is_empty()
            && start.clone().is_sorted_by_key(|entry| entry.key)
            && start.clone().all(fits)
            && start
                .clone()
                .any(|entry| !entry.is_filling() && entry.key != 0)
    }

    pub(crate) fn open(
        bytes: &'f [u8],
        options: &ReadOptions,
        scratch: &mut Scratch,
    ) -> Result<Polyglot<'f>> {
        let entries = whole_entries::<{ PolyglotEntry::SIZE }>(bytes, BIN_FILE, options, scratch)?;
        let key = |entry: &[u8; PolyglotEntry::SIZE]| PolyglotEntry::parse(entry).key;
        let mut order = None;
        if let Some(first) = entries.windows(2).position(|pair| match pair {
            [one, next] => key(one) > key(next),
            _ => false,
        }) {
            let kind = ErrorKind::Structure("the entries are not sorted by their keys");
            let location = Location::byte(BIN_FILE, ((first + 1) * PolyglotEntry::SIZE) as u64);
            scratch.deviation(options, Severity::Repaired, kind, location)?;
            let mut sorted: Vec<u32> = (0..entries.len())
                .map_while(|n| n.try_into().ok())
                .collect();
            // A stable sort keeps the order of moves within a position.
            sorted.sort_by_key(|&n| entries.get(n as usize).map(key));
            order = Some(sorted);
        }
        let mut book = Polyglot {
            entries,
            order,
            counts: Counts::default(),
        };
        let mut last = None;
        for n in 0..book.len() {
            if let Some(entry) = book.entry(n).filter(|entry| !entry.is_filling()) {
                book.counts.moves += 1;
                // Entries with one key are next to each other.
                book.counts.positions += u64::from(last.replace(entry.key) != Some(entry.key));
            }
        }
        Ok(book)
    }

    /// Returns the number of entries.
    pub(crate) fn len(&self) -> usize {
        match &self.order {
            Some(order) => order.len(),
            None => self.entries.len(),
        }
    }

    /// Returns the number in the file of an entry in the order of the keys.
    fn place(&self, n: usize) -> Option<usize> {
        match &self.order {
            Some(order) => order.get(n).map(|&n| n as usize),
            None => Some(n),
        }
    }

    /// Returns an entry in the order of the keys.
    pub(crate) fn entry(&self, n: usize) -> Option<PolyglotEntry> {
        self.entries.get(self.place(n)?).map(PolyglotEntry::parse)
    }

    /// Returns the entries with this key.
    fn range(&self, key: u64) -> Range<usize> {
        let bound = |is_before: &dyn Fn(u64) -> bool| {
            let (mut low, mut high) = (0, self.len());
            while low < high {
                let middle = low + (high - low) / 2;
                if self.entry(middle).is_some_and(|entry| is_before(entry.key)) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            low
        };
        bound(&|other| other < key)..bound(&|other| other <= key)
    }

    pub(crate) fn lookup(
        &self,
        board: &Board,
        into: &mut BookEntry,
        options: &ReadOptions,
        scratch: &mut Scratch,
    ) -> Result<bool> {
        let range = self.range(board.polyglot_key());
        into.id = range.start as u64;
        let mut is_found = false;
        for n in range {
            let Some(entry) = self.entry(n).filter(|entry| !entry.is_filling()) else {
                continue;
            };
            is_found = true;
            match entry.legal_move(board) {
                Some(mv) => {
                    let mut book_move = BookMove::new(mv);
                    book_move.weight = entry.weight.into();
                    book_move.learn = entry.learn;
                    into.moves.push(book_move);
                }
                None => {
                    let kind = ErrorKind::BadMove {
                        found: format!("0x{:04x}", entry.mv).into(),
                        why: "not legal in its position",
                    };
                    let place = self.place(n).unwrap_or(n);
                    let offset = place.saturating_mul(PolyglotEntry::SIZE) as u64;
                    let location = Location::byte(BIN_FILE, offset);
                    scratch.deviation(options, Severity::Lost, kind, location)?;
                }
            }
        }
        into.sort();
        Ok(is_found)
    }
}
