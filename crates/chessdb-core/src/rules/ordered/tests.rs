//! Tests of the order of moves against plain lists of them.

use super::*;
use crate::board::Piece;
use crate::rules::{Position, in_check, legal_moves};
use proptest::prelude::*;

/// The list, as the legal moves sorted by its rules.
fn sorted(board: &Board) -> Vec<PackedMove> {
    let mut moves = Vec::new();
    legal_moves(board, &mut moves);
    moves.sort_by_key(|mv| {
        let (from, to) = (mv.from().rank_major(), mv.to().rank_major());
        let files = i16::from(mv.to().file()) - i16::from(mv.from().file());
        let is_double = mv.from().rank().abs_diff(mv.to().rank()) == 2;
        match (mv.kind(), board.piece_at(mv.from()).unwrap().kind) {
            (MoveKind::EnPassant, _) => (0, from, 0),
            (MoveKind::CastleShort, _) => (10, 0, 0),
            (MoveKind::CastleLong, _) => (11, 0, 0),
            (MoveKind::Promotion(kind), _) => {
                let place = PROMOTIONS.iter().position(|&other| other == kind);
                let group = [-1, 1, 0].iter().position(|&other| other == files);
                (
                    2,
                    2 * group.unwrap() as u8 + 1,
                    to * 4 + place.unwrap() as u8,
                )
            }
            (_, PieceType::Pawn) => {
                let group = [-1, 1, 0].iter().position(|&other| other == files);
                let group = if is_double { 3 } else { group.unwrap() as u8 };
                (2, 2 * group, to)
            }
            (_, PieceType::King) if in_check(board, board.turn()) => (1, from, to),
            (_, PieceType::King) => (9, from, to),
            (_, kind) => (3 + kind as u8, from, to),
        }
    });
    moves
}

/// Checks both directions for every place, and returns the list.
fn checked(board: &Board) -> Vec<PackedMove> {
    let list = sorted(board);
    let len = list.len() as u32;
    for (place, &mv) in (0..).zip(&list) {
        assert_eq!(move_at_place(board, place), Ok(mv), "{place} of {board:?}");
        assert_eq!(place_of_move(board, mv), Some(place), "{mv:?}, {board:?}");
    }
    for place in [len, len + 1, 255.max(len)] {
        assert_eq!(move_at_place(board, place), Err(len), "{board:?}");
    }
    for mv in (0..u16::MAX).step_by(61).filter_map(PackedMove::from_bits) {
        let place = list.iter().position(|&legal| legal == mv);
        let place = place.map(|place| place as u32);
        assert_eq!(place_of_move(board, mv), place, "{mv:?}, {board:?}");
    }
    if let Ok(position) = Position::from_board(board) {
        assert_eq!(list, position.legal_moves(), "{board:?}");
    }
    list
}

#[test]
fn sets_are_mirrored() {
    for square in Square::all() {
        let n = square.index();
        assert_eq!(mirrored(n), square.rank_major());
        assert_eq!(transposed(1 << n), 1 << mirrored(n));
        let before = Square::all().filter(|other| other.rank_major() < square.rank_major());
        let before = before.fold(0, |set, other| set | other.bit().0);
        assert_eq!(squares_before(square), before);
    }
}

const FENS: [&str; 14] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "bnrbkrqn/pppppppp/8/8/8/8/PPPPPPPP/BNRBKRQN w FCfc - 0 1",
    // Pawns pinned in every direction, one of which may capture, and one promote.
    "2b1r3/1P1P4/8/q1PK1P1r/8/2P1P3/1b1r2b1/7k w - - 0 1",
    // A check that a pawn, a promotion and pieces can block or end.
    "k2r4/2P5/8/8/1b2N3/2P5/5PPP/3K1B1R w - - 0 1",
    // A double check.
    "4r2k/8/8/8/8/5n2/3PPPPP/3QKBNR w K - 0 1",
    // En passant captures: pinned on the rank, on the diagonal, and ending a check.
    "8/8/8/K2Pp2r/8/8/8/7k w - e6 0 1",
    "7b/8/8/3Pp3/2K5/8/8/7k w - e6 0 1",
    "8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1",
    // Castling in Chess960 with the rook between king and target, and a pinned rook.
    "4k3/8/8/8/8/8/8/qR1K2R1 w GB - 0 1",
    "1rk3r1/8/8/8/8/8/8/K7 b gb - 0 1",
];

proptest! {
    #[test]
    fn places_match_sorted_list(
        choices in prop::collection::vec(any::<u16>(), 0..120),
        start in 0..FENS.len(),
    ) {
        let mut board = FENS[start].parse::<crate::Setup>().unwrap().board;
        for choice in choices {
            let moves = checked(&board);
            if moves.is_empty() {
                break;
            }
            board.play(moves[usize::from(choice) % moves.len()]);
        }
    }

    /// Pieces anywhere: no king or several, adjacent kings, pawns on any rank, many checks and
    /// pins.
    #[test]
    fn any_board_has_places(
        pieces in prop::collection::vec((0_u8..64, 0_usize..12), 0..24),
        kings in prop::collection::vec((0_u8..64, any::<bool>()), 0..3),
        black: bool,
        ep in prop::option::of(0_u8..64),
    ) {
        let mut board = Board::empty();
        for (square, piece) in pieces {
            board.put(Square::new_masked(square), Piece::from_letter(b"PNBRQQpnbrqq"[piece]));
        }
        for (square, is_black) in kings {
            let king = Piece::from_letter(if is_black { b'k' } else { b'K' });
            board.put(Square::new_masked(square), king);
        }
        board.set_turn(if black { Color::Black } else { Color::White });
        board.set_ep_square(ep.map(Square::new_masked));
        checked(&board);
    }
}
