//! The values of tags that a 2CBH database for tests has.

use chessdb_core::Game;
use chessdb_core::model::Tag;

use super::{Content, string};

/// The names of the medals, from bit 0 (docs/formats/cbh.md, section 2).
pub const MEDALS: [&str; 16] = [
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

/// The title of a team; number, season, two bytes of the year, nation.
#[derive(Default)]
pub(super) struct Team {
    pub(super) title: String,
    pub(super) fields: [u8; 5],
}

/// The values of a game's tags.
#[derive(Default)]
pub(super) struct Tags {
    pub(super) tournament: [u8; 8],
    pub(super) source_title: String,
    pub(super) source: Vec<u8>,
    pub(super) teams: [Option<Team>; 2],
    pub(super) titles: Vec<u8>,
    pub(super) medals: u16,
    pub(super) line_nag: u8,
    pub(super) forfeit: bool,
}

impl Tags {
    /// Returns the team of White or Black, to which a tag belongs.
    fn team(&mut self, tag: &str) -> &mut Team {
        self.teams[usize::from(tag.starts_with('B'))].get_or_insert_default()
    }

    pub(super) fn new(game: &Game, content: Content) -> Tags {
        let mut tags = Tags {
            source: vec![0; 12],
            titles: vec![0; 4],
            ..Tags::default()
        };
        for tag in &game.header.tags {
            let Tag::Other { name, value } = tag else {
                continue;
            };
            let name = game.text(*name).decode().into_owned();
            let value = game.text(*value).decode().into_owned();
            match &name[..] {
                "Termination" => tags.forfeit = true,
                "LineEvaluation" => tags.line_nag = value.trim_start_matches('$').parse().unwrap(),
                "Medals" => {
                    for name in value.split(", ") {
                        let bit = MEDALS.iter().position(|other| *other == name);
                        match bit {
                            Some(bit) => tags.medals |= 1 << bit,
                            None => content.missing(&format!("the medal {name}")),
                        }
                    }
                }
                "EventRounds" => tags.tournament[6] = value.parse().unwrap(),
                "EventCategory" => tags.tournament[4] = value.parse().unwrap(),
                "EventCountry" if value == "GER" => tags.tournament[2] = 53,
                "EventType" if value == "swiss" => tags.tournament[0] = 4,
                "SourceTitle" => tags.source_title = value,
                "WhiteTeam" | "BlackTeam" => tags.team(&name).title = value,
                "WhiteTeamNumber" | "BlackTeamNumber" => {
                    tags.team(&name).fields[0] = value.parse().unwrap();
                }
                "WhiteTeamSeason" | "BlackTeamSeason" => {
                    let team = tags.team(&name);
                    team.fields[1] = value.contains('/').into();
                    let year: u16 = value[..4].parse().unwrap();
                    team.fields[2..4].copy_from_slice(&year.to_le_bytes());
                }
                "WhiteTeamCountry" | "BlackTeamCountry" if value == "GER" => {
                    tags.team(&name).fields[4] = 53;
                }
                "GameTitle" => {
                    tags.titles = 1u32.to_le_bytes().to_vec();
                    tags.titles.extend(42u32.to_le_bytes());
                    string(&value, &mut tags.titles);
                }
                name => content.missing(&format!("the tag {name} \"{value}\"")),
            }
        }
        tags
    }
}
