//! The data of a database that the model has no field for. It is kept for writing back, under the
//! field numbers listed in docs/formats/cbh.md, section 19.

use chessdb_core::format::ExtraField;
use chessdb_core::model::{Extra, Header};

/// The format's name in every extra.
pub(crate) const FORMAT: &str = "cbh";

/// Among the moves: the language and the first byte of the text that follows, which is placed after
/// a move. Fields below 256 are whole annotations of that type.
pub(crate) const TEXT: u16 = 0x102;
/// Like [`TEXT`], for a text before a move.
pub(crate) const TEXT_BEFORE: u16 = 0x182;
/// Like [`TEXT_BEFORE`], for a text of that type that belongs to the game.
pub(crate) const TEXT_BEFORE_GAME: u16 = 0x382;

/// The format's name in the extras of 2CBH databases. Data that both formats store alike have the
/// format `cbh`.
pub(crate) const FORMAT_2CBH: &str = "2cbh";

/// Of a game: the third byte of the index record, which marks an analysis.
pub(crate) const CONTENT: u16 = 0x201;
/// Of a game: the kind of White's rating, if it is not FIDE's. Black's is this number plus one.
pub(crate) const RATING_2CBH: u16 = 0x202;
/// Of a game: the tag and the content of a record that is not a game.
pub(crate) const RECORD_2CBH: u16 = 0x204;
/// Of a game: the scores of its classification.
pub(crate) const CLASSIFICATION: u16 = 0x205;
/// Of a game: the rules for ties of its tournament.
pub(crate) const TIE_BREAKS: u16 = 0x206;
/// Of a game: a title in a language without a tag; the language, then the text.
pub(crate) const TITLE: u16 = 0x207;
/// Of a game: the words of the start position before its pieces, if they are not understood.
pub(crate) const START: u16 = 0x208;
/// Of a game: the first eight bytes of the index record, if they have unknown bits.
pub(crate) const KIND_2CBH: u16 = 0x209;
/// Among the moves: the first four bytes of the text that follows, if its language is unknown.
/// Lower fields are whole annotations of that type.
pub(crate) const LANGUAGE: u16 = 0x102;
/// Among the moves: annotations that cannot be read, beginning with their type.
pub(crate) const UNREAD: u16 = 0x101;

/// Of a database: a guiding text, as its index record, the record of its title and its content.
pub(crate) const GUIDING_TEXT_2CBH: u16 = 1;

/// Descriptions of the fields of 2CBH for users. The annotations that both formats store alike are
/// among the fields of CBH.
pub(crate) const FIELDS_2CBH: &[ExtraField] = &[
    ExtraField::of_game(FORMAT_2CBH, CONTENT, "the mark of an analysis"),
    ExtraField::of_game(FORMAT_2CBH, RATING_2CBH, "the kind of a rating").up_to(RATING_2CBH + 1),
    ExtraField::of_game(FORMAT_2CBH, RECORD_2CBH, "a record that is not a game"),
    ExtraField::of_game(FORMAT_2CBH, CLASSIFICATION, "scores of the classification"),
    ExtraField::of_game(FORMAT_2CBH, TIE_BREAKS, "rules for ties"),
    ExtraField::of_game(FORMAT_2CBH, TITLE, "a title in another language"),
    ExtraField::of_game(FORMAT_2CBH, START, "unknown parts of a start position"),
    ExtraField::of_game(FORMAT_2CBH, KIND_2CBH, "unknown bits of the index record"),
    ExtraField::of_game(FORMAT_2CBH, 0, "an annotation of ChessBase's own").up_to(255),
    ExtraField::of_game(FORMAT_2CBH, UNREAD, "annotations that cannot be read"),
    ExtraField::of_game(FORMAT_2CBH, LANGUAGE, "the unknown language of a text"),
    ExtraField::of_base(FORMAT_2CBH, GUIDING_TEXT_2CBH, "a guiding text"),
    ExtraField::of_game(FORMAT, ECO, "an ECO field beyond the code"),
    ExtraField::of_game(FORMAT, RESULT, "result and sign of a line"),
    ExtraField::of_game(FORMAT, 0, "an annotation of ChessBase's own").up_to(255),
    ExtraField::of_game(FORMAT, 256, "language and first byte of a text").up_to(TEXT_BEFORE_GAME),
];

chessdb_core::extra_fields! {
    /// Descriptions of the fields for users.
    pub(crate) FIELDS of FORMAT;
    /// Of a game: the flags of its move record, if the encoding mode is not the default.
    of_game MODE = 1, "an encoding mode of the moves";
    /// Of a game: the index, in stored order, of the move that the code 236 precedes; four bytes.
    of_game NOTHING = 2, "a code without a move";
    /// Of a game: the ECO field, if it cannot be restored from the model's code.
    of_game ECO = 3, "an ECO field beyond the code";
    /// Of a game: the kind of White's rating, if it is not the default. Black's is this number plus
    /// one.
    of_game RATING = 4..=5, "the kind of a rating";
    /// Of a game: the whole move record, if its mode is unknown.
    of_game RECORD = 6, "moves in an unknown encoding mode";
    /// Of a game: the first byte of the index record, if it has unknown bits.
    of_game KIND = 7, "unknown bits of the index record";
    /// Of a game: the result and the NAG of the line, if they cannot be restored from the model.
    of_game RESULT = 8, "result and sign of a line";
    of_game _ = 0..=255, "an annotation of ChessBase's own";
    of_game _ = 256..=TEXT_BEFORE_GAME, "language and first byte of a text";
    /// Of a database: a guiding text, as its index record and its record in the games file.
    of_base GUIDING_TEXT = 1, "a guiding text";
}

/// Returns an extra of this format.
pub(crate) fn extra(field: u16, bytes: &[u8]) -> Extra {
    Extra::new(FORMAT, field, bytes)
}

/// Returns an extra of 2CBH.
pub(crate) fn extra_2cbh(field: u16, bytes: &[u8]) -> Extra {
    Extra::new(FORMAT_2CBH, field, bytes)
}

/// Returns the content of a field of this format.
pub(crate) fn find(header: &Header, field: u16) -> Option<&[u8]> {
    let is_it = |extra: &&Extra| extra.is_of(FORMAT, field);
    let stored = header.extras.iter().find(is_it)?;
    Some(&*stored.bytes)
}
