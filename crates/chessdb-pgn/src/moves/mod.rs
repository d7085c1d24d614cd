//! Movetext: tokens to the tape of moves and back.

mod doubt;
mod languages;
mod read;
mod reading;
mod wrap;
mod write;

pub(crate) use languages::{Language, in_set};
pub(crate) use read::MoveReader;
pub(crate) use reading::{Reading, Rules, Unread};
pub(crate) use write::MoveWriter;
