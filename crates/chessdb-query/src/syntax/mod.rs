//! The words of the query language: tokens, values and errors.

mod error;
mod lexer;
mod values;

pub use error::QueryError;
pub(crate) use lexer::{Item, RawKey, RawTerm, Sign, Token, TokenKind, tokens};
pub(crate) use values::{DateRanges, EcoRanges, Fault, NumberRanges, TextTest, bits, each};
