//! The bytes of the five files as structs, exact in both directions.
//!
//! Every struct has `parse` and `to_bytes` (or `write`) side by side, and what it does not
//! understand it holds: odd magic bytes, odd forms of lengths, bytes behind the last entry or
//! record, bytes that no entry refers to. So [`Base::parse`] followed by [`Base::to_bytes`] gives
//! back the files of every base that can be parsed at all.
//!
//! This level knows nothing of chess: no board is needed to divide a game into [`Token`]s.

mod base;
mod detect;
pub mod edit;
mod entry;
mod file_header;
mod games;
mod index;
mod layout;
mod length;
mod magic;
mod names;
mod places;
mod record;
mod tokens;

pub use base::Base;
pub use detect::{Detected, FileSizes};
pub use entry::{Entry, Version1};
pub use file_header::FileHeader;
pub use games::{GameFile, Segment};
pub use index::Index;
pub use layout::{EntrySize, HeaderSize, Layout};
pub use length::{Length, LengthForm};
pub use magic::{FileKind, Magic, MagicFault};
pub use names::NameFile;
pub(crate) use places::Places;
pub use record::{Record, RecordFault, StartField};
pub(crate) use tokens::{CLOSE, COMMENT, NAGS, NULL, OPEN, OPEN_ALIAS, promotion_code};
pub use tokens::{MoveWord, Token, TokenFault, TokenFaultKind, Tokens};

/// The entry of section 10.1.
#[cfg(test)]
const EXAMPLE_ENTRY: [u8; 39] = hex_literal::hex!(
    "00 00 00 00 00 00 00 00 0a 00 00 00 0a 00 00 00 2e 00 03 00 00 00 0a 00 00 00 0a"
    "05 dc 07 d5 02 41 30 30 07 e1 01 0e"
);
