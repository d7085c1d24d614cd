//! Following the moves of a book from a position.

use std::collections::HashSet;

use chessdb_core::error::Location;
use chessdb_core::{Board, ErrorKind, Result, Scratch, Severity};

use crate::book::Book;
use crate::entry::{BookEntry, BookMove};

/// The longest line that is followed, in half-moves. It bounds the memory for boards.
pub(crate) const MOST_PLIES: u32 = 2000;

/// A position that the moves of a book lead to.
#[derive(Clone, Copy, Debug)]
pub struct WalkStep<'w> {
    /// The number of half-moves before the position.
    pub ply: u32,
    /// The position.
    pub board: &'w Board,
    /// The move that led to the position; `None` at the start.
    pub mv: Option<&'w BookMove>,
    /// The data of the book, if it has the position and the walk comes here for the first time.
    pub entry: Option<&'w BookEntry>,
    /// Whether the walk comes here for the first time. If not, the moves from here were followed
    /// before.
    pub is_first: bool,
}

/// Counts of a walk.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct WalkCounts {
    /// The number of different positions with an entry.
    pub positions: u64,
    /// The number of different entries of the book. It is lower than `positions` if mirror images
    /// share an entry.
    pub entries: u64,
    /// The number of moves from these positions.
    pub moves: u64,
    /// The number of entries of the book that no move leads to.
    pub unreached: u64,
    /// The number of half-moves of the longest line that was followed. Other orders of moves may be
    /// shorter.
    pub longest: u32,
}

/// An open position.
struct Frame {
    board: Board,
    moves: std::vec::IntoIter<BookMove>,
}

impl Book<'_> {
    /// Follows all moves from a position, those with the greatest weight first, and calls `visit`
    /// with every move and the position after it. The moves of a position are followed once, from
    /// the line that comes there first.
    ///
    /// # Errors
    ///
    /// Returns the first finding in strict mode.
    pub fn walk(
        &self,
        start: &Board,
        scratch: &mut Scratch,
        visit: &mut dyn FnMut(&WalkStep<'_>),
    ) -> Result<WalkCounts> {
        let mut counts = WalkCounts::default();
        let (mut seen, mut entries) = (HashSet::new(), HashSet::new());
        let mut entry = BookEntry::new();
        let mut stack: Vec<Frame> = Vec::new();
        let mut next = Some((start.clone(), None));
        loop {
            let Some((board, mv)) = next.take() else {
                let Some(frame) = stack.last_mut() else {
                    break;
                };
                match frame.moves.next() {
                    Some(mv) => {
                        let mut after = frame.board.clone();
                        after.play(mv.mv);
                        next = Some((after, Some(mv)));
                    }
                    None => {
                        stack.pop();
                    }
                }
                continue;
            };
            // Each frame is the position before a half-move.
            let ply = stack.len() as u32;
            let key = board.polyglot_key();
            // Transpositions and repetitions are followed once; otherwise a loop would never end.
            let is_first = !seen.contains(&key);
            let is_found = is_first && self.lookup(&board, &mut entry, scratch)?;
            visit(&WalkStep {
                ply,
                board: &board,
                mv: mv.as_ref(),
                entry: is_found.then_some(&entry),
                is_first,
            });
            if !is_found {
                continue;
            }
            if ply >= MOST_PLIES && !entry.moves.is_empty() {
                let (what, limit) = ("plies in a line", MOST_PLIES.into());
                let kind = ErrorKind::LimitExceeded { what, limit };
                let location = Location::default();
                scratch.deviation(self.options(), Severity::Lost, kind, location)?;
                continue;
            }
            seen.insert(key);
            // Mirror images have different keys and one entry.
            entries.insert(entry.id);
            counts.positions += 1;
            counts.moves += entry.moves.len() as u64;
            counts.longest = counts.longest.max(ply);
            // `lookup` fills a new list each time.
            let moves = std::mem::take(&mut entry.moves).into_iter();
            stack.push(Frame { board, moves });
        }
        counts.entries = entries.len() as u64;
        counts.unreached = self.positions().saturating_sub(counts.entries);
        Ok(counts)
    }
}
