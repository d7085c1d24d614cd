//! The files of an existing database, as far as appending and changing games need them.

use std::collections::HashMap;

use chessdb_core::Result;
use chessdb_core::files::Growing;
use chessdb_core::store::SortedOffsets;

use crate::moves::PromotionSurvey;
use crate::raw::{
    Entry, FileHeader, FileKind, FileSizes, Layout, Length, Magic, MagicFault, NameFile, Record,
};
use crate::roles::{DCG_FILE, DCI_FILE};
use crate::text::{record_of, record_text};

/// Number of entries read at a time.
const PORTION: u64 = 1 << 14;
/// Maximum number of bytes used to detect the layout: 64 entries of the longest layout.
const SAMPLE: u64 = 19 + 64 * 61;

/// The index of an existing database.
pub(super) struct ExistingIndex {
    pub(super) layout: Layout,
    pub(super) version: Option<u8>,
    pub(super) count: u32,
    pub(super) sizes: FileSizes,
}

impl ExistingIndex {
    /// Reads the start of the index. `None` if its layout is doubtful or it ends within an entry.
    pub(super) fn read(base: &dyn Growing) -> Result<Option<ExistingIndex>> {
        let length = |kind: FileKind| base.length(kind.role()).unwrap_or(0);
        let sizes = FileSizes {
            players: length(FileKind::Players),
            sites: length(FileKind::Sites),
            events: length(FileKind::Events),
            games: length(FileKind::Games),
        };
        let bytes = length(FileKind::Index);
        if bytes < Magic::SIZE as u64 {
            return Ok(None);
        }
        let mut sample = vec![0; SAMPLE.min(bytes) as usize];
        base.read_old(DCI_FILE, 0, &mut sample)?;
        let detected = Layout::detect_by(&sample, bytes, &sizes);
        if FileHeader::check_magic(&sample).is_err() || !detected.is_sure() {
            return Ok(None);
        }
        let layout = detected.layout;
        let size = layout.entry.bytes() as u64;
        let entries = bytes.checked_sub(layout.entry_offset(0));
        let whole = entries.filter(|entries| entries % size == 0);
        let count = whole.and_then(|entries| u32::try_from(entries / size).ok());
        Ok(count.map(|count| ExistingIndex {
            layout,
            version: FileHeader::parse(&sample, layout.file_header).0.version,
            count,
            sizes,
        }))
    }

    /// Returns the offsets of all records. `None` if an entry points outside its file, or if the last
    /// record of the games file is cut ([`ExistingIndex::are_inside`]).
    pub(super) fn sorted_offsets(&self, base: &dyn Growing) -> Result<Option<SortedOffsets>> {
        let mut offsets = Vec::with_capacity(self.count as usize);
        let is_sound = self.are_inside(base, |entry| offsets.push(entry.offset))?;
        Ok(is_sound.then(|| SortedOffsets::new(offsets)))
    }

    /// Passes each entry of 39 bytes to `see`. Returns false if an entry points outside its file, or
    /// if the last record of the games file is cut: new records and names would be mistaken for
    /// theirs.
    fn are_inside(&self, base: &dyn Growing, mut see: impl FnMut(&Entry)) -> Result<bool> {
        let sizes = &self.sizes;
        let mut last = 0;
        let are_inside = self.all_entries(base, |entry| {
            let ends = [
                (entry.offset, sizes.games),
                (entry.white.into(), sizes.players),
                (entry.black.into(), sizes.players),
                (entry.site.into(), sizes.sites),
                (entry.event.into(), sizes.events),
            ];
            last = entry.offset.max(last);
            see(entry);
            Ok(ends.iter().all(|(place, end)| place < end))
        })?;
        Ok(are_inside && (last == 0 || self.record_end(base, last)?.is_some()))
    }

    /// Returns whether `predicate` is true for all entries of 39 bytes. Reads none after one for which
    /// it is false.
    fn all_entries(
        &self,
        base: &dyn Growing,
        mut predicate: impl FnMut(&Entry) -> Result<bool>,
    ) -> Result<bool> {
        let size = self.layout.entry.bytes() as u64;
        let end = self.layout.entry_offset(self.count);
        let mut offset = self.layout.entry_offset(0);
        let mut bytes = Vec::new();
        while offset < end {
            bytes.resize((PORTION * size).min(end - offset) as usize, 0);
            base.read_old(DCI_FILE, offset, &mut bytes)?;
            for entry in bytes.as_chunks().0.iter().map(Entry::parse_39) {
                if !predicate(&entry)? {
                    return Ok(false);
                }
            }
            offset += bytes.len() as u64;
        }
        Ok(true)
    }

    /// Returns the offset at which the record at `offset` ends. `None` if that is beyond the end of
    /// the file.
    pub(super) fn record_end(&self, base: &dyn Growing, offset: u64) -> Result<Option<u64>> {
        let length = self.read_length(base, offset)?;
        let end = length.map(|length| offset + length.size() as u64 + u64::from(length.value));
        Ok(end.filter(|&end| end <= self.sizes.games))
    }

    /// Returns whether new promotions are read like those of the database: if a record has one that
    /// only programs write (section 5.3), or none has any. Nearly always one of the first records
    /// has one.
    pub(super) fn has_standard_promotions(&self, base: &dyn Growing) -> Result<bool> {
        let (mut has_five, mut has_promotions) = (false, false);
        let mut records = RecordWindow::default();
        self.all_entries(base, |entry| {
            if let Some(body) = records.body(base, entry.offset)? {
                let survey = PromotionSurvey::scan([(0, body)].into_iter(), body.len(), false);
                has_five = survey.five.is_some();
                has_promotions |= !survey.games.is_empty();
            }
            Ok(!has_five)
        })?;
        Ok(has_five || !has_promotions)
    }

    /// Returns the length stored at an offset of the games file.
    pub(super) fn read_length(&self, base: &dyn Growing, offset: u64) -> Result<Option<Length>> {
        // A length has five bytes at most.
        let mut bytes = vec![0; self.sizes.games.saturating_sub(offset).min(5) as usize];
        base.read_old(DCG_FILE, offset, &mut bytes)?;
        Ok(Length::parse(&bytes).map(|(length, _)| length))
    }
}

/// Bytes of the games file that are read together.
#[derive(Default)]
struct RecordWindow {
    start: u64,
    bytes: Vec<u8>,
}

impl RecordWindow {
    /// The most bytes of a record that are read.
    const SIZE: u64 = 1 << 16;

    /// Returns the body of the record at an offset, as far as it is read. `None` if the length or the
    /// start position cannot be read.
    fn body(&mut self, base: &dyn Growing, offset: u64) -> Result<Option<&[u8]>> {
        if !self.has_record(offset) {
            let end = base.length(DCG_FILE).unwrap_or(0);
            self.bytes
                .resize(end.saturating_sub(offset).min(Self::SIZE) as usize, 0);
            self.start = offset;
            base.read_old(DCG_FILE, offset, &mut self.bytes)?;
        }
        let Some((length, rest)) = self.rest(offset).and_then(Length::parse) else {
            return Ok(None);
        };
        let content = rest.get(..length.value as usize).unwrap_or(rest);
        let record = Record::parse_content(length, content);
        Ok(record.ok().map(|record| record.body))
    }

    /// Returns the bytes from an offset on.
    fn rest(&self, offset: u64) -> Option<&[u8]> {
        let distance = usize::try_from(offset.checked_sub(self.start)?).ok()?;
        self.bytes.get(distance..)
    }

    /// Returns whether a whole record is in the bytes.
    fn has_record(&self, offset: u64) -> bool {
        let record = self.rest(offset).and_then(Length::parse);
        record.is_some_and(|(length, rest)| length.value as usize <= rest.len())
    }
}

/// Returns whether all five files exist and have magic bytes of their kind.
pub(super) fn have_magic(base: &dyn Growing) -> Result<bool> {
    for kind in FileKind::ALL {
        let mut magic = [0; Magic::SIZE];
        let length = base.length(kind.role());
        if length.is_none_or(|length| length < Magic::SIZE as u64) {
            return Ok(false);
        }
        base.read_old(kind.role(), 0, &mut magic)?;
        let fault = Magic::parse(&magic).0.fault(kind);
        if !matches!(fault, None | Some(MagicFault::OldSpelling)) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The number of names that are searched for one after another. A table of all names takes as long.
const SEARCHES: u32 = 16;

/// A name file to which records are appended. For a few names it needs no table in memory.
pub(super) struct GrowingNames {
    pub(super) kind: FileKind,
    bytes: Vec<u8>,
    /// The new records.
    pub(super) added: Vec<[u8; NameFile::RECORD]>,
    /// The offsets and the new content of renamed records.
    pub(super) renamed: Vec<(u64, [u8; NameFile::RECORD])>,
    searches: u32,
    /// The numbers of all records, after many searches.
    numbers: HashMap<[u8; NameFile::RECORD], u32>,
}

impl GrowingNames {
    /// Reads a file. `None` if it ends within a record, or its records are not padded with blanks.
    pub(super) fn read(base: &dyn Growing, kind: FileKind) -> Result<Option<GrowingNames>> {
        let bytes = base.read_whole(kind.role())?;
        let (records, rest) = bytes.get(Magic::SIZE..).unwrap_or(b"?").as_chunks();
        let padded_with = |byte| {
            let last = records
                .iter()
                .map(|record: &[u8; NameFile::RECORD]| record.last());
            last.filter(|last| *last == Some(&byte)).count()
        };
        // Where most records are padded with NULs, those would count as damage among blanks.
        let nuls = padded_with(0);
        let is_whole = rest.is_empty() && (nuls == 0 || nuls < padded_with(b' '));
        Ok(is_whole.then_some(GrowingNames {
            kind,
            bytes,
            added: Vec::new(),
            renamed: Vec::new(),
            searches: 0,
            numbers: HashMap::new(),
        }))
    }

    /// Gives all records of a name another spelling. Returns false if there are none, or if a record
    /// has the new spelling already.
    pub(super) fn rename(&mut self, old: &[u8], new: &[u8]) -> bool {
        let body = self.bytes.get_mut(Magic::SIZE..).unwrap_or_default();
        let (records, _) = body.as_chunks_mut::<{ NameFile::RECORD }>();
        if records.iter().any(|record| record_text(record).0 == new) {
            return false;
        }
        let before = self.renamed.len();
        for (n, record) in (0..).zip(records) {
            // Records of one name may be padded in different ways.
            if record_text(record).0 == old
                && let Some(offset) = NameFile::reference(n)
            {
                *record = record_of(new);
                self.renamed.push((offset.into(), *record));
            }
        }
        self.renamed.len() > before
    }

    /// Returns the reference to a name, adding the name if necessary. `None` if the file is full.
    pub(super) fn reference(&mut self, name: &[u8]) -> Option<u32> {
        let record = record_of(name);
        let (records, _) = self.bytes.get(Magic::SIZE..)?.as_chunks();
        let mut all = (0..).zip(records.iter().chain(&self.added));
        let next = u32::try_from(records.len() + self.added.len()).ok()?;
        self.searches = self.searches.saturating_add(1);
        let number = match self.searches {
            ..SEARCHES => all.find_map(|(n, other)| (*other == record).then_some(n)),
            searches => {
                if searches == SEARCHES {
                    // The first of several equal records is used.
                    all.for_each(|(n, other)| {
                        self.numbers.entry(*other).or_insert(n);
                    });
                }
                self.numbers.get(&record).copied()
            }
        };
        if let Some(number) = number {
            return NameFile::reference(number);
        }
        let reference = NameFile::reference(next)?;
        self.added.push(record);
        if self.searches >= SEARCHES {
            self.numbers.insert(record, next);
        }
        Some(reference)
    }
}
