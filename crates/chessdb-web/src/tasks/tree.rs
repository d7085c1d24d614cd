//! The task that counts the moves played in a position in the listed games.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use chessdb::core::Board;
use chessdb::core::search::observe_game;
use chessdb::query::{GameTraces, OpeningTree, TraceAnswer, TraceSearch, TreeLine, opening_at};
use serde_json::{Value, json};

use super::Task;
use crate::failure::{Failure, Result};
use crate::game::fen;
use crate::open_database::OpenDatabase;
use crate::rows::row;

/// The number of games shown.
const SHOWN: usize = 60;

pub(super) struct Tree {
    tree: OpeningTree,
    search: TraceSearch,
    /// The strongest games that reach it, as a heap: the sum of the ratings, and the game.
    games: BinaryHeap<Reverse<(u32, Reverse<u32>)>>,
    reached: u32,
}

impl Tree {
    pub(super) fn new(fen: &str) -> Result<Tree> {
        let board = fen.parse::<Board>();
        let board = board.map_err(|fault| Failure::new("request", fault.to_string()))?;
        Ok(Tree {
            search: TraceSearch::new(&board),
            tree: OpeningTree::new(board, 1),
            games: BinaryHeap::new(),
            reached: 0,
        })
    }

    fn add(&mut self, index: u32, line: &TreeLine) {
        self.tree.add(line);
        self.reached += 1;
        // Without one of the ratings the average is unknown.
        self.games
            .push(Reverse((line.rating_sum(), Reverse(index))));
        if self.games.len() > SHOWN {
            self.games.pop();
        }
    }

    fn lines(&self) -> Value {
        let tree = &self.tree;
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
        base.listed()
    }

    fn games(&mut self, base: &mut OpenDatabase, from: u32, to: u32) -> Result<()> {
        let mut traces = base.take_traces();
        let mut game = std::mem::take(&mut base.game);
        for n in from..to {
            let Some(index) = base.nth(n) else { break };
            let known = traces
                .as_ref()
                .map(|traces| traces.look(index, &self.search));
            let line = match known {
                Some(TraceAnswer::Absent) => None,
                Some(TraceAnswer::Found(line)) => Some(line),
                Some(TraceAnswer::Unknown) | None => {
                    let read = base.db().game_into(index, &mut game);
                    read.ok().and_then(|()| match &mut traces {
                        Some(traces) => {
                            let mut observer = GameTraces::observer(&self.tree);
                            observe_game(&game, &mut observer);
                            traces.keep(index, observer, &game)
                        }
                        None => self.tree.line(&game),
                    })
                }
            };
            if let Some(line) = line {
                self.add(index, &line);
            }
        }
        base.game = game;
        base.keep_traces(traces);
        Ok(())
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
        }))
    }
}
