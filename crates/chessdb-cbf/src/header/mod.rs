//! The head of a game: header, two texts and start position of its record
//! (docs/formats/cbf.md, sections 5, 6 and 9).

mod changed;
mod names;
mod others;
mod players;
mod read;
mod short;
mod source;
mod write;

pub(crate) use read::read_header;
pub(crate) use write::HeaderWriter;

/// Elo is 1600 and five times the byte, which is not 0.
const ELO_BASE: u16 = 1600;
const ELO_STEP: u16 = 5;

/// What the first and the last year are.
const FIRST_YEAR: u16 = 1772;
const LAST_YEAR: u16 = 2026;

/// The result byte of a game without a result.
const NO_RESULT: u8 = 3;
/// What CBASCII 1.3c writes instead (section 5.1).
const ODD_NO_RESULT: u8 = 16;
