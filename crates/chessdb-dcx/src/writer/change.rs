//! Changes of single games: entries in place, new records and names at the ends of their files
//! (docs/formats/dcx.md, section 16).

use chessdb_core::files::{BufferedFile, Growing};
use chessdb_core::model::{GameFlags, NameRole};
use chessdb_core::store::{ChangeGames, EncodeGame, SortedOffsets, WriterState};
use chessdb_core::{ErrorKind, Game, GameWrite, LossKind, Losses, Result, WriteOptions};

use super::existing::{ExistingIndex, GrowingNames, have_magic};
use super::{EncodedGame, GameEncoder};
use crate::moves::PromotionSurvey;
use crate::raw::{Entry, EntrySize, FileKind, NameFile, Record};
use crate::roles::{DCG_FILE, DCI_FILE};

/// Changes the games of a database, and appends games. Only the entries of these games and the names
/// stay in memory.
pub(crate) struct GameChanger<'a> {
    pub(super) base: &'a mut dyn Growing,
    pub(super) state: WriterState<GameEncoder>,
    /// Whether opening the database has found no two records that overlap.
    known_intact: bool,
    pub(super) index: ExistingIndex,
    /// Read for the first change that is more than a mark.
    pub(super) records: Option<Records>,
    /// The players, sites and events, each read for its first new name.
    pub(super) names: [Option<GrowingNames>; 3],
    /// The changed bytes of entries: their offset in the index file, and all of them.
    entries: Vec<(u64, Vec<u8>)>,
    /// The entries of appended games.
    pub(super) added: Vec<u8>,
    old: EncodedGame,
    new: EncodedGame,
}

/// The games file.
pub(super) struct Records {
    /// `None` as long as no two records are known to share or overlap one another.
    offsets: Option<SortedOffsets>,
    /// Opened for the first new record.
    file: Option<BufferedFile>,
    /// The offsets of the markers of records that were replaced.
    replaced: Vec<u64>,
    /// Whether promotions may be written with the numbering of programs.
    has_standard_promotions: Option<bool>,
}

impl<'a> GameChanger<'a> {
    /// Opens a database. `None` if it must be rewritten for any change, because its layout is
    /// doubtful or it ends within an entry.
    pub(crate) fn open(
        base: &'a mut dyn Growing,
        options: &WriteOptions,
    ) -> Result<Option<GameChanger<'a>>> {
        let Some(index) = ExistingIndex::read(base)? else {
            return Ok(None);
        };
        Ok(Some(GameChanger {
            base,
            state: WriterState::appending(GameEncoder, options.allow.clone(), index.count),
            known_intact: options.known_intact,
            index,
            records: None,
            names: [None, None, None],
            entries: Vec::new(),
            added: Vec::new(),
            old: EncodedGame::default(),
            new: EncodedGame::default(),
        }))
    }

    /// Returns the offset of an entry in the index file.
    fn entry_offset(&self, n: u32) -> Result<u64> {
        if n < self.index.count {
            return Ok(self.index.layout.entry_offset(n));
        }
        Err(ErrorKind::no_such_game(n, self.index.count).into())
    }

    /// Reads the offsets of all records. Returns false if the database must be rewritten for more
    /// than a mark.
    pub(super) fn read_records(&mut self) -> Result<bool> {
        if self.records.is_some() {
            return Ok(true);
        }
        // In layouts with short entries the end of a record may depend on the next one (section 9),
        // and long entries contain facts about the moves.
        if self.index.layout.entry != EntrySize::Standard || !have_magic(self.base)? {
            return Ok(false);
        }
        // A database that is as our last change left it was examined then. Opening it has compared
        // the records.
        let is_known = self.known_intact && self.base.is_known_sound();
        let offsets = if is_known { None } else { self.index.sorted_offsets(self.base)? };
        let is_sound = is_known || offsets.is_some();
        if is_sound {
            self.base.note_sound();
            self.records = Some(Records {
                offsets,
                file: None,
                replaced: Vec::new(),
                has_standard_promotions: None,
            });
        }
        Ok(is_sound)
    }

    /// Appends the new record and marks the one at `offset` as replaced. Returns the offset of the
    /// new one, or `None` if the database must be rewritten.
    fn replace_record(&mut self, offset: u64) -> Result<Option<u64>> {
        let Some(records) = &mut self.records else {
            return Ok(None);
        };
        if let Some(offsets) = &records.offsets {
            let before = match offsets.before(offset) {
                Some(start) => self.index.record_end(self.base, start)?,
                None => Some(0),
            };
            let is_free = before.is_some_and(|end| end <= offset);
            // The marker of a record that another game uses must stay.
            if !is_free || !offsets.is_single(offset) {
                return Ok(None);
            }
        }
        let Some(length) = self.index.read_length(self.base, offset)? else {
            return Ok(None);
        };
        let marker = offset + length.size() as u64;
        let mut stored = [0];
        if length.value == 0 || self.index.record_end(self.base, offset)?.is_none() {
            return Ok(None);
        }
        self.base.read_old(DCG_FILE, marker, &mut stored)?;
        if !Record::is_start(stored[0]) {
            return Ok(None);
        }
        let coder = &self.new.coder;
        if has_promotions(&coder.body) {
            records.examine_promotions(&self.index, self.base)?;
        }
        if !records.have_room(&coder.body) {
            return Ok(None);
        }
        records.replaced.push(marker);
        records
            .append(&coder.record, &self.index, self.base)
            .map(Some)
    }
}

/// Changes the references to names that differ; all if the game has no `old` ones. Returns false if a
/// file has no room for a name.
pub(super) fn number_names(
    base: &dyn Growing,
    tables: &mut [Option<GrowingNames>; 3],
    entry: &mut Entry,
    old: Option<&[Vec<u8>; 4]>,
    new: &[Vec<u8>; 4],
) -> Result<bool> {
    let references = [
        (FileKind::Players, &mut entry.white),
        (FileKind::Players, &mut entry.black),
        (FileKind::Sites, &mut entry.site),
        (FileKind::Events, &mut entry.event),
    ];
    for (n, ((kind, reference), name)) in references.into_iter().zip(new).enumerate() {
        if old.and_then(|old| old.get(n)) == Some(name) {
            continue;
        }
        let names = read_names(base, tables, kind)?;
        let Some(changed) = names.and_then(|names| names.reference(name)) else {
            return Ok(false);
        };
        *reference = changed;
    }
    Ok(true)
}

/// Returns a name file, reading it at its first use. `None` if it cannot grow.
pub(super) fn read_names<'n>(
    base: &dyn Growing,
    names: &'n mut [Option<GrowingNames>; 3],
    kind: FileKind,
) -> Result<Option<&'n mut GrowingNames>> {
    let [players, sites, events] = names;
    let file = match kind {
        FileKind::Sites => sites,
        FileKind::Events => events,
        _ => players,
    };
    if file.is_none() {
        *file = GrowingNames::read(base, kind)?;
    }
    Ok(file.as_mut())
}

impl Records {
    /// Finds out whether promotions may be written with the numbering of programs.
    pub(super) fn examine_promotions(
        &mut self,
        index: &ExistingIndex,
        base: &dyn Growing,
    ) -> Result<()> {
        if self.has_standard_promotions.is_none() {
            self.has_standard_promotions = Some(index.has_standard_promotions(base)?);
        }
        Ok(())
    }

    /// Returns whether any promotions may be written.
    pub(super) fn has_standard_promotions(&self) -> bool {
        self.has_standard_promotions == Some(true)
    }

    /// Returns whether the promotions of a new body are read like the others of the database.
    pub(super) fn have_room(&self, body: &[u8]) -> bool {
        self.has_standard_promotions() || !has_promotions(body)
    }

    /// Returns the file, opened for appending.
    pub(super) fn open(
        &mut self,
        index: &ExistingIndex,
        base: &mut dyn Growing,
    ) -> Result<&mut BufferedFile> {
        let file = match self.file.take() {
            Some(file) => file,
            None => BufferedFile::appending(base.grow(DCG_FILE)?, index.sizes.games),
        };
        Ok(self.file.insert(file))
    }

    /// Appends a record and returns its offset.
    pub(super) fn append(
        &mut self,
        record: &[u8],
        index: &ExistingIndex,
        base: &mut dyn Growing,
    ) -> Result<u64> {
        let file = self.open(index, base)?;
        let place = file.end();
        file.buffer.extend_from_slice(record);
        file.flush_portion(base)?;
        Ok(place)
    }
}

/// Returns whether a body has promotions.
fn has_promotions(body: &[u8]) -> bool {
    let survey = PromotionSurvey::scan([(0, body)].into_iter(), body.len(), true);
    survey.codes.iter().any(|&count| count > 0)
}

impl ChangeGames for GameChanger<'_> {
    fn set_flags(&mut self, n: u32, old: GameFlags, new: GameFlags) -> Result<Option<Losses>> {
        let mut losses = Losses::new();
        if !new.difference(GameFlags::DELETED).is_empty() {
            losses.add(LossKind::Flags, None);
        }
        self.state.check(&losses)?;
        let offset = self.entry_offset(n)?;
        if old.symmetric_difference(new).contains(GameFlags::DELETED) {
            let is_deleted = new.contains(GameFlags::DELETED);
            let status = if is_deleted { Entry::DELETED } else { 0 };
            // Section 3.2: the status is the first byte.
            self.entries.push((offset, vec![status]));
        }
        Ok(Some(losses))
    }

    fn replace(&mut self, n: u32, old: &Game, new: &Game) -> Result<Option<Losses>> {
        let offset = self.entry_offset(n)?;
        let mut losses = Losses::new();
        let is_stored = GameEncoder.encode(new, &mut self.new, &mut losses)?;
        self.state.check(&losses)?;
        let mut ignored = Losses::new();
        if !is_stored
            || !GameEncoder.encode(old, &mut self.old, &mut ignored)?
            || !self.read_records()?
        {
            return Ok(None);
        }
        let mut stored = [0; 39];
        self.base.read_old(DCI_FILE, offset, &mut stored)?;
        let mut entry = merged_entry(Entry::parse_39(&stored), &self.old.entry, &self.new.entry);
        if self.old.coder.record != self.new.coder.record {
            let Some(place) = self.replace_record(entry.offset)? else {
                return Ok(None);
            };
            entry.offset = place;
        }
        let (old, new) = (&self.old.names, &self.new.names);
        if !number_names(self.base, &mut self.names, &mut entry, Some(old), new)? {
            return Ok(None);
        }
        self.entries.push((offset, entry.to_bytes().to_vec()));
        Ok(Some(losses))
    }

    fn appender(&mut self) -> Result<Option<&mut dyn GameWrite>> {
        Ok(if self.can_append()? { Some(self) } else { None })
    }

    fn rename(&mut self, role: NameRole, old: &str, new: &str) -> Result<Option<()>> {
        let kind = match role {
            NameRole::Player => FileKind::Players,
            NameRole::Site => FileKind::Sites,
            NameRole::Event => FileKind::Events,
            _ => return Ok(None),
        };
        let fits = |name: &str| {
            let is_trimmed = !name.is_empty() && name.trim() == name;
            is_trimmed && name.len() <= NameFile::RECORD && !name.contains(char::is_control)
        };
        // Other letters of the old name may be stored in another encoding.
        if !old.is_ascii() || !fits(old) || !fits(new) || !have_magic(self.base)? {
            return Ok(None);
        }
        let names = read_names(self.base, &mut self.names, kind)?;
        let is_renamed = names.is_some_and(|names| names.rename(old.as_bytes(), new.as_bytes()));
        Ok(is_renamed.then_some(()))
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        for names in self.names.iter().flatten() {
            if names.added.is_empty() && names.renamed.is_empty() {
                continue;
            }
            let file = self.base.grow(names.kind.role())?;
            for (offset, record) in &names.renamed {
                self.base.patch(file, *offset, record)?;
            }
            self.base.write(file, names.added.as_flattened())?;
        }
        if let Some(records) = &mut self.records
            && let Some(file) = &mut records.file
        {
            file.flush(self.base)?;
            for marker in &records.replaced {
                self.base.patch(file.file(), *marker, &[Record::REPLACED])?;
            }
        }
        // The index comes last: until then nothing refers to the new bytes.
        let index = self.base.grow(DCI_FILE)?;
        for (offset, bytes) in &self.entries {
            self.base.patch(index, *offset, bytes)?;
        }
        self.base.write(index, &self.added)?;
        self.base.commit()
    }
}

/// Returns the stored entry with those fields changed that differ between `old` and `new`. So
/// unusual values of other fields stay.
fn merged_entry(stored: Entry, old: &Entry, new: &Entry) -> Entry {
    let mut entry = stored;
    macro_rules! merge {
        ($($field:ident),*) => {
            $(if old.$field != new.$field {
                entry.$field = new.$field;
            })*
        };
    }
    merge!(
        status, round, white_elo, black_elo, result, eco, year, month, day
    );
    entry
}
