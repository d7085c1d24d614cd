//! The map of a SQLite file.

use chessdb::Format;
use chessdb::core::{FileSet, MemorySet};
use chessdb_testkit::identity::Ranges;
use rusqlite::Connection;

use super::map::Map;

/// The tables with a row for each game, in the order of the games.
const GAMES: [&str; 3] = ["Games", "Game", "MoreGame"];

/// Returns the map. A game needs the pages with its rows.
pub(super) fn of(format: &Format, set: &MemorySet) -> Map {
    let role = format.required[0];
    let file = set.get(role).unwrap();
    let mut connection = Connection::open_in_memory().unwrap();
    connection
        .deserialize_read_exact("main", file, file.len(), true)
        .unwrap();
    let size = usize::from(u16::from_be_bytes([file[16], file[17]]));
    let range = |page: usize| (role, (page - 1) * size..page * size);
    let (mut own, mut names): (Vec<Ranges>, _) = (Vec::new(), Ranges::new());
    let mut frame = vec![range(1)];
    let mut tables = connection
        .prepare("SELECT name, rootpage FROM sqlite_master WHERE type = 'table'")
        .unwrap();
    let tables = tables.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
    for table in tables.unwrap() {
        let (name, root): (String, u32) = table.unwrap();
        let mut tree = Tree {
            file,
            size,
            inner: Vec::new(),
            rows: Vec::new(),
        };
        tree.walk(root as usize);
        if GAMES.contains(&&*name) {
            frame.extend(tree.inner.into_iter().map(range));
            own.resize(own.len().max(tree.rows.len()), Ranges::new());
            for (own, pages) in own.iter_mut().zip(tree.rows) {
                own.extend(pages.into_iter().map(range));
            }
        } else {
            let pages = tree.inner.into_iter().chain(tree.rows.concat());
            names.extend(pages.map(range));
        }
    }
    Map {
        own,
        names,
        frame,
        // Page size, versions, reserved bytes.
        header: vec![(role, 16..24)],
        index: None,
    }
}

/// The pages of a table.
struct Tree<'f> {
    file: &'f [u8],
    size: usize,
    /// The pages that point to others.
    inner: Vec<usize>,
    /// The pages of each row.
    rows: Vec<Vec<usize>>,
}

impl Tree<'_> {
    fn number(&self, page: usize, at: usize, length: usize) -> usize {
        let bytes = &self.file[(page - 1) * self.size + at..][..length];
        bytes
            .iter()
            .fold(0, |sum, &byte| sum << 8 | usize::from(byte))
    }

    /// Returns a number of seven bits a byte, and the place after it.
    fn varint(&self, page: usize, mut at: usize) -> (usize, usize) {
        let mut sum = 0;
        loop {
            let byte = self.number(page, at, 1);
            (sum, at) = (sum << 7 | byte & 127, at + 1);
            if byte < 128 {
                return (sum, at);
            }
        }
    }

    fn walk(&mut self, page: usize) {
        let cells = self.number(page, 3, 2);
        if self.number(page, 0, 1) == 5 {
            self.inner.push(page);
            for n in 0..cells {
                let cell = self.number(page, 12 + 2 * n, 2);
                self.walk(self.number(page, cell, 4));
            }
            self.walk(self.number(page, 8, 4));
            return;
        }
        for n in 0..cells {
            let cell = self.number(page, 8 + 2 * n, 2);
            let (length, at) = self.varint(page, cell);
            let (_, at) = self.varint(page, at);
            let mut pages = vec![page];
            let least = (self.size - 12) * 32 / 255 - 23;
            let most = self.size - 35;
            if length > most {
                let local = least + (length - least) % (self.size - 4);
                let local = if local > most { least } else { local };
                let mut next = self.number(page, at + local, 4);
                while next > 0 {
                    pages.push(next);
                    next = self.number(next, 0, 4);
                }
            }
            self.rows.push(pages);
        }
    }
}
