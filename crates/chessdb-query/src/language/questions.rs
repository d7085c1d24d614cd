//! The terms about whole games: endings, castling, promotions and sacrifices.

use crate::castling::Castled;
use crate::endings::Ending;
use crate::moves::MovesTerm;
use crate::promotions::Promotion;
use crate::sacrifices::Sacrifice;
use crate::syntax::{Fault, Item, each};

/// Parses the term of such a key; `None` for any other key.
pub(super) fn question(key: &str, items: &[Item]) -> Option<Result<MovesTerm, (usize, Fault)>> {
    Some(match key {
        "ending" => each(items, |item| Ending::read(&item.text)).map(MovesTerm::Ending),
        "castled" => each(items, |item| Castled::read(&item.text)).map(MovesTerm::Castled),
        "promotion" => each(items, |item| Promotion::read(&item.text)).map(MovesTerm::Promotion),
        "sacrifice" => each(items, |item| Sacrifice::read(&item.text)).map(MovesTerm::Sacrifice),
        _ => return None,
    })
}
