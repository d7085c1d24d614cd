//! The names of an open database. A database that is known to be intact is opened without reading
//! them, because a change of one game needs five of 150,000 names. They are read once more games
//! need them.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use chessdb_core::model::Named;
use chessdb_core::report::GameReport;
use chessdb_core::store::Opened;
use chessdb_core::text::Texts;
use chessdb_core::{BaseInfo, Diagnostic, Game, Result};

use super::Store;
use super::open::{Opening, name_charset};
use crate::entry::{GameEntry, NAME_LISTS};
use crate::generation::Generation;
use crate::header::{NameLookup, read_entry};
use crate::raw::{NameRecords, si5};

/// The number of games whose names are searched in the file. Each search takes about a fifth of the
/// time for reading all names.
const SEARCHES: u32 = 4;

/// The names, and the data that belong to no single game.
#[derive(Default, Debug)]
pub(crate) struct ReadNames {
    pub(crate) lookup: NameLookup,
    pub(crate) opened: Opened,
}

/// The names, read or not.
#[derive(Debug)]
pub(crate) struct NameTables<'a> {
    read: OnceLock<ReadNames>,
    unread: Option<UnreadNames<'a>>,
    searches: AtomicU32,
}

/// The bytes of the names, and the data that belong to no single game without them.
#[derive(Debug)]
struct UnreadNames<'a> {
    bytes: &'a [u8],
    base: BaseInfo,
}

impl From<ReadNames> for NameTables<'_> {
    fn from(names: ReadNames) -> Self {
        NameTables {
            read: OnceLock::from(names),
            unread: None,
            searches: AtomicU32::new(0),
        }
    }
}

impl<'a> NameTables<'a> {
    /// Creates the names of an intact database, which are read when they are needed.
    pub(crate) fn unread(bytes: &'a [u8], base: BaseInfo) -> NameTables<'a> {
        NameTables {
            read: OnceLock::new(),
            unread: Some(UnreadNames { bytes, base }),
            searches: AtomicU32::new(0),
        }
    }

    /// Returns the names for changing them. `None` if they have not been read.
    pub(crate) fn get_mut(&mut self) -> Option<&mut ReadNames> {
        self.read.get_mut()
    }

    /// Returns the faults found on opening. A database whose names are unread has none.
    pub(crate) fn diagnostics(&self) -> &[Diagnostic] {
        let names = self.read.get();
        names.map_or(&[], |names| &names.opened.diagnostics)
    }
}

impl Store<'_> {
    /// Returns the names and the data that belong to no single game, reading them if necessary.
    pub(crate) fn read_names(&self) -> &ReadNames {
        self.names.read.get_or_init(|| {
            let (bytes, base) = match &self.names.unread {
                Some(unread) => (unread.bytes, &unread.base),
                None => return ReadNames::default(),
            };
            Opening::reading_names(self.spec, &self.options, base, bytes)
        })
    }

    /// Fills the header from the index entry.
    pub(super) fn fill_header(
        &self,
        entry: &GameEntry,
        game: &mut Game,
        report: &mut GameReport<'_>,
    ) -> Result<()> {
        // Programs for the web are downloaded, and never know that a database is intact.
        if !cfg!(target_family = "wasm") && self.fill_with_few_names(entry, game, report)? {
            return Ok(());
        }
        let names = self.read_names();
        let texts = &names.opened.base.texts;
        read_entry(entry, self.spec, &names.lookup, texts, game, report)
    }

    /// Fills the header with names that are searched in the file. Returns false if all names have
    /// been read or should be, because many games need them.
    fn fill_with_few_names(
        &self,
        entry: &GameEntry,
        game: &mut Game,
        report: &mut GameReport<'_>,
    ) -> Result<bool> {
        let Some(unread) = &self.names.unread else {
            return Ok(false);
        };
        if self.names.read.get().is_some()
            || self.names.searches.fetch_add(1, Ordering::Relaxed) >= SEARCHES
        {
            return Ok(false);
        }
        let mut stored = *entry;
        let ids = stored.names_mut().map(|id| *id);
        let Some(names) = self.search_names(unread.bytes, ids) else {
            return Ok(false);
        };
        let mut texts = Texts::default();
        let mut lookup = NameLookup::default();
        // The names get small numbers here, and their own ones afterwards.
        for ((name, list), id) in names.iter().zip(NAME_LISTS).zip(stored.names_mut()) {
            if let Some(by_id) = lookup.by_id.get_mut(list) {
                *id = by_id.len() as u32;
                by_id.push(texts.push(name, name_charset(&self.detector, name)));
            }
        }
        read_entry(&stored, self.spec, &lookup, &texts, game, report)?;
        let header = &mut game.header;
        let named: [&mut Named; 5] = [
            &mut header.event,
            &mut header.site,
            &mut header.round,
            &mut header.white.name,
            &mut header.black.name,
        ];
        for (named, id) in named.into_iter().zip(ids) {
            named.key = Some(id);
        }
        Ok(true)
    }

    /// Returns the names with these numbers, in the order of [`NAME_LISTS`]. `None` if one is missing.
    fn search_names(&self, bytes: &[u8], ids: [u32; 5]) -> Option<[Vec<u8>; 5]> {
        let mut names = [const { None }; 5];
        let mut missing = names.len();
        // Returns whether all names are found.
        let mut see = |list: usize, id: u32, name: &[u8]| {
            for ((slot, wanted_list), wanted) in names.iter_mut().zip(NAME_LISTS).zip(ids) {
                if wanted_list == list && wanted == id && slot.is_none() {
                    *slot = Some(name.to_vec());
                    missing -= 1;
                }
            }
            missing == 0
        };
        match self.spec.generation {
            Generation::Si5 => {
                let mut log = si5::Names::new(bytes);
                let mut counts = [0; 4];
                while let Some(record) = log.read().ok()? {
                    let list = record.kind as usize;
                    // Records about the database are in none of the four lists.
                    if let Some(count) = counts.get_mut(list) {
                        if see(list, *count, record.text) {
                            break;
                        }
                        *count += 1;
                    }
                }
            }
            Generation::Si3 | Generation::Si4 => {
                let (_, records) = NameRecords::new(bytes).ok()?;
                let mut name = Vec::new();
                for record in records {
                    let (list, stored) = record.ok()?;
                    name.truncate(stored.prefix.into());
                    name.extend_from_slice(stored.own);
                    if see(list, stored.id, &name) {
                        break;
                    }
                }
            }
        }
        let [event, site, round, white, black] = names;
        Some([event?, site?, round?, white?, black?])
    }
}
