//! Positions that a game is searched for.

mod bishops;
mod condition;
mod exact;
mod material;
mod pattern;
mod piece_bounds;
mod read;

pub(crate) use bishops::Bishops;
pub(crate) use condition::{LineProgress, PositionCondition, Seen, leaves_home};
pub(crate) use exact::{Exact, Same};
pub(crate) use material::Material;
pub(crate) use pattern::Pattern;
pub(crate) use piece_bounds::PieceBounds;
pub(crate) use read::{MOST_LINES, read_line};

use chessdb_core::{Board, Color, MoveFilter, PackedMove, PieceCounts, PieceType};

/// What a position must be like.
#[derive(Clone, Debug)]
pub(crate) enum PositionTest {
    /// One of these boards.
    Exact(Vec<Exact>),
    /// What one of these asks of some squares.
    Pattern(Vec<Pattern>),
    /// One of these balances.
    Material(Vec<Material>),
    /// One bishop on each side, on squares of one of these relations.
    Bishops(Vec<Bishops>),
    /// The one after one of these lines of moves.
    Line(Vec<Vec<PackedMove>>),
}

impl PositionTest {
    /// Whether it leaves open which of many positions is meant.
    pub(crate) fn is_partial(&self) -> bool {
        matches!(
            self,
            PositionTest::Pattern(_) | PositionTest::Material(_) | PositionTest::Bishops(_)
        )
    }

    /// What a game must allow, one of these.
    pub(crate) fn wanted(&self) -> Vec<PieceBounds> {
        match self {
            PositionTest::Exact(boards) => boards.iter().map(Exact::wanted).collect(),
            PositionTest::Pattern(patterns) => patterns.iter().map(Pattern::wanted).collect(),
            PositionTest::Material(balances) => {
                balances.iter().flat_map(Material::wanted).collect()
            }
            PositionTest::Bishops(_) => vec![Bishops::wanted()],
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

    /// The moves that may bring such a position about.
    fn filter(&self) -> MoveFilter {
        match self {
            PositionTest::Pattern(patterns) => patterns
                .iter()
                .map(Pattern::filter)
                .fold(MoveFilter::LEAST, MoveFilter::or),
            // Promotions always are shown.
            PositionTest::Material(_) => MoveFilter {
                captures: self.most_men(),
                ..MoveFilter::LEAST
            },
            // A bishop never changes the colour of its square; promotions are always shown.
            PositionTest::Bishops(_) => MoveFilter {
                captures: u8::MAX,
                ..MoveFilter::LEAST
            },
            PositionTest::Exact(_) | PositionTest::Line(_) => MoveFilter::ALL,
        }
    }

    /// The most men that a balance leaves on the board, kings included; 0 if none is asked for.
    fn most_men(&self) -> u8 {
        match self {
            PositionTest::Material(balances) => {
                let piece_counts = balances.iter().map(Material::most_men);
                piece_counts.max().unwrap_or(0)
            }
            _ => 0,
        }
    }

    fn fits(&self, board: &Board, path: Path) -> bool {
        match self {
            PositionTest::Exact(boards) => boards.iter().any(|exact| exact.fits(board)),
            PositionTest::Pattern(patterns) => patterns.iter().any(|one| one.fits(board)),
            PositionTest::Material(balances) => balances
                .iter()
                .any(|one| one.fits(board, path.piece_counts)),
            PositionTest::Bishops(bishops) => bishops.iter().any(|one| one.fits(board)),
            PositionTest::Line(lines) => lines
                .iter()
                .enumerate()
                .any(|(n, line)| path.ply as usize == line.len() && path.alive >> n & 1 != 0),
        }
    }

    /// Whether no later position of the line can fit: men only become fewer, and a pawn that has left its
    /// first square never comes back.
    fn is_over(&self, board: &Board, path: Path) -> bool {
        match self {
            PositionTest::Exact(boards) => boards.iter().all(|one| one.least().is_over(board)),
            PositionTest::Pattern(patterns) => {
                patterns.iter().all(|one| one.least().is_over(board))
            }
            PositionTest::Material(balances) => {
                balances.iter().all(|one| one.is_over(path.piece_counts))
            }
            PositionTest::Bishops(_) => Bishops::are_over(board),
            PositionTest::Line(lines) => {
                path.alive == 0 || lines.iter().all(|line| path.ply as usize > line.len())
            }
        }
    }
}

/// How a position was reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Path {
    /// Half-moves from the start.
    ply: u32,
    /// The lines, by bits, that the moves so far agree with.
    alive: u64,
    /// What both sides have, where that is asked; more than that once, as long as they have more than any balance.
    piece_counts: [PieceCounts; 2],
}

/// What a position needs that no move brings back.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct MinimumMaterial {
    /// Pawns on their first squares, by colour.
    home: [u64; 2],
    /// Pawns by colour.
    pawns: [u32; 2],
    /// Men by colour.
    piece_counts: [u32; 2],
}

impl MinimumMaterial {
    /// Whether a position lacks something of it.
    #[inline]
    pub(crate) fn is_over(&self, board: &Board) -> bool {
        Color::ALL.into_iter().any(|color| {
            let pawns = board.pieces(color, PieceType::Pawn);
            *color.pick(&self.home[0], &self.home[1]) & !pawns.0 != 0
                || board.by_color(color).len()
                    < *color.pick(&self.piece_counts[0], &self.piece_counts[1])
                || pawns.len() < *color.pick(&self.pawns[0], &self.pawns[1])
        })
    }
}
