//! A reference implementation of ChessBase's numbering: the list of the format page, entry by
//! entry. It is slow and simple. The test of chessdb-core and the benchmark of chessdb-cbf compare
//! the fast implementation with it.
// Each of the two uses a part of it.
#![allow(dead_code, unreachable_pub)]

use chessdb_core::board::{MoveKind, Piece};
use chessdb_core::{Board, Color, PackedMove, PieceType, Square};

/// Returns the move with this number, from 1.
pub fn nth(board: &Board, register: u8, number: u8) -> Option<PackedMove> {
    list(board, register)
        .get(usize::from(number).checked_sub(1)?)
        .copied()?
}

/// Returns the list of section 7.2, entry by entry; `None` is the phantom of Q1.
pub fn list(board: &Board, register: u8) -> Vec<Option<PackedMove>> {
    let us = board.turn();
    let mut list = Vec::new();
    let own = |to: Square| board.piece_at(to).is_some_and(|piece| piece.color == us);
    let enemy = |to: Square| board.piece_at(to).is_some_and(|piece| piece.color != us);
    let free = |to: Square| board.piece_at(to).is_none();
    let (up, home, second, fifth, last) =
        if us == Color::White { (1, 0, 1, 4, 7) } else { (-1, 7, 6, 3, 0) };
    for from in Square::all() {
        let Some(piece) = board.piece_at(from).filter(|piece| piece.color == us) else {
            continue;
        };
        let mut steps = |steps: &[(i8, i8)], far: bool| {
            for &(files, ranks) in steps {
                let mut to = from;
                while let Some(next) = to.offset(files, ranks) {
                    if own(next) {
                        break;
                    }
                    list.push(Some(PackedMove::normal(from, next)));
                    if enemy(next) || !far {
                        break;
                    }
                    to = next;
                }
            }
        };
        let bishop = [(-1, -1), (1, -1), (1, 1), (-1, 1)];
        let rook = [(-1, 0), (0, -1), (1, 0), (0, 1)];
        match piece.kind {
            PieceType::King => {
                let king = [
                    (-1, -1),
                    (-1, 0),
                    (-1, 1),
                    (0, -1),
                    (0, 1),
                    (1, -1),
                    (1, 0),
                    (1, 1),
                ];
                steps(&king, false);
                let on = |file| Square::from_coords(file, home).unwrap();
                let rook = Some(Piece {
                    color: us,
                    kind: PieceType::Rook,
                });
                if from == on(4) {
                    if board.piece_at(on(7)) == rook && free(on(5)) && free(on(6)) {
                        list.push(Some(PackedMove::new(from, on(6), MoveKind::CastleShort)));
                    }
                    if board.piece_at(on(0)) == rook && free(on(1)) && free(on(2)) && free(on(3)) {
                        list.push(Some(PackedMove::new(from, on(2), MoveKind::CastleLong)));
                    }
                }
            }
            PieceType::Queen => {
                steps(&bishop, true);
                steps(&rook, true);
            }
            PieceType::Rook => steps(&rook, true),
            PieceType::Bishop => steps(&bishop, true),
            PieceType::Knight => steps(
                &[
                    (-2, -1),
                    (-2, 1),
                    (2, -1),
                    (2, 1),
                    (-1, -2),
                    (-1, 2),
                    (1, -2),
                    (1, 2),
                ],
                false,
            ),
            PieceType::Pawn => {
                let one = from.offset(0, up);
                let two = from.offset(0, 2 * up);
                if let (Some(one), Some(two)) = (one, two)
                    && from.rank() == second
                    && free(one)
                    && free(two)
                {
                    list.push(Some(PackedMove::normal(from, two)));
                }
                let mut add = |to: Square| {
                    if to.rank() == last {
                        for kind in [
                            PieceType::Queen,
                            PieceType::Rook,
                            PieceType::Bishop,
                            PieceType::Knight,
                        ] {
                            list.push(Some(PackedMove::new(from, to, MoveKind::Promotion(kind))));
                        }
                    } else {
                        list.push(Some(PackedMove::normal(from, to)));
                    }
                };
                if let Some(one) = one.filter(|&to| free(to)) {
                    add(one);
                }
                for files in [-1, 1] {
                    if let Some(to) = from.offset(files, up).filter(|&to| enemy(to)) {
                        add(to);
                    }
                }
                if from.rank() == fifth {
                    let file = from.file() as i8;
                    for (files, hit) in [
                        (-1, file == register as i8),
                        (1, file == register as i8 - 2),
                    ] {
                        if hit {
                            list.push(from.offset(files, up).map(|to| {
                                let pawn_square =
                                    Square::from_coords(to.file(), from.rank()).unwrap();
                                let theirs = Piece {
                                    color: us.other(),
                                    kind: PieceType::Pawn,
                                };
                                let genuine = board.ep_square() == Some(to)
                                    && free(to)
                                    && board.piece_at(pawn_square) == Some(theirs);
                                let kind = if genuine {
                                    MoveKind::EnPassant
                                } else {
                                    MoveKind::GhostEnPassant
                                };
                                PackedMove::new(from, to, kind)
                            }));
                        }
                    }
                }
            }
        }
    }
    list
}
