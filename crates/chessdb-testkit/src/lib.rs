//! Shared test support of all crates: fixtures, expected games, random games, damaged databases,
//! golden files, and the checks of the three promises of identity (docs/architecture.md).
//!
//! Only tests use this crate; a panic here *is* a test failure, with a message that states the
//! place.

#![forbid(unsafe_code)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "test support: a panic is a test failure, and tests that did not run are printed"
)]

pub mod cbh2;
pub mod changes;
pub mod corrupt;
pub mod expected;
pub mod facts;
pub mod fixtures;
pub mod fuzz;
pub mod golden;
pub mod identity;
pub mod judge;
pub mod readings;
pub mod rng;
pub mod strategy;
pub mod time;
pub mod tree;
