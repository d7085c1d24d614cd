//! ChessBase's move numbers (docs/formats/cbf.md, section 7.2).
//!
//! A move is its place, from 1, in the list of pseudo-legal moves: squares a1, a2, … a8, b1, … h8
//! for both colours, no test for check, castling without rights. One register, the file of the
//! last double step, decides about en passant, with two quirks that shift the numbers of all
//! moves behind them:
//!
//! * QUIRK Q1: with an empty register a pawn on a5 (White) or a4 (Black) has an entry that points
//!   off the board (test `q1_counts_a_phantom`).
//! * QUIRK Q2: the register survives castling, so that the side that made the double step gets an
//!   en passant entry that no rule of chess allows (test `q2_is_a_ghost`).

use super::{MoveFault, Numbering};
use crate::model::Start;
use crate::{
    Bitboard, Board, Color, MoveKind, PackedMove, Piece, PieceType, Played, Result, Side, Square,
    rules,
};

/// ChessBase's scheme.
#[derive(Clone, Copy, Default, Debug)]
pub struct CbfNumbering;

/// The en passant register: 0 empty, 1..=8 file of the last double step.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct EpRegister(pub u8);

/// The longest number that a byte can hold.
const LAST_NUMBER: u16 = 127;

const BISHOP: [(i8, i8); 4] = [(-1, -1), (1, -1), (1, 1), (-1, 1)];
const ROOK: [(i8, i8); 4] = [(-1, 0), (0, -1), (1, 0), (0, 1)];
const KNIGHT: [(i8, i8); 8] = [
    (-2, -1),
    (-2, 1),
    (2, -1),
    (2, 1),
    (-1, -2),
    (-1, 2),
    (1, -2),
    (1, 2),
];
/// In the order of the four entries that stand in place of one.
const PROMOTIONS: [PieceType; 4] = [
    PieceType::Queen,
    PieceType::Rook,
    PieceType::Bishop,
    PieceType::Knight,
];

impl Numbering for CbfNumbering {
    type State = EpRegister;

    fn start(&self, start: &Start) -> Result<EpRegister> {
        Ok(match start {
            Start::Standard => EpRegister(0),
            Start::Setup(setup) => EpRegister::of(&setup.board),
        })
    }

    /// `bytes` begins with the number; bit 7, the mark of a comment, is not part of it.
    fn decode(
        &self,
        register: &EpRegister,
        board: &Board,
        bytes: &[u8],
    ) -> std::result::Result<(PackedMove, usize), MoveFault> {
        let byte = bytes.first().ok_or(MoveFault::Truncated)?;
        nth(board, *register, u16::from(byte & 0x7F)).map(|mv| (mv, 1))
    }

    fn encode(
        &self,
        register: &EpRegister,
        board: &Board,
        mv: PackedMove,
        out: &mut Vec<u8>,
    ) -> std::result::Result<(), MoveFault> {
        match ordinal(board, *register, mv) {
            Some(number) if number <= LAST_NUMBER => {
                out.push(number as u8);
                Ok(())
            }
            _ => Err(MoveFault::NoCode),
        }
    }

    fn play(&self, register: &mut EpRegister, after: &Board, mv: PackedMove, _: &Played) {
        // QUIRK Q2: castling leaves the register as it is.
        if !matches!(mv.kind(), MoveKind::CastleShort | MoveKind::CastleLong) {
            *register = EpRegister::of(after);
        }
    }
}

impl EpRegister {
    /// The register that the board's en passant square stands for. The board sets its square after
    /// every double step, like ChessBase, whether or not a pawn stands beside.
    fn of(board: &Board) -> EpRegister {
        EpRegister(board.ep_square().map_or(0, |square| square.file() + 1))
    }
}

/// How many moves the list has, phantoms included.
pub fn count(board: &Board, register: EpRegister) -> u16 {
    let list = List::new(board, register);
    list.own()
        .map(|(square, kind)| list.count_of(square, kind))
        .sum()
}

/// The move with this number, from 1.
pub fn nth(
    board: &Board,
    register: EpRegister,
    number: u16,
) -> std::result::Result<PackedMove, MoveFault> {
    let list = List::new(board, register);
    let no_such_move = || MoveFault::NoSuchMove {
        ordinal: number,
        available: count(board, register),
    };
    let mut left = number.checked_sub(1).ok_or_else(no_such_move)?;
    for (square, kind) in list.own() {
        let moves = list.count_of(square, kind);
        if left < moves {
            let mut found = None;
            list.for_each_of(square, kind, &mut |entry| {
                if left == 0 {
                    found = Some(entry);
                }
                found.is_some() || {
                    left -= 1;
                    false
                }
            });
            return match found {
                Some(Entry::Move(mv)) => Ok(mv),
                _ => Err(no_such_move()),
            };
        }
        left -= moves;
    }
    Err(no_such_move())
}

/// The number of a move, from 1; none if the list does not have it.
pub fn ordinal(board: &Board, register: EpRegister, mv: PackedMove) -> Option<u16> {
    let list = List::new(board, register);
    let mut number = 0;
    for (square, kind) in list.own() {
        if square != mv.from() {
            number += list.count_of(square, kind);
            continue;
        }
        let mut found = false;
        list.for_each_of(square, kind, &mut |entry| {
            number += 1;
            found = entry == Entry::Move(mv);
            found
        });
        return found.then_some(number);
    }
    None
}

/// One entry of the list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Entry {
    Move(PackedMove),
    /// QUIRK Q1: counted, but points off the board.
    Phantom,
}

/// The list of one position: counted by population count, enumerated for one man only.
struct List<'b> {
    board: &'b Board,
    register: u8,
    us: Color,
    ours: Bitboard,
    theirs: Bitboard,
    occupied: Bitboard,
}

/// Takes an entry; true ends the enumeration.
type Sink<'s> = &'s mut dyn FnMut(Entry) -> bool;

impl List<'_> {
    fn new(board: &Board, register: EpRegister) -> List<'_> {
        let us = board.turn();
        List {
            board,
            register: register.0,
            us,
            ours: board.by_color(us),
            theirs: board.by_color(us.other()),
            occupied: board.occupied(),
        }
    }

    /// The own men in scan order, which is the order of the bits.
    fn own(&self) -> impl Iterator<Item = (Square, PieceType)> {
        self.ours
            .filter_map(|square| Some((square, self.board.piece_at(square)?.kind)))
    }

    fn targets(&self, square: Square, kind: PieceType) -> Bitboard {
        rules::attacks_from(
            Piece {
                color: self.us,
                kind,
            },
            square,
            self.occupied,
        ) & !self.ours
    }

    fn count_of(&self, square: Square, kind: PieceType) -> u16 {
        match kind {
            PieceType::Pawn => self.count_pawn(square),
            PieceType::King => {
                let castlings = Side::ALL
                    .into_iter()
                    .filter(|&side| self.may_castle(square, side));
                self.targets(square, kind).len() as u16 + castlings.count() as u16
            }
            _ => self.targets(square, kind).len() as u16,
        }
    }

    fn for_each_of(&self, square: Square, kind: PieceType, sink: Sink<'_>) {
        match kind {
            PieceType::Pawn => self.pawn(square, sink),
            PieceType::Knight => self.steps(square, &KNIGHT, sink),
            PieceType::Bishop => drop(self.rays(square, &BISHOP, sink)),
            PieceType::Rook => drop(self.rays(square, &ROOK, sink)),
            PieceType::Queen => {
                let _ = self.rays(square, &BISHOP, sink) || self.rays(square, &ROOK, sink);
            }
            PieceType::King => {
                // The eight steps of the page come in the order of the bits.
                for to in self.targets(square, kind) {
                    if sink(Entry::Move(PackedMove::normal(square, to))) {
                        return;
                    }
                }
                for (side, kind) in [
                    (Side::Short, MoveKind::CastleShort),
                    (Side::Long, MoveKind::CastleLong),
                ] {
                    if self.may_castle(square, side)
                        && let Some(to) = Square::from_coords(side.king_file(), square.rank())
                        && sink(Entry::Move(PackedMove::new(square, to, kind)))
                    {
                        return;
                    }
                }
            }
        }
    }

    fn steps(&self, from: Square, steps: &[(i8, i8)], sink: Sink<'_>) {
        for &(files, ranks) in steps {
            if let Some(to) = from.offset(files, ranks)
                && !self.ours.has(to)
                && sink(Entry::Move(PackedMove::normal(from, to)))
            {
                return;
            }
        }
    }

    /// True if the sink ended it.
    fn rays(&self, from: Square, directions: &[(i8, i8)], sink: Sink<'_>) -> bool {
        for &(files, ranks) in directions {
            let mut to = from.offset(files, ranks);
            while let Some(square) = to
                && !self.ours.has(square)
            {
                if sink(Entry::Move(PackedMove::normal(from, square))) {
                    return true;
                }
                if self.theirs.has(square) {
                    break;
                }
                to = square.offset(files, ranks);
            }
        }
        false
    }

    /// King on e1 or e8, own rook in the corner, nothing between; rights are not asked.
    fn may_castle(&self, king: Square, side: Side) -> bool {
        let home = self.us.rank(0);
        if king.file() != 4 || king.rank() != home {
            return false;
        }
        let (corner, between): (u8, &[u8]) = match side {
            Side::Short => (7, &[5, 6]),
            Side::Long => (0, &[1, 2, 3]),
        };
        let at = |file: u8| Square::new_masked(file * 8 + home);
        self.board.pieces(self.us, PieceType::Rook).has(at(corner))
            && between.iter().all(|&file| !self.occupied.has(at(file)))
    }

    fn up(&self) -> i8 {
        self.us.pick(1, -1)
    }

    fn is_free(&self, square: Square) -> bool {
        !self.occupied.has(square)
    }

    /// The squares of a single and of a double step.
    fn pawn_steps(&self, from: Square) -> (Option<Square>, Option<Square>) {
        let single = from.offset(0, self.up()).filter(|&to| self.is_free(to));
        let double = single
            .filter(|_| from.rank() == self.us.rank(1))
            .and_then(|to| to.offset(0, self.up()))
            .filter(|&to| self.is_free(to));
        (single, double)
    }

    /// Entries of the register: towards the a-file, towards the h-file.
    fn ep_entries(&self, from: Square) -> (bool, bool) {
        let file = from.file();
        let on_rank = from.rank() == self.us.rank(4);
        (
            on_rank && file == self.register,
            on_rank && file + 2 == self.register,
        )
    }

    /// Whether the rules of chess know this en passant.
    fn is_genuine(&self, from: Square, to: Square) -> bool {
        let beside = Square::from_coords(to.file(), from.rank());
        let pawn = Piece {
            color: self.us.other(),
            kind: PieceType::Pawn,
        };
        self.board.ep_square() == Some(to)
            && self.is_free(to)
            && beside.and_then(|square| self.board.piece_at(square)) == Some(pawn)
    }

    fn count_pawn(&self, from: Square) -> u16 {
        let last = self.us.rank(7);
        let (single, double) = self.pawn_steps(from);
        let captures = rules::attacks_from(
            Piece {
                color: self.us,
                kind: PieceType::Pawn,
            },
            from,
            self.occupied,
        ) & self.theirs;
        let (to_a, to_h) = self.ep_entries(from);
        let plain = u16::from(single.is_some()) + captures.len() as u16;
        // All of them reach the same rank, so all promote or none does.
        let each = if from
            .offset(0, self.up())
            .is_some_and(|to| to.rank() == last)
        {
            4
        } else {
            1
        };
        plain * each + u16::from(double.is_some()) + u16::from(to_a) + u16::from(to_h)
    }

    fn pawn(&self, from: Square, sink: Sink<'_>) {
        let last = self.us.rank(7);
        let (single, double) = self.pawn_steps(from);
        let capture = |files| {
            from.offset(files, self.up())
                .filter(|&to| self.theirs.has(to))
        };
        if double.is_some_and(|to| sink(Entry::Move(PackedMove::normal(from, to)))) {
            return;
        }
        for to in [single, capture(-1), capture(1)].into_iter().flatten() {
            let ended = if to.rank() == last {
                PROMOTIONS.into_iter().any(|piece| {
                    sink(Entry::Move(PackedMove::new(
                        from,
                        to,
                        MoveKind::Promotion(piece),
                    )))
                })
            } else {
                sink(Entry::Move(PackedMove::normal(from, to)))
            };
            if ended {
                return;
            }
        }
        let (to_a, to_h) = self.ep_entries(from);
        for files in [to_a.then_some(-1), to_h.then_some(1)]
            .into_iter()
            .flatten()
        {
            let entry = match from.offset(files, self.up()) {
                None => Entry::Phantom,
                Some(to) => {
                    let genuine = self.is_genuine(from, to);
                    let kind = if genuine {
                        MoveKind::EnPassant
                    } else {
                        MoveKind::GhostEnPassant
                    };
                    Entry::Move(PackedMove::new(from, to, kind))
                }
            };
            if sink(entry) {
                return;
            }
        }
    }
}
