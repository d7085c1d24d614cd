//! The order of notes: NAGs and marks of a move precede its variations (docs/formats/scidb.md,
//! section 5). Only comments may follow them.

use chessdb_core::model::{Extra, Token};
use chessdb_core::{Game, LossKind, Losses};

use crate::extras::{self, FORMAT};

/// Returns whether an extra is a mark of this format.
fn is_mark(extra: &Extra) -> bool {
    (extra.format, extra.field) == (FORMAT, extras::MARK)
}

/// Returns the tokens with every NAG and every mark of Scidb's own before the variations of its
/// move, and counts those that were moved. `None` if all are there already, as nearly always.
/// Times, evaluations and drawings stay; after variations they are part of a comment's text.
pub(super) fn in_order<'g>(game: &'g Game, losses: &mut Losses) -> Option<Vec<Token<'g>>> {
    if !game.moves.has_variations() {
        return None;
    }
    let is_moved = |token: &Token<'_>| match token {
        Token::Nag(_) => true,
        Token::Extra(extra) => is_mark(extra),
        _ => false,
    };
    // For each open line: the place where the variations of its last move begin.
    let mut places: Vec<Option<usize>> = vec![None];
    let mut keys = Vec::with_capacity(game.moves.len());
    let mut changed = false;
    for (n, token) in game.moves.tokens().enumerate() {
        let mut key = (n, 0);
        match token {
            Token::Move(_) => {
                if let Some(place) = places.last_mut() {
                    *place = None;
                }
            }
            Token::Open(_) => {
                if let Some(place) = places.last_mut() {
                    place.get_or_insert(n);
                }
                places.push(None);
            }
            Token::Close => {
                places.pop();
            }
            _ if is_moved(&token) => {
                if let Some(&Some(place)) = places.last() {
                    let kind = match token {
                        Token::Nag(_) => LossKind::NagMoved,
                        _ => LossKind::CommentMoved,
                    };
                    losses.add(kind, None);
                    // The second number keeps the order of tokens that move to the same place.
                    key = (place, n + 1);
                    changed = true;
                }
            }
            _ => {}
        }
        // A moved token precedes the token at its place.
        keys.push(match key {
            (place, 0) => (place, usize::MAX, token),
            (place, own) => (place, own, token),
        });
    }
    if !changed {
        return None;
    }
    keys.sort_by_key(|&(place, own, _)| (place, own));
    Some(keys.into_iter().map(|(.., token)| token).collect())
}
