//! Reading of games.

use std::collections::VecDeque;

use chessdb_core::error::Location;
use chessdb_core::legacy::ocgdb::OcgdbNumbering;
use chessdb_core::legacy::{Numbering, PlainNumbering};
use chessdb_core::line::read_game;
use chessdb_core::report::{Finding, GameReport};
use chessdb_core::store::{Opened, Remark, UnusedSpace};
use chessdb_core::{ErrorKind, FileSet, Game, ReadOptions, Result, Scratch, Severity};

use super::columns::{Columns, Moves, games_of, may_exchange_players};
use super::comments::Comments;
use super::format::{KNOWN, OCGDB_FILE, WAL};
use super::layouts::layouts;
use crate::file::{Leaves, Value};
use crate::info::base_of;
use crate::moves::{check_plies, mainline};
use crate::rows::{
    Games, check_count, impl_game_store, is_changeable, no_table, open_or_salvage, report_faults,
    salvaged, verify,
};
use crate::tags::Tags;
use crate::wide;

/// The columns of `Games`.
pub(super) const FIRST: [&str; 15] = [
    "ID",
    "EventID",
    "SiteID",
    "Date",
    "Round",
    "WhiteID",
    "WhiteElo",
    "BlackID",
    "BlackElo",
    "Result",
    "TimeControl",
    "ECO",
    "PlyCount",
    "FEN",
    "Moves",
];

/// A database that is open for reading.
#[derive(Debug)]
pub struct Store<'a> {
    options: ReadOptions,
    games: Games<'a>,
    columns: Columns,
    /// The first page of the table of games.
    root: u32,
    comments: Option<Comments>,
    may_exchange_players: bool,
    opened: Opened,
    /// The number of games that the database states, if it does.
    stated: Option<i64>,
}

impl<'a> Store<'a> {
    /// Opens a database.
    ///
    /// # Errors
    ///
    /// Returns an error if it is no SQLite file or has no table of games, and in strict mode also if
    /// pages are missing or damaged.
    pub fn open(files: &'a dyn FileSet, options: ReadOptions) -> Result<Store<'a>> {
        let (pages, schema) = open_or_salvage(files, OCGDB_FILE, WAL, &options, layouts)?;
        let missing = || no_table(&schema, OCGDB_FILE);
        let table = games_of(&schema).ok_or_else(missing)?;
        let columns = Columns::new(&schema, table);
        let is_text = |moves: &Moves| matches!(moves, Moves::Text(_));
        let root = table.root;
        let mut scratch = Scratch::new();
        let names = ["Events", "Event", "Sites", "Site", "Players", "Player"];
        let rows = (table, &names[..]);
        let mut games = Games::open(pages, &schema, rows, OCGDB_FILE, &options, &mut scratch)?;
        let comments = if columns.moves.iter().all(is_text) {
            // Movetext has its own comments. The table is empty, unless its root is that of the games.
            if let Some(table) = schema.table("Comments") {
                let leaves = Leaves::of_table(&games.pages, table);
                let report = (&options, &mut scratch);
                report_faults(&games.pages, table, &leaves, OCGDB_FILE, report)?;
            }
            None
        } else {
            Comments::open(&games.pages, &schema, (&options, &mut scratch))?
        };
        let report = (&options, &mut scratch);
        let (mut base, stated) = base_of(&games.pages, &schema, &KNOWN, OCGDB_FILE, report)?;
        KNOWN.note_others(&schema, &mut base, OCGDB_FILE, &options, &mut scratch)?;
        games.is_changeable = {
            let names = |name| (name, &["ID", "Name"] as &[&str]);
            let tables = [
                ("Games", &FIRST as &[&str]),
                names("Players"),
                names("Events"),
                names("Sites"),
            ];
            let has_absent_names = columns.names.iter().all(|(_, _, list)| {
                list.and_then(|list| list.get(&games.pages, 1))
                    .is_some_and(|name| name.is_empty())
            });
            has_absent_names
                && columns.moves.iter().all(is_text)
                && !may_exchange_players(table)
                && is_changeable(&schema, &tables, &scratch.diagnostics)
        };
        let mut store = Store {
            options,
            columns,
            root,
            comments,
            may_exchange_players: may_exchange_players(table),
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
            let value = |column: usize| row.get(column).copied().unwrap_or(Value::Null);
            let tags = self.tags(&value, location, &mut report)?;
            let comments = || self.comments_of(self.columns.id.map(value));
            let columns = &self.columns.moves;
            let is_set = |moves: &&Moves| value(moves.column()) != Value::Null;
            // A game without moves may have comments, which belong to the last kind of column.
            let moves = columns.iter().find(is_set).or(columns.last());
            let Some(&moves) = moves else {
                return tags.read(location, game, &mut report);
            };
            let stored = value(moves.column());
            if !has_moves && !matches!(moves, Moves::Text(_)) {
                return tags.read(location, game, &mut report);
            }
            let bytes = stored.as_bytes();
            let plies = match moves {
                Moves::Text(_) => {
                    let movetext = stored.to_text(self.games.pages.encoding());
                    return tags.read_with(
                        &movetext.unwrap_or_default(),
                        has_moves,
                        location,
                        game,
                        &mut report,
                    );
                }
                Moves::Wide(_) => {
                    tags.read(location, game, &mut report)?;
                    read_game(PlainNumbering, location, game, &mut report, |line| {
                        mainline(
                            bytes.unwrap_or_default(),
                            comments(),
                            line,
                            |lines, bytes| wide::decode(lines.board(), bytes),
                        )
                    })
                }
                Moves::Narrow(_) => {
                    tags.read(location, game, &mut report)?;
                    read_game(OcgdbNumbering, location, game, &mut report, |line| {
                        mainline(
                            bytes.unwrap_or_default(),
                            comments(),
                            line,
                            |lines, bytes| {
                                lines
                                    .numbering()
                                    .decode(lines.state(), lines.board(), bytes)
                            },
                        )
                    })
                }
            };
            if bytes.is_none() && stored != Value::Null {
                let kind = ErrorKind::Structure("moves that are no bytes");
                report.add(Severity::Lost, kind, location)?;
            }
            let stated = self.columns.plies.and_then(|column| value(column).as_int());
            check_plies(plies?, stated, location, &mut report)
        })
    }

    /// Returns the comments of the game with this id, each with the number of half-moves before it.
    fn comments_of(&self, id: Option<Value<'_>>) -> VecDeque<(u32, Vec<u8>)> {
        let (Some(comments), Some(id)) = (&self.comments, id.and_then(Value::as_int)) else {
            return VecDeque::new();
        };
        let rows = comments.of_game(&self.games.pages, id);
        // They are stored with the number of the half-move before, -1 for the start.
        let places = rows.into_iter().map(|(ply, text)| {
            let before = u32::try_from(ply.saturating_add(1).max(0));
            (before.unwrap_or(u32::MAX), text)
        });
        places.collect()
    }

    fn tags<'v>(
        &self,
        value: &impl Fn(usize) -> Value<'v>,
        location: Location,
        report: &mut GameReport<'_>,
    ) -> Result<Tags> {
        let pages = &self.games.pages;
        let mut tags = Tags::default();
        for &(column, tag, list) in &self.columns.names {
            let Some(text) = value(column).to_text(pages.encoding()) else {
                continue;
            };
            // The number may be stored as a text.
            let number = std::str::from_utf8(&text)
                .ok()
                .and_then(|text| text.parse().ok());
            match list
                .zip(number)
                .and_then(|(list, number)| list.get(pages, number))
            {
                // The empty name stands for an absent tag.
                Some(name) if name.is_empty() => {}
                Some(name) => {
                    tags.put_escaped(tag, &name);
                }
                None => {
                    let kind = ErrorKind::Syntax {
                        expected: "the number of a name in its table",
                        found: ErrorKind::excerpt(&text),
                    };
                    report.add(Severity::Lost, kind, location)?;
                }
            }
        }
        for (column, tag) in &self.columns.tags {
            let Some(text) = value(*column).to_text(pages.encoding()) else {
                continue;
            };
            // Absent tags are empty, and absent ratings are 0.
            if text.is_empty() || (tag.ends_with("Elo") && &*text == b"0") {
                continue;
            }
            let in_pgn = if tag.contains("Date") && is_stored_date(&text) {
                text.iter()
                    .map(|&byte| if byte == b'-' { b'.' } else { byte })
                    .collect()
            } else {
                text
            };
            if !tags.put_escaped(tag, &in_pgn) {
                let kind = ErrorKind::Syntax {
                    expected: "a column with the name of a tag",
                    found: ErrorKind::excerpt(tag.as_bytes()),
                };
                report.add(Severity::Lost, kind, location)?;
            }
        }
        Ok(tags)
    }
}

/// Returns whether this is a date with hyphens, as the program stores it.
pub(super) fn is_stored_date(text: &[u8]) -> bool {
    let mut parts = text.split(|&byte| byte == b'-');
    let is_part = |part: &[u8]| {
        let mut letters = part.iter();
        !part.is_empty() && letters.all(|byte| byte.is_ascii_digit() || *byte == b'?')
    };
    parts.by_ref().take(3).filter(|part| is_part(part)).count() == 3 && parts.next().is_none()
}

/// Reports what SQLite finds, a wrong number of games, and comments that belong to no game.
pub(super) fn check(files: &dyn FileSet, options: &ReadOptions, sink: &mut dyn FnMut(Finding)) {
    verify(files, (OCGDB_FILE, WAL), sink);
    let Ok(store) = Store::open(files, options.clone()) else {
        return;
    };
    if let Some(finding) = check_count(store.stated, store.games.len(), OCGDB_FILE) {
        sink(finding);
    }
    let Some(comments) = &store.comments else {
        return;
    };
    let pages = &store.games.pages;
    let lost = comments
        .games()
        .find(|&game| Leaves::find(pages, store.root, game).is_none());
    if let Some(game) = lost {
        let kind = ErrorKind::bad_field("GameID of a comment", game as u64);
        let location = Location::byte(OCGDB_FILE, 0);
        sink(Finding::new(Severity::Lost, kind, location));
    }
}

impl_game_store!(Store {
    fn unused(&self) -> Option<UnusedSpace> {
        Some(self.games.unused(Some(1)))
    }

    fn remarks(&self) -> Vec<Remark> {
        let mut remarks = vec![
            Remark::new(
                "dates",
                "OCGDB stores an unknown month or day as 11 or 1, which cannot be told from a date",
            )
            .of_reading(),
        ];
        if self.may_exchange_players {
            let text =
                "a version of November 2021 exchanged White and Black, but not their ratings";
            remarks.push(Remark::new("players", text).of_reading());
        }
        remarks
    }

});
