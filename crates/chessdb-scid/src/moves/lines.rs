//! Where the lines stand of a game that is written, and the numbers of its pieces there.

use chessdb_core::legacy::Numbering as _;
use chessdb_core::legacy::scid::{PieceLists, ScidNumbering};
use chessdb_core::line::{Follow, Play};
use chessdb_core::{
    Board, Color, Facts, Lines, LossKind, MoveKind, PackedMove, PieceType, Result, Start,
};

use crate::derived::{Material, material};

/// The lines of a game.
pub(super) enum GameLines<'l> {
    /// The tape knows its moves.
    Known(&'l mut KnownLines),
    /// They have to be played.
    Played(&'l mut Lines<ScidNumbering>),
}

impl GameLines<'_> {
    /// Appends the bytes of the move that comes now.
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
                let Place { lists, turn, .. } = &lines.now;
                lists.encode_known(*turn, mv, facts, out)
            }
            GameLines::Played(lines) => {
                let (state, board) = (lines.state(), lines.board());
                if is_doubtful(board, mv) {
                    ScidNumbering.encode_readable(state, board, mv, out)
                } else {
                    ScidNumbering.encode(state, board, mv, out)
                }
            }
        };
        encoded.map_err(|_| LossKind::of_illegal(mv))
    }

    /// The material at the end of the main line, to be asked there.
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

impl Follow for GameLines<'_> {
    fn open(&mut self) {
        match self {
            GameLines::Known(lines) => lines.open(),
            GameLines::Played(lines) => Follow::open(*lines),
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

/// Whether a move that has a code might be read as another one, or not at all: castling needs its
/// right, a king cannot be taken, a pawn's diagonal step to an empty square is en passant.
fn is_doubtful(board: &Board, mv: PackedMove) -> bool {
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

/// A place in a line.
#[derive(Clone, Debug)]
struct Place {
    lists: PieceLists,
    turn: Color,
    ply: u32,
}

/// Of a game whose moves are known: the numbers of the pieces alone.
#[derive(Debug)]
pub(super) struct KnownLines {
    /// Where the rooks stand at the start that may castle.
    start: Board,
    now: Place,
    /// Before the last move, in a game with variations.
    before: Place,
    with_variations: bool,
    line_start: u32,
    interrupted: Vec<(Place, Place, u32)>,
    /// That of the main line.
    material: Material,
    /// What is known of the move that comes now.
    facts: Facts,
}

impl KnownLines {
    /// For games to come.
    pub(super) fn new() -> KnownLines {
        let board = Board::standard();
        let place = Place {
            lists: PieceLists::standard(),
            turn: Color::White,
            ply: 0,
        };
        KnownLines {
            material: Material::of(&board),
            start: board,
            now: place.clone(),
            before: place,
            with_variations: false,
            line_start: 0,
            interrupted: Vec::new(),
            facts: Facts::UNKNOWN,
        }
    }

    /// Begins at a game's start position.
    ///
    /// # Errors
    ///
    /// If its pieces cannot be numbered.
    pub(super) fn restart(&mut self, start: &Start, with_variations: bool) -> Result<()> {
        self.now.lists = ScidNumbering.start(start)?;
        self.start = match start {
            Start::Standard => Board::standard(),
            Start::Setup(setup) => setup.board.clone(),
        };
        self.now.turn = self.start.turn();
        self.now.ply = 0;
        self.line_start = 0;
        self.interrupted.clear();
        self.material = Material::of(&self.start);
        self.with_variations = with_variations;
        Ok(())
    }

    #[inline]
    fn play(&mut self, mv: PackedMove) {
        if self.with_variations {
            self.before.clone_from(&self.now);
        }
        let now = &mut self.now;
        now.lists.play_known(now.turn, mv, self.facts, &self.start);
        if self.interrupted.is_empty() {
            self.material.play(now.turn, mv, self.facts);
        }
        now.turn = now.turn.other();
        now.ply += 1;
    }

    fn open(&mut self) {
        let interrupted = (self.now.clone(), self.before.clone(), self.line_start);
        self.interrupted.push(interrupted);
        if self.now.ply > self.line_start {
            self.now.clone_from(&self.before);
        }
        self.line_start = self.now.ply;
    }

    fn close(&mut self) -> bool {
        let Some((now, before, line_start)) = self.interrupted.pop() else {
            return false;
        };
        self.now = now;
        self.before = before;
        self.line_start = line_start;
        true
    }
}
