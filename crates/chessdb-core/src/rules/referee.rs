//! Incremental checking of legality and SAN facts while a game is played move by move: results that
//! carry over to the next position are not computed again.

mod plain_san;

use super::attacks::{
    BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK, between, hits, in_check, pawn, reach, row, sole,
};
use super::legal::{
    castling_move, has_legal_move, is_legal, king_safe_after, leaves_king_safe, pawn_steps,
};
use super::san_write::naming;
use crate::board::{Facts, MoveKind, Played, Side, TakeBack};
use crate::{Board, Color, PackedMove, PieceType, Square};

/// A position in a game, with what is known about it from the previous moves.
#[derive(Clone, Debug)]
pub struct Referee {
    board: Board,
    /// Whether each side has exactly one king, and the king of the side that has just moved is not
    /// attacked. For other positions, nothing is known in advance.
    ordinary: bool,
    /// Whether the side to move is in check, in an ordinary position.
    check: bool,
    /// Whether `ordinary` and `check` are up to date. A move without known facts invalidates them.
    is_current: bool,
    /// The state to take back the last move, if it had no special effects.
    last: Option<TakeBack>,
    /// Whether that state is kept.
    takes_back: bool,
}

/// The moves that led to the position are ignored.
impl PartialEq for Referee {
    fn eq(&self, other: &Referee) -> bool {
        let of = |referee: &Referee| {
            let mut referee = referee.clone();
            referee.update_checks();
            (referee.ordinary, referee.check)
        };
        of(self) == of(other) && self.board == other.board
    }
}

/// A legal move without special effects, as found by [`Referee::read_plain_move`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlainMove {
    from: u8,
    to: u8,
    kind: u8,
    /// The other pieces of its type that reach the square on an empty board.
    others: u64,
}

impl PlainMove {
    /// Returns the move.
    #[inline]
    pub fn mv(self) -> PackedMove {
        PackedMove::normal(Square::new_masked(self.from), Square::new_masked(self.to))
    }
}

impl Default for Referee {
    /// Creates a referee at the standard start position.
    fn default() -> Referee {
        Referee {
            board: Board::standard(),
            ordinary: true,
            check: false,
            is_current: true,
            last: None,
            takes_back: true,
        }
    }
}

impl Referee {
    /// Creates a referee at any position.
    pub fn at(board: &Board) -> Referee {
        Referee {
            board: board.clone(),
            ordinary: false,
            check: false,
            is_current: false,
            last: None,
            takes_back: true,
        }
    }

    /// Turns off [`Referee::before`], for games without variations.
    #[must_use]
    pub fn without_take_back(mut self) -> Referee {
        self.takes_back = false;
        self
    }

    /// Returns the current position.
    #[inline]
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Returns the position before the last move, if that had no special effects.
    pub fn before(&self) -> Option<Board> {
        let last = self.last.as_ref()?;
        let mut board = self.board.clone();
        board.take_back(last);
        Some(board)
    }

    /// Updates `ordinary` and `check` if they are out of date.
    #[inline]
    fn update_checks(&mut self) {
        if !self.is_current {
            self.compute_checks();
        }
    }

    #[inline(never)]
    fn compute_checks(&mut self) {
        let us = self.board.turn();
        let one_king = |color| sole(self.board.pieces(color, PieceType::King).0).is_some();
        self.ordinary = one_king(us) && one_king(us.other()) && !in_check(&self.board, us.other());
        self.check = self.ordinary && in_check(&self.board, us);
        self.is_current = true;
    }

    /// Returns whether the own king is safe, in an ordinary position, after a piece has gone from
    /// one square to another.
    #[inline(always)]
    fn safe(&self, us: Color, kind: u8, from: u8, to: u8) -> bool {
        let king = self.board.pieces(us, PieceType::King).0.trailing_zeros() as u8;
        if self.check || kind == KING {
            return king_safe_after(&self.board, us, kind, from, to, 0);
        }
        // Only a slider that attacks through the vacated square can be a danger.
        reach(QUEEN, king) >> from & 1 == 0 || !self.uncovers(us.other(), king, from, to)
    }

    /// Returns whether a slider of a colour attacks a king through the square that a piece has
    /// left.
    fn uncovers(&self, by: Color, king: u8, from: u8, to: u8) -> bool {
        let (from_bit, to_bit) = (1u64 << (from & 63), 1u64 << (to & 63));
        let occupied = (self.board.occupied().0 & !from_bit) | to_bit;
        let line = if reach(ROOK, king) & from_bit != 0 { ROOK } else { BISHOP };
        let sliders = self.board.type_set(line) | self.board.type_set(QUEEN);
        let mut sliders = sliders & self.board.by_color(by).0 & reach(line, king) & !to_bit;
        while sliders != 0 {
            let path = between(sliders.trailing_zeros() as u8, king);
            if path & from_bit != 0 && path & occupied == 0 {
                return true;
            }
            sliders &= sliders - 1;
        }
        false
    }

    /// Returns the facts about a move without special effects, except whether a check is mate.
    #[inline(always)]
    fn facts(&self, plain_move: PlainMove) -> Facts {
        let PlainMove {
            from,
            to,
            kind,
            others,
        } = plain_move;
        let us = self.board.turn();
        let mut facts = Facts::new(kind, self.board.code_at(to));
        if others != 0 {
            let (file, rank) = naming(&self.board, kind, from, to, others);
            facts = facts.naming(file, rank);
        }
        let king = self.board.pieces(us.other(), PieceType::King).0;
        let king = king.trailing_zeros() as u8 & 63;
        let occupied = self.board.occupied().0 & !(1 << (from & 63));
        // Checks by the piece that moves, then checks that its departure uncovers; only a square in
        // line with the king can uncover one.
        let direct = hits(row(kind | (us as u8) << 3), to, king, occupied);
        let check =
            direct || reach(QUEEN, king) >> from & 1 != 0 && self.uncovers(us, king, from, to);
        facts.checking(check)
    }

    /// Plays a move that [`Referee::read_plain_move`] found in this position.
    #[inline(always)]
    pub fn play_plain(&mut self, plain_move: PlainMove) -> Facts {
        let facts = self.facts(plain_move);
        self.save_take_back(plain_move.from, plain_move.to);
        self.board.play_plain(plain_move.from, plain_move.to);
        self.check = facts.gives_check();
        if self.check && !has_legal_move(&self.board) {
            return facts.mating();
        }
        facts
    }

    /// Returns the move between two squares if it is legal and has no special effects. Doubtful
    /// cases are left to [`Referee::judge`].
    #[inline]
    pub fn find_plain_move(&mut self, from: u8, to: u8) -> Option<PlainMove> {
        self.update_checks();
        self.plain_move(from & 63, to & 63)
    }

    /// Like [`Referee::find_plain_move`], if `ordinary` and `check` are up to date.
    #[inline(always)]
    fn plain_move(&self, from: u8, to: u8) -> Option<PlainMove> {
        let us = self.board.turn();
        let own = self.board.by_color(us).0;
        let kind = self.board.code_at(from) & 7;
        let occupied = self.board.occupied().0;
        if !self.ordinary || own >> from & !(own >> to) & 1 == 0 {
            return None;
        }
        let mut others = 0;
        if kind == PAWN {
            let takes = pawn(us, from) >> to & 1 != 0;
            let reaches = if takes {
                occupied >> to & 1 != 0
            } else {
                pawn_steps(us, from, occupied) >> to & 1 != 0
            };
            if !reaches || to & 7 == us.rank(7) {
                return None;
            }
        } else {
            if !hits(kind, from, to, occupied) {
                return None;
            }
            others = own & self.board.type_set(kind) & reach(kind, to) & !(1 << from);
        }
        self.safe(us, kind, from, to).then_some(PlainMove {
            from,
            to,
            kind,
            others,
        })
    }

    /// Returns the facts about a legal move without playing it; unknown facts for the null move,
    /// `None` for an illegal move.
    #[inline]
    pub fn judge(&mut self, mv: PackedMove) -> Option<Facts> {
        self.update_checks();
        if !self.ordinary || !mv.is_normal() {
            return self.judge_rare(mv);
        }
        let plain_move = self.plain_move(mv.from().index(), mv.to().index())?;
        let facts = self.facts(plain_move);
        if facts.gives_check() && self.clone().mates(mv) {
            return Some(facts.mating());
        }
        Some(facts)
    }

    /// Plays a move and returns the facts about it; unknown facts if it is not legal.
    #[inline]
    pub fn judge_and_play(&mut self, mv: PackedMove) -> (Facts, Played) {
        self.update_checks();
        if mv.is_normal()
            && let Some(plain_move) = self.plain_move(mv.from().index(), mv.to().index())
        {
            let taken = self.board.piece_at(mv.to());
            let played = Played {
                captured: taken.map(|piece| (mv.to(), piece)),
                rook: None,
            };
            return (self.play_plain(plain_move), played);
        }
        self.judge_and_play_rare(mv)
    }

    #[cold]
    fn judge_and_play_rare(&mut self, mv: PackedMove) -> (Facts, Played) {
        match mv.kind() {
            MoveKind::Null => (Facts::UNKNOWN, self.play(mv, Facts::UNKNOWN)),
            _ if is_legal(&self.board, mv) => self.play_legal_with_effects(mv),
            _ => (Facts::UNKNOWN, self.play(mv, Facts::UNKNOWN)),
        }
    }

    #[cold]
    fn judge_rare(&self, mv: PackedMove) -> Option<Facts> {
        is_legal(&self.board, mv).then(|| self.clone().play_legal(mv))
    }

    fn mates(mut self, mv: PackedMove) -> bool {
        self.board.play(mv);
        !has_legal_move(&self.board)
    }

    /// Plays a legal move or the null move and returns the facts.
    pub fn play_legal(&mut self, mv: PackedMove) -> Facts {
        self.play_legal_with_effects(mv).0
    }

    fn play_legal_with_effects(&mut self, mv: PackedMove) -> (Facts, Played) {
        self.update_checks();
        let (from, to) = (mv.from().index(), mv.to().index());
        let kind = self.board.code_at(from) & 7;
        let facts = match mv.kind() {
            MoveKind::Null => {
                return (Facts::UNKNOWN, self.play(mv, Facts::UNKNOWN));
            }
            MoveKind::CastleShort | MoveKind::CastleLong => Facts::new(kind, 0),
            MoveKind::EnPassant => Facts::new(kind, PAWN),
            _ => Facts::new(kind, self.board.code_at(to)),
        };
        let facts = if mv.kind() == MoveKind::Normal && (KNIGHT..=KING).contains(&kind) {
            let us = self.board.turn();
            let all = self.board.by_color(us).0 & self.board.type_set(kind) & reach(kind, to);
            let (file, rank) = naming(&self.board, kind, from, to, all & !(1 << from));
            facts.naming(file, rank)
        } else {
            facts
        };
        let played = self.board.play(mv);
        self.last = None;
        let check = in_check(&self.board, self.board.turn());
        // A legal move keeps a position ordinary; any other position must be examined again.
        self.is_current = self.ordinary;
        self.check = check;
        let facts = if !check {
            facts
        } else if has_legal_move(&self.board) {
            facts.checking(true)
        } else {
            facts.checking(true).mating()
        };
        (facts, played)
    }

    /// Returns the board, for moves that are played regardless of the rules. Previous moves can no
    /// longer be taken back.
    #[inline]
    pub(crate) fn board_mut(&mut self) -> &mut Board {
        self.last = None;
        self.is_current = false;
        &mut self.board
    }

    /// Saves the state to take back a move that is about to be played.
    #[inline(always)]
    fn save_take_back(&mut self, from: u8, to: u8) {
        if self.takes_back {
            self.last = Some(TakeBack::new(&self.board, from, to));
        }
    }

    /// Returns the castling move to this side, if it is legal.
    pub fn find_castling(&self, side: Side) -> Option<PackedMove> {
        castling_move(&self.board, side).filter(|&mv| leaves_king_safe(&self.board, mv))
    }

    /// Plays any move, with the facts from [`Referee::judge`] in this position if available.
    #[inline]
    pub fn play(&mut self, mv: PackedMove, facts: Facts) -> Played {
        self.last = None;
        // Facts are known of legal moves only, and these keep a position ordinary.
        self.is_current &= self.ordinary && facts.are_known();
        self.check = facts.gives_check();
        self.board.play(mv)
    }

    /// Like [`Referee::play`], for a move without special effects with known facts, so that it is
    /// legal.
    #[inline]
    pub(crate) fn play_plain_known(&mut self, mv: PackedMove, facts: Facts) {
        self.last = None;
        self.is_current &= self.ordinary;
        self.check = facts.gives_check();
        self.board.play_plain(mv.from().index(), mv.to().index());
    }

    /// Passes the turn without playing the move.
    #[inline]
    pub(crate) fn pass(&mut self) {
        self.board.pass_turn();
    }
}
