//! The numbers of the pieces, and fast encoding of moves with known facts.

use super::{CASTLE_SHORT, KING_CODE, SECOND_BYTE, tables};
use crate::board::{Facts, MoveKind};
use crate::legacy::{Coded, MoveFault};
use crate::{Board, Color, ErrorKind, PackedMove, PieceType, Result, Square};

/// The numbers of both sides' pieces.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PieceLists {
    sides: [PieceList; 2],
}

/// The numbers of one side's pieces.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct PieceList {
    /// The square of each piece, by number.
    squares: [Square; 16],
    pub(super) len: u8,
    /// The number of the piece on each square; meaningless for squares without a piece of this
    /// side.
    numbers: [u8; 64],
}

/// The data needed to take back a move without special effects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moved {
    from: Square,
    to: Square,
    number: u8,
    /// The number of the captured piece; [`NONE`] if there is none.
    taken: u8,
}

/// The value for no number.
const NONE: u8 = 16;

/// The error for more pieces of a side than four bits can number.
const TOO_MANY: ErrorKind = ErrorKind::over_limit("pieces of one side", 16);

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
    pub(super) fn square(&self, number: u8) -> Option<Square> {
        (number < self.len).then(|| self.squares[usize::from(number & 15)])
    }

    #[inline(always)]
    pub(super) fn set(&mut self, number: u8, square: Square) {
        self.squares[usize::from(number & 15)] = square;
        self.numbers[usize::from(square.index())] = number & 15;
    }

    #[inline(always)]
    pub(super) fn number(&self, square: Square) -> Option<u8> {
        // `numbers` keeps its entry when a piece leaves a square, so both tables must agree.
        let number = self.numbers[usize::from(square.index())];
        (self.square(number) == Some(square)).then_some(number)
    }

    /// Returns whether the piece on the square has this number. Valid only if a piece of this side
    /// is there.
    #[inline(always)]
    pub(super) fn has_number(&self, square: Square, number: u8) -> bool {
        self.numbers[usize::from(square.index())] == number
    }

    /// Adds a piece; a king takes number 0 from the piece that has it (section 5.2).
    fn add(&mut self, square: Square, kind: PieceType) -> Result<()> {
        if self.len >= 16 {
            return Err(TOO_MANY.into());
        }
        let number = self.len;
        self.len += 1;
        if kind == PieceType::King && number > 0 {
            // The king is always number 0; the piece that had it takes the king's number.
            self.set(number, self.squares[0]);
            self.set(0, square);
        } else {
            self.set(number, square);
        }
        Ok(())
    }

    /// Removes a captured piece; the piece with the last number takes over its number (section
    /// 5.3).
    #[inline]
    pub(super) fn remove(&mut self, square: Square) {
        if let Some(number) = self.number(square) {
            self.len -= 1;
            // Scid fills the gap with the last piece of the list.
            let last = self.squares[usize::from(self.len & 15)];
            self.set(number, last);
        }
    }

    /// Reverses [`PieceList::remove`] directly after it: a piece with this number was on the
    /// square.
    fn take_back(&mut self, number: u8, square: Square) {
        // The reverse of `remove`: the last piece gets its old number again.
        let last = self.squares[usize::from(self.len & 15)];
        self.set(self.len, last);
        self.set(number, square);
        self.len += 1;
    }

    pub(super) fn relocate(&mut self, from: Square, to: Square) {
        if let Some(number) = self.number(from) {
            self.set(number, to);
        }
    }
}

impl PieceLists {
    /// Returns the lists of the standard start position, which are hard-wired and do not follow the
    /// FEN rule (section 5.1).
    pub fn standard() -> PieceLists {
        static STANDARD: PieceLists = PieceLists {
            sides: [
                PieceList::standard(Color::White),
                PieceList::standard(Color::Black),
            ],
        };
        STANDARD.clone()
    }

    /// Numbers the pieces of any position, in the order of a FEN (section 5.2).
    ///
    /// # Errors
    ///
    /// Returns an error if a side has more than sixteen pieces.
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

    /// Returns the number of pieces of both sides.
    #[inline]
    pub(super) fn piece_count(&self) -> u8 {
        self.sides.iter().map(|side| side.len).sum()
    }

    #[inline]
    pub(super) fn side(&self, color: Color) -> &PieceList {
        let [white, black] = &self.sides;
        color.pick(white, black)
    }

    #[inline]
    pub(super) fn side_mut(&mut self, color: Color) -> &mut PieceList {
        let [white, black] = &mut self.sides;
        match color {
            Color::White => white,
            Color::Black => black,
        }
    }

    /// Returns the number of the piece of this colour on a square.
    #[inline(always)]
    pub fn number(&self, color: Color, square: Square) -> Option<u8> {
        self.side(color).number(square)
    }

    /// Appends the bytes of a legal move or null move, using its facts. Writes the same bytes as
    /// [`crate::legacy::Numbering::encode_readable`], which uses the position.
    ///
    /// # Errors
    ///
    /// Returns the reason why the move has no bytes.
    #[inline]
    pub fn encode_known(
        &self,
        color: Color,
        mv: PackedMove,
        facts: Facts,
        out: &mut Vec<u8>,
    ) -> Coded {
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

    /// Updates the numbers with such a move. `start` is the position at the start of the game; its
    /// castling rooks are used.
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
        let list = self.side_mut(color);
        if let Some(side) = mv.castling_side()
            && let Some(rook) = start.castling_rook(color, side)
        {
            list.relocate(rook, Square::new_masked(side.rook_file() << 3 | to.rank()));
        }
        list.set(number, to);
    }

    /// Combines [`PieceLists::encode_known`] and [`PieceLists::play_known`] for a legal move
    /// without special effects. If the move has no bytes, returns `None` and changes nothing.
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
        let (code, second) = tables::plain_code(color, facts.piece(), from, to)?;
        if facts.taken() == KING_CODE || number == 0 && (code == 0 || code > CASTLE_SHORT) {
            return None;
        }
        out.push(number << 4 | code);
        if second {
            out.push(to.rank_major() + SECOND_BYTE);
        }
        Some(self.apply_move(color, number, from, to, facts.taken() != 0))
    }

    /// Moves a piece from one square to another and captures the other side's piece there if
    /// `takes`.
    #[inline(always)]
    pub(super) fn apply_move(
        &mut self,
        color: Color,
        number: u8,
        from: Square,
        to: Square,
        takes: bool,
    ) -> Moved {
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

    /// Takes back the last move of a side.
    pub fn take_back(&mut self, color: Color, moved: Moved) {
        self.side_mut(color).set(moved.number, moved.from);
        if moved.taken != NONE {
            self.side_mut(color.other())
                .take_back(moved.taken, moved.to);
        }
    }

    /// Returns the square of the piece with a number.
    pub fn square(&self, color: Color, number: u8) -> Option<Square> {
        self.side(color).square(number)
    }
}
