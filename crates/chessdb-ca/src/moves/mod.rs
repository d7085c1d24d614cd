//! Conversion between the codes of a record and a game's moves (docs/formats/chess-assistant.md,
//! sections 9 to 12).
//!
//! In a record a variation comes before the move that it replaces; in the model it follows that
//! move. The reader therefore notes where the variations of the next move begin and returns to them
//! after it. When a variation closes, the writer moves its bytes before the bytes of the move.

mod decode;
mod encode;
mod outline;
mod skim;
mod start;

pub(crate) use decode::{MoveSource, decode};
pub(crate) use encode::{Detail, MoveEncoder};
pub(crate) use skim::skim;
pub(crate) use start::{RecordStart, read_start, storable_start};
