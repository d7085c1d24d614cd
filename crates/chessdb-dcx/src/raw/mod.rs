//! The bytes of the five files as structs, exact in both directions.
//!
//! Every struct has `parse` and `to_bytes` (or `write`) and keeps what it does not understand:
//! irregular magic bytes, irregular forms of lengths, bytes after the last entry or record,
//! unreferenced bytes. So [`Base::parse`] followed by [`Base::to_bytes`] returns the original files
//! of every database that can be parsed at all.
//!
//! This level does not know chess: dividing a game into [`Token`]s needs no board.

mod base;
mod detect;
mod entry;
mod file_header;
mod game_offsets;
mod games;
mod index;
mod layout;
mod length;
mod magic;
mod names;
mod record;
mod tokens;

pub use base::Base;
pub use detect::{Detected, FileSizes};
pub use entry::Entry;
pub use file_header::FileHeader;
pub(crate) use game_offsets::GameOffsets;
pub use games::{GameFile, Segment};
pub use index::Index;
pub use layout::{EntrySize, HeaderSize, Layout};
pub use length::{Length, LengthForm};
pub use magic::{FileKind, Magic, MagicFault};
pub use names::NameFile;
pub use record::{Record, RecordFault, StartField};
pub(crate) use tokens::{CLOSE, COMMENT, NAGS, NULL, OPEN, OPEN_ALIAS, promotion_code};
pub use tokens::{MoveWord, Token, TokenFault, TokenFaultKind, Tokens};

/// The entry of section 10.1.
#[cfg(test)]
const EXAMPLE_ENTRY: [u8; 39] = hex_literal::hex!(
    "00 00 00 00 00 00 00 00 0a 00 00 00 0a 00 00 00 2e 00 03 00 00 00 0a 00 00 00 0a"
    "05 dc 07 d5 02 41 30 30 07 e1 01 0e"
);
