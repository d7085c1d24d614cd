//! The format descriptions that the facade uses.

use chessdb_core::files::{FileSink, Role};
use chessdb_core::format::Score;
use chessdb_core::loss::{FormatLimit, LossSet};
use chessdb_core::utf16::utf_8;
use chessdb_core::{FileSet, Format, GameWrite, LossKind, ReadOptions, Result, WriteOptions};

use crate::map;
use crate::raw::frm::Frm;
use crate::raw::myisam::{ARCHIVE, LIVE, TableFiles};
use crate::raw::sql::{self, SqlSink};
use crate::raw::{Naming, TEXTS};
use crate::roles::SQL_FILE;
use crate::{Store, Width, Writer, check_with, open_tables};

/// jose's tables as a script for MySQL and MariaDB.
pub static JOSE_SQL: Format = Format::new(
    "jose-sql",
    "jose, SQL script",
    probe,
    |files, options| Ok(Box::new(store(files, options)?)),
    |files, options, report| {
        check_with(options, |options| store(files, options), report);
    },
)
.with_files(&[SQL_FILE], &[SQL_FILE])
.with_losses(LOSSES)
.with_limits(LIMITS)
.with_extras(crate::extras::FIELDS)
.with_settings(&[TEXTS])
.with_create(create);

/// jose's tables as stored by a running server: a folder with `Game.MYD`, `MoreGame.MYD` and so on.
/// Read only.
#[expect(
    clippy::indexing_slicing,
    reason = "evaluated at compile time, where a wrong index is an error"
)]
pub static JOSE_MYISAM: Format = Format::new(
    "jose-myisam",
    "jose, MyISAM tables",
    |files| probe_tables(files, LIVE),
    |files, options| Ok(Box::new(open_tables(files, LIVE, options)?)),
    |files, options, report| {
        check_with(options, |options| open_tables(files, LIVE, options), report);
    },
)
.with_files(
    const { &roles::<{ 2 * LIVE.len() }>(LIVE) },
    // A table with the column GameText needs no MoreGame.
    const { &[LIVE[0].rows, LIVE[0].description] },
)
.with_limits(LIMITS)
.with_dump(|files, emit| map::dump(files, LIVE, emit));

/// jose's tables as stored in its archives: a folder with `IO_Game.MYD` and so on. Read only.
#[expect(
    clippy::indexing_slicing,
    reason = "evaluated at compile time, where a wrong index is an error"
)]
pub static JOSE_IO: Format = Format::new(
    "jose-io",
    "jose, tables in an archive",
    |files| probe_tables(files, ARCHIVE),
    |files, options| Ok(Box::new(open_tables(files, ARCHIVE, options)?)),
    |files, options, report| {
        check_with(
            options,
            |options| open_tables(files, ARCHIVE, options),
            report,
        );
    },
)
.with_files(
    const { &roles::<{ 2 * ARCHIVE.len() }>(ARCHIVE) },
    const { &[ARCHIVE[0].rows, ARCHIVE[0].description] },
)
.with_limits(LIMITS)
.with_dump(|files, emit| map::dump(files, ARCHIVE, emit));

/// Returns the roles of rows and description of each table.
#[expect(
    clippy::indexing_slicing,
    reason = "evaluated at compile time, and every index is below the length"
)]
const fn roles<const N: usize>(tables: &[TableFiles]) -> [Role; N] {
    let mut roles = [tables[0].rows; N];
    let mut n = 0;
    while n < N {
        let table = &tables[n / 2];
        roles[n] = if n % 2 == 0 { table.rows } else { table.description };
        n += 1;
    }
    roles
}

fn probe_tables(files: &dyn FileSet, tables: &[TableFiles]) -> Score {
    let Some(games) = tables.first() else {
        return Score::No;
    };
    let described = files
        .get(games.description)
        .map(|bytes| Frm::parse(bytes, games.description));
    match (files.get(games.rows), described) {
        (Some(_), Some(Ok(frm))) => {
            let has = |name: &str| {
                frm.fields
                    .iter()
                    .any(|field| field.name.eq_ignore_ascii_case(name))
            };
            // The published text has byte code alone, in this column (section 0).
            if has("WhiteId") && has("BlackId") || has("GameText") {
                Score::Certain
            } else {
                Score::No
            }
        }
        _ => Score::No,
    }
}

/// The losses of these formats (docs/formats/bytecode.md, section 9).
pub const LOSSES: LossSet = LossSet::COMMON
    .with(&[LossKind::UnnumberedPiece])
    .without(&[
        LossKind::NullMove,
        LossKind::VariationMoved,
        LossKind::CommentMerged,
        LossKind::CommentCut,
        LossKind::NagMoved,
        LossKind::NameLeftOut,
        LossKind::Title,
        LossKind::RatingType,
        LossKind::Annotator,
        LossKind::DeletedFlag,
        LossKind::StartCounters,
        LossKind::Chess960,
        LossKind::Collection,
    ]);

/// The limits of jose's tables and byte code.
pub const LIMITS: &[FormatLimit] = &[
    FormatLimit::own("bytes of a game's moves", 0xFF_FFFF),
    FormatLimit::own("bytes of a game's texts", 0xFF_FFFF),
    FormatLimit::own(
        "knights, bishops or rooks of one side that are not promoted pawns",
        2,
    ),
    FormatLimit::own("queens of one side that are not promoted pawns", 1),
    FormatLimit::own("NAG", 255),
    FormatLimit::own("years of a date", 9999),
    of_tables("characters of a name", 255),
    of_tables("characters of a title, a round, a board", 32),
    of_tables("characters of a FEN", 128),
    of_tables("characters in total of all other tags", 255),
];

const fn of_tables(what: &'static str, limit: u64) -> FormatLimit {
    FormatLimit::new(what, limit, "jose's tables")
}

/// Number of bytes of a script that a probe examines.
const PROBED: usize = 64 << 10;

fn probe(files: &dyn FileSet) -> Score {
    let Some(script) = files.get(SQL_FILE) else {
        return Score::No;
    };
    let (decoded, _) = utf_8(script.get(..PROBED).unwrap_or(script));
    let start = decoded.to_ascii_lowercase();
    let names = |word: &str| {
        ["`", "\"", ""].iter().any(|quote| {
            let statements = ["create table", "create table if not exists", "insert into"];
            statements.iter().any(|statement| {
                let table = format!("{statement} {quote}{word}");
                start
                    .windows(table.len())
                    .any(|part| part == table.as_bytes())
            })
        })
    };
    // A binary file, such as one of SQLite, may contain statements too; a text has no byte 0 before.
    let text = start.split(|byte| *byte == 0).next().unwrap_or_default();
    let has_statement = |start: &[u8]| text.windows(start.len()).any(|part| part == start);
    if !has_statement(b"create table ") && !has_statement(b"insert into ") {
        return Score::No;
    }
    let has = |column: &[u8]| start.windows(column.len()).any(|part| part == column);
    let is_single = has(b"whiteid") || has(b"gametext");
    if names("moregame") || names("io_game") || names("game") && is_single {
        Score::Certain
    } else if names("collection") && has(b"gamecount") {
        // A dump begins with this table and may have its games much later.
        Score::Likely
    } else {
        Score::No
    }
}

fn store(files: &dyn FileSet, options: ReadOptions) -> Result<Store<'static>> {
    let script = files.require(SQL_FILE)?;
    Store::open(sql::read(script, SQL_FILE, &options)?, options)
}

fn create<'a>(
    sink: &'a mut dyn FileSink,
    options: WriteOptions,
) -> Result<Box<dyn GameWrite + 'a>> {
    let naming = Naming::for_texts(&options.settings)?;
    let rows = Box::new(SqlSink::create_as(sink, SQL_FILE, &naming)?);
    let (width, layout) = (Width::Jose, naming.layout());
    Ok(Box::new(Writer::create_as(rows, width, layout, options)?))
}
