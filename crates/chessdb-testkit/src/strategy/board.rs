//! Random positions.

use chessdb_core::board::{Bitboard, Piece, Side};
use chessdb_core::rules::{is_valid_position, legal_moves};
use chessdb_core::{Board, Color, PieceType, Setup, Square};
use proptest::prelude::*;

use super::GameOptions;
use crate::rng::Rng;

/// Generates boards with any pieces anywhere: no king or many, pawns on the first rank, meaningless
/// castling rights and en passant squares.
pub fn random_board() -> impl Strategy<Value = Board> {
    (any::<u64>().no_shrink(), 0..=64usize).prop_map(|(seed, pieces)| {
        let mut rng = Rng::new(seed);
        let mut board = Board::standard();
        for square in Square::all() {
            board.put(square, None);
        }
        for _ in 0..pieces {
            board.put(square(&mut rng), Some(piece(&mut rng)));
        }
        board.set_turn(rng.pick(&Color::ALL));
        for color in Color::ALL {
            for side in Side::ALL {
                let rook = rng.chance(40).then(|| square(&mut rng));
                board.set_castling_rook(color, side, rook);
            }
        }
        board.set_ep_square(rng.chance(40).then(|| square(&mut rng)));
        counters(&mut board, &mut rng);
        board
    })
}

/// Generates valid positions, reached by play or set up with few pieces.
pub fn valid_board() -> impl Strategy<Value = Board> {
    any::<u64>().no_shrink().prop_map(|seed| {
        let mut rng = Rng::new(seed);
        if rng.chance(50) {
            played(Board::standard(), 120, &mut rng)
        } else {
            sparse(&mut rng)
        }
    })
}

/// Returns a start position for a game.
pub(super) fn start_setup(rng: &mut Rng, options: &GameOptions) -> Setup {
    let mut board = match rng.below(10) {
        // The standard position, spelt out.
        0 if options.spelt_out_start => return Setup::standard(),
        1..=3 if options.chess960 => {
            // The standard arrangement is one of the 960.
            return Setup {
                board: shuffled(rng),
                chess960: true,
            };
        }
        1..=5 => played(Board::standard(), 80, rng),
        _ => sparse(rng),
    };
    counters(&mut board, rng);
    if !options.halfmove_clocks {
        board.set_halfmove_clock(0);
    }
    Setup::from_board(board)
}

fn square(rng: &mut Rng) -> Square {
    Square::new_masked(rng.below(64) as u8)
}

fn piece(rng: &mut Rng) -> Piece {
    Piece {
        color: rng.pick(&Color::ALL),
        kind: rng.pick(&PieceType::ALL),
    }
}

fn counters(board: &mut Board, rng: &mut Rng) {
    if rng.chance(50) {
        board.set_halfmove_clock(rng.pick(&[0, 1, 49, 100, 256, u16::MAX]));
        board.set_fullmove_number(rng.pick(&[1, 2, 40, 999, 3000]));
    }
}

/// Plays some random legal moves.
fn played(mut board: Board, max_moves: usize, rng: &mut Rng) -> Board {
    let mut moves = Vec::new();
    for _ in 0..=rng.below(max_moves) {
        moves.clear();
        legal_moves(&board, &mut moves);
        if moves.is_empty() {
            break;
        }
        board.play(rng.pick(&moves));
    }
    board
}

/// Returns a position with kings and a few other pieces; many pawns are about to promote.
fn sparse(rng: &mut Rng) -> Board {
    loop {
        let mut board = Board::standard();
        for square in Square::all() {
            board.put(square, None);
        }
        for color in Color::ALL {
            for side in Side::ALL {
                board.set_castling_rook(color, side, None);
            }
            board.put(
                square(rng),
                Some(Piece {
                    color,
                    kind: PieceType::King,
                }),
            );
        }
        for _ in 0..rng.below(10) {
            let mut piece = piece(rng);
            let mut target = square(rng);
            if rng.chance(40) {
                piece.kind = PieceType::Pawn;
                // One step before promotion, which random play seldom reaches.
                let rank = piece.color.rank(6);
                target = Square::from_coords(target.file(), rank).expect("a file and a rank");
            }
            if board.piece_at(target).is_none() && piece.kind != PieceType::King {
                board.put(target, Some(piece));
            }
        }
        board.set_turn(rng.pick(&Color::ALL));
        if is_valid_position(&board) {
            return board;
        }
    }
}

/// Returns a Chess960 start position.
fn shuffled(rng: &mut Rng) -> Board {
    let mut free: Vec<u8> = (0..8).collect();
    let mut rank = [PieceType::Knight; 8];
    // b, d, f and h are light on the first rank.
    let bright = 1 + 2 * rng.below(4) as u8;
    let dark = 2 * rng.below(4) as u8;
    for file in [bright, dark] {
        rank[usize::from(file)] = PieceType::Bishop;
        free.retain(|&f| f != file);
    }
    let queen = free.remove(rng.below(free.len()));
    rank[usize::from(queen)] = PieceType::Queen;
    for _ in 0..2 {
        free.remove(rng.below(free.len()));
    }
    let [long, king, short] = free[..] else {
        unreachable!("eight less five files")
    };
    rank[usize::from(long)] = PieceType::Rook;
    rank[usize::from(king)] = PieceType::King;
    rank[usize::from(short)] = PieceType::Rook;
    let mut board = Board::standard();
    for color in Color::ALL {
        for (file, &kind) in rank.iter().enumerate() {
            board.put(home(color, file as u8), Some(Piece { color, kind }));
        }
        board.set_castling_rook(color, Side::Long, Some(home(color, long)));
        board.set_castling_rook(color, Side::Short, Some(home(color, short)));
    }
    debug_assert!(is_valid_position(&board));
    debug_assert_eq!(board.occupied() & Bitboard::rank(3), Bitboard(0));
    board
}

fn home(color: Color, file: u8) -> Square {
    Square::from_coords(file, color.rank(0)).expect("a file and a rank")
}
