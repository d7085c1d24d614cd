//! A repertoire next to the games of databases: where games leave it, and which moves it lacks.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use chessdb_core::line::Walk;
use chessdb_core::model::is_placeholder;
use chessdb_core::rules::san;
use chessdb_core::{Board, Color, Event, Game, PackedMove};

use crate::novelty::{Novelties, keep, numbered_line};
use crate::preparation::{Comparison, ComparisonMatches, ComparisonSearch};
use crate::stats::GameLabel;
use crate::tally::Tally;

/// The lines of a repertoire with one colour, compared with games.
///
/// First the games of the repertoire are added, then the games to compare. Positions are equal by
/// any order of moves.
///
/// ```
/// use chessdb_core::{Color, Game};
/// use chessdb_query::repertoire::Repertoire;
/// use chessdb_query::stats::GameLabel;
///
/// let mut repertoire = Repertoire::default();
/// repertoire.add_lines(&Game::builder().sans(["e4", "c5", "Nf3", "d6"])?.build());
/// assert!(repertoire.begin(Some(Color::Black)).is_some());
/// for moves in ["e4 c5 Nf3 d6", "e4 c5 Nc3", "Nf3 c5 e4 d6"] {
///     let game = Game::builder().sans(moves.split(' '))?.build();
///     let matches = repertoire.search().matches(&game, false);
///     repertoire.add(&matches, || GameLabel::new(&game, "", 1));
/// }
/// let gaps = repertoire.gaps(1);
/// let gaps: Vec<_> = gaps.iter().map(|gap| (gap.line.as_str(), gap.san.as_str())).collect();
/// assert_eq!(gaps, [("", "Nf3"), ("1.e4 c5", "Nc3")]);
/// # Ok::<(), chessdb_core::Error>(())
/// ```
#[derive(Debug)]
pub struct Repertoire {
    side: Color,
    positions: HashMap<u64, LinePosition>,
    /// The sides that the tags of the games name.
    named_sides: [u64; 2],
    skipped: u64,
    /// The number of half-moves of the longest line.
    plies: u32,
    comparison: Comparison,
    counts: FollowedCounts,
    limit: usize,
    followed: Vec<FollowedGame>,
}

/// A position of a repertoire.
#[derive(Debug)]
struct LinePosition {
    board: Board,
    /// The key of the position before it in the line that reached it first, and the move.
    before: Option<(u64, PackedMove)>,
    moves: Vec<PackedMove>,
}

/// The numbers of games that have a move of a repertoire.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct FollowedCounts {
    /// All of them.
    pub games: u64,
    /// The games that reached the end of a line, or ended within one.
    pub to_the_end: u64,
    /// The games that the opponent left with another move.
    pub left_by_opponent: u64,
    /// The games that the side of the repertoire left with another move.
    pub left_by_side: u64,
}

/// A game and where it left a repertoire.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FollowedGame {
    /// The game.
    pub game: GameLabel,
    /// The number of half-moves up to the last position of the repertoire.
    pub plies: u32,
    /// The side that left the repertoire, and its move in SAN with the move number; `None` if the
    /// game follows it to the end.
    pub left: Option<(Color, String)>,
    key: u64,
}

/// A move of games in a position of a repertoire.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MissingMove {
    /// The position before the move.
    pub board: Board,
    /// The moves that lead there in SAN, with move numbers.
    pub line: String,
    /// The move in SAN.
    pub san: String,
    /// The games with the move. Ratings belong to the side that makes it.
    pub tally: Tally,
    /// The games with any move in the position.
    pub all: u64,
    /// The other moves that the repertoire has in the position, in SAN.
    pub known: Vec<String>,
}

impl MissingMove {
    /// Returns the share of the games in the position that have the move, from 0 to 1.
    pub fn share(&self) -> f64 {
        self.tally.games as f64 / self.all.max(1) as f64
    }
}

impl Default for Repertoire {
    fn default() -> Repertoire {
        Repertoire {
            side: Color::White,
            positions: HashMap::new(),
            named_sides: [0; 2],
            skipped: 0,
            plies: 0,
            comparison: Comparison::new(Default::default(), 0, Novelties::default()),
            counts: FollowedCounts::default(),
            limit: 20,
            followed: Vec::new(),
        }
    }
}

impl Repertoire {
    /// Sets the number of games that are listed; 20 by default.
    #[must_use]
    pub fn limit(mut self, games: usize) -> Repertoire {
        self.limit = games;
        self
    }

    /// Adds the mainline and the variations of a game of the repertoire. Games with rules of their
    /// own, or with an unknown start position, are only counted.
    pub fn add_lines(&mut self, game: &Game) {
        if !game.has_standard_rules() || !game.has_known_start() {
            self.skipped += 1;
            return;
        }
        if let Some(side) = named_side(game) {
            let [white, black] = &mut self.named_sides;
            *side.pick(white, black) += 1;
        }
        let Ok(mut walk) = Walk::plain(game) else {
            return;
        };
        while let Some(event) = walk.step() {
            let Event::Move(mv) = event else { continue };
            self.plies = self.plies.max(walk.lines().ply() + 1);
            let board = walk.lines().board();
            let key = board.placement_key();
            let position = self.positions.entry(key).or_insert_with(|| LinePosition {
                board: board.clone(),
                before: None,
                moves: Vec::new(),
            });
            if !position.moves.contains(&mv) {
                position.moves.push(mv);
            }
            let mut after = board.clone();
            after.play(mv);
            let next = self.positions.entry(after.placement_key());
            next.or_insert(LinePosition {
                board: after,
                before: Some((key, mv)),
                moves: Vec::new(),
            });
        }
    }

    /// Returns the number of games of the repertoire that could not be added.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Begins the comparison for a side. Without one, the side is the one that the tags name, or
    /// the one with several moves in fewer positions. Returns the side; `None` if there are no
    /// moves, or if nothing decides.
    pub fn begin(&mut self, side: Option<Color>) -> Option<Color> {
        let [white, black] = self.named_sides;
        let has_choice = |side: Color| {
            let positions = self.positions.values();
            let choices = positions.filter(|at| at.board.turn() == side && at.moves.len() > 1);
            choices.count()
        };
        let side = side.or(match (white, black) {
            (_, 0) if white > 0 => Some(Color::White),
            (0, _) if black > 0 => Some(Color::Black),
            _ => match has_choice(Color::White).cmp(&has_choice(Color::Black)) {
                std::cmp::Ordering::Less => Some(Color::White),
                std::cmp::Ordering::Equal => None,
                std::cmp::Ordering::Greater => Some(Color::Black),
            },
        });
        self.side = side.filter(|_| !self.positions.is_empty())?;
        let keys = self.positions.keys().copied().collect();
        // A game may need more moves than a line to reach its position.
        let plies = self.plies as usize + PLIES_BEYOND;
        self.comparison = Comparison::new(keys, plies, Novelties::default());
        Some(self.side)
    }

    /// Returns the search, to compute contributions in other threads.
    pub fn search(&self) -> Arc<ComparisonSearch> {
        self.comparison.search()
    }

    /// Adds the contribution of a game, which `label` describes.
    pub fn add(&mut self, game: &ComparisonMatches, label: impl Fn() -> GameLabel) {
        self.comparison.add(game, &label);
        let Some((key, turn, mv)) = game.last_reply() else {
            return;
        };
        let Some(position) = self.positions.get(&key) else {
            return;
        };
        let is_followed = self.is_in_lines(position, mv);
        if position.before.is_none() && !is_followed {
            return;
        }
        self.counts.games += 1;
        let is_over = is_followed || position.moves.is_empty();
        let number = match () {
            () if is_over => &mut self.counts.to_the_end,
            () if turn == self.side => &mut self.counts.left_by_side,
            () => &mut self.counts.left_by_opponent,
        };
        *number += 1;
        let left = (!is_over).then(|| (turn, numbered_line(&position.board, [mv].into_iter())));
        let followed = FollowedGame {
            game: label(),
            plies: game.last_ply() + u32::from(is_followed),
            left,
            key,
        };
        keep(&mut self.followed, &followed, self.limit, |followed| {
            (followed.plies, followed.game.date)
        });
    }

    /// Returns the numbers of games.
    pub fn counts(&self) -> FollowedCounts {
        self.counts
    }

    /// Returns the games that follow the repertoire for the most half-moves, then the latest ones.
    pub fn followed(&self) -> &[FollowedGame] {
        &self.followed
    }

    /// Returns the moves that lead to the last position of the repertoire in a game.
    pub fn line(&self, game: &FollowedGame) -> String {
        self.line_to(game.key)
    }

    /// Returns the moves of opponents that have no answer and at least `least` games, the most
    /// frequent ones first: those that are not in the repertoire, and those at the end of a line.
    pub fn gaps(&self, least: u64) -> Vec<MissingMove> {
        let mut gaps = self.missing(self.side.other(), least);
        let unanswered = self.positions.values().filter_map(|position| {
            let (before, mv) = position.before?;
            let is_gap = position.board.turn() == self.side && position.moves.is_empty();
            let position = self.positions.get(&before).filter(|_| is_gap)?;
            self.missing_move(position, mv, least)
        });
        gaps.extend(unanswered);
        sorted(gaps)
    }

    /// Returns the moves of the side of the repertoire that are not in it and have at least `least`
    /// games, the most frequent ones first.
    pub fn deviations(&self, least: u64) -> Vec<MissingMove> {
        sorted(self.missing(self.side, least))
    }

    /// Returns the moves of one side in positions with moves of the repertoire, but not in it.
    fn missing(&self, side: Color, least: u64) -> Vec<MissingMove> {
        let positions = self.positions.values();
        let positions = positions
            .filter(|position| position.board.turn() == side && !position.moves.is_empty());
        let moves = positions.flat_map(|position| {
            let played = self.comparison.moves(position.board.placement_key());
            let missing = played.filter(|&mv| !self.is_in_lines(position, mv));
            missing.filter_map(|mv| self.missing_move(position, mv, least))
        });
        moves.collect()
    }

    fn missing_move(
        &self,
        position: &LinePosition,
        mv: PackedMove,
        least: u64,
    ) -> Option<MissingMove> {
        let key = position.board.placement_key();
        let tally = self.comparison.tally(key, Some(mv));
        let others = position.moves.iter().filter(|known| **known != mv);
        (tally.games >= least.max(1)).then(|| MissingMove {
            board: position.board.clone(),
            line: self.line_to(key),
            san: san(&position.board, mv),
            tally,
            all: self.comparison.tally(key, None).games,
            known: others.map(|&mv| san(&position.board, mv)).collect(),
        })
    }

    /// Returns whether a move is in the repertoire, or leads to another position of it.
    fn is_in_lines(&self, position: &LinePosition, mv: PackedMove) -> bool {
        position.moves.contains(&mv) || {
            let mut after = position.board.clone();
            after.play(mv);
            self.positions.contains_key(&after.placement_key())
        }
    }

    fn line_to(&self, key: u64) -> String {
        let mut moves = Vec::new();
        let mut position = self.positions.get(&key);
        let mut start = None;
        while let Some(LinePosition { board, before, .. }) = position {
            start = Some(board);
            position = before.and_then(|(key, mv)| {
                moves.push(mv);
                self.positions.get(&key)
            });
        }
        start.map_or_else(String::new, |start| {
            numbered_line(start, moves.into_iter().rev())
        })
    }
}

/// The number of half-moves by which a game may reach a position later than the longest line.
const PLIES_BEYOND: usize = 20;

fn sorted(mut moves: Vec<MissingMove>) -> Vec<MissingMove> {
    moves.sort_by(|a, b| {
        let key = |missing: &MissingMove| Reverse(missing.tally.games);
        (key(a), &a.line, &a.san).cmp(&(key(b), &b.line, &b.san))
    });
    moves
}

/// Returns the side that the tags of a game state for a repertoire.
fn named_side(game: &Game) -> Option<Color> {
    let of_word = |text: &str| {
        let text = text.to_lowercase();
        match (text.contains("white"), text.contains("black")) {
            (true, false) => Some(Color::White),
            (false, true) => Some(Color::Black),
            _ => None,
        }
    };
    // Studies of Lichess have the side from which the board is shown.
    let by_tag = ["Orientation", "Event"]
        .into_iter()
        .find_map(|name| of_word(&game.tag(name)?));
    let is_known = |name: &str| !is_placeholder(name) && name != "Opponents";
    by_tag.or(match (is_known(&game.white()), is_known(&game.black())) {
        (true, false) => Some(Color::White),
        (false, true) => Some(Color::Black),
        _ => None,
    })
}
