//! The data that the model has no field for. It is kept for writing back, under the field numbers
//! listed in docs/formats/scidb.md, section 11.

use chessdb_core::model::Extra;

/// The format's name in every extra.
pub(crate) const FORMAT: &str = "scidb";

chessdb_core::extra_fields! {
    /// Descriptions of the fields for users.
    pub(crate) FIELDS of FORMAT;
    /// Among the moves: the data of a mark that the model has no token for.
    of_game MARK = 1, "a time, a drawing or a diagram of Scidb's own";
    /// Among the moves: the number of the engine of the time or evaluation that follows.
    of_game ENGINE = 2, "the engine of an evaluation";
    /// Among the moves: language and markup of the comment that follows.
    of_game STYLE = 3, "language and markup of a comment";
    /// Of a game: the names of engines, each with NUL.
    of_game ENGINES = 16, "the names of engines";
    /// Of a game: the flags of the index that the model has none for; one byte.
    of_game FLAGS = 17, "flags of Scidb's own";
    /// Of a game: type, mode and time mode of the event, two bytes; country of the site, two bytes.
    of_game EVENT = 18, "type of the event and country of the site";
    /// Of a game: kind and sex of White, one byte; country and title, two bytes. Black's is this
    /// number plus one.
    of_game PLAYER = 19..=20, "kind, sex and country of a player";
    /// Of a game: a tag with an unknown number; the number, then the value.
    of_game TAG = 21, "a tag with an unknown number";
    /// Of a database: kind, flags, four bytes of the time of creation.
    of_base HEADER = 1, "kind and time of creation of the database";
    /// Of a database: a name that no game uses, with its details.
    of_base UNUSED_NAME = 2, "the details of a name that no game uses";
}

/// Returns an extra of this format.
pub(crate) fn extra(field: u16, bytes: &[u8]) -> Extra {
    Extra::new(FORMAT, field, bytes)
}
