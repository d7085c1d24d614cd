//! The start positions of Chess960 and their numbers.

use crate::board::{Piece, Side};
use crate::{Board, Color, PieceType, Square};

/// The gaps that the two knights take among the five that bishops and queen leave.
const KNIGHTS: [[usize; 2]; 10] = [
    [0, 1],
    [0, 2],
    [0, 3],
    [0, 4],
    [1, 2],
    [1, 3],
    [1, 4],
    [2, 3],
    [2, 4],
    [3, 4],
];

impl Board {
    /// Returns the Chess960 start position with this number, 0 to 959; 518 is the standard one.
    /// `None` for a larger number.
    pub fn chess960(number: u16) -> Option<Board> {
        let mut rest = usize::from(number);
        let mut digit = |base: usize| {
            let digit = rest % base;
            rest /= base;
            digit
        };
        let mut row = [None; 8];
        // Scharnagl's numbering: the light-squared bishop, the dark-squared one, the queen, the
        // knights.
        *row.get_mut(digit(4) * 2 + 1)? = Some(PieceType::Bishop);
        *row.get_mut(digit(4) * 2)? = Some(PieceType::Bishop);
        put_in_gap(&mut row, digit(6), PieceType::Queen)?;
        let [first, second] = *KNIGHTS.get(rest)?;
        // The second knight first, so that the gap of the other one does not move.
        put_in_gap(&mut row, second, PieceType::Knight)?;
        put_in_gap(&mut row, first, PieceType::Knight)?;
        for kind in [PieceType::Rook, PieceType::King, PieceType::Rook] {
            put_in_gap(&mut row, 0, kind)?;
        }
        let mut board = Board::standard();
        for (file, kind) in (0..).zip(row) {
            for color in Color::ALL {
                let square = Square::from_coords(file, color.rank(0))?;
                board.put(square, kind.map(|kind| Piece { color, kind }));
            }
        }
        for color in Color::ALL {
            let rooks = board.pieces(color, PieceType::Rook);
            board.set_castling_rook(color, Side::Short, rooks.last());
            board.set_castling_rook(color, Side::Long, rooks.first());
        }
        Some(board)
    }

    /// Returns the number of an untouched Chess960 start position, 0 to 959. Castling rights are
    /// not examined.
    pub fn chess960_number(&self) -> Option<u16> {
        let back = |color: Color| {
            (0..8).map(move |file| {
                let square = Square::from_coords(file, color.rank(0))?;
                let piece = self.piece_at(square)?;
                (piece.color == color).then_some(piece.kind)
            })
        };
        let pawns = |color: Color| self.pieces(color, PieceType::Pawn).0;
        let untouched = back(Color::White).eq(back(Color::Black))
            && pawns(Color::White) == 0x0202_0202_0202_0202
            && pawns(Color::Black) == 0x4040_4040_4040_4040
            && self.occupied().len() == 32
            && self.fullmove_number() == 1
            && self.turn() == Color::White;
        let row: Vec<PieceType> = back(Color::White)
            .collect::<Option<_>>()
            .filter(|_| untouched)?;
        let places = |kind| {
            row.iter()
                .enumerate()
                .filter(move |(_, k)| **k == kind)
                .map(|(n, _)| n)
        };
        let bishops: Vec<usize> = places(PieceType::Bishop).collect();
        let light = bishops.iter().find(|file| *file % 2 == 1)?;
        let dark = bishops.iter().find(|file| *file % 2 == 0)?;
        let rest: Vec<PieceType> = row
            .iter()
            .copied()
            .filter(|kind| *kind != PieceType::Bishop)
            .collect();
        let queen = rest.iter().position(|kind| *kind == PieceType::Queen)?;
        let rest: Vec<PieceType> = rest
            .into_iter()
            .filter(|kind| *kind != PieceType::Queen)
            .collect();
        let knights: Vec<usize> = (0..rest.len())
            .filter(|&n| rest.get(n) == Some(&PieceType::Knight))
            .collect();
        let knights = KNIGHTS.iter().position(|pair| pair[..] == knights[..])?;
        u16::try_from(light / 2 + 4 * (dark / 2) + 16 * queen + 96 * knights).ok()
    }
}

/// Puts a piece into the gap with this number, counted from 0. `None` if there is no such gap.
fn put_in_gap(row: &mut [Option<PieceType>; 8], gap: usize, kind: PieceType) -> Option<()> {
    let place = row.iter_mut().filter(|place| place.is_none()).nth(gap)?;
    *place = Some(kind);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_its_position() {
        for number in 0..960 {
            let board = Board::chess960(number).unwrap();
            assert_eq!(board.chess960_number(), Some(number));
        }
        assert_eq!(Board::chess960(518), Some(Board::standard()));
        assert_eq!(Board::chess960(960), None);
    }
}
