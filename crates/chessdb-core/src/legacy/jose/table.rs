//! Table-based decoding of one-byte moves: the fast path. Codes that it does not accept, en passant
//! included, are left to the general decoder (`codes`), which also reports the faults.

use super::codes::{self, Code};
use super::slots::{NONE, Slots};
use crate::{Board, Color, PackedMove, PieceType, Square};

/// The meaning of a byte.
#[derive(Clone, Copy)]
struct PlainCode {
    /// The number of the slot.
    number: u8,
    /// The row of [`TARGETS`].
    row: u8,
    /// The row of [`LINES`].
    line: u8,
    /// The pieces that the target must not have: 0 own pieces, 1 any piece, 2 anything except a
    /// piece of the other side.
    barred: u8,
}

/// Rows of [`TARGETS`]: the diagonals and straight lines of bishop, rook and queen, the steps of
/// knight, king, and the pawns of both sides, and a row without targets.
const DIAGONAL: u8 = 0;
const STRAIGHT: u8 = 16;
const KNIGHT: u8 = 32;
const KING: u8 = 40;
const PAWN: u8 = 48;
const NOWHERE: u8 = 63;

/// By colour and byte.
static PLAIN: [[PlainCode; 256]; 2] = [plain_table(Color::White), plain_table(Color::Black)];
/// By row and square, the target of the move on an empty board; [`NONE`] if there is none, or if a
/// pawn would reach the last rank.
static TARGETS: [[u8; 64]; 64] = targets();
/// The squares of the line that a row of [`TARGETS`] follows: none, file, rank, the diagonal that
/// goes up to the right, the other one.
static LINES: [[u64; 64]; 8] = lines();

/// Returns the from- and to-square of a byte on an empty board; `None` for special moves.
#[inline]
#[expect(
    clippy::indexing_slicing,
    reason = "colours are 0 or 1, squares below 64, everything else is masked"
)]
pub(super) fn squares(slots: &Slots, color: Color, byte: u8) -> Option<(Square, Square)> {
    let plain = PLAIN[color as usize][usize::from(byte)];
    let from = Square::new(slots.sides[color as usize].numbered[usize::from(plain.number & 15)])?;
    let index = usize::from(from.index() & 63);
    let to = TARGETS[usize::from(plain.row & 63)][index];
    Some((from, Square::new(to)?))
}

/// Returns the move of a byte; `None` for special moves.
#[inline]
#[expect(
    clippy::indexing_slicing,
    reason = "colours are 0 or 1, squares below 64, everything else is masked"
)]
pub(super) fn decode(slots: &Slots, board: &Board, byte: u8) -> Option<PackedMove> {
    let color = board.turn();
    let (from, to) = squares(slots, color, byte)?;
    let plain = PLAIN[color as usize][usize::from(byte)];
    let index = usize::from(from.index() & 63);
    let (own, other) = (board.by_color(color).0, board.by_color(color.other()).0);
    // The pieces that the target must not have: own ones, any, none of the opponent, no
    // restriction.
    let barred = [own, own | other, !other, 0][usize::from(plain.barred & 3)];
    // The squares of a line are also in the order of their indexes.
    let (from_bit, to_bit) = (from.bit().0, to.bit().0);
    let above = from_bit.min(to_bit).wrapping_mul(2).wrapping_sub(1);
    let below = from_bit.max(to_bit).wrapping_sub(1);
    let between = LINES[usize::from(plain.line & 7)][index] & below & !above;
    (between & (own | other) | to_bit & barred == 0).then(|| PackedMove::normal(from, to))
}

#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
const fn plain_table(color: Color) -> [PlainCode; 256] {
    let nothing = PlainCode {
        number: 0,
        row: NOWHERE,
        line: 0,
        barred: 0,
    };
    let mut table = [nothing; 256];
    let mut byte = 0;
    while byte < 256 {
        if let Code::Plain { number, code } = Code::from_byte(byte as u8) {
            let (row, line, barred) = match number {
                0..=7 => {
                    let barred = if codes::is_capture(code) { 2 } else { 1 };
                    (PAWN + 4 * color as u8 + code, 1, barred)
                }
                8 | 9 => (KNIGHT + code, 0, 0),
                10 | 11 => (DIAGONAL + code, 3 + code / 8, 0),
                12 | 13 => (STRAIGHT + code, 1 + code / 8, 0),
                14 if code < 16 => (DIAGONAL + code, 3 + code / 8, 0),
                14 => (STRAIGHT + code - 16, code / 8 - 1, 0),
                _ => (KING + code, 0, 0),
            };
            // A capturing pawn does not follow a line.
            let line = if barred == 2 { 0 } else { line };
            table[byte] = PlainCode {
                number,
                row,
                line,
                barred,
            };
        }
        byte += 1;
    }
    table
}

#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
const fn targets() -> [[u8; 64]; 64] {
    let mut targets = [[NONE; 64]; 64];
    let mut row = 0;
    while row < PAWN + 8 {
        let mut from = 0;
        while from < 64 {
            let square = Square::new_masked(from);
            let to = match row {
                DIAGONAL..STRAIGHT => codes::diagonal(square, row - DIAGONAL),
                STRAIGHT..KNIGHT => codes::straight(square, row - STRAIGHT),
                KNIGHT..KING => codes::step(square, PieceType::Knight, row - KNIGHT),
                KING..PAWN => codes::step(square, PieceType::King, row - KING),
                _ => pawn(square, row - PAWN),
            };
            if let Some(to) = to
                && to.index() != from
            {
                targets[row as usize][from as usize] = to.index();
            }
            from += 1;
        }
        row += 1;
    }
    targets
}

/// Returns the target of a pawn; `row` counts from [`PAWN`].
const fn pawn(from: Square, row: u8) -> Option<Square> {
    let (up, second, last) = if row < 4 { (1, 1, 7) } else { (-1, 6, 0) };
    let to = match row & 3 {
        0 => from.offset(0, up),
        1 => from.offset(up, up),
        2 => from.offset(-up, up),
        _ if from.rank() == second => from.offset(0, 2 * up),
        _ => None,
    };
    match to {
        Some(square) if square.rank() == last => None,
        to => to,
    }
}

#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
const fn lines() -> [[u64; 64]; 8] {
    let mut lines = [[0; 64]; 8];
    let mut a = 0;
    while a < 64 {
        let mut b = 0;
        while b < 64 {
            let (from, to) = (Square::new_masked(a), Square::new_masked(b));
            let files = to.file() as i8 - from.file() as i8;
            let ranks = to.rank() as i8 - from.rank() as i8;
            let on = [
                false,
                files == 0,
                ranks == 0,
                files == ranks,
                files == -ranks,
            ];
            let mut line = 0;
            while line < on.len() {
                if on[line] {
                    lines[line][a as usize] |= to.bit().0;
                }
                line += 1;
            }
            b += 1;
        }
        a += 1;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::super::JoseNumbering;
    use super::*;
    use crate::board::MoveKind;
    use crate::legacy::Numbering as _;
    use crate::model::Start;
    use crate::rules;

    #[test]
    fn standard_slots_match_any_position() {
        let slots = Slots::from_board(&Board::standard()).unwrap();
        assert_eq!(slots, Slots::STANDARD);
    }

    /// Decodes every byte in every position of some random games, and compares with the general
    /// decoder.
    #[test]
    fn tables_match_plain_computation() {
        let numbering = JoseNumbering::default();
        let mut seed = 1_u64;
        let (mut fast, mut slow) = (0, 0);
        let games = if cfg!(miri) { 1 } else { 60 };
        for _ in 0..games {
            let mut board = Board::standard();
            let mut slots = numbering.start(&Start::Standard).unwrap();
            for _ in 0..120 {
                for byte in 0..=0xFF {
                    let plain = slots.decode_general(&board, &[byte]).map(|(mv, _)| mv);
                    match decode(&slots, &board, byte) {
                        Some(mv) => {
                            assert_eq!(plain, Ok(mv), "{byte:02x} in {board}");
                            fast += 1;
                        }
                        None if byte < 0x98 => {
                            let special = |mv: PackedMove| mv.kind() == MoveKind::EnPassant;
                            assert!(plain.is_ok_and(special) || plain.is_err());
                            slow += usize::from(plain.is_ok());
                        }
                        None => {}
                    }
                }
                let mut moves = Vec::new();
                rules::legal_moves(&board, &mut moves);
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let Some(&mv) = moves.get((seed >> 33) as usize % moves.len().max(1)) else {
                    break;
                };
                let played = board.play(mv);
                numbering.play(&mut slots, &board, mv, &played);
            }
        }
        assert!(fast > 1_500 * games && slow >= games / 10, "{fast} {slow}");
    }
}
