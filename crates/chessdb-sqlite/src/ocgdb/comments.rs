//! The comments of games whose moves have no place for them.

use chessdb_core::error::Location;
use chessdb_core::{ErrorKind, ReadOptions, Result, Scratch, Severity};

use super::format::OCGDB_FILE;
use crate::file::{Leaves, Pages, Record, Schema, Value};
use crate::rows::report_faults;

/// The rows of the table of comments, by game.
#[derive(Debug)]
pub(super) struct Comments {
    leaves: Leaves,
    /// The number of a game and of a row, sorted.
    rows: Vec<(i64, u64)>,
    game: usize,
    ply: usize,
    text: usize,
}

impl Comments {
    /// Finds the comments of each game. `None` if there is no table of comments.
    /// Reports damaged pages and rows.
    pub(super) fn open(
        pages: &Pages<'_>,
        schema: &Schema,
        (options, scratch): (&ReadOptions, &mut Scratch),
    ) -> Result<Option<Comments>> {
        let Some(table) = schema.table("Comments") else {
            return Ok(None);
        };
        let columns = ["GameID", "Ply", "Comment"].map(|name| table.column(name));
        let [Some(game), Some(ply), Some(text)] = columns else {
            return Ok(None);
        };
        let leaves = Leaves::of_table(pages, table);
        report_faults(pages, table, &leaves, OCGDB_FILE, (options, scratch))?;
        let mut comments = Comments {
            leaves,
            rows: Vec::new(),
            game,
            ply,
            text,
        };
        let (mut buffer, mut damaged) = (Vec::new(), 0);
        for n in 0..comments.leaves.len() {
            let row = comments.leaves.nth(pages, n);
            let record = row
                .and_then(|row| row.payload(pages, &mut buffer))
                .and_then(Record::parse);
            // Only the number of the game is read here; the texts stay in the file.
            match record.and_then(|record| record.values().nth(comments.game)?.as_int()) {
                Some(game) => comments.rows.push((game, n)),
                None => damaged += 1,
            }
        }
        if damaged > 0 {
            let kind = ErrorKind::mismatch(
                "the number of comments without the number of their game",
                damaged,
                0,
            );
            let location = Location::byte(OCGDB_FILE, pages.offset(table.root));
            scratch.deviation(options, Severity::Lost, kind, location)?;
        }
        comments.rows.sort_unstable();
        Ok(Some(comments))
    }

    /// Returns the numbers of the games with comments.
    pub(super) fn games(&self) -> impl Iterator<Item = i64> {
        self.rows
            .chunk_by(|(one, _), (other, _)| one == other)
            .filter_map(|rows| rows.first())
            .map(|&(game, _)| game)
    }

    /// Returns the comments of a game in the order of its moves: the half-move before each, -1 for
    /// the start, the highest number if it is unknown, and the text.
    pub(super) fn of_game(&self, pages: &Pages<'_>, game: i64) -> Vec<(i64, Vec<u8>)> {
        let from = self.rows.partition_point(|&(other, _)| other < game);
        let rest = self.rows.get(from..).unwrap_or_default();
        let rows = rest.iter().take_while(|&&(other, _)| other == game);
        let mut comments = Vec::new();
        let mut buffer = Vec::new();
        for &(_, n) in rows {
            let row = self.leaves.nth(pages, n);
            let record = row
                .and_then(|row| row.payload(pages, &mut buffer))
                .and_then(Record::parse);
            let Some(record) = record else { continue };
            let values: Vec<Value<'_>> = record.values().collect();
            let value = |place: usize| values.get(place).copied().unwrap_or(Value::Null);
            if let Some(text) = value(self.text).to_text(pages.encoding()) {
                comments.push((
                    value(self.ply).as_int().unwrap_or(i64::MAX),
                    text.into_owned(),
                ));
            }
        }
        // The program adds the comment before the first move last.
        comments.sort_by_key(|&(ply, _)| ply);
        comments
    }
}
