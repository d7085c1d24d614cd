//! Moves and annotations of a game (docs/formats/cbh.md, sections 6 to 8).
//!
//! The stream has each line whole, and behind it the alternatives to its moves, the last first; PGN
//! and the tape have an alternative behind the move that it replaces. So moves are read into a list
//! first, and put on the tape from there. Annotations count moves as the stream does.

mod annotate;
mod codes;
mod encode;
mod notes;
mod read;
mod remarks;
mod tape;

pub(crate) use annotate::Notes;
pub(crate) use encode::MoveEncoder;
pub(crate) use read::{Stream, full_moves, read_lines};
pub(crate) use tape::decode;
