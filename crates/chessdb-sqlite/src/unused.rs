//! The parts of a file that no game needs.

use std::collections::HashSet;

use chessdb_core::store::UnusedSpace;

use crate::file::{Leaves, Record, Schema, Value};
use crate::rows::Games;

/// The tables of names, each with the columns of `Games` that refer to it.
pub(crate) const NAMES: [(&str, &[&str]); 3] = [
    ("Players", &["WhiteID", "BlackID"]),
    ("Events", &["EventID"]),
    ("Sites", &["SiteID"]),
];

/// The offset of the number of free pages in the header of a file.
const FREE_PAGES: usize = 36;

impl Games<'_> {
    /// Counts the bytes of free pages, and the names that no game has and whose rows contain nothing
    /// else. `absent` is the number of an absent name; `None` without tables of names.
    pub(crate) fn unused(&self, absent: Option<i64>) -> UnusedSpace {
        let header = self.pages.page(1).and_then(|page| page.get(FREE_PAGES..));
        let free = header.and_then(|bytes| bytes.first_chunk());
        let free = free.map_or(0, |word| u32::from_be_bytes(*word));
        let mut unused = UnusedSpace {
            bytes: u64::from(free) * self.pages.size() as u64,
            names: 0,
        };
        let Some(absent) = absent else {
            return unused;
        };
        let schema = Schema::read(&self.pages);
        let place = |name: &str| {
            let mut columns = self.columns.iter();
            columns.position(|column| column.name.eq_ignore_ascii_case(name))
        };
        let places =
            NAMES.map(|(_, columns)| columns.iter().filter_map(|name| place(name)).collect());
        let places: [Vec<usize>; NAMES.len()] = places;
        let mut used: [HashSet<i64>; NAMES.len()] = Default::default();
        for n in 0..self.len() {
            // The names of a damaged row are not known; those of others still are.
            let _ = self.with_row(n, |values, _| {
                for (used, places) in used.iter_mut().zip(&places) {
                    let numbers = places
                        .iter()
                        .filter_map(|place| values.get(*place)?.as_int());
                    used.extend(numbers);
                }
                Ok(())
            });
        }
        for ((table, _), used) in NAMES.iter().zip(&used) {
            let Some(table) = schema.table(table) else {
                continue;
            };
            let name = table.column("Name");
            let leaves = Leaves::of_table(&self.pages, table);
            let mut buffer = Vec::new();
            for row in (0..leaves.len()).filter_map(|n| leaves.nth(&self.pages, n)) {
                let record = row
                    .payload(&self.pages, &mut buffer)
                    .and_then(Record::parse);
                let has_more = record.is_none_or(|record| {
                    let mut others = record.values().enumerate();
                    others.any(|(n, value)| Some(n) != name && value != Value::Null)
                });
                let is_unused = row.number > absent && !has_more && !used.contains(&row.number);
                unused.names += u64::from(is_unused);
            }
        }
        unused
    }
}
