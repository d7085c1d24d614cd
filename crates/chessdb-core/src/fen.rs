//! FEN, read tolerantly and written exactly.
//!
//! Canonical form: the six fields of the PGN standard separated by single spaces; castling rights
//! as in X-FEN (`KQkq` for the outermost rook of a side, else the letter of the rook's file).
//! Reading a canonical FEN and writing it again gives the same bytes.

mod read;

use std::fmt;
use std::str::FromStr;

use bitflags::bitflags;

use crate::board::{Bitboard, Side};
use crate::text::push_number;
use crate::{Board, Color, ErrorKind, PieceType, Setup, Square, rules};

bitflags! {
    /// Irregularities of a FEN that could be read nevertheless.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct FenNotes: u16 {
        /// The side to move is missing; White is assumed.
        const NO_TURN = 1;
        /// The castling field is missing; rights are assumed for kings and rooks on their home
        /// squares.
        const NO_CASTLING = 2;
        /// The en passant field is missing.
        const NO_EP = 4;
        /// A move counter is missing; 0 and 1 are assumed.
        const NO_COUNTERS = 8;
        /// A castling right has no king or no rook to use it. It is kept.
        const IDLE_CASTLING = 16;
        /// A castling right is given twice, or two for one side; the last one counts.
        const DOUBLE_CASTLING = 32;
        /// No pawn has just passed the en passant square. It is kept.
        const IDLE_EP = 64;
        /// A move counter is not a number from 0 to 65535; it is set to the nearest value or to its
        /// default.
        const BAD_COUNTER = 128;
        /// The ranks are not separated by slashes.
        const NO_SLASHES = 256;
        /// Text follows the sixth field; it is not read.
        const TRAILING = 512;
    }
}

/// The phrases for [`FenNotes`], in the order of their bits.
const PHRASES: [&str; 10] = [
    "missing side to move",
    "missing castling rights",
    "missing en passant square",
    "missing move counters",
    "castling right without king or rook",
    "duplicate castling right",
    "en passant square without a pawn to capture",
    "invalid move counter",
    "missing slashes between ranks",
    "text after the last field",
];

/// Formats the notes in words, separated by commas.
impl fmt::Display for FenNotes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for (bit, phrase) in PHRASES.iter().enumerate() {
            if self.bits() >> bit & 1 != 0 {
                write!(f, "{separator}{phrase}")?;
                separator = ", ";
            }
        }
        Ok(())
    }
}

/// The reason why a FEN could not be read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FenFault {
    /// The position of the fault in bytes from the start of the FEN.
    pub offset: usize,
    /// The expected content at this position.
    pub expected: &'static str,
}

impl fmt::Display for FenFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FEN byte {}: expected {}", self.offset, self.expected)
    }
}

impl std::error::Error for FenFault {}

impl FenFault {
    /// Converts the fault to an error kind; `fen` is the text that was read.
    pub fn into_kind(self, fen: &[u8]) -> ErrorKind {
        ErrorKind::syntax(self.expected, fen)
    }
}

impl Setup {
    /// Reads a FEN of one to six fields.
    ///
    /// Defaults for missing fields: White to move, castling rights for kings and rooks on their
    /// home squares, no en passant square, counters 0 and 1. Slashes between ranks may be missing.
    /// Castling rights may be written `KQkq`, as in X-FEN, or by the rooks' files (`HAha`). Any
    /// piece may be on any square.
    ///
    /// # Errors
    ///
    /// Returns [`FenFault`] if the placement does not fill 64 squares or a field has invalid
    /// content.
    pub fn from_fen(fen: &[u8]) -> Result<(Setup, FenNotes), FenFault> {
        read::read(fen)
    }

    /// Appends the canonical FEN; the en passant square is written whenever the board has one.
    pub fn write_fen(&self, out: &mut Vec<u8>) {
        write_board(&self.board, self.board.ep_square(), out);
    }

    /// Returns whether [`Setup::write_fen`] writes exactly these bytes. Overwrites `buffer`.
    pub fn is_written_as(&self, fen: &[u8], buffer: &mut Vec<u8>) -> bool {
        buffer.clear();
        self.write_fen(buffer);
        buffer == fen
    }

    /// Appends the canonical FEN; the en passant square is written only if a pawn of the side to
    /// move could capture there, ignoring pins.
    pub fn write_fen_legal_ep(&self, out: &mut Vec<u8>) {
        let ep = self
            .board
            .ep_square()
            .filter(|_| rules::has_ep_capture(&self.board));
        write_board(&self.board, ep, out);
    }
}

/// Parses a FEN like [`Setup::from_fen`], without reporting irregularities.
///
/// ```
/// use chessdb_core::Setup;
///
/// let setup: Setup = "8/8/8/4k3/8/4K3/4P3/8 w - - 0 1".parse()?;
/// assert_eq!(setup.to_string(), "8/8/8/4k3/8/4K3/4P3/8 w - - 0 1");
/// assert!("no position".parse::<Setup>().is_err());
/// # Ok::<(), chessdb_core::fen::FenFault>(())
/// ```
impl FromStr for Setup {
    type Err = FenFault;

    fn from_str(fen: &str) -> Result<Setup, FenFault> {
        Setup::from_fen(fen.as_bytes()).map(|(setup, _)| setup)
    }
}

/// Parses a FEN like [`Setup::from_fen`].
impl FromStr for Board {
    type Err = FenFault;

    fn from_str(fen: &str) -> Result<Board, FenFault> {
        fen.parse::<Setup>().map(|setup| setup.board)
    }
}

/// Formats the position as FEN.
impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fen = Vec::new();
        write_board(self, self.ep_square(), &mut fen);
        f.write_str(&String::from_utf8_lossy(&fen))
    }
}

/// Appends the FEN of a board with this en passant square.
fn write_board(board: &Board, ep: Option<Square>, out: &mut Vec<u8>) {
    for rank in (0..8).rev() {
        let mut gap = 0;
        for file in 0..8 {
            match Square::from_coords(file, rank).and_then(|square| board.piece_at(square)) {
                Some(piece) => {
                    if gap > 0 {
                        out.push(b'0' + gap);
                        gap = 0;
                    }
                    out.push(piece.letter());
                }
                None => gap += 1,
            }
        }
        if gap > 0 {
            out.push(b'0' + gap);
        }
        out.push(if rank > 0 { b'/' } else { b' ' });
    }
    out.push(board.turn().pick(b'w', b'b'));
    out.push(b' ');
    if board.has_castling_rights() {
        for color in Color::ALL {
            for side in Side::ALL {
                if let Some(rook) = board.castling_rook(color, side) {
                    let letter = castling_letter(board, color, side, rook);
                    out.push(color.pick(letter, letter.to_ascii_lowercase()));
                }
            }
        }
    } else {
        out.push(b'-');
    }
    out.push(b' ');
    match ep {
        Some(square) => out.extend_from_slice(&square.to_ascii()),
        None => out.push(b'-'),
    }
    for counter in [board.halfmove_clock(), board.fullmove_number()] {
        out.push(b' ');
        push_number(counter.into(), out);
    }
}

/// Returns the capital letter of a castling right: K or Q unless it would mean another rook. A rook
/// that no letter describes (not on the first rank, or on the wrong side of the king) gets K or Q
/// as well.
fn castling_letter(board: &Board, color: Color, side: Side, rook: Square) -> u8 {
    let plain = match side {
        Side::Short => b'K',
        Side::Long => b'Q',
    };
    let by_file = Square::from_coords(rook.file(), color.rank(0)) == Some(rook)
        && side_of_file(board, color, rook.file()) == side;
    if by_file && outer_rook(board, color, side) != rook {
        b'A' + rook.file()
    } else {
        plain
    }
}

/// Returns the king that castling letters refer to: the one on its first rank, nearest to the
/// a-file.
fn home_king(board: &Board, color: Color) -> Option<Square> {
    (board.pieces(color, PieceType::King) & Bitboard::rank(color.rank(0))).first()
}

/// Returns the castling side for a rook's file.
fn side_of_file(board: &Board, color: Color, file: u8) -> Side {
    let king = home_king(board, color).map_or(4, Square::file);
    if file > king { Side::Short } else { Side::Long }
}

/// Returns the rook meant by K or Q: the outermost on that side of the king on the first rank, or
/// the corner if there is none.
fn outer_rook(board: &Board, color: Color, side: Side) -> Square {
    let rank = color.rank(0);
    let corner = match side {
        Side::Short => Square::new_masked(56 | rank),
        Side::Long => Square::new_masked(rank),
    };
    let Some(king) = home_king(board, color) else {
        return corner;
    };
    let rooks = board.pieces(color, PieceType::Rook) & Bitboard::rank(rank);
    let below = Bitboard((1 << king.index()) - 1);
    match side {
        Side::Short => (rooks & !below).last(),
        Side::Long => (rooks & below).first(),
    }
    .unwrap_or(corner)
}
