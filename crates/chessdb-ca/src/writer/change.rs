//! Changes of single games: the header and the address in place, a changed record at the end of the
//! records, and new names (docs/formats/chess-assistant.md, section 19).

use chessdb_core::files::{BufferedFile, Growing};
use chessdb_core::model::GameFlags;
use chessdb_core::options::Allow;
use chessdb_core::store::ChangeGames;
use chessdb_core::text::EncodingDetector;
use chessdb_core::{Charset, ErrorKind, Game, LossKind, Losses, Result, WriteOptions};

use super::existing::{
    ChangedGames, ExistingBase, ExistingNames, ExistingTexts, References, has_room, header_offset,
    put_record,
};
use super::{Work, keys_of};
use crate::guesses::Guesses;
use crate::header::HeaderNames;
use crate::raw::{Emb, RawHeader};
use crate::roles::{A02_FILE, D00_FILE, D02_FILE};
use crate::text::{Encoder, mark_of_charset, texts_of_record};

/// Changes the games of a database, and appends games.
pub(crate) struct GameChanger<'a> {
    pub(super) base: &'a mut dyn Growing,
    pub(super) existing: ExistingBase,
    pub(super) allow: Allow,
    pub(super) guesses: Guesses,
    pub(super) detector: Option<EncodingDetector>,
    pub(super) texts: Encoder,
    /// Read when they are needed: by a change of a name, of a record, of a text beyond ASCII.
    pub(super) names: Option<ExistingNames>,
    pub(super) references: Option<References>,
    pub(super) existing_texts: Option<ExistingTexts>,
    /// Opened when the first record is appended.
    pub(super) records: Option<BufferedFile>,
    pub(super) games: ChangedGames,
    old: Work,
    pub(super) new: Work,
    /// Appending loses nothing of the database as a whole.
    pub(super) base_losses: Losses,
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
            games: ChangedGames::default(),
            old: Work::default(),
            new: Work::default(),
            base_losses: Losses::new(),
        }))
    }

    fn read_header(&self, n: u32) -> Result<RawHeader> {
        if n >= self.existing.games {
            return Err(ErrorKind::no_such_game(n, self.existing.games).into());
        }
        let mut bytes = [0; RawHeader::SIZE];
        self.base.read_old(D00_FILE, header_offset(n), &mut bytes)?;
        Ok(RawHeader::parse(&bytes))
    }

    /// Returns the names, if they can be changed.
    pub(super) fn names(&mut self) -> Result<Option<&mut ExistingNames>> {
        if self.names.is_none() {
            self.names = ExistingNames::read(self.base)?.filter(|names| names.lists.has_room());
        }
        Ok(self.names.as_mut())
    }

    /// Examines the texts of the database. Returns false if it is damaged.
    pub(super) fn examine_texts(&mut self) -> Result<bool> {
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

    pub(super) fn references(&mut self) -> Result<Option<&References>> {
        if self.references.is_none() {
            self.references = Some(self.existing.references(self.base)?);
        }
        Ok(self.references.as_ref())
    }

    /// Returns whether the record of entry `entry` may be replaced by one at the end.
    fn may_move(&mut self, entry: u32) -> Result<bool> {
        let Some(references) = self.references()? else {
            return Ok(false);
        };
        let has_first_byte = references.has_first_byte;
        // Other games may have the same record.
        if !references.are_inside || !references.is_single(entry) {
            return Ok(false);
        }
        let mut address = [0; 4];
        self.base
            .read_old(A02_FILE, u64::from(entry) * 4, &mut address)?;
        match u32::try_from(i32::from_le_bytes(address)) {
            Ok(offset) => self.may_leave(offset, has_first_byte),
            // The record of the alias belongs to another entry.
            Err(_) => Ok(true),
        }
    }

    /// Appends the record of the new game and returns its offset. `None` if it has no room.
    fn append_record(&mut self) -> Result<Option<u32>> {
        self.open_records()?;
        let body = &self.new.moves.body;
        let Some(records) = self.records.as_mut() else {
            return Ok(None);
        };
        if !has_room(records, body.len()) {
            return Ok(None);
        }
        let offset = put_record(records, body);
        records.flush_portion(self.base)?;
        Ok(Some(offset))
    }

    /// Encodes the new game. Returns false if the database must be rewritten for it.
    fn encode(&mut self, game: &Game, losses: &mut Losses) -> Result<bool> {
        if !self.choose_charset(game)? {
            return Ok(false);
        }
        let mut texts = self.texts.clone();
        let is_stored = self.new.encode(game, &mut texts, &self.guesses, losses);
        // A rewrite may choose another charset, which has the letters.
        let has_letters = [LossKind::NameText, LossKind::CommentText, LossKind::Title]
            .into_iter()
            .all(|kind| losses.count(kind) == 0);
        if !is_stored || !has_letters {
            return Ok(false);
        }
        self.allow.check(losses)?;
        // Only in a database of our own are such texts NAGs (section 11).
        let is_nag = |text: &[u8]| text.starts_with(b"$");
        let has_nags = texts_of_record(&self.new.moves.body).any(is_nag);
        Ok(!has_nags || self.is_own()?)
    }

    /// Adds the texts of the new game to the evidence for the charset.
    pub(super) fn add_evidence(&mut self) {
        if let Some(texts) = &mut self.existing_texts {
            let detector = &mut texts.evidence.detector;
            self.new.texts().for_each(|text| detector.text(text));
        }
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
        let mut losses = Losses::new();
        if !self.choose_charset(old)? || !self.encode(new, &mut losses)? {
            return Ok(None);
        }
        let (mut texts, mut none) = (self.texts.clone(), Losses::new());
        if !self.old.encode(old, &mut texts, &self.guesses, &mut none) {
            return Ok(None);
        }
        let is_same = self.old.raw_header == self.new.raw_header;
        let fields = if is_same { stored } else { self.new.raw_header };
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
            if !self.may_move(stored.game)? {
                return Ok(None);
            }
            let Some(offset) = self.append_record()? else {
                return Ok(None);
            };
            let place = u64::from(stored.game) * 4;
            self.games.addresses.push((place, offset.to_le_bytes()));
        }
        if !self.number_names(new, &mut raw_header)? {
            return Ok(None);
        }
        self.add_evidence();
        let header = (header_offset(n), raw_header.to_bytes());
        self.games.headers.push(header);
        Ok(Some(losses))
    }

    fn append(&mut self, game: &Game) -> Result<Option<Losses>> {
        let mut losses = Losses::new();
        if !self.can_append()? || !self.encode(game, &mut losses)? {
            return Ok(None);
        }
        self.open_records()?;
        if !self.has_room(self.new.moves.body.len()) {
            return Ok(None);
        }
        self.put(game)?;
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
        self.existing.write(self.base, &self.games)
    }
}
