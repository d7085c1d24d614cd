//! The mainline as numbers: moves, clocks, evaluations and position keys.

use chessdb_core::annotation::MoveValues;
use chessdb_core::board::{MoveKind, UciNotation};
use chessdb_core::commands::{ClockKind, Command, Eval, EvalValue};
use chessdb_core::model::Token;
use chessdb_core::{Color, Game, PackedMove, PieceType, Start};

use crate::{Column, Columns};

/// The columns that depend on the mainline of one game.
#[derive(Debug, Default)]
pub(crate) struct MainlineColumns {
    pub(crate) moves: Vec<i16>,
    pub(crate) clocks: PlyValues<i32>,
    pub(crate) elapsed: PlyValues<i32>,
    pub(crate) evals: PlyValues<i16>,
    pub(crate) positions: Vec<i64>,
    pub(crate) id: i64,
}

/// One optional value per half-move.
#[derive(Debug, Default)]
pub(crate) struct PlyValues<T> {
    pub(crate) values: Vec<Option<T>>,
    pub(crate) any: bool,
}

impl<T: Copy> PlyValues<T> {
    fn clear(&mut self) {
        self.values.clear();
        self.any = false;
    }

    /// Pads the values with `None` up to `plies`, unless there are no values at all.
    fn pad(&mut self, plies: usize) {
        if self.any {
            self.values.resize(plies, None);
        }
    }

    /// Sets the value of the last half-move. Values before the first half-move are ignored.
    fn set_last(&mut self, value: Option<T>, plies: usize) {
        // No half-move has the value; a column counts them from the first one.
        if plies == 0 || value.is_none() {
            return;
        }
        // Half-moves without a value since the last one are null.
        self.values.resize(plies, None);
        if let Some(last) = self.values.last_mut() {
            *last = value;
            self.any = true;
        }
    }
}

impl MainlineColumns {
    pub(crate) fn fill(&mut self, game: &Game, columns: Columns) {
        self.moves.clear();
        self.clocks.clear();
        self.elapsed.clear();
        self.evals.clear();
        self.positions.clear();
        let keys = columns.contains(Column::Positions);
        let packer = Packer::new(game);
        let of_others = [
            Column::Clocks,
            Column::Elapsed,
            Column::Evals,
            Column::Positions,
        ];
        if of_others.into_iter().any(|column| columns.contains(column)) {
            self.read_all(game, &packer, keys);
        } else {
            self.read_moves(game, &packer);
        }
    }

    /// Stores the time or evaluation of the last move.
    fn store_command(&mut self, command: Command<'_>) {
        let plies = self.moves.len();
        match command {
            Command::Clock(clock) => {
                // PGN has two commands for times: what is left and what was used.
                let times = match clock.kind {
                    ClockKind::Clock => &mut self.clocks,
                    ClockKind::Elapsed => &mut self.elapsed,
                };
                times.set_last(i32::try_from(clock.milliseconds).ok(), plies);
            }
            Command::Eval(eval) => self.evals.set_last(eval_number(eval), plies),
            _ => {}
        }
    }

    /// Reads only the moves.
    fn read_moves(&mut self, game: &Game, packer: &Packer) {
        let mut id = MainlineHash::new(&game.header.start);
        let mut tokens = game.moves.tokens();
        self.moves.reserve(game.moves.len());
        loop {
            while let Some((mv, _)) = tokens.next_move() {
                let mv = packer.pack(mv);
                id.add_move(mv);
                self.moves.push(mv);
            }
            match tokens.next() {
                // Only the mainline has columns.
                Some(Token::Open(branch)) => tokens.skip_variation(branch),
                Some(_) => {}
                None => break,
            }
        }
        self.id = id.number();
    }

    /// Reads the moves with their clocks, evaluations and, if `keys` is set, position keys.
    fn read_all(&mut self, game: &Game, packer: &Packer, keys: bool) {
        // Only the position keys need a board.
        let mut board = (keys && game.has_known_start()).then(|| game.start_board());
        let first = match &game.header.start {
            Start::Standard => Color::White,
            Start::Setup(setup) => setup.board.turn(),
        };
        let mut id = MainlineHash::new(&game.header.start);
        let mut values = MoveValues::new(first);
        let mut tokens = game.moves.tokens();
        while let Some(token) = tokens.next() {
            if let Token::Open(branch) = token {
                tokens.skip_variation(branch);
                continue;
            }
            values.read(&token.event(&game.texts), &mut |command| {
                self.store_command(command);
            });
            if let Token::Move(mv) = token {
                let packed = packer.pack(mv);
                id.add_move(packed);
                self.moves.push(packed);
                if let Some(board) = &mut board {
                    // The key before the move; the last one is pushed after the loop.
                    self.positions.push(board.polyglot_key().cast_signed());
                    board.play(mv);
                }
            }
        }
        if let Some(board) = board {
            self.positions.push(board.polyglot_key().cast_signed());
        }
        self.id = id.number();
        let plies = self.moves.len();
        self.clocks.pad(plies);
        self.elapsed.pad(plies);
        self.evals.pad(plies);
    }
}

/// Packs the moves of a game as the numbers of the column `moves`.
#[derive(Clone, Debug)]
pub struct Packer {
    notation: UciNotation,
}

impl Packer {
    /// Returns a packer for the moves of `game`, in the mainline and in variations.
    pub fn new(game: &Game) -> Packer {
        Packer {
            notation: UciNotation::from_game(game),
        }
    }

    /// Returns the number of a move, with python-chess's numbers for squares and pieces.
    #[inline]
    pub fn pack(&self, mv: PackedMove) -> i16 {
        let from = i16::from(mv.from().rank_major());
        if mv.is_normal() {
            return from | i16::from(mv.to().rank_major()) << 6;
        }
        // Castling has the target of the notation: the king's in standard games, the rook's in
        // Chess960.
        let squares = from | i16::from(self.notation.target(mv).rank_major()) << 6;
        match mv.kind() {
            // a1a1 in python-chess's numbers, which is no move.
            MoveKind::Null => 0,
            MoveKind::Promotion(piece) => {
                // python-chess counts pieces from the pawn, which is 1.
                let piece = match piece {
                    PieceType::Knight => 2,
                    PieceType::Bishop => 3,
                    PieceType::Rook => 4,
                    _ => 5,
                };
                squares | piece << 12
            }
            _ => squares,
        }
    }
}

/// Returns an evaluation as a number: centipawns, and mate distances in the range beyond them, as
/// the Aix tools do. `None` for win/draw probabilities.
fn eval_number(eval: Eval) -> Option<i16> {
    const FARTHEST: i32 = 512;
    const MOST: i32 = 32_767 - FARTHEST;
    let value = match eval.value {
        EvalValue::Centipawns(value) => value.clamp(-MOST, MOST),
        // A shorter mate has a greater number; the least one still exceeds all centipawns.
        EvalValue::Mate(moves) if moves > 0 => 32_768 - moves.min(FARTHEST),
        EvalValue::Mate(moves) => -32_769 + moves.saturating_neg().clamp(1, FARTHEST),
        EvalValue::WinDraw { .. } => return None,
    };
    i16::try_from(value).ok()
}

/// A hash of the start position's key and the moves: FNV-1a, but over 16 bits at a time. Each step
/// depends on the one before, so hashing runs alongside the decoding of moves, which has no such
/// dependency.
struct MainlineHash(u64);

impl MainlineHash {
    fn new(start: &Start) -> MainlineHash {
        let key = match start {
            // Nearly every game, so its four steps are computed at compile time.
            Start::Standard => return MainlineHash(AFTER_START),
            Start::Setup(setup) => setup.board.polyglot_key(),
        };
        MainlineHash::from_key(key)
    }

    const fn from_key(key: u64) -> MainlineHash {
        let mut id = MainlineHash(0xcbf2_9ce4_8422_2325);
        let mut rest = key;
        let mut remaining = 4;
        while remaining > 0 {
            id.word(rest as u16);
            rest >>= 16;
            remaining -= 1;
        }
        id
    }

    const fn word(&mut self, word: u16) {
        self.0 = (self.0 ^ word as u64).wrapping_mul(0x100_0000_01b3);
    }

    #[inline]
    fn add_move(&mut self, mv: i16) {
        self.word(mv.cast_unsigned());
    }

    fn number(&self) -> i64 {
        self.0.cast_signed()
    }
}

/// The hash after the key of the standard start position.
const AFTER_START: u64 = MainlineHash::from_key(START_KEY).0;

/// The Polyglot key of the standard start position.
const START_KEY: u64 = 0x463b_9618_1691_fc9c;

#[cfg(test)]
mod tests {
    use chessdb_core::{Board, Setup, Square};

    use super::*;

    #[test]
    fn standard_start_has_constant_key() {
        assert_eq!(Board::standard().polyglot_key(), START_KEY);
    }

    #[test]
    fn move_numbers_match_python_chess() {
        let square = |name: &str| Square::from_ascii(name.as_bytes()).unwrap();
        let mv = |from, to, kind| PackedMove::new(square(from), square(to), kind);
        let usual = Packer::new(&Game::new());
        assert_eq!(usual.pack(mv("e2", "e4", MoveKind::Normal)), 12 | 28 << 6);
        let queen = MoveKind::Promotion(PieceType::Queen);
        assert_eq!(usual.pack(mv("h7", "h8", queen)), 55 | 63 << 6 | 5 << 12);
        assert_eq!(usual.pack(PackedMove::NULL), 0);
        let castling = mv("e1", "g1", MoveKind::CastleShort);
        assert_eq!(usual.pack(castling), 4 | 6 << 6);
        let (setup, _) = Setup::from_fen(b"4k3/8/8/8/8/8/8/4K2R w K - 0 1").unwrap();
        let mut game = Game::new();
        game.header.start = Start::Setup(Box::new(Setup {
            chess960: true,
            ..setup
        }));
        assert_eq!(Packer::new(&game).pack(castling), 4 | 7 << 6);
    }

    #[test]
    fn evaluations_have_numbers() {
        let of = |value| eval_number(Eval { value, depth: None });
        assert_eq!(of(EvalValue::Centipawns(-35)), Some(-35));
        assert_eq!(of(EvalValue::Centipawns(1_000_000)), Some(32_255));
        assert_eq!(of(EvalValue::Mate(1)), Some(32_767));
        assert_eq!(of(EvalValue::Mate(-3)), Some(-32_766));
        assert_eq!(of(EvalValue::Mate(0)), Some(-32_768));
        assert_eq!(of(EvalValue::Mate(i32::MIN)), Some(-32_257));
        assert_eq!(of(EvalValue::WinDraw { win: 1, draw: 1 }), None);
    }
}
