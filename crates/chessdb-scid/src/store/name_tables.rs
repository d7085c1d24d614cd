//! The names of an open database. A database that is known to be intact is opened without reading
//! them, because a change of one game needs five of 150,000 names. They are read once more games
//! need them.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

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
use crate::raw::each_name;

/// The number of games whose names are searched in the file. Each search takes about a fifth of the
/// time for reading all names.
const SEARCHES: u32 = 4;

/// Whether names can be read later. Programs for the web never know that a database is intact, and
/// without this they are smaller.
pub(super) const CAN_DEFER: bool = !cfg!(target_family = "wasm");

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
    /// The result of the last search: a change reads its game more than once.
    last: Mutex<Option<GameNames>>,
}

/// The names of a game and their numbers, in the order of [`NAME_LISTS`].
#[derive(Debug)]
struct GameNames {
    ids: [u32; 5],
    names: [Vec<u8>; 5],
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
            last: Mutex::default(),
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
            last: Mutex::default(),
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
                Some(unread) if CAN_DEFER => (unread.bytes, &unread.base),
                _ => return ReadNames::default(),
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
        if CAN_DEFER && self.fill_with_few_names(entry, game, report)? {
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
        if self.names.read.get().is_some() {
            return Ok(false);
        }
        let mut stored = *entry;
        let ids = stored.names_mut().map(|id| *id);
        let mut last = self
            .names
            .last
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if last.as_ref().is_none_or(|last| last.ids != ids) {
            if self.names.searches.fetch_add(1, Ordering::Relaxed) >= SEARCHES {
                return Ok(false);
            }
            let names = self.search_names(unread.bytes, ids);
            *last = names.map(|names| GameNames { ids, names });
        }
        let Some(GameNames { names, .. }) = &*last else {
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
        let mut search = NameSearch::new(ids);
        let is_log = self.spec.generation == Generation::Si5;
        let names = each_name(bytes, is_log, |list, id, name| {
            if search.wants(list, id) && search.take(list, id, name) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        names.ok()?;
        search.finish()
    }
}

/// A search for the names of a game.
struct NameSearch {
    /// The numbers in each list. All but the players are there twice.
    wanted: [[u32; 2]; 4],
    names: [[Option<Vec<u8>>; 2]; 4],
    missing: u32,
}

impl NameSearch {
    fn new([event, site, round, white, black]: [u32; 5]) -> NameSearch {
        NameSearch {
            wanted: [[white, black], [event; 2], [site; 2], [round; 2]],
            names: Default::default(),
            missing: 8,
        }
    }

    /// Returns whether this may be a name of the game. Nearly all are not.
    #[inline]
    fn wants(&self, list: usize, id: u32) -> bool {
        let wanted = self.wanted.get(list);
        wanted.is_some_and(|[one, other]| *one == id || *other == id)
    }

    /// Takes a name. Returns whether no more are missing.
    fn take(&mut self, list: usize, id: u32, name: &[u8]) -> bool {
        if let (Some(wanted), Some(names)) = (self.wanted.get(list), self.names.get_mut(list)) {
            for (slot, wanted) in names.iter_mut().zip(wanted) {
                // The first of several names with a number counts.
                if *wanted == id && slot.is_none() {
                    *slot = Some(name.to_vec());
                    self.missing -= 1;
                }
            }
        }
        self.missing == 0
    }

    /// Returns the names in the order of [`NAME_LISTS`].
    fn finish(self) -> Option<[Vec<u8>; 5]> {
        let [[white, black], [event, _], [site, _], [round, _]] = self.names;
        Some([event?, site?, round?, white?, black?])
    }
}
