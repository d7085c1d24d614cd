//! The task that counts the moves played in a position in the listed games.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use chessdb::Game;
use chessdb::core::Board;
use chessdb::explorer::PositionMoves;
use chessdb::query::openings::opening_at;
use chessdb::query::tree::{GameFacts, OpeningTree};
use serde_json::{Value, json};

use super::Task;
use crate::failure::{Failure, RequestFields, Result};
use crate::page::open_database::OpenDatabase;
use crate::page::rows::row;
use crate::tokens::fen;

/// The number of games shown.
const SHOWN: usize = 60;

/// Games as a heap: the sum of the ratings, and the game.
type StrongestGames = BinaryHeap<Reverse<(u32, Reverse<u32>)>>;

fn add_game(games: &mut StrongestGames, index: u32, facts: &GameFacts) {
    // Without one of the ratings the average is unknown.
    let rating_sum = match facts.ratings {
        [0, _] | [_, 0] => 0,
        _ => facts.rating_sum(),
    };
    games.push(Reverse((rating_sum, Reverse(index))));
    if games.len() > SHOWN {
        games.pop();
    }
}

pub(super) struct Tree {
    tree: OpeningTree,
    /// The strongest games that reach it. Of the games in the tree file, the best of each move.
    games: StrongestGames,
    reached: u64,
    /// The games to read, if these are not all listed ones: those that the request names, those that
    /// the tree file does not count, or those that may have the position according to the index.
    unread: Option<Vec<u32>>,
}

impl Tree {
    pub(super) fn new(base: &OpenDatabase, request: &Value) -> Result<Tree> {
        let board = request.text("fen").parse::<Board>();
        let board = board.map_err(|fault| Failure::new("request", fault.to_string()))?;
        let chosen = request.numbers("games")?;
        let counts_all = chosen.is_none() && base.lists_all();
        // The tree file counts all games.
        let moves = if counts_all { base.db().position_moves(&board) } else { None };
        let mut task = Tree {
            tree: OpeningTree::new(board, 1),
            games: BinaryHeap::new(),
            reached: 0,
            unread: chosen,
        };
        if let Some(moves) = moves {
            task.add_known(base, moves);
        } else if counts_all && base.trace_bytes() == 0 {
            task.unread = base.db().tree_candidates(&task.tree);
        }
        Ok(task)
    }

    fn add_known(&mut self, base: &OpenDatabase, moves: PositionMoves) {
        self.reached = moves.games();
        let mut header = Game::new();
        for &index in moves.moves.iter().flat_map(|played| &played.best) {
            if base.db().header_into(index, &mut header).is_ok() {
                add_game(&mut self.games, index, &GameFacts::with_plies(&header, 0));
            }
        }
        moves.add_to(&mut self.tree);
        self.unread = Some(moves.uncounted);
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
        match &self.unread {
            Some(games) => games.len() as u32,
            None => base.listed(),
        }
    }

    fn games(&mut self, base: &mut OpenDatabase, from: u32, to: u32) -> Result<()> {
        // A small part of the games is read again as fast as it is kept.
        let keeps = base.trace_bytes() > 0 || self.len(base) > base.len() / 64;
        let nth = |n: u32| match &self.unread {
            Some(games) => games.get(n as usize).copied(),
            None => base.nth(n),
        };
        let games: Vec<u32> = (from..to).map_while(nth).collect();
        let len = base.len();
        let (db, explorer) = base.db_and_explorer();
        if keeps {
            explorer.keep(len);
        }
        let (strongest, reached) = (&mut self.games, &mut self.reached);
        explorer.add(db, &mut self.tree, Some(&games), |index, line| {
            *reached += 1;
            add_game(strongest, index, line.facts());
        })?;
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
            "unusedFile": base.db().has_unused_tree_file(),
        }))
    }
}
