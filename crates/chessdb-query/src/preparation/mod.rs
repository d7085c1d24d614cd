//! Preparation for an opponent: what a player plays, next to what others play.

mod comparison;

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use chessdb_core::rules::san;
use chessdb_core::sorting::sort_by_key;
use chessdb_core::{Board, Color, Game, Outcome, PackedMove};

pub use comparison::{Comparison, ComparisonMatches, ComparisonObserver, ComparisonSearch};

use crate::novelty::{ComparedGame, Novelties, Novelty, numbered_line};
use crate::stats::player::{PlayerEntry, PlayerReport};
use crate::stats::{GameLabel, Score, identity};
use crate::tally::{GameFacts, Tally};
use comparison::Others;

/// The number of half-moves of a game that belong to the opening and its consequences.
const OPENING_PLIES: usize = 60;

/// The positions of a player's games, each with the moves that he or his opponents played there.
///
/// First the player's games are added, then all games of the databases, which give the moves of the
/// other players and show which of his moves were new.
///
/// ```
/// use chessdb_core::{Color, Game};
/// use chessdb_query::preparation::{Preparation, PreparedGame};
/// use chessdb_query::stats::GameLabel;
/// use chessdb_query::stats::player::PlayerFilter;
///
/// let tal = PlayerFilter::new("Tal").unwrap();
/// let mut preparation = Preparation::default();
/// for moves in ["e4 c5 Nf3", "e4 e5", "d4"] {
///     let game = Game::builder().white("Tal").sans(moves.split(' '))?.build();
///     let label = || GameLabel::new(&game, "games.pgn", 1);
///     preparation.add(PreparedGame::from_game(&game, tal.sides(&game), label));
/// }
/// let start = &preparation.repertoire(Color::White, 1)[0];
/// let moves: Vec<_> = start.moves.iter().map(|m| (m.san.as_str(), m.tally.games)).collect();
/// assert_eq!(moves, [("e4", 2), ("d4", 1)]);
/// # Ok::<(), chessdb_core::Error>(())
/// ```
#[derive(Default, Debug)]
pub struct Preparation {
    /// The results by colour, year, opening and opponent.
    pub report: PlayerReport,
    games: Vec<PlayedGame>,
    /// The games with White and with Black that reached a position, and after how many half-moves
    /// they did first.
    positions: [HashMap<u64, Vec<(u32, u32)>>; 2],
    others: Others,
    novelties: Novelties,
}

/// The contribution of a game of the player. It can be computed in any thread, and is then added.
#[derive(Debug)]
pub struct PreparedGame {
    entry: PlayerEntry,
    sides: [bool; 2],
    /// `None` for a game with rules of its own or with an unknown start position.
    game: Option<PlayedGame>,
}

#[derive(Clone, Debug)]
struct PlayedGame {
    identity: u64,
    /// `None` for the standard start position.
    start: Option<Box<Board>>,
    moves: Vec<PackedMove>,
    score: GameFacts,
    label: GameLabel,
}

/// A position of the player's games.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PreparedPosition {
    /// The position.
    pub board: Board,
    /// The moves that lead there.
    pub line: Vec<PackedMove>,
    /// The player's games that reached it.
    pub tally: Tally,
    /// The moves played there, by the player or against him, the most frequent first.
    pub moves: Vec<PreparedMove>,
    /// The games of other players in which a move was played there.
    pub others: Tally,
}

/// A move of [`PreparedPosition::moves`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PreparedMove {
    /// The move.
    pub mv: PackedMove,
    /// The move in SAN.
    pub san: String,
    /// The player's games with this move. Ratings are those of the player.
    pub tally: Tally,
    /// The number of these games in the years of [`Preparation::recent_since`].
    pub recent: u64,
    /// The games of other players with this move.
    pub others: Tally,
    /// The player's win against the highest rated opponent after this move.
    pub best: Option<GameLabel>,
}

/// A position in which the player prefers a move that others rarely play.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Deviation {
    /// The position, with the player to move.
    pub position: PreparedPosition,
    /// The index of the player's most frequent move in [`PreparedPosition::moves`].
    pub choice: usize,
    /// The most frequent move of others, in SAN, and their games with it.
    pub usual: (String, u64),
}

/// A move of the player that no older game has.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NewMove {
    /// The player's game.
    pub game: GameLabel,
    /// The colour of the player.
    pub side: Color,
    /// The older games, and the position in which the move was played.
    pub novelty: Novelty,
}

impl PreparedGame {
    /// Returns the contribution of a game, in which the sides are those of
    /// [`PlayerFilter::sides`](crate::stats::player::PlayerFilter::sides). `label` describes the
    /// game.
    pub fn from_game(game: &Game, sides: [bool; 2], label: impl Fn() -> GameLabel) -> PreparedGame {
        let counts = game.has_standard_rules() && game.has_known_start();
        PreparedGame {
            sides,
            game: counts.then(|| {
                let start = game.start_board();
                PlayedGame {
                    identity: identity(game, game.mainline()),
                    start: (start != Board::standard()).then(|| Box::new(start)),
                    moves: game.mainline().collect(),
                    score: GameFacts::new(game),
                    label: label(),
                }
            }),
            entry: PlayerEntry::from_game(game, sides, label),
        }
    }
}

impl PlayedGame {
    fn start(&self) -> Board {
        match &self.start {
            Some(start) => Board::clone(start),
            None => Board::standard(),
        }
    }
}

impl Preparation {
    /// Adds a game of the player. In a game against a namesake, both sides count.
    pub fn add(&mut self, game: PreparedGame) {
        let PreparedGame { entry, sides, game } = game;
        self.report.add(entry);
        let Some(game) = game else { return };
        let number = self.games.len() as u32;
        for (positions, is_side) in self.positions.iter_mut().zip(sides) {
            if !is_side {
                continue;
            }
            let mut add_position = |ply: u32, board: &Board| {
                let games = positions.entry(board.placement_key()).or_default();
                if games.last().is_none_or(|(last, _)| *last != number) {
                    games.push((number, ply));
                }
            };
            let mut board = game.start();
            add_position(0, &board);
            for (ply, &mv) in (1..).zip(game.moves.iter().take(OPENING_PLIES)) {
                board.play(mv);
                add_position(ply, &board);
            }
        }
        self.games.push(game);
    }

    /// Returns the number of games whose moves count. Games of variants with other rules, and games
    /// from unknown positions, have only results.
    pub fn games(&self) -> usize {
        self.games.len()
    }

    /// Returns the first of the two latest years of the player's games; 0 if no year is known.
    pub fn recent_since(&self) -> u16 {
        self.report
            .years
            .keys()
            .next_back()
            .map_or(0, |latest| latest.saturating_sub(1))
    }

    /// Prepares the comparison with all games of the databases: what others played in positions with
    /// at least `least` games of the player with one colour, and which of his moves were new.
    pub fn comparison(&self, least: u64) -> Comparison {
        let positions = self.positions.iter().flatten();
        let often = positions.filter(|(_, games)| games.len() as u64 >= least);
        let games = self.games.iter().map(|game| ComparedGame {
            identity: game.identity,
            date: game.label.date,
            start: game.start(),
            moves: game.moves.clone(),
        });
        // Only games that are certainly older show that a move was new.
        let novelties = Novelties::comparing(games, true);
        let positions = often.map(|(&key, _)| key).collect();
        Comparison::new(positions, OPENING_PLIES, novelties)
    }

    /// Takes the result of the comparison.
    pub fn complete(&mut self, comparison: Comparison) {
        (self.others, self.novelties) = comparison.into_parts();
    }

    /// Returns the positions with at least `least` games of the player with this colour that moves
    /// of that many games lead to. The first one is the start position; after each position follow
    /// those that its moves lead to, the most frequent first. A position that several orders of
    /// moves reach is listed once.
    pub fn repertoire(&self, side: Color, least: u64) -> Vec<PreparedPosition> {
        let mut listed = Vec::new();
        let mut seen = HashSet::new();
        let mut waiting = vec![(Board::standard(), Vec::new())];
        while let Some((board, line)) = waiting.pop() {
            if !seen.insert(board.placement_key()) {
                continue;
            }
            let position = self.position(side, board, line);
            if position.tally.games < least.max(1) {
                continue;
            }
            // The last position pushed is taken first, so the most frequent move comes last.
            let often = position.moves.iter().rev();
            for reply in often.filter(|reply| reply.tally.games >= least) {
                let mut board = position.board.clone();
                board.play(reply.mv);
                let mut line = position.line.clone();
                line.push(reply.mv);
                waiting.push((board, line));
            }
            listed.push(position);
        }
        listed
    }

    /// Returns the moves played in a position of the player's games with this colour.
    fn position(&self, side: Color, board: Board, line: Vec<PackedMove>) -> PreparedPosition {
        let key = board.placement_key();
        let [white, black] = &self.positions;
        let games = side.pick(white, black).get(&key);
        let mut score = Score::default();
        let mut moves: Vec<PlayedMove<'_>> = Vec::new();
        for &(number, ply) in games.into_iter().flatten() {
            let Some(game) = self.games.get(number as usize) else {
                continue;
            };
            score.add(side, &game.score);
            let Some(&mv) = game.moves.get(ply as usize) else {
                continue;
            };
            match moves.iter_mut().find(|played| played.mv == mv) {
                Some(played) => played.games.push(game),
                None => moves.push(PlayedMove {
                    mv,
                    games: vec![game],
                }),
            }
        }
        sort_by_key(&mut moves, |played| Reverse(played.games.len()));
        let since = self.recent_since();
        PreparedPosition {
            moves: moves
                .iter()
                .map(|played| PreparedMove {
                    mv: played.mv,
                    san: san(&board, played.mv),
                    tally: played.tally(side),
                    recent: played.recent(since),
                    others: self.others.tally(key, Some(played.mv)),
                    best: played.best(side).cloned(),
                })
                .collect(),
            others: self.others.tally(key, None),
            tally: *score.side(side),
            board,
            line,
        }
    }

    /// Returns the positions of a repertoire in which at least half of the player's games have a
    /// move that at most a tenth of the others have, those with the most games first. What is
    /// usual is only said of positions with at least `least_others` games of others.
    pub fn deviations(
        &self,
        side: Color,
        repertoire: &[PreparedPosition],
        least_others: u64,
    ) -> Vec<Deviation> {
        let turns = repertoire
            .iter()
            .filter(|position| position.board.turn() == side);
        let mut deviations: Vec<Deviation> = turns
            .filter_map(|position| {
                let choice = position.moves.first()?;
                let (own, others) = (choice.tally.games, choice.others.games);
                let is_own = 2 * own >= position.tally.games;
                let is_rare = 10 * others <= position.others.games;
                let is_known = position.others.games >= least_others.max(1);
                (is_own && is_rare && is_known).then(|| Deviation {
                    usual: self.others.usual(&position.board),
                    position: position.clone(),
                    choice: 0,
                })
            })
            .collect();
        sort_by_key(&mut deviations, |deviation| {
            Reverse(deviation.position.tally.games)
        });
        deviations
    }

    /// Returns the player's moves that were new when he played them, in positions that at least
    /// `least` older games reached, those with the most older games first.
    pub fn new_moves(&self, least: u64) -> Vec<NewMove> {
        let mut new_moves = Vec::new();
        for (number, game) in self.games.iter().enumerate() {
            let Some(novelty) = self.novelties.of(number) else {
                continue;
            };
            let side = novelty.board().turn();
            let [white, black] = &self.positions;
            let key = novelty.board().placement_key();
            let of_side = side.pick(white, black).get(&key);
            // Games are added by ascending number, so the list is sorted.
            let is_player = of_side.is_some_and(|games| {
                games
                    .binary_search_by_key(&(number as u32), |(game, _)| *game)
                    .is_ok()
            });
            if is_player && novelty.games() >= least && novelty.san().is_some() {
                new_moves.push(NewMove {
                    game: game.label.clone(),
                    side,
                    novelty,
                });
            }
        }
        sort_by_key(&mut new_moves, |new| Reverse(new.novelty.games()));
        new_moves
    }

    /// Returns the player's wins with this colour against the highest rated opponents.
    pub fn best_wins(&self, side: Color, limit: usize) -> Vec<GameLabel> {
        let [white, black] = &self.positions;
        // Every game that begins as usual has reached this position.
        let key = Board::standard().placement_key();
        let games = side.pick(white, black).get(&key).into_iter().flatten();
        let mut wins: Vec<_> = games
            .filter_map(|(number, _)| self.games.get(*number as usize)?.beaten(side))
            .collect();
        sort_by_key(&mut wins, |(rating, _)| Reverse(*rating));
        wins.truncate(limit);
        wins.into_iter().map(|(_, label)| label.clone()).collect()
    }
}

/// A move with the player's games that have it.
struct PlayedMove<'a> {
    mv: PackedMove,
    games: Vec<&'a PlayedGame>,
}

impl PlayedMove<'_> {
    fn tally(&self, side: Color) -> Tally {
        let mut score = Score::default();
        for game in &self.games {
            score.add(side, &game.score);
        }
        *score.side(side)
    }

    fn recent(&self, since: u16) -> u64 {
        // An unknown year, 0, is never recent.
        let is_recent = |game: &&&PlayedGame| game.label.date.year >= since.max(1);
        self.games.iter().filter(is_recent).count() as u64
    }

    fn best(&self, side: Color) -> Option<&GameLabel> {
        let wins = self.games.iter().filter_map(|game| game.beaten(side));
        // Of equal ratings the first game.
        let (_, label) = wins.reduce(|best, win| if win.0 > best.0 { win } else { best })?;
        Some(label)
    }
}

impl PlayedGame {
    /// Returns the rating of the opponent, and the game, if the player won with this colour.
    fn beaten(&self, side: Color) -> Option<(u16, &GameLabel)> {
        let [white, black] = self.label.ratings;
        let is_won = self.label.result == side.pick(Outcome::WhiteWins, Outcome::BlackWins);
        let rating = side.pick(black, white)?;
        is_won.then_some((rating, &self.label))
    }
}

impl PreparedPosition {
    /// Returns the moves that lead there in SAN, with move numbers; empty for the start position.
    pub fn san_line(&self) -> String {
        numbered_line(&Board::standard(), self.line.iter().copied())
    }
}
