//! Changes of single games: the index entry in place, a changed record at the end of the games
//! file, and the names (docs/formats/scid.md, sections 2 to 4).

use chessdb_core::files::{FileId, Growing};
use chessdb_core::model::GameFlags;
use chessdb_core::options::Allow;
use chessdb_core::store::{ChangeGames, EncodeGame};
use chessdb_core::text::EncodingDetector;
use chessdb_core::{ErrorKind, Game, LossKind, Losses, Result, WriteOptions};

use super::append::{ExistingGames, GAMES_AT, are_inside};
use super::games::GamesFile;
use super::{EncodedGame, GameEncoder};
use crate::entry::{Entries, GameEntry, NAME_LISTS};
use crate::generation::{Generation, Spec};
use crate::raw::{ChangedNames, IndexFlags, NameChanges, Patch};
use crate::text::{FALLBACK, TextEncoder};

/// A database whose games are being changed.
pub(crate) struct GameChanger<'a> {
    base: &'a mut dyn Growing,
    spec: &'static Spec,
    encoder: GameEncoder,
    allow: Allow,
    existing: ExistingGames,
    /// Read when a name changes or a record is appended.
    names: Option<NameChanges>,
    /// Opened when the first record is appended.
    games: Option<GamesFile>,
    /// The changed entries: offset in the index file, and all bytes.
    entries: Vec<Patch>,
    /// The entries of appended games, and their number.
    added: (Vec<u8>, u32),
    old: EncodedGame,
    new: EncodedGame,
}

impl<'a> GameChanger<'a> {
    /// Opens a database of this generation. `None` if it must be rewritten for any change, because
    /// its files do not match.
    pub(crate) fn open(
        generation: Generation,
        base: &'a mut dyn Growing,
        options: WriteOptions,
    ) -> Result<Option<GameChanger<'a>>> {
        let spec = generation.spec();
        let Some(existing) = ExistingGames::read(spec, base)? else {
            return Ok(None);
        };
        let texts = TextEncoder {
            charset: options.charset,
            keep: Some(
                options
                    .detector
                    .unwrap_or_else(|| EncodingDetector::new(FALLBACK)),
            ),
        };
        Ok(Some(GameChanger {
            base,
            spec,
            encoder: GameEncoder::new(texts, spec),
            allow: options.allow,
            existing,
            names: None,
            games: None,
            entries: Vec::new(),
            added: (Vec::new(), 0),
            old: EncodedGame::default(),
            new: EncodedGame::default(),
        }))
    }

    /// Returns the offset of an entry and its bytes.
    fn read_entry(&self, n: u32) -> Result<(u64, Vec<u8>)> {
        if n >= self.existing.count {
            let (field, value) = ("game number", u64::from(n) + 1);
            return Err(ErrorKind::BadField { field, value }.into());
        }
        let offset = self.spec.file_header as u64 + u64::from(n) * self.spec.entry as u64;
        let mut bytes = vec![0; self.spec.entry];
        self.base
            .read_old(self.spec.index_file(), offset, &mut bytes)?;
        Ok((offset, bytes))
    }

    /// Notes the new bytes of an entry. Bits that no field has keep their values.
    fn write_entry(&mut self, offset: u64, stored: Vec<u8>, old: GameEntry, new: GameEntry) {
        let (mut old_bytes, mut new_bytes) = (Vec::new(), Vec::new());
        old.write(self.spec, &mut old_bytes);
        new.write(self.spec, &mut new_bytes);
        let mut bytes = stored;
        for ((byte, old), new) in bytes.iter_mut().zip(old_bytes).zip(new_bytes) {
            *byte = *byte & !(old ^ new) | new & (old ^ new);
        }
        self.entries.push((offset, bytes));
    }

    /// Returns the names of the database, if they can be changed.
    fn names(&mut self) -> Result<Option<&mut NameChanges>> {
        if self.names.is_none() {
            let bytes = self.base.read_whole(self.spec.names_file())?;
            self.names = match self.spec.generation {
                Generation::Si5 => NameChanges::of_log(bytes),
                Generation::Si3 | Generation::Si4 => NameChanges::of_lists(bytes)?,
            };
        }
        Ok(self.names.as_mut())
    }

    /// Appends a record and returns its offset. `None` if an entry of the database refers to bytes
    /// behind the games file, where the record would be taken for its game, or if there is no room.
    fn append_record(&mut self) -> Result<Option<u64>> {
        let spec = self.spec;
        if self.games.is_none() {
            let Some(counts) = self.names()?.map(|names| names.counts()) else {
                return Ok(None);
            };
            let ExistingGames {
                count, games_bytes, ..
            } = self.existing;
            if !are_inside(spec, self.base, count, games_bytes, counts)? {
                return Ok(None);
            }
            let file = self.base.grow(spec.games_file())?;
            self.games = Some(GamesFile::new(file, spec, games_bytes));
        }
        let record = &self.new.record;
        match &mut self.games {
            Some(games) if games.has_room(record.len()) => {
                games.append(record, &mut *self.base).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Gives the changed names of an entry their numbers; all names if the game `is_new`. Returns
    /// false if a new name has no room.
    fn change_names(&mut self, entry: &mut GameEntry, is_new: bool) -> Result<bool> {
        let spec = self.spec;
        for (n, (list, number)) in NAME_LISTS.into_iter().zip(entry.names_mut()).enumerate() {
            if !is_new && self.old.names.get(n) == self.new.names.get(n) {
                continue;
            }
            let name = self.new.names.get(n).cloned().unwrap_or_default();
            let max = spec.max_names.get(list).copied().unwrap_or(0);
            let Some(names) = self.names()? else {
                return Ok(false);
            };
            let Some(new) = names.number(list, &name, max) else {
                return Ok(false);
            };
            if !is_new {
                names.count(list, *number, -1);
            }
            names.count(list, new, 1);
            *number = new;
        }
        Ok(true)
    }
}

impl ChangeGames for GameChanger<'_> {
    fn set_flags(&mut self, n: u32, old: GameFlags, new: GameFlags) -> Result<Option<Losses>> {
        let mut losses = Losses::new();
        if self.spec.marks(new) != new {
            losses.add(LossKind::Flags, None);
        }
        self.allow.check(&losses)?;
        let (offset, bytes) = self.read_entry(n)?;
        let Some(stored) = Entries::split(&bytes, self.spec.generation).0.get(0) else {
            return Ok(None);
        };
        let marks = |flags| IndexFlags::empty().with_marks(self.spec.marks(flags));
        let mut entry = stored;
        entry.flags = merged_flags(stored.flags, marks(old), marks(new));
        self.write_entry(offset, bytes, stored, entry);
        Ok(Some(losses))
    }

    fn replace(&mut self, n: u32, old: &Game, new: &Game) -> Result<Option<Losses>> {
        let (offset, bytes) = self.read_entry(n)?;
        let Some(stored) = Entries::split(&bytes, self.spec.generation).0.get(0) else {
            return Ok(None);
        };
        let mut losses = Losses::new();
        let is_stored = self.encoder.encode(new, &mut self.new, &mut losses)?;
        self.allow.check(&losses)?;
        // A game that the format cannot store, or did not store like this, needs more than a change.
        if !is_stored
            || !self
                .encoder
                .encode(old, &mut self.old, &mut Losses::new())?
        {
            return Ok(None);
        }
        let mut entry = merged_entry(stored, &self.old.entry, &self.new.entry);
        if self.old.record != self.new.record {
            let Some(place) = self.append_record()? else {
                return Ok(None);
            };
            entry.offset = place;
            entry.length = self.new.record.len() as u32;
        }
        if !self.change_names(&mut entry, false)? {
            return Ok(None);
        }
        self.write_entry(offset, bytes, stored, entry);
        Ok(Some(losses))
    }

    fn append(&mut self, game: &Game) -> Result<Option<Losses>> {
        let mut losses = Losses::new();
        let is_stored = self.encoder.encode(game, &mut self.new, &mut losses)?;
        self.allow.check(&losses)?;
        let games = self.existing.count.saturating_add(self.added.1);
        if !is_stored || games >= self.spec.max_games {
            return Ok(None);
        }
        let Some(offset) = self.append_record()? else {
            return Ok(None);
        };
        let mut entry = self.new.entry;
        entry.offset = offset;
        entry.length = self.new.record.len() as u32;
        if !self.change_names(&mut entry, true)? {
            return Ok(None);
        }
        entry.write(self.spec, &mut self.added.0);
        self.added.1 += 1;
        Ok(Some(losses))
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        let spec = self.spec;
        if let Some(games) = &mut self.games {
            games.flush(&mut *self.base)?;
        }
        let changed = self.names.take().map(NameChanges::finish).transpose()?;
        if let Some(changed) = changed.flatten() {
            write_names(self.base, spec, changed)?;
        }
        // The index comes last: until then nothing refers to the new bytes.
        let index = self.base.grow(spec.index_file())?;
        patch_all(self.base, index, &self.entries)?;
        let (entries, added) = self.added;
        if added > 0 {
            // The length of a SCID 5 index is its count.
            if let Some(mut file_header) = self.existing.file_header {
                file_header.games = self.existing.count + added;
                let bytes = file_header.to_bytes();
                let games = bytes.get(GAMES_AT..GAMES_AT + 3).unwrap_or_default();
                self.base.patch(index, GAMES_AT as u64, games)?;
            }
            self.base.write(index, &entries)?;
        }
        self.base.commit()
    }
}

fn write_names(base: &mut dyn Growing, spec: &Spec, changed: ChangedNames) -> Result<()> {
    match changed {
        ChangedNames::Whole(bytes) => {
            let file = base.create(spec.names_file())?;
            base.write(file, &bytes)
        }
        ChangedNames::Appended(bytes) => {
            let file = base.grow(spec.names_file())?;
            base.write(file, &bytes)
        }
        ChangedNames::Patches(patches) => {
            let file = base.grow(spec.names_file())?;
            patch_all(base, file, &patches)
        }
    }
}

fn patch_all(base: &mut dyn Growing, file: FileId, patches: &[Patch]) -> Result<()> {
    for (offset, bytes) in patches {
        base.patch(file, *offset, bytes)?;
    }
    Ok(())
}

/// Returns the stored flags with those bits changed that differ between `old` and `new`.
fn merged_flags(stored: IndexFlags, old: IndexFlags, new: IndexFlags) -> IndexFlags {
    let changed = old.symmetric_difference(new);
    stored.difference(changed).union(new.intersection(changed))
}

/// Returns the stored entry with those fields changed that differ between `old` and `new`. So what
/// another program has stored differently stays as it is.
fn merged_entry(stored: GameEntry, old: &GameEntry, new: &GameEntry) -> GameEntry {
    let mut entry = stored;
    entry.flags = merged_flags(stored.flags, old.flags, new.flags);
    macro_rules! merge {
        ($($field:ident),*) => {
            $(if old.$field != new.$field {
                entry.$field = new.$field;
            })*
        };
    }
    merge!(
        chess960,
        variations,
        comments,
        nags,
        result,
        eco,
        date,
        event_date,
        no_event_year,
        white_rating,
        black_rating,
        line_code,
        final_material,
        plies,
        home_pawn_count,
        home_pawns
    );
    entry
}
