//! Changes of single games: entries in place, new records and names at the ends of their files
//! (docs/formats/dcx.md, section 16).

use chessdb_core::files::{BufferedFile, Growing};
use chessdb_core::model::{GameFlags, NameRole};
use chessdb_core::options::Allow;
use chessdb_core::store::{ChangeGames, EncodeGame, SortedOffsets};
use chessdb_core::{ErrorKind, Game, LossKind, Losses, Result, WriteOptions};

use super::existing::{ExistingIndex, GrowingNames, have_magic};
use super::{EncodedGame, GameEncoder};
use crate::moves::PromotionSurvey;
use crate::raw::{Entry, EntrySize, FileKind, NameFile, Record};
use crate::roles::{DCG_FILE, DCI_FILE};

/// Changes the games of a database.
pub(crate) struct GameChanger<'a> {
    base: &'a mut dyn Growing,
    allow: Allow,
    /// Whether opening the database has found no two records that overlap.
    known_intact: bool,
    index: ExistingIndex,
    /// Read for the first change that is more than a mark.
    records: Option<Records>,
    /// The players, sites and events, each read for its first new name.
    names: [Option<GrowingNames>; 3],
    /// The changed bytes of entries: their offset in the index file, and all of them.
    entries: Vec<(u64, Vec<u8>)>,
    /// The entries of appended games.
    added: Vec<u8>,
    old: EncodedGame,
    new: EncodedGame,
}

/// The games file.
struct Records {
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
            allow: options.allow.clone(),
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
        Err(ErrorKind::no_such_game(n.saturating_add(1), self.index.count).into())
    }

    /// Reads the offsets of all records. Returns false if the database must be rewritten for more
    /// than a mark.
    fn read_records(&mut self) -> Result<bool> {
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
        let place = self.append_record()?;
        if let (Some(records), true) = (&mut self.records, place.is_some()) {
            records.replaced.push(marker);
        }
        Ok(place)
    }

    /// Appends the new record and returns its offset, or `None` if the database must be rewritten.
    fn append_record(&mut self) -> Result<Option<u64>> {
        let Some(records) = &mut self.records else {
            return Ok(None);
        };
        if !records.fits(&self.new.coder.body, &self.index, self.base)? {
            return Ok(None);
        }
        let file = match records.file.take() {
            Some(file) => file,
            None => BufferedFile::appending(self.base.grow(DCG_FILE)?, self.index.sizes.games),
        };
        let file = records.file.insert(file);
        let place = file.end();
        file.buffer.extend_from_slice(&self.new.coder.record);
        file.flush_portion(self.base)?;
        Ok(Some(place))
    }

    /// Changes the references to names that differ; all if the game `is_new`. Returns false if a file
    /// has no room for a name.
    fn change_names(&mut self, entry: &mut Entry, is_new: bool) -> Result<bool> {
        let references = [
            (FileKind::Players, &mut entry.white),
            (FileKind::Players, &mut entry.black),
            (FileKind::Sites, &mut entry.site),
            (FileKind::Events, &mut entry.event),
        ];
        let names = self.old.names.iter().zip(&self.new.names);
        for ((kind, reference), (old, new)) in references.into_iter().zip(names) {
            if !is_new && old == new {
                continue;
            }
            let names = read_names(self.base, &mut self.names, kind)?;
            let Some(changed) = names.and_then(|names| names.reference(new)) else {
                return Ok(false);
            };
            *reference = changed;
        }
        Ok(true)
    }
}

/// Returns a name file, reading it at its first use. `None` if it cannot grow.
fn read_names<'n>(
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
    /// Returns whether the promotions of a new body are read like the others of the database.
    fn fits(&mut self, body: &[u8], index: &ExistingIndex, base: &dyn Growing) -> Result<bool> {
        let survey = PromotionSurvey::scan([(0, body)].into_iter(), body.len(), true);
        if survey.codes.iter().all(|&count| count == 0) {
            return Ok(true);
        }
        if self.has_standard_promotions.is_none() {
            if self.offsets.is_none() {
                self.offsets = index.sorted_offsets(base)?;
            }
            let standard = match &self.offsets {
                Some(offsets) => index.has_standard_promotions(base, offsets)?,
                None => false,
            };
            self.has_standard_promotions = Some(standard);
        }
        Ok(self.has_standard_promotions == Some(true))
    }
}

impl ChangeGames for GameChanger<'_> {
    fn set_flags(&mut self, n: u32, old: GameFlags, new: GameFlags) -> Result<Option<Losses>> {
        let mut losses = Losses::new();
        if !new.difference(GameFlags::DELETED).is_empty() {
            losses.add(LossKind::Flags, None);
        }
        self.allow.check(&losses)?;
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
        self.allow.check(&losses)?;
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
        if !self.change_names(&mut entry, false)? {
            return Ok(None);
        }
        self.entries.push((offset, entry.to_bytes().to_vec()));
        Ok(Some(losses))
    }

    fn append(&mut self, game: &Game) -> Result<Option<Losses>> {
        let mut losses = Losses::new();
        let is_stored = GameEncoder.encode(game, &mut self.new, &mut losses)?;
        self.allow.check(&losses)?;
        if !is_stored || !self.read_records()? {
            return Ok(None);
        }
        let Some(offset) = self.append_record()? else {
            return Ok(None);
        };
        let mut entry = self.new.entry;
        entry.offset = offset;
        if !self.change_names(&mut entry, true)? {
            return Ok(None);
        }
        self.added.extend_from_slice(&entry.to_bytes());
        Ok(Some(losses))
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
