//! En Croissant's move codes (docs/formats/encroissant.md, section 3): a move is one byte, its place
//! in the list of legal moves.

use super::{MoveFault, Numbering};
use crate::board::Played;
use crate::model::Start;
use crate::rules::visit_legal_in_order;
use crate::{Board, PackedMove, Result};

/// En Croissant's scheme.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct EnCroissantNumbering;

impl Numbering for EnCroissantNumbering {
    type State = ();

    fn start(&self, _: &Start) -> Result<()> {
        Ok(())
    }

    fn decode(
        &self,
        (): &(),
        board: &Board,
        bytes: &[u8],
    ) -> std::result::Result<(PackedMove, usize), MoveFault> {
        let &wanted = bytes.first().ok_or(MoveFault::Truncated)?;
        let mut place = 0;
        let mut found = None;
        visit_legal_in_order(board, |mv| {
            let is_wanted = place == u16::from(wanted);
            if is_wanted {
                found = Some(mv);
            }
            place += 1;
            is_wanted
        });
        match found {
            Some(mv) => Ok((mv, 1)),
            None => Err(MoveFault::NoSuchMove {
                ordinal: wanted.into(),
                available: place,
            }),
        }
    }

    fn encode(
        &self,
        (): &(),
        board: &Board,
        mv: PackedMove,
        out: &mut Vec<u8>,
    ) -> std::result::Result<(), MoveFault> {
        let mut place = 0_u16;
        let found = visit_legal_in_order(board, |own| {
            let is_it = own == mv;
            place += u16::from(!is_it);
            is_it
        });
        match u8::try_from(place) {
            // The four highest bytes mark variations, comments and NAGs.
            Ok(place @ ..0xfc) if found => {
                out.push(place);
                Ok(())
            }
            _ => Err(MoveFault::NoCode),
        }
    }

    fn play(&self, (): &mut (), _: &Board, _: PackedMove, _: &Played) {}
}
