//! The move numbering schemes of old formats: one per file, including quirks, and nothing else
//! about the formats.

pub mod ca;
pub mod cbf;
pub mod cbh;
pub mod cbh2;
pub mod encroissant;
pub mod jose;
pub mod ocgdb;
pub mod scid;
pub mod scidb;

use std::fmt;

use crate::board::{Facts, Played};
use crate::model::Start;
use crate::{Board, Color, ErrorKind, PackedMove, PieceType, Result, Square};

/// The result of a conversion between a move and its bytes.
pub type Coded<T = ()> = std::result::Result<T, MoveFault>;

/// A scheme by which a format encodes moves as bytes.
///
/// The state contains everything the scheme has to remember in addition to the board, such as piece
/// numbers or registers. Variations save and restore it together with the board.
pub trait Numbering {
    /// The state of the scheme.
    type State: Clone + fmt::Debug;

    /// Returns the state at the start position.
    ///
    /// # Errors
    ///
    /// Returns an error if the scheme cannot number the pieces.
    fn start(&self, start: &Start) -> Result<Self::State>;

    /// Decodes the move at the start of `bytes`. Returns the move and its length in bytes (1 or
    /// more).
    fn decode(
        &self,
        state: &Self::State,
        board: &Board,
        bytes: &[u8],
    ) -> Coded<(PackedMove, usize)>;

    /// Returns the from- and to-square of a one-byte move without special effects. If the move is
    /// legal, [`Numbering::decode`] returns the same squares; the position is not checked here.
    #[inline]
    fn squares(&self, _state: &Self::State, _us: Color, _byte: u8) -> Option<(Square, Square)> {
        None
    }

    /// Appends a move's bytes. The move need not be legal, but the scheme must have a code for it.
    fn encode(
        &self,
        state: &Self::State,
        board: &Board,
        mv: PackedMove,
        out: &mut Vec<u8>,
    ) -> Coded;

    /// Like [`Numbering::encode`], but only for a move that decodes to itself. Other moves for
    /// which a scheme has a code, such as castling without the right, would be read as a different
    /// move or as none.
    ///
    /// # Errors
    ///
    /// Returns the reason why the move has no bytes, or why they cannot be decoded; nothing is
    /// appended.
    #[inline]
    fn encode_readable(
        &self,
        state: &Self::State,
        board: &Board,
        mv: PackedMove,
        out: &mut Vec<u8>,
    ) -> Coded {
        let start = out.len();
        self.encode(state, board, mv, out)?;
        let bytes = out.get(start..).unwrap_or_default();
        match self.decode(state, board, bytes) {
            Ok((read, _)) if read == mv => Ok(()),
            read => {
                // Bytes that are read as another move must not stay.
                out.truncate(start);
                Err(read.err().unwrap_or(MoveFault::NoCode))
            }
        }
    }

    /// Returns whether [`Numbering::encode_known`] and [`Numbering::play_known`] work without a
    /// position.
    fn goes_by_facts(&self) -> bool {
        false
    }

    /// Like [`Numbering::encode_readable`], for a legal move or null move of the side `us` in a
    /// game with one king on each side. The facts from the tape replace the position.
    ///
    /// # Errors
    ///
    /// Returns the reason why the move has no bytes.
    #[inline]
    fn encode_known(
        &self,
        _state: &Self::State,
        _us: Color,
        _mv: PackedMove,
        _facts: Facts,
        _out: &mut Vec<u8>,
    ) -> Coded {
        Err(MoveFault::NoCode)
    }

    /// Like [`Numbering::play`], for a move as in [`Numbering::encode_known`], before the turn
    /// passes. `start` is the position at the start of the game, except for the side to move
    /// ([`Played::by_facts`]).
    #[inline]
    fn play_known(&self, _state: &mut Self::State, _start: &Board, _mv: PackedMove, _facts: Facts) {
    }

    /// Combines [`Numbering::encode_known`] and [`Numbering::play_known`].
    ///
    /// # Errors
    ///
    /// Returns the reason why the move has no bytes; nothing is changed.
    #[inline]
    fn write_known(
        &self,
        state: &mut Self::State,
        start: &Board,
        mv: PackedMove,
        facts: Facts,
        out: &mut Vec<u8>,
    ) -> Coded {
        self.encode_known(state, start.turn(), mv, facts, out)?;
        self.play_known(state, start, mv, facts);
        Ok(())
    }

    /// Updates the state with a move that led to the board `after`.
    fn play(&self, state: &mut Self::State, after: &Board, mv: PackedMove, played: &Played);

    /// Returns whether [`Numbering::returned`] has any effect.
    fn forgets(&self) -> bool {
        false
    }

    /// Called when a variation ends. `restored` is a state of the line that continues, `variation`
    /// the state at the end of the variation. `replayed` is true if the last move of `restored` was
    /// taken back for the variation and played again.
    ///
    /// Needed only by schemes of programs that lose information on the way back.
    #[inline]
    fn returned(&self, _restored: &mut Self::State, _variation: &Self::State, _replayed: bool) {}
}

/// The reason why bytes are not a move, or why a move has no bytes. Small, for hot loops; it
/// becomes an [`crate::Error`] where file and game are known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum MoveFault {
    /// The bytes end within the move.
    Truncated,
    /// A piece number without a piece.
    NoSuchPiece {
        /// The number.
        number: u8,
        /// The number of pieces of the side.
        pieces: u8,
    },
    /// A move number beyond the end of the list.
    NoSuchMove {
        /// The number.
        ordinal: u16,
        /// The number of moves in the list.
        available: u16,
    },
    /// A code that this type of piece does not use, or that leads off the board.
    BadCode {
        /// The type of piece.
        piece: PieceType,
        /// The code.
        code: u8,
    },
    /// A code without a meaning in the scheme.
    UnknownCode {
        /// The code.
        code: u8,
    },
    /// Castling without the right, the rook, or a free path.
    NoCastling,
    /// The move captures a king.
    TakesKing,
    /// The scheme has no code for this move.
    NoCode,
    /// The piece that moves has a number for which the scheme has no code.
    Unnumbered {
        /// The type of piece.
        piece: PieceType,
        /// Its number among the pieces of its type, from 0.
        slot: u8,
    },
}

impl MoveFault {
    /// Converts the fault to an error kind; `bytes` are the bytes of the move.
    pub fn into_kind(self, bytes: &[u8]) -> ErrorKind {
        let why = match self {
            MoveFault::NoSuchMove { ordinal, available } => {
                return ErrorKind::NoSuchMove {
                    ordinal: ordinal.into(),
                    available: available.into(),
                };
            }
            MoveFault::Truncated => "the data end in the middle of the move",
            MoveFault::NoSuchPiece { .. } => "no piece of the side to move has this number",
            MoveFault::BadCode { .. } => "the piece has no such move in this position",
            MoveFault::UnknownCode { .. } => "the code has no known meaning",
            MoveFault::NoCastling => "castling is not possible in this position",
            MoveFault::TakesKing => "the move captures a king",
            MoveFault::NoCode => "the format has no code for this move",
            MoveFault::Unnumbered { .. } => "the format has no number for this piece",
        };
        let hex: String = bytes
            .iter()
            .take(4)
            .map(|byte| format!("{byte:02x}"))
            .collect();
        ErrorKind::BadMove {
            found: format!("byte {hex}").into(),
            why,
        }
    }
}

impl fmt::Display for MoveFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MoveFault::Truncated => f.write_str("the data end in the middle of the move"),
            MoveFault::NoSuchPiece { number, pieces } => {
                write!(f, "piece number {number}, but the side has {pieces}")
            }
            MoveFault::NoSuchMove { ordinal, available } => {
                write!(
                    f,
                    "there is no move number {ordinal}; the position has {available} moves"
                )
            }
            MoveFault::BadCode { piece, code } => write!(f, "code {code} of a {piece:?}"),
            MoveFault::UnknownCode { code } => write!(f, "code {code}, which has no known meaning"),
            MoveFault::NoCastling => f.write_str("castling is not possible in this position"),
            MoveFault::TakesKing => f.write_str("the move captures a king"),
            MoveFault::NoCode => f.write_str("the format has no code for the move"),
            MoveFault::Unnumbered { piece, slot } => write!(
                f,
                "the format has no code for {piece:?} number {} of its side",
                u32::from(*slot) + 1
            ),
        }
    }
}

/// A scheme without codes, for walks that need only a board.
#[derive(Clone, Copy, Default, Debug)]
pub struct PlainNumbering;

impl Numbering for PlainNumbering {
    type State = ();

    fn start(&self, _: &Start) -> Result<()> {
        Ok(())
    }

    fn decode(&self, (): &(), _: &Board, _: &[u8]) -> Coded<(PackedMove, usize)> {
        Err(MoveFault::NoCode)
    }

    fn encode(&self, (): &(), _: &Board, _: PackedMove, _: &mut Vec<u8>) -> Coded {
        Err(MoveFault::NoCode)
    }

    fn play(&self, (): &mut (), _: &Board, _: PackedMove, _: &Played) {}

    fn goes_by_facts(&self) -> bool {
        true
    }
}
