//! Reading of games.

use std::collections::VecDeque;

use chessdb_core::error::Location;
use chessdb_core::legacy::PlainNumbering;
use chessdb_core::legacy::encroissant::EnCroissantNumbering;
use chessdb_core::line::read_game;
use chessdb_core::report::{Finding, GameReport};
use chessdb_core::store::{Opened, UnusedSpace};
use chessdb_core::{ErrorKind, FileSet, Game, ReadOptions, Result, Scratch, Severity};

use super::format::{DB3, KNOWN, WAL};
use super::layouts::layouts;
use super::moves;
use crate::file::{Table, Value};
use crate::info::base_of;
use crate::moves::{check_plies, mainline};
use crate::rows::{
    Games, Names, check_count, impl_game_store, is_changeable, no_table, open_or_salvage, salvaged,
    verify,
};
use crate::tags::Tags;
use crate::wide;

/// The columns of a game.
pub(super) const COLUMNS: [&str; 19] = [
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
];

/// A database that is open for reading.
#[derive(Debug)]
pub struct Store<'a> {
    options: ReadOptions,
    games: Games<'a>,
    columns: Columns,
    names: Lists,
    opened: Opened,
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

/// The places of the columns of `Games`.
#[derive(Clone, Debug)]
struct Columns {
    event: Option<usize>,
    site: Option<usize>,
    white: Option<usize>,
    black: Option<usize>,
    plies: Option<usize>,
    moves: Option<usize>,
    /// Whether moves take two bytes, as in version 0.1.
    has_wide_moves: bool,
    /// The columns that hold a tag each, in the order of tags.
    tags: Vec<(usize, &'static str)>,
}

impl Columns {
    fn new(table: &Table) -> Columns {
        let column = |name| table.column(name);
        let tags = [
            ("Date", "Date"),
            ("UTCTime", "UTCTime"),
            ("Round", "Round"),
            ("WhiteElo", "WhiteElo"),
            ("BlackElo", "BlackElo"),
            ("Result", "Result"),
            ("TimeControl", "TimeControl"),
            ("ECO", "ECO"),
            ("FEN", "FEN"),
        ];
        Columns {
            event: column("EventID"),
            site: column("SiteID"),
            white: column("WhiteID"),
            black: column("BlackID"),
            plies: column("PlyCount"),
            moves: column("Moves").or_else(|| column("Moves2")),
            has_wide_moves: column("Moves").is_none(),
            tags: tags
                .into_iter()
                .filter_map(|(name, tag)| Some((column(name)?, tag)))
                .collect(),
        }
    }
}

impl<'a> Store<'a> {
    /// Opens a database.
    ///
    /// # Errors
    ///
    /// Returns an error if it is no SQLite file or has no table of games, and in strict mode also if
    /// pages are missing or damaged.
    pub fn open(files: &'a dyn FileSet, options: ReadOptions) -> Result<Store<'a>> {
        let (pages, schema) = open_or_salvage(files, DB3, WAL, &options, layouts)?;
        let missing = || no_table(&schema, DB3);
        let table = schema.table("Games").ok_or_else(missing)?;
        let mut scratch = Scratch::new();
        let names = ["Events", "Sites", "Players"];
        let mut games = Games::open(pages, &schema, (table, &names), DB3, &options, &mut scratch)?;
        let report = (&options, &mut scratch);
        let (mut base, stated) = base_of(&games.pages, &schema, &KNOWN, DB3, report)?;
        KNOWN.note_others(&schema, &mut base, DB3, &options, &mut scratch)?;
        let [players, events, sites] =
            ["Players", "Events", "Sites"].map(|table| Names::find(&schema, table, "Name"));
        let row_0 = events.and_then(|events| events.get(&games.pages, 0));
        games.is_changeable = {
            let names = |name| (name, &["ID", "Name"] as &[&str]);
            let tables = [
                ("Games", &COLUMNS as &[&str]),
                names("Players"),
                names("Events"),
                names("Sites"),
            ];
            row_0.is_some()
                // The writer makes no moves of two bytes, so it cannot change them.
                && table.column("Moves2").is_none()
                && is_changeable(&schema, &tables, &scratch.diagnostics)
        };
        let mut store = Store {
            // The moves are legal, so their facts cost little, and writers need not play them.
            options: options.with_facts(true),
            columns: Columns::new(table),
            names: Lists {
                players,
                events,
                sites,
                has_row_0: row_0.is_some(),
            },
            games,
            opened: Opened::new(base, scratch.diagnostics),
            stated,
        };
        if store.options.salvage {
            store.opened.salvaged = Some(salvaged(&store, |n| store.games.is_lost(n)));
        }
        Ok(store)
    }

    fn read(&self, n: u32, has_moves: bool, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        let mut report = GameReport::new(&self.options, scratch, n.saturating_add(1));
        game.clear();
        self.games.with_row(n, |row, location| {
            self.header(row, location, game, &mut report)?;
            if has_moves {
                self.moves(row, location, game, &mut report)?;
            }
            Ok(())
        })
    }

    fn header(
        &self,
        row: &[Value<'_>],
        location: Location,
        game: &mut Game,
        report: &mut GameReport<'_>,
    ) -> Result<()> {
        let encoding = self.games.pages.encoding();
        let columns = &self.columns;
        let mut tags = Tags::default();
        for (tag, column, list) in [
            ("Event", columns.event, self.names.events),
            ("Site", columns.site, self.names.sites),
            ("White", columns.white, self.names.players),
            ("Black", columns.black, self.names.players),
        ] {
            let number = match value(row, column) {
                Value::Null => continue,
                number => number.as_int(),
            };
            let Some(number) = number else {
                let kind = ErrorKind::Structure("the number of a name is not a number");
                report.add(Severity::Lost, kind, location)?;
                continue;
            };
            // Row 0 stands for an absent tag.
            if number == 0 {
                continue;
            }
            match list.and_then(|list| list.get(&self.games.pages, number)) {
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
                    report.add(Severity::Lost, kind, location)?;
                }
            }
        }
        for &(column, tag) in &columns.tags {
            let cell = value(row, Some(column));
            let Some(text) = cell.to_text(encoding) else {
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
        let moves = value(row, self.columns.moves);
        if matches!(moves, Value::Int(_) | Value::Real(_)) {
            let kind = ErrorKind::Structure("the moves are a number");
            report.add(Severity::Lost, kind, location)?;
        }
        let bytes = moves.as_bytes().unwrap_or_default();
        let plies = if self.columns.has_wide_moves {
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
        let stated = value(row, self.columns.plies).as_int();
        check_plies(plies?, stated, location, report)
    }
}

fn value<'v>(row: &[Value<'v>], column: Option<usize>) -> Value<'v> {
    column
        .and_then(|column| row.get(column))
        .copied()
        .unwrap_or(Value::Null)
}

/// Reports what SQLite finds, and a stated number of games that is not the number of rows.
pub(super) fn check(files: &dyn FileSet, options: &ReadOptions, sink: &mut dyn FnMut(Finding)) {
    verify(files, (DB3, WAL), sink);
    if let Ok(store) = Store::open(files, options.clone())
        && let Some(finding) = check_count(store.stated, store.games.len(), DB3)
    {
        sink(finding);
    }
}

impl_game_store!(Store {
    fn unused(&self) -> Option<UnusedSpace> {
        Some(self.games.unused(Some(0)))
    }
});
