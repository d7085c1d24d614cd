//! The main line of a record shown to a watch: the moves alone, as far as it looks.

use chessdb_core::legacy::Numbering as _;
use chessdb_core::legacy::scid::ScidNumbering;
use chessdb_core::{Game, Watch};

use crate::raw::marker::{CLOSE, COMMENT, END, NAG, OPEN};

/// Shows the main line to `watch`, with the positions that [`super::decode`] would put on the tape of `game`,
/// whose head is filled.
pub(crate) fn skim(moves: &[u8], game: &Game, watch: &mut dyn Watch) {
    let mut board = game.start_board();
    if watch.begin(&game.head.start, &board).is_break() {
        return;
    }
    let Ok(mut lists) = ScidNumbering.start(&game.head.start) else {
        return;
    };
    let mut rest = moves;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = match byte {
            END => return,
            NAG => tail.get(1..).unwrap_or_default(),
            // A surplus end of a variation is passed over.
            COMMENT | CLOSE => tail,
            OPEN => match behind_variation(tail) {
                Some(rest) => rest,
                None => return,
            },
            _ => {
                let Ok((mv, used)) = ScidNumbering.decode(&lists, &board, rest) else {
                    return;
                };
                let played = board.play(mv);
                ScidNumbering.play(&mut lists, &board, mv, &played);
                if watch.played(mv, &played, &board).is_break() {
                    return;
                }
                rest.get(used..).unwrap_or_default()
            }
        };
    }
}

/// What follows a variation that has begun; nothing if the game ends in it. The second bytes of moves are
/// none of the marks.
fn behind_variation(moves: &[u8]) -> Option<&[u8]> {
    let mut rest = moves;
    let mut depth = 1_u32;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        match byte {
            END => return None,
            NAG => rest = tail.get(1..).unwrap_or_default(),
            OPEN => depth = depth.saturating_add(1),
            CLOSE => {
                depth -= 1;
                if depth == 0 {
                    return Some(rest);
                }
            }
            _ => {}
        }
    }
    None
}
