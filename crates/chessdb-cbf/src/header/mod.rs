//! The header of a game: the raw header, the two texts and the start position of its record
//! (docs/formats/cbf.md, sections 5, 6 and 9).

mod changed_names;
mod names;
mod players;
mod read;
mod short_text;
mod source;
mod unstored;
mod write;

pub(crate) use read::read_header;
pub(crate) use write::HeaderWriter;

/// An Elo byte other than 0 means 1600 plus five times the byte.
const ELO_BASE: u16 = 1600;
const ELO_STEP: u16 = 5;

/// The range of years that the format can represent.
const FIRST_YEAR: u16 = 1772;
const LAST_YEAR: u16 = 2026;

/// The result byte of a game without a result.
const NO_RESULT: u8 = 3;
/// The result byte that CBASCII 1.3c writes instead (section 5.1).
const ODD_NO_RESULT: u8 = 16;
