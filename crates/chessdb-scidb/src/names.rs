//! The names of a database: lookup by number, and the tables of a new database.

mod lookup;

use std::collections::HashSet;

use chessdb_core::format::Interner;
use chessdb_core::model::{NameRecord as BaseName, NameRole};
use chessdb_core::{BaseInfo, Result};

use crate::header::title_bits;
use crate::raw::{
    NameDetails, NameFile, NameKind, NamePart, NameRecord, NameSection, SiteOrder, VERSION,
    put_u24, read_names,
};
use crate::text::{self, MOST_NAME};
use crate::unused_names::UnusedName;

pub(crate) use lookup::{KnownName, NameLookup};

/// The largest number of names of a kind.
pub(crate) const MOST_NAMES: usize = 0xFF_FFFF;

/// The role of a kind of names in the model.
pub(crate) const fn role(kind: NameKind) -> NameRole {
    match kind {
        NameKind::Player => NameRole::Player,
        NameKind::Site => NameRole::Site,
        NameKind::Event => NameRole::Event,
        NameKind::Annotator => NameRole::Annotator,
    }
}

/// A name of a new database, with its details.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct NewName {
    pub(crate) name: Vec<u8>,
    pub(crate) details: NameDetails,
}

impl NewName {
    /// Appends the bytes that distinguish the name from others.
    pub(crate) fn append_key(&self, key: &mut Vec<u8>) {
        append_key(&self.name, &self.details, key);
    }

    /// Reads the bytes that [`NewName::append_key`] appends. Returns the bytes after them, too.
    pub(crate) fn from_key(key: &[u8]) -> Option<(NewName, &[u8])> {
        let end = key.iter().position(|&byte| byte == 0)?;
        let (name, rest) = key.split_at_checked(end)?;
        let (details, rest) = rest.split_first_chunk::<15>()?;
        let [_, a, b, c, d, e, f, has_more, g, h, has_fide, i, j, k, l] = *details;
        let name = NewName {
            name: name.to_vec(),
            details: NameDetails {
                site: u32::from_be_bytes([a, b, c, d]),
                flags: u16::from_be_bytes([e, f]),
                more: (has_more != 0).then(|| u16::from_be_bytes([g, h])),
                fide_id: (has_fide != 0).then(|| u32::from_be_bytes([i, j, k, l])),
            },
        };
        Some((name, rest))
    }

    /// Returns whether a file can hold this name without the number of a site as one of this kind.
    pub(crate) fn fits(&self, kind: NameKind) -> bool {
        let NameDetails {
            site,
            flags,
            more,
            fide_id,
        } = self.details;
        let has_fields = match kind {
            NameKind::Player => flags < 0x100,
            NameKind::Site => more.is_none() && fide_id.is_none(),
            NameKind::Event => fide_id.is_none(),
            NameKind::Annotator => self.details == NameDetails::default(),
        };
        let is_consistent = self.details.with_presence(kind) == self.details;
        site == 0 && has_fields && is_consistent && self.name.len() <= MOST_NAME
    }
}

/// Appends the bytes that distinguish a name from others. Names have no NUL.
fn append_key(name: &[u8], details: &NameDetails, key: &mut Vec<u8>) {
    let NameDetails {
        site,
        flags,
        more,
        fide_id,
    } = *details;
    key.extend_from_slice(name);
    key.push(0);
    key.extend(site.to_be_bytes());
    key.extend(flags.to_be_bytes());
    key.push(more.is_some().into());
    key.extend(more.unwrap_or(0).to_be_bytes());
    key.push(fide_id.is_some().into());
    key.extend(fide_id.unwrap_or(0).to_be_bytes());
}

/// The names of one kind of a database that is being written.
#[derive(Default, Debug)]
struct NewNames {
    names: Interner,
    /// The number of each name, and how often it was used since the database was opened.
    numbers: Vec<(u32, u32)>,
    next: u32,
    existing: ExistingNames,
}

/// What an existing database states about the names of one kind.
#[derive(Clone, Copy, Default, Debug)]
struct ExistingNames {
    /// The offset of the section in the file.
    offset: u64,
    count: usize,
    /// The highest uses, of all names and of those that are not empty.
    highest: [u32; 2],
    /// The first number that no name has.
    next: u32,
    /// Whether the uses were counted.
    is_counted: bool,
}

impl NewNames {
    /// Creates the list of a section of an existing database, without its names.
    fn of_section(counts: [u32; 4], offset: u64) -> NewNames {
        let [_, all, named, next] = counts;
        NewNames {
            next,
            names: Interner::for_few_searches(),
            existing: ExistingNames {
                offset,
                highest: [all, named],
                ..ExistingNames::default()
            },
            ..NewNames::default()
        }
    }

    /// Returns a limit for the uses of the names, exact for a new database. Of an existing name, the
    /// former uses are known only to be at most the highest number.
    fn highest_use(&self, with_empty: bool) -> u32 {
        let [all, not_empty] = self.existing.highest;
        let stated = match (self.existing.is_counted, with_empty) {
            (true, _) => 0,
            (false, true) => all,
            (false, false) => not_empty,
        };
        let named = self.names.names().zip(&self.numbers).enumerate();
        // The key of an empty name begins with its NUL.
        let counted = named.filter(|(_, (key, _))| with_empty || key.first() != Some(&0));
        let uses = counted.map(|(n, (_, &(_, uses)))| {
            if n < self.existing.count && uses > 0 {
                stated.saturating_add(uses)
            } else {
                uses
            }
        });
        uses.max().unwrap_or(0).max(stated).min(MOST_NAMES as u32)
    }
}

/// How often the games of a database use each name, by number.
#[derive(Default, Debug)]
pub(crate) struct GameUses {
    pub(crate) players: Vec<u32>,
    pub(crate) events: Vec<u32>,
    pub(crate) annotators: Vec<u32>,
}

/// The names of a database that is being written.
#[derive(Default, Debug)]
pub(crate) struct NameTables {
    lists: [NewNames; 4],
    key: Vec<u8>,
}

impl NameTables {
    /// Reads the names of the `.scn` file of an existing database. `None` if it is damaged or cannot
    /// be written again.
    ///
    /// # Errors
    ///
    /// Returns an error if the header is missing.
    pub(crate) fn from_file(file: &[u8]) -> Result<Option<NameTables>> {
        let mut tables = NameTables::default();
        let mut kind = NameKind::Player;
        let mut has_nul = false;
        let mut key = Vec::new();
        let read = read_names(file, |part| match part {
            NamePart::Section {
                kind: section,
                counts,
                offset,
                ..
            } => {
                kind = section;
                if let Some(list) = tables.lists.get_mut(kind as usize) {
                    *list = NewNames::of_section(counts, offset as u64);
                }
            }
            NamePart::Name {
                id, name, details, ..
            } => {
                has_nul |= name.contains(&0);
                key.clear();
                append_key(name, &details, &mut key);
                if let Some(list) = tables.lists.get_mut(kind as usize) {
                    list.names.push(&key);
                    list.numbers.push((id, 0));
                    list.next = list.next.max(id + 1);
                }
            }
        })?;
        for list in &mut tables.lists {
            list.existing.count = list.numbers.len();
            list.existing.next = list.next;
        }
        let is_whole = read.fault.is_none() && read.end == file.len();
        let is_ours = is_whole && read.header.version == VERSION && !has_nul;
        Ok(is_ours.then_some(tables))
    }

    /// Returns whether there may be no number left for the names of a game.
    pub(crate) fn are_full(&self) -> bool {
        // A game can have two new players.
        let most = MOST_NAMES as u32;
        self.lists.iter().any(|list| list.next > most - 2)
    }

    /// Counts the uses of the names that the database has. `uses` are those of players, events and
    /// annotators by number; a site is used by its events.
    pub(crate) fn count_existing(&mut self, uses: &GameUses) {
        let [players, sites, events, annotators] = &mut self.lists;
        let mut of_sites = vec![0; sites.existing.next as usize];
        for key in events.names.names().take(events.existing.count) {
            let site = NewName::from_key(key).map_or(0, |(name, _)| name.details.site);
            if let Some(uses) = of_sites.get_mut(site as usize) {
                *uses += 1;
            }
        }
        for (list, uses) in [
            (players, &uses.players),
            (sites, &of_sites),
            (events, &uses.events),
            (annotators, &uses.annotators),
        ] {
            list.existing.is_counted = true;
            for (number, count) in list.numbers.iter_mut().take(list.existing.count) {
                *count += uses.get(*number as usize).copied().unwrap_or(0);
            }
        }
    }

    /// Returns for each kind the first number that no name of the database had.
    pub(crate) fn free_numbers(&self) -> [u32; 4] {
        self.lists.each_ref().map(|list| list.existing.next)
    }

    /// Returns whether there are names that the database did not have when it was opened.
    pub(crate) fn have_new(&self) -> bool {
        let mut lists = self.lists.iter();
        lists.any(|list| list.names.len() > list.existing.count)
    }

    /// Returns the highest uses that change, with their offsets in the file.
    pub(crate) fn changed_uses(&self) -> Vec<(u64, Vec<u8>)> {
        let mut patches = Vec::new();
        for list in &self.lists {
            let highest = [true, false].map(|with_empty| list.highest_use(with_empty));
            if highest != list.existing.highest {
                let mut bytes = Vec::new();
                highest.iter().for_each(|&uses| put_u24(uses, &mut bytes));
                patches.push((list.existing.offset + NameSection::HIGHEST_AT, bytes));
            }
        }
        patches
    }

    /// Returns the place of a name in its list, adding it if it is new, and its number.
    fn place(&mut self, kind: NameKind, name: &NewName) -> (usize, u32) {
        let Some(list) = self.lists.get_mut(kind as usize) else {
            return (0, 0);
        };
        self.key.clear();
        append_key(&name.name, &name.details, &mut self.key);
        let place = list.names.number(&self.key) as usize;
        if let Some(&(number, _)) = list.numbers.get(place) {
            return (place, number);
        }
        list.numbers.push((list.next, 0));
        list.next += 1;
        (place, list.next - 1)
    }

    fn count(&mut self, kind: NameKind, place: usize) {
        let list = self.lists.get_mut(kind as usize);
        if let Some((_, uses)) = list.and_then(|list| list.numbers.get_mut(place)) {
            *uses = uses.saturating_add(1);
        }
    }

    /// Counts a use of a name and returns its number, which is a new one if the name is new.
    pub(crate) fn add_use(&mut self, kind: NameKind, name: &NewName) -> u32 {
        let (place, number) = self.place(kind, name);
        self.count(kind, place);
        number
    }

    /// Like [`NameTables::add_use`], for an event at this site.
    pub(crate) fn add_event_use(&mut self, event: &mut NewName, site: &NewName) -> u32 {
        let (place, number) = self.place_event(event, site);
        self.count(NameKind::Event, place);
        number
    }

    fn place_event(&mut self, event: &mut NewName, site: &NewName) -> (usize, u32) {
        let (site_place, number) = self.place(NameKind::Site, site);
        event.details.site = number;
        let events = self.lists.get(NameKind::Event as usize);
        let new_number = events.map(|list| list.next);
        let placed = self.place(NameKind::Event, event);
        // A site is used once by each event, not by each game.
        if Some(placed.1) == new_number {
            self.count(NameKind::Site, site_place);
        }
        placed
    }

    /// Returns the file.
    pub(crate) fn to_file(&self) -> NameFile {
        let mut file = NameFile::default();
        // Sites are before events in the file.
        let mut sites = SiteOrder::default();
        for (kind, list) in NameKind::ALL.into_iter().zip(&self.lists) {
            let keys = list.numbers.iter().zip(list.names.names());
            let mut names: Vec<(NewName, u32)> = keys
                .filter_map(|(&(id, _), key)| Some((NewName::from_key(key)?.0, id)))
                .collect();
            names.sort_by(|(a, x), (b, y)| {
                let (own, other) = ((&*a.name, &a.details), (&*b.name, &b.details));
                // Names that Scidb cannot distinguish are ordered by number, so files are
                // reproducible.
                sites.compare(kind, own, other).then(x.cmp(y))
            });
            let count = names.len() as u32;
            let [all, named] = [true, false].map(|with_empty| list.highest_use(with_empty));
            let counts = [count, all, named, list.next];
            let mut section = NameSection {
                kind,
                label: kind.label(),
                counts,
                records: Vec::with_capacity(names.len()),
            };
            for (NewName { name, details }, id) in names {
                let last = section.records.last();
                let before = last.map(|last| last.name.as_slice()).unwrap_or_default();
                let pairs = before.iter().zip(&name);
                let shared = pairs.take_while(|(a, b)| a == b).count();
                section.records.push(NameRecord {
                    id,
                    // Names have at most 255 bytes.
                    shared: shared as u8,
                    name,
                    details,
                });
            }
            if kind == NameKind::Site {
                sites = SiteOrder::new(&section.records);
            }
            file.header.names = file.header.names.saturating_add(count);
            file.sections.push(section);
        }
        file
    }

    /// Returns the names of a kind in a database that are not in the lists yet, each as often as it
    /// is there. Only names that still have a number are included; the other number is how many have
    /// none.
    fn unused(&self, kind: NameKind, base: &BaseInfo) -> (Vec<UnusedName>, u32) {
        let (mut unused, mut without_number) = (Vec::new(), 0);
        let (Some(list), Some(table)) = (self.lists.get(kind as usize), base.table(role(kind)))
        else {
            return (unused, 0);
        };
        let mut count = list.names.len();
        let mut add = |name| {
            // Events without a site may need one more name, the empty site.
            if count + 1 < MOST_NAMES {
                count += 1;
                unused.push(name);
            } else {
                without_number += 1;
            }
        };
        let with_details = UnusedName::from_table(kind, table, base);
        let keys = list.names.names();
        // A key begins with the name and a NUL.
        let names = keys.filter_map(|key| key.split(|&byte| byte == 0).next());
        let used: HashSet<&[u8]> = names.collect();
        let detailed = with_details.iter().map(|unused| unused.name.name.clone());
        let texts: HashSet<Vec<u8>> = detailed.collect();
        with_details.into_iter().for_each(&mut add);
        for record in &table.records {
            let mut name = NewName::default();
            text::put_name(base.texts.get(record.text), &mut name.name);
            if used.contains(&*name.name) || texts.contains(&name.name) {
                continue;
            }
            if kind == NameKind::Player {
                name.details = player_details(record, base);
            }
            let site = NewName::default();
            add(UnusedName { kind, name, site });
        }
        (unused, without_number)
    }

    /// Returns how many names that no game uses have no number left.
    pub(crate) fn unused_without_number(&self, base: &BaseInfo) -> u32 {
        let without_number = |(kind, list): (NameKind, &NewNames)| {
            let table = base.table(role(kind));
            let more = table.map_or(0, |table| table.records.len());
            // Only a list that may overflow is worth a pass over all names.
            if list.names.len() + more < MOST_NAMES { 0 } else { self.unused(kind, base).1 }
        };
        NameKind::ALL
            .into_iter()
            .zip(&self.lists)
            .map(without_number)
            .sum()
    }

    /// Numbers the names of a database that no game uses.
    pub(crate) fn keep_unused(&mut self, base: &BaseInfo) {
        use NameKind as K;
        // Events before sites: an event brings its site.
        for kind in [K::Player, K::Event, K::Site, K::Annotator] {
            for UnusedName { mut name, site, .. } in self.unused(kind, base).0 {
                if kind == K::Event {
                    self.place_event(&mut name, &site);
                } else {
                    self.place(kind, &name);
                }
            }
        }
    }
}

/// Returns the title and the FIDE number of a player of a name table in stored form.
fn player_details(record: &BaseName, base: &BaseInfo) -> NameDetails {
    let player = record.player.unwrap_or_default();
    let title = base.texts.get(player.title);
    let more = title_bits(title.as_bytes());
    NameDetails {
        more: (more != 0).then_some(more),
        fide_id: Some(player.fide_id).filter(|&id| id != 0),
        ..NameDetails::default()
    }
    .with_presence(NameKind::Player)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_keys_round_trip() {
        let name = NewName {
            name: b"Tal".to_vec(),
            details: NameDetails {
                site: 7,
                flags: 0x8001,
                more: Some(2),
                fide_id: None,
            },
        };
        let mut key = Vec::new();
        name.append_key(&mut key);
        key.extend(b"rest");
        assert_eq!(NewName::from_key(&key), Some((name, &b"rest"[..])));
    }
}
