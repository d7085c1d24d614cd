//! ChessBase's move numbers (docs/formats/cbf.md, section 7.2).
//!
//! A move is its index, from 1, in the list of pseudo-legal moves: squares a1, a2, … a8, b1, … h8
//! for both colours, without a test for check, castling without rights. A register, the file of the
//! last double step, decides about en passant, with two quirks that shift the numbers of all later
//! moves in the list:
//!
//! * QUIRK Q1: with an empty register a pawn on a5 (White) or a4 (Black) has an entry that points
//!   off the board (test `q1_counts_a_phantom`).
//! * QUIRK Q2: the register survives castling, so the side that made the double step gets an en
//!   passant entry that no rule of chess allows (test `q2_is_a_ghost`).

mod directions;
mod pawns;

use super::{Coded, MoveFault, Numbering};
use crate::board::{Bitboard, MoveKind, Piece, Played, Side};
use crate::model::Start;
use crate::{Board, Color, PackedMove, PieceType, Result, Square, rules};

use directions::find_entry;
use pawns::{Pawn, Pawns};

/// ChessBase's scheme.
#[derive(Clone, Copy, Default, Debug)]
pub struct CbfNumbering;

/// The en passant register: 0 if empty, else the file of the last double step, 1..=8.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct EpRegister(pub u8);

/// The largest number that a byte can contain.
const LAST_NUMBER: u16 = 127;

impl Numbering for CbfNumbering {
    type State = EpRegister;

    fn start(&self, start: &Start) -> Result<EpRegister> {
        Ok(match start {
            Start::Standard => EpRegister(0),
            Start::Setup(setup) => EpRegister::from_board(&setup.board),
        })
    }

    /// Decodes the number at the start of `bytes`; bit 7, the mark of a comment, is ignored.
    fn decode(
        &self,
        register: &EpRegister,
        board: &Board,
        bytes: &[u8],
    ) -> Coded<(PackedMove, usize)> {
        let byte = bytes.first().ok_or(MoveFault::Truncated)?;
        nth(board, *register, u16::from(byte & 0x7F)).map(|mv| (mv, 1))
    }

    fn encode(
        &self,
        register: &EpRegister,
        board: &Board,
        mv: PackedMove,
        out: &mut Vec<u8>,
    ) -> Coded {
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
            *register = EpRegister::from_board(after);
        }
    }
}

impl EpRegister {
    /// Returns the register for the board's en passant square. Like ChessBase, the board sets this
    /// square after every double step, whether or not a pawn could capture.
    fn from_board(board: &Board) -> EpRegister {
        EpRegister(board.ep_square().map_or(0, |square| square.file() + 1))
    }
}

/// Returns the number of entries in the list, phantoms included.
pub fn count(board: &Board, register: EpRegister) -> u16 {
    MoveList::new(board, register).count(!0) as u16
}

/// Returns the move with this number, from 1.
pub fn nth(board: &Board, register: EpRegister, number: u16) -> Coded<PackedMove> {
    let list = MoveList::new(board, register);
    let mut officers = [0; 64];
    let files = list.by_file(&mut officers);
    let find_move = |number: u16| {
        // Entries are in the order of squares: first find the file, then the square, then the
        // entry.
        let (file, in_file) = find_entry(files, u32::from(number.checked_sub(1)?))?;
        let of_file = officers.get(8 * file as usize..)?.first_chunk()?;
        let squares = u64::from_le_bytes(*of_file) + list.pawns.on_file(file);
        let (rank, in_square) = find_entry(squares, in_file)?;
        list.nth_of(Square::new_masked((8 * file + rank) as u8), in_square)
    };
    find_move(number).ok_or_else(|| MoveFault::NoSuchMove {
        ordinal: number,
        available: count(board, register),
    })
}

/// Returns the number of a move, from 1; `None` if it is not in the list.
pub fn ordinal(board: &Board, register: EpRegister, mv: PackedMove) -> Option<u16> {
    let list = MoveList::new(board, register);
    let from = mv.from();
    if !list.ours.has(from) {
        return None;
    }
    // All squares before `from`: the list is in the order of squares.
    let before = list.count(from.bit().0 - 1);
    let index = list.index_of(from, mv)?;
    Some((before + index + 1) as u16)
}

/// The number of entries of each officer (a piece other than a pawn), by square.
type Officers = [u8; 64];

/// Adds entries to the officer on this square, and returns their number in the byte of the file.
#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "a square index is below 64")]
fn add_entries(officers: &mut Officers, square: Square, entries: u32) -> u64 {
    officers[usize::from(square.index() & 63)] += entries as u8;
    u64::from(entries) << (8 * square.file())
}

/// The move list of a position. Entries are counted with population counts, and enumerated for one
/// piece only.
struct MoveList<'b> {
    board: &'b Board,
    register: u8,
    us: Color,
    ours: Bitboard,
    theirs: Bitboard,
    occupied: Bitboard,
    pawns: Pawns,
}

impl MoveList<'_> {
    #[inline(always)]
    fn new(board: &Board, register: EpRegister) -> MoveList<'_> {
        let us = board.turn();
        let (theirs, occupied) = (board.by_color(us.other()), board.occupied());
        let pawns = board.pieces(us, PieceType::Pawn).0;
        MoveList {
            board,
            register: register.0,
            us,
            ours: board.by_color(us),
            theirs,
            occupied,
            pawns: Pawns::new(pawns, us, occupied.0, theirs.0, register.0),
        }
    }

    /// Returns the type of the own piece on a square.
    #[inline(always)]
    fn kind_at(&self, square: Square) -> PieceType {
        match self.board.code_at(square.index()) & 7 {
            2 => PieceType::Knight,
            3 => PieceType::Bishop,
            4 => PieceType::Rook,
            5 => PieceType::Queen,
            6 => PieceType::King,
            _ => PieceType::Pawn,
        }
    }

    #[inline(always)]
    fn targets(&self, square: Square, kind: PieceType) -> u64 {
        let piece = Piece {
            color: self.us,
            kind,
        };
        rules::attacks_from(piece, square, self.occupied).0 & !self.ours.0
    }

    /// Returns the number of entries of the pieces on these squares.
    #[inline(always)]
    fn count(&self, among: u64) -> u32 {
        let officers = self.officers(among, &mut |_, entries| entries.into());
        self.pawns.among(among) + officers as u32
    }

    /// Returns the number of entries per file, a byte each; the maximum is eight queens with 27
    /// moves each. Also notes the entries of the officers by square.
    #[inline(always)]
    fn by_file(&self, by_square: &mut Officers) -> u64 {
        self.pawns.by_file()
            + self.officers(!0, &mut |square, entries| {
                add_entries(by_square, square, entries)
            })
    }

    /// Calls the closure with the number of entries of each officer on these squares, and returns
    /// the sum of its results.
    ///
    /// Processors cannot predict which piece is on the next square, nor the number of pieces of a
    /// type. To avoid branches, the initial number of pieces of each type is always counted, where
    /// a missing piece has no entries. The remaining pieces are promoted pawns.
    #[inline(always)]
    fn officers(&self, among: u64, visit: &mut impl FnMut(Square, u32) -> u64) -> u64 {
        use PieceType::{Bishop, King, Knight, Queen, Rook};
        let pieces = |kind| self.board.pieces(self.us, kind).0 & among;
        let next = |set: &mut u64, kind| {
            // For an empty set, the added bit gives a valid square, and the mask removes its
            // targets.
            let square = Square::new_masked((*set | 1 << 63).trailing_zeros() as u8);
            let mask = u64::from(*set != 0).wrapping_neg();
            *set &= set.wrapping_sub(1);
            (square, self.targets(square, kind) & mask)
        };
        let (mut knights, mut bishops) = (pieces(Knight), pieces(Bishop));
        let (mut rooks, mut queens, mut kings) = (pieces(Rook), pieces(Queen), pieces(King));
        let king = next(&mut kings, King);
        let entries = [
            king,
            next(&mut knights, Knight),
            next(&mut knights, Knight),
            next(&mut bishops, Bishop),
            next(&mut bishops, Bishop),
            next(&mut rooks, Rook),
            next(&mut rooks, Rook),
            next(&mut queens, Queen),
        ];
        let entries = entries.map(|(square, targets)| (square, targets.count_ones()));
        let castlings = self.castlings(king.0);
        let mut counts = visit(king.0, u32::from((castlings & 1) + (castlings >> 1)));
        for (square, count) in entries {
            counts += visit(square, count);
        }
        let extra = knights | bishops | rooks | queens | kings;
        if extra != 0 {
            counts += self.extra_officers(Bitboard(extra), visit);
        }
        counts
    }

    /// Does the work of `officers` for pieces beyond the initial number of their type, and for a
    /// second king.
    #[cold]
    fn extra_officers(&self, pieces: Bitboard, visit: &mut impl FnMut(Square, u32) -> u64) -> u64 {
        let entries = |square| {
            let kind = self.kind_at(square);
            let castlings = match kind {
                PieceType::King => self.castlings(square).count_ones(),
                _ => 0,
            };
            self.targets(square, kind).count_ones() + castlings
        };
        pieces
            .into_iter()
            .map(|square| visit(square, entries(square)))
            .sum()
    }

    /// Returns the entry with this number, from 0, within the entries of a piece; `None` for the
    /// phantom.
    fn nth_of(&self, from: Square, index: u32) -> Option<PackedMove> {
        let kind = self.kind_at(from);
        let targets = self.targets(from, kind);
        let to = match kind {
            PieceType::Pawn => return self.pawn(from).nth(index),
            PieceType::Knight => directions::KNIGHT.nth(from, targets, index)?,
            PieceType::King => {
                // The eight steps of the format page are in the order of the bits.
                let steps = targets.count_ones();
                if index >= steps {
                    return self.castling(from, index - steps);
                }
                nth_bit(targets, index)
            }
            PieceType::Bishop => directions::BISHOP.nth(from, targets, index)?,
            PieceType::Rook => directions::ROOK.nth(from, targets, index)?,
            PieceType::Queen => {
                let diagonals = (targets & directions::BISHOP.all(from)).count_ones();
                match index.checked_sub(diagonals) {
                    None => directions::BISHOP.nth(from, targets, index)?,
                    Some(index) => directions::ROOK.nth(from, targets, index)?,
                }
            }
        };
        Some(PackedMove::normal(from, Square::new_masked(to)))
    }

    /// Returns the number of a move, from 0, within the moves of its piece.
    fn index_of(&self, from: Square, mv: PackedMove) -> Option<u32> {
        let kind = self.kind_at(from);
        if kind == PieceType::Pawn {
            return self.pawn(from).index_of(mv);
        }
        let targets = self.targets(from, kind);
        // The only other moves of officers are castlings.
        if mv != PackedMove::normal(from, mv.to()) {
            let castling = (0..2).find(|n| self.castling(from, *n) == Some(mv))?;
            return (kind == PieceType::King).then_some(targets.count_ones() + castling);
        }
        let to = mv.to();
        if targets & to.bit().0 == 0 {
            return None;
        }
        let before = match kind {
            PieceType::Knight => directions::KNIGHT.before(from, to),
            PieceType::Bishop => directions::BISHOP.before(from, to),
            PieceType::Rook => directions::ROOK.before(from, to),
            PieceType::Queen if directions::BISHOP.all(from) & to.bit().0 != 0 => {
                directions::BISHOP.before(from, to)
            }
            PieceType::Queen => directions::BISHOP.all(from) | directions::ROOK.before(from, to),
            // The steps of a king are in the order of the squares.
            _ => to.bit().0 - 1,
        };
        Some((targets & before).count_ones())
    }

    /// Returns bit 0 if short castling, bit 1 if long castling is in the list: king on e1 or e8,
    /// own rook in the corner, nothing between. Castling rights are ignored.
    fn castlings(&self, king: Square) -> u8 {
        let home = self.us.rank(0);
        if king.file() != 4 || king.rank() != home {
            return 0;
        }
        let rooks = self.board.pieces(self.us, PieceType::Rook).0;
        let on_home = |files: u64| files << home;
        let possible = |corner: u64, between: u64| {
            rooks & on_home(corner) != 0 && self.occupied.0 & on_home(between) == 0
        };
        // Squares are numbered file by file: bit 56 is the h-file, 40 and 48 are the files f and g.
        let short = possible(1 << 56, 1 << 40 | 1 << 48);
        let long = possible(1, 1 << 8 | 1 << 16 | 1 << 24);
        u8::from(short) | u8::from(long) << 1
    }

    /// Returns the first or second castling move in the list.
    fn castling(&self, king: Square, number: u32) -> Option<PackedMove> {
        let side = match (self.castlings(king), number) {
            (1 | 3, 0) => Side::Short,
            (2, 0) | (3, 1) => Side::Long,
            _ => return None,
        };
        Some(PackedMove::castling(king, side))
    }

    #[inline(always)]
    fn pawn(&self, from: Square) -> Pawn<'_> {
        let bit = from.bit().0;
        let empty = !self.occupied.0;
        let rank = from.rank();
        let (single, double) = match self.us {
            Color::White => {
                let single = if rank < 7 { bit << 1 & empty } else { 0 };
                (single, if rank == 1 { single << 1 & empty } else { 0 })
            }
            Color::Black => {
                let single = if rank > 0 { bit >> 1 & empty } else { 0 };
                (single, if rank == 6 { single >> 1 & empty } else { 0 })
            }
        };
        let pawn = Piece {
            color: self.us,
            kind: PieceType::Pawn,
        };
        let file = from.file();
        let on_rank = rank == self.us.rank(4);
        Pawn {
            list: self,
            from,
            single,
            double,
            captures: rules::attacks_from(pawn, from, self.occupied).0 & self.theirs.0,
            each: if rank == self.us.rank(6) { 4 } else { 1 },
            ep: [
                on_rank && file == self.register,
                on_rank && file + 2 == self.register,
            ],
        }
    }

    /// Returns whether this en passant capture follows the rules of chess.
    fn is_genuine(&self, from: Square, to: Square) -> bool {
        let neighbour = Square::from_coords(to.file(), from.rank());
        let pawn = Piece {
            color: self.us.other(),
            kind: PieceType::Pawn,
        };
        // The register survives castling (QUIRK Q2), so the board must confirm the right.
        self.board.ep_square() == Some(to)
            && !self.occupied.has(to)
            && neighbour.and_then(|square| self.board.piece_at(square)) == Some(pawn)
    }
}

/// Returns the index of the set bit with this number, counted from 0 at the lowest; 64 if there are
/// fewer bits.
fn nth_bit(mut set: u64, number: u32) -> u8 {
    for _ in 0..number {
        set &= set.wrapping_sub(1);
    }
    set.trailing_zeros() as u8
}
