//! Field numbers of the [`Extra`]s that hold data only Chess Assistant understands
//! (docs/formats/chess-assistant.md, section 16).

use chessdb_core::format::ExtraField;
use chessdb_core::model::Extra;

/// The id of this format.
pub(crate) const FORMAT: &str = "ca";

// Extras of a game, stored in its header.
/// The byte at offset 28 of the header.
pub(crate) const HEADER_BYTE: u16 = 28;
/// Bit 0 of the round byte.
pub(crate) const ROUND_BIT: u16 = 29;
/// An ECO number of 500 or more.
pub(crate) const ECO_NUMBER: u16 = 30;

// Extras among the moves. A number up to 255 is the type of a comment.
/// A symbol before its move that has no NAG.
pub(crate) const SYMBOL_BEFORE: u16 = 3;
/// The payload of a diagram; directly follows its NAG.
pub(crate) const DIAGRAM_AFTER: u16 = 8;
/// The payload of a diagram before the next move; directly follows its NAG.
pub(crate) const DIAGRAM_BEFORE: u16 = 9;
/// The number of NAGs stored before the next move instead of after it.
pub(crate) const NAGS_BEFORE: u16 = 256;
/// The byte after code 233.
pub(crate) const UNKNOWN_CODE: u16 = 257;
/// The bytes after the value of an evaluation if they are not `FF 00`; directly follows the
/// evaluation.
pub(crate) const EVAL_TAIL: u16 = 258;

// Extras of the database.
/// The first 104 bytes of the description: program, version, an unknown field.
pub(crate) const BASE_CDP: u16 = 1;
/// The bytes after the comment of the description.
pub(crate) const BASE_CDP_TAIL: u16 = 2;
/// The first 136 bytes of the EMB.
pub(crate) const BASE_EMB: u16 = 3;
/// A file inside the EMB: its name, a NUL, its content.
pub(crate) const BASE_INNER_FILE: u16 = 4;
/// The number of games to which the side files belong.
pub(crate) const BASE_GAMES: u16 = 5;
/// The byte before the records that marks the charset, if this crate wrote one.
pub(crate) const BASE_MARK: u16 = 6;
/// The first of the side files, in the order of [`crate::roles::SIDE_FILES`].
pub(crate) const BASE_SIDE_FILE: u16 = 16;

/// Descriptions of the fields for users.
pub(crate) const FIELDS: &[ExtraField] = &[
    ExtraField::of_game(FORMAT, HEADER_BYTE, "an unknown byte of the header"),
    ExtraField::of_game(FORMAT, ROUND_BIT, "an unknown bit of the round"),
    ExtraField::of_game(FORMAT, ECO_NUMBER, "an ECO number beyond E99"),
    ExtraField::of_game(FORMAT, SYMBOL_BEFORE, "a symbol without a NAG"),
    ExtraField::of_game(FORMAT, DIAGRAM_AFTER, "the layout of a diagram"),
    ExtraField::of_game(FORMAT, DIAGRAM_BEFORE, "the layout of a diagram"),
    ExtraField::of_game(FORMAT, 6, "an evaluation with its author"),
    ExtraField::of_game(FORMAT, 7, "probably folders created by the user"),
    ExtraField::of_game(FORMAT, 21, "probably folders created by the user"),
    ExtraField::of_game(FORMAT, 0, "a note of an undocumented type").up_to(255),
    ExtraField::of_game(FORMAT, NAGS_BEFORE, "NAGs before their move"),
    ExtraField::of_game(FORMAT, UNKNOWN_CODE, "an unknown code in the moves"),
    ExtraField::of_game(FORMAT, EVAL_TAIL, "unknown bytes of an evaluation"),
    ExtraField::of_base(FORMAT, BASE_CDP, "program and version in the description"),
    ExtraField::of_base(FORMAT, BASE_CDP_TAIL, "bytes after the description"),
    ExtraField::of_base(FORMAT, BASE_EMB, "the header of the EMB file"),
    ExtraField::of_base(FORMAT, BASE_INNER_FILE, "a file inside the EMB"),
    ExtraField::of_base(FORMAT, BASE_GAMES, "the number of games of the side files"),
    ExtraField::of_base(FORMAT, BASE_MARK, "the charset mark"),
    ExtraField::of_base(FORMAT, BASE_SIDE_FILE, "a side file"),
];

/// Creates an extra of this format.
pub(crate) fn extra(field: u16, bytes: impl Into<Box<[u8]>>) -> Extra {
    Extra {
        format: FORMAT,
        field,
        bytes: bytes.into(),
    }
}
