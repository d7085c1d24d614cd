//! Reading of games.

use std::borrow::Cow;

use chessdb_core::error::Location;
use chessdb_core::legacy::PlainNumbering;
use chessdb_core::line::read_game;
use chessdb_core::report::{Finding, GameReport};
use chessdb_core::store::{Opened, UnusedSpace};
use chessdb_core::{BaseInfo, ErrorKind, FileSet, Game, ReadOptions, Result, Scratch, Severity};

use super::body::{self, Budget};
use super::format::{KNOWN, LCDB, WAL};
use super::layouts::layouts;
use super::pickle::Pickle;
use super::{tags, xpv};
use crate::file::{Table, Value};
use crate::moves::check_plies;
use crate::rows::{
    Games, impl_game_store, is_changeable, no_table, open_or_salvage, salvaged, verify,
};
use crate::tags::Tags;

/// The columns that are no tags.
pub(super) const FIRST: [&str; 3] = ["XPV", "_DATA_", "PLYCOUNT"];

/// A database that is open for reading.
#[derive(Debug)]
pub struct Store<'a> {
    options: ReadOptions,
    games: Games<'a>,
    /// The columns of the tags, with their names.
    tags: Vec<(usize, String)>,
    moves: usize,
    body: usize,
    plies: Option<usize>,
    opened: Opened,
}

/// What the column `_DATA_` contains.
enum Body<'v> {
    /// Nothing but a mainline.
    None,
    /// The movetext of a PGN file.
    Movetext(&'v [u8]),
    /// A PGN game.
    Pgn(Cow<'v, [u8]>),
    /// A pickle.
    Tree(Pickle),
    /// Something that cannot be read.
    Damaged(ErrorKind),
}

impl<'v> Body<'v> {
    fn parse(bytes: &'v [u8], budget: &mut Budget) -> Body<'v> {
        if let Some(movetext) = bytes.strip_prefix(BODY) {
            return Body::Movetext(movetext);
        }
        match bytes.trim_ascii_start() {
            [] => Body::None,
            [b'[', ..] => Body::Pgn(bytes.into()),
            [ZLIB, ..] => match budget.open(bytes) {
                Ok(pickle) => match pickle.root().text() {
                    Some(pgn) => Body::Pgn(pgn.to_vec().into()),
                    None if pickle.root().get("li_moves").is_some() => Body::Tree(pickle),
                    None => Body::Damaged(ErrorKind::Structure("a pickle without a game")),
                },
                Err(kind) => Body::Damaged(kind),
            },
            _ => Body::Damaged(ErrorKind::Syntax {
                expected: "BODY, a PGN game or a packed pickle",
                found: ErrorKind::excerpt(bytes),
            }),
        }
    }
}

/// The first bytes of a body that is movetext.
pub(super) const BODY: &[u8] = b"BODY ";

/// The first byte of a zlib stream.
const ZLIB: u8 = 0x78;

impl<'a> Store<'a> {
    /// Opens a database.
    ///
    /// # Errors
    ///
    /// Returns an error if it is no SQLite file or has no table of games, and in strict mode also if
    /// pages are missing or damaged.
    pub fn open(files: &'a dyn FileSet, options: ReadOptions) -> Result<Store<'a>> {
        let (pages, schema) = open_or_salvage(files, LCDB, WAL, &options, layouts)?;
        let missing = || no_table(&schema, LCDB);
        let table = schema.table("Games").ok_or_else(missing)?;
        let moves = table.column("XPV").ok_or_else(missing)?;
        let body = body_of(table).ok_or_else(missing)?;
        let mut scratch = Scratch::new();
        let mut games = Games::open(pages, &schema, (table, &[]), LCDB, &options, &mut scratch)?;
        let mut base = BaseInfo::default();
        let report = (&options, &mut scratch);
        let config = tags::config(&games.pages, &schema, &mut base, report)?;
        let tags = tags::tag_columns(&config, table);
        KNOWN.note_others(&schema, &mut base, LCDB, &options, &mut scratch)?;
        games.is_changeable = {
            let tables: [(&str, &[&str]); 2] = [("Games", &FIRST), ("Config", &["KEY", "VALUE"])];
            is_changeable(&schema, &tables, &scratch.diagnostics)
        };
        let mut store = Store {
            options,
            games,
            tags,
            moves,
            body,
            plies: plies_of(table),
            opened: Opened::new(base, scratch.diagnostics),
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
            let encoding = self.games.pages.encoding();
            let value = |column: usize| row.get(column).copied().unwrap_or(Value::Null);
            let text = |column| value(column).to_text(encoding).unwrap_or_default();
            let (column, body) = (text(self.moves), text(self.body));
            let (fen, moves) = xpv::parts(&column);
            let mut budget = Budget::new(&self.options.limits);
            let body = Body::parse(&body, &mut budget);
            let tags = self.tags(
                &value,
                fen,
                Escapes::from_body(&body),
                location,
                &mut report,
            )?;
            match body {
                // The movetext repeats the mainline of the other column.
                Body::Movetext(movetext) => {
                    return tags.read_with(movetext, has_moves, location, game, &mut report);
                }
                Body::Pgn(pgn) => {
                    return tags.read_over(&pgn, has_moves, location, game, &mut report);
                }
                _ => tags.read(location, game, &mut report)?,
            }
            if !has_moves {
                return Ok(());
            }
            let plies = read_game(
                PlainNumbering,
                location,
                game,
                &mut report,
                |line| match body {
                    Body::Tree(tree) => body::read(tree, moves, &mut budget, line),
                    Body::Damaged(kind) => {
                        line.lost(kind)?;
                        xpv::read(moves, line)
                    }
                    _ => xpv::read(moves, line),
                },
            )?;
            let stated = self.plies.and_then(|column| value(column).as_int());
            check_plies(plies, stated, location, &mut report)
        })
    }

    fn tags<'v>(
        &self,
        value: &impl Fn(usize) -> Value<'v>,
        fen: Option<&[u8]>,
        escapes: Escapes,
        location: Location,
        report: &mut GameReport<'_>,
    ) -> Result<Tags> {
        let mut tags = Tags::default();
        let is_fen =
            |(column, name): &&(usize, String)| name == "FEN" && value(*column) != Value::Null;
        let has_fen = self.tags.iter().any(|tag| is_fen(&tag));
        for (column, name) in &self.tags {
            let Some(text) = value(*column).to_text(self.games.pages.encoding()) else {
                continue;
            };
            let is_known = match name.as_str() {
                // The start position is in the column of the moves.
                "FEN" => fen.is_some(),
                // It announces the tag FEN, which import drops if it is the standard position.
                "SetUp" => fen.is_some() || (!has_fen && &*text == b"1"),
                _ => false,
            };
            if is_known {
                continue;
            }
            let is_escaped = match escapes {
                Escapes::Always => true,
                Escapes::Never => false,
                Escapes::Unknown => has_escapes(&text),
            };
            let is_put =
                if is_escaped { tags.put_escaped(name, &text) } else { tags.put(name, &text) };
            if !is_put {
                let kind = ErrorKind::Syntax {
                    expected: "a column with the name of a tag",
                    found: ErrorKind::excerpt(name.as_bytes()),
                };
                report.add(Severity::Lost, kind, location)?;
            }
        }
        if let Some(fen) = fen {
            tags.put("FEN", fen);
        }
        Ok(tags)
    }
}

/// Returns the column with the number of half-moves.
pub(super) fn plies_of(table: &Table) -> Option<usize> {
    table.column("PLYCOUNT").or_else(|| table.column("PLIES"))
}

/// Returns the column of everything except the mainline; in databases before 2020, its name is PGN.
pub(super) fn body_of(table: &Table) -> Option<usize> {
    table.column("_DATA_").or_else(|| table.column("PGN"))
}

/// Whether backslashes in tags are escapes of PGN: the import of PGN keeps them, the program's own
/// editor does not.
#[derive(Clone, Copy)]
enum Escapes {
    Always,
    Never,
    Unknown,
}

impl Escapes {
    fn from_body(body: &Body<'_>) -> Escapes {
        match body {
            Body::Movetext(_) => Escapes::Always,
            Body::Tree(_) => Escapes::Never,
            _ => Escapes::Unknown,
        }
    }
}

/// Returns whether all backslashes and quotation marks of a text are as PGN writes them. Import may
/// cut an escape at the end.
fn has_escapes(text: &[u8]) -> bool {
    let mut rest = text;
    loop {
        rest = match rest {
            [] | [b'\\'] => return true,
            [b'\\', b'\\' | b'"', rest @ ..] => rest,
            [b'\\' | b'"', ..] => return false,
            [_, rest @ ..] => rest,
        };
    }
}

/// Reports what SQLite finds. Reading the games finds everything else.
pub(super) fn check(files: &dyn FileSet, _: &ReadOptions, sink: &mut dyn FnMut(Finding)) {
    verify(files, (LCDB, WAL), sink);
}

impl_game_store!(Store {
    fn unused(&self) -> Option<UnusedSpace> {
        Some(self.games.unused(None))
    }
});
