//! Reading of games.

use std::borrow::Cow;

use chessdb_core::error::Location;
use chessdb_core::legacy::PlainNumbering;
use chessdb_core::line::read_game;
use chessdb_core::report::{Finding, GameReport};
use chessdb_core::{BaseInfo, ErrorKind, FileSet, Game, ReadOptions, Result, Scratch};

use super::body::{self, Budget};
use super::format::FORMAT;
use super::pickle::Pickle;
use super::{tags, xpv};
use crate::file::{Layout, Pages, Schema, Table, Value};
use crate::moves::check_plies;
use crate::row_format::RowFormat;
use crate::row_store::{ReadRows, RowStore, cell};
use crate::rows::verify;
use crate::tags::Tags;

/// The columns that are no tags.
pub(super) const FIRST: [&str; 3] = ["XPV", "_DATA_", "PLYCOUNT"];

/// A database that is open for reading.
pub type Store<'a> = RowStore<'a, Rows>;

/// The columns of a database.
#[derive(Debug)]
pub struct Rows {
    /// The columns of the tags, with their names.
    tags: Vec<(usize, String)>,
    moves: Option<usize>,
    body: Option<usize>,
    plies: Option<usize>,
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
            _ => Body::Damaged(ErrorKind::syntax(
                "BODY, a PGN game or a packed pickle",
                bytes,
            )),
        }
    }
}

/// The first bytes of a body that is movetext.
pub(super) const BODY: &[u8] = b"BODY ";

/// The first byte of a zlib stream.
const ZLIB: u8 = 0x78;

impl ReadRows for Rows {
    const FORMAT: &'static RowFormat = &FORMAT;

    fn layouts() -> Vec<Layout> {
        super::layouts::layouts()
    }

    fn games(schema: &Schema) -> Option<&Table> {
        let is_own = |table: &&Table| table.column("XPV").is_some() && body_of(table).is_some();
        schema.table("Games").filter(is_own)
    }

    fn open(
        pages: &Pages<'_>,
        schema: &Schema,
        games: &Table,
        base: &mut BaseInfo,
        report: (&ReadOptions, &mut Scratch),
    ) -> Result<Rows> {
        let config = tags::config(pages, schema, base, report)?;
        Ok(Rows {
            tags: tags::tag_columns(&config, games),
            moves: games.column("XPV"),
            body: body_of(games),
            plies: plies_of(games),
        })
    }

    fn read(
        &self,
        pages: &Pages<'_>,
        (row, location): (&[Value<'_>], Location),
        has_moves: bool,
        game: &mut Game,
        report: &mut GameReport<'_>,
    ) -> Result<()> {
        let text = |column| {
            cell(row, column)
                .to_text(pages.encoding())
                .unwrap_or_default()
        };
        let (column, body) = (text(self.moves), text(self.body));
        let (fen, moves) = xpv::parts(&column);
        let mut budget = Budget::new(&report.options.limits);
        let body = Body::parse(&body, &mut budget);
        let escapes = Escapes::from_body(&body);
        let tags = self.tags(pages, row, fen, escapes, location, report)?;
        match body {
            // The movetext repeats the mainline of the other column.
            Body::Movetext(movetext) => {
                return tags.read_with(movetext, has_moves, location, game, report);
            }
            Body::Pgn(pgn) => return tags.read_over(&pgn, has_moves, location, game, report),
            _ => tags.read(location, game, report)?,
        }
        if !has_moves {
            return Ok(());
        }
        let plies = read_game(PlainNumbering, location, game, report, |line| match body {
            Body::Tree(tree) => body::read(tree, moves, &mut budget, line),
            Body::Damaged(kind) => {
                line.lost(kind)?;
                xpv::read(moves, line)
            }
            _ => xpv::read(moves, line),
        })?;
        let stated = cell(row, self.plies).as_int();
        check_plies(plies, stated, location, report)
    }
}

impl Rows {
    fn tags(
        &self,
        pages: &Pages<'_>,
        row: &[Value<'_>],
        fen: Option<&[u8]>,
        escapes: Escapes,
        location: Location,
        report: &mut GameReport<'_>,
    ) -> Result<Tags> {
        let mut tags = Tags::default();
        let is_fen =
            |(column, name): &&(usize, String)| name == "FEN" && cell(row, *column) != Value::Null;
        let has_fen = self.tags.iter().any(|tag| is_fen(&tag));
        for (column, name) in &self.tags {
            let Some(text) = cell(row, *column).to_text(pages.encoding()) else {
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
                let kind = ErrorKind::syntax("a column with the name of a tag", name.as_bytes());
                report.lost(kind, location)?;
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
    verify(files, (FORMAT.file, FORMAT.log), sink);
}
