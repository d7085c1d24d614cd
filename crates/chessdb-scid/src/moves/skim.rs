//! Fast replay of a record's mainline for a [`MainlineObserver`], only as far as the observer
//! requires.

use chessdb_core::Start;
use chessdb_core::legacy::scid::SkimLine;
use chessdb_core::search::MainlineObserver;

use crate::raw::marker::{CLOSE, COMMENT, END, NAG, OPEN};

/// Shows the mainline of a game with this start to `observer`. The positions are the same as
/// [`super::decode()`] produces.
pub(crate) fn skim(moves: &[u8], start: &Start, observer: &mut dyn MainlineObserver) {
    let board = start.board();
    if observer.begin(start, &board).is_break() {
        return;
    }
    let Ok(mut line) = SkimLine::new(start, board) else {
        return;
    };
    let filter = observer.move_filter();
    let mut rest = moves;
    loop {
        let passed = line.pass(rest, filter);
        rest = rest.get(passed.used..).unwrap_or_default();
        if passed.moves > 0 {
            observer.passed(passed.moves);
        }
        if let Some((mv, played)) = passed.shown {
            match observer.played(mv, &played, line.board()).is_break() {
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
            // A surplus end of a variation is ignored.
            COMMENT | CLOSE => tail,
            OPEN => match after_variation(tail) {
                Some(rest) => rest,
                None => return,
            },
            _ => {
                let Ok((mv, played, used)) = line.take(rest) else {
                    return;
                };
                if observer.played(mv, &played, line.board()).is_break() {
                    return;
                }
                rest.get(used..).unwrap_or_default()
            }
        };
    }
}

/// Returns the bytes after a variation that has just been opened, or `None` if the game ends within
/// it. The second bytes of moves are never equal to a marker.
fn after_variation(moves: &[u8]) -> Option<&[u8]> {
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
