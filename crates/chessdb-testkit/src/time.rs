//! Time limits of tests that must not hang, and the share of cases that a test tries.

use std::{env, time::Duration};

/// Returns `seconds` seconds, multiplied by the whole number in the environment variable
/// `CHESSDB_PATIENCE` if it is set: under an emulator everything takes ten times as long.
#[must_use]
pub fn patience(seconds: u64) -> Duration {
    let factor = env::var("CHESSDB_PATIENCE").map_or(1, |word| {
        word.parse()
            .expect("CHESSDB_PATIENCE should be a whole number")
    });
    Duration::from_secs(seconds.saturating_mul(factor))
}

/// Returns the step with which a test samples its cases: the given number, or 1 if the environment
/// variable `CHESSDB_THOROUGH` is set, as in the weekly run.
#[must_use]
pub fn one_of(usual: usize) -> usize {
    if env::var_os("CHESSDB_THOROUGH").is_some() { 1 } else { usual }
}
