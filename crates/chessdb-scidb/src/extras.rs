//! The data that the model has no field for. It is kept for writing back, under the field numbers
//! listed in docs/formats/scidb.md, section 11.

use chessdb_core::format::ExtraField;
use chessdb_core::model::Extra;

/// The format's name in every extra.
pub(crate) const FORMAT: &str = "scidb";

/// Among the moves: the data of a mark that the model has no token for.
pub(crate) const MARK: u16 = 1;
/// Among the moves: the number of the engine of the time or evaluation that follows.
pub(crate) const ENGINE: u16 = 2;
/// Among the moves: language and markup of the comment that follows.
pub(crate) const STYLE: u16 = 3;

/// Of a game: the names of engines, each with NUL.
pub(crate) const ENGINES: u16 = 16;
/// Of a game: the flags of the index that the model has none for; one byte.
pub(crate) const FLAGS: u16 = 17;
/// Of a game: type, mode and time mode of the event, two bytes; country of the site, two bytes.
pub(crate) const EVENT: u16 = 18;
/// Of a game: kind and sex of White, one byte; country and title, two bytes. Black's is this number
/// plus one.
pub(crate) const PLAYER: u16 = 19;
/// Of a game: a tag with an unknown number; the number, then the value.
pub(crate) const TAG: u16 = 21;

/// Of a database: kind, flags, four bytes of the time of creation.
pub(crate) const HEADER: u16 = 1;
/// Of a database: a name that no game uses, with its details.
pub(crate) const UNUSED_NAME: u16 = 2;

/// Descriptions of the fields for users.
pub(crate) const FIELDS: &[ExtraField] = &[
    ExtraField::of_game(
        FORMAT,
        MARK,
        "a time, a drawing or a diagram of Scidb's own",
    ),
    ExtraField::of_game(FORMAT, ENGINE, "the engine of an evaluation"),
    ExtraField::of_game(FORMAT, STYLE, "language and markup of a comment"),
    ExtraField::of_game(FORMAT, ENGINES, "the names of engines"),
    ExtraField::of_game(FORMAT, FLAGS, "flags of Scidb's own"),
    ExtraField::of_game(FORMAT, EVENT, "type of the event and country of the site"),
    ExtraField::of_game(FORMAT, PLAYER, "kind, sex and country of a player").up_to(PLAYER + 1),
    ExtraField::of_game(FORMAT, TAG, "a tag with an unknown number"),
    ExtraField::of_base(FORMAT, HEADER, "kind and time of creation of the database"),
    ExtraField::of_base(
        FORMAT,
        UNUSED_NAME,
        "the details of a name that no game uses",
    ),
];

/// Returns an extra of this format.
pub(crate) fn extra(field: u16, bytes: &[u8]) -> Extra {
    Extra {
        format: FORMAT,
        field,
        bytes: bytes.into(),
    }
}
