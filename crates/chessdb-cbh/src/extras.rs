//! The data of a database that the model has no field for. It is kept for writing back, under the
//! field numbers listed in docs/formats/cbh.md, section 19.

use chessdb_core::format::ExtraField;
use chessdb_core::model::{Extra, Header};

/// The format's name in every extra.
pub(crate) const FORMAT: &str = "cbh";

/// Of a game: the flags of its move record, if the encoding mode is not the default.
pub(crate) const MODE: u16 = 1;
/// Of a game: the index, in stored order, of the move that the code 236 precedes; four bytes.
pub(crate) const NOTHING: u16 = 2;
/// Of a game: the ECO field, if it cannot be restored from the model's code.
pub(crate) const ECO: u16 = 3;
/// Of a game: the kind of White's rating, if it is not the default. Black's is this number plus
/// one.
pub(crate) const RATING: u16 = 4;
/// Of a game: the whole move record, if its mode is unknown.
pub(crate) const RECORD: u16 = 6;
/// Of a game: the first byte of the index record, if it has unknown bits.
pub(crate) const KIND: u16 = 7;
/// Of a game: the result and the NAG of the line, if they cannot be restored from the model.
pub(crate) const RESULT: u16 = 8;

/// Among the moves: the language and the first byte of the text that follows, which is placed after
/// a move. Fields below 256 are whole annotations of that type.
pub(crate) const TEXT: u16 = 0x102;
/// Like [`TEXT`], for a text before a move.
pub(crate) const TEXT_BEFORE: u16 = 0x182;
/// Like [`TEXT_BEFORE`], for a text of that type that belongs to the game.
pub(crate) const TEXT_BEFORE_GAME: u16 = 0x382;

/// Of a database: a guiding text, as its index record and its record in the games file.
pub(crate) const GUIDING_TEXT: u16 = 1;

/// Descriptions of the fields for users.
pub(crate) const FIELDS: &[ExtraField] = &[
    ExtraField::of_game(FORMAT, MODE, "an encoding mode of the moves"),
    ExtraField::of_game(FORMAT, NOTHING, "a code without a move"),
    ExtraField::of_game(FORMAT, ECO, "an ECO field beyond the code"),
    ExtraField::of_game(FORMAT, RATING, "the kind of a rating").up_to(RATING + 1),
    ExtraField::of_game(FORMAT, RECORD, "moves in an unknown encoding mode"),
    ExtraField::of_game(FORMAT, KIND, "unknown bits of the index record"),
    ExtraField::of_game(FORMAT, RESULT, "result and sign of a line"),
    ExtraField::of_game(FORMAT, 0, "an annotation of ChessBase's own").up_to(255),
    ExtraField::of_game(FORMAT, 256, "language and first byte of a text").up_to(TEXT_BEFORE_GAME),
    ExtraField::of_base(FORMAT, GUIDING_TEXT, "a guiding text"),
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
    let found = extras.find(|extra| extra.format == FORMAT && extra.field == field);
    found.map(|extra| &*extra.bytes)
}
