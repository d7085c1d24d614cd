//! Features of a game's mainline, as a set of bits stored in an index.

use crate::board::{Bitboard, Piece, Played};
use crate::search::{PieceCounts, Signature};
use crate::{Board, Color, Game, PackedMove, PieceType, Square};

/// The minimum number of pieces on their initial squares in an early position.
const MIN_EARLY: u32 = 25;

/// Something that may occur in a mainline: a position, a piece on a square, or the material of both
/// sides.
///
/// It is represented by one to three bits of a set of [`Features::BITS`], which other features may
/// share (docs/formats/chessdb-index.md, section 3.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Feature([u16; 3]);

impl Feature {
    /// Creates a feature with one to three bits of a set. Each bit is selected by nine bits of
    /// `key`, starting with the lowest; the key must be evenly distributed.
    ///
    /// Every half-move has a position, and queries ask for it together with all its pieces, so one
    /// bit is enough for it. A feature that may be queried alone has three, because otherwise many
    /// games would have it by chance.
    fn new(key: u64, bits: u32) -> Feature {
        let place = |n: u32| (key >> (9 * n)) as u16 & (Features::BITS as u16 - 1);
        Feature([0, 1, 2].map(|n| place(n.min(bits - 1))))
    }

    /// Returns the features of a position: pieces and side to move. An early position has a second
    /// one with two bits, because most games begin alike.
    pub fn of_position(board: &Board) -> [Option<Feature>; 2] {
        Feature::of_position_with(board, board.placement_key())
    }

    /// Like [`Feature::of_position`], with the placement key of the position.
    fn of_position_with(board: &Board, key: u64) -> [Option<Feature>; 2] {
        [
            Some(Feature::new(key, 1)),
            is_early(board).then(|| Feature::early(key)),
        ]
    }

    /// Returns the second feature of an early position with this placement key.
    fn early(key: u64) -> Feature {
        Feature::new(key >> 9, 2)
    }

    /// Returns the feature of a piece on a square; `None` if it is there in the initial position,
    /// because nearly every game has such features.
    pub fn of_piece_on(piece: Piece, square: Square) -> Option<Feature> {
        (FIRST.piece_at(square) != Some(piece))
            .then(|| Feature::new(piece.polyglot_number(square), 3))
    }

    /// Returns the feature of the material of White and Black, kings excluded.
    pub fn of_piece_counts(sides: [PieceCounts; 2]) -> Feature {
        let counts = sides.into_iter().flat_map(PieceCounts::counts).rev();
        let counts = counts.fold(0, |all, count| all << 4 | u64::from(count.min(15)));
        // The factor, derived from the golden ratio, spreads the counts over the upper bits.
        Feature::new(counts.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 37, 3)
    }

    /// Returns the bits of a set that represent the feature, all below [`Features::BITS`]; a bit
    /// may be repeated.
    #[inline]
    pub fn bits(self) -> [usize; 3] {
        self.0.map(usize::from)
    }

    /// Returns a feature for each bit; a game may have this feature only if it may have all three.
    pub fn by_bit(self) -> [Feature; 3] {
        self.0.map(|bit| Feature([bit; 3]))
    }
}

/// The initial position.
const FIRST: Board = Board::standard();

fn is_early(board: &Board) -> bool {
    unmoved(board) >= MIN_EARLY
}

/// Returns the number of pieces on their initial squares.
fn unmoved(board: &Board) -> u32 {
    // One count of all is faster than the sum of twelve.
    let unmoved = PieceType::ALL.into_iter().fold(Bitboard(0), |all, kind| {
        let of = |color| board.pieces(color, kind) & FIRST.pieces(color, kind);
        all | of(Color::White) | of(Color::Black)
    });
    unmoved.len()
}

/// Determines which positions of a line are early, without counting the pieces of each.
#[derive(Clone, Default, Debug)]
pub(crate) struct EarlyPositions {
    /// The number of pieces by which the last position that was counted, or a later one, is not
    /// early.
    missing: u32,
}

impl EarlyPositions {
    /// Returns whether the position after `mv`, with this number of pieces, is early. It must be called
    /// for every move.
    #[inline]
    pub(crate) fn add_move(&mut self, mv: PackedMove, board: &Board, pieces: u32) -> bool {
        // A normal move puts at most one piece on its initial square.
        if self.missing > 1 && mv.is_normal() {
            self.missing -= 1;
            return false;
        }
        // An early position has as many pieces.
        let unmoved = if pieces >= MIN_EARLY { unmoved(board) } else { pieces };
        self.missing = MIN_EARLY.saturating_sub(unmoved);
        self.missing == 0
    }
}

/// The set of features that occur in a mainline, one to three bits each. A feature that is not in
/// the set does not occur.
///
/// ```
/// use chessdb_core::board::Piece;
/// use chessdb_core::search::{Feature, Features};
/// use chessdb_core::{Color, Game, PieceType, Square};
///
/// let game = Game::builder().sans(["e4", "d5", "exd5"])?.build();
/// let features = Features::from_game(&game);
/// let pawn = Piece { color: Color::White, kind: PieceType::Pawn };
/// let on = |square: &str| Feature::of_piece_on(pawn, square.parse().unwrap()).unwrap();
/// assert!(features.may_have(on("d5")) && !features.may_have(on("c4")));
/// # Ok::<(), chessdb_core::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Features(pub [u64; Features::BITS / 64]);

impl Features {
    /// The number of bits.
    pub const BITS: usize = 512;
    /// The set used if nothing is known: any feature may occur.
    pub const UNKNOWN: Features = Features([u64::MAX; Features::BITS / 64]);

    /// Returns the features of a game.
    pub fn from_game(game: &Game) -> Features {
        Signature::with_features(game).1
    }

    /// Returns the features of the starting position of a game.
    pub(crate) fn at_start(board: &Board, key: u64, is_standard: bool) -> Features {
        let mut features = Features([0; Features::BITS / 64]);
        if !is_standard {
            features.add_pieces(board);
        }
        features.add_balance(board);
        features.add_position(board, key);
        features
    }

    /// Adds the pieces that a move of `piece` put on their squares.
    #[inline]
    pub(crate) fn add_move(
        &mut self,
        mv: PackedMove,
        piece: Option<Piece>,
        played: &Played,
        board: &Board,
    ) {
        match piece.filter(|_| mv.is_normal() && mv.from() != mv.to()) {
            Some(piece) => self.add_piece_on(piece, mv.to()),
            // A promoted piece. Without a move, whatever is on the square is there already.
            None => self.add_piece(board, mv.to()),
        }
        if let Some((_, square)) = played.rook {
            self.add_piece(board, square);
        }
    }

    /// Adds the material of a position.
    #[inline]
    pub(crate) fn add_counts(&mut self, counts: [PieceCounts; 2]) {
        self.add(Feature::of_piece_counts(counts));
    }

    /// Adds a position with this placement key, which may be early ([`EarlyPositions`]).
    #[inline]
    pub(crate) fn add_key(&mut self, key: u64, is_early: bool) {
        self.add(Feature::new(key, 1));
        if is_early {
            self.add(Feature::early(key));
        }
    }

    /// Returns whether a feature may occur.
    pub fn may_have(&self, feature: Feature) -> bool {
        let mut bits = feature.bits().into_iter();
        bits.all(|bit| {
            self.0
                .get(bit / 64)
                .is_some_and(|word| word >> (bit % 64) & 1 != 0)
        })
    }

    fn add(&mut self, feature: Feature) {
        let [first, second, third] = feature.bits();
        self.set(first);
        if second != first {
            self.set(second);
        }
        if third != second {
            self.set(third);
        }
    }

    #[inline]
    #[expect(clippy::indexing_slicing, reason = "the number of the word is masked")]
    fn set(&mut self, bit: usize) {
        self.0[bit / 64 % (Features::BITS / 64)] |= 1 << (bit % 64);
    }

    fn add_position(&mut self, board: &Board, key: u64) {
        let features = Feature::of_position_with(board, key);
        features.into_iter().flatten().for_each(|one| self.add(one));
    }

    fn add_balance(&mut self, board: &Board) {
        let sides = Color::ALL.map(|color| PieceCounts::from_board(board, color));
        self.add(Feature::of_piece_counts(sides));
    }

    fn add_piece(&mut self, board: &Board, square: Square) {
        if let Some(piece) = board.piece_at(square) {
            self.add_piece_on(piece, square);
        }
    }

    #[inline]
    fn add_piece_on(&mut self, piece: Piece, square: Square) {
        // Most moves lead to a rank without pieces in the initial position.
        if (2..6).contains(&square.rank()) {
            self.add(Feature::new(piece.polyglot_number(square), 3));
        } else if let Some(feature) = Feature::of_piece_on(piece, square) {
            self.add(feature);
        }
    }

    fn add_pieces(&mut self, board: &Board) {
        for square in board.occupied() {
            self.add_piece(board, square);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn set_has_all_features_and_few_others() {
        let moves = "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 g6 Be3 Bg7 f3 O-O Qd2 Nc6 O-O-O d5 exd5 Nxd5 Nxd5 \
            Nxd4 Bxd4 Bxd4 Qxd4 Qxd5";
        let moves: Vec<_> = moves.split_whitespace().collect();
        let game = Game::builder().sans(moves).unwrap().build();
        let features = Features::from_game(&game);
        assert!(is_early(&Board::standard()));
        let mut checked = 0;
        for board in game.positions() {
            let positions = Feature::of_position(&board).into_iter().flatten();
            let balance = Feature::of_piece_counts(
                Color::ALL.map(|color| PieceCounts::from_board(&board, color)),
            );
            let on_squares = board.occupied().into_iter().filter_map(|square| {
                board
                    .piece_at(square)
                    .and_then(|piece| Feature::of_piece_on(piece, square))
            });
            for feature in positions.chain([balance]).chain(on_squares) {
                assert!(features.may_have(feature), "{board}");
                checked += 1;
            }
        }
        assert!(checked > 200);
        let all = Square::all().flat_map(|square| {
            Color::ALL
                .into_iter()
                .flat_map(|color| PieceType::ALL.map(|kind| Piece { color, kind }))
                .filter_map(move |piece| Feature::of_piece_on(piece, square))
        });
        let (matching, all): (Vec<_>, Vec<_>) = all.partition(|one| features.may_have(*one));
        assert!(
            matching.len() * 4 < all.len(),
            "{} of {}",
            matching.len(),
            all.len()
        );
        assert!(all.into_iter().all(|one| Features::UNKNOWN.may_have(one)));
    }
}
