//! SCID's piece numbers and move codes, compared with docs/formats/scid.md, section 5, and with a
//! simple reference implementation: an array of squares that is searched linearly.

use chessdb_core::board::Side;
use chessdb_core::legacy::Numbering;
use chessdb_core::legacy::scid::{PieceLists, ScidNumbering};
use chessdb_core::model::Start;
use chessdb_core::{Board, Color, PackedMove, Setup, Square, rules};
use proptest::prelude::*;

fn square(name: &str) -> Square {
    Square::from_ascii(name.as_bytes()).unwrap()
}

fn start(fen: &str) -> Start {
    Start::Setup(Box::new(Setup::from_fen(fen.as_bytes()).unwrap().0))
}

#[test]
fn numbers_from_a_fen_follow_the_page() {
    let Start::Setup(setup) = start("1n1k4/6Q1/5Kp1/5P2/8/6b1/1p6/8 w - - 0 1") else {
        panic!()
    };
    let lists = PieceLists::from_board(&setup.board).unwrap();
    for (color, number, name) in [
        (Color::White, 0, "f6"),
        (Color::White, 1, "g7"),
        (Color::White, 2, "f5"),
        (Color::Black, 0, "d8"),
        (Color::Black, 1, "b8"),
        (Color::Black, 2, "g6"),
        (Color::Black, 3, "g3"),
        (Color::Black, 4, "b2"),
    ] {
        assert_eq!(
            lists.square(color, number),
            Some(square(name)),
            "{color:?} {number}"
        );
    }
    assert_eq!(lists.square(Color::White, 3), None);
}

#[test]
fn the_standard_numbers_are_hard_wired() {
    let lists = PieceLists::standard();
    for (number, name) in ["e1", "a1", "b1", "c1", "d1", "f1", "g1", "h1", "a2"]
        .iter()
        .enumerate()
    {
        assert_eq!(lists.square(Color::White, number as u8), Some(square(name)));
    }
    assert_eq!(lists.square(Color::Black, 15), Some(square("h7")));
    let by_fen = PieceLists::from_board(&Board::standard()).unwrap();
    assert_eq!(by_fen.square(Color::White, 1), Some(square("b2")));
}

/// Section 11.1: the bytes of the mainline, including captures and castling.
#[test]
fn the_worked_example_decodes_and_encodes() {
    let bytes = [
        0xCF, 0xCF, 0x67, 0x22, 0x5A, 0x52, 0x0A, 0xB1, 0xBF, 0xC2, 0x4B, 0x5B, 0x65, 0x61, 0x67,
        0x90, 0x36, 0x0A,
    ];
    let moves = "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1g1 d7d6 d2d4 e5d4 d1d4 c5d4 f3d4 g8f6 d4c6 b7c6 \
                 c1g5 e8g8";
    let mut board = Board::standard();
    let mut state = ScidNumbering.start(&Start::Standard).unwrap();
    for (byte, expected) in bytes.iter().zip(moves.split_whitespace()) {
        let (mv, used) = ScidNumbering.decode(&state, &board, &[*byte]).unwrap();
        assert_eq!((mv.to_string().as_str(), used), (expected, 1));
        let mut out = Vec::new();
        ScidNumbering.encode(&state, &board, mv, &mut out).unwrap();
        assert_eq!(out, [*byte]);
        let played = board.play(mv);
        ScidNumbering.play(&mut state, &board, mv, &played);
    }
}

/// The reference implementation of the piece lists: a plain vector per side, in which the last
/// piece fills a gap.
#[derive(Clone)]
struct Twin([Vec<Square>; 2]);

impl Twin {
    fn new(lists: &PieceLists) -> Twin {
        Twin(Color::ALL.map(|color| (0..16).map_while(|n| lists.square(color, n)).collect()))
    }

    fn play(&mut self, board: &Board, mv: PackedMove) {
        if mv.is_null() {
            return;
        }
        let color = board.turn();
        let played = board.clone().play(mv);
        if let Some((square, _)) = played.captured {
            let side = &mut self.0[color.other() as usize];
            let index = side.iter().position(|&s| s == square).unwrap();
            side.swap_remove(index);
        }
        for place in &mut self.0[color as usize] {
            if *place == mv.from() {
                *place = mv.to();
            } else if let Some((from, to)) = played.rook
                && *place == from
            {
                *place = to;
            }
        }
    }
}

fn starts() -> impl Strategy<Value = Start> {
    prop_oneof![
        Just(Start::Standard),
        Just(start(
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
        )),
        Just(start(
            "r3k2r/pPppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPP1/R3K2R w KQkq - 0 1"
        )),
        Just(start("4k3/PPPP4/8/8/8/8/pppp4/4K3 b - - 0 1")),
        Just(start(
            "bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w KQkq - 0 1"
        )),
        Just(start("1rkr4/8/8/8/8/8/8/1RKR4 w KQkq - 0 1")),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Every legal move has a code that decodes to it. The numbers equal those of the reference
    /// implementation. No two moves of a position share a code.
    #[test]
    fn every_legal_move_has_one_code(start in starts(), choices in prop::collection::vec(any::<u16>(), 0..120)) {
        let mut board = start.board();
        let mut state = ScidNumbering.start(&start).unwrap();
        let mut twin = Twin::new(&state);
        for choice in choices {
            let mut legal = Vec::new();
            rules::legal_moves(&board, &mut legal);
            let mut codes = Vec::new();
            for &mv in legal.iter().chain(&[PackedMove::NULL]) {
                let mut out = Vec::new();
                ScidNumbering.encode(&state, &board, mv, &mut out).unwrap();
                let decoded = ScidNumbering.decode(&state, &board, &out);
                prop_assert_eq!(decoded, Ok((mv, out.len())), "{} {:02x?}", mv, &out);
                codes.push(out);
            }
            codes.sort();
            let distinct = codes.len();
            codes.dedup();
            prop_assert_eq!(codes.len(), distinct);
            let Some(&mv) = legal.get(usize::from(choice) % legal.len().max(1)) else { break };
            twin.play(&board, mv);
            let played = board.play(mv);
            ScidNumbering.play(&mut state, &board, mv, &played);
            for color in Color::ALL {
                for n in 0..16 {
                    let expected = twin.0[color as usize].get(usize::from(n)).copied();
                    prop_assert_eq!(state.square(color, n), expected);
                }
            }
        }
    }

    /// Any byte in any position gives a move that encodes to the same byte, or a fault, never a
    /// panic.
    #[test]
    fn any_bytes_are_a_move_or_a_fault(start in starts(), bytes in prop::collection::vec(any::<[u8; 2]>(), 0..200)) {
        let mut board = start.board();
        let mut state = ScidNumbering.start(&start).unwrap();
        for pair in bytes {
            // 11 to 15 with number 0 are markers, not moves.
            if matches!(pair[0], 11..=15) {
                continue;
            }
            if let Ok((mv, used)) = ScidNumbering.decode(&state, &board, &pair) {
                let mut out = Vec::new();
                ScidNumbering.encode(&state, &board, mv, &mut out).unwrap();
                prop_assert_eq!(&out[..], &pair[..used], "{:?}", mv);
                let played = board.play(mv);
                ScidNumbering.play(&mut state, &board, mv, &played);
                for color in Color::ALL {
                    for n in 0..16 {
                        if let Some(square) = state.square(color, n) {
                            prop_assert_eq!(board.piece_at(square).map(|p| p.color), Some(color));
                        }
                    }
                }
            }
        }
        let _ = board.castling_rook(Color::White, Side::Short);
    }
}
