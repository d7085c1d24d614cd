//! Time classes: bullet, blitz, rapid, classical and correspondence.
//!
//! | | bullet | blitz | rapid | classical |
//! |---|---|---|---|---|
//! | Lichess: time and 40 increments | under 3 min | under 8 min | under 25 min | 25 min and more |
//! | FIDE: time for 60 moves | under 3 min | up to 10 min | under 60 min | 60 min and more |
//!
//! FIDE's Laws of Chess (appendices A and B) know no bullet; three minutes are usual. A time of at
//! least a day for each move is correspondence.

use std::str::FromStr;

use chessdb_core::Game;

use crate::fold::fold;
use crate::syntax::Fault;
use crate::time_control::{ClockRule, TimeControl};

/// How fast a game was played.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum TimeClass {
    /// Under three minutes.
    Bullet,
    /// Blitz.
    Blitz,
    /// Rapid.
    Rapid,
    /// Classical, which FIDE calls standard.
    Classical,
    /// Days for each move.
    Correspondence,
}

/// Whose limits divide the times into classes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TimeLimits {
    /// The estimate of Lichess: the time and 40 increments.
    Lichess,
    /// The Laws of Chess of FIDE: the time for 60 moves.
    Fide,
}

/// A time class by the limits of one of both.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TimeClassTest {
    class: TimeClass,
    limits: TimeLimits,
}

/// The words for each class: English, German, French, Spanish, Italian and Dutch, without accents.
/// A word with `*` is the beginning of words.
const WORDS: [(TimeClass, &[&str]); 5] = [
    (TimeClass::Bullet, &["bullet", "ultrabullet", "hyperbullet"]),
    (
        TimeClass::Blitz,
        &["blitz*", "snelschaak*", "relampago", "lampo"],
    ),
    (
        TimeClass::Rapid,
        &[
            "rapid",
            "rapidplay",
            "rapidchess",
            "rapide*",
            "rapido*",
            "rapida*",
            "semirapid*",
            "schnellschach*",
            "actiefschaak",
        ],
    ),
    (
        TimeClass::Classical,
        &["classical", "classic", "klassisch*"],
    ),
    (
        TimeClass::Correspondence,
        &[
            "corr",
            "correspondence",
            "correspondance",
            "correspondencia",
            "fernschach*",
            "iccf",
            "postal",
            "email",
            "correspondentie*",
            "daily",
        ],
    ),
];

impl TimeClass {
    /// All classes, from the fastest.
    pub const ALL: [TimeClass; 5] = [
        TimeClass::Bullet,
        TimeClass::Blitz,
        TimeClass::Rapid,
        TimeClass::Classical,
        TimeClass::Correspondence,
    ];

    /// Returns the name in lower case.
    pub fn name(self) -> &'static str {
        match self {
            TimeClass::Bullet => "bullet",
            TimeClass::Blitz => "blitz",
            TimeClass::Rapid => "rapid",
            TimeClass::Classical => "classical",
            TimeClass::Correspondence => "correspondence",
        }
    }

    /// Returns the class of a game: by the tag `TimeControl`, of the slower side if both differ, or
    /// else by a word of the tags `TimeMode`, `EventType` and `Event`. `None` if neither says it, or
    /// if an event has words of two classes.
    ///
    /// ```
    /// use chessdb_core::Game;
    /// use chessdb_query::time_class::{TimeClass, TimeLimits};
    ///
    /// let game = Game::builder().tag("TimeControl", "600+0").build();
    /// let class = |limits| TimeClass::from_game(&game, limits).unwrap();
    /// assert_eq!(class(TimeLimits::Lichess), TimeClass::Rapid);
    /// assert_eq!(class(TimeLimits::Fide), TimeClass::Blitz);
    /// ```
    pub fn from_game(game: &Game, limits: TimeLimits) -> Option<TimeClass> {
        let controls = TimeControl::of_game(game);
        let by_time = |controls: &[Option<TimeControl>]| {
            let controls = controls.iter().flatten();
            controls
                .map(|control| TimeClass::from_control(control, limits))
                .max()
        };
        let class = by_time(&controls);
        if class.is_some_and(|class| class > TimeClass::Rapid) {
            return class;
        }
        let stated = TimeClass::stated(game);
        if class.is_none() || class == stated {
            return stated;
        }
        // Some write minutes instead of seconds, which only the event tells.
        let mut minutes = controls;
        minutes
            .iter_mut()
            .flatten()
            .for_each(TimeControl::use_minutes);
        let in_minutes = by_time(&minutes);
        if in_minutes == stated { in_minutes } else { class }
    }

    fn from_control(control: &TimeControl, limits: TimeLimits) -> TimeClass {
        const MINUTE: u64 = 60_000;
        if control.rule() == ClockRule::EachMove {
            let day = 24 * 60 * MINUTE;
            // Fast games with a time for each move are those of engines.
            return match control.base() {
                base if base >= day => TimeClass::Correspondence,
                base => TimeClass::from_milliseconds(base.saturating_mul(60), limits),
            };
        }
        let moves = match limits {
            TimeLimits::Lichess => 40,
            TimeLimits::Fide => 60,
        };
        TimeClass::from_milliseconds(control.time_for(moves), limits)
    }

    fn from_milliseconds(time: u64, limits: TimeLimits) -> TimeClass {
        let seconds = time as f64 / 1000.0;
        let (is_blitz, is_rapid) = match limits {
            TimeLimits::Lichess => (seconds < 480.0, seconds < 1500.0),
            TimeLimits::Fide => (seconds <= 600.0, seconds < 3600.0),
        };
        match seconds {
            _ if seconds < 180.0 => TimeClass::Bullet,
            _ if is_blitz => TimeClass::Blitz,
            _ if is_rapid => TimeClass::Rapid,
            _ => TimeClass::Classical,
        }
    }

    /// Returns the class that the tags name in words.
    fn stated(game: &Game) -> Option<TimeClass> {
        let tag = |name| game.tag(name).and_then(|text| TimeClass::in_words(&text));
        tag("TimeMode")
            .or_else(|| tag("EventType"))
            .or_else(|| TimeClass::in_words(&game.event()))
    }

    /// Returns the only class that has a word in the text.
    fn in_words(text: &str) -> Option<TimeClass> {
        let mut folded = String::new();
        fold(text, &mut folded);
        let words = folded.split(|c: char| !c.is_alphanumeric());
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        let is_city = |n: usize| words.get(n + 1) == Some(&"city");
        let mut classes = words.iter().enumerate().filter_map(|(n, word)| {
            let (class, _) = WORDS.iter().find(|(_, entries)| {
                entries.iter().any(|entry| match entry.strip_suffix('*') {
                    Some(beginning) => word.starts_with(beginning),
                    None => word == entry,
                })
            })?;
            // A town in South Dakota.
            (*word != "rapid" || !is_city(n)).then_some(*class)
        });
        let first = classes.next()?;
        classes.all(|class| class == first).then_some(first)
    }
}

impl FromStr for TimeClass {
    type Err = String;

    /// Parses a name, ignoring case; `standard` is classical.
    fn from_str(text: &str) -> Result<TimeClass, String> {
        let lower = text.trim().to_ascii_lowercase();
        let lower = match lower.as_str() {
            "standard" | "slow" => "classical",
            "corr" | "daily" => "correspondence",
            "ultrabullet" => "bullet",
            other => other,
        };
        let mut classes = TimeClass::ALL.into_iter();
        classes.find(|class| class.name() == lower).ok_or_else(|| {
            let names = TimeClass::ALL.map(TimeClass::name);
            Fault::unknown(lower, &names.join(", "), names).message
        })
    }
}

impl TimeClassTest {
    /// Parses a class by the estimate of Lichess (`blitz`), or by the limits of FIDE
    /// (`fide-blitz`).
    pub(crate) fn read(text: &str) -> Result<TimeClassTest, Fault> {
        let lower = text.trim().to_ascii_lowercase();
        let (limits, name) = match lower.split_once('-') {
            Some(("fide", name)) => (TimeLimits::Fide, name),
            Some(("lichess", name)) => (TimeLimits::Lichess, name),
            _ => (TimeLimits::Lichess, lower.as_str()),
        };
        let class = name.parse()?;
        Ok(TimeClassTest { class, limits })
    }

    pub(crate) fn fits(self, game: &Game) -> bool {
        TimeClass::from_game(game, self.limits) == Some(self.class)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes(event: &str, control: &str) -> String {
        let game = Game::builder()
            .event(event)
            .tag("TimeControl", control)
            .build();
        let class = |limits| TimeClass::from_game(&game, limits).map_or("-", TimeClass::name);
        let [lichess, fide] = [TimeLimits::Lichess, TimeLimits::Fide].map(class);
        if lichess == fide {
            lichess.to_owned()
        } else {
            format!("{lichess}, FIDE {fide}")
        }
    }

    #[test]
    fn classes_by_time_control() {
        for (control, class) in [
            ("15", "bullet"),
            ("60", "bullet"),
            ("120+1", "bullet, FIDE blitz"),
            ("179", "bullet"),
            ("180", "blitz"),
            ("180+2", "blitz"),
            ("300+3", "blitz"),
            ("479", "blitz"),
            ("480", "rapid, FIDE blitz"),
            ("600", "rapid, FIDE blitz"),
            ("601", "rapid"),
            ("900+10", "rapid"),
            ("1499", "rapid"),
            ("1500", "classical, FIDE rapid"),
            ("1500+10", "classical, FIDE rapid"),
            ("3599", "classical, FIDE rapid"),
            ("3600", "classical"),
            ("5400+30", "classical"),
            ("40/7200:3600", "classical"),
            ("40/5400+30:1800+30", "classical"),
            ("40/1800", "classical"),
            ("G/90;d5", "classical"),
            ("1/86400", "correspondence"),
            ("3 days", "correspondence"),
            ("1/10", "rapid, FIDE blitz"),
            ("*180", "blitz"),
            ("60;900", "rapid"),
            ("-", "-"),
            ("?", "-"),
        ] {
            assert_eq!(classes("Open", control), class, "{control}");
        }
    }

    #[test]
    fn classes_by_event() {
        for (event, control, class) in [
            ("Rated Blitz game", "?", "blitz"),
            ("Rated UltraBullet game", "-", "bullet"),
            ("Casual Correspondence game", "-", "correspondence"),
            ("World Rapid Championship", "", "rapid"),
            ("Blitzturnier Köln", "", "blitz"),
            ("Championnat de France rapide", "", "rapid"),
            ("World Rapid & Blitz 2014", "", "-"),
            ("Rapid City Open", "", "-"),
            ("Grand Rapids Open", "", "-"),
            ("Daily Chess", "", "correspondence"),
            ("Candidates", "", "-"),
            // The tag has minutes.
            ("Rapid Open", "15+10", "rapid"),
            ("Blitz Cup", "3+2", "blitz"),
            ("Blitz Cup", "900+10", "rapid"),
            ("Rapid Open", "60+0", "bullet"),
        ] {
            assert_eq!(classes(event, control), class, "{event}, {control}");
        }
    }

    #[test]
    fn names_of_classes() {
        let test = |text: &str| TimeClassTest::read(text).ok();
        let class = |class, limits| Some(TimeClassTest { class, limits });
        assert_eq!(test("Blitz"), class(TimeClass::Blitz, TimeLimits::Lichess));
        assert_eq!(
            test("fide-standard"),
            class(TimeClass::Classical, TimeLimits::Fide)
        );
        assert_eq!(
            test("corr"),
            class(TimeClass::Correspondence, TimeLimits::Lichess)
        );
        let message = TimeClassTest::read("blits").unwrap_err().message;
        assert!(message.ends_with("did you mean blitz?"), "{message}");
    }
}
