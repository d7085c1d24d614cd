//! What the tests of every crate share: fixtures, expected games, random games, damaged bases,
//! golden files, and the checks of the three promises of identity (docs/architecture.md).
//!
//! Only tests use this crate; a panic here *is* a test failing, with a message that says where.

#![forbid(unsafe_code)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "test support: a panic is the test failing, and what did not run is printed"
)]

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
