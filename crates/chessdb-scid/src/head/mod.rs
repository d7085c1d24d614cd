//! The head of a game: fields of its index entry, tags and FEN of its record
//! (docs/formats/scid.md, sections 2, 4.1, 4.2 and 13).

mod read;
mod write;

use chessdb_core::{Color, Field, RatingKind};

pub(crate) use read::{NameLookup, read_entry, read_fen, read_tags, read_variant};
pub(crate) use write::{is_refused, write_entry, write_fen, write_tags};

/// The typed fields that a base keeps as extra tags, in the order in which they are written when
/// their source had no order.
const TAG_FIELDS: [Field; 6] = [
    Field::WhiteTitle,
    Field::BlackTitle,
    Field::WhiteFideId,
    Field::BlackFideId,
    Field::Annotator,
    Field::Source,
];

/// The tag of a colour's rating of this kind, such as `WhiteRapid`.
fn rating_tag(color: Color, kind: RatingKind) -> &'static str {
    const TAGS: [[&str; 7]; 2] = [
        [
            "WhiteElo",
            "WhiteRating",
            "WhiteRapid",
            "WhiteICCF",
            "WhiteUSCF",
            "WhiteDWZ",
            "WhiteECF",
        ],
        [
            "BlackElo",
            "BlackRating",
            "BlackRapid",
            "BlackICCF",
            "BlackUSCF",
            "BlackDWZ",
            "BlackECF",
        ],
    ];
    let at = RatingKind::ALL
        .iter()
        .position(|&known| known == kind)
        .unwrap_or(0);
    let [white, black] = &TAGS;
    color
        .pick(white, black)
        .get(at)
        .copied()
        .unwrap_or("WhiteElo")
}

/// The colour and kind of a rating tag.
fn rating_of_tag(name: &[u8]) -> Option<(Color, RatingKind)> {
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

/// The field of a colour's rating.
fn rating_field(color: Color) -> Field {
    color.pick(Field::WhiteRating, Field::BlackRating)
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
                let tag = rating_tag(color, kind);
                assert!(tag.ends_with(kind.name()));
                assert_eq!(rating_of_tag(tag.as_bytes()), Some((color, kind)));
            }
        }
        assert_eq!(rating_of_tag(b"WhiteTitle"), None);
    }

    #[test]
    fn plain_numbers() {
        assert_eq!(plain_number(b"2400"), Some(2400));
        for odd in ["", "0", "02400", "-1", "2400 ", "4294967296"] {
            assert_eq!(plain_number(odd.as_bytes()), None);
        }
    }
}
