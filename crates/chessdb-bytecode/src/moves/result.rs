//! The result after the moves, found without playing them, for rows that do not state it.

use chessdb_core::Outcome;

use super::OUTCOMES;
use super::marker::{CLOSE, END, LAST_NAG, LAST_RESULT, NAG, OPEN, RESULT};
use super::texts::inline_length;

/// The first code with a second byte.
const LONG: u8 = 0xA0;

/// Returns the result before the end mark of a game (section 4). It equals the result found by
/// decoding the game, and also exists in a game that breaks off before its end. `inline` states
/// that texts follow their marks.
pub(crate) fn last_result(bin: &[u8], inline: bool) -> Option<Outcome> {
    let mut depth = 0_u32;
    let mut rest = bin;
    while let Some((&byte, following)) = rest.split_first() {
        let used = match byte {
            // A NAG with its own byte follows the long moves.
            LONG..=NAG => 1,
            0..LONG | ..=LAST_NAG => 0,
            RESULT..=LAST_RESULT => {
                if depth == 0 && matches!(following, [] | [END, ..]) {
                    return OUTCOMES.get(usize::from(byte - RESULT)).copied();
                }
                0
            }
            OPEN => {
                depth = depth.saturating_add(1);
                0
            }
            CLOSE => {
                depth = depth.saturating_sub(1);
                0
            }
            END => return None,
            0xF2.. => 0,
            // Comments, errors and, QUIRK, the reserved codes among them.
            _ if inline => inline_length(following),
            _ => 0,
        };
        rest = following.get(used..).unwrap_or_default();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_result_precedes_the_end() {
        let draw = Some(Outcome::Draw);
        // 1.e4 e5, also in a variation, after a NAG, after a text.
        assert_eq!(last_result(&[0x13, 0x13, 0xD1, 0xFF], false), draw);
        assert_eq!(last_result(&[0x13, 0x13, 0xD1], false), draw);
        assert_eq!(last_result(&[0x13, 0xD1, 0x13, 0xFF], false), None);
        assert_eq!(last_result(&[0x13, 0xF0, 0x10, 0xD1, 0xFF], false), None);
        assert_eq!(
            last_result(&[0x13, 0xF0, 0x10, 0xF1, 0xD1, 0xFF], false),
            draw
        );
        // Second bytes are not marks.
        for first in [0xA0, 0xAF, 0xB0] {
            assert_eq!(last_result(&[first, 0xFF, 0xD1, 0xFF], false), draw);
            assert_eq!(last_result(&[first, 0xD1, 0xFF], false), None);
        }
        let text = [0xE0, 0xD2, 0xFF, 0, 0xD1, 0xFF];
        assert_eq!(last_result(&text, true), draw);
        // Without a NUL, the end mark ends a text.
        assert_eq!(last_result(&[0xE0, 0xD2, 0xFF, 0xD1, 0xFF], true), None);
        assert_eq!(last_result(&text, false), Some(Outcome::WhiteWins));
        assert_eq!(last_result(&[0xE0, 0xD1], true), None);
        assert_eq!(last_result(&[0xFF, 0xD1, 0xFF], false), None);
    }
}
