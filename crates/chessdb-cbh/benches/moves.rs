//! Benchmarks of reading and writing games.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

#[path = "../../chessdb-testkit/bench/format.rs"]
mod format;

use chessdb_testkit::strategy::GameOptions;

fn main() {
    let reads = &[("read", false), ("read with legality", true)];
    format::measure(&chessdb_cbh::CBH, GameOptions::for_cbh(), reads);
}
