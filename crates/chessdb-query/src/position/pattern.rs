//! Patterns: boards with only some squares specified.

use chessdb_core::board::{Bitboard, Piece};
use chessdb_core::search::{Feature, MoveFilter};
use chessdb_core::sorting::sort_by_key;
use chessdb_core::{Board, Color, PieceType, Square};

use super::{MinimumMaterial, PieceBounds};

/// The permitted contents of a square: bit 0 empty, bits 1 to 6 White's pieces, 7 to 12 Black's.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct AllowedPieces(u16);

impl AllowedPieces {
    pub(super) const NOTHING: AllowedPieces = AllowedPieces(1);
    pub(super) const WHITE: AllowedPieces = AllowedPieces(0x3F << 1);
    pub(super) const BLACK: AllowedPieces = AllowedPieces(0x3F << 7);
    pub(super) const ANY_PIECE: AllowedPieces = AllowedPieces(0xFFF << 1);
    pub(super) const ANYTHING: AllowedPieces = AllowedPieces(0x1FFF);

    pub(super) const fn piece(piece: Piece) -> AllowedPieces {
        let shift = piece.kind as u16 + if matches!(piece.color, Color::White) { 1 } else { 7 };
        AllowedPieces(1 << shift)
    }

    pub(super) fn or(self, other: AllowedPieces) -> AllowedPieces {
        AllowedPieces(self.0 | other.0)
    }

    pub(super) fn not(self) -> AllowedPieces {
        AllowedPieces(!self.0 & AllowedPieces::ANYTHING.0)
    }

    pub(super) fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Returns the set with the colors exchanged.
    fn flipped(self) -> AllowedPieces {
        AllowedPieces(self.0 & 1 | (self.0 >> 1 & 0x3F) << 7 | (self.0 >> 7 & 0x3F) << 1)
    }

    /// Returns features. A game has at least one of them if `square` ever holds one of these
    /// contents. Empty if they exclude little, or are too many.
    fn features(self, square: Square) -> Vec<Feature> {
        let kinds = |color: Color, shift: u16| {
            PieceType::ALL
                .into_iter()
                .filter(move |&kind| self.0 >> shift >> kind as u16 & 1 != 0)
                .map(move |kind| Piece { color, kind })
        };
        let pieces: Vec<Piece> = kinds(Color::White, 1)
            .chain(kinds(Color::Black, 7))
            .collect();
        // A square that may be empty excludes no game.
        if self.0 & 1 != 0 || pieces.len() > MOST_ALTERNATIVES {
            return Vec::new();
        }
        let features = pieces
            .into_iter()
            .map(|piece| Feature::of_piece_on(piece, square));
        features.collect::<Option<_>>().unwrap_or_default()
    }

    /// Returns the squares of a board that hold one of these contents.
    #[inline]
    fn squares(self, board: &Board) -> u64 {
        let mut squares = match self.0 & 1 {
            0 => 0,
            _ => !board.occupied().0,
        };
        for (color, shift) in [(Color::White, 1), (Color::Black, 7)] {
            let mut kinds = self.0 >> shift & 0x3F;
            let own = board.by_color(color).0;
            // Any piece of one color is a frequent condition, and needs no loop.
            if kinds == 0x3F {
                squares |= own;
                continue;
            }
            while let Some(kind) = PieceType::ALL.get(kinds.trailing_zeros() as usize) {
                squares |= own & board.by_type(*kind).0;
                kinds &= kinds - 1;
            }
        }
        squares
    }
}

/// The largest number of alternatives for a square; with more, nearly every game matches.
const MOST_ALTERNATIVES: usize = 4;

/// The number of pieces that a side has on nearly every board.
const FEW: u32 = 4;

/// A board pattern: groups of squares and their permitted contents.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Pattern {
    groups: Vec<(u64, AllowedPieces)>,
    turn: Option<Color>,
    least: MinimumMaterial,
}

impl Pattern {
    /// Creates a pattern from the permitted contents of each square, in the order of their indexes.
    pub(super) fn new(squares: &[AllowedPieces; 64], turn: Option<Color>) -> Pattern {
        let mut groups: Vec<(u64, AllowedPieces)> = Vec::new();
        for (square, &allowed) in Square::all().zip(squares) {
            if allowed == AllowedPieces::ANYTHING {
                continue;
            }
            let bit = square.bit().0;
            match groups.iter_mut().find(|(_, contents)| *contents == allowed) {
                Some((squares, _)) => *squares |= bit,
                None => groups.push((bit, allowed)),
            }
        }
        // Rare conditions fail first: pieces before empty squares.
        sort_by_key(&mut groups, |&(_, allowed)| {
            (allowed.0 & 1, allowed.0.count_ones())
        });
        Pattern {
            least: least(&groups),
            groups,
            turn,
        }
    }

    pub(super) fn least(&self) -> &MinimumMaterial {
        &self.least
    }

    pub(super) fn piece_bounds(&self) -> PieceBounds {
        let allowed = |square: Square| {
            let bit = square.bit().0;
            self.groups
                .iter()
                .find(|(squares, _)| squares & bit != 0)
                .map_or(AllowedPieces::ANYTHING, |&(_, allowed)| allowed)
        };
        let permitted = |square| {
            let may = |shift: usize| {
                let bits = allowed(square).0 >> shift;
                [0, 1, 2, 3, 4, 5].map(|kind| bits >> kind & 1 != 0)
            };
            [may(1), may(7)]
        };
        let [white, black] = self.least.home;
        let features = self.groups.iter().flat_map(|&(squares, allowed)| {
            Bitboard(squares)
                .into_iter()
                .map(move |square| allowed.features(square))
        });
        PieceBounds::from_permitted(permitted)
            .with_pawns_at_home(white | black)
            .with_features(features)
    }

    /// Returns the moves that may produce the pattern, or make it impossible.
    pub(super) fn filter(&self) -> MoveFilter {
        if self.turn.is_some() {
            return MoveFilter::ALL;
        }
        let own = self
            .groups
            .iter()
            .fold(0, |all, (squares, _)| all | squares);
        let MinimumMaterial {
            home,
            pawns,
            pieces,
        } = self.least;
        let [white, black] = home;
        MoveFilter {
            squares: Bitboard(own | white | black),
            // Small numbers of pieces are nearly always present.
            captures: if pawns != [0; 2] || pieces.iter().any(|&count| count > FEW) {
                u8::MAX
            } else {
                0
            },
        }
    }

    #[inline]
    pub(crate) fn fits(&self, board: &Board) -> bool {
        self.turn.is_none_or(|turn| turn == board.turn())
            && self
                .groups
                .iter()
                .all(|&(squares, allowed)| squares & !allowed.squares(board) == 0)
    }

    /// Returns the pattern with left and right exchanged.
    pub(crate) fn mirrored(&self) -> Pattern {
        // Files are the bytes of the set.
        self.turned(u64::swap_bytes, |allowed| allowed, |turn| turn)
    }

    /// Returns the pattern with the colors exchanged.
    pub(crate) fn flipped(&self) -> Pattern {
        // Ranks are the bits of a file's byte, so the bits within each byte are reversed.
        let upside_down = |squares: u64| squares.reverse_bits().swap_bytes();
        self.turned(upside_down, AllowedPieces::flipped, Color::other)
    }

    fn turned(
        &self,
        squares: impl Fn(u64) -> u64,
        allowed: impl Fn(AllowedPieces) -> AllowedPieces,
        turn: impl Fn(Color) -> Color,
    ) -> Pattern {
        let groups: Vec<_> = self
            .groups
            .iter()
            .map(|&(set, contents)| (squares(set), allowed(contents)))
            .collect();
        Pattern {
            least: least(&groups),
            groups,
            turn: self.turn.map(turn),
        }
    }
}

fn least(groups: &[(u64, AllowedPieces)]) -> MinimumMaterial {
    let mut least = MinimumMaterial::default();
    for &(squares, allowed) in groups {
        let sides = [
            (Color::White, AllowedPieces::WHITE),
            (Color::Black, AllowedPieces::BLACK),
        ];
        for ((n, (color, own)), kinds) in sides.into_iter().enumerate().zip([1_u16, 7]) {
            let count = squares.count_ones();
            if allowed.0 & !own.0 == 0
                && let Some(pieces) = least.pieces.get_mut(n)
            {
                *pieces += count;
            }
            if allowed.0 == 1 << kinds {
                if let Some(pawns) = least.pawns.get_mut(n) {
                    *pawns += count;
                }
                if let Some(home) = least.home.get_mut(n) {
                    *home |= squares & Bitboard::rank(color.rank(1)).0;
                }
            }
        }
    }
    least
}
