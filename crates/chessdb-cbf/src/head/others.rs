//! What a head says and a record has no field for.

use chessdb_core::{Color, Field, Game, LossKind, Losses, Start, Tag, Text, TextId};

/// What a base has no place for.
pub(super) fn lose_others(game: &Game, losses: &mut Losses) {
    let head = &game.head;
    let mut lose = |kind: LossKind, count: usize| losses.add_many(kind, count as u32, None);
    let says = |id: TextId| says_something(game.text(id));
    lose(
        LossKind::EventDate,
        usize::from(!head.event_date.is_unknown()),
    );
    lose(LossKind::Source, usize::from(says(head.source.text)));
    for color in Color::ALL {
        let player = head.player(color);
        lose(LossKind::Title, usize::from(says(player.title)));
        lose(LossKind::FideId, usize::from(player.fide_id.is_some()));
    }
    for tag in &head.tags {
        match *tag {
            Tag::Place(_) => {}
            Tag::Other { name, value } => {
                let (name, value) = (game.text(name), game.text(value));
                let setup = name.as_bytes() == b"SetUp" && value.as_bytes() == b"1";
                let chess960 = name.as_bytes() == b"Variant";
                if setup && matches!(head.start, Start::Setup(_)) {
                    // PGN writes it wherever there is a start position.
                } else if chess960 || says_something(value) {
                    lose(LossKind::Tag, 1);
                } else {
                    lose(LossKind::EmptyTag, 1);
                }
            }
            // What PGN writes of the unknown comes back by itself, and a start position is stored,
            // whatever its spelling.
            Tag::Verbatim(Field::Date | Field::Result, text) if is_unknown(game.text(text)) => {}
            Tag::Verbatim(Field::Fen, _) if head.start != Start::Standard => {}
            Tag::Verbatim(field, text) if !is_unknown(game.text(text)) => {
                lose(verbatim_kind(field), 1);
            }
            Tag::Verbatim(..) => lose(LossKind::EmptyTag, 1),
        }
    }
}

/// What is lost with the source text of a field.
fn verbatim_kind(field: Field) -> LossKind {
    match field {
        Field::Date => LossKind::Date,
        Field::EventDate => LossKind::EventDate,
        Field::Round => LossKind::Round,
        Field::Result => LossKind::Result,
        Field::Eco => LossKind::Eco,
        Field::WhiteRating | Field::BlackRating => LossKind::Rating,
        Field::Flags => LossKind::Flags,
        Field::Fen => LossKind::StartPosition,
        _ => LossKind::Tag,
    }
}

/// Whether the text of a date, a result or a number says that it is not known: `?`, `????.??.??`.
fn is_unknown(text: Text<'_>) -> bool {
    text.as_bytes().iter().all(|byte| b"?.*".contains(byte))
}

/// Whether a text tells a reader anything: it is neither empty nor a question mark.
fn says_something(text: Text<'_>) -> bool {
    !matches!(text.as_bytes(), b"" | b"?")
}
