//! All tests in one program, so that it is linked once and slow tests run in parallel.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod advice;
mod byes;
mod clocks;
mod compared;
mod duplicates;
mod joined_names;
mod language;
mod positions;
mod preparation;
mod questions;
mod questions_by_count;
mod readings;
mod stats;
mod tie_breaks;
mod traces;
mod typed;
