//! The fields of the index that follow from the mainline (docs/formats/scidb.md, section 2.2).

use chessdb_core::board::MoveKind;
use chessdb_core::{Board, Color, PackedMove, PieceType, Square};

use crate::raw::Entry;

/// The fields of the mainline so far.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct SearchFields {
    pub(crate) plies: u32,
    promotion: bool,
    under_promotion: bool,
    castling: u8,
    /// The pawns of the standard start position that are still at home; bit = square index.
    at_home: u64,
    home_pawns: u64,
    home_pawn_count: u32,
}

/// The second and the seventh rank.
const HOME: u64 = 0x4242_4242_4242_4242;

impl SearchFields {
    /// Starts a game. Home pawns are tracked only from the standard start position.
    pub(crate) fn new(is_standard: bool) -> SearchFields {
        SearchFields {
            at_home: if is_standard { HOME } else { 0 },
            ..SearchFields::default()
        }
    }

    /// Adds the next move of the mainline, by this side.
    pub(crate) fn play(&mut self, color: Color, mv: PackedMove) {
        self.plies += 1;
        match mv.kind() {
            MoveKind::Promotion(piece) => {
                self.promotion = true;
                self.under_promotion |= piece != PieceType::Queen;
            }
            MoveKind::CastleLong => self.castling |= color.pick(1, 4),
            MoveKind::CastleShort => self.castling |= color.pick(2, 8),
            _ => {}
        }
        if mv.is_null() {
            return;
        }
        let mut touched = self.at_home & (1 << mv.from().index() | 1 << mv.to().index());
        self.at_home &= !touched;
        while let Some(square) = Square::new(touched.trailing_zeros() as u8) {
            touched &= touched - 1;
            // The pawns a2 to h2 have the numbers 15 to 8, a7 to h7 have 7 to 0.
            let number = 7 - square.file() + if square.rank() == 1 { 8 } else { 0 };
            // There is space for sixteen numbers of four bits.
            if self.home_pawn_count < 16 {
                self.home_pawns |= u64::from(number) << (4 * self.home_pawn_count);
            }
            self.home_pawn_count += 1;
        }
    }

    /// Puts the fields into the entry of a game that ends with this position.
    pub(crate) fn put(&self, last: &Board, entry: &mut Entry) {
        entry.plies = stated_plies(self.plies);
        entry.promotion = self.promotion;
        entry.under_promotion = self.under_promotion;
        entry.castling = self.castling.into();
        // The field has four bits.
        entry.home_pawn_count = self.home_pawn_count.min(15);
        entry.home_pawns = self.home_pawns.to_le_bytes();
        entry.material = material(last);
        entry.progress = u32::from_be_bytes(progress(last));
    }
}

/// Returns the number of half-moves that the index states.
pub(crate) fn stated_plies(plies: u32) -> u32 {
    plies.min(Entry::MOST_PLIES)
}

/// Returns the files with pawns on the second and third rank of each side, one bit each.
fn progress(board: &Board) -> [u8; 4] {
    let pawns = |color: Color, rank: u8| {
        let pawns = board.pieces(color, PieceType::Pawn);
        let files = (0..8).filter(|&file| {
            Square::from_coords(file, color.rank(rank)).is_some_and(|square| pawns.has(square))
        });
        files.fold(0, |bits, file| bits | 1 << file)
    };
    [
        pawns(Color::White, 1),
        pawns(Color::White, 2),
        pawns(Color::Black, 1),
        pawns(Color::Black, 2),
    ]
}

/// Returns the material code: per side two bits each for queens, rooks, bishops and knights, and
/// four bits for pawns.
pub(crate) fn material(board: &Board) -> u32 {
    Color::ALL.into_iter().fold(0, |all, color| {
        let count = |kind| board.pieces(color, kind).len();
        let pieces = [
            PieceType::Queen,
            PieceType::Rook,
            PieceType::Bishop,
            PieceType::Knight,
        ];
        let side = pieces
            .into_iter()
            .fold(0, |side, kind| side << 2 | count(kind).min(3));
        all << 12 | side << 4 | count(PieceType::Pawn).min(15)
    })
}

/// Returns the code of four bits for a number of variations, comments or NAGs.
pub(crate) fn coarse_count(count: u32) -> u32 {
    match count {
        0..=10 => count,
        11..=12 => 10,
        13..=17 => 11,
        18..=24 => 12,
        25..=34 => 13,
        35..=44 => 14,
        _ => 15,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Section 2.2: the numbers of pawns, in the order in which they leave their squares.
    #[test]
    fn home_pawns_are_listed_in_order() {
        let square = |name: &[u8]| Square::from_ascii(name).unwrap();
        let mut fields = SearchFields::new(true);
        for (color, from, to) in [
            (Color::White, b"e2", b"e4"),
            (Color::Black, b"h7", b"h5"),
            (Color::White, b"e4", b"e5"),
            // Impossible in chess, but two pawns leave: those of b2 and a7.
            (Color::White, b"b2", b"a7"),
        ] {
            fields.play(color, PackedMove::normal(square(from), square(to)));
        }
        assert_eq!((fields.home_pawn_count, fields.home_pawns), (4, 0xE7_0B));
    }
}
