//! Changes of a name file in place: lookups, frequencies and new names without building tables.

use std::collections::{BTreeMap, HashMap};

use chessdb_core::Result;

use super::file_header::split_u24;
use super::names::{NameFile, NameHeader, NameList, NameRecords, StoredName, compare_names};
use super::si5::{NameKind, NameRecord, Names as Log};

/// The names and frequencies of a name file that changes of games need.
#[derive(Debug)]
pub(crate) struct NameChanges {
    bytes: Vec<u8>,
    /// The records to append to the log of SCID 5. `None` in SCID 3 and SCID 4.
    log: Option<Vec<u8>>,
    counts: [u32; 4],
    /// The change of the frequency of each used name, by list and number.
    frequencies: BTreeMap<(usize, u32), i64>,
    /// New names, with numbers after those of the file.
    added: [Vec<Vec<u8>>; 4],
    /// The names with another spelling, by list and number.
    renamed: BTreeMap<(usize, u32), Vec<u8>>,
    /// The numbers of names that were looked up.
    found: HashMap<(usize, Vec<u8>), u32>,
    /// Whether the numbers of each list are known to be smaller than its count.
    is_dense: [Option<bool>; 4],
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
        let is_sound = records.by_ref().all(|record| record.is_ok()) && records.rest.is_empty();
        Ok(is_sound.then(|| NameChanges::new(bytes, None, file_header.counts)))
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
        Some(NameChanges::new(bytes, Some(Vec::new()), counts))
    }

    fn new(bytes: Vec<u8>, log: Option<Vec<u8>>, counts: [u32; 4]) -> NameChanges {
        NameChanges {
            is_dense: [log.is_some().then_some(true); 4],
            bytes,
            log,
            counts,
            frequencies: BTreeMap::new(),
            added: Default::default(),
            renamed: BTreeMap::new(),
            found: HashMap::new(),
        }
    }

    /// Returns the number of names in each list, without new ones.
    pub(crate) fn counts(&self) -> [u32; 4] {
        self.counts
    }

    /// Returns the number of a name in a list with at most `max` names, adding it if necessary.
    /// `None` if the list is full or its numbers have gaps, so that a new number may be in use.
    pub(crate) fn number(&mut self, list: usize, name: &[u8], max: u32) -> Option<u32> {
        if let Some(number) = self.found.get(&(list, name.to_vec())) {
            return Some(*number);
        }
        let number = match self.find(list, name) {
            Some(number) => number,
            None => self.add(list, name, max)?,
        };
        self.found.insert((list, name.to_vec()), number);
        Some(number)
    }

    fn add(&mut self, list: usize, name: &[u8], max: u32) -> Option<u32> {
        let count = *self.counts.get(list)?;
        let is_dense = self.is_dense.get(list).copied().flatten();
        let is_dense = is_dense.unwrap_or_else(|| {
            let mut records = self.records(list);
            records.all(|record| record.id < count)
        });
        *self.is_dense.get_mut(list)? = Some(is_dense);
        let added = self.added.get_mut(list)?;
        let number = count.checked_add(u32::try_from(added.len()).ok()?)?;
        if number >= max || !is_dense {
            return None;
        }
        added.push(name.to_vec());
        if let (Some(log), Some(kind)) = (&mut self.log, NameKind::ALL.get(list)) {
            NameRecord::new(*kind, name).write(log);
        }
        Some(number)
    }

    /// Gives a name another spelling, which then has its number. Returns false if the name is not in
    /// the list, if it is there more than once, or if the new spelling is there too.
    pub(crate) fn rename(&mut self, list: usize, old: &[u8], new: &[u8]) -> Result<bool> {
        let mut numbers = Vec::new();
        let mut note = |number: u32, name: &[u8]| {
            let is_old = name == old;
            if is_old || name == new {
                numbers.push(is_old.then_some(number));
            }
        };
        if self.log.is_some() {
            let mut log = Log::new(&self.bytes);
            let records = std::iter::from_fn(|| log.read().ok().flatten());
            let of_list = records.filter(|record| record.kind as usize == list);
            of_list
                .zip(0..)
                .for_each(|(record, number)| note(number, record.text));
        } else {
            let (file, _) = NameFile::parse(&self.bytes)?;
            for (_, names) in file
                .lists
                .iter()
                .enumerate()
                .filter(|(other, _)| *other == list)
            {
                let records = names.records().iter();
                records.for_each(|record| note(record.id, names.name(record)));
            }
        }
        let &[Some(number)] = numbers.as_slice() else {
            return Ok(false);
        };
        let is_free = !self.renamed.values().any(|other| other == new);
        self.renamed.insert((list, number), new.to_vec());
        Ok(is_free)
    }

    /// Counts one more (1) or one less (-1) use of a name.
    pub(crate) fn count(&mut self, list: usize, number: u32, uses: i64) {
        *self.frequencies.entry((list, number)).or_default() += uses;
    }

    fn records(&self, list: usize) -> impl Iterator<Item = StoredName<'_>> {
        // The header was read before.
        let records = NameRecords::new(&self.bytes).ok();
        let records = records.into_iter().flat_map(|(_, records)| records);
        let of_list = records.map_while(std::result::Result::ok);
        of_list.filter_map(move |(other, record)| (other == list).then_some(record))
    }

    /// Returns the number of a name.
    fn find(&self, list: usize, name: &[u8]) -> Option<u32> {
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
        for record in self.records(list) {
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
        if let Some(log) = &mut self.log {
            let log = std::mem::take(log);
            if !self.renamed.is_empty() {
                return self
                    .whole_log(&log)
                    .map(|bytes| Some(ChangedNames::Whole(bytes)));
            }
            return Ok((!log.is_empty()).then_some(ChangedNames::Appended(log)));
        }
        self.frequencies.retain(|_, change| *change != 0);
        let is_new = !self.renamed.is_empty() || self.added.iter().any(|added| !added.is_empty());
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
            if let (Some(new), Some(count)) = (self.added.get(list), self.counts.get(list)) {
                let names = new.iter().map(Vec::as_slice).zip(*count..);
                added.extend(names.map(|(name, number)| (name, number, 0)));
            }
            for record in names.records() {
                if let Some(new) = self.renamed.get(&(list, record.id)) {
                    added.push((new, record.id, record.frequency));
                }
            }
            added.sort_by(|(a, ..), (b, ..)| compare_names(a, b));
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
mod tests {
    use super::*;

    fn file(names: &[&str], frequency: u32) -> Vec<u8> {
        let mut file = NameFile::default();
        let mut sorted: Vec<(usize, &&str)> = names.iter().enumerate().collect();
        sorted.sort_by(|(_, a), (_, b)| compare_names(a.as_bytes(), b.as_bytes()));
        for (id, name) in sorted {
            file.lists[1].push(id as u32, frequency, name.as_bytes());
        }
        file.file_header.counts[1] = names.len() as u32;
        file.file_header.max_frequencies[1] = frequency;
        file.to_bytes()
    }

    fn apply(old: &[u8], changed: ChangedNames) -> NameFile {
        let bytes = match changed {
            ChangedNames::Whole(bytes) => bytes,
            ChangedNames::Appended(bytes) => [old, &bytes].concat(),
            ChangedNames::Patches(patches) => {
                let mut bytes = old.to_vec();
                for (offset, patch) in patches {
                    bytes[offset as usize..][..patch.len()].copy_from_slice(&patch);
                }
                bytes
            }
        };
        let (file, fault) = NameFile::parse(&bytes).unwrap();
        assert!(fault.is_none());
        file
    }

    fn listed(file: &NameFile) -> Vec<(String, u32, u32)> {
        let list = &file.lists[1];
        let name = |record| String::from_utf8(list.name(record).to_vec()).unwrap();
        let records = list.records().iter();
        records
            .map(|record| (name(record), record.id, record.frequency))
            .collect()
    }

    #[test]
    fn names_are_found_among_shared_prefixes() {
        let names = [
            "Tal",
            "Ta",
            "Tarrasch",
            "Tal Memorial",
            "",
            "\u{e9}t\u{e9}",
            "Talb",
            "T",
        ];
        let mut patches = NameChanges::of_lists(file(&names, 1)).unwrap().unwrap();
        for (id, name) in names.iter().enumerate() {
            assert_eq!(patches.find(1, name.as_bytes()), Some(id as u32), "{name}");
        }
        for absent in ["Talbot", "Tam", "A", "Tal M", "t"] {
            assert_eq!(patches.find(1, absent.as_bytes()), None, "{absent}");
        }
        assert_eq!(patches.find(0, b"Tal"), None);
        assert_eq!(patches.number(1, b"Tam", 9), Some(8));
        assert_eq!(
            (patches.number(1, b"Tam", 9), patches.number(1, b"Ta", 9)),
            (Some(8), Some(1))
        );
        assert_eq!(patches.number(1, b"Tan", 9), None);
    }

    #[test]
    fn frequencies_change_in_place_while_they_are_as_wide() {
        let old = file(&["A", "B"], 250);
        let mut patches = NameChanges::of_lists(old.clone()).unwrap().unwrap();
        patches.count(1, 0, 5);
        patches.count(1, 1, -300);
        let changed = patches.finish().unwrap().unwrap();
        assert!(matches!(changed, ChangedNames::Patches(_)));
        let file = apply(&old, changed);
        assert_eq!(file.file_header.max_frequencies[1], 255);
        assert_eq!(
            listed(&file),
            [("A".to_owned(), 0, 255), ("B".to_owned(), 1, 0)]
        );
        let mut patches = NameChanges::of_lists(old.clone()).unwrap().unwrap();
        patches.count(1, 0, 6);
        let changed = patches.finish().unwrap().unwrap();
        assert!(matches!(changed, ChangedNames::Whole(_)));
        assert_eq!(listed(&apply(&old, changed))[0].2, 256);
        assert!(
            NameChanges::of_lists(old)
                .unwrap()
                .unwrap()
                .finish()
                .unwrap()
                .is_none()
        );
    }

    #[test]
    fn new_names_get_their_sorted_places() {
        let old = file(&["Berlin", "Amsterdam", "Zagreb"], 3);
        let mut patches = NameChanges::of_lists(old.clone()).unwrap().unwrap();
        for name in ["Riga", "Aachen", "Zwolle"] {
            let number = patches.number(1, name.as_bytes(), 100).unwrap();
            patches.count(1, number, 2);
        }
        let changed = patches.finish().unwrap().unwrap();
        let names = [
            "Aachen 4 2",
            "Amsterdam 1 3",
            "Berlin 0 3",
            "Riga 3 2",
            "Zagreb 2 3",
            "Zwolle 5 2",
        ];
        let listed = listed(&apply(&old, changed));
        let words: Vec<String> = listed
            .iter()
            .map(|(a, b, c)| format!("{a} {b} {c}"))
            .collect();
        assert_eq!(words, names);
    }

    #[test]
    fn a_new_spelling_moves_to_its_sorted_place_with_its_number() {
        let old = file(&["Berlin", "Amsterdam", "Zagreb"], 3);
        let mut names = NameChanges::of_lists(old.clone()).unwrap().unwrap();
        assert!(
            !names.rename(1, b"Riga", b"Rome").unwrap(),
            "there is no such name"
        );
        assert!(
            !names.rename(1, b"Berlin", b"Zagreb").unwrap(),
            "both are there"
        );
        assert!(
            !names.rename(0, b"Berlin", b"Bonn").unwrap(),
            "another list"
        );
        assert!(names.finish().unwrap().is_none());
        let mut names = NameChanges::of_lists(old.clone()).unwrap().unwrap();
        assert!(names.rename(1, b"Berlin", b"Zwolle").unwrap());
        assert!(names.rename(1, b"Zagreb", b"Aachen").unwrap());
        let words = [(2, "Aachen"), (1, "Amsterdam"), (0, "Zwolle")];
        let expected = words.map(|(id, name)| (name.to_owned(), id, 3));
        assert_eq!(
            listed(&apply(&old, names.finish().unwrap().unwrap())),
            expected
        );
        let mut names = NameChanges::of_lists(old).unwrap().unwrap();
        assert!(names.rename(1, b"Berlin", b"Rome").unwrap());
        assert!(
            !names.rename(1, b"Zagreb", b"Rome").unwrap(),
            "two names would be one"
        );
    }

    #[test]
    fn a_new_spelling_keeps_its_place_in_a_log() {
        let mut bytes = Vec::new();
        for (kind, name) in [
            (NameKind::Site, "Riga"),
            (NameKind::Info, "type7"),
            (NameKind::Event, "Riga"),
            (NameKind::Site, "Tallinn"),
        ] {
            NameRecord::new(kind, name.as_bytes()).write(&mut bytes);
        }
        let mut names = NameChanges::of_log(bytes).unwrap();
        assert!(names.rename(2, b"Riga", b"Riga (Latvia)").unwrap());
        let Some(ChangedNames::Whole(bytes)) = names.finish().unwrap() else {
            panic!("the log is written again");
        };
        let mut log = Log::new(&bytes);
        let mut texts = Vec::new();
        while let Some(record) = log.read().unwrap() {
            texts.push(String::from_utf8(record.text.to_vec()).unwrap());
        }
        assert_eq!(texts, ["Riga (Latvia)", "type7", "Riga", "Tallinn"]);
    }

    #[test]
    fn new_names_are_appended_to_a_log() {
        let mut bytes = Vec::new();
        for (kind, name) in [
            (NameKind::Site, "Riga"),
            (NameKind::Info, "type7"),
            (NameKind::Event, "Riga"),
        ] {
            NameRecord::new(kind, name.as_bytes()).write(&mut bytes);
        }
        let mut names = NameChanges::of_log(bytes.clone()).unwrap();
        assert_eq!(names.counts(), [0, 1, 1, 0]);
        assert_eq!(
            (names.number(1, b"Riga", 9), names.number(2, b"Riga", 9)),
            (Some(0), Some(0))
        );
        assert_eq!(
            (names.number(2, b"type7", 9), names.number(2, b"", 9)),
            (Some(1), Some(2))
        );
        let Some(ChangedNames::Appended(added)) = names.finish().unwrap() else {
            panic!("two names are new");
        };
        let mut names = NameChanges::of_log([bytes, added].concat()).unwrap();
        assert_eq!(
            (names.number(2, b"type7", 9), names.number(2, b"", 9)),
            (Some(1), Some(2))
        );
        assert!(names.finish().unwrap().is_none());
        assert!(NameChanges::of_log(vec![0x0D]).is_none());
    }
}
