//! Changes of single games: the index entry in place, a changed record at the end of the games file,
//! and the names (docs/formats/scidb.md, section 14).

use chessdb_core::files::Growing;
use chessdb_core::model::GameFlags;
use chessdb_core::store::{ChangeGames, EncodeGame, WriterState};
use chessdb_core::{ErrorKind, Game, GameWrite, LossKind, Losses, Result, WriteOptions};

use super::append::{ExistingBase, entry_offset, read_record};
use super::games::GamesFile;
use super::{GameBuffers, GameEncoder};
use crate::header::MODEL_FLAGS;
use crate::names::NameTables;
use crate::raw::{Entry, NameKind};
use crate::roles::{SCG_FILE, SCI_FILE, SCN_FILE};

/// Changes the games of a database, and appends games. Only the entries of these games and the names
/// stay in memory.
pub(crate) struct GameChanger<'a> {
    pub(super) base: &'a mut dyn Growing,
    existing: ExistingBase,
    /// The state of a writer of new games.
    pub(super) state: WriterState<GameEncoder>,
    /// The encoder of changed games.
    encoder: GameEncoder,
    /// Read when a name changes or a record is appended.
    pub(super) names: Option<NameTables>,
    /// Whether the entries were compared with the other files.
    are_inside: bool,
    /// Opened when the first record is appended.
    pub(super) games: Option<GamesFile>,
    /// The changed entries, with their offsets.
    entries: Vec<(u64, [u8; Entry::SIZE])>,
    /// The entries of appended games.
    pub(super) added: Vec<u8>,
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
        let existing = ExistingBase::read(base)?;
        // Events of other databases get no dates without a sure order.
        let encoder = GameEncoder { keeps_years: false };
        Ok(existing.map(|existing| GameChanger {
            base,
            state: WriterState::appending(encoder, options.allow, existing.header.games),
            // As for a database that is rewritten: these values are Scidb's own.
            encoder: GameEncoder {
                keeps_years: existing.header.has_own_values(),
            },
            existing,
            names: None,
            are_inside: false,
            games: None,
            entries: Vec::new(),
            added: Vec::new(),
            old: GameBuffers::default(),
            new: GameBuffers::default(),
        }))
    }

    fn read_entry(&self, n: u32) -> Result<Entry> {
        if n >= self.existing.header.games {
            return Err(ErrorKind::no_such_game(n, self.existing.header.games).into());
        }
        let mut bytes = [0; Entry::SIZE];
        self.base.read_old(SCI_FILE, entry_offset(n), &mut bytes)?;
        Ok(Entry::parse(&bytes))
    }

    /// Returns the names, if they can be changed.
    fn names(&mut self) -> Result<Option<&mut NameTables>> {
        if self.names.is_none() {
            let names = NameTables::from_file(&self.base.read_whole(SCN_FILE)?)?;
            self.names = names.filter(|tables| !tables.are_full());
        }
        Ok(self.names.as_mut())
    }

    /// Returns whether nothing in the database refers to bytes or names that are added now.
    fn can_grow(&mut self) -> Result<bool> {
        if !self.are_inside {
            self.names()?;
            self.are_inside = match &mut self.names {
                Some(tables) => self.existing.count_uses(self.base, tables)?,
                None => false,
            };
            if self.are_inside {
                self.base.note_sound();
            }
        }
        Ok(self.are_inside)
    }

    /// Opens the games file for appending games. Returns false if that is impossible.
    pub(super) fn open_games(&mut self) -> Result<bool> {
        if !self.can_grow()? {
            return Ok(false);
        }
        self.open_file()?;
        Ok(true)
    }

    fn open_file(&mut self) -> Result<()> {
        if self.games.is_none() {
            let file = self.base.grow(SCG_FILE)?;
            self.games = Some(GamesFile::appending(file, self.existing.games_bytes));
        }
        Ok(())
    }

    /// Appends the record of the new game and returns its offset. `None` if that is impossible.
    fn append_record(&mut self) -> Result<Option<u32>> {
        // A database that is as our last change left it was examined then. The uses of names need to
        // be counted only if the names change.
        let is_sound = self.names.is_none() && self.base.is_known_sound();
        if !is_sound && !self.can_grow()? {
            return Ok(None);
        }
        self.open_file()?;
        let record = &self.new.record;
        match &mut self.games {
            Some(games) if games.has_room(record.len()) => {
                games.append(record, self.base).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Gives the entry the numbers of the names that differ, or of all names if `all`. Returns false
    /// if that is impossible.
    fn number_names(&mut self, entry: &mut Entry, all: bool) -> Result<bool> {
        let (old, mut header) = (&self.old.header, self.new.header.clone());
        let is_same_event = (&old.event, &old.site) == (&header.event, &header.site);
        let differs = [
            !is_same_event,
            old.white != header.white,
            old.black != header.black,
            old.annotator != header.annotator,
        ];
        let [event, white, black, annotator] = differs.map(|differs| differs || all);
        if ![event, white, black, annotator].contains(&true) {
            return Ok(true);
        }
        // The next numbers must be known to be free before a new name gets one.
        let Some(names) = self.names()? else {
            return Ok(false);
        };
        if event {
            entry.event = names.add_event_use(&mut header.event, &header.site);
        }
        for (is_changed, name, number) in [
            (white, &header.white, &mut entry.white),
            (black, &header.black, &mut entry.black),
        ] {
            if is_changed {
                *number = names.add_use(NameKind::Player, name);
            }
        }
        if annotator {
            entry.annotator = names.add_use(NameKind::Annotator, &header.annotator);
        }
        Ok(!names.have_new() || !names.are_full() && self.can_grow()?)
    }
}

impl ChangeGames for GameChanger<'_> {
    fn set_flags(&mut self, n: u32, old: GameFlags, new: GameFlags) -> Result<Option<Losses>> {
        let mut losses = Losses::new();
        let lost = new.bits() & !MODEL_FLAGS;
        losses.add_many(LossKind::Flags, lost.count_ones(), None);
        self.state.check(&losses)?;
        let mut entry = self.read_entry(n)?;
        entry.flags = merged(entry.flags, old.bits(), new.bits(), MODEL_FLAGS);
        self.entries.push((entry_offset(n), entry.to_bytes()));
        Ok(Some(losses))
    }

    fn replace(&mut self, n: u32, old: &Game, new: &Game) -> Result<Option<Losses>> {
        let stored = self.read_entry(n)?;
        let mut losses = Losses::new();
        let is_stored = self.encoder.encode(new, &mut self.new, &mut losses)?;
        self.state.check(&losses)?;
        let mut none = Losses::new();
        if !is_stored || !self.encoder.encode(old, &mut self.old, &mut none)? {
            return Ok(None);
        }
        let record = read_record(self.base, stored.record, self.existing.games_bytes)?;
        let Some(record) = record else {
            return Ok(None);
        };
        let is_same_line =
            old.header.start == new.header.start && old.mainline().eq(new.mainline());
        let mut entry = Entry {
            white: stored.white,
            black: stored.black,
            event: stored.event,
            annotator: stored.annotator,
            record: stored.record,
            spare: stored.spare,
            // Only Scidb knows the numbers of openings.
            opening: if is_same_line { stored.opening } else { 0 },
            flags: merged(
                stored.flags,
                self.old.entry.flags,
                self.new.entry.flags,
                u32::MAX,
            ),
            ..self.new.entry
        };
        // Another program may divide the header in another way among record, entry and names. All of
        // them are then written.
        let is_own = record == self.old.record;
        if !self.number_names(&mut entry, !is_own)? {
            return Ok(None);
        }
        if record != self.new.record {
            let Some(offset) = self.append_record()? else {
                return Ok(None);
            };
            entry.record = offset;
        }
        self.entries.push((entry_offset(n), entry.to_bytes()));
        Ok(Some(losses))
    }

    fn appender(&mut self) -> Result<Option<&mut dyn GameWrite>> {
        Ok(if self.open_games()? { Some(self) } else { None })
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        if let Some(games) = &mut self.games {
            games.finish(self.base)?;
        }
        if let Some(tables) = &self.names {
            write_names(self.base, tables)?;
        }
        // The index comes last: until then nothing refers to the new bytes.
        let index = self.base.grow(SCI_FILE)?;
        for (offset, entry) in &self.entries {
            self.base.patch(index, *offset, entry)?;
        }
        if !self.added.is_empty() {
            self.existing.header.games = self.state.total();
            let header = self.existing.header.to_bytes();
            self.base.patch(index, 0, &header)?;
            self.base.write(index, &self.added)?;
        }
        self.base.commit()
    }
}

/// Returns the stored flags with those bits of `mask` changed that differ between `old` and `new`.
fn merged(stored: u32, old: u32, new: u32, mask: u32) -> u32 {
    let changed = (old ^ new) & mask;
    stored & !changed | new & changed
}

/// Writes the names again if there are new ones. Otherwise at most the highest uses differ, in place.
fn write_names(base: &mut dyn Growing, tables: &NameTables) -> Result<()> {
    if tables.have_new() {
        let file = base.create(SCN_FILE)?;
        return base.write(file, &tables.to_file().to_bytes());
    }
    let patches = tables.changed_uses();
    if patches.is_empty() {
        return Ok(());
    }
    let file = base.grow(SCN_FILE)?;
    for (offset, bytes) in patches {
        base.patch(file, offset, &bytes)?;
    }
    Ok(())
}
