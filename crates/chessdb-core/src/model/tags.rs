//! Typed fields that a format stores as PGN tags.

use crate::Color;
use crate::model::{Date, Field, Header, Rating, RatingKind, Start, Tag, read_number};
use crate::text::{TextId, push_number};

impl Field {
    /// The seven-tag roster, in PGN's order: every game has these tags.
    pub const ROSTER: [Field; 7] = [
        Field::Event,
        Field::Site,
        Field::Date,
        Field::Round,
        Field::White,
        Field::Black,
        Field::Result,
    ];

    /// The order of fields that are set but have no position among the tags. They come before the
    /// other tags, so that a rating in its field precedes a second one among the tags, in the order
    /// in which they will be read.
    const UNPLACED: [Field; 11] = [
        Field::WhiteTitle,
        Field::BlackTitle,
        Field::WhiteRating,
        Field::BlackRating,
        Field::WhiteFideId,
        Field::BlackFideId,
        Field::Eco,
        Field::EventDate,
        Field::Annotator,
        Field::Source,
        Field::Flags,
    ];

    /// Returns the typed field of a PGN tag, and for a rating its kind.
    pub fn of_tag(name: &[u8]) -> Option<(Field, RatingKind)> {
        let field = match name {
            b"Event" => Field::Event,
            b"Site" => Field::Site,
            b"Date" => Field::Date,
            b"Round" => Field::Round,
            b"White" => Field::White,
            b"Black" => Field::Black,
            b"Result" => Field::Result,
            b"WhiteTitle" => Field::WhiteTitle,
            b"BlackTitle" => Field::BlackTitle,
            b"WhiteFideId" => Field::WhiteFideId,
            b"BlackFideId" => Field::BlackFideId,
            b"ECO" => Field::Eco,
            b"EventDate" => Field::EventDate,
            b"Annotator" => Field::Annotator,
            b"Source" => Field::Source,
            b"FEN" => Field::Fen,
            b"ScidFlags" => Field::Flags,
            _ => {
                let (color, kind) = RatingKind::of_tag(name)?;
                return Some((Field::rating(color), kind));
            }
        };
        Some((field, RatingKind::Elo))
    }

    /// Like [`Field::of_tag`], for a tag in other capitals, such as `white` or `WHITEELO`.
    pub fn of_tag_in_any_case(name: &[u8]) -> Option<(Field, RatingKind)> {
        // The length and the first letter leave at most one name, so that other tags are fast.
        let tag: &[u8] = match (name.len(), name.first()?.to_ascii_lowercase()) {
            (3, b'e') => b"ECO",
            (3, b'f') => b"FEN",
            (4, b's') => b"Site",
            (4, b'd') => b"Date",
            (5, b'e') => b"Event",
            (5, b'r') => b"Round",
            (5, b'w') => b"White",
            (5, b'b') => b"Black",
            (6, b'r') => b"Result",
            (6, b's') => b"Source",
            (8, b'w') => b"WhiteElo",
            (8, b'b') => b"BlackElo",
            (9, b'e') => b"EventDate",
            (9, b'a') => b"Annotator",
            (10, b'w') => b"WhiteTitle",
            (10, b'b') => b"BlackTitle",
            (11, b'w') => b"WhiteFideId",
            (11, b'b') => b"BlackFideId",
            _ => return None,
        };
        name.eq_ignore_ascii_case(tag).then(|| Field::of_tag(tag))?
    }

    /// Returns the player that this field describes; `None` for fields of the game.
    pub const fn color(self) -> Option<Color> {
        match self {
            Field::White | Field::WhiteTitle | Field::WhiteRating | Field::WhiteFideId => {
                Some(Color::White)
            }
            Field::Black | Field::BlackTitle | Field::BlackRating | Field::BlackFideId => {
                Some(Color::Black)
            }
            _ => None,
        }
    }

    /// Returns the bit that represents the field.
    const fn bit(self) -> u32 {
        1 << (self as u32 & 31)
    }
}

impl RatingKind {
    /// Returns the PGN tag for a rating of this kind, such as `WhiteRapid`.
    pub const fn tag(self, color: Color) -> &'static str {
        match (color, self) {
            (Color::White, RatingKind::Elo) => "WhiteElo",
            (Color::White, RatingKind::Rating) => "WhiteRating",
            (Color::White, RatingKind::Rapid) => "WhiteRapid",
            (Color::White, RatingKind::Iccf) => "WhiteICCF",
            (Color::White, RatingKind::Uscf) => "WhiteUSCF",
            (Color::White, RatingKind::Dwz) => "WhiteDWZ",
            (Color::White, RatingKind::Ecf) => "WhiteECF",
            (Color::Black, RatingKind::Elo) => "BlackElo",
            (Color::Black, RatingKind::Rating) => "BlackRating",
            (Color::Black, RatingKind::Rapid) => "BlackRapid",
            (Color::Black, RatingKind::Iccf) => "BlackICCF",
            (Color::Black, RatingKind::Uscf) => "BlackUSCF",
            (Color::Black, RatingKind::Dwz) => "BlackDWZ",
            (Color::Black, RatingKind::Ecf) => "BlackECF",
        }
    }

    /// Returns the colour and kind of a rating tag; `None` for any other tag.
    #[inline]
    pub fn of_tag(name: &[u8]) -> Option<(Color, RatingKind)> {
        let (color, rest) = match name {
            [b'W', b'h', b'i', b't', b'e', rest @ ..] => (Color::White, rest),
            [b'B', b'l', b'a', b'c', b'k', rest @ ..] => (Color::Black, rest),
            _ => return None,
        };
        let kind = RatingKind::ALL
            .into_iter()
            .find(|kind| kind.name().as_bytes() == rest)?;
        Some((color, kind))
    }
}

impl Header {
    /// Returns the name of a field's PGN tag in this game: [`Field::tag`], or the tag for the
    /// rating's kind.
    pub fn tag_name(&self, field: Field) -> &'static str {
        match (field, field.color()) {
            (Field::WhiteRating | Field::BlackRating, Some(color)) => self
                .player(color)
                .rating
                .map(|rating| rating.kind)
                .unwrap_or_default()
                .tag(color),
            _ => field.tag(),
        }
    }

    /// Returns the tags in PGN's order: the seven-tag roster, typed fields without a position in
    /// the source order, then the source order. Every typed field occurs once, as [`Tag::Place`],
    /// whether or not it is set.
    pub fn tags_in_order(&self) -> impl Iterator<Item = Tag> + '_ {
        let mut placed = 0;
        for tag in &self.tags {
            if let Tag::Place(field) | Tag::Verbatim(field, _) = tag {
                placed |= field.bit();
            }
        }
        let unplaced = move |field: &Field| placed & field.bit() == 0;
        let mut done: u32 = Field::ROSTER.iter().map(|field| field.bit()).sum();
        let in_source = move |tag: &Tag| match *tag {
            Tag::Other { .. } => Some(*tag),
            Tag::Place(field) | Tag::Verbatim(field, _) => {
                let new = done & field.bit() == 0;
                done |= field.bit();
                new.then_some(Tag::Place(field))
            }
        };
        let places = |fields: &'static [Field]| fields.iter().copied();
        places(&Field::ROSTER)
            .chain(places(&Field::UNPLACED).filter(unplaced))
            .map(Tag::Place)
            .chain(self.tags.iter().filter_map(in_source))
            .chain(Some(Tag::Place(Field::Fen)).filter(|_| unplaced(&Field::Fen)))
    }

    /// Returns the text of a name, a title, the annotator or the source. `None` for a field of
    /// another kind.
    #[inline]
    pub fn text_of(&self, field: Field) -> Option<TextId> {
        Some(match field {
            Field::Event => self.event.text,
            Field::Site => self.site.text,
            Field::Round => self.round.text,
            Field::White => self.white.name.text,
            Field::Black => self.black.name.text,
            Field::WhiteTitle => self.white.title,
            Field::BlackTitle => self.black.title,
            Field::Annotator => self.annotator.text,
            Field::Source => self.source.text,
            _ => return None,
        })
    }

    /// Sets a field for which [`Header::text_of`] returns a text. A name has no number afterwards.
    /// Fields of another kind do not change.
    #[inline]
    pub fn set_text(&mut self, field: Field, text: TextId) {
        let named = match field {
            Field::Event => &mut self.event,
            Field::Site => &mut self.site,
            Field::Round => &mut self.round,
            Field::White => &mut self.white.name,
            Field::Black => &mut self.black.name,
            Field::WhiteTitle => return self.white.title = text,
            Field::BlackTitle => return self.black.title = text,
            Field::Annotator => &mut self.annotator,
            Field::Source => &mut self.source,
            _ => return,
        };
        *named = text.into();
    }

    /// Appends the value of a field that is not a text, as in its PGN tag. Appends nothing if the
    /// field is not set, except for the date and the result, which every game has.
    #[inline]
    pub fn write_value(&self, field: Field, out: &mut Vec<u8>) {
        let player = self.player(field.color().unwrap_or(Color::White));
        let number = match field {
            Field::WhiteRating | Field::BlackRating => {
                player.rating.map(|rating| u32::from(rating.value))
            }
            Field::WhiteFideId | Field::BlackFideId => player.fide_id,
            _ => None,
        };
        if let Some(number) = number {
            push_number(number, out);
        }
        match field {
            Field::Date => self.date.write_pgn(out),
            Field::EventDate if !self.event_date.is_unknown() => self.event_date.write_pgn(out),
            Field::Result => out.extend_from_slice(self.outcome.as_pgn().as_bytes()),
            Field::Flags => self.flags.write_letters(out),
            Field::Eco => {
                if let Some(eco) = self.eco {
                    eco.write_ascii(out);
                }
            }
            Field::Fen => {
                if let Start::Setup(setup) = &self.start {
                    setup.write_fen(out);
                }
            }
            _ => {}
        }
    }

    /// Returns whether the tags have no entry for this field yet.
    pub fn is_free(&self, field: Field) -> bool {
        !self.tags.iter().any(
            |tag| matches!(*tag, Tag::Place(taken) | Tag::Verbatim(taken, _) if taken == field),
        )
    }

    /// Puts the tag of a rating or of a FIDE number into its field if that is still free, and
    /// returns the entry for the tags.
    ///
    /// `bytes` is the value of the tag, and `value` its id in the arena. `in_tags` returns whether
    /// the format stores such a rating only among its tags, so that the field takes it even in a
    /// non-canonical spelling. Returns `None` for any other tag, and for a tag that contradicts the
    /// field: it remains an untyped tag.
    pub fn put_number(
        &mut self,
        name: &[u8],
        bytes: &[u8],
        value: TextId,
        in_tags: impl Fn(Rating) -> bool,
    ) -> Option<Tag> {
        for color in Color::ALL {
            let field = Field::fide_id(color);
            if name == field.tag().as_bytes() {
                if !self.is_free(field) {
                    return None;
                }
                let (number, exact) = read_number(bytes);
                self.player_mut(color).fide_id = number;
                return Some(entry(field, exact, value));
            }
        }
        let (color, kind) = RatingKind::of_tag(name)?;
        let field = Field::rating(color);
        if !self.is_free(field) {
            return None;
        }
        let (number, exact) = read_number(bytes);
        let points = number.and_then(|number| u16::try_from(number).ok());
        let rating = points.map(|value| Rating { value, kind });
        match (rating, self.player(color).rating) {
            (Some(rating), None) if exact || in_tags(rating) => {
                self.player_mut(color).rating = Some(rating);
                Some(entry(field, exact, value))
            }
            (_, None) if kind == RatingKind::Elo => Some(Tag::Verbatim(field, value)),
            (Some(rating), Some(existing)) if rating == existing && !exact => {
                Some(Tag::Verbatim(field, value))
            }
            _ => None,
        }
    }

    /// Takes the text of a date that `field` already contains, as far as the format can store it,
    /// and returns the entry for the tags.
    ///
    /// `storable` returns the part of a date that the format can store; the field takes the rest from
    /// the text. Returns `None` if there already is an entry, or if the text is another date: then
    /// it is a repeated tag.
    pub fn put_date(
        &mut self,
        field: Field,
        bytes: &[u8],
        value: TextId,
        storable: impl Fn(Date) -> Date,
    ) -> Option<Tag> {
        if !self.is_free(field) {
            return None;
        }
        let stored = match field {
            Field::EventDate => &mut self.event_date,
            _ => &mut self.date,
        };
        // A reader of tags leaves out impossible parts; a format that stores numbers does not.
        let (possible, raw) = (Date::read(bytes).0, Date::from_lenient_ascii(bytes));
        let fits = |date: &Date| [*date, storable(*date)].contains(stored);
        *stored = [possible, raw].into_iter().find(fits)?;
        Some(Tag::Verbatim(field, value))
    }
}

/// Returns the entry for a tag that is stored in its field.
fn entry(field: Field, exact: bool, value: TextId) -> Tag {
    if exact { Tag::Place(field) } else { Tag::Verbatim(field, value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rating_tags_have_their_kind() {
        for color in Color::ALL {
            for kind in RatingKind::ALL {
                let tag = kind.tag(color);
                assert!(tag.ends_with(kind.name()));
                assert_eq!(RatingKind::of_tag(tag.as_bytes()), Some((color, kind)));
            }
        }
        assert_eq!(RatingKind::of_tag(b"WhiteTitle"), None);
    }

    #[test]
    fn unusual_numbers_keep_their_text() {
        let put = |header: &mut Header, name: &str, text: &str| {
            let in_tags = |rating: Rating| rating.kind != RatingKind::Elo;
            header.put_number(name.as_bytes(), text.as_bytes(), TextId::NONE, in_tags)
        };
        let (rating, fide_id) = (Field::WhiteRating, Field::WhiteFideId);
        for (name, text, entry, points) in [
            ("WhiteICCF", "2400", Some(Tag::Place(rating)), Some(2400)),
            (
                "WhiteICCF",
                "2,400",
                Some(Tag::Verbatim(rating, TextId::NONE)),
                Some(2400),
            ),
            ("WhiteICCF", "none", None, None),
            (
                "WhiteElo",
                "2,400",
                Some(Tag::Verbatim(rating, TextId::NONE)),
                None,
            ),
            (
                "WhiteFideId",
                "0123",
                Some(Tag::Verbatim(fide_id, TextId::NONE)),
                Some(123),
            ),
        ] {
            let mut header = Header::default();
            assert_eq!(put(&mut header, name, text), entry, "{name} {text}");
            let number = header.white.rating.map(|rating| u32::from(rating.value));
            assert_eq!(number.or(header.white.fide_id), points, "{name} {text}");
        }
        // The column has one value, the tag another.
        let mut header = Header::default();
        let stored = Rating {
            value: 2500,
            kind: RatingKind::Elo,
        };
        header.white.rating = Some(stored);
        assert_eq!(put(&mut header, "WhiteElo", "2400?"), None);
        assert_eq!(
            put(&mut header, "WhiteElo", "2500?"),
            Some(Tag::Verbatim(rating, TextId::NONE))
        );
    }

    #[test]
    fn date_text_completes_column() {
        let storable = |date: Date| Date::new(date.year, 0, date.day);
        let mut header = Header {
            date: Date::new(1999, 0, 3),
            ..Header::default()
        };
        let entry = header.put_date(Field::Date, b"1999-14-03", TextId::NONE, storable);
        assert_eq!(entry, Some(Tag::Verbatim(Field::Date, TextId::NONE)));
        assert_eq!(header.date, Date::new(1999, 14, 3));
        header.event_date = Date::new(1998, 1, 1);
        header.put_date(Field::EventDate, b"1999-14-03", TextId::NONE, storable);
        assert_eq!(header.event_date, Date::new(1998, 1, 1));
    }
}
