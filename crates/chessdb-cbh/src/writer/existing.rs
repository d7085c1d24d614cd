//! An existing database that is being changed in place: its files, and what all changes have in
//! common (docs/formats/cbh.md, section 20).

use std::collections::BTreeMap;

use chessdb_core::files::Growing;
use chessdb_core::{ErrorKind, Result};

use super::GameBuffers;
use super::extended_file::ExtendedFile;
use super::names::{NameChanges, numbers_of};
use super::record_file::RecordFile;
use crate::raw::bytes::be32;
use crate::raw::{AnnotationRecord, IndexHeader, Record};
use crate::roles::{BOOSTERS, CBA_FILE, CBG_FILE, CBH_FILE, DERIVED};
use crate::table_writers::{NAME_TABLES, names_of};
use crate::text::TextEncoder;

/// The number of records of the index that are read together.
const BLOCK: u32 = 1 << 14;

/// The files of a database.
#[derive(Debug)]
pub(super) struct ExistingBase {
    header: IndexHeader,
    /// The number of games and guiding texts before the change.
    pub(super) count: u32,
    pub(super) moves: RecordFile,
    annotations: RecordFile,
    /// `None` if the database has no extended headers.
    pub(super) extended: Option<ExtendedFile>,
    pub(super) names: NameChanges,
    /// The changed records of the index by the number of their game.
    entries: BTreeMap<u32, [u8; Record::SIZE]>,
    /// The new records of the index.
    added: Vec<u8>,
    /// The teams and the game tag of each of them.
    added_links: Vec<[Option<u32>; 3]>,
    /// Whether all records are known to be within their files.
    can_grow: bool,
    /// Whether something changed that the search boosters contain.
    pub(super) outdates_boosters: bool,
    /// Whether moves changed, on which the opening keys depend.
    pub(super) outdates_keys: bool,
}

impl ExistingBase {
    /// Opens a database. `None` if its files do not match, so that it must be rewritten.
    pub(super) fn open(base: &dyn Growing, texts: TextEncoder) -> Result<Option<ExistingBase>> {
        let mut bytes = [0; IndexHeader::SIZE];
        let length = base.length(CBH_FILE).unwrap_or(0);
        let Some(records) = length.checked_sub(bytes.len() as u64) else {
            return Ok(None);
        };
        base.read_old(CBH_FILE, 0, &mut bytes)?;
        let header = IndexHeader::parse(&bytes);
        let count = records / Record::SIZE as u64;
        // New records after part of a record would be read at a wrong offset.
        let is_sound = usize::from(header.record_size) == Record::SIZE
            && records % Record::SIZE as u64 == 0
            && u64::from(header.next_game) == count + 1;
        let has_games = base.length(CBG_FILE).is_some();
        let (Some(moves), Some(annotations)) = (
            RecordFile::open(CBG_FILE, base)?,
            RecordFile::open(CBA_FILE, base)?,
        ) else {
            return Ok(None);
        };
        let count = u32::try_from(count).ok();
        let Some(count) = count.filter(|_| is_sound && has_games) else {
            return Ok(None);
        };
        Ok(Some(ExistingBase {
            header,
            count,
            moves,
            annotations,
            extended: ExtendedFile::open(base)?,
            names: NameChanges::new(texts),
            entries: BTreeMap::new(),
            added: Vec::new(),
            added_links: Vec::new(),
            can_grow: false,
            outdates_boosters: false,
            outdates_keys: false,
        }))
    }

    /// Returns the record of the index of a game or text.
    pub(super) fn entry(&self, base: &dyn Growing, id: u32) -> Result<[u8; Record::SIZE]> {
        if let Some(entry) = self.entries.get(&id) {
            return Ok(*entry);
        }
        let mut bytes = [0; Record::SIZE];
        if id == 0 || id > self.count {
            return Err(ErrorKind::no_such_game(id.saturating_sub(1), self.count).into());
        }
        base.read_old(CBH_FILE, offset_of(id), &mut bytes)?;
        Ok(bytes)
    }

    /// Replaces a record of the index.
    pub(super) fn set_entry(&mut self, id: u32, entry: [u8; Record::SIZE]) {
        self.entries.insert(id, entry);
    }

    /// Returns ChessBase's number of the next game, which counts guiding texts as well.
    pub(super) fn next_id(&self) -> u32 {
        let added = (self.added.len() / Record::SIZE) as u32;
        self.count.saturating_add(added).saturating_add(1)
    }

    /// Appends a game. Returns false if a name has no room.
    pub(super) fn append_game(
        &mut self,
        base: &mut dyn Growing,
        game: &GameBuffers,
    ) -> Result<bool> {
        let id = self.next_id();
        let mut numbers = [None; NAME_TABLES.len()];
        let names = NAME_TABLES.into_iter().zip(names_of(&game.header.names));
        for ((table, name), number) in names.zip(&mut numbers) {
            let Some(new) = self.names.number(base, table, name)? else {
                return Ok(false);
            };
            self.move_reference(base, table, id, None, new)?;
            *number = new;
        }
        let moves = self
            .moves
            .append(base, |out| out.extend_from_slice(&game.record))?;
        let (count, notes) = (game.moves.summary.annotations, &game.moves.annotations);
        let annotations = self.append_annotations(base, id, count, notes)?;
        let (record, extended) = game.entries(id, numbers, moves, annotations);
        self.added.extend_from_slice(&record.to_bytes());
        let [.., white_team, black_team, tag] = numbers;
        self.added_links.push([white_team, black_team, tag]);
        if let Some(file) = &mut self.extended {
            file.append(base, &extended)?;
        }
        (self.outdates_boosters, self.outdates_keys) = (true, true);
        Ok(true)
    }

    /// Appends the annotations of a game and returns their offset; 0 without annotations.
    pub(super) fn append_annotations(
        &mut self,
        base: &mut dyn Growing,
        id: u32,
        count: u32,
        annotations: &[u8],
    ) -> Result<u64> {
        if count == 0 {
            return Ok(0);
        }
        self.annotations.append(base, |out| {
            AnnotationRecord::new(id, count, annotations).write(out);
        })
    }

    /// Counts the bytes of annotations that a game no longer uses.
    pub(super) fn release_annotations(&mut self, base: &dyn Growing, offset: u64) -> Result<()> {
        if offset == 0 {
            return Ok(());
        }
        let header = self
            .annotations
            .read(base, offset, AnnotationRecord::HEADER)?;
        let available = self.annotations.length().saturating_sub(offset);
        let size = AnnotationRecord::parse(&header).map_or(0, |record| record.size);
        self.annotations
            .release(u64::from(size).min(available) as usize);
        Ok(())
    }

    /// Returns the offset of a record: 32 bits are in the index, all 64 in the extended header.
    pub(super) fn long_offset(&self, short: u32, long: Option<u64>, is_annotation: bool) -> u64 {
        let file = if is_annotation { &self.annotations } else { &self.moves };
        let is_needed = file.length() > u32::MAX.into();
        long.filter(|&long| is_needed && long as u32 == short)
            .unwrap_or(short.into())
    }

    /// Moves the references of a game from one name to another.
    pub(super) fn move_reference(
        &mut self,
        base: &dyn Growing,
        table: usize,
        id: u32,
        old: Option<u32>,
        new: Option<u32>,
    ) -> Result<()> {
        let Some(changes) = self.names.table(base, table)? else {
            return Ok(());
        };
        if let Some(old) = old {
            changes.release(base, old, id)?;
        }
        match new {
            Some(new) => changes.refer(base, new, id),
            None => Ok(()),
        }
    }

    /// Finds the first game of the names that lost the reference of their first one.
    fn find_first_games(&mut self, base: &dyn Growing) -> Result<()> {
        // Of each table, which numbers are searched for. A list is faster than a set.
        let mut wanted: [Vec<bool>; 6] = Default::default();
        let mut remaining = 0_usize;
        let mut first = u32::MAX;
        for (table, wanted) in self.names.tables.iter_mut().zip(&mut wanted) {
            let Some(table) = table else { continue };
            for number in std::mem::take(&mut table.without_first) {
                let Some(game) = table.first_game(base, number)? else {
                    continue;
                };
                wanted.resize(table.len() as usize, false);
                if let Some(place) = wanted.get_mut(number as usize) {
                    *place = true;
                    remaining += 1;
                    first = first.min(game);
                }
            }
        }
        // Teams and game tags are in the extended headers, which need not be read for other names.
        let has_extended = wanted.iter().skip(4).any(|wanted| !wanted.is_empty());
        let mut id = first.max(1);
        let mut block = Vec::new();
        while remaining > 0 && id <= self.count {
            let count = BLOCK.min(self.count - id + 1);
            block.resize(count as usize * Record::SIZE, 0);
            base.read_old(CBH_FILE, offset_of(id), &mut block)?;
            let extended = match &self.extended {
                Some(extended) if has_extended => Some(extended.read_block(base, id, count)?),
                _ => None,
            };
            for (game, record) in (id..).zip(block.as_chunks().0) {
                let record = self.entries.get(&game).unwrap_or(record);
                let extended = extended.as_ref().and_then(|block| block.get(game));
                let numbers = numbers_of(record, extended);
                remaining -= self.names.note_first(base, game, numbers, &mut wanted)?;
            }
            id += count;
        }
        let added = std::mem::take(&mut self.added);
        let links = std::mem::take(&mut self.added_links);
        let records = added.as_chunks().0.iter().zip(&links);
        for (game, (record, [white_team, black_team, tag])) in (self.count + 1..).zip(records) {
            if remaining == 0 {
                break;
            }
            let mut numbers = numbers_of(record, None);
            let [.., white, black, last] = &mut numbers;
            (*white, *black, *last) = (*white_team, *black_team, *tag);
            remaining -= self.names.note_first(base, game, numbers, &mut wanted)?;
        }
        self.added = added;
        Ok(())
    }

    /// Calls `visit` with each record of the index and its number.
    fn for_each_record(
        &self,
        base: &dyn Growing,
        visit: &mut dyn FnMut(u32, &[u8; Record::SIZE]),
    ) -> Result<()> {
        let mut block = Vec::new();
        let mut id = 1;
        while id <= self.count {
            let count = BLOCK.min(self.count - id + 1);
            block.resize(count as usize * Record::SIZE, 0);
            base.read_old(CBH_FILE, offset_of(id), &mut block)?;
            for (id, record) in (id..).zip(block.as_chunks().0) {
                visit(id, record);
            }
            id += count;
        }
        Ok(())
    }

    /// Returns the numbers of all records of the index that are games, not texts.
    pub(super) fn game_ids(&self, base: &dyn Growing) -> Result<Vec<u32>> {
        let mut ids = Vec::new();
        self.for_each_record(base, &mut |id, record| {
            if is_game(record) {
                ids.push(id);
            }
        })?;
        Ok(ids)
    }

    /// Returns whether all records are within their files. Otherwise new records would be taken for
    /// those of damaged games.
    fn are_records_inside(&self, base: &dyn Growing) -> Result<bool> {
        // The index has only 32 bits of an offset.
        let within = |file: &RecordFile| u32::try_from(file.length()).unwrap_or(u32::MAX);
        let (moves, annotations) = (within(&self.moves), within(&self.annotations));
        let mut is_sound = true;
        self.for_each_record(base, &mut |_, record| {
            is_sound &= be32(record, 1) < moves;
            is_sound &= !is_game(record) || be32(record, 5) == 0 || be32(record, 5) < annotations;
        })?;
        Ok(is_sound)
    }

    /// Returns whether games can be appended: all records are within their files, and the extended
    /// headers have the current form, which holds all fields of a new game.
    pub(super) fn is_complete(&mut self, base: &mut dyn Growing) -> Result<bool> {
        let extended = self.extended.as_ref();
        let mut is_complete = extended.is_some_and(|extended| extended.is_complete(self.count));
        for table in 0..self.names.tables.len() {
            is_complete &= self.names.table(base, table)?.is_some();
        }
        Ok(is_complete && self.names.has_details(base)? && self.can_grow(base)?)
    }

    /// Returns whether new records can follow those of the files. A database that is as our last change
    /// left it was examined then.
    pub(super) fn can_grow(&mut self, base: &mut dyn Growing) -> Result<bool> {
        if !self.can_grow {
            self.can_grow = base.is_known_sound() || self.are_records_inside(base)?;
            if self.can_grow {
                base.note_sound();
            }
        }
        Ok(self.can_grow)
    }

    /// Writes the changes.
    pub(super) fn finish(mut self, base: &mut dyn Growing) -> Result<()> {
        self.find_first_games(base)?;
        let next_id = self.next_id();
        self.moves.finish(base)?;
        self.annotations.finish(base)?;
        self.names.finish(base)?;
        if let Some(extended) = self.extended {
            extended.finish(base)?;
        }
        for (n, role) in DERIVED.into_iter().enumerate() {
            let is_outdated =
                if n < BOOSTERS { self.outdates_boosters } else { self.outdates_keys };
            if is_outdated && base.length(role).is_some() {
                base.remove(role)?;
            }
        }
        // The index comes last: until then nothing refers to the new bytes.
        let index = base.grow(CBH_FILE)?;
        for (id, entry) in &self.entries {
            base.patch(index, offset_of(*id), entry)?;
        }
        if !self.added.is_empty() {
            base.write(index, &self.added)?;
            let mut header = self.header;
            header.next_game = next_id;
            // Shorter headers do not have the second number.
            if header.used >= IndexHeader::WITH_SECOND_COUNT {
                header.next_game_again = header.next_game;
            }
            base.patch(index, 0, &header.to_bytes())?;
        }
        base.commit()
    }
}

/// Returns whether a record of the index is a game.
fn is_game(record: &[u8; Record::SIZE]) -> bool {
    let [kind, ..] = *record;
    kind & (Record::PRESENT | Record::TEXT) == Record::PRESENT
}

/// Returns the offset of a record of the index.
fn offset_of(id: u32) -> u64 {
    IndexHeader::SIZE as u64 + u64::from(id.saturating_sub(1)) * Record::SIZE as u64
}
