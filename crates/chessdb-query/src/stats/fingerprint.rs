//! A number that identifies a game by its players, date and moves.

use std::hash::{DefaultHasher, Hash, Hasher};

use chessdb_core::Game;

use super::thinking::folded_names;

/// Returns a number that is equal for games with the same players, date and moves of the mainline,
/// and the same `more`.
pub(crate) fn fingerprint(game: &Game, more: &[&str]) -> u64 {
    identity(game, game.mainline(), more)
}

/// Like [`fingerprint`], for a game with the moves apart from its header.
pub(crate) fn identity(
    header: &Game,
    moves: impl Iterator<Item = chessdb_core::PackedMove>,
    more: &[&str],
) -> u64 {
    let mut hasher = DefaultHasher::new();
    for (folded, _) in folded_names(header) {
        folded.hash(&mut hasher);
    }
    let date = header.date();
    (date.year, date.month, date.day).hash(&mut hasher);
    more.hash(&mut hasher);
    for mv in moves {
        mv.hash(&mut hasher);
    }
    hasher.finish()
}
