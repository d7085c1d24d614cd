//! A table of names that is changed in place: lookups along its tree, reference counts, and new
//! records at its end (docs/formats/cbh.md, section 9).
//!
//! Only the records on the way to a name are read, so the effort does not depend on the number of
//! names.

mod tree;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use chessdb_core::files::{Growing, Role};
use chessdb_core::{Error, ErrorKind, Result};

use crate::raw::{Annotator, GameTag, Node, Player, Source, TableHeader, Team, Tournament, cut};
use crate::roles::{CBC_FILE, CBE_FILE, CBL_FILE, CBP_FILE, CBS_FILE, CBT_FILE};
use crate::table_writers::{
    Compare, MAX_NAMES, by_players, by_tags, by_teams, by_tournaments, signed,
};

/// The bytes of the two reference fields at the end of a record.
const REFERENCES: usize = 8;

/// The number of bytes of a file that are read together.
const PAGE: usize = 4096;

/// The description of a table.
#[derive(Debug)]
pub(crate) struct TableKind {
    pub(crate) file: Role,
    /// The size of a record's data in bytes.
    pub(crate) size: usize,
    /// Offset and length of the fixed strings.
    strings: &'static [(usize, usize)],
    /// The sort order of the tree. Records that it does not distinguish may have any order. Sources
    /// with one title have the order of their other fields, as in new tables.
    pub(crate) compare: Compare,
}

/// The tables of a database: players, tournaments, annotators, sources, teams, game tags.
pub(crate) static TABLE_KINDS: [TableKind; 6] = [
    TableKind {
        file: CBP_FILE,
        size: Player::SIZE,
        strings: &[(0, 30), (30, 20)],
        compare: by_players,
    },
    TableKind {
        file: CBT_FILE,
        size: Tournament::SIZE,
        strings: &[(0, 40), (40, 30)],
        compare: by_tournaments,
    },
    TableKind {
        file: CBC_FILE,
        size: Annotator::SIZE,
        strings: &[(0, 45)],
        compare: signed,
    },
    TableKind {
        file: CBS_FILE,
        size: Source::SIZE,
        strings: &[(0, 25), (25, 16)],
        compare: signed,
    },
    TableKind {
        file: CBE_FILE,
        size: Team::SIZE,
        strings: &[(0, 45)],
        compare: by_teams,
    },
    TableKind {
        file: CBL_FILE,
        size: GameTag::SIZE,
        strings: &[
            (0, 200),
            (200, 200),
            (400, 200),
            (600, 200),
            (800, 200),
            (1000, 200),
            (1200, 200),
            (1400, 200),
        ],
        compare: by_tags,
    },
];

impl TableKind {
    /// The size of a record with its node in bytes.
    pub(crate) fn stride(&self) -> usize {
        Node::SIZE + self.size
    }

    /// Returns the data of a record without the references, and without the leftovers after its
    /// strings.
    fn normalized(&self, record: &[u8]) -> Vec<u8> {
        let data = record.get(Node::SIZE..self.stride() - REFERENCES);
        let mut data = data.unwrap_or_default().to_vec();
        for &(offset, length) in self.strings {
            if let Some(field) = data.get_mut(offset..offset + length) {
                let text = cut(field).len();
                field.iter_mut().skip(text).for_each(|byte| *byte = 0);
            }
        }
        data
    }

    /// Returns the data with each string replaced by what `other` returns for it. `None` if no
    /// string is replaced or a new one does not fit.
    pub(crate) fn with_strings(
        &self,
        data: &[u8],
        other: impl Fn(&[u8]) -> Option<Vec<u8>>,
    ) -> Option<Vec<u8>> {
        let mut changed = data.to_vec();
        let mut is_changed = false;
        for &(offset, length) in self.strings {
            let field = changed.get_mut(offset..offset + length)?;
            if let Some(text) = other(cut(field)) {
                field.fill(0);
                // The last byte stays zero.
                let place = field.get_mut(..text.len()).filter(|_| text.len() < length);
                place?.copy_from_slice(&text);
                is_changed = true;
            }
        }
        is_changed.then_some(changed)
    }
}

/// The reason why a step along a tree failed.
#[derive(Debug)]
enum Fault {
    /// The nodes are no tree.
    Tree,
    /// A file cannot be read.
    Read(Error),
}

impl From<Error> for Fault {
    fn from(error: Error) -> Fault {
        Fault::Read(error)
    }
}

type Step<T> = std::result::Result<T, Fault>;

/// A table of an existing database.
#[derive(Debug)]
pub(crate) struct TableChanges {
    pub(crate) kind: &'static TableKind,
    header: TableHeader,
    /// The header in the file; `None` if the database does not have the file.
    stored: Option<TableHeader>,
    /// The offset of the first record.
    start: u64,
    /// Parts of the file that were read, by number.
    pages: HashMap<u32, Vec<u8>>,
    /// The changed and new records with their nodes, by number.
    changed: BTreeMap<u32, Vec<u8>>,
    /// The numbers of names that were looked up.
    numbers: HashMap<Vec<u8>, u32>,
    /// The records that lost the reference of the game that they state as their first.
    pub(crate) without_first: BTreeSet<u32>,
}

impl TableChanges {
    /// Opens a table. A missing file is an empty table. `None` if the file does not consist of
    /// records of this kind.
    pub(crate) fn open(
        kind: &'static TableKind,
        base: &dyn Growing,
    ) -> Result<Option<TableChanges>> {
        let mut table = TableChanges {
            kind,
            header: TableHeader {
                records: 0,
                root: 0,
                magic: TableHeader::MAGIC,
                data_size: kind.size as u32,
                first_deleted: u32::MAX,
                live: 0,
                extra: 4,
            },
            stored: None,
            start: 0,
            pages: HashMap::new(),
            changed: BTreeMap::new(),
            numbers: HashMap::new(),
            without_first: BTreeSet::new(),
        };
        let Some(length) = base.length(kind.file) else {
            return Ok(Some(table));
        };
        let mut bytes = [0; TableHeader::SIZE];
        if length < bytes.len() as u64 {
            return Ok(None);
        }
        base.read_old(kind.file, 0, &mut bytes)?;
        let header = TableHeader::parse(&bytes);
        table.start = TableHeader::SIZE as u64 + u64::from(header.extra);
        let expected = table.start + u64::from(header.records) * kind.stride() as u64;
        let is_sound = header.magic == TableHeader::MAGIC
            && header.data_size == table.header.data_size
            && expected == length;
        (table.header, table.stored) = (header, Some(header));
        Ok(is_sound.then_some(table))
    }

    /// Returns the number of records.
    pub(crate) fn len(&self) -> u32 {
        self.header.records
    }

    fn stored_count(&self) -> u32 {
        self.stored.map_or(0, |header| header.records)
    }

    /// Returns a record with its node; `None` if the table does not have this number.
    fn record(&mut self, base: &dyn Growing, number: u32) -> Result<Option<&[u8]>> {
        if self.changed.contains_key(&number) || number >= self.stored_count() {
            return Ok(self.changed.get(&number).map(Vec::as_slice));
        }
        let stride = self.kind.stride();
        let per_page = (PAGE / stride).max(1) as u32;
        let page = number / per_page;
        let first = page * per_page;
        if !self.pages.contains_key(&page) {
            let count = per_page.min(self.stored_count() - first) as usize;
            let mut bytes = vec![0; count * stride];
            let offset = self.start + u64::from(first) * stride as u64;
            base.read_old(self.kind.file, offset, &mut bytes)?;
            self.pages.insert(page, bytes);
        }
        let start = (number - first) as usize * stride;
        let bytes = self.pages.get(&page);
        Ok(bytes.and_then(|bytes| bytes.get(start..start + stride)))
    }

    /// Returns the data of a name without its references; empty if the table does not have it.
    pub(crate) fn name(&mut self, base: &dyn Growing, number: u32) -> Result<Vec<u8>> {
        let kind = self.kind;
        let record = self.record(base, number)?;
        Ok(record.map_or(Vec::new(), |record| kind.normalized(record)))
    }

    fn record_mut(&mut self, base: &dyn Growing, number: u32) -> Result<Option<&mut Vec<u8>>> {
        if !self.changed.contains_key(&number)
            && let Some(record) = self.record(base, number)?.map(<[u8]>::to_vec)
        {
            self.changed.insert(number, record);
        }
        Ok(self.changed.get_mut(&number))
    }

    /// Returns the number of the name with this data, if `is_same` agrees.
    pub(crate) fn find(
        &mut self,
        base: &dyn Growing,
        name: &[u8],
        is_same: &mut dyn FnMut(u32) -> Result<bool>,
    ) -> Result<Option<u32>> {
        if let Some(number) = self.numbers.get(name) {
            return Ok(Some(*number));
        }
        let data = name.get(..self.kind.size - REFERENCES).unwrap_or(name);
        let number = match self.search(base, data, is_same) {
            Err(Fault::Tree) => {
                self.rebuild(base)?;
                self.search(base, data, is_same)
            }
            result => result,
        };
        let number = number.map_err(error_of)?;
        if let Some(number) = number {
            self.numbers.insert(name.to_vec(), number);
        }
        Ok(number)
    }

    /// Adds a name and returns its number. `None` if the table is full.
    pub(crate) fn add(&mut self, base: &dyn Growing, name: &[u8]) -> Result<Option<u32>> {
        let number = self.header.records;
        // A new name needs a place in the tree of the others.
        if number >= MAX_NAMES {
            return Ok(None);
        }
        let mut record = tree::LEAF.to_bytes().to_vec();
        record.extend(name.iter().take(self.kind.size - REFERENCES));
        record.resize(self.kind.stride(), 0);
        self.changed.insert(number, record);
        self.header.records += 1;
        self.header.live = self.header.live.saturating_add(1);
        self.numbers.insert(name.to_vec(), number);
        match self.insert(base, number) {
            Err(Fault::Tree) => self.rebuild(base)?,
            result => result.map_err(error_of)?,
        }
        Ok(Some(number))
    }

    /// Counts a reference of a game to a name. A number without a record is ignored.
    pub(crate) fn refer(&mut self, base: &dyn Growing, number: u32, game: u32) -> Result<()> {
        let record = self.record_mut(base, number)?;
        if let Some(references) = record.and_then(|record| References::of(record)) {
            let count = references.count();
            let first = if count == 0 { game } else { game.min(references.first()) };
            references.set(count.saturating_add(1), first);
        }
        Ok(())
    }

    /// Counts one reference of a game to a name less.
    pub(crate) fn release(&mut self, base: &dyn Growing, number: u32, game: u32) -> Result<()> {
        let record = self.record_mut(base, number)?;
        if let Some(references) = record.and_then(|record| References::of(record)) {
            let (count, first) = (references.count().saturating_sub(1), references.first());
            references.set(count, if count == 0 { 0 } else { first });
            if first == game {
                self.without_first.insert(number);
            }
        }
        Ok(())
    }

    /// Returns the first game that a name states; `None` if it has no references.
    pub(crate) fn first_game(&mut self, base: &dyn Growing, number: u32) -> Result<Option<u32>> {
        let record = self.record_mut(base, number)?;
        let references = record.and_then(|record| References::of(record));
        Ok(references
            .filter(|references| references.count() > 0)
            .map(|references| references.first()))
    }

    /// Sets the first game that refers to a name.
    pub(crate) fn set_first_game(
        &mut self,
        base: &dyn Growing,
        number: u32,
        game: u32,
    ) -> Result<()> {
        let record = self.record_mut(base, number)?;
        if let Some(references) = record.and_then(|record| References::of(record)) {
            let count = references.count();
            references.set(count, game);
        }
        Ok(())
    }

    /// Writes the changes.
    pub(crate) fn finish(self, base: &mut dyn Growing) -> Result<()> {
        if self.changed.is_empty() {
            return Ok(());
        }
        let file = if self.stored.is_some() {
            base.grow(self.kind.file)?
        } else {
            let file = base.create(self.kind.file)?;
            base.write(file, &self.header.to_bytes())?;
            base.write(file, &vec![0; self.header.extra as usize])?;
            file
        };
        let stride = self.kind.stride() as u64;
        let old_count = self.stored_count();
        for (number, record) in self.changed.range(..old_count) {
            base.patch(file, self.start + u64::from(*number) * stride, record)?;
        }
        // New records have consecutive numbers.
        let new = self.changed.range(old_count..);
        let new: Vec<u8> = new.flat_map(|(_, record)| record).copied().collect();
        base.write(file, &new)?;
        if self.stored.is_some_and(|stored| stored != self.header) {
            base.patch(file, 0, &self.header.to_bytes())?;
        }
        Ok(())
    }
}

/// The two reference fields of a record.
struct References<'r>(&'r mut [u8; REFERENCES]);

impl References<'_> {
    fn of(record: &mut [u8]) -> Option<References<'_>> {
        record.last_chunk_mut().map(References)
    }

    /// Returns the number of references.
    fn count(&self) -> u32 {
        crate::raw::bytes::le32(self.0, 0)
    }

    /// Returns the first game that refers to the name.
    fn first(&self) -> u32 {
        crate::raw::bytes::le32(self.0, 4)
    }

    fn set(self, count: u32, first: u32) {
        let fields = (u64::from(first) << 32 | u64::from(count)).to_le_bytes();
        *self.0 = fields;
    }
}

fn error_of(fault: Fault) -> Error {
    match fault {
        Fault::Read(error) => error,
        Fault::Tree => ErrorKind::Structure("a tree of names that was just built").into(),
    }
}

#[cfg(test)]
pub(crate) mod tests;
