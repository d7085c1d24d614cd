//! What was played in a position, and with which success.

use std::collections::HashMap;

use chessdb_core::rules::write_san;
use chessdb_core::{Board, Game, PackedMove};

use crate::QueryError;
use crate::position::{Exact, Same, read_line};
use crate::tally::{Played, Tally};

/// The moves that were played in a position, by whatever order of moves it came about, and those that
/// followed.
///
/// ```
/// use chessdb_core::{Board, Game};
/// use chessdb_query::OpeningTree;
///
/// let mut tree = OpeningTree::new(Board::standard(), 1);
/// for moves in ["e4 e5", "d4", "e4 c5"] {
///     let game = Game::builder().sans(moves.split(' '))?.build();
///     if let Some(line) = tree.line(&game) {
///         tree.add(&line);
///     }
/// }
/// let moves: Vec<String> = tree.moves(tree.root()).map(|node| tree.san(node)).collect();
/// assert_eq!(moves, ["e4", "d4"]);
/// # Ok::<(), chessdb_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct OpeningTree {
    position: Exact,
    depth: u32,
    nodes: Vec<Node>,
    by_move: HashMap<(u32, PackedMove), u32>,
}

#[derive(Clone, Debug)]
struct Node {
    board: Board,
    /// The node above and the move that leads here; of the root, itself and no move.
    above: u32,
    mv: PackedMove,
    tally: Tally,
    below: Vec<u32>,
}

/// A place in the tree: the position searched for, or one after moves from there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NodeId(u32);

/// What one game has to say: made of it by any thread, then added.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TreeLine {
    moves: Vec<PackedMove>,
    white: Option<u16>,
    black: Option<u16>,
    game: Played,
}

/// The position after these moves from the start, with or without numbers.
///
/// # Errors
///
/// [`QueryError`], which names the move.
pub fn line_board(moves: &str) -> Result<Board, QueryError> {
    let line = read_line(moves).map_err(|fault| fault.of(moves))?;
    let mut board = Board::standard();
    for mv in line {
        board.play(mv);
    }
    Ok(board)
}

impl OpeningTree {
    /// Of a position, board and side to move, and so many half-moves from there on.
    pub fn new(board: Board, depth: u32) -> OpeningTree {
        OpeningTree {
            position: Exact::new(board.clone(), Same::Turn),
            depth: depth.max(1),
            nodes: vec![Node {
                board,
                above: 0,
                mv: PackedMove::NULL,
                tally: Tally::default(),
                below: Vec::new(),
            }],
            by_move: HashMap::new(),
        }
    }

    /// What was played in a game's main line when the position stood there first; none if it never did.
    pub fn line(&self, game: &Game) -> Option<TreeLine> {
        let mut board = game.start_board();
        let mut moves = game.mainline();
        let mut ply = 0_u32;
        while !self.position.fits(&board) {
            let played = board.play(moves.next()?);
            ply += 1;
            let ask = played.captured.is_some() || ply.is_multiple_of(8);
            if ask && self.position.least().is_over(&board) {
                return None;
            }
        }
        let first: Vec<PackedMove> = moves.by_ref().take(self.depth as usize).collect();
        let plies_left = moves.fold(first.len() as u32, |plies, _| plies + 1);
        let rating = |color| game.rating(color).map(|rating| rating.value);
        Some(TreeLine {
            moves: first,
            white: rating(chessdb_core::Color::White),
            black: rating(chessdb_core::Color::Black),
            game: Played {
                outcome: game.result(),
                mover: None,
                opponent: None,
                year: game.date().year,
                plies_left,
            },
        })
    }

    /// Adds what a game has to say. Numbers do not depend on the order; of moves that are equally frequent the one
    /// that came first does.
    pub fn add(&mut self, line: &TreeLine) {
        let mut at = 0;
        let mut game = line.game;
        self.count(at, line, &game);
        for &mv in &line.moves {
            at = self.below(at, mv);
            game.plies_left = game.plies_left.saturating_sub(1);
            self.count(at, line, &game);
        }
    }

    /// A move is judged for the side that makes it, the root for the side to move.
    fn count(&mut self, at: u32, line: &TreeLine, game: &Played) {
        let Some(node) = self.nodes.get_mut(at as usize) else {
            return;
        };
        let turn = node.board.turn();
        let mover = if at == 0 { turn } else { turn.other() };
        let game = Played {
            mover: mover.pick(line.white, line.black),
            opponent: mover.pick(line.black, line.white),
            ..*game
        };
        node.tally.add(mover, &game);
    }

    fn below(&mut self, above: u32, mv: PackedMove) -> u32 {
        if let Some(&known) = self.by_move.get(&(above, mv)) {
            return known;
        }
        let new = self.nodes.len() as u32;
        let mut board = Board::empty();
        if let Some(node) = self.nodes.get_mut(above as usize) {
            node.below.push(new);
            board.clone_from(&node.board);
        }
        board.play(mv);
        self.nodes.push(Node {
            board,
            above,
            mv,
            tally: Tally::default(),
            below: Vec::new(),
        });
        self.by_move.insert((above, mv), new);
        new
    }

    /// The position searched for.
    pub fn root(&self) -> NodeId {
        NodeId(0)
    }

    /// The moves that were played there, the most frequent first.
    pub fn moves(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let below = self.node(node).map(|node| node.below.clone());
        let mut below = below.unwrap_or_default();
        below.sort_by_key(|&id| std::cmp::Reverse(self.tally(NodeId(id)).games));
        below.into_iter().map(NodeId)
    }

    /// What the games came to.
    pub fn tally(&self, node: NodeId) -> Tally {
        self.node(node).map(|node| node.tally).unwrap_or_default()
    }

    /// The position there.
    pub fn board(&self, node: NodeId) -> Board {
        self.node(node)
            .map_or(Board::empty(), |node| node.board.clone())
    }

    /// The move that leads there; empty for the root.
    pub fn san(&self, node: NodeId) -> String {
        let mut san = Vec::new();
        if let Some(here) = self.node(node)
            && node.0 != 0
            && let Some(above) = self.node(NodeId(here.above))
        {
            write_san(&above.board, here.mv, &mut san);
        }
        san.into_iter().map(char::from).collect()
    }

    /// The same as engines write it.
    pub fn uci(&self, node: NodeId) -> String {
        self.node(node)
            .map_or(String::new(), |node| node.mv.to_string())
    }

    fn node(&self, node: NodeId) -> Option<&Node> {
        self.nodes.get(node.0 as usize)
    }
}
