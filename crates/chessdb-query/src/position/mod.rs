//! Conditions on positions.

mod bishops;
mod condition;
mod exact;
mod imbalance;
mod material;
mod pattern;
mod piece_bounds;
mod read;
mod required_features;

pub(crate) use bishops::{Bishops, DARK};
pub use condition::Hit;
pub(crate) use condition::{LineProgress, PositionCondition, SearchState, must_check};
pub(crate) use exact::{Equality, ExactPosition};
pub(crate) use imbalance::{Imbalance, material_points};
pub(crate) use material::Material;
pub(crate) use pattern::Pattern;
pub(crate) use piece_bounds::PieceBounds;
pub(crate) use read::{MOST_LINES, read_line};
pub use required_features::{ClearWithout, RequiredFeatures};

use chessdb_core::search::{MoveFilter, PieceCounts};
use chessdb_core::{Board, Color, PackedMove, PieceType};

use crate::syntax::NumberRanges;

/// A condition on a position.
#[derive(Clone, Debug)]
pub(crate) enum PositionTest {
    /// One of these boards.
    Exact(Vec<ExactPosition>),
    /// One of these patterns of squares.
    Pattern(Vec<Pattern>),
    /// One of these material balances.
    Material(Vec<Material>),
    /// One bishop on each side, on squares with one of these relations.
    Bishops(Vec<Bishops>),
    /// One of these differences between the sides' pieces.
    Imbalance(Vec<Imbalance>),
    /// White's material minus Black's, in points.
    Balance(NumberRanges),
    /// The position after one of these lines of moves.
    Line(Vec<Vec<PackedMove>>),
}

impl PositionTest {
    /// Returns whether many positions can match.
    pub(crate) fn is_partial(&self) -> bool {
        matches!(
            self,
            PositionTest::Pattern(_)
                | PositionTest::Material(_)
                | PositionTest::Bishops(_)
                | PositionTest::Imbalance(_)
                | PositionTest::Balance(_)
        )
    }

    /// Returns alternative bounds. A game must satisfy at least one of them.
    pub(crate) fn piece_bounds(&self) -> Vec<PieceBounds> {
        match self {
            PositionTest::Exact(boards) => boards.iter().map(ExactPosition::piece_bounds).collect(),
            PositionTest::Pattern(patterns) => patterns.iter().map(Pattern::piece_bounds).collect(),
            PositionTest::Material(balances) => {
                balances.iter().flat_map(Material::piece_bounds).collect()
            }
            PositionTest::Bishops(_) | PositionTest::Imbalance(_) | PositionTest::Balance(_) => {
                vec![PieceBounds::unbounded()]
            }
            PositionTest::Line(lines) => {
                let last = |line: &Vec<PackedMove>| {
                    let mut board = Board::standard();
                    for &mv in line {
                        board.play(mv);
                    }
                    PieceBounds::exact(&board, true)
                };
                lines.iter().map(last).collect()
            }
        }
    }

    /// Returns the moves that may produce such a position.
    fn filter(&self) -> MoveFilter {
        match self {
            PositionTest::Pattern(patterns) => patterns
                .iter()
                .map(Pattern::filter)
                .fold(MoveFilter::LEAST, MoveFilter::or),
            // Promotions are always shown.
            PositionTest::Material(_) => MoveFilter {
                captures: self.most_pieces(),
                ..MoveFilter::LEAST
            },
            // A bishop never changes the color of its square. Promotions are always shown.
            PositionTest::Bishops(_) | PositionTest::Imbalance(_) | PositionTest::Balance(_) => {
                MoveFilter {
                    captures: u8::MAX,
                    ..MoveFilter::LEAST
                }
            }
            PositionTest::Exact(_) | PositionTest::Line(_) => MoveFilter::ALL,
        }
    }

    /// Returns the largest number of pieces, including kings, that a material test allows; 0
    /// without such a test.
    fn most_pieces(&self) -> u8 {
        match self {
            PositionTest::Material(balances) => balances
                .iter()
                .map(Material::most_pieces)
                .max()
                .unwrap_or(0),
            _ => 0,
        }
    }

    fn fits(&self, board: &Board, path: PositionPath) -> bool {
        match self {
            PositionTest::Exact(boards) => boards.iter().any(|exact| exact.fits(board)),
            PositionTest::Pattern(patterns) => patterns.iter().any(|one| one.fits(board)),
            PositionTest::Material(balances) => balances
                .iter()
                .any(|one| one.fits(board, path.piece_counts)),
            PositionTest::Bishops(bishops) => bishops.iter().any(|one| one.fits(board)),
            PositionTest::Imbalance(all) => all.iter().any(|one| one.fits(board)),
            PositionTest::Balance(points) => points.has(material_points(board)),
            PositionTest::Line(lines) => lines
                .iter()
                .enumerate()
                .any(|(n, line)| path.ply as usize == line.len() && path.alive >> n & 1 != 0),
        }
    }

    /// Returns whether no later position of the line can match. The number of pieces never
    /// increases, and a pawn that has left its home square never returns.
    fn is_over(&self, board: &Board, path: PositionPath) -> bool {
        match self {
            PositionTest::Exact(boards) => boards.iter().all(|one| one.least().is_over(board)),
            PositionTest::Pattern(patterns) => {
                patterns.iter().all(|one| one.least().is_over(board))
            }
            PositionTest::Material(balances) => {
                balances.iter().all(|one| one.is_over(path.piece_counts))
            }
            PositionTest::Bishops(_) => Bishops::are_over(board),
            // Any difference can come back while pieces are left to be captured.
            PositionTest::Imbalance(_) | PositionTest::Balance(_) => false,
            PositionTest::Line(lines) => {
                path.alive == 0 || lines.iter().all(|line| path.ply as usize > line.len())
            }
        }
    }
}

/// How a position was reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct PositionPath {
    /// The number of half-moves from the start.
    ply: u32,
    /// The lines that the moves so far agree with, as bits.
    alive: u64,
    /// The pieces of both sides, if needed. Not updated while there are more than any balance has.
    piece_counts: [PieceCounts; 2],
}

/// The requirements of a position that no move can restore.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct MinimumMaterial {
    /// The pawns on their home squares, per color.
    home: [u64; 2],
    /// The number of pawns, per color.
    pawns: [u32; 2],
    /// The number of pieces, per color.
    pieces: [u32; 2],
}

impl MinimumMaterial {
    /// Returns whether a position lacks any of it.
    #[inline]
    pub(crate) fn is_over(&self, board: &Board) -> bool {
        Color::ALL.into_iter().any(|color| {
            let pawns = board.pieces(color, PieceType::Pawn);
            *color.pick(&self.home[0], &self.home[1]) & !pawns.0 != 0
                || board.by_color(color).len() < *color.pick(&self.pieces[0], &self.pieces[1])
                || pawns.len() < *color.pick(&self.pawns[0], &self.pawns[1])
        })
    }
}
