//! The SAN writer.

use super::attacks::{PAWN, attacked, hits, in_check, pawn, reach, sole};
use super::legal::{has_legal_move, king_safe_after};
use crate::board::{Facts, MoveKind};
use crate::{Board, Color, PackedMove, PieceType};

/// Appends a half-move in standard algebraic notation, with `+` or `#` if the move gives check or
/// mate.
///
/// A piece is disambiguated by file, else by rank, else by both, if another one of its type could
/// legally go to the same square. The null move is `--`. Illegal moves are written too: a pawn that
/// goes to another file captures (`exd6`, also for ghost en passant), and a move from an empty
/// square is written as coordinates (`e2e4`).
pub fn write_san(board: &Board, mv: PackedMove, out: &mut Vec<u8>) {
    let (from, to) = (mv.from().index() & 63, mv.to().index() & 63);
    let piece = board.code_at(from);
    let kind = (mv.bits() >> 12) as u8;
    let us = board.turn();
    // 0 is a normal move, 6 and above are promotions. Everything else is rare.
    if kind.wrapping_sub(1) < 5
        || piece >> 3 != us as u8
        || piece == 0
        || from == to
        || (kind != 0 && piece & 7 != PAWN)
    {
        return write_rare(board, mv, out);
    }
    let mut text = SanText::default();
    let mover = piece & 7;
    let mut placed = mover;
    if mover == PAWN {
        if (from ^ to) & 0x38 != 0 {
            text.push(file_letter(from));
            text.push(b'x');
        }
        text.square(to);
        if kind != 0 {
            // The kinds 6 to 9 are promotions to the pieces with the codes 2 to 5.
            placed = (kind - 4) & 7;
            text.push(b'=');
            text.push(letter(placed));
        }
    } else {
        text.push(letter(mover));
        let others = board.type_set(mover) & board.by_color(us).0 & reach(mover, to) & !(1 << from);
        if others != 0 {
            disambiguate(board, mover, from, to, others, &mut text);
        }
        if board.code_at(to) != 0 {
            text.push(b'x');
        }
        text.square(to);
    }
    if gives_check(board, us, placed, from, to) {
        text.push(mate_or_check(board, mv));
    }
    text.append_to(out);
}

/// Returns a half-move in standard algebraic notation, as [`write_san`] writes it.
pub fn san(board: &Board, mv: PackedMove) -> String {
    let mut text = Vec::new();
    write_san(board, mv, &mut text);
    // SAN is ASCII, so that this is never the empty default.
    String::from_utf8(text).unwrap_or_default()
}

/// Up to eight bytes, the first one lowest.
#[derive(Clone, Copy, Default, Debug)]
struct SanText {
    bytes: u64,
    bits: u32,
}

/// The SAN of a move with known facts.
#[derive(Clone, Copy, Debug)]
pub struct ShortSan(SanText);

impl ShortSan {
    /// Returns the SAN of a legal move with its facts, or of the null move, as [`write_san`] writes
    /// it.
    #[inline(always)]
    pub fn new(mv: PackedMove, facts: Facts) -> ShortSan {
        if mv.is_normal() && facts.are_known() {
            return ShortSan(plain_san(mv, facts));
        }
        ShortSan::rare(mv, facts)
    }

    /// Returns the SAN of any move.
    #[inline(never)]
    fn rare(mv: PackedMove, facts: Facts) -> ShortSan {
        let kind = (mv.bits() >> 12) as u8;
        let (from, to) = (mv.from().index(), mv.to().index());
        let piece = facts.piece();
        let (pawn, takes) = (piece == PAWN, facts.taken() != 0);
        let mut text = SanText::default();
        // 1 to 3 are the null move and castling.
        if kind.wrapping_sub(1) < 3 {
            let bytes: &[u8] = match kind {
                1 => b"--",
                2 => b"O-O",
                _ => b"O-O-O",
            };
            bytes.iter().for_each(|&byte| text.push(byte));
        } else {
            text.push_if(!pawn, letter(piece));
            text.push_if(facts.names_file() || pawn && takes, file_letter(from));
            text.push_if(facts.names_rank(), rank_digit(from));
            text.push_if(takes, b'x');
            text.square(to);
            if kind > 5 {
                text.push(b'=');
                text.push(letter((kind - 4) & 7));
            }
        }
        text.push_if(
            facts.gives_check(),
            if facts.gives_mate() { b'#' } else { b'+' },
        );
        ShortSan(text)
    }

    /// Returns the length in bytes.
    #[inline]
    pub fn length(self) -> usize {
        (self.0.bits / 8) as usize
    }

    /// Returns the bytes, padded with zeros.
    #[inline]
    pub fn bytes(self) -> [u8; 8] {
        self.0.bytes.to_le_bytes()
    }
}

/// The part of a SAN move before the target square.
#[derive(Clone, Copy)]
struct SanPrefix {
    /// The letter of the piece and the capture sign, at their positions.
    signs: u32,
    /// Masks of the positions of the origin's file and rank, or 0.
    file: u32,
    rank: u32,
    /// The total length.
    bits: u32,
}

/// Indexed by the piece, whether it captures, and whether its file and its rank are named.
#[expect(
    clippy::indexing_slicing,
    reason = "evaluated by the compiler, with constant bounds"
)]
static PREFIXES: [SanPrefix; 64] = {
    const NOTHING: SanPrefix = SanPrefix {
        signs: 0,
        file: 0,
        rank: 0,
        bits: 0,
    };
    let mut table = [NOTHING; 64];
    let mut n = 0;
    while n < 64 {
        let (piece, takes) = (n as u8 & 7, n & 8 != 0);
        let mut prefix = NOTHING;
        if piece != PAWN {
            prefix.signs = letter(piece) as u32;
            prefix.bits = 8;
        }
        if n & 16 != 0 || piece == PAWN && takes {
            prefix.file = 0xFF << prefix.bits;
            prefix.bits += 8;
        }
        if n & 32 != 0 {
            prefix.rank = 0xFF << prefix.bits;
            prefix.bits += 8;
        }
        if takes {
            prefix.signs |= (b'x' as u32) << prefix.bits;
            prefix.bits += 8;
        }
        table[n] = prefix;
        n += 1;
    }
    table
};

/// Returns the text of a move without special effects.
#[inline(always)]
#[expect(
    clippy::indexing_slicing,
    reason = "six bits are the index, the table has 64 entries"
)]
fn plain_san(mv: PackedMove, facts: Facts) -> SanText {
    const ALL: u32 = 0x0101_0101;
    let (from, to) = (mv.from().index(), mv.to().index());
    let named = u8::from(facts.names_file()) << 4 | u8::from(facts.names_rank()) << 5;
    let n = facts.piece() | u8::from(facts.taken() != 0) << 3 | named;
    let prefix = &PREFIXES[usize::from(n & 63)];
    // Each character is in all bytes; the masks keep the one at its position.
    let signs = prefix.signs
        | prefix.file & (ALL * u32::from(file_letter(from)))
        | prefix.rank & (ALL * u32::from(rank_digit(from)));
    let square = u32::from(file_letter(to)) | u32::from(rank_digit(to)) << 8;
    let check = facts.gives_check();
    let sign = if facts.gives_mate() { b'#' } else { b'+' };
    let sign = u32::from(sign) & u32::from(check).wrapping_neg();
    SanText {
        bytes: u64::from(signs) | u64::from(square | sign << 16) << (prefix.bits & 63),
        bits: prefix.bits + 16 + 8 * u32::from(check),
    }
}

impl SanText {
    #[inline(always)]
    fn push(&mut self, byte: u8) {
        self.bytes |= u64::from(byte) << (self.bits & 63);
        self.bits += 8;
    }

    /// Like `push`, without a branch.
    #[inline(always)]
    fn push_if(&mut self, when: bool, byte: u8) {
        self.bytes |= (u64::from(byte) & u64::from(when).wrapping_neg()) << (self.bits & 63);
        self.bits += 8 * u32::from(when);
    }

    #[inline(always)]
    fn square(&mut self, square: u8) {
        self.push(file_letter(square));
        self.push(rank_digit(square));
    }

    /// Copies eight bytes regardless of the length: a fixed size needs no call.
    #[inline(always)]
    fn append_to(&self, out: &mut Vec<u8>) {
        let end = out.len() + (self.bits / 8) as usize;
        out.extend_from_slice(&self.bytes.to_le_bytes());
        out.truncate(end);
    }
}

const fn file_letter(square: u8) -> u8 {
    b'a' + (square >> 3)
}

const fn rank_digit(square: u8) -> u8 {
    b'1' + (square & 7)
}

/// Returns the letter for the code of a piece type.
#[inline(always)]
const fn letter(kind: u8) -> u8 {
    (u64::from_le_bytes(*b"?PNBRQK?") >> (kind as u32 * 8)) as u8
}

/// Adds the disambiguation of the piece if needed; `others` are the pieces of its type that reach
/// the square on an empty board.
fn disambiguate(board: &Board, mover: u8, from: u8, to: u8, others: u64, text: &mut SanText) {
    // No piece can legally go there, so there is no rival.
    if board.by_color(board.turn()).0 >> to & 1 != 0 {
        return;
    }
    let (file, rank) = naming(board, mover, from, to, others);
    if file {
        text.push(file_letter(from));
    }
    if rank {
        text.push(rank_digit(from));
    }
}

/// Returns whether the file and the rank of the piece must be given.
#[inline(never)]
pub(super) fn naming(board: &Board, mover: u8, from: u8, to: u8, mut others: u64) -> (bool, bool) {
    let us = board.turn();
    let occupied = board.occupied().0;
    let (mut rival, mut same_file, mut same_rank) = (false, false, false);
    while others != 0 {
        let other = others.trailing_zeros() as u8;
        others &= others - 1;
        if hits(mover, other, to, occupied) && king_safe_after(board, us, mover, other, to, 0) {
            rival = true;
            same_file |= (other ^ from) & 0x38 == 0;
            same_rank |= (other ^ from) & 7 == 0;
        }
    }
    // The file, if no rival shares it; else the rank, or both.
    (rival && (!same_file || same_rank), same_file)
}

/// Returns whether the opponent's king is attacked after a normal move or promotion, by the moved
/// piece or any other. Does not make the move.
#[inline(always)]
pub(super) fn gives_check(board: &Board, us: Color, placed: u8, from: u8, to: u8) -> bool {
    let (from_bit, to_bit) = (1u64 << (from & 63), 1u64 << (to & 63));
    // A move that takes the king gives no check to it.
    let kings = board.pieces(us.other(), PieceType::King).0 & !to_bit;
    let Some(king) = sole(kings) else {
        return false;
    };
    let occupied = (board.occupied().0 & !from_bit) | to_bit;
    let direct = if placed == PAWN {
        pawn(us, to) >> king & 1 != 0
    } else {
        hits(placed, to, king, occupied)
    };
    direct || attacked(board, king, us, occupied, from_bit | to_bit)
}

/// Returns the sign of a move that gives check.
#[cold]
#[inline(never)]
fn mate_or_check(board: &Board, mv: PackedMove) -> u8 {
    let mut after = board.clone();
    after.play(mv);
    if has_legal_move(&after) { b'+' } else { b'#' }
}

/// Writes castling, en passant, null moves and illegal moves.
#[cold]
#[inline(never)]
fn write_rare(board: &Board, mv: PackedMove, out: &mut Vec<u8>) {
    let (from, to) = (mv.from(), mv.to());
    match (mv.kind(), board.piece_at(from)) {
        (MoveKind::Null, _) => {
            out.extend_from_slice(b"--");
            return;
        }
        (_, None) => {
            out.extend_from_slice(&from.to_ascii());
            out.extend_from_slice(&to.to_ascii());
            out.extend(
                mv.promotion()
                    .map(|kind| kind.letter().to_ascii_lowercase()),
            );
            return;
        }
        (MoveKind::CastleShort, _) => out.extend_from_slice(b"O-O"),
        (MoveKind::CastleLong, _) => out.extend_from_slice(b"O-O-O"),
        (_, Some(piece)) => {
            if piece.kind == PieceType::Pawn {
                if from.file() != to.file() {
                    out.extend_from_slice(&[file_letter(from.index()), b'x']);
                }
            } else {
                out.push(piece.kind.letter());
                if from != to && piece.color == board.turn() {
                    // A promotion of a piece other than a pawn: only the notation of the promotion
                    // is irregular.
                    let mover = piece.kind as u8 + 1;
                    let others = board.pieces(piece.color, piece.kind).0
                        & reach(mover, to.index())
                        & !from.bit().0;
                    let mut text = SanText::default();
                    disambiguate(board, mover, from.index(), to.index(), others, &mut text);
                    text.append_to(out);
                }
                if board.occupied().has(to) {
                    out.push(b'x');
                }
            }
            out.extend_from_slice(&to.to_ascii());
            if let Some(kind) = mv.promotion() {
                out.extend_from_slice(&[b'=', kind.letter()]);
            }
        }
    }
    let mut after = board.clone();
    after.play(mv);
    if in_check(&after, after.turn()) {
        out.push(if has_legal_move(&after) { b'+' } else { b'#' });
    }
}
