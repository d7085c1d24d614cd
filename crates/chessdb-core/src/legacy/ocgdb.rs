//! OCGDB's move codes of one or two bytes (docs/formats/ocgdb.md, section 3.3): the number of a piece
//! and where it goes.

use super::{Coded, MoveFault, Numbering};
use crate::board::{MoveKind, Played};
use crate::model::Start;
use crate::rules::legal_moves;
use crate::{Board, PackedMove, PieceType, Result, Square};

/// OCGDB's scheme.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct OcgdbNumbering;

/// The number of the piece on each square, which it keeps through promotion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MenNumbers([Option<u8>; 64]);

impl MenNumbers {
    /// Numbers the pieces of each side in the order a8, b8, … h1.
    fn from_board(board: &Board) -> MenNumbers {
        let mut numbers = MenNumbers([None; 64]);
        let mut next = [0_u8; 2];
        for index in 0..64 {
            let Some(square) = from_top(index) else {
                continue;
            };
            let Some(piece) = board.piece_at(square) else {
                continue;
            };
            if let Some(next) = next.get_mut(piece.color as usize) {
                // The code has room for sixteen pieces a side.
                numbers.set(square, Some(*next).filter(|&number| number < 16));
                *next += 1;
            }
        }
        numbers
    }

    fn get(&self, square: Square) -> Option<u8> {
        self.0.get(usize::from(square.index())).copied().flatten()
    }

    fn set(&mut self, square: Square, number: Option<u8>) {
        if let Some(place) = self.0.get_mut(usize::from(square.index())) {
            *place = number;
        }
    }

    fn shift(&mut self, from: Square, to: Square) {
        let number = self.get(from);
        self.set(from, None);
        self.set(to, number);
    }
}

/// Returns the square with this number in the order a8, b8, … h1.
fn from_top(index: u8) -> Option<Square> {
    Square::from_coords(index & 7, 7 - (index >> 3 & 7))
}

/// Returns the number of a square in the order a8, b8, … h1.
fn top(square: Square) -> i8 {
    ((7 - square.rank()) << 3 | square.file()) as i8
}

/// The steps of a king, added to its square; two files are castling.
const KING: [i8; 10] = [-9, -8, -7, -2, -1, 1, 2, 7, 8, 9];
/// The steps of a knight, added to its square.
const KNIGHT: [i8; 8] = [-17, -15, -10, -6, 6, 10, 15, 17];
/// The steps of a pawn: captures, then advances.
const PAWN: [i8; 4] = [7, 8, 9, 16];

/// Returns the code of a move by a piece with this number: the first byte, and the second one of a
/// queen.
fn code(board: &Board, number: u8, mv: PackedMove) -> Option<(u8, Option<u8>)> {
    let kind = board.piece_at(mv.from())?.kind;
    let (from, to) = (top(mv.from()), top(mv.to()));
    let place = |list: &[i8], step: i8| Some(list.iter().position(|&entry| entry == step)? as u8);
    let upper = match kind {
        PieceType::King => place(&KING, to - from)?,
        PieceType::Knight => place(&KNIGHT, to - from)?,
        PieceType::Pawn => {
            let step = board.turn().pick(from - to, to - from);
            let promotion = match mv.kind() {
                MoveKind::Promotion(PieceType::Rook) => 1,
                MoveKind::Promotion(PieceType::Bishop) => 2,
                MoveKind::Promotion(PieceType::Knight) => 3,
                _ => 0,
            };
            place(&PAWN, step)? | promotion << 2
        }
        PieceType::Rook => {
            if mv.from().rank() == mv.to().rank() {
                mv.to().file() << 1
            } else {
                (7 - mv.to().rank()) << 1 | 1
            }
        }
        PieceType::Bishop => {
            let (file, row) = (mv.to().file(), 7 - mv.to().rank());
            let falls = (mv.to().file() > mv.from().file()) == (mv.to().rank() < mv.from().rank());
            // Steps from the left end of the diagonal: the upper one where it falls, the lower one
            // where it rises.
            if falls { file.min(row) << 1 } else { file.min(7 - row) << 1 | 1 }
        }
        PieceType::Queen => {
            let code = u16::from(number) | (to as u16) << 4;
            let [first, second] = code.to_le_bytes();
            return Some((first, Some(second)));
        }
    };
    Some((number | upper << 4, None))
}

impl Numbering for OcgdbNumbering {
    type State = MenNumbers;

    fn start(&self, start: &Start) -> Result<MenNumbers> {
        Ok(MenNumbers::from_board(&start.board()))
    }

    fn decode(
        &self,
        state: &MenNumbers,
        board: &Board,
        bytes: &[u8],
    ) -> Coded<(PackedMove, usize)> {
        let &first = bytes.first().ok_or(MoveFault::Truncated)?;
        let number = first & 15;
        let mut pieces = board.by_color(board.turn()).into_iter();
        let from = pieces
            .find(|&square| state.get(square) == Some(number))
            .ok_or(MoveFault::NoSuchPiece {
                number,
                pieces: board.by_color(board.turn()).len() as u8,
            })?;
        // Codes depend on the position, so the legal moves of the piece are tried.
        let mut legal = Vec::new();
        legal_moves(board, &mut legal);
        let own = legal.into_iter().filter(|mv| mv.from() == from);
        let mut needs_more = false;
        for mv in own {
            match code(board, number, mv) {
                Some((byte, None)) if byte == first => return Ok((mv, 1)),
                Some((byte, Some(second))) => match bytes.get(1) {
                    Some(&next_byte) if (byte, second) == (first, next_byte) => return Ok((mv, 2)),
                    Some(_) => {}
                    // The bytes end before the second byte of a code.
                    None => needs_more = true,
                },
                _ => {}
            }
        }
        Err(match board.piece_at(from) {
            _ if needs_more => MoveFault::Truncated,
            Some(piece) => MoveFault::BadCode {
                piece: piece.kind,
                code: first >> 4,
            },
            None => MoveFault::NoCode,
        })
    }

    fn encode(
        &self,
        state: &MenNumbers,
        board: &Board,
        mv: PackedMove,
        out: &mut Vec<u8>,
    ) -> Coded {
        if mv.is_null() {
            return Err(MoveFault::NoCode);
        }
        let number = state.get(mv.from()).ok_or(MoveFault::NoCode)?;
        let (first, second) = code(board, number, mv).ok_or(MoveFault::NoCode)?;
        out.push(first);
        out.extend(second);
        Ok(())
    }

    fn play(&self, state: &mut MenNumbers, _: &Board, mv: PackedMove, played: &Played) {
        if mv.is_null() {
            return;
        }
        if let Some((square, _)) = played.captured {
            state.set(square, None);
        }
        // In Chess960 king and rook may exchange squares.
        let rook = played.rook.map(|(from, to)| (state.get(from), from, to));
        if let Some((_, from, _)) = rook {
            state.set(from, None);
        }
        state.shift(mv.from(), mv.to());
        if let Some((number, _, to)) = rook {
            state.set(to, number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Color;

    /// The example of docs/formats/ocgdb.md, section 3.3.
    #[test]
    fn codes_match_format_page_example() {
        let start = Start::Standard;
        let mut board = start.board();
        let mut state = OcgdbNumbering.start(&start).unwrap();
        let bytes = [0x34, 0x3c, 0xfb, 0x01, 0x84, 0xcb, 0x01];
        let mut moves = Vec::new();
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            let (mv, length) = OcgdbNumbering.decode(&state, &board, rest).unwrap();
            let mut again = Vec::new();
            OcgdbNumbering
                .encode(&state, &board, mv, &mut again)
                .unwrap();
            assert_eq!(again, &rest[..length]);
            moves.push(mv.to_string());
            let played = board.play(mv);
            OcgdbNumbering.play(&mut state, &board, mv, &played);
            rest = &rest[length..];
        }
        assert_eq!(moves.join(" "), "e2e4 e7e5 d1h5 e8e7 h5e5");
        assert_eq!(board.turn(), Color::Black);
    }
}
