//! Numbers that identify a game by its players and moves.

use std::hash::{DefaultHasher, Hash, Hasher};

use chessdb_core::{Date, Game, PackedMove};

use super::thinking::folded_names;

/// Returns a number that is equal for games with the same players, date and moves of the mainline,
/// and the same `more`.
pub(crate) fn fingerprint(game: &Game, more: &[&str]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for (folded, _) in folded_names(game) {
        folded.hash(&mut hasher);
    }
    let date = game.effective_date();
    (date.year, date.month, date.day).hash(&mut hasher);
    more.hash(&mut hasher);
    game.mainline().for_each(|mv| mv.hash(&mut hasher));
    hasher.finish()
}

/// Returns a number that is equal for the same game in different sources: it depends on the family
/// names and on the moves.
pub(crate) fn identity(header: &Game, moves: impl Iterator<Item = PackedMove>) -> u64 {
    let mut hasher = DefaultHasher::new();
    for (folded, _) in folded_names(header) {
        // Sources differ in given names and initials, hardly in family names.
        family_name(&folded).hash(&mut hasher);
    }
    moves.for_each(|mv| mv.hash(&mut hasher));
    hasher.finish()
}

/// Returns the part of a name before the comma; without one, the last word.
fn family_name(name: &str) -> &str {
    match name.split_once(',') {
        Some((family, _)) => family.trim(),
        None => name.split_whitespace().last().unwrap_or(name),
    }
}

/// Returns whether two dates can be the same one: all parts known of both are equal.
pub(crate) fn may_be_same_date(one: Date, other: Date) -> bool {
    let parts = |date: Date| [date.year, date.month.into(), date.day.into()];
    parts(one)
        .into_iter()
        .zip(parts(other))
        .all(|(one, other)| one == other || one == 0 || other == 0)
}
