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

use chessdb_core::{Charsets, FileSet, Format, FormatLimit, LossKind, MemorySet, Result, Role};

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
pub static PGN: Format = Format {
    id: "pgn",
    name: "Portable Game Notation",
    roles: &[PGN_FILE],
    required: &[PGN_FILE],
    losses: &[
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
    ],
    limits: &[
        FormatLimit {
            what: "characters in a line of movetext",
            limit: 80,
            of: "export format; longer words of comments excepted",
        },
        FormatLimit {
            what: "bytes of a tag's name and value",
            limit: 240,
            of: "Scid 4.7, which leaves out longer tags",
        },
        FormatLimit {
            what: "NAGs of a move",
            limit: 7,
            of: "Scid 4.7, which leaves out the others",
        },
    ],
    charsets: Charsets::Own,
    keeps_layout: false,
    probe: probe::probe,
    open: |files, options| {
        let store = Store::open(files.require(PGN_FILE)?, options)?;
        Ok(Box::new(store))
    },
    stream: Some(|input, options| Ok(Box::new(Reader::new(input, options)))),
    create: Some(|sink, options| Ok(Box::new(writer::Writer::create(sink, options)?))),
    check: check::check,
    dump: None,
    raw: Some(raw_again),
};

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
