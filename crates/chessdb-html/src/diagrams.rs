//! The positions that are drawn among the moves.

use std::str::FromStr;

use chessdb_core::{Color, ErrorKind, Result};

/// The NAGs by which annotators request a diagram: NIC's, and one for each side.
const DIAGRAM_NAGS: [u16; 3] = [201, 220, 221];

/// The moves of the mainline after which a diagram is drawn, besides those that an annotator chose.
#[derive(Clone, Default, Debug)]
pub(crate) struct Diagrams {
    /// The move number, and the side that moves.
    moves: Vec<(u32, Color)>,
}

impl Diagrams {
    /// Returns whether a diagram follows this move of the mainline.
    pub(crate) fn has_move(&self, number: u32, side: Color) -> bool {
        self.moves.contains(&(number, side))
    }
}

/// Reads a list such as `12,20b`: after White's twelfth and Black's twentieth move.
impl FromStr for Diagrams {
    type Err = chessdb_core::Error;

    fn from_str(list: &str) -> Result<Diagrams> {
        let parse = |text: &str| {
            let text = text.trim();
            let (number, side) = match text.strip_suffix(['b', 'B']) {
                Some(number) => (number, Color::Black),
                None => (text.trim_end_matches(['w', 'W']), Color::White),
            };
            number.parse().ok().map(|number| (number, side))
        };
        let moves: Option<Vec<_>> = list.split(',').map(parse).collect();
        let moves = moves.ok_or_else(|| {
            let why = format!("{list:?} is not a list of moves such as 12,20b");
            ErrorKind::Setting(why.into())
        })?;
        Ok(Diagrams { moves })
    }
}

/// Returns the side from which a diagram is seen that this NAG requests. `None` if it requests none.
pub(crate) fn requested_side(nag: u16) -> Option<Color> {
    DIAGRAM_NAGS
        .contains(&nag)
        .then_some(if nag == 221 { Color::Black } else { Color::White })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_numbers_with_a_side() {
        let diagrams: Diagrams = "12, 20b,3W".parse().unwrap();
        assert!(diagrams.has_move(12, Color::White) && diagrams.has_move(3, Color::White));
        assert!(diagrams.has_move(20, Color::Black) && !diagrams.has_move(20, Color::White));
        for wrong in ["", "b", "x", "1,,2", "1-5", "-1"] {
            assert!(wrong.parse::<Diagrams>().is_err(), "{wrong}");
        }
    }
}
