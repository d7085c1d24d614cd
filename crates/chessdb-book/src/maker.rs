//! Making a Polyglot book from games.

use std::collections::BTreeMap;

use chessdb_core::rules::is_legal;
use chessdb_core::{Color, Game, Outcome};

use crate::entry::Results;
use crate::polyglot::{PolyglotEntry, polyglot_move, scaled};

/// The choice of moves for a new book. The defaults take every move that scored.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MakeOptions {
    /// The number of half-moves of each game that count.
    pub max_ply: u32,
    /// The least number of games with a move.
    pub min_games: u32,
    /// The least score of a move in per cent, for the side that plays it.
    pub min_score: f64,
}

impl Default for MakeOptions {
    fn default() -> MakeOptions {
        MakeOptions {
            max_ply: u32::MAX,
            min_games: 1,
            min_score: 0.0,
        }
    }
}

/// The moves of a game that count for a book, made without the book so that threads can do it.
#[derive(Clone, Debug)]
pub struct BookLine {
    /// Key of the position, bits of the move, side to move.
    moves: Vec<(u64, u16, Color)>,
    outcome: Outcome,
}

impl MakeOptions {
    /// Returns the moves of the mainline that count: at most `max_ply`, up to the first illegal
    /// one. Each occurrence of a move in a position counts.
    ///
    /// Returns `None` for a game that a book cannot contain: with other rules, with castling of
    /// Chess960, or from an unknown position.
    pub fn line(&self, game: &Game) -> Option<BookLine> {
        let start = game.start();
        if start.chess960 || !game.has_standard_rules() || !game.has_known_start() {
            return None;
        }
        let mut board = start.board;
        let limit = usize::try_from(self.max_ply).unwrap_or(usize::MAX);
        let mut moves = Vec::new();
        for mv in game.mainline().take(limit) {
            // A book has positions only, so nothing after the first wrong move can be placed.
            if mv.is_null() || !is_legal(&board, mv) {
                break;
            }
            let key = board.polyglot_key();
            moves.push((key, polyglot_move(&board, mv), board.turn()));
            board.play(mv);
        }
        let outcome = game.header.outcome;
        Some(BookLine { moves, outcome })
    }
}

/// Counts the moves of games for a new book.
#[derive(Debug)]
pub struct BookMaker {
    options: MakeOptions,
    /// By the key of the position and the move.
    counts: BTreeMap<(u64, u16), (u32, Results)>,
    games: u64,
    skipped: u64,
}

/// A new book.
#[derive(Clone, PartialEq, Eq, Debug)]
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

    /// Counts the mainline of a game ([`MakeOptions::line`]).
    pub fn add(&mut self, game: &Game) {
        self.add_line(self.options.line(game));
    }

    /// Counts the moves of a game; `None` is a game that cannot be counted.
    pub fn add_line(&mut self, line: Option<BookLine>) {
        let Some(line) = line else {
            self.skipped += 1;
            return;
        };
        self.games += 1;
        for (key, mv, turn) in line.moves {
            let (games, results) = self.counts.entry((key, mv)).or_default();
            *games = games.saturating_add(1);
            let count = match (line.outcome, turn) {
                (Outcome::WhiteWins, Color::White) | (Outcome::BlackWins, Color::Black) => {
                    &mut results.wins
                }
                (Outcome::WhiteWins, _) | (Outcome::BlackWins, _) => &mut results.losses,
                (Outcome::Draw, _) => &mut results.draws,
                // A game without a result counts as a game of the move, without points.
                _ => continue,
            };
            *count = count.saturating_add(1);
        }
    }

    /// Returns the book. The weight of a move is two for each win and one for each draw. A move
    /// without any point is left out.
    pub fn finish(self) -> MadeBook {
        let mut book = MadeBook {
            entries: Vec::new(),
            positions: 0,
            games: self.games,
            skipped: self.skipped,
            left_out: 0,
            scaled: 0,
        };
        let options = self.options;
        let mut moves: Vec<(u16, u32)> = Vec::new();
        let mut counts = self.counts.into_iter().peekable();
        while let Some(((key, mv), (games, results))) = counts.next() {
            let is_chosen = games >= options.min_games
                && results.points() > 0
                && results
                    .score()
                    .is_some_and(|score| score >= options.min_score);
            if is_chosen {
                moves.push((mv, results.points()));
            } else {
                book.left_out += 1;
            }
            // The map is sorted by key: the moves of a position follow one another.
            if counts.peek().is_none_or(|((next, _), _)| *next != key) {
                book.add(key, &mut moves);
            }
        }
        book
    }
}

impl MadeBook {
    /// Adds the moves of a position and clears them.
    fn add(&mut self, key: u64, moves: &mut Vec<(u16, u32)>) {
        moves.sort_by_key(|&(mv, weight)| (std::cmp::Reverse(weight), mv));
        let greatest = moves.first().map_or(0, |&(_, weight)| weight);
        self.positions += u64::from(!moves.is_empty());
        self.entries.extend(moves.drain(..).map(|(mv, points)| {
            let weight = scaled(points, greatest);
            self.scaled += u64::from(u32::from(weight) != points);
            PolyglotEntry {
                key,
                mv,
                weight,
                learn: 0,
            }
        }));
    }
}
