//! Moves and annotations of a game (docs/formats/cbh.md, sections 6 to 8).
//!
//! The stream contains each line as a whole, followed by the alternatives to its moves, the last
//! first. In PGN and on the tape, an alternative follows the move that it replaces. Moves are
//! therefore read into a list first and then written to the tape. Annotations number the moves as
//! the stream does.

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
