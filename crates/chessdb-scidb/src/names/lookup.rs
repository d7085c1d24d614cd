//! The names of a database by number.

use chessdb_core::model::{NameRecord as BaseName, NameTable, PlayerDetails};
use chessdb_core::text::{TextId, Texts};
use chessdb_core::{BaseInfo, Charset, Result};

use super::role;
use crate::header::split_title;
use crate::raw::{NameDetails, NameKind, NamePart, NamesRead, read_names};

/// A name: its text in the arena of the [`BaseInfo`], and its details.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KnownName {
    pub(crate) id: u32,
    pub(crate) text: TextId,
    /// Whether the text is UTF-8, as it always should be.
    pub(crate) is_utf8: bool,
    pub(crate) details: NameDetails,
}

/// The names of a database by number.
#[derive(Clone, Default, Debug)]
pub(crate) struct NameLookup {
    /// Sorted by number.
    lists: [Vec<KnownName>; 4],
    /// Whether names are missing. This is reported once, for the database.
    pub(crate) is_cut: bool,
}

impl NameLookup {
    /// Reads the names of a `.scn` file, up to a fault, and adds them to the data of the database.
    ///
    /// # Errors
    ///
    /// Returns an error if the header is missing.
    pub(crate) fn read(file: &[u8], base: &mut BaseInfo) -> Result<(NameLookup, NamesRead)> {
        let mut lookup = NameLookup::default();
        let mut lists = lookup.lists.iter_mut();
        let mut list = None;
        let read = read_names(file, |part| match part {
            NamePart::Section { .. } => list = lists.next(),
            NamePart::Name {
                id, name, details, ..
            } => {
                if let Some(list) = &mut list {
                    list.push(KnownName {
                        id,
                        text: base.texts.push(name, Charset::UTF_8),
                        is_utf8: str::from_utf8(name).is_ok(),
                        details,
                    });
                }
            }
        })?;
        lookup.is_cut = read.fault.is_some();
        lookup.add_tables(base);
        Ok((lookup, read))
    }

    /// Returns the names of a database without a readable file of names: none.
    pub(crate) fn missing(base: &mut BaseInfo) -> NameLookup {
        let mut lookup = NameLookup {
            is_cut: true,
            ..NameLookup::default()
        };
        lookup.add_tables(base);
        lookup
    }

    /// Adds the names to the data of the database, and sorts them by number.
    fn add_tables(&mut self, base: &mut BaseInfo) {
        for (kind, list) in NameKind::ALL.into_iter().zip(&mut self.lists) {
            let names = list.iter().map(|name| BaseName {
                key: name.id,
                text: name.text,
                player: match kind {
                    // A missing name is stored as the empty name.
                    NameKind::Player if !base.texts.get(name.text).is_empty() => {
                        known_player(&name.details, &mut base.texts)
                    }
                    _ => None,
                },
            });
            base.names.push(NameTable::new(role(kind), names.collect()));
            sort_by_number(list);
        }
    }

    /// Returns the name with this number.
    pub(crate) fn get(&self, kind: NameKind, id: u32) -> Option<&KnownName> {
        let list = self.lists.get(kind as usize)?;
        // The numbers are usually 0, 1, 2 …
        if let Some(name) = list.get(id as usize).filter(|name| name.id == id) {
            return Some(name);
        }
        let index = list.binary_search_by_key(&id, |name| name.id).ok()?;
        list.get(index)
    }

    /// Returns all names of a kind.
    pub(crate) fn all(&self, kind: NameKind) -> &[KnownName] {
        self.lists.get(kind as usize).map_or(&[], Vec::as_slice)
    }

    /// Returns whether there are no names at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.lists.iter().all(Vec::is_empty)
    }
}

/// Sorts names by their numbers. These are nearly always 0, 1, 2 … in another order, in which each
/// name has its place.
fn sort_by_number(list: &mut Vec<KnownName>) {
    let mut places = vec![None; list.len()];
    for name in &*list {
        match places.get_mut(name.id as usize) {
            Some(place @ None) => *place = Some(*name),
            _ => return list.sort_by_key(|name| name.id),
        }
    }
    list.clear();
    list.extend(places.into_iter().flatten());
}

/// Returns the title and the FIDE number of a player; `None` if there is neither. The games have the
/// other details.
fn known_player(details: &NameDetails, texts: &mut Texts) -> Option<PlayerDetails> {
    let (title, _) = split_title(details.more.unwrap_or(0));
    let fide_id = details.fide_id.unwrap_or(0);
    (title.is_some() || fide_id != 0).then(|| PlayerDetails {
        title: title.map_or(TextId::NONE, |title| texts.push(title, Charset::UTF_8)),
        fide_id,
        ..PlayerDetails::default()
    })
}
