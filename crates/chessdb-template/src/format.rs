//! The format description that the facade uses.

use chessdb_core::format::Score;
use chessdb_core::loss::LossSet;
use chessdb_core::{FileSet, Format, LossKind};

use crate::raw::{File, MAGIC};
use crate::roles::TEMPLATE_FILE;
use crate::{Reader, Store, Writer, map};

/// The format `template`, FORMAT.md.
pub static TEMPLATE: Format = Format::new(
    "template",
    "template, one game per line",
    probe,
    |files, options| Ok(Box::new(Store::open(files, options)?)),
    // Reading the games finds everything: there is nothing around them.
    |_, _, _| {},
)
.with_files(&[TEMPLATE_FILE], &[TEMPLATE_FILE])
.with_losses(LOSSES)
.with_stream(|input, options| Ok(Box::new(Reader::new(input, options)?)))
.with_create(|sink, options| Ok(Box::new(Writer::create(sink, options)?)))
.with_dump(map::dump)
.with_raw(|files| {
    let mut again = chessdb_core::MemorySet::new();
    again.insert(
        TEMPLATE_FILE,
        File::parse(files.require(TEMPLATE_FILE)?)?.to_bytes(),
    );
    Ok(again)
});

/// The losses of this format.
const LOSSES: LossSet = LossSet::of(&[
    LossKind::Game,
    LossKind::MovesCut,
    LossKind::VariationMoves,
    LossKind::GhostEnPassant,
    LossKind::IllegalMove,
    LossKind::Variation,
    LossKind::VariationBeforeMove,
    LossKind::Comment,
    LossKind::CommentText,
    LossKind::Nag,
    LossKind::Clock,
    LossKind::Eval,
    LossKind::Shapes,
    LossKind::MoveResult,
    LossKind::Fault,
    LossKind::NameText,
    LossKind::Tag,
    LossKind::EmptyTag,
    LossKind::Title,
    LossKind::FideId,
    LossKind::Rating,
    LossKind::Round,
    LossKind::Date,
    LossKind::EventDate,
    LossKind::Eco,
    LossKind::Annotator,
    LossKind::Source,
    LossKind::Flags,
    LossKind::StartPosition,
    LossKind::BaseTitle,
    LossKind::Description,
    LossKind::BaseKind,
    LossKind::FlagNames,
    LossKind::NameDetails,
    LossKind::Collection,
    LossKind::BaseExtra,
    LossKind::GameExtra,
]);

fn probe(files: &dyn FileSet) -> Score {
    match files.get(TEMPLATE_FILE) {
        Some(bytes) if bytes.starts_with(MAGIC) => Score::Certain,
        _ => Score::No,
    }
}
