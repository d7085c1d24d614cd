//! Looking for a position in the lines of a game.

use chessdb_core::legacy::PlainNumbering;
use chessdb_core::{
    Board, Color, Event, Feature, Game, Lines, MoveFilter, PackedMove, PieceCounts, Played,
    Signature, Start,
};

use super::{Path, PieceBounds, PositionTest};
use crate::query::Hit;

/// How often it is asked whether a position can still come, in half-moves; after captures, and when something
/// leaves the first squares of pawns, too.
const ASK_EVERY: u32 = 8;

/// Squares on which pawns stand at first.
const HOME: u64 = 0x4242_4242_4242_4242;

fn men_of(board: &Board) -> [PieceCounts; 2] {
    Color::ALL.map(|color| PieceCounts::of(board, color))
}

/// Whether a move leaves a square on which a pawn stands at first.
#[inline]
pub(crate) fn leaves_home(mv: PackedMove) -> bool {
    HOME >> mv.from().index() & 1 != 0
}

/// A position to look for: all tests have to hold at once.
#[derive(Clone, Debug)]
pub(crate) struct PositionCondition {
    tests: Vec<PositionTest>,
    /// What a game must allow, for each of the tests one of these.
    wanted: Vec<Vec<PieceBounds>>,
    /// Whether a line of moves is among them.
    is_line: bool,
    /// The most men that a balance among them leaves, kings included; 0 without one.
    most_men: u8,
    /// The half-moves after which it may stand.
    first: u32,
    last: u32,
    /// Positions in a row, at least 1.
    lasting: u32,
    /// The moves after which it has to be looked.
    filter: MoveFilter,
}

/// Where a line stands.
#[derive(Clone, Debug)]
pub(crate) struct LineProgress {
    path: Path,
    /// How many positions in a row have fitted.
    run: u32,
    /// The first of them.
    begun: Option<Box<Hit>>,
}

impl LineProgress {
    /// Goes past moves that the sight need not be shown.
    #[inline]
    pub(crate) fn pass(&mut self, moves: u32) {
        self.path.ply = self.path.ply.saturating_add(moves);
    }

    /// The place that was found.
    pub(crate) fn into_hit(self) -> Option<Box<Hit>> {
        self.begun
    }
}

/// What a line has come to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Seen {
    /// The position may still come.
    Open,
    /// It has stood long enough.
    Hit,
    /// It cannot come any more.
    Over,
}

impl PositionCondition {
    /// A look for these tests, all at once, between half-moves.
    pub(crate) fn new(
        tests: Vec<PositionTest>,
        plies: (u32, u32),
        lasting: u32,
    ) -> PositionCondition {
        let (first, last) = plies;
        // Where half-moves are counted, each of them may be the one.
        let filter = match (first, last, lasting) {
            (0, u32::MAX, 0 | 1) => tests
                .iter()
                .map(PositionTest::filter)
                .fold(MoveFilter::LEAST, MoveFilter::or),
            _ => MoveFilter::ALL,
        };
        PositionCondition {
            filter,
            wanted: tests.iter().map(PositionTest::wanted).collect(),
            is_line: tests
                .iter()
                .any(|test| matches!(test, PositionTest::Line(_))),
            most_men: tests.iter().map(PositionTest::most_men).max().unwrap_or(0),
            tests,
            first,
            last,
            lasting,
        }
    }

    /// The moves of a line that it has to be shown once the start was: no other makes the position come.
    pub(crate) fn filter(&self) -> MoveFilter {
        self.filter
    }

    /// Whether the position may be in a game with this signature.
    #[inline]
    pub(crate) fn may_be_in(&self, signature: &Signature) -> bool {
        let mut tests = self.wanted.iter();
        tests.all(|ways| ways.iter().any(|wanted| wanted.may_be_in(signature)))
    }

    /// Whether features of games say anything of it.
    pub(crate) fn has_features(&self) -> bool {
        let mut tests = self.wanted.iter();
        tests.any(|ways| ways.iter().all(PieceBounds::has_features))
    }

    /// In which of 64 games it may come up.
    pub(crate) fn may_come(&self, may_have: &dyn Fn(Feature) -> u64) -> u64 {
        self.wanted.iter().fold(!0, |all, ways| {
            let any = ways.iter().fold(0, |any, way| any | way.may_come(may_have));
            all & any
        })
    }

    /// Whether it has not come, and cannot come any more, in games that begin with these moves.
    pub(crate) fn is_over_after(&self, moves: &[PackedMove]) -> bool {
        let mut board = Board::standard();
        let (mut trail, mut seen) = self.begin(&Start::Standard, &board);
        for &mv in moves {
            if seen != Seen::Open {
                break;
            }
            let played = board.play(mv);
            seen = self.played(mv, &played, &board, &mut trail);
        }
        seen == Seen::Over
    }

    /// The first place of the game where the position stands.
    pub(crate) fn find(&self, game: &Game, in_variations: bool) -> Option<Box<Hit>> {
        if !game.has_known_start() {
            return None;
        }
        let board = game.start_board();
        let trail = self.trail(&game.header.start, &board);
        match in_variations && game.moves.has_variations() {
            true => self.in_all_lines(game, trail),
            false => self.in_main_line(game, board, trail),
        }
    }

    /// Where a game stands before its first move.
    fn trail(&self, start: &Start, board: &Board) -> LineProgress {
        LineProgress {
            path: Path {
                ply: 0,
                // The lines of moves begin where the game does.
                alive: if start.is_standard() { u64::MAX } else { 0 },
                piece_counts: match self.most_men {
                    0 => Default::default(),
                    _ => men_of(board),
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
                Seen::Hit => return trail.begun.take(),
                Seen::Over => return None,
                Seen::Open => {}
            }
            let mv = moves.next()?;
            let played = board.play(mv);
            seen = self.played(mv, &played, &board, &mut trail);
        }
    }

    /// The start of a main line.
    pub(crate) fn begin(&self, start: &Start, board: &Board) -> (LineProgress, Seen) {
        let mut trail = self.trail(start, board);
        let seen = self.look(board, &mut trail);
        (trail, seen)
    }

    /// The next position of a main line.
    #[inline]
    pub(crate) fn played(
        &self,
        mv: PackedMove,
        played: &Played,
        board: &Board,
        trail: &mut LineProgress,
    ) -> Seen {
        self.follow(trail, mv);
        // Nothing else makes a difference, and these moves are always shown. As long as there are more men than
        // any balance has, it does not matter which.
        if (played.captured.is_some() || mv.promotion().is_some())
            && board.occupied().len() <= self.most_men.into()
        {
            trail.path.piece_counts = men_of(board);
        }
        let seen = self.look(board, trail);
        let ask = || {
            played.captured.is_some()
                || leaves_home(mv)
                || self.is_line
                || trail.path.ply.is_multiple_of(ASK_EVERY)
        };
        let path = trail.path;
        match seen {
            Seen::Open if ask() && self.tests.iter().any(|test| test.is_over(board, path)) => {
                Seen::Over
            }
            seen => seen,
        }
    }

    #[inline]
    fn look(&self, board: &Board, trail: &mut LineProgress) -> Seen {
        if self.is_there(board, trail) {
            Seen::Hit
        } else if trail.path.ply >= self.last {
            Seen::Over
        } else {
            Seen::Open
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
                    if self.most_men > 0 {
                        now.path.piece_counts = men_of(lines.board());
                    }
                    if self.is_there(lines.board(), &mut now) {
                        return now.begun;
                    }
                }
                Event::Open(_) => {
                    lines.open();
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
                        .is_some_and(|&wanted| wanted != mv)
                    {
                        path.alive &= !(1 << n);
                    }
                }
            }
        }
        path.ply += 1;
    }

    /// Whether the position stands here and has stood long enough.
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
