//! Moves in the coordinates of the UCI protocol.

use std::fmt;

use crate::board::Side;
use crate::{Color, PackedMove, Setup, Square};

/// Writes the moves of one game in coordinates: `e2e4`, `e7e8q`, `0000`.
///
/// Castling is the king's move (`e1g1`), except in Chess960, where the king takes its own rook
/// (`e1h1`): there the king's move alone could be a plain move of the king.
#[derive(Clone, Copy, Debug, Default)]
pub struct UciNotation {
    /// In Chess960, the castling rooks of the start position by colour and side. A castling right
    /// belongs to a rook that has not moved, so these are the rooks of the whole game.
    rooks: Option<[[Option<Square>; 2]; 2]>,
}

impl UciNotation {
    /// Returns the notation for games that start at `setup`.
    pub fn of_setup(setup: &Setup) -> UciNotation {
        let rooks = |color: Color| Side::ALL.map(|side| setup.board.castling_rook(color, side));
        UciNotation {
            rooks: setup.chess960.then(|| Color::ALL.map(rooks)),
        }
    }

    /// Returns the second square of the move: its target, or the rook of a castling in Chess960.
    #[inline]
    pub fn target(self, mv: PackedMove) -> Square {
        let rook = mv
            .castling_side()
            .and_then(|side| self.rook(mv.from(), side));
        rook.unwrap_or(mv.to())
    }

    #[cold]
    fn rook(self, king: Square, side: Side) -> Option<Square> {
        let color = match king.rank() {
            0 => Color::White,
            _ => Color::Black,
        };
        self.rooks?
            .into_iter()
            .nth(color as usize)?
            .into_iter()
            .nth(side as usize)?
    }

    /// Returns a value that displays the move.
    pub fn show(self, mv: PackedMove) -> impl fmt::Display {
        ShownMove(self.target(mv), mv)
    }
}

struct ShownMove(Square, PackedMove);

impl fmt::Display for ShownMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ShownMove(target, mv) = *self;
        if target == mv.to() {
            write!(f, "{mv}")
        } else {
            write!(f, "{}{target}", mv.from())
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Game;

    #[test]
    fn chess960_castling_differs_from_king_move() {
        for (fen, san, uci) in [
            ("rk5r/8/8/8/8/8/8/RK5R w KQkq - 0 1", "O-O-O", "b1a1"),
            ("rk5r/8/8/8/8/8/8/RK5R w KQkq - 0 1", "O-O", "b1h1"),
            ("rk5r/8/8/8/8/8/8/RK5R w KQkq - 0 1", "Kc1", "b1c1"),
            ("rk5r/8/8/8/8/8/8/RK5R b KQkq - 0 1", "O-O-O", "b8a8"),
            ("6kr/8/8/8/8/8/8/6KR w Hh - 0 1", "O-O", "g1h1"),
            ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "O-O", "e1g1"),
            ("8/P7/8/8/8/4k3/8/4K3 w - - 0 1", "a8=N", "a7a8n"),
        ] {
            let start = || Game::builder().fen(fen).unwrap();
            let game = start().sans([san]).unwrap().build();
            assert_eq!(game.ucis(), [uci], "{fen} {san}");
            let game = start().uci(uci).unwrap().build();
            assert_eq!(game.sans(), [san], "{fen} {uci}");
        }
    }
}
