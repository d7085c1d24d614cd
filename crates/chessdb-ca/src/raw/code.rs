//! The codes from 230 on. Lower codes are moves and belong to [`chessdb_core::legacy::ca`].

/// A start position; 76 bytes follow.
pub const START: u8 = 230;
/// A variation begins.
pub const OPEN: u8 = 231;
/// A variation ends.
pub const CLOSE: u8 = 232;
/// Unknown; one byte follows.
pub const UNKNOWN: u8 = 233;
/// A comment of two bytes.
pub const SYMBOL: u8 = 234;
/// A comment with a length of one byte.
pub const SHORT_COMMENT: u8 = 235;
/// A comment with a length of four bytes.
pub const LONG_COMMENT: u8 = 236;
