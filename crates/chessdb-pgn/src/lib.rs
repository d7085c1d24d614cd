#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod boards;
mod check;
mod game;
mod head;
mod moves;
mod probe;
pub mod raw;
mod reader;
mod report;
mod store;
mod text;
mod writer;

use chessdb_core::{FileSet, Format, FormatLimit, LossKind, MemorySet, Result, Role};

/// The common model, so that a program that reads one format needs one dependency.
pub use chessdb_core;
pub use reader::Reader;
pub use store::Store;
pub use writer::{GameText, Layout, Writer, write_game};

/// The formats of this crate.
pub static FORMATS: &[&chessdb_core::Format] = &[&PGN];

/// The one file of a PGN base.
pub const PGN_FILE: Role = Role("pgn");

/// PGN as a format among others.
pub static PGN: Format = Format::new(
    "pgn",
    "Portable Game Notation",
    probe::probe,
    |files, options| {
        let store = Store::open(files.require(PGN_FILE)?, options)?;
        Ok(Box::new(store))
    },
    check::check,
)
.with_files(&[PGN_FILE], &[PGN_FILE])
.with_losses(&[
    LossKind::MovesCut,
    LossKind::GhostEnPassant,
    LossKind::IllegalMove,
    LossKind::Variation,
    LossKind::Comment,
    LossKind::CommentMoved,
    LossKind::CommentText,
    LossKind::Nag,
    LossKind::Clock,
    LossKind::Eval,
    LossKind::Shapes,
    LossKind::MoveResult,
    LossKind::Fault,
    LossKind::NameText,
    LossKind::TagText,
    LossKind::BaseTitle,
    LossKind::Description,
    LossKind::BaseKind,
    LossKind::FlagNames,
    LossKind::OpenFirst,
    LossKind::NameDetails,
    LossKind::Collection,
    LossKind::BaseExtra,
    LossKind::GameExtra,
])
.with_limits(&[
    FormatLimit::new(
        "characters in a line of movetext",
        80,
        "export format; longer words of comments excepted",
    ),
    FormatLimit::new(
        "bytes of a tag's name and value",
        240,
        "Scid 4.7, which leaves out longer tags",
    ),
    FormatLimit::new("NAGs of a move", 7, "Scid 4.7, which leaves out the others"),
])
.with_stream(|input, options| Ok(Box::new(Reader::new(input, options))))
.with_create(|sink, options| Ok(Box::new(writer::Writer::create(sink, options)?)))
.with_raw(raw_again);

/// Every token's own bytes, one after another.
fn raw_again(files: &dyn FileSet) -> Result<MemorySet> {
    let bytes = files.require(PGN_FILE)?;
    let mut again = Vec::with_capacity(bytes.len());
    let mut tokens = raw::Lexer::new(bytes);
    while let Some(token) = tokens.next() {
        again.extend_from_slice(tokens.text(token));
    }
    Ok([(PGN_FILE, again)].into_iter().collect())
}
