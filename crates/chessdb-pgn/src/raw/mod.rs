//! PGN as bytes: tokens, tag pairs, and the borders between games.
//!
//! This level knows no rules of chess. [`Lexer`] splits any bytes into tokens with spans that,
//! concatenated, are the input. [`Splitter`] finds only the ends of games, much faster, and also in
//! a stream with only a window in memory. Both follow the same grammar (docs/formats/pgn.md,
//! section 2), and tests compare them.

mod ending;
mod glyphs;
mod lexer;
mod list;
mod plain;
mod quotes;
mod scan;
mod section;
mod signs;
mod splitter;
mod start;
mod tags;

pub use glyphs::{glyph_nag, nag_glyph};
pub use lexer::{Lexer, Token, TokenKind};
pub use section::is_board;
pub use splitter::{Splitter, Step};
pub use tags::{EscapeChanges, TagPair, append_tag_name, escape_into, is_tag_name, tag_section};

pub(crate) use ending::{Ending, tagged_result};
pub(crate) use quotes::OTHER_QUOTES;
pub(crate) use scan::{after_blank_line, is_blank, is_harmless, is_start_tag, result_at};
pub(crate) use section::{hide_tags, is_section_tag};
pub(crate) use signs::{blank_length, dash_length};
