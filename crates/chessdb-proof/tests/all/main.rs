//! One program, so that the slow tests run beside each other.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs
)]

mod cbh;
mod dedupe;
mod diff;
mod games;
#[cfg(target_os = "linux")]
mod kill;
mod peers;
mod roundtrip;
mod spellings;
mod texts;
