//! The head of a game and the cells of its row (docs/formats/bytecode.md, section 7).

mod info;
mod read;
mod write;

use chessdb_core::{Color, Field, RatingKind};

pub(crate) use read::{HeadFacts, read_head};
pub(crate) use write::{HeadCells, Widths, write_head};

/// The typed fields that a row keeps in the column Info, in the order in which they are written
/// when their source had no order.
const INFO_FIELDS: [Field; 6] = [
    Field::Source,
    Field::WhiteFideId,
    Field::BlackFideId,
    Field::WhiteRating,
    Field::BlackRating,
    Field::Flags,
];

/// The tag of a colour's rating of this kind, such as `WhiteRapid`.
fn rating_tag(color: Color, kind: RatingKind) -> String {
    format!("{}{}", color.pick("White", "Black"), kind.name())
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
