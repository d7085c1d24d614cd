//! Tables of names and numbers: as text for a terminal, as Markdown and as HTML.

use std::fmt::Write as _;

use crate::output::{cells, column, plain, width};

/// The least width of a column of names.
const LEAST: usize = 12;

/// A table with a column of names on the left, and columns of numbers. Columns without any value
/// are left out.
pub(crate) struct Table {
    titles: Vec<String>,
    rows: Vec<Vec<String>>,
    indent: usize,
    /// The titles of other columns with texts, which are aligned on the left.
    texts: &'static [&'static str],
    /// Whether names are shortened to fit the terminal.
    shortens: bool,
    /// The least widths of all columns, if these do not depend on the values; 0 for none.
    fixed: Option<Vec<usize>>,
}

impl Table {
    /// Creates a table. `columns` are the titles of the columns after the names, separated by commas.
    pub(crate) fn new(names: &str, columns: &str) -> Table {
        let titles = std::iter::once(names).chain(columns.split(", "));
        Table {
            titles: titles.map(str::to_owned).collect(),
            rows: Vec::new(),
            indent: 0,
            texts: &[],
            shortens: true,
            fixed: None,
        }
    }

    /// Indents all lines except the titles.
    pub(crate) fn indented(mut self) -> Table {
        self.indent = 2;
        self
    }

    /// Aligns the columns with these titles on the left, besides the first.
    pub(crate) fn texts(mut self, titles: &'static [&'static str]) -> Table {
        self.texts = titles;
        self
    }

    /// Keeps names that do not fit the terminal.
    pub(crate) fn unshortened(mut self) -> Table {
        self.shortens = false;
        self
    }

    /// Sets the least widths of the columns; 0 leaves one out. Names are not shortened.
    pub(crate) fn fixed(mut self, widths: impl Into<Vec<usize>>) -> Table {
        self.fixed = Some(widths.into());
        self
    }

    /// Adds a row. Cells beyond the titles are left out.
    pub(crate) fn row<const N: usize>(&mut self, name: &str, cells: [String; N]) {
        let name = format!("{:1$}{2}", "", self.indent, plain(name));
        self.rows.push([name].into_iter().chain(cells).collect());
    }

    /// Returns whether there are no rows.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    fn is_text(&self, column: usize) -> bool {
        let title = self.titles.get(column).map_or("", String::as_str);
        column == 0 || self.texts.contains(&title)
    }

    /// Returns the titles and all rows, without columns that have no value. Each cell comes with
    /// whether it is text.
    fn used_cells(&self) -> Vec<Vec<(&str, bool)>> {
        let has_value = |n: usize| {
            self.rows
                .iter()
                .any(|row| row.get(n).is_some_and(|it| !it.is_empty()))
        };
        let used: Vec<bool> = (0..self.titles.len()).map(has_value).collect();
        let lines = std::iter::once(&self.titles).chain(&self.rows);
        let cells = lines.map(|line| {
            let cells = line
                .iter()
                .enumerate()
                .zip(&used)
                .filter(|(_, is_used)| **is_used);
            cells
                .map(|((n, cell), _)| (cell.as_str(), self.is_text(n)))
                .collect()
        });
        cells.collect()
    }

    /// Returns the table as lines. They fit the terminal, for which names are shortened, unless
    /// the widths are fixed.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        if let Some(widths) = &self.fixed {
            for line in std::iter::once(&self.titles).chain(&self.rows) {
                let mut row = String::new();
                let columns = line.iter().zip(widths).enumerate();
                for (n, (cell, &width)) in columns.filter(|(_, (_, width))| **width > 0) {
                    let gap = usize::from(n > 1);
                    let _ = if self.is_text(n) {
                        write!(row, "{:gap$}{cell:<width$}", "")
                    } else {
                        write!(row, "{:gap$}{cell:>width$}", "")
                    };
                }
                let _ = writeln!(text, "{}", row.trim_end());
            }
            return text;
        }
        let rows = self.used_cells();
        let columns = rows.first().map_or(0, Vec::len);
        let length = |cell: Option<&(&str, bool)>| cell.map_or(0, |(cell, _)| cell.chars().count());
        let widest = |n: usize| rows.iter().map(|row| length(row.get(n))).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns).map(widest).collect();
        let names = widths.first().copied().unwrap_or(0);
        let numbers_with =
            |gap: usize| -> usize { widths.iter().skip(1).map(|width| width + gap).sum() };
        // Two blanks between columns, unless names would have to be shortened for them.
        let gap = 1 + usize::from(names + numbers_with(2) <= width());
        let available = width().saturating_sub(numbers_with(gap)).max(LEAST);
        let names = if self.shortens { names.min(available) } else { names };
        for row in &rows {
            let mut line = String::new();
            column(&mut line, row.first().map_or("", |(name, _)| name), names);
            for ((cell, is_text), &width) in row.iter().zip(&widths).skip(1) {
                let _ = if *is_text {
                    write!(line, "{:gap$}{cell:<width$}", "")
                } else {
                    write!(line, "{:gap$}{cell:>width$}", "")
                };
            }
            let _ = writeln!(text, "{}", line.trim_end());
        }
        text
    }

    /// Returns the table in Markdown, with aligned columns; `escaped` returns a text without markup.
    pub(crate) fn markdown(&self, escaped: fn(&str) -> String) -> String {
        let mut lines = self.used_cells();
        let titles = lines.first().cloned().unwrap_or_default();
        // Some readers of Markdown need three dashes under each title.
        let width = |n: usize| {
            let widths = lines.iter().filter_map(|row| row.get(n));
            widths
                .map(|(cell, _)| cells(&escaped(cell)))
                .max()
                .unwrap_or(0)
                .max(3)
        };
        let widths: Vec<usize> = (0..titles.len()).map(width).collect();
        let rules = titles.iter().zip(&widths);
        let rules = rules
            .map(|((_, is_text), width)| "-".repeat(width - 1) + if *is_text { "-" } else { ":" });
        let rules: Vec<String> = rules.collect();
        lines.insert(1, rules.iter().map(|rule| (rule.as_str(), true)).collect());
        let mut text = String::new();
        for line in lines {
            for ((cell, is_text), width) in line.iter().zip(&widths) {
                let cell = escaped(cell);
                let blanks = " ".repeat(width.saturating_sub(cells(&cell)));
                let _ = if *is_text {
                    write!(text, "| {cell}{blanks} ")
                } else {
                    write!(text, "| {blanks}{cell} ")
                };
            }
            text.push_str("|\n");
        }
        text
    }

    /// Returns the table in HTML; `escaped` returns a text without markup.
    pub(crate) fn html(&self, escaped: fn(&str) -> String) -> String {
        let mut text = String::from("<div class=\"wide\"><table>\n");
        for (n, row) in self.used_cells().iter().enumerate() {
            let tag = if n == 0 { "th" } else { "td" };
            text.push_str("<tr>");
            for (cell, is_text) in row {
                let class = if *is_text { "" } else { " class=\"n\"" };
                let _ = write!(text, "<{tag}{class}>{}</{tag}>", escaped(cell));
            }
            text.push_str("</tr>\n");
        }
        text + "</table></div>\n"
    }
}

/// Returns a share as a percentage with this number of decimals; empty if unknown.
pub(crate) fn percent_with(decimals: usize, share: Option<f64>) -> String {
    share.map_or(String::new(), |share| {
        format!("{:.decimals$} %", 100.0 * share)
    })
}

/// Returns a share as a percentage; empty if unknown.
pub(crate) fn percent(share: Option<f64>) -> String {
    percent_with(1, share)
}

/// Returns a value as text; empty if unknown.
pub(crate) fn text_of(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}
