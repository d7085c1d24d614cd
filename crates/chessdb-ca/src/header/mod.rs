//! The head of a game: its 38 bytes in `d00` and the names they refer to
//! (docs/formats/chess-assistant.md, sections 4 to 6).

mod read;
mod write;

pub(crate) use read::{ListEntry, Lookup, is_sound, read_header, start_tag};
pub(crate) use write::{HeaderNames, write_header, write_names};

/// The number that no list reaches: read as no name at all (section 13).
pub(crate) const NOBODY: u32 = 0xFF_FFFF;
