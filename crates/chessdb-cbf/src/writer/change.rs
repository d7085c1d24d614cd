//! Changes of single games: marks in place, any other change as a new record at the end of the
//! games file (docs/formats/cbf.md, section 19).

use chessdb_core::files::{BufferedFile, Growing};
use chessdb_core::model::GameFlags;
use chessdb_core::store::{ChangeGames, EncodeGame, WriteEncoded, WriterState};
use chessdb_core::{Game, GameWrite, LossKind, Losses, Result, WriteOptions};

use super::existing::{ExistingIndex, read_header, write_end};
use super::{GameBuffers, compare_limits, longword};
use crate::raw::{Index, RawHeader, RecordFlags};
use crate::roles::{CBF_FILE, CBI_FILE};
use crate::text::TextEncoder;

/// Changes the games of a database, and appends games. Four bytes of each new game stay in memory.
pub(crate) struct GameChanger<'a> {
    base: &'a mut dyn Growing,
    state: WriterState<TextEncoder>,
    index: ExistingIndex,
    /// The games file, opened for the first change or new game.
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
        let texts = TextEncoder {
            charset: options.charset,
            detector: options.detector,
        };
        Ok(Some(GameChanger {
            base,
            state: WriterState::appending(texts, options.allow, index.count),
            index,
            games: None,
            words: Vec::new(),
            added: Vec::new(),
            marks: Vec::new(),
            old: GameBuffers::default(),
            new: GameBuffers::default(),
        }))
    }

    /// Opens a database for appending. Reads its index and no game. `None` if the database must be
    /// rewritten, because its files do not match.
    pub(crate) fn open_to_append(
        base: &'a mut dyn Growing,
        options: WriteOptions,
    ) -> Result<Option<GameChanger<'a>>> {
        let mut changer = GameChanger::open(base, options)?;
        if let Some(changer) = &mut changer {
            changer.games()?;
        }
        Ok(changer)
    }

    /// Returns the games file, opened for appending.
    fn games(&mut self) -> Result<&mut BufferedFile> {
        let games = match self.games.take() {
            Some(games) => games,
            None => BufferedFile::appending(self.base.grow(CBF_FILE)?, self.index.games_bytes),
        };
        Ok(self.games.insert(games))
    }

    /// Appends a record with its longword at this place, and returns the longword. `None` if the index
    /// cannot represent the record or its end.
    fn append_record(&mut self, place: u32, record: &[u8]) -> Result<Option<u32>> {
        self.games()?;
        let Some(games) = &mut self.games else {
            return Ok(None);
        };
        let word = longword(&self.state, games, place, record.len());
        if word.is_some() {
            games.buffer.extend_from_slice(record);
            games.flush_portion(self.base)?;
        }
        Ok(word)
    }

    /// Returns the header at `offset` if it belongs to one game alone, and the record before it does
    /// not reach into it.
    fn own_header(&mut self, offset: u64) -> Result<Option<RawHeader>> {
        let (is_single, before) = self.index.neighbours(offset);
        let is_free = match before {
            Some(start) => start + read_header(self.base, start)?.record_len() as u64 <= offset,
            None => true,
        };
        if is_free && is_single {
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
        self.state.check(&losses)?;
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
        let is_stored = self.state.encoder.encode(new, &mut self.new, &mut losses)?;
        self.state.check(&losses)?;
        let mut ignored = Losses::new();
        let encoder = &self.state.encoder;
        if !is_stored || !encoder.encode(old, &mut self.old, &mut ignored)? {
            return Ok(None);
        }
        if self.old.record == self.new.record {
            return Ok(Some(losses));
        }
        let place = n.saturating_add(1);
        let record = std::mem::take(&mut self.new.record);
        let word = self.append_record(place, &record)?;
        self.new.record = record;
        let Some(word) = word else {
            return Ok(None);
        };
        self.words.push((Index::byte(place), word));
        Ok(Some(losses))
    }

    fn appender(&mut self) -> Result<Option<&mut dyn GameWrite>> {
        self.games()?;
        Ok(Some(self))
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        if let Some(games) = &mut self.games {
            games.flush(self.base)?;
            for (offset, flags) in &self.marks {
                self.base.patch(games.file(), *offset, &[*flags])?;
            }
        }
        let (count, place) = (self.index.count, self.state.number());
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

impl WriteEncoded for GameChanger<'_> {
    chessdb_core::writer_state!(TextEncoder);

    fn fit(&self, _: &Game, encoded: &mut GameBuffers, _: &mut Losses) -> bool {
        let (place, length) = (self.state.number(), encoded.record.len());
        let games = self.games.as_ref();
        games.is_some_and(|games| longword(&self.state, games, place, length).is_some())
    }

    fn put(&mut self, _: &Game, encoded: &mut GameBuffers) -> Result<()> {
        let word = self.append_record(self.state.number(), &encoded.record)?;
        // `fit` has ensured that there is one.
        let word = word.unwrap_or(u32::MAX);
        self.added.extend_from_slice(&word.to_be_bytes());
        compare_limits(&mut self.state, encoded);
        Ok(())
    }

    fn close(self: Box<Self>) -> Result<()> {
        ChangeGames::finish(self)
    }
}
