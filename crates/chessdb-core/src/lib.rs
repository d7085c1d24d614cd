//! The common model of chess databases.

#![forbid(unsafe_code)]

mod bitboard;
mod moves;
mod piece;
mod square;

pub use bitboard::Bitboard;
pub use moves::{MoveKind, PackedMove};
pub use piece::{Color, Piece, PieceType};
pub use square::Square;
