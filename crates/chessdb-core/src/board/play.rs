//! Playing any move on a board, legal or not.

use super::{Board, NONE, Side, decode};
use crate::board::{Bitboard, Facts, MoveKind, Piece};
use crate::{Color, PackedMove, PieceType, Square};

/// The effects of a half-move besides moving its piece.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash, Debug)]
pub struct Played {
    /// The captured piece and its square. It can be of the moving side's colour: the board does not
    /// check rules.
    pub captured: Option<(Square, Piece)>,
    /// The squares that the rook left and reached in castling.
    pub rook: Option<(Square, Square)>,
}

impl Played {
    /// Returns the effects of a legal move of the side to move for which the tape has complete
    /// facts.
    ///
    /// Only the side to move and the castling rooks of `start` are used. These rooks must be on the
    /// squares where they were when the game began, which is where they castle from.
    #[inline]
    pub fn by_facts(start: &Board, mv: PackedMove, facts: Facts) -> Played {
        let us = start.turn;
        let plain = Played::of_plain_move(us, mv, facts);
        if mv.kind() == MoveKind::Normal {
            return plain;
        }
        let castles = |side: Side| {
            let rook = start.castling_rook(us, side)?;
            Some((rook, Square::from_coords(side.rook_file(), mv.to().rank())?))
        };
        let (square, rook) = match mv.kind() {
            MoveKind::EnPassant => (
                Square::new_masked(mv.to().index() & 0x38 | mv.from().rank()),
                None,
            ),
            MoveKind::CastleShort => (mv.to(), castles(Side::Short)),
            MoveKind::CastleLong => (mv.to(), castles(Side::Long)),
            _ => (mv.to(), None),
        };
        Played {
            captured: plain.captured.map(|(_, taken)| (square, taken)),
            rook,
        }
    }

    /// Like [`Played::by_facts`], for a move without special effects.
    #[inline]
    pub(crate) fn of_plain_move(us: Color, mv: PackedMove, facts: Facts) -> Played {
        let taken = decode(facts.taken() | (us.other() as u8) << 3);
        Played {
            captured: taken.map(|taken| (mv.to(), taken)),
            rook: None,
        }
    }
}

/// The state needed to take back a move without special effects.
#[derive(Clone, Debug)]
pub(crate) struct TakeBack {
    from: Square,
    to: Square,
    piece: u8,
    taken: u8,
    castling: [u8; 4],
    ep: u8,
    turn: Color,
    halfmove: u16,
    fullmove: u16,
}

impl TakeBack {
    /// Saves the state before the move is played.
    #[inline]
    pub(crate) fn new(board: &Board, from: u8, to: u8) -> TakeBack {
        TakeBack {
            from: Square::new_masked(from),
            to: Square::new_masked(to),
            piece: board.code_at(from),
            taken: board.code_at(to),
            castling: board.castling,
            ep: board.ep,
            turn: board.turn,
            halfmove: board.halfmove,
            fullmove: board.fullmove,
        }
    }
}

impl Board {
    /// Takes back the last move.
    pub(crate) fn take_back(&mut self, last: &TakeBack) {
        self.set_code(last.to.index(), last.taken);
        self.set_code(last.from.index(), last.piece);
        self.castling = last.castling;
        self.ep = last.ep;
        self.turn = last.turn;
        self.halfmove = last.halfmove;
        self.fullmove = last.fullmove;
    }

    /// Plays a move, even an illegal one, and returns its effects.
    ///
    /// * The piece on the from-square moves, regardless of its colour; then the turn passes. If
    ///   there is no piece, or from and to are equal, only the turn passes, as with the null move.
    /// * Any piece on the to-square is captured.
    /// * A double step of a pawn from its second rank sets the en passant square even if no pawn
    ///   could capture there; every other move clears it.
    /// * Moves of a king, and moves from or to the square of a castling rook, remove the castling
    ///   rights.
    /// * Castling moves the king to the to-square and the rook to the f- or d-file. The rook is the
    ///   one that has the castling right, else the outermost own rook on the king's rank and side,
    ///   else none.
    /// * En passant, including the ghost en passant, captures the piece on the to-square. If there
    ///   is none (always the case in games that follow the rules), it captures the piece on the
    ///   rank of from and the file of to.
    /// * The halfmove clock is reset to 0 after captures and pawn moves. Both counters stop at
    ///   65535.
    #[inline]
    #[expect(
        clippy::indexing_slicing,
        reason = "squares are masked to 0..64, types to 0..8, colours to 0..2"
    )]
    pub fn play(&mut self, mv: PackedMove) -> Played {
        let (from, to) = (mv.from().index() & 63, mv.to().index() & 63);
        let piece = self.pieces[usize::from(from)];
        let kind = (mv.bits() >> 12) as u8;
        // Kinds 1 to 5 are null, castling and the two en passants; 6 and above promotions.
        if kind.wrapping_sub(1) < 5 || piece == 0 || from == to {
            return self.play_special(mv);
        }
        let taken = self.pieces[usize::from(to)];
        self.step(from, to, piece, taken);
        if kind >= 6 {
            self.set_code(to, (piece & 8) | ((kind - 4) & 7));
        }
        self.end_move(from, to, piece, taken);
        Played {
            captured: decode(taken).map(|piece| (mv.to(), piece)),
            rook: None,
        }
    }

    /// Plays a move of a piece without special effects.
    #[inline]
    #[expect(clippy::indexing_slicing, reason = "the square is masked to 0..64")]
    pub(crate) fn play_plain(&mut self, from: u8, to: u8) {
        let (from, to) = (from & 63, to & 63);
        let (piece, taken) = (self.pieces[usize::from(from)], self.pieces[usize::from(to)]);
        self.step(from, to, piece, taken);
        self.end_move(from, to, piece, taken);
    }

    /// Updates the state that [`Board::step`] leaves unchanged.
    #[inline(always)]
    pub(crate) fn end_move(&mut self, from: u8, to: u8, piece: u8, taken: u8) {
        let pawn = piece & 7 == 1;
        self.ep = NONE;
        // Ranks 2 and 4, or 7 and 5, of one file differ only in bit 1 of the index.
        if pawn & (from ^ to == 2) {
            let second = if piece & 8 == 0 { 1 } else { 6 };
            if from & 7 == second {
                self.ep = (from + to) / 2;
            }
        }
        let clock = self.halfmove.saturating_add(1);
        self.halfmove = if pawn | (taken != 0) { 0 } else { clock };
        self.pass_turn();
    }

    /// Moves the piece with code `piece` from one square to another and removes the piece with code
    /// `taken` there (0 for none). Turn, counters and en passant square are not updated until
    /// [`Board::end_run`].
    #[inline(always)]
    #[expect(
        clippy::indexing_slicing,
        reason = "squares are masked to 0..64, types to 0..8, colours to 0..2"
    )]
    pub(crate) fn step(&mut self, from: u8, to: u8, piece: u8, taken: u8) {
        let (from, to) = (from & 63, to & 63);
        let (from_bit, to_bit) = (1u64 << from, 1u64 << to);
        let color = usize::from(piece >> 3 & 1);
        self.pieces[usize::from(from)] = 0;
        self.pieces[usize::from(to)] = piece;
        let own = (self.colors[color] & !from_bit) | to_bit;
        let other = self.colors[color ^ 1] & !to_bit;
        self.colors[color] = own;
        self.colors[color ^ 1] = other;
        self.types[usize::from(taken & 7)] ^= to_bit;
        self.types[usize::from(piece & 7)] ^= from_bit | to_bit;
        // Computed from the colours, not from its previous value: this does not have to wait for
        // the writes above, which may be to the same set.
        self.types[0] = !(own | other);
        // For most of a game neither side can castle any more.
        if self.has_castling_rights() && (piece & 7 == 6 || self.touches_castling(from, to)) {
            self.lose_castling(piece, from, to);
        }
    }

    /// Updates the state that [`Board::step`] leaves unchanged, after `moves` alternating
    /// half-moves (at least one).
    ///
    /// `zeroed` is the last of them, counted from 1, that captures or moves a pawn, or 0. `last`
    /// contains the from-square, the to-square and the piece code of the last move.
    pub(crate) fn end_run(&mut self, moves: u32, zeroed: u32, last: (u8, u8, u8)) {
        let clock = match zeroed {
            0 => u32::from(self.halfmove).saturating_add(moves),
            zeroed => moves - zeroed,
        };
        self.halfmove = u16::try_from(clock).unwrap_or(u16::MAX);
        let turn = self.turn as u32;
        // Every second move is Black's; an odd run that Black begins has one more.
        let full = (moves / 2).saturating_add(moves & turn);
        let full = u32::from(self.fullmove).saturating_add(full);
        self.fullmove = u16::try_from(full).unwrap_or(u16::MAX);
        if moves & 1 != 0 {
            self.turn = self.turn.other();
        }
        let (from, to, piece) = last;
        let second = if piece & 8 == 0 { 1 } else { 6 };
        let double = piece & 7 == 1 && from ^ to == 2 && from & 7 == second;
        self.ep = if double { (from + to) / 2 } else { NONE };
    }

    #[inline]
    pub(crate) fn pass_turn(&mut self) {
        // The number grows after Black's move; White is 0.
        self.fullmove = self.fullmove.saturating_add(self.turn as u16);
        self.turn = self.turn.other();
    }

    /// Returns whether a castling rook is on either square, by comparing four bytes at once.
    fn touches_castling(&self, from: u8, to: u8) -> bool {
        const ONES: u32 = 0x0101_0101;
        const HIGH: u32 = 0x8080_8080;
        let rooks = u32::from_ne_bytes(self.castling);
        let a = rooks ^ (u32::from(from) * ONES);
        let b = rooks ^ (u32::from(to) * ONES);
        // No byte has its high bit set, so the subtraction sets the high bit of a byte only if that
        // byte or a lower one is zero.
        (a.wrapping_sub(ONES) | b.wrapping_sub(ONES)) & HIGH != 0
    }

    #[inline(never)]
    fn lose_castling(&mut self, piece: u8, from: u8, to: u8) {
        let own = usize::from(piece >> 3 & 1);
        for (i, rook) in self.castling.iter_mut().enumerate() {
            if *rook == from || *rook == to || (piece & 7 == 6 && i / 2 == own) {
                *rook = NONE;
            }
        }
    }

    /// Plays null moves, castling, en passant, and moves that move nothing.
    #[cold]
    #[inline(never)]
    fn play_special(&mut self, mv: PackedMove) -> Played {
        let (from, to) = (mv.from(), mv.to());
        let piece = self.code_at(from.index());
        let mut played = Played::default();
        self.ep = NONE;
        let mut zeroing = false;
        match mv.kind() {
            MoveKind::CastleShort if piece != 0 => played = self.castle(Side::Short, from, to),
            MoveKind::CastleLong if piece != 0 => played = self.castle(Side::Long, from, to),
            MoveKind::EnPassant | MoveKind::GhostEnPassant if piece != 0 && from != to => {
                // The captured pawn is on the file of the target and the rank of the origin.
                let pawn_square = Square::new_masked(to.index() & 0x38 | from.rank());
                let on_target = self.piece_at(to).map(|piece| (to, piece));
                let pawn_taken = self.piece_at(pawn_square).map(|piece| (pawn_square, piece));
                self.set_code(from.index(), 0);
                // A malformed move along its file would otherwise capture its own pawn.
                played.captured = on_target.or(pawn_taken.filter(|_| pawn_square != from));
                if let Some((square, _)) = played.captured {
                    self.set_code(square.index(), 0);
                    self.lose_castling(0, square.index(), square.index());
                }
                self.set_code(to.index(), piece);
                self.lose_castling(piece, from.index(), to.index());
                zeroing = piece & 7 == 1;
            }
            _ => {}
        }
        self.halfmove = if zeroing || played.captured.is_some() {
            0
        } else {
            self.halfmove.saturating_add(1)
        };
        self.pass_turn();
        played
    }

    fn castle(&mut self, side: Side, from: Square, to: Square) -> Played {
        let king = self.code_at(from.index());
        let rook = self.rook_to_castle(side, from);
        // King and rook leave before either arrives: in Chess960 they may exchange squares.
        self.set_code(from.index(), 0);
        if let Some(rook) = rook {
            self.set_code(rook.index(), 0);
            self.lose_castling(king, rook.index(), rook.index());
        }
        let rook =
            rook.and_then(|rook| Some((rook, Square::from_coords(side.rook_file(), to.rank())?)));
        // Only illegal castling can find a piece in the way.
        let piece_on = |square: Square| Some((square, self.piece_at(square)?));
        let captured = piece_on(to).or(rook.and_then(|(_, rook_to)| piece_on(rook_to)));
        if let Some((_, rook_to)) = rook {
            self.set_code(rook_to.index(), (king & 8) | (PieceType::Rook as u8 + 1));
            self.lose_castling(king, rook_to.index(), rook_to.index());
        }
        self.set_code(to.index(), king);
        self.lose_castling((king & 8) | 6, from.index(), to.index());
        Played { captured, rook }
    }

    /// Returns the rook that castles with the piece on `king`.
    pub(crate) fn rook_to_castle(&self, side: Side, king: Square) -> Option<Square> {
        let own = decode(self.code_at(king.index()))?.color;
        let rooks = self.pieces(own, PieceType::Rook) & !king.bit();
        if let Some(rook) = self.castling_rook(own, side)
            && rooks.has(rook)
        {
            return Some(rook);
        }
        // On a rank, squares farther to the right have higher indexes.
        let below = Bitboard((1u64 << king.index()) - 1);
        let rank = rooks & Bitboard::rank(king.rank());
        match side {
            Side::Short => (rank & !below).last(),
            Side::Long => (rank & below).first(),
        }
    }
}
