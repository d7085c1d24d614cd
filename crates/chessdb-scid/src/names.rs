//! The names of a base that is being written.

use std::collections::HashMap;
use std::sync::Arc;

use chessdb_core::{BaseInfo, LossKind, Losses, NameTable};

use crate::generation::{Generation, Spec};
use crate::raw::si5::{NameKind, NameRecord};
use crate::raw::{NameFile, ROLES, compare_names};
use crate::text::Encoder;

/// One of the four lists while it grows.
#[derive(Debug, Default)]
pub(crate) struct Names {
    ids: HashMap<Arc<[u8]>, u32>,
    /// The same names by their numbers.
    by_id: Vec<Arc<[u8]>>,
    frequencies: Vec<u32>,
    max: u32,
    /// The numbers that the names of a table got, if they are not the ones they had.
    renumbered: Option<HashMap<u32, u32>>,
    /// How many names stand in the log.
    logged: u32,
}

impl Names {
    /// The number of a name, which gets the next one if it is new. None if the list is full.
    pub(crate) fn id(&mut self, name: &[u8]) -> Option<u32> {
        if let Some(&id) = self.ids.get(name) {
            return Some(id);
        }
        let id = self.by_id.len() as u32;
        if id >= self.max {
            return None;
        }
        let name: Arc<[u8]> = name.into();
        self.by_id.push(Arc::clone(&name));
        self.ids.insert(name, id);
        self.frequencies.push(0);
        Some(id)
    }

    /// The number that a name of the base's own table has now; none if it has no such name.
    pub(crate) fn renumber(&self, key: u32) -> Option<u32> {
        match &self.renumbered {
            Some(numbers) => numbers.get(&key).copied(),
            None => Some(key).filter(|&key| (key as usize) < self.by_id.len()),
        }
    }

    /// Whether [`Names::id`] would find or add all of these names.
    pub(crate) fn has_room(&self, names: &[&[u8]]) -> bool {
        if self.by_id.len() + names.len() <= self.max as usize {
            return true;
        }
        let new = names
            .iter()
            .filter(|&&name| !self.ids.contains_key(name))
            .count();
        (self.by_id.len() + new) as u64 <= u64::from(self.max)
    }

    /// Counts a use.
    pub(crate) fn count(&mut self, id: u32) {
        if let Some(frequency) = self.frequencies.get_mut(id as usize) {
            *frequency = frequency.saturating_add(1);
        }
    }

    /// Takes over a table with its numbers, if they are 0, 1, 2 … in any order; otherwise the
    /// names in the order of their numbers.
    fn take_over(
        &mut self,
        table: &NameTable,
        base: &BaseInfo,
        texts: &Encoder,
        max_name: usize,
    ) -> Losses {
        let mut losses = Losses::new();
        let mut records: Vec<_> = table.records.iter().collect();
        records.sort_by_key(|record| record.key);
        let mut name = Vec::new();
        let mut numbers = HashMap::new();
        for (n, record) in (0..).zip(&records) {
            name.clear();
            let change = texts.put_cut(base.texts.get(record.text), max_name, &mut name);
            if change.text {
                losses.add(LossKind::NameText, None);
            }
            if change.cut {
                losses.add(LossKind::NameCut, None);
            }
            if record.player.is_some() {
                losses.add(LossKind::NameDetails, None);
            }
            let id = self.id(&name);
            if id.is_none() {
                losses.add(LossKind::NameTable, None);
            }
            if (id, record.key) != (Some(n), n) && self.renumbered.is_none() {
                numbers.extend((0..n).map(|n| (n, n)));
                self.renumbered = Some(HashMap::new());
            }
            if self.renumbered.is_some()
                && let Some(id) = id
            {
                numbers.entry(record.key).or_insert(id);
            }
        }
        if let Some(renumbered) = &mut self.renumbered {
            *renumbered = numbers;
        }
        losses
    }
}

/// The lists of players, events, sites and rounds.
#[derive(Debug)]
pub(crate) struct NameTables {
    pub(crate) lists: [Names; 4],
    /// The records of SCID 5.
    log: Option<Vec<u8>>,
}

impl NameTables {
    /// The lists with the names that a base brings along, and what of them cannot be held.
    pub(crate) fn new(spec: &Spec, base: &BaseInfo, texts: &Encoder) -> (NameTables, Losses) {
        let lists = spec.max_names.map(|max| Names {
            max,
            ..Names::default()
        });
        let log = (spec.generation == Generation::Si5).then(Vec::new);
        let mut tables = NameTables { lists, log };
        let mut losses = Losses::new();
        for table in &base.names {
            let at = ROLES.iter().position(|&role| role == table.role);
            match at.and_then(|at| tables.lists.get_mut(at)) {
                Some(names) => {
                    losses.merge(&names.take_over(table, base, texts, spec.max_name));
                }
                None => losses.add_many(LossKind::NameTable, table.records.len() as u32, None),
            }
        }
        (tables, losses)
    }

    /// A game uses a name. In SCID 5 it goes into the log then, and before it the names with lower
    /// numbers that are not there yet: so the log has the order that Scid gives it.
    pub(crate) fn count(&mut self, list: usize, id: u32) {
        if let Some(names) = self.lists.get_mut(list) {
            names.count(id);
            if let Some(log) = &mut self.log
                && id >= names.logged
            {
                append(log, list, names, id.saturating_add(1));
            }
        }
    }

    /// The name file.
    pub(crate) fn into_bytes(mut self) -> Vec<u8> {
        let Some(mut log) = self.log.take() else {
            return self.to_file().to_bytes();
        };
        for (list, names) in self.lists.iter_mut().enumerate() {
            append(&mut log, list, names, u32::MAX);
        }
        log
    }

    /// The name file of SCID 3 and SCID 4: sorted, front-coded, with true frequencies.
    fn to_file(&self) -> NameFile {
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

/// Appends the names of a list below number `end` that are not in the log yet.
fn append(log: &mut Vec<u8>, list: usize, names: &mut Names, end: u32) {
    let Some(&kind) = NameKind::ALL.get(list) else {
        return;
    };
    let new = names.by_id.iter().take(end as usize);
    let new = new.skip(names.logged as usize);
    for name in new {
        NameRecord::new(kind, name).write(log);
    }
    names.logged = end.min(names.by_id.len() as u32);
}
