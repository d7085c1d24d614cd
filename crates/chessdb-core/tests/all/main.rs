//! The integration tests of chessdb-core in one program, so that it is linked once and the slow
//! tests run in parallel.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs
)]

mod arena;
mod board;
mod ca_numbering;
mod cbf_numbering;
mod cbh2_words;
mod cbh_numbering;
mod commands;
mod common;
mod fen;
mod game_tree;
mod guess;
mod interner;
mod jose_numbering;
mod line_read;
mod line_write;
mod mixed;
mod movetext;
mod reading;
mod referee;
mod rules;
mod san;
mod scid_numbering;
mod scid_reading;
mod scid_skim;
mod scidb_numbering;
mod text;
mod values;
