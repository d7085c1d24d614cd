//! How long a test may take that must not hang, and how much of what it could try it tries.

use std::{env, time::Duration};

/// This many seconds, times the whole number in the environment variable `CHESSDB_PATIENCE` if there
/// is one: under an emulator everything takes ten times as long.
#[must_use]
pub fn patience(seconds: u64) -> Duration {
    let factor = env::var("CHESSDB_PATIENCE").map_or(1, |word| {
        word.parse()
            .expect("CHESSDB_PATIENCE should be a whole number")
    });
    Duration::from_secs(seconds.saturating_mul(factor))
}

/// One of how many cases a test tries: the number given, or every one where the environment variable
/// `CHESSDB_THOROUGH` is set, as once a week.
#[must_use]
pub fn one_of(usual: usize) -> usize {
    if env::var_os("CHESSDB_THOROUGH").is_some() {
        1
    } else {
        usual
    }
}
