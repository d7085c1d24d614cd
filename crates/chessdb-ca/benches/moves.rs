//! Benchmarks of reading and writing games.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

#[path = "../../chessdb-testkit/bench/format.rs"]
mod format;

use chessdb_testkit::strategy::GameOptions;

fn main() {
    let reads = &[("read", false)];
    format::measure(&chessdb_ca::CA, GameOptions::for_ca(), reads);
}
