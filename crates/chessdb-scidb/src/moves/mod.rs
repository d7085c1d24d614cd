//! The moves of a record and the tape (docs/formats/scidb.md, sections 5 to 8).

mod decode;
mod encode;
mod line_notes;
mod order;
mod search_fields;
mod shapes;
mod times;

pub(crate) use decode::{Decoded, decode};
pub(crate) use encode::MoveEncoder;
pub(crate) use search_fields::stated_plies;
