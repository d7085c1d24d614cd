//! The opening books of ChessBase (docs/formats/cbf.md, section 11). Experimental: no genuine book
//! is known. The implementation uses the only interpretation under which the two bits of a move
//! form a tree.
//!
//! A book is read as one game without a header. Its lines are the mainline and variations; moves
//! marked as not to be played have `$6`. The writer accepts any number of games and merges them
//! into one tree.

mod raw;
mod store;
mod tree;
mod writer;

use chessdb_core::format::Score;
use chessdb_core::loss::{FormatLimit, LossSet};
use chessdb_core::{FileSet, Format, LossKind, MemorySet, Result};

use crate::roles::FBK_FILE;

pub use raw::{Book, Entry};
pub use store::Store;
pub use writer::Writer;

/// The format of an opening book.
pub static FBK: Format = Format::new(
    "fbk",
    "ChessBase FBK opening book (experimental)",
    probe,
    |files, options| Ok(Box::new(Store::open(files, options)?)),
    |_, _, _| {},
)
.with_files(&[FBK_FILE], &[FBK_FILE])
.with_losses(LOSSES)
.with_limits(LIMITS)
.with_create(|sink, options| Ok(Box::new(Writer::create(sink, options)?)))
.with_dump(crate::map::dump_book)
.with_raw(rewrite_raw);

/// The losses possible in a book: everything except moves.
const LOSSES: LossSet = LossSet::COMMON.with(&[LossKind::Promotion]).without(&[
    LossKind::CommentMerged,
    LossKind::CommentMoved,
    LossKind::CommentCut,
    LossKind::CommentText,
    LossKind::NagMoved,
    LossKind::NameCut,
    LossKind::NameLeftOut,
    LossKind::NameText,
    LossKind::TagCut,
    LossKind::RatingType,
    LossKind::DeletedFlag,
    LossKind::StartCounters,
    LossKind::Chess960,
    LossKind::NameTable,
]);

const LIMITS: &[FormatLimit] = &[FormatLimit::own(
    "games, into which all games are merged",
    1,
)];

fn rewrite_raw(files: &dyn FileSet) -> Result<MemorySet> {
    let book = Book::parse(files.require(FBK_FILE)?);
    Ok([(FBK_FILE, book.to_bytes())].into_iter().collect())
}

/// Scores a file by whether the first line of the book can be played.
fn probe(files: &dyn FileSet) -> Score {
    /// Books have no magic bytes. Any two bytes are a legal move in one of two hundred cases.
    const ENOUGH: u32 = 4;
    let Some(bytes) = files.get(FBK_FILE) else {
        return Score::No;
    };
    let (entries, tail) = Book::split(bytes);
    let mut board = chessdb_core::Board::standard();
    let mut played = 0;
    for entry in entries.iter().map(Entry::parse).take(200) {
        let Some(mv) = tree::resolve(&board, entry.from, entry.to) else {
            return if played >= ENOUGH { Score::Maybe } else { Score::No };
        };
        board.play(mv);
        played += 1;
        if entry.ends_line {
            return if tail.is_empty() { Score::Likely } else { Score::Maybe };
        }
    }
    if played >= ENOUGH { Score::Maybe } else { Score::No }
}
