#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod addresses;
pub mod advice;
mod annotated_moves;
mod annotations;
mod book_test;
mod candidate;
mod castling;
pub mod cleaning;
mod compared;
mod compared_headers;
pub mod duplicates;
pub mod endings;
mod evidence;
mod expr;
mod fold;
mod headers;
mod judgement;
pub mod language;
#[cfg(any(test, target_family = "wasm"))]
mod latin;
mod moves;
mod name_spellings;
pub mod names;
mod natural;
mod near_names;
pub mod novelty;
mod opening_test;
pub mod openings;
pub mod order;
mod person;
mod position;
mod prefilter;
pub mod preparation;
mod promotions;
mod query;
mod regular_expression;
pub mod repertoire;
mod sacrifices;
pub mod sample;
pub mod search;
mod similar_names;
mod spelling;
pub mod stats;
mod syntax;
mod tally;
pub mod time_class;
mod time_control;
mod transliteration;
pub mod tree;
mod words;

pub use book_test::{BookMoves, BookOpener};
/// Re-exported so that a program needs only one dependency.
pub use chessdb_core;
pub use language::parse::QueryOptions;
pub use query::{Needs, Query};
pub use syntax::QueryError;
