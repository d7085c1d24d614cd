//! The data of a database that the model has no field for. It is kept for rewriting, under the
//! field numbers listed in docs/formats/cbf.md, section 15.

use chessdb_core::model::{Extra, Header};

/// The format's name in every extra.
pub(crate) const FORMAT: &str = "cbf";

chessdb_core::extra_fields! {
    /// Descriptions of the fields for users.
    pub(crate) FIELDS of FORMAT;
    /// The result byte of a game without a result, if it is not 3.
    of_game RESULT = 1, "the code of a missing result";
    /// No content: the version bit is clear.
    of_game VERSION = 2, "the mark of an early version of the program";
    /// No content: the check byte follows the formula that contradicts the version bit.
    of_game OTHER_FORMULA = 3, "the mark of another checksum formula";
    /// A check byte that matches neither formula.
    of_game PRIVATE = 4, "a check byte that matches no known formula";
    /// An ECO sub-code without a code, or above 99.
    of_game SUB_CODE = 5, "an ECO sub-code without its ECO code";
    /// The hyphens within names that are stored as `-` instead of `_`: the number of hyphens, then
    /// one bit for each, from the highest bit.
    of_game HYPHENS = 6, "how hyphens in names are stored";
    /// The position of the round: 0 for the source or 1 for the players, offset, blanks.
    of_game ROUND_PLACE = 7, "the original position of the round";
    /// The position of the annotator in the source: offset, blanks.
    of_game ANNOTATOR_PLACE = 8, "the original position of the annotator";
    /// In the moves: a code of slot 0 to 2 that cannot be restored from its NAG. The field number
    /// is this constant plus the slot.
    of_game CODE = 16, "the code of a move symbol";
    of_game _ = 17, "the code of a position evaluation";
    of_game _ = 18, "the code of an additional symbol";
}

/// Returns an extra of this format.
pub(crate) fn extra(field: u16, bytes: &[u8]) -> Extra {
    Extra::new(FORMAT, field, bytes)
}

/// Returns the content of a field of this format.
pub(crate) fn find(header: &Header, field: u16) -> Option<&[u8]> {
    let mut extras = header.extras.iter();
    let extra = extras.find(|extra| extra.is_of(FORMAT, field))?;
    Some(&extra.bytes)
}
