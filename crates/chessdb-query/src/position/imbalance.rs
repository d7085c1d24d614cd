//! Differences between the material of both sides.

use chessdb_core::{Board, Color, PieceType};

use super::read::read_count;
use crate::syntax::Fault;

/// Returns White's pieces minus Black's, in points: pawn 1, knight and bishop 3, rook 5, queen 9.
pub(crate) fn material_points(board: &Board) -> i32 {
    const POINTS: [(PieceType, i32); 5] = [
        (PieceType::Pawn, 1),
        (PieceType::Knight, 3),
        (PieceType::Bishop, 3),
        (PieceType::Rook, 5),
        (PieceType::Queen, 9),
    ];
    POINTS
        .into_iter()
        .map(|(kind, points)| points * difference(board, kind))
        .sum()
}

/// Returns the number of White's pieces of this kind minus Black's.
fn difference(board: &Board, kind: PieceType) -> i32 {
    let count = |color| i32::try_from(board.pieces(color, kind).len()).unwrap_or_default();
    count(Color::White) - count(Color::Black)
}

/// The kinds of pieces that are compared, and `M` for knights and bishops together.
const LETTERS: [u8; 6] = *b"PNBRQM";

/// Inclusive bounds of the difference of a kind.
type Bounds = (i32, i32);

/// Pieces that one side has more than the other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Imbalance {
    /// White's pieces minus Black's, in the order of [`LETTERS`].
    bounds: [Bounds; 6],
    /// Whether the colors may be exchanged.
    either: bool,
}

const ANY: Bounds = (i32::MIN, i32::MAX);

impl Imbalance {
    /// Reads `Q-RR`: one side has a queen more, the other two rooks more, and neither has more
    /// knights or bishops. Pawns count only if they are named. `Q-rr` is White's queen, `q-RR`
    /// Black's. Counts are those of [`super::Material`]: `Q-P2`, `R-MP*`, `Q*`.
    pub(crate) fn read(text: &str) -> Result<Imbalance, Fault> {
        let expected = "expected the pieces that one side has more, such as Q-RR, -Q or Q-rr";
        let mut bounds: [Option<Bounds>; 6] = [None; 6];
        let mut small = [None; 2];
        let mut side = 0;
        let mut rest = text.as_bytes();
        while let [letter, tail @ ..] = rest {
            let offset = text.len() - rest.len();
            rest = tail;
            if *letter == b'-' {
                side += 1;
                if side > 1 {
                    return Err(Fault::at(offset, expected));
                }
                continue;
            }
            let kind = LETTERS
                .iter()
                .position(|name| name.eq_ignore_ascii_case(letter));
            let slot = kind.and_then(|kind| bounds.get_mut(kind));
            let (Some(slot), Some(small)) = (slot, small.get_mut(side)) else {
                let message = "the pieces are Q R B N P, and M for a knight or bishop";
                return Err(Fault::at(offset, message));
            };
            let is_small = letter.is_ascii_lowercase();
            if *small.get_or_insert(is_small) != is_small {
                let message = "the pieces of a side must be all upper case or all lower case";
                return Err(Fault::at(offset, message));
            }
            let (lower, upper) = read_count(&mut rest);
            if lower > upper {
                return Err(Fault::at(offset, "this range is empty"));
            }
            // `Q*` is any number of queens.
            let upper = if upper == u8::MAX { i32::MAX } else { upper.into() };
            let (lower, upper) = match side {
                0 => (lower.into(), upper),
                // The other side has these pieces more if the difference is negative.
                _ => (-upper, -i32::from(lower)),
            };
            // A repeated letter adds up: `RR` is two rooks.
            let (first, last) = slot.unwrap_or((0, 0));
            *slot = Some((first.saturating_add(lower), last.saturating_add(upper)));
        }
        let [_, knights, bishops, _, _, minors] = bounds;
        if minors.is_some() && (knights.is_some() || bishops.is_some()) {
            return Err(Fault::from("M already counts knights and bishops"));
        }
        let is_black_first = match small {
            [None, None] => return Err(Fault::from(expected)),
            // Black's pieces are named on one side, so White's are on the other.
            [Some(true), Some(true)] => {
                return Err(Fault::from("only one side can be Black's, in lower case"));
            }
            [Some(first), _] => first,
            // `-q`: White has nothing more.
            [None, Some(_)] => false,
        };
        let either = !small.contains(&Some(true));
        let bounds = LETTERS.map(|letter| {
            let kind = LETTERS.iter().position(|other| *other == letter);
            let named = kind.and_then(|kind| bounds.get(kind).copied().flatten());
            let is_free = match letter {
                b'P' | b'M' => true,
                // `M` counts these pieces instead.
                b'N' | b'B' => minors.is_some(),
                _ => false,
            };
            named.unwrap_or(if is_free { ANY } else { (0, 0) })
        });
        let imbalance = Imbalance { bounds, either };
        Ok(if is_black_first { imbalance.exchanged() } else { imbalance })
    }

    /// Returns the imbalance with the colors exchanged.
    fn exchanged(self) -> Imbalance {
        let bounds = self.bounds.map(|(lower, upper)| {
            // The smallest number has no opposite.
            let negative = |bound: i32| 0_i32.saturating_sub(bound);
            (negative(upper), negative(lower))
        });
        Imbalance { bounds, ..self }
    }

    pub(super) fn fits(&self, board: &Board) -> bool {
        let [pawns, knights, bishops, rooks, queens] = [
            PieceType::Pawn,
            PieceType::Knight,
            PieceType::Bishop,
            PieceType::Rook,
            PieceType::Queen,
        ]
        .map(|kind| difference(board, kind));
        let all = [pawns, knights, bishops, rooks, queens, knights + bishops];
        let within = |sign: i32| {
            all.iter()
                .zip(&self.bounds)
                .all(|(&number, (lower, upper))| (*lower..=*upper).contains(&(sign * number)))
        };
        within(1) || self.either && within(-1)
    }
}
