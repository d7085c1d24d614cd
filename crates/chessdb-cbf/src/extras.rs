//! The data of a database that the model has no field for. It is kept for rewriting, under the
//! field numbers listed in docs/formats/cbf.md, section 15.

use chessdb_core::format::ExtraField;
use chessdb_core::model::{Extra, Header};

/// The format's name in every extra.
pub(crate) const FORMAT: &str = "cbf";

/// The result byte of a game without a result, if it is not 3.
pub(crate) const RESULT: u16 = 1;
/// No content: the version bit is clear.
pub(crate) const VERSION: u16 = 2;
/// No content: the check byte follows the formula that contradicts the version bit.
pub(crate) const OTHER_FORMULA: u16 = 3;
/// A check byte that matches neither formula.
pub(crate) const PRIVATE: u16 = 4;
/// An ECO sub-code without a code, or above 99.
pub(crate) const SUB_CODE: u16 = 5;
/// The hyphens within names that are stored as `-` instead of `_`: the number of hyphens, then one
/// bit for each, from the highest bit.
pub(crate) const HYPHENS: u16 = 6;
/// The position of the round: 0 for the source or 1 for the players, offset, blanks.
pub(crate) const ROUND_PLACE: u16 = 7;
/// The position of the annotator in the source: offset, blanks.
pub(crate) const ANNOTATOR_PLACE: u16 = 8;
/// In the moves: a code of slot 0 to 2 that cannot be restored from its NAG. The field number is
/// this constant plus the slot.
pub(crate) const CODE: u16 = 16;

/// Descriptions of the fields for users.
pub(crate) const FIELDS: &[ExtraField] = &[
    ExtraField::of_game(FORMAT, RESULT, "the code of a missing result"),
    ExtraField::of_game(
        FORMAT,
        VERSION,
        "the mark of an early version of the program",
    ),
    ExtraField::of_game(
        FORMAT,
        OTHER_FORMULA,
        "the mark of another checksum formula",
    ),
    ExtraField::of_game(
        FORMAT,
        PRIVATE,
        "a check byte that matches no known formula",
    ),
    ExtraField::of_game(FORMAT, SUB_CODE, "an ECO sub-code without its ECO code"),
    ExtraField::of_game(FORMAT, HYPHENS, "how hyphens in names are stored"),
    ExtraField::of_game(FORMAT, ROUND_PLACE, "the original position of the round"),
    ExtraField::of_game(
        FORMAT,
        ANNOTATOR_PLACE,
        "the original position of the annotator",
    ),
    ExtraField::of_game(FORMAT, CODE, "the code of a move symbol"),
    ExtraField::of_game(FORMAT, CODE + 1, "the code of a position evaluation"),
    ExtraField::of_game(FORMAT, CODE + 2, "the code of an additional symbol"),
];

/// Returns an extra of this format.
pub(crate) fn extra(field: u16, bytes: &[u8]) -> Extra {
    Extra {
        format: FORMAT,
        field,
        bytes: bytes.into(),
    }
}

/// Returns the content of a field of this format.
pub(crate) fn find(header: &Header, field: u16) -> Option<&[u8]> {
    let mut extras = header.extras.iter();
    let extra = extras.find(|extra| extra.format == FORMAT && extra.field == field)?;
    Some(&extra.bytes)
}
