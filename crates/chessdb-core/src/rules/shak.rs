//! The interface to shakmaty: attack tables, and positions that shakmaty accepts.

use std::{fmt, num::NonZeroU32};

use shakmaty::{
    CastlingMode, CastlingSide, Chess, EnPassantMode, FromSetup as _, Position as _, PositionError,
    attacks, fen::Fen, san::SanPlus,
};

use crate::board::{MoveKind, Piece, Side};
use crate::{Board, Color, PackedMove, PieceType, Setup, Square};

/// Returns our square number as shakmaty's, which is the square mirrored on the a1-h8 diagonal.
#[inline(always)]
const fn mirrored(square: u8) -> shakmaty::Square {
    shakmaty::Square::new((square & 63) as u32)
}

#[inline(always)]
pub(super) const fn knight(square: u8) -> u64 {
    attacks::knight_attacks(mirrored(square)).0
}

#[inline(always)]
pub(super) const fn king(square: u8) -> u64 {
    attacks::king_attacks(mirrored(square)).0
}

#[inline(always)]
pub(super) const fn bishop(square: u8, occupied: u64) -> u64 {
    attacks::bishop_attacks(mirrored(square), shakmaty::Bitboard(occupied)).0
}

#[inline(always)]
pub(super) const fn rook(square: u8, occupied: u64) -> u64 {
    attacks::rook_attacks(mirrored(square), shakmaty::Bitboard(occupied)).0
}

/// Returns the squares strictly between two squares of a line; empty if they are not on one line.
#[inline(always)]
pub(crate) const fn between(a: u8, b: u8) -> u64 {
    attacks::between(mirrored(a), mirrored(b)).0
}

/// A position that shakmaty accepts. Used as an independent implementation of legality and SAN in
/// tests of this module, and to determine whether a set-up position is possible.
#[derive(Clone, Debug)]
pub struct Position(Chess);

/// The reason why chess does not allow a position, in shakmaty's words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InvalidPosition(String);

impl fmt::Display for InvalidPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidPosition {}

/// Returns whether the position could occur in a game, as far as shakmaty checks this: one king
/// each, the opponent not in check, no pawns on the first and last rank, not too many pieces,
/// castling rights and en passant square with the pieces they need.
pub fn is_valid_position(board: &Board) -> bool {
    Position::from_board(board).is_ok()
}

/// Like [`is_valid_position`], for any number of pieces.
pub fn is_playable_position(board: &Board) -> bool {
    Chess::from_setup(to_setup(board), CastlingMode::Chess960)
        .or_else(PositionError::ignore_too_much_material)
        .is_ok()
}

fn to_setup(board: &Board) -> shakmaty::Setup {
    let mut setup = shakmaty::Setup::empty();
    for square in board.occupied() {
        if let Some(piece) = board.piece_at(square) {
            setup.board.set_piece_at(to_square(square), to_piece(piece));
        }
    }
    setup.turn = to_color(board.turn());
    setup.ep_square = board.ep_square().map(to_square);
    setup.halfmoves = u32::from(board.halfmove_clock());
    // In shakmaty there is no move 0.
    setup.fullmoves =
        NonZeroU32::new(u32::from(board.fullmove_number())).unwrap_or(NonZeroU32::MIN);
    for color in Color::ALL {
        for side in Side::ALL {
            if let Some(rook) = board.castling_rook(color, side) {
                setup.castling_rights.add(to_square(rook));
            }
        }
    }
    setup
}

impl TryFrom<&Setup> for Position {
    type Error = InvalidPosition;

    fn try_from(setup: &Setup) -> Result<Position, InvalidPosition> {
        Position::from_board(&setup.board)
    }
}

impl Position {
    /// Creates a position from a board. Counters are kept (move 0 becomes 1). Castling follows
    /// Chess960, which includes standard castling.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidPosition`] if chess does not allow the position.
    pub fn from_board(board: &Board) -> Result<Position, InvalidPosition> {
        Chess::from_setup(to_setup(board), CastlingMode::Chess960)
            .map(Position)
            .map_err(|error| InvalidPosition(error.to_string()))
    }

    /// Returns all legal moves, in shakmaty's order.
    pub fn legal_moves(&self) -> Vec<PackedMove> {
        self.0
            .legal_moves()
            .iter()
            .filter_map(|&mv| from_move(mv))
            .collect()
    }

    /// Returns the key of [`Board::polyglot_key`].
    #[cfg(test)]
    pub(crate) fn polyglot_key(&self) -> u64 {
        let key: shakmaty::zobrist::Zobrist64 = self.0.zobrist_hash(EnPassantMode::PseudoLegal);
        key.0
    }

    /// Returns the SAN of a legal move with check and mate signs.
    pub fn san(&self, mv: PackedMove) -> Option<String> {
        let mv = self.find(mv)?;
        Some(SanPlus::from_move(self.0.clone(), mv).to_string())
    }

    /// Plays a legal move; returns false if it is not legal.
    pub fn play(&mut self, mv: PackedMove) -> bool {
        match self.find(mv) {
            Some(mv) => {
                self.0.play_unchecked(mv);
                true
            }
            None => false,
        }
    }

    /// Returns the FEN, with the en passant square after every double step.
    pub fn fen(&self) -> String {
        Fen::from_position(&self.0, EnPassantMode::Always).to_string()
    }

    fn find(&self, mv: PackedMove) -> Option<shakmaty::Move> {
        self.0
            .legal_moves()
            .iter()
            .copied()
            .find(|&m| from_move(m) == Some(mv))
    }
}

/// Returns the square of the same name.
fn to_square(square: Square) -> shakmaty::Square {
    shakmaty::Square::new(u32::from(square.rank_major()))
}

fn from_square(square: shakmaty::Square) -> Square {
    let (file, rank) = square.coords();
    Square::new_masked((file.to_u32() as u8) << 3 | rank.to_u32() as u8)
}

fn to_color(color: Color) -> shakmaty::Color {
    color.pick(shakmaty::Color::White, shakmaty::Color::Black)
}

fn to_piece(piece: Piece) -> shakmaty::Piece {
    let role = match piece.kind {
        PieceType::Pawn => shakmaty::Role::Pawn,
        PieceType::Knight => shakmaty::Role::Knight,
        PieceType::Bishop => shakmaty::Role::Bishop,
        PieceType::Rook => shakmaty::Role::Rook,
        PieceType::Queen => shakmaty::Role::Queen,
        PieceType::King => shakmaty::Role::King,
    };
    role.of(to_color(piece.color))
}

fn from_role(role: shakmaty::Role) -> PieceType {
    match role {
        shakmaty::Role::Pawn => PieceType::Pawn,
        shakmaty::Role::Knight => PieceType::Knight,
        shakmaty::Role::Bishop => PieceType::Bishop,
        shakmaty::Role::Rook => PieceType::Rook,
        shakmaty::Role::Queen => PieceType::Queen,
        shakmaty::Role::King => PieceType::King,
    }
}

/// Converts a move. Castling in shakmaty goes to the rook's square, ours to the king's.
fn from_move(mv: shakmaty::Move) -> Option<PackedMove> {
    let side = mv.castling_side();
    Some(match mv {
        shakmaty::Move::Normal {
            from,
            to,
            promotion,
            ..
        } => {
            let kind = match promotion {
                Some(role) => MoveKind::Promotion(from_role(role)),
                None => MoveKind::Normal,
            };
            PackedMove::new(from_square(from), from_square(to), kind)
        }
        shakmaty::Move::EnPassant { from, to } => {
            PackedMove::new(from_square(from), from_square(to), MoveKind::EnPassant)
        }
        shakmaty::Move::Castle { king, .. } => {
            let king = from_square(king);
            let (side, kind) = match side? {
                CastlingSide::KingSide => (Side::Short, MoveKind::CastleShort),
                CastlingSide::QueenSide => (Side::Long, MoveKind::CastleLong),
            };
            let to = Square::from_coords(side.king_file(), king.rank())?;
            PackedMove::new(king, to, kind)
        }
        shakmaty::Move::Put { .. } => return None,
    })
}
