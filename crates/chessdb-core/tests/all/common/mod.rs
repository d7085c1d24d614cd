//! Random games, arbitrary boards, and slow reference implementations of the fast rules.
// The tests and the benchmark `san` compile their own copies, and the benchmark uses only a part.
#![allow(dead_code, unreachable_pub)]

use chessdb_core::board::{Bitboard, MoveKind, Piece, Side};
use chessdb_core::{Board, Color, PackedMove, PieceType, Setup, Square, Start, rules};
use chessdb_testkit::rng::Rng;
use proptest::prelude::*;

pub fn board(fen: &str) -> Board {
    Setup::from_fen(fen.as_bytes()).unwrap().0.board
}

pub fn fen(board: &Board) -> String {
    let mut out = Vec::new();
    Setup::from_board(board.clone()).write_fen(&mut out);
    String::from_utf8(out).unwrap()
}

pub fn san(board: &Board, mv: PackedMove) -> String {
    let mut out = b"before ".to_vec();
    rules::write_san(board, mv, &mut out);
    String::from_utf8(out.split_off(7)).unwrap()
}

pub fn legal_moves(board: &Board) -> Vec<PackedMove> {
    let mut moves = Vec::new();
    rules::legal_moves(board, &mut moves);
    moves
}

/// Plays random games from the given starts until `plies` moves are played. Calls `visit` for every
/// position with its legal moves and the chosen one.
pub fn random_games(
    starts: &[Board],
    seed: u64,
    plies: usize,
    mut visit: impl FnMut(&Board, &[PackedMove], PackedMove),
) {
    let mut random = Rng::new(seed);
    let mut moves = Vec::new();
    let (mut played, mut game) = (0, 0);
    while played < plies {
        let mut board = starts[game % starts.len()].clone();
        game += 1;
        for _ in 0..200 {
            moves.clear();
            rules::legal_moves(&board, &mut moves);
            if moves.is_empty() {
                break;
            }
            let mv = moves[random.below(moves.len())];
            visit(&board, &moves, mv);
            board.play(mv);
            played += 1;
        }
    }
}

/// Returns the Chess960 start position with this number (0 to 959; 518 is the standard one).
pub fn chess960(mut n: usize) -> Board {
    let mut row = [None; 8];
    let put_at_gap = |row: &mut [Option<PieceType>; 8], gap: usize, kind| {
        let square = (0..8).filter(|&i| row[i].is_none()).nth(gap).unwrap();
        row[square] = Some(kind);
    };
    row[n % 4 * 2 + 1] = Some(PieceType::Bishop);
    n /= 4;
    row[n % 4 * 2] = Some(PieceType::Bishop);
    n /= 4;
    put_at_gap(&mut row, n % 6, PieceType::Queen);
    n /= 6;
    let pairs = [
        (0, 1),
        (0, 2),
        (0, 3),
        (0, 4),
        (1, 2),
        (1, 3),
        (1, 4),
        (2, 3),
        (2, 4),
        (3, 4),
    ];
    let (first, second) = pairs[n];
    put_at_gap(&mut row, second, PieceType::Knight);
    put_at_gap(&mut row, first, PieceType::Knight);
    for kind in [PieceType::Rook, PieceType::King, PieceType::Rook] {
        put_at_gap(&mut row, 0, kind);
    }
    let mut board = Board::standard();
    for (file, kind) in row.into_iter().enumerate() {
        for color in Color::ALL {
            let square = Square::from_coords(file as u8, color.rank(0)).unwrap();
            let kind = kind.unwrap();
            board.put(square, Some(Piece { color, kind }));
        }
    }
    for color in Color::ALL {
        let rooks = board.pieces(color, PieceType::Rook);
        board.set_castling_rook(color, Side::Short, rooks.last());
        board.set_castling_rook(color, Side::Long, rooks.first());
    }
    board
}

/// Returns start positions that lead to promotions, en passant, castling, pins and disambiguation.
pub fn sharp_starts() -> Vec<Board> {
    [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
        "1k6/1n1n1n2/8/8/1N1N1N2/8/6R1/RQ1QKQ1R w - - 0 1",
        "4k2q/1b1b4/8/q1B1B3/8/1B1B4/8/Q3K2Q w - - 0 1",
        "k7/pppppppp/8/PPPPPPPP/pppppppp/8/PPPPPPPP/K7 w - - 0 1",
        "q2k2q1/2nqn2b/1n1P1n1b/2rnr2Q/1NQ1QN1Q/3Q3B/2RQR2B/Q2K2Q1 w - - 0 1",
    ]
    .into_iter()
    .map(board)
    .collect()
}

/// Returns whether a piece of `by` attacks a square, by walking from it in all directions.
pub fn obviously_attacked(board: &Board, square: Square, by: Color) -> bool {
    let is = |place: Option<Square>, kinds: &[PieceType]| {
        place
            .and_then(|place| board.piece_at(place))
            .is_some_and(|piece| piece.color == by && kinds.contains(&piece.kind))
    };
    let pawn_from = by.pick(-1, 1);
    if is(square.offset(-1, pawn_from), &[PieceType::Pawn])
        || is(square.offset(1, pawn_from), &[PieceType::Pawn])
    {
        return true;
    }
    for (a, b) in [
        (1, 2),
        (2, 1),
        (2, -1),
        (1, -2),
        (-1, -2),
        (-2, -1),
        (-2, 1),
        (-1, 2),
    ] {
        if is(square.offset(a, b), &[PieceType::Knight]) {
            return true;
        }
    }
    for files in -1..=1 {
        for ranks in -1..=1 {
            if (files, ranks) == (0, 0) {
                continue;
            }
            if is(square.offset(files, ranks), &[PieceType::King]) {
                return true;
            }
            let slider = if files == 0 || ranks == 0 { PieceType::Rook } else { PieceType::Bishop };
            let mut next_square = square.offset(files, ranks);
            while let Some(next) = next_square {
                if board.piece_at(next).is_some() {
                    break;
                }
                next_square = next.offset(files, ranks);
            }
            if is(next_square, &[slider, PieceType::Queen]) {
                return true;
            }
        }
    }
    false
}

pub fn obviously_in_check(board: &Board, color: Color) -> bool {
    let kings = board.pieces(color, PieceType::King);
    kings.len() == 1 && obviously_attacked(board, kings.first().unwrap(), color.other())
}

/// Returns SAN according to the definition: the reference implementation of `rules::write_san`.
pub fn obvious_san(board: &Board, mv: PackedMove) -> String {
    let (from, to) = (mv.from(), mv.to());
    let Some(piece) = board.piece_at(from).or(mv.is_null().then_some(Piece {
        color: Color::White,
        kind: PieceType::King,
    })) else {
        return format!("{mv}");
    };
    let mut text = String::new();
    match mv.kind() {
        MoveKind::Null => return "--".to_string(),
        MoveKind::CastleShort => text += "O-O",
        MoveKind::CastleLong => text += "O-O-O",
        _ => {
            let takes = board.piece_at(to).is_some();
            if piece.kind == PieceType::Pawn {
                if from.file() != to.file() {
                    text.push(char::from(from.to_ascii()[0]));
                    text.push('x');
                }
            } else {
                text.push(char::from(piece.kind.letter()));
                let rivals: Vec<Square> = board
                    .pieces(piece.color, piece.kind)
                    .filter(|&other| other != from)
                    .filter(|&other| rules::is_legal(board, PackedMove::normal(other, to)))
                    .collect();
                let [file, rank] = from.to_ascii();
                if !rivals.is_empty() && from != to {
                    if rivals.iter().all(|other| other.file() != from.file()) {
                        text.push(char::from(file));
                    } else if rivals.iter().all(|other| other.rank() != from.rank()) {
                        text.push(char::from(rank));
                    } else {
                        text.push(char::from(file));
                        text.push(char::from(rank));
                    }
                }
                if takes {
                    text.push('x');
                }
            }
            text += &to.to_string();
            if let Some(kind) = mv.promotion() {
                text.push('=');
                text.push(char::from(kind.letter()));
            }
        }
    }
    let mut after = board.clone();
    after.play(mv);
    if obviously_in_check(&after, after.turn()) {
        text.push(if legal_moves(&after).is_empty() { '#' } else { '+' });
    }
    text
}

/// Checks that all sets agree with the pieces on the squares.
pub fn assert_consistent(board: &Board) {
    let mut rebuilt = Board::empty();
    let mut occupied = Bitboard::EMPTY;
    for square in Square::all() {
        let piece = board.piece_at(square);
        rebuilt.put(square, piece);
        for color in Color::ALL {
            let has_color = piece.is_some_and(|piece| piece.color == color);
            assert_eq!(board.by_color(color).has(square), has_color, "{square}");
        }
        for kind in PieceType::ALL {
            let has_kind = piece.is_some_and(|piece| piece.kind == kind);
            assert_eq!(
                board.by_type(kind).has(square),
                has_kind,
                "{square} {kind:?}"
            );
        }
        if piece.is_some() {
            occupied |= square.bit();
        }
    }
    assert_eq!(board.occupied(), occupied);
    rebuilt.set_turn(board.turn());
    rebuilt.set_ep_square(board.ep_square());
    rebuilt.set_halfmove_clock(board.halfmove_clock());
    rebuilt.set_fullmove_number(board.fullmove_number());
    for color in Color::ALL {
        for side in Side::ALL {
            rebuilt.set_castling_rook(color, side, board.castling_rook(color, side));
        }
    }
    assert_eq!(&rebuilt, board);
}

fn any_color() -> impl Strategy<Value = Color> {
    prop_oneof![Just(Color::White), Just(Color::Black)]
}

fn any_square() -> impl Strategy<Value = Square> {
    (0u8..64).prop_map(|n| Square::new(n).unwrap())
}

fn any_piece(kings: u32) -> impl Strategy<Value = Piece> {
    let kind = prop_oneof![
        4 => Just(PieceType::Pawn),
        2 => Just(PieceType::Knight),
        2 => Just(PieceType::Bishop),
        2 => Just(PieceType::Rook),
        1 => Just(PieceType::Queen),
        kings => Just(PieceType::King),
    ];
    (any_color(), kind).prop_map(|(color, kind)| Piece { color, kind })
}

/// Generates boards of every kind: mostly one king each, sometimes none or many, pieces and
/// castling rights anywhere.
pub fn any_board() -> impl Strategy<Value = Board> {
    let pieces = (0usize..40, 0u32..2)
        .prop_flat_map(|(n, kings)| prop::collection::vec((any_square(), any_piece(kings)), n..=n));
    let kings = prop::option::weighted(0.8, (any_square(), any_square()));
    let home = prop::array::uniform2(any::<bool>());
    let rights = prop::array::uniform4(prop::option::weighted(0.3, any_square()));
    let ep = prop::option::weighted(0.3, any_square());
    let counters = (any::<u16>(), prop_oneof![1u16..200, any::<u16>()]);
    (pieces, kings, home, rights, ep, counters, any_color()).prop_map(
        |(pieces, kings, home, rights, ep, (halfmove, fullmove), turn)| {
            let mut board = Board::empty();
            for (square, piece) in pieces {
                board.put(square, Some(piece));
            }
            if let Some((white, black)) = kings {
                for (color, square) in [(Color::White, white), (Color::Black, black)] {
                    for old in board.pieces(color, PieceType::King) {
                        board.put(old, None);
                    }
                    let kind = PieceType::King;
                    board.put(square, Some(Piece { color, kind }));
                }
            }
            let mut rights = rights.into_iter();
            for (color, home) in Color::ALL.into_iter().zip(home) {
                for side in Side::ALL {
                    board.set_castling_rook(color, side, rights.next().unwrap());
                }
                if home {
                    at_home(&mut board, color);
                }
            }
            board.set_turn(turn);
            board.set_ep_square(ep);
            board.set_halfmove_clock(halfmove);
            board.set_fullmove_number(fullmove);
            board
        },
    )
}

/// Puts king and rooks on the squares where they may castle.
fn at_home(board: &mut Board, color: Color) {
    for old in board.pieces(color, PieceType::King) {
        board.put(old, None);
    }
    let rank = color.rank(0);
    let pieces = [
        (0, PieceType::Rook),
        (4, PieceType::King),
        (7, PieceType::Rook),
    ];
    for (file, kind) in pieces {
        let square = Square::from_coords(file, rank).unwrap();
        board.put(square, Some(Piece { color, kind }));
    }
    board.set_castling_rook(color, Side::Long, Square::from_coords(0, rank));
    board.set_castling_rook(color, Side::Short, Square::from_coords(7, rank));
}

/// Generates any sixteen bits that are a move.
pub fn any_move() -> impl Strategy<Value = PackedMove> {
    (0u16..10 << 12).prop_map(|bits| PackedMove::from_bits(bits).unwrap())
}

/// Generates one of the sharp start positions or the standard one.
pub fn starts() -> impl Strategy<Value = Start> {
    let boards = sharp_starts().into_iter();
    let mut starts: Vec<Start> = boards
        .map(|board| Start::Setup(Box::new(Setup::from_board(board))))
        .collect();
    starts.push(Start::Standard);
    prop::sample::select(starts)
}
