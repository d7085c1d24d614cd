//! The moves of a game as a tree. Its nodes keep their ids when moves are changed.

use std::ops::Range;

use chessdb::arrow::Packer;
use chessdb::core::annotation::MoveValues;
use chessdb::core::commands::{
    ClockKind, Command, Eval, EvalValue, Shape, render_command, without_commands,
};
use chessdb::core::line::Walk;
use chessdb::core::model::Place;
use chessdb::core::rules::write_san;
use chessdb::core::tree::EditedMoves;
use chessdb::core::{Color, Event, Game};

/// The id of the root.
pub(super) const ROOT: u32 = 0;
/// An id that no node has.
const NONE: u32 = u32::MAX;

/// The tree of a game.
#[derive(Debug)]
pub(crate) struct MoveTree {
    /// The nodes by id.
    nodes: Vec<NodeData>,
    /// The ids by half-move, in the order of the movetext; the first is the root.
    ids: Vec<u32>,
    /// The moves in SAN, concatenated.
    sans: String,
    /// The side that makes the first move.
    first: Color,
}

#[derive(Clone, Debug)]
pub(super) struct NodeData {
    pub(super) parent: Option<u32>,
    /// The number of the half-move; none if it was deleted.
    half_move: Option<u32>,
    pub(super) ply: u32,
    /// The move as in the column `moves` of a table.
    pub(super) mv: i16,
    san: Range<usize>,
    first_child: u32,
    last_child: u32,
    next_sibling: u32,
    pub(super) notes: Option<Box<Notes>>,
}

/// The annotations of a node.
#[derive(Clone, Default, Debug)]
pub(super) struct Notes {
    pub(super) nags: Vec<u16>,
    pub(super) after: CommentText,
    pub(super) before: CommentText,
    pub(super) clock: Option<u32>,
    pub(super) elapsed: Option<u32>,
    pub(super) eval: Option<Eval>,
    pub(super) shapes: Vec<Shape>,
}

/// The comment in one place.
#[derive(Clone, Default, Debug)]
pub(super) struct CommentText {
    /// The text without commands.
    pub(super) plain: String,
    /// The values that the comment contains as text, as commands.
    pub(super) values: Vec<u8>,
}

impl CommentText {
    fn add(&mut self, other: &CommentText) {
        if !self.plain.is_empty() && !other.plain.is_empty() {
            self.plain.push(' ');
        }
        self.plain.push_str(&other.plain);
        self.values.extend_from_slice(&other.values);
    }
}

impl NodeData {
    const DELETED: NodeData = NodeData {
        parent: None,
        half_move: None,
        ply: 0,
        mv: 0,
        san: 0..0,
        first_child: NONE,
        last_child: NONE,
        next_sibling: NONE,
        notes: None,
    };

    fn notes_mut(&mut self) -> &mut Notes {
        self.notes.get_or_insert_default()
    }
}

impl Notes {
    fn set_value(&mut self, command: &Command<'_>) {
        match command {
            Command::Clock(clock) if clock.kind == ClockKind::Elapsed => {
                self.elapsed = Some(clock.milliseconds);
            }
            Command::Clock(clock) => self.clock = Some(clock.milliseconds),
            Command::Eval(eval) => self.eval = Some(*eval),
            Command::Shapes(shapes) => self.shapes.extend_from_slice(shapes),
            Command::Extra { .. } => {}
        }
    }

    /// Returns the evaluation in centipawns.
    pub(super) fn centipawns(&self) -> Option<i32> {
        match self.eval?.value {
            EvalValue::Centipawns(value) => Some(value),
            _ => None,
        }
    }

    /// Returns the depth of an evaluation in centipawns or moves to mate.
    pub(super) fn depth(&self) -> Option<u16> {
        let eval = self.eval?;
        let is_shown = self.centipawns().is_some() || self.mate().is_some();
        eval.depth.filter(|_| is_shown)
    }

    /// Returns the number of moves to mate.
    pub(super) fn mate(&self) -> Option<i32> {
        match self.eval?.value {
            EvalValue::Mate(moves) => Some(moves),
            _ => None,
        }
    }
}

impl MoveTree {
    /// Reads the tree of a game. After a change, nodes of the tree before it keep their ids.
    pub(super) fn read(game: &Game, before: Option<(&MoveTree, &EditedMoves)>) -> MoveTree {
        let mut tree = MoveTree {
            nodes: Vec::with_capacity(game.moves.plies() as usize + 1),
            ids: vec![ROOT],
            sans: String::new(),
            first: game.start_board().turn(),
        };
        match before {
            Some((before, edited)) => {
                // Ids are not used again, so that an object of a deleted node never means another.
                let mut next_id = before.nodes.len() as u32;
                tree.ids.extend(edited.former.iter().map(|&former| {
                    let old = before.ids.get(former as usize).filter(|_| former > 0);
                    old.copied().unwrap_or_else(|| {
                        next_id += 1;
                        next_id - 1
                    })
                }));
                tree.nodes.resize(next_id as usize, NodeData::DELETED);
            }
            None => {
                tree.ids.extend(1..=game.moves.plies());
                tree.nodes.resize(tree.ids.len(), NodeData::DELETED);
            }
        }
        tree.fill(game);
        tree
    }

    fn fill(&mut self, game: &Game) {
        self.node_mut(ROOT).half_move = Some(0);
        let Ok(mut walk) = Walk::plain(game) else {
            return;
        };
        let packer = Packer::new(game);
        let mut values = MoveValues::new(self.first);
        let mut half_move = 0;
        let mut node = ROOT;
        // Whether the line has no move yet, and the same of the lines that are interrupted.
        let mut is_line_start = true;
        let mut outer = Vec::new();
        let mut before = CommentText::default();
        let mut san = Vec::new();
        while let Some(event) = walk.step() {
            let mut in_text = Vec::new();
            let is_text = matches!(event, Event::Comment(..));
            values.read(&event, &mut |command| {
                self.node_mut(node).notes_mut().set_value(&command);
                if is_text {
                    in_text.push(b' ');
                    render_command(&command, &mut in_text);
                }
            });
            match event {
                Event::Move(mv) => {
                    half_move += 1;
                    san.clear();
                    write_san(walk.lines().board(), mv, &mut san);
                    let start = self.sans.len();
                    self.sans.extend(san.iter().copied().map(char::from));
                    let id = self.ids.get(half_move as usize).copied().unwrap_or(ROOT);
                    let has_comment = !before.plain.is_empty() || !before.values.is_empty();
                    let added = NodeData {
                        parent: Some(node),
                        half_move: Some(half_move),
                        ply: walk.lines().ply() + 1,
                        mv: packer.pack(mv),
                        san: start..self.sans.len(),
                        notes: has_comment.then(|| {
                            let before = std::mem::take(&mut before);
                            Box::new(Notes {
                                before,
                                ..Notes::default()
                            })
                        }),
                        ..NodeData::DELETED
                    };
                    self.add_child(node, id, added);
                    node = id;
                    is_line_start = false;
                }
                Event::Nag(nag) => self.node_mut(node).notes_mut().nags.push(nag),
                Event::Comment(place, text) => {
                    let plain = without_commands(&text.decode()).into_owned();
                    let comment = CommentText {
                        plain,
                        values: in_text,
                    };
                    if is_line_start || place == Place::Before {
                        before.add(&comment);
                    } else {
                        self.node_mut(node).notes_mut().after.add(&comment);
                    }
                }
                Event::Fault(kind, text) => {
                    let plain = format!("<{kind:?} {text}>");
                    let comment = CommentText {
                        plain,
                        values: Vec::new(),
                    };
                    self.node_mut(node).notes_mut().after.add(&comment);
                }
                Event::Open(_) => {
                    self.end_line(node, &mut before);
                    outer.push((node, is_line_start));
                    // The variation replaces the last move of its line, if there is one.
                    if !is_line_start {
                        node = self.get(node).and_then(|node| node.parent).unwrap_or(ROOT);
                    }
                    is_line_start = true;
                }
                Event::Close => {
                    self.end_line(node, &mut before);
                    (node, is_line_start) = outer.pop().unwrap_or((ROOT, true));
                }
                // Further results and data of one format are not part of the tree.
                _ => {}
            }
        }
        self.end_line(node, &mut before);
    }

    /// Adds a comment that precedes no move to the node before it.
    fn end_line(&mut self, node: u32, before: &mut CommentText) {
        if !before.plain.is_empty() || !before.values.is_empty() {
            let comment = std::mem::take(before);
            self.node_mut(node).notes_mut().after.add(&comment);
        }
    }

    fn add_child(&mut self, parent: u32, id: u32, child: NodeData) {
        *self.node_mut(id) = child;
        let last = std::mem::replace(&mut self.node_mut(parent).last_child, id);
        if last == NONE {
            self.node_mut(parent).first_child = id;
        } else {
            self.node_mut(last).next_sibling = id;
        }
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "`read` makes the list long enough for all ids"
    )]
    fn node_mut(&mut self, id: u32) -> &mut NodeData {
        &mut self.nodes[id as usize]
    }

    /// Returns a node that was not deleted.
    pub(super) fn get(&self, id: u32) -> Option<&NodeData> {
        let node = self.nodes.get(id as usize);
        node.filter(|node| node.half_move.is_some())
    }

    /// Returns the number of a half-move that was not deleted.
    pub(super) fn half_move(&self, id: u32) -> Option<u32> {
        self.nodes.get(id as usize)?.half_move
    }

    /// Returns the id of a half-move.
    pub(super) fn id(&self, half_move: u32) -> u32 {
        self.ids.get(half_move as usize).copied().unwrap_or(ROOT)
    }

    pub(super) fn san(&self, node: &NodeData) -> &str {
        self.sans.get(node.san.clone()).unwrap_or_default()
    }

    /// Returns the node after the main move.
    pub(super) fn next(&self, id: u32) -> Option<u32> {
        let next = self.get(id)?.first_child;
        (next != NONE).then_some(next)
    }

    /// Returns the nodes after a node, the main one first.
    pub(super) fn children(&self, id: u32) -> impl Iterator<Item = u32> {
        std::iter::successors(self.next(id), |&child| {
            let next = self.get(child)?.next_sibling;
            (next != NONE).then_some(next)
        })
    }

    /// Returns the comment after a node; of the root, that before the first move.
    pub(super) fn comment_after(&self, id: u32) -> CommentText {
        let notes = |id| self.get(id)?.notes.as_deref();
        let mut comment = notes(id).map_or_else(CommentText::default, |own| own.after.clone());
        if id == ROOT
            && let Some(first) = self.next(ROOT).and_then(notes)
        {
            comment.add(&first.before);
        }
        comment
    }

    /// Returns the side that made the move of a node; none at the root.
    pub(super) fn mover(&self, node: &NodeData) -> Option<Color> {
        node.parent?;
        let is_first_side = node.ply % 2 == 1;
        Some(if is_first_side { self.first } else { self.first.other() })
    }
}
