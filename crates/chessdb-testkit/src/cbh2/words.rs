//! The list of all move words of 2CBH, written out by the rule of docs/formats/2cbh.md, section 6.
//! It is the plain twin of the tables in the core, and the encoder of the test writer.

use std::collections::HashMap;

use chessdb_core::board::{MoveKind, Side};
use chessdb_core::legacy::cbh2::Word;
use chessdb_core::{Board, Color, PackedMove, PieceType, Square};

use PieceType::{Bishop, King, Knight, Pawn, Queen, Rook};

/// Returns the meaning of each word from 1 on.
pub fn list() -> Vec<Word> {
    let mut words = Vec::new();
    for color in Color::ALL {
        for piece in [King, Queen, Knight, Bishop, Rook] {
            for from in Square::all() {
                officer(color, piece, from, &mut words);
            }
        }
    }
    for color in Color::ALL {
        for file in 0..8 {
            // No pawn is on the first or the last rank.
            for rank in 1..7 {
                pawn(color, file, rank, &mut words);
            }
        }
    }
    for number in std::iter::once(None).chain((0..960).map(Some)) {
        for color in Color::ALL {
            for side in [Side::Long, Side::Short] {
                words.push(Word::Castling {
                    color,
                    side,
                    number,
                });
            }
        }
    }
    words
}

fn steps(piece: PieceType) -> Vec<(i8, i8)> {
    let bishop = [(-1, -1), (1, -1), (1, 1), (-1, 1)];
    let rook = [(-1, 0), (0, -1), (1, 0), (0, 1)];
    match piece {
        Bishop => bishop.to_vec(),
        Rook => rook.to_vec(),
        Queen => [bishop, rook].concat(),
        King => (-1..=1)
            .flat_map(|file| (-1..=1).map(move |rank| (file, rank)))
            .filter(|step| *step != (0, 0))
            .collect(),
        _ => {
            let signs = [(-1, -1), (-1, 1), (1, -1), (1, 1)];
            let wide = signs.map(|(file, rank)| (2 * file, rank));
            let high = signs.map(|(file, rank)| (file, 2 * rank));
            [wide, high].concat()
        }
    }
}

fn square_at(file: i8, rank: i8) -> Option<Square> {
    Square::from_coords(u8::try_from(file).ok()?, u8::try_from(rank).ok()?)
}

fn officer(color: Color, piece: PieceType, from: Square, words: &mut Vec<Word>) {
    for (files, ranks) in steps(piece) {
        let max_distance = if matches!(piece, King | Knight) { 1 } else { 7 };
        for distance in 1..=max_distance {
            let file = from.file() as i8 + files * distance;
            // The edge of the board ends the direction.
            let Some(to) = square_at(file, from.rank() as i8 + ranks * distance) else {
                break;
            };
            for captured in [
                None,
                Some(Queen),
                Some(Knight),
                Some(Bishop),
                Some(Rook),
                Some(Pawn),
            ] {
                words.push(Word::Move {
                    color,
                    piece,
                    captured,
                    mv: PackedMove::normal(from, to),
                });
            }
        }
    }
}

fn pawn(color: Color, file: i8, rank: i8, words: &mut Vec<Word>) {
    let forward = color.pick(1, -1);
    let from = square_at(file, rank).unwrap();
    let mut push = |to: Square, kind, captured| {
        let mv = PackedMove::new(from, to, kind);
        words.push(Word::Move {
            color,
            piece: Pawn,
            captured,
            mv,
        });
    };
    let promotions = [Queen, Knight, Bishop, Rook];
    let is_last = rank == color.pick(6, 1);
    if rank == color.pick(1, 6) {
        push(
            square_at(file, rank + 2 * forward).unwrap(),
            MoveKind::Normal,
            None,
        );
    }
    let kinds = if is_last {
        promotions.map(MoveKind::Promotion).to_vec()
    } else {
        vec![MoveKind::Normal]
    };
    let ahead = square_at(file, rank + forward).unwrap();
    for kind in &kinds {
        push(ahead, *kind, None);
    }
    for side in [-1, 1] {
        let Some(to) = square_at(file + side, rank + forward) else {
            continue;
        };
        for captured in [Queen, Knight, Bishop, Rook] {
            for kind in &kinds {
                push(to, *kind, Some(captured));
            }
        }
        if !is_last {
            push(to, MoveKind::Normal, Some(Pawn));
        }
        // En passant is possible from one rank only.
        if rank == color.pick(4, 3) {
            push(to, MoveKind::EnPassant, Some(Pawn));
        }
    }
}

/// The words of moves on a board.
#[derive(Debug)]
pub struct Encoder(HashMap<String, u16>);

impl Default for Encoder {
    fn default() -> Encoder {
        let words = (1..).zip(list());
        Encoder(words.map(|(n, word)| (format!("{word:?}"), n)).collect())
    }
}

impl Encoder {
    /// Returns the word of a move. `chess960` is the number of the start position.
    pub fn encode(&self, board: &Board, mv: PackedMove, chess960: Option<u16>) -> u16 {
        let color = board.turn();
        let word = match mv.kind() {
            MoveKind::Null => return 0xFFFA,
            MoveKind::CastleShort | MoveKind::CastleLong => Word::Castling {
                color,
                side: match mv.kind() {
                    MoveKind::CastleShort => Side::Short,
                    _ => Side::Long,
                },
                number: chess960,
            },
            kind => Word::Move {
                color,
                piece: board.piece_at(mv.from()).unwrap().kind,
                captured: match kind {
                    // The captured pawn is not on the target square.
                    MoveKind::EnPassant => Some(Pawn),
                    _ => board.piece_at(mv.to()).map(|piece| piece.kind),
                },
                mv,
            },
        };
        let word = self.0.get(&format!("{word:?}"));
        *word.unwrap_or_else(|| panic!("{mv} has no word"))
    }
}
