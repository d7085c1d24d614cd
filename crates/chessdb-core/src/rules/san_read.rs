//! Parsing of SAN and related notations.

use std::fmt;

use super::attacks::{BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK, hits, pawn, reach};
use super::legal::{castling_move, ep_takers, king_safe_after, leaves_king_safe};
use super::san_signs::{LONGEST, to_ascii};
use crate::board::{Bitboard, MoveKind, Side};
use crate::{Board, PackedMove, PieceType, Square};

/// The reason why a token is not a move in this position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SanFault {
    /// The bytes are not a move in any supported notation.
    NotAMove,
    /// No piece of that type can go there.
    NoPiece,
    /// Only illegal moves match: the king would be in check, or castling is not allowed.
    Illegal,
    /// Several legal moves match.
    Ambiguous,
}

impl SanFault {
    /// Returns the reason in words.
    pub const fn as_str(self) -> &'static str {
        match self {
            SanFault::NotAMove => "not a move",
            SanFault::NoPiece => "no piece can move there",
            SanFault::Illegal => "illegal move",
            SanFault::Ambiguous => "ambiguous move",
        }
    }
}

impl fmt::Display for SanFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl std::error::Error for SanFault {}

type SanResult = Result<PackedMove, SanFault>;

/// Parses one move token without move number. Trailing `+ # ! ?` are skipped; other NAGs are not
/// allowed.
///
/// Supported are:
///
/// * SAN, with too much or (if only one legal move matches) too little disambiguation
/// * long algebraic notation (`e2-e4`, `Ng1xf3`)
/// * coordinates (`e2e4`, `e7e8q`, castling as the king's move or as king takes own rook)
/// * promotions as `e8=Q`, `e8Q`, `e8(Q)`, `e8/Q`, or without a piece for a queen
/// * castling with O, o or 0
/// * small letters for pieces (`nf3`; a `b` is first taken as a file)
/// * the null moves `--`, `Z0`, `null`, `0000`, `@@@@`
/// * figurines, all kinds of dashes, `×` and daggers, as defined by [`super::move_sign`]
///
/// Capture signs are not compared with the board. `P` is a pawn, but also the Dutch letter for a
/// knight: if both could go there, the move is ambiguous.
///
/// # Errors
///
/// Returns [`SanFault`] if the token is not exactly one legal move.
#[inline]
pub fn read_san(board: &Board, token: &[u8]) -> SanResult {
    let token = without_glyphs(token);
    match read_common(board, token) {
        Some(mv) => Ok(mv),
        None => read_uncommon(board, token),
    }
}

fn without_glyphs(mut token: &[u8]) -> &[u8] {
    while let [rest @ .., b'+' | b'#' | b'!' | b'?'] = token {
        token = rest;
    }
    token
}

/// The squares that a piece may come from, as far as the token specifies them.
#[derive(Clone, Copy, Default)]
struct Origin {
    file: Option<u8>,
    rank: Option<u8>,
}

impl Origin {
    fn set(self) -> u64 {
        self.file.map_or(u64::MAX, |file| Bitboard::file(file).0)
            & self.rank.map_or(u64::MAX, |rank| Bitboard::rank(rank).0)
    }
}

/// Parses proper SAN; `None` if the token is something else or not a move here.
#[inline]
fn read_common(board: &Board, token: &[u8]) -> Option<PackedMove> {
    let one = |letter: u8| match letter {
        b'a'..=b'h' => 0xFFu64 << ((letter - b'a') * 8),
        b'1'..=b'8' => 0x0101_0101_0101_0101 << (letter - b'1'),
        _ => 0,
    };
    match *token {
        [file, rank] => pawn_step(board, square(file, rank)?, MoveKind::Normal).ok(),
        [file, rank, b'=', kind] => pawn_step(
            board,
            square(file, rank)?,
            MoveKind::Promotion(promotion(kind)?),
        )
        .ok(),
        [b'O', b'-', b'O'] => castle(board, Side::Short).ok(),
        [name, file, rank] => piece(board, capital(name)?, square(file, rank)?, u64::MAX).ok(),
        [from @ b'a'..=b'h', b'x', file, rank] => {
            pawn_capture(board, one(from), square(file, rank)?, MoveKind::Normal).ok()
        }
        [from @ b'a'..=b'h', b'x', file, rank, b'=', kind] => {
            let kind = MoveKind::Promotion(promotion(kind)?);
            pawn_capture(board, one(from), square(file, rank)?, kind).ok()
        }
        [name, b'x', file, rank] => {
            piece(board, capital(name)?, square(file, rank)?, u64::MAX).ok()
        }
        [name, from, file, rank] | [name, from, b'x', file, rank] => {
            piece(board, capital(name)?, square(file, rank)?, one(from)).ok()
        }
        [b'O', b'-', b'O', b'-', b'O'] => castle(board, Side::Long).ok(),
        [name, from_file, from_rank, file, rank]
        | [name, from_file, from_rank, b'x', file, rank] => {
            let origin = square(from_file, from_rank)?.bit().0;
            piece(board, capital(name)?, square(file, rank)?, origin).ok()
        }
        _ => None,
    }
}

#[inline(always)]
fn square(file: u8, rank: u8) -> Option<Square> {
    let (file, rank) = (file.wrapping_sub(b'a'), rank.wrapping_sub(b'1'));
    Square::from_coords(file, rank)
}

/// Returns the code for a piece letter of SAN.
#[inline(always)]
fn capital(letter: u8) -> Option<u8> {
    Some(match letter {
        b'N' => KNIGHT,
        b'B' => BISHOP,
        b'R' => ROOK,
        b'Q' => QUEEN,
        b'K' => KING,
        _ => return None,
    })
}

fn promotion(letter: u8) -> Option<PieceType> {
    match letter {
        b'Q' | b'q' => Some(PieceType::Queen),
        b'R' | b'r' => Some(PieceType::Rook),
        b'B' | b'b' => Some(PieceType::Bishop),
        b'N' | b'n' => Some(PieceType::Knight),
        _ => None,
    }
}

/// Returns the move of the only piece of a type among `origin` that can legally go there.
#[inline]
fn piece(board: &Board, kind: u8, to: Square, origin: u64) -> SanResult {
    let us = board.turn();
    let own = board.by_color(us);
    if own.has(to) {
        return Err(SanFault::NoPiece);
    }
    let target = to.index();
    let occupied = board.occupied().0;
    let mut pieces = own.0 & board.type_set(kind) & reach(kind, target) & origin;
    let mut result = Err(SanFault::NoPiece);
    while pieces != 0 {
        let from = pieces.trailing_zeros() as u8;
        pieces &= pieces - 1;
        if !hits(kind, from, target, occupied) {
            continue;
        }
        let safe = king_safe_after(board, us, kind, from, target, 0);
        result = match result {
            Ok(_) if safe => return Err(SanFault::Ambiguous),
            Err(_) if safe => Ok(PackedMove::normal(Square::new_masked(from), to)),
            // A piece that may not move is reported only if no other one can.
            Err(_) => Err(SanFault::Illegal),
            result => result,
        };
    }
    result
}

/// Returns the move of a pawn straight ahead.
#[inline]
fn pawn_step(board: &Board, to: Square, kind: MoveKind) -> SanResult {
    let us = board.turn();
    let own = board.pieces(us, PieceType::Pawn).0;
    let occupied = board.occupied().0;
    // Relative to the own side, ranks 0 to 7.
    let rank = us.rank(to.rank());
    if rank == 0 || occupied >> to.index() & 1 != 0 {
        return Err(SanFault::NoPiece);
    }
    let back = |square: u8| us.pick(square.wrapping_sub(1), square.wrapping_add(1)) & 63;
    let mut from = back(to.index());
    // A double step, unless the square between is occupied.
    if rank == 3 && occupied >> from & 1 == 0 {
        from = back(from);
    }
    if own >> from & 1 == 0 {
        return Err(SanFault::NoPiece);
    }
    finish_pawn(board, from, to, kind)
}

/// Returns the capture by a pawn from one of these squares.
#[inline]
fn pawn_capture(board: &Board, origin: u64, to: Square, mut kind: MoveKind) -> SanResult {
    let us = board.turn();
    let mut pieces = pawn(us.other(), to.index()) & board.pieces(us, PieceType::Pawn).0 & origin;
    if !board.by_color(us.other()).has(to) {
        if board.ep_square() != Some(to) {
            return Err(SanFault::NoPiece);
        }
        pieces &= ep_takers(board);
        kind = MoveKind::EnPassant;
    }
    let mut result = Err(SanFault::NoPiece);
    while pieces != 0 {
        let from = pieces.trailing_zeros() as u8;
        pieces &= pieces - 1;
        let this = finish_pawn(board, from, to, kind);
        result = match (result, this) {
            (Ok(_), Ok(_)) => return Err(SanFault::Ambiguous),
            (Ok(mv), _) => Ok(mv),
            (_, this) => this,
        };
    }
    result
}

/// Completes a pseudo-legal pawn move: handles promotion and checks that the king is safe.
#[inline(always)]
fn finish_pawn(board: &Board, from: u8, to: Square, mut kind: MoveKind) -> SanResult {
    let us = board.turn();
    let last = to.rank() == us.rank(7);
    match kind {
        // A promotion without a piece is to a queen.
        MoveKind::Normal if last => kind = MoveKind::Promotion(PieceType::Queen),
        MoveKind::Promotion(_) if !last => return Err(SanFault::NoPiece),
        _ => {}
    }
    let captured = match kind {
        // The captured pawn is on the file of the target and the rank of the origin.
        MoveKind::EnPassant => 1 << (to.index() & 0x38 | from & 7),
        _ => 0,
    };
    if king_safe_after(board, us, PAWN, from, to.index(), captured) {
        Ok(PackedMove::new(Square::new_masked(from), to, kind))
    } else {
        Err(SanFault::Illegal)
    }
}

fn castle(board: &Board, side: Side) -> SanResult {
    castling_move(board, side)
        .filter(|&mv| leaves_king_safe(board, mv))
        .ok_or(SanFault::Illegal)
}

/// Parses tokens that are not proper SAN or not a move.
#[cold]
#[inline(never)]
fn read_uncommon(board: &Board, token: &[u8]) -> SanResult {
    let mut room = [0; LONGEST];
    if let Some(length) = to_ascii(token, &mut room) {
        let token = without_glyphs(room.get(..length).unwrap_or_default());
        return match read_common(board, token) {
            Some(mv) => Ok(mv),
            None => read_notation(board, token),
        };
    }
    let read = read_notation(board, token);
    // `P` is a pawn in English and a knight (paard) in Dutch.
    if let (Ok(_), [b'P', rest @ ..]) = (read, token)
        && let Ok(parts @ TokenParts { kind: None, .. }) = parse(rest)
    {
        let kind = Some(KNIGHT);
        if !matches!(
            resolve(board, TokenParts { kind, ..parts }),
            Err(SanFault::NoPiece | SanFault::NotAMove | SanFault::Illegal)
        ) {
            return Err(SanFault::Ambiguous);
        }
    }
    read
}

/// Parses ASCII tokens that are not proper SAN.
fn read_notation(board: &Board, token: &[u8]) -> SanResult {
    if matches!(
        token,
        b"--" | b"Z0" | b"z0" | b"null" | b"NULL" | b"Null" | b"0000" | b"@@@@"
    ) {
        return Ok(PackedMove::NULL);
    }
    if let Some(side) = castling_side(token) {
        return castle(board, side);
    }
    let token = without_ep(token);
    let read = parse(token).and_then(|parts| resolve(board, parts));
    // A small b is first taken as a file, and as a bishop if no piece from that file matches.
    if let (Err(SanFault::NoPiece | SanFault::NotAMove), [b'b', rest @ ..]) = (read, token)
        && let Ok(parts @ TokenParts { kind: None, .. }) = parse(rest)
    {
        let file = Bitboard::file(1).0;
        let other = |kind| piece(board, kind, parts.to, file);
        if [KNIGHT, ROOK, QUEEN, KING]
            .into_iter()
            .any(|kind| matches!(other(kind), Ok(_) | Err(SanFault::Ambiguous)))
        {
            return Err(SanFault::Ambiguous);
        }
        let kind = Some(BISHOP);
        return resolve(board, TokenParts { kind, ..parts });
    }
    read
}

/// Parses O-O, 0-0, o-o, OO and the long forms.
fn castling_side(token: &[u8]) -> Option<Side> {
    let mut rooks = 0;
    let mut after_o = false;
    for &byte in token {
        match byte {
            b'O' | b'o' | b'0' => {
                rooks += 1;
                after_o = true;
            }
            b'-' if after_o => after_o = false,
            _ => return None,
        }
    }
    match rooks {
        2 if after_o => Some(Side::Short),
        3 if after_o => Some(Side::Long),
        _ => None,
    }
}

/// Removes "e.p.", "ep" or "e.p" from the end, and the glyphs before it.
fn without_ep(token: &[u8]) -> &[u8] {
    for ending in [&b"e.p."[..], b"e.p", b"ep"] {
        if let Some(rest) = token.strip_suffix(ending) {
            return without_glyphs(rest);
        }
    }
    token
}

/// The parts of a token.
#[derive(Clone, Copy)]
struct TokenParts {
    /// The code of the piece, if given.
    kind: Option<u8>,
    origin: Origin,
    to: Square,
    promotion: Option<PieceType>,
}

/// Splits a token into piece, origin, capture sign, target and promotion.
fn parse(token: &[u8]) -> Result<TokenParts, SanFault> {
    let mut rest = token;
    let kind = match rest {
        [
            letter @ (b'K' | b'Q' | b'R' | b'B' | b'N' | b'P'),
            tail @ ..,
        ]
        | [letter @ (b'k' | b'q' | b'r' | b'n' | b'p'), tail @ ..] => {
            rest = tail;
            match letter.to_ascii_uppercase() {
                b'P' => Some(PAWN),
                letter => capital(letter),
            }
        }
        _ => None,
    };
    let first = origin(&mut rest);
    let mut sign = false;
    if let [b'x' | b'X' | b':' | b'-', tail @ ..] = rest {
        rest = tail;
        sign = true;
    }
    let lacks_origin = sign && kind.is_none() && first.file.is_none();
    let second = origin(&mut rest);
    // A single square is the target.
    let (from, to) = match (second.file, second.rank) {
        (None, None) if sign => return Err(SanFault::NotAMove),
        (None, None) => (Origin::default(), first),
        _ => (first, second),
    };
    let (Some(file), Some(rank)) = (to.file, to.rank) else {
        return Err(SanFault::NotAMove);
    };
    let to = Square::from_coords(file, rank).ok_or(SanFault::NotAMove)?;
    let promotion = match *rest {
        // In `xd5` and `2-d5`, the piece is unknown.
        [] if lacks_origin => return Err(SanFault::NotAMove),
        [] => None,
        [kind] | [b'=' | b'/', kind] | [b'(', kind, b')'] | [b'=', b'(', kind, b')'] => {
            Some(promotion(kind).ok_or(SanFault::NotAMove)?)
        }
        _ => return Err(SanFault::NotAMove),
    };
    Ok(TokenParts {
        kind,
        origin: from,
        to,
        promotion,
    })
}

/// Takes a file letter and a rank digit from the front, if present.
fn origin(rest: &mut &[u8]) -> Origin {
    let mut origin = Origin::default();
    if let [file @ b'a'..=b'h', tail @ ..] = *rest {
        origin.file = Some(file - b'a');
        *rest = tail;
    }
    if let [rank @ b'1'..=b'8', tail @ ..] = *rest {
        origin.rank = Some(rank - b'1');
        *rest = tail;
    }
    origin
}

fn resolve(board: &Board, parts: TokenParts) -> SanResult {
    let TokenParts {
        kind,
        origin,
        to,
        promotion,
    } = parts;
    let from = match (origin.file, origin.rank) {
        (Some(file), Some(rank)) => Square::from_coords(file, rank),
        _ => None,
    };
    // Coordinates alone mean the piece on that square; without them, a missing letter means a pawn.
    let kind_there = from.map_or(0, |from| board.code_at(from.index()) & 7);
    let kind = match kind {
        Some(kind) => kind,
        None if kind_there != 0 => kind_there,
        None => PAWN,
    };
    if kind != PAWN {
        if promotion.is_some() {
            return Err(SanFault::NotAMove);
        }
        return match piece(board, kind, to, origin.set()) {
            Err(fault) if kind == KING && fault == SanFault::NoPiece => {
                king_castles(board, origin, to).ok_or(fault)
            }
            read => read,
        };
    }
    let kind = promotion.map_or(MoveKind::Normal, MoveKind::Promotion);
    let mut step = Err(SanFault::NoPiece);
    if origin.file.is_none_or(|file| file == to.file()) {
        step = pawn_step(board, to, kind);
        if let (Ok(mv), Some(rank)) = (step, origin.rank)
            && mv.from().rank() != rank
        {
            step = Err(SanFault::NoPiece);
        }
    }
    match step {
        Ok(mv) => Ok(mv),
        // If a step is illegal and no pawn can capture there, the result remains "illegal".
        Err(fault) => match pawn_capture(board, origin.set(), to, kind) {
            Err(SanFault::NoPiece) => Err(fault),
            read => read,
        },
    }
}

/// Returns castling written as a move of the king to its target or onto its own rook.
fn king_castles(board: &Board, origin: Origin, to: Square) -> Option<PackedMove> {
    Side::ALL.into_iter().find_map(|side| {
        let mv = castling_move(board, side)?;
        let rook = board.castling_rook(board.turn(), side)?;
        let fits = origin.set() >> mv.from().index() & 1 != 0 && (to == mv.to() || to == rook);
        (fits && leaves_king_safe(board, mv)).then_some(mv)
    })
}
