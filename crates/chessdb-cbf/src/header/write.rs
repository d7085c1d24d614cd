//! Conversion of a header to a record.

use chessdb_core::model::{EcoSub, Extra, Field, GameFlags, RatingKind};
use chessdb_core::text::TextId;
use chessdb_core::{Color, Game, LossKind, Losses, Outcome, Start};

use super::changed_names::{ChangedNames, NamePart};
use super::names::ParsedNames;
use super::short_text::ShortText;
use super::source::{
    ComponentPosition, compose, compose_in_front, insert_annotator, insert_round, is_round,
};
use super::unstored::lose_unstored;
use super::{ELO_BASE, ELO_STEP, FIRST_YEAR, LAST_YEAR, NO_RESULT, players};
use crate::codes::{POSITION, code_of};
use crate::extras::{self, FORMAT, find};
use crate::raw::{Position, RawHeader, RecordFlags};
use crate::setup;
use crate::text::{TextEncoder, whole_characters};

/// The minimum length in bytes to which event and site are cut before the annotator is cut.
const LEAST_EVENT: usize = 24;

/// A writer of headers that reuses its buffers.
#[derive(Default, Debug)]
pub(crate) struct HeaderWriter {
    /// The raw header, except for the fields that depend on the moves, and the check byte.
    pub(crate) raw_header: RawHeader,
    /// The texts: players, then source.
    pub(crate) text: Vec<u8>,
    /// The start position.
    pub(crate) position: Option<[u8; Position::SIZE]>,
}

impl HeaderWriter {
    /// Encodes the header of a game.
    pub(crate) fn write(&mut self, game: &Game, texts: &TextEncoder, losses: &mut Losses) {
        self.raw_header = RawHeader::default();
        self.position = None;
        self.write_raw_header(game, losses);
        self.write_texts(game, texts, losses);
        self.write_extras(game, losses);
        lose_unstored(game, losses);
    }

    /// Sets the version bit and the check byte of the completed raw header.
    pub(crate) fn seal(&mut self, game: &Game) {
        let header = &game.header;
        let new = find(header, extras::VERSION).is_none();
        if new {
            self.raw_header.extra |= RawHeader::VERSION;
        }
        let other = find(header, extras::OTHER_FORMULA).is_some();
        self.raw_header.check = self.raw_header.check_by(new != other);
        if let Some(&[check]) = find(header, extras::PRIVATE) {
            self.raw_header.check = check;
            // After a change to the game the byte may match by chance, and the game would no longer
            // be private.
            while self.raw_header.is_checked() {
                self.raw_header.check = self.raw_header.check.wrapping_add(1);
            }
        }
    }

    fn write_raw_header(&mut self, game: &Game, losses: &mut Losses) {
        let header = &game.header;
        let mut lose = |kind| losses.add(kind, None);
        let raw_header = &mut self.raw_header;
        raw_header.year = match header.date.year {
            0 => RawHeader::NO_YEAR,
            year @ FIRST_YEAR..=LAST_YEAR => year.wrapping_sub(1900) as u8,
            _ => {
                lose(LossKind::Date);
                RawHeader::NO_YEAR
            }
        };
        if (header.date.month, header.date.day) != (0, 0) {
            lose(LossKind::Date);
        }
        raw_header.result = match header.outcome {
            Outcome::BlackWins => 0,
            Outcome::Draw => 1,
            Outcome::WhiteWins => 2,
            Outcome::Unknown => match (evaluation(game), find(header, extras::RESULT)) {
                (Some((result, exact)), _) => {
                    if !exact {
                        lose(LossKind::NagChanged);
                    }
                    result
                }
                // Smaller values would be read as a result.
                (None, Some(&[result])) if result > 2 => result,
                _ => NO_RESULT,
            },
        };
        for (byte, color) in raw_header.elo.iter_mut().zip(Color::ALL) {
            if let Some(rating) = header.player(color).rating {
                *byte = elo(rating.value, &mut lose);
                if *byte != 0 && rating.kind != RatingKind::Elo {
                    lose(LossKind::RatingType);
                }
            }
        }
        let flags = header.flags;
        let is_deleted = flags.contains(GameFlags::DELETED);
        raw_header.flags.set(RecordFlags::DELETED, is_deleted);
        let is_marked = flags.contains(GameFlags::USER);
        raw_header.flags.set(RecordFlags::MARKED, is_marked);
        let others = flags.difference(GameFlags::DELETED | GameFlags::USER);
        if !others.is_empty() {
            lose(LossKind::Flags);
        }
        match &header.start {
            Start::Standard => self.write_eco(game, losses),
            Start::Setup(setup) => {
                if header.eco.is_some() {
                    lose(LossKind::Eco);
                }
                self.position = Some(setup::write(setup, raw_header, losses));
            }
        }
    }

    fn write_eco(&mut self, game: &Game, losses: &mut Losses) {
        let stored = match find(&game.header, extras::SUB_CODE) {
            Some(&[sub]) if sub < 128 => sub,
            _ => 0,
        };
        let Some(eco) = game.header.eco else {
            self.raw_header.set_eco(0, stored);
            return;
        };
        let eco1 = eco.code.saturating_add(1);
        let (eco2, fits) = match eco.sub {
            EcoSub::None if stored >= 100 => (stored, true),
            EcoSub::None => (0, true),
            EcoSub::Number(sub @ 1..=99) => (sub, true),
            _ => (0, false),
        };
        // Nine bits end at F10 (section 5.2).
        let has_bits = eco1 < 512;
        losses.add_if(LossKind::Eco, !fits || !has_bits);
        if has_bits {
            self.raw_header.set_eco(eco1, eco2);
        }
    }

    fn write_texts(&mut self, game: &Game, texts: &TextEncoder, losses: &mut Losses) {
        let mut wanted = TargetNames::new(game, texts, losses);
        let placed = wanted.placed(game);
        let (players, source, differences) = match placed {
            Some((players, source)) => {
                let differences = wanted.differences(&players, &source);
                (players, source, differences)
            }
            None => {
                wanted.cut_source(losses);
                wanted.cut_players(losses);
                let players = wanted.players(None);
                let usual = wanted.source(compose);
                let differences = wanted.differences(&players, &usual);
                // Brackets within the event would be read as round or annotator, unless these come
                // first.
                let front = || wanted.source(compose_in_front);
                let better = |front: &Vec<u8>| wanted.differences(&players, front).is_empty();
                match (!differences.is_empty()).then(front).filter(better) {
                    Some(front) => (players, front, Losses::new()),
                    None => (players, usual, differences),
                }
            }
        };
        wanted.changed.lose(|part| wanted.length(part), losses);
        losses.merge(&differences);
        self.raw_header.players |= players.len() as u8 & 63;
        self.raw_header.source |= source.len() as u8 & 63;
        self.text.clear();
        self.text.extend_from_slice(&players);
        self.text.extend_from_slice(&source);
    }

    /// Counts the extras that could not be used.
    fn write_extras(&self, game: &Game, losses: &mut Losses) {
        let raw_header = &self.raw_header;
        let used = |extra: &&Extra| {
            extra.format == FORMAT
                && match (extra.field, &*extra.bytes) {
                    (extras::RESULT, [result]) => raw_header.result == *result,
                    (extras::SUB_CODE, [sub]) => {
                        raw_header.eco2() == *sub && !raw_header.has_setup()
                    }
                    (extras::PRIVATE, [_]) => true,
                    (extras::VERSION | extras::OTHER_FORMULA, []) => true,
                    // These need not apply to names that have changed: writing such names in the
                    // default form loses nothing.
                    (extras::HYPHENS | extras::ROUND_PLACE | extras::ANNOTATOR_PLACE, _) => true,
                    _ => false,
                }
        };
        let lost = game
            .header
            .extras
            .iter()
            .filter(|extra| !used(extra))
            .count();
        losses.add_many(LossKind::GameExtra, lost as u32, None);
    }
}

impl Default for RawHeader {
    /// Returns a header with no names, year or result and with all other fields zero.
    fn default() -> RawHeader {
        RawHeader {
            year: RawHeader::NO_YEAR,
            result: NO_RESULT,
            move_word: 1,
            players: 0,
            source: 0,
            comments: 0,
            elo: [0; 2],
            flags: RecordFlags::empty(),
            extra: 0,
            full_moves: 0,
            check: 0,
        }
    }
}

/// Returns the result byte of a game that ends in an evaluation (section 5.1), and whether it is
/// read back as the same NAG.
pub(super) fn evaluation(game: &Game) -> Option<(u8, bool)> {
    let nag = game.header.line_evaluation(&game.texts)?;
    let coded = code_of(nag.into(), Color::White).filter(|coded| coded.slot == POSITION)?;
    Some((NO_RESULT | coded.code << 2, coded.exact))
}

/// Returns the byte of a rating, or 0 if the rating cannot be stored.
fn elo(value: u16, lose: &mut impl FnMut(LossKind)) -> u8 {
    // A rating below the base becomes 0, which means none.
    let steps = value.saturating_sub(ELO_BASE).saturating_add(ELO_STEP / 2) / ELO_STEP;
    match u8::try_from(steps) {
        Ok(steps @ 1..) => {
            if ELO_BASE + ELO_STEP * u16::from(steps) != value {
                lose(LossKind::RatingRounded);
            }
            steps
        }
        _ => {
            lose(LossKind::Rating);
            0
        }
    }
}

/// The names that the record should yield when it is read.
#[derive(Default, Debug)]
struct TargetNames {
    white: Option<Vec<u8>>,
    black: Option<Vec<u8>>,
    event: Vec<u8>,
    round: Option<Vec<u8>>,
    annotator: Option<Vec<u8>>,
    changed: ChangedNames,
}

impl TargetNames {
    fn new(game: &Game, texts: &TextEncoder, losses: &mut Losses) -> TargetNames {
        let header = &game.header;
        let mut changed = ChangedNames::default();
        // Encodes a text and returns whether characters changed.
        let put = |id: TextId| {
            let mut bytes = Vec::new();
            let is_changed = texts.put_name(game.text(id), &mut bytes);
            (id.is_some().then_some(bytes), is_changed)
        };
        let mut note = |part, start, id: TextId, is_changed: bool| {
            if is_changed {
                let text = game.text(id);
                changed.add(part, start, text, texts.target(text));
            }
        };
        let [white, black] = [
            (NamePart::White, header.white.name.text),
            (NamePart::Black, header.black.name.text),
        ]
        .map(|(part, id)| {
            let (bytes, is_changed) = put(id);
            note(part, 0, id, is_changed);
            bytes
        });
        let [event, site, round, annotator] =
            [header.event, header.site, header.round, header.annotator].map(|named| {
                let text = game.text(named.text);
                // In PGN a question mark means that the value is unknown. In this format it is an
                // ordinary text, but not a site or a round.
                let own = texts.target(text) == text.charset()
                    && named != header.round
                    && header.site.text.is_none();
                let has_content = !text.is_empty() && (text.as_bytes() != b"?" || own);
                let (bytes, is_changed) = put(named.text);
                (
                    bytes.filter(|_| has_content).unwrap_or_default(),
                    is_changed,
                )
            });
        let ((mut event, event_changed), (site, site_changed)) = (event, site);
        let ((round, round_changed), (annotator, annotator_changed)) = (round, annotator);
        note(NamePart::Event, 0, header.event.text, event_changed);
        note(
            NamePart::Annotator,
            0,
            header.annotator.text,
            annotator_changed,
        );
        for (field, named, stored) in [
            (Field::Event, header.event, &event),
            (Field::Site, header.site, &site),
            (Field::Round, header.round, &round),
            (Field::Annotator, header.annotator, &annotator),
        ] {
            if stored.is_empty() {
                losses.add_field(field, game, named);
            }
        }
        if !site.is_empty() {
            losses.add(LossKind::SiteMerged, None);
            // A site that begins with the event already contains it (section 6).
            if site.starts_with(&event) {
                event.clear();
            } else {
                event.extend_from_slice(b", ");
            }
            note(NamePart::Event, event.len(), header.site.text, site_changed);
            event.extend_from_slice(&site);
        }
        if !round.is_empty() && !is_round(&round) {
            losses.add(LossKind::Round, None);
            if round != b"-" {
                // The reader of the database can still see it there.
                note(NamePart::Event, 0, header.round.text, round_changed);
                event = compose(&event, Some(&round), None);
            }
        }
        let non_empty = |bytes: Vec<u8>| (!bytes.is_empty()).then_some(bytes);
        TargetNames {
            white,
            black,
            event,
            round: non_empty(round).filter(|round| is_round(round)),
            annotator: non_empty(annotator),
            changed,
        }
    }

    /// Returns the length of a part in bytes, after any cutting.
    fn length(&self, part: NamePart) -> usize {
        let name = match part {
            NamePart::White => self.white.as_ref(),
            NamePart::Black => self.black.as_ref(),
            NamePart::Event => Some(&self.event),
            NamePart::Annotator => self.annotator.as_ref(),
        };
        name.map_or(0, Vec::len)
    }

    fn source(&self, compose: Compose) -> Vec<u8> {
        compose(
            &self.event,
            self.round.as_deref(),
            self.annotator.as_deref(),
        )
    }

    /// Returns the players' text. `hyphens` states which of their hyphens are kept.
    fn players(&self, hyphens: Option<&[u8]>) -> Vec<u8> {
        let mut white = self.white.clone().unwrap_or_default();
        let mut black = self.black.clone().unwrap_or_default();
        players::put_hyphens(&mut white, &mut black, hyphens);
        if self.black.is_some() {
            white.push(b'-');
            white.append(&mut black);
        }
        white
    }

    /// Shortens event, annotator and round until they fit.
    fn cut_source(&mut self, losses: &mut Losses) {
        let over = |wanted: &TargetNames| {
            wanted
                .source(compose)
                .len()
                .saturating_sub(RawHeader::MAX_TEXT)
        };
        let excess = over(self);
        if excess == 0 {
            return;
        }
        losses.add(LossKind::NameCut, None);
        let spare = self.event.len().saturating_sub(LEAST_EVENT);
        cut_by(&mut self.event, excess.min(spare));
        let excess = over(self);
        if let Some(annotator) = self.annotator.as_mut().filter(|_| excess > 0) {
            // The reader takes empty brackets for a part of the event.
            cut_by(annotator, excess.min(annotator.len() - 1));
            losses.add(LossKind::NameCut, None);
        }
        if over(self) > 0 && self.round.take().is_some() {
            losses.add(LossKind::Round, None);
        }
        let excess = over(self);
        cut_by(&mut self.event, excess);
    }

    /// Shortens the players until they fit, the longer one first.
    fn cut_players(&mut self, losses: &mut Losses) {
        let hyphen = usize::from(self.black.is_some());
        let room = RawHeader::MAX_TEXT - hyphen;
        let length = |name: &Option<Vec<u8>>| name.as_ref().map_or(0, Vec::len);
        let (white, black) = (length(&self.white), length(&self.black));
        if white + black <= room {
            return;
        }
        // A name of at most half the bytes stays whole.
        let white_room = (room - black.min(room)).max(room / 2);
        let black_room = room - white.min(white_room);
        for (name, room) in [(&mut self.white, white_room), (&mut self.black, black_room)] {
            if let Some(name) = name.as_mut().filter(|name| name.len() > room) {
                let excess = name.len() - room;
                cut_by(name, excess);
                losses.add(LossKind::NameCut, None);
            }
        }
    }

    /// Returns both texts with round, annotator and hyphens at the positions given by the extras.
    /// `None` if reading these texts would not yield the same names.
    fn placed(&self, game: &Game) -> Option<(Vec<u8>, Vec<u8>)> {
        let header = &game.header;
        let hyphens = find(header, extras::HYPHENS);
        let round_place = find(header, extras::ROUND_PLACE);
        let annotator_place = find(header, extras::ANNOTATOR_PLACE);
        if hyphens.is_none() && round_place.is_none() && annotator_place.is_none() {
            return None;
        }
        let mut players = self.players(hyphens);
        let mut source = self.event.clone();
        let mut round = self.round.as_deref();
        if let (Some(text), Some(&[part, offset, blanks])) = (round, round_place) {
            let place = ComponentPosition::new(offset, blanks);
            match part {
                0 => source = insert_round(&source, place, text),
                _ => players = insert_round(&players, place, text),
            }
            round = None;
        }
        match (self.annotator.as_deref(), annotator_place) {
            (Some(text), Some(&[offset, blanks])) => {
                source = compose(&source, round, None);
                source = insert_annotator(&source, ComponentPosition::new(offset, blanks), text);
            }
            (annotator, _) => source = compose(&source, round, annotator),
        }
        let fits = players.len().max(source.len()) <= RawHeader::MAX_TEXT;
        (fits && self.differences(&players, &source).is_empty()).then_some((players, source))
    }

    /// Returns the losses for names that would be read back differently.
    fn differences(&self, players: &[u8], source: &[u8]) -> Losses {
        let read = ParsedNames::parse(players, source);
        let mut losses = Losses::new();
        let mut compare = |kind, wanted: Option<&[u8]>, read: &Option<ShortText>| match (
            wanted,
            read.as_ref().map(ShortText::as_bytes),
        ) {
            (wanted, read) if wanted == read => {}
            // Both mean unknown. An empty name, in contrast, is read back as `?`.
            (None, Some(b"")) => {}
            (Some(b""), None) => losses.add(LossKind::EmptyTag, None),
            _ => losses.add(kind, None),
        };
        compare(LossKind::NameText, self.white.as_deref(), &read.white);
        compare(LossKind::NameText, self.black.as_deref(), &read.black);
        let event = Some(self.event.as_slice()).filter(|event| !event.is_empty());
        compare(LossKind::NameText, event, &read.event);
        compare(LossKind::Round, self.round.as_deref(), &read.round);
        let annotator = self.annotator.as_deref();
        compare(LossKind::Annotator, annotator, &read.annotator);
        losses
    }
}

type Compose = fn(&[u8], Option<&[u8]>, Option<&[u8]>) -> Vec<u8>;

/// Removes at least `excess` bytes from the end without splitting a character.
fn cut_by(name: &mut Vec<u8>, excess: usize) {
    let limit = name.len().saturating_sub(excess);
    name.truncate(whole_characters(name, limit));
}
