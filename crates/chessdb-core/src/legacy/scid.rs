//! SCID's piece numbers and move codes (docs/formats/scid.md, section 5).
//!
//! Each side numbers its pieces 0..=15; a move is one byte, number in the high and code in the low
//! nibble, or two bytes for a queen's diagonal move.

mod reading;
mod tables;

use super::{MoveFault, Numbering};
use crate::model::Start;
use crate::{
    Board, Color, ErrorKind, Facts, MoveKind, PackedMove, PieceType, Played, Result, Side, Square,
};

pub use reading::ReadLines;

/// SCID's scheme, the same in si3, si4 and si5.
#[derive(Clone, Copy, Default, Debug)]
pub struct ScidNumbering;

/// The numbers of both sides' pieces.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PieceLists {
    sides: [PieceList; 2],
}

/// The numbers of one side's pieces.
#[derive(Clone, PartialEq, Eq, Debug)]
struct PieceList {
    /// Where each piece stands, by number.
    squares: [Square; 16],
    len: u8,
    /// The number of the piece on each square; meaningless where none of this side stands.
    numbers: [u8; 64],
}

/// What takes a move back that went from one square to another and did nothing else.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moved {
    from: Square,
    to: Square,
    number: u8,
    /// The number of the piece that was taken; [`NONE`] of none.
    taken: u8,
}

/// No number.
const NONE: u8 = 16;

/// More pieces of a side than four bits can number.
const TOO_MANY: ErrorKind = ErrorKind::LimitExceeded {
    what: "pieces of one side",
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

    const fn standard(color: Color) -> PieceList {
        const FILES: [u8; 8] = [4, 0, 1, 2, 3, 5, 6, 7];
        let mut list = PieceList::EMPTY;
        while list.len < 16 {
            let n = list.len;
            let (file, rank) = match n {
                0..8 => (FILES[n as usize], 0),
                _ => (n - 8, 1),
            };
            let square = Square::new_masked(file * 8 + color.rank(rank));
            list.squares[n as usize] = square;
            list.numbers[square.index() as usize] = n;
            list.len += 1;
        }
        list
    }

    #[inline(always)]
    fn square(&self, number: u8) -> Option<Square> {
        (number < self.len).then(|| self.squares[usize::from(number & 15)])
    }

    #[inline(always)]
    fn set(&mut self, number: u8, square: Square) {
        self.squares[usize::from(number & 15)] = square;
        self.numbers[usize::from(square.index())] = number & 15;
    }

    #[inline(always)]
    fn number(&self, square: Square) -> Option<u8> {
        let number = self.numbers[usize::from(square.index())];
        (self.square(number) == Some(square)).then_some(number)
    }

    /// Adds a piece; a king takes number 0 from the piece that has it (section 5.2).
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

    /// The piece with the last number takes over that of the captured piece (section 5.3).
    #[inline]
    fn remove(&mut self, square: Square) {
        if let Some(number) = self.number(square) {
            self.len -= 1;
            let last = self.squares[usize::from(self.len & 15)];
            self.set(number, last);
        }
    }

    /// Takes [`PieceList::remove`] back, right after it: the piece with this number stood there.
    fn take_back(&mut self, number: u8, square: Square) {
        let last = self.squares[usize::from(self.len & 15)];
        self.set(self.len, last);
        self.set(number, square);
        self.len += 1;
    }

    fn relocate(&mut self, from: Square, to: Square) {
        if let Some(number) = self.number(from) {
            self.set(number, to);
        }
    }
}

impl PieceLists {
    /// The pieces of the usual start position; hard-wired, not by the FEN rule (section 5.1).
    pub fn standard() -> PieceLists {
        static STANDARD: PieceLists = PieceLists {
            sides: [
                PieceList::standard(Color::White),
                PieceList::standard(Color::Black),
            ],
        };
        STANDARD.clone()
    }

    /// The pieces of any position, in the order in which a FEN names them (section 5.2).
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

    /// The number of the piece of this colour on a square.
    #[inline(always)]
    pub fn number(&self, color: Color, square: Square) -> Option<u8> {
        self.side(color).number(square)
    }

    /// Appends the bytes of a legal move, or of the null move, by what is known of it, as
    /// [`Numbering::encode_readable`] does by the position.
    ///
    /// # Errors
    ///
    /// Why it has none.
    #[inline]
    pub fn encode_known(
        &self,
        color: Color,
        mv: PackedMove,
        facts: Facts,
        out: &mut Vec<u8>,
    ) -> std::result::Result<(), MoveFault> {
        if mv.is_null() {
            out.push(0);
            return Ok(());
        }
        if facts.taken() == KING_CODE {
            return Err(MoveFault::TakesKing);
        }
        let number = self.number(color, mv.from()).ok_or(MoveFault::NoCode)?;
        let (code, second) = tables::code_of(color, facts.piece(), mv).ok_or(MoveFault::NoCode)?;
        // Number 0 with a code above 10 would be a marker, not a move (section 4.3).
        if number == 0 && (code == 0 || code > CASTLE_SHORT) {
            return Err(MoveFault::NoCode);
        }
        out.push(number << 4 | code);
        if second {
            out.push(mv.to().rank_major() + SECOND_BYTE);
        }
        Ok(())
    }

    /// Keeps the numbers in step with such a move. `start` is the position at the start of the game,
    /// where the rooks stand that may castle.
    #[inline]
    pub fn play_known(&mut self, color: Color, mv: PackedMove, facts: Facts, start: &Board) {
        let (from, to) = (mv.from(), mv.to());
        let Some(number) = self.number(color, from).filter(|_| !mv.is_null()) else {
            return;
        };
        if facts.taken() != 0 {
            let square = match mv.kind() {
                _ if mv.is_normal() => to,
                MoveKind::EnPassant => Square::new_masked(to.index() & 0x38 | from.rank()),
                _ => to,
            };
            self.side_mut(color.other()).remove(square);
        }
        let side = match mv.kind() {
            _ if mv.is_normal() => None,
            MoveKind::CastleShort => Some(Side::Short),
            MoveKind::CastleLong => Some(Side::Long),
            _ => None,
        };
        let list = self.side_mut(color);
        if let Some(side) = side
            && let Some(rook) = start.castling_rook(color, side)
        {
            list.relocate(rook, Square::new_masked(side.rook_file() << 3 | to.rank()));
        }
        list.set(number, to);
    }

    /// Appends the bytes of a legal move that goes from one square to another and does nothing else,
    /// by what is known of it, and keeps the numbers in step: [`PieceLists::encode_known`] and
    /// [`PieceLists::play_known`] together. Nothing happens to a move that has no bytes.
    #[inline]
    pub fn write_usual(
        &mut self,
        color: Color,
        mv: PackedMove,
        facts: Facts,
        out: &mut Vec<u8>,
    ) -> Option<Moved> {
        let (from, to) = (mv.from(), mv.to());
        let number = self.number(color, from)?;
        let (code, second) = tables::usual_code(color, facts.piece(), from, to)?;
        if facts.taken() == KING_CODE || number == 0 && (code == 0 || code > CASTLE_SHORT) {
            return None;
        }
        out.push(number << 4 | code);
        if second {
            out.push(to.rank_major() + SECOND_BYTE);
        }
        Some(self.go(color, number, from, to, facts.taken() != 0))
    }

    /// A piece goes from one square to another, where it takes one of the other side, or does not.
    #[inline(always)]
    fn go(&mut self, color: Color, number: u8, from: Square, to: Square, takes: bool) -> Moved {
        let mut taken = NONE;
        if takes {
            let others = self.side_mut(color.other());
            taken = others.number(to).unwrap_or(NONE);
            others.remove(to);
        }
        self.side_mut(color).set(number, to);
        Moved {
            from,
            to,
            number,
            taken,
        }
    }

    /// Takes the last move of a side back.
    pub fn take_back(&mut self, color: Color, moved: Moved) {
        self.side_mut(color).set(moved.number, moved.from);
        if moved.taken != NONE {
            self.side_mut(color.other())
                .take_back(moved.taken, moved.to);
        }
    }

    /// Where the piece with a number stands.
    pub fn square(&self, color: Color, number: u8) -> Option<Square> {
        self.side(color).square(number)
    }
}

const CASTLE_LONG: u8 = 9;
const CASTLE_SHORT: u8 = 10;
const DOUBLE_STEP: u8 = 15;
/// What the second byte of a queen's diagonal move has on top of the square.
const SECOND_BYTE: u8 = 64;
/// Pawn and king in the lowest three bits of the board's own codes.
const PAWN_CODE: u8 = 1;
const KING_CODE: u8 = 6;

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
        if byte == 0 {
            return Ok((PackedMove::NULL, 1));
        }
        let (number, code) = (byte >> 4, byte & 15);
        let list = lists.side(board.turn());
        let no_piece = MoveFault::NoSuchPiece {
            number,
            pieces: list.len,
        };
        let from = list.square(number).ok_or(no_piece)?;
        let piece = board.code_at(from.index());
        let mut to = tables::target(piece, code, from);
        let mut used = 1;
        if to >= tables::NOWHERE {
            (to, used) = match to {
                tables::DIAGONAL => diagonal(from, bytes)?,
                tables::CASTLING => {
                    let side = if code == CASTLE_SHORT {
                        Side::Short
                    } else {
                        Side::Long
                    };
                    return castle(board, from, side).map(|mv| (mv, 1));
                }
                _ => {
                    let piece = board.piece_at(from).ok_or(no_piece)?;
                    return Err(MoveFault::BadCode {
                        piece: piece.kind,
                        code,
                    });
                }
            };
        }
        let to = Square::new_masked(to);
        let taken = board.code_at(to.index());
        if taken & 7 == KING_CODE {
            return Err(MoveFault::TakesKing);
        }
        let mut kind = MoveKind::Normal;
        if piece & 7 == PAWN_CODE {
            kind = tables::pawn_kind(code);
            if taken == 0 && to.file() != from.file() && kind == MoveKind::Normal {
                kind = MoveKind::EnPassant;
            }
        }
        Ok((PackedMove::new(from, to, kind), used))
    }

    #[inline]
    fn encode(
        &self,
        lists: &PieceLists,
        board: &Board,
        mv: PackedMove,
        out: &mut Vec<u8>,
    ) -> std::result::Result<(), MoveFault> {
        let from = mv.from();
        if mv.is_null() {
            out.push(0);
            return Ok(());
        }
        let piece = board.piece_at(from).ok_or(MoveFault::NoCode)?;
        encode_of(lists, board.turn(), piece.kind, mv, out)
    }

    #[inline]
    fn play(&self, lists: &mut PieceLists, board: &Board, mv: PackedMove, played: &Played) {
        if mv.is_null() {
            return;
        }
        if let Some((square, piece)) = played.captured {
            lists.side_mut(piece.color).remove(square);
        }
        let (from, to) = (mv.from(), mv.to());
        // The mover's list first; a piece of the other side moves only in damaged games.
        let mover = board.turn().other();
        for color in [mover, mover.other()] {
            let list = lists.side_mut(color);
            let Some(number) = list.number(from) else {
                continue;
            };
            // In Chess960 king and rook may swap squares: the number is looked up before.
            if let Some((rook_from, rook_to)) = played.rook {
                list.relocate(rook_from, rook_to);
            }
            list.set(number, to);
            return;
        }
    }
}

/// Appends the bytes of a move of this kind of piece.
#[inline(always)]
fn encode_of(
    lists: &PieceLists,
    color: Color,
    kind: PieceType,
    mv: PackedMove,
    out: &mut Vec<u8>,
) -> std::result::Result<(), MoveFault> {
    let (from, to) = (mv.from(), mv.to());
    let number = lists.number(color, from).ok_or(MoveFault::NoCode)?;
    let files = to.file() as i8 - from.file() as i8;
    let ranks = to.rank() as i8 - from.rank() as i8;
    let special = !matches!(mv.kind(), MoveKind::Normal);
    let code = match (kind, mv.kind()) {
        (PieceType::King, MoveKind::CastleLong) => Some(CASTLE_LONG),
        (PieceType::King, MoveKind::CastleShort) => Some(CASTLE_SHORT),
        (PieceType::Pawn, kind) => pawn_code(color, kind, files, ranks),
        _ if special => None,
        (PieceType::King, _) => tables::king_code(files, ranks),
        (PieceType::Knight, _) => tables::knight_code(files, ranks),
        (PieceType::Bishop, _) if files == ranks => Some(to.file()),
        (PieceType::Bishop, _) if files == -ranks => Some(to.file() + 8),
        (PieceType::Rook | PieceType::Queen, _) if ranks == 0 => Some(to.file()),
        (PieceType::Rook | PieceType::Queen, _) if files == 0 => Some(to.rank() + 8),
        (PieceType::Queen, _) if files.abs() == ranks.abs() => {
            out.extend_from_slice(&[number << 4 | from.file(), to.rank_major() + SECOND_BYTE]);
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

/// The target of a queen's diagonal move, which stands in the second byte.
fn diagonal(from: Square, bytes: &[u8]) -> std::result::Result<(u8, usize), MoveFault> {
    let &second = bytes.get(1).ok_or(MoveFault::Truncated)?;
    let to = second
        .checked_sub(SECOND_BYTE)
        .and_then(Square::from_rank_major)
        .filter(|to| to.file().abs_diff(from.file()) == to.rank().abs_diff(from.rank()))
        .filter(|&to| to != from)
        .ok_or(MoveFault::BadCode {
            piece: PieceType::Queen,
            code: from.file(),
        })?;
    Ok((to.index(), 2))
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
            tables::PROMOTIONS
                .iter()
                .position(|&known| known == piece)? as u8
                + 1
        }
        MoveKind::Normal | MoveKind::EnPassant => 0,
        _ => return None,
    };
    Some(promotion * 3 + direction)
}
