//! Checks of the identity promises (docs/architecture.md, section 5) across all formats.
//!
//! [`matrix`] converts the contents of every format into every other format and back, and compares
//! the announced losses with the actual differences. [`bases`] reports for each database whether
//! the three promises hold. [`data`] makes the tables in docs/data. Everything iterates over
//! [`chessdb::FORMATS`], so a new format is covered as soon as it is listed there.

#![forbid(unsafe_code)]
#![allow(
    clippy::panic,
    clippy::print_stdout,
    reason = "test support: a panic is a failed check, and skipped tests are printed"
)]

pub mod bases;
pub mod chains;
pub mod data;
pub mod hop;
pub mod made;
pub mod matrix;
pub mod peer;
pub mod questions;
pub mod spellings;
