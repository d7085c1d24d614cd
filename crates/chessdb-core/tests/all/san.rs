//! Tests of SAN: the fast code against a simple reference implementation, and the spellings that
//! people use.

use chessdb_core::board::MoveKind;
use chessdb_core::rules::{self, SanFault};
use chessdb_core::{Board, PackedMove, PieceType, Square};
use proptest::prelude::*;

use crate::common::{
    any_board, any_move, board, chess960, legal_moves, obvious_san, random_games, san, sharp_starts,
};

fn read(board: &Board, token: &str) -> Result<PackedMove, SanFault> {
    rules::read_san(board, token.as_bytes())
}

fn square(name: &str) -> Square {
    Square::from_ascii(name.as_bytes()).unwrap()
}

fn mv(from: &str, to: &str) -> PackedMove {
    PackedMove::normal(square(from), square(to))
}

fn special(from: &str, to: &str, kind: MoveKind) -> PackedMove {
    PackedMove::new(square(from), square(to), kind)
}

#[test]
fn writing_equals_the_obvious_twin_and_is_read_back() {
    let mut starts = sharp_starts();
    starts.extend((0..960).step_by(100).map(chess960));
    let (mut checks, mut mates, mut named) = (0, 0, 0);
    random_games(&starts, 5, 200_000, |board, _, mv| {
        let text = san(board, mv);
        assert_eq!(text, obvious_san(board, mv), "{board:?} {mv:?}");
        assert_eq!(read(board, &text), Ok(mv), "{board:?} {text}");
        checks += usize::from(text.ends_with('+'));
        mates += usize::from(text.ends_with('#'));
        named += usize::from(text.trim_end_matches(['+', '#']).replace('x', "").len() > 3);
    });
    // The comparison is meaningful only if these cases occurred.
    assert!(
        checks > 10_000 && mates > 100 && named > 5_000,
        "{checks} {mates} {named}"
    );
}

#[test]
fn disambiguation_counts_legal_moves_only() {
    // The knight on c3 is pinned.
    let pinned = board("4k3/8/8/8/1b6/2N5/8/4K1N1 w - - 0 1");
    assert_eq!(san(&pinned, mv("g1", "e2")), "Ne2");
    assert_eq!(read(&pinned, "Ne2"), Ok(mv("g1", "e2")));
    assert_eq!(read(&pinned, "Nge2"), Ok(mv("g1", "e2")));
    assert_eq!(read(&pinned, "Nce2"), Err(SanFault::Illegal));
    let queens = board("1k6/8/8/8/4Q2Q/8/8/K6Q w - - 0 1");
    assert_eq!(san(&queens, mv("h4", "e1")), "Qh4e1");
    assert_eq!(san(&queens, mv("e4", "e1")), "Qee1");
    assert_eq!(san(&queens, mv("h1", "e1")), "Q1e1");
    assert_eq!(read(&queens, "Qh4e1"), Ok(mv("h4", "e1")));
    assert_eq!(read(&queens, "Qee1"), Ok(mv("e4", "e1")));
    assert_eq!(read(&queens, "Qe1"), Err(SanFault::Ambiguous));
    assert_eq!(read(&queens, "Qhe1"), Err(SanFault::Ambiguous));
    assert_eq!(read(&queens, "Q4e1"), Err(SanFault::Ambiguous));
}

#[test]
fn all_spellings_of_ordinary_moves() {
    let start = Board::standard();
    for token in [
        "e4", "e2-e4", "e2e4", "e4!", "e4!?", "e4+", "Pe4", "Pe2-e4", "ee4", "2e4", "pe4",
    ] {
        assert_eq!(read(&start, token), Ok(mv("e2", "e4")), "{token}");
    }
    for token in [
        "Nf3", "Ngf3", "N1f3", "Ng1f3", "Ng1-f3", "g1f3", "g1-f3", "nf3", "ng1f3", "Nxf3", "Nf3#",
        "N-f3",
    ] {
        assert_eq!(read(&start, token), Ok(mv("g1", "f3")), "{token}");
    }
    for token in ["--", "Z0", "null", "0000", "@@@@"] {
        assert_eq!(read(&start, token), Ok(PackedMove::NULL), "{token}");
    }
    assert_eq!(san(&start, PackedMove::NULL), "--");
}

#[test]
fn a_small_b_is_a_file_first() {
    let both = board("4k3/8/8/3p4/2P5/1P6/8/3BK3 w - - 0 1");
    assert_eq!(read(&both, "b4"), Ok(mv("b3", "b4")));
    assert_eq!(read(&both, "bc2"), Ok(mv("d1", "c2")));
    assert_eq!(read(&both, "bf3"), Ok(mv("d1", "f3")));
    assert_eq!(read(&both, "bd1-f3"), Ok(mv("d1", "f3")));
    let pawn_first = board("4k3/8/8/8/2p5/1P6/8/3BKB2 w - - 0 1");
    assert_eq!(read(&pawn_first, "bxc4"), Ok(mv("b3", "c4")));
    assert_eq!(read(&pawn_first, "bc4"), Ok(mv("b3", "c4")));
    assert_eq!(read(&pawn_first, "Bxc4"), Ok(mv("f1", "c4")));
}

#[test]
fn promotions() {
    let board = board("3n3k/2P5/8/8/8/8/8/K7 w - - 0 1");
    let queen = MoveKind::Promotion(PieceType::Queen);
    let knight = MoveKind::Promotion(PieceType::Knight);
    for token in [
        "c8=Q", "c8Q", "c8(Q)", "c8/Q", "c7c8q", "c7-c8=Q", "c7c8=Q", "c8=q", "c8",
    ] {
        assert_eq!(
            read(&board, token),
            Ok(special("c7", "c8", queen)),
            "{token}"
        );
    }
    for token in ["cxd8=N", "cxd8N", "cd8=N", "c7xd8(N)", "c7d8n", "xd8=N"] {
        assert_eq!(
            read(&board, token),
            Ok(special("c7", "d8", knight)),
            "{token}"
        );
    }
    assert_eq!(san(&board, special("c7", "d8", queen)), "cxd8=Q+");
    assert_eq!(san(&board, special("c7", "c8", knight)), "c8=N");
    assert_eq!(read(&board, "c8=K"), Err(SanFault::NotAMove));
    assert_eq!(read(&board, "Kb1=Q"), Err(SanFault::NotAMove));
    assert_eq!(read(&Board::standard(), "e4=Q"), Err(SanFault::NoPiece));
}

#[test]
fn en_passant() {
    let with_right = board("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2");
    let taken = special("e5", "d6", MoveKind::EnPassant);
    for token in [
        "exd6",
        "ed6",
        "e5xd6",
        "e5d6",
        "exd6e.p.",
        "exd6ep",
        "exd6+e.p.",
        "e:d6",
    ] {
        assert_eq!(read(&with_right, token), Ok(taken), "{token}");
    }
    assert_eq!(san(&with_right, taken), "exd6");
    let without = board("4k3/8/8/3pP3/8/8/8/4K3 w - - 0 2");
    assert_eq!(read(&without, "exd6"), Err(SanFault::NoPiece));
    assert_eq!(
        san(&without, special("e5", "d6", MoveKind::GhostEnPassant)),
        "exd6"
    );
    // Both pawns leave the rank between king and rook.
    let pinned = board("4k3/8/8/K2pP2r/8/8/8/8 w - d6 0 2");
    assert_eq!(read(&pinned, "exd6"), Err(SanFault::Illegal));
}

#[test]
fn castling() {
    let open = board("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
    let short = special("e1", "g1", MoveKind::CastleShort);
    let long = special("e1", "c1", MoveKind::CastleLong);
    for token in [
        "O-O", "0-0", "o-o", "OO", "O-O!", "e1g1", "e1h1", "Ke1-g1", "Kg1", "ke1g1",
    ] {
        assert_eq!(read(&open, token), Ok(short), "{token}");
    }
    for token in ["O-O-O", "0-0-0", "o-o-o", "e1c1", "e1a1", "Kc1", "O-O-O+"] {
        assert_eq!(read(&open, token), Ok(long), "{token}");
    }
    assert_eq!(
        (san(&open, short).as_str(), san(&open, long).as_str()),
        ("O-O", "O-O-O")
    );
    for token in ["O-", "-O-O", "O-O-", "O--O", "O-O-O-O", "O"] {
        assert_eq!(read(&open, token), Err(SanFault::NotAMove), "{token}");
    }
    let through_check = board("4kr2/8/8/8/8/8/8/R3K2R w KQ - 0 1");
    assert_eq!(read(&through_check, "O-O"), Err(SanFault::Illegal));
    assert_eq!(read(&through_check, "O-O-O"), Ok(long));
    let no_right = board("4k3/8/8/8/8/8/8/R3K2R w - - 0 1");
    assert_eq!(read(&no_right, "O-O"), Err(SanFault::Illegal));
    assert_eq!(read(&no_right, "e1g1"), Err(SanFault::NoPiece));
    let gives_mate = board("8/8/8/8/8/8/7R/R3K1k1 w Q - 0 1");
    assert_eq!(san(&gives_mate, long), obvious_san(&gives_mate, long));
}

#[test]
fn chess960_castling() {
    // King and rook change places.
    let swap = board("4k3/8/8/8/8/8/8/5KR1 w G - 0 1");
    let castle = special("f1", "g1", MoveKind::CastleShort);
    assert_eq!(read(&swap, "O-O"), Ok(castle));
    assert_eq!(read(&swap, "f1g1"), Ok(castle));
    assert_eq!(read(&swap, "Kg1"), Ok(castle));
    assert_eq!(san(&swap, castle), "O-O");
    // The king stays on its square.
    let stay = board("4k3/8/8/8/8/8/8/6KR w H - 0 1");
    let castle = special("g1", "g1", MoveKind::CastleShort);
    assert_eq!(read(&stay, "O-O"), Ok(castle));
    assert_eq!(read(&stay, "g1h1"), Ok(castle));
    let mut after = stay.clone();
    assert_eq!(after.play(castle).rook, Some((square("h1"), square("f1"))));
    assert_eq!(crate::common::fen(&after), "4k3/8/8/8/8/8/8/5RK1 b - - 1 1");
}

#[test]
fn boards_without_kings_are_played_on() {
    let board = board("8/8/8/3r4/8/8/3R4/8 w - - 0 1");
    assert_eq!(read(&board, "Rxd5"), Ok(mv("d2", "d5")));
    assert_eq!(san(&board, mv("d2", "d5")), "Rxd5");
    assert_eq!(read(&board, "Rd6"), Err(SanFault::NoPiece));
}

#[test]
fn check_and_mate_signs() {
    let fool = board("rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2");
    assert_eq!(san(&fool, mv("d8", "h4")), "Qh4#");
    let discovered = board("4k3/8/8/8/4N3/8/8/4RK2 w - - 0 1");
    assert_eq!(san(&discovered, mv("e4", "c3")), "Nc3+");
    // A check that was on the board already, although it is not the opponent's turn.
    let odd = board("4k3/8/8/8/8/8/8/K3R3 w - - 0 1");
    assert_eq!(san(&odd, mv("a1", "a2")), "Ka2+");
}

#[test]
fn moves_from_empty_squares_are_coordinates() {
    let start = Board::standard();
    assert_eq!(san(&start, mv("e4", "e5")), "e4e5");
    let kind = MoveKind::Promotion(PieceType::Rook);
    assert_eq!(san(&start, special("e6", "e8", kind)), "e6e8r");
}

#[test]
fn what_is_no_move() {
    let start = Board::standard();
    for token in [
        "",
        "x",
        "e",
        "e9",
        "i4",
        "Ke",
        "1-0",
        "*",
        "e4x",
        "Nf3=",
        "N",
        "Nf",
        "++",
        "e2-e4-e5",
        "\u{3A9}e4",
        "\u{2659}e",
        "xe4",
        "2-e4",
        "Sf3",
    ] {
        assert_eq!(read(&start, token), Err(SanFault::NotAMove), "{token}");
    }
    for token in ["e5", "Nf4", "Ke2", "exd3", "Qh5", "e4e5", "Ng8f6", "Ne4-f3"] {
        assert_eq!(read(&start, token), Err(SanFault::NoPiece), "{token}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    #[test]
    fn writing_any_move_on_any_board_equals_the_twin(board in any_board(), mv in any_move()) {
        prop_assert_eq!(san(&board, mv), obvious_san(&board, mv));
    }

    #[test]
    fn legal_moves_on_any_board_are_read_back(board in any_board()) {
        for mv in legal_moves(&board) {
            let text = san(&board, mv);
            prop_assert_eq!(&text, &obvious_san(&board, mv));
            prop_assert_eq!(read(&board, &text), Ok(mv), "{}", text);
            // Coordinates give the same move, except that castling onto a rook's square, or by a
            // king that could simply walk there, means something else.
            if !matches!(mv.kind(), MoveKind::CastleShort | MoveKind::CastleLong) {
                prop_assert_eq!(read(&board, &mv.to_string()), Ok(mv));
            }
        }
    }

    #[test]
    fn only_legal_moves_are_read(
        board in any_board(),
        token in "[a-hKQRBNPknx1-8O0=()/+:-]{0,9}|[\\x00-\\xff]{0,6}",
    ) {
        if let Ok(mv) = read(&board, &token) {
            prop_assert!(rules::is_legal(&board, mv), "{:?}", mv);
        }
    }
}
