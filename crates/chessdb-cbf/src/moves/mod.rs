//! Conversion between the moves of a record and the tape (docs/formats/cbf.md, sections 7 and 8).

mod comment_builder;
mod decode;
mod encode;
mod skim;

pub(crate) use decode::{CbfStream, decode};
pub(crate) use encode::MoveEncoder;
pub(crate) use skim::skim;

/// Returns the number of full moves of the mainline, as in byte 12 of the header but not yet
/// limited to 255.
pub(crate) fn full_moves(plies: u32, black_first: bool) -> u32 {
    (plies + u32::from(black_first)).div_ceil(2)
}

/// Returns whether byte 12 of a header is this number of moves: programs store its lowest eight
/// bits, or 255 for a greater number (docs/formats/cbf.md, section 5).
pub(crate) fn is_count_of(stored: u8, moves: u32) -> bool {
    u32::from(stored) == moves.min(255) || stored == moves as u8
}
