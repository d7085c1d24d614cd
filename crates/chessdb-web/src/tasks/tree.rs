//! The task that counts the moves played in a position in the listed games.

use chessdb::core::Board;
use chessdb::query::{OpeningTree, opening_at};
use serde_json::{Value, json};

use super::{Task, each_listed};
use crate::failure::{Failure, Result};
use crate::game::fen;
use crate::open_database::OpenDatabase;
use crate::rows::row;

/// The number of games shown.
const SHOWN: usize = 60;

pub(super) struct Tree {
    tree: OpeningTree,
    /// The games that reach the position.
    games: Vec<u32>,
    reached: u32,
}

impl Tree {
    pub(super) fn new(fen: &str) -> Result<Tree> {
        let board = fen.parse::<Board>();
        let board = board.map_err(|fault| Failure::new("request", fault.to_string()))?;
        Ok(Tree {
            tree: OpeningTree::new(board, 1),
            games: Vec::new(),
            reached: 0,
        })
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
        each_listed(base, from, to, |_, index, game| {
            if let Some(line) = self.tree.line(game) {
                self.tree.add(&line);
                self.reached += 1;
                if self.games.len() < SHOWN {
                    self.games.push(index);
                }
            }
        });
        Ok(())
    }

    fn so_far(&self, _base: &mut OpenDatabase) -> Value {
        json!({ "reached": self.reached, "moves": self.lines() })
    }

    fn finish(&mut self, base: &mut OpenDatabase) -> Result<Value> {
        let games: Vec<Value> = self.games.iter().map(|&index| row(base, index)).collect();
        let opening = opening_at(&self.tree.board(self.tree.root()));
        let opening = opening.map(|opening| json!([opening.eco.to_string(), opening.name]));
        Ok(json!({
            "reached": self.reached,
            "moves": self.lines(),
            "games": games,
            "opening": opening,
        }))
    }
}
