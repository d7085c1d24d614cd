//! How many men of each kind there are.

use chessdb_core::{Board, Color, Feature, Men, PieceType};

use super::Wanted;

/// Bounds of a number, both included.
pub(super) type Count = (u8, u8);

/// What one side has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Army {
    /// By [`PieceType`].
    pub(super) kinds: [Count; 6],
    /// Knights and bishops together, where they are asked for so; their own counts are then free.
    pub(super) minors: Option<Count>,
}

/// The same, of all kinds at once. That there is one king is looked at where the rest fits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Bounds {
    least: Men,
    most: Men,
    minors: Count,
}

impl Bounds {
    fn of(army: &Army) -> Bounds {
        let [pawns, knights, bishops, rooks, queens, _] = army.kinds;
        let kinds = [pawns, knights, bishops, rooks, queens];
        Bounds {
            least: Men::new(kinds.map(|(least, _)| least)),
            most: Men::new(kinds.map(|(_, most)| most)),
            minors: army.minors.unwrap_or((0, u8::MAX)),
        }
    }

    #[inline]
    fn fits(&self, men: Men) -> bool {
        let (least, most) = self.minors;
        self.least.is_within(men)
            && men.is_within(self.most)
            && (least..=most).contains(&men.minors())
    }

    /// All that fit, if these are no more than [`MOST_BALANCES`]; none otherwise.
    fn all(&self) -> Vec<Men> {
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
        let men = all.into_iter().map(Men::new);
        men.filter(|&men| self.fits(men)).collect()
    }

    /// Whether men are missing that no promotion can bring.
    #[inline]
    fn is_over(&self, men: Men) -> bool {
        // Usually nothing is missing yet.
        if self.least.is_within(men) && men.minors() >= self.minors.0 {
            return false;
        }
        let missing = |least: u8, men: u8| i32::from(least) - i32::from(men);
        let [pawns, pieces @ ..] = men.counts();
        let [least, wanted @ ..] = self.least.counts();
        let pieces = wanted
            .into_iter()
            .zip(pieces)
            .chain([(self.minors.0, men.minors())]);
        let pieces = pieces.map(|(least, men)| missing(least, men).max(0));
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
    pub(super) fn new(white: &Army, black: &Army, either: bool) -> Material {
        let sides = [Bounds::of(white), Bounds::of(black)];
        Material { sides, either }
    }

    /// Whether a board is meant that has these men.
    #[inline]
    pub(crate) fn fits(&self, board: &Board, [white, black]: [Men; 2]) -> bool {
        let [first, second] = &self.sides;
        (first.fits(white) && second.fits(black)
            || self.either && first.fits(black) && second.fits(white))
            && Color::ALL
                .into_iter()
                .all(|color| board.pieces(color, PieceType::King).len() == 1)
    }

    /// What a game must allow, for each way in which the colours may stand.
    pub(super) fn wanted(&self) -> impl Iterator<Item = Wanted> {
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

    pub(super) fn is_over(&self, [white, black]: [Men; 2]) -> bool {
        let [first, second] = &self.sides;
        let is_over = |white, black| first.is_over(white) || second.is_over(black);
        is_over(white, black) && (!self.either || is_over(black, white))
    }
}

/// What a game must allow where White's and Black's men are within these bounds.
fn wanted_of(white: &Bounds, black: &Bounds) -> Wanted {
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
    Wanted::counts([white.most, black.most]).with_features([features].into_iter())
}
