//! The columns of `ls` and `find`, fitted into the lines of a terminal.

use std::str::FromStr;

use chessdb::columns::Column;

/// The columns hidden from here on come after the names were made narrower.
const AFTER_NAMES: u8 = 6;

/// The columns of a list of games, in order.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct ListColumns(Vec<Column>);

impl Default for ListColumns {
    fn default() -> ListColumns {
        ListColumns(Column::defaults().collect())
    }
}

impl FromStr for ListColumns {
    type Err = String;

    /// Parses names separated by commas, ignoring case.
    fn from_str(text: &str) -> Result<ListColumns, String> {
        let columns = text.split(',').map(str::parse::<Column>);
        columns.collect::<Result<_, _>>().map(ListColumns)
    }
}

impl ListColumns {
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Column> {
        self.0.iter()
    }

    /// Returns the columns followed by the ply and position of a match.
    pub(crate) fn with_hit(mut self) -> ListColumns {
        self.0.extend(Column::of_match());
        self
    }

    /// Returns the columns after the name of the database.
    pub(crate) fn after_base(mut self) -> ListColumns {
        self.0.splice(0..0, Column::database());
        self
    }

    /// Returns whether the values need the moves of a game.
    pub(crate) fn need_moves(&self) -> bool {
        self.iter().any(Column::needs_moves)
    }

    /// Returns the widths of the columns in a line of `available` cells; 0 hides a column, which
    /// happens only if `hides` is set. The players' names are narrowed last.
    pub(crate) fn widths(&self, available: usize, hides: bool) -> Vec<usize> {
        let mut fitting = Fitting {
            columns: &self.0,
            widths: self.iter().map(|column| column.widths().0).collect(),
            available,
        };
        // From the least to the most valuable: cells before whole columns, and last the names of
        // the players, by which people recognise a game.
        fitting.narrow(false, least_width);
        if hides {
            fitting.hide(1..AFTER_NAMES);
        }
        fitting.narrow(true, least_width);
        if hides {
            fitting.hide(AFTER_NAMES..u8::MAX);
        }
        // In a very narrow terminal a cell of each column is better than a broken line.
        fitting.narrow(false, |_| 1);
        fitting.narrow(true, |_| 1);
        fitting.widen();
        fitting.widths
    }
}

/// The columns while they are fitted into a line.
struct Fitting<'c> {
    columns: &'c [Column],
    widths: Vec<usize>,
    available: usize,
}

fn least_width(column: &Column) -> usize {
    column.widths().1
}

impl Fitting<'_> {
    /// Returns the width of a line with a space between columns.
    fn used(&self) -> usize {
        let shown = self.widths.iter().filter(|width| **width > 0);
        shown
            .map(|width| width + 1)
            .sum::<usize>()
            .saturating_sub(1)
    }

    /// Narrows the players' names, or the other columns from the last one on.
    fn narrow(&mut self, players: bool, least: fn(&Column) -> usize) {
        let mut excess = self.used().saturating_sub(self.available);
        let columns = self.columns.iter().zip(&mut self.widths).rev();
        let mut columns: Vec<_> = columns
            .filter(|(column, width)| column.is_player() == players && **width > 0)
            .collect();
        // One cell at a time, so that several names stay equally wide.
        while excess > 0 {
            let before = excess;
            for (column, width) in &mut columns {
                if excess > 0 && **width > least(column) {
                    **width -= 1;
                    excess -= 1;
                }
            }
            if excess == before {
                return;
            }
        }
    }

    fn hide(&mut self, ranks: std::ops::Range<u8>) {
        for rank in ranks {
            for (n, column) in self.columns.iter().enumerate() {
                if column.hiding_rank() == rank
                    && self.used() > self.available
                    && let Some(width) = self.widths.get_mut(n)
                {
                    *width = 0;
                }
            }
        }
    }

    /// Uses cells that hidden columns left over, for the names first.
    fn widen(&mut self) {
        let mut free = self.available.saturating_sub(self.used());
        for players in [true, false] {
            for (column, width) in self.columns.iter().zip(&mut self.widths) {
                if column.is_player() == players && *width > 0 {
                    let more = free.min(column.widths().0.saturating_sub(*width));
                    *width += more;
                    free -= more;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fitted(columns: ListColumns, available: usize) -> Vec<(String, usize)> {
        let widths = columns.widths(available, true);
        let used: usize = widths
            .iter()
            .filter(|width| **width > 0)
            .map(|width| width + 1)
            .sum();
        assert!(used <= available + 1, "{available}: {widths:?}");
        let titles = columns.iter().map(|column| column.json().to_owned());
        titles.zip(widths).filter(|(_, width)| *width > 0).collect()
    }

    #[test]
    fn lines_fit_and_names_are_narrowed_last() {
        let names = |columns: &[(String, usize)]| -> Vec<String> {
            columns.iter().map(|(name, _)| name.clone()).collect()
        };
        let whole = fitted(ListColumns::default(), 200);
        assert_eq!(whole.len(), 12);
        let eighty = fitted(ListColumns::default(), 80);
        let expected = "game date white whiteElo black blackElo result eco";
        assert_eq!(names(&eighty).join(" "), expected);
        assert!(eighty.contains(&("white".to_owned(), 18)), "{eighty:?}");
        let hit = fitted(ListColumns::default().with_hit(), 200);
        assert!(names(&hit).contains(&"fen".to_owned()));
        let mut last = 0;
        for available in 30..250 {
            for columns in [ListColumns::default(), ListColumns::default().with_hit()] {
                let fitted = fitted(columns, available);
                assert!(names(&fitted).contains(&"white".to_owned()));
                let is_narrow = fitted
                    .iter()
                    .any(|(name, width)| name == "white" && *width < 22);
                let has_event = names(&fitted).contains(&"event".to_owned());
                assert!(!(is_narrow && has_event), "{available}: {fitted:?}");
            }
            let columns = fitted(ListColumns::default(), available).len();
            assert!(columns >= last, "{available}");
            last = columns;
        }
    }

    #[test]
    fn every_name_is_a_column_in_any_case() {
        for name in chessdb::columns::names() {
            for name in [name.to_uppercase(), name.to_lowercase()] {
                let columns: ListColumns = name.parse().unwrap();
                assert_eq!(columns.iter().count(), 1, "{name}");
            }
        }
        assert_eq!(
            "Plies,MOVES".parse::<ListColumns>(),
            "plycount,movetext".parse()
        );
        for wrong in ["", "white,,black", "whit", "tag:", "white black"] {
            let error = wrong.parse::<ListColumns>().unwrap_err();
            assert!(error.contains("columns: game, date,"), "{error}");
        }
    }
}
