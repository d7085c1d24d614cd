//! Writing of the tags of a record.

use chessdb_core::model::{Field, RatingKind, Tag, read_number};
use chessdb_core::text::TextId;
use chessdb_core::{Charset, Color, Game, LossKind, Losses, Start, Text};

use super::write::{
    StoredTags, is_stored_rating, rating_number, storable_date, stored_eco, stored_fide_id,
};
use super::{MOST_FIDE_NUMBER, TERMINATION, TERMINATIONS, tags, title_bits};
use crate::raw::{Entry, Tags};
use crate::start::StoredStart;
use crate::text;

/// The id of a text that is there. Only whether there is one matters.
const SOME_TEXT: TextId = TextId::from_raw(1);

/// A writer of tags. It follows what the reader makes of each tag, because a tag with the name of a
/// field fills that field unless the index entry or an earlier tag has done so.
pub(super) struct TagWriter<'w> {
    game: &'w Game,
    start: &'w StoredStart,
    out: &'w mut Vec<u8>,
    losses: &'w mut Losses,
    stored: StoredTags,
    /// Whether the index entry has the round.
    has_round: bool,
    /// The header as far as the reader knows it; `None` until it is needed.
    read: Option<Box<Game>>,
}

impl<'w> TagWriter<'w> {
    pub(super) fn new(
        game: &'w Game,
        start: &'w StoredStart,
        stored: StoredTags,
        has_round: bool,
        out: &'w mut Vec<u8>,
        losses: &'w mut Losses,
    ) -> TagWriter<'w> {
        TagWriter {
            game,
            start,
            out,
            losses,
            stored,
            has_round,
            read: None,
        }
    }

    pub(super) fn write(
        &mut self,
        titles: &[(Field, Text<'_>)],
        unknown: &[&[u8]],
        entry: &mut Entry,
    ) {
        let game = self.game;
        let header = &game.header;
        if self.start.needs_variant {
            let utf8 = |text: &'static str| Text::new(text.as_bytes(), Charset::UTF_8);
            self.tag(utf8("Variant"), utf8("Chess960"));
        }
        for (field, title) in titles {
            self.field(*field, *title);
        }
        if header.source.text.is_some() {
            self.field(Field::Source, game.text(header.source.text));
        }
        self.eco(entry);
        if !self.has_round {
            self.round();
        }
        self.date(Field::Date);
        self.date(Field::EventDate);
        for color in Color::ALL {
            self.large_rating(color);
            self.large_fide_id(color);
        }
        if let Some(fen) = &self.start.fen_tag {
            self.field(Field::Fen, Text::new(fen, Charset::UTF_8));
        }
        for tag in &header.tags {
            if let Tag::Verbatim(field, text) = *tag {
                self.spelling(field, text);
            }
        }
        for (n, tag) in header.tags.iter().enumerate() {
            // The set covers the first 64 tags; later ones are never details.
            let is_stored = n < 64 && self.stored.details >> n & 1 == 1;
            if let Tag::Other { name, value } = *tag
                && !is_stored
            {
                self.other(name, value, entry);
            }
        }
        for bytes in unknown {
            self.out.extend(*bytes);
            self.out.push(0);
        }
        // A record without tags has no mark for their end either.
        if !self.out.is_empty() {
            self.out.push(0);
        }
    }

    /// Stores the ECO code in the index, and as a tag what the index cannot hold.
    fn eco(&mut self, entry: &mut Entry) {
        let game = self.game;
        if let Some(stored) = stored_eco(game, self.start) {
            entry.eco = u32::from(stored.code) + 1;
            if game.header.eco == Some(stored) && game.header.verbatim(Field::Eco).is_none() {
                return;
            }
        }
        let mut eco = Vec::new();
        game.header.write_value(Field::Eco, &mut eco);
        let eco = match game.header.verbatim(Field::Eco) {
            Some(text) => Some(game.text(text)),
            None => (!eco.is_empty()).then_some(Text::new(&eco, Charset::UTF_8)),
        };
        if let Some(eco) = eco {
            self.field(Field::Eco, eco);
        }
    }

    /// Writes a round that is not one or two numbers.
    fn round(&mut self) {
        let round = self.game.header.round;
        // A round that tells nothing adds no loss here, and needs no tag.
        let mut missed = Losses::new();
        missed.add_field(Field::Round, self.game, round);
        if !missed.is_empty() {
            self.field(Field::Round, self.game.text(round.text));
        }
    }

    /// Writes a rating that is too large for the index.
    fn large_rating(&mut self, color: Color) {
        let rating = self.game.header.player(color).rating;
        let Some(rating) = rating.filter(|rating| !is_stored_rating(rating)) else {
            return;
        };
        let points = rating.value.to_string();
        let points = Text::new(points.as_bytes(), Charset::UTF_8);
        let name = rating.kind.tag(color);
        let comes_back = |read: &Game| read.header.player(color).rating == Some(rating);
        let is_put = self.try_tag(name.as_bytes(), points, comes_back);
        self.losses.add_if(LossKind::Rating, !is_put);
    }

    /// Writes a FIDE number that is too large for the names.
    fn large_fide_id(&mut self, color: Color) {
        let field = Field::fide_id(color);
        let fide_id = self.game.header.player(color).fide_id;
        let Some(value) = fide_id.filter(|&id| id > MOST_FIDE_NUMBER) else {
            return;
        };
        if self.game.header.verbatim(field).is_some() {
            return;
        }
        let digits = value.to_string();
        let number = Text::new(digits.as_bytes(), Charset::UTF_8);
        let comes_back = |read: &Game| read.header.player(color).fide_id == fide_id;
        let is_put = self.try_field(field, number, comes_back);
        self.losses.add_if(LossKind::FideId, !is_put);
    }

    /// Writes a date that the index cannot store, and one in another spelling than PGN's.
    fn date(&mut self, field: Field) {
        let game = self.game;
        let date = match field {
            Field::EventDate => game.header.event_date,
            _ => game.header.date,
        };
        let spelling = game.header.verbatim(field);
        let stored = match field {
            Field::EventDate => self.stored.event_date,
            _ => storable_date(date),
        };
        if spelling.is_none() && stored == date {
            return;
        }
        let mut plain = Vec::new();
        date.write_pgn(&mut plain);
        let plain = Text::new(&plain, Charset::UTF_8);
        let comes_back = |read: &Game| match field {
            Field::EventDate => read.header.event_date == date,
            _ => read.header.date == date,
        };
        let spelt = spelling.map(|text| game.text(text));
        if spelt.is_some_and(|spelt| self.try_field(field, spelt, comes_back)) {
            return;
        }
        if let Some(spelt) = spelt {
            self.losses.add_spelling(field, spelt);
        }
        if stored != date && !self.try_field(field, plain, comes_back) {
            self.losses.add(LossKind::of_field(field), None);
        }
    }

    /// Writes the source text of a field, unless it is stored elsewhere.
    fn spelling(&mut self, field: Field, text: TextId) {
        let game = self.game;
        let text = game.text(text);
        let name = match (field, field.color()) {
            (Field::Eco | Field::Date | Field::EventDate, _) => return,
            // `start` handles the FEN, unless it could not be read.
            (Field::Fen, _) if game.header.start != Start::Standard => return,
            (Field::Result, _) if text.names_double_forfeit() => return,
            (Field::WhiteRating | Field::BlackRating, Some(color)) => {
                let rating = game.header.player(color).rating;
                rating
                    .map_or(RatingKind::Elo, |rating| rating.kind)
                    .tag(color)
            }
            (Field::WhiteFideId | Field::BlackFideId, _) => field.tag(),
            _ => return self.losses.add_spelling(field, text),
        };
        let comes_back = |read: &Game| {
            field.color().is_some_and(|color| {
                let (read, meant) = (read.header.player(color), game.header.player(color));
                (read.rating, read.fide_id) == (meant.rating, meant.fide_id)
            })
        };
        if !self.try_tag(name.as_bytes(), text, comes_back) {
            self.losses.add_spelling(field, text);
        }
    }

    /// Writes a tag without a typed field, unless a field of the entry has it.
    fn other(&mut self, name: TextId, value: TextId, entry: &mut Entry) {
        let (name, text) = (self.game.text(name), self.game.text(value));
        let bytes = name.as_bytes();
        for (color, is_stored) in Color::ALL.into_iter().zip(&mut self.stored.ratings) {
            // This tag is in the entry already, as the second rating of its side.
            if *is_stored && rating_number(bytes, color).is_some() {
                let (points, is_exact) = read_number(text.as_bytes());
                let rating = color.pick(entry.white_rating, entry.black_rating);
                if is_exact && points == Some(rating) {
                    *is_stored = false;
                    return;
                }
            }
        }
        if bytes == TERMINATION && !self.stored.termination {
            let number = TERMINATIONS
                .iter()
                .position(|words| *words == text.as_bytes());
            if let Some(number) = number.filter(|&number| number > 0) {
                entry.termination = number as u32;
                self.stored.termination = true;
                return;
            }
        }
        if self.would_be_typed(name, text) {
            return self.losses.add_tag(text);
        }
        self.tag(name, text);
    }

    /// Returns whether a reader would put this tag into a typed field.
    fn would_be_typed(&mut self, name: Text<'_>, value: Text<'_>) -> bool {
        let tag = name.as_bytes();
        if Field::of_tag(tag).is_none() {
            return false;
        }
        let mut bytes = Vec::new();
        text::put(value, &mut bytes);
        let mut read = self.reader().clone();
        tags::typed(tag, &bytes, SOME_TEXT, &mut read).is_some()
    }

    /// Returns the header as the reader knows it before the next tag.
    fn reader(&mut self) -> &mut Game {
        let (game, start, has_round) = (self.game, self.start, self.has_round);
        let event_date = self.stored.event_date;
        self.read.get_or_insert_with(|| {
            let mut read = Game::new();
            let (from, to) = (&game.header, &mut read.header);
            for color in Color::ALL {
                let (player, to) = (from.player(color), to.player_mut(color));
                to.rating = player.rating.filter(is_stored_rating);
                to.fide_id = stored_fide_id(player.fide_id);
                let title = game.text(player.title);
                if title_bits(title.as_bytes()) != 0 {
                    to.title = SOME_TEXT;
                }
            }
            if !game.text(from.annotator.text).is_empty() {
                to.annotator = SOME_TEXT.into();
            }
            if has_round {
                to.round = SOME_TEXT.into();
            }
            (to.date, to.event_date) = (storable_date(from.date), event_date);
            to.start = start.read_back(&from.start);
            to.eco = stored_eco(game, start);
            Box::new(read)
        })
    }

    /// Writes a tag if the reader puts it into its field and the result passes `is_meant`.
    fn try_tag(&mut self, name: &[u8], value: Text<'_>, is_meant: impl Fn(&Game) -> bool) -> bool {
        let mut bytes = Vec::new();
        let is_changed = text::put(value, &mut bytes);
        let read = self.reader();
        let mut trial = read.clone();
        let Some(tag) = tags::typed(name, &bytes, SOME_TEXT, &mut trial) else {
            return false;
        };
        trial.header.tags.push(tag);
        if is_changed || !is_meant(&trial) {
            return false;
        }
        *read = trial;
        self.tag(Text::new(name, Charset::UTF_8), value);
        true
    }

    fn try_field(
        &mut self,
        field: Field,
        value: Text<'_>,
        is_meant: impl Fn(&Game) -> bool,
    ) -> bool {
        self.try_tag(field.tag().as_bytes(), value, is_meant)
    }

    /// Writes the tag of a field.
    fn field(&mut self, field: Field, value: Text<'_>) {
        let name = field.tag().as_bytes();
        let mut bytes = Vec::new();
        text::put(value, &mut bytes);
        let read = self.reader();
        if let Some(tag) = tags::typed(name, &bytes, SOME_TEXT, read) {
            read.header.tags.push(tag);
        }
        self.tag(Text::new(name, Charset::UTF_8), value);
    }

    fn tag(&mut self, name: Text<'_>, value: Text<'_>) {
        let mut is_changed = false;
        match tags::number(name.as_bytes()) {
            Some(number) => self.out.push(number),
            None => {
                self.out.push(Tags::NAMED);
                is_changed |= text::put(name, self.out);
                self.out.push(0);
            }
        }
        is_changed |= text::put(value, self.out);
        self.out.push(0);
        self.losses.add_if(LossKind::TagText, is_changed);
    }
}
