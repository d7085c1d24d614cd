//! The tag `TimeControl` (PGN standard, 9.6.1) and the forms that people write instead.
//!
//! | text | meaning |
//! |---|---|
//! | `300+5`, `3\|2` | seconds and increment; minutes if the clocks show that |
//! | `40/7200:3600` | 40 moves in two hours, then an hour for the rest |
//! | `1/86400`, `1 day`, `30 sec/move` | this time for each move; nothing is carried over |
//! | `*180` | an hourglass: the time of one player flows to the other |
//! | `90'+30"`, `90 min + 30 sec`, `1h30m` | with units |
//! | `G/90`, `40/120, SD/60`, `G/90;d5` | minutes, as in the United States; the delay is ignored |
//! | `5+1; 10+2` | White's and Black's, with odds of time |

use chessdb_core::{Color, Game};

use crate::natural::is_number;

/// The longest time that is read, in seconds: three years.
const MOST_SECONDS: f64 = 100_000_000.0;

/// A stage of a time control.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Stage {
    /// The number of moves; `None` for the rest of the game.
    moves: Option<u32>,
    /// The time, and the increment for each move, in milliseconds.
    base: u64,
    increment: u64,
    /// Whether the time was written with its unit.
    has_unit: bool,
}

/// How the time left before a move follows from the clocks before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ClockRule {
    /// It is what was left after the player's last move, with increment and further stages.
    Carried,
    /// It is the same for each move.
    EachMove,
    /// Both clocks have the same sum at any time.
    Hourglass,
}

/// The stages of the time control of one side, in order. At least one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct TimeControl {
    stages: Vec<Stage>,
    is_hourglass: bool,
}

impl TimeControl {
    /// Returns the time controls of White and Black: from `TimeControl`, or from the tags
    /// `WhiteTimeControl` and `BlackTimeControl` of engine matches with odds.
    pub(crate) fn of_game(game: &Game) -> [Option<TimeControl>; 2] {
        let common = game
            .tag("TimeControl")
            .map_or([None, None], |text| TimeControl::read_both(&text));
        let own = ["WhiteTimeControl", "BlackTimeControl"].map(|name| {
            let text = game.tag(name)?;
            TimeControl::read(&text)
        });
        let [white, black] = own;
        let [common_white, common_black] = common;
        [white.or(common_white), black.or(common_black)]
    }

    /// Parses the time controls of White and Black, which are the same unless separated by `;`.
    fn read_both(text: &str) -> [Option<TimeControl>; 2] {
        match text.split_once(';') {
            Some((white, black)) if !is_delay(black) => [white, black].map(TimeControl::read),
            _ => Color::ALL.map(|_| TimeControl::read(text)),
        }
    }

    /// Parses the time control of one side. `None` for an unknown one (`?`), none (`-`), or words.
    fn read(text: &str) -> Option<TimeControl> {
        let (main, after) = text.split_once(';').unwrap_or((text, ""));
        let lower = main.trim().to_ascii_lowercase().replace('|', "+");
        let (text, is_hourglass) = match lower.strip_prefix('*') {
            Some(text) => (text, true),
            None => (lower.as_str(), false),
        };
        let parts = text.split([':', ',']).map(str::trim);
        // One stage in the American form shows that all numbers are minutes.
        let has_minutes = parts.clone().any(|stage| sudden_death(stage).is_some());
        let mut stages = parts
            .map(|stage| Stage::read(stage, has_minutes))
            .collect::<Option<Vec<_>>>()?;
        if let Some(increment) = added_increment(after) {
            for stage in &mut stages {
                stage.increment = increment;
            }
        }
        Some(TimeControl {
            stages,
            is_hourglass,
        })
    }

    pub(crate) fn rule(&self) -> ClockRule {
        match self.stages.as_slice() {
            _ if self.is_hourglass => ClockRule::Hourglass,
            [Stage { moves: Some(1), .. }] => ClockRule::EachMove,
            _ => ClockRule::Carried,
        }
    }

    /// Returns the time of the first stage, in milliseconds.
    pub(crate) fn base(&self) -> u64 {
        self.stages.first().map_or(0, |stage| stage.base)
    }

    /// Returns the time that a player has for this many moves, in milliseconds.
    pub(crate) fn time_for(&self, moves: u32) -> u64 {
        let (mut time, mut done) = (0, 0_u32);
        // A last stage with a number of moves is repeated.
        let repeated = self.stages.last().into_iter().cycle();
        for stage in self.stages.iter().chain(repeated) {
            time += stage.base;
            // A stage without a number of moves lasts to the end of the game.
            done = done.saturating_add(stage.moves.unwrap_or(u32::MAX).max(1));
            if done >= moves {
                break;
            }
        }
        let increments = (1..=moves).map(|n| self.increment(n));
        time + increments.sum::<u64>()
    }

    /// Returns the increment after this many moves.
    pub(crate) fn increment(&self, moves: u32) -> u64 {
        let mut done = 0_u32;
        for stage in &self.stages {
            // A stage without a number of moves lasts to the end of the game.
            done = done.saturating_add(stage.moves.unwrap_or(u32::MAX));
            if moves <= done {
                return stage.increment;
            }
        }
        self.stages.last().map_or(0, |stage| stage.increment)
    }

    /// Returns the time that is added at the end of stage `n`, counted from 0, if that is possible
    /// after this many moves. A last stage with a number of moves is repeated.
    pub(crate) fn bonus(&self, n: usize, moves: u32) -> Option<u64> {
        if let Some(next) = self.stages.get(n + 1) {
            return Some(next.base);
        }
        let last = self.stages.last()?;
        let all = self.stages.iter().filter_map(|stage| stage.moves).sum();
        // The last stage is repeated: 40 moves in two hours are followed by 40 more.
        let repeated = u32::try_from((n + 1).saturating_sub(self.stages.len())).ok()?;
        let done = last.moves?.checked_mul(repeated)?.checked_add(all)?;
        (moves >= done).then_some(last.base)
    }

    /// Returns whether only minutes instead of seconds explain a clock with this many milliseconds:
    /// people write `90+30` for 90 minutes.
    pub(crate) fn needs_minutes(&self, max_left: u64) -> bool {
        self.stages.first().is_some_and(|first| {
            // A clock shows at least half of these minutes, and no more than all with two
            // increments.
            !first.has_unit
                && first.base <= 180_000
                && max_left >= 30 * first.base
                && max_left <= 60 * first.base + 2 * first.increment + 10_000
        })
    }

    /// Takes the numbers without units as minutes.
    pub(crate) fn use_minutes(&mut self) {
        for stage in self.stages.iter_mut().filter(|stage| !stage.has_unit) {
            stage.base *= 60;
        }
    }
}

impl Stage {
    /// Parses a stage in lower case; `has_minutes` if numbers without units are minutes.
    fn read(text: &str, has_minutes: bool) -> Option<Stage> {
        let (mut moves, time) = match (sudden_death(text), text.split_once('/')) {
            (Some(time), _) => (None, time),
            // `30 sec/move` has a slash after the time.
            (None, Some((moves, time))) if is_number(moves.trim()) => {
                (Some(moves.trim().parse().ok()?), time)
            }
            _ => (None, text),
        };
        let (base, increment) = match time.split_once('+') {
            Some((base, increment)) => (base, Some(increment)),
            None => (time, None),
        };
        let (base, is_each_move) = without_each_move(base);
        let base = Duration::read(base, if has_minutes { MINUTE } else { SECOND })?;
        let increment = match increment {
            Some(text) => Duration::read(without_each_move(text).0, SECOND)?.milliseconds,
            None => 0,
        };
        // A time in days is that of each move, as correspondence servers write it.
        if moves.is_none() && increment == 0 && (is_each_move || base.has_days) {
            moves = Some(1);
        }
        Some(Stage {
            moves,
            base: base.milliseconds,
            increment,
            has_unit: base.has_unit || has_minutes,
        })
    }
}

const SECOND: u64 = 1000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// The units of time in milliseconds. In words, only their beginning matters.
const UNITS: [(&str, u64); 10] = [
    ("''", SECOND),
    ("\"", SECOND),
    ("″", SECOND),
    ("s", SECOND),
    ("'", MINUTE),
    ("′", MINUTE),
    ("m", MINUTE),
    ("h", HOUR),
    ("d", DAY),
    ("t", DAY),
];

/// A time, such as `90`, `1h30m` or `30 sec`.
struct Duration {
    milliseconds: u64,
    has_unit: bool,
    has_days: bool,
}

impl Duration {
    fn read(text: &str, without_unit: u64) -> Option<Duration> {
        let mut duration = Duration {
            milliseconds: 0,
            has_unit: false,
            has_days: false,
        };
        let mut rest = text.trim();
        if rest.is_empty() {
            return None;
        }
        while !rest.is_empty() {
            let is_digit = |c: char| c.is_ascii_digit() || c == '.';
            let (number, after) = rest.split_at(rest.find(|c| !is_digit(c)).unwrap_or(rest.len()));
            let tail = after.trim_start();
            let end = tail.find(|c: char| c.is_ascii_digit());
            let (word, tail) = tail.split_at(end.unwrap_or(tail.len()));
            let unit = match word.trim() {
                "" => without_unit,
                unit => {
                    duration.has_unit = true;
                    read_unit(unit)?
                }
            };
            duration.has_days |= unit == DAY;
            let seconds = number.parse::<f64>().ok()? * (unit / SECOND) as f64;
            // This also rejects infinity, as which a number of hundreds of digits is read.
            if !(0.0..=MOST_SECONDS).contains(&seconds) {
                return None;
            }
            duration.milliseconds += (seconds * 1000.0) as u64;
            rest = tail;
        }
        let limit = MOST_SECONDS as u64 * SECOND;
        (duration.milliseconds <= limit).then_some(duration)
    }
}

/// Returns a unit in milliseconds; `None` for other words.
fn read_unit(unit: &str) -> Option<u64> {
    let word = unit.trim_end_matches('.');
    let (sign, milliseconds) = UNITS.iter().find(|(sign, _)| word.starts_with(sign))?;
    // `Tag` and `Tage` are German days.
    let words = [
        "s", "sec", "secs", "second", "seconds", "m", "min", "mins", "minute", "minutes", "h",
        "hr", "hrs", "hour", "hours", "d", "day", "days", "t", "tag", "tage",
    ];
    let is_sign = !sign.starts_with(|c: char| c.is_ascii_alphabetic());
    (is_sign && word == *sign || words.contains(&word)).then_some(*milliseconds)
}

/// Returns the time of a last stage as it is written in the United States: `g/90`, `sd/60`.
fn sudden_death(stage: &str) -> Option<&str> {
    let time = stage
        .strip_prefix("sd")
        .or_else(|| stage.strip_prefix('g'))?
        .trim_start();
    Some(time.strip_prefix('/').unwrap_or(time))
}

/// Removes the words that state that a time is that of each move; returns whether there were any.
fn without_each_move(text: &str) -> (&str, bool) {
    let text = text.trim();
    let phrases = ["/move", "/mv", "per move", "a move", "increment", "inc"];
    match phrases.iter().find_map(|phrase| text.strip_suffix(phrase)) {
        Some(time) => (time.trim(), true),
        None => (text, false),
    }
}

/// Returns whether the text after `;` is a delay or an increment: `d5`, `inc30`, `+30`.
fn is_delay(text: &str) -> bool {
    let lower = text.trim().to_ascii_lowercase();
    lower.starts_with(['d', '+']) || lower.starts_with("inc")
}

/// Returns the increment in a text after `;`. A delay is not added to the clock.
fn added_increment(text: &str) -> Option<u64> {
    let lower = text.trim().to_ascii_lowercase();
    let time = lower
        .strip_prefix("inc")
        .or_else(|| lower.strip_prefix('+'))?;
    let number = time.trim_start_matches(['/', ' ', '.']);
    Duration::read(number, SECOND).map(|duration| duration.milliseconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_time_controls() {
        let read = |text: &str| {
            let control = TimeControl::read(text)?;
            let increments = [1, 41].map(|moves| control.increment(moves));
            Some((control.base() / 1000, increments, control.bonus(0, 40)))
        };
        for (text, expected) in [
            ("300", (300, [0, 0], None)),
            ("180+2", (180, [2000, 2000], None)),
            ("3 | 2", (3, [2000, 2000], None)),
            ("40/7200:3600", (7200, [0, 0], Some(3_600_000))),
            ("40/7200", (7200, [0, 0], Some(7_200_000))),
            (
                "40/5400+30:1800+15",
                (5400, [30_000, 15_000], Some(1_800_000)),
            ),
            (" 60 + 0.5 ", (60, [500, 500], None)),
            ("G/90", (5400, [0, 0], None)),
            ("G/90;d5", (5400, [0, 0], None)),
            ("G/90; inc/30", (5400, [30_000, 30_000], None)),
            ("G/90+30", (5400, [30_000, 30_000], None)),
            ("40/120, SD/60", (7200, [0, 0], Some(3_600_000))),
            ("90'+30\"", (5400, [30_000, 30_000], None)),
            ("90'+30''", (5400, [30_000, 30_000], None)),
            ("90 min + 30 sec/move", (5400, [30_000, 30_000], None)),
            ("1h30m", (5400, [0, 0], None)),
            ("40/2h:30 minutes + 5s", (7200, [0, 5000], Some(1_800_000))),
            ("*180", (180, [0, 0], None)),
            ("1/86400", (86_400, [0, 0], Some(86_400_000))),
            ("1 day", (86_400, [0, 0], Some(86_400_000))),
            ("14 days per move", (1_209_600, [0, 0], Some(1_209_600_000))),
        ] {
            assert_eq!(read(text), Some(expected), "{text}");
        }
        for text in [
            "",
            "?",
            "-",
            "blitz",
            "1/",
            "300+",
            "1e99",
            "-5",
            "90 x",
            "*",
            "5 moves",
            "g",
            "1/2/3",
            "days",
            "999999999",
            ":",
            ";",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn rules_of_clocks() {
        let rule = |text: &str| TimeControl::read(text).unwrap().rule();
        for text in [
            "1/86400",
            "3 days",
            "30 sec/move",
            "1 day per move",
            "1/259200",
        ] {
            assert_eq!(rule(text), ClockRule::EachMove, "{text}");
        }
        for text in ["300+5", "40/7200", "1/3600:1800", "1 day + 1h", "G/90"] {
            assert_eq!(rule(text), ClockRule::Carried, "{text}");
        }
        assert_eq!(rule("*180"), ClockRule::Hourglass);
    }

    #[test]
    fn a_last_stage_with_moves_is_repeated() {
        let control = TimeControl::read("40/7200:20/3600").unwrap();
        let bonus = |n, moves| control.bonus(n, moves);
        assert_eq!(
            (bonus(0, 1), bonus(1, 60)),
            (Some(3_600_000), Some(3_600_000))
        );
        assert_eq!(
            (bonus(1, 59), bonus(2, 79), bonus(2, 80)),
            (None, None, Some(3_600_000))
        );
        assert_eq!(TimeControl::read("300").unwrap().bonus(0, 40), None);
    }

    #[test]
    fn both_sides() {
        let bases = |text: &str| {
            TimeControl::read_both(text).map(|control| control.map(|control| control.base() / 1000))
        };
        assert_eq!(bases("300+5"), [Some(300), Some(300)]);
        assert_eq!(bases("5+1; 10+2"), [Some(5), Some(10)]);
        assert_eq!(bases("5+1;?"), [Some(5), None]);
        assert_eq!(bases("G/60;d5"), [Some(3600), Some(3600)]);
        let game = Game::builder()
            .tag("TimeControl", "60")
            .tag("BlackTimeControl", "40/120")
            .build();
        let bases = TimeControl::of_game(&game).map(|control| control.unwrap().base());
        assert_eq!(bases, [60_000, 120_000]);
    }

    #[test]
    fn minutes_only_if_the_clocks_need_them() {
        let needs = |text: &str, most| TimeControl::read(text).unwrap().needs_minutes(most);
        assert!(needs("90+30", 5_400_000) && needs("3+2", 182_000));
        for (text, most) in [
            ("180+2", 181_000),
            ("180+2", 180_000_000),
            ("5400+30", 5_430_000),
            ("90s+30", 5_400_000),
            ("G/90", 5_400_000),
        ] {
            assert!(!needs(text, most), "{text}");
        }
        let mut control = TimeControl::read("90+30").unwrap();
        control.use_minutes();
        assert_eq!((control.base(), control.increment(1)), (5_400_000, 30_000));
    }
}
