//! Tests of FEN: tolerant reading, exact writing.

use chessdb_core::board::Side;
use chessdb_core::fen::{FenFault, FenNotes};
use chessdb_core::{Board, Color, Setup, Square};
use proptest::prelude::*;

use crate::common::{any_board, chess960, fen, random_games, sharp_starts};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

fn read(fen: &str) -> (Setup, FenNotes) {
    Setup::from_fen(fen.as_bytes()).unwrap()
}

fn refused(fen: &str) -> FenFault {
    Setup::from_fen(fen.as_bytes()).unwrap_err()
}

fn square(name: &str) -> Option<Square> {
    Some(Square::from_ascii(name.as_bytes()).unwrap())
}

#[test]
fn the_start() {
    let (setup, notes) = read(START);
    assert!(setup.is_standard() && notes.is_empty());
    assert_eq!(setup, Setup::standard());
    assert_eq!(fen(&Board::standard()), START);
    assert_eq!(Board::standard().to_string(), START);
}

#[test]
fn canonical_fens_come_back() {
    for text in [
        START,
        "8/8/8/8/8/8/8/8 w - - 0 1",
        "8/8/8/8/8/8/8/8 b KQkq a1 65535 65535",
        "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
        "PPPPPPPP/kkkkkkkk/8/8/8/8/KKKKKKKK/pppppppp w - e3 12 0",
        "r1r1k1r1/8/8/8/8/8/8/R1R1K1R1 w KCkc - 0 1",
        "4k3/8/8/8/8/8/8/RK1R3R w DQ - 0 1",
        "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w KQkq - 2 9",
        "rnbqkbnr/ppp1pppp/8/3p4/8/8/PPPPPPPP/RNBQKBNR w Qk d6 0 2",
    ] {
        let (setup, _) = read(text);
        let mut out = Vec::new();
        setup.write_fen(&mut out);
        assert_eq!(String::from_utf8(out).unwrap(), text);
    }
}

#[test]
fn missing_fields_are_assumed() {
    let (setup, notes) = read("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR");
    assert!(setup.is_standard());
    assert_eq!(
        notes,
        FenNotes::NO_TURN | FenNotes::NO_CASTLING | FenNotes::NO_EP | FenNotes::NO_COUNTERS
    );
    let (setup, notes) = read("4k2r/8/8/8/8/8/8/R2K3R b");
    assert_eq!(fen(&setup.board), "4k2r/8/8/8/8/8/8/R2K3R b k - 0 1");
    assert!(notes.contains(FenNotes::NO_CASTLING));
    let (setup, notes) = read("4k2r/8/8/8/8/8/8/R3K3 b -");
    assert!(!setup.board.has_castling_rights());
    assert_eq!(notes, FenNotes::NO_EP | FenNotes::NO_COUNTERS);
    let (setup, notes) = read("  4k2r/8/8/8/8/8/8/R3K3\tw  kQ  -  7 ");
    assert_eq!(fen(&setup.board), "4k2r/8/8/8/8/8/8/R3K3 w Qk - 7 1");
    assert_eq!(notes, FenNotes::NO_COUNTERS);
}

#[test]
fn oddities_are_kept_and_noted() {
    let (setup, notes) = read("8/8/8/8/8/8/8/4K3 w Kq e4 -3 70000 c9 x;");
    assert_eq!(fen(&setup.board), "8/8/8/8/8/8/8/4K3 w Kq e4 0 65535");
    assert_eq!(
        notes,
        FenNotes::IDLE_CASTLING | FenNotes::IDLE_EP | FenNotes::BAD_COUNTER | FenNotes::TRAILING
    );
    assert_eq!(
        notes.to_string(),
        "castling right without king or rook, en passant square without a pawn to capture, \
         invalid move counter, text after the last field"
    );
    let (_, notes) = read("4k3/8/8/8/8/8/8/4K2R w KH - 0 1");
    assert_eq!(notes, FenNotes::DOUBLE_CASTLING);
    let (setup, notes) = read("rnbqkbnrpppppppp8888PPPPPPPPRNBQKBNR w KQkq - 0 1");
    assert!(setup.is_standard());
    assert_eq!(notes, FenNotes::NO_SLASHES);
    let (setup, notes) = read("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2");
    assert!(notes.is_empty());
    assert_eq!(setup.board.ep_square(), square("d6"));
}

#[test]
fn faults_name_the_byte() {
    let cases = [
        ("", 0),
        ("   ", 3),
        ("x", 0),
        ("rnbqkbnr/ppppppp/8/8/8/8/8/8 w - - 0 1", 16),
        ("rnbqkbnr/ppppppppp/8/8/8/8/8/8 w - - 0 1", 17),
        ("8/8/8/8/8/8/8 w - - 0 1", 13),
        ("8/8/8/8/8/8/8/8/8 w - - 0 1", 16),
        ("8//8/8/8/8/8/8/8 w - - 0 1", 2),
        ("8/8/8/8/8/8/8/9 w - - 0 1", 14),
        ("8/8/8/8/8/8/8/8 x - - 0 1", 16),
        ("8/8/8/8/8/8/8/8 w KX - 0 1", 19),
        ("8/8/8/8/8/8/8/8 w - e9 0 1", 20),
        ("88888888888888888888888888888888 w", 8),
    ];
    for (text, offset) in cases {
        let fault = refused(text);
        assert_eq!(fault.offset, offset, "{text}: {fault}");
    }
    assert_eq!(
        refused("8/8/8/8/8/8/8/8 x").to_string(),
        "FEN byte 16: expected the side to move, w or b"
    );
}

#[test]
fn castling_letters() {
    let rook = |setup: &Setup, color, side| setup.board.castling_rook(color, side);
    // X-FEN: Q is the outermost rook, D the inner one.
    let (setup, _) = read("4k3/8/8/8/8/8/8/R2RK2R w KD - 0 1");
    assert_eq!(rook(&setup, Color::White, Side::Long), square("d1"));
    assert!(setup.chess960);
    let (setup, _) = read("4k3/8/8/8/8/8/8/R2RK2R w KQ - 0 1");
    assert_eq!(rook(&setup, Color::White, Side::Long), square("a1"));
    assert!(!setup.chess960);
    // Shredder-FEN of an ordinary position.
    let (setup, _) = read("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1");
    assert!(setup.is_standard());
    let (setup, _) = read("1r2k1r1/8/8/8/8/8/8/1R2K1R1 w KQkq - 0 1");
    assert_eq!(rook(&setup, Color::Black, Side::Short), square("g8"));
    assert!(setup.chess960);
    // A rook that no letter describes.
    let mut board = setup.board.clone();
    board.set_castling_rook(Color::White, Side::Short, square("e4"));
    board.set_castling_rook(Color::Black, Side::Short, square("b8"));
    assert_eq!(fen(&board), "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w KQkq - 0 1");
}

#[test]
fn the_ep_square_can_depend_on_a_capture() {
    let written = |text: &str| {
        let mut out = Vec::new();
        read(text).0.write_fen_legal_ep(&mut out);
        String::from_utf8(out).unwrap()
    };
    let idle = "4k3/8/8/3p4/8/8/8/4K3 w - d6 0 2";
    assert_eq!(written(idle), idle.replace("d6", "-"));
    let taken = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2";
    assert_eq!(written(taken), taken);
    // A pseudo-legal capture is enough.
    let pinned = "4k3/8/8/K2pP2r/8/8/8/8 w - d6 0 2";
    assert_eq!(written(pinned), pinned);
}

#[test]
fn fens_of_random_games_come_back() {
    let mut starts = sharp_starts();
    starts.extend((0..960).step_by(50).map(chess960));
    random_games(&starts, 6, 20_000, |board, _, _| {
        let text = fen(board);
        let (setup, notes) = read(&text);
        assert_eq!(&setup.board, board, "{text}");
        assert!(notes.is_empty(), "{text}: {notes}");
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn written_fens_come_back(board in any_board()) {
        let text = fen(&board);
        let (setup, notes) = read(&text);
        prop_assert_eq!(&fen(&setup.board), &text);
        let expected = FenNotes::IDLE_CASTLING | FenNotes::IDLE_EP;
        prop_assert!(expected.contains(notes), "{}", notes);
        // Only castling rooks that no letter describes are lost.
        let mut same = setup.board;
        for color in Color::ALL {
            for side in Side::ALL {
                let rook = board.castling_rook(color, side);
                prop_assert_eq!(same.castling_rook(color, side).is_some(), rook.is_some());
                same.set_castling_rook(color, side, rook);
            }
        }
        prop_assert_eq!(same, board);
    }

    #[test]
    fn any_bytes_are_read_or_refused(fen in "[rnbqkpRNBQKP1-8/ wbKQa-hA-H0-9-]{0,90}") {
        match Setup::from_fen(fen.as_bytes()) {
            Ok((setup, _)) => crate::common::assert_consistent(&setup.board),
            Err(fault) => prop_assert!(fault.offset <= fen.len()),
        }
    }

    #[test]
    fn damaged_fens_are_read_or_refused(board in any_board(), place in 0usize..100, byte: u8) {
        let mut text = fen(&board).into_bytes();
        let index = place % text.len();
        text[index] = byte;
        if let Ok((setup, _)) = Setup::from_fen(&text) {
            crate::common::assert_consistent(&setup.board);
            let canonical = crate::common::fen(&setup.board);
            prop_assert_eq!(crate::common::fen(&read(&canonical).0.board), canonical);
        }
    }
}
