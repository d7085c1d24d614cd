//! Special values of the bytes of the moves (docs/formats/cbf.md, section 7.1).

/// Begins a variation, an alternative to the move before it.
pub const OPEN: u8 = 0xFF;
/// Ends a variation.
pub const CLOSE: u8 = 0x80;
/// The bit set in a move that has a comment.
pub const COMMENTED: u8 = 0x80;
/// The highest number of a move.
pub const LAST: u8 = 127;
/// The highest number of a move with a comment: 127 would be [`OPEN`].
pub const LAST_COMMENTED: u8 = 126;
