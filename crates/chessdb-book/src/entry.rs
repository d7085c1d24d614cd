//! The content of a book for one position, the same for all formats.

use std::cmp::Reverse;

use chessdb_core::PackedMove;

/// Results of games, from the view of the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Results {
    /// Games won by the side to move.
    pub wins: u32,
    /// Drawn games.
    pub draws: u32,
    /// Games lost by the side to move.
    pub losses: u32,
}

impl Results {
    /// Returns the results from the view of the other side.
    #[must_use]
    pub const fn reversed(self) -> Results {
        Results {
            wins: self.losses,
            draws: self.draws,
            losses: self.wins,
        }
    }

    /// Returns the number of games with a result.
    pub const fn total(self) -> u32 {
        self.wins
            .saturating_add(self.draws)
            .saturating_add(self.losses)
    }

    /// Returns two points for each win and one for each draw.
    pub const fn points(self) -> u32 {
        self.wins.saturating_mul(2).saturating_add(self.draws)
    }

    /// Returns the score in per cent; `None` without results.
    pub fn score(self) -> Option<f64> {
        let total = self.total();
        (total > 0).then(|| f64::from(self.points()) * 50.0 / f64::from(total))
    }
}

/// A sum of ratings (docs/formats/ctg.md, section 6).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct RatingSum {
    /// The number of ratings.
    pub games: u32,
    /// Their sum.
    pub sum: u32,
}

impl RatingSum {
    /// Returns the average, rounded down; `None` without ratings.
    pub fn average(self) -> Option<u32> {
        self.sum.checked_div(self.games)
    }
}

/// The recommendation of a CTG book as stored, with all its bits (docs/formats/ctg.md, section 6).
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash, Debug)]
pub struct Recommendation(pub u8);

impl Recommendation {
    /// Returns whether the move is marked as a main move (green).
    pub const fn is_main(self) -> bool {
        self.0 & 0x80 != 0
    }

    /// Returns whether the move is marked as one not to play in tournaments (red).
    pub const fn is_avoided(self) -> bool {
        self.0 & 0x40 != 0
    }

    /// Returns whether the position has a value.
    pub(crate) const fn has_value(self) -> bool {
        self.0 & 0x04 != 0
    }
}

/// The data of a position itself. Only CTG stores them.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct PositionFacts {
    /// The number of games through the position.
    pub games: u32,
    /// The results of those that have one, for the side to move.
    pub results: Results,
    /// Two sums of ratings; the difference between them is unknown.
    pub ratings: [RatingSum; 2],
    /// The value of the position as stored, probably an evaluation.
    pub value: Option<i8>,
    /// The NAG that comments the position, with White and Black as they really are; 0 for none.
    pub nag: u8,
    /// The recommendation of the moves to this position.
    pub recommendation: Recommendation,
    /// A number with an unknown meaning, mostly five times `games`.
    pub unknown: u32,
}

/// Counts of a move.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct MoveStatistics {
    /// The number of games with the move. In CTG, these are the games through the position after
    /// the move.
    pub games: u32,
    /// Their results, for the side that plays the move.
    pub results: Results,
}

/// A move of a book in a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BookMove {
    /// The move, legal in its position.
    pub mv: PackedMove,
    /// The weight that decides how often the move is played. Only weights of one position can be
    /// compared, and a move with weight 0 is not played.
    ///
    /// Polyglot stores it. For CTG it is two points for a win and one for a draw, or the number of
    /// games if none has a result; 0 if the move is marked red, `?` or `??`. For ABK it is the
    /// priority times the number of games (at least 1), 0 for a deleted move.
    pub weight: u32,
    /// The counts, if the format has any.
    pub statistics: Option<MoveStatistics>,
    /// The NAG of the move; 0 for none. Only CTG has it.
    pub nag: u8,
    /// The recommendation; empty in other formats than CTG.
    pub recommendation: Recommendation,
    /// The priority from 0 (never) to 9 (best), only in ABK.
    pub priority: Option<i8>,
    /// Whether the move is marked as deleted, only in ABK.
    pub is_deleted: bool,
    /// The number for learning, only in Polyglot.
    pub learn: u32,
}

impl BookMove {
    /// Creates a move without any other data.
    pub(crate) fn new(mv: PackedMove) -> BookMove {
        BookMove {
            mv,
            weight: 0,
            statistics: None,
            nag: 0,
            recommendation: Recommendation::default(),
            priority: None,
            is_deleted: false,
            learn: 0,
        }
    }
}

/// The data of a book about one position; refilled by each look-up.
#[derive(Clone, Default, Debug)]
pub struct BookEntry {
    /// A number that differs for each stored position of the book. In CTG, where one stored
    /// position serves mirrored ones too, these have one number.
    pub id: u64,
    /// The data of the position itself.
    pub facts: Option<PositionFacts>,
    /// The moves, greatest weight first.
    pub moves: Vec<BookMove>,
}

impl BookEntry {
    /// Creates an empty entry.
    pub fn new() -> BookEntry {
        BookEntry::default()
    }

    pub(crate) fn clear(&mut self) {
        self.id = 0;
        self.facts = None;
        self.moves.clear();
    }

    /// Sorts the moves by weight; equal ones keep their order.
    pub(crate) fn sort(&mut self) {
        self.moves
            .sort_by_key(|book_move| Reverse(book_move.weight));
    }
}
