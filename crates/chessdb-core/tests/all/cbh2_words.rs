//! The words of 2CBH (docs/formats/2cbh.md, section 6), compared with a list that is written out by
//! the rule, and with every word that the page quotes.

use chessdb_core::board::{MoveKind, Piece, Side};
use chessdb_core::legacy::cbh2::{CastlingWords, Word, WordFault, decode, read, setup_piece};
use chessdb_core::{Board, Color, PackedMove, PieceType, Square};
use chessdb_testkit::cbh2::words;

#[test]
fn every_word_is_that_of_the_rule() {
    let list = words::list();
    assert_eq!(list.len(), 0xC02C);
    assert_eq!(decode(0), None);
    for (n, expected) in (1u16..).zip(list) {
        assert_eq!(decode(n), Some(expected), "{n:04x}");
    }
    assert!((0xC02D..=0xFFFF).all(|word| decode(word).is_none()));
}

#[test]
fn blocks_begin_where_the_page_says() {
    use PieceType::{Bishop, King, Knight, Pawn, Queen, Rook};
    let blocks = [
        (0x0001, Color::White, King),
        (0x09D9, Color::White, Queen),
        (0x2BF9, Color::White, Knight),
        (0x33D9, Color::White, Bishop),
        (0x40F9, Color::White, Rook),
        (0x55F9, Color::Black, King),
        (0x5FD1, Color::Black, Queen),
        (0x81F1, Color::Black, Knight),
        (0x89D1, Color::Black, Bishop),
        (0x96F1, Color::Black, Rook),
        (0xABF1, Color::White, Pawn),
        (0xAE8D, Color::Black, Pawn),
    ];
    for (n, (first, color, piece)) in blocks.into_iter().enumerate() {
        let of = |word| match decode(word) {
            Some(Word::Move { color, piece, .. }) => Some((color, piece)),
            _ => None,
        };
        assert_eq!(of(first), Some((color, piece)), "{first:04x}");
        assert!(
            n == 0 || of(first - 1) != Some((color, piece)),
            "{first:04x}"
        );
    }
    let castling = |word| match decode(word) {
        Some(Word::Castling {
            color,
            side,
            number,
        }) => (color, side, number),
        word => panic!("{word:?}"),
    };
    assert_eq!(castling(0xB129), (Color::White, Side::Long, None));
    assert_eq!(castling(0xB12A), (Color::White, Side::Short, None));
    assert_eq!(castling(0xB12B), (Color::Black, Side::Long, None));
    assert_eq!(castling(0xB12C), (Color::Black, Side::Short, None));
    let number = 0xB12D + 4 * 566;
    assert_eq!(castling(number), (Color::White, Side::Long, Some(566)));
    assert_eq!(castling(number + 3), (Color::Black, Side::Short, Some(566)));
}

#[test]
fn pieces_of_start_positions() {
    let square = |name: &str| name.parse::<Square>().unwrap();
    let piece = |color, kind| Piece { color, kind };
    for (word, name, expected) in [
        (0xC02D, "a1", piece(Color::White, PieceType::King)),
        (
            0xC02D + 64 * 4 + 63,
            "h8",
            piece(Color::White, PieceType::Rook),
        ),
        (0xC16D + 64, "a1", piece(Color::Black, PieceType::Queen)),
        (0xC2AD, "a2", piece(Color::White, PieceType::Pawn)),
        (0xC2AD + 47, "h7", piece(Color::White, PieceType::Pawn)),
        (0xC2DD + 6, "b2", piece(Color::Black, PieceType::Pawn)),
        (0xC30C, "h7", piece(Color::Black, PieceType::Pawn)),
    ] {
        assert_eq!(
            setup_piece(word),
            Some((square(name), expected)),
            "{word:04x}"
        );
    }
    assert_eq!((setup_piece(0xC02C), setup_piece(0xC30D)), (None, None));
}

/// A position contradicts a word in four ways.
#[test]
fn a_position_contradicts_a_word() {
    let encoder = words::Encoder::default();
    let mut board = Board::standard();
    let mv = |from: &str, to: &str| PackedMove::normal(from.parse().unwrap(), to.parse().unwrap());
    let push = encoder.encode(&board, mv("e2", "e4"), None);
    let castles = [0xB12A, 0xB12D + 4 * 566 + 1];
    let chess = |word, board: &Board| read(word, board, CastlingWords::Chess);
    assert_eq!(chess(push, &board), Ok(mv("e2", "e4")));
    let castled = chess(castles[0], &board).unwrap();
    assert_eq!(
        (castled.kind(), castled.to().to_string()),
        (MoveKind::CastleShort, "g1".into())
    );
    assert_eq!(chess(castles[1], &board), Err(WordFault::WrongCastling));
    let own = CastlingWords::Chess960(566);
    assert!(read(castles[1], &board, own).is_ok());
    assert!(read(castles[1], &board, CastlingWords::AnyChess960).is_ok());
    assert_eq!(read(castles[0], &board, own), Err(WordFault::WrongCastling));
    board.play(mv("e2", "e4"));
    assert_eq!(chess(push, &board), Err(WordFault::WrongSide));
    board.play(mv("d7", "d5"));
    assert_eq!(chess(push, &board), Err(WordFault::WrongPiece));
    let takes = encoder.encode(&board, mv("e4", "d5"), None);
    board.put("d5".parse().unwrap(), None);
    assert_eq!(chess(takes, &board), Err(WordFault::WrongCapture));
    assert_eq!(chess(0xFFF0, &board), Err(WordFault::Unknown));
}
