//! Changes of single games: marks in place, any other change as a new record at the end of the
//! games file (docs/formats/cbf.md, section 19).

use chessdb_core::files::{BufferedFile, Growing};
use chessdb_core::model::GameFlags;
use chessdb_core::options::Allow;
use chessdb_core::store::{ChangeGames, EncodeGame};
use chessdb_core::{Game, LossKind, Losses, Result, WriteOptions};

use super::GameBuffers;
use super::existing::{ExistingIndex, read_header, write_end};
use crate::raw::{Index, RawHeader, RecordFlags};
use crate::roles::{CBF_FILE, CBI_FILE};
use crate::text::TextEncoder;

/// Changes the games of a database.
pub(crate) struct GameChanger<'a> {
    base: &'a mut dyn Growing,
    encoder: TextEncoder,
    allow: Allow,
    index: ExistingIndex,
    /// The games file, opened for the first change.
    games: Option<BufferedFile>,
    /// The changed longwords: their offset in the index file, and their value.
    words: Vec<(u64, u32)>,
    /// The longwords of appended games.
    added: Vec<u8>,
    /// The changed flags: their offset in the games file, and their value there.
    marks: Vec<(u64, u8)>,
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
        let Some(index) = ExistingIndex::read(base)? else {
            return Ok(None);
        };
        Ok(Some(GameChanger {
            base,
            encoder: TextEncoder {
                charset: options.charset,
                detector: options.detector,
            },
            allow: options.allow,
            index,
            games: None,
            words: Vec::new(),
            added: Vec::new(),
            marks: Vec::new(),
            old: GameBuffers::default(),
            new: GameBuffers::default(),
        }))
    }

    /// Returns the games file, opened for appending.
    fn games(&mut self) -> Result<&mut BufferedFile> {
        let games = match self.games.take() {
            Some(games) => games,
            None => BufferedFile::appending(self.base.grow(CBF_FILE)?, self.index.games_bytes),
        };
        Ok(self.games.insert(games))
    }

    /// Returns the place of the last longword.
    fn end_place(&self) -> u32 {
        let added = u32::try_from(self.added.len() / 4).unwrap_or(u32::MAX);
        self.index.count.saturating_add(added).saturating_add(1)
    }

    /// Appends the new record of the game with its longword at this place, and returns the longword.
    /// `None` if the index cannot represent the record or its end.
    fn append_record(&mut self, place: u32) -> Result<Option<u32>> {
        let length = self.new.record.len() as u64;
        let start = self.games()?.end();
        // One more, because the record may be that of another game.
        let last = self.end_place().saturating_add(1);
        let end = start.checked_add(length);
        let end = end.and_then(|end| Index::word(last, end));
        let word = Index::word(place, start).filter(|_| end.is_some());
        if word.is_some() {
            let games = self.games.as_mut();
            if let Some(games) = games {
                games.buffer.extend_from_slice(&self.new.record);
                games.flush_portion(self.base)?;
            }
        }
        Ok(word)
    }

    /// Returns the header at `offset` if it belongs to one game alone, and the record before it does
    /// not reach into it.
    fn own_header(&self, offset: u64) -> Result<Option<RawHeader>> {
        let offsets = &self.index.offsets;
        let is_free = match offsets.before(offset) {
            Some(start) => start + read_header(self.base, start)?.record_len() as u64 <= offset,
            None => true,
        };
        if is_free && offsets.is_single(offset) {
            read_header(self.base, offset).map(Some)
        } else {
            Ok(None)
        }
    }
}

impl ChangeGames for GameChanger<'_> {
    fn set_flags(&mut self, n: u32, old: GameFlags, new: GameFlags) -> Result<Option<Losses>> {
        let mut losses = Losses::new();
        let others = new.difference(GameFlags::DELETED | GameFlags::USER);
        if !others.is_empty() {
            losses.add(LossKind::Flags, None);
        }
        self.allow.check(&losses)?;
        let offset = self.index.offset(n)?;
        let Some(mut raw_header) = self.own_header(offset)? else {
            return Ok(None);
        };
        self.games()?;
        let changed = old.symmetric_difference(new);
        for (mark, flag) in [
            (GameFlags::DELETED, RecordFlags::DELETED),
            (GameFlags::USER, RecordFlags::MARKED),
        ] {
            if changed.contains(mark) {
                raw_header.flags.set(flag, new.contains(mark));
            }
        }
        // No key of the cipher depends on the flags, so all other bytes stay.
        let [.., flags, _, _, _] = raw_header.to_bytes();
        self.marks.push((offset + RawHeader::FLAGS, flags));
        Ok(Some(losses))
    }

    fn replace(&mut self, n: u32, old: &Game, new: &Game) -> Result<Option<Losses>> {
        self.index.offset(n)?;
        let mut losses = Losses::new();
        let is_stored = self.encoder.encode(new, &mut self.new, &mut losses)?;
        self.allow.check(&losses)?;
        let mut ignored = Losses::new();
        if !is_stored || !self.encoder.encode(old, &mut self.old, &mut ignored)? {
            return Ok(None);
        }
        if self.old.record == self.new.record {
            return Ok(Some(losses));
        }
        let place = n.saturating_add(1);
        let Some(word) = self.append_record(place)? else {
            return Ok(None);
        };
        self.words.push((Index::byte(place), word));
        Ok(Some(losses))
    }

    fn append(&mut self, game: &Game) -> Result<Option<Losses>> {
        let mut losses = Losses::new();
        let is_stored = self.encoder.encode(game, &mut self.new, &mut losses)?;
        self.allow.check(&losses)?;
        let word = if is_stored { self.append_record(self.end_place())? } else { None };
        let Some(word) = word else {
            return Ok(None);
        };
        self.added.extend_from_slice(&word.to_be_bytes());
        Ok(Some(losses))
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        if let Some(games) = &mut self.games {
            games.flush(self.base)?;
            for (offset, flags) in &self.marks {
                self.base.patch(games.file(), *offset, &[*flags])?;
            }
        }
        let (count, place) = (self.index.count, self.end_place());
        let games_end = self.games.as_ref().map(BufferedFile::end);
        // The index comes last: until then nothing refers to the new records.
        let index = self.base.grow(CBI_FILE)?;
        for (offset, word) in &self.words {
            self.base.patch(index, *offset, &word.to_be_bytes())?;
        }
        // `append_record` has ensured that there is such a longword.
        if let Some(end) = games_end.and_then(|end| Index::word(place, end)) {
            write_end(self.base, index, count, self.added, end)?;
        }
        self.base.commit()
    }
}
