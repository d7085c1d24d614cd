//! Making a Polyglot book from games.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use chessdb_core::line::Walk;
use chessdb_core::rules::is_legal;
use chessdb_core::{Color, Event, Game, Outcome};

use crate::entry::Results;
use crate::polyglot::{PolyglotEntry, polyglot_move, scaled};

/// The weights of the moves of a new book.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum BookWeights {
    /// Two for each win and one for each draw of the side that makes the move, and 0 for a game
    /// without a result. A move without any point is left out.
    #[default]
    Points,
    /// The points of each game times a factor for the rating of the side that makes the move and
    /// one for the year. The first is 1 up to 1600 and for an unknown rating, 1 more for each 100
    /// points, and at most 10. The second doubles every ten years from 1980 on; an unknown year
    /// counts as 1980.
    RatingAndDate,
    /// 1 for every move of mainlines and variations, also of games without a result.
    Uniform,
}

/// The choice of moves for a new book. The defaults take every move that scored.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MakeOptions {
    /// The number of half-moves of each game that count.
    pub max_ply: u32,
    /// The least number of games with a move.
    pub min_games: u32,
    /// The least score of a move in per cent, for the side that plays it.
    pub min_score: f64,
    /// The least share of a move in the weights of its position, in per cent. Shares are those
    /// before any move is left out.
    pub min_share: f64,
    /// The only side with moves in the book; `None` for both.
    pub side: Option<Color>,
    /// The weights.
    pub weights: BookWeights,
}

impl Default for MakeOptions {
    fn default() -> MakeOptions {
        MakeOptions {
            max_ply: u32::MAX,
            min_games: 1,
            min_score: 0.0,
            min_share: 0.0,
            side: None,
            weights: BookWeights::Points,
        }
    }
}

/// The moves of a game that count for a book, made without the book so that threads can do it.
#[derive(Clone, Debug)]
pub struct BookLine {
    /// Key of the position, bits of the move, side to move.
    moves: Vec<(u64, u16, Color)>,
    outcome: Outcome,
    /// The factors of the points of White and of Black.
    factors: [u32; 2],
}

/// Returns the factor of [`BookWeights::RatingAndDate`], times 10.
fn rating_and_date_factor(rating: u16, year: u16) -> u32 {
    let by_rating = (u32::from(rating.clamp(1600, 2500)) - 1500) / 100;
    let years = u32::from(year.clamp(1980, 2100)) - 1980;
    by_rating * ((10 + years % 10) << (years / 10))
}

impl MakeOptions {
    /// Returns the moves that count: the first `max_ply` half-moves of the mainline, and with equal
    /// weights also of variations, up to the first illegal one in each line. Each occurrence of a
    /// move in a position counts.
    ///
    /// Returns `None` for a game that a book cannot contain: with other rules, with castling of
    /// Chess960, or from an unknown position.
    pub fn line(&self, game: &Game) -> Option<BookLine> {
        let start = game.start();
        if start.chess960 || !game.has_standard_rules() || !game.has_known_start() {
            return None;
        }
        let mut moves = Vec::new();
        let mut walk = Walk::plain(game).ok()?;
        // The depth of the first line with an illegal move, after which no position is certain.
        let mut wrong: Option<usize> = None;
        while let Some(event) = walk.step() {
            let lines = walk.lines();
            match event {
                Event::Open(branch) if self.weights != BookWeights::Uniform => {
                    walk.skip_variation(branch)
                }
                Event::Close if wrong.is_some_and(|depth| depth > lines.depth()) => wrong = None,
                Event::Move(mv) if wrong.is_none() && lines.ply() < self.max_ply => {
                    let board = lines.board();
                    if mv.is_null() || !is_legal(board, mv) {
                        wrong = Some(lines.depth());
                    } else if self.side.is_none_or(|side| side == board.turn()) {
                        let key = board.polyglot_key();
                        moves.push((key, polyglot_move(board, mv), board.turn()));
                    }
                }
                _ => {}
            }
        }
        let year = game.effective_date().year;
        let factor = |side| {
            let rating = game.rating(side).map_or(0, |rating| rating.value);
            rating_and_date_factor(rating, year)
        };
        Some(BookLine {
            moves,
            outcome: game.header.outcome,
            factors: match self.weights {
                BookWeights::RatingAndDate => Color::ALL.map(factor),
                BookWeights::Points | BookWeights::Uniform => [1; 2],
            },
        })
    }
}

/// The games with a move.
#[derive(Clone, Copy, Default, Debug)]
struct MoveCounts {
    games: u32,
    results: Results,
    /// The points, each times the factor of its game.
    points: u64,
}

/// Counts the moves of games for a new book.
#[derive(Debug)]
pub struct BookMaker {
    options: MakeOptions,
    /// By the key of the position and the move.
    counts: BTreeMap<(u64, u16), MoveCounts>,
    games: u64,
    skipped: u64,
}

/// A new book.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct MadeBook {
    /// The entries, by key and falling weight.
    pub entries: Vec<PolyglotEntry>,
    /// The number of positions with a move.
    pub positions: u64,
    /// The number of games that were counted.
    pub games: u64,
    /// The number of games that were not counted, because they follow other rules, castle as in
    /// Chess960, or start from an unknown position.
    pub skipped: u64,
    /// The number of moves with too few games or too low a score, or without any point.
    pub left_out: u64,
    /// The number of moves with a weight scaled to 16 bits.
    pub scaled: u64,
}

impl BookMaker {
    /// Creates a maker without games.
    pub fn new(options: MakeOptions) -> BookMaker {
        BookMaker {
            options,
            counts: BTreeMap::new(),
            games: 0,
            skipped: 0,
        }
    }

    /// Counts the moves of a game ([`MakeOptions::line`]); `None` is a game that cannot be counted.
    pub fn add_line(&mut self, line: Option<BookLine>) {
        let Some(line) = line else {
            self.skipped += 1;
            return;
        };
        self.games += 1;
        let [white, black] = line.factors;
        for (key, mv, turn) in line.moves {
            let counts = self.counts.entry((key, mv)).or_default();
            counts.games = counts.games.saturating_add(1);
            let results = &mut counts.results;
            let (result, points) = match (line.outcome, turn) {
                (Outcome::WhiteWins, Color::White) | (Outcome::BlackWins, Color::Black) => {
                    (&mut results.wins, 2)
                }
                (Outcome::WhiteWins | Outcome::BlackWins, _) => (&mut results.losses, 0),
                (Outcome::Draw, _) => (&mut results.draws, 1),
                // A game without a result counts as a game of the move, without points.
                _ => continue,
            };
            *result = result.saturating_add(1);
            counts.points += u64::from(points * turn.pick(white, black));
        }
    }

    /// Returns the book.
    pub fn finish(self) -> MadeBook {
        let mut book = MadeBook {
            games: self.games,
            skipped: self.skipped,
            ..MadeBook::default()
        };
        let options = self.options;
        let is_uniform = options.weights == BookWeights::Uniform;
        // The moves of a position that are chosen, and the weights of all of its moves.
        let (mut moves, mut all) = (Vec::new(), 0);
        let mut counts = self.counts.into_iter().peekable();
        while let Some(((key, mv), counted)) = counts.next() {
            let weight = if is_uniform { 1 } else { counted.points };
            // With equal weights, shares count games.
            let amount = if is_uniform { counted.games.into() } else { weight };
            all += amount;
            let score = counted.results.score();
            let has_score = score.map_or(is_uniform, |score| score >= options.min_score);
            if counted.games >= options.min_games && weight > 0 && has_score {
                moves.push((mv, weight, amount));
            } else {
                book.left_out += 1;
            }
            // The map is sorted by key: the moves of a position follow one another.
            if counts.peek().is_none_or(|((next, _), _)| *next != key) {
                let least = options.min_share / 100.0 * all as f64;
                let chosen = moves.iter().filter(|(.., amount)| *amount as f64 >= least);
                let chosen: Vec<(u16, u64)> = chosen.map(|&(mv, weight, _)| (mv, weight)).collect();
                book.left_out += (moves.len() - chosen.len()) as u64;
                book.add(key, chosen);
                (moves, all) = (Vec::new(), 0);
            }
        }
        book
    }
}

impl MadeBook {
    /// Adds the moves of a position with their weights.
    fn add(&mut self, key: u64, mut moves: Vec<(u16, u64)>) {
        moves.sort_by_key(|&(mv, weight)| (Reverse(weight), mv));
        let greatest = moves.first().map_or(0, |&(_, weight)| weight);
        self.positions += u64::from(!moves.is_empty());
        self.entries.extend(moves.into_iter().map(|(mv, amount)| {
            let weight = scaled(amount, greatest);
            self.scaled += u64::from(u64::from(weight) != amount);
            PolyglotEntry {
                key,
                mv,
                weight,
                learn: 0,
            }
        }));
    }

    /// Joins books: the weights of a move are added, and scaled to 16 bits where the sum is too
    /// large. Learning data is left out.
    pub fn merged(books: impl IntoIterator<Item = PolyglotEntry>) -> MadeBook {
        let mut positions: BTreeMap<u64, BTreeMap<u16, u64>> = BTreeMap::new();
        for entry in books.into_iter().filter(|entry| !entry.is_filling()) {
            let moves = positions.entry(entry.key).or_default();
            *moves.entry(entry.mv).or_default() += u64::from(entry.weight);
        }
        let mut book = MadeBook::default();
        for (key, moves) in positions {
            book.add(key, moves.into_iter().collect());
        }
        book
    }
}
