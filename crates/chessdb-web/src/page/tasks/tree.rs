//! The task that counts the moves played in a position in the listed games.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use chessdb::core::{Board, Color};
use chessdb::explorer::{MoveCounter, PositionMoves};
use chessdb::query::{GameTraces, OpeningTree, TraceAnswer, TraceSearch, TreeLine, opening_at};
use chessdb::{Database, Game};
use serde_json::{Value, json};

use super::Task;
use crate::failure::{Failure, Result};
use crate::page::open_database::OpenDatabase;
use crate::page::rows::row;
use crate::tokens::fen;

/// The number of games shown.
const SHOWN: usize = 60;

pub(super) struct Tree {
    tree: OpeningTree,
    counter: MoveCounter,
    search: TraceSearch,
    /// The strongest games that reach it, as a heap: the sum of the ratings, and the game. Of the
    /// games in the tree file, the best of each move.
    games: BinaryHeap<Reverse<(u32, Reverse<u32>)>>,
    reached: u64,
    /// The games to read, if these are not all listed ones: those that the tree file does not count,
    /// if it has the position, or those that may have it according to the index.
    unread: Option<Vec<u32>>,
}

impl Tree {
    pub(super) fn new(base: &OpenDatabase, fen: &str) -> Result<Tree> {
        let board = fen.parse::<Board>();
        let board = board.map_err(|fault| Failure::new("request", fault.to_string()))?;
        let search = TraceSearch::new(&board);
        // The tree file counts all games.
        let moves = if base.lists_all() {
            base.db().position_moves(&board)
        } else {
            None
        };
        let tree = OpeningTree::new(board, 1);
        let mut task = Tree {
            counter: MoveCounter::new(tree.clone()),
            tree,
            search,
            games: BinaryHeap::new(),
            reached: 0,
            unread: None,
        };
        if let Some(moves) = moves {
            task.add_known(base, moves);
        } else if base.lists_all() && base.trace_bytes() == 0 {
            task.unread = base.db().tree_candidates(&task.tree);
        }
        Ok(task)
    }

    fn add_known(&mut self, base: &OpenDatabase, mut moves: PositionMoves) {
        self.reached = moves.games();
        let mut header = Game::new();
        for &index in moves.moves.iter().flat_map(|played| &played.best) {
            if base.db().header_into(index, &mut header).is_ok() {
                let rating = |color| header.rating(color).map(|rating| u32::from(rating.value));
                let [white, black] = Color::ALL.map(rating);
                // Games without both ratings come last.
                let sum = white.zip(black).map_or(0, |(white, black)| white + black);
                self.add_game(index, sum);
            }
        }
        self.unread = Some(std::mem::take(&mut moves.uncounted));
        self.counter.add_known(moves);
    }

    /// Reads a game up to the position, and keeps what it learns in `traces`.
    fn read(
        &self,
        db: &Database,
        index: u32,
        game: &mut Game,
        traces: &mut GameTraces,
    ) -> Result<Option<TreeLine>> {
        let mut observer = GameTraces::observer(&self.tree);
        db.observe_mainline(index, game, &mut observer)?;
        let (seen, line) = observer.finish(game);
        traces.keep(index, &seen);
        Ok(line)
    }

    fn add(&mut self, base: &OpenDatabase, index: u32, line: &TreeLine) -> Result<()> {
        self.counter.add(base.db(), index, line)?;
        self.reached += 1;
        // Without one of the ratings the average is unknown.
        self.add_game(index, line.rating_sum());
        Ok(())
    }

    fn add_game(&mut self, index: u32, rating_sum: u32) {
        // The heap pops its greatest element: the weakest game, and of equal ones the later.
        self.games.push(Reverse((rating_sum, Reverse(index))));
        if self.games.len() > SHOWN {
            self.games.pop();
        }
    }

    fn lines(&self) -> Value {
        let tree = &self.counter.clone().finish();
        let moves = tree.moves(tree.root()).map(|node| {
            let tally = tree.tally(node);
            let board = tree.board(node);
            json!({
                "san": tree.san(node),
                "fen": fen(&board),
                "name": opening_at(&board).map(|opening| opening.name),
                "uci": tree.uci(node),
                "games": tally.games,
                "white": tally.white,
                "draws": tally.draws,
                "black": tally.black,
                "score": tally.score(),
                "elo": tally.rating(),
                "last": tally.last_year,
            })
        });
        Value::Array(moves.collect())
    }
}

impl Task for Tree {
    fn len(&self, base: &OpenDatabase) -> u32 {
        match &self.unread {
            Some(games) => games.len() as u32,
            None => base.listed(),
        }
    }

    fn games(&mut self, base: &mut OpenDatabase, from: u32, to: u32) -> Result<()> {
        // A small part of the games is read again as fast as it is kept.
        let keeps = base.trace_bytes() > 0 || self.len(base) > base.len() / 64;
        let traces = if keeps { base.take_traces() } else { None };
        let nth = |n: u32| match &self.unread {
            Some(games) => games.get(n as usize).copied(),
            None => base.nth(n),
        };
        let games: Vec<u32> = (from..to).map_while(nth).collect();
        let Some(mut traces) = traces else {
            let tree = self.tree.clone();
            let add = |index, line: &TreeLine| self.add(base, index, line);
            return base.db().tree_lines(&tree, &games, add);
        };
        let mut game = std::mem::take(&mut base.game);
        let mut added = Ok(());
        for index in games {
            let line = match traces.look(index, &self.search) {
                TraceAnswer::Absent => None,
                TraceAnswer::Found(line) => Some(line),
                // An unreadable game is left out.
                TraceAnswer::Unknown => self
                    .read(base.db(), index, &mut game, &mut traces)
                    .unwrap_or_default(),
            };
            if let Some(line) = line {
                added = self.add(base, index, &line);
            }
            if added.is_err() {
                break;
            }
        }
        base.game = game;
        base.keep_traces(Some(traces));
        added
    }

    fn so_far(&self, _base: &mut OpenDatabase) -> Value {
        json!({ "reached": self.reached, "moves": self.lines() })
    }

    fn finish(&mut self, base: &mut OpenDatabase) -> Result<Value> {
        let strongest = std::mem::take(&mut self.games)
            .into_sorted_vec()
            .into_iter();
        let games: Vec<Value> = strongest
            .map(|Reverse((_, Reverse(index)))| row(base, index))
            .collect();
        let opening = opening_at(&self.tree.board(self.tree.root()));
        let opening = opening.map(|opening| json!([opening.eco.to_string(), opening.name]));
        Ok(json!({
            "reached": self.reached,
            "moves": self.lines(),
            "games": games,
            "opening": opening,
            "kept": base.trace_bytes(),
            "unusedFile": base.db().has_unused_tree_file(),
        }))
    }
}
