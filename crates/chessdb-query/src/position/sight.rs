//! Looking for a position in the lines of a game.

use chessdb_core::legacy::PlainNumbering;
use chessdb_core::{Board, Event, Game, Lines, PackedMove, Start};

use super::{Path, PositionTest};
use crate::query::Hit;

/// How often it is asked whether a position can still come, in half-moves; after captures too.
const ASK_EVERY: u32 = 8;

/// A position to look for: all tests have to hold at once.
#[derive(Clone, Debug)]
pub(crate) struct Sight {
    pub(crate) tests: Vec<PositionTest>,
    /// The half-moves after which it may stand.
    pub(crate) first: u32,
    pub(crate) last: u32,
    /// Positions in a row, at least 1.
    pub(crate) lasting: u32,
}

/// Anywhere, for one half-move.
impl Default for Sight {
    fn default() -> Sight {
        Sight {
            tests: Vec::new(),
            first: 0,
            last: u32::MAX,
            lasting: 1,
        }
    }
}

/// Where a line stands.
#[derive(Clone, Debug)]
struct Trail {
    path: Path,
    /// How many positions in a row have fitted.
    run: u32,
    /// The first of them.
    begun: Option<Hit>,
}

impl Sight {
    /// The first place of the game where the position stands.
    pub(crate) fn find(&self, game: &Game, in_variations: bool) -> Option<Hit> {
        let mut trail = Trail {
            path: Path {
                ply: 0,
                alive: self.lines_from(game),
            },
            run: 0,
            begun: None,
        };
        match in_variations && game.moves.has_variations() {
            true => self.in_all_lines(game, trail),
            false => self.in_main_line(game, &mut trail),
        }
    }

    /// The lines of moves, by bits, that begin where the game does.
    fn lines_from(&self, game: &Game) -> u64 {
        let standard = match &game.head.start {
            Start::Standard => true,
            Start::Setup(setup) => setup.is_standard(),
        };
        if standard { u64::MAX } else { 0 }
    }

    fn in_main_line(&self, game: &Game, trail: &mut Trail) -> Option<Hit> {
        let mut board = game.start_board();
        let mut moves = game.mainline();
        loop {
            if self.is_there(&board, trail) {
                return trail.begun.take();
            }
            if trail.path.ply >= self.last {
                return None;
            }
            let mv = moves.next()?;
            let played = board.play(mv);
            self.follow(trail, mv);
            let ask = played.captured.is_some() || trail.path.ply.is_multiple_of(ASK_EVERY);
            if ask
                && self
                    .tests
                    .iter()
                    .any(|test| test.is_over(&board, trail.path))
            {
                return None;
            }
        }
    }

    fn in_all_lines(&self, game: &Game, mut now: Trail) -> Option<Hit> {
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

    fn follow(&self, trail: &mut Trail, mv: PackedMove) {
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
    fn is_there(&self, board: &Board, trail: &mut Trail) -> bool {
        let ply = trail.path.ply;
        let fits = (self.first..=self.last).contains(&ply)
            && self.tests.iter().all(|test| test.fits(board, trail.path));
        if !fits {
            trail.run = 0;
            return false;
        }
        trail.run += 1;
        if trail.run == 1 {
            trail.begun = Some(Hit::new(ply, board.clone()));
        }
        trail.run >= self.lasting
    }
}
