//! The names of a database by number.

use chessdb_core::model::{NameRecord as BaseName, NameTable, PlayerDetails};
use chessdb_core::text::{TextId, Texts};
use chessdb_core::{BaseInfo, Charset};

use super::role;
use crate::header::split_title;
use crate::raw::{NameDetails, NameFile, NameKind};

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
    /// Reads the names of a file, and adds them to the data of the database.
    pub(crate) fn new(file: &NameFile, base: &mut BaseInfo) -> NameLookup {
        let mut lookup = NameLookup::default();
        for (kind, list) in NameKind::ALL.into_iter().zip(&mut lookup.lists) {
            let records = file.section(kind).map(|section| &section.records);
            for record in records.into_iter().flatten() {
                list.push(KnownName {
                    id: record.id,
                    text: base.texts.push(&record.name, Charset::UTF_8),
                    is_utf8: str::from_utf8(&record.name).is_ok(),
                    details: record.details,
                });
            }
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
        lookup
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
