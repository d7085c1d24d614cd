//! How many men of each kind there are.

use chessdb_core::{Board, Color, Feature, PieceCounts, PieceType};

use super::PieceBounds;

/// Bounds of a number, both included.
pub(super) type Count = (u8, u8);

/// What one side has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SideMaterial {
    /// By [`PieceType`].
    pub(super) kinds: [Count; 6],
    /// Knights and bishops together, where they are asked for so; their own counts are then free.
    pub(super) minors: Option<Count>,
}

/// The same, of all kinds at once. That there is one king is looked at where the rest fits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Bounds {
    least: PieceCounts,
    most: PieceCounts,
    minors: Count,
}

impl Bounds {
    fn of(army: &SideMaterial) -> Bounds {
        let [pawns, knights, bishops, rooks, queens, _] = army.kinds;
        let kinds = [pawns, knights, bishops, rooks, queens];
        Bounds {
            least: PieceCounts::new(kinds.map(|(least, _)| least)),
            most: PieceCounts::new(kinds.map(|(_, most)| most)),
            minors: army.minors.unwrap_or((0, u8::MAX)),
        }
    }

    #[inline]
    fn fits(&self, piece_counts: PieceCounts) -> bool {
        let (least, most) = self.minors;
        self.least.is_within(piece_counts)
            && piece_counts.is_within(self.most)
            && (least..=most).contains(&piece_counts.minors())
    }

    /// All that fit, if these are no more than [`MOST_BALANCES`]; none otherwise.
    fn all(&self) -> Vec<PieceCounts> {
        let bounds = self.least.counts().into_iter().zip(self.most.counts());
        let mut all = vec![[0; 5]];
        for (kind, (least, most)) in bounds.enumerate() {
            if most < least || usize::from(most - least) >= MOST_BALANCES {
                return Vec::new();
            }
            let more = |counts: &[u8; 5]| {
                let counts = *counts;
                (least..=most).map(move |count| {
                    let mut counts = counts;
                    if let Some(slot) = counts.get_mut(kind) {
                        *slot = count;
                    }
                    counts
                })
            };
            all = all.iter().flat_map(more).collect();
            if all.len() > MOST_BALANCES {
                return Vec::new();
            }
        }
        let piece_counts = all.into_iter().map(PieceCounts::new);
        piece_counts
            .filter(|&piece_counts| self.fits(piece_counts))
            .collect()
    }

    /// Whether men are missing that no promotion can bring.
    #[inline]
    fn is_over(&self, piece_counts: PieceCounts) -> bool {
        // Usually nothing is missing yet.
        if self.least.is_within(piece_counts) && piece_counts.minors() >= self.minors.0 {
            return false;
        }
        let missing = |least: u8, piece_counts: u8| i32::from(least) - i32::from(piece_counts);
        let [pawns, pieces @ ..] = piece_counts.counts();
        let [least, wanted @ ..] = self.least.counts();
        let pieces = wanted
            .into_iter()
            .zip(pieces)
            .chain([(self.minors.0, piece_counts.minors())]);
        let pieces = pieces.map(|(least, piece_counts)| missing(least, piece_counts).max(0));
        missing(least, pawns) + pieces.sum::<i32>() > 0
    }
}

/// So many balances of both sides, and of one, are asked of an index.
const MOST_BALANCES: usize = 32;

/// What both sides have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Material {
    sides: [Bounds; 2],
    /// Whether the colours may be exchanged.
    either: bool,
}

impl Material {
    pub(super) fn new(white: &SideMaterial, black: &SideMaterial, either: bool) -> Material {
        let sides = [Bounds::of(white), Bounds::of(black)];
        Material { sides, either }
    }

    /// Whether a board is meant that has these men.
    #[inline]
    pub(crate) fn fits(&self, board: &Board, [white, black]: [PieceCounts; 2]) -> bool {
        let [first, second] = &self.sides;
        (first.fits(white) && second.fits(black)
            || self.either && first.fits(black) && second.fits(white))
            && Color::ALL
                .into_iter()
                .all(|color| board.pieces(color, PieceType::King).len() == 1)
    }

    /// What a game must allow, for each way in which the colours may stand.
    pub(super) fn wanted(&self) -> impl Iterator<Item = PieceBounds> {
        let [first, second] = &self.sides;
        let exchanged = self.either.then(|| wanted_of(second, first));
        [wanted_of(first, second)].into_iter().chain(exchanged)
    }

    /// The most men of both sides where it fits, kings included.
    pub(super) fn most_men(&self) -> u8 {
        let kings = Color::ALL.len() as u8;
        let sides = self.sides.iter().map(|side| side.most.all());
        sides.fold(kings, u8::saturating_add)
    }

    pub(super) fn is_over(&self, [white, black]: [PieceCounts; 2]) -> bool {
        let [first, second] = &self.sides;
        let is_over = |white, black| first.is_over(white) || second.is_over(black);
        is_over(white, black) && (!self.either || is_over(black, white))
    }
}

/// What a game must allow where White's and Black's men are within these bounds.
fn wanted_of(white: &Bounds, black: &Bounds) -> PieceBounds {
    let (whites, blacks) = (white.all(), black.all());
    let features = match whites.len() * blacks.len() {
        0..=MOST_BALANCES => whites
            .iter()
            .flat_map(|&white| {
                blacks
                    .iter()
                    .map(move |&black| Feature::of_balance([white, black]))
            })
            .collect(),
        _ => Vec::new(),
    };
    PieceBounds::counts([white.most, black.most]).with_features([features].into_iter())
}
