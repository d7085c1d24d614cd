//! A game as a tree of moves, for programs that navigate in it. For speed, read [`Game::events`]: a
//! [`Tree`] is a copy with all annotations attached to their moves. [`Game::edit_moves`] changes the
//! moves themselves.

mod edit;

use std::slice;

use crate::annotation::CommentRun;
use crate::line::Walk;
use crate::model::Place;
use crate::rules::write_san;
use crate::{Color, Event, Game, PackedMove};

pub use edit::{EditedMoves, MovesEdit};

/// The moves of a game with their annotations and variations. Created by [`Game::tree`].
///
/// Comments include clocks, evaluations, arrows and coloured squares in PGN notation, and moves
/// that the source could not express, as `<IllegalMove Ke9>`. Comments in the same place are joined
/// with a blank. The tree omits further results within the moves, and data that only the source
/// format understands.
///
/// All lines are in one list, so deep nesting does not cause deep recursion, not even when a tree
/// is dropped.
///
/// ```
/// use chessdb_core::Game;
///
/// let game = Game::builder()
///     .sans(["e4", "e5"])?
///     .comment("Open games")
///     .variation(|line| line.sans(["c5", "Nf3"]))?
///     .san("Nf3")?
///     .nag(1)
///     .build();
/// let tree = game.tree();
/// let reply = tree.mainline().nth(1).unwrap();
/// assert_eq!((reply.san(), reply.comment()), ("e5", "Open games"));
/// for variation in reply.variations() {
///     let sans: Vec<&str> = variation.map(|node| node.san()).collect();
///     assert_eq!(sans, ["c5", "Nf3"]);
/// }
/// assert_eq!(tree.mainline().last().unwrap().nags(), [1]);
/// # Ok::<(), chessdb_core::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tree {
    main: LineData,
    /// In the order of the source; a line comes after the line that contains its move.
    variations: Vec<LineData>,
    /// The moves in SAN, concatenated.
    sans: String,
}

#[derive(Clone, PartialEq, Eq, Default, Debug)]
struct LineData {
    /// The annotations before the first move.
    start: Annotations,
    nodes: Vec<NodeData>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct NodeData {
    mv: PackedMove,
    color: Color,
    number: u16,
    ply: u32,
    /// The end of the move in [`Tree::sans`], and its length.
    san_end: usize,
    san_len: usize,
    before: String,
    annotations: Annotations,
}

#[derive(Clone, PartialEq, Eq, Default, Debug)]
struct Annotations {
    nags: Vec<u16>,
    comment: String,
    /// Indexes into [`Tree::variations`].
    variations: Vec<usize>,
}

impl Game {
    /// Returns the moves as a tree, for convenient access to variations and annotations.
    pub fn tree(&self) -> Tree {
        let mut tree = Tree {
            main: LineData::default(),
            variations: Vec::new(),
            sans: String::new(),
        };
        tree.add_moves(self);
        for line in std::iter::once(&mut tree.main).chain(&mut tree.variations) {
            line.attach_first_comment();
        }
        tree
    }
}

impl Tree {
    /// Returns the mainline.
    pub fn mainline(&self) -> Line<'_> {
        Line::new(self, &self.main)
    }

    /// Returns the comment of the game: the one before the first move, or the one of a game without
    /// moves.
    pub fn comment(&self) -> &str {
        self.mainline().comment()
    }

    fn add_moves(&mut self, game: &Game) {
        let Ok(mut walk) = Walk::plain(game) else {
            return;
        };
        // Here lines are counted from 1; 0 is the mainline.
        let mut interrupted = Vec::new();
        let mut line = 0;
        let mut run = CommentRun::default();
        let mut before = String::new();
        let mut san = Vec::new();
        while let Some(event) = walk.step() {
            if run.command(&event) {
                continue;
            }
            if let Event::Comment(place, text) = event {
                let text = run.with_text(text).decode();
                match place {
                    Place::Before => join(&mut before, &text),
                    Place::After => self.comment_last(line, &text),
                }
                continue;
            }
            if let Some(commands) = run.take() {
                self.comment_last(line, &commands.decode());
            }
            match event {
                Event::Move(mv) => {
                    let board = walk.lines().board();
                    san.clear();
                    write_san(board, mv, &mut san);
                    self.sans.extend(san.iter().copied().map(char::from));
                    let node = NodeData {
                        mv,
                        color: board.turn(),
                        number: board.fullmove_number(),
                        ply: walk.lines().ply(),
                        san_end: self.sans.len(),
                        san_len: san.len(),
                        before: std::mem::take(&mut before),
                        annotations: Annotations::default(),
                    };
                    self.line_mut(line).nodes.push(node);
                }
                Event::Nag(nag) => self.last_annotations(line).nags.push(nag),
                Event::Open(_) => {
                    self.comment_last(line, &std::mem::take(&mut before));
                    let new = self.variations.len();
                    self.last_annotations(line).variations.push(new);
                    self.variations.push(LineData::default());
                    interrupted.push(std::mem::replace(&mut line, new + 1));
                }
                Event::Close => {
                    self.comment_last(line, &std::mem::take(&mut before));
                    line = interrupted.pop().unwrap_or(0);
                }
                Event::Fault(kind, text) => {
                    self.comment_last(line, &format!("<{kind:?} {text}>"));
                }
                // Further results and bytes of one format only are not part of a tree.
                _ => {}
            }
        }
        if let Some(commands) = run.take() {
            self.comment_last(line, &commands.decode());
        }
        self.comment_last(line, &before);
    }

    fn line_mut(&mut self, line: usize) -> &mut LineData {
        let variation = line.checked_sub(1);
        match variation.and_then(|index| self.variations.get_mut(index)) {
            Some(line) => line,
            None => &mut self.main,
        }
    }

    /// Returns the annotations of the last move of a line, or of its start.
    fn last_annotations(&mut self, line: usize) -> &mut Annotations {
        let LineData { start, nodes } = self.line_mut(line);
        nodes.last_mut().map_or(start, |node| &mut node.annotations)
    }

    fn comment_last(&mut self, line: usize, text: &str) {
        join(&mut self.last_annotations(line).comment, text);
    }
}

impl LineData {
    /// Makes a comment at the start of the line the comment before its first move.
    fn attach_first_comment(&mut self) {
        if let Some(first) = self.nodes.first_mut() {
            let mut comment = std::mem::take(&mut self.start.comment);
            join(&mut comment, &first.before);
            first.before = comment;
        }
    }
}

fn join(to: &mut String, text: &str) {
    if !to.is_empty() && !text.is_empty() {
        to.push(' ');
    }
    to.push_str(text);
}

/// A line of moves, as an iterator over its nodes. [`Line::comment`] and the other methods do not
/// depend on the state of the iteration.
#[derive(Clone, Debug)]
pub struct Line<'t> {
    tree: &'t Tree,
    data: &'t LineData,
    rest: slice::Iter<'t, NodeData>,
}

impl<'t> Line<'t> {
    fn new(tree: &'t Tree, data: &'t LineData) -> Line<'t> {
        Line {
            tree,
            data,
            rest: data.nodes.iter(),
        }
    }

    /// Returns the comment at the start of the line: [`Node::comment_before`] of its first move, or
    /// the only comment of a line without moves. Empty if there is none.
    pub fn comment(&self) -> &'t str {
        self.data
            .nodes
            .first()
            .map_or(&self.data.start.comment, |first| &first.before)
    }

    /// Returns the NAGs before the first move, which refer to the position.
    pub fn nags(&self) -> &'t [u16] {
        &self.data.start.nags
    }

    /// Returns the variations before the first move, which some sources have.
    pub fn variations(&self) -> Variations<'t> {
        Variations::new(self.tree, &self.data.start)
    }
}

impl<'t> Iterator for Line<'t> {
    type Item = Node<'t>;

    fn next(&mut self) -> Option<Node<'t>> {
        let data = self.rest.next()?;
        Some(Node {
            tree: self.tree,
            data,
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.rest.size_hint()
    }
}

impl<'t> DoubleEndedIterator for Line<'t> {
    fn next_back(&mut self) -> Option<Node<'t>> {
        let data = self.rest.next_back()?;
        Some(Node {
            tree: self.tree,
            data,
        })
    }
}

impl ExactSizeIterator for Line<'_> {}

/// A half-move of a [`Tree`].
#[derive(Clone, Copy, Debug)]
pub struct Node<'t> {
    tree: &'t Tree,
    data: &'t NodeData,
}

impl<'t> Node<'t> {
    /// Returns the move in standard algebraic notation, such as `Nf3` or `exd8=Q+`, without a move
    /// number.
    pub fn san(&self) -> &'t str {
        let end = self.data.san_end;
        let start = end.saturating_sub(self.data.san_len);
        self.tree.sans.get(start..end).unwrap_or_default()
    }

    /// Returns the move; its `Display` form is `g1f3`.
    pub fn mv(&self) -> PackedMove {
        self.data.mv
    }

    /// Returns the side that makes the move.
    pub fn color(&self) -> Color {
        self.data.color
    }

    /// Returns the move number: 1 for the first move of either player, unless the start position
    /// sets another number.
    pub fn number(&self) -> u16 {
        self.data.number
    }

    /// Returns the number of half-moves before this one, from the start of the game along this
    /// line.
    pub fn ply(&self) -> u32 {
        self.data.ply
    }

    /// Returns the NAGs in the order of the source; 1 is `!`, 2 is `?` and so on.
    pub fn nags(&self) -> &'t [u16] {
        &self.data.annotations.nags
    }

    /// Returns the comment after the move; empty if there is none.
    pub fn comment(&self) -> &'t str {
        &self.data.annotations.comment
    }

    /// Returns the comment before the move; empty if there is none.
    pub fn comment_before(&self) -> &'t str {
        &self.data.before
    }

    /// Returns the variations that replace this move, one line each.
    pub fn variations(&self) -> Variations<'t> {
        Variations::new(self.tree, &self.data.annotations)
    }
}

/// An iterator over the alternatives to a move, from [`Node::variations`].
#[derive(Clone, Debug)]
pub struct Variations<'t> {
    tree: &'t Tree,
    rest: slice::Iter<'t, usize>,
}

impl<'t> Variations<'t> {
    fn new(tree: &'t Tree, annotations: &'t Annotations) -> Variations<'t> {
        Variations {
            tree,
            rest: annotations.variations.iter(),
        }
    }
}

impl<'t> Iterator for Variations<'t> {
    type Item = Line<'t>;

    fn next(&mut self) -> Option<Line<'t>> {
        let data = self.tree.variations.get(*self.rest.next()?)?;
        Some(Line::new(self.tree, data))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.rest.size_hint()
    }
}

impl ExactSizeIterator for Variations<'_> {}
