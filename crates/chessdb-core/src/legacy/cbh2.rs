//! The move words of ChessBase's format 2CBH (docs/formats/2cbh.md, section 6).
//!
//! A word of sixteen bits states the piece, both squares, the captured piece and the promotion, so
//! it means the same in every position, and a position can contradict it. The words number all
//! moves in a fixed order; the tables here follow that rule.

use crate::board::{MoveKind, Piece, Side};
use crate::{Board, Color, PackedMove, PieceType, Square};

/// The first word of Black's pieces. Those of White begin with 1.
const BLACK_OFFICERS: u16 = 0x55F9;
/// The first words of the pawns.
const PAWNS: [u16; 2] = [0xABF1, 0xAE8D];
/// The first word of castling in ordinary chess.
const CASTLING: u16 = 0xB129;
/// The first word of castling in Chess960: four words for each of the 960 start positions.
const CASTLING_960: u16 = 0xB12D;
/// The first word of the pieces of a start position.
const SETUP: u16 = 0xC02D;
/// The first words of the pawns of a start position.
const SETUP_PAWNS: [u16; 2] = [0xC2AD, 0xC2DD];
/// The number of words for the pawns of a start position of one colour.
const SETUP_PAWN_WORDS: u16 = 48;

/// The types in the order of the words. Pawns follow in a block of their own.
const OFFICERS: [PieceType; 5] = [
    PieceType::King,
    PieceType::Queen,
    PieceType::Knight,
    PieceType::Bishop,
    PieceType::Rook,
];
/// The numbers of words, divided by six, up to the end of each type.
const ENDS: [usize; 5] = [420, 1876, 2212, 2772, 3668];

/// The captured piece for each of the six words of a target.
const CAPTURES: [Option<PieceType>; 6] = [
    None,
    Some(PieceType::Queen),
    Some(PieceType::Knight),
    Some(PieceType::Bishop),
    Some(PieceType::Rook),
    Some(PieceType::Pawn),
];

/// The pieces to which a pawn is promoted, in order.
const PROMOTIONS: [PieceType; 4] = [
    PieceType::Queen,
    PieceType::Knight,
    PieceType::Bishop,
    PieceType::Rook,
];

/// A step in files and ranks.
type Direction = (i8, i8);

const KING: [Direction; 8] = [
    (-1, -1),
    (-1, 0),
    (-1, 1),
    (0, -1),
    (0, 1),
    (1, -1),
    (1, 0),
    (1, 1),
];
const KNIGHT: [Direction; 8] = [
    (-2, -1),
    (-2, 1),
    (2, -1),
    (2, 1),
    (-1, -2),
    (-1, 2),
    (1, -2),
    (1, 2),
];
/// The directions of bishops, then of rooks.
const QUEEN: [Direction; 8] = [
    (-1, -1),
    (1, -1),
    (1, 1),
    (-1, 1),
    (-1, 0),
    (0, -1),
    (1, 0),
    (0, 1),
];

/// A move as its word states it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Word {
    /// A move of one piece.
    Move {
        /// The side that moves.
        color: Color,
        /// The type of the piece that moves, before any promotion.
        piece: PieceType,
        /// The captured piece.
        captured: Option<PieceType>,
        /// The move.
        mv: PackedMove,
    },
    /// Castling.
    Castling {
        /// The side that moves.
        color: Color,
        /// The wing.
        side: Side,
        /// The number of the Chess960 start position; `None` in ordinary chess.
        number: Option<u16>,
    },
}

/// The castling words that a game may contain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CastlingWords {
    /// The words of ordinary chess.
    Chess,
    /// The words of the Chess960 start position with this number.
    Chess960(u16),
    /// The words of any Chess960 start position.
    AnyChess960,
}

/// The reason why a word is not a move in a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum WordFault {
    /// The word has no meaning among the moves.
    Unknown,
    /// The word is a move of the other side.
    WrongSide,
    /// Another piece, or none, is on the square that the move leaves.
    WrongPiece,
    /// Another piece, or none, is captured.
    WrongCapture,
    /// The castling words of another start position.
    WrongCastling,
    /// The rules of chess do not allow the move.
    Illegal,
}

impl WordFault {
    /// Returns the reason in words.
    pub const fn why(self) -> &'static str {
        match self {
            WordFault::Unknown => "the word has no known meaning",
            WordFault::WrongSide => "the word is a move of the other side",
            WordFault::WrongPiece => {
                "another piece, or none, is on the square that the move leaves"
            }
            WordFault::WrongCapture => "another piece, or none, is on the square of the capture",
            WordFault::WrongCastling => "the word is castling in another start position",
            WordFault::Illegal => "the move is not legal",
        }
    }
}

/// The squares of a word, in the form of a move without special effects.
static OFFICER_MOVES: [PackedMove; 3668] = officer_moves();

/// The moves of the pawns with the captured piece.
static PAWN_MOVES: [[(PackedMove, Option<PieceType>); 668]; 2] =
    [pawn_moves(Color::White), pawn_moves(Color::Black)];

/// Returns the meaning of a word; `None` for a word that is not a move, and for the null move.
#[inline]
pub fn decode(word: u16) -> Option<Word> {
    let (color, number) = match word {
        1..BLACK_OFFICERS => (Color::White, word - 1),
        BLACK_OFFICERS..0xABF1 => (Color::Black, word - BLACK_OFFICERS),
        0xABF1..CASTLING => {
            let color = if word < PAWNS[1] { Color::White } else { Color::Black };
            let [white, black] = &PAWN_MOVES;
            let index = usize::from(word - color.pick(PAWNS[0], PAWNS[1]));
            let &(mv, captured) = color.pick(white, black).get(index)?;
            let piece = PieceType::Pawn;
            return Some(Word::Move {
                color,
                piece,
                captured,
                mv,
            });
        }
        CASTLING..SETUP => return Some(castling(word)),
        _ => return None,
    };
    // Each pair of squares has six words: no capture, and five captured pieces.
    let index = usize::from(number);
    let mv = *OFFICER_MOVES.get(index / 6)?;
    let kind = ENDS.iter().filter(|&&end| index / 6 >= end).count();
    Some(Word::Move {
        color,
        piece: *OFFICERS.get(kind)?,
        captured: *CAPTURES.get(index % 6)?,
        mv,
    })
}

/// Returns the meaning of a castling word.
fn castling(word: u16) -> Word {
    let (number, code) = if word < CASTLING_960 {
        (None, word - CASTLING)
    } else {
        (Some((word - CASTLING_960) / 4), (word - CASTLING_960) % 4)
    };
    Word::Castling {
        color: if code < 2 { Color::White } else { Color::Black },
        side: if code % 2 == 0 { Side::Long } else { Side::Short },
        number,
    }
}

/// Returns the move of a word in a position, if the position agrees with the side, the piece and
/// the captured piece. Whether the move is legal is for the caller to check.
///
/// # Errors
///
/// Returns the contradiction between word and position.
#[inline]
pub fn read(
    word: u16,
    board: &Board,
    words: CastlingWords,
) -> std::result::Result<PackedMove, WordFault> {
    match decode(word).ok_or(WordFault::Unknown)? {
        Word::Move {
            color,
            piece,
            captured,
            mv,
        } => {
            if color != board.turn() {
                return Err(WordFault::WrongSide);
            }
            if board.piece_at(mv.from()) != Some(Piece { color, kind: piece }) {
                return Err(WordFault::WrongPiece);
            }
            let taken = match mv.kind() {
                // The target is empty: the captured pawn is on another square.
                MoveKind::EnPassant => None,
                _ => captured.map(|kind| Piece {
                    color: color.other(),
                    kind,
                }),
            };
            if board.piece_at(mv.to()) == taken {
                Ok(mv)
            } else {
                Err(WordFault::WrongCapture)
            }
        }
        Word::Castling {
            color,
            side,
            number,
        } => {
            let fits = match words {
                CastlingWords::Chess => number.is_none(),
                CastlingWords::Chess960(own) => number == Some(own),
                CastlingWords::AnyChess960 => number.is_some(),
            };
            if !fits {
                return Err(WordFault::WrongCastling);
            }
            if color != board.turn() {
                return Err(WordFault::WrongSide);
            }
            let king = board.king(color).ok_or(WordFault::WrongPiece)?;
            Ok(PackedMove::castling(king, side))
        }
    }
}

/// Returns the piece and square of a word of a start position.
pub fn setup_piece(word: u16) -> Option<(Square, Piece)> {
    let [white, black] = SETUP_PAWNS;
    if word >= white {
        let color = if word < black { Color::White } else { Color::Black };
        let index = word - color.pick(white, black);
        // Pawns have six ranks, the second to the seventh.
        let rank = u8::try_from(index % 6 + 1).ok()?;
        let file = u8::try_from(index / 6)
            .ok()
            .filter(|_| index < SETUP_PAWN_WORDS)?;
        let kind = PieceType::Pawn;
        return Some((Square::from_coords(file, rank)?, Piece { color, kind }));
    }
    let index = word.checked_sub(SETUP)?;
    let color = if index < 5 * 64 { Color::White } else { Color::Black };
    let kind = *OFFICERS.get(usize::from(index / 64 % 5))?;
    let square = Square::new(u8::try_from(index % 64).ok()?)?;
    Some((square, Piece { color, kind }))
}

/// Returns the square a step away from a file and a rank, if it is on the board.
const fn target(file: i8, rank: i8, (files, ranks): Direction) -> Option<(i8, i8)> {
    let (file, rank) = (file + files, rank + ranks);
    if file >= 0 && file < 8 && rank >= 0 && rank < 8 {
        Some((file, rank))
    } else {
        None
    }
}

const fn square(file: i8, rank: i8) -> Square {
    Square::new_masked((file * 8 + rank) as u8)
}

#[expect(
    clippy::indexing_slicing,
    reason = "evaluated by the compiler, which reports an index out of bounds"
)]
const fn officer_moves() -> [PackedMove; 3668] {
    let mut moves = [PackedMove::NULL; 3668];
    let mut count = 0;
    let mut kind = 0;
    while kind < 5 {
        // The directions of the type, and whether it slides.
        let (directions, first, last, slides): (&[Direction; 8], usize, usize, bool) = match kind {
            0 => (&KING, 0, 8, false),
            1 => (&QUEEN, 0, 8, true),
            2 => (&KNIGHT, 0, 8, false),
            3 => (&QUEEN, 0, 4, true),
            _ => (&QUEEN, 4, 8, true),
        };
        let mut from = 0;
        while from < 64 {
            let mut direction = first;
            while direction < last {
                let (mut file, mut rank) = (from / 8, from % 8);
                while let Some(next) = target(file, rank, directions[direction]) {
                    (file, rank) = next;
                    moves[count] =
                        PackedMove::normal(square(from / 8, from % 8), square(file, rank));
                    count += 1;
                    if !slides {
                        break;
                    }
                }
                direction += 1;
            }
            from += 1;
        }
        // The compiler stops if the loops do not agree with the format page.
        assert!(count == ENDS[kind]);
        kind += 1;
    }
    moves
}

#[expect(
    clippy::indexing_slicing,
    reason = "evaluated by the compiler, which reports an index out of bounds"
)]
const fn pawn_moves(color: Color) -> [(PackedMove, Option<PieceType>); 668] {
    let mut moves = [(PackedMove::NULL, None); 668];
    let mut count = 0;
    let (forward, first, last, fifth) = match color {
        Color::White => (1, 1, 6, 4),
        Color::Black => (-1, 6, 1, 3),
    };
    let mut place = 0;
    while place < 48 {
        let (file, rank) = (place / 6, place % 6 + 1);
        place += 1;
        let from = square(file, rank);
        if rank == first {
            moves[count] = (
                PackedMove::normal(from, square(file, rank + 2 * forward)),
                None,
            );
            count += 1;
        }
        // Straight ahead, then the captures to the lower and to the higher file.
        let mut side = 0;
        while side < 3 {
            let files = [0, -1, 1][side];
            let captures = match (side, rank == last) {
                (0, _) => 1,
                // Pawns are not captured on the last rank.
                (_, true) => 4,
                _ => 5,
            };
            if let Some((to_file, to_rank)) = target(file, rank, (files, forward)) {
                let to = square(to_file, to_rank);
                let mut taken = 0;
                while taken < captures {
                    let captured = if side == 0 { None } else { CAPTURES[taken + 1] };
                    let mut promotion = 0;
                    while promotion < if rank == last { 4 } else { 1 } {
                        let kind = if rank == last {
                            MoveKind::Promotion(PROMOTIONS[promotion])
                        } else {
                            MoveKind::Normal
                        };
                        moves[count] = (PackedMove::new(from, to, kind), captured);
                        count += 1;
                        promotion += 1;
                    }
                    taken += 1;
                }
                if side > 0 && rank == fifth {
                    let mv = PackedMove::new(from, to, MoveKind::EnPassant);
                    moves[count] = (mv, Some(PieceType::Pawn));
                    count += 1;
                }
            }
            side += 1;
        }
    }
    assert!(count == 668);
    moves
}
