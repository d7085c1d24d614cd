//! Tags: typed fields where the model has them, the rest as it stands.

mod read;
mod write;

pub(crate) use read::{Finding, HeaderReader};
pub(crate) use write::write_header;

use chessdb_core::{Color, Field};

/// Whose rating, title or number a field is.
fn color_of(field: Field) -> Color {
    field.color().unwrap_or(Color::White)
}

/// A bit for each field.
const fn bit(field: Field) -> u32 {
    1 << (field as u32 & 31)
}
