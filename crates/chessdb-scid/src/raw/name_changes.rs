//! Changes of a name file in place: lookups, frequencies and new names. Tables are built only if many
//! names are looked up.

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;

use chessdb_core::Result;
use chessdb_core::sorting::sort_by;

use super::file_header::split_u24;
use super::names::{
    NameFile, NameHeader, NameList, NameRecords, StoredName, compare_names, each_name,
};
use super::si5::{NameKind, NameRecord, Names as Log};

/// The number of names that are looked up in a list by comparing them with all of its names. A table
/// of the names is built only for more.
const SCANS: u32 = 32;

/// The names and frequencies of a name file that new and changed games need.
#[derive(Debug)]
pub(crate) struct NameChanges {
    bytes: Vec<u8>,
    /// The records to append to the log of SCID 5. `None` in SCID 3 and SCID 4.
    log: Option<Vec<u8>>,
    lists: [ListChanges; 4],
    /// The change of the frequency of each used name, by list and number.
    frequencies: BTreeMap<(usize, u32), i64>,
    /// The names with another spelling, by list and number.
    renamed: BTreeMap<(usize, u32), Vec<u8>>,
}

/// The names of a list that are looked up or added.
#[derive(Default, Debug)]
struct ListChanges {
    /// The number of names in the file.
    count: u32,
    /// New names, with numbers after those of the file.
    added: Vec<Vec<u8>>,
    /// The numbers of names that were looked up; if `is_indexed`, of all names.
    numbers: HashMap<Vec<u8>, u32>,
    is_indexed: bool,
    scans: u32,
    /// Whether all numbers in the file are smaller than its count, so that greater ones are free.
    is_dense: bool,
}

/// An offset in a file and the bytes to write there.
pub(crate) type Patch = (u64, Vec<u8>);

/// The changed bytes of a name file.
pub(crate) enum ChangedNames {
    /// Offsets and new bytes.
    Patches(Vec<Patch>),
    /// The whole new file, because a name is new or a frequency needs a wider field.
    Whole(Vec<u8>),
    /// Bytes to append.
    Appended(Vec<u8>),
}

impl NameChanges {
    /// Starts with the content of a file of sorted lists. `None` if it cannot be read to its end.
    pub(crate) fn of_lists(bytes: Vec<u8>) -> Result<Option<NameChanges>> {
        let (file_header, mut records) = NameRecords::new(&bytes)?;
        let mut is_dense = [true; 4];
        for record in records.by_ref() {
            let Ok((list, record)) = record else {
                return Ok(None);
            };
            let count = file_header.counts.get(list);
            if let Some(is_dense) = is_dense.get_mut(list) {
                *is_dense &= count.is_some_and(|count| record.id < *count);
            }
        }
        let is_whole = records.rest.is_empty();
        let counts = file_header.counts;
        Ok(is_whole.then(|| NameChanges::new(bytes, None, counts, is_dense)))
    }

    /// Starts with the content of a log. `None` if it cannot be read to its end.
    pub(crate) fn of_log(bytes: Vec<u8>) -> Option<NameChanges> {
        let mut counts = [0; 4];
        let mut log = Log::new(&bytes);
        while let Some(record) = log.read().ok()? {
            // Records about the database are in none of the four lists.
            if let Some(count) = counts.get_mut(record.kind as usize) {
                *count += 1;
            }
        }
        Some(NameChanges::new(bytes, Some(Vec::new()), counts, [true; 4]))
    }

    fn new(
        bytes: Vec<u8>,
        log: Option<Vec<u8>>,
        counts: [u32; 4],
        is_dense: [bool; 4],
    ) -> NameChanges {
        let mut lists = counts.map(|count| ListChanges {
            count,
            ..ListChanges::default()
        });
        for (list, is_dense) in lists.iter_mut().zip(is_dense) {
            list.is_dense = is_dense;
        }
        NameChanges {
            bytes,
            log,
            lists,
            frequencies: BTreeMap::new(),
            renamed: BTreeMap::new(),
        }
    }

    /// Returns the number of names in each list, without new ones.
    pub(crate) fn counts(&self) -> [u32; 4] {
        self.lists.each_ref().map(|list| list.count)
    }

    /// Returns the number of names in each list, with new ones.
    pub(crate) fn counts_with_new(&self) -> [u32; 4] {
        let count = |list: &ListChanges| {
            let added = u32::try_from(list.added.len()).unwrap_or(u32::MAX);
            list.count.saturating_add(added)
        };
        self.lists.each_ref().map(count)
    }

    /// Returns whether every list that is not full can get a new name.
    pub(crate) fn can_grow(&self) -> bool {
        self.lists.iter().all(|list| list.is_dense)
    }

    /// Returns whether the predicate is true for all names of the file.
    pub(crate) fn all(&self, predicate: &dyn Fn(&[u8]) -> bool) -> bool {
        let mut is_true = true;
        self.for_each_name(&mut |_, _, name| is_true &= predicate(name));
        is_true
    }

    /// Returns the number of a name in a list with at most `max` names, adding it if necessary.
    /// `None` if the list is full or its numbers have gaps, so that a new number may be in use.
    pub(crate) fn number(&mut self, list: usize, name: &[u8], max: u32) -> Option<u32> {
        let changes = self.lists.get_mut(list)?;
        if let Some(number) = changes.numbers.get(name) {
            return Some(*number);
        }
        changes.scans += 1;
        if changes.scans > SCANS && !changes.is_indexed {
            self.index(list);
        }
        let number = match self.find(list, name) {
            Some(number) => number,
            None => self.add(list, name, max)?,
        };
        let changes = self.lists.get_mut(list)?;
        changes.numbers.insert(name.to_vec(), number);
        Some(number)
    }

    /// Builds the table of a list.
    fn index(&mut self, list: usize) {
        let mut numbers = HashMap::new();
        self.for_each_name(&mut |other, number, name| {
            if other == list {
                numbers.entry(name.to_vec()).or_insert(number);
            }
        });
        if let Some(changes) = self.lists.get_mut(list) {
            numbers.extend(changes.numbers.drain());
            changes.numbers = numbers;
            changes.is_indexed = true;
        }
    }

    fn add(&mut self, list: usize, name: &[u8], max: u32) -> Option<u32> {
        let changes = self.lists.get_mut(list)?;
        let added = u32::try_from(changes.added.len()).ok()?;
        let number = changes.count.checked_add(added)?;
        if number >= max || !changes.is_dense {
            return None;
        }
        changes.added.push(name.to_vec());
        if let (Some(log), Some(kind)) = (&mut self.log, NameKind::ALL.get(list)) {
            NameRecord::new(*kind, name).write(log);
        }
        Some(number)
    }

    /// Gives a name another spelling, which then has its number. Returns false if the name is not in
    /// the list, if it is there more than once, or if the new spelling is there too.
    pub(crate) fn rename(&mut self, list: usize, old: &[u8], new: &[u8]) -> bool {
        let mut numbers = Vec::new();
        self.for_each_name(&mut |other, number, name| {
            let is_old = name == old;
            if other == list && (is_old || name == new) {
                numbers.push(is_old.then_some(number));
            }
        });
        let &[Some(number)] = numbers.as_slice() else {
            return false;
        };
        let is_free = !self.renamed.values().any(|other| other == new);
        self.renamed.insert((list, number), new.to_vec());
        is_free
    }

    /// Counts one more (1) or one less (-1) use of a name.
    pub(crate) fn count(&mut self, list: usize, number: u32, uses: i64) {
        *self.frequencies.entry((list, number)).or_default() += uses;
    }

    fn records(&self) -> impl Iterator<Item = (usize, StoredName<'_>)> {
        // The header was read before.
        let records = NameRecords::new(&self.bytes).ok();
        let records = records.into_iter().flat_map(|(_, records)| records);
        records.map_while(std::result::Result::ok)
    }

    /// Visits the names of the file, each with its list and number.
    fn for_each_name(&self, visit: &mut dyn FnMut(usize, u32, &[u8])) {
        // The file was read to its end before, so there is no error.
        let _ = each_name(&self.bytes, self.log.is_some(), |list, number, name| {
            visit(list, number, name);
            ControlFlow::Continue(())
        });
    }

    /// Returns the number of a name, which may be a new one.
    pub(crate) fn find(&self, list: usize, name: &[u8]) -> Option<u32> {
        let changes = self.lists.get(list)?;
        match changes.numbers.get(name) {
            Some(number) => Some(*number),
            None if changes.is_indexed => None,
            None => self.scan(list, name),
        }
    }

    /// Returns the number of a name of the file by comparing it with all names of its list.
    fn scan(&self, list: usize, name: &[u8]) -> Option<u32> {
        if self.log.is_some() {
            let mut log = Log::new(&self.bytes);
            let records = std::iter::from_fn(|| log.read().ok().flatten());
            let mut names = records
                .filter(|record| record.kind as usize == list)
                .zip(0..);
            return names.find_map(|(record, number)| (record.text == name).then_some(number));
        }
        // The number of leading bytes that the last record shares with the name.
        let mut shared = 0;
        let of_list = self.records().filter(|(other, _)| *other == list);
        for (_, record) in of_list {
            let prefix = usize::from(record.prefix);
            // Of a shorter shared prefix, all bytes are known to be equal.
            if prefix <= shared {
                let rest = name.get(prefix..).unwrap_or_default();
                let equal = rest.iter().zip(record.own).take_while(|(a, b)| a == b);
                shared = prefix + equal.count();
            }
            if shared == name.len() && usize::from(record.length) == shared {
                return Some(record.id);
            }
        }
        None
    }

    /// Returns what must be written; `None` if nothing changes.
    pub(crate) fn finish(mut self) -> Result<Option<ChangedNames>> {
        if let Some(log) = self.log.take() {
            if !self.renamed.is_empty() {
                return self
                    .whole_log(&log)
                    .map(|bytes| Some(ChangedNames::Whole(bytes)));
            }
            return Ok((!log.is_empty()).then_some(ChangedNames::Appended(log)));
        }
        self.frequencies.retain(|_, change| *change != 0);
        let has_added = self.lists.iter().any(|list| !list.added.is_empty());
        let is_new = has_added || !self.renamed.is_empty();
        if self.frequencies.is_empty() && !is_new {
            return Ok(None);
        }
        if !is_new && let Some(patches) = self.patches()? {
            return Ok(Some(ChangedNames::Patches(patches)));
        }
        self.whole().map(|bytes| Some(ChangedNames::Whole(bytes)))
    }

    fn changed(&self, list: usize, number: u32, frequency: u32) -> u32 {
        let change = self.frequencies.get(&(list, number)).copied().unwrap_or(0);
        let changed = i64::from(frequency).saturating_add(change);
        // Frequencies are unreliable, so a stored one may be smaller than the uses that end.
        u32::try_from(changed.max(0))
            .unwrap_or(u32::MAX)
            .min(0xFF_FFFF)
    }

    /// Returns the patches; `None` if a frequency needs a wider field.
    fn patches(&self) -> Result<Option<Vec<Patch>>> {
        let (mut file_header, mut records) = NameRecords::new(&self.bytes)?;
        let widths = file_header.widths();
        let mut patches = Vec::new();
        loop {
            let start = self.bytes.len() - records.rest.len();
            let Some(record) = records.next() else {
                break;
            };
            let (list, record) = record?;
            if !self.frequencies.contains_key(&(list, record.id)) {
                continue;
            }
            let frequency = self.changed(list, record.id, record.frequency);
            let (Some(width), Some(max)) =
                (widths.get(list), file_header.max_frequencies.get_mut(list))
            else {
                continue;
            };
            // A highest frequency that is too high, of the same width, disturbs no program.
            *max = frequency.max(*max);
            // The last bytes of the 24 bits, as many as the field has.
            let bytes = split_u24(frequency).1;
            let bytes = bytes.iter().copied().skip(3 - width.frequency());
            patches.push(((start + width.id()) as u64, bytes.collect()));
        }
        let new_widths = file_header.widths();
        let mut pairs = new_widths.iter().zip(&widths);
        if !pairs.all(|(new, old)| new.frequency() == old.frequency()) {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        file_header.write(&mut bytes);
        if Some(bytes.as_slice()) != self.bytes.get(..NameHeader::SIZE) {
            patches.push((0, bytes));
        }
        Ok(Some(patches))
    }

    /// Returns the new log with new spellings, followed by the records of new names.
    fn whole_log(&self, added: &[u8]) -> Result<Vec<u8>> {
        let mut numbers = [0; 4];
        let mut bytes = Vec::with_capacity(self.bytes.len());
        let mut log = Log::new(&self.bytes);
        while let Some(mut record) = log.read()? {
            let list = record.kind as usize;
            if let Some(number) = numbers.get_mut(list) {
                if let Some(new) = self.renamed.get(&(list, *number)) {
                    record.text = new;
                }
                *number += 1;
            }
            record.write(&mut bytes);
        }
        bytes.extend_from_slice(added);
        Ok(bytes)
    }

    /// Returns the new file, with new names and new spellings at their sorted places.
    fn whole(&self) -> Result<Vec<u8>> {
        let (mut file, _) = NameFile::parse(&self.bytes)?;
        for (list, names) in file.lists.iter_mut().enumerate() {
            // Each name with its number and stored frequency.
            let mut added: Vec<(&[u8], u32, u32)> = Vec::new();
            if let Some(changes) = self.lists.get(list) {
                let new = changes.added.iter().map(Vec::as_slice).zip(changes.count..);
                added.extend(new.map(|(name, number)| (name, number, 0)));
            }
            for record in names.records() {
                if let Some(new) = self.renamed.get(&(list, record.id)) {
                    added.push((new, record.id, record.frequency));
                }
            }
            sort_by(&mut added, |(a, ..), (b, ..)| compare_names(a, b));
            let mut added = added.into_iter().peekable();
            let mut merged = NameList::default();
            for record in names.records() {
                if self.renamed.contains_key(&(list, record.id)) {
                    continue;
                }
                let name = names.name(record);
                while let Some((new, number, frequency)) =
                    added.next_if(|(new, ..)| compare_names(new, name).is_lt())
                {
                    merged.push(number, self.changed(list, number, frequency), new);
                }
                let frequency = self.changed(list, record.id, record.frequency);
                merged.push(record.id, frequency, name);
            }
            for (new, number, frequency) in added {
                merged.push(number, self.changed(list, number, frequency), new);
            }
            let frequencies = merged.records().iter().map(|record| record.frequency);
            let max = frequencies.max().unwrap_or(0);
            if let (Some(count), Some(max_frequency)) = (
                file.file_header.counts.get_mut(list),
                file.file_header.max_frequencies.get_mut(list),
            ) {
                *count = merged.records().len() as u32;
                *max_frequency = max;
            }
            *names = merged;
        }
        Ok(file.to_bytes())
    }
}

#[cfg(test)]
mod tests;
