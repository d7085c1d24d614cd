//! The header of a game: its 38 bytes in `d00` and the names they refer to
//! (docs/formats/chess-assistant.md, sections 4 to 6).

mod read;
mod write;

pub(crate) use read::{ListEntry, NameLookup, is_complete, read_header, start_tag};
pub(crate) use write::{HeaderNames, write_header, write_names};

/// A number beyond the end of every list; it is read as no name (section 13).
pub(crate) const NO_NAME: u32 = 0xFF_FFFF;
