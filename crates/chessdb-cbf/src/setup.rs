//! Start positions: 33 bytes, and bits of the header (docs/formats/cbf.md, sections 5 and 9).

use chessdb_core::board::{Piece, Side};
use chessdb_core::{Board, Color, LossKind, Losses, PieceType, Setup, Square};

use crate::raw::{Position, RawHeader, RecordFlags};

/// The pieces with the numbers 1 to 6.
const PIECES: [PieceType; 6] = [
    PieceType::King,
    PieceType::Queen,
    PieceType::Knight,
    PieceType::Bishop,
    PieceType::Rook,
    PieceType::Pawn,
];

/// The color, side and flag of each castling right.
const RIGHTS: [(Color, Side, RecordFlags); 4] = [
    (Color::White, Side::Long, RecordFlags::WHITE_LONG),
    (Color::White, Side::Short, RecordFlags::WHITE_SHORT),
    (Color::Black, Side::Long, RecordFlags::BLACK_LONG),
    (Color::Black, Side::Short, RecordFlags::BLACK_SHORT),
];

/// The bits of byte 11 that are unused in games with a start position.
pub(crate) const UNUSED_EXTRA: u8 = 0b1011_0000;

/// The faults of a start position.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct SetupFaults {
    /// The first square with an invalid piece number: its index from a1, b1, …, and the number.
    pub(crate) piece: Option<(u8, u8)>,
    /// The file of the en passant square, if it is above 8.
    pub(crate) ep: Option<u8>,
}

/// Returns the rank of the square passed by a double step of the side not to move.
fn ep_rank(turn: Color) -> u8 {
    turn.pick(5, 2)
}

/// Reads the start position of a game. Squares with an invalid number stay empty.
pub(crate) fn read(raw_header: &RawHeader, position: &Position) -> (Setup, SetupFaults) {
    let mut board = Board::empty();
    let mut faults = SetupFaults::default();
    for (index, &number) in (0u8..).zip(&position.squares) {
        // The record counts rank by rank, the board file by file.
        let square = Square::new_masked((index & 7) << 3 | index >> 3);
        let color = if number & 8 == 0 { Color::White } else { Color::Black };
        let piece = usize::from(number & 7)
            .checked_sub(1)
            .and_then(|piece| PIECES.get(piece));
        match piece {
            Some(&kind) => board.put(square, Some(Piece { color, kind })),
            None if number == 0 => {}
            None => faults.piece = faults.piece.or(Some((index, number))),
        }
    }
    if raw_header.flags.contains(RecordFlags::BLACK_FIRST) {
        board.set_turn(Color::Black);
    }
    for (color, side, right) in RIGHTS {
        if raw_header.flags.contains(right) {
            board.set_castling_rook(color, side, Some(side.corner(color)));
        }
    }
    match raw_header.extra & 15 {
        0 => {}
        file @ 1..=8 => board.set_ep_square(Square::from_coords(file - 1, ep_rank(board.turn()))),
        file => faults.ep = Some(file),
    }
    board.set_fullmove_number(u16::from(position.moves_before) + 1);
    (Setup::from_board(board), faults)
}

/// Returns the bytes of a position and sets its bits in the header, which must be clear.
pub(crate) fn write(setup: &Setup, raw_header: &mut RawHeader, losses: &mut Losses) -> [u8; 33] {
    let board = &setup.board;
    let mut squares = [0; 64];
    for (index, number) in (0u8..).zip(&mut squares) {
        let square = Square::new_masked((index & 7) << 3 | index >> 3);
        if let Some(Piece { color, kind }) = board.piece_at(square) {
            let piece = PIECES.iter().position(|piece| *piece == kind).unwrap_or(0) as u8 + 1;
            *number = piece | color.pick(0, 8);
        }
    }
    let is_black = board.turn() == Color::Black;
    raw_header.flags |= RecordFlags::SETUP;
    raw_header.flags.set(RecordFlags::BLACK_FIRST, is_black);
    // Rights that exist only in Chess960 are recognized as such, unless their rook is not in the
    // corner.
    let mut chess960 = setup.chess960 && !Setup::from_board(board.clone()).chess960;
    for (color, side, right) in RIGHTS {
        // A right of Chess960 with the rook in its corner is read as a right of standard chess.
        let other_king =
            setup.chess960 && Square::from_coords(4, color.rank(0)) != board.king(color);
        match board.castling_rook(color, side) {
            Some(rook) if rook == side.corner(color) && !other_king => raw_header.flags |= right,
            Some(_) => chess960 = true,
            None => {}
        }
    }
    losses.add_if(LossKind::Chess960, chess960);
    if let Some(ep) = board.ep_square() {
        raw_header.extra |= ep.file() + 1;
        losses.add_if(LossKind::StartPosition, ep.rank() != ep_rank(board.turn()));
    }
    let number = board.fullmove_number();
    // The byte of the number stores 1 to 256 as 0 to 255 (section 9).
    losses.add_if(
        LossKind::StartCounters,
        board.halfmove_clock() != 0 || !(1..=256).contains(&number),
    );
    let moves_before = number.saturating_sub(1).min(255) as u8;
    Position {
        squares,
        moves_before,
    }
    .to_bytes()
}

#[cfg(test)]
mod tests {
    use hex_literal::hex;
    use proptest::prelude::*;

    use super::*;

    /// Section 13, example 2.
    #[test]
    fn the_page_agrees() {
        let raw_header = RawHeader::parse(&hex!("40 06 07 AB 89 81 D7 9D DF F5 AE 91 2C 3A"));
        let stored = hex!(
            "00 00 10 05 00 00 00 06 00 00 00 00 00 00 00 00 00 0E 60 00 00 00 00 00 60 00 00 0E 00 00 90 00 27"
        );
        let (setup, faults) = read(&raw_header, &Position::parse(&stored));
        assert_eq!(faults, SetupFaults::default());
        assert_eq!(
            setup.board.to_string(),
            "4k3/P6p/8/3pP3/8/8/7P/4K2R w K d6 0 40"
        );
        let mut empty = raw_header;
        (empty.flags, empty.extra) = (RecordFlags::empty(), 0);
        let mut losses = Losses::new();
        assert_eq!(write(&setup, &mut empty, &mut losses), stored);
        assert_eq!((empty, losses.is_empty()), (raw_header, true));
    }

    proptest! {
        #[test]
        fn positions_without_a_fault_come_back(pieces in prop::collection::vec(0u8..16, 64),
                                               moves_before in any::<u8>(),
                                               flags in any::<u8>(), extra in 0u8..16) {
            let mut raw_header = RawHeader::parse(&[0; RawHeader::SIZE]);
            raw_header.flags = RecordFlags::SETUP | RecordFlags::from_bits_retain(flags & 0x3E);
            raw_header.extra = extra;
            let mut squares = [0; 64];
            squares.copy_from_slice(&pieces);
            let position = Position { squares, moves_before };
            let (setup, faults) = read(&raw_header, &position);
            let wrong = pieces.iter().any(|piece| matches!(piece, 7 | 8 | 15));
            prop_assert_eq!(faults.piece.is_some(), wrong);
            prop_assert_eq!(faults.ep.is_some(), extra > 8);
            if faults == SetupFaults::default() {
                let mut again = raw_header;
                (again.flags, again.extra) = (RecordFlags::empty(), 0);
                let mut losses = Losses::new();
                prop_assert_eq!(write(&setup, &mut again, &mut losses), position.to_bytes());
                prop_assert_eq!(again, raw_header);
                prop_assert!(losses.is_empty());
            }
        }
    }
}
