//! A game as chessdb writes it in CSV and NDJSON (docs/parquet.md, section 1).

use std::borrow::Cow;

use chessdb_core::error::Location;
use chessdb_core::report::GameReport;
use chessdb_core::{ErrorKind, Outcome, Result, Severity};

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

/// The columns that follow from others, or tell where the game came from.
const DERIVED: &[&str] = &[
    "GameDate",
    "Year",
    "PlyCount",
    "moves",
    "clocks",
    "elapsed",
    "evals",
    "positions",
    "base",
    "game",
    "id",
];

/// The values of a game.
#[derive(Default, Debug)]
pub(crate) struct GameRow<'v> {
    roster: [Option<&'v [u8]>; ROSTER.len()],
    others: Vec<(&'v str, Cow<'v, [u8]>)>,
    /// Tags that no column holds, or with another spelling than the column.
    tags: Vec<(&'v str, &'v [u8])>,
    movetext: Option<&'v [u8]>,
    timestamp: Option<&'v [u8]>,
    error: Option<&'v [u8]>,
}

impl<'v> GameRow<'v> {
    /// Adds the value of a column.
    pub(crate) fn add(&mut self, name: &'v str, value: &'v [u8]) {
        let mut roster = ROSTER.iter().zip(&mut self.roster);
        if let Some((_, place)) = roster.find(|((known, _), _)| *known == name) {
            *place = Some(value);
            return;
        }
        match name {
            "movetext" => self.movetext = Some(value),
            "UTCTimestamp" => self.timestamp = Some(value),
            "error" => self.error = Some(value),
            "Flags" => self.others.push(("ScidFlags", value.into())),
            "UTCDate" => {
                let date = value
                    .iter()
                    .map(|&byte| if byte == b'-' { b'.' } else { byte });
                self.others.push((name, date.collect::<Vec<_>>().into()));
            }
            "WhiteRatingDiff" | "BlackRatingDiff"
                if value.first().is_some_and(u8::is_ascii_digit) =>
            {
                self.others.push((name, [b"+", value].concat().into()));
            }
            _ if DERIVED.contains(&name) => {}
            _ if name.eq_ignore_ascii_case("movetext") => self.movetext = Some(value),
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
    pub(crate) fn write(
        mut self,
        at: Location,
        out: &mut PgnText<'_>,
        report: &mut GameReport<'_>,
    ) -> Result<()> {
        if let Some(error) = self.error {
            let error = String::from_utf8_lossy(error);
            let said = format!("the table reports an error for this game: {error}");
            report.add(Severity::Note, ErrorKind::Other(said.into()), at)?;
        }
        let is_known = |name: &str, others: &[(&str, Cow<'_, [u8]>)]| {
            others.iter().any(|(known, _)| *known == name)
        };
        if let Some(timestamp) = self.timestamp
            && !is_known("UTCTime", &self.others)
            && let Some(time) = timestamp.split(|&byte| byte == b'T').nth(1)
        {
            let time = time.strip_suffix(b"Z").unwrap_or(time);
            self.others.push(("UTCTime", time.into()));
        }
        let is_spelled = |name: &str| self.tags.iter().any(|(known, _)| *known == name);
        for ((name, unknown), value) in ROSTER.iter().zip(&self.roster) {
            if !is_spelled(name) {
                out.tag(name, value.unwrap_or(unknown.as_bytes()));
            }
        }
        for (name, value) in &self.others {
            if !is_spelled(name) {
                out.tag(name, value);
            }
        }
        for (name, value) in &self.tags {
            out.tag(name, value);
        }
        let result = self.roster.last().copied().flatten();
        match self.movetext {
            Some(movetext) => {
                out.raw(b"\n");
                // The result after the moves belongs to the header.
                out.raw(movetext);
                out.raw(b"\n");
                Ok(())
            }
            None => {
                let result = result.and_then(Outcome::from_pgn).unwrap_or_default();
                let kind = ErrorKind::Structure("the row has no movetext");
                report.add(Severity::Note, kind, at)?;
                out.end(result.as_pgn(), at, report)
            }
        }
    }
}
