//! A single test program, so that it is linked once and slow tests run in parallel.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs
)]

mod append;
mod change;
mod common;
mod crafted;
mod fixtures;
mod hostile;
mod layouts;
mod promotions;
mod rewrite;
mod round_trip;
mod seed;
