//! Scidb's piece numbers and move codes (docs/formats/scidb.md, section 6).
//!
//! The codes are Scid's, except the king's, which leave room for the marks. The numbers are not: a
//! piece keeps its number, and a capture frees none.

use super::scid::{CASTLE_LONG, CASTLE_SHORT, code_of, decode_of};
use super::{Coded, MoveFault, Numbering};
use crate::board::{Piece, Played};
use crate::model::Start;
use crate::{Board, Color, ErrorKind, PackedMove, PieceType, Result, Square};

/// Scidb's scheme.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScidbNumbering {
    /// Whether pieces are numbered in the order of a FEN, as in records that contain one. Otherwise
    /// the start is an array of pieces and pawns, as in standard chess and Chess960.
    pub in_fen_order: bool,
}

/// The null move. Smaller bytes are marks, not moves.
const NULL_MOVE: u8 = 5;
/// The king's codes for castling.
const KING_SHORT: u8 = 14;
const KING_LONG: u8 = 15;
/// The distance of the king's other codes from Scid's.
const KING_SHIFT: u8 = 5;
/// The value for no number.
const NO_NUMBER: u8 = 16;

/// The numbers of both sides' pieces.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PieceNumbers {
    /// The square of each piece that is on the board, by colour and number.
    squares: [[Option<Square>; 16]; 2],
    /// The number of the piece on each square.
    numbers: [u8; 64],
}

impl PieceNumbers {
    /// A board without pieces.
    const EMPTY: PieceNumbers = PieceNumbers {
        squares: [[None; 16]; 2],
        numbers: [NO_NUMBER; 64],
    };

    /// The numbers of the standard start, which nearly all games have.
    #[expect(
        clippy::indexing_slicing,
        reason = "computed by the compiler, which would report an index outside a table"
    )]
    const STANDARD: PieceNumbers = {
        let mut all = PieceNumbers::EMPTY;
        let mut file = 0;
        while file < 8 {
            // The king is 0, so a piece after it has one less.
            let piece = if file < 4 { file + 1 } else { file };
            let [white, black] = if file == 4 { [0, 0] } else { [8 + piece, piece] };
            let placed = [
                (Color::White, 1, file + 1),
                (Color::White, 0, white),
                (Color::Black, 7, black),
                (Color::Black, 6, file + 8),
            ];
            let mut n = 0;
            while n < placed.len() {
                let (color, rank, number) = placed[n];
                all.numbers[(file * 8 + rank) as usize] = number;
                all.squares[color as usize][number as usize] = Square::from_coords(file, rank);
                n += 1;
            }
            file += 1;
        }
        all
    };

    /// Numbers the pieces in the order of these squares, except the king, which is 0.
    fn new<S>(board: &Board, order: impl Fn(Color) -> S) -> Result<PieceNumbers>
    where
        S: Iterator<Item = Square>,
    {
        let mut all = PieceNumbers::EMPTY;
        for color in Color::ALL {
            if board.pieces(color, PieceType::King).is_many() {
                let what = "a side with several kings, which have one number";
                return Err(ErrorKind::Structure(what).into());
            }
            let mut next = 1;
            for square in order(color) {
                let number = match board.piece_at(square) {
                    Some(piece) if piece.color != color => continue,
                    None => continue,
                    Some(Piece {
                        kind: PieceType::King,
                        ..
                    }) => 0,
                    // There is no number above 15.
                    Some(_) => next.min(NO_NUMBER),
                };
                next += u8::from(number != 0);
                all.set(color, square, number);
            }
        }
        Ok(all)
    }

    /// Numbers the pieces and pawns of an array.
    fn in_array(board: &Board) -> Result<PieceNumbers> {
        // White's pawns come first, Black's last.
        PieceNumbers::new(board, |color| {
            let [first, second] = color.pick([1, 0], [7, 6]);
            rank(first).chain(rank(second))
        })
    }

    fn square(&self, color: Color, number: u8) -> Option<Square> {
        self.squares
            .get(color as usize)?
            .get(usize::from(number))
            .copied()
            .flatten()
    }

    fn number(&self, square: Square) -> u8 {
        self.numbers
            .get(usize::from(square.index()))
            .copied()
            .unwrap_or(NO_NUMBER)
    }

    fn set(&mut self, color: Color, square: Square, number: u8) {
        if let Some(place) = self.numbers.get_mut(usize::from(square.index())) {
            *place = number;
        }
        let side = self.squares.get_mut(color as usize);
        if let Some(place) = side.and_then(|side| side.get_mut(usize::from(number))) {
            *place = Some(square);
        }
    }

    /// Removes the piece from its square and returns its number.
    fn take(&mut self, color: Color, square: Square) -> u8 {
        let place = self.numbers.get_mut(usize::from(square.index()));
        let number = place.map_or(NO_NUMBER, |place| std::mem::replace(place, NO_NUMBER));
        let side = self.squares.get_mut(color as usize);
        if let Some(place) = side.and_then(|side| side.get_mut(usize::from(number))) {
            *place = None;
        }
        number
    }
}

/// Returns the squares of a rank, by file.
fn rank(rank: u8) -> impl Iterator<Item = Square> {
    (0..8).filter_map(move |file| Square::from_coords(file, rank))
}

impl Numbering for ScidbNumbering {
    type State = PieceNumbers;

    fn start(&self, start: &Start) -> Result<PieceNumbers> {
        if self.in_fen_order {
            return PieceNumbers::new(&start.board(), |_| (0..8).rev().flat_map(rank));
        }
        match start {
            Start::Standard => Ok(PieceNumbers::STANDARD),
            Start::Setup(setup) => PieceNumbers::in_array(&setup.board),
        }
    }

    #[inline]
    fn decode(
        &self,
        pieces: &PieceNumbers,
        board: &Board,
        bytes: &[u8],
    ) -> Coded<(PackedMove, usize)> {
        let &byte = bytes.first().ok_or(MoveFault::Truncated)?;
        match byte {
            0..NULL_MOVE => return Err(MoveFault::UnknownCode { code: byte }),
            NULL_MOVE => return Ok((PackedMove::NULL, 1)),
            _ => {}
        }
        let (number, code) = (byte >> 4, byte & 15);
        let color = board.turn();
        let from = pieces.square(color, number).ok_or(MoveFault::NoSuchPiece {
            number,
            pieces: board.by_color(color).len() as u8,
        })?;
        let code = match (number, code) {
            (0, KING_SHORT) => CASTLE_SHORT,
            (0, KING_LONG) => CASTLE_LONG,
            (0, code) => code - KING_SHIFT,
            (_, code) => code,
        };
        decode_of(board, from, code, bytes)
    }

    #[inline]
    fn encode(
        &self,
        pieces: &PieceNumbers,
        board: &Board,
        mv: PackedMove,
        out: &mut Vec<u8>,
    ) -> Coded {
        if mv.is_null() {
            out.push(NULL_MOVE);
            return Ok(());
        }
        let Piece { color, kind } = board.piece_at(mv.from()).ok_or(MoveFault::NoCode)?;
        let number = pieces.number(mv.from());
        if number >= NO_NUMBER {
            return Err(MoveFault::Unnumbered {
                piece: kind,
                slot: number,
            });
        }
        let (code, second) = code_of(color, kind, mv).ok_or(MoveFault::NoCode)?;
        let code = match (kind, code) {
            (PieceType::King, CASTLE_SHORT) => KING_SHORT,
            (PieceType::King, CASTLE_LONG) => KING_LONG,
            (PieceType::King, code) => code + KING_SHIFT,
            (_, code) => code,
        };
        out.push(number << 4 | code);
        out.extend(second);
        Ok(())
    }

    #[inline]
    fn play(&self, pieces: &mut PieceNumbers, after: &Board, mv: PackedMove, played: &Played) {
        if mv.is_null() {
            return;
        }
        if let Some((square, piece)) = played.captured {
            pieces.take(piece.color, square);
        }
        // A piece of the other side moves only in damaged games.
        let mover = after.turn().other();
        let color = after.piece_at(mv.to()).map_or(mover, |piece| piece.color);
        // In Chess960 king and rook may exchange squares.
        let rook = played.rook.map(|(from, to)| (pieces.take(color, from), to));
        let number = pieces.take(color, mv.from());
        pieces.set(color, mv.to(), number);
        if let Some((number, to)) = rook {
            pieces.set(color, to, number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standard_numbers_are_those_of_the_array() {
        let counted = PieceNumbers::in_array(&Board::standard()).unwrap();
        assert_eq!(PieceNumbers::STANDARD, counted);
        assert_eq!(counted.number(Square::from_ascii(b"f1").unwrap()), 13);
    }
}
