//! The columns of a cross-table before and after the results.

use std::fmt::Write as _;

use chessdb::query::stats::crosstable::{Crosstable, TableColumn, TablePlayer};

use crate::args::RatingFactor;
use crate::output::{column, plain};
use crate::table::text_of;

/// The least width of a name.
pub(super) const LEAST_NAME: usize = 14;

/// The columns before and after the results.
pub(super) struct Frame<'t> {
    table: &'t Crosstable,
    rank: usize,
    pub(super) name: usize,
    rating: usize,
    /// The columns after the results with their widths: points, tie-breaks, performance.
    totals: Vec<(TableColumn, usize)>,
}

fn widest<'s>(texts: impl Iterator<Item = &'s str>) -> usize {
    texts.map(|text| text.chars().count()).max().unwrap_or(0)
}

impl<'t> Frame<'t> {
    /// Creates the frame with names of full width.
    pub(super) fn new(table: &'t Crosstable, ratings: Option<RatingFactor>) -> Frame<'t> {
        let players = || table.players.iter();
        let elos: Vec<String> = players().map(|player| text_of(player.rating)).collect();
        let mut totals = table.totals();
        if let Some(RatingFactor(factor)) = ratings {
            totals.extend(table.rating_changes(factor));
        }
        let width = |column: &TableColumn| {
            widest(
                column
                    .cells
                    .iter()
                    .chain([&column.title])
                    .map(String::as_str),
            )
        };
        let totals = totals.into_iter().map(|column| {
            let width = width(&column);
            (column, width)
        });
        Frame {
            table,
            rank: table.players.len().to_string().len(),
            // At least the width of the title.
            name: widest(players().map(|player| player.name.as_str())).max(6),
            rating: widest(elos.iter().map(String::as_str)),
            totals: totals.collect(),
        }
    }

    /// Returns the width of everything except the names and the results.
    pub(super) fn fixed(&self) -> usize {
        let rating = if self.rating > 0 { self.rating + 1 } else { 0 };
        let totals = self.totals.iter().map(|(_, width)| width + 1);
        self.rank + 1 + rating + totals.sum::<usize>()
    }

    /// Shortens the names so that results of this width fit. Returns false if they do not fit.
    pub(super) fn fit(&mut self, results: usize, width: usize) -> bool {
        let available = width.saturating_sub(self.fixed() + results);
        let fits = available >= LEAST_NAME.min(self.name);
        if fits {
            self.name = self.name.min(available);
        }
        fits
    }

    /// Returns a line with the texts of all columns.
    fn line<'s>(
        &self,
        [rank, name, rating]: [&str; 3],
        results: &str,
        totals: impl Iterator<Item = &'s str>,
    ) -> String {
        let mut line = format!("{rank:>width$} ", width = self.rank);
        column(&mut line, name, self.name);
        if self.rating > 0 {
            let _ = write!(line, " {rating:>width$}", width = self.rating);
        }
        line += results;
        for (cell, (_, width)) in totals.zip(&self.totals) {
            let _ = write!(line, " {cell:>width$}");
        }
        line.truncate(line.trim_end().len());
        line + "\n"
    }

    pub(super) fn title(&self, results: &str) -> String {
        let totals = self.totals.iter().map(|(column, _)| column.title.as_str());
        self.line(["", "Player", "Elo"], results, totals)
    }

    fn row(&self, rank: usize, player: &TablePlayer, results: &str) -> String {
        let columns = self.totals.iter();
        let totals = columns.map(|(column, _)| column.cells.get(rank).map_or("", String::as_str));
        let (number, name) = ((rank + 1).to_string(), plain(&player.name));
        self.line([&number, &name, &text_of(player.rating)], results, totals)
    }

    /// Returns the lines of all players; `results` returns the cells of one, given its index.
    pub(super) fn rows(&self, results: impl Fn(usize) -> String) -> String {
        let players = self.table.players.iter().enumerate();
        players
            .map(|(rank, player)| self.row(rank, player, &results(rank)))
            .collect()
    }
}
