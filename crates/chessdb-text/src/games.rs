//! A row of a table of games (docs/formats/text.md, section 4).

use std::borrow::Cow;

use chessdb_core::{ErrorKind, Outcome, Result};
use chessdb_pgn::raw::tag_section;

use crate::columns::DERIVED;
use crate::lichess::date_and_time;
use crate::pgn_text::PgnText;

/// The columns with tags that every game has, and the values of missing ones.
const ROSTER: [(&str, &str); 7] = [
    ("Event", "?"),
    ("Site", "?"),
    ("Date", "????.??.??"),
    ("Round", "?"),
    ("White", "?"),
    ("Black", "?"),
    ("Result", "*"),
];

/// The values of a game.
#[derive(Default, Debug)]
pub(crate) struct GameRow<'v> {
    roster: [Option<Cow<'v, [u8]>>; ROSTER.len()],
    others: Vec<(&'v str, Cow<'v, [u8]>)>,
    /// Tags that no column holds, or with another spelling than the column.
    tags: Vec<(&'v str, &'v [u8])>,
    movetext: Option<&'v [u8]>,
    timestamp: Option<&'v [u8]>,
    /// The date, where the column Date has none.
    date: Option<Cow<'v, [u8]>>,
    error: Option<&'v [u8]>,
    /// Whether chessdb wrote the table, so that some columns follow from others.
    is_own: bool,
}

impl<'v> GameRow<'v> {
    /// Returns a row without values. In tables of chessdb (`is_own`), some columns follow from
    /// others.
    pub(crate) fn new(is_own: bool) -> GameRow<'v> {
        GameRow {
            is_own,
            ..GameRow::default()
        }
    }

    /// Adds the value of a column. `original` is its name in the table.
    pub(crate) fn add(&mut self, name: &'v str, original: &'v str, value: &'v [u8]) {
        let mut roster = ROSTER.iter().zip(&mut self.roster);
        if let Some((_, place)) = roster.find(|((tag, _), _)| *tag == name) {
            *place = Some(match name {
                "Result" => result_of(value).into(),
                _ => value.into(),
            });
            return;
        }
        match name {
            "movetext" => self.movetext = Some(value),
            "UTCTimestamp" => self.timestamp = Some(value),
            "GameDate" => self.date = Some(with_dots(value).into()),
            "Year" => {
                let year = || Some([value, b".??.??"].concat().into());
                self.date = self.date.take().or_else(year);
            }
            "error" => self.error = Some(value),
            "Flags" => self.others.push(("ScidFlags", value.into())),
            "UTCDate" => self.others.push((name, with_dots(value).into())),
            "WhiteRatingDiff" | "BlackRatingDiff"
                if value.first().is_some_and(u8::is_ascii_digit) =>
            {
                self.others.push((name, [b"+", value].concat().into()));
            }
            "TimeControl" => match seconds_of(original, value) {
                Some(control) => self.others.push((name, control.into_bytes().into())),
                None => self.others.push((name, value.into())),
            },
            "created_at" if !self.is_own => {
                self.others.push((name, value.into()));
                if let Some((date, time)) = milliseconds(value).and_then(date_and_time) {
                    let date: Cow<'_, [u8]> = date.into_bytes().into();
                    self.date = self.date.take().or_else(|| Some(date.clone()));
                    self.others.push(("UTCDate", date));
                    self.others.push(("UTCTime", time.into_bytes().into()));
                }
            }
            _ if self.is_own && DERIVED.contains(&name) => {}
            _ => self.others.push((name, value.into())),
        }
    }

    /// Adds a tag from the column `tags`.
    pub(crate) fn add_tag(&mut self, name: &'v str, value: &'v [u8]) {
        self.tags.push((name, value));
    }

    /// Notes a mainline without comments, which a table without movetext has.
    pub(crate) fn set_moves(&mut self, moves: &'v [u8]) {
        self.movetext = self.movetext.or(Some(moves));
    }

    /// Appends the game.
    pub(crate) fn write(mut self, out: &mut PgnText<'_, '_>) -> Result<()> {
        if let Some(error) = self.error {
            let error = String::from_utf8_lossy(error);
            let message = format!("the table reports an error for this game: {error}");
            out.report
                .note(ErrorKind::Other(message.into()), out.location)?;
        }
        let has_time = self.others.iter().any(|(tag, _)| *tag == "UTCTime");
        if let Some(timestamp) = self.timestamp
            && !has_time
            && let Some(time) = timestamp.split(|&byte| byte == b'T').nth(1)
        {
            let without_zone = time.strip_suffix(b"Z").unwrap_or(time);
            self.others.push(("UTCTime", without_zone.into()));
        }
        if let Some(date) = self.roster.get_mut(DATE) {
            *date = date.take().or(self.date.take());
        }
        let movetext = self.movetext.unwrap_or_default();
        // A game as PGN has tags of its own.
        let (own, movetext) = movetext
            .split_at_checked(tag_section(movetext))
            .unwrap_or((&[], movetext));
        out.raw(own);
        out.raw(if own.is_empty() { b"" } else { b"\n" });
        let is_spelled = |name: &str| self.tags.iter().any(|(tag, _)| *tag == name);
        for ((name, unknown), value) in ROSTER.iter().zip(&self.roster) {
            let unknown = own.is_empty().then_some(unknown.as_bytes());
            if let Some(value) = value.as_deref().or(unknown).filter(|_| !is_spelled(name)) {
                out.known_tag(name, value);
            }
        }
        for (name, value) in self.others.iter().filter(|(name, _)| !is_spelled(name)) {
            out.tag(name, value);
        }
        for (name, value) in &self.tags {
            out.tag(name, value);
        }
        let result = self
            .roster
            .last()
            .and_then(Option::as_deref)
            .and_then(Outcome::from_pgn);
        if self.movetext.is_some() {
            out.raw(b"\n");
            // The result after the moves belongs to the header.
            out.raw(movetext);
            let last = movetext
                .trim_ascii_end()
                .rsplit(u8::is_ascii_whitespace)
                .next();
            let has_end = last.is_some_and(|word| Outcome::from_pgn(word).is_some());
            if !self.is_own && !has_end && own.is_empty() {
                // Other programs write the moves alone.
                out.raw(b" ");
                out.raw(result.unwrap_or_default().as_pgn().as_bytes());
            }
            out.raw(b"\n");
            return Ok(());
        }
        let kind = ErrorKind::Structure("the row has no movetext");
        out.report.note(kind, out.location)?;
        out.end(result.unwrap_or_default().as_pgn())
    }
}

/// The place of the date among the columns that every game has.
const DATE: usize = 2;

/// Returns a result in words as one of PGN, and anything else unchanged.
fn result_of(value: &[u8]) -> &[u8] {
    let names: [(&str, Outcome); 3] = [
        ("white", Outcome::WhiteWins),
        ("black", Outcome::BlackWins),
        ("draw", Outcome::Draw),
    ];
    let is = |name: &str| value.eq_ignore_ascii_case(name.as_bytes());
    names
        .into_iter()
        .find(|(name, _)| is(name))
        .map_or(value, |(_, outcome)| outcome.as_pgn().as_bytes())
}

fn with_dots(date: &[u8]) -> Vec<u8> {
    let bytes = date.iter();
    bytes
        .map(|&byte| if byte == b'-' { b'.' } else { byte })
        .collect()
}

/// Returns the time control of a column with minutes and seconds, such as `15+2`, in seconds.
fn seconds_of(column: &str, value: &[u8]) -> Option<String> {
    if !column.eq_ignore_ascii_case("increment_code") {
        return None;
    }
    let (minutes, increment) = std::str::from_utf8(value).ok()?.split_once('+')?;
    let (minutes, increment): (u16, u16) = (minutes.parse().ok()?, increment.parse().ok()?);
    Some(format!("{}+{increment}", u32::from(minutes) * 60))
}

/// Returns a number of milliseconds, which spreadsheets write as `1.50421E+12`.
fn milliseconds(value: &[u8]) -> Option<i64> {
    let number: f64 = std::str::from_utf8(value).ok()?.parse().ok()?;
    // Exact up to the year 287,396.
    (number.abs() < (1_u64 << 53) as f64).then_some(number as i64)
}
