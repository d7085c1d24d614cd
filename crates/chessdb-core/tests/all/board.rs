//! Tests of the tolerant board: the effect of moves, legal or not.

use chessdb_core::board::{MoveKind, Piece, Played, Side};
use chessdb_core::{Board, Color, PackedMove, PieceType, Square};

use crate::common::{assert_consistent, board, fen};

fn square(name: &str) -> Square {
    Square::from_ascii(name.as_bytes()).unwrap()
}

fn special(from: &str, to: &str, kind: MoveKind) -> PackedMove {
    PackedMove::new(square(from), square(to), kind)
}

/// Plays a move and compares the FEN before and after it.
fn plays(before: &str, mv: PackedMove, after: &str) -> Played {
    let mut board = board(before);
    let played = board.play(mv);
    assert_consistent(&board);
    assert_eq!(fen(&board), after, "{before} {mv:?}");
    played
}

fn taken(name: &str, letter: u8) -> Option<(Square, Piece)> {
    Some((square(name), Piece::from_letter(letter).unwrap()))
}

#[test]
fn it_is_small() {
    assert!(size_of::<Board>() <= 160);
    assert!(size_of::<Played>() <= 8);
}

#[test]
fn setting_up() {
    let mut board = Board::empty();
    assert_eq!(board.king(Color::White), None);
    let king = Piece::from_letter(b'K');
    board.put(square("h8"), king);
    board.put(square("b7"), king);
    assert_eq!(board.king(Color::White), Some(square("b7")));
    board.put(square("b7"), Piece::from_letter(b'p'));
    board.put(square("h8"), None);
    assert_eq!(board.occupied(), square("b7").bit());
    assert_eq!(
        board.pieces(Color::Black, PieceType::Pawn),
        square("b7").bit()
    );
    assert_consistent(&board);
    assert!(!board.is_standard_start());
    assert!(Board::standard().is_standard_start() && Board::default().is_standard_start());
    assert_consistent(&Board::standard());
}

#[test]
fn counters_and_en_passant_square() {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let e4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1";
    plays(start, special("e2", "e4", MoveKind::Normal), e4);
    let nf6 = "rnbqkb1r/pppppppp/5n2/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 1 2";
    plays(e4, special("g8", "f6", MoveKind::Normal), nf6);
    // A double step from another rank sets no en passant square.
    plays(
        "8/8/8/8/8/4P3/8/8 w - - 9 1",
        special("e3", "e5", MoveKind::Normal),
        "8/8/8/4P3/8/8/8/8 b - - 0 1",
    );
    plays(
        "8/8/8/4P3/8/8/8/8 w - - 65535 65535",
        PackedMove::NULL,
        "8/8/8/4P3/8/8/8/8 b - - 65535 65535",
    );
    plays(
        "8/8/8/4P3/8/8/8/8 b - e3 65535 65535",
        PackedMove::NULL,
        "8/8/8/4P3/8/8/8/8 w - - 65535 65535",
    );
}

#[test]
fn castling_rights_are_lost() {
    let open = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    let go = |from, to, after| plays(open, special(from, to, MoveKind::Normal), after);
    go("e1", "e2", "r3k2r/8/8/8/8/8/4K3/R6R b kq - 1 1");
    go("a1", "a2", "r3k2r/8/8/8/8/8/R7/4K2R b Kkq - 1 1");
    let played = go("h1", "h8", "r3k2R/8/8/8/8/8/8/R3K3 b Qq - 0 1");
    assert_eq!(played.captured, taken("h8", b'r'));
    // The piece loses its own rights even if it is not its side's turn.
    go("e8", "e7", "r6r/4k3/8/8/8/8/8/R3K2R b KQ - 1 1");
}

#[test]
fn castling() {
    let open = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    let played = plays(
        open,
        special("e1", "g1", MoveKind::CastleShort),
        "r3k2r/8/8/8/8/8/8/R4RK1 b kq - 1 1",
    );
    assert_eq!(played.rook, Some((square("h1"), square("f1"))));
    assert_eq!(played.captured, None);
    plays(
        open.replace(" w ", " b ").as_str(),
        special("e8", "c8", MoveKind::CastleLong),
        "2kr3r/8/8/8/8/8/8/R3K2R w KQ - 1 2",
    );
    // Without a castling right, the outermost rook of that side is used; without a rook, only the
    // king moves.
    plays(
        "4k3/8/8/8/8/8/8/2RKR2R w - - 0 1",
        special("d1", "g1", MoveKind::CastleShort),
        "4k3/8/8/8/8/8/8/2R1RRK1 b - - 1 1",
    );
    plays(
        "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
        special("e1", "c1", MoveKind::CastleLong),
        "4k3/8/8/8/8/8/8/2K5 b - - 1 1",
    );
}

#[test]
fn chess960_castling() {
    let side = |from, to, kind, before: &str, after: &str| {
        plays(before, special(from, to, kind), after);
    };
    let (short, long) = (MoveKind::CastleShort, MoveKind::CastleLong);
    side(
        "f1",
        "g1",
        short,
        "8/8/8/8/8/8/8/5KR1 w G - 0 1",
        "8/8/8/8/8/8/8/5RK1 b - - 1 1",
    );
    side(
        "g1",
        "g1",
        short,
        "8/8/8/8/8/8/8/6KR w H - 0 1",
        "8/8/8/8/8/8/8/5RK1 b - - 1 1",
    );
    side(
        "c1",
        "c1",
        long,
        "8/8/8/8/8/8/8/1RK5 w B - 0 1",
        "8/8/8/8/8/8/8/2KR4 b - - 1 1",
    );
    side(
        "d1",
        "c1",
        long,
        "8/8/8/8/8/8/8/2RK4 w C - 0 1",
        "8/8/8/8/8/8/8/2KR4 b - - 1 1",
    );
    side(
        "b1",
        "c1",
        long,
        "8/8/8/8/8/8/8/RK6 w A - 0 1",
        "8/8/8/8/8/8/8/2KR4 b - - 1 1",
    );
    side(
        "b8",
        "g8",
        short,
        "1k1r3r/8/8/8/8/8/8/8 b d - 0 1",
        "5rkr/8/8/8/8/8/8/8 w - - 1 2",
    );
}

#[test]
fn en_passant_and_its_ghost() {
    let before = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2";
    let after = "4k3/8/3P4/8/8/8/8/4K3 b - - 0 2";
    let played = plays(before, special("e5", "d6", MoveKind::EnPassant), after);
    assert_eq!(played.captured, taken("d5", b'p'));
    let ghost = special("e5", "d6", MoveKind::GhostEnPassant);
    assert_eq!(plays(before, ghost, after).captured, taken("d5", b'p'));
    // The piece behind the target square is removed, whatever its colour; the square may also be
    // empty.
    let played = plays(
        "4k3/8/8/3QP3/8/8/8/4K3 w - - 7 2",
        ghost,
        "4k3/8/3P4/8/8/8/8/4K3 b - - 0 2",
    );
    assert_eq!(played.captured, taken("d5", b'Q'));
    let played = plays(
        "4k3/8/8/4P3/8/8/8/4K3 w - - 7 2",
        ghost,
        "4k3/8/3P4/8/8/8/8/4K3 b - - 0 2",
    );
    assert_eq!(played.captured, None);
    // A piece on the target square is captured instead.
    let played = plays(
        "4k3/8/3n4/3pP3/8/8/8/4K3 w - - 7 2",
        ghost,
        "4k3/8/3P4/3p4/8/8/8/4K3 b - - 0 2",
    );
    assert_eq!(played.captured, taken("d6", b'n'));
}

#[test]
fn promotions() {
    let queen = MoveKind::Promotion(PieceType::Queen);
    let knight = MoveKind::Promotion(PieceType::Knight);
    plays(
        "1r2k3/P7/8/8/8/8/8/4K3 w - - 3 9",
        special("a7", "a8", queen),
        "Qr2k3/8/8/8/8/8/8/4K3 b - - 0 9",
    );
    let played = plays(
        "1r2k3/P7/8/8/8/8/8/4K3 w - - 3 9",
        special("a7", "b8", knight),
        "1N2k3/8/8/8/8/8/8/4K3 b - - 0 9",
    );
    assert_eq!(played.captured, taken("b8", b'r'));
    plays(
        "4k3/8/8/8/8/8/p7/4K3 b - - 3 9",
        special("a2", "a1", queen),
        "4k3/8/8/8/8/8/8/q3K3 w - - 0 10",
    );
}

#[test]
fn moves_without_a_piece_pass_the_turn() {
    let start = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1";
    let after = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 1 2";
    for kind in [
        MoveKind::Normal,
        MoveKind::Null,
        MoveKind::CastleLong,
        MoveKind::EnPassant,
        MoveKind::GhostEnPassant,
        MoveKind::Promotion(PieceType::Rook),
    ] {
        assert_eq!(
            plays(start, special("e5", "e6", kind), after),
            Played::default()
        );
    }
    plays(start, special("e8", "e8", MoveKind::Normal), after);
}

#[test]
fn own_pieces_can_be_taken() {
    let played = plays(
        "4k3/8/8/8/8/8/8/R3K2R w KQ - 5 1",
        special("a1", "h1", MoveKind::Normal),
        "4k3/8/8/8/8/8/8/4K2R b - - 0 1",
    );
    assert_eq!(played.captured, taken("h1", b'R'));
    assert_eq!(
        Board::standard().castling_rook(Color::White, Side::Long),
        Some(square("a1"))
    );
}
