//! The part of a header that a format stores, and counting of everything else.

use crate::loss::LossSet;
use crate::model::{Field, GameFlags, Named, Tag};
use crate::{Color, Game, LossKind, Losses, Outcome, Text};

impl LossKind {
    /// Returns the kind of loss if the target has no place for a field.
    pub const fn of_field(field: Field) -> LossKind {
        match field {
            Field::Event | Field::Site | Field::White | Field::Black => LossKind::Tag,
            Field::Date => LossKind::Date,
            Field::Round => LossKind::Round,
            Field::Result => LossKind::Result,
            Field::WhiteTitle | Field::BlackTitle => LossKind::Title,
            Field::WhiteRating | Field::BlackRating => LossKind::Rating,
            Field::WhiteFideId | Field::BlackFideId => LossKind::FideId,
            Field::Eco => LossKind::Eco,
            Field::EventDate => LossKind::EventDate,
            Field::Annotator => LossKind::Annotator,
            Field::Source => LossKind::Source,
            Field::Fen => LossKind::StartPosition,
            Field::Flags => LossKind::Flags,
        }
    }
}

/// The part of a header that a format stores. Its losses follow from it.
///
/// ```
/// use chessdb_core::stored_header::StoredHeader;
/// use chessdb_core::model::{Field, GameFlags};
/// use chessdb_core::{Game, LossKind, Losses};
///
/// const STORED: StoredHeader =
///     StoredHeader::new(&[Field::White, Field::Black, Field::Result], GameFlags::empty());
/// assert!(STORED.losses().contains(LossKind::Date));
///
/// let mut game = Game::new();
/// game.header.date = chessdb_core::Date::new(1985, 11, 9);
/// let mut losses = Losses::new();
/// STORED.lose_rest(&game, &mut losses);
/// assert_eq!(losses.count(LossKind::Date), 1);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct StoredHeader {
    fields: &'static [Field],
    flags: GameFlags,
}

impl StoredHeader {
    /// Creates the description of a format that stores these fields and flags, and no other tags.
    pub const fn new(fields: &'static [Field], flags: GameFlags) -> StoredHeader {
        StoredHeader { fields, flags }
    }

    /// Returns the kinds that [`StoredHeader::lose_rest`] can count.
    pub const fn losses(self) -> LossSet {
        let mut set = LossSet::new(&[
            LossKind::Tag,
            LossKind::TagText,
            LossKind::EmptyTag,
            LossKind::GameExtra,
            LossKind::Flags,
        ]);
        let mut rest: &[Field] = &Field::OF_GAMES;
        while let [field, others @ ..] = rest {
            // A field that is no text may have been written in a way that is not stored.
            if !field.is_text() || !self.contains(*field) {
                set = set.with(&[LossKind::of_field(*field)]);
            }
            rest = others;
        }
        set
    }

    /// Counts everything else in the header of a game, except the start position.
    pub fn lose_rest(self, game: &Game, losses: &mut Losses) {
        for field in Field::OF_GAMES {
            if !self.contains(field) {
                losses.add_unstored(game, &[field]);
            }
        }
        losses.add_flags(game, self.flags);
        losses.add_tags(game, |_| false);
        losses.add_extras(game);
    }

    const fn contains(self, field: Field) -> bool {
        let mut rest = self.fields;
        while let [stored, others @ ..] = rest {
            if *stored as u8 == field as u8 {
                return true;
            }
            rest = others;
        }
        false
    }
}

impl Losses {
    /// Counts the loss of the source text of a typed field
    /// ([`Tag::Verbatim`]) if the target keeps only the value.
    pub fn add_spelling(&mut self, field: Field, text: Text<'_>) {
        let kind = match field {
            Field::Fen => LossKind::TagText,
            Field::Result if text.names_double_forfeit() => LossKind::Result,
            _ if text.says_nothing() => LossKind::EmptyTag,
            field => LossKind::of_field(field),
        };
        self.add(kind, None);
    }

    /// Counts the loss of the text of a field if the target has no place for it.
    ///
    /// A missing text is no loss, and one without information counts as an empty tag. The tags that
    /// every game has are read back as `?`, so a text `?` is no loss either. An empty round with a
    /// number in a name table comes from SCID, which assigns it to games without a round; it is not
    /// counted.
    pub fn add_field(&mut self, field: Field, game: &Game, named: impl Into<Named>) {
        let Named { text: id, key } = named.into();
        let text = game.text(id);
        let is_demanded = matches!(
            field,
            Field::Event | Field::Site | Field::Round | Field::White | Field::Black
        );
        if id.is_none() || is_demanded && text.as_bytes() == b"?" {
            return;
        }
        if field == Field::Round && text.is_empty() && key.is_some() {
            return;
        }
        let kind = if text.says_nothing() { LossKind::EmptyTag } else { LossKind::of_field(field) };
        self.add(kind, None);
    }

    /// Counts the fields that a format has no place for. `unstored` is its list of them; the start
    /// position is not counted.
    pub fn add_unstored(&mut self, game: &Game, unstored: &[Field]) {
        let header = &game.header;
        for &field in unstored {
            let player = header.player(field.color().unwrap_or(Color::White));
            let is_set = match field {
                Field::Round => {
                    self.add_field(field, game, header.round);
                    continue;
                }
                Field::Date => !header.date.is_unknown(),
                Field::EventDate => !header.event_date.is_unknown(),
                Field::Result => header.outcome != Outcome::Unknown,
                Field::Eco => header.eco.is_some(),
                Field::WhiteRating | Field::BlackRating => player.rating.is_some(),
                // The source text of a number is counted with the tags.
                Field::WhiteFideId | Field::BlackFideId => {
                    player.fide_id.is_some() && header.verbatim(field).is_none()
                }
                _ => {
                    if let Some(text) = header.text_of(field) {
                        self.add_field(field, game, text);
                    }
                    continue;
                }
            };
            self.add_if(LossKind::of_field(field), is_set);
        }
    }

    /// Counts the flags that a format has no place for, except the ones in `stored`.
    pub fn add_flags(&mut self, game: &Game, stored: GameFlags) {
        let flags = game.header.flags.difference(stored).bits();
        self.add_many(LossKind::Flags, flags.count_ones(), None);
    }

    /// Counts the tags for which `is_stored` returns `false`: source texts of fields, and tags
    /// without a field.
    pub fn add_tags(&mut self, game: &Game, mut is_stored: impl FnMut(Tag) -> bool) {
        for &tag in &game.header.tags {
            match tag {
                Tag::Place(_) => {}
                tag if is_stored(tag) => {}
                Tag::Verbatim(field, text) => self.add_spelling(field, game.text(text)),
                Tag::Other { value, .. } => self.add_tag(game.text(value)),
            }
        }
    }

    /// Counts a tag without a field.
    pub fn add_tag(&mut self, value: Text<'_>) {
        let kind = if value.says_nothing() { LossKind::EmptyTag } else { LossKind::Tag };
        self.add(kind, None);
    }

    /// Counts the format-specific data of a game if all of them are left out.
    pub fn add_extras(&mut self, game: &Game) {
        let extras = u32::try_from(game.header.extras.len()).unwrap_or(u32::MAX);
        self.add_many(LossKind::GameExtra, extras, None);
    }
}

impl Game {
    /// Returns whether this is the tag `SetUp` with the value 1, which PGN requires with every start
    /// position, so that it carries no information next to one.
    pub fn is_setup_tag(&self, tag: Tag) -> bool {
        matches!(tag, Tag::Other { name, value }
            if self.text(name).as_bytes() == b"SetUp" && self.text(value).as_bytes() == b"1")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Charset;
    use crate::text::TextId;

    #[test]
    fn text_losses_depend_on_content() {
        let lost = |field, text: Option<&str>| {
            let (mut game, mut losses) = (Game::new(), Losses::new());
            let id = text.map_or(TextId::NONE, |text| game.add_text(text));
            losses.add_field(field, &game, id);
            losses.iter().next().map(|loss| loss.kind)
        };
        assert_eq!(lost(Field::Round, None), None);
        assert_eq!(lost(Field::Round, Some("?")), None);
        assert_eq!(lost(Field::Source, Some("?")), Some(LossKind::EmptyTag));
        assert_eq!(lost(Field::Round, Some("")), Some(LossKind::EmptyTag));
        assert_eq!(lost(Field::Round, Some("1.2")), Some(LossKind::Round));
        let (mut game, mut losses) = (Game::new(), Losses::new());
        let (text, key) = (game.add_text(""), Some(0));
        losses.add_field(Field::Round, &game, Named { text, key });
        assert!(losses.is_empty(), "{losses:?}");
        losses.add_field(Field::Site, &game, Named { text, key });
        assert_eq!(losses.count(LossKind::EmptyTag), 1);
    }

    #[test]
    fn spelling_losses_depend_on_content() {
        for (field, text, kind) in [
            (Field::WhiteRating, "2,400", LossKind::Rating),
            (Field::WhiteRating, "?", LossKind::EmptyTag),
            (Field::Date, "0000.00.00", LossKind::EmptyTag),
            (Field::Eco, "c20", LossKind::Eco),
            (Field::Fen, "-", LossKind::TagText),
            (Field::Result, "0-0", LossKind::Result),
            (Field::Result, "-", LossKind::EmptyTag),
            (Field::Result, "0.5-0.5", LossKind::Result),
        ] {
            let mut losses = Losses::new();
            losses.add_spelling(field, Text::new(text.as_bytes(), Charset::UTF_8));
            assert_eq!(losses.count(kind), 1, "{text}");
        }
    }
}
