//! Reading of games.

use std::collections::VecDeque;

use chessdb_core::error::Location;
use chessdb_core::legacy::ocgdb::OcgdbNumbering;
use chessdb_core::legacy::{Numbering, PlainNumbering};
use chessdb_core::line::read_game;
use chessdb_core::report::{Finding, GameReport};
use chessdb_core::store::Remark;
use chessdb_core::{BaseInfo, ErrorKind, FileSet, Game, ReadOptions, Result, Scratch, Severity};

use super::columns::{Columns, Moves, games_of, may_exchange_players};
use super::comments::Comments;
use super::format::{FORMAT, OCGDB_FILE};
use crate::file::{Layout, Leaves, Pages, Schema, Table, Value};
use crate::info::base_of;
use crate::moves::{check_plies, mainline};
use crate::row_format::RowFormat;
use crate::row_store::{ReadRows, RowStore, cell};
use crate::rows::report_faults;
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
pub type Store<'a> = RowStore<'a, Rows>;

/// The tables and columns of a database.
#[derive(Debug)]
pub struct Rows {
    columns: Columns,
    /// The first page of the table of games.
    root: u32,
    comments: Option<Comments>,
    may_exchange_players: bool,
    /// The number of games that the database states, if it does.
    stated: Option<i64>,
}

fn is_text(moves: &Moves) -> bool {
    matches!(moves, Moves::Text(_))
}

impl ReadRows for Rows {
    const FORMAT: &'static RowFormat = &FORMAT;
    const NAMES: &'static [&'static str] =
        &["Events", "Event", "Sites", "Site", "Players", "Player"];

    fn layouts() -> Vec<Layout> {
        super::layouts::layouts()
    }

    fn games(schema: &Schema) -> Option<&Table> {
        games_of(schema)
    }

    fn open(
        pages: &Pages<'_>,
        schema: &Schema,
        games: &Table,
        base: &mut BaseInfo,
        (options, scratch): (&ReadOptions, &mut Scratch),
    ) -> Result<Rows> {
        let columns = Columns::new(schema, games);
        let comments = if columns.moves.iter().all(is_text) {
            // Movetext has its own comments. The table is empty, unless its root is that of the games.
            if let Some(table) = schema.table("Comments") {
                let leaves = Leaves::of_table(pages, table);
                report_faults(pages, table, &leaves, OCGDB_FILE, (options, scratch))?;
            }
            None
        } else {
            Comments::open(pages, schema, (options, scratch))?
        };
        Ok(Rows {
            columns,
            root: games.root,
            comments,
            may_exchange_players: may_exchange_players(games),
            stated: base_of(pages, schema, &FORMAT, base, (options, scratch))?,
        })
    }

    fn is_writable(&self, pages: &Pages<'_>, _: &Table) -> bool {
        let has_absent_names = self.columns.names.iter().all(|(_, _, list)| {
            list.and_then(|list| list.get(pages, 1))
                .is_some_and(|name| name.is_empty())
        });
        has_absent_names && self.columns.moves.iter().all(is_text) && !self.may_exchange_players
    }

    fn read(
        &self,
        pages: &Pages<'_>,
        (row, location): (&[Value<'_>], Location),
        has_moves: bool,
        game: &mut Game,
        report: &mut GameReport<'_>,
    ) -> Result<()> {
        let tags = self.tags(pages, row, location, report)?;
        let comments = || self.comments_of(pages, cell(row, self.columns.id));
        let columns = &self.columns.moves;
        let is_set = |moves: &&Moves| cell(row, moves.column()) != Value::Null;
        // A game without moves may have comments, which belong to the last kind of column.
        let moves = columns.iter().find(is_set).or(columns.last());
        let Some(&moves) = moves.filter(|moves| has_moves || is_text(moves)) else {
            return tags.read(location, game, report);
        };
        let stored = cell(row, moves.column());
        if is_text(&moves) {
            let movetext = stored.to_text(pages.encoding()).unwrap_or_default();
            return tags.read_with(&movetext, has_moves, location, game, report);
        }
        tags.read(location, game, report)?;
        let bytes = stored.as_bytes().unwrap_or_default();
        let plies = if let Moves::Wide(_) = moves {
            read_game(PlainNumbering, location, game, report, |line| {
                mainline(bytes, comments(), line, |lines, bytes| {
                    wide::decode(lines.board(), bytes)
                })
            })
        } else {
            read_game(OcgdbNumbering, location, game, report, |line| {
                mainline(bytes, comments(), line, |lines, bytes| {
                    let (numbering, state) = (lines.numbering(), lines.state());
                    numbering.decode(state, lines.board(), bytes)
                })
            })
        };
        if stored.as_bytes().is_none() && stored != Value::Null {
            let kind = ErrorKind::Structure("moves that are no bytes");
            report.lost(kind, location)?;
        }
        let stated = cell(row, self.columns.plies).as_int();
        check_plies(plies?, stated, location, report)
    }

    fn stated_games(&self) -> Option<i64> {
        self.stated
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
}

impl Rows {
    /// Returns the comments of the game with this id, each with the number of half-moves before it.
    fn comments_of(&self, pages: &Pages<'_>, id: Value<'_>) -> VecDeque<(u32, Vec<u8>)> {
        let (Some(comments), Some(id)) = (&self.comments, id.as_int()) else {
            return VecDeque::new();
        };
        let rows = comments.of_game(pages, id);
        // They are stored with the number of the half-move before, -1 for the start.
        let places = rows.into_iter().map(|(ply, text)| {
            let before = u32::try_from(ply.saturating_add(1).max(0));
            (before.unwrap_or(u32::MAX), text)
        });
        places.collect()
    }

    fn tags(
        &self,
        pages: &Pages<'_>,
        row: &[Value<'_>],
        location: Location,
        report: &mut GameReport<'_>,
    ) -> Result<Tags> {
        let mut tags = Tags::default();
        for &(column, tag, list) in &self.columns.names {
            let Some(text) = cell(row, column).to_text(pages.encoding()) else {
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
                    let kind = ErrorKind::syntax("the number of a name in its table", &text);
                    report.lost(kind, location)?;
                }
            }
        }
        for (column, tag) in &self.columns.tags {
            let Some(text) = cell(row, *column).to_text(pages.encoding()) else {
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
                let kind = ErrorKind::syntax("a column with the name of a tag", tag.as_bytes());
                report.lost(kind, location)?;
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
    let Some(store) = Store::check(files, options, sink) else {
        return;
    };
    let Some(comments) = &store.rows.comments else {
        return;
    };
    let pages = &store.games.pages;
    let lost = comments
        .games()
        .find(|&game| Leaves::find(pages, store.rows.root, game).is_none());
    if let Some(game) = lost {
        let kind = ErrorKind::bad_field("GameID of a comment", game as u64);
        let location = Location::byte(OCGDB_FILE, 0);
        sink(Finding::new(Severity::Lost, kind, location));
    }
}
