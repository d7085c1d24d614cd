//! Tags: typed fields where the model has them, the rest as it stands.

mod read;
mod write;

pub(crate) use read::{Finding, HeadReader};
pub(crate) use write::{push_number, write_head};

use chessdb_core::{Color, Field, RatingKind};

/// The seven tags that every game has, in their order.
const ROSTER: [Field; 7] = [
    Field::Event,
    Field::Site,
    Field::Date,
    Field::Round,
    Field::White,
    Field::Black,
    Field::Result,
];

/// The typed field that a tag fills; of a rating its kind too.
fn field_of(name: &[u8]) -> Option<(Field, RatingKind)> {
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

/// Whose rating, title or number a field is.
const fn color_of(field: Field) -> Color {
    match field {
        Field::Black | Field::BlackTitle | Field::BlackRating | Field::BlackFideId => Color::Black,
        _ => Color::White,
    }
}

/// A bit for each field.
const fn bit(field: Field) -> u32 {
    1 << (field as u32 & 31)
}
