//! What a base holds beyond the model, and is kept for a way back: the numbers of the fields as
//! docs/formats/cbh.md, section 19, lists them.

use chessdb_core::{Extra, ExtraField, Header};

/// The format's id in every extra.
pub(crate) const FORMAT: &str = "cbh";

/// Of a game: the flags of its move record, if the encoding mode is not the usual one.
pub(crate) const MODE: u16 = 1;
/// Of a game: before which move in stored order the code 236 stands, four bytes.
pub(crate) const NOTHING: u16 = 2;
/// Of a game: the ECO field, if it is not what the model's code gives.
pub(crate) const ECO: u16 = 3;
/// Of a game: what kind of rating White has, if it is not the usual one; Black's is one more.
pub(crate) const RATING: u16 = 4;
/// Of a game: the whole move record, if it is in a mode that nobody knows.
pub(crate) const RECORD: u16 = 6;
/// Of a game: the first byte of the index record, if it has bits that nobody knows.
pub(crate) const KIND: u16 = 7;
/// Of a game: result and NAG of the line, if the model does not give them back.
pub(crate) const RESULT: u16 = 8;

/// Among the moves: what is said about the text behind it, which follows a move: language, first byte.
/// Fields below 256 are whole annotations of that type.
pub(crate) const TEXT: u16 = 0x102;
/// The same of a text before a move.
pub(crate) const TEXT_BEFORE: u16 = 0x182;
/// The same of one that has the type of those but belongs to the game.
pub(crate) const TEXT_BEFORE_GAME: u16 = 0x382;

/// Of a base: a guiding text, its index record and its record among the games.
pub(crate) const GUIDING_TEXT: u16 = 1;

/// What these are, for people.
pub(crate) const FIELDS: &[ExtraField] = &[
    ExtraField::of_game(FORMAT, MODE, "an encoding mode of the moves"),
    ExtraField::of_game(FORMAT, NOTHING, "a code without a move"),
    ExtraField::of_game(FORMAT, ECO, "an ECO field beyond the code"),
    ExtraField::of_game(FORMAT, RATING, "the kind of a rating").up_to(RATING + 1),
    ExtraField::of_game(FORMAT, RECORD, "moves in a mode that nobody knows"),
    ExtraField::of_game(FORMAT, KIND, "unknown bits of the index record"),
    ExtraField::of_game(FORMAT, RESULT, "result and sign of a line"),
    ExtraField::of_game(FORMAT, 0, "an annotation of ChessBase's own").up_to(255),
    ExtraField::of_game(FORMAT, 256, "language and first byte of a text").up_to(TEXT_BEFORE_GAME),
    ExtraField::of_base(FORMAT, GUIDING_TEXT, "a guiding text"),
];

/// An extra of this format.
pub(crate) fn extra(field: u16, bytes: &[u8]) -> Extra {
    Extra {
        format: FORMAT,
        field,
        bytes: bytes.into(),
    }
}

/// What a head keeps in a field.
pub(crate) fn find(header: &Header, field: u16) -> Option<&[u8]> {
    let mut extras = header.extras.iter();
    let found = extras.find(|extra| extra.format == FORMAT && extra.field == field);
    found.map(|extra| &*extra.bytes)
}
