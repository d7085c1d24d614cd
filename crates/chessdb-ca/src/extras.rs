//! Field numbers of the [`Extra`]s that hold data only Chess Assistant understands
//! (docs/formats/chess-assistant.md, section 16).

use chessdb_core::model::Extra;

/// The id of this format.
pub(crate) const FORMAT: &str = "ca";

chessdb_core::extra_fields! {
    /// Descriptions of the fields for users. Among the moves, a number up to 255 is the type of a
    /// comment.
    pub(crate) FIELDS of FORMAT;
    /// The byte at offset 28 of the header.
    of_game HEADER_BYTE = 28, "an unknown byte of the header";
    /// Bit 0 of the round byte.
    of_game ROUND_BIT = 29, "an unknown bit of the round";
    /// An ECO number of 500 or more.
    of_game ECO_NUMBER = 30, "an ECO number beyond E99";
    /// A symbol before its move that has no NAG.
    of_game SYMBOL_BEFORE = 3, "a symbol without a NAG";
    /// The payload of a diagram; directly follows its NAG.
    of_game DIAGRAM_AFTER = 8, "the layout of a diagram";
    /// The payload of a diagram before the next move; directly follows its NAG.
    of_game DIAGRAM_BEFORE = 9, "the layout of a diagram";
    of_game _ = 6, "an evaluation with its author";
    of_game _ = 7, "probably folders created by the user";
    of_game _ = 21, "probably folders created by the user";
    of_game _ = 0..=255, "a note of an undocumented type";
    /// The number of NAGs stored before the next move instead of after it.
    of_game NAGS_BEFORE = 256, "NAGs before their move";
    /// The byte after code 233.
    of_game UNKNOWN_CODE = 257, "an unknown code in the moves";
    /// The bytes after the value of an evaluation if they are not `FF 00`; directly follows the
    /// evaluation.
    of_game EVAL_TAIL = 258, "unknown bytes of an evaluation";
    /// The first 104 bytes of the description: program, version, an unknown field.
    of_base BASE_CDP = 1, "program and version in the description";
    /// The bytes after the comment of the description.
    of_base BASE_CDP_TAIL = 2, "bytes after the description";
    /// The first 136 bytes of the EMB.
    of_base BASE_EMB = 3, "the header of the EMB file";
    /// A file inside the EMB: its name, a NUL, its content.
    of_base BASE_INNER_FILE = 4, "a file inside the EMB";
    /// The number of games to which the side files belong.
    of_base BASE_GAMES = 5, "the number of games of the side files";
    /// The byte before the records that marks the charset, if this crate wrote one.
    of_base BASE_MARK = 6, "the charset mark";
    /// The first of the side files, in the order of [`crate::roles::SIDE_FILES`].
    of_base BASE_SIDE_FILE = 16, "a side file";
}

/// Creates an extra of this format.
pub(crate) fn extra(field: u16, bytes: impl Into<Box<[u8]>>) -> Extra {
    Extra::new(FORMAT, field, bytes)
}
