//! The FEN reader.

use super::{FenFault, FenNotes, home_king, outer_rook, side_of_file};
use crate::board::{Piece, Side};
use crate::{Board, Color, PieceType, Setup, Square};

type Fault<T> = Result<T, FenFault>;

fn fault<T>(offset: usize, expected: &'static str) -> Fault<T> {
    Err(FenFault { offset, expected })
}

pub(super) fn read(fen: &[u8]) -> Fault<(Setup, FenNotes)> {
    let mut notes = FenNotes::default();
    let mut board = Board::empty();
    let mut fields = Fields { fen, offset: 0 };
    match fields.next() {
        Some(field) => placement(field, &mut board, &mut notes)?,
        None => return fault(fen.len(), "the piece placement"),
    }
    match fields.next() {
        Some(field) => board.set_turn(turn(field)?),
        None => notes |= FenNotes::NO_TURN,
    }
    match fields.next() {
        Some(field) => castling(field, &mut board, &mut notes)?,
        None => {
            notes |= FenNotes::NO_CASTLING;
            assume_castling(&mut board);
        }
    }
    match fields.next() {
        Some(field) => ep(field, &mut board, &mut notes)?,
        None => notes |= FenNotes::NO_EP,
    }
    match fields.next() {
        Some(field) => board.set_halfmove_clock(counter(field, 0, &mut notes)),
        None => notes |= FenNotes::NO_COUNTERS,
    }
    match fields.next() {
        Some(field) => board.set_fullmove_number(counter(field, 1, &mut notes)),
        None => notes |= FenNotes::NO_COUNTERS,
    }
    if fields.next().is_some() {
        notes |= FenNotes::TRAILING;
    }
    Ok((Setup::from_board(board), notes))
}

/// An iterator over the words between white space, each with its offset.
struct Fields<'a> {
    fen: &'a [u8],
    offset: usize,
}

#[derive(Clone, Copy)]
struct Field<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Iterator for Fields<'a> {
    type Item = Field<'a>;

    fn next(&mut self) -> Option<Field<'a>> {
        let rest = self.fen.get(self.offset..)?;
        let start = rest.iter().position(|b| !b.is_ascii_whitespace())?;
        let rest = rest.get(start..)?;
        let len = rest
            .iter()
            .position(u8::is_ascii_whitespace)
            .unwrap_or(rest.len());
        let offset = self.offset + start;
        self.offset = offset + len;
        Some(Field {
            bytes: rest.get(..len)?,
            offset,
        })
    }
}

fn placement(field: Field<'_>, board: &mut Board, notes: &mut FenNotes) -> Fault<()> {
    const SQUARES: &str = "eight squares per rank";
    // Number of squares from a8 to h1, and the same number at the last slash.
    let (mut count, mut rank_start, mut slashes) = (0u8, 0u8, 0u8);
    for (offset, &byte) in (field.offset..).zip(field.bytes) {
        match byte {
            b'/' => {
                if count != rank_start + 8 {
                    return fault(offset, SQUARES);
                }
                rank_start = count;
                slashes += 1;
            }
            b'1'..=b'8' => count += byte - b'0',
            _ => {
                let Some(piece) = Piece::from_letter(byte) else {
                    return fault(offset, "a piece, a number of empty squares or a slash");
                };
                // A FEN lists the ranks from the eighth down, each from the a-file.
                if let Some(square) = Square::from_coords(count & 7, 7 - (count >> 3 & 7)) {
                    board.put(square, Some(piece));
                }
                count += 1;
            }
        }
        // A placement without any slashes is divided by its count alone.
        if count > 64 || (slashes > 0 && count > rank_start + 8) {
            return fault(offset, SQUARES);
        }
    }
    // A slash after the last rank is harmless.
    if count != 64 {
        return fault(field.offset + field.bytes.len(), "64 squares in total");
    }
    if slashes == 0 {
        *notes |= FenNotes::NO_SLASHES;
    }
    Ok(())
}

fn turn(field: Field<'_>) -> Fault<Color> {
    match field.bytes {
        b"w" | b"W" | b"white" | b"White" => Ok(Color::White),
        b"b" | b"B" | b"black" | b"Black" => Ok(Color::Black),
        _ => fault(field.offset, "the side to move, w or b"),
    }
}

fn castling(field: Field<'_>, board: &mut Board, notes: &mut FenNotes) -> Fault<()> {
    if field.bytes == b"-" {
        return Ok(());
    }
    for (offset, &byte) in (field.offset..).zip(field.bytes) {
        let color = if byte.is_ascii_uppercase() { Color::White } else { Color::Black };
        let (side, rook) = match byte.to_ascii_uppercase() {
            b'K' => (Side::Short, outer_rook(board, color, Side::Short)),
            b'Q' => (Side::Long, outer_rook(board, color, Side::Long)),
            // Shredder-FEN names the rook by its file.
            letter @ b'A'..=b'H' => {
                let file = letter - b'A';
                let rook = Square::new_masked(file << 3 | color.rank(0));
                (side_of_file(board, color, file), rook)
            }
            _ => return fault(offset, "castling rights: K, Q, k, q, a file, or -"),
        };
        if board.castling_rook(color, side).is_some() {
            *notes |= FenNotes::DOUBLE_CASTLING;
        }
        if home_king(board, color).is_none() || !board.pieces(color, PieceType::Rook).has(rook) {
            *notes |= FenNotes::IDLE_CASTLING;
        }
        board.set_castling_rook(color, side, Some(rook));
    }
    Ok(())
}

/// Grants castling rights to kings on the e-file with rooks in the corners, as Scid does.
fn assume_castling(board: &mut Board) {
    for color in Color::ALL {
        let home = |file: u8| Square::new_masked(file << 3 | color.rank(0));
        if !board.pieces(color, PieceType::King).has(home(4)) {
            continue;
        }
        for (side, file) in [(Side::Short, 7), (Side::Long, 0)] {
            if board.pieces(color, PieceType::Rook).has(home(file)) {
                board.set_castling_rook(color, side, Some(home(file)));
            }
        }
    }
}

fn ep(field: Field<'_>, board: &mut Board, notes: &mut FenNotes) -> Fault<()> {
    if field.bytes == b"-" {
        return Ok(());
    }
    let Some(square) = Square::from_ascii(field.bytes) else {
        return fault(field.offset, "the en passant square, or -");
    };
    board.set_ep_square(Some(square));
    let them = board.turn().other();
    let passed = square.rank() == them.rank(2)
        && !board.occupied().has(square)
        && square
            .offset(0, them.pick(1, -1))
            .is_some_and(|pawn| board.pieces(them, PieceType::Pawn).has(pawn));
    if !passed {
        *notes |= FenNotes::IDLE_EP;
    }
    Ok(())
}

fn counter(field: Field<'_>, default: u16, notes: &mut FenNotes) -> u16 {
    let mut number = 0u16;
    for &byte in field.bytes {
        if !byte.is_ascii_digit() {
            *notes |= FenNotes::BAD_COUNTER;
            return default;
        }
        let next = number
            .checked_mul(10)
            .and_then(|n| n.checked_add(u16::from(byte - b'0')));
        number = match next {
            Some(next) => next,
            None => {
                *notes |= FenNotes::BAD_COUNTER;
                return u16::MAX;
            }
        };
    }
    number
}
