//! The names of a database that is being written.

use std::collections::HashMap;

use chessdb_core::format::Interner;
use chessdb_core::model::NameTable;
use chessdb_core::{BaseInfo, LossKind, Losses};

use crate::entry::NAME_LISTS;
use crate::generation::{Generation, Spec};
use crate::raw::si5::{NameKind, NameRecord};
use crate::raw::{NameFile, ROLES, compare_names};
use crate::text::TextEncoder;

/// One of the four name lists, under construction.
#[derive(Debug, Default)]
pub(crate) struct NameListBuilder {
    names: Interner,
    frequencies: Vec<u32>,
    max: u32,
    /// New numbers for the names of an existing table, if they differ from the old ones.
    renumbered: Option<HashMap<u32, u32>>,
    /// Whether the table had names that did not fit.
    pub(crate) overflowed: bool,
    /// The number of names in the log.
    logged: u32,
}

impl NameListBuilder {
    /// Returns the number of a name; a new name gets the next one. `None` if the list is full.
    pub(crate) fn id(&mut self, name: &[u8]) -> Option<u32> {
        let used = self.len();
        if used >= self.max {
            return self.names.find(name);
        }
        let id = self.names.number(name);
        if id == used {
            self.frequencies.push(0);
        }
        Some(id)
    }

    /// Returns the number of names.
    pub(crate) fn len(&self) -> u32 {
        self.names.len() as u32
    }

    /// Returns the new number of a name of the existing table, or `None` if there is no such name.
    pub(crate) fn renumber(&self, key: u32) -> Option<u32> {
        match &self.renumbered {
            Some(numbers) => numbers.get(&key).copied(),
            None => Some(key).filter(|&key| key < self.len()),
        }
    }

    /// Counts a use of a name.
    pub(crate) fn count(&mut self, id: u32) {
        if let Some(frequency) = self.frequencies.get_mut(id as usize) {
            *frequency = frequency.saturating_add(1);
        }
    }

    /// Imports a table. Keeps its numbers if they are 0, 1, 2 … in any order, and otherwise
    /// renumbers the names in the order of their numbers.
    fn take_over(
        &mut self,
        table: &NameTable,
        base: &BaseInfo,
        texts: &TextEncoder,
        max_name: usize,
    ) -> Losses {
        let mut losses = Losses::new();
        let mut records: Vec<_> = table.records.iter().collect();
        records.sort_by_key(|record| record.key);
        let mut name = Vec::new();
        let mut numbers = HashMap::new();
        // If not all fit, the last number is reserved for games without a name.
        let max = self.max as usize;
        let limit = max.saturating_sub(usize::from(records.len() > max));
        for (n, record) in (0..).zip(&records) {
            name.clear();
            let change = texts.put_cut(base.texts.get(record.text), max_name, &mut name);
            losses.add_text(change, LossKind::NameText, LossKind::NameCut);
            losses.add_if(LossKind::NameDetails, record.player.is_some());
            let fits = self.names.len() < limit || self.names.find(&name).is_some();
            let id = if fits { self.id(&name) } else { None };
            if id.is_none() {
                losses.add(LossKind::NameTable, None);
                self.overflowed = true;
            }
            // As long as numbers stay the same, the common case, no map is built.
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
    pub(crate) lists: [NameListBuilder; 4],
    /// The records of SCID 5.
    log: Option<Vec<u8>>,
}

impl NameTables {
    /// Creates the lists with the names of an existing database. Returns the losses too.
    pub(crate) fn new(spec: &Spec, base: &BaseInfo, texts: &TextEncoder) -> (NameTables, Losses) {
        let lists = empty_lists(spec);
        let log = (spec.generation == Generation::Si5).then(Vec::new);
        let mut tables = NameTables { lists, log };
        let mut losses = Losses::new();
        for table in &base.names {
            let list = ROLES.iter().position(|&role| role == table.role);
            match list.and_then(|list| tables.lists.get_mut(list)) {
                Some(names) => {
                    losses.merge(&names.take_over(table, base, texts, spec.max_name));
                }
                None => losses.add_many(LossKind::NameTable, table.records.len() as u32, None),
            }
        }
        (tables, losses)
    }

    /// Returns which of a game's names must be left out ([`left_out`]).
    pub(crate) fn left_out(&self, names: &[Vec<u8>; 5]) -> Option<[bool; 5]> {
        let counts = self.lists.each_ref().map(NameListBuilder::len);
        let max = self.lists.each_ref().map(|list| list.max);
        let has_name = |list: usize, name: &[u8]| {
            let list = self.lists.get(list);
            list.is_some_and(|list| list.names.find(name).is_some())
        };
        left_out(names, counts, max, &has_name)
    }

    /// Counts a use of a name by a game. In SCID 5 this writes the name to the log, after all names
    /// with lower numbers that are not there yet, so the log has the order that Scid gives it.
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

    /// Returns the bytes of the name file.
    pub(crate) fn into_bytes(mut self) -> Vec<u8> {
        let Some(mut log) = self.log.take() else {
            return self.to_file().to_bytes();
        };
        for (list, names) in self.lists.iter_mut().enumerate() {
            append(&mut log, list, names, u32::MAX);
        }
        log
    }

    /// Builds the name file of SCID 3 and SCID 4: sorted, front-coded, with correct frequencies.
    fn to_file(&self) -> NameFile {
        let mut file = NameFile::default();
        let file_headers = file
            .file_header
            .counts
            .iter_mut()
            .zip(&mut file.file_header.max_frequencies);
        for ((names, list), (count, max)) in
            self.lists.iter().zip(&mut file.lists).zip(file_headers)
        {
            let mut sorted: Vec<(&[u8], u32)> = names.names.names().zip(0..).collect();
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

/// Returns which of a game's names, in the order of [`NAME_LISTS`], must be left out because their
/// list is full. The lists have these numbers of names, and at most `max`. `None` if not even the
/// empty name fits. The last number is reserved for it, because it replaces names that do not fit.
pub(crate) fn left_out(
    names: &[Vec<u8>; 5],
    counts: [u32; 4],
    max: [u32; 4],
    has_name: &dyn Fn(usize, &[u8]) -> bool,
) -> Option<[bool; 5]> {
    let mut left_out = [false; 5];
    // Two new names and the empty one fit for certain.
    let has_room = |(count, max): (&u32, &u32)| count.saturating_add(3) <= *max;
    if counts.iter().zip(&max).all(has_room) {
        return Some(left_out);
    }
    let mut player: Option<&[u8]> = None;
    for ((name, list), out) in names.iter().zip(NAME_LISTS).zip(&mut left_out) {
        let (Some(count), Some(limit)) = (counts.get(list), max.get(list)) else {
            continue;
        };
        // White may be a new player too.
        let is_white_new = list == 0 && player.is_some_and(|white| white != name);
        let used = count.saturating_add(u32::from(is_white_new));
        let fits = |name: &[u8]| {
            used.saturating_add(u32::from(!name.is_empty())) < *limit
                || has_name(list, name)
                || used < *limit && has_name(list, &[])
        };
        *out = !fits(name);
        if *out && !fits(&[]) {
            return None;
        }
        if list == 0 && !has_name(list, name) {
            player = Some(if *out { &[] } else { name });
        }
    }
    Some(left_out)
}

/// Returns four empty lists with the limits of a generation.
fn empty_lists(spec: &Spec) -> [NameListBuilder; 4] {
    spec.max_names.map(|max| NameListBuilder {
        max,
        ..NameListBuilder::default()
    })
}

/// Appends the names of a list below number `end` that are not in the log yet.
fn append(log: &mut Vec<u8>, list: usize, names: &mut NameListBuilder, end: u32) {
    let Some(&kind) = NameKind::ALL.get(list) else {
        return;
    };
    let new = names
        .names
        .names()
        .take(end as usize)
        .skip(names.logged as usize);
    for name in new {
        NameRecord::new(kind, name).write(log);
    }
    names.logged = end.min(names.len());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tables(max: [u32; 4]) -> NameTables {
        NameTables {
            lists: max.map(|max| NameListBuilder {
                max,
                ..NameListBuilder::default()
            }),
            log: None,
        }
    }

    /// Writes games with these event, site, round, White and Black as the writer does. Returns
    /// which names were left out.
    fn write(tables: &mut NameTables, names: [&str; 5]) -> Option<String> {
        let mut names = names.map(|name| name.as_bytes().to_vec());
        let left_out = tables.left_out(&names)?;
        for (n, list) in NAME_LISTS.into_iter().enumerate() {
            if left_out[n] {
                names[n].clear();
            }
            assert!(tables.lists[list].id(&names[n]).is_some(), "{names:?}");
        }
        let letters = left_out.iter().zip("esrwb".chars());
        Some(letters.filter_map(|(out, c)| out.then_some(c)).collect())
    }

    #[test]
    fn full_list_leaves_out_names_not_games() {
        let mut tables = tables([4, 9, 9, 3]);
        for (names, left_out) in [
            (["E", "S", "1", "A", "B"], ""),
            (["E", "S", "2", "A", "C"], ""),
            // The last number of each list is reserved for games without a name.
            (["E", "S", "3", "A", "D"], "rb"),
            (["E", "S", "4", "D", "A"], "rw"),
            (["E", "S", "1", "D", "F"], "wb"),
            (["E", "S", "", "", "B"], ""),
            (["F", "T", "2", "C", "D"], "b"),
        ] {
            assert_eq!(
                write(&mut tables, names).as_deref(),
                Some(left_out),
                "{names:?}"
            );
        }
        // Two new players, but only one number besides the empty name.
        let mut tables = self::tables([2, 9, 9, 9]);
        assert_eq!(
            write(&mut tables, ["", "", "", "A", "B"]).as_deref(),
            Some("b")
        );
        assert_eq!(
            write(&mut tables, ["", "", "", "A", "A"]).as_deref(),
            Some("")
        );
        // A list that was full before it contained the empty name.
        let mut tables = self::tables([9, 9, 9, 1]);
        tables.lists[3].id(b"1");
        assert_eq!(
            write(&mut tables, ["E", "S", "1", "A", "B"]).as_deref(),
            Some("")
        );
        assert_eq!(write(&mut tables, ["E", "S", "2", "A", "B"]), None);
        assert_eq!(write(&mut tables, ["E", "S", "", "A", "B"]), None);
    }
}
