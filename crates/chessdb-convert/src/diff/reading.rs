//! Reading of the two databases of a comparison, side by side.

use std::ops::ControlFlow;

use chessdb_core::Diagnostic;
use chessdb_database::{Database, EditedStore, Game, Reader, Selection};
use chessdb_files::error::{Error, Result};

use super::Comparison;

/// The two databases. The left one is read as a conversion into the right one would read it.
pub(super) struct Databases<'d> {
    left: &'d Database,
    right: &'d Database,
    /// The left database, if it has to be opened with other options for that.
    store: Option<EditedStore>,
}

impl<'d> Databases<'d> {
    pub(super) fn new(left: &'d Database, right: &'d Database) -> Result<Databases<'d>> {
        let store = left.opened_for(right.format())?;
        Ok(Databases { left, right, store })
    }

    /// Returns a reader of these games of the left database.
    pub(super) fn left(&self, games: Selection) -> Result<Side<'_>> {
        let source = self
            .left
            .games_for(self.right.format(), self.store.as_ref())?;
        Ok(Side::new(
            self.left.scan().select(games).reader_of(Ok(source)),
        ))
    }

    /// Returns a reader of these games of the right database.
    pub(super) fn right(&self, games: Selection) -> Result<Side<'_>> {
        Ok(Side::new(self.right.scan().select(games).reader()))
    }
}

/// Selects games by their indexes, in the order of the database.
pub(super) fn select(indexes: impl Iterator<Item = u32>) -> Selection {
    let mut numbers: Vec<u32> = indexes.map(|index| index.saturating_add(1)).collect();
    numbers.sort_unstable();
    Selection::in_order(numbers)
}

/// A database with the game that was read last.
pub(super) struct Side<'d> {
    reader: Reader<'d>,
    game: Box<Game>,
    has_ended: bool,
    /// Number of games read, including unreadable ones.
    pub(super) count: u32,
}

/// The next game of a database.
pub(super) enum ReadResult<'g> {
    End,
    Game(&'g Game),
    Failed(Error),
}

impl<'d> Side<'d> {
    fn new(reader: Reader<'d>) -> Side<'d> {
        Side {
            reader,
            game: Box::default(),
            has_ended: false,
            count: 0,
        }
    }

    /// Reads the next game.
    ///
    /// # Errors
    ///
    /// Returns an error if the database failed as a whole.
    pub(super) fn next(&mut self) -> Result<ReadResult<'_>> {
        if self.has_ended {
            return Ok(ReadResult::End);
        }
        match self.reader.read_into(&mut self.game) {
            Ok(false) => {
                self.has_ended = true;
                Ok(ReadResult::End)
            }
            Ok(true) => {
                self.count += 1;
                Ok(ReadResult::Game(&self.game))
            }
            Err(error) if error.game().is_some() => {
                self.count += 1;
                Ok(ReadResult::Failed(error))
            }
            Err(error) => Err(error),
        }
    }

    /// Takes the game that was read last out of the reader.
    pub(super) fn take_game(&mut self) -> Box<Game> {
        std::mem::take(&mut self.game)
    }

    /// Returns the diagnostics that belong to no game.
    pub(super) fn take_diagnostics(&mut self) -> Vec<Diagnostic> {
        self.reader.take_diagnostics()
    }
}

/// Compares the first game with the first, and so on. Returns the diagnostics of both databases
/// that belong to no game.
pub(super) fn compare_in_order(
    databases: &Databases<'_>,
    comparison: &mut Comparison<'_>,
) -> Result<(Vec<Diagnostic>, Vec<Diagnostic>)> {
    let mut left = databases.left(Selection::all())?;
    let mut right = databases.right(Selection::all())?;
    loop {
        let (a, b) = (left.next()?, right.next()?);
        if matches!((&a, &b), (ReadResult::End, ReadResult::End)) {
            break;
        }
        if visit_same_place(a, b, comparison).is_break() {
            break;
        }
    }
    Ok((left.take_diagnostics(), right.take_diagnostics()))
}

/// Reports the games at one place of both databases.
fn visit_same_place(
    left: ReadResult<'_>,
    right: ReadResult<'_>,
    comparison: &mut Comparison<'_>,
) -> ControlFlow<()> {
    let left = comparison.see_left(left)?;
    let right = comparison.see_right(right)?;
    match (left, right) {
        (Some(left), Some(right)) => comparison.pair(left, right, false),
        (Some(left), None) => comparison.only_left(left),
        (None, Some(right)) => comparison.only_right(right),
        (None, None) => ControlFlow::Continue(()),
    }
}
