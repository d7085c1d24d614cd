//! Conversion between an index record, with the tables it refers to, and the header of a game.

mod fields;
mod nations;
mod read;
mod tags;
mod write;

pub(crate) use fields::NewTournamentDetails;
pub(crate) use read::{CHESS960, HeaderSources, read_header};
pub(crate) use write::{HeaderWriter, LOSING_CHESS, NameRecords};
