//! The tag `TimeControl` (PGN standard, 9.6.1).

/// A stage of a time control.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Stage {
    /// The number of moves; `None` for the rest of the game.
    moves: Option<u32>,
    /// The time, and the increment for each move, in milliseconds.
    base: u64,
    increment: u64,
}

/// The stages of a time control, in order. At least one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct TimeControl(Vec<Stage>);

impl TimeControl {
    /// Parses stages such as `40/7200:3600`, `300+5` or `90+30`. `None` for unknown ones, such as
    /// `?`, `-`, `*180` or words.
    pub(crate) fn read(text: &str) -> Option<TimeControl> {
        let stages = text.trim().split(':').map(Stage::read);
        stages.collect::<Option<Vec<_>>>().map(TimeControl)
    }

    /// Returns the time of the first stage, in milliseconds.
    pub(crate) fn base(&self) -> u64 {
        self.0.first().map_or(0, |stage| stage.base)
    }

    /// Returns the increment after this many moves.
    pub(crate) fn increment(&self, moves: u32) -> u64 {
        let mut done = 0_u32;
        for stage in &self.0 {
            done = done.saturating_add(stage.moves.unwrap_or(u32::MAX));
            if moves <= done {
                return stage.increment;
            }
        }
        self.0.last().map_or(0, |stage| stage.increment)
    }

    /// Returns the time that is added at the end of stage `n`, counted from 0.
    pub(crate) fn bonus(&self, n: usize) -> Option<u64> {
        self.0.get(n + 1).map(|stage| stage.base)
    }

    /// Returns the time control with minutes instead of seconds where only that explains a clock
    /// with this many milliseconds: people write `90+30` for 90 minutes.
    pub(crate) fn explaining(mut self, most: u64) -> TimeControl {
        if let Some(first) = self.0.first()
            && first.base <= 180_000
            && most >= 30 * first.base
            && most <= 60 * first.base + 2 * first.increment + 10_000
        {
            for stage in &mut self.0 {
                stage.base *= 60;
            }
        }
        self
    }
}

impl Stage {
    fn read(text: &str) -> Option<Stage> {
        let (moves, time) = match text.split_once('/') {
            Some((moves, time)) => (Some(moves.trim().parse().ok()?), time),
            None => (None, text),
        };
        let (base, increment) = time.split_once('+').unwrap_or((time, "0"));
        let milliseconds = |text: &str| {
            let seconds: f64 = text.trim().parse().ok()?;
            let is_time = (0.0..=1_000_000.0).contains(&seconds);
            is_time.then_some((seconds * 1000.0) as u64)
        };
        Some(Stage {
            moves,
            base: milliseconds(base)?,
            increment: milliseconds(increment)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_time_controls() {
        let read = |text: &str| {
            let control = TimeControl::read(text)?;
            let increments = [1, 41].map(|moves| control.increment(moves));
            Some((control.base(), increments, control.bonus(0)))
        };
        for (text, expected) in [
            ("300", (300_000, [0, 0], None)),
            ("180+2", (180_000, [2000, 2000], None)),
            ("40/7200:3600", (7_200_000, [0, 0], Some(3_600_000))),
            (
                "40/5400+30:1800+15",
                (5_400_000, [30_000, 15_000], Some(1_800_000)),
            ),
            (" 60 + 0.5 ", (60_000, [500, 500], None)),
        ] {
            assert_eq!(read(text), Some(expected), "{text}");
        }
        for text in ["", "?", "-", "*180", "90 min", "1/", "300+", "1e99", "-5"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn minutes_are_taken_only_if_the_clocks_need_them() {
        let base = |text: &str, most| TimeControl::read(text).unwrap().explaining(most).base();
        assert_eq!(base("90+30", 5_400_000), 5_400_000);
        assert_eq!(base("3+2", 182_000), 180_000);
        assert_eq!(base("180+2", 181_000), 180_000);
        assert_eq!(base("180+2", 180_000_000), 180_000);
        assert_eq!(base("5400+30", 5_430_000), 5_400_000);
    }
}
