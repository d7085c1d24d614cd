//! One test program, so that it is linked once and slow tests run in parallel.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs
)]

mod books;
mod change;
mod common;
mod fixtures;
mod hostile;
mod lost_index;
mod made;
mod round_trip;
mod seed;
