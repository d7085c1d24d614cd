//! Changes of single games: marks in place, any other change as a new record at the end of the
//! games file (docs/formats/cbf.md, section 18).

use chessdb_core::files::{BufferedFile, Growing};
use chessdb_core::model::GameFlags;
use chessdb_core::options::Allow;
use chessdb_core::store::{ChangeGames, EncodeGame, SortedOffsets};
use chessdb_core::{ErrorKind, Game, LossKind, Losses, Result, WriteOptions};

use super::GameBuffers;
use crate::raw::{Index, Position, RawHeader, RecordFlags};
use crate::roles::{CBF_FILE, CBI_FILE};
use crate::text::TextEncoder;

/// A database whose games are being changed.
pub(crate) struct GameChanger<'a> {
    base: &'a mut dyn Growing,
    encoder: TextEncoder,
    allow: Allow,
    index: ExistingIndex,
    /// The games file, opened for the first change.
    games: Option<BufferedFile>,
    /// The changed longwords: their offset in the index file, and their value.
    words: Vec<(u64, u32)>,
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
        let length = self.new.record.len() as u64;
        let place = n.saturating_add(1);
        let start = self.games()?.end();
        let end = start.checked_add(length);
        let word = Index::word(place, start);
        let (Some(word), Some(_)) = (word, end.and_then(|end| self.index.end_word(end))) else {
            return Ok(None);
        };
        if let Some(games) = &mut self.games {
            games.buffer.extend_from_slice(&self.new.record);
            games.flush_portion(self.base)?;
        }
        self.words.push((Index::byte(place), word));
        Ok(Some(losses))
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        if let Some(games) = &mut self.games {
            games.flush(self.base)?;
            for (offset, flags) in &self.marks {
                self.base.patch(games.file(), *offset, &[*flags])?;
            }
            // `replace` has ensured that there is such a longword.
            let end = self.index.end_word(games.end());
            if let Some(end) = end.filter(|_| games.end() > self.index.games_bytes) {
                self.words.push((Index::byte(self.index.count + 1), end));
            }
        }
        // The index comes last: until then nothing refers to the new records.
        let index = self.base.grow(CBI_FILE)?;
        for (offset, word) in &self.words {
            self.base.patch(index, *offset, &word.to_be_bytes())?;
        }
        self.base.commit()
    }
}

/// The index of an existing database.
pub(super) struct ExistingIndex {
    /// The number of games.
    pub(super) count: u32,
    /// The length of the games file.
    pub(super) games_bytes: u64,
    /// The content of the index file.
    bytes: Vec<u8>,
    offsets: SortedOffsets,
}

impl ExistingIndex {
    /// The length of the longest possible record.
    const MAX_RECORD: u64 = (RawHeader::SIZE
        + 2 * RawHeader::MAX_TEXT
        + RawHeader::MAX_MOVES
        + RawHeader::MAX_COMMENTS
        + Position::SIZE) as u64;

    /// Reads the index. `None` if its longwords do not match its count or the length of the games
    /// file, or if a game begins or ends beyond that file, where it would contain new records.
    pub(super) fn read(base: &dyn Growing) -> Result<Option<ExistingIndex>> {
        let (Some(games_bytes), Some(_)) = (base.length(CBF_FILE), base.length(CBI_FILE)) else {
            return Ok(None);
        };
        let bytes = base.read_whole(CBI_FILE)?;
        let ([first, entries @ .., last], []) = Index::split(&bytes) else {
            return Ok(None);
        };
        let offset = |place, word: &[u8; 4]| Index::offset(place, u32::from_be_bytes(*word));
        let count = u32::from_be_bytes(*first).saturating_sub(1);
        let end = count.checked_add(1).and_then(|place| offset(place, last));
        if count as usize != entries.len() || end != Some(games_bytes) {
            return Ok(None);
        }
        let offsets = (1..).zip(entries).map_while(|(place, word)| {
            offset(place, word).filter(|&offset| offset < games_bytes)
        });
        let offsets: Vec<u64> = offsets.collect();
        let is_whole = offsets.len() == entries.len();
        let index = ExistingIndex {
            count,
            games_bytes,
            offsets: SortedOffsets::new(offsets),
            bytes,
        };
        let is_sound = is_whole && index.ends_inside(base)?;
        Ok(is_sound.then_some(index))
    }

    /// Returns the longword that states this end of the games file. `None` on overflow.
    fn end_word(&self, end: u64) -> Option<u32> {
        Index::word(self.count.checked_add(1)?, end)
    }

    /// Returns the offset of the record of game `n`, from 0.
    fn offset(&self, n: u32) -> Result<u64> {
        let words = Index::split(&self.bytes).0;
        let place = n.saturating_add(1);
        let word = words.get(place as usize).filter(|_| n < self.count);
        let offset = word.and_then(|word| Index::offset(place, u32::from_be_bytes(*word)));
        offset.ok_or_else(|| ErrorKind::no_such_game(place, self.count).into())
    }

    /// Returns whether all records end within the games file.
    fn ends_inside(&self, base: &dyn Growing) -> Result<bool> {
        // No record before this offset can reach beyond the end.
        let from = self.games_bytes.saturating_sub(Self::MAX_RECORD);
        let mut tail = vec![0; (self.games_bytes - from) as usize];
        base.read_old(CBF_FILE, from, &mut tail)?;
        let last = self.offsets.as_slice().iter().rev();
        Ok(last.take_while(|&&offset| offset >= from).all(|offset| {
            let rest = tail.get((offset - from) as usize..).unwrap_or_default();
            let raw_header = rest.first_chunk().map(RawHeader::parse);
            raw_header.is_some_and(|raw_header| raw_header.record_len() <= rest.len())
        }))
    }
}

/// Returns the header of the record at an offset.
fn read_header(base: &dyn Growing, offset: u64) -> Result<RawHeader> {
    let mut bytes = [0; RawHeader::SIZE];
    base.read_old(CBF_FILE, offset, &mut bytes)?;
    Ok(RawHeader::parse(&bytes))
}
