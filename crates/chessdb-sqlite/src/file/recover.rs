//! Files whose first page is damaged: the size of pages, and the tables that the definitions no
//! longer describe, are found from the pages themselves (docs/formats/sqlite.md, section 6).

use std::ops::RangeInclusive;

use super::leaves::PageSet;
use super::page::{first_rows, is_tree_page, table_children};
use super::pages::{Pages, TextEncoding};
use super::record::Value;
use super::schema::{Column, ColumnKind, Schema, Table, definition};

/// The tables of a program, in the order in which it creates them.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Their `CREATE TABLE` statements.
    pub(crate) definitions: Vec<String>,
    /// The tables of games; without them the file is of no use.
    pub(crate) games: Vec<String>,
    /// Whether the table of games may have further columns.
    pub(crate) has_more_columns: bool,
    /// Returns whether the values of a row of games have the form of this layout.
    pub(crate) is_game: fn(&[Value<'_>]) -> bool,
}

/// The most pages that are examined to find the size of pages.
const SAMPLE: usize = 2048;
/// The most definitions on pages that nothing points to.
const MOST: usize = 1000;
/// The kinds of definitions.
const KINDS: [&[u8]; 4] = [b"table", b"index", b"view", b"trigger"];
/// The number of rows that decide to which table a tree belongs.
const ROWS: usize = 8;

impl Table {
    /// Returns whether these values can be a record of this table, with a number of values in `widths`.
    pub(crate) fn fits(&self, values: &[Value<'_>], widths: RangeInclusive<usize>) -> bool {
        widths.contains(&values.len()) && self.misfits(values) == 0
    }

    /// Returns the number of values that do not have the kind of their column.
    pub(crate) fn misfits(&self, values: &[Value<'_>]) -> usize {
        let fits = |(column, value): &(&Column, &Value<'_>)| match (column, value) {
            (_, Value::Null) => true,
            (column, _) if column.is_row_number => false,
            (column, value) => match column.kind {
                ColumnKind::Integer => !matches!(value, Value::Blob(_)),
                // Text that is no UTF-8 may be stored as bytes.
                ColumnKind::Text => value.as_bytes().is_some(),
                ColumnKind::Any => true,
            },
        };
        self.columns
            .iter()
            .zip(values)
            .filter(|value| !fits(value))
            .count()
    }
}

/// Opens a file and its log; if its header is damaged, with the size of pages that fits best.
pub(crate) fn pages_of<'a>(bytes: &'a [u8], log: Option<&'a [u8]>) -> Option<Pages<'a>> {
    let stated = Pages::new(bytes, log).ok();
    // With a wrong page size, hardly a page begins like one of a tree.
    let is_sound = |pages: &Pages<'_>| {
        (2..=pages.len().min(64)).any(|number| pages.page(number).is_some_and(is_tree_page))
    };
    if stated.as_ref().is_some_and(is_sound) {
        return stated;
    }
    let sizes = (9..=16).map(|shift| 1_usize << shift);
    let scores = sizes.map(|size| {
        let pages = bytes.len() / size;
        let step = pages.div_ceil(SAMPLE).max(1);
        let sample = bytes.chunks_exact(size).skip(1).step_by(step);
        (
            sample.filter(|page| is_tree_page(page)).count() * step,
            size,
        )
    });
    // The smallest of equals: each page of a double size begins like one of this size.
    let (score, size) = scores.max_by_key(|&(score, size)| (score, std::cmp::Reverse(size)))?;
    if score == 0 {
        return stated;
    }
    let mut pages = Pages::with_size(bytes, log, size, 0);
    pages.set_encoding(encoding_of(&pages));
    Some(pages)
}

/// Judges the encoding of texts by their zero bytes.
fn encoding_of(pages: &Pages<'_>) -> TextEncoding {
    let (mut pairs, mut low, mut high) = (0, 0, 0);
    for page in 2..=pages.len().min(SAMPLE as u32) {
        let rows = first_rows(pages, page, ROWS);
        for values in rows.filter_map(|row| row.sample()) {
            for value in values {
                let Value::Text(text) = value else { continue };
                for pair in text.as_chunks::<2>().0 {
                    pairs += 1;
                    low += usize::from(pair[1] == 0);
                    high += usize::from(pair[0] == 0);
                }
            }
        }
    }
    // Latin letters in UTF-16 have a zero byte, whose place shows the byte order.
    match pairs / 2 {
        half if low > half => TextEncoding::Utf16Le,
        half if high > half => TextEncoding::Utf16Be,
        _ => TextEncoding::Utf8,
    }
}

/// Completes damaged definitions: with those whose statements are still on the first page or on
/// pages that nothing points to, or else with the tables of the layout that fits best.
pub(crate) fn complete(schema: &mut Schema, pages: &Pages<'_>, layouts: &[Layout]) {
    let has_games = |schema: &Schema| {
        layouts
            .iter()
            .any(|layout| layout.games.iter().all(|name| schema.table(name).is_some()))
    };
    if !schema.is_damaged && has_games(schema) {
        return;
    }
    schema.is_damaged = true;
    let trees = roots(pages);
    for &root in &trees {
        let is_definition = |values: Vec<Value<'_>>| {
            let [
                Value::Text(kind),
                Value::Text(_),
                Value::Text(_),
                Value::Int(_),
                _,
            ] = values[..]
            else {
                return false;
            };
            let kind = Value::Text(kind)
                .to_text(pages.encoding())
                .unwrap_or_default();
            KINDS.contains(&&*kind)
        };
        let rows = first_rows(pages, root, MOST);
        for row in rows.take_while(|row| row.sample().is_some_and(is_definition)) {
            schema.add_row(pages, row);
        }
        if schema.tables.len() > MOST {
            break;
        }
    }
    for table in statements(pages) {
        if schema.table(&table.name).is_none() {
            schema.tables.push(table);
        }
    }
    if has_games(schema) {
        return;
    }
    // Of equals, the last is taken.
    let fitting = layouts
        .iter()
        .rev()
        .map(|layout| fit(layout, pages, &trees));
    let best = fitting.max_by_key(|tables| tables.iter().filter(|table| table.root != 0).count());
    schema.tables = best.unwrap_or_default();
}

/// Finds statements on the first page. The number of the root is directly before each, after the
/// name of the table.
fn statements(pages: &Pages<'_>) -> Vec<Table> {
    const START: &[u8] = b"CREATE TABLE ";
    let page = pages.page(1).unwrap_or_default();
    let windows = page.windows(START.len()).enumerate();
    let starts = windows.filter(|(_, word)| *word == START);
    let tables = starts.filter_map(|(offset, _)| {
        let (before, statement) = page.split_at_checked(offset)?;
        let table = definition(&String::from_utf8_lossy(statement))?;
        // The number of a page takes one to four bytes.
        let root = (1..=4).find_map(|size| {
            let (before, bytes) = before.split_at_checked(before.len().checked_sub(size)?)?;
            let root = bytes
                .iter()
                .fold(0, |root, &byte| root << 8 | u32::from(byte));
            let is_tree = pages.page(root).is_some_and(is_tree_page);
            (before.ends_with(table.name.as_bytes()) && is_tree).then_some(root)
        })?;
        Some(Table { root, ..table })
    });
    tables.collect()
}

/// Returns the pages of tables that no other page points to.
fn roots(pages: &Pages<'_>) -> Vec<u32> {
    let mut children = PageSet::new(pages.len());
    for number in 2..=pages.len() {
        for child in table_children(pages, number) {
            children.insert(child);
        }
    }
    let is_root = |&number: &u32| {
        let page = pages.page(number);
        !children.contains(number)
            && page.is_some_and(|page| is_tree_page(page) && matches!(page, [5 | 13, ..]))
    };
    (2..=pages.len()).filter(is_root).collect()
}

/// Assigns trees to the tables of a layout. Tables of the same form get trees only if there are as
/// many trees of that form, and are left out otherwise.
fn fit(layout: &Layout, pages: &Pages<'_>, roots: &[u32]) -> Vec<Table> {
    let definitions = layout.definitions.iter();
    let mut tables: Vec<Table> = definitions.filter_map(|sql| definition(sql)).collect();
    let is_games = |table: &Table| layout.games.first() == Some(&table.name);
    // The first table that each tree fits.
    let mut trees: Vec<Vec<u32>> = vec![Vec::new(); tables.len()];
    for &root in roots {
        let fits = |table: &Table| {
            let mut count = 0;
            let mut rows = first_rows(pages, root, ROWS);
            let all = rows.all(|row| {
                count += 1;
                row.sample().is_some_and(|values| {
                    let width = table.columns.len();
                    let max_width =
                        if is_games(table) && layout.has_more_columns { usize::MAX } else { width };
                    let is_game =
                        !is_games(table) || row.is_continued() || (layout.is_game)(&values);
                    is_game && table.fits(&values, width..=max_width)
                })
            });
            all && count > 0
        };
        let first = tables.iter().position(fits);
        if let Some(trees) = first.and_then(|index| trees.get_mut(index)) {
            trees.push(root);
        }
    }
    let mut assigned: Vec<(usize, Option<u32>)> = Vec::new();
    for (index, trees) in trees.iter().enumerate() {
        let Some(form) = tables.get(index).map(Table::form) else {
            continue;
        };
        let all = tables.iter().enumerate();
        let same = all.filter(|(_, other)| other.form() == form);
        let alike: Vec<usize> = same.map(|(other, _)| other).collect();
        if alike.first() != Some(&index) {
            continue;
        }
        // With as many trees as tables, both are in the order in which the program created them.
        let is_certain = alike.len() == 1 || alike.len() == trees.len();
        for (n, &table) in alike.iter().enumerate() {
            let root = trees.get(n).copied().unwrap_or(0);
            assigned.push((table, is_certain.then_some(root)));
        }
    }
    let mut left_out = Vec::new();
    for (index, root) in assigned {
        match (root, tables.get_mut(index)) {
            (Some(root), Some(table)) => table.root = root,
            _ => left_out.push(index),
        }
    }
    let mut indexes = 0..;
    tables.retain(|_| {
        indexes
            .next()
            .is_none_or(|index| !left_out.contains(&index))
    });
    tables
}
