//! The moves played in a position, with their success.

pub mod traces;

use std::collections::HashMap;
use std::ops::ControlFlow;

use chessdb_core::board::UciNotation;
use chessdb_core::rules::san;
use chessdb_core::search::{Feature, MainlineObserver, Signature, observe_game};
use chessdb_core::sorting::sort_by_key;
use chessdb_core::{Board, Game, PackedMove, Setup, Start};

use crate::QueryError;
use crate::position::{
    Equality, ExactPosition, PieceBounds, RequiredFeatures, must_check, read_line,
};

pub use crate::tally::{BestGames, GameFacts, Tally};

/// The moves played in a position, by any order of moves that leads to it, and the moves that
/// followed.
///
/// ```
/// use chessdb_core::{Board, Game};
/// use chessdb_query::tree::OpeningTree;
///
/// let mut tree = OpeningTree::new(Board::standard(), 1);
/// for (index, moves) in (0..).zip(["e4 e5", "d4", "e4 c5"]) {
///     let game = Game::builder().sans(moves.split(' '))?.build();
///     if let Some(line) = tree.line(&game) {
///         tree.add(index, &line);
///     }
/// }
/// let moves: Vec<String> = tree.moves(tree.root()).map(|node| tree.san(node)).collect();
/// assert_eq!(moves, ["e4", "d4"]);
/// # Ok::<(), chessdb_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct OpeningTree {
    position: ExactPosition,
    piece_bounds: PieceBounds,
    depth: u32,
    counts_variants: bool,
    /// The number of databases before the current one.
    databases: u32,
    nodes: Vec<Node>,
    by_move: HashMap<(u32, PackedMove), u32>,
}

#[derive(Clone, Debug)]
struct Node {
    board: Board,
    /// The parent node and the move that leads here; for the root, itself and no move.
    above: u32,
    mv: PackedMove,
    tally: Tally,
    /// The number of the database and of the first game with the move.
    first: (u32, u32),
    best: BestGames,
    below: Vec<u32>,
}

impl Node {
    fn new(board: Board, above: u32, mv: PackedMove) -> Node {
        Node {
            board,
            above,
            mv,
            tally: Tally::default(),
            first: (u32::MAX, u32::MAX),
            best: BestGames::NONE,
            below: Vec::new(),
        }
    }
}

/// A node of the tree: the position searched for, or one after moves from there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NodeId(u32);

/// The contribution of one game. It can be computed in any thread, and is then added.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TreeLine {
    moves: Vec<PackedMove>,
    /// The half-moves are those after the position.
    facts: GameFacts,
    /// Whether the half-moves were counted, and not taken from the caller's number.
    is_counted: bool,
}

/// Searches one game for the position of a tree. Created by [`OpeningTree::observer`].
#[derive(Debug)]
pub struct TreeObserver<'t> {
    tree: &'t OpeningTree,
    /// The number of half-moves of the mainline that the caller stated.
    stated_plies: Option<u32>,
    ply: u32,
    /// The number of half-moves before the position.
    position_ply: Option<u32>,
    moves: Vec<PackedMove>,
}

impl TreeObserver<'_> {
    /// Ends the search after the line has ended or enough was seen. Returns the contribution of the
    /// game with this header. `None` if the position did not occur, or the game does not count: its
    /// start position is unknown, or a variant has other rules ([`OpeningTree::count_variants`]).
    pub fn finish(self, header: &Game) -> Option<TreeLine> {
        let position_ply = self.position_ply?;
        let has_rules = self.tree.counts_variants || header.has_standard_rules();
        if !has_rules || !header.has_known_start() {
            return None;
        }
        // A number smaller than what was seen is wrong.
        let stated = self.stated_plies.filter(|plies| *plies >= self.ply);
        let plies = stated.unwrap_or(self.ply).saturating_sub(position_ply);
        Some(TreeLine {
            moves: self.moves,
            facts: GameFacts::with_plies(header, plies),
            is_counted: self.stated_plies.is_none(),
        })
    }

    fn look(&mut self, board: &Board) -> ControlFlow<()> {
        if self.position_ply.is_none() && self.tree.position.fits(board) {
            self.position_ply = Some(self.ply);
        }
        let is_full = self.moves.len() >= self.tree.depth as usize;
        if self.position_ply.is_some() && is_full && self.stated_plies.is_some() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

impl TreeLine {
    /// Returns the contribution of a game whose half-moves were counted.
    pub(crate) fn counted(mv: PackedMove, facts: GameFacts) -> TreeLine {
        TreeLine {
            moves: vec![mv],
            facts,
            is_counted: true,
        }
    }

    /// Returns the properties of the game. Its half-moves are those after the position.
    pub fn facts(&self) -> &GameFacts {
        &self.facts
    }
}

impl MainlineObserver for TreeObserver<'_> {
    fn begin(&mut self, _: &Start, board: &Board) -> ControlFlow<()> {
        self.look(board)
    }

    #[inline]
    fn played(
        &mut self,
        mv: PackedMove,
        played: &chessdb_core::board::Played,
        board: &Board,
    ) -> ControlFlow<()> {
        self.ply = self.ply.saturating_add(1);
        if self.position_ply.is_some() {
            if self.moves.len() < self.tree.depth as usize {
                self.moves.push(mv);
            }
            return self.look(board);
        }
        let least = self.tree.position.least();
        let ask = must_check(mv, played, self.ply);
        match self.look(board) {
            ControlFlow::Continue(())
                if self.position_ply.is_none() && ask && least.is_over(board) =>
            {
                ControlFlow::Break(())
            }
            flow => flow,
        }
    }
}

/// Returns the position after these moves from the start, with or without numbers.
///
/// # Errors
///
/// Returns a [`QueryError`] that names the move.
pub fn line_board(moves: &str) -> Result<Board, QueryError> {
    let line = read_line(moves).map_err(|fault| fault.into_error(moves))?;
    let mut board = Board::standard();
    for mv in line {
        board.play(mv);
    }
    Ok(board)
}

impl OpeningTree {
    /// Creates a tree for a position (board and side to move) with `depth` half-moves from there
    /// on.
    pub fn new(board: Board, depth: u32) -> OpeningTree {
        let position = ExactPosition::new(board.clone(), Equality::Turn);
        OpeningTree {
            piece_bounds: position.piece_bounds(),
            position,
            depth: depth.max(1),
            counts_variants: false,
            databases: 0,
            nodes: vec![Node::new(board, 0, PackedMove::NULL)],
            by_move: HashMap::new(),
        }
    }

    /// Also counts games of variants with different rules, such as Crazyhouse.
    #[must_use]
    pub fn count_variants(mut self, count: bool) -> OpeningTree {
        self.counts_variants = count;
        self
    }

    /// Returns what was played in a game's mainline when the position first occurred; `None` if it
    /// did not.
    pub fn line(&self, game: &Game) -> Option<TreeLine> {
        let mut observer = self.observer(None);
        observe_game(game, &mut observer);
        observer.finish(game)
    }

    /// Like [`OpeningTree::line`], for a mainline shown to the observer. If its number of
    /// half-moves is given, the observer stops early and uses this number
    /// ([`OpeningTree::needs_count`]).
    pub fn observer(&self, plies: Option<u32>) -> TreeObserver<'_> {
        TreeObserver {
            tree: self,
            stated_plies: plies,
            ply: 0,
            position_ply: None,
            moves: Vec::new(),
        }
    }

    /// Returns whether a game with this signature may contain the position.
    pub fn may_be_in(&self, signature: &Signature) -> bool {
        self.piece_bounds.may_be_in(signature)
    }

    /// Returns the features without which the position cannot occur in a game.
    pub fn required_features(&self) -> Option<RequiredFeatures> {
        RequiredFeatures::new(&[vec![self.piece_bounds.clone()]])
    }

    /// Returns the games, among 64, that may contain the position, one bit for each. `may_have`
    /// returns the games in which a feature may occur.
    pub fn candidates(&self, may_have: &dyn Fn(Feature) -> u64) -> u64 {
        self.piece_bounds.may_come(may_have)
    }

    /// Returns whether the given number of half-moves of a line would become the maximum, so that
    /// they should be counted. Other given numbers are trusted, since they change nothing.
    pub fn needs_count(&self, line: &TreeLine) -> bool {
        if line.is_counted {
            return false;
        }
        let (mut index, mut remaining) = (0, line.facts.plies);
        let mut moves = line.moves.iter();
        loop {
            let longest = self
                .nodes
                .get(index as usize)
                .map(|node| node.tally.longest);
            if longest.is_none_or(|longest| remaining > longest) {
                return true;
            }
            let below = moves.next().map(|&mv| self.by_move.get(&(index, mv)));
            match below {
                None => return false,
                // A new node would take its longest line from this game.
                Some(None) => return true,
                Some(Some(&next)) => index = next,
            }
            remaining = remaining.saturating_sub(1);
        }
    }

    /// Adds the contribution of game `index`, counted from 0. The result does not depend on the
    /// order of games.
    pub fn add(&mut self, index: u32, line: &TreeLine) {
        let mut node = 0;
        let mut facts = line.facts;
        self.count(node, index, &facts);
        for &mv in &line.moves {
            node = self.below(node, mv);
            facts.plies = facts.plies.saturating_sub(1);
            self.count(node, index, &facts);
        }
    }

    /// Begins with another database. The games before come before its games.
    pub fn begin_database(&mut self) {
        self.databases += 1;
    }

    /// Adds games that were counted elsewhere and end in the position.
    pub fn add_ended(&mut self, tally: &Tally) {
        if let Some(root) = self.nodes.first_mut() {
            root.tally.merge(tally);
        }
    }

    /// Adds games that were counted elsewhere: those in which a move was played when the position
    /// first occurred, with the index of the first one. The best games are not known; see
    /// [`OpeningTree::add_best`].
    pub fn add_move(&mut self, mv: PackedMove, tally: &Tally, first_game: u32) {
        let number = self.below(0, mv);
        if let Some(node) = self.nodes.get_mut(number as usize) {
            node.tally.merge(tally);
            node.first = node.first.min((self.databases, first_game));
        }
        // Seen from the root, the lines are longer by this move.
        let longest = tally.longest.saturating_add(1);
        self.add_ended(&Tally { longest, ..*tally });
    }

    /// Adds one of the best games of a move in the position, with the sum of its ratings.
    pub fn add_best(&mut self, mv: PackedMove, rating_sum: u32, index: u32) {
        let node = self.below(0, mv);
        if let Some(node) = self.nodes.get_mut(node as usize) {
            node.best.add(rating_sum, index);
        }
    }

    /// A move counts for the side that makes it, the root for the side to move.
    fn count(&mut self, number: u32, index: u32, facts: &GameFacts) {
        let Some(node) = self.nodes.get_mut(number as usize) else {
            return;
        };
        let turn = node.board.turn();
        let mover = if number == 0 { turn } else { turn.other() };
        node.tally.add(mover, facts);
        node.first = node.first.min((self.databases, index));
        node.best.add(facts.rating_sum(), index);
    }

    fn below(&mut self, above: u32, mv: PackedMove) -> u32 {
        if let Some(&child) = self.by_move.get(&(above, mv)) {
            return child;
        }
        let new = self.nodes.len() as u32;
        let mut board = Board::empty();
        if let Some(node) = self.nodes.get_mut(above as usize) {
            node.below.push(new);
            board.clone_from(&node.board);
        }
        board.play(mv);
        self.nodes.push(Node::new(board, above, mv));
        self.by_move.insert((above, mv), new);
        new
    }

    /// Returns the position searched for.
    pub fn root(&self) -> NodeId {
        NodeId(0)
    }

    /// Returns the moves played there, the most frequent first; among equals, in the order of their
    /// first games.
    pub fn moves(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let mut below = self
            .node(node)
            .map_or_else(Vec::new, |node| node.below.clone());
        sort_by_key(&mut below, |&id| {
            self.node(NodeId(id))
                .map(|node| (std::cmp::Reverse(node.tally.games), node.first))
        });
        below.into_iter().map(NodeId)
    }

    /// Returns the results of the games.
    pub fn tally(&self, node: NodeId) -> Tally {
        self.node(node).map(|node| node.tally).unwrap_or_default()
    }

    /// Returns up to three games of a tree of one database, counted from 0 ([`BestGames`]).
    pub fn best(&self, node: NodeId) -> impl Iterator<Item = u32> + use<> {
        self.node(node)
            .map_or(BestGames::NONE, |node| node.best)
            .games()
    }

    /// Returns the position.
    pub fn board(&self, node: NodeId) -> Board {
        self.node(node)
            .map_or(Board::empty(), |node| node.board.clone())
    }

    /// Returns the move that leads there; a null move for the root.
    pub fn mv(&self, node: NodeId) -> PackedMove {
        self.node(node).map_or(PackedMove::NULL, |node| node.mv)
    }

    /// Returns the move that leads there in SAN; empty for the root.
    pub fn san(&self, node: NodeId) -> String {
        let played = self.node(node).filter(|_| node.0 != 0);
        let parent = played.and_then(|node| self.node(NodeId(node.above)));
        match parent.zip(played) {
            Some((parent, node)) => san(&parent.board, node.mv),
            None => String::new(),
        }
    }

    /// Returns the move that leads there in UCI notation.
    pub fn uci(&self, node: NodeId) -> String {
        let Some(child) = self.node(node) else {
            return String::new();
        };
        let above = self.node(NodeId(child.above)).unwrap_or(child);
        let start = Start::Setup(Box::new(Setup::from_board(above.board.clone())));
        UciNotation::of_start(&start).show(child.mv).to_string()
    }

    fn node(&self, node: NodeId) -> Option<&Node> {
        self.nodes.get(node.0 as usize)
    }
}
