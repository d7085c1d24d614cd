//! SCID's piece numbers and move codes (docs/formats/scid.md, section 5).
//!
//! Each side numbers its pieces 0..=15. A move is one byte with the number in the high and the code
//! in the low nibble, or two bytes for a queen's diagonal move.

mod lists;
mod plain_moves;
mod read_lines;
mod skim;
mod tables;

use super::{Coded, MoveFault, Numbering};
use crate::board::{MoveKind, Played, Side};
use crate::model::Start;
use crate::{Board, Color, PackedMove, PieceType, Result, Square};

pub use lists::{Moved, PieceLists};
pub use read_lines::ReadLines;
pub use skim::{SkimLine, SkimResult};

/// SCID's scheme, identical in si3, si4 and si5.
#[derive(Clone, Copy, Default, Debug)]
pub struct ScidNumbering;

pub(super) const CASTLE_LONG: u8 = 9;
pub(super) const CASTLE_SHORT: u8 = 10;
const DOUBLE_STEP: u8 = 15;
/// The offset added to the square in the second byte of a queen's diagonal move.
const SECOND_BYTE: u8 = 64;
/// The lowest three bits of the board's codes for pawn and king.
const PAWN_CODE: u8 = 1;
const KING_CODE: u8 = 6;

impl Numbering for ScidNumbering {
    type State = PieceLists;

    fn start(&self, start: &Start) -> Result<PieceLists> {
        match start {
            Start::Standard => Ok(PieceLists::standard()),
            Start::Setup(setup) => PieceLists::from_board(&setup.board),
        }
    }

    #[inline]
    fn decode(
        &self,
        lists: &PieceLists,
        board: &Board,
        bytes: &[u8],
    ) -> Coded<(PackedMove, usize)> {
        let &byte = bytes.first().ok_or(MoveFault::Truncated)?;
        if byte == 0 {
            return Ok((PackedMove::NULL, 1));
        }
        let (number, code) = (byte >> 4, byte & 15);
        let list = lists.side(board.turn());
        let no_piece = MoveFault::NoSuchPiece {
            number,
            pieces: list.len,
        };
        let from = list.square(number).ok_or(no_piece)?;
        decode_of(board, from, code, bytes)
    }

    #[inline]
    fn encode(
        &self,
        lists: &PieceLists,
        board: &Board,
        mv: PackedMove,
        out: &mut Vec<u8>,
    ) -> Coded {
        let from = mv.from();
        if mv.is_null() {
            out.push(0);
            return Ok(());
        }
        let piece = board.piece_at(from).ok_or(MoveFault::NoCode)?;
        encode_of(lists, board.turn(), piece.kind, mv, out)
    }

    #[inline]
    fn play(&self, lists: &mut PieceLists, board: &Board, mv: PackedMove, played: &Played) {
        if mv.is_null() {
            return;
        }
        if let Some((square, piece)) = played.captured {
            lists.side_mut(piece.color).remove(square);
        }
        let (from, to) = (mv.from(), mv.to());
        // The mover's list first; a piece of the other side moves only in damaged games.
        let mover = board.turn().other();
        for color in [mover, mover.other()] {
            let list = lists.side_mut(color);
            let Some(number) = list.number(from) else {
                continue;
            };
            // In Chess960 king and rook may swap squares, so the number is looked up first.
            if let Some((rook_from, rook_to)) = played.rook {
                list.relocate(rook_from, rook_to);
            }
            list.set(number, to);
            return;
        }
    }
}

/// Decodes the code of the piece on this square. `bytes` begins with the byte of the code.
#[inline(always)]
pub(super) fn decode_of(
    board: &Board,
    from: Square,
    code: u8,
    bytes: &[u8],
) -> Coded<(PackedMove, usize)> {
    let piece = board.code_at(from.index());
    let mut to = tables::target(piece, code, from);
    let mut used = 1;
    if to >= tables::NOWHERE {
        (to, used) = match to {
            tables::DIAGONAL => diagonal(from, bytes)?,
            tables::CASTLING => {
                let side = if code == CASTLE_SHORT { Side::Short } else { Side::Long };
                return castle(board, from, side).map(|mv| (mv, 1));
            }
            _ => {
                let piece = board.piece_at(from).ok_or(MoveFault::NoCode)?;
                return Err(MoveFault::BadCode {
                    piece: piece.kind,
                    code,
                });
            }
        };
    }
    let to = Square::new_masked(to);
    let taken = board.code_at(to.index());
    if taken & 7 == KING_CODE {
        return Err(MoveFault::TakesKing);
    }
    let mut kind = MoveKind::Normal;
    if piece & 7 == PAWN_CODE {
        kind = tables::pawn_kind(code);
        // A pawn that changes its file without a piece to take captures en passant.
        if taken == 0 && to.file() != from.file() && kind == MoveKind::Normal {
            kind = MoveKind::EnPassant;
        }
    }
    Ok((PackedMove::new(from, to, kind), used))
}

/// Appends the bytes of a move of this type of piece.
#[inline(always)]
fn encode_of(
    lists: &PieceLists,
    color: Color,
    kind: PieceType,
    mv: PackedMove,
    out: &mut Vec<u8>,
) -> Coded {
    let number = lists.number(color, mv.from()).ok_or(MoveFault::NoCode)?;
    let (code, second) = code_of(color, kind, mv).ok_or(MoveFault::NoCode)?;
    // Number 0 with a code above 10 would be a marker, not a move (section 4.3).
    if number == 0 && (code == 0 || code > CASTLE_SHORT) && second.is_none() {
        return Err(MoveFault::NoCode);
    }
    out.push(number << 4 | code);
    out.extend(second);
    Ok(())
}

/// Returns the code of a move of this type of piece, and the second byte of a queen's diagonal move.
#[inline(always)]
pub(super) fn code_of(color: Color, kind: PieceType, mv: PackedMove) -> Option<(u8, Option<u8>)> {
    let (from, to) = (mv.from(), mv.to());
    let files = to.file() as i8 - from.file() as i8;
    let ranks = to.rank() as i8 - from.rank() as i8;
    let special = !matches!(mv.kind(), MoveKind::Normal);
    if from == to && !special {
        return None;
    }
    let code = match (kind, mv.kind()) {
        (PieceType::King, MoveKind::CastleLong) => CASTLE_LONG,
        (PieceType::King, MoveKind::CastleShort) => CASTLE_SHORT,
        (PieceType::Pawn, kind) => pawn_code(color, kind, files, ranks)?,
        _ if special => return None,
        (PieceType::King, _) => tables::king_code(files, ranks)?,
        (PieceType::Knight, _) => tables::knight_code(files, ranks)?,
        (PieceType::Bishop, _) if files == ranks => to.file(),
        (PieceType::Bishop, _) if files == -ranks => to.file() + 8,
        (PieceType::Rook | PieceType::Queen, _) if ranks == 0 => to.file(),
        (PieceType::Rook | PieceType::Queen, _) if files == 0 => to.rank() + 8,
        (PieceType::Queen, _) if files.abs() == ranks.abs() => {
            return Some((from.file(), Some(to.rank_major() + SECOND_BYTE)));
        }
        _ => return None,
    };
    Some((code, None))
}

/// Returns the target of a queen's diagonal move, which is in the second byte.
fn diagonal(from: Square, bytes: &[u8]) -> Coded<(u8, usize)> {
    let &second = bytes.get(1).ok_or(MoveFault::Truncated)?;
    let to = second
        .checked_sub(SECOND_BYTE)
        .and_then(Square::from_rank_major)
        .filter(|to| to.file().abs_diff(from.file()) == to.rank().abs_diff(from.rank()))
        .filter(|&to| to != from)
        .ok_or(MoveFault::BadCode {
            piece: PieceType::Queen,
            code: from.file(),
        })?;
    Ok((to.index(), 2))
}

/// Returns the castling move by Scid's own rule: the right exists and the path is free (section
/// 5.4).
fn castle(board: &Board, king: Square, side: Side) -> Coded<PackedMove> {
    let rank = king.rank();
    let rook = board
        .castling_rook(board.turn(), side)
        .ok_or(MoveFault::NoCastling)?;
    // All files between the outermost of these must be free.
    let files = [king.file(), rook.file(), side.king_file(), side.rook_file()];
    let first = files.into_iter().min().unwrap_or(0);
    let last = files.into_iter().max().unwrap_or(7);
    let free = (first..=last)
        .filter_map(|file| Square::from_coords(file, rank))
        .all(|square| square == king || square == rook || board.piece_at(square).is_none());
    if rook.rank() != rank || !free {
        return Err(MoveFault::NoCastling);
    }
    Ok(PackedMove::castling(king, side))
}

/// Returns the code of a pawn move: 0, 1, 2 forward to the mover's left, straight, right; three
/// codes in the same order for each type of promotion; 15 two steps.
fn pawn_code(color: Color, kind: MoveKind, files: i8, ranks: i8) -> Option<u8> {
    let up = color.pick(1, -1);
    if ranks == 2 * up && files == 0 && kind == MoveKind::Normal {
        return Some(DOUBLE_STEP);
    }
    if ranks != up || files.abs() > 1 {
        return None;
    }
    // To the mover's left, straight ahead, and to its right: 0, 1, 2.
    let direction = (files * up + 1) as u8;
    let promotion = match kind {
        MoveKind::Promotion(piece) => {
            tables::PROMOTIONS
                .iter()
                .position(|&entry| entry == piece)? as u8
                + 1
        }
        MoveKind::Normal | MoveKind::EnPassant => 0,
        _ => return None,
    };
    Some(promotion * 3 + direction)
}
