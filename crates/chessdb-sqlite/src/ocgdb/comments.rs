//! The comments of games whose moves have no place for them.

use crate::file::{Leaves, Pages, Record, Schema, Value};

/// The rows of the table of comments, by game.
#[derive(Default, Debug)]
pub(super) struct Comments {
    leaves: Leaves,
    /// The number of a game and of a row, sorted.
    rows: Vec<(i64, u64)>,
    /// The first row without the number of a game.
    pub(super) damaged: Option<u64>,
    game: usize,
    ply: usize,
    text: usize,
}

impl Comments {
    /// Finds the comments of each game. `None` if there is no table of comments.
    pub(super) fn of(pages: &Pages<'_>, schema: &Schema) -> Option<Comments> {
        let table = schema.table("Comments")?;
        let mut comments = Comments {
            leaves: Leaves::of(pages, table.root),
            game: table.column("GameID")?,
            ply: table.column("Ply")?,
            text: table.column("Comment")?,
            ..Comments::default()
        };
        let mut buffer = Vec::new();
        for n in 0..comments.leaves.len() {
            let row = comments.leaves.nth(pages, n);
            let record = row
                .and_then(|row| row.payload(pages, &mut buffer))
                .and_then(Record::parse);
            match record.and_then(|record| record.values().nth(comments.game)?.as_int()) {
                Some(game) => comments.rows.push((game, n)),
                None => comments.damaged = comments.damaged.or(Some(n)),
            }
        }
        comments.rows.sort_unstable();
        Some(comments)
    }

    /// Returns the numbers of the games with comments.
    pub(super) fn games(&self) -> impl Iterator<Item = i64> {
        let games = self.rows.chunk_by(|(one, _), (other, _)| one == other);
        games.filter_map(|rows| rows.first()).map(|&(game, _)| game)
    }

    /// Returns the comments of a game in the order of its moves: the half-move before each, -1 for
    /// the start, the highest number if it is unknown, and the text.
    pub(super) fn of_game(&self, pages: &Pages<'_>, game: i64) -> Vec<(i64, Vec<u8>)> {
        let from = self.rows.partition_point(|&(other, _)| other < game);
        let rows = self.rows.get(from..).unwrap_or_default();
        let rows = rows.iter().take_while(|&&(other, _)| other == game);
        let mut found = Vec::new();
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
                found.push((
                    value(self.ply).as_int().unwrap_or(i64::MAX),
                    text.into_owned(),
                ));
            }
        }
        // The program adds the comment before the first move last.
        found.sort_by_key(|&(ply, _)| ply);
        found
    }
}
