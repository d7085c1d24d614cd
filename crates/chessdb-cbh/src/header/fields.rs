//! The tags that ChessBase has fields for, the reverse of `tags`. A value is accepted only if it
//! would be read back with the same spelling.

use chessdb_core::model::LINE_EVALUATION;
use chessdb_core::text::TextId;
use chessdb_core::{Date, Outcome, Text};

use super::nations;
use super::read::{outcome_of, pack_date};
use super::tags::{FLAGS, MEDALS, SPEEDS, TEAMS, TITLES, TYPES, event_type, list};
use crate::raw::{Source, Team, Tournament};

/// The values of a game's tags.
#[derive(Default, Debug)]
pub(super) struct TagFields {
    pub(super) medals: u16,
    /// The termination of a game that was not decided on the board.
    pub(super) termination: Option<&'static str>,
    pub(super) line_nag: u8,
    kind: Option<(u8, u8)>,
    rounds: u8,
    nation: u8,
    category: u8,
    flags: u8,
    end: u32,
    coordinates: Option<[f64; 2]>,
    tie_breaks: Option<([u8; 10], u8)>,
    pub(super) source_title: Option<TextId>,
    publication: u32,
    version: u8,
    version_date: u32,
    quality: u8,
    pub(super) teams: [Option<TeamFields>; 2],
    pub(super) titles: [Option<TextId>; TITLES.len()],
}

/// The values of a team's tags.
#[derive(Default, Debug)]
pub(super) struct TeamFields {
    pub(super) name: Option<TextId>,
    number: u32,
    season: Option<(u32, u8)>,
    nation: u8,
}

impl TagFields {
    /// Accepts a tag of a game with this outcome. Returns false if ChessBase has no field for it or
    /// the field is already in use.
    pub(super) fn take(
        &mut self,
        name: &[u8],
        value: Text<'_>,
        id: TextId,
        outcome: Outcome,
    ) -> bool {
        // A value that is not UTF-8 fits only the fields that are stored through `id`: titles and
        // teams.
        let spelling = std::str::from_utf8(value.as_bytes()).unwrap_or_default();
        let text = Some(id).filter(|_| !value.is_empty());
        match name {
            b"Medals" => set(&mut self.medals, medals(spelling)),
            // A forfeit and the NAG of a line exclude each other (section 3).
            b"Termination" if self.line_nag == 0 => {
                let termination = (4..=7).map(outcome_of).find(|(result, how)| {
                    *result == outcome && how.is_some_and(|how| how == spelling)
                });
                set(&mut self.termination, termination.map(|(_, how)| how))
            }
            _ if name == LINE_EVALUATION.as_bytes() => {
                let fits = outcome == Outcome::Unknown && self.termination.is_none();
                set(&mut self.line_nag, value.as_evaluation().filter(|_| fits))
            }
            b"EventType" => set(&mut self.kind, kind(spelling).map(Some)),
            b"EventRounds" => set(&mut self.rounds, byte(spelling)),
            b"EventCountry" => set(&mut self.nation, nation(spelling)),
            b"EventCategory" => set(&mut self.category, byte(spelling)),
            b"EventFlags" => {
                let flags = bits(spelling, &FLAGS);
                set(&mut self.flags, flags.map(|flags| (flags << 2) as u8))
            }
            b"EventEndDate" => set(&mut self.end, date(spelling)),
            b"EventCoordinates" => set(&mut self.coordinates, coordinates(spelling).map(Some)),
            b"EventTieBreaks" => set(&mut self.tie_breaks, tie_breaks(spelling).map(Some)),
            b"SourceTitle" => set(&mut self.source_title, text.map(Some)),
            b"SourceDate" => set(&mut self.publication, date(spelling)),
            b"SourceVersion" => set(&mut self.version, byte(spelling)),
            b"SourceVersionDate" => set(&mut self.version_date, date(spelling)),
            b"SourceQuality" => set(&mut self.quality, byte(spelling)),
            name => self.take_team(name, spelling, text) || self.take_title(name, text),
        }
    }

    fn take_team(&mut self, name: &[u8], spelling: &str, text: Option<TextId>) -> bool {
        for (team, tags) in self.teams.iter_mut().zip(&TEAMS) {
            let names = [tags.name, tags.number, tags.season, tags.country];
            if !names.iter().any(|other| other.as_bytes() == name) {
                continue;
            }
            let mut fields = team.take().unwrap_or_default();
            let taken = if name == tags.name.as_bytes() {
                set(&mut fields.name, text.map(Some))
            } else if name == tags.number.as_bytes() {
                set(&mut fields.number, number(spelling))
            } else if name == tags.season.as_bytes() {
                set(&mut fields.season, season(spelling).map(Some))
            } else {
                set(&mut fields.nation, nation(spelling))
            };
            // If the only tag of a team was refused, the team must not be written.
            let is_named = taken || fields.name.is_some() || fields.number > 0;
            let is_used = is_named || fields.season.is_some() || fields.nation > 0;
            *team = Some(fields).filter(|_| is_used);
            return taken;
        }
        false
    }

    fn take_title(&mut self, name: &[u8], text: Option<TextId>) -> bool {
        let index = TITLES.iter().position(|title| title.as_bytes() == name);
        index
            .and_then(|index| self.titles.get_mut(index))
            .is_some_and(|title| set(title, text.map(Some)))
    }

    /// Sets the fields of a tournament.
    pub(super) fn put_tournament(&self, tournament: &mut Tournament) {
        (tournament.kind, tournament.team) = self.kind.unwrap_or_default();
        tournament.rounds = self.rounds;
        tournament.nation = self.nation;
        tournament.category = self.category;
        tournament.flags |= self.flags;
    }

    /// Returns the details of the tournament, if any tag contains one.
    pub(super) fn details(&self) -> Option<NewTournamentDetails> {
        let has_details = self.end > 0 || self.coordinates.is_some() || self.tie_breaks.is_some();
        let (tie_breaks, count) = self
            .tie_breaks
            .unwrap_or((NewTournamentDetails::NONE.tie_breaks, 0));
        has_details.then(|| NewTournamentDetails {
            coordinates: self
                .coordinates
                .unwrap_or(NewTournamentDetails::NONE.coordinates),
            tie_breaks,
            count,
            end: self.end,
        })
    }

    /// Sets the fields of a source.
    pub(super) fn put_source(&self, source: &mut Source) {
        source.publication = self.publication;
        source.version = self.version;
        source.date = self.version_date;
        source.quality = self.quality;
    }
}

impl TeamFields {
    /// Sets the fields of a team, except its name.
    pub(super) fn put(&self, team: &mut Team) {
        team.number = self.number;
        (team.year, team.season) = self.season.unwrap_or_default();
        team.nation = self.nation;
    }
}

/// The details of a tournament (section 9.3).
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewTournamentDetails {
    coordinates: [f64; 2],
    tie_breaks: [u8; 10],
    count: u8,
    end: u32,
}

impl NewTournamentDetails {
    /// The version of the written records.
    pub(crate) const VERSION: u32 = 3;
    /// The size of a record in bytes.
    pub(crate) const SIZE: usize = 65;
    /// The record of a tournament without details.
    pub(crate) const NONE: NewTournamentDetails = NewTournamentDetails {
        coordinates: [0.0; 2],
        tie_breaks: [1; 10],
        count: 0,
        end: 0,
    };

    /// Appends the record.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let start = out.len();
        for value in self.coordinates {
            out.extend_from_slice(&value.to_be_bytes());
        }
        // The meaning of these bytes is unknown.
        for (place, value) in [(0x1A, 7), (0x25, 7), (0x30, 7)] {
            out.resize(start + place, 0);
            out.push(value);
        }
        out.resize(start + 0x32, 0);
        out.extend_from_slice(&self.tie_breaks);
        out.push(self.count);
        out.extend_from_slice(&self.end.to_be_bytes());
    }
}

/// Sets an empty field. Returns false if it is not empty or there is no value.
fn set<T: Default + PartialEq>(field: &mut T, value: Option<T>) -> bool {
    match value {
        Some(value) if *field == T::default() => {
            *field = value;
            true
        }
        _ => false,
    }
}

/// Parses a number from 1 without leading zeros.
fn number(text: &str) -> Option<u32> {
    let number: u32 = text.parse().ok()?;
    (number > 0 && text.starts_with(|first: char| ('1'..='9').contains(&first))).then_some(number)
}

fn byte(text: &str) -> Option<u8> {
    u8::try_from(number(text)?).ok()
}

fn nation(text: &str) -> Option<u8> {
    let unknown = || byte(text).filter(|number| nations::code(*number).is_none());
    nations::number(text).or_else(unknown)
}

fn date(text: &str) -> Option<u32> {
    let date = Date::from_pgn(text.as_bytes())?;
    let (packed, fits) = pack_date(date);
    (fits && packed > 0 && date.to_string() == text).then_some(packed)
}

/// Parses a list of names to their bits.
fn bits(text: &str, names: &[&str]) -> Option<u32> {
    let mut bits = 0;
    for name in text.split(", ") {
        bits |= 1 << names.iter().position(|other| *other == name)?;
    }
    (list(bits, names) == text).then_some(bits)
}

fn medals(text: &str) -> Option<u16> {
    Some(bits(text, &MEDALS)? as u16)
}

/// Parses the type of a tournament and whether it is a team event (section 9.2).
fn kind(text: &str) -> Option<(u8, u8)> {
    let (name, speeds) = match text.split_once('(') {
        Some((name, speeds)) => (name.trim_end(), bits(speeds.strip_suffix(')')?, &SPEEDS)?),
        None => (text, 0),
    };
    let number = |name: &str| match TYPES.iter().position(|other| *other == name) {
        Some(index) => Some(index as u8 + 1),
        None if name.is_empty() => Some(0),
        // Other types are spelled as numbers, which end below the bits of the speeds.
        None => byte(name).filter(|number| usize::from(*number) > TYPES.len() && *number < 32),
    };
    let team = name.strip_prefix("team-");
    let (number, team) = match team {
        Some(name) => (number(name)?, 1),
        None => (number(name)?, 0),
    };
    let kind = number | (speeds as u8) << 5;
    (event_type(kind, team) == text && kind | team > 0).then_some((kind, team))
}

fn coordinates(text: &str) -> Option<[f64; 2]> {
    let (latitude, longitude) = text.split_once(", ")?;
    let values: [f64; 2] = [latitude.parse().ok()?, longitude.parse().ok()?];
    let [latitude, longitude] = values;
    let is_same = format!("{latitude}, {longitude}") == text;
    (is_same && values != [0.0; 2]).then_some(values)
}

fn tie_breaks(text: &str) -> Option<([u8; 10], u8)> {
    let mut rules = [1; 10];
    let mut count = 0;
    for rule in text.split(' ') {
        let number: u8 = rule.parse().ok()?;
        *rules.get_mut(usize::from(count))? = number;
        count += 1;
        (number.to_string() == rule).then_some(())?;
    }
    Some((rules, count))
}

/// Parses the year, and 1 if the season ends in the following year.
fn season(text: &str) -> Option<(u32, u8)> {
    match text.split_once('/') {
        None => Some((number(text)?, 0)),
        Some((year, next)) => {
            let year = number(year)?;
            (number(next) == Some(year.wrapping_add(1))).then_some((year, 1))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every type that is read is accepted when written.
    #[test]
    fn types_of_tournaments_come_back() {
        for kind_byte in 0..=255 {
            for team in 0..2 {
                let said = event_type(kind_byte, team);
                // A team event without a type and one of the type for teams have the same text.
                let expected = match (kind_byte & 31, team) {
                    (0, 1) => (kind_byte | 5, 0),
                    other => (kind_byte, other.1),
                };
                let expected = Some(expected).filter(|expected| *expected != (0, 0));
                assert_eq!(kind(&said), expected, "{said}");
            }
        }
        assert_eq!(kind("Swiss"), None);
        assert_eq!(kind("swiss(blitz)"), None);
    }

    #[test]
    fn tag_values_parse_only_in_their_own_spelling() {
        assert_eq!(medals("best game, novelty"), Some(9));
        assert_eq!(medals("novelty, best game"), None);
        assert_eq!(
            (nation("GER"), nation("255"), nation("53")),
            (Some(53), Some(255), None)
        );
        assert_eq!(
            (season("2010/2011"), season("2010/2012")),
            (Some((2010, 1)), None)
        );
        assert_eq!(date("2010.??.??"), Some(2010 << 9));
        assert_eq!(
            (date("2010"), date("????.??.??"), date("9999.01.01")),
            (None, None, None)
        );
        assert_eq!(coordinates("47.5, -7"), Some([47.5, -7.0]));
        assert_eq!(tie_breaks("200 10").map(|(_, count)| count), Some(2));
        assert_eq!((byte("07"), byte("+7"), byte("256")), (None, None, None));
    }
}
