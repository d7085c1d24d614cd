//! Changes to the annotations after a move.

use super::arena::{Item, ends_with_command};
use crate::model::{Movetext, Token};

/// Returns the index of the first variation, or the length.
pub(super) fn first_variation(items: &[Item<'_>]) -> usize {
    let is_variation = |item: &Item<'_>| matches!(item, Item::Variation(_));
    items.iter().position(is_variation).unwrap_or(items.len())
}

/// Replaces the comments after a move by one.
pub(super) fn set_comment<'t>(items: &mut Vec<Item<'t>>, typed: &'t Movetext) {
    let old = std::mem::take(items);
    let mut new: Option<Vec<Item<'t>>> =
        (!typed.is_empty()).then(|| typed.tokens().map(Item::Token).collect());
    let has_text = old.iter().any(Item::is_comment);
    for item in old {
        let is_place = if has_text {
            item.is_comment()
        } else {
            // A comment without text ends the commands to which the new text belongs.
            item.is_end_of_commands()
        };
        if !is_place {
            items.push(item);
        } else if let Some(new) = new.take() {
            items.extend(new);
        } else if ends_with_command(items) {
            items.push(Item::end_of_commands());
        }
    }
    if let Some(new) = new {
        let index = first_variation(items);
        items.splice(index..index, new);
    }
}

pub(super) fn set_nags(items: &mut Vec<Item<'_>>, nags: &[u16]) {
    items.retain(|item| !item.is_nag());
    items.splice(0..0, nags.iter().map(|&nag| Item::nag(nag)));
}

/// Inserts a clock, an evaluation or shapes, as part of the comment after the move.
pub(super) fn insert_command<'t>(items: &mut Vec<Item<'t>>, command: Token<'t>) {
    let leading = items.get(..first_variation(items)).unwrap_or_default();
    let position = leading.iter().position(Item::is_after_comment);
    let index = position.unwrap_or(leading.len());
    items.insert(index, Item::Token(command));
}
