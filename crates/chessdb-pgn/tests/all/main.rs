//! All tests in one program, so that it is linked once and slow tests run in parallel.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs
)]

mod any_bytes;
mod borders;
mod common;
mod fixtures;
mod game_offsets;
mod growth;
mod movetext;
mod pgn_reader;
mod repeated_tags;
mod round_trip;
mod spellings;
mod values;
mod zoo;
