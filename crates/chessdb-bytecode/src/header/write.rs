//! Conversion of a game's header into a row.

use chessdb_core::model::{Eco, EcoSub, Extra, Field, GameFlags, RatingKind, Tag};
use chessdb_core::text::TextId;
use chessdb_core::{Charset, Color, Date, Game, LossKind, Losses, Outcome, Setup, Start};

use super::read::{FLAGS, in_column, typed};
use super::{INFO_FIELDS, tags};
use crate::raw::{Attributes, StoredDate};
use crate::{extras, text};

/// Maximum numbers of characters in the columns; `None` for no limit.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct ColumnWidths {
    /// Names of players, events, sites, openings.
    pub(crate) name: Option<usize>,
    /// Titles, Round, Board.
    pub(crate) short: Option<usize>,
    /// FEN.
    pub(crate) fen: Option<usize>,
    /// Info.
    pub(crate) info: Option<usize>,
}

impl ColumnWidths {
    /// The widths of jose's own tables.
    pub(crate) const JOSE: ColumnWidths = ColumnWidths {
        name: Some(255),
        short: Some(32),
        fen: Some(128),
        info: Some(255),
    };
}

/// The cells of a row that come from the header. Names are stored as texts, without numbers.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct HeaderCells {
    /// White, Black, event, site, opening, annotator; `None` if unknown.
    pub(crate) names: [Option<Vec<u8>>; 6],
    pub(crate) attributes: Attributes,
    pub(crate) result: i64,
    pub(crate) elo: [Option<i64>; 2],
    pub(crate) date: StoredDate,
    pub(crate) event_date: StoredDate,
    pub(crate) eco: Option<Vec<u8>>,
    pub(crate) titles: [Option<Vec<u8>>; 2],
    pub(crate) round: Option<Vec<u8>>,
    pub(crate) board: Option<Vec<u8>>,
    pub(crate) fen: Option<Vec<u8>>,
    pub(crate) info: Vec<u8>,
    /// Collection and origin, if they are not the defaults.
    pub(crate) collection: Option<i64>,
    pub(crate) origin: [Option<i64>; 2],
    pub(crate) pos_main: Option<Box<[u8]>>,
    pub(crate) pos_var: Option<Box<[u8]>>,
}

/// Returns the header data that the columns hold, and counts what they cannot hold.
pub(crate) fn write_header(game: &Game, widths: ColumnWidths, losses: &mut Losses) -> HeaderCells {
    let mut writer = HeaderWriter {
        game,
        widths,
        losses,
        cells: HeaderCells::default(),
        in_info: [false; INFO_FIELDS.len()],
        opening: false,
        eco: false,
        cut_dates: [false; 2],
    };
    writer.columns();
    writer.tags();
    // Only now it is known whether a text in Info holds the part that the column cuts.
    let [date, event_date] = writer.cut_dates;
    writer.losses.add_if(LossKind::Date, date);
    writer.losses.add_if(LossKind::EventDate, event_date);
    writer.extras();
    writer.cells
}

struct HeaderWriter<'g> {
    game: &'g Game,
    widths: ColumnWidths,
    losses: &'g mut Losses,
    cells: HeaderCells,
    /// Which of [`INFO_FIELDS`] have been written.
    in_info: [bool; INFO_FIELDS.len()],
    opening: bool,
    eco: bool,
    /// Whether neither the column nor the source text of a date holds it completely.
    cut_dates: [bool; 2],
}

impl HeaderWriter<'_> {
    fn columns(&mut self) {
        let header = &self.game.header;
        let names = [
            header.white.name,
            header.black.name,
            header.event,
            header.site,
            // The opening is a tag, so `other` fills it in.
            TextId::NONE.into(),
            header.annotator,
        ];
        let width = self.widths.name;
        self.cells.names =
            names.map(|name| self.text(name.text, width, LossKind::NameText, LossKind::NameCut));
        let short = self.widths.short;
        self.cells.titles = [header.white.title, header.black.title]
            .map(|title| self.text(title, short, LossKind::TagText, LossKind::TagCut));
        self.cells.round = self.text(header.round.text, short, LossKind::TagText, LossKind::Round);
        self.cells.result = match header.outcome {
            Outcome::Unknown => -1,
            Outcome::BlackWins => 0,
            Outcome::Draw => 1,
            Outcome::WhiteWins => 2,
        };
        self.cells.elo = Color::ALL.map(|color| {
            let rating = header.player(color).rating?;
            // Ratings of other kinds go to Info.
            (rating.kind == RatingKind::Elo).then_some(rating.value.into())
        });
        let (date, date_cut) = StoredDate::from_date(header.date);
        let (event_date, event_date_cut) = StoredDate::from_date(header.event_date);
        self.cells.date = date;
        self.cells.event_date = event_date;
        self.cut_dates = [date_cut, event_date_cut];
        self.cells.eco = header.eco.map(|eco| {
            let mut code = Vec::with_capacity(6);
            eco.write_ascii(&mut code);
            // The column has three characters; `typed` writes a sub-code to Info.
            code.truncate(3);
            code
        });
        for (attribute, flag) in FLAGS {
            let is_set = header.flags.contains(flag);
            self.cells.attributes.set(attribute, is_set);
        }
        if let Start::Setup(setup) = &header.start {
            self.cells
                .attributes
                .set(Attributes::CHESS960, setup.chess960);
            self.fen(setup);
        }
    }

    /// Returns a text in UTF-8, cut to `width` characters, or `None` if there is no text.
    fn text(
        &mut self,
        id: TextId,
        width: Option<usize>,
        changed: LossKind,
        cut: LossKind,
    ) -> Option<Vec<u8>> {
        if id.is_none() {
            return None;
        }
        let mut out = Vec::new();
        if text::put(self.game.text(id), Charset::UTF_8, &mut out) {
            self.losses.add(changed, None);
        }
        if width.is_some_and(|width| cut_to(&mut out, width)) {
            self.losses.add(cut, None);
        }
        Some(out)
    }

    fn fen(&mut self, setup: &Setup) {
        if let Some(text) = self.game.header.verbatim(Field::Fen) {
            let bytes = self.game.text(text).as_bytes();
            let fits = self.widths.fen.is_none_or(|width| bytes.len() <= width);
            // The text replaces the position only if it is read as that position.
            let same = Setup::from_fen(bytes).is_ok_and(|(read, _)| read.board == setup.board);
            if same && fits && !bytes.contains(&0) {
                self.cells.fen = Some(bytes.to_vec());
                return;
            }
            self.losses.add(LossKind::TagText, None);
        }
        let mut fen = Vec::new();
        setup.write_fen(&mut fen);
        self.cells.fen = Some(fen);
    }

    fn tags(&mut self) {
        for tag in &self.game.header.tags {
            match *tag {
                Tag::Other { name, value } => self.other(name, value),
                Tag::Place(field) => self.typed(field),
                // `fen` has handled it, or the game has no start position to go with it: the column
                // accepts only a readable one.
                Tag::Verbatim(Field::Fen, _) => {
                    let is_read = matches!(self.game.header.start, Start::Setup(_));
                    self.losses.add_if(LossKind::TagText, !is_read);
                }
                Tag::Verbatim(field, _) if INFO_FIELDS.contains(&field) => self.typed(field),
                Tag::Verbatim(field, value) => {
                    self.verbatim(field, value);
                }
            }
        }
        for field in INFO_FIELDS {
            self.typed(field);
        }
        self.typed(Field::Eco);
    }

    fn other(&mut self, name: TextId, value: TextId) {
        let tag = self.game.text(name);
        let short = self.widths.short;
        match tag.as_bytes() {
            b"Board" if self.cells.board.is_none() => {
                self.cells.board = self.text(value, short, LossKind::TagText, LossKind::TagCut);
            }
            b"Opening" if !self.opening => {
                self.opening = true;
                let width = self.widths.name;
                let name = self.text(value, width, LossKind::TagText, LossKind::TagCut);
                if let Some(opening) = self.cells.names.get_mut(OPENING) {
                    *opening = name;
                }
            }
            _ => {
                // If several tags could fill a typed field, the first one is used.
                if let Some(field) = typed_field(tag.as_bytes()) {
                    self.typed(field);
                }
                if self.would_replace(tag.as_bytes(), self.game.text(value).as_bytes()) {
                    self.losses.add(LossKind::Tag, None);
                    return;
                }
                let mut key = Vec::new();
                let changed = text::put(tag, Charset::UTF_8, &mut key);
                self.losses.add_if(LossKind::TagText, changed);
                let is_put = self.put_text(&key, value);
                self.losses.add_if(LossKind::Tag, !is_put);
            }
        }
    }

    /// Returns whether a reader would take this tag for the spelling of a field that the columns
    /// hold.
    fn would_replace(&self, name: &[u8], value: &[u8]) -> bool {
        if self.game.repeated_field(name).is_none() {
            return false;
        }
        let header = &self.game.header;
        let mut read = Game::default();
        read.header.date = in_column(header.date);
        read.header.event_date = in_column(header.event_date);
        read.header.outcome = header.outcome;
        read.header.eco = header.eco.map(|eco| Eco {
            sub: EcoSub::None,
            ..eco
        });
        for color in Color::ALL {
            let rating = header.player(color).rating;
            read.header.player_mut(color).rating = rating.filter(|r| r.kind == RatingKind::Elo);
        }
        for part in tags::parts(&self.cells.info) {
            let name = part.name.unwrap_or(tags::NAMELESS);
            let tag = typed(name, part.value, TextId::NONE, &mut read);
            read.header.tags.extend(tag);
        }
        typed(name, value, TextId::NONE, &mut read).is_some()
    }

    /// Adds a tag to Info. Returns false if the column cannot hold it, without counting a loss.
    fn put_text(&mut self, name: &[u8], value: TextId) -> bool {
        let mut bytes = Vec::new();
        let changed = text::put(self.game.text(value), Charset::UTF_8, &mut bytes);
        let fits = self.put(name, &bytes);
        self.losses.add_if(LossKind::TagText, fits && changed);
        fits
    }

    fn put(&mut self, name: &[u8], value: &[u8]) -> bool {
        tags::put(name, value, self.widths.info, &mut self.cells.info)
    }

    /// Writes a typed field that the columns do not hold, once.
    fn typed(&mut self, field: Field) {
        let header = &self.game.header;
        if field == Field::Eco {
            let eco = header.eco.filter(|eco| eco.sub != EcoSub::None);
            if let Some(eco) = eco.filter(|_| !std::mem::replace(&mut self.eco, true)) {
                let mut code = Vec::with_capacity(6);
                eco.write_ascii(&mut code);
                // The source text is also written to Info, and read as a code if it is one.
                let info = &mut self.cells.info;
                let is_held = match header.verbatim(Field::Eco) {
                    Some(source) => {
                        let source = self.game.text(source).as_bytes();
                        super::eco(source) == Some(eco) && !source.contains(&b';')
                    }
                    None => tags::put(b"ECO", &code, self.widths.info, info),
                };
                self.losses.add_if(LossKind::Eco, !is_held);
            }
            return;
        }
        let place = INFO_FIELDS.iter().position(|&other| other == field);
        match place.and_then(|place| self.in_info.get_mut(place)) {
            Some(done @ false) => *done = true,
            _ => return,
        }
        // A reader extracts the value from the source text.
        if let Some(text) = header.verbatim(field)
            && self.verbatim(field, text)
        {
            return;
        }
        let (value, kind) = match field {
            Field::Source if header.source.text.is_some() => {
                let is_put = self.put_text(b"Source", header.source.text);
                self.losses.add_if(LossKind::Source, !is_put);
                return;
            }
            Field::WhiteFideId => (header.white.fide_id, LossKind::FideId),
            Field::BlackFideId => (header.black.fide_id, LossKind::FideId),
            Field::WhiteRating => return self.rating(Color::White),
            Field::BlackRating => return self.rating(Color::Black),
            Field::Flags => return self.flags(),
            _ => return,
        };
        if let Some(number) = value {
            let (name, number) = (field.tag(), number.to_string());
            let is_put = self.put(name.as_bytes(), number.as_bytes());
            self.losses.add_if(kind, !is_put);
        }
    }

    fn rating(&mut self, color: Color) {
        if let Some(rating) = self.game.header.player(color).rating
            && rating.kind != RatingKind::Elo
        {
            let (name, value) = (rating.kind.tag(color), rating.value.to_string());
            let is_put = self.put(name.as_bytes(), value.as_bytes());
            self.losses.add_if(LossKind::Rating, !is_put);
        }
    }

    /// Writes the flags for which jose has no attribute.
    fn flags(&mut self) {
        let marks = FLAGS
            .iter()
            .fold(GameFlags::empty(), |marks, &(_, flag)| marks | flag);
        let flags = self.game.header.flags - marks;
        if flags.is_empty() {
            return;
        }
        let mut letters = Vec::new();
        flags.write_letters(&mut letters);
        let is_put = self.put(b"ScidFlags", &letters);
        self.losses.add_if(LossKind::Flags, !is_put);
    }

    /// Writes the source text of a typed field. Returns false, and counts the loss, if that is
    /// impossible.
    fn verbatim(&mut self, field: Field, value: TextId) -> bool {
        let name = self.game.header.tag_name(field);
        // The column accepts this code unchanged.
        if field == Field::Eco && self.game.header.eco.is_none() && self.cells.eco.is_none() {
            let bytes = self.game.text(value).as_bytes();
            let plain = bytes.is_ascii() && !bytes.contains(&0) && bytes.trim_ascii() == bytes;
            if (1..=3).contains(&bytes.len()) && plain {
                self.cells.eco = Some(bytes.to_vec());
                return true;
            }
        }
        if !self.put_text(name.as_bytes(), value) {
            self.losses.add_spelling(field, self.game.text(value));
            return false;
        }
        let header = &self.game.header;
        let text = self.game.text(value).as_bytes();
        let in_text = [Date::read(text).0, Date::from_lenient_ascii(text)];
        let [date, event_date] = &mut self.cut_dates;
        match field {
            Field::Date => *date &= !in_text.contains(&header.date),
            Field::EventDate => *event_date &= !in_text.contains(&header.event_date),
            _ => {}
        }
        true
    }

    fn extras(&mut self) {
        for extra in &self.game.header.extras {
            let is_stored = self.extra(extra);
            self.losses.add_if(LossKind::GameExtra, !is_stored);
        }
    }

    /// Takes an extra of this format. Returns false if it belongs to another format.
    fn extra(&mut self, extra: &Extra) -> bool {
        if extra.format != extras::FORMAT {
            return false;
        }
        let cells = &mut self.cells;
        match (extra.field, &*extra.bytes) {
            // The encoder of the moves reads this one.
            (extras::NO_RESULT, _) => {}
            (extras::COLLECTION, bytes) => {
                let Ok(number) = bytes.try_into() else {
                    return false;
                };
                cells.collection = Some(i64::from_be_bytes(number));
            }
            (extras::ORIGIN, bytes) => {
                let Some((&first, second)) = bytes.split_first_chunk() else {
                    return false;
                };
                let Ok(second) = second.try_into() else {
                    return false;
                };
                let number = |bytes| Some(i64::from_be_bytes(bytes)).filter(|&n| n != i64::MIN);
                cells.origin = [number(first), number(second)];
            }
            (extras::ATTRIBUTES, &[high, low]) => {
                let bits = u16::from_be_bytes([high, low]);
                cells.attributes |= Attributes::from_bits_retain(bits);
            }
            (extras::POS_MAIN, bytes) => cells.pos_main = Some(bytes.into()),
            (extras::POS_VAR, bytes) => cells.pos_var = Some(bytes.into()),
            _ => return false,
        }
        true
    }
}

/// Returns the typed field that a reader would fill from a tag with this name.
fn typed_field(name: &[u8]) -> Option<Field> {
    match name {
        b"Source" => Some(Field::Source),
        b"WhiteFideId" => Some(Field::WhiteFideId),
        b"BlackFideId" => Some(Field::BlackFideId),
        b"ScidFlags" => Some(Field::Flags),
        b"ECO" => Some(Field::Eco),
        _ => RatingKind::of_tag(name).map(|(color, _)| Field::rating(color)),
    }
}

/// Index of the opening in [`HeaderCells::names`].
const OPENING: usize = 4;

/// Cuts UTF-8 to `width` characters. Returns whether that was necessary.
fn cut_to(text: &mut Vec<u8>, width: usize) -> bool {
    let bytes = text.iter().enumerate();
    let mut starts = bytes.filter(|&(_, &byte)| byte & 0xC0 != 0x80);
    match starts.nth(width) {
        Some((end, _)) => {
            text.truncate(end);
            true
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_between_characters() {
        let mut text = "für".as_bytes().to_vec();
        assert!(!cut_to(&mut text, 3));
        assert!(cut_to(&mut text, 2));
        assert_eq!(text, "fü".as_bytes());
        assert!(cut_to(&mut text, 0) && text.is_empty());
    }

    #[test]
    fn every_field_of_info_is_distinct() {
        for (n, field) in INFO_FIELDS.iter().enumerate() {
            assert!(!INFO_FIELDS[..n].contains(field));
        }
        assert!(INFO_FIELDS.contains(&Field::rating(Color::White)));
    }
}
