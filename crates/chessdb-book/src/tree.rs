//! The lines of a book as a tree, and as games with variations.

use std::fmt::Write as _;

use chessdb_core::limits::OverLimit;
use chessdb_core::model::{Builder, GamesOfTree, MoveTree, Place};
use chessdb_core::text::Texts;
use chessdb_core::{Board, Charset, Game, Result, Scratch, Setup, Start};

use crate::book::Book;
use crate::entry::{BookMove, PositionFacts};
use crate::loss::{BookLoss, BookLosses};
use crate::walk::WalkCounts;

/// A move in a [`BookTree`].
#[derive(Clone, Copy, Debug)]
pub struct TreeNode {
    /// The move.
    pub book_move: BookMove,
    /// The data of the position after the move, where the tree has its moves.
    pub facts: Option<PositionFacts>,
    /// Whether another line leads to the same position, and has its moves.
    pub is_transposition: bool,
    parent: u32,
    child: u32,
    sibling: u32,
}

/// The moves of a book from a position, as a tree in memory. The moves of each position are in the
/// tree once.
#[derive(Debug)]
pub struct BookTree {
    start: Board,
    facts: Option<PositionFacts>,
    /// The nodes in the order of the walk; number 0 is the start.
    nodes: Vec<Option<TreeNode>>,
    first: u32,
    counts: WalkCounts,
}

impl BookTree {
    /// Follows the moves of a book. Moves beyond `most_plies` are left out.
    ///
    /// # Errors
    ///
    /// Returns the first finding in strict mode.
    pub fn new(
        book: &Book<'_>,
        start: &Board,
        most_plies: u32,
        scratch: &mut Scratch,
    ) -> Result<BookTree> {
        let mut tree = BookTree {
            start: start.clone(),
            facts: None,
            nodes: vec![None],
            first: 0,
            counts: WalkCounts::default(),
        };
        // The current node of each ply, and its last child.
        let mut path: Vec<(u32, u32)> = Vec::new();
        let counts = book.walk(start, scratch, &mut |step| {
            path.truncate(step.ply as usize);
            let facts = step.entry.and_then(|entry| entry.facts);
            let Some(&book_move) = step.mv else {
                tree.facts = facts;
                path.push((0, 0));
                return;
            };
            let Some((parent, last)) = path.last_mut().filter(|_| step.ply <= most_plies) else {
                return;
            };
            let number = tree.nodes.len() as u32;
            tree.nodes.push(Some(TreeNode {
                book_move,
                facts,
                is_transposition: !step.is_first,
                parent: *parent,
                child: 0,
                sibling: 0,
            }));
            let (parent, last) = (*parent, std::mem::replace(last, number));
            let of = if last == 0 { parent } else { last };
            match tree.nodes.get_mut(of as usize).and_then(Option::as_mut) {
                Some(node) if last == 0 => node.child = number,
                Some(node) => node.sibling = number,
                None => tree.first = number,
            }
            path.push((number, 0));
        })?;
        tree.counts = counts;
        Ok(tree)
    }

    /// Returns the position at the start.
    pub fn start(&self) -> &Board {
        &self.start
    }

    /// Returns the data of the position at the start.
    pub fn facts(&self) -> Option<&PositionFacts> {
        self.facts.as_ref()
    }

    /// Returns the counts of the whole walk, without a limit of half-moves.
    pub fn counts(&self) -> WalkCounts {
        self.counts
    }

    /// Returns the number of moves in the tree.
    pub fn len(&self) -> usize {
        self.nodes.len().saturating_sub(1)
    }

    /// Returns whether the tree has no moves.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns a move by its number, from 1.
    pub fn node(&self, number: u32) -> Option<&TreeNode> {
        self.nodes.get(number as usize)?.as_ref()
    }

    /// Returns the numbers of the moves after a move, greatest weight first; after number 0 those at
    /// the start.
    pub fn children(&self, number: u32) -> impl Iterator<Item = u32> + '_ {
        let first = match number {
            0 => self.first,
            _ => self.node(number).map_or(0, |node| node.child),
        };
        let some = |number: u32| (number != 0).then_some(number);
        std::iter::successors(some(first), move |&number| some(self.node(number)?.sibling))
    }
}

/// Converts the lines of a tree to games with variations and calls `write` with each. Usually it is
/// one game. The lines of a large book continue in further games, each of which begins with the
/// moves that lead there.
///
/// NAGs become NAGs. Weights, counts, results, recommendations, priorities, values and
/// transpositions become a comment after the move. Returns what a game cannot contain.
pub fn tree_game(tree: &BookTree, mut write: impl FnMut(&Game)) -> BookLosses {
    let mut header = Game::new();
    if !tree.start.is_standard_start() {
        header.header.start = Start::Setup(Box::new(Setup::from_board(tree.start.clone())));
    }
    let mut losses = BookLosses::default();
    losses.add(BookLoss::Unreached, tree.counts.unreached);
    let lines = GameLines { tree, losses };
    let mut games = GamesOfTree::new(lines, header);
    let mut cut = 0;
    for game in &mut games {
        match game {
            Ok(game) => write(&game),
            Err(_) => cut += 1,
        }
    }
    let mut losses = games.into_tree().losses;
    losses.add(BookLoss::Lines, cut);
    losses
}

/// A tree that is written as games.
struct GameLines<'t> {
    tree: &'t BookTree,
    losses: BookLosses,
}

impl MoveTree for GameLines<'_> {
    fn children(&self, number: u32) -> Vec<u32> {
        self.tree.children(number).collect()
    }

    fn parent(&self, number: u32) -> u32 {
        self.tree.node(number).map_or(0, |node| node.parent)
    }

    fn write_node(
        &mut self,
        number: u32,
        is_repeated: bool,
        tape: &mut Builder<'_>,
        texts: &mut Texts,
    ) -> std::result::Result<(), OverLimit> {
        let (place, text) = match (self.tree.node(number), self.tree.facts()) {
            (Some(node), _) => {
                tape.mv(node.book_move.mv)?;
                for nag in [node.book_move.nag, node.facts.map_or(0, |facts| facts.nag)] {
                    if nag != 0 && !is_repeated {
                        tape.nag(nag.into())?;
                    }
                }
                (Place::After, move_text(node))
            }
            (None, Some(facts)) => (Place::Before, facts_text(facts)),
            (None, None) => return Ok(()),
        };
        if is_repeated {
            return Ok(());
        }
        let node = self.tree.node(number);
        let has_ratings = |facts: &PositionFacts| facts.ratings.iter().any(|sum| sum.games > 0);
        let facts = node.and_then(|node| node.facts);
        for (kind, is_lost) in [
            (BookLoss::Ratings, facts.as_ref().is_some_and(has_ratings)),
            (
                BookLoss::Learn,
                node.is_some_and(|node| node.book_move.learn != 0),
            ),
        ] {
            self.losses.add(kind, u64::from(is_lost));
        }
        if text.is_empty() {
            return Ok(());
        }
        let text = texts.push(text.as_bytes(), Charset::UTF_8);
        tape.comment(place, text)
    }
}

fn facts_text(facts: &PositionFacts) -> String {
    let mut text = format!("{} games", facts.games);
    let results = facts.results;
    if results.total() > 0 {
        let _ = write!(
            text,
            " +{} ={} -{}",
            results.wins, results.draws, results.losses
        );
    }
    text
}

fn move_text(node: &TreeNode) -> String {
    let book_move = &node.book_move;
    let mut parts = Vec::new();
    match book_move.statistics {
        Some(statistics) => {
            let mut text = format!("{} games", statistics.games);
            let results = statistics.results;
            if results.total() > 0 {
                let _ = write!(
                    text,
                    " +{} ={} -{}",
                    results.wins, results.draws, results.losses
                );
            }
            parts.push(text);
        }
        None if book_move.priority.is_none() => parts.push(format!("weight {}", book_move.weight)),
        None => {}
    }
    if let Some(priority) = book_move.priority {
        parts.push(format!("priority {priority}"));
    }
    for (is_so, text) in [
        (book_move.recommendation.is_main(), "main move"),
        (book_move.recommendation.is_avoided(), "not in tournaments"),
        (book_move.is_deleted, "deleted"),
        (node.is_transposition, "transposition"),
    ] {
        if is_so {
            parts.push(text.to_owned());
        }
    }
    if let Some(value) = node.facts.and_then(|facts| facts.value) {
        parts.push(format!("value {value}"));
    }
    parts.join(", ")
}
