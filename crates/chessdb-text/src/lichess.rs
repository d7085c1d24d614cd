//! Games of Lichess as JSON (docs/formats/text.md, section 3), with the tags of Lichess's PGN.

use std::fmt::Write as _;

use chessdb_core::{Date, ErrorKind, Result};
use serde_json::Value;

use crate::json::{Object, Tags, text_of};
use crate::pgn_text::{PgnText, is_move_word};

/// The values that the tags and moves of Lichess's PGN hold completely. All others become tags.
const IN_PGN: &[&str] = &[
    "/analysis",
    "/clock/increment",
    "/clock/initial",
    "/clocks",
    "/id",
    "/initialFen",
    "/moves",
    "/opening/eco",
    "/opening/name",
    "/pgn",
    "/players/black/rating",
    "/players/black/ratingDiff",
    "/players/black/user/name",
    "/players/black/user/title",
    "/players/white/rating",
    "/players/white/ratingDiff",
    "/players/white/user/name",
    "/players/white/user/title",
    "/variant",
    "/winner",
];

/// Variants, and their names in PGN.
const VARIANTS: &[(&str, &str)] = &[
    ("standard", "Standard"),
    ("chess960", "Chess960"),
    ("fromPosition", "From Position"),
    ("crazyhouse", "Crazyhouse"),
    ("antichess", "Antichess"),
    ("atomic", "Atomic"),
    ("horde", "Horde"),
    ("kingOfTheHill", "King of the Hill"),
    ("racingKings", "Racing Kings"),
    ("threeCheck", "Three-check"),
];

/// Values of `status`, and the tag `Termination` for them.
const TERMINATIONS: &[(&str, &str)] = &[
    ("created", "Unterminated"),
    ("started", "Unterminated"),
    ("aborted", "Abandoned"),
    ("noStart", "Abandoned"),
    ("timeout", "Time forfeit"),
    ("outoftime", "Time forfeit"),
    ("resign", "Normal"),
    ("draw", "Normal"),
    ("stalemate", "Normal"),
    ("mate", "Normal"),
    ("variantEnd", "Normal"),
    ("insufficientMaterialClaim", "Normal"),
    ("cheat", "Rules infraction"),
    ("unknownFinish", "Unknown"),
];

/// Values of `status` of games that are drawn if no one is the winner.
const DRAWN: &[&str] = &[
    "draw",
    "stalemate",
    "outoftime",
    "timeout",
    "insufficientMaterialClaim",
];

/// The NAGs of judgments.
const JUDGMENTS: &[(&str, &str)] = &[("Inaccuracy", "$6"), ("Mistake", "$2"), ("Blunder", "$4")];

fn find<'t>(table: &[(&str, &'t str)], key: &str) -> Option<&'t str> {
    table
        .iter()
        .find(|(name, _)| *name == key)
        .map(|(_, value)| *value)
}

/// Appends a game.
pub(crate) fn write(object: &Object, out: &mut PgnText<'_, '_>) -> Result<()> {
    let game = LichessGame { object };
    let result = game.result();
    game.write_header(result, out);
    game.write_moves(out)?;
    out.end(result)
}

/// A game as a JSON object.
struct LichessGame<'j> {
    object: &'j Object,
}

impl<'j> LichessGame<'j> {
    /// Returns the value at the end of a path of keys.
    fn value(&self, path: &str) -> Option<&'j Value> {
        let (first, rest) = path
            .strip_prefix('/')?
            .split_once('/')
            .unwrap_or((path.get(1..)?, ""));
        let mut value = self.object.get(first)?;
        for key in rest.split('/').filter(|key| !key.is_empty()) {
            value = value.get(key)?;
        }
        Some(value)
    }

    fn text(&self, path: &str) -> Option<&'j str> {
        self.value(path)?.as_str()
    }

    fn number(&self, path: &str) -> Option<i64> {
        self.value(path)?.as_i64()
    }

    fn result(&self) -> &'static str {
        match self.text("/winner") {
            Some("white") => "1-0",
            Some("black") => "0-1",
            _ if self
                .text("/status")
                .is_some_and(|status| DRAWN.contains(&status)) =>
            {
                "1/2-1/2"
            }
            _ => "*",
        }
    }

    /// Appends the tags in the order of Lichess's PGN, then those of other values.
    fn write_header(&self, result: &str, out: &mut PgnText<'_, '_>) {
        out.tag("Event", self.event());
        let id = self.text("/id");
        let site = id.map_or_else(|| "?".into(), |id| format!("https://lichess.org/{id}"));
        out.tag("Site", site);
        let created = self.number("/createdAt").and_then(date_and_time);
        let date = created.as_ref().map_or("????.??.??", |(date, _)| date);
        out.tag("Date", date);
        out.tag("Round", "-");
        for color in ["White", "Black"] {
            out.tag(color, self.player(color));
        }
        out.tag("Result", result);
        out.tag_if_any("GameId", id.unwrap_or_default());
        if let Some((date, time)) = &created {
            out.tag("UTCDate", date);
            out.tag("UTCTime", time);
        }
        let each = |out: &mut PgnText<'_, '_>, key: &str, tag: &str, is_signed: bool| {
            for color in ["White", "Black"] {
                let path = format!("/players/{}/{key}", color.to_ascii_lowercase());
                let value = self.value(&path).map(text_of).unwrap_or_default();
                let is_gain = is_signed && value.starts_with(|c: char| c.is_ascii_digit());
                let value = if is_gain { format!("+{value}") } else { value };
                out.tag_if_any(&format!("{color}{tag}"), value);
            }
        };
        each(out, "rating", "Elo", false);
        each(out, "ratingDiff", "RatingDiff", true);
        each(out, "user/title", "Title", false);
        if let Some(variant) = self.text("/variant") {
            out.tag("Variant", find(VARIANTS, variant).unwrap_or(variant));
        }
        let time = |key: &str| self.value(&format!("/clock/{key}")).map(text_of);
        match time("initial") {
            Some(initial) => {
                let increment = time("increment").unwrap_or_else(|| "0".into());
                out.tag("TimeControl", format!("{initial}+{increment}"));
            }
            None => out.tag("TimeControl", "-"),
        }
        out.tag_if_any("ECO", self.text("/opening/eco").unwrap_or_default());
        out.tag_if_any("Opening", self.text("/opening/name").unwrap_or_default());
        let status = self.text("/status").unwrap_or_default();
        out.tag_if_any(
            "Termination",
            find(TERMINATIONS, status).unwrap_or_default(),
        );
        if let Some(fen) = self.text("/initialFen") {
            out.start(fen);
        }
        let tags = Tags {
            prefix: "Lichess",
            skipped: IN_PGN,
        };
        tags.write(self.object, out);
    }

    /// Returns the name of the tournament, or a description of the game.
    fn event(&self) -> String {
        let keys = ["/arenaTour/name", "/swissTour/name", "/tournament/name"];
        if let Some(name) = keys.into_iter().find_map(|key| self.text(key)) {
            return name.to_owned();
        }
        let rated = match self.value("/rated").and_then(Value::as_bool) {
            Some(true) => "rated ",
            Some(false) => "casual ",
            None => "",
        };
        let perf = self
            .text("/perf")
            .or_else(|| self.text("/speed"))
            .unwrap_or_default();
        if self.value("/rated").is_none() && perf.is_empty() {
            "?".into()
        } else {
            format!("{rated}{perf} game").replace("  ", " ")
        }
    }

    fn player(&self, color: &str) -> String {
        let path = |key: &str| format!("/players/{}/{key}", color.to_ascii_lowercase());
        let name = self
            .text(&path("user/name"))
            .or_else(|| self.text(&path("name")));
        match (name, self.number(&path("aiLevel"))) {
            (Some(name), _) => name.to_owned(),
            (None, Some(level)) => format!("lichess AI level {level}"),
            (None, None) if self.value(&path("user")).is_some() => "?".into(),
            (None, None) => "Anonymous".into(),
        }
    }

    /// Appends the moves with clocks, evaluations and analysis.
    fn write_moves(&self, out: &mut PgnText<'_, '_>) -> Result<()> {
        let list = |path: &str| {
            self.value(path)
                .and_then(Value::as_array)
                .map(Vec::as_slice)
        };
        let (clocks, analysis) = (list("/clocks"), list("/analysis"));
        let (mut clocks, mut analysis) =
            (clocks.into_iter().flatten(), analysis.into_iter().flatten());
        let moves = self.text("/moves").unwrap_or_default();
        let mut words = moves.split_ascii_whitespace();
        for (ply, word) in (0..).zip(&mut words) {
            if !is_move_word(word.as_bytes()) {
                let kind = ErrorKind::bad_move(
                    word.as_bytes(),
                    "not a move; the rest was kept as a comment",
                );
                out.report.lost(kind, out.location.at_ply(ply))?;
                if !out.headers_only {
                    out.comment(moves.get(offset_in(moves, word)..).unwrap_or_default());
                }
                return Ok(());
            }
            if out.headers_only {
                continue;
            }
            out.word(word);
            write_annotations(analysis.next(), clocks.next(), out);
        }
        if out.headers_only {
            return Ok(());
        }
        let rest = [
            ("clocks", clocks.count()),
            ("evaluations", analysis.count()),
        ];
        for (what, surplus) in rest.into_iter().filter(|(_, count)| *count > 0) {
            let kind = ErrorKind::mismatch(
                match what {
                    "clocks" => "clocks after the last move",
                    _ => "evaluations after the last move",
                },
                surplus as u64,
                0,
            );
            out.report.lost(kind, out.location)?;
        }
        Ok(())
    }
}

/// Returns where `part` begins within `text`.
fn offset_in(text: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize)
}

/// Appends the judgment, evaluation and clock of a move, and the line that replaces it.
fn write_annotations(analysis: Option<&Value>, clock: Option<&Value>, out: &mut PgnText<'_, '_>) {
    let get = |path: &str| analysis.and_then(|analysis| analysis.pointer(path));
    let judgment = get("/judgment/name").and_then(Value::as_str);
    if let Some(nag) = judgment.and_then(|name| find(JUDGMENTS, name)) {
        out.word(nag);
    }
    if let Some(comment) = get("/judgment/comment")
        .and_then(Value::as_str)
        .or(judgment)
    {
        out.comment(comment);
    }
    let mut commands = String::new();
    // Writing to a string cannot fail.
    if let Some(mate) = get("/mate").and_then(Value::as_i64) {
        let _ = write!(commands, "[%eval #{mate}] ");
    } else if let Some(eval) = get("/eval").and_then(Value::as_i64) {
        let sign = if eval < 0 { "-" } else { "" };
        // Lichess counts hundredths of a pawn.
        let size = eval.unsigned_abs();
        let _ = write!(commands, "[%eval {sign}{}.{:02}] ", size / 100, size % 100);
    }
    if let Some(clock) = clock.and_then(Value::as_u64) {
        // Lichess counts hundredths of a second.
        let (seconds, hundredths) = (clock / 100, clock % 100);
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
        let _ = write!(commands, "[%clk {hours}:{minutes:02}:{:02}", seconds % 60);
        if hundredths > 0 {
            let _ = write!(commands, ".{hundredths:02}");
        }
        commands.push(']');
    }
    if !commands.is_empty() {
        out.comment(commands.trim_end());
    }
    // `best` is the first move of the variation.
    let best = get("/best").and_then(Value::as_str);
    let line = get("/variation").and_then(Value::as_str).or(best);
    if let Some(line) = line.filter(|line| !line.trim().is_empty()) {
        let mut words = line.split_ascii_whitespace();
        if words.all(|word| is_move_word(word.as_bytes())) {
            out.word(format!("( {line} )"));
        } else {
            out.comment(line);
        }
    }
}

/// Returns a time in milliseconds since 1970 as date and time of PGN, without fractions. `None` if
/// the year does not have four digits.
pub(crate) fn date_and_time(milliseconds: i64) -> Option<(String, String)> {
    let seconds = milliseconds.div_euclid(1000);
    let (days, time) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let date = Date::from_days_since_1970(days)?;
    let time = format!("{:02}:{:02}:{:02}", time / 3600, time / 60 % 60, time % 60);
    Some((date.to_string(), time))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_match_calendar() {
        for (milliseconds, date, time) in [
            (0, "1970.01.01", "00:00:00"),
            (-1, "1969.12.31", "23:59:59"),
            (951_782_399_999, "2000.02.28", "23:59:59"),
            (951_782_400_000, "2000.02.29", "00:00:00"),
            (1_514_505_150_384, "2017.12.28", "23:52:30"),
            (1_783_377_244_194, "2026.07.06", "22:34:04"),
        ] {
            let expected = Some((date.to_owned(), time.to_owned()));
            assert_eq!(date_and_time(milliseconds), expected, "{milliseconds}");
        }
        assert_eq!(date_and_time(i64::MAX), None);
        assert_eq!(date_and_time(i64::MIN), None);
    }
}
