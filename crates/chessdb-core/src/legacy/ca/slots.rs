//! The slots of both sides' pieces (docs/formats/chess-assistant.md, sections 8 and 10).

use crate::{Board, Color, Error, ErrorKind, PieceType, Square};

/// The value for no square or no slot.
const NONE: u8 = 64;

/// The squares of the pieces by slot, and the piece that each pawn has become.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slots {
    squares: [[u8; Slots::COUNT]; 2],
    /// The slot of the piece on each square; meaningless for an empty square.
    slots: [u8; 64],
    /// The slot of the piece that each pawn became.
    promoted: [[u8; 8]; 2],
}

/// The error that a side has more pieces than slots.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooManyPieces;

impl From<TooManyPieces> for Error {
    fn from(_: TooManyPieces) -> Error {
        ErrorKind::over_limit("pieces of one side with a slot", 18).into()
    }
}

#[expect(
    clippy::indexing_slicing,
    reason = "colours are 0 or 1, squares below 64, slots are compared with the count"
)]
impl Slots {
    /// The number of slots of a side.
    pub const COUNT: usize = 18;

    /// The slots without any pieces.
    pub const EMPTY: Slots = Slots {
        squares: [[NONE; Slots::COUNT]; 2],
        slots: [0; 64],
        promoted: [[NONE; 8]; 2],
    };

    /// Returns the slots of the standard start position.
    pub fn standard() -> Slots {
        // Slots 8 to 15: knights, bishops and rooks in pairs, the queen, the king.
        const FILES: [u8; 8] = [1, 6, 2, 5, 0, 7, 3, 4];
        let mut slots = Slots::EMPTY;
        for color in Color::ALL {
            for file in 0..8 {
                slots.put(color, file, Square::new_masked(file << 3 | color.rank(1)));
            }
            for (slot, file) in (8..).zip(FILES) {
                slots.put(color, slot, Square::new_masked(file << 3 | color.rank(0)));
            }
        }
        slots
    }

    /// Returns the square of the piece in a slot.
    #[inline]
    pub fn square(&self, color: Color, slot: u8) -> Option<Square> {
        // `NONE` is no square, so that an empty slot gives `None`.
        Square::new(*self.squares[color as usize].get(usize::from(slot))?)
    }

    /// Returns the slot of the piece of this colour on a square.
    #[inline]
    pub fn slot(&self, color: Color, square: Square) -> Option<u8> {
        let slot = self.slots[usize::from(square.index())];
        // `slots` keeps its entry when a piece leaves a square, so both tables must agree.
        (self.square(color, slot) == Some(square)).then_some(slot)
    }

    /// Returns the slot of the piece that pawn `pawn` (0..=7) became, while it is on the board.
    pub fn promoted(&self, color: Color, pawn: u8) -> Option<u8> {
        let slot = *self.promoted[color as usize].get(usize::from(pawn))?;
        (slot != NONE).then_some(slot)
    }

    /// Returns the pawn that became the piece in this slot.
    pub(super) fn pawn_of(&self, color: Color, slot: u8) -> Option<u8> {
        let pawn = self.promoted[color as usize]
            .iter()
            .position(|&entry| entry == slot)?;
        Some(pawn as u8)
    }

    /// Puts the piece of a slot on a square, regardless of its previous square. Slots above 17 do
    /// not exist and are ignored.
    #[inline]
    pub fn put(&mut self, color: Color, slot: u8, square: Square) {
        if let Some(place) = self.squares[color as usize].get_mut(usize::from(slot)) {
            *place = square.index();
            self.slots[usize::from(square.index())] = slot;
        }
    }

    /// Marks the piece in this pawn's slot as a piece that the pawn became (section 10).
    pub fn put_promoted(&mut self, color: Color, pawn: u8) {
        if let Some(place) = self.promoted[color as usize].get_mut(usize::from(pawn)) {
            *place = pawn;
        }
    }

    /// Empties the slot of the piece on a square.
    #[inline]
    pub(super) fn remove(&mut self, color: Color, square: Square) {
        let Some(slot) = self.slot(color, square) else {
            return;
        };
        self.squares[color as usize][usize::from(slot)] = NONE;
        // A captured promoted piece frees the code of its pawn.
        for promoted in &mut self.promoted[color as usize] {
            if *promoted == slot {
                *promoted = NONE;
            }
        }
    }

    /// Moves the piece in a pawn's slot, which has just been promoted, to another slot.
    pub(super) fn promote(&mut self, color: Color, pawn: u8, slot: u8) {
        let Some(square) = self.square(color, pawn) else {
            return;
        };
        self.squares[color as usize][usize::from(pawn)] = NONE;
        self.put(color, slot, square);
        if let Some(place) = self.promoted[color as usize].get_mut(usize::from(pawn)) {
            *place = slot;
        }
    }

    /// Moves the piece on a square, which has just been promoted, to the slot that the file names
    /// ([`super::CaNumbering::promotion_slot`]). Does nothing if the slot is taken.
    pub fn settle(&mut self, color: Color, square: Square, slot: u8) {
        let Some(old) = self.slot(color, square) else {
            return;
        };
        if old == slot || self.square(color, slot).is_some() || usize::from(slot) >= Slots::COUNT {
            return;
        }
        self.squares[color as usize][usize::from(old)] = NONE;
        self.put(color, slot, square);
        for promoted in &mut self.promoted[color as usize] {
            if *promoted == old {
                *promoted = slot;
            }
        }
    }

    /// Returns whether a promotion may name this slot for the new piece (section 9.1).
    pub(super) const fn takes_pieces(slot: u8) -> bool {
        matches!(slot, 8..=14 | 16 | 17)
    }

    /// Returns the slots that a writer assigns to the pieces of any position (section 10): 15 to
    /// the king; to a pawn the one of its file or a free one; 12 and 13 to rooks in their corners;
    /// to other pieces the slots of their type in the order of files, then 16 and 17, then free
    /// slots of pawns.
    ///
    /// # Errors
    ///
    /// Returns [`TooManyPieces`] if there are not enough slots; a second king never gets one.
    pub fn from_board(board: &Board) -> Result<Slots, TooManyPieces> {
        let mut slots = Slots::EMPTY;
        for color in Color::ALL {
            slots.place_pawns(board, color)?;
            let mut kings = board.pieces(color, PieceType::King).into_iter();
            if let Some(king) = kings.next() {
                slots.put(color, 15, king);
            }
            // The king has one slot, and castling needs to know which king is meant.
            if kings.next().is_some() {
                return Err(TooManyPieces);
            }
            let mut surplus = Vec::new();
            slots.place_rooks(board, color, &mut surplus);
            for (kind, own) in [
                (PieceType::Knight, &[8, 9][..]),
                (PieceType::Bishop, &[10, 11]),
                (PieceType::Queen, &[14]),
            ] {
                let mut own = own.iter();
                for square in board.pieces(color, kind) {
                    match own.next() {
                        Some(&slot) => slots.put(color, slot, square),
                        None => surplus.push(square),
                    }
                }
            }
            slots.place_surplus(color, surplus)?;
        }
        Ok(slots)
    }

    fn first_free(&self, color: Color, slots: impl IntoIterator<Item = u8>) -> Option<u8> {
        slots
            .into_iter()
            .find(|&slot| self.square(color, slot).is_none())
    }

    fn place_pawns(&mut self, board: &Board, color: Color) -> Result<(), TooManyPieces> {
        let pawns = board.pieces(color, PieceType::Pawn);
        // First each pawn on its own file, as long as that slot is free.
        for pawn in pawns {
            if self.square(color, pawn.file()).is_none() {
                self.put(color, pawn.file(), pawn);
            }
        }
        // Then the doubled ones, in the slots that remain.
        for pawn in pawns {
            if self.slot(color, pawn).is_none() {
                let slot = self.first_free(color, 0..8).ok_or(TooManyPieces)?;
                self.put(color, slot, pawn);
            }
        }
        Ok(())
    }

    fn place_rooks(&mut self, board: &Board, color: Color, surplus: &mut Vec<Square>) {
        let rooks = board.pieces(color, PieceType::Rook);
        // Corners first, so that castling finds its rook in the slot of its side.
        for (slot, file) in [(12, 0), (13, 7)] {
            let corner = Square::new_masked(file << 3 | color.rank(0));
            if rooks.has(corner) {
                self.put(color, slot, corner);
            }
        }
        for rook in rooks {
            if self.slot(color, rook).is_none() {
                match self.first_free(color, [12, 13]) {
                    Some(slot) => self.put(color, slot, rook),
                    None => surplus.push(rook),
                }
            }
        }
    }

    fn place_surplus(&mut self, color: Color, surplus: Vec<Square>) -> Result<(), TooManyPieces> {
        for square in surplus {
            let slot = self.first_free(color, [16, 17].into_iter().chain(0..8));
            let slot = slot.ok_or(TooManyPieces)?;
            self.put(color, slot, square);
            // A piece in the slot of a pawn counts as promoted from it.
            if slot < 8 {
                self.put_promoted(color, slot);
            }
        }
        Ok(())
    }
}
