//! Adding names to the lists of an existing EMB (docs/formats/chess-assistant.md, section 19).

use chessdb_core::format::Interner;

use super::{NameListBuilder, NameListsBuilder, ROLES, updated};
use crate::guesses::Guesses;
use crate::raw::{
    Emb, LIST_NAMES, ListFiles, NameList, NameRecord, PlayerData, VolumeChanges, addresses,
    addresses_to_bytes, change_volume,
};

impl NameListBuilder {
    /// Reads a list of an existing database, to which names are added. Unreadable names cannot be
    /// found.
    fn existing(list: &NameList<'_>, absent: u32) -> NameListBuilder {
        let mut builder = NameListBuilder {
            entries: Vec::with_capacity(list.len()),
            absent,
            index: Interner::for_few_searches(),
            ..NameListBuilder::default()
        };
        let mut are_readable = Vec::with_capacity(list.len());
        for id in 0..list.len() {
            let record = list.name(id);
            are_readable.push(record.is_some());
            let entry = record.map(|NameRecord { name, title }| {
                let data = list.player(id).unwrap_or_default();
                builder.entry(name, title.unwrap_or_default(), data)
            });
            builder.entries.push(entry.unwrap_or_default());
        }
        builder.index_entries(|id| are_readable.get(id) == Some(&true));
        builder
    }

    /// Returns the new contents of the inner files, in the order of [`ListFiles::SUFFIXES`], with
    /// the entries from `count` on. `None` if the files do not match.
    fn grown(
        &self,
        count: usize,
        files: &ListFiles<'_>,
        players: bool,
        guesses: &Guesses,
    ) -> Option<[Vec<u8>; 7]> {
        let new = self.entries.get(count..)?;
        let mut names = files.d01.to_vec();
        if names.is_empty() {
            // A leading byte, so that no address is 0 (section 4.4).
            names.push(0);
        }
        let (mut table, mut rows) = (files.a01.to_vec(), files.d00.to_vec());
        let has_all_rows = !players || rows.len() == count * PlayerData::SIZE;
        if table.len() != count * 4 || !has_all_rows {
            return None;
        }
        let mut order = addresses(files.iii).0;
        let is_sorted = order.len() == count;
        if !is_sorted && !order.is_empty() {
            return None;
        }
        for (id, entry) in (count..).zip(new) {
            table.extend(i32::try_from(names.len()).ok()?.to_le_bytes());
            let (name, title) = self.texts_of(entry);
            let title = players.then_some(title);
            NameRecord { name, title }.write(&mut names);
            if players {
                rows.extend(entry.data.to_bytes());
            }
            if is_sorted {
                let folded = name.to_ascii_lowercase();
                let place = order.partition_point(|&other| {
                    let other = usize::try_from(other).ok();
                    let other = other.and_then(|other| self.entries.get(other));
                    other.is_none_or(|other| self.texts_of(other).0.to_ascii_lowercase() <= folded)
                });
                order.insert(place, id as i32);
            }
        }
        let count = self.entries.len();
        let masks = [files.axx, files.dxx].map(|mask| {
            let mut mask = mask.to_vec();
            let length = mask.len().max(count.div_ceil(8));
            mask.resize(length, guesses.mask_byte);
            mask
        });
        let description = updated("cdp", files.cdp, &[], count);
        let [axx, dxx] = masks;
        let iii = if is_sorted { addresses_to_bytes(&order) } else { Vec::new() };
        Some([description, iii, axx, dxx, rows, table, names])
    }
}

impl NameListsBuilder {
    /// Reads the lists of an existing database, to which names are added. `None` if the EMB lacks
    /// one.
    pub(crate) fn existing(emb: &Emb<'_>, guesses: &Guesses) -> Option<NameListsBuilder> {
        let mut lists = NameListsBuilder {
            lists: ROLES.map(|_| NameListBuilder::new(guesses.absent_name)),
        };
        for (index, (list, name)) in lists.lists.iter_mut().zip(LIST_NAMES).enumerate() {
            let has = |suffix: &str| emb.file(&format!("{name}.{suffix}")).is_some();
            if !ListFiles::SUFFIXES.into_iter().all(has) {
                return None;
            }
            let names = NameList::new(ListFiles::find(emb, name), index == 0);
            *list = NameListBuilder::existing(&names, guesses.absent_name);
        }
        Some(lists)
    }

    /// Returns the changes of the EMB from which the lists were read. `None` if its files do not
    /// match.
    pub(crate) fn change_emb(&self, emb: &Emb<'_>, guesses: &Guesses) -> Option<VolumeChanges> {
        let mut contents = Vec::new();
        for (index, (list, name)) in self.lists.iter().zip(LIST_NAMES).enumerate() {
            let files = ListFiles::find(emb, name);
            let count = files.a01.len() / 4;
            if list.entries.len() == count {
                continue;
            }
            let grown = list.grown(count, &files, index == 0, guesses)?;
            for (suffix, content) in ListFiles::SUFFIXES.into_iter().zip(grown) {
                contents.push((emb.number(&format!("{name}.{suffix}"))?, content));
            }
        }
        change_volume(emb, &contents, guesses.fragment)
    }
}
