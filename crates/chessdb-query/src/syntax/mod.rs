//! The words of the query language: tokens, values and errors.

mod dates;
mod eco;
mod error;
mod lexer;
mod position_text;
mod text;
mod values;

pub(crate) use dates::DateRanges;
pub(crate) use eco::EcoRanges;
pub use error::QueryError;
pub(crate) use lexer::{Form, Item, RawKey, RawTerm, Sign, Token, TokenKind, tokens};
pub(crate) use position_text::{fen_of, is_position};
pub(crate) use text::TextTest;
pub(crate) use values::{Fault, NumberRanges, bits, each, is_comparable, nearest};
