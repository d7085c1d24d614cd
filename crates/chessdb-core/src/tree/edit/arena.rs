//! The moves of a game as lines of nodes, which can be rearranged.

use crate::PackedMove;
use crate::board::Facts;
use crate::limits::OverLimit;
use crate::model::{Builder, Movetext, Place, Token};
use crate::text::TextId;

/// Something after a move or at the start of a line, in the order of the tape.
#[derive(Clone, Copy)]
pub(super) enum Item<'t> {
    /// An annotation.
    Token(Token<'t>),
    /// A line by its index.
    Variation(usize),
}

impl<'t> Item<'t> {
    pub(super) fn nag(nag: u16) -> Item<'t> {
        Item::Token(Token::Nag(nag))
    }

    pub(super) fn end_of_commands() -> Item<'t> {
        Item::Token(Token::Comment(Place::After, TextId::NONE))
    }

    /// Returns whether this is a comment with a text.
    pub(super) fn is_comment(&self) -> bool {
        matches!(self, Item::Token(Token::Comment(_, text)) if !text.is_none())
    }

    pub(super) fn is_after_comment(&self) -> bool {
        matches!(self, Item::Token(Token::Comment(Place::After, _)))
    }

    pub(super) fn is_end_of_commands(&self) -> bool {
        matches!(self, Item::Token(Token::Comment(_, text)) if text.is_none())
    }

    pub(super) fn is_nag(&self) -> bool {
        matches!(self, Item::Token(Token::Nag(_)))
    }
}

/// Returns whether the last item is part of the comment that follows.
pub(super) fn ends_with_command(items: &[Item<'_>]) -> bool {
    match items.last() {
        Some(Item::Token(token)) => token.is_command(),
        _ => false,
    }
}

/// The place to which a variation is attached.
#[derive(Clone, Copy)]
pub(super) enum Owner {
    /// The move that it replaces.
    Node(usize),
    /// The start of a line, before its first move.
    Start(usize),
}

pub(super) struct Node<'t> {
    /// The comments before the move.
    before: Vec<Item<'t>>,
    mv: PackedMove,
    facts: Facts,
    items: Vec<Item<'t>>,
    line: usize,
}

#[derive(Default)]
struct Line<'t> {
    /// Annotations and variations before the first move.
    start: Vec<Item<'t>>,
    nodes: Vec<usize>,
    owner: Option<Owner>,
}

/// The moves of a game. Line 0 is the mainline; nodes have the order of the tape that was read.
pub(super) struct MoveArena<'t> {
    pub(super) nodes: Vec<Node<'t>>,
    lines: Vec<Line<'t>>,
}

impl<'t> MoveArena<'t> {
    pub(super) fn read(tape: &'t Movetext) -> MoveArena<'t> {
        let mut arena = MoveArena {
            nodes: Vec::new(),
            lines: vec![Line::default()],
        };
        let mut interrupted = Vec::new();
        let mut line = 0;
        let mut before = Vec::new();
        let mut tokens = tape.tokens();
        loop {
            if let Some((mv, facts)) = tokens.next_move() {
                let node = arena.nodes.len();
                arena.nodes.push(Node {
                    before: std::mem::take(&mut before),
                    mv,
                    facts,
                    items: Vec::new(),
                    line,
                });
                arena.append(line, [node]);
                continue;
            }
            let Some(token) = tokens.next() else { break };
            if let Token::Comment(Place::Before, text) = token
                && !text.is_none()
            {
                before.push(Item::Token(token));
                continue;
            }
            // Comments that precede no move stay where they are.
            arena.last_items(line).append(&mut before);
            match token {
                Token::Open(_) => {
                    let last = arena.lines.get(line).and_then(|line| line.nodes.last());
                    let owner = match last {
                        Some(&node) => Owner::Node(node),
                        None => Owner::Start(line),
                    };
                    let variation = arena.new_line();
                    arena.last_items(line).push(Item::Variation(variation));
                    arena.set_owner(variation, owner);
                    interrupted.push(std::mem::replace(&mut line, variation));
                }
                Token::Close => line = interrupted.pop().unwrap_or(0),
                token => arena.last_items(line).push(Item::Token(token)),
            }
        }
        arena.last_items(line).append(&mut before);
        arena
    }

    /// Writes the tape. Returns the nodes in the order in which they were written.
    pub(super) fn write(&self, tape: &mut Builder<'_>) -> Result<Vec<usize>, OverLimit> {
        enum Work<'a, 't> {
            Line(usize),
            Node(usize),
            Item(&'a Item<'t>),
            Close,
        }
        let mut order = Vec::with_capacity(self.nodes.len());
        // A stack instead of recursion: the depth comes from the input.
        let mut stack = vec![Work::Line(0)];
        while let Some(work) = stack.pop() {
            match work {
                Work::Line(line) => {
                    let Some(line) = self.lines.get(line) else {
                        continue;
                    };
                    // In reverse, because the item that is pushed last is written first.
                    stack.extend(line.nodes.iter().rev().map(|&node| Work::Node(node)));
                    stack.extend(line.start.iter().rev().map(Work::Item));
                }
                Work::Node(index) => {
                    let Some(node) = self.nodes.get(index) else {
                        continue;
                    };
                    for item in &node.before {
                        if let Item::Token(token) = item {
                            tape.token(*token)?;
                        }
                    }
                    tape.known(node.mv, node.facts)?;
                    order.push(index);
                    stack.extend(node.items.iter().rev().map(Work::Item));
                }
                Work::Item(Item::Token(token)) => tape.token(*token)?,
                Work::Item(&Item::Variation(line)) => {
                    tape.open()?;
                    stack.push(Work::Close);
                    stack.push(Work::Line(line));
                }
                Work::Close => {
                    tape.close();
                }
            }
        }
        Ok(order)
    }

    pub(super) fn line_of(&self, node: usize) -> usize {
        self.nodes.get(node).map_or(0, |node| node.line)
    }

    pub(super) fn owner_of(&self, line: usize) -> Option<Owner> {
        self.lines.get(line).and_then(|line| line.owner)
    }

    pub(super) fn move_of(&self, node: usize) -> Option<PackedMove> {
        self.nodes.get(node).map(|node| node.mv)
    }

    pub(super) fn node_at(&self, line: usize, place: usize) -> Option<usize> {
        self.lines.get(line)?.nodes.get(place).copied()
    }

    /// Returns the index of a node in its line.
    pub(super) fn place_in(&self, line: usize, node: usize) -> usize {
        self.lines
            .get(line)
            .map(|line| line.nodes.iter())
            .and_then(|mut nodes| nodes.position(|&other| other == node))
            .unwrap_or(0)
    }

    /// Returns the last node before a variation, with whose position it starts.
    pub(super) fn before_owner(&self, mut owner: Owner) -> Option<usize> {
        loop {
            let (line, place) = match owner {
                Owner::Node(node) => (self.line_of(node), self.place_in(self.line_of(node), node)),
                Owner::Start(line) => (line, 0),
            };
            if let Some(before) = place.checked_sub(1) {
                return self.node_at(line, before);
            }
            owner = self.owner_of(line)?;
        }
    }

    pub(super) fn variations_of(&self, node: usize) -> Vec<usize> {
        let items = self.nodes.get(node).map(|node| node.items.as_slice());
        variations_in(items.unwrap_or_default())
    }

    pub(super) fn start_variations(&self, line: usize) -> Vec<usize> {
        let items = self.lines.get(line).map(|line| line.start.as_slice());
        variations_in(items.unwrap_or_default())
    }

    /// Removes the variations of a node from it and returns them.
    pub(super) fn take_variations(&mut self, node: usize) -> Vec<usize> {
        let variations = self.variations_of(node);
        let items = self.items_mut(Some(node));
        items.retain(|item| matches!(item, Item::Token(_)));
        variations
    }

    /// Removes the annotations and the variations at the start of a line and returns them.
    pub(super) fn take_start(&mut self, line: usize) -> (Vec<Item<'t>>, Vec<usize>) {
        let mut annotations = std::mem::take(self.start_mut(line));
        let variations = variations_in(&annotations);
        annotations.retain(|item| matches!(item, Item::Token(_)));
        (annotations, variations)
    }

    pub(super) fn new_node(&mut self, mv: PackedMove) -> usize {
        self.nodes.push(Node {
            before: Vec::new(),
            mv,
            facts: Facts::UNKNOWN,
            items: Vec::new(),
            line: 0,
        });
        self.nodes.len() - 1
    }

    pub(super) fn new_line(&mut self) -> usize {
        self.lines.push(Line::default());
        self.lines.len() - 1
    }

    pub(super) fn append(&mut self, line: usize, nodes: impl IntoIterator<Item = usize>) {
        let Some(to) = self.lines.get_mut(line) else {
            return;
        };
        for node in nodes {
            to.nodes.push(node);
            if let Some(node) = self.nodes.get_mut(node) {
                node.line = line;
            }
        }
    }

    /// Removes the nodes of a line from `place` and returns them.
    pub(super) fn truncate(&mut self, line: usize, place: usize) -> Vec<usize> {
        match self.lines.get_mut(line) {
            Some(line) if place <= line.nodes.len() => line.nodes.split_off(place),
            _ => Vec::new(),
        }
    }

    pub(super) fn set_owner(&mut self, line: usize, owner: Owner) {
        if let Some(line) = self.lines.get_mut(line) {
            line.owner = Some(owner);
        }
    }

    pub(super) fn remove_variation(&mut self, owner: Owner, line: usize) {
        let items = match owner {
            Owner::Node(node) => self.items_mut(Some(node)),
            Owner::Start(line) => self.start_mut(line),
        };
        items.retain(|item| !matches!(*item, Item::Variation(variation) if variation == line));
    }

    pub(super) fn set_before(&mut self, node: usize, before: Vec<Item<'t>>) {
        if let Some(node) = self.nodes.get_mut(node) {
            node.before = before;
        }
    }

    /// Returns the items after a node, or those at the start of the game.
    pub(super) fn items_mut(&mut self, node: Option<usize>) -> &mut Vec<Item<'t>> {
        match node {
            Some(index) if index < self.nodes.len() =>
            {
                #[expect(clippy::indexing_slicing, reason = "the guard compares the index")]
                &mut self.nodes[index].items
            }
            _ => self.start_mut(0),
        }
    }

    pub(super) fn start_mut(&mut self, line: usize) -> &mut Vec<Item<'t>> {
        if line >= self.lines.len() {
            self.lines.resize_with(line + 1, Line::default);
        }
        #[expect(clippy::indexing_slicing, reason = "the list is long enough now")]
        &mut self.lines[line].start
    }

    fn last_items(&mut self, line: usize) -> &mut Vec<Item<'t>> {
        let last = self.lines.get(line).and_then(|line| line.nodes.last());
        match last.copied() {
            Some(node) => self.items_mut(Some(node)),
            None => self.start_mut(line),
        }
    }
}

fn variations_in(items: &[Item<'_>]) -> Vec<usize> {
    items
        .iter()
        .filter_map(|item| match item {
            Item::Variation(line) => Some(*line),
            Item::Token(_) => None,
        })
        .collect()
}
