//! Where a game stands while its lines are followed.

use chessdb_core::line::{LineTracker, Play};
use chessdb_core::rules::{PlainMove, Referee};
use chessdb_core::{Board, Color, Facts, PackedMove, Side, Start};

/// The position, the one before the last move, and both for every line that a variation
/// interrupted.
#[derive(Clone, Debug)]
pub(crate) struct Boards {
    referee: Referee,
    /// The position before the last move, unless the referee knows it.
    before: Board,
    /// Whether the position before the last move is kept up: only games with variations need it.
    with_variations: bool,
    /// Whether there are positions at all, and not only the numbers of the moves.
    positions: bool,
    /// What [`Boards::judge`] said of the move that comes now.
    judged: Facts,
    /// The number of the first half-move, counted from 0 by the numbers of the moves.
    first: u32,
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
            referee: Referee::default(),
            before: Board::standard(),
            with_variations: true,
            positions: true,
            judged: Facts::UNKNOWN,
            first: 2,
            ply: 0,
            line_start: 0,
            saved,
            lines: Vec::new(),
        }
    }

    /// Begins a game at this position. [`Boards::open`] is for games with variations.
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

    /// The same for a game whose moves are known and need not be played.
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

    /// The position.
    #[inline]
    pub(crate) fn board(&self) -> &Board {
        self.referee.board()
    }

    /// Who moves next, and the number of that move.
    #[inline]
    pub(crate) fn number(&self) -> (Color, u16) {
        let next = self.first.saturating_add(self.ply);
        let color = match next & 1 {
            0 => Color::White,
            _ => Color::Black,
        };
        (color, u16::try_from(next / 2).unwrap_or(u16::MAX))
    }

    /// What there is to say of the next move, of which the tape may know it; nothing if it is not
    /// legal.
    #[inline]
    pub(crate) fn judge(&mut self, mv: PackedMove, known: Facts) -> Option<Facts> {
        if !self.positions {
            return Some(known);
        }
        self.judged = self.referee.judge(mv)?;
        Some(self.judged)
    }

    /// Reads a move ([`Referee::read_plain_move`]).
    #[inline]
    pub(crate) fn read_plain_move(&mut self, word: u64, length: usize) -> Option<PlainMove> {
        self.referee.read_plain_move(word, length)
    }

    /// Plays a move that [`Boards::read_plain_move`] read.
    #[inline]
    pub(crate) fn play_plain(&mut self, usual: PlainMove) -> Facts {
        self.ply += 1;
        self.referee.play_plain(usual)
    }

    /// Castling to this side, if it is legal.
    pub(crate) fn find_castling(&self, side: Side) -> Option<PackedMove> {
        self.referee.find_castling(side)
    }

    /// The number of the next half-move where all moves are known, counted from 0 by the numbers of the
    /// moves.
    #[inline]
    pub(crate) fn next_known(&self) -> Option<u32> {
        (!self.positions).then(|| self.first.saturating_add(self.ply))
    }

    /// Goes on by so many half-moves of a game whose moves are known.
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

    /// Gives the memory back.
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
    /// Where there is no move to take back, the position stays.
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
