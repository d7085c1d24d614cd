//! Tables of names and numbers.

use crate::output::{column, plain, width};

/// The least width of a column of names.
const LEAST: usize = 12;

/// A table with a column of names on the left, and columns of numbers.
pub(super) struct Table {
    indent: usize,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Creates a table with these titles.
    pub(super) fn new<const N: usize>(titles: [&str; N]) -> Table {
        Table {
            indent: 0,
            rows: vec![titles.map(str::to_owned).to_vec()],
        }
    }

    /// Indents all lines except the titles.
    pub(super) fn indented(mut self) -> Table {
        self.indent = 2;
        self
    }

    /// Adds a row. Cells beyond the titles are left out.
    pub(super) fn row<const N: usize>(&mut self, name: &str, cells: [String; N]) {
        let name = format!("{:1$}{2}", "", self.indent, plain(name));
        self.rows.push([name].into_iter().chain(cells).collect());
    }

    /// Returns whether there are no rows.
    pub(super) fn is_empty(&self) -> bool {
        self.rows.len() < 2
    }

    /// Returns the table as lines that fit the terminal: names are shortened, and columns without
    /// any value are left out.
    pub(super) fn print(&self) -> String {
        let columns = self.rows.first().map_or(0, Vec::len);
        let length =
            |row: &Vec<String>, n: usize| row.get(n).map_or(0, |cell| cell.chars().count());
        let widest = |n: usize| {
            let is_used = self.rows.iter().skip(1).any(|row| length(row, n) > 0);
            let widest = self.rows.iter().map(|row| length(row, n)).max();
            widest.filter(|_| is_used).unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(widest).collect();
        let numbers = widths.iter().skip(1).filter(|width| **width > 0);
        let names = widths.first().copied().unwrap_or(0);
        let numbers_with = |gap: usize| -> usize { numbers.clone().map(|width| width + gap).sum() };
        let gap = if names + numbers_with(2) <= width() {
            2
        } else {
            1
        };
        let names = names.min(width().saturating_sub(numbers_with(gap)).max(LEAST));
        let mut text = String::new();
        for row in &self.rows {
            let mut line = String::new();
            column(&mut line, row.first().map_or("", String::as_str), names);
            for (cell, &width) in row.iter().zip(&widths).skip(1) {
                if width > 0 {
                    line += &format!("{:gap$}{cell:>width$}", "");
                }
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

/// Returns a share as a percentage; empty if unknown.
pub(super) fn percent(share: Option<f64>) -> String {
    share.map_or(String::new(), |share| format!("{:.1} %", 100.0 * share))
}

/// Returns a number; empty if unknown.
pub(super) fn known(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}
