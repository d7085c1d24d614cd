//! The fields of a header that the format does not store.

use chessdb_core::model::{Field, LINE_EVALUATION, Tag};
use chessdb_core::{Game, Losses, Start};

/// Counts the losses of fields that the format does not store.
pub(super) fn lose_unstored(game: &Game, losses: &mut Losses) {
    losses.add_unstored(game, &[Field::EventDate, Field::Source]);
    losses.add_unstored(game, &Field::PLAYER_DETAILS);
    let mut evaluation = super::write::evaluation(game).is_some();
    let has_start = matches!(game.header.start, Start::Setup(_));
    losses.add_tags(game, |tag| match tag {
        _ if has_start && game.is_setup_tag(tag) => true,
        // The result byte stores the first evaluation.
        Tag::Other { name, value } if game.text(name).as_bytes() == LINE_EVALUATION.as_bytes() => {
            game.text(value).as_evaluation().is_some() && std::mem::take(&mut evaluation)
        }
        _ => false,
    });
}
