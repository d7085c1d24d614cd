//! The numbers of what only jose understands (docs/formats/bytecode.md, section 9).

/// The name of the format in extras.
pub const FORMAT: &str = "jose";
/// The byte code does not end with the result of the game; no content.
pub const NO_RESULT: u16 = 1;
/// The game lies in another collection than the base's first: its number, eight bytes.
pub const COLLECTION: u16 = 2;
/// Where a game in the trash or on the clipboard came from: collection and place, eight bytes
/// each, the smallest number for NULL.
pub const ORIGIN: u16 = 3;
/// Attributes that the model does not know: two bytes.
pub const ATTRIBUTES: u16 = 4;
/// The column PosMain.
pub const POS_MAIN: u16 = 5;
/// The column PosVar.
pub const POS_VAR: u16 = 6;
/// Of the base: number, HashKey, Ply and ECO of an opening, as packed cells.
pub const OPENING: u16 = 16;
/// Of the base: number, OPId, Path, Attributes, SourceURL and LastModified of a collection, as
/// packed cells.
pub const COLLECTION_ROW: u16 = 17;
/// Of the base: a row of MetaInfo, as packed cells.
pub const META: u16 = 18;
