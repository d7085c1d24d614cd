//! The summary of a game's mainline in an index, for searches that skip games without reading them.

use super::features::EarlyPositions;
use crate::board::{Bitboard, Played};
use crate::search::{Features, PieceCounts};
use crate::{Board, Color, Game, PackedMove, PieceType, Start};

/// The initial squares of all pawns.
const HOME: u64 = 0x4242_4242_4242_4242;

/// The facts about a mainline that are known without reading it.
///
/// A search skips the games that cannot match according to the signature; it must not conclude
/// anything else from it.
///
/// ```
/// use chessdb_core::search::Signature;
/// use chessdb_core::{Color, Game};
///
/// let game = Game::builder().sans(["e4", "d5", "exd5"])?.build();
/// let signature = Signature::from_game(&game);
/// let [pawns, ..] = signature.piece_counts[Color::Black as usize].counts();
/// assert_eq!((signature.plies, pawns), (Some(3), 7));
/// # Ok::<(), chessdb_core::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Signature {
    /// The minimum numbers of pawns, knights, bishops, rooks and queens of each colour in the last
    /// position.
    pub piece_counts: [PieceCounts; 2],
    /// Whether a pawn is promoted, so that the numbers of other pieces may increase.
    pub promotes: bool,
    /// The order in which pawns leave their initial squares; `None` if the game does not begin at
    /// the standard position.
    pub home: Option<HomePawns>,
    /// The opening line of the game: its number, from 1, in
    /// [`crate::search::SearchIndex::opening_lines`]; 0 if unknown.
    pub opening: u8,
    /// The number of half-moves.
    pub plies: Option<u32>,
}

impl Signature {
    /// Returns the signature of a game.
    pub fn from_game(game: &Game) -> Signature {
        Signature::with_features(game).0
    }

    /// Returns the signature of a game and the features of its mainline, computed in one pass.
    pub fn with_features(game: &Game) -> (Signature, Features) {
        let mut board = game.start_board();
        let is_standard = game.header.start.is_standard() && game.has_known_start();
        let mut summary = MainlineSummary::new(&board, is_standard);
        for mv in game.mainline() {
            let played = board.play(mv);
            summary.add(mv, &played, &board);
        }
        summary.finish()
    }
}

/// Computes the signature and the features of a mainline, one half-move after the other
/// (docs/formats/chessdb-index.md, section 3).
#[derive(Clone, Debug)]
pub struct MainlineSummary {
    key: u64,
    pieces: u32,
    plies: u32,
    counts: [PieceCounts; 2],
    features: Features,
    early: EarlyPositions,
    promotes: bool,
    is_standard: bool,
    home: HomePawns,
    /// The pawns that are still on their initial squares.
    at_home: u64,
}

impl MainlineSummary {
    /// Starts at a position; `is_standard` if the game begins at the standard start position.
    pub fn new(board: &Board, is_standard: bool) -> MainlineSummary {
        let key = board.placement_key();
        MainlineSummary {
            key,
            pieces: board.occupied().len(),
            plies: 0,
            counts: Color::ALL.map(|color| PieceCounts::from_board(board, color)),
            features: Features::at_start(board, key, is_standard),
            early: EarlyPositions::default(),
            promotes: false,
            is_standard,
            home: HomePawns::default(),
            at_home: pawns_at_home(board),
        }
    }

    /// Returns the [`Board::placement_key`] of the last position.
    #[inline]
    pub fn key(&self) -> u64 {
        self.key
    }

    /// Returns the number of pieces in the last position, kings included.
    #[inline]
    pub fn pieces(&self) -> u32 {
        self.pieces
    }

    /// Adds a half-move, which led to `board`.
    #[inline]
    pub fn add(&mut self, mv: PackedMove, played: &Played, board: &Board) {
        // The piece of a move without special effects is on the target square.
        let piece = board.piece_at(mv.to());
        self.key = board.placement_key_after(mv, piece, played, self.key);
        if played.captured.is_some() || !mv.is_normal() {
            self.pieces = board.occupied().len();
            self.counts = counts_after(board, mv, played, self.counts);
        }
        let is_early = self.early.add_move(mv, board, self.pieces);
        self.features.add_key(self.key, is_early);
        self.features.add_move(mv, piece, played, board);
        if played.captured.is_some() || mv.promotion().is_some() {
            self.features.add_counts(self.counts);
        }
        self.plies = self.plies.saturating_add(1);
        self.promotes |= mv.promotion().is_some();
        let now = pawns_at_home(board) & self.at_home;
        if now != self.at_home {
            let mut moved = HomePawns::bits(self.at_home & !now);
            while moved != 0 {
                self.home.push(moved.trailing_zeros() as u8);
                moved &= moved - 1;
            }
            self.at_home = now;
        }
    }

    /// Returns the signature and the features of the moves.
    pub fn finish(self) -> (Signature, Features) {
        let signature = Signature {
            piece_counts: self.counts,
            promotes: self.promotes,
            home: self.is_standard.then_some(self.home),
            opening: 0,
            plies: Some(self.plies),
        };
        (signature, self.features)
    }
}

/// Returns the numbers of pieces of both colours after a move with special effects or a capture, from
/// those before it.
fn counts_after(
    board: &Board,
    mv: PackedMove,
    played: &Played,
    before: [PieceCounts; 2],
) -> [PieceCounts; 2] {
    match played.captured {
        Some((_, taken)) if mv.is_normal() => {
            let [white, black] = before;
            match taken.color {
                Color::White => [white.without(taken.kind), black],
                Color::Black => [white, black.without(taken.kind)],
            }
        }
        _ => Color::ALL.map(|color| PieceCounts::from_board(board, color)),
    }
}

/// Returns the squares of the pawns on their initial squares.
fn pawns_at_home(board: &Board) -> u64 {
    let pawns = |color: Color| {
        let pawns = board.pieces(color, PieceType::Pawn).0 & HOME;
        pawns & pawn_rank(color)
    };
    pawns(Color::White) | pawns(Color::Black)
}

/// Returns the rank on which the pawns of a colour start.
fn pawn_rank(color: Color) -> u64 {
    crate::board::Bitboard::rank(color.rank(1)).0
}

/// The order in which pawns leave their initial squares or are captured there: up to sixteen
/// numbers of four bits, the first in the highest bits. The pawns of a2 to h2 have the numbers 15
/// to 8, the pawns of a7 to h7 7 to 0.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct HomePawns {
    order: u64,
    count: u8,
}

impl HomePawns {
    /// Decodes the stored form. Bits after the last number are ignored, and at most sixteen numbers
    /// count.
    pub fn new(order: u64, count: u8) -> HomePawns {
        let count = count.min(16);
        let used = u32::from(count) * 4;
        // Without pawns the shift is by 64, which gives no bits.
        let order = order & u64::MAX.checked_shl(64 - used).unwrap_or(0);
        HomePawns { order, count }
    }

    /// Returns the numbers, the first in the highest bits.
    pub fn order(self) -> u64 {
        self.order
    }

    /// Returns the number of pawns that leave.
    pub fn count(self) -> u8 {
        self.count
    }

    /// Returns one bit for each of these squares on ranks 2 and 7: the bit of the pawn's number.
    pub fn bits(squares: u64) -> u16 {
        let mut remaining = squares & HOME;
        let mut bits = 0;
        while remaining != 0 {
            let square = remaining.trailing_zeros();
            // Black's pawns have the lower eight bits, White's the upper ones, each from the
            // h-file.
            let second = u32::from(square & 7 == 1) * 8;
            bits |= 1 << (7 - (square >> 3) + second);
            remaining &= remaining - 1;
        }
        bits
    }

    fn push(&mut self, number: u8) {
        if self.count < 16 {
            self.order |= u64::from(number & 15) << (60 - 4 * u32::from(self.count));
            self.count += 1;
        }
    }

    /// Returns whether at some moment all pawns of `moved` have moved and all pawns of `at_home` are
    /// still at home.
    #[inline]
    pub fn pass(self, moved: u16, at_home: u16) -> bool {
        let mut remaining = moved;
        let mut order = self.order;
        for _ in 0..self.count {
            if remaining == 0 {
                return true;
            }
            let bit = 1_u16 << (order >> 60);
            // The position has a pawn at home that left before the rest of `moved`.
            if at_home & bit != 0 {
                return false;
            }
            remaining &= !bit;
            order <<= 4;
        }
        remaining == 0
    }
}

/// An observer of the positions of a mainline, in order, which can stop when it has seen enough.
pub trait MainlineObserver {
    /// Receives the position before the first move.
    fn begin(&mut self, start: &Start, board: &Board) -> std::ops::ControlFlow<()>;

    /// Receives the position after a move, and the effects of the move.
    fn played(
        &mut self,
        mv: PackedMove,
        played: &Played,
        board: &Board,
    ) -> std::ops::ControlFlow<()>;

    /// Returns the moves that must be shown, from the start of the line on. The caller may leave
    /// out others, and then calls [`MainlineObserver::passed`].
    fn move_filter(&self) -> MoveFilter {
        MoveFilter::ALL
    }

    /// Reports that `moves` half-moves were played without being shown.
    fn passed(&mut self, _moves: u32) {}

    /// Returns whether the game must have its header when its line has been shown.
    ///
    /// A store asks only if reading the header would report nothing, and leaves the header out on
    /// `false`.
    fn needs_header(&mut self) -> bool {
        true
    }
}

/// The moves of a mainline that a [`MainlineObserver`] must be shown.
///
/// These are the moves from or to one of the squares, captures once few pieces are left, and all
/// moves with special effects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MoveFilter {
    /// Moves from or to one of these squares are shown.
    pub squares: Bitboard,
    /// Captures are shown if at most this number of pieces of both sides, kings included, is left.
    pub captures: u8,
}

impl MoveFilter {
    /// Every move.
    pub const ALL: MoveFilter = MoveFilter {
        squares: Bitboard(u64::MAX),
        captures: u8::MAX,
    };

    /// Only the moves that must always be shown.
    pub const LEAST: MoveFilter = MoveFilter {
        squares: Bitboard(0),
        captures: 0,
    };

    /// Returns the filter that selects the moves of either filter.
    #[must_use]
    pub fn or(self, other: MoveFilter) -> MoveFilter {
        MoveFilter {
            squares: self.squares | other.squares,
            captures: self.captures.max(other.captures),
        }
    }
}

/// Shows the mainline of a game in memory to an observer; does nothing if the start position is
/// unknown.
pub fn observe_game(game: &Game, observer: &mut dyn MainlineObserver) {
    if !game.has_known_start() {
        return;
    }
    let mut board = game.start_board();
    if observer.begin(&game.header.start, &board).is_break() {
        return;
    }
    for mv in game.mainline() {
        let played = board.play(mv);
        if observer.played(mv, &played, &board).is_break() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summary_tracks_piece_count_and_key() {
        // With castling, en passant, captures and a promotion.
        let moves = "e4 Nf6 e5 d5 exd6 Bg4 Be2 Bxe2 Nxe2 Nc6 O-O Qxd6 a4 O-O-O a5 Nxa5 Rxa5 g5 b4 g4 b5 g3 \
            b6 gxh2+ Kh1 Ng4 bxa7 e5 a8=Q+";
        let game = Game::builder()
            .sans(moves.split_whitespace())
            .unwrap()
            .build();
        let mut board = game.start_board();
        let mut summary = MainlineSummary::new(&board, true);
        for mv in game.mainline() {
            let played = board.play(mv);
            summary.add(mv, &played, &board);
            assert_eq!(summary.pieces(), board.occupied().len());
            assert_eq!(summary.key(), board.placement_key());
        }
        let (signature, features) = summary.finish();
        assert_eq!((signature, features), Signature::with_features(&game));
        // White's pawns of e, a and b, and Black's of d, g and e and those captured on h2 and a7.
        let home = signature.home.unwrap();
        assert_eq!((home.count(), home.order() >> 60), (8, 11));
    }
}
