//! Conversion between the header of a game and the cells of its row (docs/formats/bytecode.md,
//! section 7).

mod read;
mod tags;
mod write;

use chessdb_core::model::{Eco, Field};

pub(crate) use read::{HeaderFacts, read_header};
pub(crate) use write::{ColumnWidths, HeaderCells, write_header};

/// The typed fields that a row stores in the column Info, in the order in which they are written if
/// the source had no order.
const INFO_FIELDS: [Field; 6] = [
    Field::Source,
    Field::WhiteFideId,
    Field::BlackFideId,
    Field::WhiteRating,
    Field::BlackRating,
    Field::Flags,
];

/// Returns the code of an ECO tag, in any spelling.
fn eco(text: &[u8]) -> Option<Eco> {
    Eco::from_ascii(text).or_else(|| Eco::from_lenient_ascii(text))
}
