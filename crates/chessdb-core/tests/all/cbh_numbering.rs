//! The move codes of ChessBase, compared with docs/formats/cbh.md, section 6, and with a reference
//! implementation of the table and rules of the format page.

#[path = "common/cbh_twin.rs"]
mod cbh_twin;

use cbh_twin::Twin;
use chessdb_core::legacy::cbh::{CbhNumbering, CbhPieces, Mode, codes};
use chessdb_core::legacy::{MoveFault, Numbering};
use chessdb_core::{Board, PackedMove};
use chessdb_testkit::rng::Rng;

const NORMAL: CbhNumbering = CbhNumbering {
    reverse: false,
    chess960: false,
};

/// Plays the codes of a mainline.
fn play(board: &mut Board, pieces: &mut CbhPieces, moves: &[&[u8]]) -> Vec<String> {
    let played = moves.iter().map(|bytes| {
        let (mv, used) = NORMAL.decode(pieces, board, bytes).unwrap();
        assert_eq!(used, bytes.len());
        let mut back = Vec::new();
        NORMAL.encode(pieces, board, mv, &mut back).unwrap();
        assert_eq!(back, *bytes);
        let played = board.play(mv);
        NORMAL.play(pieces, board, mv, &played);
        format!("{mv:?}")
    });
    played.collect()
}

/// Section 6.10: the fourth example.
#[test]
fn a_line_of_the_page() {
    let stored = [
        0xFFu8, 0x85, 0x86, 0x0E, 0x3A, 0x0C, 0x11, 0x7F, 0x45, 0x7F, 0x4B, 0xB5, 0xB1, 0x3A, 0xC3,
        0x26, 0x25, 0xE9,
    ];
    let line: Vec<[u8; 1]> = (0..)
        .zip(stored)
        .map(|(n, byte)| [Mode::CHESS.code(byte, n)])
        .collect();
    let line: Vec<&[u8]> = line.iter().map(|code| &code[..]).collect();
    let mut board = Board::standard();
    let mut pieces = CbhPieces::from_board(&board, false);
    let moves = "e2e4 e7e6 e4e5 d7d5 e5d6 (EnPassant) g8f6 d2d4 f8e7 b1c3 e8g8 (CastleShort) \
                 c1g5 0000 d1d2 a7a6 e1c1 (CastleLong) b7b5 d6e7 g8h8";
    assert_eq!(play(&mut board, &mut pieces, &line).join(" "), moves);
}

/// Section 6.10: promotions, each to a piece type that is not on the board yet.
#[test]
fn moves_by_squares() {
    let mut board = crate::common::board("k7/4PPPP/8/8/8/8/pppp4/7K w - - 0 1");
    let mut pieces = CbhPieces::from_board(&board, false);
    let words = [
        (0x29, 0xFB, 0xA3),
        (0x2A, 0xAA, 0x4E),
        (0x2B, 0x65, 0xC9),
        (0x2C, 0x32, 0x90),
    ];
    let line: Vec<[u8; 3]> = (0..)
        .zip(words)
        .map(|(n, (a, b, c))| [a, b, c].map(|byte| Mode::CHESS.code(byte, n)))
        .collect();
    let line: Vec<&[u8]> = line.iter().map(|code| &code[..]).collect();
    let moves = play(&mut board, &mut pieces, &line);
    assert_eq!(moves.join(" "), "e7e8n d2d1n f7f8b c2c1b");
}

/// Section 6.4: the rule that three genuine games show.
#[test]
fn the_fourth_piece_is_never_numbered() {
    let mut board = crate::common::board("k7/8/8/8/r7/8/8/1R1R1R1K w - - 0 1");
    board.put(
        chessdb_core::Square::from_ascii(b"h4").unwrap(),
        board.piece_at(chessdb_core::Square::from_ascii(b"b1").unwrap()),
    );
    let mut pieces = CbhPieces::from_board(&board, false);
    let mv = |text: &str| {
        let square =
            |start: usize| chessdb_core::Square::from_ascii(&text.as_bytes()[start..start + 2]);
        PackedMove::normal(square(0).unwrap(), square(2).unwrap())
    };
    let encode = |pieces: &CbhPieces, board: &Board, text: &str| {
        let mut out = Vec::new();
        NORMAL.encode(pieces, board, mv(text), &mut out).unwrap();
        out
    };
    assert_eq!(encode(&pieces, &board, "h4h3")[0], codes::SQUARES);
    // One of the three is captured: the other two move up, the fourth remains without a number.
    for text in ["b1b4", "a4b4", "h1g1", "b4b3"] {
        let played = board.play(mv(text));
        NORMAL.play(&mut pieces, &board, mv(text), &played);
    }
    assert_eq!(encode(&pieces, &board, "d1d2"), [39]);
    assert_eq!(encode(&pieces, &board, "f1f2"), [53]);
    assert_eq!(encode(&pieces, &board, "h4h3")[0], codes::SQUARES);
}

#[test]
fn en_passant_with_nothing_to_take_is_a_ghost() {
    let board = crate::common::board("4k3/8/8/4P3/8/8/8/4K3 w - - 0 1");
    let pieces = CbhPieces::from_board(&board, false);
    let (mv, _) = NORMAL.decode(&pieces, &board, &[113]).unwrap();
    assert_eq!(format!("{mv:?}"), "e5f6 (GhostEnPassant)");
    assert!(matches!(
        NORMAL.decode(&pieces, &board, &[117]),
        Err(MoveFault::NoSuchPiece { .. })
    ));
    assert_eq!(
        NORMAL.decode(&pieces, &board, &[9]),
        Err(MoveFault::NoCastling)
    );
}

/// In random games, every legal move has the code of the reference implementation and decodes to
/// the same move; the lists stay equal.
#[test]
fn codes_are_those_of_the_twin() {
    let starts = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "k7/4PPPP/8/8/8/8/pppp4/7K w - - 0 1",
        "1k6/PPPPPPPP/8/8/8/8/pppppppp/6K1 w - - 0 1",
        "qqqqk3/8/8/8/8/8/8/NNNNK2R w K - 0 1",
        "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    ];
    let plies = if cfg!(miri) { 20 } else { 300 };
    for (seed, fen) in (0..60).zip(starts.iter().cycle()) {
        for reverse in [false, true] {
            let numbering = CbhNumbering {
                reverse,
                chess960: false,
            };
            let mut rng = Rng::new(seed);
            let mut board = crate::common::board(fen);
            let mut pieces = CbhPieces::from_board(&board, reverse);
            let mut twin = Twin::new(&board, reverse);
            for _ in 0..plies {
                let moves = crate::common::legal_moves(&board);
                for &mv in &moves {
                    let mut out = Vec::new();
                    numbering.encode(&pieces, &board, mv, &mut out).unwrap();
                    assert_eq!(out, twin.encode(&board, mv), "{board:?} {mv:?}");
                    assert_eq!(
                        numbering.decode(&pieces, &board, &out),
                        Ok((mv, out.len())),
                        "{board:?}"
                    );
                }
                if moves.is_empty() {
                    break;
                }
                let mv = moves[rng.below(moves.len())];
                let before = board.clone();
                let played = board.play(mv);
                numbering.play(&mut pieces, &board, mv, &played);
                twin.play(&before, mv);
            }
        }
    }
}

/// Any code at any time gives a move that can be encoded again, or a fault.
#[test]
fn any_codes_are_moves_or_faults() {
    let mut rng = Rng::new(5);
    for _ in 0..if cfg!(miri) { 20 } else { 2000 } {
        let mut board = Board::standard();
        let mut pieces = CbhPieces::from_board(&board, false);
        for _ in 0..60 {
            let bytes = [
                rng.below(256) as u8,
                rng.below(256) as u8,
                rng.below(256) as u8,
            ];
            let Ok((mv, _)) = NORMAL.decode(&pieces, &board, &bytes) else {
                continue;
            };
            let mut out = Vec::new();
            NORMAL.encode(&pieces, &board, mv, &mut out).unwrap();
            assert_eq!(NORMAL.decode(&pieces, &board, &out).unwrap().0, mv);
            let played = board.play(mv);
            NORMAL.play(&mut pieces, &board, mv, &played);
        }
    }
}
