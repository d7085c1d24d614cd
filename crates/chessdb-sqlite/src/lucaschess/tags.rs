//! The names of tags: columns are in capitals.

use super::pickle::Pickle;
use super::store::{body_of, plies_of};
use crate::file::{Leaves, Pages, Record, Schema, Table, Value};

/// More instructions than the spellings of the tags of any database need.
const MOST_INSTRUCTIONS: u64 = 1 << 16;

/// The tags that PGN gives a meaning, as it spells them.
const USUAL: [&str; 40] = [
    "Event",
    "Site",
    "Date",
    "Round",
    "White",
    "Black",
    "Result",
    "Annotator",
    "ECO",
    "FEN",
    "NIC",
    "WhiteElo",
    "BlackElo",
    "WhiteTitle",
    "BlackTitle",
    "WhiteFideId",
    "BlackFideId",
    "WhiteTeam",
    "BlackTeam",
    "WhiteUSCF",
    "BlackUSCF",
    "WhiteNA",
    "BlackNA",
    "WhiteType",
    "BlackType",
    "WhiteRatingDiff",
    "BlackRatingDiff",
    "EventDate",
    "EventSponsor",
    "EventType",
    "SourceDate",
    "SourceTitle",
    "TimeControl",
    "UTCDate",
    "UTCTime",
    "SetUp",
    "GameId",
    "WhiteClock",
    "BlackClock",
    "SubVariation",
];

/// Returns the columns of the table that hold tags, with the names of the tags, in the order of PGN.
pub(super) fn of(pages: &Pages<'_>, schema: &Schema, table: &Table) -> Vec<(usize, String)> {
    let spellings = spellings(pages, schema);
    let others = [table.column("XPV"), body_of(table), plies_of(table)];
    let columns = table.columns.iter().enumerate();
    let mut tags: Vec<(usize, String)> = columns
        .filter(|(place, _)| !others.contains(&Some(*place)))
        .map(|(place, column)| (place, spelled(&column.name, &spellings)))
        .collect();
    let order = ["Event", "Site", "Date", "Round", "White", "Black", "Result"];
    tags.sort_by_key(|(_, name)| {
        order
            .iter()
            .position(|first| first == name)
            .unwrap_or(order.len())
    });
    tags
}

/// Returns whether the name of a tag is read again from a column in capitals.
#[cfg(feature = "write")]
pub(super) fn is_read_as(name: &str) -> bool {
    let usual = USUAL.iter().find(|usual| usual.eq_ignore_ascii_case(name));
    usual.is_none_or(|usual| *usual == name) && name != "PlyCount"
}

/// Returns the spelling of a tag whose name is in capitals.
fn spelled(capitals: &str, spellings: &[(Vec<u8>, Vec<u8>)]) -> String {
    let known = spellings
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(capitals.as_bytes()))
        .and_then(|(_, spelling)| std::str::from_utf8(spelling).ok());
    let is_usual = |usual: &&&str| usual.eq_ignore_ascii_case(capitals);
    if let Some(usual) = USUAL.iter().find(is_usual) {
        return (*usual).to_owned();
    }
    if let Some(known) = known {
        return known.to_owned();
    }
    let mut name = capitals.to_lowercase();
    if let Some(first) = name.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    name
}

/// Returns the spellings that the database remembers: capitals, then the tag as it first came.
fn spellings(pages: &Pages<'_>, schema: &Schema) -> Vec<(Vec<u8>, Vec<u8>)> {
    let found = schema.table("Config").and_then(|table| {
        let (key, content) = (table.column("KEY")?, table.column("VALUE")?);
        let leaves = Leaves::of(pages, table.root);
        let mut buffer = Vec::new();
        (0..leaves.len().min(64)).find_map(|n| {
            let row = leaves.nth(pages, n)?;
            let record = Record::parse(row.payload(pages, &mut buffer)?)?;
            let values: Vec<Value<'_>> = record.values().collect();
            (values.get(key)?.as_bytes()? == b"dcabs").then_some(())?;
            let bytes = values.get(content)?.as_bytes()?;
            Pickle::read(bytes, MOST_INSTRUCTIONS).ok()
        })
    });
    let Some(pickle) = found else {
        return Vec::new();
    };
    let pairs = pickle.root().pairs();
    pairs
        .filter_map(|(name, spelling)| Some((name.text()?.to_vec(), spelling.text()?.to_vec())))
        .collect()
}
