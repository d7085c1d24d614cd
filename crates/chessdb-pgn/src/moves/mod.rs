//! Movetext: tokens to the tape of moves and back.

mod page;
mod read;
mod write;

pub(crate) use read::MoveReader;
pub(crate) use write::MoveWriter;
