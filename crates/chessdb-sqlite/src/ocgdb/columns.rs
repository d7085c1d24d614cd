//! The tables and columns of all versions (docs/formats/ocgdb.md, sections 1 and 2).

use crate::file::{Schema, Table};
use crate::rows::Names;

/// The columns of the table of games.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    pub(super) id: Option<usize>,
    /// The columns with numbers of names, with their tags and lists.
    pub(super) names: Vec<(usize, &'static str, Option<Names>)>,
    /// The columns that hold a tag each.
    pub(super) tags: Vec<(usize, String)>,
    pub(super) plies: Option<usize>,
    /// The columns of the moves. In each row, the first with a value counts.
    pub(super) moves: Vec<Moves>,
}

/// A column of moves and how they are stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Moves {
    /// As movetext of PGN.
    Text(usize),
    /// In two bytes each.
    Wide(usize),
    /// In one byte each, two for a queen's.
    Narrow(usize),
}

/// Returns the table of games, if the database is one of OCGDB.
pub(super) fn games_of(schema: &Schema) -> Option<&Table> {
    let table = schema.table("Games").or_else(|| schema.table("Game"))?;
    let has = |names: [&str; 2]| names.iter().any(|name| table.column(name).is_some());
    // En Croissant descends from OCGDB and has more columns.
    let is_own = has(["EventID", "event_id"])
        && has(["WhiteID", "white_id"])
        && !has(["WhiteMaterial", "PawnHome"]);
    (is_own && !moves_of(table).is_empty()).then_some(table)
}

/// Returns the columns of moves, the one that can express most first.
fn moves_of(table: &Table) -> Vec<Moves> {
    let text = table.column("Moves").map(Moves::Text);
    let wide = table.column("Moves2").map(Moves::Wide);
    let narrow = table.column("Moves1").map(Moves::Narrow);
    [text, wide, narrow].into_iter().flatten().collect()
}

impl Moves {
    pub(super) fn column(self) -> usize {
        match self {
            Moves::Text(column) | Moves::Wide(column) | Moves::Narrow(column) => column,
        }
    }
}

/// Columns that hold a tag, by their names in all versions.
pub(super) const TAGS: [(&str, &str); 15] = [
    ("Date", "Date"),
    ("Round", "Round"),
    ("Result", "Result"),
    ("WhiteElo", "WhiteElo"),
    ("white_elo", "WhiteElo"),
    ("BlackElo", "BlackElo"),
    ("black_elo", "BlackElo"),
    ("ECO", "ECO"),
    ("TimeControl", "TimeControl"),
    ("Timer", "TimeControl"),
    ("FEN", "FEN"),
    ("Source", "Source"),
    ("Annotator", "Annotator"),
    ("EventDate", "EventDate"),
    ("Termination", "Termination"),
];

/// The names of the column with the number of half-moves.
pub(super) const PLIES: [&str; 2] = ["PlyCount", "length"];

/// Columns that hold something else.
pub(super) const OTHERS: [&str; 12] = [
    "ID", "EventID", "event_id", "SiteID", "site_id", "WhiteID", "white_id", "BlackID", "black_id",
    "Moves", "Moves1", "Moves2",
];

impl Columns {
    pub(super) fn new(schema: &Schema, table: &Table) -> Columns {
        let list = |names: [&str; 2], column| {
            names
                .iter()
                .find_map(|name| Names::find(schema, name, column))
        };
        let events = list(["Events", "Event"], "Name");
        let sites = list(["Sites", "Site"], "Name");
        let players = list(["Players", "Player"], "Name");
        let lists = [
            (["EventID", "event_id"], "Event", events),
            (["SiteID", "site_id"], "Site", sites),
            (["WhiteID", "white_id"], "White", players),
            (["BlackID", "black_id"], "Black", players),
        ];
        let names = lists.into_iter().filter_map(|(columns, tag, list)| {
            let place = columns.iter().find_map(|name| table.column(name))?;
            Some((place, tag, list))
        });
        let is_listed =
            |list: &[&str], name: &str| list.iter().any(|own| own.eq_ignore_ascii_case(name));
        let order = |name: &str| {
            TAGS.iter()
                .position(|(own, _)| own.eq_ignore_ascii_case(name))
        };
        let mut tags: Vec<(usize, String, usize)> = Vec::new();
        for (place, column) in table.columns.iter().enumerate() {
            if is_listed(&OTHERS, &column.name) || is_listed(&PLIES, &column.name) {
                continue;
            }
            let listed = order(&column.name).and_then(|index| Some((index, TAGS.get(index)?.1)));
            match listed {
                Some((index, tag)) => tags.push((place, tag.to_owned(), index)),
                None => tags.push((place, column.name.clone(), TAGS.len())),
            }
        }
        // Tags of the list come in its order, all others in the order of the table.
        tags.sort_by_key(|&(place, _, index)| (index, place));
        Columns {
            id: table.column("ID"),
            names: names.collect(),
            tags: tags
                .into_iter()
                .map(|(place, tag, _)| (place, tag))
                .collect(),
            plies: PLIES.iter().find_map(|name| table.column(name)),
            moves: moves_of(table),
        }
    }
}

/// Returns whether the database is of a version that exchanged White and Black
/// (docs/formats/ocgdb.md, section 2).
pub(super) fn may_exchange_players(table: &Table) -> bool {
    table.column("EventID").is_some() && table.column("Timer").is_some()
}
