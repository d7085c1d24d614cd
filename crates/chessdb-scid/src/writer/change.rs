//! Changes of single games: the index entry in place, a changed record at the end of the games
//! file, and the names (docs/formats/scid.md, sections 2 to 4).

use chessdb_core::files::Growing;
use chessdb_core::model::{GameFlags, NameRole};
use chessdb_core::store::{ChangeGames, EncodeGame, WriterState};
use chessdb_core::text::EncodingDetector;
use chessdb_core::{Game, GameWrite, LossKind, Losses, Result, WriteOptions};

use super::existing::ExistingDatabase;
use super::{EncodedGame, GameEncoder};
use crate::entry::{Entries, GameEntry, NAME_LISTS};
use crate::generation::Generation;
use crate::raw::{IndexFlags, Patch};
use crate::text::{FALLBACK, TextEncoder};

/// Changes the games of a database, and appends games. Only the entries of these games and their
/// names stay in memory.
pub(crate) struct GameChanger<'a> {
    pub(super) database: ExistingDatabase<'a>,
    pub(super) state: WriterState<GameEncoder>,
    /// The changed entries: offset in the index file, and all bytes.
    entries: Vec<Patch>,
    /// The entries of appended games.
    pub(super) added: Vec<u8>,
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
        let Some(database) = ExistingDatabase::open(generation, base)? else {
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
        let encoder = GameEncoder::new(texts, database.spec);
        Ok(Some(GameChanger {
            state: WriterState::appending(encoder, options.allow, database.count),
            database,
            entries: Vec::new(),
            added: Vec::new(),
            old: EncodedGame::default(),
            new: EncodedGame::default(),
        }))
    }

    /// Notes the new bytes of an entry. Bits that no field has keep their values.
    fn write_entry(&mut self, offset: u64, stored: Vec<u8>, old: GameEntry, new: GameEntry) {
        let (mut old_bytes, mut new_bytes) = (Vec::new(), Vec::new());
        old.write(self.database.spec, &mut old_bytes);
        new.write(self.database.spec, &mut new_bytes);
        let mut bytes = stored;
        for ((byte, old), new) in bytes.iter_mut().zip(old_bytes).zip(new_bytes) {
            *byte = *byte & !(old ^ new) | new & (old ^ new);
        }
        self.entries.push((offset, bytes));
    }

    /// Gives the changed names of an entry their numbers. Returns false if a new name has no room.
    fn change_names(&mut self, entry: &mut GameEntry) -> Result<bool> {
        let spec = self.database.spec;
        let changed = self.old.names.iter().zip(&self.new.names);
        let numbers = NAME_LISTS.into_iter().zip(entry.names_mut());
        for ((list, number), (_, name)) in numbers.zip(changed).filter(|(_, (old, new))| old != new)
        {
            let max = spec.max_names.get(list).copied().unwrap_or(0);
            let Some(names) = self.database.names()? else {
                return Ok(false);
            };
            let Some(new) = names.number(list, name, max) else {
                return Ok(false);
            };
            names.count(list, *number, -1);
            names.count(list, new, 1);
            *number = new;
        }
        Ok(true)
    }
}

impl ChangeGames for GameChanger<'_> {
    fn set_flags(&mut self, n: u32, old: GameFlags, new: GameFlags) -> Result<Option<Losses>> {
        let spec = self.database.spec;
        let mut losses = Losses::new();
        if spec.marks(new) != new {
            losses.add(LossKind::Flags, None);
        }
        self.state.check(&losses)?;
        let (offset, bytes) = self.database.read_entry(n)?;
        let Some(stored) = Entries::split(&bytes, self.database.spec.generation)
            .0
            .get(0)
        else {
            return Ok(None);
        };
        let marks = |flags| IndexFlags::empty().with_marks(spec.marks(flags));
        let mut entry = stored;
        entry.flags = merged_flags(stored.flags, marks(old), marks(new));
        self.write_entry(offset, bytes, stored, entry);
        Ok(Some(losses))
    }

    fn replace(&mut self, n: u32, old: &Game, new: &Game) -> Result<Option<Losses>> {
        let (offset, bytes) = self.database.read_entry(n)?;
        let Some(stored) = Entries::split(&bytes, self.database.spec.generation)
            .0
            .get(0)
        else {
            return Ok(None);
        };
        let mut losses = Losses::new();
        let is_stored = self.state.encoder.encode(new, &mut self.new, &mut losses)?;
        self.state.check(&losses)?;
        // A game that the format cannot store, or did not store like this, needs more than a change.
        let mut ignored = Losses::new();
        let encoder = &self.state.encoder;
        if !is_stored || !encoder.encode(old, &mut self.old, &mut ignored)? {
            return Ok(None);
        }
        let mut entry = merged_entry(stored, &self.old.entry, &self.new.entry);
        if self.old.record != self.new.record {
            let Some(place) = self.database.append_record(&self.new.record)? else {
                return Ok(None);
            };
            entry.offset = place;
            entry.length = self.new.record.len() as u32;
        }
        if !self.change_names(&mut entry)? {
            return Ok(None);
        }
        self.write_entry(offset, bytes, stored, entry);
        Ok(Some(losses))
    }

    fn appender(&mut self) -> Result<Option<&mut dyn GameWrite>> {
        Ok(if self.can_append()? { Some(self) } else { None })
    }

    fn rename(&mut self, role: NameRole, old: &str, new: &str) -> Result<Option<()>> {
        let list = match role {
            NameRole::Player => 0,
            NameRole::Event => 1,
            NameRole::Site => 2,
            NameRole::Round => 3,
            _ => return Ok(None),
        };
        // Other letters are stored in the encoding of each name.
        let is_plain = |name: &str| {
            let is_shown = |byte: u8| byte == b' ' || byte.is_ascii_graphic();
            !name.is_empty()
                && name.len() <= self.database.spec.max_name
                && name.bytes().all(is_shown)
        };
        if !is_plain(old) || !is_plain(new) {
            return Ok(None);
        }
        let Some(names) = self.database.names()? else {
            return Ok(None);
        };
        let is_renamed = names.rename(list, old.as_bytes(), new.as_bytes());
        Ok(is_renamed.then_some(()))
    }

    fn finish(self: Box<Self>) -> Result<()> {
        self.database.finish(&self.entries, &self.added)
    }
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
