//! Changes of single games: the header and the address in place, a changed record at the end of the
//! records, and new names (docs/formats/chess-assistant.md, section 19).

use chessdb_core::files::{BufferedFile, Growing};
use chessdb_core::model::GameFlags;
use chessdb_core::options::Allow;
use chessdb_core::store::ChangeGames;
use chessdb_core::text::EncodingDetector;
use chessdb_core::{Charset, ErrorKind, Game, Losses, Result, WriteOptions};

use super::existing::{ExistingBase, ExistingNames, ExistingTexts, References, header_offset};
use super::{MAX_ADDRESS, Work, keys_of};
use crate::guesses::Guesses;
use crate::header::HeaderNames;
use crate::raw::{Emb, RawHeader, RecordBytes};
use crate::roles::{A02_FILE, D00_FILE, D02_FILE};
use crate::text::{Encoder, mark_of_charset, texts_of_record};

/// A database whose games are being changed.
pub(crate) struct GameChanger<'a> {
    base: &'a mut dyn Growing,
    existing: ExistingBase,
    allow: Allow,
    guesses: Guesses,
    detector: Option<EncodingDetector>,
    texts: Encoder,
    /// Read when they are needed: by a change of a name, of a record, of a text beyond ASCII.
    names: Option<ExistingNames>,
    references: Option<References>,
    existing_texts: Option<ExistingTexts>,
    /// Opened when the first record is appended.
    records: Option<BufferedFile>,
    /// The changed headers and addresses, with their offsets.
    headers: Vec<(u64, [u8; RawHeader::SIZE])>,
    addresses: Vec<(u64, [u8; 4])>,
    old: Work,
    new: Work,
}

impl<'a> GameChanger<'a> {
    /// Opens a database. `None` if it must be rewritten for any change, because its files do not
    /// match.
    pub(crate) fn open(
        base: &'a mut dyn Growing,
        options: WriteOptions,
    ) -> Result<Option<GameChanger<'a>>> {
        let existing = ExistingBase::read(base)?;
        let texts = Encoder::new(options.charset, options.detector.clone())?;
        Ok(existing.map(|existing| GameChanger {
            base,
            existing,
            allow: options.allow,
            guesses: Guesses::PAGE,
            detector: options.detector,
            texts,
            names: None,
            references: None,
            existing_texts: None,
            records: None,
            headers: Vec::new(),
            addresses: Vec::new(),
            old: Work::default(),
            new: Work::default(),
        }))
    }

    fn read_header(&self, n: u32) -> Result<RawHeader> {
        if n >= self.existing.games {
            let (field, value) = ("game number", u64::from(n) + 1);
            return Err(ErrorKind::BadField { field, value }.into());
        }
        let mut bytes = [0; RawHeader::SIZE];
        self.base.read_old(D00_FILE, header_offset(n), &mut bytes)?;
        Ok(RawHeader::parse(&bytes))
    }

    /// Returns the names, if they can be changed.
    fn names(&mut self) -> Result<Option<&mut ExistingNames>> {
        if self.names.is_none() {
            self.names = ExistingNames::read(self.base)?.filter(|names| names.lists.has_room());
        }
        Ok(self.names.as_mut())
    }

    /// Examines the texts of the database. Returns false if it is damaged.
    fn examine_texts(&mut self) -> Result<bool> {
        if self.existing_texts.is_none() {
            self.names()?;
            let Some(names) = &self.names else {
                return Ok(false);
            };
            let emb = Emb::parse(&names.emb)?;
            self.existing_texts = Some(self.existing.texts(self.base, &emb)?);
        }
        Ok(true)
    }

    /// Returns whether this crate may have written the database.
    fn is_own(&mut self) -> Result<bool> {
        self.examine_texts()?;
        let texts = self.existing_texts.as_ref();
        Ok(texts.is_some_and(|texts| texts.evidence.is_own))
    }

    /// Chooses the charset of the database before the first text beyond ASCII is written. Returns
    /// false if it has none that can be written.
    fn choose_charset(&mut self, game: &Game) -> Result<bool> {
        let mut texts = game.texts.iter().map(|(_, text)| text);
        if self.texts.charset().is_some() || texts.all(|text| text.as_bytes().is_ascii()) {
            return Ok(true);
        }
        if !self.examine_texts()? {
            return Ok(false);
        }
        let Some(texts) = &self.existing_texts else {
            return Ok(false);
        };
        let detector = self.detector.as_ref().map(EncodingDetector::page);
        let detected = || texts.evidence.detector.charset(&self.guesses);
        let charset: Charset = texts.evidence.mark.or(detector).unwrap_or_else(detected);
        if mark_of_charset(charset).is_none() {
            return Ok(false);
        }
        self.texts = Encoder::new(Some(charset), self.detector.clone())?;
        Ok(true)
    }

    /// Appends the record of the new game in place of that of entry `entry`, and returns its offset.
    /// `None` if that is impossible.
    fn append_record(&mut self, entry: u32) -> Result<Option<u32>> {
        if self.references.is_none() {
            self.references = Some(self.existing.references(self.base)?);
        }
        let Some(references) = &self.references else {
            return Ok(None);
        };
        // Other games may have the same record.
        if !references.are_inside || references.uses.get(entry as usize) != Some(&1) {
            return Ok(None);
        }
        let mut address = [0; 4];
        self.base
            .read_old(A02_FILE, u64::from(entry) * 4, &mut address)?;
        if let Ok(offset) = u32::try_from(i32::from_le_bytes(address))
            && !self.may_leave(offset, references.has_first_byte)?
        {
            return Ok(None);
        }
        if self.records.is_none() {
            let file = self.base.grow(D02_FILE)?;
            self.records = Some(BufferedFile::appending(file, self.existing.records_bytes));
        }
        let body = &self.new.moves.body;
        let Some(records) = &mut self.records else {
            return Ok(None);
        };
        let end = records.end();
        if end + body.len() as u64 + 4 > MAX_ADDRESS {
            return Ok(None);
        }
        RecordBytes::put_length(body.len(), self.guesses.long_lengths, &mut records.buffer);
        records.buffer.extend_from_slice(body);
        records.flush_portion(self.base)?;
        Ok(u32::try_from(end).ok())
    }

    /// Returns whether the record at this offset may become unused. A game without moves is a zero
    /// byte. After a record that also consists of zeros, it would look like the remains of an
    /// overwritten record (section 7).
    fn may_leave(&self, offset: u32, has_first_byte: bool) -> Result<bool> {
        // The byte before the records belongs to none of them.
        let before = match offset {
            0 => return Ok(true),
            1 if !has_first_byte => return Ok(true),
            _ => u64::from(offset - 1),
        };
        if u64::from(offset) >= self.existing.records_bytes {
            return Ok(false);
        }
        let mut bytes = [0; 2];
        self.base.read_old(D02_FILE, before, &mut bytes)?;
        Ok(bytes != [0, 0])
    }

    /// Gives the header the numbers of the names that differ. Returns false if they have no room.
    fn number_names(&mut self, game: &Game, raw_header: &mut RawHeader) -> Result<bool> {
        let (old, new) = (self.old.names.clone(), self.new.names.clone());
        if old == new {
            return Ok(true);
        }
        // Names that stay keep their numbers, also if the list has the name twice.
        let is_new = |n: usize| old.others.get(n) != new.others.get(n);
        let [white, black] = [0, 1].map(|n: usize| old.players.get(n) != new.players.get(n));
        let [event, place, source] = [0, 1, 2].map(is_new);
        let annotator = old.annotator != new.annotator;
        let mut changed = HeaderNames::default();
        let players = changed
            .players
            .iter_mut()
            .zip(new.players)
            .zip([white, black]);
        players.for_each(|((to, from), is_new)| *to = from.filter(|_| is_new));
        let others = changed.others.iter_mut().zip(new.others);
        let others = others.zip([event, place, source]);
        others.for_each(|((to, from), is_new)| *to = from.filter(|_| is_new));
        changed.annotator = new.annotator.filter(|_| annotator);
        let Some(names) = self.names()? else {
            return Ok(false);
        };
        let ids = names.lists.ids(&changed, &keys_of(game));
        let [new_white, new_black] = ids.players;
        let [new_event, new_place, new_source] = ids.others;
        for (is_new, number, id) in [
            (white, &mut raw_header.white, new_white),
            (black, &mut raw_header.black, new_black),
            (event, &mut raw_header.event, new_event),
            (place, &mut raw_header.place, new_place),
            (source, &mut raw_header.source, new_source),
            (annotator, &mut raw_header.annotator, ids.annotator),
        ] {
            if is_new {
                *number = id;
            }
        }
        Ok(names.lists.has_room())
    }

    /// Returns the mark to set, if all texts of the database are read in the charset of the new ones.
    fn needed_mark(&self) -> Option<u8> {
        let texts = self.existing_texts.as_ref()?;
        let mark = texts.needed_mark(self.texts.charset())?;
        let page_of = |text: &[u8]| self.detector.as_ref().map(|it| it.page_of(text));
        let is_uniform = |text: &[u8]| {
            text.is_ascii() || page_of(text).is_none_or(|page| self.texts.charset() == Some(page))
        };
        let mut names = self.names.as_ref()?.lists.texts();
        names.all(is_uniform).then_some(mark)
    }
}

impl ChangeGames for GameChanger<'_> {
    fn set_flags(&mut self, _: u32, _: GameFlags, _: GameFlags) -> Result<Option<Losses>> {
        // The format has no marks, which rewriting reports.
        Ok(None)
    }

    fn replace(&mut self, n: u32, old: &Game, new: &Game) -> Result<Option<Losses>> {
        let stored = self.read_header(n)?;
        if !self.choose_charset(old)? || !self.choose_charset(new)? {
            return Ok(None);
        }
        let mut losses = Losses::new();
        let mut texts = self.texts.clone();
        let is_stored = self.new.encode(new, &mut texts, &self.guesses, &mut losses);
        self.allow.check(&losses)?;
        let mut none = Losses::new();
        if !is_stored || !self.old.encode(old, &mut texts, &self.guesses, &mut none) {
            return Ok(None);
        }
        let fields = match self.old.raw_header == self.new.raw_header {
            true => stored,
            false => self.new.raw_header,
        };
        let mut raw_header = RawHeader {
            white: stored.white,
            black: stored.black,
            event: stored.event,
            place: stored.place,
            source: stored.source,
            annotator: stored.annotator,
            game: stored.game,
            ..fields
        };
        if self.old.moves.body != self.new.moves.body {
            // Only in a database of our own are such texts NAGs (section 11).
            let is_nag = |text: &[u8]| text.starts_with(b"$");
            if texts_of_record(&self.new.moves.body).any(is_nag) && !self.is_own()? {
                return Ok(None);
            }
            let Some(offset) = self.append_record(stored.game)? else {
                return Ok(None);
            };
            self.addresses
                .push((u64::from(stored.game) * 4, offset.to_le_bytes()));
        }
        if !self.number_names(new, &mut raw_header)? {
            return Ok(None);
        }
        if let Some(texts) = &mut self.existing_texts {
            self.new
                .texts()
                .for_each(|text| texts.evidence.detector.text(text));
        }
        self.headers.push((header_offset(n), raw_header.to_bytes()));
        Ok(Some(losses))
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        let mark = self.needed_mark();
        if let Some(records) = &mut self.records {
            records.flush(self.base)?;
        }
        if let Some(mark) = mark {
            let file = match &self.records {
                Some(records) => records.file(),
                None => self.base.grow(D02_FILE)?,
            };
            self.base.patch(file, 0, &[mark])?;
        }
        if let Some(names) = &self.names {
            names.write(self.base)?;
        }
        if !self.addresses.is_empty() {
            let file = self.base.grow(A02_FILE)?;
            for (offset, bytes) in &self.addresses {
                self.base.patch(file, *offset, bytes)?;
            }
        }
        let file = self.base.grow(D00_FILE)?;
        for (offset, bytes) in &self.headers {
            self.base.patch(file, *offset, bytes)?;
        }
        self.base.commit()
    }
}
