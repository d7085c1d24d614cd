//! The fuzzed formats and targets. The fuzz targets include this file, so that they always match
//! the tests of earlier findings (docs/fuzzing.md).
#![allow(dead_code, unreachable_pub, reason = "each user has its part")]

// The programs of crates/chessdb/fuzz include this file from another folder.
#[path = "books.rs"]
pub mod books;

use chessdb::bytecode::raw::{Cell, ColumnType, MemorySink, RowSink, Table, TableSet};
use chessdb::bytecode::{MoveColumns, Store, TextColumn, decode_and_judge};
use chessdb::cbh::archive::{ArchiveHeader, Deciphered, Key, Member, Packing, Unpacked, pack};
use chessdb::core::files::Role;
use chessdb::core::format::Score;
use chessdb::core::store::Opened;
use chessdb::core::{ErrorKind, FileSet, Game, GameStore, ReadOptions, Result, Scratch};
use chessdb::{Allow, FORMATS, Format, LossKind};
use chessdb_testkit::fuzz;
use chessdb_testkit::strategy::GameOptions;
use std::io::Read;

/// The formats in SQLite files.
pub const SQLITE: [&str; 4] = ["encroissant", "jose", "lucaschess", "ocgdb"];

/// Returns everything that has its own corpus: the formats, rows of jose's tables, ChessBase's
/// archives, opening books, and Lucas Chess's pickles. jose's archives are excluded: a third-party library unpacks
/// them into the same rows.
pub fn fuzzed() -> impl Iterator<Item = &'static Format> {
    // The Parquet library panics on damaged tables. The panic is caught where panics unwind, but
    // ends the run here; chessdb-parquet has its own test with damaged tables (`hostile`).
    let others = ["jose-archive", "parquet"];
    FORMATS
        .iter()
        .copied()
        .filter(move |format| !others.contains(&format.id))
        .chain([
            &ROWS,
            &ARCHIVES,
            &books::CTG,
            &books::POLYGLOT,
            &books::ABK,
            #[cfg(feature = "sqlite")]
            &PICKLES,
        ])
}

/// Returns whether the target `roundtrip` writes this format. SQLite files are written by SQLite,
/// which would take nearly all of the time; the tests of chessdb-proof write them.
pub fn is_written(format: &Format) -> bool {
    format.create.is_some() && !SQLITE.contains(&format.id)
}

/// Runs the target of this name on an input; returns false if the format has no such target.
///
/// # Panics
///
/// Panics if it finds a bug.
pub fn run(target: &str, format: &Format, bytes: &[u8]) -> bool {
    match target {
        "decode" => fuzz::decode(format, bytes),
        "skip" => fuzz::skip(format, bytes),
        "probe" => fuzz::probe(FORMATS, format, bytes),
        "roundtrip" if is_written(format) => {
            fuzz::roundtrip(
                format,
                &GameOptions::held_by(format),
                &again(format.id),
                bytes,
            );
        }
        _ => return false,
    }
    true
}

/// Returns the losses that may be counted again when games that already lost data are rewritten.
fn again(id: &str) -> Allow {
    match id {
        // The position comes back with its castling rights, the mark of Chess960 does not.
        "dcx" => Allow::Kinds(vec![LossKind::Chess960]),
        _ => Allow::Nothing,
    }
}

/// One row of jose's tables Game and MoreGame, in whatever container it was.
pub static ROWS: Format = Format::new(
    "jose-rows",
    "rows of jose's tables",
    |_| Score::No,
    |files, options| Ok(Box::new(Store::open(rows(files)?, options)?)),
    |files, options, found| {
        if let Err(error) = inline(files, options) {
            found(error.into());
        }
    },
)
.with_files(&[BIN, COMMENTS, EVAL, FEN, INFO, NUMBERS, NAMES], &[BIN]);

const BIN: Role = Role("bin");
const COMMENTS: Role = Role("comments");
const EVAL: Role = Role("eval");
const FEN: Role = Role("fen");
/// Titles, round, board and the other tags, one per line.
const INFO: Role = Role("info");
/// Two bytes for each number of the table Game.
const NUMBERS: Role = Role("numbers");
/// The names of players, events, sites and openings alike, one per line, counted from 0.
const NAMES: Role = Role("names");

fn rows(files: &dyn FileSet) -> Result<TableSet<'static>> {
    let get = |role: Role| files.get(role).unwrap_or_default();
    let mut sink = MemorySink::new();
    for table in [Table::Player, Table::Event, Table::Site, Table::Opening] {
        for (id, name) in (0..).zip(get(NAMES).split(|&byte| byte == b'\n')) {
            let cells = table.columns().iter().map(|column| match column.name {
                "Id" => Cell::Int(id),
                "Name" => Cell::bytes(name),
                _ => Cell::Null,
            });
            let cells: Vec<_> = cells.collect();
            sink.insert(table, &cells)?;
        }
    }
    let mut numbers = get(NUMBERS).chunks(2);
    let game = Table::Game.columns().iter().map(|column| {
        let number = match numbers.next() {
            Some(&[low, high]) => i16::from_le_bytes([low, high]),
            _ => 0,
        };
        match (column.name, column.kind) {
            ("Id", _) => Cell::Int(1),
            (_, ColumnType::Char(_)) => Cell::Bytes(number.to_string().into_bytes().into()),
            (_, ColumnType::Date) => {
                let (year, day) = (number / 16, number & 15);
                Cell::Bytes(format!("{year:04}-{day:02}-{day:02}").into_bytes().into())
            }
            _ if column.null && number == 0 => Cell::Null,
            _ => Cell::Int(number.into()),
        }
    });
    let game: Vec<_> = game.collect();
    sink.insert(Table::Game, &game)?;
    let mut lines = get(INFO).split(|&byte| byte == b'\n');
    let more = Table::MoreGame
        .columns()
        .iter()
        .map(|column| match column.name {
            "GId" => Cell::Int(1),
            "FEN" => Cell::optional(files.get(FEN)),
            "Bin" => Cell::optional(files.get(BIN)),
            "Comments" => Cell::optional(files.get(COMMENTS)),
            "Eval" => Cell::optional(files.get(EVAL)),
            _ => Cell::optional(lines.next().filter(|line| !line.is_empty())),
        });
    let more: Vec<_> = more.collect();
    sink.insert(Table::MoreGame, &more)?;
    Ok(sink.into_set())
}

/// ChessBase's archives, plain or encrypted: one game per file, named after it. The content of the
/// files is fuzzed with `cbh`.
pub static ARCHIVES: Format = Format::new(
    "cbv",
    "ChessBase's archives",
    |files| match files.get(CBV).and_then(ArchiveHeader::parse) {
        Some(_) => Score::Certain,
        None => Score::No,
    },
    |files, _| Ok(Box::new(Members::unpack(files)?)),
    |files, _, found| {
        if let Err(error) = Members::unpack(files) {
            found(error.into());
        }
    },
)
.with_files(&[CBV, CBZ], &[CBV]);

pub const CBV: Role = Role("cbv");
/// An archive encrypted with [`PASSWORD`].
pub const CBZ: Role = Role("cbz");
pub const PASSWORD: &[u8] = b"a password";

/// Lucas Chess's pickles, without the rows and the compression around them. The database has no
/// games.
#[cfg(feature = "sqlite")]
pub static PICKLES: Format = Format::new(
    "pickle",
    "Lucas Chess's pickles",
    |_| Score::No,
    |files, _| {
        chessdb::sqlite::lucaschess::count_pickle_values(files.require(PICKLE)?)?;
        Ok(Box::new(Members::default()))
    },
    |_, _, _| {},
)
.with_files(&[PICKLE], &[PICKLE]);

pub const PICKLE: Role = Role("pickle");

/// The files in an archive.
#[derive(Default, Debug)]
struct Members {
    files: Vec<(String, Vec<u8>)>,
    opened: Opened,
}

impl Members {
    /// Unpacks an archive and checks that its files survive repacking with both methods.
    fn unpack(files: &dyn FileSet) -> Result<Members> {
        let archive = match (files.get(CBV), files.get(CBZ)) {
            (Some(open), _) => open.to_vec(),
            (None, locked) => deciphered(locked.unwrap_or_default())?,
        };
        let files = members(&archive)?;
        for packing in [Packing::Stored, Packing::Smallest] {
            let named = files
                .iter()
                .map(|(name, content)| (name.as_bytes(), &content[..]));
            let Ok(packed) = pack(named, packing) else {
                continue;
            };
            assert_eq!(members(&packed)?, files, "{packing:?}");
        }
        Ok(Members {
            files,
            opened: Opened::default(),
        })
    }
}

fn deciphered(locked: &[u8]) -> Result<Vec<u8>> {
    let mut open = Vec::new();
    let mut reader = Deciphered::new(locked, Key::new(PASSWORD));
    reader.read_to_end(&mut open).map_err(damaged)?;
    Ok(open)
}

fn damaged(error: std::io::Error) -> chessdb::core::Error {
    ErrorKind::Other(error.to_string().into()).into()
}

/// Returns the names and the beginnings of the contents.
fn members(archive: &[u8]) -> Result<Vec<(String, Vec<u8>)>> {
    let none = ErrorKind::Structure("an archive");
    let header = ArchiveHeader::parse(archive).ok_or(none)?;
    let table = archive.get(ArchiveHeader::SIZE..header.table_end());
    let table = table.ok_or(ErrorKind::Structure("the table of an archive"))?;
    let mut found = Vec::new();
    for member in Member::parse_all(table).into_iter().take(16) {
        let Some(path) = member.path() else {
            continue;
        };
        let start = usize::try_from(member.offset).unwrap_or(usize::MAX);
        let stream = archive.get(start..).unwrap_or_default();
        let stream = stream.take(member.packed);
        let mut content = Vec::new();
        let mut unpacked = Unpacked::new(stream, member.size).take(1 << 16);
        if unpacked.read_to_end(&mut content).is_ok() {
            found.push((path, content));
        }
    }
    Ok(found)
}

impl GameStore for Members {
    fn len(&self) -> u32 {
        self.files.len() as u32
    }

    fn opened(&self) -> &Opened {
        &self.opened
    }

    fn header_into(&self, n: u32, game: &mut Game, _: &mut Scratch) -> Result<()> {
        game.clear();
        let name = self.files.get(n as usize).map(|(name, _)| name.as_str());
        game.header.event = game.add_text(name.unwrap_or_default()).into();
        Ok(())
    }

    fn game_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        self.header_into(n, game, scratch)
    }
}

/// Decodes the byte code with inline texts, as other programs store it.
fn inline(files: &dyn FileSet, options: &ReadOptions) -> Result<()> {
    let columns = MoveColumns {
        bin: files.get(BIN).unwrap_or_default(),
        texts: TextColumn::Inline,
        eval: files.get(EVAL),
    };
    decode_and_judge(&columns, &mut Game::new(), options, &mut Scratch::new())
}
