//! Material tests: the number of pieces of each kind.

use chessdb_core::search::{Feature, PieceCounts};
use chessdb_core::{Board, Color, PieceType};

use super::PieceBounds;

/// The inclusive bounds of a number.
pub(super) type CountBounds = (u8, u8);

/// The material of one side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SideMaterial {
    /// The bounds per [`PieceType`].
    pub(super) kinds: [CountBounds; 6],
    /// The bounds of knights and bishops together, if given. Their separate counts are then
    /// unbounded.
    pub(super) minors: Option<CountBounds>,
}

/// Like [`SideMaterial`], for all kinds at once. The number of kings is checked after the rest
/// matches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct MaterialBounds {
    least: PieceCounts,
    most: PieceCounts,
    minors: CountBounds,
}

impl MaterialBounds {
    fn new(army: &SideMaterial) -> MaterialBounds {
        let [pawns, knights, bishops, rooks, queens, _] = army.kinds;
        let kinds = [pawns, knights, bishops, rooks, queens];
        MaterialBounds {
            least: PieceCounts::new(kinds.map(|(lower, _)| lower)),
            most: PieceCounts::new(kinds.map(|(_, upper)| upper)),
            minors: army.minors.unwrap_or((0, u8::MAX)),
        }
    }

    #[inline]
    fn fits(&self, piece_counts: PieceCounts) -> bool {
        let (lower, upper) = self.minors;
        self.least.is_within(piece_counts)
            && piece_counts.is_within(self.most)
            && (lower..=upper).contains(&piece_counts.minors())
    }

    /// Returns all counts that match, or none if these are more than [`MOST_BALANCES`].
    fn all(&self) -> Vec<PieceCounts> {
        let bounds = self.least.counts().into_iter().zip(self.most.counts());
        let mut all = vec![[0; 5]];
        for (kind, (lower, upper)) in bounds.enumerate() {
            if upper < lower || usize::from(upper - lower) >= MOST_BALANCES {
                return Vec::new();
            }
            let more = |&counts: &[u8; 5]| {
                (lower..=upper).map(move |count| {
                    let mut next = counts;
                    if let Some(slot) = next.get_mut(kind) {
                        *slot = count;
                    }
                    next
                })
            };
            all = all.iter().flat_map(more).collect();
            if all.len() > MOST_BALANCES {
                return Vec::new();
            }
        }
        all.into_iter()
            .map(PieceCounts::new)
            .filter(|&piece_counts| self.fits(piece_counts))
            .collect()
    }

    /// Returns whether pieces are missing that no promotion can produce.
    #[inline]
    fn is_over(&self, piece_counts: PieceCounts) -> bool {
        // In most positions nothing is missing yet.
        if self.least.is_within(piece_counts) && piece_counts.minors() >= self.minors.0 {
            return false;
        }
        let missing = |least: u8, count: u8| i32::from(least) - i32::from(count);
        let [pawns, knights, bishops, rooks, queens] = self.least.counts();
        let [own_pawns, own_knights, own_bishops, own_rooks, own_queens] = piece_counts.counts();
        let named_minors =
            missing(knights, own_knights).max(0) + missing(bishops, own_bishops).max(0);
        // A pawn that becomes a missing knight or bishop is a minor piece too.
        let minors = missing(self.minors.0, piece_counts.minors()).max(named_minors);
        let heavy = missing(rooks, own_rooks).max(0) + missing(queens, own_queens).max(0);
        // Each missing piece costs a pawn besides those that must remain.
        missing(pawns, own_pawns) + minors + heavy > 0
    }
}

/// The largest number of balances, of one or both sides, that are looked up in an index.
const MOST_BALANCES: usize = 32;

/// The material of both sides.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Material {
    sides: [MaterialBounds; 2],
    /// Whether the colors may be exchanged.
    either: bool,
}

impl Material {
    pub(super) fn new(white: &SideMaterial, black: &SideMaterial, either: bool) -> Material {
        let sides = [MaterialBounds::new(white), MaterialBounds::new(black)];
        Material { sides, either }
    }

    /// Returns whether a board with these pieces matches.
    #[inline]
    pub(crate) fn fits(&self, board: &Board, [white, black]: [PieceCounts; 2]) -> bool {
        let [first, second] = &self.sides;
        (first.fits(white) && second.fits(black)
            || self.either && first.fits(black) && second.fits(white))
            && Color::ALL
                .into_iter()
                .all(|color| board.pieces(color, PieceType::King).len() == 1)
    }

    /// Returns what a game must allow, for each assignment of the colors.
    pub(super) fn piece_bounds(&self) -> impl Iterator<Item = PieceBounds> {
        let [first, second] = &self.sides;
        let exchanged = self.either.then(|| piece_bounds_of(second, first));
        [piece_bounds_of(first, second)]
            .into_iter()
            .chain(exchanged)
    }

    /// Returns the largest number of pieces of both sides, including kings.
    pub(super) fn most_pieces(&self) -> u8 {
        let kings = Color::ALL.len() as u8;
        self.sides
            .iter()
            .map(|side| side.most.all())
            .fold(kings, u8::saturating_add)
    }

    pub(super) fn is_over(&self, [white, black]: [PieceCounts; 2]) -> bool {
        let [first, second] = &self.sides;
        let is_over = |white, black| first.is_over(white) || second.is_over(black);
        is_over(white, black) && (!self.either || is_over(black, white))
    }
}

/// Returns what a game must allow if White's and Black's pieces are within these bounds.
fn piece_bounds_of(white: &MaterialBounds, black: &MaterialBounds) -> PieceBounds {
    let (whites, blacks) = (white.all(), black.all());
    let features = match whites.len() * blacks.len() {
        0..=MOST_BALANCES => whites
            .iter()
            .flat_map(|&white| {
                blacks
                    .iter()
                    .map(move |&black| Feature::of_piece_counts([white, black]))
            })
            .collect(),
        _ => Vec::new(),
    };
    PieceBounds::counts([white.most, black.most]).with_features([features].into_iter())
}
