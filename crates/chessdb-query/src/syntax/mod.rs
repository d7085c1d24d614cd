//! The words of the query language: tokens, values and errors.

mod dates;
mod eco;
mod error;
mod keys;
mod lexer;
mod move_words;
mod position_text;
mod text;
mod values;

pub(crate) use dates::DateRanges;
pub(crate) use eco::{EcoRanges, is_eco};
pub use error::QueryError;
pub use keys::{KEYS, Key};
pub(crate) use keys::{is_name_key, known_key};
pub(crate) use lexer::{Form, Item, RawKey, RawTerm, Sign, Token, TokenKind, tokens};
pub(crate) use move_words::begins_line;
pub use move_words::continues_line;
pub(crate) use position_text::{fen_of, is_position};
pub(crate) use text::TextTest;
pub(crate) use values::{
    Bounds, Fault, NumberRanges, bits, each, is_comparable, is_decimal, nearest, sign_at,
};
