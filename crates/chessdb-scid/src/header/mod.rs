//! The header of a game: fields of its index entry, and tags and FEN of its record
//! (docs/formats/scid.md, sections 2, 4.1, 4.2 and 13).

mod read;
mod write;

use chessdb_core::model::Field;

pub(crate) use read::{
    NameLookup, read_columns, read_entry, read_fen, read_tags, read_variant, without_tags,
};
pub(crate) use write::{is_refused_by_scid, write_entry, write_fen, write_tags};

/// The typed fields that are stored as extra tags, in the order used when the source had no order.
const TAG_FIELDS: [Field; 6] = [
    Field::WhiteTitle,
    Field::BlackTitle,
    Field::WhiteFideId,
    Field::BlackFideId,
    Field::Annotator,
    Field::Source,
];
