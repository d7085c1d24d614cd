//! En Croissant's move codes (docs/formats/encroissant.md, section 3): a move is one byte, its place
//! in the list of legal moves.

use super::{Coded, MoveFault, Numbering};
use crate::board::Played;
use crate::model::Start;
use crate::rules::{move_at_place, place_of_move};
use crate::{Board, PackedMove, Result};

/// En Croissant's scheme.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct EnCroissantNumbering;

impl Numbering for EnCroissantNumbering {
    type State = ();

    fn start(&self, _: &Start) -> Result<()> {
        Ok(())
    }

    fn decode(&self, (): &(), board: &Board, bytes: &[u8]) -> Coded<(PackedMove, usize)> {
        let &place = bytes.first().ok_or(MoveFault::Truncated)?;
        match move_at_place(board, place.into()) {
            Ok(mv) => Ok((mv, 1)),
            Err(available) => Err(MoveFault::NoSuchMove {
                ordinal: place.into(),
                available: available.try_into().unwrap_or(u16::MAX),
            }),
        }
    }

    fn encode(&self, (): &(), board: &Board, mv: PackedMove, out: &mut Vec<u8>) -> Coded {
        match place_of_move(board, mv).map(u8::try_from) {
            // The four highest bytes mark variations, comments and NAGs.
            Some(Ok(place @ ..0xfc)) => {
                out.push(place);
                Ok(())
            }
            _ => Err(MoveFault::NoCode),
        }
    }

    fn play(&self, (): &mut (), _: &Board, _: PackedMove, _: &Played) {}
}
