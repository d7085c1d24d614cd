//! Trees of moves as games with variations.

use crate::limits::{Limits, OverLimit};
use crate::model::{Builder, Game, Movetext};
use crate::text::Texts;

/// A tree of moves that [`GamesOfTree`] writes. Node 0 is the start position, every other node
/// is a move.
pub trait MoveTree {
    /// Returns the moves after a node. The first one continues the line.
    fn children(&self, node: u32) -> Vec<u32>;

    /// Returns the node before a node; 0 for the start.
    fn parent(&self, node: u32) -> u32;

    /// Writes a move with its annotations, or the annotations of the start. In a further game of
    /// the tree `is_repeated` is true for the moves that lead to its first new one.
    ///
    /// # Errors
    ///
    /// Returns the limit that does not let the tape grow.
    fn write_node(
        &mut self,
        node: u32,
        is_repeated: bool,
        tape: &mut Builder<'_>,
        texts: &mut Texts,
    ) -> Result<(), OverLimit>;
}

/// A part of a game that is still to be written.
enum Part {
    /// The moves after this one.
    Line(u32),
    /// A variation that begins with this move.
    Variation(u32),
    /// The end of a variation.
    Close,
}

/// The number of moves in a game after which the rest of a tree continues in further games, so that
/// every reader can read them.
const MOVES_PER_GAME: u32 = 50_000;

/// The games of a tree, an iterator. Usually it is one game. The lines of a large tree continue in
/// further games, each of which begins with the moves that lead there.
///
/// A game that reaches a limit of the tape is an error and the last item.
#[derive(Debug)]
pub struct GamesOfTree<T> {
    tree: T,
    /// The tags and texts of every game.
    header: Game,
    waiting: Vec<WaitingNode>,
}

/// A node at which a game begins.
#[derive(Clone, Copy, Debug)]
struct WaitingNode {
    node: u32,
    /// Whether an earlier game has its move.
    is_written: bool,
}

impl<T: MoveTree> GamesOfTree<T> {
    /// Creates the iterator. Every game has the tags and start position of `header`.
    pub fn new(tree: T, header: Game) -> GamesOfTree<T> {
        GamesOfTree {
            tree,
            header,
            waiting: vec![WaitingNode::START],
        }
    }

    /// Returns the tree.
    pub fn into_tree(self) -> T {
        self.tree
    }
}

impl<T: MoveTree> Iterator for GamesOfTree<T> {
    type Item = Result<Game, OverLimit>;

    fn next(&mut self) -> Option<Result<Game, OverLimit>> {
        let first = self.waiting.pop()?;
        let mut game = self.header.clone();
        let Game { moves, texts, .. } = &mut game;
        let waiting = &mut self.waiting;
        let written = write_moves(&mut self.tree, first, MOVES_PER_GAME, waiting, moves, texts);
        if written.is_err() {
            self.waiting.clear();
        }
        Some(written.map(|()| game))
    }
}

impl WaitingNode {
    const START: WaitingNode = WaitingNode {
        node: 0,
        is_written: false,
    };
}

/// Writes a whole tree to a tape.
pub(crate) fn write_whole_tree(
    tree: &mut impl MoveTree,
    moves: &mut Movetext,
    texts: &mut Texts,
) -> Result<(), OverLimit> {
    let all = u32::MAX;
    write_moves(tree, WaitingNode::START, all, &mut Vec::new(), moves, texts)
}

/// Writes the moves that lead to the first node, and everything after it up to `max_moves` moves. The
/// nodes that are left are added to `waiting`.
fn write_moves(
    tree: &mut impl MoveTree,
    first: WaitingNode,
    max_moves: u32,
    waiting: &mut Vec<WaitingNode>,
    moves: &mut Movetext,
    texts: &mut Texts,
) -> Result<(), OverLimit> {
    // The sources have this nesting depth, and readers have limited it.
    let limits = Limits::of_tape();
    let mut tape = moves.builder(&limits);
    let up = |&node: &u32| Some(tree.parent(node)).filter(|_| node != 0);
    let mut path: Vec<u32> = std::iter::successors(Some(first.node), up).collect();
    path.reverse();
    for node in path {
        let is_repeated = first.is_written || node != first.node;
        tree.write_node(node, is_repeated, &mut tape, texts)?;
    }
    let mut remaining = max_moves;
    // A stack instead of recursion: the depth comes from the input.
    let mut open = vec![Part::Line(first.node)];
    while let Some(part) = open.pop() {
        match part {
            Part::Line(node) | Part::Variation(node) if remaining == 0 => {
                let is_written = matches!(part, Part::Line(_));
                if !is_written || !tree.children(node).is_empty() {
                    waiting.push(WaitingNode { node, is_written });
                }
            }
            Part::Line(node) => {
                let mut children = tree.children(node).into_iter();
                let Some(next) = children.next() else {
                    continue;
                };
                tree.write_node(next, false, &mut tape, texts)?;
                remaining -= 1;
                open.push(Part::Line(next));
                // The stack returns them in the opposite order.
                open.extend(children.rev().map(Part::Variation));
            }
            Part::Variation(node) => {
                tape.open()?;
                tree.write_node(node, false, &mut tape, texts)?;
                remaining -= 1;
                open.extend([Part::Close, Part::Line(node)]);
            }
            Part::Close => {
                tape.close();
            }
        }
    }
    tape.finish();
    Ok(())
}
