//! jose's tables and their columns (section 7).

use std::fmt;

use bitflags::bitflags;

bitflags! {
    /// The column Attributes of the table Game (section 7).
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
    pub struct Attributes: u16 {
        /// The moves have variations.
        const VARIATIONS = 0x01;
        /// The moves have comments or NAGs.
        const COMMENTS = 0x02;
        /// The moves have error nodes.
        const ERRORS = 0x04;
        /// The game is Chess960.
        const CHESS960 = 0x08;
        /// The first user mark.
        const USER_1 = 0x10;
        /// The second user mark.
        const USER_2 = 0x20;
        /// The third user mark.
        const USER_3 = 0x40;
        /// The game is deleted.
        const DELETED = 0x80;
        /// Its positions are indexed.
        const POSITION_INDEX = 0x100;
        const _ = !0;
    }
}

/// A table of jose.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Table {
    /// Data about the database itself.
    MetaInfo,
    /// The collections to which games belong.
    Collection,
    /// Players and annotators.
    Player,
    /// Events.
    Event,
    /// Sites.
    Site,
    /// Openings.
    Opening,
    /// The fixed-size part of games.
    Game,
    /// The variable-size part of games.
    MoreGame,
}

impl Table {
    /// All tables; those that others refer to come first.
    pub const ALL: [Table; 8] = [
        Table::MetaInfo,
        Table::Collection,
        Table::Player,
        Table::Event,
        Table::Site,
        Table::Opening,
        Table::Game,
        Table::MoreGame,
    ];

    /// Returns the name of the table.
    pub const fn name(self) -> &'static str {
        match self {
            Table::MetaInfo => "MetaInfo",
            Table::Collection => "Collection",
            Table::Player => "Player",
            Table::Event => "Event",
            Table::Site => "Site",
            Table::Opening => "Opening",
            Table::Game => "Game",
            Table::MoreGame => "MoreGame",
        }
    }

    /// Returns its columns in order; the first is the primary key, except in MetaInfo, which has
    /// none.
    pub const fn columns(self) -> &'static [TableColumn] {
        match self {
            Table::MetaInfo => META_INFO,
            Table::Collection => COLLECTION,
            Table::Player | Table::Event | Table::Site => NAME,
            Table::Opening => OPENING,
            Table::Game => GAME,
            Table::MoreGame => MORE_GAME,
        }
    }

    /// Returns whether its first column is a primary key.
    pub const fn has_key(self) -> bool {
        !matches!(self, Table::MetaInfo)
    }

    /// Returns the indexed columns besides the key.
    pub const fn indexes(self) -> &'static [&'static str] {
        match self {
            Table::Player | Table::Event | Table::Site | Table::Opening => &["Name"],
            Table::Game => &["CId", "WhiteId", "BlackId"],
            _ => &[],
        }
    }
}

/// A column of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TableColumn {
    /// The name.
    pub name: &'static str,
    /// The type.
    pub kind: ColumnType,
    /// Whether it may be NULL.
    pub null: bool,
}

/// The type of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColumnType {
    /// One byte.
    TinyInt,
    /// Two bytes.
    SmallInt,
    /// Four bytes.
    Int,
    /// Eight bytes.
    BigInt,
    /// A date.
    Date,
    /// A date and a time.
    DateTime,
    /// A text padded to this many characters.
    Char(u16),
    /// A text of up to this many characters.
    VarChar(u16),
    /// A long text.
    MediumText,
    /// Bytes.
    MediumBlob,
}

/// Writes the type as in `CREATE TABLE`.
impl fmt::Display for ColumnType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ColumnType::TinyInt => f.write_str("tinyint"),
            ColumnType::SmallInt => f.write_str("smallint"),
            ColumnType::Int => f.write_str("int"),
            ColumnType::BigInt => f.write_str("bigint"),
            ColumnType::Date => f.write_str("date"),
            ColumnType::DateTime => f.write_str("datetime"),
            ColumnType::Char(width) => write!(f, "char({width})"),
            ColumnType::VarChar(width) => write!(f, "varchar({width})"),
            ColumnType::MediumText => f.write_str("mediumtext"),
            ColumnType::MediumBlob => f.write_str("mediumblob"),
        }
    }
}

const fn column(name: &'static str, kind: ColumnType) -> TableColumn {
    TableColumn {
        name,
        kind,
        null: false,
    }
}

const fn nullable(name: &'static str, kind: ColumnType) -> TableColumn {
    TableColumn {
        name,
        kind,
        null: true,
    }
}

use ColumnType::{
    BigInt, Char, Date, DateTime, Int, MediumBlob, MediumText, SmallInt, TinyInt, VarChar,
};

const META_INFO: &[TableColumn] = &[
    column("Property", VarChar(32)),
    nullable("SchemaName", VarChar(32)),
    nullable("TableName", VarChar(32)),
    column("Version", Int),
    column("Dirty", Int),
];

const COLLECTION: &[TableColumn] = &[
    column("Id", Int),
    nullable("PId", Int),
    nullable("OPId", Int),
    nullable("Name", VarChar(255)),
    nullable("Path", VarChar(255)),
    column("Attributes", Int),
    nullable("SourceURL", VarChar(255)),
    nullable("LastModified", DateTime),
    column("GameCount", Int),
];

const NAME: &[TableColumn] = &[
    column("Id", Int),
    column("Name", VarChar(255)),
    nullable("Soundex", Char(6)),
];

const OPENING: &[TableColumn] = &[
    column("Id", Int),
    column("HashKey", BigInt),
    column("Ply", Int),
    nullable("ECO", Char(3)),
    column("Name", VarChar(255)),
    nullable("Soundex", Char(6)),
];

const GAME: &[TableColumn] = &[
    column("Id", Int),
    column("CId", Int),
    column("Idx", Int),
    column("Attributes", SmallInt),
    nullable("OCId", Int),
    nullable("OIdx", Int),
    column("PlyCount", Int),
    column("Result", TinyInt),
    column("WhiteId", Int),
    column("BlackId", Int),
    nullable("WhiteELO", Int),
    nullable("BlackELO", Int),
    column("EventId", Int),
    column("SiteId", Int),
    column("OpeningId", Int),
    nullable("GameDate", Date),
    nullable("EventDate", Date),
    column("DateFlags", SmallInt),
    nullable("ECO", Char(3)),
    column("AnnotatorId", Int),
];

const MORE_GAME: &[TableColumn] = &[
    column("GId", Int),
    nullable("WhiteTitle", VarChar(32)),
    nullable("BlackTitle", VarChar(32)),
    nullable("Round", VarChar(32)),
    nullable("Board", VarChar(32)),
    nullable("FEN", VarChar(128)),
    nullable("Info", VarChar(255)),
    nullable("Bin", MediumBlob),
    // QUIRK: jose has mediumtext here, but CESU-8 is not valid text to MariaDB (section 5).
    nullable("Comments", MediumBlob),
    nullable("PosMain", MediumText),
    nullable("PosVar", MediumText),
    nullable("Eval", MediumBlob),
];
