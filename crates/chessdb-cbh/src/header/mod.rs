//! Conversion between an index record, with the tables it refers to, and the header of a game.

mod fields;
pub(crate) mod nations;
mod read;
pub(crate) mod tags;
mod write;

pub(crate) use fields::NewTournamentDetails;
pub(crate) use read::{
    CHESS960, COMPLETE_SHIFT, FIDE, HeaderSources, date, kind_of_list, read_eco, read_header,
    read_result, read_round,
};
pub(crate) use write::{HeaderWriter, LOSING_CHESS, NameRecords};
