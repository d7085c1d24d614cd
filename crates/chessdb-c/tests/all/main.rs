//! Tests of the C interface: the header, the exported symbols, and a program in C.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    missing_docs
)]

mod header;
mod programs;
mod symbols;

use std::path::{Path, PathBuf};

/// Returns a file of this crate.
fn of_crate(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// Returns a file of the repository.
fn of_repository(name: &str) -> PathBuf {
    of_crate("../..").join(name)
}

/// Returns the folder with the libraries that cargo built with this test.
fn libraries() -> PathBuf {
    let program = std::env::current_exe().unwrap();
    program.parent().unwrap().to_owned()
}
