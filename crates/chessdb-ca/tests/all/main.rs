//! A single test program, so that it is linked once and slow tests run in parallel.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs
)]

mod changes;
mod common;
mod damaged;
mod fixtures;
mod guesses;
mod made;
mod map;
mod page;
mod round_trip;
mod seed;
mod side_files;
mod tolerant;
