//! Where a game stands while its lines are followed.

use chessdb_core::line::{Follow, Play};
use chessdb_core::{Board, PackedMove};

/// The position, the one before the last move, and both for every line that a variation
/// interrupted.
#[derive(Clone, Debug)]
pub(crate) struct Boards {
    pub(crate) board: Board,
    before: Board,
    /// Whether the position before the last move is kept up: only games with variations need it.
    with_variations: bool,
    /// Half-moves from the start of the game to the position.
    ply: u32,
    line_start: u32,
    saved: Vec<Board>,
    lines: Vec<(u32, u32)>,
}

impl Boards {
    /// At the usual start position; `saved` is memory for boards.
    pub(crate) fn new(mut saved: Vec<Board>) -> Boards {
        saved.clear();
        Boards {
            board: Board::standard(),
            before: Board::standard(),
            with_variations: true,
            ply: 0,
            line_start: 0,
            saved,
            lines: Vec::new(),
        }
    }

    /// Begins a game at this position. [`Boards::open`] is for games with variations.
    pub(crate) fn start(&mut self, board: &Board, with_variations: bool) {
        self.with_variations = with_variations;
        self.board.clone_from(board);
        self.before.clone_from(board);
        self.ply = 0;
        self.line_start = 0;
        self.saved.clear();
        self.lines.clear();
    }

    /// Gives the memory back.
    pub(crate) fn into_memory(self) -> Vec<Board> {
        self.saved
    }
}

impl Play for Boards {
    #[inline]
    fn play(&mut self, mv: PackedMove) {
        if self.with_variations {
            self.before.clone_from(&self.board);
        }
        self.board.play(mv);
        self.ply += 1;
    }
}

impl Follow for Boards {
    /// Where there is no move to take back, the position stays.
    fn open(&mut self) {
        let has_move = !self.at_line_start();
        self.saved.push(self.board.clone());
        self.saved.push(self.before.clone());
        self.lines.push((self.ply, self.line_start));
        if has_move {
            self.board.clone_from(&self.before);
            self.ply -= 1;
        }
        self.line_start = self.ply;
    }

    fn close(&mut self) -> bool {
        let (Some(before), Some(board), Some((ply, start))) =
            (self.saved.pop(), self.saved.pop(), self.lines.pop())
        else {
            return false;
        };
        self.before = before;
        self.board = board;
        self.ply = ply;
        self.line_start = start;
        true
    }

    #[inline]
    fn ply(&self) -> u32 {
        self.ply
    }

    #[inline]
    fn depth(&self) -> usize {
        self.lines.len()
    }

    #[inline]
    fn at_line_start(&self) -> bool {
        self.ply == self.line_start
    }
}
