//! Colours and pieces.

/// White or Black.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Color {
    /// Moves first; pawns go up the board.
    White = 0,
    /// Pawns go down the board.
    Black = 1,
}

impl Color {
    /// Both colours, White first.
    pub const ALL: [Color; 2] = [Color::White, Color::Black];

    /// Returns the opponent.
    pub const fn other(self) -> Color {
        match self {
            Color::White => Color::Black,
            Color::Black => Color::White,
        }
    }

    /// Returns `white` for White and `black` for Black.
    pub fn pick<T>(self, white: T, black: T) -> T {
        match self {
            Color::White => white,
            Color::Black => black,
        }
    }

    /// Converts a rank counted from this colour's own side (0..=7) to one counted from White's.
    pub const fn rank(self, rank: u8) -> u8 {
        match self {
            Color::White => rank & 7,
            Color::Black => 7 - (rank & 7),
        }
    }
}

/// A type of piece.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum PieceType {
    /// P
    Pawn = 0,
    /// N
    Knight = 1,
    /// B
    Bishop = 2,
    /// R
    Rook = 3,
    /// Q
    Queen = 4,
    /// K
    King = 5,
}

impl PieceType {
    /// All six types, from pawn to king.
    pub const ALL: [PieceType; 6] = [
        PieceType::Pawn,
        PieceType::Knight,
        PieceType::Bishop,
        PieceType::Rook,
        PieceType::Queen,
        PieceType::King,
    ];

    /// Returns the capital letter of SAN and FEN.
    pub const fn letter(self) -> u8 {
        match self {
            PieceType::Pawn => b'P',
            PieceType::Knight => b'N',
            PieceType::Bishop => b'B',
            PieceType::Rook => b'R',
            PieceType::Queen => b'Q',
            PieceType::King => b'K',
        }
    }

    /// Parses an English letter, capital or small.
    pub const fn from_letter(letter: u8) -> Option<PieceType> {
        Some(match letter.to_ascii_uppercase() {
            b'P' => PieceType::Pawn,
            b'N' => PieceType::Knight,
            b'B' => PieceType::Bishop,
            b'R' => PieceType::Rook,
            b'Q' => PieceType::Queen,
            b'K' => PieceType::King,
            _ => return None,
        })
    }
}

/// A type of piece with its colour.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Piece {
    /// The colour.
    pub color: Color,
    /// The type.
    pub kind: PieceType,
}

impl Piece {
    /// Returns the letter of FEN: capital for White, small for Black.
    pub const fn letter(self) -> u8 {
        match self.color {
            Color::White => self.kind.letter(),
            Color::Black => self.kind.letter().to_ascii_lowercase(),
        }
    }

    /// Parses a FEN letter.
    pub const fn from_letter(letter: u8) -> Option<Piece> {
        let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
        match PieceType::from_letter(letter) {
            Some(kind) => Some(Piece { color, kind }),
            None => None,
        }
    }
}
