//! A single test program, so that the slow tests run in parallel.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs
)]

mod cbh;
mod commands;
mod dates;
mod dedupe;
mod diff;
mod differential;
mod evaluations;
mod games;
#[cfg(target_os = "linux")]
mod kill;
mod peers;
#[cfg(target_os = "linux")]
mod power;
mod roundtrip;
mod spellings;
mod starts;
mod texts;
