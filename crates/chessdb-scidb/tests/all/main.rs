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
mod faults;
mod fixtures;
mod losses;
mod names;
mod notes;
mod odd_games;
mod round_trip;
mod unused_names;
