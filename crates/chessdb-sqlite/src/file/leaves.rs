//! The rows of a table: the leaf pages of its b-tree.

use std::collections::HashSet;

use super::page::{DEEPEST, INTERIOR, LEAF, Page, Row};
use super::pages::Pages;
use super::record::{Record, Value};
use super::schema::Table;

/// The leaf pages of a table in the order of its rows.
#[derive(Clone, Default, Debug)]
pub struct Leaves {
    leaves: Vec<Leaf>,
    len: u64,
    faults: Vec<u32>,
    /// The pages that no tree contains, in ascending order.
    lost: Vec<u32>,
    /// The offsets of rows whose continuation belongs to another row or page too, or is cut.
    unsound: HashSet<u64>,
    /// If the numbers of all rows are known to be successive: the root of the tree, and the first
    /// number. The leaf pages are then not listed.
    successive: Option<(u32, i64)>,
}

#[derive(Clone, Copy, Debug)]
struct Leaf {
    page: u32,
    /// Whether a row of the page may be continued on further pages, or cells are not in the order
    /// in which SQLite puts them.
    is_irregular: bool,
    /// The number of rows on the pages before.
    before: u64,
}

/// Of how many columns one may hold a value of another kind.
const MISFITS: usize = 8;

impl Leaves {
    /// Finds the leaf pages of the tree at `root`. A page that is damaged, or that the tree contains
    /// twice or at a wrong place, is left out and listed in [`faults`](Leaves::faults).
    pub fn scan(pages: &Pages<'_>, root: u32) -> Leaves {
        Leaves::search(pages, root, |_| true)
    }

    /// Finds the leaf pages of a table like [`Leaves::scan`]. A page whose first row cannot be one of
    /// the table was overwritten with a page of another, and is left out too.
    pub(crate) fn of_table(pages: &Pages<'_>, table: &Table) -> Leaves {
        let width = table.columns.len();
        // SQLite lets a program store bytes in a column of numbers, so a few misfits do not prove that
        // a row of the same number of values is from another table. More are more likely to be a page
        // of another table, which only SQLite's check would find otherwise.
        let is_odd = |values: &[Value<'_>]| {
            values.len() == width && table.misfits(values) <= width / MISFITS
        };
        // All first rows share the memory of their values.
        let mut values = Vec::new();
        Leaves::search(pages, table.root, |page| {
            let is_whole = page
                .row(pages, 0)
                .is_some_and(|row| row.sample_into(&mut values));
            !is_whole || table.fits(&values, 1..=width) || is_odd(&values)
        })
    }

    /// Returns the rows of a sound tree whose numbers are known to be successive, without reading more
    /// than its first and its last page. `None` if these are damaged.
    pub(crate) fn successive(pages: &Pages<'_>, root: u32) -> Option<Leaves> {
        let mut leaves = Leaves::default();
        if let Some(first) = Leaves::end_of(pages, root, false)? {
            let last = Leaves::end_of(pages, root, true)??;
            leaves.len = u64::try_from(last.checked_sub(first)?)
                .ok()?
                .checked_add(1)?;
            leaves.successive = Some((root, first));
            // A number in a file is a claim.
            if leaves.len > u64::from(pages.len()) * pages.usable() as u64 {
                return None;
            }
        }
        Some(leaves)
    }

    /// Returns the number of the first or the last row of a tree; `None` in it if there are no rows.
    fn end_of(pages: &Pages<'_>, root: u32, is_last: bool) -> Option<Option<i64>> {
        let mut number = root;
        for _ in 0..DEEPEST {
            let page = Page::parse(pages, number)?;
            match page.kind {
                LEAF if page.cells == 0 => return (number == root).then_some(None),
                LEAF => {
                    let place = if is_last { page.cells - 1 } else { 0 };
                    return page.row(pages, place).map(|row| Some(row.number));
                }
                INTERIOR => number = page.child(if is_last { page.cells } else { 0 }),
                _ => return None,
            }
        }
        None
    }

    /// Returns whether the tree is sound and the numbers of its rows are successive
    /// ([`Leaves::successive`]).
    pub(crate) fn are_successive(&self, pages: &Pages<'_>) -> bool {
        let first = self.nth(pages, 0).map_or(0, |row| row.number);
        let expected = |n: u64| first.checked_add(i64::try_from(n).ok()?);
        let is_expected = |n| {
            let row = self.nth(pages, n);
            row.is_some_and(|row| Some(row.number) == expected(n))
        };
        self.faults.is_empty()
            && self.lost.is_empty()
            && self.unsound.is_empty()
            && (0..self.len).all(is_expected)
    }

    fn search<'a>(
        pages: &Pages<'a>,
        root: u32,
        mut is_own: impl FnMut(&Page<'a>) -> bool,
    ) -> Leaves {
        let mut leaves = Leaves::default();
        let mut seen = PageSet::new(pages.len());
        // The pages still to visit, last first, with their depth and row numbers.
        let mut todo = vec![(root, 0, i64::MIN..=i64::MAX)];
        while let Some((number, depth, rows)) = todo.pop() {
            let page = Page::parse(pages, number);
            // A damaged file may lead to a page twice, or in a circle.
            let Some(page) = page.filter(|_| depth < DEEPEST && seen.insert(number)) else {
                leaves.faults.push(number);
                continue;
            };
            match page.kind {
                LEAF if page.is_elsewhere(pages, &rows) || !is_own(&page) => {
                    leaves.faults.push(number);
                }
                LEAF => leaves.push(&page, pages.usable()),
                INTERIOR => {
                    let from = todo.len();
                    let mut first = *rows.start();
                    for (n, child) in page.children().enumerate() {
                        let stored = (n < page.cells).then(|| page.number_of(pages, n));
                        let last = stored.flatten().unwrap_or(*rows.end());
                        todo.push((child, depth + 1, first..=last));
                        first = last.saturating_add(1);
                    }
                    // The pages are taken from the end, so the first child must be the last.
                    todo.get_mut(from..).unwrap_or_default().reverse();
                }
                _ => leaves.faults.push(number),
            }
        }
        leaves.check_rows(pages, &mut seen);
        leaves
    }

    /// Follows the continuations of long rows, and drops pages whose rows overlap. A page is part of
    /// one row at most, and so is every byte of a page; otherwise a small file could claim any number
    /// of long rows.
    fn check_rows(&mut self, pages: &Pages<'_>, seen: &mut PageSet) {
        let mut overlapping = Vec::new();
        for leaf in self.leaves.iter().filter(|leaf| leaf.is_irregular) {
            let Some(page) = Page::parse(pages, leaf.page) else {
                continue;
            };
            let mut bytes = 0;
            for row in (0..page.cells).filter_map(|n| page.row(pages, n)) {
                bytes += row.local.len() + 2;
                if !row.chain_is_sound(pages, seen) {
                    self.unsound.insert(row.offset);
                }
            }
            if bytes > page.bytes.len() {
                overlapping.push(leaf.page);
            }
        }
        if overlapping.is_empty() {
            return;
        }
        overlapping.sort_unstable();
        self.len = 0;
        for leaf in std::mem::take(&mut self.leaves) {
            if overlapping.binary_search(&leaf.page).is_err()
                && let Some(page) = Page::parse(pages, leaf.page)
            {
                self.push(&page, pages.usable());
            }
        }
        self.faults.extend(overlapping);
    }

    /// Notes the pages with rows.
    pub(crate) fn mark(&self, set: &mut PageSet) {
        for leaf in &self.leaves {
            set.insert(leaf.page);
        }
    }

    /// Adds pages that no tree contains, found by their type, whose first row `fits`. It is a way to
    /// rows behind a damaged page. `owned` has the pages of other tables. Pages with the row numbers
    /// of others are older versions, and left out. Returns the number of pages added.
    pub(crate) fn add_lost(
        &mut self,
        pages: &Pages<'_>,
        owned: &PageSet,
        fits: impl Fn(&[Value<'_>]) -> bool,
    ) -> usize {
        let mut seen = PageSet::new(pages.len());
        self.mark(&mut seen);
        let mut candidates = Vec::new();
        // Page 1 has the definitions.
        for number in 2..=pages.len() {
            if seen.contains(number) || owned.contains(number) {
                continue;
            }
            let page = Page::parse(pages, number).filter(|page| page.kind == LEAF);
            let Some((page, row)) = page.and_then(|page| Some((page, page.row(pages, 0)?))) else {
                continue;
            };
            if row.sample().is_some_and(|values| fits(&values))
                && let Some(rows) = page.row_numbers(pages)
            {
                candidates.push((rows, number));
            }
        }
        if candidates.is_empty() {
            return 0;
        }
        let own = self.leaves.iter().map(|leaf| leaf.page);
        let mut rows: Vec<_> = own
            .filter_map(|page| Some((Page::parse(pages, page)?.row_numbers(pages)?, page)))
            .collect();
        rows.sort_unstable();
        candidates.sort_unstable();
        let mut last = None;
        candidates.retain(|((first, end), _)| {
            // The first own page that does not end before these rows decides whether they are free.
            let after = rows.partition_point(|((_, end), _)| end < first);
            let is_free = rows.get(after).is_none_or(|((first, _), _)| end < first);
            let is_new = is_free && last.is_none_or(|last| last < *first);
            if is_new {
                last = Some(*end);
            }
            is_new
        });
        self.lost = candidates.iter().map(|&(_, page)| page).collect();
        self.lost.sort_unstable();
        rows.extend(&candidates);
        rows.sort_unstable();
        (self.len, self.leaves) = (0, Vec::new());
        for (_, page) in rows {
            if let Some(page) = Page::parse(pages, page) {
                self.push(&page, pages.usable());
            }
        }
        // New pages may claim continuations of the old ones, so all rows are checked again.
        self.unsound.clear();
        let mut seen = PageSet::new(pages.len());
        self.mark(&mut seen);
        self.check_rows(pages, &mut seen);
        candidates.len()
    }

    /// Returns whether row `n` is on a page that no tree contains.
    pub(crate) fn is_lost(&self, n: u64) -> bool {
        self.leaf(n)
            .is_some_and(|leaf| self.lost.binary_search(&leaf.page).is_ok())
    }

    fn leaf(&self, n: u64) -> Option<&Leaf> {
        let after = self.leaves.partition_point(|leaf| leaf.before <= n);
        self.leaves.get(after.checked_sub(1)?)
    }

    fn push(&mut self, page: &Page<'_>, usable: usize) {
        // An empty table has one empty page.
        if page.cells > 0 {
            self.leaves.push(Leaf {
                page: page.number,
                is_irregular: page.is_irregular(usable),
                before: self.len,
            });
            self.len += page.cells as u64;
        }
    }

    /// Returns the number of rows.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Returns whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the numbers of pages that could not be read; their rows are missing.
    pub fn faults(&self) -> &[u32] {
        &self.faults
    }

    /// Returns row `n`, counted from 0 in the order of the tree; `None` if there are fewer, if its
    /// place on its page is damaged, or if its continuation is not its own.
    pub fn nth<'a>(&self, pages: &Pages<'a>, n: u64) -> Option<Row<'a>> {
        if let Some((root, first)) = self.successive {
            let n = i64::try_from(n).ok().filter(|_| n < self.len)?;
            let (page, place, row) = Leaves::find_on_page(pages, root, first.checked_add(n)?)?;
            return page.is_apart(place, row).then_some(row);
        }
        let leaf = self.leaf(n)?;
        let page = Page::parse(pages, leaf.page)?;
        let n = usize::try_from(n - leaf.before).ok()?;
        let row = page.row(pages, n)?;
        let is_sound = if leaf.is_irregular {
            row.overflow == 0 || !self.unsound.contains(&row.offset)
        } else {
            // Rows of a regular page have no continuations, as was seen when the table was opened.
            row.overflow == 0 && page.ends_before_others(n, row)
        };
        is_sound.then_some(row)
    }

    /// Calls `each` with the values of every row: those stored, without the number of the row.
    /// Returns the number of rows that cannot be read.
    pub(crate) fn for_each(&self, pages: &Pages<'_>, mut each: impl FnMut(&[Value<'_>])) -> u64 {
        let (mut buffer, mut unread) = (Vec::new(), 0);
        for n in 0..self.len {
            let row = self.nth(pages, n);
            let payload = row.and_then(|row| row.payload(pages, &mut buffer));
            let record = payload.and_then(Record::parse);
            let values = record.map(|record| (record.declared(), record.values().collect()));
            match values {
                Some((declared, values)) if declared == Vec::len(&values) => each(&values),
                _ => unread += 1,
            }
        }
        unread
    }

    /// Returns the row with this number. Only the pages on its way are read; `None` if there is no
    /// such row or a page on the way is damaged.
    pub fn find<'a>(pages: &Pages<'a>, root: u32, number: i64) -> Option<Row<'a>> {
        Leaves::find_on_page(pages, root, number).map(|(_, _, row)| row)
    }

    /// Returns a row like [`Leaves::find`], with its page and its place there.
    fn find_on_page<'a>(
        pages: &Pages<'a>,
        root: u32,
        number: i64,
    ) -> Option<(Page<'a>, usize, Row<'a>)> {
        let mut page_number = root;
        for _ in 0..DEEPEST {
            let page = Page::parse(pages, page_number)?;
            let place = page.first_from(pages, number)?;
            match page.kind {
                LEAF => {
                    let row = page.row(pages, place)?;
                    return (row.number == number).then_some((page, place, row));
                }
                INTERIOR => page_number = page.child(place),
                _ => return None,
            }
        }
        None
    }
}

/// A set of pages, a bit each.
#[derive(Debug)]
pub(crate) struct PageSet(Vec<u64>);

impl PageSet {
    /// Creates an empty set for a file of `pages` pages.
    pub(crate) fn new(pages: u32) -> PageSet {
        PageSet(vec![0; pages as usize / 64 + 1])
    }

    /// Adds a page of the file. Returns whether it is new.
    pub(crate) fn insert(&mut self, page: u32) -> bool {
        let bit = 1 << (page % 64);
        match self.0.get_mut(page as usize / 64) {
            Some(word) => {
                let is_new = *word & bit == 0;
                *word |= bit;
                is_new
            }
            None => false,
        }
    }

    pub(crate) fn contains(&self, page: u32) -> bool {
        self.0
            .get(page as usize / 64)
            .is_some_and(|word| word >> (page % 64) & 1 == 1)
    }
}
