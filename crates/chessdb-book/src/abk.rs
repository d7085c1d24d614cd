//! Arena books: one file with a tree of moves from the initial position (docs/formats/abk.md).

use chessdb_core::error::Location;
use chessdb_core::record::Little;
use chessdb_core::{
    Board, Color, ErrorKind, PieceType, ReadOptions, Result, Scratch, Severity, Square, record,
};

use crate::counts::Counts;
use crate::entry::{BookEntry, BookMove, MoveStatistics, Results};
use crate::file_entries::whole_entries;
use crate::legal::legal_move;
use crate::roles::ABK_FILE;

/// The number of the first entry.
const FIRST: u32 = 900;
/// The first bytes: a text of three letters. The last one differs by version.
const MAGIC: &[u8; 3] = b"\x03AB";
const OLD: u8 = b'K';
const NEW: u8 = b'2';
/// The longest line that is read. It bounds the memory for boards.
const MOST_PLIES: usize = 2000;

record! {
    /// An entry: a move, with the next move of the same position and the first reply.
    #[derive(Clone, Copy)]
    struct Node: Little, 28 {
        0..1 from: u8 = "from {from}",
        1..2 to: u8 = "to {to}",
        2..3 promotion: i8 = "promotion {promotion}",
        3..4 priority: i8 = "priority {priority}",
        4..8 games: u32 = "games: {games}",
        8..12 won: u32 = "won: {won}",
        12..16 lost: u32 = "lost: {lost}",
        16..20 flags: u32 = "flags: {flags:#x}",
        20..24 reply: i32 = "first reply {reply}",
        24..28 alternative: i32 = "next move {alternative}",
    }
}

/// An Arena book in memory.
#[derive(Debug)]
pub(crate) struct Abk<'f> {
    entries: &'f [[u8; Node::SIZE]],
    is_old: bool,
    /// The key of the position and the number of each entry with a legal move, sorted.
    index: Vec<(u64, u32)>,
    pub(crate) counts: Counts,
}

impl<'f> Abk<'f> {
    pub(crate) fn probe(bytes: &[u8]) -> bool {
        bytes.starts_with(MAGIC) && matches!(bytes.get(3), Some(&(OLD | NEW)))
    }

    pub(crate) fn open(
        bytes: &'f [u8],
        options: &ReadOptions,
        scratch: &mut Scratch,
    ) -> Result<Abk<'f>> {
        if !Abk::probe(bytes) {
            let kind = ErrorKind::BadMagic { expected: MAGIC };
            return Err(chessdb_core::Error::new(kind).at(Location::byte(ABK_FILE, 0)));
        }
        let entries = whole_entries::<{ Node::SIZE }>(bytes, ABK_FILE, options, scratch)?;
        let mut book = Abk {
            entries,
            is_old: bytes.get(3) == Some(&OLD),
            index: Vec::new(),
            counts: Counts::default(),
        };
        book.build_index(options, scratch)?;
        Ok(book)
    }

    /// Returns the keys of the positions with moves, in ascending order, each with the number of
    /// moves before it.
    pub(crate) fn keys(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.index
            .chunk_by(|one, other| one.0 == other.0)
            .scan(0, |before, entries| {
                let n = *before;
                *before += entries.len() as u64;
                entries.first().map(|&(key, _)| (n, key))
            })
    }

    fn node(&self, n: u32) -> Option<Node> {
        self.entries.get(n as usize).map(Node::parse)
    }

    /// Follows all lines from the first entry, which belongs to the initial position.
    fn build_index(&mut self, options: &ReadOptions, scratch: &mut Scratch) -> Result<()> {
        let mut is_read = vec![false; self.entries.len()];
        let mut index = Vec::new();
        // The open positions with the next entry of each.
        // An explicit stack: the length of a line is up to the file.
        let mut stack = vec![(Board::standard(), FIRST as i32)];
        if self.entries.len() <= FIRST as usize {
            stack.clear();
        }
        while let Some((board, next)) = stack.last_mut() {
            // -1 ends the alternatives of a position.
            let Ok(n) = u32::try_from(*next) else {
                stack.pop();
                continue;
            };
            let location = Location::byte(ABK_FILE, u64::from(n) * Node::SIZE as u64);
            let node = self.node(n).filter(|_| n >= FIRST);
            let is_new = is_read.get_mut(n as usize);
            // An entry that is reached twice would make a loop.
            let (Some(node), Some(is_read @ false)) = (node, is_new) else {
                let kind = ErrorKind::bad_field("the number of the next entry", n);
                scratch.deviation(options, Severity::Lost, kind, location)?;
                stack.pop();
                continue;
            };
            *is_read = true;
            // The position continues here after the lines of the reply.
            *next = node.alternative;
            let Some(book_move) = self.book_move(node, board) else {
                let found = format!("{} to {}", node.from, node.to).into();
                let why = "not legal in its position; its replies are left out";
                let kind = ErrorKind::BadMove { found, why };
                scratch.deviation(options, Severity::Lost, kind, location)?;
                continue;
            };
            index.push((board.polyglot_key(), n));
            if node.reply >= 0 {
                let mut after = board.clone();
                after.play(book_move.mv);
                // A chain of replies could be as long as the file; each level holds a board.
                if stack.len() < MOST_PLIES {
                    stack.push((after, node.reply));
                } else {
                    let (what, limit) = ("plies in a line", MOST_PLIES as u64);
                    let kind = ErrorKind::LimitExceeded { what, limit };
                    scratch.deviation(options, Severity::Lost, kind, location)?;
                }
            }
        }
        index.sort_unstable();
        let all = is_read.get(FIRST as usize..).unwrap_or_default();
        self.index = index;
        self.counts = Counts {
            positions: self.keys().count() as u64,
            moves: self.index.len() as u64,
            games: None,
            unreached: all.iter().filter(|&&is_read| !is_read).count() as u64,
        };
        Ok(())
    }

    /// Returns the legal move of an entry.
    fn book_move(&self, node: Node, board: &Board) -> Option<BookMove> {
        // Either sign occurs (section 2).
        let promotion = match node.promotion.unsigned_abs() {
            0 => None,
            1 => Some(PieceType::Rook),
            2 => Some(PieceType::Knight),
            3 => Some(PieceType::Bishop),
            4 => Some(PieceType::Queen),
            _ => return None,
        };
        let square = Square::from_rank_major;
        let mv = legal_move(board, square(node.from)?, square(node.to)?, promotion)?;
        let results = Results {
            wins: node.won,
            draws: node
                .games
                .saturating_sub(node.won.saturating_add(node.lost)),
            losses: node.lost,
        };
        // Without both counts all games would count as draws.
        let has_results = node.won != 0 || node.lost != 0;
        let results = match board.turn() {
            _ if !has_results => Results::default(),
            Color::White => results,
            // The file counts for White, an entry for the side to move.
            Color::Black => results.reversed(),
        };
        let mut book_move = BookMove::new(mv);
        book_move.statistics = Some(MoveStatistics {
            games: node.games,
            results,
        });
        book_move.priority = Some(node.priority);
        book_move.is_deleted =
            if self.is_old { node.flags != 0 } else { node.flags & 0x0100_0000 != 0 };
        Some(book_move)
    }

    pub(crate) fn lookup(
        &self,
        board: &Board,
        into: &mut BookEntry,
        options: &ReadOptions,
        scratch: &mut Scratch,
    ) -> Result<bool> {
        let key = board.polyglot_key();
        let first = self.index.partition_point(|&(other, _)| other < key);
        into.id = first as u64;
        let same = self.index.get(first..).unwrap_or_default().iter();
        let mut is_found = false;
        // Different orders of moves have an entry each for the same position.
        for &(_, n) in same.take_while(|&&(other, _)| other == key) {
            let read = self.node(n).and_then(|node| self.book_move(node, board));
            is_found = true;
            match read {
                Some(book_move) => merge(book_move, into),
                None => {
                    let kind = ErrorKind::Structure("a move of another position with the same key");
                    let location = Location::byte(ABK_FILE, u64::from(n) * Node::SIZE as u64);
                    scratch.deviation(options, Severity::Lost, kind, location)?;
                }
            }
        }
        for book_move in &mut into.moves {
            let priority =
                u32::try_from(book_move.priority.unwrap_or_default()).unwrap_or_default();
            let games = book_move
                .statistics
                .map_or(0, |statistics| statistics.games);
            book_move.weight = if book_move.is_deleted {
                0
            } else {
                // A move without games counts once, or its priority would have no effect.
                games.max(1).saturating_mul(priority)
            };
        }
        into.sort();
        Ok(is_found)
    }
}

/// Adds a move to an entry. The same move after other orders of moves is one move: the counts add
/// up, the better priority counts, and it is deleted if it is deleted everywhere.
fn merge(added: BookMove, into: &mut BookEntry) {
    let Some(existing) = into.moves.iter_mut().find(|old| old.mv == added.mv) else {
        into.moves.push(added);
        return;
    };
    if let (Some(sum), Some(more)) = (&mut existing.statistics, added.statistics) {
        sum.games = sum.games.saturating_add(more.games);
        let (sum, more) = (&mut sum.results, more.results);
        sum.wins = sum.wins.saturating_add(more.wins);
        sum.draws = sum.draws.saturating_add(more.draws);
        sum.losses = sum.losses.saturating_add(more.losses);
    }
    existing.priority = existing.priority.max(added.priority);
    existing.is_deleted &= added.is_deleted;
}
