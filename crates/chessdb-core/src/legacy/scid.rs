//! SCID's piece numbers and move codes (docs/formats/scid.md, section 5).
//!
//! Each side numbers its men 0..=15; a move is one byte, number in the high and code in the low
//! nibble, or two bytes for a queen's diagonal move.

use super::{MoveFault, Numbering};
use crate::model::Start;
use crate::{
    Board, Color, ErrorKind, MoveKind, PackedMove, PieceType, Played, Result, Side, Square,
};

/// SCID's scheme, the same in si3, si4 and si5.
#[derive(Clone, Copy, Default, Debug)]
pub struct ScidNumbering;

/// The numbers of both sides' men.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PieceLists {
    sides: [PieceList; 2],
}

/// The numbers of one side's men.
#[derive(Clone, PartialEq, Eq, Debug)]
struct PieceList {
    /// Where each man stands, by number.
    squares: [Square; 16],
    len: u8,
    /// The number of the man on each square; meaningless where none of this side stands.
    numbers: [u8; 64],
}

/// More men of a side than four bits can number.
const TOO_MANY: ErrorKind = ErrorKind::LimitExceeded {
    what: "men of one side",
    limit: 16,
};

#[expect(
    clippy::indexing_slicing,
    reason = "numbers are masked to 0..16, squares are below 64, colours are 0 or 1"
)]
impl PieceList {
    const EMPTY: PieceList = PieceList {
        squares: [Square::new_masked(0); 16],
        len: 0,
        numbers: [0; 64],
    };

    fn square(&self, number: u8) -> Option<Square> {
        (number < self.len).then(|| self.squares[usize::from(number & 15)])
    }

    fn set(&mut self, number: u8, square: Square) {
        self.squares[usize::from(number & 15)] = square;
        self.numbers[usize::from(square.index())] = number & 15;
    }

    fn number(&self, square: Square) -> Option<u8> {
        let number = self.numbers[usize::from(square.index())];
        (self.square(number) == Some(square)).then_some(number)
    }

    /// Adds a man; a king takes number 0 from the man that has it (section 5.2).
    fn add(&mut self, square: Square, kind: PieceType) -> Result<()> {
        if self.len >= 16 {
            return Err(TOO_MANY.into());
        }
        let number = self.len;
        self.len += 1;
        if kind == PieceType::King && number > 0 {
            self.set(number, self.squares[0]);
            self.set(0, square);
        } else {
            self.set(number, square);
        }
        Ok(())
    }

    /// The man with the last number takes over that of the captured man (section 5.3).
    fn remove(&mut self, square: Square) {
        if let Some(number) = self.number(square) {
            self.len -= 1;
            let last = self.squares[usize::from(self.len & 15)];
            self.set(number, last);
        }
    }

    fn relocate(&mut self, from: Square, to: Square) {
        if let Some(number) = self.number(from) {
            self.set(number, to);
        }
    }
}

impl PieceLists {
    /// The men of the usual start position; hard-wired, not by the FEN rule (section 5.1).
    pub fn standard() -> PieceLists {
        const FILES: [u8; 8] = [4, 0, 1, 2, 3, 5, 6, 7];
        let mut lists = PieceLists {
            sides: [PieceList::EMPTY; 2],
        };
        for color in Color::ALL {
            let list = lists.side_mut(color);
            let pawns = (0..8).map(|file| (file, 1));
            let men = FILES.into_iter().map(|file| (file, 0)).chain(pawns);
            for (number, (file, rank)) in men.enumerate() {
                let square = Square::new_masked(file * 8 + color.rank(rank));
                list.set(number as u8, square);
            }
            list.len = 16;
        }
        lists
    }

    /// The men of any position, in the order in which a FEN names them (section 5.2).
    pub fn from_board(board: &Board) -> Result<PieceLists> {
        let mut lists = PieceLists {
            sides: [PieceList::EMPTY; 2],
        };
        for rank in (0..8).rev() {
            for file in 0..8 {
                let square = Square::new_masked(file * 8 + rank);
                if let Some(piece) = board.piece_at(square) {
                    lists.side_mut(piece.color).add(square, piece.kind)?;
                }
            }
        }
        Ok(lists)
    }

    #[inline]
    fn side(&self, color: Color) -> &PieceList {
        let [white, black] = &self.sides;
        color.pick(white, black)
    }

    #[inline]
    fn side_mut(&mut self, color: Color) -> &mut PieceList {
        let [white, black] = &mut self.sides;
        match color {
            Color::White => white,
            Color::Black => black,
        }
    }

    /// The number of the man of this colour on a square.
    pub fn number(&self, color: Color, square: Square) -> Option<u8> {
        self.side(color).number(square)
    }

    /// Where the man with a number stands.
    pub fn square(&self, color: Color, number: u8) -> Option<Square> {
        self.side(color).square(number)
    }
}

/// Steps (files, ranks) of the king's codes 1..=8.
const KING: [(i8, i8); 8] = [
    (-1, -1),
    (0, -1),
    (1, -1),
    (-1, 0),
    (1, 0),
    (-1, 1),
    (0, 1),
    (1, 1),
];
/// Steps of the knight's codes 1..=8.
const KNIGHT: [(i8, i8); 8] = [
    (-1, -2),
    (1, -2),
    (-2, -1),
    (2, -1),
    (-2, 1),
    (2, 1),
    (-1, 2),
    (1, 2),
];
/// Pieces of the pawn's promotion codes: 3..=5, 6..=8, 9..=11, 12..=14.
const PROMOTIONS: [PieceType; 4] = [
    PieceType::Queen,
    PieceType::Rook,
    PieceType::Bishop,
    PieceType::Knight,
];
const CASTLE_LONG: u8 = 9;
const CASTLE_SHORT: u8 = 10;
const DOUBLE_STEP: u8 = 15;
/// What the second byte of a queen's diagonal move has on top of the square.
const DIAGONAL: u8 = 64;

impl Numbering for ScidNumbering {
    type State = PieceLists;

    fn start(&self, start: &Start) -> Result<PieceLists> {
        match start {
            Start::Standard => Ok(PieceLists::standard()),
            Start::Setup(setup) => PieceLists::from_board(&setup.board),
        }
    }

    #[inline]
    fn decode(
        &self,
        lists: &PieceLists,
        board: &Board,
        bytes: &[u8],
    ) -> std::result::Result<(PackedMove, usize), MoveFault> {
        let &byte = bytes.first().ok_or(MoveFault::Truncated)?;
        let (number, code) = (byte >> 4, byte & 15);
        let list = lists.side(board.turn());
        if byte == 0 {
            return Ok((PackedMove::NULL, 1));
        }
        let from = list.square(number).ok_or(MoveFault::NoSuchMan {
            number,
            men: list.len,
        })?;
        let piece = board.piece_at(from).ok_or(MoveFault::NoSuchMan {
            number,
            men: list.len,
        })?;
        let kind = piece.kind;
        let bad = MoveFault::BadCode { piece: kind, code };
        let mut used = 1;
        let mut move_kind = MoveKind::Normal;
        let step = |steps: &[(i8, i8); 8]| {
            let &(files, ranks) = steps.get(usize::from(code).wrapping_sub(1))?;
            from.offset(files, ranks)
        };
        let to = match kind {
            PieceType::King if code == CASTLE_LONG || code == CASTLE_SHORT => {
                let side = if code == CASTLE_SHORT {
                    Side::Short
                } else {
                    Side::Long
                };
                return castle(board, from, side).map(|mv| (mv, 1));
            }
            PieceType::King => step(&KING),
            PieceType::Knight => step(&KNIGHT),
            PieceType::Bishop => {
                let files = (code & 7) as i8 - from.file() as i8;
                from.offset(files, if code < 8 { files } else { -files })
            }
            PieceType::Queen if code == from.file() => {
                let &second = bytes.get(1).ok_or(MoveFault::Truncated)?;
                used = 2;
                second
                    .checked_sub(DIAGONAL)
                    .and_then(Square::from_rank_major)
            }
            PieceType::Rook | PieceType::Queen if code < 8 => {
                Square::from_coords(code, from.rank())
            }
            PieceType::Rook | PieceType::Queen => Square::from_coords(from.file(), code - 8),
            PieceType::Pawn => {
                let up = board.turn().pick(1, -1);
                let (files, ranks) = match code {
                    DOUBLE_STEP => (0, 2 * up),
                    _ => ((code % 3) as i8 - 1, 1),
                };
                if code != DOUBLE_STEP {
                    if let Some(promotion) = (code / 3).checked_sub(1)
                        && let Some(&kind) = PROMOTIONS.get(usize::from(promotion))
                    {
                        move_kind = MoveKind::Promotion(kind);
                    }
                    from.offset(files * up, ranks * up)
                } else {
                    from.offset(files, ranks)
                }
            }
        }
        .filter(|&to| to != from)
        .ok_or(bad)?;
        match board.piece_at(to) {
            Some(taken) if taken.kind == PieceType::King => return Err(MoveFault::TakesKing),
            None if kind == PieceType::Pawn
                && to.file() != from.file()
                && move_kind == MoveKind::Normal =>
            {
                move_kind = MoveKind::EnPassant;
            }
            _ => {}
        }
        Ok((PackedMove::new(from, to, move_kind), used))
    }

    #[inline]
    fn encode(
        &self,
        lists: &PieceLists,
        board: &Board,
        mv: PackedMove,
        out: &mut Vec<u8>,
    ) -> std::result::Result<(), MoveFault> {
        let (from, to) = (mv.from(), mv.to());
        if mv.is_null() {
            out.push(0);
            return Ok(());
        }
        let color = board.turn();
        let number = lists.number(color, from).ok_or(MoveFault::NoCode)?;
        let piece = board.piece_at(from).ok_or(MoveFault::NoCode)?;
        let files = to.file() as i8 - from.file() as i8;
        let ranks = to.rank() as i8 - from.rank() as i8;
        let step = |steps: &[(i8, i8); 8]| {
            steps
                .iter()
                .position(|&s| s == (files, ranks))
                .map(|at| at as u8 + 1)
        };
        let special = !matches!(mv.kind(), MoveKind::Normal);
        let code = match (piece.kind, mv.kind()) {
            (PieceType::King, MoveKind::CastleLong) => Some(CASTLE_LONG),
            (PieceType::King, MoveKind::CastleShort) => Some(CASTLE_SHORT),
            (PieceType::Pawn, kind) => pawn_code(color, kind, files, ranks),
            _ if special => None,
            (PieceType::King, _) => step(&KING),
            (PieceType::Knight, _) => step(&KNIGHT),
            (PieceType::Bishop, _) if files == ranks => Some(to.file()),
            (PieceType::Bishop, _) if files == -ranks => Some(to.file() + 8),
            (PieceType::Rook | PieceType::Queen, _) if ranks == 0 => Some(to.file()),
            (PieceType::Rook | PieceType::Queen, _) if files == 0 => Some(to.rank() + 8),
            (PieceType::Queen, _) if files.abs() == ranks.abs() => {
                out.extend_from_slice(&[number << 4 | from.file(), to.rank_major() + DIAGONAL]);
                return Ok(());
            }
            _ => None,
        }
        .ok_or(MoveFault::NoCode)?;
        // Number 0 with a code above 10 would be a marker, not a move (section 4.3).
        if from == to && !special || number == 0 && (code == 0 || code > CASTLE_SHORT) {
            return Err(MoveFault::NoCode);
        }
        out.push(number << 4 | code);
        Ok(())
    }

    #[inline]
    fn play(&self, lists: &mut PieceLists, mv: PackedMove, played: &Played) {
        if mv.is_null() {
            return;
        }
        if let Some((square, piece)) = played.captured {
            lists.side_mut(piece.color).remove(square);
        }
        let (from, to) = (mv.from(), mv.to());
        for color in Color::ALL {
            let list = lists.side_mut(color);
            // In Chess960 king and rook may swap squares: look both up before moving either.
            let number = list.number(from);
            if let Some((rook_from, rook_to)) = played.rook
                && number.is_some()
            {
                list.relocate(rook_from, rook_to);
            }
            if let Some(number) = number {
                list.set(number, to);
                return;
            }
        }
    }
}

/// Scid's own test: the right is there and the path is free (section 5.4).
fn castle(board: &Board, king: Square, side: Side) -> std::result::Result<PackedMove, MoveFault> {
    let rank = king.rank();
    let kind = match side {
        Side::Short => MoveKind::CastleShort,
        Side::Long => MoveKind::CastleLong,
    };
    let rook = board
        .castling_rook(board.turn(), side)
        .ok_or(MoveFault::NoCastling)?;
    let to = Square::from_coords(side.king_file(), rank).ok_or(MoveFault::NoCastling)?;
    let files = [king.file(), rook.file(), side.king_file(), side.rook_file()];
    let first = files.into_iter().min().unwrap_or(0);
    let last = files.into_iter().max().unwrap_or(7);
    let free = (first..=last)
        .filter_map(|file| Square::from_coords(file, rank))
        .all(|square| square == king || square == rook || board.piece_at(square).is_none());
    if rook.rank() != rank || !free {
        return Err(MoveFault::NoCastling);
    }
    Ok(PackedMove::new(king, to, kind))
}

/// 0, 1, 2 forward to the mover's left, straight, right; promotions the same, three codes each;
/// 15 two steps.
fn pawn_code(color: Color, kind: MoveKind, files: i8, ranks: i8) -> Option<u8> {
    let up = color.pick(1, -1);
    if ranks == 2 * up && files == 0 && kind == MoveKind::Normal {
        return Some(DOUBLE_STEP);
    }
    if ranks != up || files.abs() > 1 {
        return None;
    }
    let direction = (files * up + 1) as u8;
    let promotion = match kind {
        MoveKind::Promotion(piece) => {
            PROMOTIONS.iter().position(|&known| known == piece)? as u8 + 1
        }
        MoveKind::Normal | MoveKind::EnPassant => 0,
        _ => return None,
    };
    Some(promotion * 3 + direction)
}
