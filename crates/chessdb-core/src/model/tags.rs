//! Typed fields that a format keeps as PGN's tags.

use crate::model::{Field, Head, Rating, RatingKind, Tag};
use crate::{Color, TextId};

impl RatingKind {
    /// The PGN tag of a colour's rating of this kind, such as `WhiteRapid`.
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

    /// The colour and kind of a rating's tag; none for any other tag.
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

impl Head {
    /// Whether no entry of the tags stands for this field yet.
    pub fn is_free(&self, field: Field) -> bool {
        !self.tags.iter().any(
            |tag| matches!(*tag, Tag::Place(taken) | Tag::Verbatim(taken, _) if taken == field),
        )
    }

    /// Puts the tag of a rating or of a FIDE number into its field, if that is still free, and hands
    /// out the entry that stands for it among the tags. `bytes` is the tag's value, `value` the same
    /// in the arena. None for any other tag, and for one that the field cannot take: such a tag
    /// stays one without a field.
    pub fn put_number(&mut self, name: &[u8], bytes: &[u8], value: TextId) -> Option<Tag> {
        for color in Color::ALL {
            let field = Field::fide_id(color);
            if name == field.tag().as_bytes() {
                if !self.is_free(field) {
                    return None;
                }
                let number = plain_number(bytes);
                self.player_mut(color).fide_id = number;
                return Some(number.map_or(Tag::Verbatim(field, value), |_| Tag::Place(field)));
            }
        }
        let (color, kind) = RatingKind::of_tag(name)?;
        let field = Field::rating(color);
        if !self.is_free(field) {
            return None;
        }
        let points = plain_number(bytes).and_then(|number| u16::try_from(number).ok());
        match (points, self.player(color).rating) {
            (Some(value), None) => {
                self.player_mut(color).rating = Some(Rating { value, kind });
                Some(Tag::Place(field))
            }
            (None, None) if kind == RatingKind::Elo => Some(Tag::Verbatim(field, value)),
            (None, Some(rating)) if rating.kind == kind => Some(Tag::Verbatim(field, value)),
            _ => None,
        }
    }
}

/// A number written in the one usual way: digits without leading zeros, at least 1.
fn plain_number(text: &[u8]) -> Option<u32> {
    match text {
        [b'1'..=b'9', ..] if text.iter().all(u8::is_ascii_digit) => {
            std::str::from_utf8(text).ok()?.parse().ok()
        }
        _ => None,
    }
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
    fn plain_numbers() {
        assert_eq!(plain_number(b"2400"), Some(2400));
        for odd in ["", "0", "02400", "-1", "2400 ", "4294967296"] {
            assert_eq!(plain_number(odd.as_bytes()), None);
        }
    }
}
