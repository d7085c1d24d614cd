//! Appending games to an existing database: headers, addresses and records after those that are
//! there, and new names (docs/formats/chess-assistant.md, section 19).

use chessdb_core::files::{BufferedFile, Growing};
use chessdb_core::options::Allow;
use chessdb_core::{Game, GameWrite, LossKind, Losses, Result, WriteOptions};

use super::Work;
use super::existing::{
    ChangedGames, ExistingBase, ExistingNames, ExistingTexts, has_room, put_record,
};
use crate::guesses::Guesses;
use crate::raw::Emb;
use crate::roles::D02_FILE;
use crate::text::{Encoder, mark_of_charset};

/// A writer that appends games to an existing database.
pub(crate) struct Appender<'a> {
    base: &'a mut dyn Growing,
    existing: ExistingBase,
    names: ExistingNames,
    existing_texts: ExistingTexts,
    allow: Allow,
    guesses: Guesses,
    texts: Encoder,
    records: BufferedFile,
    games: ChangedGames,
    work: Work,
    base_losses: Losses,
}

impl<'a> Appender<'a> {
    /// Opens a database. `None` if it must be rewritten: its files do not match, it has files of
    /// unknown content about its games, or the charset of its texts is not certain.
    pub(crate) fn open(
        base: &'a mut dyn Growing,
        options: WriteOptions,
    ) -> Result<Option<Appender<'a>>> {
        let guesses = Guesses::PAGE;
        let Some(existing) = ExistingBase::read(base)? else {
            return Ok(None);
        };
        let names = ExistingNames::read(base)?.filter(|names| names.lists.has_room());
        let Some(names) = names else {
            return Ok(None);
        };
        let references = existing.references(base)?;
        if !existing.can_append(base, &references) {
            return Ok(None);
        }
        let texts = existing.texts(base, &Emb::parse(&names.emb)?)?;
        let detected = texts.evidence.detector.charset(&guesses);
        let is_ascii = texts.evidence.detector.is_empty();
        let is_sure = texts.evidence.detector.is_sure_of(detected, &guesses);
        let charset = match (texts.evidence.mark, options.charset, &options.detector) {
            (Some(mark), None, _) => Some(mark),
            // The first text chooses.
            (None, None, _) if is_ascii => None,
            (None, None, Some(detector)) => Some(detector.page()),
            (None, None, None) if is_sure => Some(detected),
            (Some(mark), Some(charset), _) if mark == charset => Some(mark),
            _ => return Ok(None),
        };
        if charset.is_some_and(|charset| mark_of_charset(charset).is_none()) {
            return Ok(None);
        }
        let texts_encoder = Encoder::new(charset, None)?;
        let records = BufferedFile::appending(base.grow(D02_FILE)?, existing.records_bytes);
        Ok(Some(Appender {
            base,
            existing,
            names,
            existing_texts: texts,
            allow: options.allow,
            guesses,
            texts: texts_encoder,
            records,
            games: ChangedGames::default(),
            work: Work::default(),
            base_losses: Losses::new(),
        }))
    }

    /// Returns whether a record of this length still fits.
    fn has_room(&self, length: usize) -> bool {
        has_room(&self.records, length)
            && self.existing.has_room(self.games.added())
            && self.names.lists.has_room()
    }

    /// Encodes a game. Returns false if it cannot be stored.
    fn encode(&mut self, game: &Game, losses: &mut Losses) -> Result<bool> {
        losses.clear();
        let mut texts = self.texts.clone();
        if !self.work.encode(game, &mut texts, &self.guesses, losses) {
            return Ok(false);
        }
        let is_first = self.texts.charset().is_none() && texts.charset().is_some();
        self.texts = texts;
        // Comments that were not examined may already have a charset.
        if is_first
            && !self.existing_texts.is_complete
            && self.existing.has_texts_beyond_ascii(self.base)?
        {
            self.texts = Encoder::new(Some(self.guesses.charset), None)?;
            return self.encode(game, losses);
        }
        Ok(true)
    }
}

impl GameWrite for Appender<'_> {
    fn assess(&self, game: &Game) -> Losses {
        let (mut work, mut losses) = (Work::default(), Losses::new());
        let mut texts = self.texts.clone();
        let fits = work.encode(game, &mut texts, &self.guesses, &mut losses);
        if !fits || !self.has_room(work.moves.body.len()) {
            losses.add(LossKind::Game, None);
        }
        losses
    }

    fn write(&mut self, game: &Game) -> Result<Losses> {
        let mut losses = Losses::new();
        let before = self.texts.clone();
        let fits = self.encode(game, &mut losses)?;
        let length = self.work.moves.body.len();
        if !fits || !self.has_room(length) {
            losses.add(LossKind::Game, None);
        }
        let is_written = losses.count(LossKind::Game) == 0;
        if let (Err(_), _) | (_, false) = (self.allow.check(&losses), is_written) {
            // Only a game that is written may choose the charset of the database.
            self.texts = before;
            self.allow.check(&losses)?;
            return Ok(losses);
        }
        let detector = &mut self.existing_texts.evidence.detector;
        self.work.texts().for_each(|text| detector.text(text));
        let number = self.existing.entries + self.games.added();
        let raw_header = self.work.number(game, &mut self.names.lists, number);
        let offset = put_record(&mut self.records, &self.work.moves.body);
        self.games.add(raw_header, offset);
        self.records.flush_portion(self.base)?;
        Ok(losses)
    }

    fn base_losses(&self) -> &Losses {
        &self.base_losses
    }

    fn finish(mut self: Box<Self>) -> Result<u32> {
        self.records.flush(self.base)?;
        if let Some(mark) = self.existing_texts.needed_mark(self.texts.charset()) {
            self.base.patch(self.records.file(), 0, &[mark])?;
        }
        self.names.write(self.base)?;
        self.existing.write(self.base, &self.games)?;
        Ok(self.games.added())
    }
}
