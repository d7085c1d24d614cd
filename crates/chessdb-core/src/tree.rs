//! A game as a tree of moves, for programs that move about in it. For speed, read
//! [`Game::events`]; a [`Tree`] is a copy in which everything has found its move.

use std::slice;

use crate::annotation::CommentRun;
use crate::rules::write_san;
use crate::{Color, Event, Game, PackedMove, Place, Walk};

/// The moves of a game with their annotations and variations. Made by [`Game::tree`].
///
/// Clocks, evaluations, arrows and coloured squares are in the comments, as PGN writes them, and so
/// is what a source could not express as a move, as `<IllegalMove Ke9>`. Comments of one place are
/// joined by a blank. Further results within the moves, and what only the source format understands,
/// are not in the tree.
///
/// All lines lie in one list, so that depth of nesting is no depth of calls, also when a tree is
/// dropped.
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
    /// In the order of the source, every line after the one that contains its move.
    variations: Vec<LineData>,
    /// The moves in SAN, one after another.
    sans: String,
}

#[derive(Clone, PartialEq, Eq, Default, Debug)]
struct LineData {
    /// What stands before the first move.
    start: Notes,
    nodes: Vec<NodeData>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct NodeData {
    mv: PackedMove,
    color: Color,
    number: u16,
    ply: u32,
    /// Where the move ends in [`Tree::sans`], and how long it is.
    san_end: usize,
    san_len: usize,
    before: String,
    notes: Notes,
}

#[derive(Clone, PartialEq, Eq, Default, Debug)]
struct Notes {
    nags: Vec<u16>,
    comment: String,
    /// Indexes of [`Tree::variations`].
    variations: Vec<usize>,
}

impl Game {
    /// The moves as a tree, for reading variations and annotations at leisure.
    pub fn tree(&self) -> Tree {
        let mut tree = Tree {
            main: LineData::default(),
            variations: Vec::new(),
            sans: String::new(),
        };
        tree.add_moves(self);
        for line in std::iter::once(&mut tree.main).chain(&mut tree.variations) {
            line.settle_first_comment();
        }
        tree
    }
}

impl Tree {
    /// The main line.
    pub fn mainline(&self) -> Line<'_> {
        Line::new(self, &self.main)
    }

    /// The comment of the game: what stands before the first move, or in a game without moves.
    pub fn comment(&self) -> &str {
        self.mainline().comment()
    }

    fn add_moves(&mut self, game: &Game) {
        let Ok(mut walk) = Walk::plain(game) else {
            return;
        };
        // Lines are counted from 1 here; 0 is the main line.
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
                        notes: Notes::default(),
                    };
                    self.line_mut(line).nodes.push(node);
                }
                Event::Nag(nag) => self.last_notes(line).nags.push(nag),
                Event::Open(_) => {
                    self.comment_last(line, &std::mem::take(&mut before));
                    let new = self.variations.len();
                    self.last_notes(line).variations.push(new);
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
                // A further result, and bytes of one format only, have no home here.
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
        match variation.and_then(|at| self.variations.get_mut(at)) {
            Some(line) => line,
            None => &mut self.main,
        }
    }

    /// What belongs to the last move of a line, or to its start.
    fn last_notes(&mut self, line: usize) -> &mut Notes {
        let LineData { start, nodes } = self.line_mut(line);
        nodes.last_mut().map_or(start, |node| &mut node.notes)
    }

    fn comment_last(&mut self, line: usize, text: &str) {
        join(&mut self.last_notes(line).comment, text);
    }
}

impl LineData {
    /// A comment at the start of a line is one before its first move.
    fn settle_first_comment(&mut self) {
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

/// A line of moves, as an iterator over its nodes. [`Line::comment`] and the like say the same
/// however far it has gone.
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

    /// The comment at the start of the line: what [`Node::comment_before`] says of its first move,
    /// or all there is in a line without moves; else empty.
    pub fn comment(&self) -> &'t str {
        let first = self.data.nodes.first();
        first.map_or(&self.data.start.comment, |first| &first.before)
    }

    /// The NAGs before the first move, which say something of the position.
    pub fn nags(&self) -> &'t [u16] {
        &self.data.start.nags
    }

    /// The variations before the first move, which some sources have.
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
    /// The move in standard algebraic notation, such as `Nf3` or `exd8=Q+`; no move number.
    pub fn san(&self) -> &'t str {
        let end = self.data.san_end;
        let start = end.saturating_sub(self.data.san_len);
        self.tree.sans.get(start..end).unwrap_or_default()
    }

    /// The move; displayed as `g1f3`.
    pub fn mv(&self) -> PackedMove {
        self.data.mv
    }

    /// Who makes the move.
    pub fn color(&self) -> Color {
        self.data.color
    }

    /// The number of the move, as people count: both players' first moves have 1, unless the game's
    /// start position says otherwise.
    pub fn number(&self) -> u16 {
        self.data.number
    }

    /// How many half-moves of the line come before this one, from the start of the game.
    pub fn ply(&self) -> u32 {
        self.data.ply
    }

    /// The NAGs in the order of the source; 1 is `!`, 2 is `?` and so on.
    pub fn nags(&self) -> &'t [u16] {
        &self.data.notes.nags
    }

    /// The comment after the move; empty if there is none.
    pub fn comment(&self) -> &'t str {
        &self.data.notes.comment
    }

    /// The comment before the move; empty if there is none.
    pub fn comment_before(&self) -> &'t str {
        &self.data.before
    }

    /// The variations that replace this move, each a line of its own.
    pub fn variations(&self) -> Variations<'t> {
        Variations::new(self.tree, &self.data.notes)
    }
}

/// The alternatives to a move, from [`Node::variations`].
#[derive(Clone, Debug)]
pub struct Variations<'t> {
    tree: &'t Tree,
    rest: slice::Iter<'t, usize>,
}

impl<'t> Variations<'t> {
    fn new(tree: &'t Tree, notes: &'t Notes) -> Variations<'t> {
        Variations {
            tree,
            rest: notes.variations.iter(),
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
