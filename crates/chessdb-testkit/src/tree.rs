//! A game as a tree of lines in plain text: the form of the `expected.json` files and of `chessdb
//! cat --json`, used to compare games that were read in different ways.
//!
//! ```text
//! { "tags": {…}, "pre": "comment before the first move", "deleted": true, "line": [ move, … ] }
//! move = "e2e4" | [uci, [NAGs], comment, [line, …], comment before]
//! ```
//!
//! A variation belongs to the move that it replaces. The comment before a move is present only if
//! there is one. Comments of one place are joined with a space. Annotations before the first move
//! of a line that have no other place (NAGs, variations, the comment of a line without moves)
//! belong to a first element with an empty `uci`.

use std::collections::VecDeque;

use chessdb_core::Game;
use chessdb_core::model::{Field, GameFlags};
use chessdb_core::tree::{self, Node, Variations};

/// A game with its lines in one list, the mainline first and every line after the one that contains
/// its move, so that nesting needs no recursion.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Tree {
    /// Names and values of all tags.
    pub tags: Vec<(String, String)>,
    /// The comment before the first move.
    pub pre: String,
    /// Whether the game is flagged as deleted.
    pub deleted: bool,
    /// The lines.
    pub lines: Vec<Line>,
}

/// A line of moves.
pub type Line = Vec<Ply>;

/// A half-move with its annotations.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Ply {
    /// `e2e4`, `a7a8q`, castling as the king's move, `0000`; empty for the element before a first
    /// move.
    pub uci: String,
    /// NAGs in source order.
    pub nags: Vec<u16>,
    /// The comment after the move.
    pub comment: String,
    /// The variations, as indexes of [`Tree::lines`].
    pub variations: Vec<usize>,
    /// The comment before the move.
    pub before: String,
}

impl Tree {
    /// Returns the tree of a game.
    pub fn from_game(game: &Game) -> Tree {
        let moves = game.tree();
        let mut tree = Tree {
            tags: tags(game),
            pre: moves.comment().to_owned(),
            deleted: game.header.flags.contains(GameFlags::DELETED),
            lines: Vec::new(),
        };
        // A queue instead of recursion: the nesting is up to the file.
        let mut queue = VecDeque::from([moves.mainline()]);
        while let Some(line) = queue.pop_front() {
            let lines = tree.lines.len() + 1;
            let mut plies = Line::new();
            plies.extend(Ply::before_moves(&line, lines, &mut queue));
            plies.extend(line.map(|node| Ply::from_node(node, lines, &mut queue)));
            tree.lines.push(plies);
        }
        if let Some(first) = tree.lines[0].iter_mut().find(|ply| !ply.uci.is_empty()) {
            // It is the comment before the first move, `pre`.
            first.before.clear();
        }
        tree
    }

    /// Returns the mainline.
    pub fn main(&self) -> &[Ply] {
        self.lines.first().map_or(&[], Vec::as_slice)
    }

    /// Returns the value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags
            .iter()
            .find(|(other, _)| other == name)
            .map(|(_, value)| value.as_str())
    }
}

impl Ply {
    fn from_node<'t>(node: Node<'t>, lines: usize, queue: &mut VecDeque<tree::Line<'t>>) -> Ply {
        Ply {
            uci: node.mv().to_string(),
            nags: node.nags().to_vec(),
            comment: node.comment().to_owned(),
            variations: queue_variations(node.variations(), lines, queue),
            before: node.comment_before().to_owned(),
        }
    }

    /// Returns the element before the first move of a line, if there are any annotations for it.
    fn before_moves<'t>(
        line: &tree::Line<'t>,
        lines: usize,
        queue: &mut VecDeque<tree::Line<'t>>,
    ) -> Option<Ply> {
        let mut ply = Ply {
            nags: line.nags().to_vec(),
            variations: queue_variations(line.variations(), lines, queue),
            ..Ply::default()
        };
        let is_main = lines == 1;
        if line.len() == 0 && !is_main {
            line.comment().clone_into(&mut ply.comment);
        }
        (!ply.is_bare()).then_some(ply)
    }

    /// Returns whether the half-move has no annotations.
    pub fn is_bare(&self) -> bool {
        self.nags.is_empty()
            && self.comment.is_empty()
            && self.variations.is_empty()
            && self.before.is_empty()
    }
}

/// Appends variations to `queue` and returns their future indexes; `lines` is the number of lines
/// already in the tree.
fn queue_variations<'t>(
    variations: Variations<'t>,
    lines: usize,
    queue: &mut VecDeque<tree::Line<'t>>,
) -> Vec<usize> {
    // The lines in the queue get the numbers after those that are done.
    let first = lines + queue.len();
    let indexes = (first..).take(variations.len()).collect();
    queue.extend(variations);
    indexes
}

/// Returns all tags of a game in their PGN form, without the deleted flag, which is not a tag here.
pub fn tags(game: &Game) -> Vec<(String, String)> {
    let odd_flags = game.header.verbatim(Field::Flags).is_some();
    let owned = game.tags().filter_map(|(name, value)| {
        let is_flags = name == Field::Flags.tag() && !odd_flags;
        let value = if is_flags {
            // The deletion mark is compared apart from the letters of the flags.
            value.replace('D', "")
        } else {
            value.into_owned()
        };
        (!is_flags || !value.is_empty()).then(|| (name.into_owned(), value))
    });
    owned.collect()
}

/// Returns the letters of a game's flags.
pub(crate) fn flag_letters(flags: GameFlags) -> String {
    let mut letters = Vec::new();
    flags.write_letters(&mut letters);
    String::from_utf8(letters).expect("flag letters are ASCII")
}

#[cfg(test)]
mod tests;
