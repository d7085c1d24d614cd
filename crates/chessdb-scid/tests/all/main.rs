//! All tests in one program, so that it is linked once and slow tests run in parallel.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs
)]

mod charsets;
mod common;
mod examples;
mod genuine;
mod hostile;
mod limits;
mod older_bases;
mod order;
mod round_trip;
mod seed;
mod translate;
mod twins;
