//! Reading of games.

use std::collections::VecDeque;

use chessdb_core::error::Location;
use chessdb_core::legacy::PlainNumbering;
use chessdb_core::legacy::encroissant::EnCroissantNumbering;
use chessdb_core::line::read_game;
use chessdb_core::report::{Finding, GameReport};
use chessdb_core::{BaseInfo, ErrorKind, FileSet, Game, ReadOptions, Result, Scratch};

use super::format::FORMAT;
use super::moves;
use crate::file::{Layout, Pages, Schema, Table, Value};
use crate::info::base_of;
use crate::moves::{check_plies, mainline};
use crate::row_format::RowFormat;
use crate::row_store::{ReadRows, RowStore, cell};
use crate::rows::Names;
use crate::tags::Tags;
use crate::wide;

/// The columns of the games of every new database, and the one of the moves in version 0.1.
pub(super) const ALL_COLUMNS: [&str; 20] = [
    "ID",
    "EventID",
    "SiteID",
    "Date",
    "UTCTime",
    "Round",
    "WhiteID",
    "WhiteElo",
    "BlackID",
    "BlackElo",
    "WhiteMaterial",
    "BlackMaterial",
    "Result",
    "TimeControl",
    "ECO",
    "PlyCount",
    "FEN",
    "Moves",
    "PawnHome",
    "Moves2",
];

/// The columns of the games of every new database.
pub(super) const COLUMNS: &[&str] = ALL_COLUMNS.split_at(19).0;

/// The columns that hold the tag of the same name, in the order of tags.
const TAGS: [&str; 9] = [
    "Date",
    "UTCTime",
    "Round",
    "WhiteElo",
    "BlackElo",
    "Result",
    "TimeControl",
    "ECO",
    "FEN",
];

/// A database that is open for reading.
pub type Store<'a> = RowStore<'a, Rows>;

/// The tables and columns of a database.
#[derive(Clone, Debug)]
pub struct Rows {
    names: Lists,
    event: Option<usize>,
    site: Option<usize>,
    white: Option<usize>,
    black: Option<usize>,
    plies: Option<usize>,
    moves: Option<usize>,
    /// Whether moves take two bytes, as in version 0.1.
    has_wide_moves: bool,
    tags: Vec<(usize, &'static str)>,
    /// The number of games that the database states, if it does.
    stated: Option<i64>,
}

/// The tables of names.
#[derive(Clone, Copy, Debug)]
struct Lists {
    players: Option<Names>,
    events: Option<Names>,
    sites: Option<Names>,
    /// Whether an absent tag is row 0, so that a row with an empty name is an empty tag. Versions
    /// before 0.5 have an empty name instead.
    has_row_0: bool,
}

impl ReadRows for Rows {
    const FORMAT: &'static RowFormat = &FORMAT;
    const NAMES: &'static [&'static str] = &["Events", "Sites", "Players"];
    const HAS_FACTS: bool = true;

    fn layouts() -> Vec<Layout> {
        super::layouts::layouts()
    }

    fn games(schema: &Schema) -> Option<&Table> {
        schema.table("Games")
    }

    fn open(
        pages: &Pages<'_>,
        schema: &Schema,
        games: &Table,
        base: &mut BaseInfo,
        report: (&ReadOptions, &mut Scratch),
    ) -> Result<Rows> {
        let stated = base_of(pages, schema, &FORMAT, base, report)?;
        let [players, events, sites] =
            ["Players", "Events", "Sites"].map(|table| Names::find(schema, table, "Name"));
        let row_0 = events.and_then(|events| events.get(pages, 0));
        let column = |name| games.column(name);
        let tags = TAGS.iter().filter_map(|tag| Some((column(tag)?, *tag)));
        Ok(Rows {
            names: Lists {
                players,
                events,
                sites,
                has_row_0: row_0.is_some(),
            },
            event: column("EventID"),
            site: column("SiteID"),
            white: column("WhiteID"),
            black: column("BlackID"),
            plies: column("PlyCount"),
            moves: column("Moves").or_else(|| column("Moves2")),
            has_wide_moves: column("Moves").is_none(),
            tags: tags.collect(),
            stated,
        })
    }

    fn is_writable(&self, _: &Pages<'_>, games: &Table) -> bool {
        // The writer makes no moves of two bytes, so it cannot change them.
        self.names.has_row_0 && games.column("Moves2").is_none()
    }

    fn read(
        &self,
        pages: &Pages<'_>,
        (row, location): (&[Value<'_>], Location),
        has_moves: bool,
        game: &mut Game,
        report: &mut GameReport<'_>,
    ) -> Result<()> {
        self.header(pages, row, location, game, report)?;
        if has_moves {
            self.moves(row, location, game, report)?;
        }
        Ok(())
    }

    fn stated_games(&self) -> Option<i64> {
        self.stated
    }
}

impl Rows {
    fn header(
        &self,
        pages: &Pages<'_>,
        row: &[Value<'_>],
        location: Location,
        game: &mut Game,
        report: &mut GameReport<'_>,
    ) -> Result<()> {
        let mut tags = Tags::default();
        for (tag, column, list) in [
            ("Event", self.event, self.names.events),
            ("Site", self.site, self.names.sites),
            ("White", self.white, self.names.players),
            ("Black", self.black, self.names.players),
        ] {
            let number = match cell(row, column) {
                Value::Null => continue,
                number => number.as_int(),
            };
            let Some(number) = number else {
                let kind = ErrorKind::Structure("the number of a name is not a number");
                report.lost(kind, location)?;
                continue;
            };
            // Row 0 stands for an absent tag.
            if number == 0 {
                continue;
            }
            match list.and_then(|list| list.get(pages, number)) {
                Some(name) if name.is_empty() && !self.names.has_row_0 => {}
                // The program leaves the escapes of PGN in these names.
                Some(name) if matches!(tag, "Event" | "Site") => {
                    tags.put_escaped(tag, &name);
                }
                Some(name) => {
                    tags.put(tag, &name);
                }
                None => {
                    let kind = ErrorKind::bad_field("number of a name", number as u64);
                    report.lost(kind, location)?;
                }
            }
        }
        for &(column, tag) in &self.tags {
            let Some(text) = cell(row, column).to_text(pages.encoding()) else {
                continue;
            };
            match (tag, &*text) {
                // The program writes this for a rating that is no number.
                ("WhiteElo" | "BlackElo", b"0") => tags.put(tag, b"-"),
                ("Date" | "UTCTime" | "Result", text) => tags.put_escaped(tag, text),
                (_, text) => tags.put(tag, text),
            };
        }
        tags.read(location, game, report)
    }

    fn moves(
        &self,
        row: &[Value<'_>],
        location: Location,
        game: &mut Game,
        report: &mut GameReport<'_>,
    ) -> Result<()> {
        let moves = cell(row, self.moves);
        if matches!(moves, Value::Int(_) | Value::Real(_)) {
            let kind = ErrorKind::Structure("the moves are a number");
            report.lost(kind, location)?;
        }
        let bytes = moves.as_bytes().unwrap_or_default();
        let plies = if self.has_wide_moves {
            read_game(PlainNumbering, location, game, report, |line| {
                mainline(bytes, VecDeque::new(), line, |lines, bytes| {
                    wide::decode(lines.board(), bytes)
                })
            })
        } else {
            read_game(EnCroissantNumbering, location, game, report, |line| {
                moves::read(bytes, line)
            })
        };
        let stated = cell(row, self.plies).as_int();
        check_plies(plies?, stated, location, report)
    }
}

/// Reports what SQLite finds, and a stated number of games that is not the number of rows.
pub(super) fn check(files: &dyn FileSet, options: &ReadOptions, sink: &mut dyn FnMut(Finding)) {
    Store::check(files, options, sink);
}
