//! The positions of a game while its lines are followed.

use chessdb_core::board::{Facts, Side};
use chessdb_core::line::{LineTracker, Play};
use chessdb_core::rules::{PlainMove, Referee};
use chessdb_core::{Board, Color, PackedMove, Start};

/// The current position and the one before the last move, for the current line and every line that
/// a variation interrupted.
#[derive(Clone, Debug)]
pub(crate) struct Boards {
    referee: Referee,
    /// The position before the last move, unless the referee has it.
    before: Board,
    /// Whether the position before the last move is tracked. Only games with variations need it.
    with_variations: bool,
    /// Whether positions are tracked, and not only the numbers of the moves.
    positions: bool,
    /// The result of [`Boards::judge`] for the next move.
    judged: Facts,
    /// The number of the first half-move, counted from 0 according to the move numbers.
    first: u32,
    /// The number of half-moves from the start of the game to the current position.
    ply: u32,
    line_start: u32,
    saved: Vec<Board>,
    lines: Vec<(u32, u32)>,
}

impl Boards {
    /// Starts at the standard start position. `saved` is reusable memory for boards.
    pub(crate) fn new(mut saved: Vec<Board>) -> Boards {
        saved.clear();
        Boards {
            referee: Referee::default(),
            before: Board::standard(),
            with_variations: true,
            positions: true,
            judged: Facts::UNKNOWN,
            // White's move 1, counted as in `number`.
            first: 2,
            ply: 0,
            line_start: 0,
            saved,
            lines: Vec::new(),
        }
    }

    /// Starts a game at this position. [`Boards::open`] requires `with_variations`.
    pub(crate) fn start(&mut self, start: &Start, with_variations: bool) {
        self.with_variations = with_variations;
        self.positions = true;
        let referee = match start {
            Start::Standard => Referee::default(),
            Start::Setup(setup) => Referee::at(&setup.board),
        };
        if with_variations {
            self.before.clone_from(referee.board());
            self.referee = referee;
        } else {
            self.referee = referee.without_take_back();
        }
        self.begin(start);
    }

    /// Starts a game with known move facts, which need not be played.
    pub(crate) fn start_known(&mut self, start: &Start) {
        self.positions = false;
        self.begin(start);
    }

    fn begin(&mut self, start: &Start) {
        self.first = match start {
            Start::Standard => 2,
            Start::Setup(setup) => {
                let board = &setup.board;
                2 * u32::from(board.fullmove_number()) + board.turn() as u32
            }
        };
        self.ply = 0;
        self.line_start = 0;
        self.saved.clear();
        self.lines.clear();
    }

    /// Returns the current position.
    #[inline]
    pub(crate) fn board(&self) -> &Board {
        self.referee.board()
    }

    /// Returns the side to move and the number of its move.
    #[inline]
    pub(crate) fn number(&self) -> (Color, u16) {
        let next = self.first.saturating_add(self.ply);
        let color = match next & 1 {
            0 => Color::White,
            _ => Color::Black,
        };
        (color, u16::try_from(next / 2).unwrap_or(u16::MAX))
    }

    /// Returns the facts of the next move, or `None` if it is not legal. `tape_facts` are the facts on
    /// the tape, if any.
    #[inline]
    pub(crate) fn judge(&mut self, mv: PackedMove, tape_facts: Facts) -> Option<Facts> {
        if !self.positions {
            return Some(tape_facts);
        }
        self.judged = self.referee.judge(mv)?;
        Some(self.judged)
    }

    /// Reads a move ([`Referee::read_plain_move`]).
    #[inline]
    pub(crate) fn read_plain_move(&mut self, word: u64, length: usize) -> Option<PlainMove> {
        self.referee.read_plain_move(word, length)
    }

    /// Plays a move read by [`Boards::read_plain_move`].
    #[inline]
    pub(crate) fn play_plain(&mut self, plain: PlainMove) -> Facts {
        self.ply += 1;
        self.referee.play_plain(plain)
    }

    /// Returns the castling move to this side, if it is legal.
    pub(crate) fn find_castling(&self, side: Side) -> Option<PackedMove> {
        self.referee.find_castling(side)
    }

    /// Returns the number of the next half-move if all moves are known, counted from 0 according to
    /// the move numbers.
    #[inline]
    pub(crate) fn next_known(&self) -> Option<u32> {
        (!self.positions).then(|| self.first.saturating_add(self.ply))
    }

    /// Advances by `plies` half-moves of a game with known moves.
    #[inline]
    pub(crate) fn pass_known(&mut self, plies: u32) {
        self.ply += plies;
    }

    /// Plays a legal move.
    pub(crate) fn play_legal(&mut self, mv: PackedMove) -> Facts {
        self.note_before();
        self.ply += 1;
        self.referee.play_legal(mv)
    }

    #[inline]
    fn note_before(&mut self) {
        if self.with_variations {
            self.before.clone_from(self.referee.board());
        }
    }

    /// Returns the memory for boards.
    pub(crate) fn into_memory(self) -> Vec<Board> {
        self.saved
    }
}

impl Play for Boards {
    #[inline]
    fn play(&mut self, mv: PackedMove) {
        if self.positions {
            self.note_before();
            let facts = std::mem::take(&mut self.judged);
            self.referee.play(mv, facts);
        }
        self.ply += 1;
    }
}

impl LineTracker for Boards {
    /// Starts a variation. If there is no move to take back, the position stays the same.
    fn open(&mut self) {
        let has_move = !self.at_line_start();
        self.lines.push((self.ply, self.line_start));
        if self.positions {
            if let Some(before) = self.referee.before() {
                self.before = before;
            }
            self.saved.push(self.referee.board().clone());
            self.saved.push(self.before.clone());
            if has_move {
                self.referee = Referee::at(&self.before);
            }
        }
        self.ply -= u32::from(has_move);
        self.line_start = self.ply;
    }

    fn close(&mut self) -> bool {
        let Some((ply, start)) = self.lines.pop() else {
            return false;
        };
        // In the reverse order of `open`.
        if let (Some(before), Some(board)) = (self.saved.pop(), self.saved.pop()) {
            self.before = before;
            self.referee = Referee::at(&board);
        }
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
