//! Field numbers of the extras that only jose understands (docs/formats/bytecode.md, section 9).

use chessdb_core::format::ExtraField;

/// The name of the format in extras.
pub const FORMAT: &str = "jose";
/// Marks byte code that does not end with the result of the game; no content.
pub const NO_RESULT: u16 = 1;
/// The number of the game's collection if it is not the first of the database, eight bytes.
pub const COLLECTION: u16 = 2;
/// The origin of a game in the trash or on the clipboard: collection and index, eight bytes each,
/// the smallest number for NULL.
pub const ORIGIN: u16 = 3;
/// Attributes that the model does not have: two bytes.
pub const ATTRIBUTES: u16 = 4;
/// The column PosMain.
pub const POS_MAIN: u16 = 5;
/// The column PosVar.
pub const POS_VAR: u16 = 6;
/// Of the database: number, HashKey, Ply and ECO of an opening, as packed cells.
pub const OPENING: u16 = 16;
/// Of the database: number, OPId, Path, Attributes, SourceURL and LastModified of a collection, as
/// packed cells.
pub const COLLECTION_ROW: u16 = 17;
/// Of the database: a row of MetaInfo, as packed cells.
pub const META: u16 = 18;
/// Of the database: the name of a table, column or other object that is not jose's.
pub const FOREIGN: u16 = 19;

/// Descriptions of the fields for users.
pub(crate) const FIELDS: &[ExtraField] = &[
    ExtraField::of_game(FORMAT, NO_RESULT, "the absence of a result after the moves"),
    ExtraField::of_game(FORMAT, COLLECTION, "the collection that contains a game"),
    ExtraField::of_game(
        FORMAT,
        ORIGIN,
        "the original collection of a game in the trash",
    ),
    ExtraField::of_game(FORMAT, ATTRIBUTES, "unknown attributes of a game"),
    ExtraField::of_game(FORMAT, POS_MAIN, "the column PosMain"),
    ExtraField::of_game(FORMAT, POS_VAR, "the column PosVar"),
    ExtraField::of_base(FORMAT, OPENING, "details of an opening"),
    ExtraField::of_base(FORMAT, COLLECTION_ROW, "details of a collection"),
    ExtraField::of_base(FORMAT, META, "a row of MetaInfo"),
    ExtraField::of_base(
        FORMAT,
        FOREIGN,
        "a table, column or other object that jose does not use",
    ),
];
