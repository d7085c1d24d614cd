//! One test program, so that it is linked once and slow tests run in parallel.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs
)]

mod archive;
mod cbh2;
mod common;
mod fields;
mod fixtures;
mod genuine;
mod hostile;
mod round_trip;
mod salvage;
