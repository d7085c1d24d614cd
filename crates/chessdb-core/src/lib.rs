//! The common model of chess databases.

#![forbid(unsafe_code)]

mod bitboard;
pub mod commands;
mod moves;
mod piece;
mod square;
pub mod text;

pub use bitboard::Bitboard;
pub use moves::{MoveKind, PackedMove};
pub use piece::{Color, Piece, PieceType};
pub use square::Square;
pub use text::{Charset, Text, TextId, Texts};
