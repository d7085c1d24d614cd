//! What an index knows of a game's main line, so that a search leaves games out without reading them.

use crate::{
    Bitboard, Board, Color, Features, Game, GameStore, PackedMove, PieceCounts, PieceType, Result,
    Scratch, Start,
};

/// Squares on which pawns stand at first.
const HOME: u64 = 0x4242_4242_4242_4242;

/// What is known of a main line without reading it. Whoever searches leaves out a game that cannot fit by
/// it, and takes nothing else for granted.
///
/// ```
/// use chessdb_core::{Color, Game, Signature};
///
/// let game = Game::builder().sans(["e4", "d5", "exd5"])?.build();
/// let signature = Signature::of(&game);
/// assert_eq!((signature.plies, signature.piece_counts[Color::Black as usize].counts()[0]), (Some(3), 7));
/// # Ok::<(), chessdb_core::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Signature {
    /// Of each colour at least so many pawns, knights, bishops, rooks and queens stand in the last position.
    pub piece_counts: [PieceCounts; 2],
    /// Whether a pawn is promoted, so that pieces may become more.
    pub promotes: bool,
    /// In which order pawns leave their first squares; none if the game does not begin as usual.
    pub home: Option<HomePawns>,
    /// Which line of moves the game begins with, by its place, from 1, in those of
    /// [`crate::GameStore::openings`]; 0 if none is known.
    pub opening: u8,
    /// How many half-moves there are.
    pub plies: Option<u32>,
}

impl Signature {
    /// That of a game.
    pub fn of(game: &Game) -> Signature {
        Signature::with_features(game).0
    }

    /// That of a game, and what comes up in its main line, both in one go.
    pub fn with_features(game: &Game) -> (Signature, Features) {
        let mut board = game.start_board();
        let is_usual = game.header.start.is_standard() && game.has_known_start();
        let mut features = Features::at_start(&board, is_usual);
        let mut home = HomePawns::default();
        let (mut promotes, mut plies) = (false, 0_u32);
        let mut at_home = pawns_at_home(&board);
        for mv in game.mainline() {
            let played = board.play(mv);
            features.note(mv, &played, &board);
            plies = plies.saturating_add(1);
            promotes |= mv.promotion().is_some();
            let now = pawns_at_home(&board) & at_home;
            if now != at_home {
                let mut left = at_home & !now;
                while left != 0 {
                    home.push(left.trailing_zeros() as u8);
                    left &= left - 1;
                }
                at_home = now;
            }
        }
        let signature = Signature {
            piece_counts: Color::ALL.map(|color| PieceCounts::of(&board, color)),
            promotes,
            home: is_usual.then_some(home),
            opening: 0,
            plies: Some(plies),
        };
        (signature, features)
    }
}

/// The pawns on their first squares, one bit for each in the order of [`HomePawns::bit`].
fn pawns_at_home(board: &Board) -> u16 {
    let pawns = |color: Color| {
        let pawns = board.pieces(color, PieceType::Pawn).0 & HOME;
        pawns & chess_rank(color)
    };
    HomePawns::bits(pawns(Color::White) | pawns(Color::Black))
}

/// The rank on which the pawns of a colour stand at first.
fn chess_rank(color: Color) -> u64 {
    crate::Bitboard::rank(color.rank(1)).0
}

/// In which order pawns leave their first squares or are taken there: up to sixteen numbers of four bits,
/// the first in the highest. The pawns of a2 to h2 have the numbers 15 to 8, those of a7 to h7 7 to 0.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct HomePawns {
    order: u64,
    count: u8,
}

impl HomePawns {
    /// From the stored form: what lies behind the last number is ignored, and at most sixteen count.
    pub fn new(order: u64, count: u8) -> HomePawns {
        let count = count.min(16);
        let used = u32::from(count) * 4;
        let order = order & u64::MAX.checked_shl(64 - used).unwrap_or(0);
        HomePawns { order, count }
    }

    /// The numbers, the first in the highest bits.
    pub fn order(self) -> u64 {
        self.order
    }

    /// How many pawns leave.
    pub fn count(self) -> u8 {
        self.count
    }

    /// One bit for each of these squares, of ranks 2 and 7: that of the pawn's number.
    pub fn bits(squares: u64) -> u16 {
        let mut left = squares & HOME;
        let mut bits = 0;
        while left != 0 {
            let square = left.trailing_zeros();
            let second = u32::from(square & 7 == 1) * 8;
            bits |= 1 << (7 - (square >> 3) + second);
            left &= left - 1;
        }
        bits
    }

    fn push(&mut self, number: u8) {
        if self.count < 16 {
            self.order |= u64::from(number & 15) << (60 - 4 * u32::from(self.count));
            self.count += 1;
        }
    }

    /// Whether there is a moment at which these pawns have left and those are at home still.
    #[inline]
    pub fn pass(self, left: u16, at_home: u16) -> bool {
        let mut wanted = left;
        let mut order = self.order;
        for _ in 0..self.count {
            if wanted == 0 {
                return true;
            }
            let bit = 1_u16 << (order >> 60);
            if at_home & bit != 0 {
                return false;
            }
            wanted &= !bit;
            order <<= 4;
        }
        wanted == 0
    }
}

/// Looks at the positions of a main line, one after another, until it has seen enough.
pub trait Watch {
    /// The position before the first move.
    fn begin(&mut self, start: &Start, board: &Board) -> std::ops::ControlFlow<()>;

    /// The position after a move, and what that did.
    fn played(
        &mut self,
        mv: PackedMove,
        played: &crate::Played,
        board: &Board,
    ) -> std::ops::ControlFlow<()>;

    /// Which moves it has to be shown, from the start of the line on. Whoever shows it a line may leave others
    /// out, and then calls [`Watch::passed`].
    fn move_filter(&self) -> MoveFilter {
        MoveFilter::ALL
    }

    /// So many moves were played and not shown.
    fn passed(&mut self, _moves: u32) {}

    /// Returns whether the game must have its header when its line has been shown. A store asks only
    /// if reading the header would report nothing, and leaves the header out on `false`.
    fn needs_header(&mut self) -> bool {
        true
    }
}

/// The moves of a main line that a [`Watch`] has to be shown: those from or to one of the squares, those that take
/// something once few men are left, and always those that do more than go from one square to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MoveFilter {
    /// Moves from one of these squares, or to one.
    pub squares: Bitboard,
    /// Moves that take something and leave no more than so many men of both sides, kings included.
    pub captures: u8,
}

impl MoveFilter {
    /// Every move.
    pub const ALL: MoveFilter = MoveFilter {
        squares: Bitboard(u64::MAX),
        captures: u8::MAX,
    };

    /// No more than must be.
    pub const LEAST: MoveFilter = MoveFilter {
        squares: Bitboard(0),
        captures: 0,
    };

    /// What one of both has to be shown.
    #[must_use]
    pub fn or(self, other: MoveFilter) -> MoveFilter {
        MoveFilter {
            squares: self.squares | other.squares,
            captures: self.captures.max(other.captures),
        }
    }
}

/// Reads the whole of game `n` of a store, counted from 0, and shows its main line to a watch: what stores do that
/// cannot stop earlier, or may not.
///
/// # Errors
///
/// Those of [`GameStore::game_into`].
pub fn watch_whole<S: GameStore + ?Sized>(
    store: &S,
    n: u32,
    game: &mut Game,
    watch: &mut dyn Watch,
    scratch: &mut Scratch,
) -> Result<()> {
    store.game_into(n, game, scratch)?;
    watch_game(game, watch);
    Ok(())
}

/// Shows the main line of a game that was read to a watch; nothing if its start is not known.
pub fn watch_game(game: &Game, watch: &mut dyn Watch) {
    if !game.has_known_start() {
        return;
    }
    let mut board = game.start_board();
    if watch.begin(&game.header.start, &board).is_break() {
        return;
    }
    for mv in game.mainline() {
        let played = board.play(mv);
        if watch.played(mv, &played, &board).is_break() {
            return;
        }
    }
}
