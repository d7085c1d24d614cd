//! Between a record of the index, with the tables that it names, and the head of a game.

mod fields;
mod nations;
mod read;
mod tags;
mod write;

pub(crate) use fields::Details;
pub(crate) use read::{CHESS960, Sources, read_header};
pub(crate) use write::{HeaderWriter, LOSING_CHESS, Wanted};
