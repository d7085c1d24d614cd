//! The table `Info` of En Croissant and OCGDB: names and values.

use chessdb_core::{BaseInfo, Charset, ReadOptions, Result, Scratch};

use crate::file::{Layout, Pages, Schema, Value};
use crate::row_format::RowFormat;
use crate::rows::side_rows;

/// The values that every new database has, of the program or counted again.
const COMPUTED: [&[u8]; 12] = [
    b"Version",
    b"version",
    b"Data Structure Version",
    b"GameCount",
    b"games",
    b"PlayerCount",
    b"players",
    b"EventCount",
    b"events",
    b"SiteCount",
    b"sites",
    b"CommentCount",
];
/// The values that OCGDB sets, and that a program may change.
const SETTINGS: [&[u8]; 4] = [b"License", b"license", b"Variant", b"variant"];

/// Adds title, description and other rows to the data of the database, and returns the number of
/// games that it states.
pub(crate) fn base_of(
    pages: &Pages<'_>,
    schema: &Schema,
    RowFormat { known, file, .. }: &RowFormat,
    base: &mut BaseInfo,
    report: (&ReadOptions, &mut Scratch),
) -> Result<Option<i64>> {
    let mut stated = None;
    let table = schema.table("Info");
    let columns = table.and_then(|table| Some((table.column("Name")?, table.column("Value")?)));
    let encoding = pages.encoding();
    side_rows(pages, table, *file, report, |values| {
        let Some((name, content)) = columns else {
            return;
        };
        let value = |column: usize| values.get(column).copied().unwrap_or(Value::Null);
        let (Some(name), content) = (value(name).to_text(encoding), value(content)) else {
            return;
        };
        let text = content.to_text(encoding).unwrap_or_default();
        match &*name {
            b"Description" if !text.is_empty() => {
                base.description = base.texts.push(&text, Charset::UTF_8);
            }
            b"Title" if !text.is_empty() => base.title = base.texts.push(&text, Charset::UTF_8),
            b"GameCount" | b"games" => {
                let text = std::str::from_utf8(&text);
                stated = text.ok().and_then(|text| text.parse().ok());
            }
            // An empty text is the same as none.
            b"Description" | b"Title" => {}
            name if COMPUTED.contains(&name) => {}
            name if SETTINGS.contains(&name) => {
                base.settings.push(known.row(name, content, encoding));
            }
            name => base.extras.push(known.row(name, content, encoding)),
        }
    })?;
    Ok(stated)
}

impl Layout {
    /// Creates a layout with the tables of settings and names of En Croissant and OCGDB before the
    /// others.
    pub(crate) fn with_names(
        others: impl IntoIterator<Item = String>,
        has_more_columns: bool,
        is_game: fn(&[Value<'_>]) -> bool,
    ) -> Layout {
        let names = [
            "CREATE TABLE Info (Name TEXT, Value TEXT)",
            "CREATE TABLE Events (ID INTEGER PRIMARY KEY, Name TEXT)",
            "CREATE TABLE Sites (ID INTEGER PRIMARY KEY, Name TEXT)",
            "CREATE TABLE Players (ID INTEGER PRIMARY KEY, Name TEXT, Elo INTEGER)",
        ];
        Layout {
            definitions: names.map(str::to_owned).into_iter().chain(others).collect(),
            games: vec!["Games".to_owned()],
            has_more_columns,
            is_game,
        }
    }
}
