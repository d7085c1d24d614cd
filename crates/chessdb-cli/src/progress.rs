//! A progress line on standard error; only on a terminal.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use chessdb::Database;

use crate::output::grouped;

/// The minimum time between two updates of the line.
const INTERVAL: Duration = Duration::from_millis(100);

/// Returns the completed fraction of the work, if that is known.
pub(crate) type FractionDone<'a> = &'a dyn Fn() -> Option<f64>;

/// Returns the part of a database that is read after this number of games, if it is known.
pub(crate) fn fraction_read(db: &Database, games: u64) -> Option<f64> {
    match (db.len(), db.stream_size()) {
        (Ok(all), _) => Some(games as f64 / f64::from(all.max(1))),
        (_, Some(size)) => Some(db.progress().bytes() as f64 / size.max(1) as f64),
        _ => None,
    }
}

/// The progress line.
#[derive(Debug)]
pub(crate) struct Progress {
    shown: bool,
    started: Instant,
    /// The number of characters on the screen.
    width: usize,
    last: Instant,
    calls: u32,
}

impl Progress {
    /// Creates a line that is drawn if standard error is a terminal and `wanted` is set.
    pub(crate) fn new(wanted: bool) -> Progress {
        let now = Instant::now();
        let shown = wanted && io::stderr().is_terminal();
        Progress {
            shown,
            started: now,
            width: 0,
            last: now,
            calls: 0,
        }
    }

    /// Returns the time since the start.
    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Records that `games` games are done, and redraws the line if it is due.
    pub(crate) fn tick(&mut self, games: u64, done: FractionDone<'_>) {
        if !self.shown {
            return;
        }
        // Reading the clock costs more than most games.
        self.calls = self.calls.wrapping_add(1);
        if !self.calls.is_multiple_of(16) || self.last.elapsed() < INTERVAL {
            return;
        }
        self.last = Instant::now();
        let text = line(games, self.elapsed(), done());
        // Blanks, because old consoles show sequences that clear the rest of a line.
        let width = self.width;
        let _ = write!(io::stderr().lock(), "\r{text:width$}");
        self.width = text.chars().count();
    }

    /// Clears the line, so that other output can follow.
    pub(crate) fn clear(&mut self) {
        let width = std::mem::take(&mut self.width);
        if width > 0 {
            let _ = write!(io::stderr().lock(), "\r{:width$}\r", "");
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Returns the games per second, rounded to two significant digits.
pub(crate) fn rate(games: u64, elapsed: Duration) -> u64 {
    let rate = (games as f64 / elapsed.as_secs_f64().max(1e-6)) as u64;
    // More digits would suggest an accuracy that the measurement lacks.
    let unit = 10_u64.pow(rate.checked_ilog10().unwrap_or(0).saturating_sub(1));
    rate / unit * unit
}

fn line(games: u64, elapsed: Duration, done: Option<f64>) -> String {
    let mut line = format!(
        "{} games, {}/s",
        grouped(games),
        grouped(rate(games, elapsed))
    );
    // At the start the remaining time would be infinite.
    if let Some(done) = done.filter(|done| *done > 0.0) {
        let done = done.min(1.0);
        let remaining = elapsed.as_secs_f64() * (1.0 - done) / done;
        line += &format!(", {:.0} %, {remaining:.0} s left", done * 100.0);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_how_long_it_takes() {
        let elapsed = Duration::from_secs(10);
        assert_eq!(
            line(123_456, elapsed, Some(0.25)),
            "123,456 games, 12,000/s, 25 %, 30 s left"
        );
        assert_eq!(line(5, elapsed, None), "5 games, 0/s");
        assert_eq!(rate(98_765, Duration::from_secs(1)), 98_000);
        assert_eq!(rate(0, Duration::ZERO), 0);
    }
}
