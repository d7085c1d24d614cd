//! How old formats number moves. One scheme per file, quirks included; nothing else of a format
//! belongs here.

pub mod ca;
pub mod cbf;
pub mod cbh;
pub mod jose;
pub mod scid;

use std::fmt;

use crate::model::Start;
use crate::{Board, Color, ErrorKind, Facts, PackedMove, PieceType, Played, Result, Square};

/// A scheme by which a format turns moves into bytes.
///
/// The state is whatever the scheme has to remember beside the board (piece numbers, registers);
/// variations save and restore it together with the board.
pub trait Numbering {
    /// What has to be remembered.
    type State: Clone + fmt::Debug;

    /// The state at the start position; an error if the scheme cannot number its pieces.
    fn start(&self, start: &Start) -> Result<Self::State>;

    /// The move at the start of `bytes`, and how many bytes it takes (1 or more).
    fn decode(
        &self,
        state: &Self::State,
        board: &Board,
        bytes: &[u8],
    ) -> std::result::Result<(PackedMove, usize), MoveFault>;

    /// From where to where the move of one byte goes, if it is one that does nothing else: were it legal,
    /// [`Numbering::decode`] would say the same. The position is not asked.
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
    ) -> std::result::Result<(), MoveFault>;

    /// The same, but only for a move that is read as itself again: whatever else a scheme has a code
    /// for, such as castling without the right, its programs take for another move or for none.
    ///
    /// # Errors
    ///
    /// Why it has no bytes, or why these cannot be read; then nothing is appended.
    #[inline]
    fn encode_readable(
        &self,
        state: &Self::State,
        board: &Board,
        mv: PackedMove,
        out: &mut Vec<u8>,
    ) -> std::result::Result<(), MoveFault> {
        let start = out.len();
        self.encode(state, board, mv, out)?;
        let bytes = out.get(start..).unwrap_or_default();
        match self.decode(state, board, bytes) {
            Ok((read, _)) if read == mv => Ok(()),
            read => {
                out.truncate(start);
                Err(read.err().unwrap_or(MoveFault::NoCode))
            }
        }
    }

    /// Whether [`Numbering::encode_known`] and [`Numbering::play_known`] do without a position.
    fn goes_by_facts(&self) -> bool {
        false
    }

    /// The same as [`Numbering::encode_readable`] of a legal or a null move of the side `us`, in a game
    /// with one king on each side: what the tape knows of the move stands for the position.
    ///
    /// # Errors
    ///
    /// Why it has no bytes.
    #[inline]
    fn encode_known(
        &self,
        _state: &Self::State,
        _us: Color,
        _mv: PackedMove,
        _facts: Facts,
        _out: &mut Vec<u8>,
    ) -> std::result::Result<(), MoveFault> {
        Err(MoveFault::NoCode)
    }

    /// The same as [`Numbering::play`] of such a move, before the turn passes. `start` is the position at
    /// the start of the game, but for whose turn it is ([`Played::by_facts`]).
    #[inline]
    fn play_known(&self, _state: &mut Self::State, _start: &Board, _mv: PackedMove, _facts: Facts) {
    }

    /// Both of these, one after the other.
    ///
    /// # Errors
    ///
    /// Why the move has no bytes; then nothing has happened.
    #[inline]
    fn write_known(
        &self,
        state: &mut Self::State,
        start: &Board,
        mv: PackedMove,
        facts: Facts,
        out: &mut Vec<u8>,
    ) -> std::result::Result<(), MoveFault> {
        self.encode_known(state, start.turn(), mv, facts, out)?;
        self.play_known(state, start, mv, facts);
        Ok(())
    }

    /// Keeps the state in step with a move that led to the board `after`.
    fn play(&self, state: &mut Self::State, after: &Board, mv: PackedMove, played: &Played);

    /// Whether [`Numbering::returned`] does anything.
    fn forgets(&self) -> bool {
        false
    }

    /// Told when a variation ends: `restored` is a state of the line that goes on, `left` that at
    /// the end of the variation. `replayed` says whether the last move of `restored` was taken back
    /// for the variation and played again. Only a scheme whose program forgets something on the way
    /// back needs it.
    #[inline]
    fn returned(&self, _restored: &mut Self::State, _left: &Self::State, _replayed: bool) {}
}

/// Why bytes are no move, or a move has no bytes; small, for hot loops. It becomes an
/// [`crate::Error`] once, where file and game are known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum MoveFault {
    /// The bytes end within the move.
    Truncated,
    /// A piece number that no piece has.
    NoSuchPiece {
        /// The number.
        number: u8,
        /// How many pieces the side has.
        pieces: u8,
    },
    /// A move number beyond the list.
    NoSuchMove {
        /// The number.
        ordinal: u16,
        /// How many moves the list has.
        available: u16,
    },
    /// A code that this kind of piece does not use, or that leaves the board.
    BadCode {
        /// The kind of piece.
        piece: PieceType,
        /// The code.
        code: u8,
    },
    /// A code to which the scheme gives no meaning.
    UnknownCode {
        /// The code.
        code: u8,
    },
    /// Castling without the right, the rook, or a free path.
    NoCastling,
    /// The move takes a king.
    TakesKing,
    /// The scheme has no code for this move.
    NoCode,
    /// The piece that moves has a number for which the scheme has no code.
    Unnumbered {
        /// The kind of piece.
        piece: PieceType,
        /// Its number among its kind, from 0.
        slot: u8,
    },
}

impl MoveFault {
    /// The same as an error kind; `bytes` are those of the move.
    pub fn into_kind(self, bytes: &[u8]) -> ErrorKind {
        let why = match self {
            MoveFault::NoSuchMove { ordinal, available } => {
                return ErrorKind::NoSuchMove {
                    ordinal: ordinal.into(),
                    available: available.into(),
                };
            }
            MoveFault::Truncated => "the data end within the move",
            MoveFault::NoSuchPiece { .. } => "no piece of the side to move has this number",
            MoveFault::BadCode { .. } => "this piece has no such move here",
            MoveFault::UnknownCode { .. } => "the code has no known meaning",
            MoveFault::NoCastling => "castling is not possible here",
            MoveFault::TakesKing => "it takes a king",
            MoveFault::NoCode => "the format has no code for it",
            MoveFault::Unnumbered { .. } => "the format has no number for this piece",
        };
        let found: String = bytes
            .iter()
            .take(4)
            .map(|byte| format!("{byte:02x}"))
            .collect();
        ErrorKind::BadMove {
            found: format!("byte {found}").into(),
            why,
        }
    }
}

impl fmt::Display for MoveFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MoveFault::Truncated => f.write_str("the data end within the move"),
            MoveFault::NoSuchPiece { number, pieces } => {
                write!(f, "piece number {number}, but the side has {pieces}")
            }
            MoveFault::NoSuchMove { ordinal, available } => {
                write!(
                    f,
                    "move number {ordinal}, but the position has {available} moves"
                )
            }
            MoveFault::BadCode { piece, code } => write!(f, "code {code} of a {piece:?}"),
            MoveFault::UnknownCode { code } => write!(f, "code {code}, which has no known meaning"),
            MoveFault::NoCastling => f.write_str("castling is not possible here"),
            MoveFault::TakesKing => f.write_str("the move takes a king"),
            MoveFault::NoCode => f.write_str("the format has no code for the move"),
            MoveFault::Unnumbered { piece, slot } => write!(
                f,
                "{piece:?} number {} of its side, for which the format has no code",
                u32::from(*slot) + 1
            ),
        }
    }
}

/// No numbering at all: for walking with a board only.
#[derive(Clone, Copy, Default, Debug)]
pub struct PlainNumbering;

impl Numbering for PlainNumbering {
    type State = ();

    fn start(&self, _: &Start) -> Result<()> {
        Ok(())
    }

    fn decode(
        &self,
        (): &(),
        _: &Board,
        _: &[u8],
    ) -> std::result::Result<(PackedMove, usize), MoveFault> {
        Err(MoveFault::NoCode)
    }

    fn encode(
        &self,
        (): &(),
        _: &Board,
        _: PackedMove,
        _: &mut Vec<u8>,
    ) -> std::result::Result<(), MoveFault> {
        Err(MoveFault::NoCode)
    }

    fn play(&self, (): &mut (), _: &Board, _: PackedMove, _: &Played) {}

    fn goes_by_facts(&self) -> bool {
        true
    }
}
