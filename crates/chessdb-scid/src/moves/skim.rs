//! The main line of a record shown to a watch: the moves alone, as far as it looks.

use chessdb_core::legacy::scid::SkimLine;
use chessdb_core::{Start, Watch};

use crate::raw::marker::{CLOSE, COMMENT, END, NAG, OPEN};

/// Shows the main line of a game with this start to `watch`, with the positions that [`super::decode`] would
/// put on its tape.
pub(crate) fn skim(moves: &[u8], start: &Start, watch: &mut dyn Watch) {
    let board = start.board();
    if watch.begin(start, &board).is_break() {
        return;
    }
    let Ok(mut line) = SkimLine::new(start, board) else {
        return;
    };
    let filter = watch.move_filter();
    let mut rest = moves;
    loop {
        let passed = line.pass(rest, filter);
        rest = rest.get(passed.used..).unwrap_or_default();
        if passed.moves > 0 {
            watch.passed(passed.moves);
        }
        if let Some((mv, played)) = passed.shown {
            match watch.played(mv, &played, line.board()).is_break() {
                true => return,
                false => continue,
            }
        }
        let Some((&byte, tail)) = rest.split_first() else {
            return;
        };
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
                let Ok((mv, played, used)) = line.take(rest) else {
                    return;
                };
                if watch.played(mv, &played, line.board()).is_break() {
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
