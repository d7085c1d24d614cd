//! The lines of a game that is being written, and the numbers of its pieces.

use chessdb_core::board::{Facts, MoveKind};
use chessdb_core::legacy::Numbering as _;
use chessdb_core::legacy::scid::{Moved, PieceLists, ScidNumbering};
use chessdb_core::line::{LineTracker, Lines, Play};
use chessdb_core::{Board, Color, LossKind, PackedMove, PieceType, Result, Start};

use crate::derived::{Material, material};

/// The state of the lines of a game.
pub(super) enum GameLines<'l> {
    /// The facts of its moves are known.
    Known(&'l mut KnownLines),
    /// Its moves have to be played on a board.
    Played(&'l mut Lines<ScidNumbering>),
}

impl GameLines<'_> {
    /// Appends the bytes of the next move.
    #[inline]
    pub(super) fn encode(
        &mut self,
        mv: PackedMove,
        facts: Facts,
        out: &mut Vec<u8>,
    ) -> std::result::Result<(), LossKind> {
        let encoded = match self {
            GameLines::Known(lines) => {
                lines.facts = facts;
                let LinePosition { lists, turn, .. } = &lines.now;
                lists.encode_known(*turn, mv, facts, out)
            }
            GameLines::Played(lines) => {
                let (state, board) = (lines.state(), lines.board());
                if may_be_misread(board, mv) {
                    ScidNumbering.encode_readable(state, board, mv, out)
                } else {
                    ScidNumbering.encode(state, board, mv, out)
                }
            }
        };
        encoded.map_err(|_| LossKind::of_illegal(mv))
    }

    /// Returns the material; must be called at the end of the mainline.
    pub(super) fn material(&self) -> u32 {
        match self {
            GameLines::Known(lines) => lines.material.code(),
            GameLines::Played(lines) => material(lines.board()),
        }
    }
}

impl Play for GameLines<'_> {
    #[inline]
    fn play(&mut self, mv: PackedMove) {
        match self {
            GameLines::Known(lines) => lines.play(mv),
            GameLines::Played(lines) => {
                lines.play(mv);
            }
        }
    }
}

impl LineTracker for GameLines<'_> {
    fn open(&mut self) {
        match self {
            GameLines::Known(lines) => lines.open(),
            GameLines::Played(lines) => LineTracker::open(*lines),
        }
    }

    fn close(&mut self) -> bool {
        match self {
            GameLines::Known(lines) => lines.close(),
            GameLines::Played(lines) => lines.close(),
        }
    }

    #[inline]
    fn ply(&self) -> u32 {
        match self {
            GameLines::Known(lines) => lines.now.ply,
            GameLines::Played(lines) => lines.ply(),
        }
    }

    #[inline]
    fn depth(&self) -> usize {
        match self {
            GameLines::Known(lines) => lines.interrupted.len(),
            GameLines::Played(lines) => lines.depth(),
        }
    }

    #[inline]
    fn at_line_start(&self) -> bool {
        match self {
            GameLines::Known(lines) => lines.now.ply == lines.line_start,
            GameLines::Played(lines) => lines.at_line_start(),
        }
    }
}

/// Returns whether a move that has a code might be read as another one or not at all. Castling
/// requires its right, a king cannot be captured, and a pawn's diagonal move to an empty square is
/// en passant.
fn may_be_misread(board: &Board, mv: PackedMove) -> bool {
    if mv.kind() != MoveKind::Normal {
        return !mv.is_null();
    }
    match board.piece_at(mv.to()) {
        Some(taken) => taken.kind == PieceType::King,
        None => {
            mv.from().file() != mv.to().file()
                && board
                    .piece_at(mv.from())
                    .is_some_and(|piece| piece.kind == PieceType::Pawn)
        }
    }
}

/// A position in a line.
#[derive(Clone, Debug)]
struct LinePosition {
    lists: PieceLists,
    turn: Color,
    ply: u32,
}

/// A line interrupted by a variation.
#[derive(Clone, Debug)]
struct Interrupted {
    now: LinePosition,
    last: Option<Moved>,
    before: LinePosition,
    line_start: u32,
}

/// The state for a game with known move facts: only the numbers of the pieces.
#[derive(Debug)]
pub(super) struct KnownLines {
    /// The start position, for the rooks that may castle.
    start: Board,
    now: LinePosition,
    /// The last move, if the piece numbers can be taken back by it.
    last: Option<Moved>,
    /// The position before the last move, if `last` is not set and the game has variations.
    before: LinePosition,
    with_variations: bool,
    line_start: u32,
    interrupted: Vec<Interrupted>,
    /// The material of the mainline.
    material: Material,
    /// The facts of the next move.
    facts: Facts,
}

impl KnownLines {
    /// Creates the state for later games.
    pub(super) fn new() -> KnownLines {
        let board = Board::standard();
        let place = LinePosition {
            lists: PieceLists::standard(),
            turn: Color::White,
            ply: 0,
        };
        KnownLines {
            material: Material::from_board(&board),
            start: board,
            now: place.clone(),
            last: None,
            before: place,
            with_variations: false,
            line_start: 0,
            interrupted: Vec::new(),
            facts: Facts::UNKNOWN,
        }
    }

    /// Restarts at the start position of a game.
    ///
    /// # Errors
    ///
    /// Returns an error if its pieces cannot be numbered.
    pub(super) fn restart(&mut self, start: &Start, with_variations: bool) -> Result<()> {
        self.now.lists = ScidNumbering.start(start)?;
        self.last = None;
        self.start = start.board();
        self.now.turn = self.start.turn();
        self.now.ply = 0;
        self.line_start = 0;
        self.interrupted.clear();
        self.material = Material::from_board(&self.start);
        self.with_variations = with_variations;
        Ok(())
    }

    #[inline]
    fn play(&mut self, mv: PackedMove) {
        if self.with_variations {
            self.before.clone_from(&self.now);
        }
        // Only moves of `write_simple` can be taken back by their piece numbers.
        self.last = None;
        let now = &mut self.now;
        now.lists.play_known(now.turn, mv, self.facts, &self.start);
        if self.interrupted.is_empty() {
            self.material.play(now.turn, mv, self.facts);
        }
        now.turn = now.turn.other();
        now.ply += 1;
    }

    /// Writes and plays a move that only goes from one square to another. Returns false, without
    /// any effect, for other moves.
    #[inline]
    pub(super) fn write_simple(&mut self, mv: PackedMove, facts: Facts, out: &mut Vec<u8>) -> bool {
        let now = &mut self.now;
        if !mv.is_normal() || !facts.are_known() {
            return false;
        }
        let Some(moved) = now.lists.write_usual(now.turn, mv, facts, out) else {
            return false;
        };
        if self.with_variations {
            self.last = Some(moved);
        }
        if self.interrupted.is_empty() {
            self.material.take(now.turn.other(), facts);
        }
        now.turn = now.turn.other();
        now.ply += 1;
        true
    }

    /// Returns the position before the last move.
    fn take_back(&self) -> LinePosition {
        let Some(moved) = self.last else {
            return self.before.clone();
        };
        let mut place = self.now.clone();
        place.turn = place.turn.other();
        place.ply -= 1;
        place.lists.take_back(place.turn, moved);
        place
    }

    /// Returns whether no variation is open.
    pub(super) fn is_main_line(&self) -> bool {
        self.interrupted.is_empty()
    }

    fn open(&mut self) {
        let inner =
            if self.now.ply > self.line_start { self.take_back() } else { self.now.clone() };
        self.interrupted.push(Interrupted {
            now: std::mem::replace(&mut self.now, inner),
            last: self.last,
            before: self.before.clone(),
            line_start: self.line_start,
        });
        self.line_start = self.now.ply;
    }

    fn close(&mut self) -> bool {
        let Some(line) = self.interrupted.pop() else {
            return false;
        };
        self.now = line.now;
        self.last = line.last;
        self.before = line.before;
        self.line_start = line.line_start;
        true
    }
}
