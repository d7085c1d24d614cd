//! Appending games to an existing database: headers, addresses and records after those that are
//! there, and new names (docs/formats/chess-assistant.md, section 19).

use chessdb_core::files::{BufferedFile, Growing};
use chessdb_core::store::ChangeGames;
use chessdb_core::{Game, GameWrite, LossKind, Losses, Result, WriteOptions};

use super::Work;
use super::change::GameChanger;
use super::existing::{has_room, put_record};
use crate::roles::D02_FILE;
use crate::text::{Encoder, mark_of_charset, texts_of_record};

impl<'a> GameChanger<'a> {
    /// Opens a database for appending. `None` if it must be rewritten: its files do not match, it has
    /// files of unknown content about its games, or the charset of its texts is not certain.
    pub(crate) fn open_to_append(
        base: &'a mut dyn Growing,
        options: WriteOptions,
    ) -> Result<Option<GameChanger<'a>>> {
        let requested = options.charset;
        let Some(mut changer) = GameChanger::open(base, options)? else {
            return Ok(None);
        };
        if !changer.can_append()? || !changer.examine_texts()? {
            return Ok(None);
        }
        // The charset that is chosen here, or by the first text, applies to the whole database.
        let page = changer.detector.take().map(|detector| detector.page());
        let Some(texts) = &changer.existing_texts else {
            return Ok(None);
        };
        let (mark, detector) = (texts.evidence.mark, &texts.evidence.detector);
        let detected = detector.charset(&changer.guesses);
        let charset = match (mark, requested) {
            (Some(mark), None) => Some(mark),
            (None, None) if detector.is_empty() => None,
            (None, None) => {
                let is_sure = detector.is_sure_of(detected, &changer.guesses);
                let Some(page) = page.or(is_sure.then_some(detected)) else {
                    return Ok(None);
                };
                Some(page)
            }
            (Some(mark), Some(requested)) if mark == requested => Some(mark),
            _ => return Ok(None),
        };
        if charset.is_some_and(|charset| mark_of_charset(charset).is_none()) {
            return Ok(None);
        }
        changer.texts = Encoder::new(charset, None)?;
        changer.open_records()?;
        Ok(Some(changer))
    }

    /// Reads what new games need. Returns false if the database must be rewritten.
    pub(super) fn can_append(&mut self) -> Result<bool> {
        if self.names()?.is_none() {
            return Ok(false);
        }
        self.references()?;
        let references = self.references.as_ref();
        Ok(references.is_some_and(|it| self.existing.can_append(self.base, it)))
    }

    /// Opens the records for appending.
    pub(super) fn open_records(&mut self) -> Result<()> {
        if self.records.is_none() {
            let file = self.base.grow(D02_FILE)?;
            self.records = Some(BufferedFile::appending(file, self.existing.records_bytes));
        }
        Ok(())
    }

    /// Returns whether a record of this length still fits.
    pub(super) fn has_room(&self, length: usize) -> bool {
        let (records, names) = (self.records.as_ref(), self.names.as_ref());
        records.is_some_and(|records| has_room(records, length))
            && self.existing.has_room(self.games.added())
            && names.is_some_and(|names| names.lists.has_room())
    }

    /// Encodes a game, and lets its texts choose the charset. Returns false if it cannot be stored.
    fn encode_appended(&mut self, game: &Game, losses: &mut Losses) -> Result<bool> {
        losses.clear();
        let mut texts = self.texts.clone();
        if !self.new.encode(game, &mut texts, &self.guesses, losses) {
            return Ok(false);
        }
        let is_first = self.texts.charset().is_none() && texts.charset().is_some();
        self.texts = texts;
        let existing_texts = self.existing_texts.as_ref();
        let is_complete = existing_texts.is_some_and(|texts| texts.is_complete);
        // Comments that were not examined may already have a charset.
        if is_first && !is_complete && self.existing.has_texts_beyond_ascii(self.base)? {
            self.texts = Encoder::new(Some(self.guesses.charset), None)?;
            return self.encode_appended(game, losses);
        }
        Ok(true)
    }

    /// Counts NAGs without a symbol as lost if readers do not take their texts for NAGs: they do so only
    /// in a database of our own (section 11).
    fn count_lost_nags(&self, work: &Work, losses: &mut Losses) {
        let texts = self.existing_texts.as_ref();
        if texts.is_some_and(|texts| texts.evidence.is_own) {
            return;
        }
        let is_nag = |text: &&[u8]| {
            let digits = text.strip_prefix(b"$").unwrap_or_default();
            !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
        };
        let nags = texts_of_record(&work.moves.body).filter(is_nag);
        losses.add_many(LossKind::Nag, nags.count() as u32, None);
    }

    /// Appends the encoded game, which must fit.
    pub(super) fn put(&mut self, game: &Game) -> Result<()> {
        self.add_evidence();
        let number = self.existing.entries + self.games.added();
        if let (Some(names), Some(records)) = (&mut self.names, &mut self.records) {
            let raw_header = self.new.number(game, &mut names.lists, number);
            let offset = put_record(records, &self.new.moves.body);
            self.games.add(raw_header, offset);
            records.flush_portion(self.base)?;
        }
        Ok(())
    }
}

impl GameWrite for GameChanger<'_> {
    fn assess(&self, game: &Game) -> Losses {
        let (mut work, mut losses) = (Work::default(), Losses::new());
        let mut texts = self.texts.clone();
        let fits = work.encode(game, &mut texts, &self.guesses, &mut losses);
        self.count_lost_nags(&work, &mut losses);
        losses.add_if(
            LossKind::Game,
            !fits || !self.has_room(work.moves.body.len()),
        );
        losses
    }

    fn write(&mut self, game: &Game) -> Result<Losses> {
        let mut losses = Losses::new();
        let before = self.texts.clone();
        let fits = self.encode_appended(game, &mut losses)?;
        self.count_lost_nags(&self.new, &mut losses);
        losses.add_if(
            LossKind::Game,
            !fits || !self.has_room(self.new.moves.body.len()),
        );
        let is_written = losses.count(LossKind::Game) == 0;
        if let (Err(_), _) | (_, false) = (self.allow.check(&losses), is_written) {
            // Only a game that is written may choose the charset of the database.
            self.texts = before;
            self.allow.check(&losses)?;
            return Ok(losses);
        }
        self.put(game)?;
        Ok(losses)
    }

    fn base_losses(&self) -> &Losses {
        &self.base_losses
    }

    fn finish(self: Box<Self>) -> Result<u32> {
        let games = self.games.added();
        ChangeGames::finish(self)?;
        Ok(games)
    }
}
