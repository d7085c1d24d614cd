//! Reading moves with a board and the rules of chess.

use chessdb_core::board::{MoveKind, Side};
use chessdb_core::legacy::PlainNumbering;
use chessdb_core::line::{LineTracker, Lines};
use chessdb_core::rules::is_pseudo_legal;
use chessdb_core::{Board, Game, PackedMove, PieceType, Result as CoreResult, Square};

use super::position::ReadMove;
use super::promotions::{is_last, promotion};
use super::{Position, Promotions};
use crate::raw::MoveWord;

/// The boards of all open lines. A move is impossible if it is not pseudo-legal.
#[derive(Debug)]
pub(crate) struct Boards(Lines<PlainNumbering>);

impl Boards {
    /// Starts at the start position of a game.
    pub(crate) fn new(game: &Game) -> CoreResult<Boards> {
        Lines::new(PlainNumbering, game).map(Boards)
    }
}

impl Position for Boards {
    #[inline]
    fn play(&mut self, word: MoveWord, promotions: Promotions) -> Result<ReadMove, &'static str> {
        let board = self.0.board();
        let mv = read(board, word, promotions)?;
        let facts = self.0.judge(mv);
        let legal = facts.are_known();
        // A move that leaves the king attacked is kept with a note (section 12).
        if !legal && !is_pseudo_legal(self.0.board(), mv) {
            return Err(reason(self.0.board(), word));
        }
        self.0.play_known(mv, facts);
        Ok(ReadMove { mv, legal, facts })
    }

    fn pass(&mut self) {
        self.0.play(PackedMove::NULL);
    }
}

impl LineTracker for Boards {
    fn open(&mut self) {
        self.0.open();
    }

    fn close(&mut self) -> bool {
        self.0.close()
    }

    #[inline]
    fn ply(&self) -> u32 {
        self.0.ply()
    }

    #[inline]
    fn depth(&self) -> usize {
        self.0.depth()
    }

    #[inline]
    fn at_line_start(&self) -> bool {
        self.0.at_line_start()
    }
}

/// Returns the move that a word means in a position. A king that moves two squares or captures its
/// own rook castles; a pawn that moves diagonally to an empty square captures en passant (section
/// 5.3).
fn read(board: &Board, word: MoveWord, promotions: Promotions) -> Result<PackedMove, &'static str> {
    let (from, to) = (word.from(), word.to());
    let piece = board.piece_at(from);
    let can_promote = is_last(to) && piece.is_none_or(|piece| piece.kind == PieceType::Pawn);
    if let Some(kind) = promotion(word, promotions, can_promote)? {
        return Ok(PackedMove::new(from, to, MoveKind::Promotion(kind)));
    }
    let Some(piece) = piece else {
        return Ok(PackedMove::normal(from, to));
    };
    Ok(match piece.kind {
        PieceType::King => castling(board, from, to).unwrap_or(PackedMove::normal(from, to)),
        PieceType::Pawn if from.file() != to.file() && board.piece_at(to).is_none() => {
            PackedMove::new(from, to, MoveKind::EnPassant)
        }
        _ => PackedMove::normal(from, to),
    })
}

fn castling(board: &Board, from: Square, to: Square) -> Option<PackedMove> {
    let own = board.piece_at(from)?.color;
    if from.rank() != to.rank() {
        return None;
    }
    let side = if to.file() > from.file() { Side::Short } else { Side::Long };
    // This crate writes the castling of Chess960 as the king taking its rook (section 14).
    let goal = if board.pieces(own, PieceType::Rook).has(to) {
        Square::from_coords(side.king_file(), from.rank())?
    } else if from.file().abs_diff(to.file()) == 2 && to.file() == side.king_file() {
        to
    } else {
        return None;
    };
    Some(PackedMove::new(from, goal, side.castling()))
}

/// Returns why a move is impossible.
#[cold]
fn reason(board: &Board, word: MoveWord) -> &'static str {
    match board.piece_at(word.from()) {
        None => "the square is empty",
        Some(piece) if piece.color != board.turn() => "the piece belongs to the other side",
        Some(_) if word.promotion() != 0 => "the piece cannot promote this way",
        Some(_) => "the piece cannot move this way",
    }
}
