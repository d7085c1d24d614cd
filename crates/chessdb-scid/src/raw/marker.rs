//! The marker bytes among the moves (docs/formats/scid.md, section 4.3).

/// A NAG; its number follows.
pub const NAG: u8 = 11;
/// A comment belongs here; its text is stored after the moves.
pub const COMMENT: u8 = 12;
/// A variation begins.
pub const OPEN: u8 = 13;
/// A variation ends.
pub const CLOSE: u8 = 14;
/// The game ends.
pub const END: u8 = 15;
