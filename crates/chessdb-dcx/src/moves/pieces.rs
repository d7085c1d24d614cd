//! Reading moves without rules, from the squares of the pieces alone.
//!
//! Castling, en passant and promotion are read like with a board wherever the moves are possible.
//! Unknown are the side to move, castling rights, whether a pawn has just made a double step, and
//! so whether a move is possible at all.

use chessdb_core::board::{Facts, MoveKind};
use chessdb_core::line::LineTracker;
use chessdb_core::{Board, PackedMove, Square};

use super::position::ReadMove;
use super::promotions::{is_last, promotion};
use super::{Position, Promotions};
use crate::raw::MoveWord;

/// Type and color of the piece on each square, in the order a1, b1, … h8; 0 if empty.
type Squares = [u8; 64];

const PAWN: u8 = 1;
const ROOK: u8 = 4;
const KING: u8 = 6;
const TYPE: u8 = 7;

/// The last move of a line, to take it back.
#[derive(Clone, Copy, Debug)]
struct Undo {
    from: u8,
    to: u8,
    piece: u8,
    taken: u8,
    /// A third square that changed, and its content before: the square of the pawn captured en
    /// passant, or the rook's old square. The last value is the rook's new square, which was empty.
    more: Option<(u8, u8, Option<u8>)>,
}

/// The pieces of the line and of all lines interrupted by variations.
#[derive(Debug)]
pub(crate) struct Pieces {
    pieces: Squares,
    last: Option<Undo>,
    ply: u32,
    interrupted: Vec<(Squares, Option<Undo>, u32)>,
}

impl Pieces {
    /// Returns the pieces of a start position.
    pub(crate) fn new(board: &Board) -> Pieces {
        let mut pieces = [0; 64];
        for (n, place) in pieces.iter_mut().enumerate() {
            let square = Square::from_rank_major(n as u8);
            if let Some(piece) = square.and_then(|square| board.piece_at(square)) {
                // Bit 3 is the color. Types count from 1, because 0 is an empty square.
                *place = (piece.kind as u8 + 1) | (piece.color as u8) << 3;
            }
        }
        Pieces {
            pieces,
            last: None,
            ply: 0,
            interrupted: Vec::new(),
        }
    }

    /// Returns the details of a move that does more than move one piece.
    #[inline(never)]
    fn special(&self, from: u8, to: u8, piece: u8, taken: u8) -> Option<Special> {
        // Bits 3 to 5 of a square are its rank, the lower ones its file.
        let rank = from & 0x38;
        match piece & TYPE {
            // It moves obliquely to an empty square, or this would not be called.
            PAWN => Some(Special {
                kind: MoveKind::EnPassant,
                to,
                cleared: rank | to & 7,
                rook_to: None,
            }),
            KING if to & 0x38 == rank => {
                let takes_rook = taken == (piece & 8 | ROOK);
                let short = to > from;
                let goal = rank | if short { 6 } else { 2 };
                if !takes_rook && (from.abs_diff(to) != 2 || to != goal) {
                    return None;
                }
                let rook = if takes_rook {
                    Some(to)
                } else {
                    self.corner_rook(from, short, piece & 8 | ROOK)
                };
                Some(Special {
                    kind: if short { MoveKind::CastleShort } else { MoveKind::CastleLong },
                    to: goal,
                    cleared: rook.unwrap_or(goal),
                    rook_to: rook.map(|_| rank | if short { 5 } else { 3 }),
                })
            }
            _ => None,
        }
    }

    /// Returns the outermost rook of that color on the king's rank and side.
    fn corner_rook(&self, king: u8, short: bool, rook: u8) -> Option<u8> {
        let rank = king & 0x38;
        let is_rook = |square: &u8| self.pieces.get(usize::from(*square)) == Some(&rook);
        if short {
            (king + 1..rank + 8).rev().find(is_rook)
        } else {
            (rank..king).find(is_rook)
        }
    }
}

struct Special {
    kind: MoveKind,
    to: u8,
    /// A square to empty.
    cleared: u8,
    rook_to: Option<u8>,
}

#[expect(
    clippy::indexing_slicing,
    reason = "all squares are masked to 0..64, as the compiler can see"
)]
impl Position for Pieces {
    #[inline]
    fn play(&mut self, word: MoveWord, promotions: Promotions) -> Result<ReadMove, &'static str> {
        let bits = word.bits();
        let (from, to) = ((bits >> 6) as u8 & 63, bits as u8 & 63);
        let piece = self.pieces[usize::from(from)];
        let taken = self.pieces[usize::from(to)];
        let kind = piece & TYPE;
        let oblique = kind == PAWN && (from ^ to) & 7 != 0 && taken == 0;
        if (kind == KING || oblique)
            // 4 is the reserved bit of the published text, which means nothing here (section 5.3).
            && matches!(bits >> 12, 0 | 4)
            && let Some(special) = self.special(from, to, piece, taken)
        {
            let to = special.to;
            let before = self.pieces[usize::from(special.cleared & 63)];
            // A rook that was there is restored as the content of `cleared`.
            let taken = if special.cleared == to { 0 } else { self.pieces[usize::from(to & 63)] };
            // Emptied before they are filled: in Chess960, new squares may be old ones.
            self.pieces[usize::from(from)] = 0;
            self.pieces[usize::from(special.cleared & 63)] = 0;
            if let Some(rook_to) = special.rook_to {
                self.pieces[usize::from(rook_to & 63)] = piece & 8 | ROOK;
            }
            self.pieces[usize::from(to & 63)] = piece;
            self.ply += 1;
            self.last = Some(Undo {
                from,
                to,
                piece,
                taken,
                more: Some((special.cleared, before, special.rook_to)),
            });
            let to = Square::from_rank_major(to & 63).unwrap_or(word.to());
            let mv = PackedMove::new(word.from(), to, special.kind);
            return Ok(ReadMove {
                mv,
                legal: true,
                facts: Facts::UNKNOWN,
            });
        }
        let can_promote = kind == PAWN && is_last(word.to());
        let mv = match promotion(word, promotions, can_promote)? {
            None => {
                self.pieces[usize::from(to)] = piece;
                PackedMove::normal(word.from(), word.to())
            }
            Some(promoted) => {
                self.pieces[usize::from(to)] = piece & 8 | (promoted as u8 + 1);
                PackedMove::new(word.from(), word.to(), MoveKind::Promotion(promoted))
            }
        };
        // Without the rules a word may lead to its own square; the piece must not vanish.
        if from != to {
            self.pieces[usize::from(from)] = 0;
        }
        self.ply += 1;
        self.last = Some(Undo {
            from,
            to,
            piece,
            taken,
            more: None,
        });
        Ok(ReadMove {
            mv,
            legal: true,
            facts: Facts::UNKNOWN,
        })
    }

    fn pass(&mut self) {
        self.ply += 1;
        // Taking it back puts the piece of a1 on a1.
        self.last = Some(Undo {
            from: 0,
            to: 0,
            piece: self.pieces[0],
            taken: self.pieces[0],
            more: None,
        });
    }
}

#[expect(
    clippy::indexing_slicing,
    reason = "all squares are masked to 0..64, as the compiler can see"
)]
impl LineTracker for Pieces {
    fn open(&mut self) {
        self.interrupted.push((self.pieces, self.last, self.ply));
        if let Some(undo) = self.last.take() {
            // In the reverse order of `play`, since squares may be equal.
            self.pieces[usize::from(undo.to & 63)] = undo.taken;
            if let Some((cleared, before, rook_to)) = undo.more {
                if let Some(rook_to) = rook_to {
                    self.pieces[usize::from(rook_to & 63)] = 0;
                }
                self.pieces[usize::from(cleared & 63)] = before;
            }
            self.pieces[usize::from(undo.from & 63)] = undo.piece;
            self.ply -= 1;
        }
    }

    fn close(&mut self) -> bool {
        let Some((pieces, last, ply)) = self.interrupted.pop() else {
            return false;
        };
        self.pieces = pieces;
        self.last = last;
        self.ply = ply;
        true
    }

    #[inline]
    fn ply(&self) -> u32 {
        self.ply
    }

    #[inline]
    fn depth(&self) -> usize {
        self.interrupted.len()
    }

    #[inline]
    fn at_line_start(&self) -> bool {
        self.last.is_none()
    }
}
