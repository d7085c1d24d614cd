//! What a base holds beyond the model, and is kept for a rewrite: the numbers of the fields as
//! docs/formats/cbf.md, section 15, lists them.

use chessdb_core::{Extra, ExtraField, Header};

/// The format's id in every extra.
pub(crate) const FORMAT: &str = "cbf";

/// The result byte of a game without a result, if it is not 3.
pub(crate) const RESULT: u16 = 1;
/// Without content: the version bit is clear.
pub(crate) const VERSION: u16 = 2;
/// Without content: the check byte follows the formula that does not go with the version bit.
pub(crate) const OTHER_FORMULA: u16 = 3;
/// A check byte that follows neither formula.
pub(crate) const PRIVATE: u16 = 4;
/// A sub-code of ECO without a code, or above 99.
pub(crate) const SUB_CODE: u16 = 5;
/// Which hyphens within names are stored as `-` and not as `_`: their number, then bits from the
/// highest.
pub(crate) const HYPHENS: u16 = 6;
/// Where the round stood: 0 source or 1 players, offset, blanks.
pub(crate) const ROUND_PLACE: u16 = 7;
/// Where the annotator stood in the source: offset, blanks.
pub(crate) const ANNOTATOR_PLACE: u16 = 8;
/// In the moves: a code of slot 0 to 2 that its NAG does not give back. The field number is this
/// plus the slot.
pub(crate) const CODE: u16 = 16;

/// What these are, for people.
pub(crate) const FIELDS: &[ExtraField] = &[
    ExtraField::of_game(FORMAT, RESULT, "the code of a missing result"),
    ExtraField::of_game(FORMAT, VERSION, "the mark of an early version"),
    ExtraField::of_game(FORMAT, OTHER_FORMULA, "the mark of another check formula"),
    ExtraField::of_game(FORMAT, PRIVATE, "a check byte of no known formula"),
    ExtraField::of_game(FORMAT, SUB_CODE, "a sub-code of ECO without its code"),
    ExtraField::of_game(FORMAT, HYPHENS, "how hyphens in names are stored"),
    ExtraField::of_game(FORMAT, ROUND_PLACE, "where the round stood"),
    ExtraField::of_game(FORMAT, ANNOTATOR_PLACE, "where the annotator stood"),
    ExtraField::of_game(FORMAT, CODE, "the code of a move's sign"),
    ExtraField::of_game(FORMAT, CODE + 1, "the code of a judgement of the position"),
    ExtraField::of_game(FORMAT, CODE + 2, "the code of a further sign"),
];

/// An extra of this format.
pub(crate) fn extra(field: u16, bytes: &[u8]) -> Extra {
    Extra {
        format: FORMAT,
        field,
        bytes: bytes.into(),
    }
}

/// The content of a field of this format.
pub(crate) fn find(header: &Header, field: u16) -> Option<&[u8]> {
    let mut extras = header.extras.iter();
    let found = extras.find(|extra| extra.format == FORMAT && extra.field == field)?;
    Some(&found.bytes)
}
