//! The move codes of ChessBase since 1997 (docs/formats/cbh.md, section 6): a code names a piece by
//! its number among the pieces of its type, and a step.
//!
//! Up to three queens, rooks, bishops and knights and eight pawns of each side are numbered, in the
//! order of their initial squares. When a piece leaves the board, those after it move up; a pawn
//! leaves its number empty. A fourth piece of a type never gets a number, not even after another
//! has gone (test `the_fourth_piece_is_never_numbered`): its moves name the squares.
//!
//! [`Mode`] translates between the bytes of a file and the codes.

mod mode;
mod steps;
mod tables;

use super::{Coded, MoveFault, Numbering};
use crate::board::{Facts, MoveKind, Played, Side};
use crate::model::Start;
use crate::rules::is_pseudo_legal;
use crate::{Board, Color, PackedMove, PieceType, Result, Square};

pub use mode::Mode;
use steps::{CODES, FIRST, IS_KING, IS_PAWN, KINDS, KING, LONG, PAWN, SHORT, place_of, step};

/// The numbering scheme.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct CbhNumbering {
    /// Whether pieces are numbered from h8 to a1.
    pub reverse: bool,
    /// Whether castling gives the king's target twice, as in Chess960.
    pub chess960: bool,
}

/// The value for no square.
const NONE: u8 = 64;

/// The squares of the numbered pieces.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CbhPieces {
    /// By colour, then knights, bishops, rooks, queens; missing pieces come last.
    pieces: [[[u8; 3]; 4]; 2],
    /// By colour; squares of pawns that have gone stay empty.
    pawns: [[u8; 8]; 2],
}

/// Codes without a move.
pub mod codes {
    /// Two more bytes follow: a move by squares.
    pub const SQUARES: u8 = 235;
    /// No meaning; ignored.
    pub const NOTHING: u8 = 236;
    /// An alternative to the next move follows later.
    pub const PUSH: u8 = 254;
    /// The end of the line.
    pub const POP: u8 = 255;
}

impl CbhPieces {
    /// Returns the numbered pieces of a position.
    pub fn from_board(board: &Board, reverse: bool) -> CbhPieces {
        let mut pieces = CbhPieces {
            pieces: [[[NONE; 3]; 4]; 2],
            pawns: [[NONE; 8]; 2],
        };
        for color in Color::ALL {
            for kind in PieceType::ALL {
                let squares = board.pieces(color, kind);
                let Some(list) = pieces.list_mut(color, kind) else {
                    continue;
                };
                let mut rest = squares;
                for place in list {
                    let next = if reverse { rest.last() } else { rest.first() };
                    let Some(square) = next else { break };
                    rest &= !square.bit();
                    *place = square.index();
                }
            }
        }
        pieces
    }

    /// Returns the list of a type; kings have none.
    #[expect(
        clippy::indexing_slicing,
        reason = "colours are below 2, and the types between pawn and king below 4"
    )]
    fn list_mut(&mut self, color: Color, kind: PieceType) -> Option<&mut [u8]> {
        match kind {
            PieceType::King => None,
            PieceType::Pawn => Some(&mut self.pawns[color as usize]),
            kind => Some(&mut self.pieces[color as usize][kind as usize - 1]),
        }
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "colours are below 2, and the types between pawn and king below 4"
    )]
    fn list(&self, color: Color, kind: PieceType) -> &[u8] {
        match kind {
            PieceType::King => &[],
            PieceType::Pawn => &self.pawns[color as usize],
            kind => &self.pieces[color as usize][kind as usize - 1],
        }
    }

    /// Returns the number of the piece on a square.
    fn slot(&self, color: Color, kind: PieceType, square: Square) -> Option<usize> {
        self.list(color, kind)
            .iter()
            .position(|&place| place == square.index())
    }

    fn replace(&mut self, color: Color, kind: PieceType, from: Square, to: Square) {
        let list = self.list_mut(color, kind).unwrap_or_default();
        if let Some(place) = list.iter_mut().find(|place| **place == from.index()) {
            *place = to.index();
        }
    }

    fn remove(&mut self, color: Color, kind: PieceType, square: Square) {
        let list = self.list_mut(color, kind).unwrap_or_default();
        let Some(index) = list.iter().position(|&place| place == square.index()) else {
            return;
        };
        // Pieces with higher numbers move up; pawns keep their numbers.
        if kind != PieceType::Pawn
            && let Some(tail) = list.get_mut(index..)
        {
            tail.rotate_left(1);
            if let Some(last) = tail.last_mut() {
                *last = NONE;
            }
        } else if let Some(place) = list.get_mut(index) {
            *place = NONE;
        }
    }

    /// Assigns the next number to a new piece, if there is one left.
    fn append(&mut self, color: Color, kind: PieceType, square: Square) {
        let list = self.list_mut(color, kind).unwrap_or_default();
        if let Some(place) = list.iter_mut().find(|place| **place == NONE) {
            *place = square.index();
        }
    }
}

impl CbhNumbering {
    /// Decodes a two-byte move: from-square in bits 0 to 5, to-square in bits 6 to 11, promotion in
    /// bits 12 and 13, which have no meaning for other moves. A castling move may have its target
    /// in both places.
    ///
    /// # Errors
    ///
    /// Returns the reason if there is no move: [`MoveFault::NoCastling`] for castling without the
    /// right.
    pub fn by_squares(board: &Board, word: u16) -> Coded<PackedMove> {
        let (from, to) = (
            Square::new_masked(word as u8),
            Square::new_masked((word >> 6) as u8),
        );
        let us = board.turn();
        if from == to {
            let side = match (to.rank() == us.rank(0), to.file()) {
                (true, 6) => Side::Short,
                (true, 2) => Side::Long,
                _ => {
                    return Err(MoveFault::UnknownCode {
                        code: codes::SQUARES,
                    });
                }
            };
            return castling(board, side);
        }
        let Some(piece) = board.piece_at(from).filter(|piece| piece.color == us) else {
            return Err(MoveFault::NoSuchPiece {
                number: from.index(),
                pieces: board.by_color(us).len() as u8,
            });
        };
        let bad = MoveFault::BadCode {
            piece: piece.kind,
            code: codes::SQUARES,
        };
        match piece.kind {
            PieceType::King if from.rank() == to.rank() && from.file().abs_diff(to.file()) == 2 => {
                castling(board, if to.file() == 6 { Side::Short } else { Side::Long })
            }
            PieceType::Pawn if to.rank() == us.rank(7) => {
                let kind = match word >> 12 & 3 {
                    0 => PieceType::Queen,
                    1 => PieceType::Rook,
                    2 => PieceType::Bishop,
                    _ => PieceType::Knight,
                };
                let mv = PackedMove::new(from, to, MoveKind::Promotion(kind));
                is_pseudo_legal(board, mv).then_some(mv).ok_or(bad)
            }
            PieceType::Pawn => pawn_move(board, from, to).ok_or(bad),
            _ => {
                let mv = PackedMove::normal(from, to);
                is_pseudo_legal(board, mv).then_some(mv).ok_or(bad)
            }
        }
    }

    /// Returns the word that names a move by its squares, the inverse of
    /// [`CbhNumbering::by_squares`].
    pub fn squares(mv: PackedMove, chess960: bool) -> u16 {
        let (from, to) = match mv.kind() {
            // In Chess960 the king's two squares may be those of an ordinary move too.
            MoveKind::CastleShort | MoveKind::CastleLong if chess960 => (mv.to(), mv.to()),
            _ => (mv.from(), mv.to()),
        };
        let promotion = match mv.promotion() {
            Some(PieceType::Rook) => 1,
            Some(PieceType::Bishop) => 2,
            Some(PieceType::Knight) => 3,
            _ => 0,
        };
        u16::from(from.index()) | u16::from(to.index()) << 6 | promotion << 12
    }

    /// Returns the one-byte code for a move of a piece of this type, if it has a number.
    #[inline]
    fn code_of(
        self,
        pieces: &CbhPieces,
        us: Color,
        kind: Option<PieceType>,
        mv: PackedMove,
    ) -> Option<u8> {
        match mv.kind() {
            MoveKind::Null => return Some(0),
            MoveKind::CastleShort => return (!self.chess960).then_some(SHORT),
            MoveKind::CastleLong => return (!self.chess960).then_some(LONG),
            MoveKind::Promotion(_) => return None,
            MoveKind::Normal | MoveKind::EnPassant | MoveKind::GhostEnPassant => {}
        }
        let kind = kind?;
        let first = match kind {
            PieceType::King => KING,
            _ => {
                let slot = pieces.slot(us, kind, mv.from())?;
                match kind {
                    PieceType::Pawn => PAWN + 4 * slot as u8,
                    _ => *FIRST.get(kind as usize - 1)?.get(slot)?,
                }
            }
        };
        let turned = kind == PieceType::Pawn && us == Color::Black;
        Some(first + place_of(kind, turned, mv.from(), mv.to())?)
    }

    /// Appends the bytes of a move of a piece of this type.
    #[inline]
    fn write_move(
        self,
        pieces: &CbhPieces,
        us: Color,
        kind: Option<PieceType>,
        mv: PackedMove,
        out: &mut Vec<u8>,
    ) {
        match self.code_of(pieces, us, kind, mv) {
            Some(code) => out.push(code),
            None => {
                out.push(codes::SQUARES);
                out.extend_from_slice(&CbhNumbering::squares(mv, self.chess960).to_be_bytes());
            }
        }
    }

    /// Updates the numbers with a move of a piece of this type.
    #[inline]
    fn update(
        pieces: &mut CbhPieces,
        us: Color,
        kind: Option<PieceType>,
        mv: PackedMove,
        played: &Played,
    ) {
        if let Some((square, piece)) = played.captured {
            pieces.remove(piece.color, piece.kind, square);
        }
        let (from, to) = (mv.from(), mv.to());
        match mv.kind() {
            MoveKind::Null => {}
            MoveKind::Promotion(kind) => {
                pieces.remove(us, PieceType::Pawn, from);
                pieces.append(us, kind, to);
            }
            MoveKind::CastleShort | MoveKind::CastleLong => {
                if let Some((from, to)) = played.rook {
                    pieces.replace(us, PieceType::Rook, from, to);
                }
            }
            _ => {
                if let Some(kind) = kind {
                    pieces.replace(us, kind, from, to);
                }
            }
        }
    }
}

/// Returns the castling move of the side to move.
fn castling(board: &Board, side: Side) -> Coded<PackedMove> {
    let king = board.king(board.turn()).ok_or(MoveFault::NoCastling)?;
    let mv = PackedMove::castling(king, side);
    if is_pseudo_legal(board, mv) { Ok(mv) } else { Err(MoveFault::NoCastling) }
}

/// Returns a pawn move without promotion. ChessBase lets users capture en passant where there is
/// nothing to capture.
fn pawn_move(board: &Board, from: Square, to: Square) -> Option<PackedMove> {
    let plain = PackedMove::normal(from, to);
    if is_pseudo_legal(board, plain) {
        return Some(plain);
    }
    let diagonal = from.file().abs_diff(to.file()) == 1
        && from.rank().abs_diff(to.rank()) == 1
        && board
            .turn()
            .pick(to.rank() > from.rank(), to.rank() < from.rank());
    if !diagonal || to.rank() == board.turn().rank(7) || board.occupied().has(to) {
        return None;
    }
    let en_passant = PackedMove::new(from, to, MoveKind::EnPassant);
    if is_pseudo_legal(board, en_passant) {
        Some(en_passant)
    } else {
        Some(PackedMove::new(from, to, MoveKind::GhostEnPassant))
    }
}

impl Numbering for CbhNumbering {
    type State = CbhPieces;

    fn start(&self, start: &Start) -> Result<CbhPieces> {
        Ok(match start {
            Start::Standard => CbhPieces::from_board(&Board::standard(), self.reverse),
            Start::Setup(setup) => CbhPieces::from_board(&setup.board, self.reverse),
        })
    }

    /// Decodes a code ([`Mode::code`]), with two more bytes after [`codes::SQUARES`].
    #[inline]
    #[expect(
        clippy::indexing_slicing,
        reason = "colours are below 2, types below 4, slots below 3 or 8, as the table has them"
    )]
    fn decode(
        &self,
        pieces: &CbhPieces,
        board: &Board,
        bytes: &[u8],
    ) -> Coded<(PackedMove, usize)> {
        let &byte = bytes.first().ok_or(MoveFault::Truncated)?;
        let code = CODES[usize::from(byte)];
        let us = board.turn();
        let from = match code.piece {
            0..=3 => pieces.pieces[us as usize][usize::from(code.piece)][usize::from(code.slot)],
            IS_PAWN => pieces.pawns[us as usize][usize::from(code.slot)],
            IS_KING => board.king(us).map_or(NONE, Square::index),
            _ => {
                return decode_other(board, byte, bytes)
                    .map(|mv| (mv, if byte == codes::SQUARES { 3 } else { 1 }));
            }
        };
        let Some(from) = Square::new(from) else {
            return Err(MoveFault::NoSuchPiece {
                number: byte,
                pieces: board.by_color(us).len() as u8,
            });
        };
        if code.piece == IS_PAWN {
            let turn = us.pick(1, -1);
            let to = step(from, code.files * turn, code.ranks * turn);
            let bad = MoveFault::BadCode {
                piece: PieceType::Pawn,
                code: byte,
            };
            return pawn_move(board, from, to).map(|mv| (mv, 1)).ok_or(bad);
        }
        let mv = PackedMove::normal(from, step(from, code.files, code.ranks));
        if !is_pseudo_legal(board, mv) {
            let piece = KINDS.get(usize::from(code.piece));
            return Err(MoveFault::BadCode {
                piece: piece.copied().unwrap_or(PieceType::King),
                code: byte,
            });
        }
        Ok((mv, 1))
    }

    fn encode(
        &self,
        pieces: &CbhPieces,
        board: &Board,
        mv: PackedMove,
        out: &mut Vec<u8>,
    ) -> Coded {
        let us = board.turn();
        let piece = board.piece_at(mv.from()).filter(|piece| piece.color == us);
        // If there are several kings, only one has codes.
        let has_codes =
            |kind: &PieceType| *kind != PieceType::King || board.king(us) == Some(mv.from());
        let kind = piece.map(|piece| piece.kind).filter(has_codes);
        self.write_move(pieces, us, kind, mv, out);
        Ok(())
    }

    #[inline]
    fn play(&self, pieces: &mut CbhPieces, after: &Board, mv: PackedMove, played: &Played) {
        // For a promotion this is the new piece; `update` then goes by the move.
        let kind = after.piece_at(mv.to()).map(|piece| piece.kind);
        CbhNumbering::update(pieces, after.turn().other(), kind, mv, played);
    }

    fn goes_by_facts(&self) -> bool {
        true
    }

    #[inline]
    fn encode_known(
        &self,
        pieces: &CbhPieces,
        us: Color,
        mv: PackedMove,
        facts: Facts,
        out: &mut Vec<u8>,
    ) -> Coded {
        self.write_move(pieces, us, facts.kind(), mv, out);
        Ok(())
    }

    #[inline]
    fn play_known(&self, pieces: &mut CbhPieces, start: &Board, mv: PackedMove, facts: Facts) {
        let played = Played::by_facts(start, mv, facts);
        CbhNumbering::update(pieces, start.turn(), facts.kind(), mv, &played);
    }
}

/// Decodes null moves, castling, moves by squares, and codes that are not moves.
#[cold]
fn decode_other(board: &Board, byte: u8, bytes: &[u8]) -> Coded<PackedMove> {
    match byte {
        0 => Ok(PackedMove::NULL),
        SHORT => castling(board, Side::Short),
        LONG => castling(board, Side::Long),
        codes::SQUARES => {
            let word = bytes.get(1..).and_then(|bytes| bytes.first_chunk());
            let word = word.ok_or(MoveFault::Truncated)?;
            CbhNumbering::by_squares(board, u16::from_be_bytes(*word))
        }
        code => Err(MoveFault::UnknownCode { code }),
    }
}
