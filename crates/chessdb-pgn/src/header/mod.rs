//! Tags: typed fields where the model has them, verbatim texts otherwise.

mod read;
mod write;

pub(crate) use read::{HeaderReader, TagFinding};
pub(crate) use write::write_header;

use chessdb_core::Color;
use chessdb_core::model::Field;

/// Returns the color of the player that a rating, title or number field belongs to.
fn color_of(field: Field) -> Color {
    field.color().unwrap_or(Color::White)
}

/// Returns the bit of a field.
const fn bit(field: Field) -> u32 {
    1 << (field as u32 & 31)
}
