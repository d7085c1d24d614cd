//! Search for a position in the lines of a game.

use chessdb_core::board::Played;
use chessdb_core::legacy::PlainNumbering;
use chessdb_core::line::Lines;
use chessdb_core::search::{MoveFilter, PieceCounts, Signature};
use chessdb_core::{Board, Color, Event, Game, PackedMove, Start};

use super::{PieceBounds, PositionPath, PositionTest, RequiredFeatures};

/// The place in a game where a position occurs.
#[derive(Clone, PartialEq, Debug)]
pub struct Hit {
    ply: u32,
    board: Board,
}

impl Hit {
    pub(crate) fn new(ply: u32, board: Board) -> Hit {
        Hit { ply, board }
    }

    /// Returns the number of half-moves from the start of the game.
    pub fn ply(&self) -> u32 {
        self.ply
    }

    /// Returns the position.
    pub fn board(&self) -> &Board {
        &self.board
    }
}

/// The interval, in half-moves, of the check whether a position can still occur. It is also made
/// after captures, and when a piece leaves a home square of pawns.
const ASK_EVERY: u32 = 8;

/// The home squares of pawns.
const HOME: u64 = 0x4242_4242_4242_4242;

fn piece_counts_of(board: &Board) -> [PieceCounts; 2] {
    Color::ALL.map(|color| PieceCounts::from_board(board, color))
}

/// Returns whether a search must check now if its position can still occur: the move may have put
/// it out of reach, or the interval has passed.
#[inline]
pub(crate) fn must_check(mv: PackedMove, played: &Played, ply: u32) -> bool {
    let leaves_home = HOME >> mv.from().index() & 1 != 0;
    played.captured.is_some() || leaves_home || ply.is_multiple_of(ASK_EVERY)
}

/// A position to search for: all tests must match at once.
#[derive(Clone, Debug)]
pub(crate) struct PositionCondition {
    tests: Vec<PositionTest>,
    /// For each test, alternative bounds. A game must satisfy at least one of them.
    piece_bounds: Vec<Vec<PieceBounds>>,
    /// Whether one of the tests is a line of moves.
    is_line: bool,
    /// The largest number of pieces, including kings, that one of the material tests allows; 0
    /// without such a test.
    most_pieces: u8,
    /// The range of half-moves at which the position may occur.
    first: u32,
    last: u32,
    /// The number of successive positions that must match, at least 1.
    lasting: u32,
    /// The moves after which the position must be checked.
    filter: MoveFilter,
}

/// The state of the search in a line.
#[derive(Clone, Debug)]
pub(crate) struct LineProgress {
    path: PositionPath,
    /// The number of successive positions that have matched.
    run: u32,
    /// The first of these positions.
    begun: Option<Box<Hit>>,
}

impl LineProgress {
    /// Skips moves that the condition does not need to see.
    #[inline]
    pub(crate) fn pass(&mut self, moves: u32) {
        self.path.ply = self.path.ply.saturating_add(moves);
    }

    /// Returns the hit, if the position was found.
    pub(crate) fn into_hit(self) -> Option<Box<Hit>> {
        self.begun
    }
}

/// The state of the search after a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SearchState {
    /// The position may still occur.
    Open,
    /// The position has lasted long enough.
    Hit,
    /// The position can no longer occur.
    Over,
}

impl PositionCondition {
    /// Creates a condition for these tests, all at once, within a range of half-moves.
    pub(crate) fn new(
        tests: Vec<PositionTest>,
        plies: (u32, u32),
        lasting: u32,
    ) -> PositionCondition {
        let (first, last) = plies;
        // If half-moves are restricted, every one of them must be checked.
        let filter = match (first, last, lasting) {
            (0, u32::MAX, 0 | 1) => tests
                .iter()
                .map(PositionTest::filter)
                .fold(MoveFilter::LEAST, MoveFilter::or),
            _ => MoveFilter::ALL,
        };
        PositionCondition {
            filter,
            piece_bounds: tests.iter().map(PositionTest::piece_bounds).collect(),
            is_line: tests
                .iter()
                .any(|test| matches!(test, PositionTest::Line(_))),
            most_pieces: tests
                .iter()
                .map(PositionTest::most_pieces)
                .max()
                .unwrap_or(0),
            tests,
            first,
            last,
            lasting,
        }
    }

    /// Returns the position if nothing else is searched for: pieces and side to move, at any time.
    pub(crate) fn only_position(&self) -> Option<&Board> {
        let at_any_time = (self.first, self.last) == (0, u32::MAX) && self.lasting <= 1;
        match self.tests.as_slice() {
            [PositionTest::Exact(boards)] if at_any_time => match boards.as_slice() {
                [one] => one.of_turn(),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the moves that must be shown after the start of a line. No other move can produce
    /// the position.
    pub(crate) fn filter(&self) -> MoveFilter {
        self.filter
    }

    /// Returns whether the position may be in a game with this signature.
    #[inline]
    pub(crate) fn may_be_in(&self, signature: &Signature) -> bool {
        self.piece_bounds.iter().all(|ways| {
            ways.iter()
                .any(|piece_bounds| piece_bounds.may_be_in(signature))
        })
    }

    /// Returns the features that the position requires; `None` if features of games cannot exclude
    /// it.
    pub(crate) fn required_features(&self) -> Option<RequiredFeatures> {
        RequiredFeatures::new(&self.piece_bounds)
    }

    /// Returns whether the position has not occurred and can no longer occur in games that begin
    /// with these moves.
    pub(crate) fn is_over_after(&self, moves: &[PackedMove]) -> bool {
        let mut board = Board::standard();
        let (mut trail, mut seen) = self.begin(&Start::Standard, &board);
        for &mv in moves {
            if seen != SearchState::Open {
                break;
            }
            let played = board.play(mv);
            seen = self.played(mv, &played, &board, &mut trail);
        }
        seen == SearchState::Over
    }

    /// Returns the first hit in the game.
    pub(crate) fn find(&self, game: &Game, in_variations: bool) -> Option<Box<Hit>> {
        if !game.has_known_start() {
            return None;
        }
        let board = game.start_board();
        let trail = self.trail(&game.header.start, &board);
        if in_variations && game.moves.has_variations() {
            self.in_all_lines(game, trail)
        } else {
            self.in_main_line(game, board, trail)
        }
    }

    /// Returns the state before the first move of a game.
    fn trail(&self, start: &Start, board: &Board) -> LineProgress {
        LineProgress {
            path: PositionPath {
                ply: 0,
                // Lines of moves begin at the standard start position.
                alive: if start.is_standard() { u64::MAX } else { 0 },
                piece_counts: match self.most_pieces {
                    0 => Default::default(),
                    _ => piece_counts_of(board),
                },
            },
            run: 0,
            begun: None,
        }
    }

    fn in_main_line(&self, game: &Game, board: Board, trail: LineProgress) -> Option<Box<Hit>> {
        let (mut board, mut trail) = (board, trail);
        let mut moves = game.mainline();
        let mut seen = self.look(&board, &mut trail);
        loop {
            match seen {
                SearchState::Hit => return trail.begun.take(),
                SearchState::Over => return None,
                SearchState::Open => {}
            }
            let mv = moves.next()?;
            let played = board.play(mv);
            seen = self.played(mv, &played, &board, &mut trail);
        }
    }

    /// Starts the search in a mainline.
    pub(crate) fn begin(&self, start: &Start, board: &Board) -> (LineProgress, SearchState) {
        let mut trail = self.trail(start, board);
        let seen = self.look(board, &mut trail);
        (trail, seen)
    }

    /// Continues the search with the next position of a mainline.
    #[inline]
    pub(crate) fn played(
        &self,
        mv: PackedMove,
        played: &Played,
        board: &Board,
        trail: &mut LineProgress,
    ) -> SearchState {
        self.follow(trail, mv);
        // Only these moves change the counts, and they are always shown. While there are more
        // pieces than any of the material tests allows, the counts do not matter.
        if (played.captured.is_some() || mv.promotion().is_some())
            && board.occupied().len() <= self.most_pieces.into()
        {
            trail.path.piece_counts = piece_counts_of(board);
        }
        let seen = self.look(board, trail);
        let ask = || self.is_line || must_check(mv, played, trail.path.ply);
        let path = trail.path;
        match seen {
            SearchState::Open
                if ask() && self.tests.iter().any(|test| test.is_over(board, path)) =>
            {
                SearchState::Over
            }
            seen => seen,
        }
    }

    #[inline]
    fn look(&self, board: &Board, trail: &mut LineProgress) -> SearchState {
        if self.is_there(board, trail) {
            SearchState::Hit
        } else if trail.path.ply >= self.last {
            SearchState::Over
        } else {
            SearchState::Open
        }
    }

    fn in_all_lines(&self, game: &Game, mut now: LineProgress) -> Option<Box<Hit>> {
        let mut lines = Lines::new(PlainNumbering, game).ok()?;
        if self.is_there(lines.board(), &mut now) {
            return now.begun;
        }
        let mut before = now.clone();
        let mut interrupted = Vec::new();
        for event in game.events() {
            match event {
                Event::Move(mv) => {
                    lines.play(mv);
                    before.clone_from(&now);
                    self.follow(&mut now, mv);
                    if self.most_pieces > 0 {
                        now.path.piece_counts = piece_counts_of(lines.board());
                    }
                    if self.is_there(lines.board(), &mut now) {
                        return now.begun;
                    }
                }
                Event::Open(_) => {
                    lines.open();
                    // A variation replaces the last move, so it continues from the position before
                    // that.
                    let alternative = before.clone();
                    interrupted.push((std::mem::replace(&mut now, alternative), before.clone()));
                }
                Event::Close => {
                    lines.close();
                    (now, before) = interrupted.pop()?;
                }
                _ => {}
            }
        }
        None
    }

    fn follow(&self, trail: &mut LineProgress, mv: PackedMove) {
        let path = &mut trail.path;
        for test in &self.tests {
            if let PositionTest::Line(lines) = test {
                for (n, line) in lines.iter().enumerate() {
                    if line
                        .get(path.ply as usize)
                        .is_some_and(|&expected| expected != mv)
                    {
                        path.alive &= !(1 << n);
                    }
                }
            }
        }
        path.ply += 1;
    }

    /// Returns whether the position is on the board and has lasted long enough.
    #[inline]
    fn is_there(&self, board: &Board, trail: &mut LineProgress) -> bool {
        let ply = trail.path.ply;
        let fits = (self.first..=self.last).contains(&ply)
            && self.tests.iter().all(|test| test.fits(board, trail.path));
        if !fits {
            trail.run = 0;
            return false;
        }
        trail.run += 1;
        if trail.run == 1 {
            trail.begun = Some(Box::new(Hit::new(ply, board.clone())));
        }
        trail.run >= self.lasting
    }
}
