//! The names of tags: columns are in capitals.

use chessdb_core::{BaseInfo, ReadOptions, Result, Scratch};

use super::format::FORMAT;
use super::pickle::Pickle;
use super::store::{body_of, plies_of};
use crate::file::{Pages, Schema, Table, Value};
use crate::rows::side_rows;

/// More instructions than the spellings of the tags of any database need.
const MOST_INSTRUCTIONS: u64 = 1 << 16;

/// The tags that PGN gives a meaning, as it spells them.
pub(super) const USUAL: [&str; 40] = [
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
pub(super) fn tag_columns(config: &Config, table: &Table) -> Vec<(usize, String)> {
    let spellings = pairs(config.0.as_deref());
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

/// Returns the spelling of a tag whose name is in capitals.
pub(super) fn spelled(capitals: &str, spellings: &[(Vec<u8>, Vec<u8>)]) -> String {
    let remembered = spellings
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(capitals.as_bytes()))
        .and_then(|(_, spelling)| std::str::from_utf8(spelling).ok());
    let is_usual = |usual: &&&str| usual.eq_ignore_ascii_case(capitals);
    // PGN's own spelling has precedence over the remembered one.
    if let Some(usual) = USUAL.iter().find(is_usual) {
        return (*usual).to_owned();
    }
    if let Some(remembered) = remembered {
        return remembered.to_owned();
    }
    let mut name = capitals.to_lowercase();
    if let Some(first) = name.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    name
}

/// The key of the names of tags.
const SPELLINGS: &[u8] = b"dcabs";
/// The keys of the program's options. They concern only the program, so that a database in another
/// format misses nothing without them.
const OPTIONS: [&[u8]; 6] = [
    b"ALLOWS_DUPLICATES",
    b"ALLOWS_POSITIONS",
    b"ALLOWS_COMPLETE_GAMES",
    b"ALLOWS_ZERO_MOVES",
    b"SUMMARY_DEPTH",
    b"dic_grid",
];

/// The pickle with the names of tags, if there is any.
#[derive(Default)]
pub(super) struct Config(Option<Vec<u8>>);

/// Reads the settings of the database, and adds those of the program and of others to `base`.
pub(super) fn config(
    pages: &Pages<'_>,
    schema: &Schema,
    base: &mut BaseInfo,
    report: (&ReadOptions, &mut Scratch),
) -> Result<Config> {
    let mut config = Config::default();
    let table = schema.table("Config");
    let columns = table.and_then(|table| Some((table.column("KEY")?, table.column("VALUE")?)));
    let encoding = pages.encoding();
    side_rows(pages, table, FORMAT.file, report, |values| {
        let Some((key, content)) = columns else {
            return;
        };
        let value = |column: usize| values.get(column).copied().unwrap_or(Value::Null);
        let key = value(key).to_text(encoding).unwrap_or_default();
        let content = value(content);
        if &*key == SPELLINGS {
            config.0 = content.as_bytes().map(<[u8]>::to_vec);
            return;
        }
        let row = FORMAT.known.row(&key, content, encoding);
        if OPTIONS.contains(&&*key) {
            base.settings.push(row)
        } else {
            base.extras.push(row)
        }
    })?;
    Ok(config)
}

/// Returns the pairs of texts in the pickle of a dictionary.
pub(super) fn pairs(pickle: Option<&[u8]>) -> Vec<(Vec<u8>, Vec<u8>)> {
    let parsed = pickle.and_then(|bytes| Pickle::read(bytes, MOST_INSTRUCTIONS).ok());
    let Some(pickle) = parsed else {
        return Vec::new();
    };
    let pairs = pickle.root().pairs();
    pairs
        .filter_map(|(name, spelling)| Some((name.text()?.to_vec(), spelling.text()?.to_vec())))
        .collect()
}
