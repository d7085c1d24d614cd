//! The name tables of a database that is being written.

use std::collections::HashMap;

use chessdb_core::format::Interner;
use chessdb_core::model::{NameRole, NameTable, Named};
use chessdb_core::text::Texts;
use chessdb_core::{BaseInfo, ErrorKind, Game, Losses, Result};

use super::NameTableBuilders;
use crate::raw::{Entry, FileKind, Magic, NameFile};
use crate::text::{fit_name, record_of};

/// The text of a missing name.
const UNKNOWN: &[u8] = b"?";

/// The texts of one table, each once, numbered in the order of their first use.
#[derive(Default)]
pub(crate) struct NameTableBuilder {
    names: Interner,
    /// The number of records taken from the source database, which keep their places; a text may
    /// appear in several of them.
    kept: u32,
    /// The number of each kept record's text, by the key in the source table.
    keys: HashMap<u32, u32>,
}

/// The place of each number in the file.
pub(crate) struct NameOrder {
    /// Indexed by number.
    places: Vec<u32>,
}

impl NameOrder {
    /// Returns the reference to a number.
    pub(crate) fn reference(&self, number: u32) -> Result<u32> {
        let place = self.places.get(number as usize).copied();
        place.and_then(NameFile::reference).ok_or_else(|| {
            ErrorKind::over_limit("names in a table", NameFile::MAX_RECORDS.into()).into()
        })
    }
}

/// Returns a name of a game in the form of a record, and counts what is lost.
pub(crate) fn fit(game: &Game, named: Named, losses: &mut Losses) -> Vec<u8> {
    if named.text.is_some() {
        fit_name(game.text(named.text), losses)
    } else {
        UNKNOWN.to_vec()
    }
}

impl NameTableBuilder {
    /// Creates a table that begins with the records of the source database.
    fn new(table: Option<&NameTable>, texts: &Texts) -> NameTableBuilder {
        let mut new = NameTableBuilder::default();
        for record in table.into_iter().flat_map(|table| &table.records) {
            let name = fit_name(texts.get(record.text), &mut Losses::new());
            new.keys.insert(record.key, new.kept);
            new.names.push(&name);
            new.kept += 1;
        }
        new
    }

    /// Returns the number of a name: by its key if that still refers to the same text, otherwise by
    /// its text.
    fn number(&mut self, name: &[u8], key: Option<u32>) -> Result<u32> {
        let by_key = key.and_then(|key| self.keys.get(&key).copied());
        if let Some(number) = by_key
            && self.names.get(number) == Some(name)
        {
            return Ok(number);
        }
        let limit = NameFile::MAX_RECORDS;
        // A full table still has the names that are already in it.
        if self.names.len() >= limit as usize && self.names.find(name).is_none() {
            return Err(ErrorKind::over_limit("names in a table", limit.into()).into());
        }
        Ok(self.names.number(name))
    }

    /// Returns the final order: kept records in their places, then the others by UTF-16 code units,
    /// as the reference writer sorts them.
    pub(crate) fn order(&self) -> NameOrder {
        let total = self.names.len() as u32;
        let mut added: Vec<u32> = (self.kept..total).collect();
        added.sort_by_cached_key(|&number| {
            let name = self.names.get(number).unwrap_or_default();
            String::from_utf8_lossy(name)
                .encode_utf16()
                .collect::<Vec<u16>>()
        });
        let mut places: Vec<u32> = (0..total).collect();
        for (place, number) in (self.kept..).zip(added) {
            if let Some(slot) = places.get_mut(number as usize) {
                *slot = place;
            }
        }
        NameOrder { places }
    }

    /// Returns the bytes of the file.
    pub(crate) fn to_bytes(&self, kind: FileKind, order: &NameOrder) -> Vec<u8> {
        let mut records = vec![[b' '; NameFile::RECORD]; self.names.len()];
        for (name, &place) in self.names.names().zip(&order.places) {
            if let Some(record) = records.get_mut(place as usize) {
                *record = record_of(name);
            }
        }
        [Magic::new(kind).as_bytes(), records.as_flattened()].concat()
    }
}

impl NameTableBuilders {
    /// Creates tables that begin with the records of the source database.
    pub(crate) fn new(base: &BaseInfo) -> NameTableBuilders {
        let table = |role| NameTableBuilder::new(base.table(role), &base.texts);
        NameTableBuilders {
            players: table(NameRole::Player),
            sites: table(NameRole::Site),
            events: table(NameRole::Event),
        }
    }

    /// Returns the names of a game with their tables.
    pub(crate) fn names(game: &Game) -> [(FileKind, Named); 4] {
        let header = &game.header;
        [
            (FileKind::Players, header.white.name),
            (FileKind::Players, header.black.name),
            (FileKind::Sites, header.site),
            (FileKind::Events, header.event),
        ]
    }

    /// Fills the entry with the numbers of the game's names.
    pub(crate) fn refer(
        &mut self,
        game: &Game,
        names: &[Vec<u8>; 4],
        entry: &mut Entry,
    ) -> Result<()> {
        let keys = NameTableBuilders::names(game).map(|(_, named)| named.key);
        let [white, black, site, event] = names;
        let [k_white, k_black, k_site, k_event] = keys;
        entry.white = self.players.number(white, k_white)?;
        entry.black = self.players.number(black, k_black)?;
        entry.site = self.sites.number(site, k_site)?;
        entry.event = self.events.number(event, k_event)?;
        Ok(())
    }
}
