//! The pages of a table's tree, and the rows on them.

use std::ops::{Range, RangeInclusive};

use super::leaves::PageSet;
use super::pages::Pages;
use super::record::{Record, Value, varint};

/// The type of a page that points to other pages of a table.
pub(super) const INTERIOR: u8 = 5;
/// The type of a page with rows of a table.
pub(super) const LEAF: u8 = 13;
/// The type of a page that points to other pages of an index.
const INDEX_INTERIOR: u8 = 2;
/// The type of a page with the last entries of an index.
const INDEX_LEAF: u8 = 10;
/// The bytes before the header of the first page.
const FILE_HEADER: usize = 100;
/// More levels than any tree has: every level multiplies the number of pages by at least two.
pub(super) const DEEPEST: usize = 40;

/// A row: its number and its record, which may be spread over several pages.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// The row number, which is also the value of a column declared `INTEGER PRIMARY KEY`.
    pub number: i64,
    /// The offset of the row in the file.
    pub offset: u64,
    pub(super) length: usize,
    pub(super) local: &'a [u8],
    /// The page with the rest of the payload, or 0.
    pub(super) overflow: u32,
}

impl<'a> Row<'a> {
    /// Returns the length of the payload.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Returns the part of the payload that is on the page of the row.
    pub fn local(&self) -> &'a [u8] {
        self.local
    }

    /// Returns whether the payload continues on other pages.
    pub fn is_continued(&self) -> bool {
        self.overflow != 0
    }

    /// Returns the values of the record as far as they are on the page of the row; NULL for those on
    /// other pages. `None` if the record is damaged. The work does not depend on its claimed length.
    pub(crate) fn sample(&self) -> Option<Vec<Value<'a>>> {
        let mut values = Vec::new();
        self.sample_into(&mut values).then_some(values)
    }

    /// Fills `values` like [`Row::sample`]. Returns whether the record is whole.
    pub(super) fn sample_into(&self, values: &mut Vec<Value<'a>>) -> bool {
        values.clear();
        let Some(record) = Record::parse(self.local) else {
            return false;
        };
        values.extend(record.values());
        let declared = record.declared();
        if self.is_continued() {
            values.resize(declared, Value::Null);
        }
        values.len() == declared
    }

    /// Returns the payload: the record, which is where it lies in the file or, if it is spread over
    /// several pages, in `scratch`. `None` if a page of it is missing, or the row claims to be longer
    /// than the file.
    pub fn payload<'r>(&self, pages: &Pages<'a>, scratch: &'r mut Vec<u8>) -> Option<&'r [u8]>
    where
        'a: 'r,
    {
        if self.overflow == 0 {
            return Some(self.local);
        }
        if self.chain_pages(pages) > pages.len() as usize {
            return None;
        }
        scratch.clear();
        scratch.extend_from_slice(self.local);
        let mut next = self.overflow;
        // Every page of the chain adds bytes, so a loop ends where the payload is complete.
        while scratch.len() < self.length {
            let page = pages.page(next)?.get(..pages.usable())?;
            let (pointer, content) = page.split_first_chunk::<4>()?;
            let missing = self.length - scratch.len();
            scratch.extend_from_slice(content.get(..missing).unwrap_or(content));
            next = u32::from_be_bytes(*pointer);
        }
        Some(scratch)
    }
}

impl Row<'_> {
    /// Returns the number of further pages that the row needs.
    fn chain_pages(&self, pages: &Pages<'_>) -> usize {
        (self.length - self.local.len()).div_ceil(pages.usable() - 4)
    }

    /// Returns whether the further pages are there and are part of nothing else.
    pub(super) fn chain_is_sound(&self, pages: &Pages<'_>, seen: &mut PageSet) -> bool {
        let mut next = self.overflow;
        for _ in 0..self.chain_pages(pages) {
            let pointer = pages.page(next).and_then(|page| page.first_chunk());
            let Some(pointer) = pointer.filter(|_| seen.insert(next)) else {
                return false;
            };
            next = u32::from_be_bytes(*pointer);
        }
        true
    }
}

/// Returns whether a page of this type points to other pages.
pub(super) fn is_interior(kind: u8) -> bool {
    matches!(kind, INTERIOR | INDEX_INTERIOR)
}

/// Returns whether a page, not the first one, is a sound page of a table or of an index with at least
/// one cell.
pub(super) fn is_tree_page(page: &[u8]) -> bool {
    let Some(&[kind, _, _, high, low, content_high, content_low, _]) = page.first_chunk() else {
        return false;
    };
    let header = match kind {
        INDEX_INTERIOR | INTERIOR => 12,
        INDEX_LEAF | LEAF => 8,
        _ => return false,
    };
    let cells = usize::from(u16::from_be_bytes([high, low]));
    let content = match u16::from_be_bytes([content_high, content_low]) {
        0 => 65536,
        content => usize::from(content),
    };
    let Some(pointers) = page.get(header..header + 2 * cells) else {
        return false;
    };
    let is_cell = |pointer: &[u8; 2]| {
        let offset = usize::from(u16::from_be_bytes(*pointer));
        (content..page.len()).contains(&offset)
    };
    cells > 0 && content >= header + 2 * cells && pointers.as_chunks().0.iter().all(is_cell)
}

/// Returns the pages that a page of a table points to.
pub(super) fn table_children<'a>(
    pages: &Pages<'a>,
    number: u32,
) -> impl Iterator<Item = u32> + use<'a> {
    Page::parse(pages, number)
        .filter(|page| page.kind == INTERIOR && is_tree_page(page.bytes))
        .into_iter()
        .flat_map(Page::children)
}

/// Returns at most `limit` rows of the first leaf below a page.
pub(super) fn first_rows<'p, 'a>(
    pages: &'p Pages<'a>,
    root: u32,
    limit: usize,
) -> impl Iterator<Item = Row<'a>> + use<'p, 'a> {
    let mut page = Page::parse(pages, root);
    for _ in 0..DEEPEST {
        match page {
            Some(interior) if interior.kind == INTERIOR => {
                let first = interior.children().next();
                page = first.and_then(|number| Page::parse(pages, number));
            }
            _ => break,
        }
    }
    let leaf = page.filter(|page| page.kind == LEAF);
    let rows = leaf.map_or(0, |page| page.cells.min(limit));
    (0..rows).filter_map(move |n| leaf?.row(pages, n))
}

/// A page of a table.
#[derive(Clone, Copy)]
pub(super) struct Page<'a> {
    pub(super) number: u32,
    pub(super) bytes: &'a [u8],
    pub(super) kind: u8,
    pub(super) cells: usize,
    /// The places of the offsets of the cells.
    pointers: &'a [u8],
    /// The page after all cells; interior pages only.
    last: u32,
}

impl<'a> Page<'a> {
    pub(super) fn parse(pages: &Pages<'a>, number: u32) -> Option<Page<'a>> {
        let bytes = pages.page(number)?;
        let start = if number == 1 { FILE_HEADER } else { 0 };
        let header = bytes.get(start..)?;
        let kind = *header.first()?;
        let cells = usize::from(u16::from_be_bytes(header.get(3..5)?.try_into().ok()?));
        // A cell takes at least four bytes, and its place two. Otherwise many cells at one place could
        // claim any number of pages or rows.
        if cells * 6 > bytes.len() {
            return None;
        }
        let (length, last) = match kind {
            INTERIOR | INDEX_INTERIOR => {
                (12, u32::from_be_bytes(header.get(8..12)?.try_into().ok()?))
            }
            _ => (8, 0),
        };
        Some(Page {
            number,
            bytes: bytes.get(..pages.usable())?,
            kind,
            cells,
            pointers: header.get(length..length + 2 * cells)?,
            last,
        })
    }

    /// Returns whether cells are far enough apart for one that is continued on another page, or are
    /// not in SQLite's order: each new cell before the others.
    ///
    /// Opening a large table looks at every page. The places of the cells are next to each other, so
    /// that this reads much less memory than the cells.
    pub(super) fn is_irregular(&self, usable: usize) -> bool {
        let mut before = usable;
        self.pointers.chunks_exact(2).any(|place| {
            let offset = usize::from(u16::from_be_bytes(*place.first_chunk().unwrap_or(&[0; 2])));
            let size = before.checked_sub(offset);
            before = offset;
            // A cell of this size may be one that is continued elsewhere.
            size.is_none_or(|size| size > least_local(usable))
        })
    }

    /// Returns whether row `n` of a regular page, all of it on the page, ends before the cells after
    /// it in the page. Otherwise a small page could claim many long rows.
    pub(super) fn ends_before_others(&self, n: usize, row: Row<'_>) -> bool {
        let next = n.checked_sub(1).and_then(|before| self.cell_range(before));
        let end = next.map_or(self.bytes.len(), |range| range.start);
        let start = self.cell_range(n).map_or(0, |range| range.start);
        // Its two numbers take at least a byte each.
        row.length.saturating_add(start + 2) <= end
    }

    /// Returns whether no other cell begins within row `n`.
    pub(super) fn is_apart(&self, n: usize, row: Row<'_>) -> bool {
        let start = self.cell_range(n).map_or(0, |range| range.start);
        // Its two numbers take at least a byte each.
        let own = start..start + 2 + row.local.len();
        let places = self.pointers.as_chunks::<2>().0.iter();
        let places = places.map(|place| usize::from(u16::from_be_bytes(*place)));
        places.filter(|place| own.contains(place)).count() == 1
    }

    /// Returns whether the page belongs to an index.
    pub(super) fn is_of_index(&self) -> bool {
        matches!(self.kind, INDEX_INTERIOR | INDEX_LEAF)
    }

    /// Returns the first further page of each long row or entry, and the number of further pages.
    pub(super) fn continuations(&self, pages: &Pages<'a>) -> impl Iterator<Item = (u32, usize)> {
        let usable = pages.usable();
        // SQLite has a limit for each kind of page for the bytes of a payload that stay on it.
        let (before, has_number, limit) = match self.kind {
            LEAF => (0, true, usable - 35),
            INDEX_LEAF => (0, false, most_of_index(usable)),
            // Interior pages of tables have no content.
            INDEX_INTERIOR => (4, false, most_of_index(usable)),
            _ => (usize::MAX, false, 0),
        };
        (0..self.cells).filter_map(move |n| {
            let (_, cell) = self.cell(n)?;
            let (length, mut rest) = varint(cell.get(before..)?)?;
            if has_number {
                rest = varint(rest)?.1;
            }
            let length = usize::try_from(length).ok()?;
            let local = local_part(length, limit, usable);
            let further = (length - local).div_ceil(usable - 4);
            let first = rest.get(local..)?.first_chunk();
            Some((u32::from_be_bytes(*first?), further)).filter(|_| further > 0)
        })
    }

    fn cell_range(&self, n: usize) -> Option<Range<usize>> {
        let place = self.pointers.get(2 * n..2 * n + 2)?.try_into().ok()?;
        let offset = usize::from(u16::from_be_bytes(place));
        Some(offset..self.bytes.len())
    }

    fn cell(&self, n: usize) -> Option<(usize, &'a [u8])> {
        let range = self.cell_range(n)?;
        Some((range.start, self.bytes.get(range)?))
    }

    /// Returns the pages below an interior page.
    pub(super) fn children(self) -> impl Iterator<Item = u32> {
        (0..=self.cells).map(move |n| self.child(n))
    }

    /// Returns page `n` of those below an interior page, the last for every `n` after the cells.
    pub(super) fn child(&self, n: usize) -> u32 {
        if n >= self.cells {
            return self.last;
        }
        let cell = self.cell(n).and_then(|(_, cell)| cell.first_chunk());
        // Page 0 does not exist, so that it is reported as a fault.
        cell.map_or(0, |number| u32::from_be_bytes(*number))
    }

    /// Returns the place of the first cell whose row number is `number` or higher; the number of
    /// cells if there is none.
    pub(super) fn first_from(&self, pages: &Pages<'a>, number: i64) -> Option<usize> {
        let (mut low, mut high) = (0, self.cells);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.number_of(pages, middle)? < number {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Some(low)
    }

    pub(super) fn number_of(&self, pages: &Pages<'a>, n: usize) -> Option<i64> {
        match self.kind {
            INTERIOR => {
                let (_, cell) = self.cell(n)?;
                let (number, _) = varint(cell.get(4..)?)?;
                Some(number as i64)
            }
            _ => self.row(pages, n).map(|row| row.number),
        }
    }

    /// Returns whether most rows have other numbers than these, as on a page that was overwritten
    /// with another. A damaged row may have any number.
    pub(super) fn is_elsewhere(&self, pages: &Pages<'a>, numbers: &RangeInclusive<i64>) -> bool {
        let is_outside = |number: i64| !numbers.contains(&number);
        let ends = self.row_numbers(pages);
        let may_be = ends.is_some_and(|(first, last)| is_outside(first) || is_outside(last));
        let own = (0..self.cells).filter_map(|n| self.number_of(pages, n));
        may_be && 2 * own.filter(|number| is_outside(*number)).count() > self.cells
    }

    /// Returns the lowest and the highest row number.
    pub(super) fn row_numbers(&self, pages: &Pages<'a>) -> Option<(i64, i64)> {
        let number = |n| Some(self.row(pages, n)?.number);
        let (first, last) = (number(0)?, number(self.cells.checked_sub(1)?)?);
        (first <= last).then_some((first, last))
    }

    pub(super) fn row(&self, pages: &Pages<'a>, n: usize) -> Option<Row<'a>> {
        let (start, cell) = self.cell(n)?;
        let (length, rest) = varint(cell)?;
        let (number, rest) = varint(rest)?;
        let length = usize::try_from(length).ok()?;
        let usable = pages.usable();
        let local = local_part(length, usable - 35, usable);
        let (local, after) = rest.split_at_checked(local)?;
        let overflow =
            if local.len() < length { u32::from_be_bytes(*after.first_chunk()?) } else { 0 };
        Some(Row {
            number: number as i64,
            offset: pages.offset(self.number) + start as u64,
            length,
            local,
            overflow,
        })
    }
}

/// Returns the most bytes of an entry of an index on its own page.
fn most_of_index(usable: usize) -> usize {
    (usable - 12) * 64 / 255 - 23
}

/// Returns how many bytes of a payload are on the page of its row, which are `limit` bytes at most.
fn local_part(length: usize, limit: usize, usable: usize) -> usize {
    if length <= limit {
        return length;
    }
    let least = least_local(usable);
    // The rest stays here if the last continuation is then full.
    let fitting = least + (length - least) % (usable - 4);
    if fitting <= limit { fitting } else { least }
}

/// Returns the least number of bytes on the page of its row that a payload on several pages has.
fn least_local(usable: usize) -> usize {
    (usable - 12) * 32 / 255 - 23
}
