//! Fast decoding of a mainline for an observer, without comments and variations.

use chessdb_core::legacy::cbf::{CbfNumbering, EpRegister};
use chessdb_core::line::Skim;
use chessdb_core::search::MainlineObserver;

use super::{full_moves, is_count_of};
use crate::raw::marker::{CLOSE, OPEN};

/// Shows the mainline of a game from the standard start position to an observer. `moves` are
/// deciphered. On any irregularity it returns the line decoded so far; the caller then continues by
/// decoding the whole game.
pub(crate) fn skim<'o>(
    moves: &[u8],
    stored_count: u8,
    observer: &'o mut dyn MainlineObserver,
) -> Option<Skim<'o, CbfNumbering>> {
    let mut line = Skim::begin(CbfNumbering, EpRegister::default(), observer)?;
    let mut rest = moves;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = match byte {
            OPEN if line.plies() > 0 => match after_variation(tail) {
                Some(rest) => rest,
                None => return Some(line),
            },
            OPEN | CLOSE | 0 => return Some(line),
            _ => {
                let Ok((mv, _)) = line.decode(&[byte]) else {
                    return Some(line);
                };
                if line.play(mv).is_break() {
                    return None;
                }
                tail
            }
        };
    }
    // A wrong number of moves is a fault, which reading the whole game reports.
    if !is_count_of(stored_count, full_moves(line.plies(), false)) {
        return Some(line);
    }
    line.end();
    None
}

/// Returns the bytes after the variation that has just begun. `None` if the moves end inside it.
fn after_variation(moves: &[u8]) -> Option<&[u8]> {
    let mut depth = 1_u32;
    for (index, &byte) in moves.iter().enumerate() {
        match byte {
            OPEN => depth = depth.saturating_add(1),
            CLOSE => depth -= 1,
            0 => return None,
            _ => {}
        }
        if depth == 0 {
            return moves.get(index + 1..);
        }
    }
    None
}
