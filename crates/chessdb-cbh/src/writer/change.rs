//! Changes of single games in place (docs/formats/cbh.md, section 20).

use chessdb_core::files::Growing;
use chessdb_core::model::GameFlags;
use chessdb_core::store::{ChangeGames, WriterState};
use chessdb_core::{Game, GameWrite, LossKind, Losses, Result, WriteOptions};

use super::GameBuffers;
use super::existing::ExistingBase;
use super::names::{numbers_of, set_number};
use crate::header::FIDE;
use crate::raw::bytes::be24;
use crate::raw::{Extended, GameRecord, MoveRecord, Record};
use crate::table_writers::{NAME_TABLES, names_of};
use crate::text::TextEncoder;

/// Changes the games of a database, and appends games.
pub(crate) struct GameChanger<'a> {
    pub(super) base: &'a mut dyn Growing,
    pub(super) existing: ExistingBase,
    pub(super) state: WriterState<TextEncoder>,
    /// The number of games, if the caller knows it.
    games: Option<u32>,
    /// The numbers of the games in the index, if it has texts too.
    ids: Option<Vec<u32>>,
    /// Whether games can be appended, if that is known.
    pub(super) can_append: bool,
    old: GameBuffers,
    new: GameBuffers,
}

impl<'a> GameChanger<'a> {
    /// Opens a database. `None` if it must be rewritten for any change, because its files do not
    /// match.
    pub(crate) fn open(
        base: &'a mut dyn Growing,
        options: WriteOptions,
    ) -> Result<Option<GameChanger<'a>>> {
        let texts = TextEncoder::for_changes(options.charset, options.detector);
        let existing = ExistingBase::open(base, texts.clone())?;
        Ok(existing.map(|existing| GameChanger {
            base,
            // Guiding texts have numbers too.
            state: WriterState::appending(texts, options.allow, existing.count),
            existing,
            games: options.games,
            ids: None,
            can_append: false,
            old: GameBuffers::default(),
            new: GameBuffers::default(),
        }))
    }

    /// Returns ChessBase's number of game `n` (from 0), which counts texts as well. `None` if there
    /// is no such game.
    fn id(&mut self, n: u32) -> Result<Option<u32>> {
        if self.games == Some(self.existing.count) {
            return Ok(Some(n.saturating_add(1)));
        }
        if self.ids.is_none() {
            self.ids = Some(self.existing.game_ids(self.base)?);
        }
        let ids = self.ids.as_deref().unwrap_or_default();
        Ok(ids.get(n as usize).copied())
    }

    /// Stores moves and annotations that differ. Returns false if that is impossible.
    fn change_content(
        &mut self,
        id: u32,
        record: &mut GameRecord,
        extended: &mut ExtendedRecord,
    ) -> Result<bool> {
        let notes = |game: &GameBuffers| game.moves.summary.annotations;
        let has_new_moves = self.old.record != self.new.record;
        let has_new_notes = notes(&self.old) != notes(&self.new)
            || self.old.moves.annotations != self.new.moves.annotations;
        if !has_new_moves && !has_new_notes {
            return Ok(true);
        }
        let (base, existing) = (&mut *self.base, &mut self.existing);
        if !existing.can_grow(base)? {
            return Ok(false);
        }
        let stored = Extended(extended.bytes.as_deref().unwrap_or_default());
        let (long_moves, long_notes) = (stored.moves(), stored.annotations());
        let offset = existing.long_offset(record.moves, long_moves, false);
        let start = existing.moves.read(base, offset, MoveRecord::HEADER)?;
        let stored = existing
            .moves
            .read(base, offset, be24(&start, 1) as usize)?;
        // Annotations count the moves in stored order, which is known if the stored moves are what
        // we would write.
        let is_other_encoding = stored != self.old.record;
        if has_new_moves || is_other_encoding {
            let moves = &self.new.record;
            let offset = existing
                .moves
                .append(base, |out| out.extend_from_slice(moves))?;
            existing.moves.release(stored.len());
            existing.outdates_keys = true;
            record.moves = offset as u32;
            // The index has only 32 bits.
            if !extended.set_moves(offset) && offset > u32::MAX.into() {
                return Ok(false);
            }
        }
        if has_new_notes || is_other_encoding {
            let offset = existing.long_offset(record.annotations, long_notes, true);
            existing.release_annotations(base, offset)?;
            let count = notes(&self.new);
            let annotations = &self.new.moves.annotations;
            let offset = existing.append_annotations(base, id, count, annotations)?;
            record.annotations = offset as u32;
            if !extended.set(12, &offset.to_be_bytes()) && offset > u32::MAX.into() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Stores names that differ. Returns false if that is impossible.
    fn change_names(
        &mut self,
        id: u32,
        stored: &[u8; Record::SIZE],
        record: &mut GameRecord,
        extended: &mut ExtendedRecord,
    ) -> Result<bool> {
        let numbers = numbers_of(stored, extended.bytes.as_deref());
        let old_names = names_of(&self.old.header.names);
        let new_names = names_of(&self.new.header.names);
        let names = old_names.into_iter().zip(new_names);
        for (slot, ((table, (old_name, new_name)), old)) in
            NAME_TABLES.into_iter().zip(names).zip(numbers).enumerate()
        {
            if old_name == new_name {
                continue;
            }
            let Some(new) = self.existing.names.number(self.base, table, new_name)? else {
                return Ok(false);
            };
            let offset = match slot {
                5 => 0,
                6 => 4,
                _ => 116,
            };
            let stored = new.unwrap_or(u32::MAX);
            let is_stored = set_number(record, slot, stored)
                || extended.set(offset, &stored.to_be_bytes())
                || new.is_none();
            if !is_stored {
                return Ok(false);
            }
            self.existing
                .move_reference(self.base, table, id, old, new)?;
        }
        Ok(true)
    }
}

impl ChangeGames for GameChanger<'_> {
    fn set_flags(&mut self, n: u32, old: GameFlags, new: GameFlags) -> Result<Option<Losses>> {
        let mut losses = Losses::new();
        if !new.difference(GameFlags::DELETED).is_empty() {
            losses.add(LossKind::Flags, None);
        }
        self.state.check(&losses)?;
        let Some(id) = self.id(n)? else {
            return Ok(None);
        };
        let mut entry = self.existing.entry(self.base, id)?;
        let [kind, ..] = &mut entry;
        if (old ^ new).contains(GameFlags::DELETED) {
            let mark = new.contains(GameFlags::DELETED);
            *kind = *kind & !Record::DELETED | (u8::from(mark) * Record::DELETED);
        }
        self.existing.set_entry(id, entry);
        Ok(Some(losses))
    }

    fn replace(&mut self, n: u32, old: &Game, new: &Game) -> Result<Option<Losses>> {
        let Some(id) = self.id(n)? else {
            return Ok(None);
        };
        let entry = self.existing.entry(self.base, id)?;
        let Record::Game(stored) = Record::parse(&entry) else {
            return Ok(None);
        };
        let mut losses = Losses::new();
        let is_stored = self.new.encode(new, &self.state.encoder, &mut losses);
        self.state.check(&losses)?;
        // A game that the format cannot store, or did not store like this, needs more than a change.
        if !is_stored
            || !self
                .old
                .encode(old, &self.state.encoder, &mut Losses::new())
        {
            return Ok(None);
        }
        let bytes = match &self.existing.extended {
            Some(extended) => extended.get(self.base, id)?,
            None => None,
        };
        let mut extended = ExtendedRecord {
            bytes,
            is_changed: false,
        };
        let mut record = merged_record(stored, &self.old.header.record, &self.new.header.record);
        let kinds = |game: &GameBuffers| game.header.rating_kinds;
        for (n, (old, new)) in kinds(&self.old).iter().zip(kinds(&self.new)).enumerate() {
            // Without an extended header, ratings are FIDE's.
            let is_default = new == FIDE || new == [0; 16];
            if *old != new && !extended.set(38 + 16 * n, &new) && !is_default {
                return Ok(None);
            }
        }
        let is_changed = self.change_content(id, &mut record, &mut extended)?
            && self.change_names(id, &entry, &mut record, &mut extended)?;
        if !is_changed {
            return Ok(None);
        }
        self.existing.set_entry(id, record.to_bytes());
        if let (Some(file), true) = (&mut self.existing.extended, extended.is_changed) {
            file.set(id, extended.bytes.unwrap_or_default());
        }
        self.existing.outdates_boosters = true;
        Ok(Some(losses))
    }

    fn appender(&mut self) -> Result<Option<&mut dyn GameWrite>> {
        Ok(if self.can_append()? { Some(self) } else { None })
    }

    fn finish(self: Box<Self>) -> Result<()> {
        self.existing.finish(self.base)
    }
}

/// The extended header of a game that is being changed.
struct ExtendedRecord {
    /// `None` if the game has none.
    bytes: Option<Vec<u8>>,
    is_changed: bool,
}

impl ExtendedRecord {
    /// Sets a field. Returns false if the header does not include it.
    fn set(&mut self, offset: usize, value: &[u8]) -> bool {
        let bytes = self.bytes.as_mut();
        let field = bytes.and_then(|bytes| bytes.get_mut(offset..offset + value.len()));
        let Some(field) = field else {
            return false;
        };
        field.copy_from_slice(value);
        self.is_changed = true;
        true
    }

    /// Sets the offset of new moves, and marks what depends on the old ones as not computed: the
    /// final material and the types of endgames (section 4). Returns false if there is no offset.
    fn set_moves(&mut self, offset: u64) -> bool {
        self.set(20, &[0; 8]);
        self.set(28, &[0xFF, 0xFE]);
        self.set(88, &[0; 20]);
        self.set(30, &offset.to_be_bytes())
    }
}

/// Returns the stored record with those fields changed that differ between `old` and `new`. So what
/// another program has stored differently stays as it is.
fn merged_record(stored: GameRecord, old: &GameRecord, new: &GameRecord) -> GameRecord {
    let mut record = stored;
    let kinds = old.kind ^ new.kind;
    record.kind = stored.kind & !kinds | new.kind & kinds;
    let flags = old.flags ^ new.flags;
    record.flags = stored.flags & !flags | new.flags & flags;
    macro_rules! merge {
        ($($field:ident),*) => {
            $(if old.$field != new.$field {
                record.$field = new.$field;
            })*
        };
    }
    merge!(
        date, result, line_nag, round, subround, elo, eco, medals, magnitudes, full_moves
    );
    record
}
