//! The names of a base that is being written.

use std::collections::HashMap;

use chessdb_core::{BaseInfo, LossKind, Losses, NameTable};

use crate::raw::{NameFile, NameHeader, compare_names};
use crate::text::{Encoder, MAX_NAME};

/// One of the four lists while it grows.
#[derive(Debug, Default)]
pub(crate) struct Names {
    ids: HashMap<Box<[u8]>, u32>,
    frequencies: Vec<u32>,
    max: u32,
}

impl Names {
    /// The number of a name, which gets the next one if it is new. None if the list is full.
    pub(crate) fn id(&mut self, name: &[u8]) -> Option<u32> {
        if let Some(&id) = self.ids.get(name) {
            return Some(id);
        }
        let id = self.frequencies.len() as u32;
        if id >= self.max {
            return None;
        }
        self.ids.insert(name.into(), id);
        self.frequencies.push(0);
        Some(id)
    }

    /// Whether [`Names::id`] would find or add all of these names.
    pub(crate) fn has_room(&self, names: &[&[u8]]) -> bool {
        if self.frequencies.len() + names.len() <= self.max as usize {
            return true;
        }
        let new = names
            .iter()
            .filter(|&&name| !self.ids.contains_key(name))
            .count();
        (self.frequencies.len() + new) as u64 <= u64::from(self.max)
    }

    /// Counts a use.
    pub(crate) fn count(&mut self, id: u32) {
        if let Some(frequency) = self.frequencies.get_mut(id as usize) {
            *frequency = frequency.saturating_add(1);
        }
    }

    /// Takes over a table with its numbers, if they are 0, 1, 2 … in any order; otherwise the
    /// names in the order of their numbers.
    fn take_over(&mut self, table: &NameTable, base: &BaseInfo, texts: &Encoder) -> Losses {
        let mut losses = Losses::new();
        let mut records: Vec<_> = table.records.iter().collect();
        records.sort_by_key(|record| record.key);
        let mut name = Vec::new();
        for record in records {
            name.clear();
            let change = texts.put_cut(base.texts.get(record.text), MAX_NAME, &mut name);
            if change.text {
                losses.add(LossKind::NameText, None);
            }
            if change.cut {
                losses.add(LossKind::NameCut, None);
            }
            if record.player.is_some() {
                losses.add(LossKind::NameDetails, None);
            }
            if self.id(&name).is_none() {
                losses.add(LossKind::NameTable, None);
            }
        }
        losses
    }
}

/// The lists of players, events, sites and rounds.
#[derive(Debug)]
pub(crate) struct NameTables {
    pub(crate) lists: [Names; 4],
}

impl NameTables {
    /// The lists with the names that a base brings along, and what of them cannot be held.
    pub(crate) fn new(base: &BaseInfo, texts: &Encoder) -> (NameTables, Losses) {
        let max = NameHeader::MAX_COUNTS;
        let lists = max.map(|max| Names {
            max,
            ..Names::default()
        });
        let mut tables = NameTables { lists };
        let mut losses = Losses::new();
        for table in &base.names {
            let at = crate::raw::ROLES
                .iter()
                .position(|&role| role == table.role);
            match at.and_then(|at| tables.lists.get_mut(at)) {
                Some(names) => losses.merge(&names.take_over(table, base, texts)),
                None => losses.add_many(LossKind::NameTable, table.records.len() as u32, None),
            }
        }
        (tables, losses)
    }

    /// The name file: sorted, front-coded, with true frequencies.
    pub(crate) fn to_file(&self) -> NameFile {
        let mut file = NameFile::default();
        let headers = file
            .header
            .counts
            .iter_mut()
            .zip(&mut file.header.max_frequencies);
        for ((names, list), (count, max)) in self.lists.iter().zip(&mut file.lists).zip(headers) {
            let mut sorted: Vec<(&[u8], u32)> =
                names.ids.iter().map(|(name, &id)| (&**name, id)).collect();
            sorted.sort_unstable_by(|(a, x), (b, y)| compare_names(a, b).then(x.cmp(y)));
            *count = sorted.len() as u32;
            *max = names.frequencies.iter().copied().max().unwrap_or(0);
            for (name, id) in sorted {
                let frequency = names.frequencies.get(id as usize).copied().unwrap_or(0);
                list.push(id, frequency, name);
            }
        }
        file
    }
}
