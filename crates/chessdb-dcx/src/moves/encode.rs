//! Encoding of a game into a body, in the order of the reference writer (section 14).
//!
//! In that order all annotations of a move directly follow it, and all alternatives to a move are
//! adjacent. So the moves are first converted into a tree.

use chessdb_core::annotation::CommentRun;
use chessdb_core::board::{MoveKind, Side};
use chessdb_core::legacy::PlainNumbering;
use chessdb_core::line::{CommentOut, LineSink, Lines, Out, write_lines};
use chessdb_core::model::Place;
use chessdb_core::rules::is_legal;
use chessdb_core::{Board, Charset, Game, LossKind, Losses, PackedMove, Result as CoreResult};

use crate::raw::{CLOSE, COMMENT, Length, MoveWord, NAGS, NULL, OPEN, promotion_code};

/// No node, piece or NAG.
const NONE: u32 = u32::MAX;
/// The start position.
const ROOT: u32 = 0;

/// A position of the tree and the move that led to it.
#[derive(Clone, Copy)]
struct Node {
    /// The move; `None` for a null move and for the root.
    word: Option<MoveWord>,
    parent: u32,
    first_child: u32,
    last_child: u32,
    /// The next move in the same position.
    sibling: u32,
    /// First and last comment.
    comments: (u32, u32),
    /// First and last NAG.
    nags: (u32, u32),
}

impl Node {
    const fn new(word: Option<MoveWord>, parent: u32) -> Node {
        Node {
            word,
            parent,
            first_child: NONE,
            last_child: NONE,
            sibling: NONE,
            comments: (NONE, NONE),
            nags: (NONE, NONE),
        }
    }
}

/// A link in a node's chain of comments or NAGs.
#[derive(Clone, Copy)]
struct Link {
    /// Start of the range in the texts, or the NAG.
    start: u32,
    end: u32,
    next: u32,
}

/// A line of the game that is being read.
#[derive(Clone, Copy)]
struct Line {
    /// Its last move, or the position before its first.
    node: u32,
    /// Number of half-moves.
    moves: u32,
    /// Whether its last move was followed by a variation.
    varied: bool,
    /// Comments before its first move, which are merged into that move's comment.
    before: (u32, u32),
    /// Whether a move of it was rejected.
    cut: bool,
}

impl Default for Line {
    fn default() -> Line {
        Line::from_node(ROOT)
    }
}

impl Line {
    const fn from_node(node: u32) -> Line {
        Line {
            node,
            moves: 0,
            varied: false,
            before: (NONE, NONE),
            cut: false,
        }
    }
}

/// An encoder of bodies that reuses its memory.
#[derive(Default)]
pub(crate) struct MoveEncoder {
    tree: Tree,
    lines: Option<Lines<PlainNumbering>>,
    run: CommentRun,
}

/// The tree of a game.
#[derive(Default)]
struct Tree {
    nodes: Vec<Node>,
    links: Vec<Link>,
    texts: Vec<u8>,
    line: Line,
    outer: Vec<Line>,
    scratch: Vec<u8>,
}

/// A task of the writer; tasks are on a stack.
enum Task {
    /// Write the moves that follow a position.
    Children(u32),
    /// Write a move as a variation, and its siblings.
    Variation(u32),
    /// Write the end of a variation, then the siblings of its first move.
    Close(u32),
}

impl MoveEncoder {
    /// Appends the body of a game and counts what it cannot hold.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Lines::new`]; no game causes any other.
    pub(crate) fn encode(
        &mut self,
        game: &Game,
        losses: &mut Losses,
        out: &mut Vec<u8>,
    ) -> CoreResult<()> {
        let lines = Lines::reuse_known(&mut self.lines, PlainNumbering, game)?;
        self.tree.clear();
        let mut output = Out::new(game, lines, losses);
        write_lines(
            game.moves.tokens(),
            &mut self.run,
            &mut output,
            &mut self.tree,
        );
        self.tree.write(out);
        Ok(())
    }
}

type Output<'p, 'g> = Out<'p, 'g, Lines<PlainNumbering>>;

impl LineSink<'_> for Tree {
    type Lines = Lines<PlainNumbering>;

    #[inline]
    fn mv(&mut self, out: &mut Output<'_, '_>, mv: PackedMove) -> Result<(), LossKind> {
        let board = out.lines.board();
        if !out.lines.are_known() && !is_legal(board, mv) {
            self.line.cut = true;
            return Err(LossKind::of_illegal(mv));
        }
        let move_word = word(board, mv);
        self.count_before(out);
        self.add_move(move_word);
        Ok(())
    }

    fn nag(&mut self, out: &mut Output<'_, '_>, nag: u16) {
        // A NAG has one byte, 0 is none, and before the first move none is shown (section 5.6).
        match u8::try_from(nag) {
            Ok(nag @ 1..) if self.line.moves > 0 => self.put_nag(nag, out),
            _ => out.lose(LossKind::Nag),
        }
    }

    fn comment(&mut self, out: &mut Output<'_, '_>, comment: CommentOut<'_>) {
        let start = self.texts.len();
        if comment.text.convert_into(Charset::UTF_8, &mut self.texts) > 0 {
            out.lose(LossKind::CommentText);
        }
        if self.texts.len() == start {
            return out.lose(LossKind::Comment);
        }
        if comment.hides_empty_text {
            out.lose(LossKind::Comment);
        }
        let link = Link {
            start: start as u32,
            end: self.texts.len() as u32,
            next: NONE,
        };
        let line = self.line;
        // The reference program attaches a comment directly after 84 to another move (section 5.5).
        if line.moves == 0 && !self.outer.is_empty() {
            self.line.before = self.link(line.before, link);
            return;
        }
        if line.varied || (comment.place == Place::Before && line.moves > 0) {
            out.lose(LossKind::CommentMoved);
        }
        let chain = self.node(line.node).map_or((NONE, NONE), |n| n.comments);
        if chain.0 != NONE {
            out.lose(LossKind::CommentMerged);
        }
        let chain = self.link(chain, link);
        if let Some(node) = self.node(line.node) {
            node.comments = chain;
        }
    }

    fn open(&mut self, out: &mut Output<'_, '_>) -> Result<(), LossKind> {
        let line = &mut self.line;
        if line.moves == 0 {
            // The reference program crashes at it (section 5.4).
            return Err(LossKind::VariationBeforeMove);
        }
        // All alternatives to a move are adjacent, so this one leaves the variation that it was in.
        if line.moves == 1 && !self.outer.is_empty() {
            out.lose(LossKind::VariationMoved);
        }
        line.varied = true;
        self.outer.push(*line);
        let node = self.line.node;
        self.line = Line::from_node(self.node(node).map_or(ROOT, |node| node.parent));
        Ok(())
    }

    fn close(&mut self, out: &mut Output<'_, '_>) {
        // Comments that waited for a move that does not exist.
        let waiting = chain(&self.links, self.line.before.0).count() as u32;
        out.losses.add_many(LossKind::Comment, waiting, None);
        if self.line.moves == 0 && !self.line.cut {
            out.lose(LossKind::Variation);
        }
        self.line = self.outer.pop().unwrap_or_default();
    }
}

impl Tree {
    fn clear(&mut self) {
        self.nodes.clear();
        self.links.clear();
        self.texts.clear();
        self.outer.clear();
        self.nodes.push(Node::new(None, ROOT));
        self.line = Line::from_node(ROOT);
    }

    fn node(&mut self, index: u32) -> Option<&mut Node> {
        self.nodes.get_mut(index as usize)
    }

    fn add_move(&mut self, word: Option<MoveWord>) {
        let line = self.line;
        let index = self.nodes.len() as u32;
        let mut node = Node::new(word, line.node);
        node.comments = line.before;
        self.nodes.push(node);
        let elder = self.node(line.node).map_or(NONE, |parent| {
            if parent.first_child == NONE {
                parent.first_child = index;
            }
            std::mem::replace(&mut parent.last_child, index)
        });
        if let Some(elder) = self.node(elder) {
            elder.sibling = index;
        }
        self.line = Line {
            moves: line.moves.saturating_add(1),
            ..Line::from_node(index)
        };
    }

    /// Counts the comments that waited for the first move of a variation.
    fn count_before(&mut self, out: &mut Output<'_, '_>) {
        let waiting = chain(&self.links, self.line.before.0).count() as u32;
        let ply = Some(out.lines.ply());
        out.losses.add_many(LossKind::CommentMoved, waiting, ply);
        let merged = waiting.saturating_sub(1);
        out.losses.add_many(LossKind::CommentMerged, merged, ply);
    }

    fn put_nag(&mut self, nag: u8, out: &mut Output<'_, '_>) {
        let line = self.line;
        let node = self.nodes.get(line.node as usize);
        let (nags, comments) = node.map_or(((NONE, NONE), NONE), |n| (n.nags, n.comments.0));
        // The comment of a variation's first move may have come before the move.
        let follows_comment = comments != NONE;
        if line.varied {
            out.lose(LossKind::NagMoved);
        } else if follows_comment {
            out.lose(LossKind::CommentMoved);
        }
        let link = Link {
            start: nag.into(),
            end: 0,
            next: NONE,
        };
        let nags = self.link(nags, link);
        if let Some(node) = self.node(line.node) {
            node.nags = nags;
        }
    }

    /// Appends a link to a chain.
    fn link(&mut self, (first, last): (u32, u32), link: Link) -> (u32, u32) {
        let index = self.links.len() as u32;
        self.links.push(link);
        match self.links.get_mut(last as usize) {
            Some(end) => {
                end.next = index;
                (first, index)
            }
            None => (index, index),
        }
    }

    fn write(&mut self, out: &mut Vec<u8>) {
        self.write_notes(ROOT, out);
        // A stack instead of recursion, because the game decides how deep variations are nested.
        let mut tasks = vec![Task::Children(ROOT)];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Children(node) => {
                    let first = self.node(node).map_or(NONE, |node| node.first_child);
                    if first != NONE {
                        self.write_move(first, out);
                        // Last in, first out: the variations precede the rest of the line.
                        tasks.push(Task::Children(first));
                        tasks.push(Task::Variation(self.sibling(first)));
                    }
                }
                Task::Variation(NONE) => {}
                Task::Variation(node) => {
                    out.push(OPEN);
                    self.write_move(node, out);
                    tasks.push(Task::Close(node));
                    tasks.push(Task::Children(node));
                }
                Task::Close(node) => {
                    out.push(CLOSE);
                    tasks.push(Task::Variation(self.sibling(node)));
                }
            }
        }
    }

    fn sibling(&mut self, node: u32) -> u32 {
        self.node(node).map_or(NONE, |node| node.sibling)
    }

    fn write_move(&mut self, index: u32, out: &mut Vec<u8>) {
        match self.node(index).and_then(|node| node.word) {
            Some(word) => out.extend_from_slice(&word.bits().to_be_bytes()),
            None => out.push(NULL),
        }
        self.write_notes(index, out);
    }

    fn write_notes(&mut self, index: u32, out: &mut Vec<u8>) {
        let Some(&Node { nags, comments, .. }) = self.nodes.get(index as usize) else {
            return;
        };
        if nags.0 != NONE {
            self.scratch.clear();
            self.scratch
                .extend(chain(&self.links, nags.0).map(|link| link.start as u8));
            write_block(NAGS, &self.scratch, out);
        }
        if comments.0 != NONE {
            self.scratch.clear();
            for link in chain(&self.links, comments.0) {
                // Of several comments the reference program would keep only the last one (section
                // 5.5).
                if !self.scratch.is_empty() {
                    self.scratch.push(b' ');
                }
                let text = self.texts.get(link.start as usize..link.end as usize);
                self.scratch.extend_from_slice(text.unwrap_or_default());
            }
            write_block(COMMENT, &self.scratch, out);
        }
    }
}

fn chain(links: &[Link], first: u32) -> impl Iterator<Item = Link> + '_ {
    let link = |index: u32| links.get(index as usize).copied();
    std::iter::successors(link(first), move |before| link(before.next))
}

fn write_block(tag: u8, bytes: &[u8], out: &mut Vec<u8>) {
    out.push(tag);
    Length::new(u32::try_from(bytes.len()).unwrap_or(u32::MAX)).write(out);
    out.extend_from_slice(bytes);
}

/// Returns the word of a legal move, or `None` for a null move.
fn word(board: &Board, mv: PackedMove) -> Option<MoveWord> {
    let (from, to) = (mv.from(), mv.to());
    let side = match mv.kind() {
        MoveKind::Null => return None,
        MoveKind::Promotion(kind) => return Some(MoveWord::new(from, to, promotion_code(kind))),
        MoveKind::CastleShort => Side::Short,
        MoveKind::CastleLong => Side::Long,
        _ => return Some(MoveWord::new(from, to, 0)),
    };
    let corner = side.corner(board.turn());
    match board.castling_rook(board.turn(), side) {
        // Only the rook shows where the castling of Chess960 leads (section 14).
        Some(rook) if from.file() != 4 || rook.file() != corner.file() => {
            Some(MoveWord::new(from, rook, 0))
        }
        _ => Some(MoveWord::new(from, to, 0)),
    }
}
