//! The columns of the schema and sets of columns (docs/parquet.md, section 1).

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, Fields, Schema, TimeUnit};

/// The type of the values of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ColumnKind {
    Text,
    Int16,
    Int32,
    Int64,
    /// Days since 1970-01-01.
    Date,
    /// Milliseconds since midnight.
    Time,
    /// Microseconds since 1970-01-01, in UTC.
    Timestamp,
    Moves,
    /// Milliseconds, one value per half-move; null if unknown.
    Clocks,
    Evals,
    Keys,
    Tags,
}

macro_rules! columns {
    ($($(#[$doc:meta])* $column:ident $name:literal $kind:ident,)*) => {
        /// A column of the schema `chessdb.games`. The first eighteen are the columns of the
        /// dataset `Lichess/standard-chess-games`, in its order.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[non_exhaustive]
        pub enum Column { $($(#[$doc])* $column,)* }

        impl Column {
            /// All columns, in the order of the schema.
            pub const ALL: &'static [Column] = &[$(Column::$column,)*];

            /// Returns the column's name in files.
            pub const fn name(self) -> &'static str {
                match self { $(Column::$column => $name,)* }
            }

            pub(crate) const fn kind(self) -> ColumnKind {
                match self { $(Column::$column => ColumnKind::$kind,)* }
            }
        }
    };
}

columns! {
    /// The tag Event.
    Event "Event" Text,
    /// The tag Site.
    Site "Site" Text,
    /// The tag White.
    White "White" Text,
    /// The tag Black.
    Black "Black" Text,
    /// The result; never null.
    Result "Result" Text,
    /// The tag WhiteTitle.
    WhiteTitle "WhiteTitle" Text,
    /// The tag BlackTitle.
    BlackTitle "BlackTitle" Text,
    /// The tag WhiteElo; ratings of other kinds are in the column `tags`.
    WhiteElo "WhiteElo" Int16,
    /// The tag BlackElo.
    BlackElo "BlackElo" Int16,
    /// The tag WhiteRatingDiff.
    WhiteRatingDiff "WhiteRatingDiff" Int16,
    /// The tag BlackRatingDiff.
    BlackRatingDiff "BlackRatingDiff" Int16,
    /// The tag UTCDate.
    UtcDate "UTCDate" Date,
    /// The tag UTCTime. Only part of Lichess's columns, because Spark rejects a file with this
    /// type.
    UtcTime "UTCTime" Time,
    /// The tag ECO.
    Eco "ECO" Text,
    /// The tag Opening.
    Opening "Opening" Text,
    /// The tag Termination.
    Termination "Termination" Text,
    /// The tag TimeControl.
    TimeControl "TimeControl" Text,
    /// The movetext as PGN in one line: moves, comments, NAGs, variations, clocks and the result.
    Movetext "movetext" Text,
    /// The tag Round.
    Round "Round" Text,
    /// The tag Date in PGN notation: `1985.??.??`.
    Date "Date" Text,
    /// The tag EventDate.
    EventDate "EventDate" Text,
    /// The date of the game; null unless day, month and year are known and form a valid date.
    GameDate "GameDate" Date,
    /// The year of the game; null if unknown.
    Year "Year" Int16,
    /// UTCDate and UTCTime combined.
    UtcTimestamp "UTCTimestamp" Timestamp,
    /// The start position; null for the standard one.
    Fen "FEN" Text,
    /// The tag Annotator.
    Annotator "Annotator" Text,
    /// The tag Source.
    Source "Source" Text,
    /// The tag WhiteFideId.
    WhiteFideId "WhiteFideId" Int32,
    /// The tag BlackFideId.
    BlackFideId "BlackFideId" Int32,
    /// The letters of the tag ScidFlags; `D` means deleted.
    Flags "Flags" Text,
    /// The number of half-moves of the mainline.
    PlyCount "PlyCount" Int32,
    /// The mainline as numbers: from | to << 6 | promotion << 12, with squares from a1 = 0, b1 = 1
    /// to h8 = 63. Promotion: 2 knight, 3 bishop, 4 rook, 5 queen. Castling is the king's move; in
    /// Chess960 the king takes the rook. The null move is 0.
    Moves "moves" Moves,
    /// Milliseconds left after each half-move; null if the game has no clocks.
    Clocks "clocks" Clocks,
    /// Milliseconds spent on each half-move; null if the game has no such times.
    Elapsed "elapsed" Clocks,
    /// The evaluation after each half-move in centipawns from White's view. Mate in n is 32768 - n
    /// for White and n - 32769 for Black. Null if the game has no evaluations.
    Evals "evals" Evals,
    /// The Polyglot keys of the positions before each move and at the end, as signed numbers.
    Positions "positions" Keys,
    /// All other tags in their order, and the original text of tags that cannot be restored from
    /// the typed value.
    Tags "tags" Tags,
    /// The file name of the database that contains the game.
    Base "base" Text,
    /// The number of the game in that database, from 1.
    Game "game" Int32,
    /// A number shared by all games with the same start position and mainline.
    Id "id" Int64,
    /// The part of this game that could not be read; null if all of it was.
    Error "error" Text,
}

impl Column {
    /// Returns the column with this name, ignoring case.
    pub fn by_name(name: &str) -> Option<Column> {
        Column::ALL
            .iter()
            .copied()
            .find(|column| column.name().eq_ignore_ascii_case(name))
    }

    /// Returns the index of the column among the names of a table: the first name that is equal, or
    /// else the first that is equal except for case. A column `pgn` counts as the movetext if there
    /// is no other.
    pub fn index_among<N: AsRef<str>>(self, names: &[N]) -> Option<usize> {
        let find = |matches: fn(&str, &str) -> bool| {
            names
                .iter()
                .position(|name| matches(name.as_ref(), self.name()))
        };
        let pgn = || match self {
            Column::Movetext => find(|name, _| name.eq_ignore_ascii_case("pgn")),
            _ => None,
        };
        find(|name, own| name == own)
            .or_else(|| find(|name, own| name.eq_ignore_ascii_case(own)))
            .or_else(pgn)
    }

    /// Returns the PGN tag whose value the column holds, as text or as a typed value.
    pub(crate) const fn tag(self) -> Option<&'static str> {
        match self {
            Column::Flags => Some("ScidFlags"),
            Column::Movetext
            | Column::GameDate
            | Column::Year
            | Column::UtcTimestamp
            | Column::PlyCount
            | Column::Moves
            | Column::Clocks
            | Column::Elapsed
            | Column::Evals
            | Column::Positions
            | Column::Tags
            | Column::Base
            | Column::Game
            | Column::Id
            | Column::Error => None,
            column => Some(column.name()),
        }
    }

    /// Returns true if the column holds several values per game.
    pub const fn is_list(self) -> bool {
        matches!(
            self.kind(),
            ColumnKind::Moves
                | ColumnKind::Clocks
                | ColumnKind::Evals
                | ColumnKind::Keys
                | ColumnKind::Tags
        )
    }

    /// Returns true if games are read from the column. The others follow from the movetext, or name
    /// the source of the game.
    pub const fn is_read(self) -> bool {
        !matches!(
            self,
            Column::PlyCount
                | Column::Clocks
                | Column::Elapsed
                | Column::Evals
                | Column::Positions
                | Column::Base
                | Column::Game
                | Column::Id
        )
    }

    /// Returns the column's Arrow type. Only signed numbers are used, and a time of day only where
    /// Lichess has one: each of the other types fails in some query engine.
    pub fn data_type(self) -> DataType {
        let list = |of, null| DataType::List(element(of, null));
        match self.kind() {
            ColumnKind::Text => DataType::Utf8,
            ColumnKind::Int16 => DataType::Int16,
            ColumnKind::Int32 => DataType::Int32,
            ColumnKind::Int64 => DataType::Int64,
            ColumnKind::Date => DataType::Date32,
            ColumnKind::Time => DataType::Time32(TimeUnit::Millisecond),
            ColumnKind::Timestamp => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
            ColumnKind::Moves => list(DataType::Int16, false),
            ColumnKind::Clocks => list(DataType::Int32, true),
            ColumnKind::Evals => list(DataType::Int16, true),
            ColumnKind::Keys => list(DataType::Int64, false),
            ColumnKind::Tags => {
                DataType::Map(Arc::new(Field::new("entries", entry(), false)), false)
            }
        }
    }
}

pub(crate) fn element(of: DataType, nullable: bool) -> FieldRef {
    Arc::new(Field::new("element", of, nullable))
}

fn entry() -> DataType {
    DataType::Struct(Fields::from(vec![
        Field::new("key", DataType::Utf8, false),
        Field::new("value", DataType::Utf8, true),
    ]))
}

/// A set of columns, iterated in the order of the schema.
///
/// ```
/// use chessdb_arrow::{Column, Columns};
///
/// let columns: Columns = "moves".parse()?;
/// assert!(columns.contains(Column::White) && !columns.contains(Column::Movetext));
/// let columns: Columns = "White,Black,moves".parse()?;
/// assert_eq!(columns.iter().count(), 3);
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Columns(u64);

impl Columns {
    /// All columns except [`Column::UtcTime`] and [`Column::Positions`], which is large and follows
    /// from the movetext. A game is restored completely only from a table with all of these
    /// columns.
    pub const ALL: Columns = Columns((1 << Column::ALL.len()) - 1)
        .without(Column::UtcTime)
        .without(Column::Positions);

    /// The columns that do not depend on the moves.
    pub const HEADERS: Columns = Columns::ALL
        .without(Column::Movetext)
        .without(Column::PlyCount)
        .without(Column::Moves)
        .without(Column::Clocks)
        .without(Column::Elapsed)
        .without(Column::Evals)
        .without(Column::Tags)
        .without(Column::Id);

    /// The columns of the header and the packed moves.
    pub const MOVES: Columns = Columns::HEADERS.with(Column::PlyCount).with(Column::Moves);

    /// The columns of the header, the number of half-moves and the movetext: the game as text.
    pub const TEXT: Columns = Columns::HEADERS
        .with(Column::PlyCount)
        .with(Column::Movetext);

    /// The eighteen columns of Lichess's dataset.
    pub const LICHESS: Columns = Columns((1 << (Column::Movetext as u32 + 1)) - 1);

    /// Returns the set with `column` added.
    #[must_use]
    pub const fn with(self, column: Column) -> Columns {
        Columns(self.0 | 1 << column as u32)
    }

    /// Returns the set with `column` removed.
    #[must_use]
    pub const fn without(self, column: Column) -> Columns {
        Columns(self.0 & !(1 << column as u32))
    }

    /// Returns the columns of the set for which `predicate` is true.
    #[must_use]
    pub fn filter(self, predicate: impl Fn(Column) -> bool) -> Columns {
        self.iter()
            .filter(|column| predicate(*column))
            .fold(Columns(0), Columns::with)
    }

    /// Returns true if the set contains `column`.
    pub const fn contains(self, column: Column) -> bool {
        self.0 & 1 << column as u32 != 0
    }

    /// Iterates over the columns in the order of the schema.
    pub fn iter(self) -> impl Iterator<Item = Column> {
        let all = Column::ALL.iter().copied();
        all.filter(move |column| self.contains(*column))
    }

    /// Returns true if the header of a game suffices to fill the columns.
    pub fn are_of_headers(self) -> bool {
        let headers = Columns::HEADERS.with(Column::UtcTime).with(Column::Tags);
        self.0 & !headers.0 == 0
    }

    /// Returns the Arrow schema of the columns.
    pub fn schema(self) -> Schema {
        let field = |column: Column| {
            let nullable = column != Column::Result;
            Field::new(column.name(), column.data_type(), nullable)
        };
        Schema::new(self.iter().map(field).collect::<Vec<_>>())
    }
}

impl FromStr for Columns {
    type Err = String;

    /// Parses `headers`, `text`, `lichess`, `moves`, `all`, or a comma-separated list of column names.
    /// Case does not matter.
    fn from_str(text: &str) -> Result<Columns, String> {
        Ok(match text.to_ascii_lowercase().as_str() {
            "headers" => Columns::HEADERS,
            "text" => Columns::TEXT,
            "lichess" => Columns::LICHESS,
            "moves" => Columns::MOVES,
            "all" => Columns::ALL,
            _ => text.split(',').try_fold(Columns(0), |columns, name| {
                let name = name.trim();
                let column = Column::by_name(name).ok_or_else(|| unknown_column(name))?;
                Ok::<Columns, String>(columns.with(column))
            })?,
        })
    }
}

/// Returns the message for a name of no column.
pub(crate) fn unknown_column(name: &str) -> String {
    let all: Vec<&str> = Column::ALL.iter().map(|one| one.name()).collect();
    format!("there is no column {name:?}; columns: {}", all.join(", "))
}

/// Writes the names of the columns, separated by commas.
impl fmt::Display for Columns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, column) in self.iter().enumerate() {
            if n > 0 {
                f.write_str(",")?;
            }
            f.write_str(column.name())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_columns_match_lichess() {
        let names: Vec<_> = Columns::LICHESS.iter().map(Column::name).collect();
        let theirs = "Event,Site,White,Black,Result,WhiteTitle,BlackTitle,WhiteElo,BlackElo,\
            WhiteRatingDiff,BlackRatingDiff,UTCDate,UTCTime,ECO,Opening,Termination,TimeControl,movetext";
        assert_eq!(names.join(","), theirs);
        assert_eq!(Columns::HEADERS.iter().count(), 31);
        assert!(Columns::HEADERS.are_of_headers() && !Columns::MOVES.are_of_headers());
    }

    #[test]
    fn column_names_parse_to_their_column() {
        for &column in Column::ALL {
            assert_eq!(Column::by_name(column.name()), Some(column));
        }
        let error = "White,Bleck".parse::<Columns>().unwrap_err();
        assert!(error.starts_with("there is no column \"Bleck\"; columns: Event, Site,"));
        assert_eq!("HEADERS".parse::<Columns>(), Ok(Columns::HEADERS));
        assert_eq!(
            "white,WhiteELO".parse::<Columns>(),
            "White,WhiteElo".parse()
        );
        let folded: std::collections::HashSet<String> = Column::ALL
            .iter()
            .map(|column| column.name().to_lowercase())
            .collect();
        assert_eq!(folded.len(), Column::ALL.len());
        let columns = Columns::ALL.to_string().parse::<Columns>();
        assert_eq!(columns, Ok(Columns::ALL));
    }
}
