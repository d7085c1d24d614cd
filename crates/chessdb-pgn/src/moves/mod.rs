//! Decoding and encoding of movetext.

mod ambiguity;
mod boards;
mod decode;
mod encode;
mod languages;
mod reading;
mod wrap;

pub(crate) use decode::MoveDecoder;
pub(crate) use encode::MoveEncoder;
pub(crate) use languages::{Language, in_set};
pub(crate) use reading::{Reading, Rules, Unread};
