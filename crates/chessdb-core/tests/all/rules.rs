//! Tests of the rules against known move counts and against shakmaty.

use chessdb_core::board::{MoveKind, Side};
use chessdb_core::{Board, Color, PackedMove, Square, rules};
use proptest::prelude::*;

use crate::common::{
    any_board, any_move, assert_consistent, board, chess960, fen, legal_moves, obviously_attacked,
    obviously_in_check, random_games, san, sharp_starts,
};

fn perft(board: &Board, depth: u32) -> u64 {
    let moves = legal_moves(board);
    if depth == 1 {
        return moves.len() as u64;
    }
    let mut nodes = 0;
    for mv in moves {
        let mut next = board.clone();
        next.play(mv);
        nodes += perft(&next, depth - 1);
    }
    nodes
}

/// The numbers are from the chess programming wiki ("Perft Results", "Chess960 Perft Results").
#[test]
fn move_counts_are_the_known_ones() {
    let cases = [
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            4,
            197_281,
        ),
        (
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            3,
            97_862,
        ),
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 5, 674_624),
        (
            "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
            3,
            9_467,
        ),
        (
            "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
            3,
            62_379,
        ),
        (
            "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
            3,
            89_890,
        ),
        (
            "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
            4,
            326_672,
        ),
        (
            "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9",
            3,
            18_002,
        ),
        (
            "b1q1rrkb/pppppppp/3nn3/8/P7/1PPP4/4PPPP/BQNNRKRB w GE - 1 9",
            3,
            10_471,
        ),
    ];
    for (fen, depth, nodes) in cases {
        assert_eq!(perft(&board(fen), depth), nodes, "{fen}");
    }
}

fn sorted(mut moves: Vec<PackedMove>) -> Vec<u16> {
    moves.sort_by_key(|mv| mv.bits());
    moves.into_iter().map(PackedMove::bits).collect()
}

/// Checks that legal moves, SAN and FEN equal those of shakmaty, position by position.
fn agree_with_shakmaty(starts: &[Board], seed: u64, plies: usize) {
    let mut judge = None;
    random_games(starts, seed, plies, |board, moves, mv| {
        if starts.contains(board) || judge.is_none() {
            judge = Some(rules::Position::from_board(board).unwrap());
        }
        let position = judge.as_mut().unwrap();
        assert_eq!(position.fen(), fen(board));
        assert_eq!(
            sorted(position.legal_moves()),
            sorted(moves.to_vec()),
            "{board:?}"
        );
        assert!(rules::has_legal_move(board));
        assert_eq!(
            position.san(mv).unwrap(),
            san(board, mv),
            "{board:?} {mv:?}"
        );
        assert!(position.play(mv));
    });
}

#[test]
fn random_games_agree_with_shakmaty() {
    let mut starts = sharp_starts();
    // Shakmaty rejects positions with more pieces than a game can have.
    starts.retain(rules::is_valid_position);
    assert!(starts.len() >= 6);
    agree_with_shakmaty(&starts, 1, 30_000);
}

#[test]
fn random_chess960_games_agree_with_shakmaty() {
    let starts: Vec<Board> = (0..960).step_by(7).map(chess960).collect();
    agree_with_shakmaty(&starts, 2, 20_000);
}

/// Without pawns in the way and with the kings at home, castling is possible in most positions.
#[test]
fn castling_in_open_chess960_positions_agrees_with_shakmaty() {
    let starts: Vec<Board> = (0..960)
        .map(|n| {
            let mut board = chess960(n);
            for color in Color::ALL {
                for square in board.by_color(color) {
                    let rook = Side::ALL.map(|side| board.castling_rook(color, side));
                    if board.king(color) != Some(square) && !rook.contains(&Some(square)) {
                        board.put(square, None);
                    }
                }
            }
            board
        })
        .filter(rules::is_valid_position)
        .collect();
    assert!(starts.len() > 300);
    agree_with_shakmaty(&starts, 3, 10_000);
}

#[test]
fn in_a_position_every_move_is_legal_or_not_as_the_list_says() {
    random_games(&sharp_starts(), 4, 100, |board, moves, _| {
        let listed = sorted(moves.to_vec());
        for bits in 0..10 << 12 {
            let mv = PackedMove::from_bits(bits).unwrap();
            if !mv.is_null() {
                let is_listed = listed.binary_search(&bits).is_ok();
                assert_eq!(rules::is_legal(board, mv), is_listed, "{board:?} {mv:?}");
            }
        }
    });
}

#[test]
fn several_kings_know_no_check() {
    let two = board("k6k/8/8/8/8/8/8/R3K3 b - - 0 1");
    assert!(!rules::in_check(&two, Color::Black));
    let none = board("8/8/8/8/8/8/8/R3K3 b - - 0 1");
    assert!(!rules::in_check(&none, Color::Black));
    assert!(!rules::has_legal_move(&none));
    let one = board("k7/8/8/8/8/8/8/R3K3 b - - 0 1");
    assert!(rules::in_check(&one, Color::Black));
    assert!(!rules::is_valid_position(&two) && !rules::is_valid_position(&none));
    assert!(rules::is_valid_position(&one));
}

#[test]
fn null_moves_are_legal_and_ghost_en_passant_is_not() {
    let board = board("k7/8/8/3pP3/8/8/8/4K3 w - - 0 1");
    let e5 = Square::from_ascii(b"e5").unwrap();
    let d6 = Square::from_ascii(b"d6").unwrap();
    assert!(rules::is_legal(&board, PackedMove::NULL));
    let ghost = PackedMove::new(e5, d6, MoveKind::GhostEnPassant);
    assert!(!rules::is_pseudo_legal(&board, ghost));
    assert!(!rules::is_legal(
        &board,
        PackedMove::new(e5, d6, MoveKind::EnPassant)
    ));
    let mut with_right = board.clone();
    with_right.set_ep_square(Some(d6));
    assert!(rules::is_legal(
        &with_right,
        PackedMove::new(e5, d6, MoveKind::EnPassant)
    ));
    assert!(!rules::is_legal(&with_right, ghost));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn attacks_on_any_board_are_the_obvious_ones(board in any_board()) {
        for color in Color::ALL {
            prop_assert_eq!(rules::in_check(&board, color), obviously_in_check(&board, color));
            for square in Square::all() {
                let attackers = rules::attackers_to(&board, square, color, board.occupied());
                prop_assert_eq!(!attackers.is_empty(), obviously_attacked(&board, square, color));
            }
        }
    }

    /// The list agrees with `is_legal`, and no legal move leaves the player's own king attacked.
    #[test]
    fn legal_moves_on_any_board(board in any_board()) {
        let moves = legal_moves(&board);
        prop_assert_eq!(rules::has_legal_move(&board), !moves.is_empty());
        let listed = sorted(moves);
        for bits in (0..10 << 12).filter(|bits| bits >> 12 != 1) {
            let mv = PackedMove::from_bits(bits).unwrap();
            let legal = rules::is_legal(&board, mv);
            prop_assert_eq!(legal, listed.binary_search(&bits).is_ok(), "{:?}", mv);
            prop_assert!(!legal || rules::is_pseudo_legal(&board, mv));
            if rules::is_pseudo_legal(&board, mv) && mv.kind() != MoveKind::CastleShort
                && mv.kind() != MoveKind::CastleLong
            {
                let mut after = board.clone();
                after.play(mv);
                prop_assert_eq!(!legal, obviously_in_check(&after, board.turn()), "{:?}", mv);
            }
        }
    }

    #[test]
    fn any_move_can_be_played_on_any_board(
        board in any_board(),
        moves in prop::collection::vec(any_move(), 1..20),
    ) {
        let mut board = board;
        for mv in moves {
            let before = board.clone();
            let played = board.play(mv);
            assert_consistent(&board);
            prop_assert_eq!(board.turn(), before.turn().other());
            if let Some((square, piece)) = played.captured {
                prop_assert_eq!(before.piece_at(square), Some(piece));
            }
            let gone = before.occupied().len() - board.occupied().len();
            prop_assert!(gone <= 2);
            if played.rook.is_none() {
                prop_assert_eq!(gone, u32::from(played.captured.is_some()), "{:?}", mv);
            }
        }
    }
}
