//! A single test program, so that it is linked once and slow tests run in parallel.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    missing_docs
)]

mod encroissant;
#[cfg(feature = "write")]
mod encroissant_write;
mod file;
mod header_alone;
#[cfg(feature = "jose")]
mod jose;
mod lucaschess;
mod lucaschess_made;
mod made;
mod ocgdb;
mod ocgdb_made;
#[cfg(feature = "write")]
mod odd_games;
#[cfg(feature = "write")]
mod pgn_rows;
mod pickles;
#[cfg(feature = "jose")]
mod salvage;
mod twins;
#[cfg(feature = "write")]
mod write;
