//! Decoding and encoding of the moves of a game record (docs/formats/scid.md, sections 4.3, 4.4 and
//! 5).

mod decode;
mod encode;
mod lines;
mod order;
mod pool;
mod skim;

pub(crate) use decode::{Decoded, decode};
pub(crate) use encode::MoveEncoder;
pub(crate) use pool::EncoderPool;
pub(crate) use skim::{show_plain, skim};
