//! The codes of moves (docs/formats/ctg.md, section 5).

use chessdb_core::board::MoveKind;
use chessdb_core::{Board, Color, PackedMove, PieceType, Square};

/// The steps of a piece: the forward and right parts of each, and the codes for each piece of this
/// type, counted from a1, a2 to h8.
struct Steps<const N: usize, const PIECES: usize> {
    kind: PieceType,
    steps: [(u8, u8); N],
    codes: [[u8; N]; PIECES],
}

const PAWN: Steps<4, 8> = Steps {
    kind: PieceType::Pawn,
    steps: [(1, 0), (2, 0), (1, 1), (1, 7)],
    codes: [
        [0xEC, 0xDB, 0x8B, 0x0C],
        [0x04, 0x62, 0x96, 0xD1],
        [0x55, 0x9B, 0x7C, 0x27],
        [0xCF, 0xE6, 0xEB, 0x06],
        [0xBB, 0x5F, 0x00, 0xDE],
        [0xCB, 0xB1, 0x2D, 0x82],
        [0x18, 0xC8, 0x5C, 0xC7],
        [0xA3, 0x4A, 0x14, 0x24],
    ],
};

const KING: Steps<8, 1> = Steps {
    kind: PieceType::King,
    steps: [
        (1, 0),
        (1, 1),
        (0, 1),
        (7, 1),
        (7, 0),
        (7, 7),
        (0, 7),
        (1, 7),
    ],
    codes: [[0x13, 0x67, 0xBE, 0x44, 0x0A, 0x8C, 0x97, 0xDF]],
};

const KNIGHT: Steps<8, 2> = Steps {
    kind: PieceType::Knight,
    steps: [
        (2, 1),
        (1, 2),
        (7, 2),
        (6, 1),
        (6, 7),
        (7, 6),
        (1, 6),
        (2, 7),
    ],
    codes: [
        [0x34, 0x36, 0xE9, 0x8A, 0xDA, 0x0F, 0xF7, 0x85],
        [0x4C, 0xD2, 0xE0, 0x2A, 0x30, 0x01, 0xD3, 0xF3],
    ],
};

#[rustfmt::skip]
const ROOK: Steps<14, 2> = Steps {
    kind: PieceType::Rook,
    steps: [
        (1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (6, 0), (7, 0),
        (0, 1), (0, 2), (0, 3), (0, 4), (0, 5), (0, 6), (0, 7),
    ],
    codes: [
        [0x81, 0xE8, 0x7A, 0x99, 0x87, 0x50, 0xE1, 0x7F, 0xCD, 0x98, 0xEF, 0x6E, 0x52, 0x86],
        [0x7D, 0xF4, 0xE3, 0xC5, 0xA5, 0x7B, 0x69, 0xC4, 0xA9, 0x0E, 0xAD, 0xB5, 0xD8, 0x21],
    ],
};

/// Four forward and four to the right is also four forward and four to the left.
#[rustfmt::skip]
const BISHOP: Steps<14, 2> = Steps {
    kind: PieceType::Bishop,
    steps: [
        (1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6), (7, 7),
        (1, 7), (2, 6), (3, 5), (4, 4), (5, 3), (6, 2), (7, 1),
    ],
    codes: [
        [0x2E, 0xC1, 0x0D, 0x6A, 0x15, 0x3A, 0x12, 0x1B, 0xC3, 0x66, 0x6A, 0x3C, 0xB2, 0x26],
        [0xF5, 0xC2, 0xB9, 0x9F, 0x32, 0x09, 0x1D, 0x54, 0x22, 0xCA, 0x9F, 0xCC, 0x79, 0x72],
    ],
};

/// QUIRK: in all sources 0x1A and 0xF9 both mean "second queen, six forward", and "six to the
/// right" has no code, so one of them must be that. [`DOUBTFUL`] has the other reading; the test
/// `ambiguous_code_has_two_moves` shows it.
#[rustfmt::skip]
const QUEEN: Steps<28, 2> = Steps {
    kind: PieceType::Queen,
    steps: [
        (1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (6, 0), (7, 0),
        (0, 1), (0, 2), (0, 3), (0, 4), (0, 5), (0, 6), (0, 7),
        (1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6), (7, 7),
        (1, 7), (2, 6), (3, 5), (4, 4), (5, 3), (6, 2), (7, 1),
    ],
    codes: [
        [
            0x05, 0x9D, 0x94, 0x37, 0xB7, 0x9A, 0xFD, 0x2F, 0x74, 0x31, 0xE5, 0x39, 0x29, 0x8F,
            0xF1, 0xA2, 0x45, 0xE7, 0x28, 0x61, 0xED, 0xD7, 0xD9, 0x7E, 0xE7, 0x4B, 0x80, 0x42,
        ],
        [
            0x4D, 0xBD, 0xA0, 0xB0, 0xC6, DOUBTFUL[0], 0xC9, 0xF8, 0x03, 0xFA, 0x08, 0xBC, DOUBTFUL[1], 0xF0,
            0x92, 0xFB, 0xAE, 0x38, 0x41, 0x23, 0x6F, 0xEE, 0x8E, 0xFE, 0x38, 0x3B, 0xAB, 0x63,
        ],
    ],
};

/// Two codes, one of which means six forward and the other six to the right.
const DOUBTFUL: [u8; 2] = [0x1A, 0xF9];
const SHORT_CASTLING: u8 = 0x6B;
const LONG_CASTLING: u8 = 0xF6;

/// A meaning of a code: the piece, how many of its type precede it, and the step.
#[derive(Clone, Copy)]
struct Meaning {
    kind: PieceType,
    before: u8,
    forward: u8,
    right: u8,
}

static MEANINGS: [Option<Meaning>; 256] = meanings();

const fn meanings() -> [Option<Meaning>; 256] {
    let mut table = [None; 256];
    add(&mut table, &PAWN);
    add(&mut table, &KING);
    add(&mut table, &KNIGHT);
    add(&mut table, &ROOK);
    add(&mut table, &BISHOP);
    add(&mut table, &QUEEN);
    table
}

#[expect(
    clippy::indexing_slicing,
    reason = "evaluated by the compiler; the loops stay within the arrays"
)]
const fn add<const N: usize, const PIECES: usize>(
    table: &mut [Option<Meaning>; 256],
    of: &Steps<N, PIECES>,
) {
    let mut piece = 0;
    while piece < PIECES {
        let mut n = 0;
        while n < N {
            let (forward, right) = of.steps[n];
            table[of.codes[piece][n] as usize] = Some(Meaning {
                kind: of.kind,
                before: piece as u8,
                forward,
                right,
            });
            n += 1;
        }
        piece += 1;
    }
}

/// Returns the moves that a code may mean in a stored position, where White is to move. They need
/// not be legal. All codes but two have at most one meaning.
pub fn moves_of_code(code: u8, board: &Board) -> [Option<PackedMove>; 2] {
    let castling = |kind, file| {
        let from = board.king(Color::White)?;
        Some(PackedMove::new(from, Square::from_coords(file, 0)?, kind))
    };
    match code {
        SHORT_CASTLING => return [castling(MoveKind::CastleShort, 6), None],
        LONG_CASTLING => return [castling(MoveKind::CastleLong, 2), None],
        _ => {}
    }
    let Some(meaning) = MEANINGS.get(usize::from(code)).copied().flatten() else {
        return [None, None];
    };
    let other = Meaning {
        forward: meaning.right,
        right: meaning.forward,
        ..meaning
    };
    let other = DOUBTFUL.contains(&code).then_some(other);
    [Some(meaning), other].map(|meaning| mv(meaning?, board))
}

fn mv(meaning: Meaning, board: &Board) -> Option<PackedMove> {
    let mut pieces = board.pieces(Color::White, meaning.kind);
    let from = pieces.nth(meaning.before.into())?;
    let file = (from.file() + meaning.right) & 7;
    let rank = (from.rank() + meaning.forward) & 7;
    let to = Square::from_coords(file, rank)?;
    let kind = match meaning.kind {
        // No code distinguishes the pieces of a promotion.
        PieceType::Pawn if rank == 7 => MoveKind::Promotion(PieceType::Queen),
        PieceType::Pawn if meaning.right != 0 && board.piece_at(to).is_none() => {
            MoveKind::EnPassant
        }
        _ => MoveKind::Normal,
    };
    Some(PackedMove::new(from, to, kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_move_vector_has_one_code() {
        let used = MEANINGS.iter().flatten().count() + 2;
        assert_eq!(used, 4 * 8 + 8 + 2 * (8 + 14 + 13 + 27) + 2);
        // 166 codes, as the format page states.
        assert_eq!(used, 166);
    }

    #[test]
    fn ambiguous_code_has_two_moves() {
        let board: Board = "7k/8/8/8/8/8/8/QQ2K3 w - - 0 1".parse().unwrap();
        for code in DOUBTFUL {
            let mut moves = moves_of_code(code, &board).map(|mv| mv.unwrap().to_string());
            moves.sort();
            assert_eq!(moves, ["b1b7", "b1h1"]);
        }
        assert_eq!(
            moves_of_code(0x4D, &board).map(|mv| mv.is_some()),
            [true, false]
        );
        assert_eq!(moves_of_code(0x02, &board), [None, None]);
    }
}
