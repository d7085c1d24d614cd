//! Conversion between index entries and the headers of games (docs/formats/dcx.md, sections 6, 11,
//! 14).

mod read;
mod write;

use chessdb_core::Outcome;

pub(crate) use read::{read_fen, read_header};
pub(crate) use write::write_header;

/// Results in the order of their codes.
const RESULTS: [Outcome; 4] = [
    Outcome::Unknown,
    Outcome::WhiteWins,
    Outcome::BlackWins,
    Outcome::Draw,
];
