//! The fields of a header that the format does not store.

use chessdb_core::model::{Field, LINE_EVALUATION, Tag};
use chessdb_core::{Color, Game, LossKind, Losses, Start};

/// Counts the losses of fields that the format does not store.
pub(super) fn lose_unstored(game: &Game, losses: &mut Losses) {
    let header = &game.header;
    if !header.event_date.is_unknown() {
        losses.add(LossKind::EventDate, None);
    }
    losses.add_field(Field::Source, game, header.source.text);
    for color in Color::ALL {
        let player = header.player(color);
        losses.add_field(Field::title(color), game, player.title);
        if header.verbatim(Field::fide_id(color)).is_none() {
            losses.add_many(LossKind::FideId, player.fide_id.is_some().into(), None);
        }
    }
    let mut evaluation = super::write::evaluation(game).is_some();
    for tag in &header.tags {
        match *tag {
            Tag::Place(_) => {}
            Tag::Other { name, value } => {
                let (name, value) = (game.text(name), game.text(value));
                let setup = name.as_bytes() == b"SetUp" && value.as_bytes() == b"1";
                let chess960 = name.as_bytes() == b"Variant";
                let evaluates = name.as_bytes() == LINE_EVALUATION.as_bytes();
                if setup && matches!(header.start, Start::Setup(_)) {
                    // PGN requires this tag with every start position, so it carries no
                    // information.
                } else if evaluates && value.as_evaluation().is_some() && evaluation {
                    // The result byte stores the first evaluation.
                    evaluation = false;
                } else if chess960 || !value.says_nothing() {
                    losses.add(LossKind::Tag, None);
                } else {
                    losses.add(LossKind::EmptyTag, None);
                }
            }
            Tag::Verbatim(field, text) => losses.add_spelling(field, game.text(text)),
        }
    }
}
