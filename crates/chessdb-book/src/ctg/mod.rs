//! CTG books of ChessBase: pages of positions, and a table that leads to the page of a position
//! (docs/formats/ctg.md).
//!
//! This module has the structures on disk and their parts. [`Book`](crate::Book) reads a book.

mod board;
mod codes;
mod store;
mod table;

pub mod raw;

pub use board::{BoardFault, Orientation, StoredBoard};
pub use codes::moves_of_code;
pub(crate) use store::Ctg;
pub use table::hash;
