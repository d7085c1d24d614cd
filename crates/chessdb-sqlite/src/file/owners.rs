//! The owners of the pages of a file: trees, the free list, and SQLite itself. A page without an
//! owner may hold rows that a damaged or overwritten page no longer leads to.

use super::leaves::PageSet;
use super::page::{Page, is_interior};
use super::pages::Pages;
use super::schema::Schema;

/// The place of the page that SQLite only locks, and that has no content.
const LOCKED: u64 = 0x4000_0000;

/// The contradictions between the owners of the pages of a file.
#[derive(Default, Debug)]
pub(crate) struct Owners {
    /// The pages of no tree that are not free, in ascending order.
    pub(crate) unowned: Vec<u32>,
    /// The first page found to have two owners.
    pub(crate) shared: Option<u32>,
    /// Whether the list of free pages is cut or contains other pages.
    pub(crate) is_free_list_damaged: bool,
}

impl Owners {
    /// Finds the owner of every page. Pages with rows are read only if long rows continue on
    /// further pages, so that this costs little in large files.
    pub(crate) fn find(pages: &Pages<'_>, schema: &Schema) -> Owners {
        let mut search = Search {
            pages,
            owned: PageSet::new(pages.len()),
            shared: None,
        };
        let mut owners = Owners {
            is_free_list_damaged: !search.free_list(),
            ..Owners::default()
        };
        let roots = || std::iter::once(1).chain(schema.roots.iter().copied());
        for root in roots() {
            search.own(root);
            search.tree(root);
        }
        search.own_by_sqlite();
        // Most files have no long rows.
        for is_index in [false, true] {
            if search.unowned().next().is_none() {
                break;
            }
            let kinds = |root: &u32| {
                Page::parse(pages, *root).is_some_and(|page| page.is_of_index() == is_index)
            };
            for root in roots().filter(kinds) {
                search.long_rows(root);
            }
        }
        owners.unowned = search.unowned().collect();
        owners.shared = search.shared;
        owners
    }
}

struct Search<'p, 'a> {
    pages: &'p Pages<'a>,
    owned: PageSet,
    shared: Option<u32>,
}

impl Search<'_, '_> {
    /// Gives a page an owner. Returns whether it had none.
    fn own(&mut self, page: u32) -> bool {
        let is_new = self.owned.insert(page);
        if !is_new && (1..=self.pages.len()).contains(&page) {
            self.shared.get_or_insert(page);
        }
        is_new
    }

    /// Returns the last page of the database; a file may be longer.
    fn end(&self) -> u32 {
        match self.pages.promised() {
            0 => self.pages.len(),
            promised => promised.min(self.pages.len()),
        }
    }

    fn unowned(&self) -> impl Iterator<Item = u32> {
        (1..=self.end()).filter(|&page| !self.owned.contains(page))
    }

    /// Owns the free pages. Returns whether their list is whole.
    fn free_list(&mut self) -> bool {
        let header = self.pages.page(1).unwrap_or_default();
        let (mut trunk, stated) = (word(header, 32), word(header, 36));
        let mut count = 0_u32;
        while trunk != 0 {
            let Some(page) = self.pages.page(trunk).filter(|_| self.own(trunk)) else {
                return false;
            };
            count += 1;
            let entries = page.get(8..).unwrap_or_default().as_chunks::<4>().0;
            let Some(leaves) = entries.get(..word(page, 4) as usize) else {
                return false;
            };
            for leaf in leaves {
                if !self.own(u32::from_be_bytes(*leaf)) {
                    return false;
                }
                count += 1;
            }
            trunk = word(page, 0);
        }
        count == stated
    }

    /// Owns the pages that SQLite keeps for itself: the one for locks, and in files that shrink by
    /// themselves the pages with the parents of the pages after them.
    fn own_by_sqlite(&mut self) {
        let locked = u32::try_from(LOCKED / self.pages.size() as u64 + 1).unwrap_or(u32::MAX);
        self.owned.insert(locked);
        let header = self.pages.page(1).unwrap_or_default();
        if word(header, 52) == 0 {
            return;
        }
        // Each of these pages has five bytes for every page that it describes, which follow it.
        let step = self.pages.usable() / 5 + 1;
        for page in (2..=self.pages.len()).step_by(step) {
            // SQLite puts the page after the locked one instead.
            let page = if page == locked { page + 1 } else { page };
            self.owned.insert(page);
        }
    }

    /// Owns the pages below a root.
    fn tree(&mut self, root: u32) {
        let mut todo = vec![root];
        while let Some(number) = todo.pop() {
            let Some(page) = Page::parse(self.pages, number).filter(|page| is_interior(page.kind))
            else {
                continue;
            };
            // All pages of a level have the same kind. One of them may be damaged.
            let ends = [page.child(0), page.child(page.cells)];
            let is_inner = ends.iter().any(|&child| {
                Page::parse(self.pages, child).is_some_and(|child| is_interior(child.kind))
            });
            for child in page.children() {
                if self.own(child) && is_inner {
                    todo.push(child);
                }
            }
        }
    }

    /// Owns the pages on which long rows of a tree continue.
    fn long_rows(&mut self, root: u32) {
        let mut todo = vec![root];
        let mut seen = PageSet::new(self.pages.len());
        while let Some(number) = todo.pop() {
            let page = Page::parse(self.pages, number).filter(|_| seen.insert(number));
            let Some(page) = page else { continue };
            if is_interior(page.kind) {
                todo.extend(page.children());
            }
            if !page.is_irregular(self.pages.usable()) {
                continue;
            }
            for (mut next, count) in page.continuations(self.pages) {
                for _ in 0..count {
                    let Some(page) = self.pages.page(next).filter(|_| self.own(next)) else {
                        break;
                    };
                    next = word(page, 0);
                }
            }
        }
    }
}

fn word(bytes: &[u8], offset: usize) -> u32 {
    bytes
        .get(offset..)
        .and_then(|bytes| bytes.first_chunk())
        .map_or(0, |word| u32::from_be_bytes(*word))
}
