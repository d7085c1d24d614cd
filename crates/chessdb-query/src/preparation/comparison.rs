//! What other players did in the positions of a player.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::sync::Arc;

use chessdb_core::board::Played;
use chessdb_core::rules::san;
use chessdb_core::search::{MainlineObserver, observe_game};
use chessdb_core::{Board, Color, Game, PackedMove, Start};

use crate::novelty::{Novelties, NoveltyMatches, NoveltyObserver, NoveltySearch};
use crate::stats::{GameLabel, Score};
use crate::tally::{GameFacts, Tally};

/// Compares the games of a [`Preparation`](super::Preparation) with all games of the databases.
#[derive(Debug)]
pub struct Comparison {
    search: Arc<ComparisonSearch>,
    others: Others,
    novelties: Novelties,
}

/// Searches games for the positions of the player, in any thread.
#[derive(Debug)]
pub struct ComparisonSearch {
    positions: HashSet<u64>,
    /// The number of half-moves of a game in which its positions count.
    plies: usize,
    novelties: Arc<NoveltySearch>,
}

/// The contribution of one game. It can be computed in any thread, and is then added.
#[derive(Debug)]
pub struct ComparisonMatches {
    replies: Vec<Reply>,
    score: GameFacts,
    novelties: NoveltyMatches,
}

/// A move in a position of the player.
#[derive(Clone, Copy, Debug)]
struct Reply {
    key: u64,
    turn: Color,
    mv: PackedMove,
    /// The number of half-moves before the move.
    ply: u32,
}

/// The games of others with each move, by position. Scores have games only for the side to move.
#[derive(Clone, Default, Debug)]
pub(super) struct Others(HashMap<u64, Vec<(PackedMove, Score)>>);

impl Others {
    fn add(&mut self, reply: Reply, game: &GameFacts) {
        let moves = self.0.entry(reply.key).or_default();
        let existing = moves.iter().position(|(mv, _)| *mv == reply.mv);
        let index = existing.unwrap_or_else(|| {
            moves.push((reply.mv, Score::default()));
            moves.len() - 1
        });
        if let Some((_, score)) = moves.get_mut(index) {
            score.add(reply.turn, game);
        }
    }

    /// Returns the games with a move, or with any.
    pub(super) fn tally(&self, key: u64, mv: Option<PackedMove>) -> Tally {
        let mut tally = Tally::default();
        let moves = self.0.get(&key).into_iter().flatten();
        for (_, score) in moves.filter(|(played, _)| mv.is_none_or(|mv| *played == mv)) {
            for side in Color::ALL {
                tally.merge(score.side(side));
            }
        }
        tally
    }

    /// Returns the most frequent move in SAN, and its number of games.
    pub(super) fn usual(&self, board: &Board) -> (String, u64) {
        let moves = self.0.get(&board.placement_key()).into_iter().flatten();
        let most_played = moves.max_by_key(|(_, score)| score.games());
        most_played.map_or_else(Default::default, |(mv, score)| {
            (san(board, *mv), score.games())
        })
    }
}

impl Comparison {
    pub(crate) fn new(positions: HashSet<u64>, plies: usize, novelties: Novelties) -> Comparison {
        Comparison {
            search: Arc::new(ComparisonSearch {
                positions,
                plies,
                novelties: novelties.search(),
            }),
            others: Others::default(),
            novelties,
        }
    }

    /// Returns the search, to compute contributions in other threads.
    pub fn search(&self) -> Arc<ComparisonSearch> {
        Arc::clone(&self.search)
    }

    /// Adds the contribution of a game, which `label` describes.
    pub fn add(&mut self, game: &ComparisonMatches, label: impl Fn() -> GameLabel) {
        for &reply in &game.replies {
            self.others.add(reply, &game.score);
        }
        self.novelties.add(&game.novelties, label);
    }

    /// Returns the moves that were played in a position.
    pub(crate) fn moves(&self, key: u64) -> impl Iterator<Item = PackedMove> + '_ {
        let moves = self.others.0.get(&key).into_iter().flatten();
        moves.map(|(mv, _)| *mv)
    }

    /// Returns the games with a move in a position, or with any.
    pub(crate) fn tally(&self, key: u64, mv: Option<PackedMove>) -> Tally {
        self.others.tally(key, mv)
    }

    pub(super) fn into_parts(self) -> (Others, Novelties) {
        (self.others, self.novelties)
    }
}

/// Searches one game whose mainline is shown to it. Created by [`ComparisonSearch::observer`].
#[derive(Debug)]
pub struct ComparisonObserver<'c> {
    search: &'c ComparisonSearch,
    novelties: NoveltyObserver<'c>,
    ply: usize,
    /// The position on the board, if the player had it and this game has it for the first time.
    here: Option<(u64, Color)>,
    replies: Vec<Reply>,
}

impl ComparisonObserver<'_> {
    fn look(&mut self, board: &Board) {
        self.here = None;
        if self.ply > self.search.plies {
            return;
        }
        let key = board.placement_key();
        let is_new = || self.replies.iter().all(|reply| reply.key != key);
        if self.search.positions.contains(&key) && is_new() {
            self.here = Some((key, board.turn()));
        }
    }

    /// Ends the search after the line has ended. Returns the contribution of the game with this
    /// header; `is_own` says whether it is a game of the player, which is not compared with his
    /// others. A game with rules of its own, or with an unknown start position, has none.
    pub fn finish(self, header: &Game, is_own: bool) -> ComparisonMatches {
        let counts = header.has_standard_rules() && header.has_known_start();
        ComparisonMatches {
            replies: if counts && !is_own { self.replies } else { Vec::new() },
            score: GameFacts::with_plies(header, self.ply as u32),
            novelties: self.novelties.finish(header),
        }
    }
}

impl MainlineObserver for ComparisonObserver<'_> {
    fn begin(&mut self, start: &Start, board: &Board) -> ControlFlow<()> {
        self.look(board);
        self.novelties.begin(start, board)
    }

    fn played(&mut self, mv: PackedMove, played: &Played, board: &Board) -> ControlFlow<()> {
        if let Some((key, turn)) = self.here {
            let ply = self.ply as u32;
            self.replies.push(Reply { key, turn, mv, ply });
        }
        self.ply += 1;
        if self.ply > self.search.plies && self.novelties.is_idle() {
            return ControlFlow::Break(());
        }
        self.look(board);
        self.novelties.played(mv, played, board)
    }
}

impl ComparisonSearch {
    /// Returns the search of one game.
    pub fn observer(&self) -> ComparisonObserver<'_> {
        ComparisonObserver {
            search: self,
            novelties: self.novelties.observer(),
            ply: 0,
            here: None,
            replies: Vec::new(),
        }
    }

    /// Returns the contribution of a whole game; `is_own` as in [`ComparisonObserver::finish`].
    pub fn matches(&self, game: &Game, is_own: bool) -> ComparisonMatches {
        let mut observer = self.observer();
        observe_game(game, &mut observer);
        observer.finish(game, is_own)
    }
}

impl ComparisonMatches {
    /// Returns the last position with a move: its key, the side to move, and the move.
    pub(crate) fn last_reply(&self) -> Option<(u64, Color, PackedMove)> {
        self.replies
            .last()
            .map(|reply| (reply.key, reply.turn, reply.mv))
    }

    /// Returns the number of half-moves before that move.
    pub(crate) fn last_ply(&self) -> u32 {
        self.replies.last().map_or(0, |reply| reply.ply)
    }

    /// Returns whether the game has no position that matters.
    pub fn is_empty(&self) -> bool {
        self.replies.is_empty() && self.novelties.is_empty()
    }
}
