//! From the tape to the body of a game, in the order of the reference writer (section 14).
//!
//! That order puts everything that belongs to a move directly behind it, and all alternatives to a
//! move beside each other, so the tape first becomes a tree.

use chessdb_core::annotation::CommentRun;
use chessdb_core::legacy::PlainNumbering;
use chessdb_core::rules::is_legal;
use chessdb_core::{
    Board, Charset, Event, Events, Game, Lines, LossKind, Losses, MoveKind, PackedMove, Place,
    Result, Side, Text,
};

use crate::raw::{CLOSE, COMMENT, Length, MoveWord, NAGS, NULL, OPEN, promotion_code};

/// No node, piece or NAG.
const NONE: u32 = u32::MAX;
/// The start position.
const ROOT: u32 = 0;

/// A position of the tree and the move that led to it.
#[derive(Clone, Copy)]
struct Node {
    /// The move; none for a null move and for the root.
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

/// A link of a node's chain of comments or NAGs.
#[derive(Clone, Copy)]
struct Link {
    /// Range in the texts, or the NAG as `start`.
    start: u32,
    end: u32,
    next: u32,
}

/// The line of the tape that is being read.
#[derive(Clone, Copy)]
struct Line {
    /// Its last move, or the position before its first.
    node: u32,
    /// Half-moves it has.
    moves: u32,
    /// Whether a variation stood behind its last move.
    varied: bool,
    /// Comments before its first move, to be put into that move's.
    before: (u32, u32),
}

impl Line {
    const fn at(node: u32) -> Line {
        Line {
            node,
            moves: 0,
            varied: false,
            before: (NONE, NONE),
        }
    }
}

/// Makes bodies; keeps its memory from game to game.
#[derive(Default)]
pub(crate) struct Encoder {
    nodes: Vec<Node>,
    links: Vec<Link>,
    texts: Vec<u8>,
    outer: Vec<Line>,
    run: CommentRun,
    scratch: Vec<u8>,
}

/// What is left to write, last first.
enum Task {
    /// The moves that follow a position.
    Children(u32),
    /// A move as variation, and its siblings.
    Variation(u32),
    /// The end of a variation, then the siblings of its first move.
    Close(u32),
}

impl Encoder {
    /// Appends the body of a game and counts what it cannot hold.
    ///
    /// # Errors
    ///
    /// None that the game could cause; those of [`Lines::new`].
    pub(crate) fn encode(
        &mut self,
        game: &Game,
        losses: &mut Losses,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        self.build(game, losses)?;
        self.write(out);
        Ok(())
    }

    fn build(&mut self, game: &Game, losses: &mut Losses) -> Result<()> {
        self.nodes.clear();
        self.links.clear();
        self.texts.clear();
        self.outer.clear();
        self.run.clear();
        self.nodes.push(Node::new(None, ROOT));
        let mut line = Line::at(ROOT);
        let mut boards = Lines::new(PlainNumbering, game)?;
        let mut events = game.events();
        while let Some(event) = events.next() {
            if self.run.command(&event) {
                continue;
            }
            if let Event::Comment(place, text) = event {
                self.comment(place, Some(text), &mut line, boards.ply(), losses);
                continue;
            }
            if self.run.is_pending() {
                self.comment(Place::After, None, &mut line, boards.ply(), losses);
            }
            let ply = Some(boards.ply());
            match event {
                Event::Move(mv) if is_legal(boards.board(), mv) => {
                    let word = word(boards.board(), mv);
                    self.take_before(&mut line, losses, ply);
                    boards.play(mv);
                    self.add_move(word, &mut line);
                }
                Event::Move(mv) => {
                    losses.add(LossKind::of_illegal(mv), ply);
                    losses.add_many(LossKind::MovesCut, skip_line(&mut events), ply);
                    self.end_line(&mut line, &mut boards, losses, false);
                }
                Event::Nag(nag) => match u8::try_from(nag) {
                    Ok(nag @ 1..) if line.moves > 0 => self.nag(nag, &line, losses, ply),
                    _ => losses.add(LossKind::Nag, ply),
                },
                Event::Open(branch) if line.moves == 0 => {
                    losses.add(LossKind::VariationBeforeMove, ply);
                    events.skip_variation(branch);
                }
                Event::Open(_) => {
                    if line.moves == 1 && !self.outer.is_empty() {
                        losses.add(LossKind::VariationMoved, ply);
                    }
                    line.varied = true;
                    self.outer.push(line);
                    boards.open();
                    line = Line::at(self.node(line.node).map_or(ROOT, |node| node.parent));
                }
                Event::Close => self.end_line(&mut line, &mut boards, losses, true),
                // Commands and comments were taken above.
                event => losses.add_event(&event, ply),
            }
        }
        if self.run.is_pending() {
            self.comment(Place::After, None, &mut line, boards.ply(), losses);
        }
        self.drop_before(&mut line, losses);
        Ok(())
    }

    fn node(&mut self, index: u32) -> Option<&mut Node> {
        self.nodes.get_mut(index as usize)
    }

    fn add_move(&mut self, word: Option<MoveWord>, line: &mut Line) {
        let index = self.nodes.len() as u32;
        let parent = line.node;
        let mut node = Node::new(word, parent);
        node.comments = line.before;
        self.nodes.push(node);
        let elder = self.node(parent).map_or(NONE, |parent| {
            if parent.first_child == NONE {
                parent.first_child = index;
            }
            std::mem::replace(&mut parent.last_child, index)
        });
        if let Some(elder) = self.node(elder) {
            elder.sibling = index;
        }
        *line = Line {
            moves: line.moves.saturating_add(1),
            ..Line::at(index)
        };
    }

    /// Ends a variation, or the main line if there is no variation.
    fn end_line(
        &mut self,
        line: &mut Line,
        boards: &mut Lines<PlainNumbering>,
        losses: &mut Losses,
        by_mark: bool,
    ) {
        self.drop_before(line, losses);
        if by_mark && line.moves == 0 {
            losses.add(LossKind::Variation, Some(boards.ply()));
        }
        if let Some(outer) = self.outer.pop() {
            boards.close();
            *line = outer;
        }
    }

    /// Counts the comments that waited for the first move of a variation.
    fn take_before(&mut self, line: &mut Line, losses: &mut Losses, ply: Option<u32>) {
        let waiting = chain(&self.links, line.before.0).count() as u32;
        losses.add_many(LossKind::CommentMoved, waiting, ply);
        losses.add_many(LossKind::CommentMerged, waiting.saturating_sub(1), ply);
    }

    /// Comments that waited for a move which did not come.
    fn drop_before(&mut self, line: &mut Line, losses: &mut Losses) {
        let waiting = chain(&self.links, line.before.0).count() as u32;
        losses.add_many(LossKind::Comment, waiting, None);
        line.before = (NONE, NONE);
    }

    /// A comment, made of commands that wait and a text, if there is one.
    fn comment(
        &mut self,
        place: Place,
        text: Option<Text<'_>>,
        line: &mut Line,
        ply: u32,
        losses: &mut Losses,
    ) {
        let ply = Some(ply);
        let whole = match text {
            Some(text) => self.run.with_text(text),
            None => match self.run.take() {
                Some(text) => text,
                None => return,
            },
        };
        let start = self.texts.len();
        if whole.convert_into(Charset::UTF_8, &mut self.texts) > 0 {
            losses.add(LossKind::CommentText, ply);
        }
        if self.texts.len() == start {
            losses.add(LossKind::Comment, ply);
            return;
        }
        let link = Link {
            start: start as u32,
            end: self.texts.len() as u32,
            next: NONE,
        };
        let before_first = line.moves == 0 && !self.outer.is_empty();
        let chain = if before_first {
            line.before
        } else {
            if line.varied || (place == Place::Before && line.moves > 0) {
                losses.add(LossKind::CommentMoved, ply);
            }
            let chain = self.node(line.node).map_or((NONE, NONE), |n| n.comments);
            if chain.0 != NONE {
                losses.add(LossKind::CommentMerged, ply);
            }
            chain
        };
        let chain = self.link(chain, link);
        if before_first {
            line.before = chain;
        } else if let Some(node) = self.node(line.node) {
            node.comments = chain;
        }
    }

    fn nag(&mut self, nag: u8, line: &Line, losses: &mut Losses, ply: Option<u32>) {
        let node = self.nodes.get(line.node as usize);
        let (nags, comments) = node.map_or(((NONE, NONE), NONE), |n| (n.nags, n.comments.0));
        // The comment of a variation's first move may have stood before it.
        let behind_comment = comments != NONE;
        if line.varied {
            losses.add(LossKind::NagMoved, ply);
        } else if behind_comment {
            losses.add(LossKind::CommentMoved, ply);
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

    /// Appends to a chain.
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
        let mut tasks = vec![Task::Children(ROOT)];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Children(node) => {
                    let first = self.node(node).map_or(NONE, |node| node.first_child);
                    if first != NONE {
                        self.write_move(first, out);
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

/// Goes behind the end of the line and says how many half-moves were passed.
fn skip_line(events: &mut Events<'_>) -> u32 {
    let (mut depth, mut moves) = (0u32, 0u32);
    for event in events {
        match event {
            Event::Move(_) => moves = moves.saturating_add(1),
            Event::Open(_) => depth += 1,
            Event::Close if depth == 0 => break,
            Event::Close => depth -= 1,
            _ => {}
        }
    }
    moves
}

/// The two bytes of a legal move; none for a null move.
fn word(board: &Board, mv: PackedMove) -> Option<MoveWord> {
    let (from, to) = (mv.from(), mv.to());
    let side = match mv.kind() {
        MoveKind::Null => return None,
        MoveKind::Promotion(kind) => return Some(MoveWord::new(from, to, promotion_code(kind))),
        MoveKind::CastleShort => Side::Short,
        MoveKind::CastleLong => Side::Long,
        _ => return Some(MoveWord::new(from, to, 0)),
    };
    let corner = match side {
        Side::Short => 7,
        Side::Long => 0,
    };
    match board.castling_rook(board.turn(), side) {
        Some(rook) if from.file() != 4 || rook.file() != corner => {
            Some(MoveWord::new(from, rook, 0))
        }
        _ => Some(MoveWord::new(from, to, 0)),
    }
}
