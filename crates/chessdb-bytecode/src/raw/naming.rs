//! The names of the tables and columns that hold the games.

use chessdb_core::files::Role;
use chessdb_core::{ErrorKind, Result};

use super::myisam::LIVE;
use super::{TableSet, column_index};
use crate::moves::Layout;

/// The writer setting that chooses the location of comment texts.
pub const TEXTS: &str = "texts";

/// The tables and columns that hold games. [`Naming::find`] detects jose's own names; other
/// programs may use others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Naming {
    /// The table with players, dates and so on.
    pub games: String,
    /// The table with the moves, and its column that refers to the `Id` of the other; `None` if
    /// games have a single row.
    pub moves: Option<(String, String)>,
    /// The column with the byte code.
    pub bin: String,
    /// The column with the texts; `None` if they are inline.
    pub comments: Option<String>,
    /// The prefix of the other table names.
    pub prefix: String,
}

impl Naming {
    /// Returns the names of jose's own tables.
    pub fn jose() -> Naming {
        Naming {
            games: "Game".to_owned(),
            moves: Some(("MoreGame".to_owned(), "GId".to_owned())),
            bin: "Bin".to_owned(),
            comments: Some("Comments".to_owned()),
            prefix: String::new(),
        }
    }

    /// Returns the names of the tables in jose's archives.
    pub fn archive() -> Naming {
        Naming {
            games: "IO_Game".to_owned(),
            moves: None,
            prefix: "IO_".to_owned(),
            ..Naming::jose()
        }
    }

    /// Returns the names for a single table with texts inside the column `GameText` (section 0),
    /// which may be its only column.
    pub fn inline() -> Naming {
        Naming {
            moves: None,
            bin: "GameText".to_owned(),
            comments: None,
            ..Naming::jose()
        }
    }

    /// Returns the file with the moves, if a folder of MyISAM files lacks it.
    pub(crate) fn missing_half(tables: &TableSet<'_>) -> Option<Role> {
        let [games, moves, ..] = LIVE else {
            return None;
        };
        let has_games = tables.get(games.name).is_some() && tables.file == Some(games.rows);
        (has_games && tables.get(moves.name).is_none()).then_some(moves.rows)
    }

    /// Returns the names for a new database with the setting `texts`
    /// ([`chessdb_core::WriteOptions::settings`]): `separate`, the default, or `inline`.
    ///
    /// # Errors
    ///
    /// Returns an error for any other value.
    pub fn for_texts(settings: &[(&'static str, String)]) -> Result<Naming> {
        let chosen = settings.iter().rev().find(|(name, _)| *name == TEXTS);
        match chosen.map(|(_, value)| value.as_str()) {
            None | Some("separate") => Ok(Naming::jose()),
            Some("inline") => Ok(Naming::inline()),
            Some(other) => {
                let why = format!("{TEXTS} must be separate or inline, not {other:?}");
                Err(ErrorKind::Setting(why.into()).into())
            }
        }
    }

    /// Returns the location of the texts.
    pub fn layout(&self) -> Layout {
        match self.comments {
            Some(_) => Layout::Separate,
            None => Layout::Inline,
        }
    }

    /// Returns the first known naming that fits these tables.
    pub fn find(tables: &TableSet<'_>) -> Option<Naming> {
        let single = Naming {
            moves: None,
            ..Naming::jose()
        };
        [Naming::jose(), Naming::archive(), Naming::inline(), single]
            .into_iter()
            .find(|naming| naming.fits(tables))
    }

    /// Returns whether the tables have the required columns.
    pub fn fits(&self, tables: &TableSet<'_>) -> bool {
        let has = |table: &str, column: &str| {
            tables
                .get(table)
                .is_some_and(|table| column_index(table, column).is_some())
        };
        let headers = ["WhiteId", "BlackId"]
            .iter()
            .all(|column| has(&self.games, column));
        let moves = match &self.moves {
            Some((moves, key)) => {
                has(&self.games, "Id") && has(moves, key) && has(moves, &self.bin)
            }
            None => has(&self.games, &self.bin),
        };
        // Games may be rows of byte code alone, in the column of the published text.
        let is_inline = self.moves.is_none() && self.comments.is_none();
        (headers || is_inline) && moves
    }
}
