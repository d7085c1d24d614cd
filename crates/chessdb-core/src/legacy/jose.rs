//! jose's slots and move codes (docs/formats/bytecode.md, sections 1 to 3).
//!
//! Each side has a list of pieces per type; the index in the list is the piece's slot. A move is
//! one byte that names slot and direction, or two bytes for promotions and for promoted pieces.

mod codes;
mod slots;
mod table;

use super::{Coded, MoveFault, Numbering};
use crate::board::{Facts, Played};
use crate::model::Start;
use crate::{Board, Color, PackedMove, Result, Square};

pub use slots::Slots;

use slots::NONE;

/// jose's scheme.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct JoseNumbering {
    /// QUIRK Q1 (section 2): taking back a promotion clears the tag of the slot instead of
    /// restoring the previous one, so after a variation a promoted piece may be written with the
    /// plain code of its slot. Both forms are always read; this field decides how they are written.
    pub clears_tags: bool,
}

/// The code of the null move.
const NULL: u8 = 0x9A;
/// Castling on the king's h-side; the next code is the a-side.
const CASTLE_SHORT: u8 = 0x98;
/// Promotion of a pawn.
const PROMOTION: u8 = 0xA0;
/// Move of a promoted piece.
const PROMOTED: u8 = 0xA8;

/// Returns the number of a piece that was never a pawn, and the code of its move, if that has no
/// special effects.
#[inline(always)]
fn plain_code(slots: &Slots, color: Color, mv: PackedMove) -> Option<(u8, u8)> {
    let piece = slots.piece(mv.from());
    let number = piece.plain_number(color).filter(|_| mv.is_normal())?;
    let code = codes::plain(piece.kind(), color, mv)?;
    Some((number, codes::first_code(number) + code))
}

impl Numbering for JoseNumbering {
    type State = Slots;

    fn start(&self, start: &Start) -> Result<Slots> {
        match start {
            Start::Standard => Ok(Slots::STANDARD),
            Start::Setup(setup) => Slots::from_board(&setup.board),
        }
    }

    /// Rejects what jose's reader rejects (section 3.10), and promotions anywhere except on the
    /// last rank. Does not check whether a king is left attacked.
    #[inline]
    fn decode(&self, slots: &Slots, board: &Board, bytes: &[u8]) -> Coded<(PackedMove, usize)> {
        let &byte = bytes.first().ok_or(MoveFault::Truncated)?;
        match table::decode(slots, board, byte) {
            Some(mv) => Ok((mv, 1)),
            None => slots.decode_general(board, bytes),
        }
    }

    #[inline]
    fn squares(&self, slots: &Slots, us: Color, byte: u8) -> Option<(Square, Square)> {
        table::squares(slots, us, byte)
    }

    #[inline]
    fn encode(&self, slots: &Slots, board: &Board, mv: PackedMove, out: &mut Vec<u8>) -> Coded {
        self.encode_known(slots, board.turn(), mv, Facts::UNKNOWN, out)
    }

    fn goes_by_facts(&self) -> bool {
        true
    }

    #[inline]
    fn encode_known(
        &self,
        slots: &Slots,
        color: Color,
        mv: PackedMove,
        _: Facts,
        out: &mut Vec<u8>,
    ) -> Coded {
        if mv.is_null() {
            out.push(NULL);
            return Ok(());
        }
        if let Some((_, code)) = plain_code(slots, color, mv) {
            out.push(code);
            return Ok(());
        }
        let piece = slots.piece(mv.from());
        if !piece.is_present() || piece.color() != color {
            return Err(MoveFault::NoCode);
        }
        let unnumbered = MoveFault::Unnumbered {
            piece: piece.kind(),
            slot: piece.slot(),
        };
        let code = codes::code_of(piece.kind(), color, mv).ok_or(MoveFault::NoCode)?;
        if let codes::EncodedMove::Castle(code) = code {
            piece.number().ok_or(unnumbered)?;
            out.push(code);
        } else if let Some(tag) = piece.tag() {
            let codes::EncodedMove::Plain(code) = code else {
                return Err(MoveFault::NoCode);
            };
            out.extend_from_slice(&[PROMOTED + tag, 0x20 | code]);
        } else {
            let number = piece.number().ok_or(unnumbered)?;
            match code {
                codes::EncodedMove::Promotion(code) => {
                    out.extend_from_slice(&[PROMOTION + number, 0x20 | code]);
                }
                codes::EncodedMove::Plain(code) => out.push(codes::first_code(number) + code),
                codes::EncodedMove::Castle(code) => out.push(code),
            }
        }
        Ok(())
    }

    #[inline]
    fn play_known(&self, slots: &mut Slots, start: &Board, mv: PackedMove, facts: Facts) {
        slots.last_promotion = NONE;
        if mv.is_normal() && slots.play_plain(mv.from(), mv.to()) {
            return;
        }
        slots.play_any(mv, &Played::by_facts(start, mv, facts));
    }

    /// For a piece with a number, a move without special effects changes nothing else, and the
    /// piece is looked up only once.
    #[inline]
    fn write_known(
        &self,
        slots: &mut Slots,
        start: &Board,
        mv: PackedMove,
        facts: Facts,
        out: &mut Vec<u8>,
    ) -> Coded {
        let color = start.turn();
        if let Some((number, code)) = plain_code(slots, color, mv) {
            out.push(code);
            slots.last_promotion = NONE;
            slots.play_numbered(color, number, mv.from(), mv.to());
            return Ok(());
        }
        self.encode_known(slots, color, mv, facts, out)?;
        self.play_known(slots, start, mv, facts);
        Ok(())
    }

    #[inline]
    fn play(&self, slots: &mut Slots, _: &Board, mv: PackedMove, played: &Played) {
        slots.last_promotion = NONE;
        if mv.is_normal() && slots.play_plain(mv.from(), mv.to()) {
            return;
        }
        slots.play_any(mv, played);
    }

    fn forgets(&self) -> bool {
        self.clears_tags
    }

    fn returned(&self, restored: &mut Slots, variation: &Slots, replayed: bool) {
        if self.clears_tags {
            restored.clear_tags(variation, replayed);
        }
    }
}
