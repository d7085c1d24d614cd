//! The mainline moves of a record, shown to an observer as far as it needs them.

use chessdb_core::board::MoveKind;
use chessdb_core::legacy::ca::{CaNumbering, EN_PASSANT, Slots};
use chessdb_core::line::Skim;
use chessdb_core::rules;
use chessdb_core::search::MainlineObserver;

use crate::raw::{Item, code};

/// Shows the mainline of a game from the standard start position to `observer`. On any irregularity
/// it returns the line, and the caller continues by reading the whole game.
pub(crate) fn skim<'o>(
    body: &[u8],
    numbering: CaNumbering,
    observer: &'o mut dyn MainlineObserver,
) -> Option<Skim<'o, CaNumbering>> {
    let mut line = Skim::begin(numbering, Slots::standard(), observer)?;
    let mut rest = body;
    while let Some(&first) = rest.first() {
        let used = match first {
            0..=219 => {
                let Ok((mv, used)) = line.decode(rest) else {
                    return Some(line);
                };
                let is_marked = first == EN_PASSANT;
                let is_fine = is_marked == (mv.kind() == MoveKind::EnPassant);
                if !is_fine || !rules::is_legal(line.board(), mv) {
                    return Some(line);
                }
                let flow = line.play(mv);
                if let Some(slot) = CaNumbering::promotion_slot(rest) {
                    let mover = line.board().turn().other();
                    line.state_mut().settle(mover, mv.to(), slot);
                }
                if flow.is_break() {
                    return None;
                }
                used
            }
            // Before the first move a variation may become the line itself (section 12).
            code::OPEN if line.plies() > 0 => match variation(rest) {
                Some(used) => used,
                None => return Some(line),
            },
            code::START | code::OPEN | code::CLOSE => return Some(line),
            _ => match Item::size(rest) {
                Ok(Some(size)) => size,
                _ => return Some(line),
            },
        };
        rest = rest.get(used..).unwrap_or_default();
    }
    line.end();
    None
}

/// Returns the size in bytes of the variation at the start of `bytes`, or `None` if it does not
/// end.
fn variation(bytes: &[u8]) -> Option<usize> {
    let (mut size, mut depth) = (0, 0_u32);
    loop {
        let rest = bytes.get(size..)?;
        match *rest.first()? {
            code::OPEN => depth = depth.saturating_add(1),
            // Not below 0: the first code opens a variation, and the loop ends at depth 0.
            code::CLOSE => depth -= 1,
            _ => {}
        }
        size += Item::size(rest).ok()??;
        if depth == 0 {
            return Some(size);
        }
    }
}
