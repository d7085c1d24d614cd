//! The order of annotations: those of a move precede its variations (docs/formats/scidb.md, section
//! 5). Only comments may follow them.

use chessdb_core::model::{Extra, Token};
use chessdb_core::{Game, LossKind, Losses};

use crate::extras::{self, FORMAT};

/// Returns whether an extra is of this format and describes a move, not a comment.
fn belongs_to_move(extra: &Extra) -> bool {
    extra.format == FORMAT && [extras::MARK, extras::ENGINE].contains(&extra.field)
}

/// Returns the tokens with every NAG, time, evaluation and drawing before the variations of its
/// move, and counts those that were moved. `None` if all are there already, as nearly always.
pub(super) fn in_order<'g>(game: &'g Game, losses: &mut Losses) -> Option<Vec<Token<'g>>> {
    if !game.moves.has_variations() {
        return None;
    }
    let is_moved = |token: &Token<'_>| {
        matches!(
            token,
            Token::Nag(_) | Token::Clock(_) | Token::Eval(_) | Token::Shapes(_) | Token::Extra(_)
        )
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
            // An extra of another format, or for a comment, stays where it is.
            Token::Extra(extra) if !belongs_to_move(extra) => {}
            _ if is_moved(&token) => {
                if let Some(&Some(place)) = places.last() {
                    let kind = match token {
                        Token::Nag(_) => LossKind::NagMoved,
                        _ => LossKind::CommentMoved,
                    };
                    losses.add(kind, None);
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
