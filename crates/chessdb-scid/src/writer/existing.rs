//! The files of an existing database that games are changed in or appended to: index entries,
//! records after the games, and names (docs/formats/scid.md, sections 2 to 4).

use chessdb_core::files::Growing;
use chessdb_core::{ErrorKind, Result};

use super::games::GamesFile;
use crate::entry::{Entries, NAME_LISTS};
use crate::generation::{Generation, Spec};
use crate::raw::{ChangedNames, FileHeader, NameChanges, Patch, split_u24};

/// The offset of the number of games in the header of an index (section 1).
const GAMES_AT: u64 = 14;

/// The number of entries examined together.
const PORTION: u64 = 1 << 14;

/// The files of a database while they are being changed.
pub(super) struct ExistingDatabase<'a> {
    base: &'a mut dyn Growing,
    pub(super) spec: &'static Spec,
    /// The number of games.
    pub(super) count: u32,
    /// The length of the games file.
    games_bytes: u64,
    /// Read when a name changes or a record is appended.
    names: Option<NameChanges>,
    /// Opened when the first record is appended.
    games: Option<GamesFile>,
}

impl<'a> ExistingDatabase<'a> {
    /// Opens the files of a database of this generation. `None` if a file is missing, or if the index
    /// does not have as many entries as its header states.
    pub(super) fn open(
        generation: Generation,
        base: &'a mut dyn Growing,
    ) -> Result<Option<ExistingDatabase<'a>>> {
        let spec = generation.spec();
        let [index, games, names] = spec.files;
        let lengths = [index, games, names].map(|role| base.length(role));
        let [Some(index_bytes), Some(games_bytes), Some(_)] = lengths else {
            return Ok(None);
        };
        let Some(entry_bytes) = index_bytes.checked_sub(spec.file_header as u64) else {
            return Ok(None);
        };
        let count = entry_bytes / spec.entry as u64;
        // New entries after part of an entry would be read at a wrong offset.
        let mut is_sound = entry_bytes % spec.entry as u64 == 0;
        if spec.file_header > 0 {
            let mut bytes = vec![0; spec.file_header];
            base.read_old(index, 0, &mut bytes)?;
            let read = FileHeader::parse(&bytes)?;
            is_sound &= read.size() == spec.file_header && u64::from(read.games) == count;
        }
        let count = u32::try_from(count).ok().filter(|_| is_sound);
        Ok(count.map(|count| ExistingDatabase {
            base,
            spec,
            count,
            games_bytes,
            names: None,
            games: None,
        }))
    }

    /// Returns the offset of an entry and its bytes.
    pub(super) fn read_entry(&self, n: u32) -> Result<(u64, Vec<u8>)> {
        if n >= self.count {
            return Err(ErrorKind::no_such_game(n, self.count).into());
        }
        let offset = self.spec.place(n + 1);
        let mut bytes = vec![0; self.spec.entry];
        self.base
            .read_old(self.spec.index_file(), offset, &mut bytes)?;
        Ok((offset, bytes))
    }

    /// Returns the names of the database, if they can be changed.
    pub(super) fn names(&mut self) -> Result<Option<&mut NameChanges>> {
        if self.names.is_none() {
            let bytes = self.base.read_whole(self.spec.names_file())?;
            self.names = match self.spec.generation {
                Generation::Si5 => NameChanges::of_log(bytes),
                Generation::Si3 | Generation::Si4 => NameChanges::of_lists(bytes)?,
            };
        }
        Ok(self.names.as_mut())
    }

    /// Returns the names, if they have been read.
    pub(super) fn read_names(&self) -> Option<&NameChanges> {
        self.names.as_ref()
    }

    /// Returns whether every entry refers to an existing record and existing names, so that nothing
    /// that is appended is taken for a part of an old game. A database that is as our last change
    /// left it was examined then.
    pub(super) fn is_sound(&mut self) -> Result<bool> {
        let Some(counts) = self.names()?.map(|names| names.counts()) else {
            return Ok(false);
        };
        let is_sound = self.base.is_known_sound() || self.are_entries_inside(counts)?;
        if is_sound {
            self.base.note_sound();
        }
        Ok(is_sound)
    }

    fn are_entries_inside(&self, names: [u32; 4]) -> Result<bool> {
        let spec = self.spec;
        let mut offset = spec.file_header as u64;
        let mut left = u64::from(self.count);
        let mut bytes = Vec::new();
        while left > 0 {
            let portion = left.min(PORTION);
            let length = portion * spec.entry as u64;
            bytes.resize(length as usize, 0);
            self.base.read_old(spec.index_file(), offset, &mut bytes)?;
            for mut entry in Entries::split(&bytes, spec.generation).0.iter() {
                let end = entry.offset.checked_add(entry.length.into());
                let mut numbers = NAME_LISTS.into_iter().zip(entry.names_mut());
                let named = numbers
                    .all(|(list, number)| names.get(list).is_some_and(|count| *number < *count));
                if !named || end.is_none_or(|end| end > self.games_bytes) {
                    return Ok(false);
                }
            }
            offset += length;
            left -= portion;
        }
        Ok(true)
    }

    /// Opens the games file for appending. Returns false if the database is not sound.
    pub(super) fn open_games(&mut self) -> Result<bool> {
        if self.games.is_none() && self.is_sound()? {
            let file = self.base.grow(self.spec.games_file())?;
            self.games = Some(GamesFile::new(file, self.spec, self.games_bytes));
        }
        Ok(self.games.is_some())
    }

    /// Returns whether a record of this length may be appended to the open games file.
    pub(super) fn has_room(&self, length: usize) -> bool {
        let games = self.games.as_ref();
        games.is_some_and(|games| games.has_room(length))
    }

    /// Appends a record and returns its offset. `None` if there is no room, or if the database is not
    /// sound.
    pub(super) fn append_record(&mut self, record: &[u8]) -> Result<Option<u64>> {
        if !self.open_games()? {
            return Ok(None);
        }
        match &mut self.games {
            Some(games) if games.has_room(record.len()) => {
                games.append(record, &mut *self.base).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Writes the changed names, the changed entries (offset and bytes) and the new entries.
    pub(super) fn finish(mut self, changed: &[Patch], new_entries: &[u8]) -> Result<()> {
        if let Some(games) = &mut self.games {
            games.flush(&mut *self.base)?;
        }
        let names = self.names.take().map(NameChanges::finish).transpose()?;
        if let Some(names) = names.flatten() {
            self.write_names(names)?;
        }
        // The index comes last: until then nothing refers to the new bytes.
        let index = self.base.grow(self.spec.index_file())?;
        for (offset, bytes) in changed {
            self.base.patch(index, *offset, bytes)?;
        }
        let added = (new_entries.len() / self.spec.entry) as u32;
        if added > 0 && self.spec.file_header > 0 {
            let (_, count) = split_u24(self.count.saturating_add(added));
            self.base.patch(index, GAMES_AT, &count)?;
        }
        self.base.write(index, new_entries)?;
        self.base.commit()
    }

    fn write_names(&mut self, changed: ChangedNames) -> Result<()> {
        let role = self.spec.names_file();
        match changed {
            ChangedNames::Whole(bytes) => {
                let file = self.base.create(role)?;
                self.base.write(file, &bytes)
            }
            ChangedNames::Appended(bytes) => {
                let file = self.base.grow(role)?;
                self.base.write(file, &bytes)
            }
            ChangedNames::Patches(patches) => {
                let file = self.base.grow(role)?;
                patches
                    .iter()
                    .try_for_each(|(offset, bytes)| self.base.patch(file, *offset, bytes))
            }
        }
    }
}
