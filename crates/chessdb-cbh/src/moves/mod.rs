//! Moves and annotations of a game (docs/formats/cbh.md, sections 6 to 8).
//!
//! The stream contains each line as a whole, followed by the alternatives to its moves, the last
//! first. In PGN and on the tape, an alternative follows the move that it replaces. Moves are
//! therefore read into a list first and then written to the tape. Annotations number the moves as
//! the stream does.

mod annotation_builder;
mod codes;
mod encode;
mod pending_remarks;
mod read_annotations;
mod read_lines;
mod tape;

pub(crate) use encode::MoveEncoder;
pub(crate) use read_annotations::{GameAnnotations, StoredNote};
pub(crate) use read_lines::{CbhStream, StoredLine, StoredLines, full_moves, read_lines};
pub(crate) use tape::{decode, replacing};
