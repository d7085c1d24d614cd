//! Assignment of pieces to slots (docs/formats/bytecode.md, section 2).

use super::codes::{self, Code};
use crate::board::{Piece, Played};
use crate::legacy::{Coded, MoveFault};
use crate::{Board, Color, ErrorKind, PackedMove, PieceType, Result, Square};

/// The error for a start position that cannot be numbered.
const TOO_MANY: ErrorKind =
    ErrorKind::over_limit("pieces of one kind and colour", MAX_SLOTS as u64);

/// The maximum number of slots per type; games from the standard start position need at most ten.
const MAX_SLOTS: u32 = 32;

/// The value for no square.
pub(super) const NONE: u8 = 64;

/// A piece: its slot in the list of its type and colour, and the pawn it was.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Slotted(u16);

impl Slotted {
    const ABSENT: Slotted = Slotted(0);
    const PRESENT: u16 = 1 << 15;
    /// The tag is cleared (Q1), but the piece can still be found by it.
    const CLEARED: u16 = 1 << 14;

    const fn new(color: Color, kind: PieceType, slot: u8, tag: Option<u8>) -> Slotted {
        let tag = match tag {
            Some(tag) => (tag & 7) as u16 + 1,
            None => 0,
        };
        let slot = (slot & 31) as u16;
        Slotted(Slotted::PRESENT | tag << 9 | (color as u16) << 8 | slot << 3 | kind as u16)
    }

    pub(super) fn is_present(self) -> bool {
        self.0 & Slotted::PRESENT != 0
    }

    pub(super) const fn kind(self) -> PieceType {
        match self.0 & 7 {
            0 => PieceType::Pawn,
            1 => PieceType::Knight,
            2 => PieceType::Bishop,
            3 => PieceType::Rook,
            4 => PieceType::Queen,
            _ => PieceType::King,
        }
    }

    pub(super) fn color(self) -> Color {
        if self.0 >> 8 & 1 == 0 { Color::White } else { Color::Black }
    }

    pub(super) fn slot(self) -> u8 {
        (self.0 >> 3 & 31) as u8
    }

    /// Returns the slot of the pawn that became this piece, even if the tag is cleared.
    fn pawn(self) -> Option<u8> {
        // The field is 0 for a piece that was no pawn.
        ((self.0 >> 9 & 15) as u8).checked_sub(1)
    }

    /// Returns the slot of the pawn that became this piece, if its moves must be written with it.
    pub(super) fn tag(self) -> Option<u8> {
        self.pawn().filter(|_| self.0 & Slotted::CLEARED == 0)
    }

    /// Returns the number of a piece of this colour that was never a pawn.
    #[inline]
    pub(super) fn plain_number(self, color: Color) -> Option<u8> {
        // One comparison: present, of this colour, and never a pawn.
        let plain = Slotted::PRESENT | (color as u16) << 8;
        self.number().filter(|_| self.0 & 0xFF00 == plain)
    }

    #[inline]
    #[expect(clippy::indexing_slicing, reason = "a byte has 256 values")]
    pub(super) fn number(self) -> Option<u8> {
        Some(NUMBERS[usize::from(self.0 as u8)]).filter(|&number| number < 16)
    }
}

/// Returns the number, 0..16, of a slot with a one-byte code: eight pawns, two knights, bishops and
/// rooks, a queen, a king.
const fn number(kind: PieceType, slot: u8) -> Option<u8> {
    let (first, slots) = match kind {
        PieceType::Pawn => (0, 8),
        PieceType::Knight => (8, 2),
        PieceType::Bishop => (10, 2),
        PieceType::Rook => (12, 2),
        PieceType::Queen => (14, 1),
        PieceType::King => (15, 1),
    };
    if slot < slots { Some(first + slot) } else { None }
}

/// The numbers by type and slot as stored in [`Slotted`]; 16 if there is none.
static NUMBERS: [u8; 256] = numbers();

#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
const fn numbers() -> [u8; 256] {
    let mut numbers = [16; 256];
    let mut piece = 0;
    while piece < 256 {
        if let Some(number) = number(Slotted(piece as u16).kind(), piece as u8 >> 3) {
            numbers[piece] = number;
        }
        piece += 1;
    }
    numbers
}

/// The assignment of pieces to slots.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slots {
    /// The pieces by square.
    pieces: [Slotted; 64],
    pub(super) sides: [SideSlots; 2],
    /// The numbered slot that the last move promoted into, with the side in bit 4; [`NONE`] if it
    /// was not such a move.
    pub(super) last_promotion: u8,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct SideSlots {
    /// The squares of the pieces in numbered slots; [`NONE`] if vacant.
    pub(super) numbered: [u8; 16],
    /// The squares of promoted pieces, by the pawn's slot.
    promoted: [u8; 8],
    /// The vacant slots of each type's list, as a set.
    vacant: [u32; 6],
    /// The length of each type's list.
    length: [u8; 6],
    /// The number of promotions into each numbered slot, in any line so far.
    promotions: [u16; 16],
}

impl SideSlots {
    const EMPTY: SideSlots = SideSlots {
        numbered: [NONE; 16],
        promoted: [NONE; 8],
        vacant: [0; 6],
        length: [0; 6],
        promotions: [0; 16],
    };

    /// Returns the slot for a new piece: the vacant one with the highest index, else a new one.
    fn vacancy(&self, kind: PieceType) -> Option<u8> {
        let [vacant, length] = [
            self.vacant.get(kind as usize).copied().unwrap_or(0),
            self.length.get(kind as usize).copied().unwrap_or(0).into(),
        ];
        match vacant.checked_ilog2() {
            Some(slot) => Some(slot as u8),
            None => (length < MAX_SLOTS).then_some(length as u8),
        }
    }
}

#[expect(
    clippy::indexing_slicing,
    reason = "squares are below 64, colours 0 or 1, types below 6, numbers below 16, tags below 8"
)]
impl Slots {
    const EMPTY: Slots = Slots {
        pieces: [Slotted::ABSENT; 64],
        sides: [SideSlots::EMPTY; 2],
        last_promotion: NONE,
    };

    /// The slots of the standard start position.
    pub(super) const STANDARD: Slots = Slots::standard();

    const fn standard() -> Slots {
        let (board, mut slots) = (Board::standard(), Slots::EMPTY);
        let mut place = 0;
        while place < 64 {
            // In the order of a FEN: from the eighth rank down, from the a-file to the h-file.
            let square = Square::new_masked((place & 7) * 8 + 7 - place / 8);
            if let Some(Piece { color, kind }) = board.piece_at(square) {
                let side = &mut slots.sides[color as usize];
                let slot = side.length[kind as usize];
                side.length[kind as usize] += 1;
                slots.pieces[square.index() as usize] = Slotted::new(color, kind, slot, None);
                if let Some(number) = number(kind, slot) {
                    side.numbered[(number & 15) as usize] = square.index();
                }
            }
            place += 1;
        }
        slots
    }

    /// Assigns slots to the pieces of any position in the order of a FEN (section 2). For the
    /// standard start position, this rule results in the same slots as its own.
    ///
    /// # Errors
    ///
    /// Returns an error if there are more than 32 pieces of a type and colour.
    pub fn from_board(board: &Board) -> Result<Slots> {
        let mut slots = Slots::EMPTY;
        for rank in (0..8).rev() {
            for file in 0..8 {
                let square = Square::new_masked(file * 8 + rank);
                if let Some(piece) = board.piece_at(square) {
                    let side = &mut slots.sides[piece.color as usize];
                    let slot = side.length[piece.kind as usize];
                    if u32::from(slot) >= MAX_SLOTS {
                        return Err(TOO_MANY.into());
                    }
                    side.length[piece.kind as usize] += 1;
                    slots.place(square, Slotted::new(piece.color, piece.kind, slot, None));
                }
            }
        }
        Ok(slots)
    }

    /// Returns the slot of the piece on a square.
    pub fn slot(&self, square: Square) -> Option<u8> {
        let piece = self.piece(square);
        piece.is_present().then(|| piece.slot())
    }

    /// Returns the slot of the pawn that became the piece on a square, if its moves are written
    /// with it.
    pub fn tag(&self, square: Square) -> Option<u8> {
        let piece = self.piece(square);
        piece.tag().filter(|_| piece.is_present())
    }

    #[inline]
    pub(super) fn piece(&self, square: Square) -> Slotted {
        self.pieces[usize::from(square.index())]
    }

    /// Returns the square of the piece in a numbered slot.
    #[inline]
    fn numbered(&self, color: Color, number: u8) -> Option<Square> {
        Square::new(self.sides[color as usize].numbered[usize::from(number & 15)])
    }

    /// Returns the square of a promoted piece.
    #[inline]
    fn promoted(&self, color: Color, pawn: u8) -> Option<Square> {
        Square::new(self.sides[color as usize].promoted[usize::from(pawn & 7)])
    }

    /// Decodes any move, without the tables.
    #[inline(never)]
    pub(super) fn decode_general(&self, board: &Board, bytes: &[u8]) -> Coded<(PackedMove, usize)> {
        let &byte = bytes.first().ok_or(MoveFault::Truncated)?;
        let color = board.turn();
        let code = Code::from_byte(byte);
        let absent = MoveFault::NoSuchPiece {
            number: byte,
            pieces: board.by_color(color).len() as u8,
        };
        match code {
            Code::Plain { number, code } => {
                let from = self.numbered(color, number).ok_or(absent)?;
                let mv = codes::piece_move(board, from, self.piece(from).kind(), code)?;
                Ok((mv, 1))
            }
            Code::Castle(side) => {
                // Number 15 is the king.
                let king = self.numbered(color, 15).ok_or(absent)?;
                codes::castle(board, king, side).map(|mv| (mv, 1))
            }
            Code::Null => Ok((PackedMove::NULL, 1)),
            Code::Promotion { pawn } => {
                let &second = bytes.get(1).ok_or(MoveFault::Truncated)?;
                let from = self.numbered(color, pawn).ok_or(absent)?;
                codes::promotion(board, from, second).map(|mv| (mv, 2))
            }
            Code::Promoted { pawn } => {
                let &second = bytes.get(1).ok_or(MoveFault::Truncated)?;
                let from = self.promoted(color, pawn).ok_or(absent)?;
                let mv = codes::piece_move(board, from, self.piece(from).kind(), second)?;
                Ok((mv, 2))
            }
            Code::Reserved => Err(MoveFault::BadCode {
                piece: PieceType::King,
                code: byte,
            }),
        }
    }

    /// Puts a piece on a square and updates the lookup by number and by pawn.
    #[inline]
    fn place(&mut self, square: Square, piece: Slotted) {
        self.pieces[usize::from(square.index())] = piece;
        self.update_lookup(piece, square.index());
    }

    #[inline]
    fn update_lookup(&mut self, piece: Slotted, square: u8) {
        let side = &mut self.sides[piece.color() as usize];
        if let Some(number) = piece.number() {
            side.numbered[usize::from(number & 15)] = square;
        }
        if let Some(pawn) = piece.pawn() {
            side.promoted[usize::from(pawn & 7)] = square;
        }
    }

    #[inline]
    fn lift(&mut self, square: Square) -> Slotted {
        std::mem::replace(
            &mut self.pieces[usize::from(square.index())],
            Slotted::ABSENT,
        )
    }

    /// Removes a piece from the board; its slot becomes vacant.
    fn remove(&mut self, square: Square) -> Slotted {
        let piece = self.lift(square);
        if piece.is_present() {
            self.update_lookup(piece, NONE);
            self.sides[piece.color() as usize].vacant[piece.kind() as usize] |= 1 << piece.slot();
        }
        piece
    }

    /// Replaces a promoting pawn by a new piece of this type.
    fn promote(&mut self, from: Square, to: Square, kind: PieceType) {
        let pawn = self.remove(from);
        let color = pawn.color();
        let side = &mut self.sides[color as usize];
        // Beyond the last slot there is no code for the piece, so it need not be tracked.
        let Some(slot) = side.vacancy(kind) else {
            return;
        };
        side.vacant[kind as usize] &= !(1 << slot);
        let length = &mut side.length[kind as usize];
        *length = (*length).max(slot + 1);
        let piece = Slotted::new(color, kind, slot, number(PieceType::Pawn, pawn.slot()));
        if let Some(number) = piece.number() {
            let count = &mut side.promotions[usize::from(number & 15)];
            *count = count.saturating_add(1);
            self.last_promotion = number | (color as u8) << 4;
        }
        self.place(to, piece);
    }

    /// Plays a move without special effects. Returns false and changes nothing if it is not one.
    #[inline]
    pub(super) fn play_plain(&mut self, from: Square, to: Square) -> bool {
        let piece = self.piece(from);
        if !piece.is_present() || from == to {
            return false;
        }
        if self.piece(to).is_present() {
            self.remove(to);
        }
        self.pieces[usize::from(from.index())] = Slotted::ABSENT;
        self.place(to, piece);
        true
    }

    /// Like [`Slots::play_plain`], for a piece with this number that was never a pawn, and a target
    /// other than its square.
    #[inline]
    pub(super) fn play_numbered(&mut self, color: Color, number: u8, from: Square, to: Square) {
        if self.piece(to).is_present() {
            self.remove(to);
        }
        self.pieces[usize::from(to.index())] = self.lift(from);
        self.sides[color as usize].numbered[usize::from(number & 15)] = to.index();
    }

    /// Plays any move.
    #[inline(never)]
    pub(super) fn play_any(&mut self, mv: PackedMove, played: &Played) {
        if mv.is_null() {
            return;
        }
        if let Some((square, _)) = played.captured {
            self.remove(square);
        }
        let (from, to) = (mv.from(), mv.to());
        // In Chess960 a king may castle without moving.
        if !self.piece(from).is_present() || from == to && played.rook.is_none() {
            return;
        }
        if let Some(kind) = mv.promotion() {
            self.promote(from, to, kind);
            return;
        }
        // In Chess960 king and rook may swap squares: lift both before placing either.
        let piece = self.lift(from);
        if let Some((rook_from, rook_to)) = played.rook {
            let rook = self.lift(rook_from);
            self.place(to, piece);
            if rook.is_present() {
                self.place(rook_to, rook);
            }
        } else {
            self.place(to, piece);
        }
    }

    /// Applies jose's quirk at the end of a variation: the tags of all slots into which it promoted
    /// are cleared (Q1). A promotion that was replayed has set its tag again.
    pub(super) fn clear_tags(&mut self, variation: &Slots, replayed: bool) {
        for color in Color::ALL {
            for number in 0..16 {
                let place = usize::from(number);
                let again = replayed && self.last_promotion == number | (color as u8) << 4;
                // Replaying a promotion counts once more.
                let promotions = variation.sides[color as usize].promotions[place];
                let count = promotions.saturating_add(again.into());
                let side = &mut self.sides[color as usize];
                if count <= side.promotions[place] {
                    continue;
                }
                side.promotions[place] = count;
                if again {
                    continue;
                }
                if let Some(square) = self.numbered(color, number) {
                    let piece = &mut self.pieces[usize::from(square.index())];
                    if piece.pawn().is_some() {
                        piece.0 |= Slotted::CLEARED;
                    }
                }
            }
        }
    }
}
