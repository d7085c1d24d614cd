//! Data without a field in the model, represented as tags with the names that ChessBase uses in
//! PGN.

use chessdb_core::model::Tag;
use chessdb_core::text::TextId;
use chessdb_core::{Charset, Date, Game};

use super::nations;
use super::read::date;
use crate::name_tables::NameTables;
use crate::raw::{GameTag, Tournament, TournamentDetails, cut};

/// The names of the medals, from bit 0 (section 2).
pub(super) const MEDALS: [&str; 16] = [
    "best game",
    "decided tournament",
    "model game",
    "novelty",
    "pawn structure",
    "strategy",
    "tactics",
    "with attack",
    "defence",
    "sacrifice",
    "material",
    "piece play",
    "endgame",
    "tactical blunder",
    "strategical blunder",
    "user",
];

/// The types of tournaments, from 1 (section 9.2).
pub(super) const TYPES: [&str; 8] = [
    "game", "match", "tourn", "swiss", "team", "k.o.", "simul", "schev",
];

/// The names of bits 5 to 7 of the type.
pub(super) const SPEEDS: [&str; 3] = ["blitz", "rapid", "corr"];

/// The names of the flags of a tournament, from bit 2.
pub(super) const FLAGS: [&str; 6] = [
    "board points",
    "three points for a win",
    "bit 4",
    "bit 5",
    "bit 6",
    "bit 7",
];

/// Adds a tag with an ASCII value.
pub(crate) fn put(game: &mut Game, name: &str, value: &str) {
    let value = game.texts.push(value.as_bytes(), Charset::UTF_8);
    put_text(game, name, value);
}

/// Adds a tag, unless its value is missing.
pub(crate) fn put_text(game: &mut Game, name: &str, value: TextId) {
    if value.is_some() {
        let name = game.texts.push(name.as_bytes(), Charset::UTF_8);
        game.header.tags.push(Tag::Other { name, value });
    }
}

pub(crate) fn put_number(game: &mut Game, name: &str, number: u32) {
    if number > 0 {
        game.texts.begin();
        game.texts.extend_number(number);
        let value = game.texts.finish(Charset::UTF_8);
        put_text(game, name, value);
    }
}

pub(crate) fn put_date(game: &mut Game, name: &str, stored: u32) {
    let value: Date = date(stored);
    if !value.is_unknown() {
        put(game, name, &value.to_string());
    }
}

fn put_nation(game: &mut Game, name: &str, nation: u8) {
    match nations::code(nation) {
        Some(code) => put(game, name, code),
        // A number without a code is accepted as a number when it is written.
        None => put_number(game, name, nation.into()),
    }
}

/// Returns the names of the set bits, separated by commas.
pub(super) fn list(bits: u32, names: &[&str]) -> String {
    let bits_set = names
        .iter()
        .enumerate()
        .filter(|(bit, _)| bits >> bit & 1 != 0);
    let set: Vec<&str> = bits_set.map(|(_, name)| *name).collect();
    set.join(", ")
}

pub(crate) fn put_medals(game: &mut Game, medals: u16) {
    if medals > 0 {
        put(game, "Medals", &list(medals.into(), &MEDALS));
    }
}

/// Adds the termination of a game that was not decided on the board (section 2).
pub(super) fn put_termination(game: &mut Game, how: &str) {
    put(game, "Termination", how);
}

/// Adds the tags of a tournament (section 9.2). The flags of complete tournaments are the default
/// and not included.
pub(crate) fn put_tournament(game: &mut Game, tournament: &Tournament) {
    if tournament.kind != 0 || tournament.team != 0 {
        put(
            game,
            "EventType",
            &event_type(tournament.kind, tournament.team),
        );
    }
    put_number(game, "EventRounds", tournament.rounds.into());
    put_nation(game, "EventCountry", tournament.nation);
    put_number(game, "EventCategory", tournament.category.into());
    if tournament.flags > 3 {
        put(
            game,
            "EventFlags",
            &list(u32::from(tournament.flags) >> 2, &FLAGS),
        );
    }
}

/// Returns a type such as `swiss`, `match (blitz)` or `team-tourn`.
pub(super) fn event_type(kind: u8, team: u8) -> String {
    let number = kind & 0x1F;
    let name = number
        .checked_sub(1)
        .and_then(|n| TYPES.get(usize::from(n)));
    let mut text = match (number, name) {
        (0, _) => String::new(),
        (_, Some(name)) => (*name).to_owned(),
        (number, None) => number.to_string(),
    };
    if team != 0 {
        text = if text.is_empty() { "team".to_owned() } else { format!("team-{text}") };
    }
    let speed = list(u32::from(kind) >> 5, &SPEEDS);
    match (speed.is_empty(), text.is_empty()) {
        (true, _) => text,
        (false, true) => format!("({speed})"),
        (false, false) => format!("{text} ({speed})"),
    }
}

/// Adds the tags of a tournament's details (section 9.3).
pub(super) fn put_details(game: &mut Game, details: TournamentDetails<'_>) {
    let [latitude, longitude] = details.coordinates();
    if latitude != 0.0 || longitude != 0.0 {
        put(
            game,
            "EventCoordinates",
            &format!("{latitude}, {longitude}"),
        );
    }
    put_date(game, "EventEndDate", details.end());
    let rules = details.tie_breaks();
    if !rules.is_empty() {
        let numbers: Vec<String> = rules.iter().map(u8::to_string).collect();
        put(game, "EventTieBreaks", &numbers.join(" "));
    }
}

/// The fields of a source except its texts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SourceFields {
    pub(crate) publication: u32,
    pub(crate) version: u32,
    pub(crate) date: u32,
    pub(crate) quality: u32,
}

/// Adds the tags of a source: its title and everything else except the publisher.
pub(crate) fn put_source(game: &mut Game, title: TextId, source: &SourceFields) {
    put_text(game, "SourceTitle", title);
    put_date(game, "SourceDate", source.publication);
    put_number(game, "SourceVersion", source.version);
    put_date(game, "SourceVersionDate", source.date);
    put_number(game, "SourceQuality", source.quality);
}

/// The tag names for a team.
pub(crate) struct TeamTags {
    pub(super) name: &'static str,
    pub(super) number: &'static str,
    pub(super) season: &'static str,
    pub(super) country: &'static str,
}

pub(crate) const TEAMS: [TeamTags; 2] = [
    TeamTags {
        name: "WhiteTeam",
        number: "WhiteTeamNumber",
        season: "WhiteTeamSeason",
        country: "WhiteTeamCountry",
    },
    TeamTags {
        name: "BlackTeam",
        number: "BlackTeamNumber",
        season: "BlackTeamSeason",
        country: "BlackTeamCountry",
    },
];

/// The fields of a team except its name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoredTeam {
    pub(crate) number: u32,
    pub(crate) season: u8,
    pub(crate) year: u32,
    pub(crate) nation: u8,
}

pub(crate) fn put_team(game: &mut Game, tags: &TeamTags, title: TextId, team: &StoredTeam) {
    put_text(game, tags.name, title);
    put_number(game, tags.number, team.number);
    if team.year != 0 {
        let season = match team.season & 1 {
            0 => team.year.to_string(),
            _ => format!("{}/{}", team.year, team.year.wrapping_add(1)),
        };
        put(game, tags.season, &season);
    }
    put_nation(game, tags.country, team.nation);
}

/// The tag names for a game tag, by language.
pub(crate) const TITLES: [&str; 8] = [
    "GameTitle",
    "GameTitleGerman",
    "GameTitleFrench",
    "GameTitleSpanish",
    "GameTitleItalian",
    "GameTitleDutch",
    "GameTitle7",
    "GameTitle8",
];

/// Adds a game tag in all its languages. The game tag with number 0 is empty.
pub(super) fn put_game_tag(game: &mut Game, data: &[u8], names: &NameTables<'_>) {
    for (name, field) in TITLES.iter().zip(data.chunks(GameTag::TITLE)) {
        if !cut(field).is_empty() {
            let title = names.push(field, &mut game.texts);
            put_text(game, name, title);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_tournaments_are_those_of_chessbase() {
        for (kind, team, expected) in [
            (4, 0, "swiss"),
            (0x22, 0, "match (blitz)"),
            (3, 1, "team-tourn"),
            (5, 0, "team"),
            (0x40, 0, "(rapid)"),
            (9, 0, "9"),
            (0, 1, "team"),
        ] {
            assert_eq!(event_type(kind, team), expected);
        }
    }
}
