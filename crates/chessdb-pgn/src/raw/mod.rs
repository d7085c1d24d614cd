//! PGN as bytes: tokens, tag pairs, and where one game ends and the next begins.
//!
//! Nothing here knows a rule of chess. [`Lexer`] cuts any bytes into tokens whose spans, one after
//! the other, give the bytes back; [`Splitter`] finds only the ends of games, much faster, also in
//! a stream of which no more than a window is in memory. Both follow the same grammar
//! (docs/formats/pgn.md, section 2), and tests hold one against the other.

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
pub use splitter::{Splitter, Step};
pub use tags::{TagPair, escape_into, is_tag_name};

pub(crate) use ending::{Ending, tagged_result};
pub(crate) use quotes::OTHER_QUOTES;
pub(crate) use scan::{after_blank_line, is_blank, is_harmless, is_start_tag, result_at};
pub(crate) use section::hide_tags;
pub(crate) use signs::{blank_length, dash_length};
