//! Fast replay of a record's mainline for a [`MainlineObserver`], only as far as the observer
//! requires.

use chessdb_core::Start;
use chessdb_core::legacy::scid::SkimLine;
use chessdb_core::line::Counts;
use chessdb_core::search::{MainlineObserver, MoveFilter};

use super::Decoded;
use crate::derived::material;
use crate::raw::RecordParts;
use crate::raw::marker::{CLOSE, COMMENT, END, NAG, OPEN};

/// Shows the mainline of a game with this start to `observer`. The positions are the same as
/// [`super::decode()`] produces. Returns the line at the end mark; `None` if it does not get there.
pub(crate) fn skim(
    moves: &[u8],
    start: &Start,
    observer: &mut dyn MainlineObserver,
) -> Option<SkimLine> {
    let board = start.board();
    if observer.begin(start, &board).is_break() {
        return None;
    }
    let mut line = SkimLine::new(start, board).ok()?;
    let filter = observer.move_filter();
    let mut rest = moves;
    loop {
        // An observer of every move needs no tests of the filter.
        if filter == MoveFilter::ALL {
            let (used, then) = line.show(rest, observer);
            rest = rest.get(used..).unwrap_or_default();
            if then.is_break() {
                return None;
            }
        } else {
            let passed = line.pass(rest, filter);
            rest = rest.get(passed.used..).unwrap_or_default();
            if passed.moves > 0 {
                observer.passed(passed.moves);
            }
            if let Some((mv, played)) = passed.shown {
                if observer.played(mv, &played, line.board()).is_break() {
                    return None;
                } else {
                    continue;
                }
            }
        }
        let (&byte, tail) = rest.split_first()?;
        rest = match byte {
            END => return Some(line),
            NAG => tail.get(1..).unwrap_or_default(),
            // A surplus end of a variation is ignored.
            COMMENT | CLOSE => tail,
            OPEN => after_variation(tail)?,
            _ => {
                let (mv, played, used) = line.take(rest).ok()?;
                if observer.played(mv, &played, line.board()).is_break() {
                    return None;
                }
                rest.get(used..).unwrap_or_default()
            }
        };
    }
}

/// Shows a record that consists of a mainline only, from the standard start position. Returns its
/// counts and the material at its end, as [`super::decode()`] does; `None` if there is anything
/// else.
pub(crate) fn show_plain(
    parts: &RecordParts<'_>,
    observer: &mut dyn MainlineObserver,
) -> Option<Decoded> {
    let mainline = parts.moves.strip_suffix(&[END])?;
    // The second byte of a move is 64 or more.
    let is_mark = |byte: &u8| (NAG..=END).contains(byte);
    if !parts.comments.is_empty() || mainline.iter().any(is_mark) {
        return None;
    }
    let line = skim(parts.moves, &Start::Standard, observer)?;
    let counts = Counts {
        plies: line.plies(),
        ..Counts::default()
    };
    Some(Decoded {
        counts,
        final_material: material(line.board()),
    })
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
