//! A game's row: its cells by the names of jose's columns.

use std::borrow::Cow;

use crate::raw::{Cell, Naming, TableRead, column_index};

macro_rules! columns {
    ($($name:ident = $text:literal),* $(,)?) => {
        /// A column of Game or MoreGame.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum Column { $($name,)* }

        impl Column {
            const ALL: &'static [(Column, &'static str)] = &[$((Column::$name, $text),)*];
        }
    };
}

columns! {
    Id = "Id",
    CollectionId = "CId",
    Index = "Idx",
    Attributes = "Attributes",
    OriginCollection = "OCId",
    OriginIndex = "OIdx",
    PlyCount = "PlyCount",
    Result = "Result",
    White = "WhiteId",
    Black = "BlackId",
    WhiteElo = "WhiteELO",
    BlackElo = "BlackELO",
    Event = "EventId",
    Site = "SiteId",
    Opening = "OpeningId",
    GameDate = "GameDate",
    EventDate = "EventDate",
    DateFlags = "DateFlags",
    Eco = "ECO",
    Annotator = "AnnotatorId",
    WhiteTitle = "WhiteTitle",
    BlackTitle = "BlackTitle",
    Round = "Round",
    Board = "Board",
    Fen = "FEN",
    Info = "Info",
    PosMain = "PosMain",
    PosVar = "PosVar",
    Eval = "Eval",
    // Some tables use other names for these.
    Bin = "Bin",
    Comments = "Comments",
}

impl Column {
    /// Returns jose's name of the column.
    pub(crate) fn name(self) -> &'static str {
        Column::ALL.get(self as usize).map_or("", |&(_, name)| name)
    }
}

/// Returns the names of all columns of games and moves that are read.
pub(crate) fn column_names() -> impl Iterator<Item = &'static str> {
    Column::ALL.iter().map(|&(_, name)| name)
}

/// The indexes of the columns in a row of the games table, followed by the row of the moves table.
#[derive(Clone, Debug)]
pub(crate) struct ColumnMap {
    places: Vec<Option<usize>>,
}

impl ColumnMap {
    pub(crate) fn new(
        naming: &Naming,
        games: &dyn TableRead,
        moves: Option<&dyn TableRead>,
    ) -> ColumnMap {
        let games_width = games.columns().len();
        let places = Column::ALL.iter().map(|&(column, name)| {
            let name = match column {
                Column::Bin => &naming.bin,
                Column::Comments => naming.comments.as_deref()?,
                _ => name,
            };
            let in_moves =
                || moves.and_then(|moves| Some(games_width + column_index(moves, name)?));
            // If there is a moves table, byte code and texts are read only from it.
            if matches!(column, Column::Bin | Column::Comments) && moves.is_some() {
                return in_moves();
            }
            column_index(games, name).or_else(in_moves)
        });
        ColumnMap {
            places: places.collect(),
        }
    }

    /// Returns the number of cells in a row up to and including the last of these columns.
    pub(crate) fn cells_to(&self, columns: &[Column]) -> usize {
        let place = |column: &Column| self.places.get(*column as usize).copied().flatten();
        columns
            .iter()
            .filter_map(place)
            .max()
            .map_or(0, |index| index + 1)
    }

    /// Returns the cell of a column, or NULL if there is no such column.
    pub(crate) fn cell<'r, 't>(&self, row: &'r [Cell<'t>], column: Column) -> &'r Cell<'t> {
        self.places
            .get(column as usize)
            .copied()
            .flatten()
            .and_then(|index| row.get(index))
            .unwrap_or(&Cell::Null)
    }
}

/// A row with the indexes of its columns.
#[derive(Clone, Copy)]
pub(crate) struct Row<'r, 't> {
    pub(crate) cells: &'r [Cell<'t>],
    pub(crate) map: &'r ColumnMap,
}

impl<'r, 't> Row<'r, 't> {
    pub(crate) fn cell(&self, column: Column) -> &'r Cell<'t> {
        self.map.cell(self.cells, column)
    }

    /// Returns a number, or `None` for NULL and other values.
    pub(crate) fn int(&self, column: Column) -> Option<i64> {
        self.cell(column).as_int()
    }

    /// Returns a text or bytes, or `None` for NULL.
    pub(crate) fn bytes(&self, column: Column) -> Option<Cow<'r, [u8]>> {
        self.cell(column).as_bytes()
    }
}
