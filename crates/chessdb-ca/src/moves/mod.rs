//! The codes of a record ↔ the tape (docs/formats/chess-assistant.md, sections 9 to 12).
//!
//! A variation stands before the move that it replaces; on the tape it follows that move. Reading
//! therefore notes where the variations of the next move begin and comes back to them behind it;
//! writing puts a variation's bytes before those of the move when it closes.

mod decode;
mod encode;
mod outline;
mod skim;
mod start;

pub(crate) use decode::{Source, decode};
pub(crate) use encode::{Detail, MoveEncoder};
pub(crate) use skim::skim;
pub(crate) use start::{Start, read_start, storable_start};
