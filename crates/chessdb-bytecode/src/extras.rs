//! Field numbers of the extras that only jose understands (docs/formats/bytecode.md, section 9).

/// The name of the format in extras.
pub const FORMAT: &str = "jose";

chessdb_core::extra_fields! {
    /// Descriptions of the fields for users.
    pub FIELDS of FORMAT;
    /// Marks byte code that does not end with the result of the game; no content.
    of_game NO_RESULT = 1, "the absence of a result after the moves";
    /// The number of the game's collection if it is not the first of the database, eight bytes.
    of_game COLLECTION = 2, "the collection that contains a game";
    /// The origin of a game in the trash or on the clipboard: collection and index, eight bytes
    /// each, the smallest number for NULL.
    of_game ORIGIN = 3, "the original collection of a game in the trash";
    /// Attributes that the model does not have: two bytes.
    of_game ATTRIBUTES = 4, "unknown attributes of a game";
    /// The column PosMain.
    of_game POS_MAIN = 5, "the column PosMain";
    /// The column PosVar.
    of_game POS_VAR = 6, "the column PosVar";
    /// Of the database: number, HashKey, Ply and ECO of an opening, as packed cells.
    of_base OPENING = 16, "details of an opening";
    /// Of the database: number, OPId, Path, Attributes, SourceURL and LastModified of a collection,
    /// as packed cells.
    of_base COLLECTION_ROW = 17, "details of a collection";
    /// Of the database: a row of MetaInfo, as packed cells.
    of_base META = 18, "a row of MetaInfo";
    /// Of the database: the name of a table, column or other object that is not jose's.
    of_base FOREIGN = 19, "a table, column or other object that jose does not use";
}
