//! Chess Assistant's piece slots and move codes (docs/formats/chess-assistant.md, sections 8 and
//! 9).
//!
//! Each side numbers its pieces by eighteen slots, which a piece keeps for the whole game. Most
//! moves are one byte that names slot and shift. Shifts are modulo 8, so bytes that are not moves
//! may look like one; use [`crate::rules::is_legal`] to check.

mod codes;
mod slots;

use super::{Coded, MoveFault, Numbering};
use crate::board::{Facts, MoveKind, Played, Side};
use crate::model::Start;
use crate::{Board, Color, PackedMove, PieceType, Result, Square};

pub use slots::{Slots, TooManyPieces};

/// Castling with the rook on the a-file.
pub const CASTLE_LONG: u8 = 207;
/// Castling with the rook on the h-file.
pub const CASTLE_SHORT: u8 = 208;
/// A promotion; two bytes follow.
pub const PROMOTION: u8 = 209;
/// The next move is en passant.
pub const EN_PASSANT: u8 = 210;
/// The null move.
pub const NULL_MOVE: u8 = 211;
/// A move of the piece that pawn 0 became; one byte follows. The next seven codes are for the other
/// pawns.
pub const EXTENDED: u8 = 212;

/// The direction in which the file part of a shift counts (section 8; guess 1 of the format page).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Files {
    /// Towards the h-file.
    #[default]
    Right,
    /// Towards the a-file.
    Left,
}

/// Chess Assistant's scheme. It was written without a genuine database: the details that the
/// published description leaves open are fields here, and [`CaNumbering::PAGE`] contains the
/// choices of the format page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CaNumbering {
    /// Guess 1: the direction in which files count.
    pub files: Files,
    /// Guess 2: the numbers of a pawn's moves in a promotion, 0..=3 each: one step, capture towards
    /// the a-file, capture towards the h-file, two steps (which never promote).
    pub promotion_kinds: [u8; 4],
    /// Guess 3: the slot number in a promotion if the piece stays in its pawn's slot; `None` for
    /// the pawn's own slot number.
    pub no_slot: Option<u8>,
    /// Guess 4: whether a new piece takes the slot of a captured one of its type, rather than its
    /// pawn's, if 16 and 17 are taken.
    pub reuse_slots: bool,
}

impl CaNumbering {
    /// The choices of the format page.
    pub const PAGE: CaNumbering = CaNumbering {
        files: Files::Right,
        promotion_kinds: [0, 1, 2, 3],
        no_slot: None,
        reuse_slots: true,
    };

    /// Returns the slot of the new piece for the promotion at the start of `bytes`: a slot of its
    /// own, or the pawn's if the number is none of 8..=14, 16 and 17 (section 9.1). `None` if the
    /// bytes are not a promotion.
    pub fn promotion_slot(bytes: &[u8]) -> Option<u8> {
        match *bytes {
            [PROMOTION, pawn, piece, ..] => {
                let slot = piece & 31;
                Some(if Slots::takes_pieces(slot) { slot } else { pawn >> 2 })
            }
            _ => None,
        }
    }

    /// Returns the square that a shift leads to, with file and rank modulo 8.
    fn target(&self, from: Square, shift: u8) -> Square {
        // Rank in the upper, file in the lower half; each counts modulo 8 (section 8).
        let (files, ranks) = (shift & 7, shift >> 4 & 7);
        let files = match self.files {
            Files::Right => files,
            Files::Left => 8 - files,
        };
        // Squares are numbered file by file: the file is in the upper three bits, the rank in the
        // lower three.
        let index = from.index();
        Square::new_masked((index + files * 8) & 0x38 | (index + ranks) & 7)
    }

    /// Returns the shift that leads from one square to another.
    fn shift(&self, from: Square, to: Square) -> u8 {
        let files = to.file().wrapping_sub(from.file());
        let files = match self.files {
            Files::Right => files,
            Files::Left => files.wrapping_neg(),
        };
        let ranks = to.rank().wrapping_sub(from.rank());
        (ranks & 7) << 4 | files & 7
    }

    /// Decodes an ordinary code, 0..=206.
    #[inline]
    fn ordinary(&self, slots: &Slots, board: &Board, code: u8) -> Coded<PackedMove> {
        let color = board.turn();
        let (slot, shift) = codes::meaning(code, color).ok_or(MoveFault::UnknownCode { code })?;
        let from = slots.square(color, slot).ok_or(no_such_piece(slot))?;
        let to = self.target(from, shift);
        let mut kind = MoveKind::Normal;
        if slot < 8 {
            // A piece that stayed in its pawn's slot moves only by `EXTENDED`.
            if !board.pieces(color, PieceType::Pawn).has(from) {
                return Err(no_such_piece(slot));
            }
            // Only en passant takes on an empty square; its code is the same as of any capture.
            if to.file() != from.file() && board.piece_at(to).is_none() {
                kind = MoveKind::EnPassant;
            }
        }
        Ok(PackedMove::new(from, to, kind))
    }

    fn promotion(&self, slots: &Slots, board: &Board, pawn: u8, piece: u8) -> Coded<PackedMove> {
        let bad = |code| MoveFault::BadCode {
            piece: PieceType::Pawn,
            code,
        };
        let kind = match piece >> 5 {
            2 => PieceType::Knight,
            3 => PieceType::Bishop,
            4 => PieceType::Rook,
            5 => PieceType::Queen,
            _ => return Err(bad(piece)),
        };
        if pawn >= 32 {
            return Err(bad(pawn));
        }
        // The file's number for the direction is a guess, so it is mapped to that of an ordinary
        // code.
        let direction = self
            .promotion_kinds
            .iter()
            .position(|&number| number == pawn & 3);
        let code = pawn & !3 | direction.ok_or(bad(pawn))? as u8;
        let mv = self.ordinary(slots, board, code)?;
        let slot = piece & 31;
        // A slot with a piece in it would lose that piece.
        if Slots::takes_pieces(slot) && slots.square(board.turn(), slot).is_some() {
            return Err(bad(piece));
        }
        Ok(PackedMove::new(
            mv.from(),
            mv.to(),
            MoveKind::Promotion(kind),
        ))
    }

    /// Returns the slot for a pawn's new piece: 16, 17, a free one of its type, else the pawn's.
    fn new_slot(&self, slots: &Slots, color: Color, kind: PieceType, pawn: u8) -> u8 {
        let standard: &[u8] = match kind {
            _ if !self.reuse_slots => &[],
            PieceType::Knight => &[8, 9],
            PieceType::Bishop => &[10, 11],
            PieceType::Rook => &[12, 13],
            PieceType::Queen => &[14],
            PieceType::Pawn | PieceType::King => &[],
        };
        [16, 17]
            .iter()
            .chain(standard)
            .copied()
            .into_iter()
            .find(|&slot| slots.square(color, slot).is_none())
            .unwrap_or(pawn)
    }

    fn write_promotion(
        &self,
        slots: &Slots,
        color: Color,
        pawn_code: u8,
        kind: PieceType,
        out: &mut Vec<u8>,
    ) -> Coded {
        let number = match kind {
            PieceType::Knight => 2,
            PieceType::Bishop => 3,
            PieceType::Rook => 4,
            PieceType::Queen => 5,
            PieceType::Pawn | PieceType::King => return Err(MoveFault::NoCode),
        };
        let pawn = pawn_code >> 2;
        let slot = match self.new_slot(slots, color, kind, pawn) {
            slot if slot == pawn => self.no_slot.unwrap_or(pawn),
            slot => slot,
        };
        let direction = self
            .promotion_kinds
            .get(usize::from(pawn_code & 3))
            .copied()
            .unwrap_or(0);
        out.extend([
            PROMOTION,
            pawn << 2 | direction & 3,
            number << 5 | slot & 31,
        ]);
        Ok(())
    }

    /// Appends the bytes of a move of a piece of this type.
    #[inline]
    fn write_move(
        &self,
        slots: &Slots,
        color: Color,
        piece: Option<PieceType>,
        mv: PackedMove,
        out: &mut Vec<u8>,
    ) -> Coded {
        let (from, to) = (mv.from(), mv.to());
        match mv.kind() {
            MoveKind::Null => {
                out.push(NULL_MOVE);
                return Ok(());
            }
            MoveKind::GhostEnPassant => return Err(MoveFault::NoCode),
            MoveKind::CastleShort | MoveKind::CastleLong => {
                let (side, code) = match mv.kind() {
                    MoveKind::CastleShort => (Side::Short, CASTLE_SHORT),
                    _ => (Side::Long, CASTLE_LONG),
                };
                if castle(color, side) != mv {
                    return Err(MoveFault::NoCastling);
                }
                out.push(code);
                return Ok(());
            }
            _ => {}
        }
        let slot = slots.slot(color, from).ok_or(MoveFault::NoCode)?;
        let piece = piece.ok_or(MoveFault::NoCode)?;
        let shift = self.shift(from, to);
        if piece == PieceType::Pawn {
            let code = codes::pawn(slot, shift, color).ok_or(MoveFault::NoCode)?;
            match mv.kind() {
                MoveKind::Promotion(kind) => {
                    return self.write_promotion(slots, color, code, kind, out);
                }
                MoveKind::EnPassant => out.extend([EN_PASSANT, code]),
                _ => out.push(code),
            }
            return Ok(());
        }
        // No list contains a move to its own square, and `EXTENDED` must not write one either.
        if mv.kind() != MoveKind::Normal || shift == 0 {
            return Err(MoveFault::NoCode);
        }
        if let Some(code) = codes::piece(slot, shift) {
            out.push(code);
            return Ok(());
        }
        let pawn = slots.pawn_of(color, slot).ok_or(MoveFault::NoCode)?;
        out.extend([EXTENDED + pawn, shift]);
        Ok(())
    }

    /// Updates the slots with a move.
    #[inline]
    fn update(&self, slots: &mut Slots, color: Color, mv: PackedMove, played: &Played) {
        // The squares of a null move mean nothing.
        if mv.is_null() {
            return;
        }
        if let Some((square, piece)) = played.captured {
            slots.remove(piece.color, square);
        }
        // In a position where king and rook swap squares, both leave before either arrives.
        let rook = played
            .rook
            .and_then(|(from, to)| Some((slots.slot(color, from)?, to)));
        let Some(slot) = slots.slot(color, mv.from()) else {
            return;
        };
        slots.put(color, slot, mv.to());
        if let Some((rook, to)) = rook {
            slots.put(color, rook, to);
        }
        if let MoveKind::Promotion(kind) = mv.kind()
            && slot < 8
        {
            let new = self.new_slot(slots, color, kind, slot);
            slots.promote(color, slot, new);
        }
    }
}

impl Default for CaNumbering {
    fn default() -> CaNumbering {
        CaNumbering::PAGE
    }
}

const fn no_such_piece(slot: u8) -> MoveFault {
    MoveFault::NoSuchPiece {
        number: slot,
        pieces: Slots::COUNT as u8,
    }
}

impl Numbering for CaNumbering {
    type State = Slots;

    /// Returns the slots that a writer chooses; a file may number its start position in another
    /// way.
    fn start(&self, start: &Start) -> Result<Slots> {
        match start {
            Start::Standard => Ok(Slots::standard()),
            Start::Setup(setup) => Slots::from_board(&setup.board).map_err(Into::into),
        }
    }

    /// A promotion names the slot of the new piece ([`CaNumbering::promotion_slot`]).
    /// [`Numbering::play`] receives only the move and chooses the slot as a writer would, so
    /// readers of files must call [`Slots::settle`] afterwards.
    #[inline]
    fn decode(&self, slots: &Slots, board: &Board, bytes: &[u8]) -> Coded<(PackedMove, usize)> {
        let &code = bytes.first().ok_or(MoveFault::Truncated)?;
        match code {
            0..CASTLE_LONG => Ok((self.ordinary(slots, board, code)?, 1)),
            CASTLE_LONG => Ok((castle(board.turn(), Side::Long), 1)),
            CASTLE_SHORT => Ok((castle(board.turn(), Side::Short), 1)),
            PROMOTION => match *bytes {
                [_, pawn, piece, ..] => Ok((self.promotion(slots, board, pawn, piece)?, 3)),
                _ => Err(MoveFault::Truncated),
            },
            EN_PASSANT => {
                let &code = bytes.get(1).ok_or(MoveFault::Truncated)?;
                let mv = self.ordinary(slots, board, code)?;
                let right = code < 32 && mv.kind() == MoveKind::EnPassant;
                let piece = PieceType::Pawn;
                right
                    .then_some((mv, 2))
                    .ok_or(MoveFault::BadCode { piece, code })
            }
            NULL_MOVE => Ok((PackedMove::NULL, 1)),
            EXTENDED..=219 => {
                let &shift = bytes.get(1).ok_or(MoveFault::Truncated)?;
                let slot = slots.promoted(board.turn(), code - EXTENDED);
                let from = slot.and_then(|slot| slots.square(board.turn(), slot));
                let from = from.ok_or(no_such_piece(code - EXTENDED))?;
                Ok((PackedMove::normal(from, self.target(from, shift)), 2))
            }
            _ => Err(MoveFault::UnknownCode { code }),
        }
    }

    fn encode(&self, slots: &Slots, board: &Board, mv: PackedMove, out: &mut Vec<u8>) -> Coded {
        let kind = board.piece_at(mv.from()).map(|piece| piece.kind);
        self.write_move(slots, board.turn(), kind, mv, out)
    }

    #[inline]
    fn play(&self, slots: &mut Slots, after: &Board, mv: PackedMove, played: &Played) {
        // The turn has already passed.
        self.update(slots, after.turn().other(), mv, played);
    }

    /// With other guesses, two promotions may have the same bytes.
    fn goes_by_facts(&self) -> bool {
        *self == CaNumbering::PAGE
    }

    #[inline]
    fn encode_known(
        &self,
        slots: &Slots,
        us: Color,
        mv: PackedMove,
        facts: Facts,
        out: &mut Vec<u8>,
    ) -> Coded {
        self.write_move(slots, us, facts.kind(), mv, out)
    }

    #[inline]
    fn play_known(&self, slots: &mut Slots, start: &Board, mv: PackedMove, facts: Facts) {
        let played = Played::by_facts(start, mv, facts);
        self.update(slots, start.turn(), mv, &played);
    }
}

/// Returns the castling move. Castling depends on squares, not on slots: the king is on the e-file.
fn castle(color: Color, side: Side) -> PackedMove {
    PackedMove::castling(Square::new_masked(4 << 3 | color.rank(0)), side)
}
