//! Squares, pieces, moves, and a board that can hold any position found in old databases.

mod bitboard;
mod chess960;
mod facts;
mod moves;
mod piece;
mod play;
mod setup;
mod square;
mod uci;

use std::fmt;

pub use bitboard::Bitboard;
pub use facts::Facts;
pub use moves::{MoveKind, PackedMove};
pub use piece::{Color, Piece, PieceType};
pub use play::Played;
pub(crate) use play::TakeBack;
pub use setup::Setup;
pub use square::Square;
pub use uci::UciNotation;

/// One of the two ways to castle.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Side {
    /// With the rook on the king's h-side; the king goes to the g-file.
    Short = 0,
    /// With the rook on the king's a-side; the king goes to the c-file.
    Long = 1,
}

impl Side {
    /// Both sides, short castling first, as in FEN.
    pub const ALL: [Side; 2] = [Side::Short, Side::Long];

    /// Returns the kind of the castling move.
    pub const fn castling(self) -> MoveKind {
        match self {
            Side::Short => MoveKind::CastleShort,
            Side::Long => MoveKind::CastleLong,
        }
    }

    /// Returns the file that the king goes to: 6 or 2.
    pub const fn king_file(self) -> u8 {
        match self {
            Side::Short => 6,
            Side::Long => 2,
        }
    }

    /// Returns the initial square of the rook in standard chess.
    pub const fn corner(self, color: Color) -> Square {
        let file = match self {
            Side::Short => 7,
            Side::Long => 0,
        };
        Square::new_masked(file << 3 | color.rank(0))
    }

    /// Returns the file that the rook goes to: 5 or 3.
    pub const fn rook_file(self) -> u8 {
        match self {
            Side::Short => 5,
            Side::Long => 3,
        }
    }
}

/// A position as plain data, without any rule of chess imposed on it.
///
/// The board accepts positions with no king or several kings, pawns on the first or last rank,
/// castling rights without a king or rook, and meaningless en passant squares. [`crate::rules`]
/// checks legality.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Board {
    /// The code of the piece on each square (see [`code`]), 0 for an empty one.
    pieces: [u8; 64],
    /// Sets of squares, indexed by the low three bits of the code. Set 0 contains the empty
    /// squares, so captures and moves to empty squares use the same arithmetic. Set 7 stays empty.
    types: [u64; 8],
    colors: [u64; 2],
    /// Squares of the castling rooks, by colour and side; [`NONE`] without the right.
    castling: [u8; 4],
    /// The en passant square, or [`NONE`].
    ep: u8,
    turn: Color,
    halfmove: u16,
    fullmove: u16,
}

/// The byte value for "no square".
const NONE: u8 = 64;

/// Returns the code of a piece: type + 1, plus 8 for Black; never 0.
const fn code(piece: Piece) -> u8 {
    (piece.kind as u8 + 1) | (piece.color as u8) << 3
}

/// Returns the piece with this code.
pub(crate) const fn decode(code: u8) -> Option<Piece> {
    let color = if code & 8 == 0 { Color::White } else { Color::Black };
    let kind = match code & 7 {
        1 => PieceType::Pawn,
        2 => PieceType::Knight,
        3 => PieceType::Bishop,
        4 => PieceType::Rook,
        5 => PieceType::Queen,
        6 => PieceType::King,
        _ => return None,
    };
    Some(Piece { color, kind })
}

impl Board {
    /// Returns a board without pieces or castling rights, White to move, at move 1.
    pub const fn empty() -> Board {
        Board {
            pieces: [0; 64],
            types: [u64::MAX, 0, 0, 0, 0, 0, 0, 0],
            colors: [0; 2],
            castling: [NONE; 4],
            ep: NONE,
            turn: Color::White,
            halfmove: 0,
            fullmove: 1,
        }
    }

    /// Returns whether this is the standard starting position, including castling rights and
    /// counters.
    pub fn is_standard_start(&self) -> bool {
        const START: Board = Board::standard();
        *self == START
    }

    /// Returns the piece on a square.
    pub const fn piece_at(&self, square: Square) -> Option<Piece> {
        decode(self.code_at(square.index()))
    }

    /// Puts a piece on a square, or empties it. Castling rights and en passant square are
    /// unchanged.
    pub const fn put(&mut self, square: Square, piece: Option<Piece>) {
        let code = match piece {
            Some(piece) => code(piece),
            None => 0,
        };
        self.set_code(square.index(), code);
    }

    /// Returns the side to move.
    pub const fn turn(&self) -> Color {
        self.turn
    }

    /// Sets the side to move.
    pub const fn set_turn(&mut self, turn: Color) {
        self.turn = turn;
    }

    /// Returns the square that a pawn has just passed in a double step, whether or not it can be
    /// captured.
    pub const fn ep_square(&self) -> Option<Square> {
        Square::new(self.ep)
    }

    /// Sets the en passant square.
    pub const fn set_ep_square(&mut self, square: Option<Square>) {
        self.ep = match square {
            Some(square) => square.index(),
            None => NONE,
        };
    }

    /// Returns whether either side has a castling right.
    pub const fn has_castling_rights(&self) -> bool {
        // All four rights in one comparison.
        u32::from_ne_bytes(self.castling) != u32::from_ne_bytes([NONE; 4])
    }

    /// Returns the number of half-moves since the last capture or pawn move.
    pub const fn halfmove_clock(&self) -> u16 {
        self.halfmove
    }

    /// Sets the number of half-moves since the last capture or pawn move.
    pub const fn set_halfmove_clock(&mut self, clock: u16) {
        self.halfmove = clock;
    }

    /// Returns the number of the next move: 1 at the start, incremented after each move by Black.
    pub const fn fullmove_number(&self) -> u16 {
        self.fullmove
    }

    /// Sets the number of the next move.
    pub const fn set_fullmove_number(&mut self, number: u16) {
        self.fullmove = number;
    }

    /// Returns all squares with a piece.
    pub const fn occupied(&self) -> Bitboard {
        // Code 0 is an empty square.
        Bitboard(!self.types[0])
    }

    /// Returns the king of a colour; if there are several, the one with the lowest square index.
    pub const fn king(&self, color: Color) -> Option<Square> {
        self.pieces(color, PieceType::King).first()
    }
}

#[expect(
    clippy::indexing_slicing,
    reason = "square indexes are below 64, types below 7, colours and sides below 2"
)]
impl Board {
    /// Returns the standard starting position.
    pub const fn standard() -> Board {
        const START: Board = Board::set_up();
        START
    }

    const fn set_up() -> Board {
        const BACK: [PieceType; 8] = [
            PieceType::Rook,
            PieceType::Knight,
            PieceType::Bishop,
            PieceType::Queen,
            PieceType::King,
            PieceType::Bishop,
            PieceType::Knight,
            PieceType::Rook,
        ];
        let mut board = Board::empty();
        let mut file = 0;
        while file < 8 {
            // Codes are the type + 1, plus 8 for Black.
            let base = file as u8 * 8;
            board.set_code(base, BACK[file] as u8 + 1);
            board.set_code(base + 1, PieceType::Pawn as u8 + 1);
            board.set_code(base + 6, PieceType::Pawn as u8 + 9);
            board.set_code(base + 7, BACK[file] as u8 + 9);
            file += 1;
        }
        board.castling = [56, 0, 63, 7]; // h1, a1, h8, a8
        board
    }

    /// Returns the square of the rook with this castling right. The rook may be missing there.
    pub const fn castling_rook(&self, color: Color, side: Side) -> Option<Square> {
        Square::new(self.castling[color as usize * 2 + side as usize])
    }

    /// Grants or removes a castling right.
    pub const fn set_castling_rook(&mut self, color: Color, side: Side, rook: Option<Square>) {
        self.castling[color as usize * 2 + side as usize] = match rook {
            Some(square) => square.index(),
            None => NONE,
        };
    }

    /// Returns all pieces of a colour.
    pub const fn by_color(&self, color: Color) -> Bitboard {
        Bitboard(self.colors[color as usize])
    }

    /// Returns all pieces of a type, of both colours.
    pub const fn by_type(&self, kind: PieceType) -> Bitboard {
        Bitboard(self.types[kind as usize + 1])
    }

    /// Returns all pieces of a type and colour.
    pub const fn pieces(&self, color: Color, kind: PieceType) -> Bitboard {
        Bitboard(self.types[kind as usize + 1] & self.colors[color as usize])
    }

    /// Returns the code on a square: 0 if empty, else type + 1, plus 8 for Black.
    pub(crate) const fn code_at(&self, square: u8) -> u8 {
        self.pieces[(square & 63) as usize]
    }

    /// Returns the squares of one type, selected by the low three bits of `code`; 0 selects the
    /// empty squares.
    pub(crate) const fn type_set(&self, code: u8) -> u64 {
        self.types[(code & 7) as usize]
    }

    /// Replaces the piece on a square.
    const fn set_code(&mut self, square: u8, code: u8) {
        let square = square & 63;
        let bit = 1 << square;
        let old = self.pieces[square as usize];
        self.types[(old & 7) as usize] &= !bit;
        self.types[(code & 7) as usize] |= bit;
        self.colors[0] &= !bit;
        self.colors[1] &= !bit;
        if code != 0 {
            self.colors[(code >> 3 & 1) as usize] |= bit;
        }
        self.pieces[square as usize] = code;
    }
}

impl Default for Board {
    /// Returns the standard starting position.
    fn default() -> Board {
        Board::standard()
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Board({self})")
    }
}
